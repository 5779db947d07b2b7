import pytest

from pyfunctools._json import JsonValue
from pyfunctools.schema.ground.json_values import equal, values_in_both


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (0, -0.0),
        ({"a": 1, "b": [1.0]}, {"b": [1], "a": 1.0}),
        ([], []),
        (None, None),
        ("é", "é"),
    ],
)
def test_what_json_schema_calls_the_same_is_equal(one: JsonValue, other: JsonValue):
    assert equal(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        ({"a": 1}, {"a": True}),
        ([1], [True]),
        ([1, 2], [2, 1]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ("1", 1),
        (None, False),
        ({}, []),
        ("e\u0301", "é"),
    ],
)
def test_what_it_tells_apart_is_not(one: JsonValue, other: JsonValue):
    assert not equal(one, other)


def test_depth_does_no_harm():
    one: JsonValue = 1
    other: JsonValue = 1.0
    for _ in range(50_000):
        one, other = [one], [other]
    assert equal(one, other)


def test_common_values_are_found_by_json_equality_in_the_order_of_the_first():
    some = [True, 1, {"a": [1]}, "x", None, [2]]
    assert values_in_both(some, [None, {"a": [1.0]}, 1.0, [True]]) == [1, {"a": [1]}, None]


def test_null_is_not_common_with_an_object():
    assert values_in_both([None], [{}, []]) == []
