"""Values that are there, and values that are not."""

from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any

import pytest

from pyfunctools.schema.separation.sieve import (
    ABSENT,
    filled,
    has,
    is_plain,
    is_too_deep,
    items,
    members,
    opened,
    present,
)


class Colour(Enum):
    RED = "red"
    BOX = {"a": 1}
    PAIR = (1, 2)


class Key(StrEnum):
    TOKEN = "token"


class Text(str):
    """A text that is not quite one."""


def test_a_value_is_opened_to_what_a_validator_reads() -> None:
    assert opened(Colour.RED) == "red"  # type: ignore[arg-type]
    assert opened(Colour.BOX) == {"a": 1}  # type: ignore[arg-type]
    assert opened(Colour.PAIR) == [1, 2]  # type: ignore[arg-type]
    assert opened((1, 2)) == [1, 2]
    assert opened({"a": (1,)}) == {"a": (1,)}


@pytest.mark.parametrize("value", [None, True, 1, 1.5, "a", [], {}, {"a": object()}, [object()]])
def test_json_is_plain_whatever_is_in_it(value: Any) -> None:
    assert is_plain(value)


@pytest.mark.parametrize(
    "value",
    [object(), b"a", {1}, {1: 2}, {Key.TOKEN: 1}, {Text("token"): 1}, Decimal(1), {None: 1}],
)
def test_what_only_resembles_json_is_not_plain(value: Any) -> None:
    assert not is_plain(value)


def test_null_is_there_and_absence_is_not() -> None:
    assert present({"a": None, "b": ABSENT}) == {"a": None}
    assert filled([None, ABSENT, 1]) == [None, None, 1]
    assert members(ABSENT) == members([1]) == {}
    assert members({"a": 1}) == {"a": 1}
    assert items([1], 1) == [1]
    assert items(ABSENT, 2) == items({"a": 1}, 2) == [ABSENT, ABSENT]


def test_something_stands_at_the_end_of_a_path() -> None:
    value = {"a": [{"b": None}], "0": 1}
    assert all(has(value, keys) for keys in [(), ("a",), ("a", 0), ("a", 0, "b"), ("0",)])
    assert not any(has(value, keys) for keys in [(0,), ("a", 1), ("a", "0"), ("a", 0, "b", "c")])
    assert not has(ABSENT, ())


def test_64_levels_are_not_too_deep_and_65_are() -> None:
    value: Any = []
    for _ in range(63):
        value = [value]
    assert not is_too_deep(value)
    assert is_too_deep([value])
