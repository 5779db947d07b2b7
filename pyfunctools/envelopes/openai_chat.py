"""Chat Completions: OpenAI's older API, and that of every compatible server.

Source: openai 3.54.0 `types/chat`, mistralai 3.7.0 (arguments as text or object, content in
chunks), read on 2026-11-21. A result has no error flag and no files: its text begins with `Error:`
and names the files; pictures follow in a message of the user. Each call needs its own result
message before the next request.

Two vendors have an API of their own that is like it:

- Cohere's v2, as `cohere.ClientV2` speaks it (7.3.1 `types`, read on 2026-11-23). A message has
  `tool_plan` beside its content, and must be sent back with it. A result is a text that is not
  empty, without an error flag.
- Ollama's `/api/chat`, as `ollama.Client` speaks it (0.6.3 `_types.py`, read on 2026-11-23).
  Arguments are objects, calls have no ids, and results are matched by the name of the function and
  their order.

The compatible servers of both (`/compatibility/v1`, `/v1`) are the dialect `openai`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.blocks import Blocks
from pyfunctools.envelopes.envelope import (
    IMAGES,
    CallResult,
    Choice,
    Data,
    Delta,
    Envelope,
    ModelTurn,
    StreamReader,
    data_url,
    media_type_of,
    named_tool,
    text_with_error,
)
from pyfunctools.envelopes.plain import (
    Ids,
    as_dict,
    as_list,
    call_of,
    dicts_in,
    first_dict,
    member,
    merge,
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
_FOLLOWS: Final = "[The picture follows in the next message.]"
_OLD: Final = "function_call"
"""The id of a call in the older form: one a message, without an id, answered by its name."""


class ChatReader(StreamReader):
    """Reads a completion chunk by chunk.

    The pieces of a call have the same `index`. Some servers send whole calls, all with the index 0
    or without an index: there a new call begins with another id, or else with a name.
    """

    @property
    def response(self) -> JsonObject:
        """The completion so far; its finish reason is `length` until the stream sends one."""
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": None, **plain_data(self._message)},
            "finish_reason": self._reason or "length",
        }
        return {"object": "chat.completion", "choices": [choice]}

    def _read(self, event: object) -> Delta:
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

    def _add(self, delta: Data) -> Delta:
        """Add a piece of the message."""
        calls = dicts_in(delta.pop("tool_calls", None))
        text = _spoken(delta).text
        merge(self._message, delta)
        touched = None
        for call in calls:
            touched = self._call(call)
        made = None if touched is None else call_of(touched)
        return Delta(text=text, call=made, place=id(touched))

    def _call(self, piece: Data) -> Data:
        """Add a piece of a call, and return the whole call."""
        index, given = piece.pop("index", None), piece.get("id")
        place = "" if index is None else str(index)
        call = self._blocks.get(place, {})
        known, name = call.get("id"), as_dict(piece.get("function")).get("name")
        if not call or (given and known and given != known) or (name and not place and not given):
            call = self._blocks[place] = {}
            self._message.setdefault("tool_calls", []).append(call)
        if as_dict(call.get("function")).get("name"):
            as_dict(piece.get("function")).pop("name", None)  # some servers repeat it
        merge(call, piece)
        return call


class OpenAIChat(Envelope):
    """The envelope of Chat Completions; for `lean` servers pictures are only named."""

    name = "openai"
    stream_reader = ChatReader

    def __init__(self, *, lean: bool = False) -> None:
        self._shown = frozenset[str]() if lean else IMAGES

    def tool(self, name: str, description: str, schema: Data, *, strict: bool | None) -> Data:
        """Return a function as an item of `tools`; `strict` is off by default there."""
        tool = chat_tool(name, description, schema)
        if strict is not None:
            tool["function"]["strict"] = strict
        return tool

    def choice(self, how: Choice, tools: list[Any]) -> Data:
        if isinstance(how, str):
            return {"tool_choice": {"any": "required"}.get(how, how)}
        named = [{"type": "function", "function": {"name": name}} for name in how]
        if len(named) == 1:
            return {"tool_choice": named[0]}
        allowed = {"mode": "required", "tools": named}
        return {"tool_choice": {"type": "allowed_tools", "allowed_tools": allowed}}

    def answer(self, name: str, schema: Data, *, strict: bool) -> Data:
        wanted = {"name": name, "schema": schema, "strict": strict}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}

    def is_response(self, value: object) -> bool:
        """Return whether this is a completion, and not a chunk of a stream."""
        is_chunk = member(value, "object") == "chat.completion.chunk"
        return isinstance(member(value, "choices"), list | tuple) and not is_chunk

    def read_turn(self, response: object) -> ModelTurn:
        choice = first_dict(plain_data(response, _OF_THE_SDK).get("choices"))
        return chat_turn(as_dict(choice.get("message")), choice.get("finish_reason"))

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return one message for each call, and one with the pictures of all."""
        made: list[JsonObject] = []
        shown: list[JsonValue] = []
        for each in results:
            pictures = [file for file in each.content if media_type_of(file) in self._shown]
            text = text_with_error(each, [file for file in each.content if file not in pictures])
            if pictures:
                text = f"{text}\n{_FOLLOWS}".strip()
                shown.append({"type": "text", "text": f"From {each.name}:"})
            shown += [
                {"type": "image_url", "image_url": {"url": data_url(file)}} for file in pictures
            ]
            if each.call.id == _OLD:
                made.append({"role": "function", "name": each.call.name, "content": text})
            else:
                made.append({"role": "tool", "tool_call_id": each.id, "content": text})
        return (*made, *([{"role": "user", "content": shown}] if shown else ()))


