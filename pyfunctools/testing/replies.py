"""Responses of the vendors' servers, as plain data: a text, and calls."""

from collections.abc import Callable, Sequence
from json import loads
from typing import Any, Final, TypeAlias

ReplyJson: TypeAlias = dict[str, Any]
ReplyCalls: TypeAlias = Sequence[tuple[str, str, str]]
"""The calls of a turn: the id, the name of a function, and its arguments as text."""


def _parsed(text: str) -> Any:
    """Return the value of a JSON text, or the text itself if it is not JSON."""
    try:
        return loads(text)
    except ValueError:
        return text


def _functions(calls: ReplyCalls) -> list[ReplyJson]:
    return [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": said}}
        for call_id, name, said in calls
    ]


def _openai(text: str, calls: ReplyCalls) -> ReplyJson:
    said: ReplyJson = {"role": "assistant", "content": text or None, "refusal": None}
    if calls:
        said["tool_calls"] = _functions(calls)
    reason = "tool_calls" if calls else "stop"
    choice = {"index": 0, "finish_reason": reason, "logprobs": None, "message": said}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "usage": usage}
    return {**whole, "choices": [choice]}


def _responses(text: str, calls: ReplyCalls) -> ReplyJson:
    output: list[ReplyJson] = [
        {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name}
        | {"arguments": said, "status": "completed"}
        for call_id, name, said in calls
    ]
    if text:
        part = {"type": "output_text", "text": text, "annotations": list[Any]()}
        message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
        output.insert(0, {**message, "content": [part]})
    whole = {"id": "r1", "object": "response", "created_at": 1, "model": "m", "error": None}
    more = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": list[Any]()}
    return {**whole, **more, "status": "completed", "output": output}


def _anthropic(text: str, calls: ReplyCalls) -> ReplyJson:
    content: list[ReplyJson] = [{"type": "text", "text": text}] if text else []
    for call_id, name, said in calls:
        content.append({"type": "tool_use", "id": call_id, "name": name, "input": _parsed(said)})
    whole = {"id": "m1", "type": "message", "role": "assistant", "model": "c", "content": content}
    ended = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    return {**whole, **ended, "usage": {"input_tokens": 1, "output_tokens": 1}}


def _gemini(text: str, calls: ReplyCalls) -> ReplyJson:
    parts: list[ReplyJson] = [{"text": text}] if text else []
    for call_id, name, said in calls:
        parts.append({"functionCall": {"id": call_id, "name": name, "args": _parsed(said)}})
    content = {"role": "model", "parts": parts}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}


def _bedrock(text: str, calls: ReplyCalls) -> ReplyJson:
    content: list[ReplyJson] = [{"text": text}] if text else []
    for call_id, name, said in calls:
        content.append({"toolUse": {"toolUseId": call_id, "name": name, "input": _parsed(said)}})
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    message = {"role": "assistant", "content": content}
    whole = {"output": {"message": message}, "stopReason": "tool_use" if calls else "end_turn"}
    return {**whole, "usage": usage, "metrics": {"latencyMs": 1}}


def _cohere(text: str, calls: ReplyCalls) -> ReplyJson:
    message: ReplyJson = {"role": "assistant"}
    if text:
        message["content"] = [{"type": "text", "text": text}]
    if calls:
        message["tool_calls"] = _functions(calls)
    reason = "TOOL_CALL" if calls else "COMPLETE"
    return {"id": "c1", "finish_reason": reason, "message": message}


def _ollama(text: str, calls: ReplyCalls) -> ReplyJson:
    message: ReplyJson = {"role": "assistant", "content": text}
    if calls:
        named = [{"name": name, "arguments": _parsed(said)} for _, name, said in calls]
        message["tool_calls"] = [{"function": each} for each in named]
    whole = {"model": "qwen3", "created_at": "2026-11-23T00:00:00Z", "message": message}
    return {**whole, "done": True, "done_reason": "stop"}


REPLIES: Final[dict[str, Callable[[str, ReplyCalls], ReplyJson]]] = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock": _bedrock,
    "cohere": _cohere,
    "ollama": _ollama,
}
"""For each envelope: makes a response from a text and calls."""
