"""Actions with a line of text for their input."""

import pytest

from pyfunctools import Function, parse_calls
from pyfunctools.prompting.calls.names import Names
from pyfunctools.prompting.calls.tagged import read_actions


@pytest.fixture
def search() -> list[Function]:
    query = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    return [Function.from_schema(name="search", parameters=query)]


@pytest.mark.parametrize(
    "text",
    [
        "Thought: look.\nAction: search\nAction Input: rain in Paris\nObservation: wet",
        "**Action**: `search`\n**Action Input**: rain in Paris  ",
        "Action: search\n\nAction Input: rain in Paris",
    ],
)
def test_a_line_of_text_is_the_only_argument(text: str, search: list[Function]) -> None:
    (call,) = parse_calls(text, search)
    assert call.result
    assert (call.name, call.arguments) == ("search", {"query": "rain in Paris"})
    assert call.span is not None
    assert text[slice(*call.span)].startswith("search")
    assert text[slice(*call.span)].rstrip().endswith("Paris")


def test_json_there_is_left_to_those_who_read_json(search: list[Function]) -> None:
    text = 'Action: search\nAction Input: {"query": "rain"}'
    assert read_actions(text, Names(search)) == []
    (call,) = parse_calls(text, search)
    assert call.arguments == {"query": "rain"}


def test_other_actions_are_none(search: list[Function]) -> None:
    for text in ("Action: Finish\nAction Input: 21", "Action: search", "My Action: search\nit is"):
        assert parse_calls(text, search) == []
    (call,) = parse_calls("Action: serch\nAction Input: rain", search)
    assert not call.result
    assert "search" in call.result.issues[0].message


def test_a_text_where_several_arguments_are_wanted_is_a_failure(functions: list[Function]) -> None:
    (call,) = parse_calls("Action: get_weather\nAction Input: Paris", functions)
    assert (call.name, bool(call.result)) == ("get_weather", False)
