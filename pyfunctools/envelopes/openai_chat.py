"""Chat completions: OpenAI's older interface, and that of every server which is compatible with it.

Source: openai 3.54.0 `types/chat`, mistralai 3.7.0 (arguments as text or object, content in
chunks), read on 2026-11-21. There is no flag for errors and there are no files in results: the text
says both. Every call needs a message of its own, before the next request.
"""

from collections.abc import Sequence
from typing import Any, Final

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.attachments import spelled_out
from pyfunctools.envelopes.blocks import Blocks, Ids, call_of, is_cut
from pyfunctools.envelopes.envelope import CallResult, Delta, Spoken
from pyfunctools.envelopes.sdk_data import (
    first_object,
    list_or_empty,
    member,
    object_or_empty,
    objects_in,
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
"""What `client.chat.completions.parse` adds to what the server sent; no server takes it back."""


class OpenAIChat:
    """The envelope of chat completions."""

    name = "openai"

    def tool(
        self, name: str, description: str, schema: dict[str, Any], *, strict: bool | None
    ) -> dict[str, Any]:
        """Return a function as `tools` takes it; strict left out means not strict."""
        function: dict[str, Any] = {"name": name}
        if description:
            function["description"] = description
        function["parameters"] = schema
        if strict is not None:
            function["strict"] = strict
        return {"type": "function", "function": function}

    def request(self, tools: list[dict[str, Any]]) -> dict[str, Any]:
        """Return `{}`: the list is sent as `tools`."""
        return {}

    def is_response(self, value: object) -> bool:
        """Return whether this is a completion; a chunk of a stream is none."""
        chunk = member(value, "object") == "chat.completion.chunk"
        return isinstance(member(value, "choices"), list | tuple) and not chunk

    def spoken(self, response: object) -> Spoken:
        """Return the turn of the first choice."""
        choice = first_object(plain_data(response, _OF_THE_SDK).get("choices"))
        return _turn(
            object_or_empty(choice.get("message")), cut=is_cut(choice.get("finish_reason"))
        )

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return a message for each call."""
        return tuple(
            {"role": "tool", "tool_call_id": each.id, "content": spelled_out(each, each.content)}
            for each in results
        )

    def reading(self) -> "ChatReading":
        """Return a reading of `stream=True`."""
        return ChatReading()


def _turn(message: dict[str, Any], *, cut: bool) -> Spoken:
    blocks, ids = Blocks(), Ids()
    content = message.get("content")
    for block in list_or_empty(content):
        blocks.add(block)
    blocks.say(content)
    blocks.refuse(message.get("refusal"))
    for call in objects_in(message.get("tool_calls")):
        call["id"] = ids.of(call.get("id"))
        blocks.call(call)
    calls = blocks.calls(cut=cut)
    messages = (message,) if message else ()
    return Spoken(messages=messages, text=blocks.text, calls=calls, cut=cut)


class ChatReading:
    """A completion that is read chunk by chunk.

    The pieces of a call belong together by `index`. Some servers send whole calls, all under the
    index 0 or under none: there another id begins another call, or else a name does.
    """

    def __init__(self) -> None:
        self._message: dict[str, Any] = {"role": "assistant", "content": None}
        self._places: dict[str, dict[str, Any]] = {}
        self._reason: JsonValue = None

    @property
    def response(self) -> JsonObject:
        """The completion so far; one that no reason ended is cut, by length."""
        choice = {
            "index": 0,
            "message": plain_data(self._message),
            "finish_reason": self._reason or "length",
        }
        return {"object": "chat.completion", "choices": [choice]}

    def feed(self, event: object) -> Delta:
        """Return what a chunk adds to the first choice.

        A chunk may stand in the event of a helper: OpenAI's `stream()` and Mistral's SDK do that.
        """
        chunk = plain_data(event)
        for wrapper in ("chunk", "data"):
            chunk = object_or_empty(chunk.get(wrapper)) or chunk
        for choice in objects_in(chunk.get("choices")):
            if choice.get("index") not in (None, 0):
                continue
            self._reason = choice.get("finish_reason") or self._reason
            return self._add(object_or_empty(choice.get("delta")))
        return Delta()

    def _add(self, delta: dict[str, Any]) -> Delta:
        calls = objects_in(delta.pop("tool_calls", None))
        blocks = Blocks()
        content = delta.get("content")
        for piece in list_or_empty(content):
            blocks.add(piece)
        blocks.say(content)
        blocks.refuse(delta.get("refusal"))
        _merge(self._message, delta)
        touched = None
        for call in calls:
            touched = self._call(call)
        made = None if touched is None else call_of(touched)
        return Delta(text=blocks.text, call=made)

    def _call(self, piece: dict[str, Any]) -> dict[str, Any]:
        """Add a piece of a call to the call it belongs to."""
        index, given = piece.pop("index", None), piece.get("id")
        place = "" if index is None else str(index)
        call = self._places.get(place, {})
        known, name = call.get("id"), object_or_empty(piece.get("function")).get("name")
        if not call or (given and known and given != known) or (name and not place and not given):
            call = self._places[place] = {}
            self._message.setdefault("tool_calls", []).append(call)
        if object_or_empty(call.get("function")).get("name"):
            object_or_empty(piece.get("function")).pop(
                "name", None
            )  # some servers repeat it in each piece
        _merge(call, {key: inner for key, inner in piece.items() if key not in ("id", "type")})
        call |= {key: piece[key] for key in ("id", "type") if piece.get(key)}
        return call


def _merge(into: dict[str, Any], piece: dict[str, Any]) -> None:
    """Add a piece of an object to what came before: texts and lists grow, the rest is replaced."""
    for key, value in piece.items():
        before = into.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            _merge(object_or_empty(into[key]), object_or_empty(piece[key]))
        elif isinstance(before, str) and isinstance(value, str) and key != "role":
            into[key] = before + value
        elif isinstance(before, list) and isinstance(value, list):
            into[key] = [*before, *value]
        elif value is not None or key not in into:
            into[key] = value
