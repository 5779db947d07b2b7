"""Whether a call is right, and how its arguments come to be what they are."""

from typing import Annotated

import pytest

from pyfunctools import Controller, Failure, Function, function, human, parse_calls
from pyfunctools.prompting.calls.check import check_call
from pyfunctools.prompting.calls.found import FoundCall
from pyfunctools.prompting.calls.names import FunctionNames


class Bank:
    @function
    def pay(self, amount: int, pin: Annotated[str, human("Your PIN")], note: str = "") -> int:
        """Pay."""
        return amount


@pytest.mark.parametrize("raw", ["pay(5, 'rent')", "pay(amount=5, note='rent')"])
def test_the_human_part_is_neither_asked_for_nor_taken(raw: str) -> None:
    functions = Controller.from_object(Bank()).functions
    (call,) = parse_calls(raw, functions)
    assert call.result
    assert call.arguments == {"amount": 5, "note": "rent"}
    (call,) = parse_calls("pay(amount=5, pin='0000')", functions)
    assert not call.result


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ('{"city": "x"}', {"city": "x"}),
        ("{'city': 'x',}", {"city": "x"}),
        ({"city": "x", "days": "3"}, {"city": "x", "days": 3}),
        ([{"city": "x"}], {"city": "x"}),
        (["x", 3], {"city": "x", "days": 3}),
        ({"arguments": {"city": "x"}}, {"city": "x"}),
    ],
)
def test_arguments_are_taken_in_every_form(
    given: object, value: object, functions: list[Function]
) -> None:
    names = FunctionNames(functions)
    found = FoundCall(name="get_weather", function=functions[0], arguments=given)  # type: ignore[arg-type]
    assert check_call(found, names).value == value


@pytest.mark.parametrize("given", [None, "", " ", "{}", {}, []])
def test_no_arguments_are_given_in_every_form(given: object, functions: list[Function]) -> None:
    found = FoundCall(name="get_time", function=functions[1], arguments=given)  # type: ignore[arg-type]
    result = check_call(found, FunctionNames(functions))
    assert result
    assert result.value == {}


def test_a_text_is_the_only_argument_where_there_is_but_one() -> None:
    search = Function.from_schema(
        name="search", parameters={"type": "object", "properties": {"query": {"type": "string"}}}
    )
    (call,) = parse_calls('{"action": "search", "action_input": "rain in Paris"}', [search])
    assert call.arguments == {"query": "rain in Paris"}


def test_repairs_are_told_where_they_were_made(functions: list[Function]) -> None:
    raw = '{"name": "get_weather", "arguments": {"city": "x", days: 3, "ratio": +1}}'
    (call,) = parse_calls(raw, functions)
    assert call.result
    assert ("key", "$input") in [(repair.kind, repair.path) for repair in call.repairs] or (
        "key",
        "$input.days",
    ) in [(repair.kind, repair.path) for repair in call.repairs]
    (call,) = parse_calls("get_weather(city=Paris)", functions)
    assert [(repair.kind, repair.path) for repair in call.repairs] == [("word", "$input.city")]


def test_a_sibling_that_is_broken_does_no_harm(functions: list[Function]) -> None:
    raw = (
        '[{"name": "get_weather", "arguments": {"city": "x", "days": NaN}}, '
        '{"name": "get_time", "arguments": {}}]'
    )
    assert [(call.name, bool(call.result)) for call in parse_calls(raw, functions)] == [
        ("get_weather", False),
        ("get_time", True),
    ]


@pytest.mark.parametrize(
    "raw",
    [
        "get_weather(city=user.city)",
        "get_weather(**{'city': user.city})",
        "get_weather({'city': user.city})",
        "get_weather(user.city, 3)",
        "get_weather(*[user.city, 3])",
    ],
)
def test_what_only_a_program_can_evaluate_is_refused_wherever_it_stands(
    raw: str, functions: list[Function]
) -> None:
    (call,) = parse_calls(raw, functions)
    assert isinstance(call.result, Failure)
    assert [(issue.path, issue.value) for issue in call.result.issues] == [
        ("$input.city", "user.city")
    ]
    assert "only a program can evaluate" in call.result.issues[0].message


def test_arithmetic_is_worked_out_wherever_it_stands(functions: list[Function]) -> None:
    for raw in ("get_weather('x', 2*3)", "get_weather({'city': 'x', 'days': (1+1)*3})"):
        (call,) = parse_calls(raw, functions)
        assert call.arguments == {"city": "x", "days": 6}
