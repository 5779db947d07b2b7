"""Ollama's own API, as `ollama.Client` speaks it.

Source: ollama 0.6.3 `_types.py`, read on 2026-11-23. Arguments are objects, calls have no ids, and
results are matched by the name of the function and their order. Its compatible server (`/v1`) is
the dialect `openai`.
"""

from collections.abc import Sequence
from typing import Any

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.attachments import text_with_error
from pyfunctools.envelopes.blocks import call_of
from pyfunctools.envelopes.envelope import CallResult, Delta, Envelope, ModelTurn
from pyfunctools.envelopes.openai_chat import chat_tool, chat_turn
from pyfunctools.envelopes.sdk_data import as_dict, dicts_in, grow, member, plain_data


class Ollama(Envelope):
    """The envelope of `/api/chat`."""

    name = "ollama"

    def tool(
        self, name: str, description: str, schema: dict[str, Any], *, strict: bool | None
    ) -> dict[str, Any]:
        return chat_tool(name, description, schema)

    def answer(self, name: str, schema: dict[str, Any], *, strict: bool) -> dict[str, Any]:
        return {"format": schema}

    def is_response(self, value: object) -> bool:
        """Return whether this is a response: one message, and whether it is `done`."""
        return member(value, "message") is not None and member(value, "done") is not None

    def read_turn(self, response: object) -> ModelTurn:
        whole = plain_data(response)
        reason = whole.get("done_reason") if whole.get("done") else "length"
        return chat_turn(as_dict(whole.get("message")), reason, has_ids=False)

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        return tuple(
            {
                "role": "tool",
                "tool_name": each.call.name,
                "content": text_with_error(each, each.content),
            }
            for each in results
        )

    def stream_reader(self) -> "OllamaReader":
        return OllamaReader()


class OllamaReader:
    """Reads a response part by part; each call comes whole."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {"role": "assistant", "content": ""}
        self._reason: JsonValue = None

    @property
    def response(self) -> JsonObject:
        """The response so far; its reason is `length` until the stream sends one."""
        message = plain_data(self._message)
        return {"message": message, "done": True, "done_reason": self._reason or "length"}

    def feed(self, event: object) -> Delta:
        data = plain_data(event)
        piece = as_dict(data.get("message"))
        if data.get("done"):
            self._reason = data.get("done_reason") or "stop"
        grow(self._message, "thinking", piece.get("thinking"))
        calls = dicts_in(piece.get("tool_calls"))
        if calls:
            self._message["tool_calls"] = [*dicts_in(self._message.get("tool_calls")), *calls]
        text = grow(self._message, "content", piece.get("content"))
        return Delta(text=text, call=call_of(calls[-1]) if calls else None)
