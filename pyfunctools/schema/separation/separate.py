"""A schema separated into the model's and the human's side, and values split and merged by it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, json_copy, members_of
from pyfunctools.schema.ground.issue import Side, depth_issue, side_issue
from pyfunctools.schema.ground.json_values import ABSENT
from pyfunctools.schema.ground.path import Keys, Path, value_at, with_value
from pyfunctools.schema.normalization.check_input import check_schema
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.schema.result import Failure, Issue, Success
from pyfunctools.schema.separation.graph import Graph
from pyfunctools.schema.separation.ownership import Owner, Ownership, SideName
from pyfunctools.schema.separation.predicates import IsHuman, any_of, is_human_by_default
from pyfunctools.schema.separation.side_values import (
    Joiner,
    is_human_at,
    is_too_deep,
    own_part,
    part_of,
)
from pyfunctools.schema.separation.sides import side_of
from pyfunctools.schema.validation.validator import Validator


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Separated:
    """A schema and its two sides, each a schema of its own with the `$defs` it needs.

    `llm` contains nothing of the human's side. Without a human side, `llm` is the schema itself,
    without unused `$defs`, and `human` is `None`. In an array with items of both sides, each side
    has null for the items of the other side. Two objects are equal if their schemas are equal.
    A copy or a pickle has the predicate's results, not the predicate.
    """

    _schemas: Mapping[Side, JsonSchema]
    _ownership: Ownership = field(compare=False, repr=False)
    _validators: Mapping[Side, Validator] = field(compare=False, repr=False)

    def __repr__(self) -> str:
        # Without the schemas: they have the defaults of secrets.
        names = (members_of(held.get("properties")) for held in self._schemas.values())
        return f"<Separated {' | '.join(map(', '.join, names))}>"

    def __reduce__(self) -> tuple[object, ...]:
        return (separated_by, (self._ownership.graph, self._validators["whole"]))

    @property
    def schema(self) -> Mapping[str, Any]:
        """The schema itself, a copy."""
        return json_copy(self._schemas["whole"])

    @property
    def llm(self) -> Mapping[str, Any]:
        """The model's side, a copy."""
        return json_copy(self._schemas["llm"])

    @property
    def human(self) -> Mapping[str, Any] | None:
        """The human's side, a copy; `None` if nothing belongs to the human."""
        return json_copy(self._schemas["human"]) if self.has_human else None

    @property
    def has_human(self) -> bool:
        """Whether anything belongs to the human."""
        return self._ownership.root.owner != "llm"

    def shared(self, side: Side) -> JsonSchema:
        """Return the schema of a side, or the whole one, without a copy: do not change it."""
        return self._schemas[side]

    @property
    def is_human(self) -> IsHuman:
        """The predicate that decided; a copy knows its results only."""
        return self._ownership.graph.is_human

    @property
    def lost(self) -> tuple[Path, ...]:
        """The unmarked places that are human as a whole though the model had a part there."""
        return tuple(self._ownership.lost())

    def owner(self, path: Keys) -> Owner:
        """Return the owner of the place at these steps; `mixed` if both own a part of it."""
        return self._ownership.root.at(path).owner

    def names(self, path: Keys) -> dict[str, bool]:
        """Return the declared properties of a mixed place, and whether the model alone owns each.

        For a place with one owner this is empty.
        """
        place = self._ownership.root.at(path)
        human = dict.fromkeys(place.human_names, False)
        return {**dict.fromkeys(place.names, True), **human}

    def split(self, value: Any) -> tuple[Any, Any]:
        """Return the model's part and the human's part of a whole value; see `part`."""
        return self.part(value, "llm"), self.part(value, "human")

    def part(self, value: JsonValue, side: SideName) -> JsonValue:
        """Return one side's part of a whole value; `{}` if nothing belongs to that side.

        A value nested deeper than arguments may be is human as a whole.
        """
        root = self._ownership.root
        if root.owner == side:
            return value
        if root.owner != "mixed":
            return {}
        if is_too_deep(value):
            return value if side == "human" else {}
        found = part_of(side, root, value)
        if found is ABSENT and side == "human" and not isinstance(value, dict):
            found = part_of(side, root, value, shaped=True)
        return {} if found is ABSENT else found

    def merge(self, llm: Any, human: Any) -> Success[Any] | Failure:
        """Merge the model's and the human's value, and validate the whole.

        See `pyfunctools.schema.merge` for which side each value is taken from.

        Raises:
            SchemaError: the schema is invalid.
        """
        if is_too_deep(llm) or is_too_deep(human):
            issue = depth_issue("llm" if is_too_deep(llm) else "human")
            return Failure(value=llm, issues=(issue,))
        joiner = Joiner(self._ownership.root, llm, human)
        whole = joiner.merge()
        if joiner.issues or whole is ABSENT:
            return Failure(value=llm, issues=tuple(joiner.issues))
        result = self._validators["whole"].validate(whole)
        return result or Failure(value=llm, issues=self._by_side(result.issues, whole, llm, human))

    def validate(self, value: Any, side: Side) -> Success[Any] | Failure:
        """Validate a value for one side, or as a whole; a `Failure` has every issue.

        A value in the other side's place is an issue. For the human's side neither the issues nor
        the `Failure` have the value, so that no log shows it.

        Raises:
            SchemaError: the schema is invalid.
        """
        if side == "whole":
            return self._validators["whole"].validate(value)
        issues = (depth_issue(side),) if is_too_deep(value) else self.issues(value, side)
        if not issues:
            return Success(value=value)
        return Failure(value=value if side == "llm" else None, issues=issues)

    def accepts(self, value: JsonValue) -> bool:
        """Return whether a value read from strict JSON is valid for the model's side.

        Raises:
            SchemaError: the schema is invalid.
        """
        own, foreign = own_part(self._ownership.root, "llm", value)
        return not foreign and own is not ABSENT and self._validators["llm"].accepts(own)

    @property
    def outline(self) -> Outline:
        """The outline of the model's side."""
        return self._validators["llm"].outline

    def issues(self, value: JsonValue, side: SideName) -> tuple[Issue, ...]:
        """Return every issue of a value for one side; see `validate`.

        The value must not be nested too deeply.
        """
        own, issues = own_part(self._ownership.root, side, value)
        if own is not ABSENT and not (result := self._validators[side].validate(own, side)):
            known = {one.path for one in issues}
            issues += (one for one in result.issues if one.path not in known)
        if side == "llm":
            return tuple(issues)
        return tuple(side_issue("human", one.path.keys, one.expected) for one in issues)

    def _by_side(
        self, issues: Iterable[Issue], whole: JsonValue, llm: JsonValue, human: JsonValue
    ) -> tuple[Issue, ...]:
        """Return the issues of a merged value, each with the side that has to change its value.

        The whole schema's messages may name human properties. So an issue at a model's place is
        replaced by the issues of the model's side there or below. Without such issues, the rule
        needs the values of both sides, and the message states only this.
        """
        own: list[Issue] | None = None
        found: dict[tuple[str, str, str], Issue] = {}
        for issue in issues:
            keys = issue.path.keys
            if is_human_at(self._ownership.root, keys, llm, human):
                there = [side_issue("human", keys, issue.expected)]
            else:
                own = self._own_issues(whole, llm, human) if own is None else own
                there = [one for one in own if one.path.keys[: len(keys)] == keys]
            if not there:
                expected = _TOGETHER if value_at(whole, keys) else _UNLESS
                there = [side_issue("llm", keys, expected)]
            found |= {(one.path, one.expected, one.side): one for one in there}
        return tuple(found.values())

    def _own_issues(self, whole: JsonValue, llm: JsonValue, human: JsonValue) -> list[Issue]:
        """Return the issues of each side's part, by the schema of that side."""
        found: list[Issue] = []
        for side in _SIDES:
            own = part_of(side, self._ownership.root, whole, shaped=True)
            result = self._validators[side].validate({} if own is ABSENT else own, side)
            for issue in () if result else result.issues:
                keys = issue.path.keys
                if side == "human" or not is_human_at(self._ownership.root, keys, llm, human):
                    # Another value than the model's may contain human keys.
                    is_shown = side == "llm" and value_at(llm, keys) == (issue.value,)
                    found.append(issue if is_shown else side_issue(side, keys, issue.expected))
        return found


