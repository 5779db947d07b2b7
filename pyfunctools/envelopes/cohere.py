"""Cohere's own API, v2, as `cohere.ClientV2` speaks it.

Source: cohere 7.3.1 `types`, read on 2026-11-23. A message has `tool_plan` beside its content, and
must be sent back with it. A result is a text that is not empty, without an error flag. Its
compatible server (`/compatibility/v1`) is the dialect `openai`.
"""

from collections.abc import Sequence
from typing import Any

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.attachments import text_with_error
from pyfunctools.envelopes.blocks import call_of
from pyfunctools.envelopes.envelope import CallResult, Choice, Delta, Envelope, ModelTurn
from pyfunctools.envelopes.openai_chat import chat_tool, chat_turn
from pyfunctools.envelopes.sdk_data import as_dict, dicts_in, grow, member, plain_data


class Cohere(Envelope):
    """The envelope of Cohere's v2."""

    name = "cohere"

    def tool(
        self, name: str, description: str, schema: dict[str, Any], *, strict: bool | None
    ) -> dict[str, Any]:
        """Return a function as an item of `tools`; `strict_tools` is a part of the request."""
        return chat_tool(name, description, schema)

    def choice(self, how: Choice, tools: list[Any]) -> dict[str, Any]:
        return {"tool_choice": "NONE" if how == "none" else "REQUIRED"}

    def answer(self, name: str, schema: dict[str, Any], *, strict: bool) -> dict[str, Any]:
        return {"response_format": {"type": "json_object", "json_schema": schema}}

    def is_response(self, value: object) -> bool:
        """Return whether this is a response: one message, and the reason why it ended."""
        is_whole = member(value, "message") is not None and member(value, "choices") is None
        return is_whole and isinstance(member(value, "finish_reason"), str)

    def read_turn(self, response: object) -> ModelTurn:
        whole = plain_data(response)
        return chat_turn(as_dict(whole.get("message")), whole.get("finish_reason"))

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        return tuple(
            {
                "role": "tool",
                "tool_call_id": each.id,
                "content": text_with_error(each, each.content) or "(empty)",
            }
            for each in results
        )

    def stream_reader(self) -> "CohereReader":
        return CohereReader()


class CohereReader:
    """Reads a message event by event, its blocks and calls by `index`."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {"role": "assistant"}
        self._blocks: dict[str, dict[str, Any]] = {}
        self._calls: dict[str, dict[str, Any]] = {}
        self._reason: JsonValue = None

    @property
    def response(self) -> JsonObject:
        """The response so far; its finish reason is `MAX_TOKENS` until the stream sends one."""
        message = plain_data(self._message)
        for key, parts in (("content", self._blocks), ("tool_calls", self._calls)):
            if parts:
                message[key] = [plain_data(each) for each in parts.values()]
        return {"message": message, "finish_reason": self._reason or "MAX_TOKENS"}

    def feed(self, event: object) -> Delta:
        data = plain_data(event)
        index, delta = str(data.get("index")), as_dict(data.get("delta"))
        piece = as_dict(delta.get("message"))
        content, called = as_dict(piece.get("content")), as_dict(piece.get("tool_calls"))
        match data.get("type"):
            case "content-start":
                self._blocks[index] = content
                return Delta(text=str(content.get("text") or ""))
            case "content-delta":
                block = self._blocks.setdefault(index, {"type": "text"})
                grow(block, "thinking", content.get("thinking"))
                return Delta(text=grow(block, "text", content.get("text")))
            case "tool-plan-delta":
                grow(self._message, "tool_plan", piece.get("tool_plan"))
            case "tool-call-start":
                self._calls[index] = called
                return Delta(call=call_of(called), place=id(called))
            case "tool-call-delta":
                call = self._calls.setdefault(index, {"type": "function"})
                call["function"] = as_dict(call.get("function"))
                grow(
                    call["function"], "arguments", as_dict(called.get("function")).get("arguments")
                )
                return Delta(call=call_of(call), place=id(call))
            case "citation-start":
                citations = dicts_in(self._message.get("citations"))
                self._message["citations"] = [*citations, as_dict(piece.get("citations"))]
            case "message-end":
                self._reason = delta.get("finish_reason") or self._reason
            case _:
                pass
        return Delta()
