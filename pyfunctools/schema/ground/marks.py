"""The keywords by which an author says whose something is, and what they say."""

from typing import Final

from pyfunctools._json import JsonValue

HUMAN_MARKS: Final = ("x-human", "x-samchon-human")
"""The keywords by which an author says whose something is."""

_NO = frozenset({"0", "f", "false", "n", "no", "off"})


def human_mark(*holders: JsonValue) -> bool | None:
    """Return whether a schema, parameter, body or operation is marked, `None` if no mark is there.

    Documents spell the mark in many ways: whatever is not a no (`false`, `0`, `"no"`) is a yes, and
    a yes wins over a no. Null and an empty text say nothing.
    """
    objects = (holder for holder in holders if isinstance(holder, dict))
    said = [raw[mark] for raw in objects for mark in HUMAN_MARKS if raw.get(mark) not in (None, "")]
    return any(not _is_no(value) for value in said) if said else None


def _is_no(value: JsonValue) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in _NO
    return isinstance(value, int | float) and not value
