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


def _blocks(text: str, calls: list[ReplyJson], **of_text: Any) -> list[ReplyJson]:
    """Return the blocks of a turn: its text, if there is one, with these members, and its calls."""
    return [*([{**of_text, "text": text}] if text else []), *calls]


def _openai(text: str, calls: ReplyCalls) -> ReplyJson:
    message: ReplyJson = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": said}}
            for call_id, name, said in calls
        ]
    choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
    whole = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m"}
    return {**whole, "choices": [choice]}


def _responses(text: str, calls: ReplyCalls) -> ReplyJson:
    said: ReplyJson = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
    part = {"type": "output_text", "text": text, "annotations": list[Any]()}
    output = [{**said, "content": [part]}] if text else []
    for call_id, name, arguments in calls:
        call = {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name}
        output.append({**call, "arguments": arguments, "status": "completed"})
    return {"id": "r1", "object": "response", "model": "m", "status": "completed", "output": output}


def _anthropic(text: str, calls: ReplyCalls) -> ReplyJson:
    uses = [
        {"type": "tool_use", "id": call_id, "name": name, "input": _parsed(said)}
        for call_id, name, said in calls
    ]
    whole = {"id": "m1", "type": "message", "role": "assistant", "model": "c"}
    ended = "tool_use" if calls else "end_turn"
    return {**whole, "content": _blocks(text, uses, type="text"), "stop_reason": ended}


def _gemini(text: str, calls: ReplyCalls) -> ReplyJson:
    made = [
        {"functionCall": {"id": call_id, "name": name, "args": _parsed(said)}}
        for call_id, name, said in calls
    ]
    content = {"role": "model", "parts": _blocks(text, made)}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}


def _bedrock(text: str, calls: ReplyCalls) -> ReplyJson:
    uses = [
        {"toolUse": {"toolUseId": call_id, "name": name, "input": _parsed(said)}}
        for call_id, name, said in calls
    ]
    message = {"role": "assistant", "content": _blocks(text, uses)}
    return {"output": {"message": message}, "stopReason": "tool_use" if calls else "end_turn"}


def _cohere(text: str, calls: ReplyCalls) -> ReplyJson:
    message = _openai(text, calls)["choices"][0]["message"]
    message["content"] = _blocks(text, [], type="text")
    return {"id": "c1", "finish_reason": "TOOL_CALL" if calls else "COMPLETE", "message": message}


def _ollama(text: str, calls: ReplyCalls) -> ReplyJson:
    named = [{"function": {"name": name, "arguments": _parsed(said)}} for _, name, said in calls]
    message = {"role": "assistant", "content": text, **({"tool_calls": named} if named else {})}
    return {"model": "m", "message": message, "done": True, "done_reason": "stop"}


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
