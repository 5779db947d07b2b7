"""A form for a person: its entries, by their schemas, and the answers to them.

Answers are nested as the schema, or flat by path as a form sends them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, cast

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._text import visible
from pyfunctools.execution.person.uploads import with_files
from pyfunctools.record.file import File
from pyfunctools.record.function import Function, contract_of
from pyfunctools.record.outcome import Kind
from pyfunctools.schema import Path
from pyfunctools.schema.coercion.coerce import coerced
from pyfunctools.schema.feedback.plain_words import humanized
from pyfunctools.schema.ground.json_values import ABSENT, Given
from pyfunctools.schema.ground.path import ROOT, Keys, parse_path, value_at, with_value
from pyfunctools.schema.ground.references import defined_name, prune
from pyfunctools.schema.outline.json_types import listed_values
from pyfunctools.schema.outline.outline import Part, Place
from pyfunctools.schema.outline.unions import union_of
from pyfunctools.schema.separation.predicates import is_file, is_secret_of_human
from pyfunctools.schema.vocabulary import UNIONS

_LONGEST = 1_000
"""Items of the longest list that flat answers can fill, unless the model's is longer."""


@dataclass(slots=True)
class Answers:
    """The answers at one place, as a tree.

    `own` is the answer for the place itself, and `inside` has the answers for its properties or
    items. Flat answers that are blank count as missing; one with answers inside it is a number of
    items, or the name of a branch. The walk over the questions completes flat answers: `filled` is
    the value where nothing is inside, and a list has at least `length` items.
    """

    own: Given = ABSENT
    is_flat: bool = False
    inside: "dict[str | int, Answers]" = field(default_factory=dict[str | int, "Answers"])
    filled: Given = ABSENT
    length: int = 0

    @property
    def is_given(self) -> bool:
        """Whether anything was given here or below."""
        return self.has_own or any(inner.is_given for inner in self.inside.values())

    @property
    def has_own(self) -> bool:
        """Whether an answer was given for the place itself."""
        return self.own is not ABSENT and not (self.is_flat and is_blank(self.own))

    def child(self, key: str | int) -> "Answers":
        """Return the answers at a property or an item."""
        if key in self.inside:
            return self.inside[key]
        found = value_at(cast("JsonValue", self.own), (key,))
        inner = Answers(ABSENT if found is None else found[0], self.is_flat)
        if not self.has_own:  # else the schema judges what was given here
            self.inside[key] = inner
        return inner

    def nested(self) -> Given:
        """Return the answers here as one nested value, `ABSENT` if nothing was given or filled."""
        if not self.is_flat:
            return self.own
        given = {key: inner.nested() for key, inner in self.inside.items()}
        given = {key: value for key, value in given.items() if value is not ABSENT}
        if not given:
            own = self.own if self.has_own else ABSENT
            return own if self.filled is ABSENT else self.filled
        most = max(_LONGEST, self.length)
        if all(isinstance(key, int) and key < most for key in given):
            count = max(key + 1 for key in given if isinstance(key, int))
            items = (given.get(n, ABSENT) for n in range(max(count, self.length)))
            return [None if each is ABSENT else each for each in items]
        return {str(key): value for key, value in given.items()}

    def fill(self, value: Given) -> None:
        """Complete a place for which nothing was given."""
        if not self.has_own:
            self.filled = value

    def chosen(self, names: Iterable[str]) -> str | None:
        """Return the name that was given as the answer for the place itself, if any."""
        text = self.own.strip().casefold() if isinstance(self.own, str) else None
        return next((name for name in names if name.casefold() == text), None)

    def drop_text(self) -> None:
        """Forget a flat text for the place itself, which has named a branch or a number."""
        if self.is_flat and not isinstance(self.own, list | dict):
            self.own = ABSENT

    def count(self, most: int) -> int | None:
        """Return the number of items that were given or announced, `None` if it is unknown."""
        if isinstance(self.own, list):
            return len(self.own)
        given = [key for key, inner in self.inside.items() if inner.is_given]
        least = max((n + 1 for n in given if isinstance(n, int)), default=0)
        text = str(self.own).strip() if isinstance(self.own, str | int) else ""
        if text.isascii() and text.isdigit() and len(text) < 6:
            least = max(least, int(text))
        elif text or not given:
            return None
        return least if least <= most else None