def chat_tool(name: str, description: str, schema: Data) -> Data:
    """Return a function as an item of `tools`, without `strict`."""
    function = {**named_tool(name, description), "parameters": schema}
    return {"type": "function", "function": function}


def chat_turn(message: Data, reason: JsonValue, *, has_ids: bool = True) -> ModelTurn:
    """Return the turn of a message that ended for a reason; with `has_ids` each call has an id."""
    blocks, ids = _spoken(message), Ids()
    calls = dicts_in(message.get("tool_calls"))
    if not calls and (old := as_dict(message.get("function_call"))):
        blocks.add_call_block({"id": _OLD, **old})
    for call in calls:
        if has_ids:
            call["id"] = ids.of(call.get("id"))
        blocks.add_call_block(call)
    return blocks.turn((message,) if message else (), reason)


def _spoken(message: Data) -> Blocks:
    """Return the blocks of a message, or a piece of one, except its calls."""
    blocks = Blocks(message.get("role"))
    content = message.get("content")
    for block in as_list(content):
        blocks.add(block)
    blocks.add_text(content)
    blocks.add_refusal(message.get("refusal"))
    return blocks


def _result(result: CallResult, key: str, given: str) -> JsonObject:
    """Return the message of a result that is only text, with the name or id of its call."""
    return {"role": "tool", key: given, "content": text_with_error(result, result.content)}


class CohereReader(ChatReader):
    """Reads a message event by event, its blocks and calls by `index`."""

    @property
    def response(self) -> JsonObject:
        """The response so far; its finish reason is `MAX_TOKENS` until the stream sends one."""
        message = {"role": "assistant", **plain_data(self._message)}
        return {"message": message, "finish_reason": self._reason or "MAX_TOKENS"}

    def _read(self, event: object) -> Delta:
        """Return the change that an event makes: one piece of the message, not of a list in it."""
        data = plain_data(event)
        index, delta = data.get("index"), as_dict(data.get("delta"))
        self._reason = delta.get("finish_reason") or self._reason
        piece = {key: value for key, value in as_dict(delta.get("message")).items() if value}
        if called := as_dict(piece.get("tool_calls")):
            piece["tool_calls"] = [{**called, "index": index}]
        if cited := as_dict(piece.get("citations")):
            piece["citations"] = [cited]
        content = as_dict(piece.pop("content", None))
        spoken = _spoken({"content": [content]})
        if content:
            if (place := f"content {index}") not in self._blocks:
                self._blocks[place] = {"type": "text"}
                self._message.setdefault("content", []).append(self._blocks[place])
            merge(self._blocks[place], content)
        return replace(self._add(piece), text=spoken.text)


class Cohere(Envelope):
    """The envelope of Cohere's v2."""

    name = "cohere"
    stream_reader = CohereReader

    def tool(self, name: str, description: str, schema: Data, *, strict: bool | None) -> Data:
        """Return a function as an item of `tools`; `strict_tools` is a part of the request."""
        return chat_tool(name, description, schema)

    def choice(self, how: Choice, tools: list[Any]) -> Data:
        return {"tool_choice": "NONE" if how == "none" else "REQUIRED"}

    def answer(self, name: str, schema: Data, *, strict: bool) -> Data:
        return {"response_format": {"type": "json_object", "json_schema": schema}}

    def is_response(self, value: object) -> bool:
        """Return whether this is a response: one message, and the reason why it ended."""
        is_whole = member(value, "message") is not None and member(value, "choices") is None
        return is_whole and isinstance(member(value, "finish_reason"), str)

    def read_turn(self, response: object) -> ModelTurn:
        whole = plain_data(response)
        return chat_turn(as_dict(whole.get("message")), whole.get("finish_reason"))

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        made = (_result(each, "tool_call_id", each.id) for each in results)
        return tuple({**each, "content": each["content"] or "(empty)"} for each in made)


class OllamaReader(ChatReader):
    """Reads a response part by part; each call comes whole."""

    @property
    def response(self) -> JsonObject:
        """The response so far; its reason is `length` until the stream sends one."""
        message = {"role": "assistant", "content": "", **plain_data(self._message)}
        return {"message": message, "done": True, "done_reason": self._reason or "length"}

    def _read(self, event: object) -> Delta:
        data = plain_data(event)
        if data.get("done"):
            self._reason = data.get("done_reason") or "stop"
        return self._add(as_dict(data.get("message")))


class Ollama(Envelope):
    """The envelope of `/api/chat`."""

    name = "ollama"
    stream_reader = OllamaReader

    def tool(self, name: str, description: str, schema: Data, *, strict: bool | None) -> Data:
        return chat_tool(name, description, schema)

    def answer(self, name: str, schema: Data, *, strict: bool) -> Data:
        return {"format": schema}

    def is_response(self, value: object) -> bool:
        """Return whether this is a response: one message, and whether it is `done`."""
        return member(value, "message") is not None and member(value, "done") is not None

    def read_turn(self, response: object) -> ModelTurn:
        whole = plain_data(response)
        reason = whole.get("done_reason") if whole.get("done") else "length"
        return chat_turn(as_dict(whole.get("message")), reason, has_ids=False)

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        return tuple(_result(each, "tool_name", each.call.name) for each in results)
