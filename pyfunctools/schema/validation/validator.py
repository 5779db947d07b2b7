"""`Validator`: decides whether a value is valid, and finds all its issues."""

from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any
from weakref import ref

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.schema.ground.issue import MOST_ISSUES, Side, depth_issue, side_issue
from pyfunctools.schema.ground.json_values import (
    DEPTH,
    deeper_than,
    is_json_value,
    non_json_parts,
    to_builtins,
)
from pyfunctools.schema.ground.path import OUTPUT, ROOT, Path
from pyfunctools.schema.outline.json_types import Formats
from pyfunctools.schema.result import Failure, Issue, Success

if TYPE_CHECKING:  # loaded by the first value that is validated, and by the first invalid one
    from pyfunctools.schema.outline.outline import Outline
    from pyfunctools.schema.validation.compiled import Compiled, Resolver
    from pyfunctools.schema.validation.explain import Explainer


MOST_COMPILED = 2_000
"""How many schemas of the process stay compiled; the others are compiled again when needed."""

_kept: "deque[ref[Validator]]" = deque()
"""The validators that hold something compiled, the oldest first."""


class _Engine:
    """What is compiled of one schema, each part when it is first read."""

    __slots__ = ("compiled", "explainer", "outline")

    def __init__(self, schema: JsonSchema | bool, *of_compiled: Any) -> None:
        self.compiled: Lazy[Compiled] = Lazy(_compiled, schema, *of_compiled)
        self.outline: Lazy[Outline] = Lazy(_outline, schema)
        self.explainer: Lazy[Explainer] = Lazy(_explainer, self.compiled, self.outline)


def _compiled(schema: JsonSchema | bool, *more: Any) -> "Compiled":
    from pyfunctools.schema.validation.compiled import Compiled

    return Compiled(schema, *more)


def _outline(schema: JsonSchema | bool) -> "Outline":
    from pyfunctools.schema.outline.outline import Outline

    return Outline(schema)


def _explainer(compiled: "Lazy[Compiled]", outline: "Lazy[Outline]") -> "Explainer":
    from pyfunctools.schema.validation.explain import Explainer

    return Explainer(compiled.value, outline.value)


class Validator:
    """A schema that validates values; it is compiled for the first value.

    The draft is that of `$schema`, or else 2020-12. With `formats`, known formats are checked; with
    `"hinted"`, in the forms that pydantic reads. A `$ref` to another document needs a
    `resolver`: a function that returns the document at an address.

    Cheap to create and thread-safe. Of all validators only the last `MOST_COMPILED` to compile keep
    what they compiled. A copy compiles again, also one from a pickle. The schema must
    not change once a value has been validated.
    """

    __slots__ = ("__weakref__", "_made", "_resolver", "formats", "schema")

    def __init__(
        self,
        schema: JsonSchema | bool,
        *,
        formats: Formats = True,
        resolver: "Resolver | None" = None,
    ) -> None:
        self.schema = schema
        self.formats: Formats = formats
        self._resolver = resolver
        self._made: _Engine | None = None

    def _make(self) -> _Engine:
        """Compile, and drop what the oldest validators compiled."""
        engine = self._made = _Engine(self.schema, self.formats, self._resolver)
        _kept.append(ref(self))
        while len(_kept) > MOST_COMPILED:
            with suppress(IndexError):  # another thread was faster
                if (oldest := _kept.popleft()()) is not None:
                    oldest._made = None
        return engine

    @property
    def outline(self) -> "Outline":
        """The parts of the schema that apply to each place in a value."""
        return (self._made or self._make()).outline.value

    def compile(self) -> None:
        """Compile the schema now, to check it.

        Raises:
            SchemaError: it is invalid, or needs a `$ref` that may not be fetched.
        """
        _ = (self._made or self._make()).compiled.value

    def is_valid(self, value: JsonValue) -> bool:
        """Return whether a value is valid.

        Raises:
            SchemaError: see `compile`.
        """
        compiled = (self._made or self._make()).compiled.value
        if is_json_value(value):
            return compiled.validator.is_valid(value)
        return not _not_json(value, "whole") and compiled.validator.is_valid(to_builtins(value))

    def accepts(self, value: JsonValue) -> bool:
        """Return whether a value that is known to be JSON, and not nested too deep, is valid.

        Raises:
            SchemaError: see `compile`.
        """
        return (self._made or self._make()).compiled.value.validator.is_valid(value)

    def validate(self, value: Any, side: Side = "whole") -> Success[Any] | Failure:
        """Return the value itself, or all its issues, each with this `side`.

        Anything that is not JSON is an issue: `NaN` and the infinities, lone surrogates, bytes,
        keys that are no strings. So is nesting of more than 64 levels. `1.0` is an integer, `True`
        is not. If there are more than 1,000 issues, the last one states this.

        Raises:
            SchemaError: see `compile`.
        """
        compiled = (self._made or self._make()).compiled.value
        judged = value
        if not is_json_value(value):
            if issues := _not_json(value, side):
                return Failure(value=value, issues=issues)
            judged = to_builtins(value)
        if compiled.validator.is_valid(judged):
            return Success(value=value)
        return Failure(value=value, issues=self.issues(judged, side))

    def issues(self, value: JsonValue, side: Side = "whole") -> tuple[Issue, ...]:
        """Return all issues of a value that is known to be JSON and invalid."""
        return (self._made or self._make()).explainer.value.issues(value, side)

    def __reduce__(self) -> tuple[object, ...]:
        made = partial(Validator, formats=self.formats, resolver=self._resolver)
        return (made, (self.schema,))

    def __repr__(self) -> str:
        return f"Validator({self.schema!r})"


def validate(
    schema: Mapping[str, Any] | bool,
    value: Any,
    *,
    formats: Formats = True,
    resolver: "Resolver | None" = None,
) -> Success[Any] | Failure:
    """Return the value itself, or all its issues; see `Validator.validate`.

    For many values, create one `Validator`.

    Raises:
        SchemaError: the schema is invalid, or needs a `$ref` that may not be fetched.
    """
    return Validator(schema, formats=formats, resolver=resolver).validate(value)


def _not_json(value: JsonValue, side: Side) -> tuple[Issue, ...]:
    """Return the issues of a value that is not JSON; no issues if `to_builtins` makes it JSON."""
    if deeper_than(value, DEPTH):
        return (depth_issue(side),)
    parts = islice(non_json_parts(value), MOST_ISSUES)
    return tuple(side_issue(side, keys, f"JSON, which {what} is not") for keys, what in parts)


def validate_output(validator: Validator, value: Any) -> Success[Any] | Failure:
    """Validate what a function returned: the paths of its issues begin with `$output`."""
    verdict = validator.validate(value)
    if verdict:
        return verdict
    issues = [
        replace(
            each,
            path=Path.of(each.path.keys, OUTPUT),
            message=each.message.replace(ROOT, OUTPUT, 1),
        )
        for each in verdict.issues
    ]
    return replace(verdict, issues=tuple(issues))
