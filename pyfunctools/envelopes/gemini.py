"""Gemini's `generateContent`, and its older subset of schemas (`gemini-schema`).

Source: google-genai 3.4.0 `types.py`, read on 2026-11-21. The API accepts names in camel and in
snake case. A turn has to be sent back unchanged: the API rejects one whose `thoughtSignature` is
missing or in another part. The results of calls without ids are matched with them by their order.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.attachments import IMAGES, base64_of, media_type_of, with_files_named
from pyfunctools.envelopes.blocks import Blocks, is_cut
from pyfunctools.envelopes.envelope import CallResult, Delta, ModelTurn, named_tool
from pyfunctools.envelopes.sdk_data import as_dict, dicts_in, first_dict, grow, member, plain_data
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.record.file import File

_ACCEPTED: Final = IMAGES - {"image/gif"} | {"application/pdf", "text/plain"}
"""Media types that a result may have."""


class Gemini:
    """The envelope of `generateContent`; `older` is the subset for models before 3."""

    def __init__(self, name: str = "gemini", *, older: bool = False) -> None:
        self.name = name
        self._older = older

    def tool(
        self, name: str, description: str, schema: dict[str, Any], *, strict: bool | None
    ) -> dict[str, Any]:
        """Return a function as an item of `functionDeclarations`."""
        tool = named_tool(name, description)
        if not self._older:
            return {**tool, "parametersJsonSchema": schema}
        return {**tool, "parameters": schema} if schema.get("properties") else tool

    def request(self, tools: list[dict[str, Any]]) -> dict[str, Any]:
        """Return `tools` with all functions in one item."""
        return {"tools": [{"functionDeclarations": tools}]} if tools else {}

    def is_response(self, value: object) -> bool:
        """Return whether this is a response, also one that refuses the prompt."""
        names = ("candidates", "promptFeedback", "prompt_feedback")
        return any(member(value, name) is not None for name in names)

    def read_turn(self, response: object) -> ModelTurn:
        """Return the turn of the first candidate."""
        candidate = first_dict(plain_data(response).get("candidates"))
        content = as_dict(candidate.get("content"))
        parts = dicts_in(content.get("parts"))
        blocks = Blocks()
        for part in parts:
            blocks.add(part)
        cut = is_cut(candidate.get("finishReason") or candidate.get("finish_reason"))
        return ModelTurn(
            messages=(content,) if parts else (),
            text=blocks.text,
            calls=blocks.calls(cut=cut),
            cut=cut,
        )

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return one content with all results, in the order of the calls."""
        parts = [{"functionResponse": self._result(each)} for each in results]
        return ({"role": "user", "parts": parts},) if parts else ()

    def stream_reader(self) -> "ContentReader":
        """Return a reader of `streamGenerateContent`."""
        return ContentReader()

    def _result(self, result: CallResult) -> dict[str, Any]:
        accepted = frozenset[str]() if self._older else _ACCEPTED
        shown = [file for file in result.content if media_type_of(file) in accepted]
        unseen = [file for file in result.content if media_type_of(file) not in accepted]
        text = with_files_named(result.text, unseen)
        made: dict[str, Any] = {"name": result.call.name}
        if result.call.id is not None:
            made["id"] = result.call.id
        made["response"] = {"error" if result.is_error else "output": text}
        if shown:
            made["parts"] = [{"inlineData": _inline(file)} for file in shown]
        return made


def _inline(file: File) -> dict[str, Any]:
    made = {"mimeType": media_type_of(file), "data": base64_of(file)}
    return {**made, "displayName": file.filename} if file.filename else made


