"""Messages and responses: as plain data, and as objects of the same shape as the SDKs'."""

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
    """An object of an SDK: all members are attributes."""


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


CHOICE = {"message": OPENAI_MESSAGE}
PART = SimpleNamespace(function_call=SimpleNamespace(name="get_weather", args=ARGUMENTS))


class Response:
    """A response whose other members are drawn from its candidates."""

    candidates = (SimpleNamespace(content=SimpleNamespace(parts=[PART])),)
    parts = (PART,)
    function_calls = (PART.function_call,)
    text = "get_time()"


@pytest.mark.parametrize(
    ("raw", "count"),
    [
        ({"choices": [CHOICE, CHOICE]}, 1),
        ({"candidates": [{"content": {"parts": [GEMINI_PART] * 2}}] * 2}, 2),
        ({**OPENAI_MESSAGE, "content": "I call get_time()\nget_time()"}, 1),
        (Response(), 1),
    ],
    ids=["choices", "parts", "text beside native calls", "members drawn from others"],
)
def test_each_call_of_the_first_alternative_is_read_once(
    raw: object, count: int, functions: list[Function]
) -> None:
    calls = parse_calls(raw, functions)
    assert [(call.name, call.arguments) for call in calls] == [("get_weather", ARGUMENTS)] * count


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
def test_other_roles_and_thoughts_have_no_calls(raw: object, functions: list[Function]) -> None:
    assert parse_calls(raw, functions) == []


def chunks() -> Iterator[str]:
    yield "x"


class Rude:
    @property
    def choices(self) -> object:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (Rude(), "A Rude is neither"),
        (chunks(), "generator"),
        *((raw, "neither a text nor a message") for raw in (object(), int, len)),
    ],
)
def test_what_is_not_the_output_of_a_model_is_an_error(
    raw: object, message: str, functions: list[Function]
) -> None:
    with pytest.raises(DocumentError, match=message):
        parse_calls(raw, functions)


def test_endless_objects_are_read_in_finite_time(functions: list[Function]) -> None:
    message: dict[str, Any] = {"role": "assistant", "content": []}
    message["content"].append(message)
    assert parse_calls(message, functions) == []

    class Endless:
        def __getattr__(self, name: str) -> object:
            if name.startswith("_"):
                raise AttributeError(name)
            return self

    assert parse_calls(Endless(), functions) == []


def test_a_message_is_not_changed(functions: list[Function]) -> None:
    raw = {"choices": ({"message": {"content": "get_time()"}}, {"b": 2}), 3: b"x"}
    before = repr(raw)
    assert len(parse_calls(raw, functions)) == 1
    assert repr(raw) == before
