"""Whether a call is right, and the repairs of its arguments."""

import json
from typing import Annotated, Any

import pytest

from pyfunctools import Controller, Failure, Function, function, human, parse_calls


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


SEND = Function.from_schema(
    name="send",
    parameters={
        "type": "object",
        "properties": {"from": {"type": "string"}, "to": {"type": "string"}},
        "additionalProperties": False,
    },
)


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ("send(from_='a', to='b')", {"from": "a", "to": "b"}),
        ("send(_from='a')", {"from": "a"}),
        (r"send(\_from='a')", {"from": "a"}),
        (r"send(from\_='a')", {"from": "a"}),
        ("send(from_='a', from='b')", None),
        ("send(from_='a', _from='b')", None),
        ("send(to_='a')", None),
    ],
)
def test_a_keyword_of_python_may_have_an_underscore_where_only_one_name_fits(
    raw: str, arguments: object
) -> None:
    (call,) = parse_calls(raw, [SEND])
    assert bool(call.result) == (arguments is not None)
    assert arguments is None or call.arguments == arguments


WHOLE: list[dict[str, Any]] = [
    {"name": "send", "arguments": {"to": "x"}},
    {"name": "send", "arguments": '{"to": "x"}'},
    {"name": "functions.send", "parameters": {"to": "x"}},
    {"type": "tool_use", "id": "1", "name": "send", "input": {"to": "x"}},
    {"id": "1", "type": "function", "function": {"name": "send", "arguments": {"to": "x"}}},
    {"functionCall": {"name": "send", "args": {"to": "x"}}},
    {"toolUse": {"toolUseId": "1", "name": "send", "input": {"to": "x"}}},
    {"type": "tool-call", "toolCallId": "1", "toolName": "send", "input": {"to": "x"}},
]


@pytest.mark.parametrize("value", WHOLE, ids=str)
def test_a_whole_call_given_as_the_arguments_is_unwrapped(value: dict[str, Any]) -> None:
    shop = Controller.from_functions([SEND]).replaced({"send": lambda **given: given})
    for given in (value, json.dumps(value)):
        result = SEND.check(given)
        assert result
        assert result.value == {"to": "x"}
        assert result.repairs[0].kind == "unwrapped"
        assert shop.call("send", given).value == {"to": "x"}


@pytest.mark.parametrize("value", WHOLE, ids=str)
def test_a_whole_call_of_another_function_is_told_to_be_one(value: dict[str, Any]) -> None:
    result = SEND.check(json.dumps(value).replace("send", "delete"))
    assert isinstance(result, Failure)
    (issue,) = result.issues
    assert issue.expected.startswith('the arguments of "send", not a call of "')
    assert issue.expected.endswith('delete" itself')
    assert issue.expected in result.feedback()


@pytest.mark.parametrize("key", ["tool", "function", "tool_name", "function_name"])
def test_of_several_names_in_a_whole_call_the_key_name_is_read(key: str) -> None:
    assert SEND.check({key: "weather", "name": "send", "arguments": {"to": "x"}})
    assert not SEND.check({key: "send", "name": "weather", "arguments": {"to": "x"}})


def test_another_call_or_data_of_these_names_is_not_unwrapped() -> None:
    assert not SEND.check({"name": "delete", "arguments": {"to": "x"}})
    assert not SEND.check({"name": "send", "arguments": {"who": "x"}})
    body = {"name": "send", "arguments": {"to": "x"}}
    assert not SEND.check({"function": body, "functionCall": {**body, "arguments": {"to": "y"}}})
    assert not SEND.check({"name": "send", "arguments": {"to": "x"}, "to": "y"})
    named = {"type": "object", "properties": {"name": {"type": "string"}}}
    function = Function.from_schema(name="send", parameters=named)
    value = {"name": "send", "arguments": {}}
    assert function.check(value).value == value


def test_the_message_of_an_issue_is_bounded() -> None:
    key = "k" * 900_000
    for given in ({key: 1}, f'{{"{key}": 1}}', f"{{{key}: 1,}}"):
        result = SEND.check(given)
        assert isinstance(result, Failure)
        assert max(len(issue.message) for issue in result.issues) <= 1_000
        assert len(result.feedback()) < 8_192
    (call,) = parse_calls(f"send({key}=1)", [SEND])
    assert isinstance(call.result, Failure)
    assert max(len(issue.message) for issue in call.result.issues) <= 1_000


@pytest.mark.parametrize(
    "broken",
    ["get_weather(tags=['a', days=2)", "get_weather(options={'a': 1, days=2)", "f(tags=['a')"],
)
def test_a_bracket_without_an_end_does_not_reach_into_the_next_call(
    broken: str, functions: list[Function]
) -> None:
    calls = parse_calls(f"[{broken}, get_time(), get_weather(city='Oslo')]", functions)
    assert [bool(call.result) for call in calls] == [False, True, True]


def test_a_signature_is_no_value(functions: list[Function]) -> None:
    (call,) = parse_calls("[get_weather(city: str, days: int = 3)]", functions)
    assert isinstance(call.result, Failure)
    assert call.result.issues[0].message == (
        "$input.city is `city: str`, as in a signature: write the value itself."
    )
