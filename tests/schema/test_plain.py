from collections import OrderedDict
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from types import MappingProxyType

import pytest
from stacks import on_stack

from pyfunctools._json import JsonValue
from pyfunctools.schema.ground.json_values import DEPTH, is_json_value, non_json_parts, to_builtins
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


def nested(levels: int) -> JsonValue:
    value: JsonValue = "x"
    for level in range(levels):
        value = {"a": value} if level % 2 else [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1.5,
        10**400,
        1e308,
        "",
        "é😀\x00\u202e",
        [],
        {},
        {"": [1, {"a": None}]},
        (1, (2,)),
        OrderedDict(a=1),
        Decimal("1.10"),
        Colour.RED,
        Level.HIGH,
        Choice.A,
        {Colour.RED: 1},
        nested(DEPTH),
    ],
)
def test_json_is_json(value: JsonValue):
    assert is_json_value(value)
    assert list(non_json_parts(value)) == []


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (Decimal("NaN"), "<Decimal>"),
        ("\ud800", '"\\ud800"'),
        ("a\udfffb", '"a\\udfffb"'),
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
def test_what_is_not_json_is_found_wherever_it_stands(value: JsonValue, what: str, keys: Keys):
    for key in reversed(keys):
        value = {str(key): value, "z": 1} if isinstance(key, str) else [1] * int(key) + [value]
    assert not is_json_value(value)
    assert list(non_json_parts(value)) == [(keys, what)]


@pytest.mark.parametrize(
    ("key", "what"),
    [(1, "the key 1"), (None, "the key null"), ("\ud800", 'the key "\\ud800"'), ((), "the key []")],
)
def test_a_key_that_is_no_text_is_given_at_its_object(key: str, what: str):
    value: JsonValue = [{"a": {key: b"not looked at", "b": 1}}]
    assert not is_json_value(value)
    assert list(non_json_parts(value)) == [((0, "a"), what)]


def test_places_are_given_in_the_order_of_the_value():
    value: JsonValue = {"a": float("nan"), "b": [b"", 1, {"c": b""}], "d": b""}
    assert [keys for keys, _ in non_json_parts(value)] == [("a",), ("b", 0), ("b", 2, "c"), ("d",)]


@pytest.mark.parametrize("value", [Text("x"), Real(1.5), {"a": [Text("x")]}, {Text("a"): Real(1)}])
def test_subclasses_of_texts_and_numbers_are_json_once_they_are_plain(value: JsonValue):
    assert not is_json_value(value)
    assert list(non_json_parts(value)) == []
    copy = to_builtins(value)
    assert copy == value
    assert is_json_value(copy)


def test_a_plain_copy_holds_what_members_of_enums_stand_for():
    copy = to_builtins({Colour.RED: (Choice.A, Level.HIGH, Text("x"), True, None)})
    assert repr(copy) == "{'red': ['a', 3, 'x', True, None]}"


def test_one_level_too_many_is_no_json_however_many_more_there_are():
    for levels in (DEPTH + 1, 2 * DEPTH, 100_000):
        assert not is_json_value(nested(levels))


def test_a_value_that_holds_itself_comes_to_an_end():
    value: dict[str, JsonValue] = {}
    value |= {"one": value, "two": value, "three": [value, value]}
    assert not is_json_value(value)


def test_a_small_stack_is_enough():
    told: list[bool] = []

    def look() -> None:
        told.extend(is_json_value(nested(levels)) for levels in (DEPTH, DEPTH + 1, 10_000))

    on_stack(look)
    assert told == [True, False, False]
