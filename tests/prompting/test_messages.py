"""Messages and responses: plain data, and objects of the same shape as the SDKs'."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from pyfunctools import Function, parse_calls
from pyfunctools.errors import DocumentError

TEXT = '{"city": "Paris", "days": 3}'
ARGUMENTS = {"city": "Paris", "days": 3}

OPENAI_CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": TEXT},
}
OPENAI_MESSAGE = {"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]}
CLAUDE_BLOCK = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": ARGUMENTS}
GEMINI_PART = {"functionCall": {"name": "get_weather", "args": ARGUMENTS}}
RESPONSE_ITEM = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "get_weather",
    "arguments": TEXT,
    "status": "completed",
}

PLAIN = {
    "openai call": OPENAI_CALL,
    "openai calls": [OPENAI_CALL],
    "openai message": OPENAI_MESSAGE,
    "openai completion": {
        "id": "x",
        "object": "chat.completion",
        "model": "gpt",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": OPENAI_MESSAGE}],
    },
    "openai before tools": {
        "role": "assistant",
        "content": None,
        "function_call": {"name": "get_weather", "arguments": TEXT},
    },
    "openai response": {
        "object": "response",
        "output": [{"type": "reasoning", "id": "rs", "summary": []}, RESPONSE_ITEM],
    },
    "openai item": RESPONSE_ITEM,
    "anthropic message": {
        "role": "assistant",
        "type": "message",
        "stop_reason": "tool_use",
        "content": [{"type": "text", "text": "I look."}, CLAUDE_BLOCK],
    },
    "anthropic block": CLAUDE_BLOCK,
    "gemini response": {"candidates": [{"content": {"role": "model", "parts": [GEMINI_PART]}}]},
    "gemini in snake case": {
        "candidates": [
            {"content": {"parts": [{"function_call": {"name": "get_weather", "args": ARGUMENTS}}]}}
        ]
    },
    "gemini part": GEMINI_PART,
    "bedrock": {
        "output": {
            "message": {
                "role": "assistant",
                "content": [
                    {"toolUse": {"toolUseId": "1", "name": "get_weather", "input": ARGUMENTS}}
                ],
            }
        }
    },
    "vercel": {
        "type": "tool-call",
        "toolCallId": "1",
        "toolName": "get_weather",
        "args": ARGUMENTS,
    },
    "ollama": {
        "message": {"tool_calls": [{"function": {"name": "get_weather", "arguments": ARGUMENTS}}]}
    },
    "a list of names and texts": [{"get_weather": TEXT}],
    "a text in a list": [f"get_weather\n{TEXT}"],
    "a text in a message": {
        "role": "assistant",
        "content": f"<tool_call>{{'name': 'get_weather', 'arguments': {TEXT}}}</tool_call>",
    },
    "a text in a completion": {
        "choices": [
            {"message": {"role": "assistant", "content": "get_weather(city='Paris', days=3)"}}
        ]
    },
    "a text beside other text": ["I look.", {"get_weather": TEXT}],
    "a transcript": [{"role": "user", "content": "get_weather(city='Rome')"}, OPENAI_MESSAGE],
}


class Anything(BaseModel, extra="allow"):
    """An object of an SDK: fields as attributes, all the way down."""


def as_models(value: Any) -> Any:
    if isinstance(value, dict) and not value.keys() & {"city", "get_weather"}:
        return Anything(**{key: as_models(inner) for key, inner in value.items()})
    return [as_models(item) for item in value] if isinstance(value, list) else value


def as_namespaces(value: Any) -> Any:
    if isinstance(value, dict) and not value.keys() & {"city", "get_weather"}:
        return SimpleNamespace(**{key: as_namespaces(inner) for key, inner in value.items()})
    return tuple(as_namespaces(item) for item in value) if isinstance(value, list) else value


@pytest.mark.parametrize("raw", PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("form", [lambda raw: raw, as_models, as_namespaces])
def test_a_message_is_read(raw: Any, form: Any, functions: list[Function]) -> None:
    (call,) = parse_calls(form(raw), functions)
    assert call.result
    assert (call.name, call.arguments, call.span) == ("get_weather", ARGUMENTS, None)


def test_alternatives_are_read_once(functions: list[Function]) -> None:
    choice = {"message": OPENAI_MESSAGE}
    assert len(parse_calls({"choices": [choice, choice]}, functions)) == 1
    content = {"content": {"parts": [GEMINI_PART, GEMINI_PART]}}
    assert len(parse_calls({"candidates": [content, content]}, functions)) == 2


@pytest.mark.parametrize(
    "raw",
    [
        {"role": "user", "content": "get_weather(city='Paris')"},
        {"role": "tool", "name": "get_weather", "content": "get_time()"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "get_time()"}]},
        {"role": "assistant", "content": [{"type": "reasoning", "text": "get_time()"}]},
        {"parts": [{"text": "get_time()", "thought": True}]},
        {"content": [{"type": "server_tool_use", "name": "get_weather", "input": ARGUMENTS}]},
        {"role": "assistant", "content": "It is warm.", "tool_calls": []},
    ],
)
def test_what_others_say_or_a_model_thinks_is_no_call(
    raw: object, functions: list[Function]
) -> None:
    assert parse_calls(raw, functions) == []


def test_native_calls_silence_the_text_beside_them(functions: list[Function]) -> None:
    message = {**OPENAI_MESSAGE, "content": "I call get_time()\nget_time()"}
    assert [call.name for call in parse_calls(message, functions)] == ["get_weather"]


def test_what_a_response_draws_from_its_parts_is_not_read_again(functions: list[Function]) -> None:
    part = SimpleNamespace(function_call=SimpleNamespace(name="get_weather", args=ARGUMENTS))

    class Response:
        candidates = (SimpleNamespace(content=SimpleNamespace(parts=[part])),)
        parts = (part,)
        function_calls = (part.function_call,)
        text = "get_time()"

    assert [call.name for call in parse_calls(Response(), functions)] == ["get_weather"]


def test_an_object_that_dumps_itself_is_read(functions: list[Function]) -> None:
    class Wire:
        def to_dict(self) -> dict[str, object]:
            return {"get_weather": ARGUMENTS}

    assert [call.arguments for call in parse_calls(Wire(), functions)] == [ARGUMENTS]


def test_an_object_that_raises_is_our_error(functions: list[Function]) -> None:
    class Rude:
        @property
        def choices(self) -> object:
            raise RuntimeError("no")

    with pytest.raises(DocumentError, match="A Rude is neither"):
        parse_calls(Rude(), functions)


def test_objects_that_hold_themselves_come_to_an_end(functions: list[Function]) -> None:
    message: dict[str, Any] = {"role": "assistant", "content": []}
    message["content"].append(message)
    assert parse_calls(message, functions) == []

    class Endless:
        def __getattr__(self, name: str) -> object:
            if name.startswith("_"):
                raise AttributeError(name)
            return self

    assert parse_calls(Endless(), functions) == []


def test_a_coroutine_is_refused(functions: list[Function]) -> None:
    def chunks() -> Iterator[str]:
        yield "x"

    with pytest.raises(DocumentError, match="generator"):
        parse_calls(chunks(), functions)


def test_a_message_is_not_changed(functions: list[Function]) -> None:
    raw = {"choices": ({"message": {"content": "get_time()"}}, {"b": 2}), 3: b"x"}
    before = repr(raw)
    assert len(parse_calls(raw, functions)) == 1
    assert repr(raw) == before
