"""What a model would answer, as the bodies of HTTP responses: the examples need no key."""

from typing import Any

import httpx2


def http_client(*replies: dict[str, Any]) -> httpx2.Client:
    """Return a client for an SDK whose requests are answered with these replies in turn."""
    left = iter(replies)

    def answer(request: httpx2.Request) -> httpx2.Response:
        del request
        return httpx2.Response(200, json=next(left))

    return httpx2.Client(transport=httpx2.MockTransport(answer))


def openai_reply(text: str | None = None, **calls: str) -> dict[str, Any]:
    """Return a chat completion that says a text, or calls functions with these arguments."""
    called = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": written}}
        for n, (name, written) in enumerate(calls.items())
    ]
    message: dict[str, Any] = {"role": "assistant", "content": text}
    message |= {"tool_calls": called} if called else {}
    reason = "tool_calls" if called else "stop"
    choice = {"index": 0, "finish_reason": reason, "message": message}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [choice],
    }


def anthropic_reply(*content: dict[str, Any]) -> dict[str, Any]:
    """Return a message of these blocks."""
    called = any(block["type"] == "tool_use" for block in content)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": list(content),
        "stop_reason": "tool_use" if called else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
