"""Whether a value is right, and everything that is wrong with it."""

from collections.abc import Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.schema.ground.json_values import (
    DEPTH,
    deeper_than,
    is_json_value,
    non_json_parts,
    to_builtins,
)
from pyfunctools.schema.outline.clock import Formats
from pyfunctools.schema.result import Failure, Issue, Side, Success

if TYPE_CHECKING:  # loaded by the first value that is judged, and by the first that is wrong
    from pyfunctools.schema.ground.path import Keys
    from pyfunctools.schema.outline.outline import Outline, ValueTest
    from pyfunctools.schema.validation.compiled import Compiled, Resolver
    from pyfunctools.schema.validation.explain import Explainer


class Validator:
    """A schema that judges values, compiled when it first does.

    It is judged by the draft that its own `$schema` names, by 2020-12 where that is none or not
    known. With `formats` a `format` that is known is checked, with `"local"` date-times and times
    without an offset from UTC are right too. A `$ref` that leads out of the schema is refused
    unless a `resolver` is given, which takes the address and gives the document.

    Cheap to make, safe to share between threads, and can be copied and pickled; a copy compiles
    anew. The schema must not change once a value has been judged.
    """

    __slots__ = ("_compiled", "_explainer", "_outline", "_resolver", "formats", "schema")

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
        self._compiled = Lazy(partial(_compile, schema, formats, resolver))
        self._outline = Lazy(partial(_outline_of, schema))
        self._explainer = Lazy(self._explained)

    @property
    def outline(self) -> "Outline":
        """What the schema says of each place in a value."""
        return self._outline.value

    def compile(self) -> None:
        """Compile the schema, if nobody has, to see whether it is one.

        Raises:
            SchemaError: it is not, or it needs a `$ref` that may not be fetched.
        """
        _ = self._compiled.value

    def is_valid(self, value: JsonValue) -> bool:
        """Return whether a value is right.

        Raises:
            SchemaError: see `compile`.
        """
        compiled = self._compiled.value
        if is_json_value(value):
            return compiled.validator.is_valid(value)
        return not _unfit(value, "whole") and compiled.validator.is_valid(to_builtins(value))

    def accepts(self, value: JsonValue) -> bool:
        """Return whether a value that was read from strict JSON is right.

        That it is JSON, and how deep it is nested, is not looked at again.

        Raises:
            SchemaError: see `compile`.
        """
        return self._compiled.value.validator.is_valid(value)

    def test_of(self, keys: "Keys") -> "ValueTest | None":
        """Return the compiled test of the part at these steps, `None` where it has none.

        It takes only what was read from strict JSON, or is known to be JSON.

        Raises:
            SchemaError: see `compile`.
        """
        return self._compiled.value.test_of(keys)

    def validate(self, value: Any, side: Side = "whole") -> Success[Any] | Failure:
        """Return the value itself, or every issue it has; `side` is noted in each.

        What is not JSON is an issue: `NaN` and the infinities, lone surrogates, bytes, keys that
        are no text. So is nesting of more than 64 levels. `1.0` is an integer and `True` is none.
        A value has at most 1,001 issues, the last of which says that there are more.

        Raises:
            SchemaError: see `compile`.
        """
        compiled = self._compiled.value
        judged = value
        if not is_json_value(value):
            unfit = _unfit(value, side)
            if unfit:
                return Failure(value=value, issues=unfit)
            judged = to_builtins(value)
        if compiled.validator.is_valid(judged):
            return Success(value=value)
        return Failure(value=value, issues=self.issues(judged, side))

    def issues(self, value: JsonValue, side: Side = "whole") -> tuple[Issue, ...]:
        """Return every issue of a value that is known to be JSON, and refused."""
        return self._explainer.value.issues(value, side)

    def _explained(self) -> "Explainer":
        from pyfunctools.schema.validation.explain import Explainer

        return Explainer(self._compiled.value, self.outline)

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore, (self.schema, self.formats, self._resolver))

    def __repr__(self) -> str:
        return f"Validator({self.schema!r})"


def validate(
    schema: Mapping[str, Any] | bool,
    value: Any,
    *,
    formats: Formats = True,
    resolver: "Resolver | None" = None,
) -> Success[Any] | Failure:
    """Return whether a value is right, with every issue where it is not; see `Validator.validate`.

    For many values make one `Validator`.

    Raises:
        SchemaError: the schema is not one, or needs a `$ref` that may not be fetched.
    """
    return Validator(schema, formats=formats, resolver=resolver).validate(value)


def _compile(
    schema: JsonSchema | bool, formats: Formats, resolver: "Resolver | None"
) -> "Compiled":
    from pyfunctools.schema.validation.compiled import Compiled

    return Compiled(schema, formats, resolver)


def _outline_of(schema: JsonSchema | bool) -> "Outline":
    from pyfunctools.schema.outline.outline import Outline

    return Outline(schema)


def _restore(schema: JsonSchema | bool, formats: Formats, resolver: "Resolver | None") -> Validator:
    return Validator(schema, formats=formats, resolver=resolver)


def _unfit(value: JsonValue, side: Side) -> tuple[Issue, ...]:
    """Return why a value cannot be judged at all; nothing where a plain copy of it can."""
    from pyfunctools.schema.validation.explain import MOST, issue_of
    from pyfunctools.schema.validation.messages import Complaint

    if deeper_than(value, DEPTH):
        expected = f"at most {DEPTH} levels of nesting"
        says = f"is nested more than {DEPTH} levels deep"
        return (issue_of((), Complaint(expected=expected, says=says, value=None), side),)
    return tuple(
        issue_of(
            keys,
            Complaint(
                expected=f"JSON, which {what} is not",
                says=f"holds {what}, which is not JSON",
                value=None,
            ),
            side,
        )
        for keys, what in islice(non_json_parts(value), MOST)
    )
