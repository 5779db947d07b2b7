"""What to ask a person for one call, and what their answers mean: one walk makes both.

It goes down the parameters beside what the model wrote, which says how many items there are and
which branch of a union is meant, and beside what the person has given so far. A place that is a
person's whole becomes one question for each scalar in it. Two things are asked before what is in
them: of a union of objects which one, and of a list of objects how many.

    {"guests": [{"name": "Kim"}, {"name": "Ada"}]}          the model; `passport` is the person's
    $input.guests[0].passport, $input.guests[1].passport    what is asked

Answers are nested as the schema, or flat by these paths; flat ones may be texts of a form, where
a blank one is none. Either way they are coerced by the schema of the person's side.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from json import loads
from typing import Final, TypeAlias, cast

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, json_copy
from pyfunctools._text import shortened, visible
from pyfunctools.execution.person.answers import Answers, answers_of, as_meant, plain_json
from pyfunctools.record.function import Function, contract_of
from pyfunctools.record.question import Kind, Question
from pyfunctools.schema import Issue, Path
from pyfunctools.schema.feedback.plain_words import TEXTS, humanized, problem_text
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.references import defined_name, prune
from pyfunctools.schema.outline.json_types import ALL_TYPES, listed_values
from pyfunctools.schema.outline.outline import Part, Place
from pyfunctools.schema.outline.unions import union_of
from pyfunctools.schema.separation.predicates import is_file, is_secret_of_human
from pyfunctools.schema.separation.side_values import ABSENT, Given
from pyfunctools.schema.vocabulary import UNIONS

Parts: TypeAlias = tuple[Part, ...]
"""What holds together at a place, the branches that are known of unions with it."""

MOST_ITEMS: Final = 100
"""Items of one list that are asked for one by one."""
_SHOWN = 80
"""Characters of what the model wrote of an item that are shown beside what is asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One place that is asked about, in values and in the schema, and what is known of it there.

    `outer` is what the place around it is called, `about` what the model wrote of the item it is
    in, and `seen` are the schemas of the objects it is in.
    """

    keys: Keys
    place: Place
    required: bool = True
    label: str = ""
    outer: str = ""
    about: str = ""
    secret: bool = False
    seen: frozenset[Part] = frozenset()


@dataclass(slots=True)
class Sheet:
    """The questions for one call, and the values that the answers stand for.

    `values` are nested and as given, `ABSENT` where nothing is; `asked` are the questions' places.
    Made by `sheet_of`.
    """

    function: Function
    texts: Mapping[str, str]
    issues: Sequence[Issue]
    questions: list[Question] = field(default_factory=list[Question])
    asked: list[Keys] = field(default_factory=list[Keys])
    values: Given = ABSENT

    # Places of both

    def ask_beside(self, spot: Spot, mine: Given, answers: Answers) -> Given:
        """Ask for what is the person's at a place of both, of which the model gave `mine`.

        Return the answers.
        """
        parts, sure = self._chosen(spot.place.parts, mine)
        if isinstance(mine, list):
            return self._beside_items(spot, parts, mine, answers)
        given = mine if isinstance(mine, dict) else {}
        fields = dict(self._fields(spot, parts, given))
        owners = {name: self._owner((*spot.keys, name)) for name in fields}
        if not isinstance(mine, dict) and (
            mine is not ABSENT or any(fields[n][1] and o == "llm" for n, o in owners.items())
        ):
            return answers.nested()  # null, or an object that the model left out
        values: dict[str, JsonValue] = {}

        def is_new(inner: Spot) -> bool:
            return inner.seen.isdisjoint(inner.place.possible.parts)

        for name, (place, needed) in fields.items():
            below = self._below(spot, name, place, is_needed=spot.required and needed and sure)
            inner, held = answers.child(name), given.get(name, ABSENT)
            if owners[name] == "human":
                value = self._asked(below, inner)
            elif owners[name] == "mixed" and (held is not ABSENT or is_new(below)):
                value = self.ask_beside(below, {} if needed and held is ABSENT else held, inner)
            else:  # the model's, or what leads back to itself and was not written
                value = inner.nested()
            if value is not ABSENT:
                values[name] = value
        return answers.joined(values, spot.required)

    def _beside_items(
        self, spot: Spot, parts: Parts, mine: Sequence[JsonValue], answers: Answers
    ) -> Given:
        values: list[Given] = []
        for n, item in enumerate(mine):
            keys = (*spot.keys, n)
            below = self._below(spot, n, _inside(spot, parts, n), is_needed=True)
            owner, inner = self._owner(keys), answers.child(n)
            if owner == "human":
                values.append(self._asked(below, inner))
            elif owner == "mixed":
                values.append(self.ask_beside(_with_item(below, item), item, inner))
            else:
                values.append(inner.nested())
        return answers.listed(values)

    def _owner(self, keys: Keys) -> str:
        separated = self.function.separated
        return "llm" if separated is None else separated.owner(keys)

    # Places of the person's

    def _asked(self, spot: Spot, answers: Answers) -> Given:
        """Return the answer for a place of the person's, and ask for it, in parts if it has some.

        `ABSENT` where nothing is given.
        """
        parts, union = self._settled(spot.place)
        values = _listed(parts, union)
        spot = self._hidden(spot, parts)
        if values is not None and len(values) == 1 and not answers.is_given:
            return values[0] if spot.required else ABSENT  # it only says which thing this is
        members = [part for part in parts if part.declared]
        is_new = spot.seen.isdisjoint(members)
        takes_null = "null" in spot.place.types
        if values is None and is_new:
            branches = self._named(union)
            if branches:
                return self._of_kind(spot, parts, branches, answers)
            if members and union is None:
                wanted = spot.required and not takes_null
                value = self._members(spot, parts, answers, wanted=wanted)
                return None if value is ABSENT and spot.required and takes_null else value
            if self._is_of_objects(spot, parts):
                return self._counted(spot, parts, answers)
        kind, options = self._kind(spot, parts, values)
        is_list = kind in ("choices", "json", "file") and _is_list(parts)
        empty = is_list and not any(part.rules.get("minItems") for part in parts)
        needed = spot.required and not takes_null and not empty
        self._ask(spot, parts, kind, answers, required=needed, options=options)
        if answers.is_given or not spot.required:
            return self._read(kind, parts, answers)
        if not answers.is_flat:
            return ABSENT
        return None if takes_null else [] if empty else ABSENT

    def _of_kind(
        self,
        spot: Spot,
        parts: Parts,
        branches: Mapping[str, Part],
        answers: Answers,
    ) -> Given:
        """Ask which of several objects it is, and for what is in it where that is known."""
        chosen = answers.chosen(branches)
        if chosen is None and isinstance(held := answers.nested(), dict):
            meant = _meant_branch(parts, held)
            chosen = next((name for name, each in branches.items() if each is meant), None)
        label = self.texts["which"].format(label=self._label(spot, parts))
        schema: JsonSchema = {"enum": [*branches]}
        self._ask(
            spot,
            parts,
            "choice",
            answers,
            label=label,
            options=tuple(branches),
            schema=schema,
            is_known=chosen is not None,
        )
        if chosen is None:
            return answers.nested()
        inside = (*parts, *branches[chosen].parts)
        return self._members(spot, inside, answers.without_own(), wanted=True)

    def _members(self, spot: Spot, parts: Parts, answers: Answers, *, wanted: bool) -> Given:
        """Return an object, each of its properties asked for; `wanted` if it has to be there."""
        values: dict[str, JsonValue] = {}
        is_there = wanted or answers.is_given
        for name, (place, needed) in self._fields(spot, parts, {}):
            below = self._below(spot, name, place, is_needed=needed and is_there)
            constant = _listed(place.parts, None) if is_there else None
            inner = answers.child(name)
            value = self._asked(below, inner)
            if value is ABSENT and constant is not None and len(constant) == 1:
                value = constant[0]
            if value is not ABSENT:
                values[name] = value
        return answers.joined(values, wanted)

    def _counted(self, spot: Spot, parts: Parts, answers: Answers) -> Given:
        """Ask how many objects a list has, and for what is in as many as are given."""
        least, most = 0, MOST_ITEMS
        for part in parts:
            least = max(least, _number(part.rules.get("minItems"), 0))
            most = min(most, _number(part.rules.get("maxItems"), most))
        label = self.texts["count"].format(label=self._label(spot, parts))
        schema: JsonSchema = {"type": "integer", "minimum": least, "maximum": most}
        needed = spot.required and least > 0
        self._ask(
            spot, parts, "integer", answers, label=label, required=needed, schema=schema, default=0
        )
        count = answers.count(MOST_ITEMS)
        if count is None:
            return answers.nested() if answers.is_given else [] if spot.required else ABSENT
        values: list[Given] = []
        for n in range(count):
            below = self._below(spot, n, _inside(spot, parts, n), is_needed=True)
            values.append(self._asked(below, answers.child(n)))
        return answers.listed(values)

    def _read(self, kind: Kind, parts: Parts, answers: Answers) -> Given:
        """Return what one answer means, as far as the kind of question says; coercion does more."""
        value = answers.nested()
        if kind != "json" or not isinstance(value, str) or not answers.is_flat:
            return value
        if _is_list(parts) and not value.lstrip().startswith("["):
            return [line.strip() for line in value.splitlines() if line.strip()]
        if "string" in _types(parts):
            try:
                return loads(value)
            except (ValueError, RecursionError):
                return value
        return value

    # What a place is

    def _settled(self, place: Place) -> tuple[Parts, Part | None]:
        """Return what holds at a place, and the part with the union whose branch is not known yet.

        A union with null is what is beside the null.
        """
        parts, unions = _expanded(place.parts, lambda _, __: [])
        return parts, next(iter(unions), None)

    def _chosen(self, parts: Parts, mine: Given) -> tuple[Parts, bool]:
        """Return what holds where the model gave `mine`, and whether that is sure: all branches do
        where nobody can say which one was meant."""

        def pick(part: Part, branches: list[Part]) -> list[Part]:
            meant = _meant_branch((part,), None if mine is ABSENT else mine)
            return branches if meant is None else [meant]

        found, unsure = _expanded(parts, pick)
        return found, not unsure

    def _named(self, union: Part | None) -> dict[str, Part]:
        """Return the branches of a union by what they are called, where all are objects."""
        found: dict[str, Part] = {}
        for branch in () if union is None else _branches(union):
            if branch.types != _OBJECT or not any(part.declared for part in branch.parts):
                return {}
            name = _branch_name(branch)
            found[name if name not in found else f"{name} {len(found) + 1}"] = branch
        return found

    def _is_of_objects(self, spot: Spot, parts: Parts) -> bool:
        """True if a place is that of a list of objects."""
        if not _is_list(parts) or any(part.items[0] for part in parts):
            return False
        inside, union = self._settled(_inside(spot, parts, 0))
        return any(part.declared for part in inside) or bool(self._named(union))

    def _fields(
        self, spot: Spot, parts: Parts, mine: JsonObject
    ) -> Iterator[tuple[str, tuple[Place, bool]]]:
        """Yield the properties, the required ones first, and those that only the model named."""
        required = {name for part in parts for name in part.required}
        names = dict.fromkeys(name for part in parts for name in part.declared)
        extra = [name for name in mine if name not in names]
        for name in (*sorted(names, key=lambda name: name not in required), *extra):
            yield name, (_inside(spot, parts, name), name in required or name in extra)

    def _kind(
        self,
        spot: Spot,
        parts: Parts,
        values: list[JsonValue] | None,
    ) -> tuple[Kind, tuple[JsonValue, ...]]:
        if values is not None:
            return "choice", tuple(value for value in values if value is not None)
        types = spot.place.types - _NULL
        if _is_file(parts):
            return "file", ()
        if types == _ARRAY and not any(part.items[0] for part in parts):
            below, union = self._settled(_inside(spot, parts, 0))
            listed = _listed(below, union)
            if listed is not None:
                return "choices", tuple(listed)
            return ("file" if _is_file(below) else "json"), ()
        if types & (_ARRAY | _OBJECT):
            return "json", ()
        for word, kind in _SCALARS:
            if types == word:
                return kind, ()
        forms = [part.rules.get("format") or part.rules.get("x-human-widget") for part in parts]
        dated: list[Kind] = [kind for form, kind in _FORMS.items() if form in forms]
        return (dated[0] if dated else "text"), ()

    def _hidden(self, spot: Spot, parts: Parts) -> Spot:
        """Return the place with whether it is a secret's."""
        path = Path.of(spot.keys)
        is_one = any(is_secret_of_human(path, part.rules) for part in parts)
        return replace(spot, secret=True) if is_one else spot

    # What is said of it

    def _below(
        self,
        spot: Spot,
        step: str | int,
        place: Place,
        *,
        is_needed: bool,
    ) -> Spot:
        """Return the place one step further."""
        if isinstance(step, int):
            label = self.texts["numbered"].format(label=spot.label, number=step + 1)
        else:
            title = _said(place.roots[:1], "title")
            label = self._part_of(spot.label, title or humanized(step))
        return replace(
            spot,
            keys=(*spot.keys, step),
            place=place,
            required=is_needed,
            label=label,
            outer=spot.label,
            seen=frozenset()
            if isinstance(step, int)
            else spot.seen.union(spot.place.possible.parts),
        )

    def _label(self, spot: Spot, parts: Parts) -> str:
        asked = _said(parts, "x-human-ask")
        if not asked:
            return spot.label
        is_in_list = any(isinstance(key, int) for key in spot.keys)
        return self._part_of(spot.outer, asked) if is_in_list else asked

    def _part_of(self, outer: str, label: str) -> str:
        return self.texts["part"].format(outer=outer, label=label) if outer else label

    def _ask(
        self,
        spot: Spot,
        parts: Parts,
        kind: Kind,
        answers: Answers,
        *,
        label: str | None = None,
        required: bool | None = None,
        options: tuple[JsonValue, ...] = (),
        schema: JsonSchema | bool | None = None,
        default: JsonValue = None,
        is_known: bool = False,
    ) -> None:
        label = self._label(spot, parts) if label is None else label
        said = _said(parts, "description")
        about = self.texts["about"].format(value=spot.about) if spot.about else ""
        lines = self.texts["lines"] if kind == "json" and _is_list(parts) else ""
        is_shown = schema is None and not spot.secret and kind != "file"
        stated = next((p.rules["default"] for p in parts if "default" in p.rules), default)
        is_needed = spot.required if required is None else required
        problem = self._problem(spot.keys, answers, is_whole=schema is None)
        if problem is None and self.issues and is_needed and not answers.is_given:
            problem = self.texts["needed"]
        elif problem is not None and kind == "file" and answers.is_given:
            problem = self.texts["wrong"].format(expected=self.texts["file"])
        question = Question(
            path=str(Path.of(spot.keys)),
            label=label,
            help=" ".join(text for text in (about, "" if said == label else said, lines) if text),
            kind=kind,
            required=is_needed,
            options=options,
            default=stated if is_shown else default,
            secret=spot.secret,
            problem=None if is_known else problem,
            schema=_complete(spot.place) if schema is None else schema,
        )
        self.questions.append(question)
        self.asked.append(spot.keys)

    def _problem(self, keys: Keys, answers: Answers, *, is_whole: bool) -> str | None:
        """Return what is wrong with an answer, or with what the first answer is a part of.

        Without `is_whole` what is wrong below is for other questions.
        """
        size = len(keys) if is_whole else None
        wrong = [one for one in self.issues if one.path.keys[:size] == keys]
        if not wrong:
            around = [one for one in self.issues if keys[: len(one.path.keys)] == one.path.keys]
            wrong = [one for one in around if not any(_is_in(each, one) for each in self.asked)]
        if not wrong:
            return None
        is_missing = not answers.is_given and wrong[0].path.keys[: len(keys)] == keys
        return problem_text(wrong[0], self.texts, missing=is_missing)


