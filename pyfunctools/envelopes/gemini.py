"""Gemini's `generateContent`, and its older subset of schemas.

Source: google-genai 3.4.0 `types.py`, read on 2026-11-21. The API accepts names in camel and in
snake case. A turn has to be sent back unchanged: the API rejects one whose `thoughtSignature` is
missing or in another part. The results of calls without ids are matched with them by their order.
"""

import re
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
    base64_of,
    media_type_of,
    named_tool,
    with_files_named,
)
from pyfunctools.envelopes.plain import as_dict, dicts_in, first_dict, grow, member, plain_data
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.record.file import File

_ACCEPTED: Final = IMAGES - {"image/gif"} | {"application/pdf", "text/plain"}
"""Media types that a result may have."""


class ContentReader(StreamReader):
    """Reads a content chunk by chunk, each with whole parts.

    On request Vertex streams a call in pieces: `partialArgs`, each with a JSON Path, until one
    without `willContinue`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[Data] = []
        self._role: JsonValue = "model"
        self._said: Data = {}
        self._blocked: Data = {}
        self._continues = False

    @property
    def response(self) -> JsonObject:
        """The response so far; its finish reason is `MAX_TOKENS` until the stream sends one."""
        content = {"role": self._role, "parts": [plain_data(part) for part in self._parts]}
        candidate = {"content": content, "finishReason": self._reason or "MAX_TOKENS"}
        return {"candidates": [{**candidate, **self._said}], **self._blocked}

    def feed(self, event: object) -> Delta:
        """Return the change that a chunk makes to the first candidate."""
        chunk = plain_data(event)
        candidate = first_dict(chunk.get("candidates"))
        if said := candidate.get("finishMessage") or candidate.get("finish_message"):
            self._said = {"finishMessage": said}
        if blocked := chunk.get("promptFeedback") or chunk.get("prompt_feedback"):
            self._blocked = {"promptFeedback": blocked}
        self._reason = (
            candidate.get("finishReason") or candidate.get("finish_reason") or self._reason
        )
        content = as_dict(candidate.get("content"))
        self._role = content.get("role") or self._role
        blocks = Blocks(self._role)
        for part in dicts_in(content.get("parts")):
            called = as_dict(part.get("functionCall") or part.get("function_call"))
            if self._continues or _pieces(called) or _will_continue(called):
                blocks.add(self._piece(part, called))
            else:
                blocks.add(part)
                self._add(part)
        calls = blocks.calls()
        return Delta(text=blocks.text, call=calls[-1] if calls else None)

    def _piece(self, part: Data, called: Data) -> Data:
        """Add a piece of a call, and return the part of the whole call."""
        others = {key: inner for key, inner in part.items() if key not in _CALL}
        if not self._continues:
            self._parts.append({"functionCall": {"args": {}}})
        call = dict(self._parts[-1]["functionCall"])
        for key in ("id", "name"):
            if called.get(key) is not None:
                call[key] = called[key]
        call["args"] = {**call["args"], **as_dict(called.get("args"))}
        for piece in _pieces(called):
            call["args"] = _with_piece(call["args"], piece)
        self._continues = _will_continue(called)
        self._parts[-1] = {**self._parts[-1], **others, "functionCall": call}
        return self._parts[-1]

    def _add(self, part: Data) -> None:
        """Add a part. Only a text without a signature is joined with the text before it."""
        last = self._parts[-1] if self._parts else {}
        bare = part.keys() == last.keys() <= {"text", "thought"} and "text" in part
        if bare and part.get("thought") == last.get("thought"):
            grow(last, "text", part["text"])
        else:
            self._parts.append(part)


class Gemini(Envelope):
    """The envelope of `generateContent`; `lean` is the subset for models before 3."""

    name = "gemini"
    stream_reader = ContentReader

    def __init__(self, *, lean: bool = False) -> None:
        self._lean = lean

    def tool(self, name: str, description: str, schema: Data, *, strict: bool | None) -> Data:
        tool = named_tool(name, description)
        if not self._lean:
            return {**tool, "parametersJsonSchema": schema}
        return {**tool, "parameters": schema} if schema.get("properties") else tool

    def listed(self, items: list[Data], *, cache: bool) -> list[Data]:
        """Return one item with all functions; other tools may stand beside it."""
        return [{"functionDeclarations": items}] if items else []

    def request(self, tools: list[Any], *, strict: bool = False) -> Data:
        """Return the list and its mode, as keys of `config`; `VALIDATED` enforces the schemas."""
        made: Data = {"tools": tools} if tools else {}
        return {**made, **_mode("VALIDATED")} if strict and tools else made

    def choice(self, how: Choice, tools: list[Any]) -> Data:
        if isinstance(how, str):
            return _mode(how.upper())
        return _mode("ANY", allowed_function_names=list(how))

    def answer(self, name: str, schema: Data, *, strict: bool) -> Data:
        """Return the media type and the schema, as keys of `config`."""
        key = "response_schema" if self._lean else "response_json_schema"
        return {"response_mime_type": "application/json", key: schema}

    def is_response(self, value: object) -> bool:
        """Return whether this is a response, also one that refuses the prompt."""
        names = ("candidates", "promptFeedback", "prompt_feedback")
        return any(member(value, name) is not None for name in names)

    def read_turn(self, response: object) -> ModelTurn:
        whole = plain_data(response)
        candidate = first_dict(whole.get("candidates"))
        blocked = as_dict(whole.get("promptFeedback") or whole.get("prompt_feedback"))
        content = as_dict(candidate.get("content"))
        parts = dicts_in(content.get("parts"))
        blocks = Blocks(content.get("role"))
        for part in parts:
            blocks.add(part)
        reason = candidate.get("finishReason") or candidate.get("finish_reason")
        refused = blocked.get("blockReason") or blocked.get("block_reason")
        said = candidate.get("finishMessage") or candidate.get("finish_message")
        turn = blocks.turn((content,) if parts else (), reason, broken=said)
        return replace(turn, ended="filter", ended_as=str(refused)) if refused else turn

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return one content with all results, in the order of the calls."""
        parts = [{"functionResponse": self._result(each)} for each in results]
        return ({"role": "user", "parts": parts},) if parts else ()

    def user(self, text: str) -> JsonObject:
        return {"role": "user", "parts": [{"text": text}]}

    def _result(self, result: CallResult) -> Data:
        accepted = frozenset[str]() if self._lean else _ACCEPTED
        shown = [file for file in result.content if media_type_of(file) in accepted]
        unseen = [file for file in result.content if media_type_of(file) not in accepted]
        text = with_files_named(result.text, unseen)
        made: Data = {"name": result.call.name}
        if result.call.id is not None:
            made["id"] = result.call.id
        made["response"] = {"error" if result.is_error else "output": text}
        if shown:
            made["parts"] = [{"inlineData": _inline(file)} for file in shown]
        return made