_SIDES: tuple[SideName, ...] = ("llm", "human")
_TOGETHER = "a value that is right together with what the human gives"
_UNLESS = "a value, unless the human gives one"


def separate(
    schema: Mapping[str, Any], is_human: IsHuman | None = is_human_by_default
) -> Separated:
    """Separate the parameters of a function into the model's and the human's side.

    The owner of a place depends on its path, never on the value. If `is_human` is true for a place,
    all that is below it is human too. A property that is human in one branch of a union, or in one
    member of an `allOf`, is human in all of them, and in branches that do not declare it.

    A place with alternatives is human as a whole as soon as one of them (other than null) is: an
    object whose declared properties are all human, for example, unless it declares which other
    values may be in it. If each alternative has a model part, the model chooses one and the place
    is split; but if only human values tell them apart, the place is human as a whole. So is a place
    with a mark in `contentSchema`, `propertyNames`, `contains` or `unevaluated*`. `lost` lists
    these places.

    For a mixed place each side has only keywords that mean the same for it as for the whole;
    `merge` checks the others.

    `is_human` is called now, once for each place with a schema, and in a recursive definition in
    the first round only; with `None` nothing is human. The schema is not changed: its normalized
    form is separated.

    Raises:
        DefinitionError: the predicate raised an exception; the error names the path.
        SchemaError: the schema is invalid, or cannot be normalized.
    """
    check_schema(schema)
    return separate_normalized(normalize(schema), is_human)


