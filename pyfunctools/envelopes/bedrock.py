"""Bedrock's Converse.

Source: botocore 1.44.5, the model of bedrock-runtime, read on 2026-11-21. Bytes stay bytes, as
boto3 expects. Llama and Mistral accept no other blocks in a message with results.
"""

import re
from collections.abc import Sequence
from json import dumps
from typing import Any, Final

from pyfunctools._json import JsonObject, text_of
from pyfunctools.envelopes.blocks import Blocks
from pyfunctools.envelopes.envelope import (
    CallResult,
    Choice,
    Data,
    Delta,
    Envelope,
    ModelTurn,
    StreamReader,
    media_type_of,
    named_tool,
    with_files_named,
)
from pyfunctools.envelopes.plain import (
    Ids,
    as_dict,
    as_list,
    call_of,
    dicts_in,
    member,
    merge,
    plain_data,
    read_input,
    sendable_input,
)
from pyfunctools.record.file import File

_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_FORMATS: Final = {
    "application/msword": ("document", "doc"),
    "application/pdf": ("document", "pdf"),
    "application/vnd.ms-excel": ("document", "xls"),
    f"{_OFFICE}.spreadsheetml.sheet": ("document", "xlsx"),
    f"{_OFFICE}.wordprocessingml.document": ("document", "docx"),
    "image/gif": ("image", "gif"),
    "image/jpeg": ("image", "jpeg"),
    "image/png": ("image", "png"),
    "image/webp": ("image", "webp"),
    "text/csv": ("document", "csv"),
    "text/html": ("document", "html"),
    "text/markdown": ("document", "md"),
    "text/plain": ("document", "txt"),
    "video/mp4": ("video", "mp4"),
    "video/mpeg": ("video", "mpeg"),
    "video/quicktime": ("video", "mov"),
    "video/webm": ("video", "webm"),
    "video/x-matroska": ("video", "mkv"),
}
"""Media types that a result may have: the type of the block, and its `format`."""
_UNNAMABLE: Final = re.compile(r"[^A-Za-z0-9()\[\]-]+")
"""Characters that the name of a document may not have."""


class ConverseReader(StreamReader):
    """Reads a message event by event, its blocks by `contentBlockIndex`."""

    @property
    def response(self) -> JsonObject:
        """The message so far; its stop reason is `max_tokens` until the stream sends one."""
        content = [plain_data(block) for block in self._blocks.values()]
        for block in content:
            if use := as_dict(block.get("toolUse")):
                use["input"] = read_input(use.get("input"))
        message = {"role": self._message.get("role") or "assistant", "content": content}
        return {"output": {"message": message}, "stopReason": self._reason or "max_tokens"}

    def _read(self, event: object) -> Delta:
        for kind, given in plain_data(event).items():
            data = as_dict(given)
            index = str(data.get("contentBlockIndex"))
            if self._reason is not None:
                break  # the message has ended
            if kind == "messageStart":
                self._message = data
            if kind == "contentBlockStart":
                self._blocks[index] = as_dict(data.get("start"))
                return _delta(self._blocks[index])
            if kind == "contentBlockDelta":
                return _add(self._blocks.setdefault(index, {}), as_dict(data.get("delta")))
            if kind == "messageStop":
                self._reason = data.get("stopReason")
        return Delta()


