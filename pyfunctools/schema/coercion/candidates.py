"""The values that a scalar in a wrong spelling may stand for."""

from collections.abc import Iterator, Mapping
from typing import Final

from pyfunctools._json import JsonValue
from pyfunctools.schema.outline.outline import Place
from pyfunctools.schema.parsing.parse import parse_at
from pyfunctools.schema.parsing.scalars import (
    boolean_from,
    digits_of,
    integer_from,
    number_from,
    spells_null,
)
from pyfunctools.schema.result import Repair, Success

WRAPPERS: Final = frozenset(
    {
        "args",
        "arguments",
        "data",
        "function_args",
        "function_arguments",
        "input",
        "inputs",
        "kwargs",
        "parameters",
        "params",
        "payload",
        "properties",
        "tool_args",
        "tool_arguments",
        "tool_input",
    }
)
"""Keys of objects that models put around the arguments."""

_JSON = ("{", "[", '"', "`", "~")
"""The first characters of JSON in a string: of a bracket, a quote or a fence."""
_GUESSED = frozenset({"prose", "rest", "truncated"})
"""Repairs after which a string counts as prose, not as JSON.

So does a string with an opening bracket only: `[`.
"""


def meanings(
    value: JsonValue, types: frozenset[str], constants: Mapping[str, JsonValue]
) -> Iterator[tuple[str, JsonValue]]:
    """Yield the kind of repair and the value for each meaning of a scalar, the likeliest first.

    `constants` are the values that a place lists, each by the string that stands for it.
    """
    if isinstance(value, str):
        if constants and (name := _closest(value, constants)) is not None:
            yield "constant", constants[name]
        if "null" in types and spells_null(value):
            yield "null", None
        if "boolean" in types and (truth := boolean_from(value)) is not None:
            yield "boolean", truth
        if "integer" in types or "number" in types:
            whole, number = integer_from(value), number_from(value)
            for meant in (number, whole) if "." in value else (whole, number):
                if meant is not None:
                    yield "number", meant
    elif isinstance(value, float) and value.is_integer():
        yield "integer", int(value)
    elif isinstance(value, int) and not isinstance(value, bool) and "string" in types:
        text = digits_of(value)
        if text is not None:
            yield "string", text


def _closest(text: str, names: Mapping[str, JsonValue]) -> str | None:
    """Return the only name that equals a text but for the space around it, or also but for case."""
    for fold in (str, str.casefold):
        found = [name for name in names if fold(name.strip()) == fold(text.strip())]
        if len(found) == 1:
            return found[0]
    return None


def parsed(text: str, place: Place) -> Success[JsonValue] | None:
    """Return the object or array that a string contains as JSON, encoded once or several times."""
    repairs: tuple[Repair, ...] = ()
    value: JsonValue = text
    while isinstance(value, str):
        if value.lstrip()[:1] not in _JSON:
            return None
        result = parse_at(value, lambda: place)
        kinds = {repair.kind for repair in result.repairs}
        if not result or kinds & _GUESSED or ("closer" in kinds and not result.value):
            return None
        value, repairs = result.value, (*repairs, *result.repairs)
    return Success(value=value, repairs=repairs) if isinstance(value, dict | list) else None
