"""A schema taken apart into what a model is shown and what a person is asked, and both joined."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyfunctools._json import JsonSchema, JsonValue, json_copy
from pyfunctools.schema.ground.path import Keys, Path, value_at
from pyfunctools.schema.normalization.check_input import check_schema
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.outline.outline import Outline, ValueTest
from pyfunctools.schema.result import Failure, Issue, Side, Success
from pyfunctools.schema.separation.graph import Graph, graph_of
from pyfunctools.schema.separation.ownership import Owner, Ownership
from pyfunctools.schema.separation.predicates import IsHuman, any_of, is_human_by_default
from pyfunctools.schema.separation.side_writer import SideName
from pyfunctools.schema.separation.sides import written
from pyfunctools.schema.separation.sieve import (
    ABSENT,
    Given,
    Joiner,
    is_humans,
    is_too_deep,
    issue,
    not_own,
    part_of,
    too_deep,
)
from pyfunctools.schema.validation.validator import Validator


@dataclass(frozen=True, slots=True, kw_only=True)
class Separated:
    """A schema and its two sides, each a schema of its own with the `$defs` it needs.

    `llm` is the schema itself where nothing is the human's, and else says nothing of the human's;
    `human` is `None` where nothing is. In an array with items of both each side has null for the
    other's. Equal by the three schemas. A copy or a pickle has what the predicate answered, not the
    predicate.
    """

    _schemas: Mapping[Side, JsonSchema]
    _ownership: Ownership = field(compare=False, repr=False)
    _judges: Mapping[Side, Validator] = field(compare=False, repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        return (_separated, (self._ownership.graph, self._judges["whole"]))

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
        """The human's side, a copy; `None` where nothing is the human's."""
        return json_copy(self._schemas["human"]) if self.has_human else None

    @property
    def has_human(self) -> bool:
        """Whether anything is the human's."""
        return self._ownership.root.owner != "llm"

    def shared(self, side: Side) -> JsonSchema:
        """Return the schema of a side, or the whole one, itself: it must not be changed."""
        return self._schemas[side]

    @property
    def lost(self) -> tuple[Path, ...]:
        """The places that are the human's whole though a part of them was the model's.

        They have alternatives of which one is the human's, or a text that is JSON with a part of
        the human's in it, and the author did not mark them.
        """
        return tuple(self._ownership.lost())

    def owner(self, path: Keys) -> Owner:
        """Return whose a place is, by the steps to it; `mixed` is both's, in its parts."""
        *_, place = self._ownership.at(path)
        return place.owner

    def names(self, path: Keys) -> dict[str, bool]:
        """Return the declared properties of a place of both, and whether each is the model's alone.

        Where all is one's there are none: nobody has to tell them apart.
        """
        *_, place = self._ownership.at(path)
        theirs = dict.fromkeys(self._ownership.names(place), False)
        return {**dict.fromkeys(place.names, True), **theirs}

    def split(self, value: Any) -> tuple[Any, Any]:
        """Return the model's part and the human's part of a whole value; see `part`."""
        return self.part(value, "llm"), self.part(value, "human")

    def part(self, value: JsonValue, side: SideName) -> JsonValue:
        """Return one side's part of a whole value.

        `{}` is the part of one to whom nothing belongs. A value nested deeper than arguments may be
        is the human's, for nobody looks into it.
        """
        root = self._ownership.root
        if root.owner == side:
            return value
        if root.owner != "mixed":
            return {}
        if is_too_deep(value):
            return value if side == "human" else {}
        shaped = side == "human" and not isinstance(value, dict)
        found = part_of(self._ownership, side, root, value)
        if found is ABSENT and shaped:
            found = part_of(self._ownership, side, root, value, shaped=True)
        return {} if found is ABSENT else found

    def merge(self, llm: Any, human: Any) -> Success[Any] | Failure:
        """Put the model's and the human's value together, and check the whole.

        See `pyfunctools.schema.merge` for what belongs to whom.

        Raises:
            SchemaError: the schema is not one.
        """
        if is_too_deep(llm) or is_too_deep(human):
            return Failure(value=llm, issues=(too_deep("llm" if is_too_deep(llm) else "human"),))
        joiner = Joiner(self._ownership, llm, human)
        whole = joiner.whole()
        if joiner.issues or whole is ABSENT:
            return Failure(value=llm, issues=tuple(joiner.issues))
        verdict = self._judges["whole"].validate(whole)
        return verdict or Failure(value=llm, issues=self._blamed(verdict.issues, whole, llm, human))

    def validate(self, value: Any, side: Side) -> Success[Any] | Failure:
        """Return whether a value is right for one side or as the whole, with every issue.

        A value where the other side's belongs is an issue. Issues of the human's side have no
        `value`, and neither has their `Failure`: nothing of it gets into a log.

        Raises:
            SchemaError: the schema is not one.
        """
        if side == "whole":
            return self._judges["whole"].validate(value)
        issues = (too_deep(side),) if is_too_deep(value) else self.issues(value, side)
        if not issues:
            return Success(value=value)
        return Failure(value=value if side == "llm" else None, issues=issues)

    def accepts(self, value: JsonValue) -> bool:
        """Return whether a value that was read from strict JSON is right for the model's side.

        Raises:
            SchemaError: the schema is not one.
        """
        own, dropped = self._own("llm", value)
        return not dropped and own is not ABSENT and self._judges["llm"].accepts(own)

    @property
    def outline(self) -> Outline:
        """What the model's side says of each place in a value."""
        return self._judges["llm"].outline

    def test_of(self, keys: Keys) -> ValueTest | None:
        """Return the compiled test of a part of the model's side; see `Validator.test_of`."""
        return self._judges["llm"].test_of(keys)

    def _own(self, side: SideName, value: JsonValue) -> tuple[Given, list[Issue]]:
        """Return one side's own part of a value, and the issues with the rest."""
        root = self._ownership.root
        if value is None and root.owner not in (side, "mixed"):
            return {}, []
        dropped = not_own(self._ownership, side, value)
        return (part_of(self._ownership, side, root, value) if dropped else value), dropped

    def issues(self, value: JsonValue, side: SideName) -> tuple[Issue, ...]:
        """Return every issue of a value for one side; see `validate`.

        The value must not be nested too deeply.
        """
        own, issues = self._own(side, value)
        if own is not ABSENT and not (verdict := self._judges[side].validate(own, side)):
            known = {one.path for one in issues}
            issues += (one for one in verdict.issues if one.path not in known)
        if side == "llm":
            return tuple(issues)
        return tuple(issue("human", one.path.keys, one.expected) for one in issues)

    def _blamed(
        self, issues: Iterable[Issue], whole: JsonValue, llm: JsonValue, human: JsonValue
    ) -> tuple[Issue, ...]:
        """Return whose each issue of the whole is, in words that are that side's own.

        What the whole schema says may name the human's. So the model is told what the model's
        schema says of its own part at that place or below, or, where a rule looks at both sides at
        once, only that.
        """
        said = [
            one
            if value_at(llm, one.path.keys) == (one.value,)
            else issue("llm", one.path.keys, one.expected)
            for one in self._said("llm", whole)
            if not is_humans(self._ownership, one.path.keys, llm, human)
        ]  # a value that the model did not write may have keys of the human's in it
        said += [issue("human", i.path.keys, i.expected) for i in self._said("human", whole)]
        blamed: dict[tuple[str, str, str], Issue] = {}
        for complaint in issues:
            keys = complaint.path.keys
            if is_humans(self._ownership, keys, llm, human):
                found = [issue("human", keys, complaint.expected)]
            else:
                found = [one for one in said if one.path.keys[: len(keys)] == keys]
            found = found or [issue("llm", keys, _TOGETHER if value_at(whole, keys) else _UNLESS)]
            blamed |= {(one.path, one.expected, one.side): one for one in found}
        return tuple(blamed.values())

    def _said(self, side: SideName, whole: JsonValue) -> tuple[Issue, ...]:
        """Return the issues of one side's schema with its part of a whole, in the shape of that."""
        own: Given = part_of(self._ownership, side, self._ownership.root, whole, shaped=True)
        verdict = self._judges[side].validate({} if own is ABSENT else own, side)
        return () if verdict else verdict.issues


