"""JSON values: whether a value is JSON, how deep it is nested, whether two are equal.

`preview` writes a value of any type as one short line of text.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import Enum
from functools import cache
from itertools import repeat
from json import JSONEncoder, dumps
from math import isfinite
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened, visible
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.path import Keys

if TYPE_CHECKING:
    from jsonschema_rs import Validator


class _Absent(Enum):
    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
"""Stands for a missing value."""

Given: TypeAlias = "JsonValue | Literal[_Absent.ABSENT]"
"""A value, or `ABSENT`."""

MAX_SCHEMA_DEPTH = 256
"""The deepest nesting of objects and arrays in a schema."""

MAX_CONTAINERS = 1_000_000
"""Most objects and arrays on one level of a value; a shared one counts each time."""


def deeper_than(value: JsonValue, limit: int) -> bool:
    """Return whether objects and arrays are nested more than `limit` deep.

    `[]` is one deep. A value that contains itself is too deep, and so is one with more than
    `MAX_CONTAINERS` objects and arrays on one level.
    """
    level: list[JsonValue] = [value] if isinstance(value, CONTAINERS) else []
    for _ in range(limit):
        if not level:
            return False
        below: list[JsonValue] = []
        for outer in level:
            held = outer.values() if isinstance(outer, dict) else cast("list[JsonValue]", outer)
            below += [value for value in held if isinstance(value, CONTAINERS)]
            if len(below) > MAX_CONTAINERS:
                return True
        level = below
    return bool(level)


CONTAINERS = (dict, list, tuple)


def equal(one: JsonValue, other: JsonValue) -> bool:
    """Return whether two values are the same JSON value (JSON Schema 2020-12 core, 4.2.2)."""
    pairs = [(one, other)]
    while pairs:
        a, b = pairs.pop()
        if a is b:
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            pairs.extend((value, b[key]) for key, value in a.items())
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            pairs.extend(zip(a, b, strict=True))
        elif isinstance(a, bool) or isinstance(b, bool) or a != b:
            return False
    return True


def values_in_both(some: Sequence[JsonValue], others: Sequence[JsonValue]) -> list[JsonValue]:
    """Return the values that are in both lists, in the order of the first."""
    scalars = {_marked(value) for value in others if not isinstance(value, dict | list)}
    rest = [value for value in others if isinstance(value, dict | list)]
    return [
        value
        for value in some
        if (
            any(equal(value, other) for other in rest)
            if isinstance(value, dict | list)
            else _marked(value) in scalars
        )
    ]


def _marked(value: JsonValue) -> tuple[bool, JsonValue]:
    # In Python `1 == True`, and their hashes are equal too.
    return isinstance(value, bool), value


DEPTH = DEFAULT_LIMITS.depth
"""The deepest nesting of a value that is validated."""


def is_json_value(value: JsonValue) -> bool:
    """Return whether a value is JSON, nested at most `DEPTH` deep.

    `NaN`, the infinities, lone surrogates, bytes, sets and keys that are not text are not JSON. A
    tuple is an array, a `Decimal` a number, a member of an `Enum` its value. A subclass of `str`,
    `int` or `float` is rejected although it is JSON; see `to_builtins`.

    jsonschema-rs looks at every value, in a third of the time of `json.loads`. Its schema has one
    definition for each level, so a value that contains itself is rejected at level `DEPTH`.
    """
    try:
        return _json_schema().is_valid(value)
    except ValueError:  # jsonschema-rs cannot read it, as with lone surrogates
        return False


def non_json_parts(value: JsonValue) -> Iterator[tuple[Keys, str]]:
    """Yield the place and a description of each part of a value that is not JSON.

    The value must not be nested too deeply. A key that is not text is reported at its object.
    """
    stack: list[tuple[Keys, JsonValue]] = [((), value)]
    while stack:
        keys, current = stack.pop()
        if isinstance(current, dict):
            for key in current:
                if not is_utf8_text(key):
                    yield keys, f"the key {preview(key)}"
            members = [((*keys, key), inner) for key, inner in current.items() if is_utf8_text(key)]
            stack.extend(reversed(members))
        elif isinstance(current, list | tuple):
            stack.extend(reversed([((*keys, n), item) for n, item in enumerate(current)]))
        elif not _is_scalar(current):
            why = " (half of a surrogate pair)" if isinstance(current, str) else ""
            yield keys, preview_scalar(current) + why


def to_builtins(value: JsonValue) -> JsonValue:
    """Return a copy made only of `dict`, `list`, `str`, `int`, `float`, `bool` and `None`.

    The value must be JSON, and not nested too deeply.
    """
    if isinstance(value, Enum):
        return to_builtins(value.value)
    if isinstance(value, dict):
        return {str(key): to_builtins(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [to_builtins(item) for item in value]
    if isinstance(value, bool):
        return value
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    return value


def is_utf8_text(value: object) -> bool:
    """Return whether this is text that UTF-8 can encode: text without lone surrogates."""
    if not isinstance(value, str):
        return False
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_scalar(value: JsonValue) -> bool:
    if isinstance(value, Enum):
        return _is_scalar(value.value)
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, Decimal):
        return value.is_finite()
    return value is None or isinstance(value, int) or is_utf8_text(value)


@cache
def _json_schema() -> "Validator":
    from jsonschema_rs import Draft202012Validator

    # `const` makes it read every text, so that it rejects lone surrogates.
    scalars = [{"const": ""}, {"type": ["boolean", "null", "number", "string"]}]
    levels: dict[str, JsonValue] = {str(DEPTH): {"anyOf": scalars}}
    for level in range(DEPTH):
        below = {"$ref": f"#/$defs/{level + 1}"}
        containers = [
            {"type": "object", "additionalProperties": below},
            {"type": "array", "items": below},
        ]
        levels[str(level)] = {"anyOf": [*scalars, *containers]}
    return Draft202012Validator({"$ref": "#/$defs/0", "$defs": levels})


LINE = 64
"""Characters of a value that a message quotes."""

_DIGITS = 1_000
_quoted = JSONEncoder(ensure_ascii=False).encode


def preview(value: JsonValue, limit: int = LINE) -> str:
    """Return the value as JSON on one line, cut to at most `limit` characters with an ellipsis.

    The value may be of any type and contain itself. The cost depends on `limit`, not on the value.
    """
    if not isinstance(value, CONTAINERS):
        return preview_scalar(value, limit)
    return shortened(_written(value, limit, limit), limit)


def _written(value: JsonObject | Sequence[JsonValue], limit: int, room: int) -> str:
    """Return an object or array as JSON, or only its beginning if that is longer than `room`."""
    is_object = isinstance(value, dict)
    text, comma = "{" if is_object else "[", ""
    for name, inner in value.items() if isinstance(value, dict) else zip(repeat(""), value):
        text += f"{comma}{preview_scalar(name, limit)}: " if is_object else comma
        if len(text) > room:
            return text
        if isinstance(inner, CONTAINERS):
            text += _written(inner, limit, room - len(text))
        else:
            text += preview_scalar(inner, limit)
        comma = ", "
    return text + ("}" if is_object else "]")


_PLAIN = re.compile(r"[\w .,:;@/+-]*", re.ASCII)
"""Texts that are written as they are, as most are."""


def preview_scalar(value: object, limit: int = LINE) -> str:
    """Return a scalar as JSON, a text cut to at most `limit` characters with its quotes.

    Invisible characters are escaped. A value that is not JSON becomes its type: `<bytes>`.
    """
    if isinstance(value, str):
        if type(value) is str and len(value) <= limit - 2 and _PLAIN.fullmatch(value):
            return f'"{value}"'
        cut = _text(value, limit - 2)
        return cut if len(cut) <= limit else _text(value, limit // 6 - 2)
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, int):
        # Python writes no integer of more than 4,300 digits (`sys.int_info`).
        digits = value.bit_length() * 30103 // 100000 + 1
        return str(int(value)) if digits < _DIGITS else f"<integer of about {digits} digits>"
    if isinstance(value, float):
        return float.__repr__(value) if isfinite(value) else dumps(float(value))
    return f"<{type(value).__name__}>"


def escape_invisible(text: str) -> str:
    """Return the text with invisible characters, other than line feeds, as JSON escapes."""
    if visible(text) == text:
        return text
    return "".join(c if visible(c) else dumps(c)[1:-1] for c in text)


def _text(value: str, limit: int) -> str:
    limit = max(limit, 1)
    cut = shortened(str(value[: limit + 1]), limit)
    return escape_invisible(_quoted(cut))
