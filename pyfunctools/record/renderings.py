"""The renderings of one function, and the check of what a model wrote by one of them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.checker import truncated
from pyfunctools.schema.coercion.coerce import coerce
from pyfunctools.schema.parsing.parse import parse
from pyfunctools.schema.result import Failure, Repair, Success

if TYPE_CHECKING:  # loaded by the first schema that is rendered; most calls need none
    from pyfunctools.dialects.rendering import Rendering

Key = tuple[str, bool, bool | None]


class Renderings:
    """The last renderings of one function, by what was asked for; a copy of it is empty."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[Key, Rendering] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return (Renderings, ())

    def get(
        self, schema: JsonSchema, dialect: str, *, strict: bool, inline: bool | None
    ) -> "Rendering":
        """Return the rendering of the schema, which is the same at every call.

        Raises:
            DefinitionError: there is no such dialect.
        """
        key = (dialect, strict, inline)
        kept = self._kept.get(key) if isinstance(dialect, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
        if kept is None:
            from pyfunctools.dialects.rendering import render

            kept = render(schema, dialect, strict=strict, inline=inline)
            # A new dictionary each time: another thread may be reading the old one.
            newest = [*self._kept.items(), (key, kept)][-DEFAULT_LIMITS.cache :]
            self._kept = dict(newest)
        return kept


def checked(
    arguments: str | bytes | JsonValue,
    rendering: "Rendering",
    check: Callable[[JsonValue], Success[JsonValue] | Failure],
    *,
    allow_truncated: bool,
) -> Success[JsonValue] | Failure:
    """Return the arguments that a model wrote by a rendering, restored and checked.

    What is not right as it was written is coerced by the schema that the model saw, and checked
    again. A failure has the value and the paths as the model saw them.
    """
    schema, repairs = rendering.schema, tuple[Repair, ...]()
    value: JsonValue
    if isinstance(arguments, str | bytes):
        read = parse(arguments, schema) if arguments.strip() else Success[JsonValue](value={})
        if not read:
            return read
        value, repairs = read.value, read.repairs
        cut = [repair for repair in repairs if repair.kind == "truncated"]
        if cut and not allow_truncated:
            return truncated(value, cut, repairs)
    else:
        value = arguments
    first = check(rendering.restore(value))
    if first:
        return _repaired(first, repairs)
    coerced = coerce(schema, value)
    again = check(rendering.restore(coerced.value)) if coerced.repairs else first
    if again:
        return _repaired(again, (*repairs, *coerced.repairs))
    return _repaired(rendering.reworded(first), repairs)


def _repaired(
    result: Success[JsonValue] | Failure, before: Sequence[Repair]
) -> Success[JsonValue] | Failure:
    return replace(result, repairs=(*before, *result.repairs)) if before else result