_TOGETHER = "a value that is right together with what the human gives"
_UNLESS = "a value, unless the human gives one"


def separate(
    schema: Mapping[str, Any], is_human: IsHuman | None = is_human_by_default
) -> Separated:
    """Separate the parameters of a function into the model's and the human's side.

    Whose a place is depends on the path to it, never on the value. What `is_human` calls the
    human's is so with all that is below it. A property that is the human's in one branch of a
    union, or one member of an `allOf`, is so in all, and in branches that do not declare it.

    A place with alternatives is the human's whole as soon as one of them but null is: an object
    whose declared properties are all the human's, say, unless it says what else may be in it. If
    each alternative has something of the model's they are split in their parts and the model picks
    one; where only human values tell them apart, the place is the human's whole. So it is with a
    mark in `contentSchema`, `propertyNames`, `contains` and `unevaluated*`. `lost` says where.

    Of a place of both each side has only keywords that are known to say the same of it; `merge`
    checks the others on the whole.

    `is_human` is asked now, once about each place where a schema stands, and about a recursive
    definition on the first turn; `None` keeps nothing from the model. The schema is not changed:
    what is separated is what `normalize` makes of it.

    Raises:
        DefinitionError: the predicate raised something; the error names the path.
        SchemaError: the schema is none, or cannot be normalized.
    """
    check_schema(schema)
    return separate_normalized(normalize(schema), is_human)


def separate_normalized(
    schema: JsonSchema,
    is_human: IsHuman | None = is_human_by_default,
    whole: Validator | None = None,
) -> Separated:
    """Separate a normalized schema, whose validator is `whole` if there is one; see `separate`."""
    return _separated(graph_of(schema, is_human or any_of()), whole or Validator(schema))


def _separated(graph: Graph, whole: Validator) -> Separated:
    ownership = Ownership(graph)
    schemas: dict[Side, JsonSchema] = {
        "whole": graph.schema,
        "llm": written(ownership, "llm"),
        "human": written(ownership, "human"),
    }
    judges: dict[Side, Validator] = {
        side: whole if schema is graph.schema else Validator(schema, formats=whole.formats)
        for side, schema in schemas.items()
    }
    return Separated(_schemas=schemas, _ownership=ownership, _judges=judges)


def merge(
    schema: Mapping[str, Any],
    llm: Any,
    human: Any,
    is_human: IsHuman | None = is_human_by_default,
) -> Success[Any] | Failure:
    """Put the model's and the human's value together, and check the whole.

    What belongs to the human is taken from `human` and from nowhere else: a value of the model's
    there is dropped. A value of the human's where the model's belongs is an issue. Objects are
    merged by key, arrays by index; of different lengths they are an issue. What one side does not
    give is empty there; an explicit null of the human's stays null.

    An issue's `side` says whose it is; those of the human have no `value`, and `Failure.value` is
    the model's. Where many calls are merged, `separate(schema).merge` does less for each.

    Raises:
        DefinitionError: the predicate raised something.
        SchemaError: the schema is not one.
    """
    return separate(schema, is_human).merge(llm, human)