def answers_of(human: object) -> Answers:
    """Return a person's answers as a tree; they are flat if every key is a path.

    Of a mixture nothing is taken: `merged` says so.
    """
    value = with_files(human)
    if not isinstance(value, dict) or not value:
        return Answers() if human is None else Answers(value)
    given = cast("dict[object, JsonValue]", value)
    paths = {key: parse_path(key) if isinstance(key, str) else None for key in given}
    if not any(paths.values()) and () not in paths.values():
        return Answers(value)
    root = Answers(is_flat=True)
    is_mixed = None in paths.values()
    for key, each in given.items():
        node = root
        for step in paths[key] or ():
            is_mixed |= isinstance(node.own, dict | list)
            node = node.inside.setdefault(step, Answers(is_flat=True))
        node.own = each
        is_mixed |= isinstance(each, dict | list) and bool(node.inside)
    return Answers(value) if is_mixed else root


def path_of(name: str) -> str:
    """Return the path of an answer that was given by its path, or by a name at the top."""
    return name if name.startswith(ROOT) else str(Path.of((name,)))


def is_blank(value: object) -> bool:
    """True if a field of a form was left empty."""
    if isinstance(value, File):
        return not value.content and not value.filename
    return isinstance(value, str) and not value.strip()


def coerced_texts(function: Function, value: JsonValue) -> JsonValue:
    """Return a person's values with texts coerced by the schema, and tuples by name as lists."""
    validator = contract_of(function).human_side.validator
    if validator.is_valid(value):
        return value
    for repair in coerced(validator.outline, value).repairs:
        is_text = isinstance(repair.before, str) and not isinstance(repair.before, File)
        keys = repair.path.keys
        is_meant = repair.kind == "named" or (is_text and repair.kind in _OF_TEXTS)
        if is_meant and value_at(value, keys) == (repair.before,):
            value = with_value(value, keys, repair.after)
    return value


_OF_TEXTS = frozenset({"boolean", "constant", "item", "json", "null", "number"})
"""The kinds of repair that a text may have."""


NULL: Final = frozenset({"null"})
_ARRAY: Final = frozenset({"array"})
_OBJECT: Final = frozenset({"object"})
_SCALARS: Final[Mapping[frozenset[str], Kind]] = {
    frozenset({"boolean"}): "boolean",
    frozenset({"integer"}): "integer",
    frozenset({"number", "integer"}): "number",
}
_FORMATS: Final[Mapping[str, Kind]] = {"date": "date", "time": "time", "date-time": "datetime"}


class FormEntry:
    """A `place`, and the `whole` of what applies there, with the branches of decided unions.

    A union is decided if it has one branch beside null, or if the `value` that the model gave fits
    one; else all branches apply. `undecided` are the parts with other unions.
    """

    def __init__(self, place: Place, parts: Iterable[Part] = (), value: Given = ABSENT) -> None:
        self.place = place
        found, self.undecided = dict.fromkeys(parts or place.parts), list[Part]()
        queue = list(found)
        for part in queue:  # grows while it is read
            branches = _branches(part)
            if len(branches) > 1:
                chosen = None if value is ABSENT else intended_branch((part,), value)
                if value is ABSENT:
                    branches = []
                elif chosen is not None:
                    branches = [chosen]
                self.undecided += [part] if len(branches) != 1 else []
            for branch in branches:
                queue += [each for each in branch.parts if each not in found]
                found |= dict.fromkeys(queue)
        self.whole = place.outline.place_of(tuple(found))
        self.parts = tuple(found)

    def fields(self, others: Iterable[str] = ()) -> list[tuple[str, Place, bool]]:
        """Return the name, place and requiredness of each property, the required ones first.

        `others` are names that the model gave; undeclared ones count as required.
        """
        declared = self.whole.cached(_fields)
        known = {name for name, _, _ in declared} if others else set[str]()
        extra = [(name, self.whole.inside(name), True) for name in others if name not in known]
        return [*declared, *extra]

    def rules(self, keyword: str) -> list[JsonValue]:
        """Return the values of a keyword in all parts."""
        return [part.rules[keyword] for part in self.parts if keyword in part.rules]

    @property
    def is_list(self) -> bool:
        """True if only arrays, or null, are allowed."""
        return self.whole.types - NULL == _ARRAY

    @cached_property
    def declares(self) -> list[Part]:
        """The parts that declare properties."""
        return [part for part in self.parts if part.declared]

    @cached_property
    def branches(self) -> dict[str, Part]:
        """The branches of the first undecided union by their titles, if all are objects."""
        found: dict[str, Part] = {}
        for branch in _branches(self.undecided[0]) if self.undecided else ():
            if branch.types != _OBJECT or not any(part.declared for part in branch.parts):
                return {}
            name = _branch_title(branch)
            found[name if name not in found else f"{name} {len(found) + 1}"] = branch
        return found

    @cached_property
    def has_objects(self) -> bool:
        """True for a list of objects, for which the person is asked one by one."""
        if not self.is_list or any(part.items[0] for part in self.parts):
            return False  # not all items are alike
        items = entry_of(self.whole.inside(0))
        return bool(items.declares or items.branches)

    @cached_property
    def listed(self) -> list[JsonValue] | None:
        """The values of `enum` or `const`, or those of all branches of the undecided union."""
        listed = _listed(self.parts)
        if listed is not None:
            return listed
        branches = _branches(self.undecided[0]) if self.undecided else []
        of_branches = [listed_values(branch.rules) for branch in branches]
        values = [value for each in of_branches for value in each or ()]
        return None if None in of_branches else values or None

    def is_secret(self, keys: Keys) -> bool:
        """True if the value here is secret."""
        path = Path.of(keys)
        return any(is_secret_of_human(path, part.rules) for part in self.parts)

    @cached_property
    def is_file(self) -> bool:
        """True if bytes are wanted; a text with a format such as `uri` is the address of a file."""
        return any(
            (rules.get("x-human-widget") == "file" or is_file(Path.of(()), rules))
            and rules.get("format") in (None, "binary", "byte")
            for rules in (part.rules for part in self.parts)
        )

    @cached_property
    def kind(self) -> tuple[Kind, tuple[JsonValue, ...]]:
        """The kind of question that asks for the value, and its options."""
        if self.listed is not None:
            return "choice", tuple(value for value in self.listed if value is not None)
        types = self.place.types - NULL
        if self.is_file:
            return "file", ()
        if types == _ARRAY and not any(part.items[0] for part in self.parts):
            items = entry_of(self.whole.inside(0))
            if items.listed is not None:
                return "choices", tuple(items.listed)
            return ("file" if items.is_file else "json"), ()
        if types & (_ARRAY | _OBJECT):
            return "json", ()
        rules = [part.rules for part in self.parts]
        formats = [each.get("format") or each.get("x-human-widget") for each in rules]
        dated: list[Kind] = [kind for name, kind in _FORMATS.items() if name in formats]
        if types in _SCALARS:
            return _SCALARS[types], ()
        return (dated[0] if dated else "text"), ()

    @cached_property
    def schema(self) -> JsonSchema | bool:
        """The place's schema, with the definitions that it refers to: do not change it."""
        definitions = self.place.outline.root.rules.get("$defs")
        schemas = [part.schema for part in self.place.roots]
        schema = schemas[0] if len(schemas) == 1 else {"allOf": schemas} if schemas else True
        if isinstance(schema, bool) or definitions is None:
            return schema
        return prune({**schema, "$defs": definitions})


