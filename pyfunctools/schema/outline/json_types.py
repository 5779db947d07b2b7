"""The JSON types, constants and formats of values, and of `type`, `const`, `enum` in a schema."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Final, Literal, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.json_values import preview_scalar

ALL_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
"""The types of JSON Schema; an `integer` is also a `number`."""

Constant: TypeAlias = tuple[str, str | int | float | bool | None]
"""A scalar, compared as JSON Schema does: `1` equals `1.0` but not `true`; see `constant_of`."""

Listed: TypeAlias = dict[Constant, None]
"""The constants that a value may be: an ordered set."""


def json_type(value: JsonValue) -> str:
    """Return the JSON type of a value; a float without a fraction is an `integer`.

    For a value that is not JSON this is the name of its class.
    """
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list | tuple):
        return "array"
    if isinstance(value, dict):
        return "object"
    return "null" if value is None else type(value).__name__


def types_named(schema: JsonSchema) -> list[str] | None:
    """Return the names in `type`, or `None` if the schema has no `type`."""
    wanted = schema.get("type")
    if isinstance(wanted, str):
        return [wanted]
    return [n for n in wanted if isinstance(n, str)] if isinstance(wanted, list) else None


def implied_types(schema: JsonSchema) -> list[str]:
    """Return the names in `type`, or else the type that the other keywords are for.

    `["object"]` for `{"required": ["a"]}`.
    """
    names = types_named(schema)
    if names:
        return names
    if "properties" in schema or "required" in schema:
        return ["object"]
    if "items" in schema or "prefixItems" in schema:
        return ["array"]
    return ["string"] if "pattern" in schema or "format" in schema else []


def listed_values(schema: JsonSchema) -> list[JsonValue] | None:
    """Return the values of `const` or `enum`, or `None` if the schema has neither."""
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return list(values) if isinstance(values, list) else None


def constant_of(value: JsonValue) -> Constant | None:
    """Return a scalar as a constant, or `None` if the value is no scalar."""
    if isinstance(value, bool) or value is None:
        return ("", value)
    if isinstance(value, (int, float)):
        return ("number", value)
    return ("string", value) if isinstance(value, str) else None


def loose_text(constant: Constant) -> str:
    """Return a constant as text without case, surrounding space and quotes, to compare it by."""
    _, value = constant
    if isinstance(value, str):
        return value.strip().strip("\"'").strip().casefold()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return preview_scalar(value)


def schemas_of(value: JsonValue) -> list[JsonSchema | bool]:
    """Return the schemas in a list, such as that of `anyOf`; other values are ignored."""
    listed = value if isinstance(value, list) else ()
    return [inner for inner in listed if isinstance(inner, (dict, bool))]


def schemas_by_name(value: JsonValue) -> dict[str, JsonSchema | bool]:
    """Return the schemas in an object, such as `$defs`; other values are ignored."""
    named = value.items() if isinstance(value, dict) else ()
    return {name: inner for name, inner in named if isinstance(inner, (dict, bool))}


def texts_of(value: JsonValue) -> list[str]:
    """Return the strings in a list, such as that of `required`; other values are ignored."""
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


Formats: TypeAlias = Literal["hinted"] | bool
"""Whether known formats are checked; with `"hinted"`, as pydantic reads them.

A time needs no offset from UTC, a `uuid` no hyphens, and a `uri` may have letters of any script.
"""

EXAMPLES: Final[Mapping[str, str]] = {
    "date": "2025-01-31",
    "date-time": "2025-01-31T09:30:00Z",
    "time": "09:30:00Z",
    "duration": "P3DT12H30M",
    "email": "ann@example.com",
    "hostname": "www.example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "json-pointer": "/items/0/name",
    "regex": "^[a-z]+$",
    "uri": "https://example.com/a?b=c",
    "uri-reference": "/a?b=c",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
"""A valid value of each format that is checked."""

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_ZONE = r"(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?"
_TIME = rf"[0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,9}})?)?{_ZONE}"
_MIDNIGHT = rf"00:00(?::00(?:\.0+)?)?{_ZONE}"
_CLOCK = r"[0-9]+:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?"
_PART = r"[0-9]+(?:\.[0-9]+)?"
_FORMS: Final[Mapping[str, str]] = {
    "date": rf"{_DATE}(?:[Tt ]{_MIDNIGHT})?",
    "date-time": rf"{_DATE}(?:[Tt ]{_TIME})?",
    "time": _TIME,
    "duration": rf"[+-]?(?:P(?=.)(?:{_PART}[YMWD])*(?:T(?:{_PART}[HMS])+)?"
    rf"|(?=.)(?:[0-9]+ ?d(?:ays?)?,? ?)?(?:{_CLOCK})?)",
    "uri": r"[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x1f\x7f]*",
    "uuid": r"(?i:[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12})",
}
"""The forms of text that pydantic reads, in which a model may write a value of each format."""


def _has_form(form: str, text: str) -> bool:
    if not re.fullmatch(_FORMS[form], text):
        return False
    return _exists(f"2025-01-31T{text}" if form == "time" else text) if form in _DATED else True


_DATED = frozenset({"date", "date-time", "time"})


def _exists(date_time: str) -> bool:
    """Return whether a date and time exists, unlike the 30th of February."""
    try:
        datetime.fromisoformat(re.sub(r"(\.[0-9]{6})[0-9]+", r"\1", date_time.upper()))
    except ValueError:
        return False
    return True


HINTED: Final[Mapping[str, Callable[[str], bool]]] = {
    form: partial(_has_form, form) for form in _FORMS
}
"""The checks for `formats="hinted"`, as jsonschema-rs expects them."""
