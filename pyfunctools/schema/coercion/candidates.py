"""What a scalar in the wrong spelling may have been meant as."""

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
"""Keys that models put around the arguments."""


_JSON = ("{", "[", '"', "`", "~")
"""How a text begins that may be JSON."""
_GUESSED = frozenset({"prose", "rest", "truncated"})
"""Repairs after which a text is rather taken for one that only looks like JSON.

So is a text that opens a bracket and neither closes it nor puts anything into it.
"""


def may_be_json(text: str) -> bool:
    """Return whether a text begins as JSON of an object, an array or a string does, or a fence."""
    return text.lstrip()[:1] in _JSON


def meanings(
    value: JsonValue, types: frozenset[str], listed: Mapping[str, JsonValue]
) -> Iterator[tuple[str, JsonValue]]:
    """Yield what a scalar may have been meant as, with the kind of the repair, likeliest first."""
    if isinstance(value, str):
        known = _only(value.strip(), {text: text.strip() for text in listed})
        if known is None:
            folded = {text: text.strip().casefold() for text in listed}
            known = _only(value.strip().casefold(), folded)
        if known is not None:
            yield "constant", listed[known]
        if "null" in types and spells_null(value):
            yield "null", None
        if "boolean" in types and (truth := boolean_from(value)) is not None:
            yield "boolean", truth
        if "integer" in types or "number" in types:
            yield from (("number", number) for number in _numbers(value))
    elif isinstance(value, float) and value.is_integer():
        yield "integer", int(value)
    elif isinstance(value, int) and not isinstance(value, bool) and "string" in types:
        text = digits_of(value)
        if text is not None:
            yield "string", text


def _only(wanted: str, texts: dict[str, str]) -> str | None:
    found = [text for text, plain in texts.items() if plain == wanted]
    return found[0] if len(found) == 1 else None


def _numbers(text: str) -> Iterator[int | float]:
    whole, number = integer_from(text), number_from(text)
    if whole is not None and "." not in text:
        yield whole
    if number is not None:
        yield number
    if whole is not None:
        yield whole


def decoded(text: str, place: Place) -> Success[JsonValue] | None:
    """Return the object or array that a text says, however often it was encoded."""
    repairs: tuple[Repair, ...] = ()
    value: JsonValue = text
    while isinstance(value, str):
        if not may_be_json(value):
            return None
        read = parse_at(value, lambda: place)
        kinds = {repair.kind for repair in read.repairs}
        if not read or kinds & _GUESSED or ("closer" in kinds and not read.value):
            return None
        value, repairs = read.value, (*repairs, *read.repairs)
    return Success(value=value, repairs=repairs) if isinstance(value, dict | list) else None
