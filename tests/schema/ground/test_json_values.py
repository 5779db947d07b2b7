"""JSON values: which values are JSON, how deep they are, and which are equal."""

from collections import OrderedDict
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from types import MappingProxyType
from typing import Any

import pytest
from clock import at_most
from stacks import on_stack

from pyfunctools._json import JsonValue
from pyfunctools.schema.ground.json_values import (
    DEPTH,
    deeper_than,
    equal,
    is_json_value,
    non_json_parts,
    to_builtins,
    values_in_both,
)
from pyfunctools.schema.ground.path import Keys


class Text(str):
    pass


class Real(float):
    pass


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Choice(Enum):
    A = "a"


class Bytes(Enum):
    A = b"a"


def nested(levels: int, value: JsonValue = "x") -> JsonValue:
    for level in range(levels):
        value = {"a": value} if level % 2 else [value]
    return value


def containing_itself(times: int) -> JsonValue:
    value: list[JsonValue] = []
    value.extend([value] * times)
    return value


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 0, -1.5, 10**400, 1e308, "", "é😀\x00\u202e", [], {}, {"": [1, {"a": None}]}),
        *((1, (2,)), OrderedDict(a=1), Decimal("1.10"), Colour.RED, Level.HIGH, Choice.A),
        {Colour.RED: 1},
        nested(DEPTH),
    ],
)
def test_a_json_value_is_accepted(value: JsonValue):
    assert is_json_value(value)
    assert list(non_json_parts(value)) == []


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (Decimal("NaN"), "<Decimal>"),
        ("\ud800", '"\\ud800" (half of a surrogate pair)'),
        ("a\udfffb", '"a\\udfffb" (half of a surrogate pair)'),
        (b"secret", "<bytes>"),
        ({1}, "<set>"),
        (object(), "<object>"),
        (date(2025, 1, 31), "<date>"),
        (MappingProxyType({"a": 1}), "<mappingproxy>"),
        (Bytes.A, "<Bytes>"),
        (iter([]), "<list_iterator>"),
        (1j, "<complex>"),
    ],
)
@pytest.mark.parametrize("keys", [(), ("a",), (0,), ("a", 0, "b/c", 1)])
def test_a_part_that_is_not_json_is_found_at_any_place(value: JsonValue, what: str, keys: Keys):
    for key in reversed(keys):
        value = {str(key): value, "z": 1} if isinstance(key, str) else [1] * int(key) + [value]
    assert not is_json_value(value)
    assert list(non_json_parts(value)) == [(keys, what)]


@pytest.mark.parametrize(
    ("key", "what"),
    [(1, "the key 1"), (None, "the key null"), ("\ud800", 'the key "\\ud800"'), ((), "the key []")],
)
def test_a_key_that_is_not_text_is_reported_at_its_object(key: str, what: str):
    value: JsonValue = [{"a": {key: b"not looked at", "b": 1}}]
    assert not is_json_value(value)
    assert list(non_json_parts(value)) == [((0, "a"), what)]


def test_parts_that_are_not_json_are_reported_in_document_order():
    value: JsonValue = {"a": float("nan"), "b": [b"", 1, {"c": b""}], "d": b""}
    assert [keys for keys, _ in non_json_parts(value)] == [("a",), ("b", 0), ("b", 2, "c"), ("d",)]


def test_a_copy_of_builtins_replaces_subclasses_and_members_of_enums():
    value: Any = {Colour.RED: (Choice.A, Level.HIGH, Text("x"), Real(1.5), True, None)}
    assert list(non_json_parts(value)) == []
    assert not is_json_value(value)
    assert repr(to_builtins(value)) == "{'red': ['a', 3, 'x', 1.5, True, None]}"
    assert is_json_value(to_builtins(value))


def test_a_value_that_is_too_deep_or_contains_itself_is_rejected_in_a_small_stack_too():
    found: list[bool] = []

    def look() -> None:
        deep = (nested(levels) for levels in (DEPTH, DEPTH + 1, 100_000))
        found.extend(map(is_json_value, (*deep, containing_itself(3))))

    on_stack(look)
    assert found == [True, False, False, False]


@pytest.mark.parametrize("levels", [0, 1, 2, 63, 64, 1000])
def test_the_deepest_nesting_is_counted(levels: int):
    assert not deeper_than(nested(levels), levels)
    assert deeper_than(nested(levels + 1), levels)
    assert deeper_than([1, nested(levels, [])], levels + 1)


def test_a_very_deep_value_or_one_that_contains_itself_is_too_deep():
    assert deeper_than(nested(100_000), 256)
    assert deeper_than(containing_itself(1), 256)


@pytest.mark.slow
@pytest.mark.parametrize("times", [2, 1000])
def test_a_value_that_contains_itself_several_times_is_too_deep_in_seconds(times: int):
    with at_most(10):
        assert deeper_than(containing_itself(times), 256)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (0, -0.0, True),
        ({"a": 1, "b": [1.0]}, {"b": [1], "a": 1.0}, True),
        ([], [], True),
        (None, None, True),
        ("é", "é", True),
        (1, True, False),
        (0, False, False),
        ({"a": 1}, {"a": True}, False),
        ([1], [True], False),
        ([1, 2], [2, 1], False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ("1", 1, False),
        (None, False, False),
        ({}, [], False),
        ("e\u0301", "é", False),
    ],
)
def test_values_are_equal_as_json_schema_defines_it(one: JsonValue, other: JsonValue, same: bool):
    assert equal(one, other) is same
    assert equal(nested(10_000, one), nested(10_000, other)) is same


def test_values_in_both_lists_are_returned_in_the_order_of_the_first():
    some = [True, 1, {"a": [1]}, "x", None, [2]]
    assert values_in_both(some, [None, {"a": [1.0]}, 1.0, [True]]) == [1, {"a": [1]}, None]
    assert values_in_both([None], [{}, []]) == []
