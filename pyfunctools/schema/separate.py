"""The parameters of a function taken apart: what a model is shown, and what a person is asked."""

from dataclasses import dataclass, field

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.division import ABSENT, Division, depth_issue, divide, issue, too_deep
from pyfunctools.schema.merge import merged
from pyfunctools.schema.predicates import IsHuman, is_human_by_default
from pyfunctools.schema.result import Failure, Issue, Side, Success
from pyfunctools.schema.writer import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Separated:
    """A schema and its two sides, each a schema of its own with the `$defs` it needs.

    `llm` is the schema itself where nothing is the human's, and else never says anything of the
    human's; `human` is `None` where nothing is. Where an array has items of both, each side has null
    for the other's.
    """

    schema: JsonSchema
    llm: JsonSchema
    human: JsonSchema | None
    _division: Division = field(compare=False, repr=False)

    def split(self, value: JsonValue) -> tuple[JsonValue, JsonValue]:
        """Give the model's part and the human's part of a whole value.

        `{}` is the part of one to whom nothing belongs. What is nested deeper than arguments may
        be is the human's whole, for nobody looks into it.
        """
        return self._division.split(value)

    def merge(self, llm: JsonValue, human: JsonValue) -> Success[JsonValue] | Failure:
        """Put the model's and the human's value together, and check the whole.

        See `pyfunctools.schema.merge` for what belongs to whom.

        Raises:
            SchemaError: the schema is not one.
        """
        return merged(self._division, llm, human)

    def validate(self, value: JsonValue, side: Side) -> Success[JsonValue] | Failure:
        """Say whether a value is right for one side or as the whole, with every issue.

        A value where the other side's belongs is an issue. Issues of the human's side have no
        `value`, and neither has their `Failure`, so that nothing of it gets into a log.

        Raises:
            SchemaError: the schema is not one.
        """
        if side == "whole":
            return self._division.whole.validate(value)
        if too_deep(value):
            return _failure(value, side, [depth_issue(side)])
        own = self._division.own(side, value)
        issues = [*own.broken, *own.foreign]
        if own.part is not ABSENT:
            verdict = self._division.validator(side).validate(own.part, side)
            known = {found.path for found in issues}
            issues += [
                found for found in (() if verdict else verdict.issues) if found.path not in known
            ]
        return _failure(value, side, issues) if issues else Success(value=value)


def separate(schema: JsonSchema, is_human: IsHuman | None = is_human_by_default) -> Separated:
    """Take the parameters of a function apart into the model's and the human's side.

    Whose a place is depends on the path to it and on nothing else: what `is_human` says of a schema
    holds for every value at its place, with all that is below it. In unions, a place is the human's
    if every branch but null is; if only some are, they leave the model's side and the human's value
    comes before the model's. A property that is the human's in one branch, or in one member of an
    `allOf`, is so in all. An object of which all declared properties are the human's is whole the
    human's, unless `additionalProperties` says what else may be in it.

    `is_human` is asked once about each place where a schema stands, now; `None` keeps nothing from
    the model. The schema is not changed, and shared by what is given.

    Raises:
        DefinitionError: the predicate raised something; the error names the path.
        SchemaError: the schema is nested too deeply.
    """
    division = divide(schema, is_human)
    has_human = division.root.owner != "llm"
    return Separated(
        schema=schema,
        llm=division.side("llm"),
        human=division.side("human") if has_human else None,
        _division=division,
    )


def _failure(value: JsonValue, side: Part, issues: list[Issue]) -> Failure:
    if side == "llm":
        return Failure(value=value, issues=tuple(issues))
    masked = (issue("human", found.path.keys, found.expected, None) for found in issues)
    return Failure(value=None, issues=tuple(masked))
