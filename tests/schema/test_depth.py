from time import process_time

import pytest

from pyfunctools._json import JsonValue
from pyfunctools.schema.ground.json_values import deeper_than


def nested(levels: int) -> JsonValue:
    value: JsonValue = 1
    for level in range(levels):
        value = {"a": value} if level % 2 else [value]
    return value


@pytest.mark.parametrize("levels", [0, 1, 2, 63, 64, 1000])
def test_the_limit_is_read_and_one_past_it_is_not(levels: int):
    assert not deeper_than(nested(levels), levels)
    assert deeper_than(nested(levels + 1), levels)


def test_an_empty_array_is_one_deep():
    assert deeper_than([], 0)
    assert not deeper_than([], 1)
    assert not deeper_than("text", 0)


def test_the_deepest_part_counts():
    assert deeper_than([1, {"a": 1}, [[[]]]], 3)
    assert not deeper_than([1, {"a": 1}, [[]]], 3)


def test_depth_is_told_without_recursion():
    assert deeper_than(nested(100_000), 256)


def test_a_value_that_holds_itself_is_too_deep():
    alone: list[JsonValue] = []
    alone.append(alone)
    assert deeper_than(alone, 256)


@pytest.mark.slow
@pytest.mark.parametrize("times", [2, 1000])
def test_a_value_that_holds_itself_several_times_over_comes_to_an_end(times: int):
    many: list[JsonValue] = []
    many.extend([many] * times)
    start = process_time()
    assert deeper_than(many, 256)
    assert process_time() - start < 10
