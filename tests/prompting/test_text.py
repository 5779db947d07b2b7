"""The scan of a text takes linear time, whatever the text is."""

import pytest
from clock import at_most
from hypothesis import given
from hypothesis import strategies as st
from stacks import on_stack

from pyfunctools import Function, parse_calls

MEGABYTE = 1 << 20
CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
FUNCTIONS = [Function.from_schema(name="get_weather", parameters=CITY)]

PIECES = {
    "open quotes": "'",
    "open double quotes": '"',
    "open objects": "{",
    "open arrays": "[",
    "open objects with a key": '{"a":',
    "open arrays of texts": '["a",',
    "open brackets": "(",
    "backslashes": "\\",
    "fences": "```json\n",
    "empty fences": "```\n```\n",
    "tags": "<tool_call>",
    "named tags": "<function=get_weather>",
    "parameters": "<function=get_weather><parameter=city>",
    "keys of tags": "<tool_call>get_weather<arg_key>city</arg_key><arg_value>",
    "tags in tags": "<get_weather><city>",
    "calls": "get_weather(",
    "unknown calls": "f(",
    "calls of a text": "get_weather(city='",
    "calls of a list": "get_weather(tags=[",
    "calls in calls": "get_weather(city=get_weather(",
    "calls of words": "get_weather(city=x, ",
    "strings in strings": "get_weather(city='a'b ",
    "lists of names": "['get_weather', ",
    "names and objects": "get_weather {} ",
    "whole calls": "get_time()",
    "whole unknown calls": "f(a=1)",
    "whole objects": '{"name": "get_time", "arguments": {}}',
    "unknown objects": '{"name": "x", "parameters": {}}',
    "empty objects": "{}",
    "data": '{"a": [1, 2, {"b": "c"}]} ',
    "equal signs": "a=",
    "dots": "a.",
    "hyphens": "a-",
    "letters": "a",
    "escaped underscores": "\\_",
    "spaces": " ",
    "lines": "\n",
    "stars": "*",
    "colons": ":",
    "actions": "Action: f\nAction Input: x\n",
    "angles": "<",
    "bars": "<|",
    "commas": ",",
    "numbers": "9",
    "thoughts": "<think>",
    "ends of thoughts": "</think>",
    "closers": ")]}",
    "escaped quotes": '\\"',
    "mixed": "get_weather(city='x\\', [{\"a\": <tool_call>f(",
}


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_a_megabyte_of_anything_is_read_in_seconds(piece: str, functions: list[Function]) -> None:
    text = piece * (MEGABYTE // len(piece))
    for each in (text, "get_weather(city='" + text, text + "get_weather(city='Oslo')"):
        with at_most(10):
            parse_calls(each, functions)


def test_brackets_of_prose_and_strings_without_an_end_cost_little() -> None:
    f = Function.from_schema(name="f", parameters=CITY)
    with at_most(0.8):
        parse_calls("{" * MEGABYTE, [f])
    with at_most(2):
        parse_calls('f("' * (MEGABYTE // 12), [f])


@pytest.mark.slow
@pytest.mark.parametrize("opener", ["[", "{", "(", '{"a":', "[(", "get_weather(city=[", "f(", "-"])
def test_deep_nesting_needs_no_stack(opener: str, functions: list[Function]) -> None:
    deep = opener * 100_000
    texts = [deep, f"get_weather(city={deep}", f'{{"name": "get_weather", "arguments": {deep}']

    def work() -> None:
        for text in texts:
            parse_calls(text, functions)

    work()
    on_stack(work)


@given(
    st.lists(
        st.sampled_from(
            [*PIECES.values(), "\ud800", "\x00", "é", "city", "=", "'x'", "3", "}", "]", ")"]
        )
        | st.text(max_size=5),
        max_size=30,
    ).map("".join)
)
def test_no_text_raises_and_every_call_has_a_place(text: str) -> None:
    for call in parse_calls(text, FUNCTIONS):
        assert call.span is not None
        start, end = call.span
        assert 0 <= start < end <= len(text)
        assert call.arguments is call.result.value
        assert call.repairs == call.result.repairs


def test_a_call_behind_much_prose_is_found(functions: list[Function]) -> None:
    text = "See [1], {x} and f (as said). " * 2_000 + "\nget_weather(city='Paris')"
    (call,) = parse_calls(text, functions)
    assert call.span is not None
    assert text[slice(*call.span)] == "get_weather(city='Paris')"
