"""Chat Completions: OpenAI's older API, and that of every compatible server.

Source: openai 3.54.0 `types/chat`, mistralai 3.7.0 (arguments as text or object, content in
chunks), read on 2026-11-21. A result has no error flag and no files: its text begins with `Error:`
and names the files. Each call needs its own result message before the next request.
"""

from collections.abc import Sequence
from typing import Any, Final

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.attachments import text_with_error
from pyfunctools.envelopes.blocks import Blocks, Ids, call_of, is_cut
from pyfunctools.envelopes.envelope import CallResult, Delta, ModelTurn, named_tool
from pyfunctools.envelopes.sdk_data import (
    as_dict,
    as_list,
    dicts_in,
    first_dict,
    member,
    plain_data,
)

_OF_THE_SDK: Final = {
    "choices": {
        "__all__": {
            "message": {
                "parsed": True,
                "tool_calls": {"__all__": {"function": {"parsed_arguments"}}},
            }
        }
    }
}
"""Additions of `client.chat.completions.parse`, which no server accepts back."""


class OpenAIChat:
    """The envelope of Chat Completions."""

    name = "openai"

    def tool(
        self, name: str, description: str, schema: dict[str, Any], *, strict: bool | None
    ) -> dict[str, Any]:
        """Return a function as an item of `tools`; `strict` is off by default there."""
        function = {**named_tool(name, description), "parameters": schema}
        if strict is not None:
            function["strict"] = strict
        return {"type": "function", "function": function}

    def request(self, tools: list[dict[str, Any]]) -> dict[str, Any]:
        """Return `{}`: the list is sent as `tools`."""
        return {}

    def is_response(self, value: object) -> bool:
        """Return whether this is a completion, and not a chunk of a stream."""
        is_chunk = member(value, "object") == "chat.completion.chunk"
        return isinstance(member(value, "choices"), list | tuple) and not is_chunk

    def read_turn(self, response: object) -> ModelTurn:
        """Return the turn of the first choice."""
        choice = first_dict(plain_data(response, _OF_THE_SDK).get("choices"))
        return _turn(as_dict(choice.get("message")), cut=is_cut(choice.get("finish_reason")))

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return one message for each call."""
        return tuple(
            {
                "role": "tool",
                "tool_call_id": each.id,
                "content": text_with_error(each, each.content),
            }
            for each in results
        )

    def stream_reader(self) -> "ChatReader":
        """Return a reader of `stream=True`."""
        return ChatReader()


def _turn(message: dict[str, Any], *, cut: bool) -> ModelTurn:
    blocks, ids = Blocks(), Ids()
    content = message.get("content")
    for block in as_list(content):
        blocks.add(block)
    blocks.add_text(content)
    blocks.add_refusal(message.get("refusal"))
    for call in dicts_in(message.get("tool_calls")):
        call["id"] = ids.of(call.get("id"))
        blocks.add_call_block(call)
    calls = blocks.calls(cut=cut)
    messages = (message,) if message else ()
    return ModelTurn(messages=messages, text=blocks.text, calls=calls, cut=cut)


class ChatReader:
    """Reads a completion chunk by chunk.

    The pieces of a call have the same `index`. Some servers send whole calls, all with the index 0
    or without an index: there a new call begins with another id, or else with a name.
    """

    def __init__(self) -> None:
        self._message: dict[str, Any] = {"role": "assistant", "content": None}
        self._places: dict[str, dict[str, Any]] = {}
        self._reason: JsonValue = None

    @property
    def response(self) -> JsonObject:
        """The completion so far; its finish reason is `length` until the stream sends one."""
        choice = {
            "index": 0,
            "message": plain_data(self._message),
            "finish_reason": self._reason or "length",
        }
        return {"object": "chat.completion", "choices": [choice]}

    def feed(self, event: object) -> Delta:
        """Return the change that a chunk makes to the first choice.

        OpenAI's `stream()` and Mistral's SDK wrap a chunk in an event.
        """
        chunk = plain_data(event)
        for wrapper in ("chunk", "data"):
            chunk = as_dict(chunk.get(wrapper)) or chunk
        for choice in dicts_in(chunk.get("choices")):
            if choice.get("index") not in (None, 0):
                continue
            self._reason = choice.get("finish_reason") or self._reason
            return self._add(as_dict(choice.get("delta")))
        return Delta()

    def _add(self, delta: dict[str, Any]) -> Delta:
        calls = dicts_in(delta.pop("tool_calls", None))
        blocks = Blocks()
        content = delta.get("content")
        for piece in as_list(content):
            blocks.add(piece)
        blocks.add_text(content)
        blocks.add_refusal(delta.get("refusal"))
        _merge(self._message, delta)
        touched = None
        for call in calls:
            touched = self._call(call)
        made = None if touched is None else call_of(touched)
        return Delta(text=blocks.text, call=made)

    def _call(self, piece: dict[str, Any]) -> dict[str, Any]:
        """Add a piece of a call, and return the whole call."""
        index, given = piece.pop("index", None), piece.get("id")
        place = "" if index is None else str(index)
        call = self._places.get(place, {})
        known, name = call.get("id"), as_dict(piece.get("function")).get("name")
        if not call or (given and known and given != known) or (name and not place and not given):
            call = self._places[place] = {}
            self._message.setdefault("tool_calls", []).append(call)
        if as_dict(call.get("function")).get("name"):
            as_dict(piece.get("function")).pop("name", None)  # some servers repeat it
        _merge(call, {key: inner for key, inner in piece.items() if key not in ("id", "type")})
        call |= {key: piece[key] for key in ("id", "type") if piece.get(key)}
        return call


def _merge(into: dict[str, Any], piece: dict[str, Any]) -> None:
    """Merge a piece of an object: texts and lists are joined, other values replaced."""
    for key, value in piece.items():
        before = into.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            _merge(as_dict(into[key]), as_dict(piece[key]))
        elif isinstance(before, str) and isinstance(value, str) and key != "role":
            into[key] = before + value
        elif isinstance(before, list) and isinstance(value, list):
            into[key] = [*before, *value]
        elif value is not None or key not in into:
            into[key] = value