def _complete(place: Place) -> JsonSchema | bool:
    """Return the schema of a place, a copy, with the definitions that it reaches."""
    definitions = place.outline.root.rules.get("$defs")
    schemas = [part.schema for part in place.roots]
    schema = schemas[0] if len(schemas) == 1 else {"allOf": schemas} if schemas else True
    if isinstance(schema, bool) or definitions is None:
        return json_copy(schema)
    return json_copy(prune({**schema, "$defs": definitions}))


def _is_in(keys: Keys, issue: Issue) -> bool:
    return keys[: len(issue.path.keys)] == issue.path.keys


def _branches(part: Part) -> list[Part]:
    """Return the branches of the union that a part has, null left out."""
    return [each for keyword in UNIONS for each in part.branches(keyword) if each.types != _NULL]


def _expanded(
    parts: Parts, pick: Callable[[Part, list[Part]], list[Part]]
) -> tuple[Parts, list[Part]]:
    """Return what holds with these parts, and those of them with a union that is still open.

    Of several branches those hold that are picked.
    """
    found, unsure = dict.fromkeys(parts), list[Part]()
    queue = list(found)
    for part in queue:  # grows while it is read
        branches = _branches(part)
        if len(branches) > 1:
            branches = pick(part, branches)
            unsure += [part] if len(branches) != 1 else []
        for branch in branches:
            queue += [each for each in branch.parts if each not in found]
            found |= dict.fromkeys(queue)
    return tuple(found), unsure


