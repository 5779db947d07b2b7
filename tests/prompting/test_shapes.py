"""The objects that say a call, and those that do not."""

import pytest

from pyfunctools import Function
from pyfunctools.prompting.calls.names import Names
from pyfunctools.prompting.calls.shapes import bundled, shapes

CITY = {"city": "Paris"}
TEXT = '{"city": "Paris"}'


@pytest.mark.parametrize(
    ("value", "keys"),
    [
        ({"name": "get_weather", "arguments": TEXT}, ("arguments",)),
        ({"function": {"name": "get_weather", "arguments": TEXT}}, ("function", "arguments")),
        ({"function": {"name": "get_weather"}, "arguments": CITY}, ("arguments",)),
        ({"type": "function_call", "name": "get_weather", "arguments": TEXT}, ("arguments",)),
        ({"type": "tool_use", "name": "get_weather", "input": CITY}, ("input",)),
        ({"functionCall": {"name": "get_weather", "args": CITY}}, ("functionCall", "args")),
        ({"toolUse": {"name": "get_weather", "input": CITY}}, ("toolUse", "input")),
        ({"toolName": "get_weather", "args": CITY}, ("args",)),
        ({"action": "get_weather", "action_input": CITY}, ("action_input",)),
        ({"tool": "get_weather", "tool_input": CITY}, ("tool_input",)),
        ({"recipient_name": "functions.get_weather", "parameters": CITY}, ("parameters",)),
        ({"name": "get_weather", "parameters": CITY}, ("parameters",)),
        ({"name": "get_weather", "city": "Paris"}, ()),
        ({"name": "get_time"}, ()),
        ({"type": "function", "id": "1", "name": "get_time"}, ()),
        ({"get_weather": CITY}, ("get_weather",)),
        (["get_weather", CITY], (1,)),
        ([[{"x": {"calls": [{"get_weather": CITY}]}}]], (0, 0, "x", "calls", 0, "get_weather")),
    ],
)
def test_a_call_is_seen(value: object, keys: object, functions: list[Function]) -> None:
    (shape,) = shapes(value, Names(functions))  # type: ignore[arg-type]
    assert shape.function is not None
    assert shape.keys == keys


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        "get_weather",
        7,
        {"name": "Alice", "age": 3},
        {"city": "Paris"},
        ["get_weather", "get_time"],
        {"name": "get_weather", "description": "x", "parameters": {"type": "object"}},
        {"name": "get_weather", "parameters": {"type": "object", "properties": {}}},
        {"type": "mcp_call", "name": "get_weather", "arguments": TEXT},
        {"type": "server_tool_use", "name": "get_weather", "input": CITY},
        {"role": "tool", "name": "get_weather", "content": "21"},
        {"type": "function_call_output", "call_id": "1", "output": "21"},
        {"get_weather": 21},
    ],
)
def test_other_objects_are_no_calls(value: object, functions: list[Function]) -> None:
    assert list(shapes(value, Names(functions))) == []  # type: ignore[arg-type]


def test_a_call_of_nobodys_function_is_as_sure_as_its_keys(functions: list[Function]) -> None:
    names = Names(functions)
    (sure,) = shapes({"name": "fly", "arguments": {}}, names)
    (unsure,) = shapes({"name": "Widget", "parameters": {"size": 3}}, names)
    assert (sure.function, sure.sure, unsure.sure) == (None, True, False)


def test_calls_inside_a_call_that_only_bundles_them_are_seen(functions: list[Function]) -> None:
    inner = {"recipient_name": "functions.get_time", "parameters": {}}
    found = bundled("multi_tool_use.parallel", {"tool_uses": [inner, inner]}, Names(functions))
    assert [shape.name for shape in found] == ["functions.get_time"] * 2
    assert bundled("fly", {"tool_uses": [inner]}, Names(functions)) == []


def test_calls_in_the_arguments_of_a_call_are_its_arguments(functions: list[Function]) -> None:
    value = {"name": "get_weather", "arguments": {"options": {"name": "get_time", "arguments": {}}}}
    assert [shape.name for shape in shapes(value, Names(functions))] == ["get_weather"]


def test_depth_is_bounded(functions: list[Function]) -> None:
    value: object = {"get_time": {}}
    for _ in range(100):
        value = [value]
    assert list(shapes(value, Names(functions))) == []  # type: ignore[arg-type]