class Bedrock(Envelope):
    """The envelope of Converse."""

    name = "bedrock"
    stream_reader = ConverseReader

    def tool(self, name: str, description: str, schema: Data, *, strict: bool | None) -> Data:
        """Return a function as an item of `toolConfig`; `strict` only if it is true."""
        tool = {**named_tool(name, description), "inputSchema": {"json": schema}}
        return {"toolSpec": {**tool, "strict": True} if strict else tool}

    def listed(self, items: list[Data], *, cache: bool) -> list[Data]:
        """Return the items, the last one a mark for the cache if asked for."""
        return [*items, {"cachePoint": {"type": "default"}}] if cache and items else items

    def request(self, tools: list[Any], *, strict: bool = False) -> Data:
        """Return `toolConfig` with the list; an empty one must not be sent."""
        return {"toolConfig": {"tools": tools}} if tools else {}

    def choice(self, how: Choice, tools: list[Any]) -> Data:
        chosen: Data = {"any": {}} if isinstance(how, str) else {"tool": {"name": how[0]}}
        return {"toolConfig": {"tools": tools, "toolChoice": chosen}}

    def answer(self, name: str, schema: Data, *, strict: bool) -> Data:
        wanted = {"jsonSchema": {"name": name, "schema": dumps(schema)}}
        return {"outputConfig": {"textFormat": {"type": "json_schema", "structure": wanted}}}

    def is_response(self, value: object) -> bool:
        return member(member(value, "output"), "message") is not None

    def read_turn(self, response: object) -> ModelTurn:
        whole = plain_data(response)
        message = as_dict(as_dict(whole.get("output")).get("message"))
        blocks, ids = Blocks(message.get("role")), Ids()
        content = dicts_in(message.get("content"))
        for block in content:
            use, cited = as_dict(block.get("toolUse")), as_dict(block.get("citationsContent"))
            if use:
                use["toolUseId"] = ids.of(use.get("toolUseId"))
            for each in dicts_in(cited.get("content")) if cited else [block]:
                blocks.add(each)
            if use:
                use["input"] = sendable_input(use.get("input"))
        messages: tuple[JsonObject, ...] = ({**message, "content": content},)
        return blocks.turn(messages if content else (), whole.get("stopReason"))

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        content = [{"toolResult": _result(each)} for each in results]
        return ({"role": "user", "content": content},) if content else ()

    def user(self, text: str) -> JsonObject:
        return {"role": "user", "content": [{"text": text}]}


def _result(result: CallResult) -> Data:
    shown = [file for file in result.content if media_type_of(file) in _FORMATS]
    unseen = [file for file in result.content if media_type_of(file) not in _FORMATS]
    text = with_files_named(result.text, unseen)
    # An empty text is refused, and so is every later request with this message.
    texts = [{"text": text if text.strip() else "(empty)"}] if text.strip() or not shown else []
    return {
        "toolUseId": result.id,
        "content": [*texts, *(_file_block(file, number) for number, file in enumerate(shown, 1))],
        "status": "error" if result.is_error else "success",
    }


def _file_block(file: File, number: int) -> Data:
    kind, name = _FORMATS[media_type_of(file)]
    block: Data = {"format": name, "source": {"bytes": file.content}}
    if kind == "document":
        stem = (file.filename or "").rpartition(".")[0] or file.filename or "file"
        block["name"] = f"{_UNNAMABLE.sub('-', stem)[:190]}-{number}"
    return {kind: block}


def _add(block: Data, piece: Data) -> Delta:
    for key, given in piece.items():
        if key == "citation":  # a text block becomes one of cited content
            text = {"text": block.pop("text", "")}
            cited = block.setdefault("citationsContent", {"content": [text], "citations": []})
            cited["citations"].append(as_dict(given))
        elif key == "text" and isinstance(given, str):
            cited = as_list(as_dict(block.get("citationsContent")).get("content"))
            merge(cited[-1] if cited else block, {key: given})
            return Delta(text=given)
        elif key == "reasoningContent":
            thought = as_dict(given)
            if thought.get("redactedContent") is None:  # it is in words
                thought = {"reasoningText": {"text": "", **thought}}
            merge(block, {key: thought})
        elif key == "toolUse":
            merge(block, {key: {"input": text_of(as_dict(given).get("input"))}})
            return _delta(block)
    return Delta()


def _delta(block: Data) -> Delta:
    return Delta(call=call_of(block) if "toolUse" in block else None, place=id(block))