def entry_of(place: Place) -> FormEntry:
    """Return the entry of a place for which the model gave nothing."""
    return place.cached(FormEntry)


def only_value(place: Place) -> Given:
    """Return the only value that is allowed at a place, `ABSENT` if several are allowed."""
    listed = _listed(place.parts)
    return listed[0] if listed is not None and len(listed) == 1 else ABSENT


def first_paragraph(parts: Iterable[Part], keyword: str) -> str:
    """Return the first paragraph of the first text that the parts have under a keyword."""
    for part in parts:
        text = part.rules.get(keyword)
        if isinstance(text, str) and text.strip():
            return visible(" ".join(text.strip().partition("\n\n")[0].split()))
    return ""


def _listed(parts: Iterable[Part]) -> list[JsonValue] | None:
    """Return the shortest list of values in `enum` or `const`."""
    found = [values for part in parts if (values := listed_values(part.rules)) is not None]
    return min(found, key=len) if found else None


def _branches(part: Part) -> list[Part]:
    """Return the branches of a part's unions, without those that allow only null."""
    return [each for keyword in UNIONS for each in part.branches(keyword) if each.types != NULL]


def _fields(whole: Place) -> list[tuple[str, Place, bool]]:
    required = dict.fromkeys(name for part in whole.parts for name in part.required)
    names = dict.fromkeys(name for part in whole.parts for name in part.declared) | required
    ordered = sorted(names, key=lambda name: name not in required)
    fields = [(name, whole.inside(name), name in required) for name in ordered]
    return [each for each in fields if each[1].types]  # no value fits a name that is forbidden


def intended_branch(parts: Iterable[Part], value: JsonValue) -> Part | None:
    """Return the branch for which a value was intended, in the first union that has one."""
    unions = (union_of(part, word) for part in parts for word in UNIONS if word in part.rules)
    return next((branch for each in unions if (branch := each.intended_branch(value))), None)


def _branch_title(branch: Part) -> str:
    reference = branch.rules.get("$ref")
    name = defined_name(reference) if isinstance(reference, str) else None
    declared = (inner for part in branch.parts for inner in part.declared.values())
    tags = [each for inner in declared if isinstance(each := inner.rules.get("const"), str)]
    return first_paragraph(branch.parts, "title") or humanized(name or next(iter(tags), "kind"))
