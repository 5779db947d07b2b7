"""Scripted answers of models as HTTP responses, so that the examples need no key."""

import json
from atexit import register
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import httpx2


def http_client(*replies: dict[str, Any] | str) -> httpx2.Client:
    """Return an HTTP client for an SDK that answers requests with these replies, in order.

    A reply that is a string is sent as a stream of events.
    """
    left = iter(replies)

    def answer(request: httpx2.Request) -> httpx2.Response:
        del request
        reply = next(left)
        if isinstance(reply, str):
            return httpx2.Response(200, text=reply, headers={"Content-Type": "text/event-stream"})
        return httpx2.Response(200, json=reply)

    return httpx2.Client(transport=httpx2.MockTransport(answer))


def openai_reply(text: str | None = None, **calls: str) -> dict[str, Any]:
    """Return a chat completion with a text, or with calls: arguments as JSON text by name."""
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
    """Return a message with these content blocks."""
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


def streamed(reply: dict[str, Any], size: int = 8) -> str:
    """Return a chat completion as the stream of events that its server would send."""
    (choice,) = reply["choices"]
    message = choice["message"]
    text = message["content"] or ""
    deltas: list[dict[str, Any]] = [
        {"content": text[n : n + size]} for n in range(0, len(text), size)
    ]
    for index, call in enumerate(message.get("tool_calls", ())):
        written = call["function"]["arguments"]
        begun = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
        deltas.append({"tool_calls": [begun]})
        for n in range(0, len(written), size):
            piece = {"index": index, "function": {"arguments": written[n : n + size]}}
            deltas.append({"tool_calls": [piece]})
    ends = [{"delta": delta, "finish_reason": None} for delta in deltas]
    ends.append({"delta": {}, "finish_reason": choice["finish_reason"]})
    chunks = [
        {**reply, "object": "chat.completion.chunk", "choices": [{"index": 0, **end}]}
        for end in ends
    ]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def gemini_reply(*parts: dict[str, Any]) -> dict[str, Any]:
    """Return a response of `generateContent` with these parts."""
    content = {"role": "model", "parts": list(parts)}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}


class LocalServer:
    """A server on 127.0.0.1 that answers with these texts, in order, until the program ends."""

    def __init__(self, *texts: str) -> None:
        left = iter(texts)

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                body = json.dumps(openai_reply(next(left))).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_request(self, code: object = None, size: object = None) -> None:
                del code, size

        server = HTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        register(server.server_close)
        register(server.shutdown)