class ContentReader:
    """Reads a content chunk by chunk, each with whole parts.

    On request Vertex streams a call in pieces: `partialArgs`, each with a JSON Path, until one
    without `willContinue`.
    """

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []
        self._role = "model"
        self._reason: JsonValue = None
        self._continues = False

    @property
    def response(self) -> JsonObject:
        """The response so far; its finish reason is `MAX_TOKENS` until the stream sends one."""
        content = {"role": self._role, "parts": [plain_data(part) for part in self._parts]}
        reason = self._reason or "MAX_TOKENS"
        return {"candidates": [{"content": content, "finishReason": reason}]}

    def feed(self, event: object) -> Delta:
        """Return the change that a chunk makes to the first candidate."""
        candidate = first_dict(plain_data(event).get("candidates"))
        self._reason = (
            candidate.get("finishReason") or candidate.get("finish_reason") or self._reason
        )
        blocks = Blocks()
        for part in dicts_in(as_dict(candidate.get("content")).get("parts")):
            called = as_dict(part.get("functionCall") or part.get("function_call"))
            if self._continues or _pieces(called) or _will_continue(called):
                blocks.add(plain_data(self._piece(part, called)))
            else:
                blocks.add(part)
                self._add(part)
        calls = blocks.calls(cut=False)
        return Delta(text=blocks.text, call=calls[-1] if calls else None)

    def _piece(self, part: dict[str, Any], called: dict[str, Any]) -> dict[str, Any]:
        """Add a piece of a call, and return the part of the whole call."""
        others = {key: inner for key, inner in part.items() if key not in _CALL}
        if not self._continues:
            self._parts.append({"functionCall": {"args": {}}})
        whole = self._parts[-1]
        whole |= others
        call = whole["functionCall"]
        for key in ("id", "name"):
            if called.get(key) is not None:
                call[key] = called[key]
        call["args"] |= as_dict(called.get("args"))
        for piece in _pieces(called):
            _put(call["args"], piece)
        self._continues = _will_continue(called)
        return whole

    def _add(self, part: dict[str, Any]) -> None:
        """Add a part. Only a text without a signature is joined with the text before it."""
        last = self._parts[-1] if self._parts else {}
        bare = part.keys() == last.keys() <= {"text", "thought"} and "text" in part
        if bare and part.get("thought") == last.get("thought"):
            grow(last, "text", part["text"])
        else:
            self._parts.append(part)


_CALL: Final = ("functionCall", "function_call")
_STEP: Final = re.compile(
    r"""\.([^.\[]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]"""
)
_PATH: Final = re.compile(rf"\$(?:{_STEP.pattern})+")


def _pieces(called: dict[str, Any]) -> list[dict[str, Any]]:
    return dicts_in(called.get("partialArgs") or called.get("partial_args"))


def _will_continue(called: dict[str, Any]) -> bool:
    return bool(called.get("willContinue") or called.get("will_continue"))


def _put(args: dict[str, Any], piece: dict[str, Any]) -> None:
    """Add a piece of the arguments; if its path is invalid, the path becomes a member's name."""
    path = str(piece.get("jsonPath") or piece.get("json_path"))
    named = (f"{kind}{end}" for kind in ("string", "number", "bool") for end in ("Value", "_value"))
    value = next((piece[name] for name in named if piece.get(name) is not None), None)
    keys = _keys_of(path)
    try:
        _placed(args, keys if len(keys) <= DEFAULT_LIMITS.depth else [path], value)
    except LookupError:
        args[path] = value


def _keys_of(path: str) -> list[str | int]:
    if _PATH.fullmatch(path) is None:
        return [path]
    steps = (found.groups() for found in _STEP.finditer(path))
    return [int(at) if at else re.sub(r"\\(.)", r"\1", a or b or c) for a, at, b, c in steps]


def _placed(whole: Any, keys: list[str | int], piece: JsonValue) -> Any:
    """Return a value with a piece added at these keys; text is appended to existing text.

    Raises:
        LookupError: the keys do not exist, and cannot be added.
    """
    if not keys:
        return whole + piece if isinstance(whole, str) and isinstance(piece, str) else piece
    key, below = keys[0], keys[1:]
    if isinstance(key, int):
        listed: list[Any] = [] if whole is None else whole
        if not isinstance(listed, list) or key > len(listed):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise LookupError(key)
        listed += [None] if key == len(listed) else []
        listed[key] = _placed(listed[key], below, piece)
        return listed
    members: dict[str, Any] = {} if whole is None else whole
    if not isinstance(members, dict):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise LookupError(key)
    members[key] = _placed(members.get(key), below, piece)
    return members
