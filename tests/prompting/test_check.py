"""Whether a call is right, and the repairs of its arguments."""

from typing import Annotated, Any

import pytest

from pyfunctools import Controller, Function, function, human, parse_calls


class Bank:
    @function
    def pay(self, amount: int, pin: Annotated[str, human("Your PIN")], note: str = "") -> int:
        """Pay."""
        return amount


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ("pay(5, 'rent')", {"amount": 5, "note": "rent"}),
        ("pay(amount=5, note='rent')", {"amount": 5, "note": "rent"}),
        ("pay(amount=5, pin='0000')", None),
    ],
)
def test_the_human_part_is_neither_required_nor_accepted(raw: str, arguments: object) -> None:
    (call,) = parse_calls(raw, Controller.from_object(Bank()).functions)
    assert bool(call.result) is (arguments is not None)
    assert not call.result or call.arguments == arguments


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("get_weather", '{"city": "x"}', {"city": "x"}),
        ("get_weather", "{'city': 'x',}", {"city": "x"}),
        ("get_weather", {"city": "x", "days": "3"}, {"city": "x", "days": 3}),
        ("get_weather", [{"city": "x"}], {"city": "x"}),
        ("get_weather", ["x", 3], {"city": "x", "days": 3}),
        ("get_weather", {"arguments": {"city": "x"}}, {"city": "x"}),
        *(("get_time", given, {}) for given in (None, "", " ", "{}", {}, [])),
    ],
)
def test_arguments_may_have_any_form(
    name: str, given: Any, value: object, functions: list[Function]
) -> None:
    (call,) = parse_calls([{"type": "tool_use", "name": name, "input": given}], functions)
    assert call.result
    assert call.arguments == value


def test_a_text_is_the_argument_of_a_function_with_one_parameter() -> None:
    search = Function.from_schema(
        name="search", parameters={"type": "object", "properties": {"query": {"type": "string"}}}
    )
    (call,) = parse_calls('{"action": "search", "action_input": "rain in Paris"}', [search])
    assert call.arguments == {"query": "rain in Paris"}


@pytest.mark.parametrize(
    ("raw", "kind", "path"),
    [
        ('{"name": "get_weather", "arguments": {"city": "x", days: 3}}', "key", "$input.days"),
        ("get_weather(city=Paris)", "word", "$input.city"),
    ],
)
def test_a_repair_has_the_path_of_its_argument(
    raw: str, kind: str, path: str, functions: list[Function]
) -> None:
    (call,) = parse_calls(raw, functions)
    assert call.result
    assert [(repair.kind, repair.path) for repair in call.repairs] == [(kind, path)]


def test_a_broken_call_does_not_change_the_calls_beside_it(functions: list[Function]) -> None:
    raw = (
        '[{"name": "get_weather", "arguments": {"city": "x", "days": NaN}}, '
        '{"name": "get_time", "arguments": {}}]'
    )
    assert [(call.name, bool(call.result)) for call in parse_calls(raw, functions)] == [
        ("get_weather", False),
        ("get_time", True),
    ]
