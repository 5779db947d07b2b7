"""The questions to a person for one call, and the values of their answers: one walk makes both.

The walk goes down the parameters beside the model's part, which decides how many items there are
and which branch of a union is intended, and beside the person's answers so far. Each scalar that
the person has to give becomes one question. Two questions come before their contents: which branch
of a union of objects, and how many objects a list has.

    {"guests": [{"name": "Kim"}, {"name": "Ada"}]}          the model; the person gives `passport`
    $input.guests[0].passport, $input.guests[1].passport    the questions

Answers are nested as the schema, or flat by these paths; flat ones may be texts of a form, where a
blank one counts as missing. Both are coerced by the schema of the person's side.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from json import loads
from typing import Final, NamedTuple, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._text import shortened, visible
from pyfunctools.execution.person.answers import (
    Answers,
    FormEntry,
    answers_of,
    coerced_texts,
    entry_of,
    first_paragraph,
    intended_branch,
    only_value,
)
from pyfunctools.record.function import Function, contract_of
from pyfunctools.record.outcome import Kind, Question
from pyfunctools.schema import Issue, Path
from pyfunctools.schema.feedback.plain_words import TEXTS, humanized, problem_text
from pyfunctools.schema.ground.json_values import ABSENT, Given
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.outline.outline import Part, Place
from pyfunctools.schema.separation.predicates import has_secret_part, without_values
from pyfunctools.schema.separation.separate import Separated

MOST_ITEMS: Final = 100
"""The most items of one list for which a person is asked one by one."""
_ABOUT: Final = 80
"""Characters of a model's item that are shown beside the questions about it."""


def questions_for(
    function: Function,
    llm: JsonValue,
    human: object = None,
    issues: Sequence[Issue] = (),
    texts: Mapping[str, str] = TEXTS,
    *,
    asks_all: bool = False,
) -> tuple[Question, ...]:
    """Return the questions for one call.

    `llm` is the model's part, validated; `human` are the answers so far, and `issues` the issues
    with them. With `asks_all` a person is asked for a value also where only one is allowed.
    """
    walk = _Walk(contract_of(function).separated, texts, issues, asks_all)
    walk.begin(function, llm, answers_of(human))
    return tuple(walk.questions)


def persons_values(
    function: Function, llm: JsonValue, human: object, *, asks_all: bool = False
) -> tuple[JsonValue, JsonValue]:
    """Return a person's values nested as the schema: as given, and coerced."""
    answers = answers_of(human)
    found = answers.own
    if answers.is_flat:
        _Walk(contract_of(function).separated, TEXTS, (), asks_all).begin(function, llm, answers)
        found = answers.nested()
    nested: JsonValue = {} if found is ABSENT else found
    return nested, coerced_texts(function, nested)


_InsteadOfValue: TypeAlias = tuple[str, JsonSchema]
"""What a question asks for instead of a value: the key of its text, and the schema."""


class _Spot(NamedTuple):
    """One place to ask about, in the values and in the schema.

    `outer` is the label of the place around it, `about` the model's part of the item that it is in,
    and `seen` are the schemas of the objects that it is in. It `is_new` if the last form could not
    ask for it: a number of items, or a kind of object, has only been chosen in it.
    """

    keys: Keys
    place: Place
    required: bool = True
    label: str = ""
    outer: str = ""
    about: str = ""
    secret: bool = False
    seen: frozenset[Part] = frozenset()
    is_new: bool = False


