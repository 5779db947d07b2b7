"""Dates and times: how they look, and without an offset from UTC where a program takes them so.

`date-time` and `time` of JSON Schema are those of RFC 3339, which always have an offset. A
`datetime` or a `time` of Python may have none.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, Literal, TypeAlias

Formats: TypeAlias = Literal["local"] | bool
"""Whether a `format` that is known is checked; with `"local"` times need no offset from UTC."""

EXAMPLES: Final[Mapping[str, str]] = {
    "date": "2025-01-31",
    "date-time": "2025-01-31T09:30:00Z",
    "time": "09:30:00Z",
}
"""A right value for each format of a date or a time."""

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?"


def _is_date_time(text: str) -> bool:
    return _is(rf"{_DATE}(?:[Tt ]{_TIME})?", text, text)


def _is_time(text: str) -> bool:
    return _is(_TIME, text, f"2025-01-31T{text}")


def _is(pattern: str, text: str, whole: str) -> bool:
    if not re.fullmatch(pattern, text):
        return False
    try:
        datetime.fromisoformat(re.sub(r"(\.[0-9]{6})[0-9]+", r"\1", whole.upper()))
    except ValueError:
        return False
    return True


CLOCK: Final[Mapping[str, Callable[[str], bool]]] = {
    "date-time": _is_date_time,
    "time": _is_time,
}
"""The formats as `"local"` has them, for jsonschema-rs."""
