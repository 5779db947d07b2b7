"""Anthropic's Messages.

Source: anthropic 2.12.0 `types`, read on 2026-11-21. All results of a turn are in one user message,
before anything else. An error result may contain only text.
"""

from collections.abc import Sequence
from typing import Any, Final

from pyfunctools._json import JsonObject, text_of
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
    base64_of,
    media_type_of,
    named_tool,
    with_files_named,
)
from pyfunctools.envelopes.plain import (
    Ids,
    as_dict,
    call_of,
    dicts_in,
    member,
    merge,
    plain_data,
    read_input,
    sendable_input,
)
from pyfunctools.record.file import File

_OF_THE_SDK: Final = {"content": {"__all__": {"parsed_output"}}}
"""Additions of `client.messages.parse`, which the server does not accept back."""
_PIECES: Final = {
    "input_json_delta": ("partial_json", "input"),
    "signature_delta": ("signature", "signature"),
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
}
"""Types of deltas: the key of each, and the key that it is appended to."""


class MessageReader(StreamReader):
    """Reads a message event by event, its blocks by `index`."""

    _stopped = False

    @property
    def response(self) -> JsonObject:
        """The message so far; its stop reason is `max_tokens` until the stream sends one."""
        content = [plain_data(block) for block in self._blocks.values()]
        for block in content:
            if block.get("type") in ("tool_use", "server_tool_use"):
                block["input"] = read_input(block.get("input"))
        message = {"type": "message", "role": "assistant", **plain_data(self._message)}
        return {**message, "content": content, "stop_reason": self._reason or "max_tokens"}

    def _read(self, event: object) -> Delta:
        """Return the change that an event makes; events behind the end of the message make none."""
        data = {} if self._stopped else plain_data(event)
        index = str(data.get("index"))
        match data.get("type"):
            case "message_start":
                self._message |= as_dict(data.get("message"))
            case "content_block_start":
                block = as_dict(data.get("content_block"))
                self._blocks[index] = block
                return _delta(block, block.get("text"))
            case "content_block_delta":
                block = self._blocks.get(index)
                if block is not None:
                    return _add(block, as_dict(data.get("delta")))
            case "message_delta":
                self._reason = as_dict(data.get("delta")).get("stop_reason") or self._reason
            case "message_stop":
                self._stopped = True
            case _:
                pass
        return Delta()


class Anthropic(Envelope):
    """The envelope of Messages."""

    name = "anthropic"
    stream_reader = MessageReader

    def tool(self, name: str, description: str, schema: Data, *, strict: bool | None) -> Data:
        tool = {**named_tool(name, description), "input_schema": schema}
        return tool if strict is None else {**tool, "strict": strict}

    def listed(self, items: list[Data], *, cache: bool) -> list[Data]:
        """Return the items; a mark on the last one caches all."""
        if not cache or not items:
            return items
        return [*items[:-1], {**items[-1], "cache_control": {"type": "ephemeral"}}]

    def choice(self, how: Choice, tools: list[Any]) -> Data:
        chosen = {"type": how} if isinstance(how, str) else {"type": "tool", "name": how[0]}
        return {"tool_choice": chosen}

    def answer(self, name: str, schema: Data, *, strict: bool) -> Data:
        return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}

    def is_response(self, value: object) -> bool:
        is_list = isinstance(member(value, "content"), list | tuple)
        return is_list and member(value, "type") == "message"

    def read_turn(self, response: object) -> ModelTurn:
        """Return the turn of a message; after `pause_turn` it has to be sent back unchanged."""
        message = plain_data(response, _OF_THE_SDK)
        blocks, ids = Blocks(message.get("role")), Ids()
        content = dicts_in(message.get("content"))
        for block in content:
            if block.get("type") == "tool_use":
                block["id"] = ids.of(block.get("id"))
            blocks.add(block)
            if block.get("type") == "tool_use":
                block["input"] = sendable_input(block.get("input"))
        reason = message.get("stop_reason")
        messages: tuple[JsonObject, ...] = ({"role": "assistant", "content": content},)
        return blocks.turn(messages if content else (), reason, waits=reason == "pause_turn")

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        content = [_result(each) for each in results]
        return ({"role": "user", "content": content},) if content else ()


def _result(result: CallResult) -> JsonObject:
    blocks = [(file, None if result.is_error else _file_block(file)) for file in result.content]
    text = with_files_named(result.text, [file for file, block in blocks if block is None])
    shown = [block for _, block in blocks if block is not None]
    texts = [{"type": "text", "text": text}] if text else []
    block: Data = {
        "type": "tool_result",
        "tool_use_id": result.id,
        "content": [*texts, *shown] if shown else text,
        "is_error": result.is_error,
    }
    if result.call.namespace is not None:
        block["toolset_name"] = result.call.namespace
    return block


def _file_block(file: File) -> Data | None:
    """Return the block for a file, `None` if the vendor does not accept its type."""
    kind = media_type_of(file)
    if kind in IMAGES or kind == "application/pdf":
        source = {"type": "base64", "media_type": kind, "data": base64_of(file)}
        return {"type": "image" if kind in IMAGES else "document", "source": source}
    if kind != "text/plain":
        return None
    try:
        text = file.content.decode()
    except UnicodeDecodeError:
        return None
    return {"type": "document", "source": {"type": "text", "media_type": kind, "data": text}}


def _add(block: Data, piece: Data) -> Delta:
    key, into = _PIECES.get(str(piece.get("type")), ("", ""))
    if into:
        text = text_of(piece.get(key))
        merge(block, {into: text})
        return _delta(block, text if into == "text" else "")
    if "citation" in piece:
        merge(block, {"citations": [piece["citation"]]})
    return Delta()


def _delta(block: Data, text: object) -> Delta:
    call = call_of(block) if block.get("type") == "tool_use" else None
    return Delta(text=text if isinstance(text, str) else "", call=call, place=id(block))