def _meant_branch(parts: Parts, value: JsonValue) -> Part | None:
    """Return the branch that a value was meant for, of the first union that tells."""
    unions = (union_of(part, word) for part in parts for word in UNIONS if word in part.rules)
    return next(
        (meant for union in unions if (meant := union.intended_branch(value)) is not None), None
    )


def _inside(spot: Spot, parts: Parts, key: str | int) -> Place:
    """Return the place of a property or an item, where these parts hold."""
    return spot.place.outline.place_of(tuple(each for part in parts for each in part.parts_of(key)))


def _types(parts: Parts) -> frozenset[str]:
    return frozenset[str].intersection(*(part.types for part in parts)) if parts else ALL_TYPES


def _is_list(parts: Parts) -> bool:
    return _types(parts) - _NULL == _ARRAY


def _with_item(spot: Spot, item: JsonValue) -> Spot:
    """Return the place of an item with what the model wrote of it, for a person to know it by."""
    if not isinstance(item, dict):
        return spot
    scalars = [str(each) for each in item.values() if isinstance(each, str | int | float)]
    return replace(spot, about=shortened(visible(", ".join(scalars)), _SHOWN))


def _branch_name(branch: Part) -> str:
    """Return what a branch is called among others: its title, its definition or its tag."""
    reference = branch.rules.get("$ref")
    name = defined_name(reference) if isinstance(reference, str) else None
    declared = (inner for part in branch.parts for inner in part.declared.values())
    tags = [each for inner in declared if isinstance(each := inner.rules.get("const"), str)]
    return _said(branch.parts, "title") or humanized(name or next(iter(tags), _NAMELESS))


