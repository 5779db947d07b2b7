"""The parameters of a function taken apart: what a model is shown, and what a person is asked."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyfunctools._json import JsonSchema, JsonValue, fresh
from pyfunctools.schema.outline.clock import Formats
from pyfunctools.schema.result import Failure, Issue, Side, Success
from pyfunctools.schema.separation.predicates import IsHuman, is_human_by_default

if TYPE_CHECKING:  # loaded by the first schema that is taken apart
    from pyfunctools.schema.ground.path import Keys, Path
    from pyfunctools.schema.outline.places import Test
    from pyfunctools.schema.separation.division import Division
    from pyfunctools.schema.separation.ownership import Owner
    from pyfunctools.schema.separation.side_writer import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Separated:
    """A schema and its two sides, each a schema of its own with the `$defs` it needs.

    `llm` is the schema itself where nothing is the human's, and else says nothing of the human's;
    `human` is `None` where nothing is. In an array with items of both each side has null for the
    other's.
    """

    _schema: JsonSchema
    _llm: JsonSchema
    _human: JsonSchema | None
    _division: "Division" = field(compare=False, repr=False)

    @property
    def schema(self) -> JsonSchema:
        """The schema itself, a copy."""
        return fresh(self._schema)

    @property
    def llm(self) -> JsonSchema:
        """The model's side, a copy."""
        return fresh(self._llm)

    @property
    def human(self) -> JsonSchema | None:
        """The human's side, a copy; `None` where nothing is the human's."""
        return fresh(self._human)

    def split(self, value: JsonValue) -> tuple[JsonValue, JsonValue]:
        """Return the model's part and the human's part of a whole value.

        `{}` is the part of one to whom nothing belongs. A value nested deeper than arguments may be
        is the human's, for nobody looks into it.
        """
        return self._division.split(value)

    @property
    def lost(self) -> "tuple[Path, ...]":
        """The places that are the human's whole though a part of them was the model's.

        They have alternatives of which one is the human's, or a text that is JSON with a part of
        the human's in it, and the author did not mark them.
        """
        return tuple(self._division.ownership.lost())

    def owner(self, path: "Keys") -> "Owner":
        """Return whose a place is, by the steps to it.

        `mixed` is both's, in its parts.
        """
        *_, place = self._division.ownership.at(path)
        return place.owner

    def names(self, path: "Keys") -> dict[str, bool]:
        """Return the declared properties of a place of both, and whether each is the model's alone.

        Where all is one's there are none: nobody has to tell them apart.
        """
        ownership = self._division.ownership
        *_, place = ownership.at(path)
        theirs = dict.fromkeys(ownership.names(place), False)
        return {**dict.fromkeys(place.names, True), **theirs}

    def merge(self, llm: JsonValue, human: JsonValue) -> Success[JsonValue] | Failure:
        """Put the model's and the human's value together, and check the whole.

        See `pyfunctools.schema.merge` for what belongs to whom.

        Raises:
            SchemaError: the schema is not one.
        """
        from pyfunctools.schema.separation.join import merged

        return merged(self._division, llm, human)

    def validate(self, value: JsonValue, side: Side) -> Success[JsonValue] | Failure:
        """Return whether a value is right for one side or as the whole, with every issue.

        A value where the other side's belongs is an issue. Issues of the human's side have no
        `value`, and neither has their `Failure`: nothing of it gets into a log.

        Raises:
            SchemaError: the schema is not one.
        """
        from pyfunctools.schema.separation.sieve import is_too_deep, issue, too_deep

        if side == "whole":
            return self._division.whole.validate(value)
        found = [too_deep(side)] if is_too_deep(value) else self._issues(value, side)
        if not found:
            return Success(value=value)
        if side == "llm":
            return Failure(value=value, issues=tuple(found))
        masked = (issue("human", one.path.keys, one.expected) for one in found)
        return Failure(value=None, issues=tuple(masked))

    def accepts(self, value: JsonValue) -> bool:
        """Return whether a value that was read from strict JSON is right for the model's side.

        Raises:
            SchemaError: the schema is not one.
        """
        from pyfunctools.schema.separation.sieve import ABSENT

        own = self._division.own("llm", value)
        if own.broken or own.foreign:
            return False
        return own.part is ABSENT or self._division.validator("llm").accepts(own.part)

    def test_of(self, part: JsonSchema) -> "Test | None":
        """Return the compiled test of a part of the model's side; see `Validator.test_of`."""
        return self._division.validator("llm").test_of(part)

    def _issues(self, value: JsonValue, side: "Part") -> list[Issue]:
        from pyfunctools.schema.separation.sieve import ABSENT

        own = self._division.own(side, value)
        dropped = [*own.broken, *own.foreign]
        if own.part is ABSENT:
            return dropped
        verdict = self._division.validator(side).validate(own.part, side)
        known = {one.path for one in dropped}
        others = () if verdict else verdict.issues
        return [*dropped, *(one for one in others if one.path not in known)]


def separate(
    schema: JsonSchema,
    is_human: IsHuman | None = is_human_by_default,
    *,
    formats: Formats = True,
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
    checks the others on the whole. `formats` is as in `Validator`.

    `is_human` is asked now, once about each place where a schema stands, and about a recursive
    definition on the first turn; `None` keeps nothing from the model. The schema is not changed,
    and parts of it stand in both sides.

    Raises:
        DefinitionError: the predicate raised something; the error names the path.
        SchemaError: the schema holds what is not JSON, is nested too deeply or too large.
    """
    from pyfunctools.schema.separation.division import divide

    division = divide(schema, is_human, formats)
    is_whole = division.ownership.root.owner == "llm"
    return Separated(
        _schema=schema,
        _llm=division.side("llm"),
        _human=None if is_whole else division.side("human"),
        _division=division,
    )
