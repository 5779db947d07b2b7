"""Gemini's `generateContent`, and its older subset of schemas.

Source: google-genai 3.4.0 `types.py`, read on 2026-11-21. The API accepts names in camel and in
snake case. A turn has to be sent back unchanged: the API rejects one whose `thoughtSignature` is
missing or in another part. The results of calls without ids are matched with them by their order.
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
    base64_of,
    media_type_of,
    named_tool,
    with_files_named,
)
from pyfunctools.envelopes.plain import as_dict, dicts_in, first_dict, member, merge, plain_data
from pyfunctools.errors import DefinitionError
from pyfunctools.record.file import File

_ACCEPTED: Final = IMAGES - {"image/gif"} | {"application/pdf", "text/plain"}
"""Media types that a result may have."""


class ContentReader(StreamReader):
    """Reads a content chunk by chunk, each with whole parts.

    Raises:
        DefinitionError: a call comes in pieces (`partialArgs`), as Vertex sends it on request.
    """

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[Data] = []
        self._role: JsonValue = "model"
        self._said: Data = {}
        self._blocked: Data = {}

    @property
    def response(self) -> JsonObject:
        """The response so far; its finish reason is `MAX_TOKENS` until the stream sends one."""
        content = {"role": self._role, "parts": [plain_data(part) for part in self._parts]}
        candidate = {"content": content, "finishReason": self._reason or "MAX_TOKENS"}
        return {"candidates": [{**candidate, **self._said}], **self._blocked}

    def _read(self, event: object) -> Delta:
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
            if not _OF_PIECES.isdisjoint(called):
                raise DefinitionError(
                    "Gemini's stream",
                    "It has the arguments of a call in pieces (`partialArgs`).",
                    "Leave `stream_function_call_arguments` out of the request.",
                )
            blocks.add(part)
            self._add(part)
        calls = blocks.calls()
        return Delta(text=blocks.text, call=calls[-1] if calls else None)

    def _add(self, part: Data) -> None:
        """Add a part. Only a text without a signature is joined with the text before it."""
        last = self._parts[-1] if self._parts else {}
        bare = part.keys() == last.keys() <= {"text", "thought"} and "text" in part
        if bare and part.get("thought") == last.get("thought"):
            merge(last, {"text": part["text"]})
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


_OF_PIECES: Final = frozenset({"partialArgs", "partial_args", "willContinue", "will_continue"})
"""Members of a call that comes in pieces."""
