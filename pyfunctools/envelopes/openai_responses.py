"""Responses: OpenAI's newer API, in which a turn is a list of items.

Source: openai 3.54.0 `types/responses`, read on 2026-11-21. All items of a turn have to be sent
back unchanged, also reasoning, which belongs to the calls after it. A result has no error flag: its
text begins with `Error:`. `strict` is always written, since the API does not treat a missing one as
false.
"""

from collections.abc import Sequence, Set
from typing import Any, Final

from pyfunctools._json import JsonObject
from pyfunctools.envelopes.blocks import Blocks, is_foreign
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
from pyfunctools.envelopes.plain import Ids, as_dict, call_of, dicts_in, member, merge, plain_data
from pyfunctools.record.file import File

_OF_THE_SDK: Final = {
    "output": {"__all__": {"parsed_arguments": True, "content": {"__all__": {"parsed"}}}}
}
"""Additions of `client.responses.parse`, which the server does not accept back."""
_CALLS: Final = frozenset({"custom_tool_call", "function_call"})
_ASKED: Final = frozenset(
    {
        "apply_patch_call",
        "computer_call",
        "local_shell_call",
        "mcp_approval_request",
        "shell_call",
    }
)
"""Items of tools that the program runs, unless the vendor has: then the output is there too."""
_PIECES: Final = {
    "response.custom_tool_call_input.delta": "input",
    "response.function_call_arguments.delta": "arguments",
    "response.output_text.delta": "text",
    "response.refusal.delta": "refusal",
}
"""Events with a piece of an item, and the member that it is appended to."""
_ENDS: Final = frozenset(
    {"response.cancelled", "response.completed", "response.failed", "response.incomplete"}
)


class ResponsesReader(StreamReader):
    """Reads a response event by event, its items by id, never by order."""

    def __init__(self) -> None:
        super().__init__()
        self._items: list[_Item] = []
        self._final: Data = {}

    @property
    def response(self) -> JsonObject:
        """The response so far, `incomplete` until its last event.

        Of messages and calls that are not done, the part received so far is included.
        """
        parts = (*_CALLS, "message")
        output = [each.item for each in self._items if each.done or each.item.get("type") in parts]
        final = self._final or {"object": "response", "status": "incomplete"}
        return plain_data({**final, "output": final.get("output") or output})

    def _read(self, event: object) -> Delta:
        data = {} if self._final else plain_data(event)
        kind = str(data.get("type"))
        if kind in _ENDS:
            self._final = {"status": kind.rpartition(".")[2], **as_dict(data.get("response"))}
        elif kind in ("response.output_item.added", "response.output_item.done"):
            return self._item(data, done=kind.endswith("done"))
        elif kind in _PIECES:
            found = self._find(data.get("item_id"), data.get("output_index"))
            piece = data.get("delta")
            if found is not None and isinstance(piece, str):
                return found.add(_PIECES[kind], piece, str(data.get("content_index")))
        return Delta()

    def _item(self, data: Data, *, done: bool) -> Delta:
        item, index = as_dict(data.get("item")), data.get("output_index")
        found = self._find(item.get("id"), index)
        if found is None:
            found = _Item(item, index)
            self._items.append(found)
        found.item, found.done = item, done
        is_call = str(item.get("type")) in _CALLS
        return Delta(call=call_of(item) if is_call else None, place=id(found))

    def _find(self, name: object, index: object) -> "_Item | None":
        """Return an item by its id, or else by its index, since some servers change ids."""
        named = (each for each in self._items if name is not None and each.item.get("id") == name)
        placed = (each for each in self._items if index is not None and each.index == index)
        return next(named, None) or next(placed, None)


class OpenAIResponses(Envelope):
    """The envelope of Responses."""

    name = "openai-responses"
    stream_reader = ResponsesReader

    def tool(self, name: str, description: str, schema: Data, *, strict: bool | None) -> Data:
        tool = {"type": "function", **named_tool(name, description)}
        return {**tool, "parameters": schema, "strict": bool(strict)}

    def choice(self, how: Choice, tools: list[Any]) -> Data:
        if isinstance(how, str):
            return {"tool_choice": {"any": "required"}.get(how, how)}
        named = [{"type": "function", "name": name} for name in how]
        if len(named) == 1:
            return {"tool_choice": named[0]}
        return {"tool_choice": {"type": "allowed_tools", "mode": "required", "tools": named}}

    def answer(self, name: str, schema: Data, *, strict: bool) -> Data:
        wanted = {"type": "json_schema", "name": name, "schema": schema, "strict": strict}
        return {"text": {"format": wanted}}

    def is_response(self, value: object) -> bool:
        """Return whether this is a response: its `output` is a list."""
        return isinstance(member(value, "output"), list | tuple)

    def read_turn(self, response: object) -> ModelTurn:
        whole = plain_data(response, _OF_THE_SDK)
        blocks, ids = Blocks(), Ids()
        output = dicts_in(whole.get("output"))
        for item in output:
            kind = str(item.get("type"))
            if kind in _CALLS:
                item["call_id"] = ids.of(item.get("call_id"))
                blocks.add_call_block(item)
            elif kind == "message" and not is_foreign(item.get("role")):
                for part in dicts_in(item.get("content")):
                    blocks.add(part)
            else:
                blocks.skip()
        detail = as_dict(whole.get("incomplete_details")).get("reason")
        kinds = {str(each.get("type")) for each in output}
        waits = any(_waits(each, kinds) for each in output)
        return blocks.turn(tuple(output), whole.get("status"), waits=waits, word=detail)

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        return tuple(map(_result, results))


def _waits(item: JsonObject, kinds: Set[str]) -> bool:
    """Return whether the API waits for the program's answer to an item that is no call of ours."""
    kind = str(item.get("type"))
    asks = kind in _ASKED or (kind == "tool_search_call" and item.get("execution") == "client")
    return asks and kind + "_output" not in kinds


def _result(result: CallResult) -> JsonObject:
    text = text_with_error(result, ())
    output: Any = text
    if result.content:
        texts = [{"type": "input_text", "text": text}] if text else []
        output = [*texts, *map(_file_part, result.content)]
    item: Data = {
        "type": "custom_tool_call_output" if result.call.custom else "function_call_output",
        "call_id": result.id,
        "output": output,
    }
    if result.call.namespace is not None and not result.call.custom:
        item["namespace"] = result.call.namespace
    if result.call.caller is not None:
        item["caller"] = result.call.caller
    return item


def _file_part(file: File) -> Data:
    if media_type_of(file) in IMAGES:
        return {"type": "input_image", "image_url": data_url(file), "detail": "auto"}
    name = file.filename or "file"
    return {"type": "input_file", "filename": name, "file_data": data_url(file)}


class _Item:
    """An item of the output, done or still being received."""

    def __init__(self, item: Data, index: object) -> None:
        self.item = item
        self.index = index
        self.done = False
        self._parts: dict[str, Data] = {}

    def add(self, key: str, piece: str, part: str) -> Delta:
        """Append a piece to the arguments of a call, or to a part of a message."""
        self.item["status"] = "incomplete"
        if key in ("arguments", "input"):
            merge(self.item, {key: piece})
            return Delta(call=call_of(self.item), place=id(self))
        if part not in self._parts:
            kind = "refusal" if key == "refusal" else "output_text"
            self._parts[part] = {"type": kind, key: "", "annotations": []}
            self.item["content"] = list(self._parts.values())
        merge(self._parts[part], {key: piece})
        return Delta(text=piece)