@dataclass(slots=True)
class _Walk:
    """The walk that collects the questions, and completes flat answers."""

    separated: Separated | None
    texts: Mapping[str, str]
    issues: Sequence[Issue]
    asks_all: bool
    questions: list[Question] = field(default_factory=list[Question])
    asked: list[Keys] = field(default_factory=list[Keys])
    # The issues at each path (`True`), and those below it.
    by_path: dict[object, list[Issue]] = field(default_factory=dict[object, list[Issue]])

    def begin(self, function: Function, llm: JsonValue, answers: Answers) -> None:
        """Ask for the person's part of a call."""
        for one in self.issues:
            keys = one.path.keys
            for size in range(len(keys) + 1):
                self.by_path.setdefault((keys[:size], size == len(keys)), []).append(one)
        place = contract_of(function).validator.outline.place
        self.ask_beside(_Spot(keys=(), place=place), llm, answers)

    def ask_beside(self, spot: _Spot, llm: Given, answers: Answers) -> None:
        """Ask for the person's values at a place where the model gave `llm`, and may give more."""
        entry = entry_of(spot.place)
        if entry.undecided:
            entry = FormEntry(spot.place, value=None if llm is ABSENT else llm)
        if isinstance(llm, list):
            answers.length = len(llm)
            for n, item in enumerate(llm):
                below = self._below(spot, n, entry.whole.inside(n), required=True)
                if (owner := self._owner(below.keys)) != "llm":
                    self._beside(_about_item(below, item), owner, item, answers.child(n))
            return
        given = llm if isinstance(llm, dict) else {}
        fields = [(*each, self._owner((*spot.keys, each[0]))) for each in entry.fields(given)]
        needs_model = any(needed and owner == "llm" for _, _, needed, owner in fields)
        if not isinstance(llm, dict) and (llm is not ABSENT or needs_model):
            return  # null, or an object that the model left out
        for name, place, needed, owner in fields:
            if owner == "llm":
                continue
            absent: Given = dict[str, JsonValue]() if needed else ABSENT
            is_given = name in given  # what is needed in it is needed in this call
            required = is_given or (spot.required and needed and not entry.undecided)
            below = self._below(spot, name, place, required=required)
            is_known = owner == "human" or is_given  # else it may be a recursive schema
            if is_known or below.seen.isdisjoint(place.possible.parts):
                self._beside(below, owner, given.get(name, absent), answers.child(name))
        if spot.required:
            answers.fill({})

    def _beside(self, spot: _Spot, owner: str, llm: Given, answers: Answers) -> None:
        if owner == "human":
            self._ask(spot, answers)
        else:
            self.ask_beside(spot, llm, answers)

    def _owner(self, keys: Keys) -> str:
        return "llm" if self.separated is None else self.separated.owner(keys)

    def _ask(self, spot: _Spot, answers: Answers) -> None:
        """Ask for a value; for an object or a list of objects, ask for its parts."""
        entry = entry_of(spot.place)
        if entry.is_secret(spot.keys):
            spot = spot._replace(secret=True)
        listed = entry.listed
        is_recursive = not spot.seen.isdisjoint(entry.declares)
        if listed and len(listed) == 1 and not (answers.is_given or self.asks_all):
            answers.fill(listed[0] if spot.required else ABSENT)
        elif listed is not None or is_recursive:
            self._ask_value(spot, entry, answers)
        elif entry.branches:
            self._ask_branch(spot, entry, answers)
        elif entry.declares and not entry.undecided:
            takes_null = "null" in spot.place.types
            self._ask_members(spot, entry, answers, wanted=spot.required and not takes_null)
            if spot.required and answers.nested() is ABSENT:
                answers.fill(None)
        elif entry.has_objects:
            self._ask_items(spot, entry, answers)
        else:
            self._ask_value(spot, entry, answers)

    def _ask_value(self, spot: _Spot, entry: FormEntry, answers: Answers) -> None:
        kind, options = entry.kind
        takes_null = "null" in spot.place.types
        takes_empty = kind != "choice" and entry.is_list and not any(entry.rules("minItems"))
        needed = spot.required and not takes_null and not takes_empty
        self._add(spot, entry, kind, answers, required=needed, options=options)
        if answers.is_given:
            answers.filled = _parsed(kind, entry, answers)
        elif spot.required and not needed:
            answers.fill(None if takes_null else [])

    def _ask_branch(self, spot: _Spot, entry: FormEntry, answers: Answers) -> None:
        """Ask which of several kinds of object it is, and for its contents once that is known."""
        branches = entry.branches
        chosen = answers.chosen(branches)
        if chosen is None and isinstance(given := answers.nested(), dict):
            intended = intended_branch(entry.parts, given)
            chosen = next((name for name, each in branches.items() if each is intended), None)
        part: _InsteadOfValue = ("which", {"enum": [*branches]})
        about = spot if chosen is None else spot._replace(is_new=True)
        self._add(
            about, entry, "choice", answers, part, required=spot.required, options=tuple(branches)
        )
        if chosen is not None:
            spot = spot._replace(is_new=spot.is_new or (answers.is_flat and not answers.inside))
            answers.drop_text()
            inside = FormEntry(entry.place, (*entry.parts, *branches[chosen].parts))
            self._ask_members(spot, inside, answers, wanted=True)

    def _ask_members(
        self, spot: _Spot, entry: FormEntry, answers: Answers, *, wanted: bool
    ) -> None:
        """Ask for each property of an object; `wanted` if the object is required."""
        is_there = wanted or answers.is_given
        for name, place, needed in entry.fields():
            below = self._below(spot, name, place, required=needed and is_there)
            inner = answers.child(name)
            self._ask(below, inner)
            if is_there and not self.asks_all and inner.nested() is ABSENT:
                inner.fill(only_value(place))
        if wanted:
            answers.fill({})

    def _ask_items(self, spot: _Spot, entry: FormEntry, answers: Answers) -> None:
        least = max([0, *_integers(entry.rules("minItems"))])
        most = min([MOST_ITEMS, *_integers(entry.rules("maxItems"))])
        part: _InsteadOfValue = ("count", {"type": "integer", "minimum": least, "maximum": most})
        needed = spot.required and least > 0
        self._add(spot, entry, "integer", answers, part, required=needed, default=0)
        count = answers.count(MOST_ITEMS)
        if count is None:
            if spot.required and not answers.is_given:
                answers.fill([])
            return
        answers.drop_text()
        answers.length = count
        answers.fill([None] * count)
        for n in range(count):
            below = self._below(spot, n, entry.whole.inside(n), required=True)
            is_new = spot.is_new or (answers.is_flat and n not in answers.inside)
            self._ask(below._replace(is_new=is_new), answers.child(n))

    def _below(self, spot: _Spot, key: str | int, place: Place, *, required: bool) -> _Spot:
        if isinstance(key, int):
            label = self.texts["numbered"].format(label=spot.label, number=key + 1)
            seen = frozenset[Part]()
        else:
            title = first_paragraph(place.roots[:1], "title")
            label = self._part_of(spot.label, title or humanized(key))
            seen = spot.seen.union(spot.place.possible.parts)
        keys, outer = (*spot.keys, key), spot.label
        return spot._replace(
            keys=keys, place=place, required=required, label=label, outer=outer, seen=seen
        )

    def _label(self, spot: _Spot, entry: FormEntry) -> str:
        label = first_paragraph(entry.parts, "x-human-ask")
        if not label:
            return spot.label
        is_in_list = any(isinstance(key, int) for key in spot.keys)
        return self._part_of(spot.outer, label) if is_in_list else label

    def _part_of(self, outer: str, label: str) -> str:
        return self.texts["part"].format(outer=outer, label=label) if outer else label

    def _add(
        self,
        spot: _Spot,
        entry: FormEntry,
        kind: Kind,
        answers: Answers,
        part: "_InsteadOfValue | None" = None,
        *,
        required: bool,
        options: tuple[JsonValue, ...] = (),
        default: JsonValue = None,
    ) -> None:
        """Add a question, for the value or for a `part` of it."""
        label, shown = self._label(spot, entry), entry.schema
        if part is not None:
            label, shown = self.texts[part[0]].format(label=label), part[1]
        elif not spot.secret and kind != "file":
            default = next(iter(entry.rules("default")), None)
            is_nested = isinstance(default, dict | list)
            if is_nested and not isinstance(shown, bool) and has_secret_part(shown):
                default = None
        description = first_paragraph(entry.parts, "description")
        about = self.texts["about"].format(value=spot.about) if spot.about else ""
        lines = self.texts["lines"] if kind == "json" and entry.is_list else ""
        help_texts = (about, "" if description == label else description, lines)
        is_asked = bool(self.issues) and not spot.is_new
        question = Question(
            path=str(Path.of(spot.keys)),
            label=label,
            help=" ".join(filter(None, help_texts)),
            kind=kind,
            required=required,
            options=options,
            default=default,
            secret=spot.secret,
            problem=self._problem(spot.keys, part, answers, kind, required) if is_asked else None,
            schema=shown if isinstance(shown, bool) else without_values(shown),
        )
        self.questions.append(question)
        self.asked.append(spot.keys)

    def _problem(
        self, keys: Keys, part: object, answers: Answers, kind: Kind, required: bool
    ) -> str | None:
        """Return what is wrong with an answer, as a sentence.

        The first question inside a place also has the issues of the place itself. Issues below the
        place belong to other questions if this one is for a `part` of it.
        """
        at, wanted = self.by_path.get, (True, False) if part is None else (True,)
        wrong = [one for is_here in wanted for one in at((keys, is_here), ())]
        for n in range(0 if wrong else len(keys)):
            around = at((keys[:n], True), ())
            if around and all(each[:n] != keys[:n] for each in self.asked):
                wrong += around
        if not wrong:
            return self.texts["needed"] if required and not answers.is_given else None
        if kind == "file" and answers.is_given:
            return self.texts["wrong"].format(expected=self.texts["file"])
        is_missing = not answers.is_given and wrong[0].path.keys[: len(keys)] == keys
        return problem_text(wrong[0], self.texts, missing=is_missing)


def _about_item(spot: _Spot, item: Given) -> _Spot:
    """Return the spot with the scalars of the model's item, so that a person recognises it."""
    if not isinstance(item, dict):
        return spot
    scalars = [str(each) for each in item.values() if isinstance(each, str | int | float)]
    return spot._replace(about=shortened(visible(", ".join(scalars)), _ABOUT))


def _parsed(kind: Kind, entry: FormEntry, answers: Answers) -> Given:
    """Return the value of one answer; for "json" a text has one item on each line, or is JSON."""
    value = answers.nested()
    if kind != "json" or not isinstance(value, str) or not answers.is_flat:
        return value
    if entry.is_list and not value.lstrip().startswith("["):
        return [line.strip() for line in value.splitlines() if line.strip()]
    if "string" in entry.whole.types:
        try:
            return loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _integers(values: Sequence[JsonValue]) -> list[int]:
    return [int(value) for value in values if isinstance(value, int | float)]