def _mode(mode: str, **more: Any) -> Data:
    return {"tool_config": {"function_calling_config": {"mode": mode, **more}}}


def _inline(file: File) -> Data:
    made = {"mimeType": media_type_of(file), "data": base64_of(file)}
    return {**made, "displayName": file.filename} if file.filename else made


_CALL: Final = ("functionCall", "function_call")
_STEP: Final = re.compile(
    r"""\.([^.\[]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]"""
)
_PATH: Final = re.compile(rf"\$(?:{_STEP.pattern})+")


def _pieces(called: Data) -> list[Data]:
    return dicts_in(called.get("partialArgs") or called.get("partial_args"))


def _will_continue(called: Data) -> bool:
    return bool(called.get("willContinue") or called.get("will_continue"))


def _with_piece(args: Data, piece: Data) -> Data:
    """Return the arguments with a piece; if its path is invalid, the path is a member's name.

    What the piece does not reach is shared with the arguments before, which a `Delta` has.
    """
    path = str(piece.get("jsonPath") or piece.get("json_path"))
    named = (f"{kind}{end}" for kind in ("string", "number", "bool") for end in ("Value", "_value"))
    value = next((piece[name] for name in named if piece.get(name) is not None), None)
    keys = _keys_of(path)
    try:
        return _placed(args, keys if len(keys) <= DEFAULT_LIMITS.depth else [path], value)
    except LookupError:
        return {**args, path: value}


def _keys_of(path: str) -> list[str | int]:
    if _PATH.fullmatch(path) is None:
        return [path]
    steps = (found.groups() for found in _STEP.finditer(path))
    return [int(at) if at else re.sub(r"\\(.)", r"\1", a or b or c) for a, at, b, c in steps]


def _placed(whole: Any, keys: list[str | int], piece: JsonValue) -> Any:
    """Return a value with a piece added at these keys; text is appended to existing text."""
    if not keys:
        return whole + piece if isinstance(whole, str) and isinstance(piece, str) else piece
    key, below = keys[0], keys[1:]
    if isinstance(key, int):
        listed: list[Any] = [] if whole is None else whole
        if not isinstance(listed, list) or key > len(listed):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise LookupError(key)
        listed = [*listed, *([None] if key == len(listed) else [])]
        listed[key] = _placed(listed[key], below, piece)
        return listed
    members: Data = {} if whole is None else whole
    if not isinstance(members, dict):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise LookupError(key)
    return {**members, key: _placed(members.get(key), below, piece)}
