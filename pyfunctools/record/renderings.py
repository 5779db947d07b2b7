"""The renderings of a function, and the check of arguments that a model wrote for one."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.checker import truncated_failure
from pyfunctools.schema.coercion.coerce import coerce
from pyfunctools.schema.parsing.parse import parse
from pyfunctools.schema.result import Failure, Repair, Success

if TYPE_CHECKING:  # loaded by the first schema that is rendered; most calls do not need it
    from pyfunctools.dialects.rendering import Rendering

Key = tuple[str, bool, bool | None]


class Renderings:
    """The last renderings of a function, by their settings; a pickle or a copy is empty."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Key, Rendering] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return (Renderings, ())

    def get(
        self, schema: JsonSchema, dialect: str, *, strict: bool, inline: bool | None
    ) -> "Rendering":
        """Return a rendering of the schema, which must be the same one in each call.

        Raises:
            DefinitionError: the dialect is unknown.
        """
        key = (dialect, strict, inline)
        found = self._known.get(key) if isinstance(dialect, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
        if found is None:
            from pyfunctools.dialects.rendering import render

            found = render(schema, dialect, strict=strict, inline=inline)
            # A new dictionary each time: another thread may be reading the old one.
            newest = [*self._known.items(), (key, found)][-DEFAULT_LIMITS.cache :]
            self._known = dict(newest)
        return found


def check_rendered(
    arguments: str | bytes | JsonValue,
    rendering: "Rendering",
    check: Callable[[JsonValue], Success[JsonValue] | Failure],
    *,
    allow_truncated: bool,
) -> Success[JsonValue] | Failure:
    """Return arguments that a model wrote for a rendering, restored and checked.

    If they are invalid, they are coerced by the schema that the model saw, and checked again. A
    failure has the value and the paths of that schema.
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
            return truncated_failure(value, cut, repairs)
    else:
        value = arguments
    first = check(rendering.restore(value))
    if first:
        return _with_repairs(first, repairs)
    coerced = coerce(schema, value)
    again = check(rendering.restore(coerced.value)) if coerced.repairs else first
    if again:
        return _with_repairs(again, (*repairs, *coerced.repairs))
    return _with_repairs(rendering.reworded(first), repairs)


def _with_repairs(
    result: Success[JsonValue] | Failure, before: Sequence[Repair]
) -> Success[JsonValue] | Failure:
    return replace(result, repairs=(*before, *result.repairs)) if before else result
