"""Responses of the vendors' servers, as plain data."""

from collections.abc import Callable, Sequence
from json import loads
from typing import Any, Final, TypeAlias

ReplyJson: TypeAlias = dict[str, Any]
Calls: TypeAlias = Sequence[tuple[str, str]]
"""The calls of a turn: the name of a function, and its arguments as text."""


def chat(*calls: ReplyJson, reason: str = "tool_calls", **message: Any) -> ReplyJson:
    """Return a chat completion with these calls and fields of its message."""
    said: ReplyJson = {"role": "assistant", "content": None, "refusal": None, **message}
    if calls:
        said["tool_calls"] = list(calls)
    choice = {"index": 0, "finish_reason": reason, "logprobs": None, "message": said}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "usage": usage}
    return {**whole, "choices": [choice]}


def chat_call(name: str, arguments: Any, call_id: str | None = "call_1") -> ReplyJson:
    """Return a call of a chat completion; `arguments` are text, or an object of some servers."""
    call = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return call if call_id is None else {"id": call_id, **call}


def responses(*output: ReplyJson, status: str = "completed") -> ReplyJson:
    """Return a response of OpenAI's Responses interface with these items."""
    whole = {"id": "r1", "object": "response", "created_at": 1, "model": "m", "status": status}
    more = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": list[Any](), "error": None}
    return {**whole, **more, "output": list(output)}


def item(name: str, arguments: str, call_id: str | None = "call_1", **more: Any) -> ReplyJson:
    """Return the item of a call in a response of OpenAI's Responses interface."""
    call = {"type": "function_call", "id": f"fc_{call_id}", "status": "completed", **more}
    call |= {"name": name, "arguments": arguments}
    return call if call_id is None else {**call, "call_id": call_id}


def spoken_item(text: str, kind: str = "output_text") -> ReplyJson:
    """Return the item of a text in a response of OpenAI's Responses interface."""
    part: ReplyJson = {"type": kind, kind.removeprefix("output_"): text}
    if kind == "output_text":
        part["annotations"] = []
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
    return {**message, "content": [part]}


def claude(*content: ReplyJson, reason: str = "tool_use") -> ReplyJson:
    """Return a message of Anthropic with these blocks."""
    whole = {"id": "m1", "type": "message", "role": "assistant", "model": "c"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {**whole, "stop_reason": reason, "stop_sequence": None, "usage": usage} | {
        "content": list(content)
    }


def use(name: str, arguments: ReplyJson, call_id: str = "toolu_1") -> ReplyJson:
    """Return the block of a call in a message of Anthropic."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def gemini(*parts: ReplyJson, reason: str = "STOP") -> ReplyJson:
    """Return a response of Gemini with these parts."""
    content = {"role": "model", "parts": list(parts)}
    return {"candidates": [{"content": content, "finishReason": reason, "index": 0}]}


def part(name: str, arguments: ReplyJson, call_id: str | None = None, **more: Any) -> ReplyJson:
    """Return the part of a call in a response of Gemini."""
    call = {"name": name, "args": arguments}
    return {"functionCall": call if call_id is None else {"id": call_id, **call}, **more}


def converse(*content: ReplyJson, reason: str = "tool_use") -> ReplyJson:
    """Return a response of Bedrock's Converse with these blocks."""
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    message = {"role": "assistant", "content": list(content)}
    whole = {"output": {"message": message}, "stopReason": reason}
    return {**whole, "usage": usage, "metrics": {"latencyMs": 1}}


def block(name: str, arguments: ReplyJson, call_id: str = "tooluse_1") -> ReplyJson:
    """Return the block of a call in a Converse response."""
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": arguments}}


def cohere(*calls: ReplyJson, reason: str = "TOOL_CALL", **message: Any) -> ReplyJson:
    """Return a response of Cohere's v2 with these calls and fields of its message."""
    listed = {"tool_calls": list(calls)} if calls else {}
    spoken = {"role": "assistant", **message, **listed}
    return {"id": "c1", "finish_reason": reason, "message": spoken}


def ollama(*calls: ReplyJson, reason: str = "stop", content: str = "", **message: Any) -> ReplyJson:
    """Return a response of Ollama with these calls and fields of its message."""
    listed = {"tool_calls": [{"function": each} for each in calls]} if calls else {}
    spoken = {"role": "assistant", "content": content, **message, **listed}
    when = {"model": "qwen3", "created_at": "2026-11-23T00:00:00Z"}
    return {**when, "message": spoken, "done": True, "done_reason": reason}


def _parsed(text: str) -> Any:
    """Return the value of a JSON text, or the text itself if it is not JSON."""
    try:
        return loads(text)
    except ValueError:
        return text


def _chat(text: str, calls: Calls, start: int) -> ReplyJson:
    made = [chat_call(name, said, f"call_{n}") for n, (name, said) in enumerate(calls, start)]
    return chat(*made, content=text or None, reason="tool_calls" if calls else "stop")


def _responses(text: str, calls: Calls, start: int) -> ReplyJson:
    made = [item(name, said, f"call_{n}") for n, (name, said) in enumerate(calls, start)]
    return responses(*[spoken_item(text)] * bool(text), *made)


def _claude(text: str, calls: Calls, start: int) -> ReplyJson:
    made = [use(name, _parsed(said), f"toolu_{n}") for n, (name, said) in enumerate(calls, start)]
    said = [{"type": "text", "text": text}] * bool(text)
    return claude(*said, *made, reason="tool_use" if calls else "end_turn")


def _gemini(text: str, calls: Calls, start: int) -> ReplyJson:
    made = [part(name, _parsed(said), f"call_{n}") for n, (name, said) in enumerate(calls, start)]
    return gemini(*[{"text": text}] * bool(text), *made)


def _converse(text: str, calls: Calls, start: int) -> ReplyJson:
    made = [block(name, _parsed(said), f"tool_{n}") for n, (name, said) in enumerate(calls, start)]
    reason = "tool_use" if calls else "end_turn"
    return converse(*[{"text": text}] * bool(text), *made, reason=reason)


def _cohere(text: str, calls: Calls, start: int) -> ReplyJson:
    made = [chat_call(name, said, f"call_{n}") for n, (name, said) in enumerate(calls, start)]
    content = {"content": [{"type": "text", "text": text}]} if text else {}
    return cohere(*made, reason="TOOL_CALL" if calls else "COMPLETE", **content)


def _ollama(text: str, calls: Calls, _: int) -> ReplyJson:
    return ollama(
        *({"name": name, "arguments": _parsed(said)} for name, said in calls), content=text
    )


REPLIES: Final[dict[str, Callable[[str, Calls, int], ReplyJson]]] = {
    "openai": _chat,
    "openai-responses": _responses,
    "anthropic": _claude,
    "gemini": _gemini,
    "bedrock": _converse,
    "cohere": _cohere,
    "ollama": _ollama,
}
"""For each envelope: makes a response from a text, calls, and the number of the first call."""
