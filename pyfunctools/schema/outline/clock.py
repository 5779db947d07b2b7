"""Dates and times: an example of each format, and checks for times without an offset from UTC.

`date-time` and `time` of JSON Schema are those of RFC 3339, which always have an offset. A
`datetime` or `time` of Python may have no offset, which `formats="local"` allows.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, Literal, TypeAlias

Formats: TypeAlias = Literal["local"] | bool
"""Whether known formats are checked; with `"local"`, times need no offset from UTC."""

EXAMPLES: Final[Mapping[str, str]] = {
    "date": "2025-01-31",
    "date-time": "2025-01-31T09:30:00Z",
    "time": "09:30:00Z",
}
"""A valid value of each format."""

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?"


def _is_date_time(text: str) -> bool:
    return bool(re.fullmatch(rf"{_DATE}(?:[Tt ]{_TIME})?", text)) and _exists(text)


def _is_time(text: str) -> bool:
    return bool(re.fullmatch(_TIME, text)) and _exists(f"2025-01-31T{text}")


def _exists(date_time: str) -> bool:
    """Return whether a date and time exists, unlike the 30th of February."""
    try:
        datetime.fromisoformat(re.sub(r"(\.[0-9]{6})[0-9]+", r"\1", date_time.upper()))
    except ValueError:
        return False
    return True


CLOCK: Final[Mapping[str, Callable[[str], bool]]] = {
    "date-time": _is_date_time,
    "time": _is_time,
}
"""The checks for `formats="local"`, as jsonschema-rs expects them."""