def separate_normalized(
    schema: JsonSchema,
    is_human: IsHuman | None = is_human_by_default,
    whole: Validator | None = None,
) -> Separated:
    """Separate a normalized schema, with its validator if there is one; see `separate`."""
    return separated_by(Graph(schema, is_human or any_of()), whole or Validator(schema))


def separated_by(graph: Graph, whole: Validator) -> Separated:
    """Return the two sides of the schema of a graph."""
    ownership = Ownership(graph)
    schemas: dict[Side, JsonSchema] = {
        "whole": graph.schema,
        "llm": side_of(ownership, "llm"),
        "human": side_of(ownership, "human"),
    }
    validators: dict[Side, Validator] = {
        side: whole if schema is graph.schema else Validator(schema, formats=whole.formats)
        for side, schema in schemas.items()
    }
    return Separated(_schemas=schemas, _ownership=ownership, _validators=validators)


def merge(
    schema: Mapping[str, Any],
    llm: Any,
    human: Any,
    is_human: IsHuman | None = is_human_by_default,
) -> Success[Any] | Failure:
    """Merge the model's and the human's value, and validate the whole.

    The value of a human place is only that in `human`: a value there in `llm` is dropped. A value
    of `human` in a model's place is an issue. Objects are merged by key and arrays by index; arrays
    of different lengths are an issue. A side may leave out parts; an explicit null in `human` stays
    null.

    The `side` of an issue is the side that has to change its value. Issues of the human's side have
    no `value`, and `Failure.value` is the model's value. To merge many values, keep
    `separate(schema)` and use its `merge`.

    Raises:
        DefinitionError: the predicate raised an exception.
        SchemaError: the schema is invalid.
    """
    return separate(schema, is_human).merge(llm, human)


class WithProgram(NamedTuple):
    """The `whole` arguments, the program's part of them, and why they are invalid, if they are.

    `wrong` are the issues of the program's values, `issues` those of the others'.
    """

    whole: JsonObject
    program: JsonObject
    issues: tuple[Issue, ...] = ()
    wrong: tuple[Issue, ...] = ()


class ProgramPart:
    """A normalized schema separated into the places of the program and the rest.

    `places` are those of the paths that the schema has; `rest` is the schema without them, shared:
    do not change it.
    """

    __slots__ = ("_separated", "_whole", "places", "rest")

    def __init__(
        self, schema: JsonSchema, paths: Iterable[Keys], whole: Validator | None = None
    ) -> None:
        owned = dict.fromkeys(paths)
        self._whole = whole or Validator(schema)
        separated = separate_normalized(schema, lambda path, _: path.keys in owned, self._whole)
        self._separated = separated
        self.places = tuple(keys for keys in owned if separated.owner(keys) == "human")
        self.rest: JsonSchema = separated.shared("llm")

    def taken(self, rest: JsonValue) -> tuple[Keys, ...]:
        """Return the places of the program in which somebody else gave a value."""
        return tuple(keys for keys in self.places if value_at(rest, keys))

    def joined(self, rest: JsonObject, values: Mapping[Keys, JsonValue]) -> WithProgram:
        """Return the arguments with the program's values, validated as a whole.

        A value is left out if the object around it is missing and needs more than such values.
        """
        program: JsonObject = {}
        for keys, value in values.items():
            if self._has_room(rest, keys, values):
                program = members_of(with_value(program, keys, value))
        merged = self._separated.merge({**rest}, program)  # `rest` may be of a subclass
        if merged:
            return WithProgram(merged.value, program)
        wrong = tuple(one for one in merged.issues if one.side == "human")
        issues = tuple(one for one in merged.issues if one.side != "human")
        return WithProgram(rest, program, issues, wrong)

    def _has_room(self, rest: JsonValue, keys: Keys, values: Iterable[Keys]) -> bool:
        """Return whether the objects around a place exist, or need only values of the program."""
        place = self._whole.outline.place
        for depth, key in enumerate(keys[:-1], 1):
            place = place.inside(key)
            found = value_at(rest, keys[:depth])
            if found is not None and not isinstance(found[0], dict):
                return False
            needed = {name for part in place.possible.parts for name in part.required}
            given = {each[depth] for each in values if each[:depth] == keys[:depth] != each}
            if found is None and not needed <= given:
                return False
        return True
