"""The keywords that mark a value as one that a person gives: `x-human: true`."""

from typing import Final

from pyfunctools._json import JsonValue

HUMAN_MARKS: Final = ("x-human", "x-samchon-human")

_NO = frozenset({"0", "f", "false", "n", "no", "off"})


def human_mark(*holders: JsonValue) -> bool | None:
    """Return whether a schema, parameter, body or operation is marked; `None` if not stated.

    Any value but a negative one (`false`, `0`, `"no"`) is a mark, and one mark outweighs negative
    values elsewhere. `null` and an empty text count as not stated.
    """
    objects = (holder for holder in holders if isinstance(holder, dict))
    stated = [
        raw[mark] for raw in objects for mark in HUMAN_MARKS if raw.get(mark) not in (None, "")
    ]
    return any(not _is_no(value) for value in stated) if stated else None


def _is_no(value: JsonValue) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in _NO
    return isinstance(value, int | float) and not value