def _listed(parts: Parts, union: Part | None) -> list[JsonValue] | None:
    """Return the values that are listed for a place, those of all branches of a union."""
    found = [listed for part in parts if (listed := listed_values(part.rules)) is not None]
    if found:
        return min(found, key=len)
    branches = [] if union is None else [listed_values(each.rules) for each in _branches(union)]
    values = [value for each in branches for value in each or ()]
    return None if None in branches else values or None


def _is_file(parts: Parts) -> bool:
    """True if bytes are wanted; a text with another format is the address of a file."""
    path = Path.of(())
    return any(
        (part.rules.get("x-human-widget") == "file" or is_file(path, part.rules))
        and part.rules.get("format") in (None, "binary", "byte")
        for part in parts
    )


def _said(parts: Sequence[Part], keyword: str) -> str:
    """Return what the first of some parts says of itself, its first paragraph."""
    for part in parts:
        said = part.rules.get(keyword)
        if isinstance(said, str) and said.strip():
            return visible(" ".join(said.strip().partition("\n\n")[0].split()))
    return ""


def _number(value: JsonValue, otherwise: int) -> int:
    return int(value) if isinstance(value, int | float) else otherwise


_NAMELESS = "kind"
_NULL, _ARRAY, _OBJECT = (frozenset({kind}) for kind in ("null", "array", "object"))
_SCALARS: tuple[tuple[frozenset[str], Kind], ...] = (
    (frozenset({"boolean"}), "boolean"),
    (frozenset({"integer"}), "integer"),
    (frozenset({"number", "integer"}), "number"),
)
_FORMS: Mapping[str, Kind] = {"date": "date", "time": "time", "date-time": "datetime"}


def persons_values(
    function: Function, llm: JsonValue, human: object
) -> tuple[JsonValue, JsonValue]:
    """Return a person's values nested as the schema: as given, and as the schema says they mean."""
    answers = answers_of(human)
    typed = sheet_of(function, llm, human).values if answers.is_flat else answers.own
    if typed is ABSENT:
        typed = cast("JsonObject", {})
    try:
        return typed, as_meant(function, plain_json(typed))
    except RecursionError:  # nested without end, which the schema refuses
        return typed, typed


def sheet_of(
    function: Function,
    llm: JsonValue,
    human: object = None,
    issues: Sequence[Issue] = (),
    texts: Mapping[str, str] = TEXTS,
) -> Sheet:
    """Return the questions for one call, and what the answers so far stand for.

    `llm` is the model's part, checked. `issues` are what is wrong with the last answers.
    """
    answers = answers_of(human)
    sheet = Sheet(function, texts, issues)
    place = contract_of(function).validator.outline.place
    sheet.values = sheet.ask_beside(Spot(keys=(), place=place), llm, answers)
    if not answers.is_flat:
        sheet.values = answers.own
    return sheet
