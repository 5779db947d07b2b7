"""A value that one side gave, or that it gave none: null is a value, and absence is not."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, Literal, TypeAlias

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.depth import deeper_than
from pyfunctools.schema.ground.path import Keys


class _Absent(Enum):
    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
"""What stands for a value that is not there."""

Given: TypeAlias = "JsonValue | Literal[_Absent.ABSENT]"
"""A value, or that there is none."""


def opened(value: JsonValue) -> JsonValue:
    """Return what a value is to a validator: of an enum's member its value, of a tuple a list."""
    if isinstance(value, Enum):
        value = value.value
    return list(value) if isinstance(value, tuple) else value


def is_plain(value: JsonValue) -> bool:
    """Return whether a value is JSON, what is in it left aside.

    A key has to be a `str` and nothing that merely equals one: a validator may read it as another.
    """
    if isinstance(value, dict):
        return all(type(key) is str for key in value)
    return value is None or isinstance(value, list | str | int | float)


def is_too_deep(value: JsonValue) -> bool:
    """Return whether a value is nested deeper than arguments may be."""
    return deeper_than(value, DEFAULT_LIMITS.depth)


def members(value: Given) -> Mapping[str, JsonValue]:
    """Return what is in an object; nothing is in anything else."""
    return value if isinstance(value, dict) else {}


def items(value: Given, count: int) -> Sequence[Given]:
    """Return the items of an array; of anything else, as many times that there is none."""
    return value if isinstance(value, list) else [ABSENT] * count


def present(values: Mapping[str, Given]) -> dict[str, JsonValue]:
    """Return the members that are there."""
    return {key: value for key, value in values.items() if value is not ABSENT}


def filled(values: Sequence[Given]) -> list[JsonValue]:
    """Return the items with null for those that are not there."""
    return [None if value is ABSENT else value for value in values]


def has(value: Given, keys: Keys) -> bool:
    """Return whether something stands at the end of a path."""
    for key in keys:
        if isinstance(value, dict) and key in value:
            value = value[str(key)]
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return False
    return value is not ABSENT
