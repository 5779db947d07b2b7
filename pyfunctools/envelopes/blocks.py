"""The blocks of a model's turn, of any vendor: its texts, and its calls of the functions.

Every envelope and `parse_calls` use this reader. It reads known blocks of text and calls, and skips
all others: thoughts, results of the vendor's own tools, calls of other servers, documents, and
unknown types.

    chat         {"id", "type": "function", "function": {"name", "arguments"}}
    responses    {"type": "function_call", "call_id", "name", "arguments", "status"}
    anthropic    {"type": "tool_use", "id", "name", "input"}
    gemini       {"functionCall": {"id", "name", "args"}}
    bedrock      {"toolUse": {"toolUseId", "name", "input"}}
"""

from collections.abc import Sequence
from dataclasses import replace
from os import urandom
from string import ascii_letters, digits
from typing import Final, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.envelope import Data, Ended, ModelCall, ModelTurn
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.parsing.strict import parse_strict

CALL_KEYS: Final = (
    "tool_calls",
    "toolCalls",
    "function_call",
    "functionCall",
    "function_calls",
    "toolUse",
)
"""Keys of one call or several, in a message or a block."""

NAME_KEYS: Final = ("name", "tool_name", "toolName")
"""Keys whose value is the name of a function."""
ARGUMENT_KEYS: Final = ("arguments", "input", "args", "parameters", "partial_json")
"""Keys whose value is the arguments."""
_IDS: Final = ("call_id", "tool_call_id", "toolCallId", "toolUseId", "tool_use_id", "id")
BLOCK_KEYS: Final = (
    *("type", "part_kind", "kind", "thought", "function", "custom", "status", "namespace"),
    *("toolset_name", "caller", "providerExecuted", "provider_executed"),
    *(*CALL_KEYS, *NAME_KEYS, *ARGUMENT_KEYS, *_IDS),
)
"""All keys of a block that are read, except its text."""
REASON_KEYS: Final = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason")
"""Keys of the reason why a message ended."""
MAX_CALLS: Final = 1_000
"""The most calls that are read from one text or message."""
_TEXTS: Final = frozenset({"output_text", "text"})
"""Types of a text block."""
_CALLS: Final = frozenset(
    {"custom", "custom_tool_call", "function", "function_call", "tool_call", "tool_use"}
)
"""Types of a call that the application has to run."""
_BESIDE_TEXT: Final = frozenset(
    {
        *("annotations", "cache_control", "citations", "index", "logprobs", "metadata"),
        *("part_metadata", "partMetadata", "text", "thought", "thoughtSignature"),
        *("thought_signature", "videoMetadata", "video_metadata", "id", "role", "tool_calls"),
        *("chat_history", "generation_id", "is_finished", "meta", "model", "response_id", "usage"),
        *REASON_KEYS,
    }
)
"""Keys that may stand beside the text of a block or message without a type."""
_ENDINGS: Final[dict[Ended, tuple[str, ...]]] = {
    "length": (
        *("incomplete", "length", "max_length", "max_output_tokens", "max_tokens"),
        *("model_context_window_exceeded", "model_length"),
    ),
    "refusal": ("refusal",),
    "filter": (
        *("blocklist", "content_filter", "content_filtered", "guardrail_intervened"),
        *("image_safety", "language", "model_armor", "prohibited_content", "recitation"),
        *("safety", "spii"),
    ),
    "malformed": (
        *("malformed_function_call", "malformed_model_output", "malformed_response"),
        *("malformed_tool_use", "unexpected_tool_call"),
    ),
    "other": (
        *("cancelled", "error", "failed", "in_progress", "insufficient_system_resource", "other"),
        *("queued", "timeout"),
    ),
}
"""Reasons of an incomplete response."""
_CUT: Final[dict[str, Ended]] = {word: how for how, words in _ENDINGS.items() for word in words}
_WHOLE: Final = frozenset(
    {
        *("complete", "completed", "end_turn", "eos", "finish_reason_unspecified"),
        *("function_call", "none", "stop", "stop_sequence", "tool_call", "tool_calls", "tool_use"),
    }
)
"""Reasons of a complete response, also without one."""
_VOID: Final = frozenset({"cancelled", "failed"})
"""Reasons of a response of which nothing counts, however complete a call in it is."""
OWN_ROLES: Final = frozenset({"assistant", "model", "ai", "chatbot"})
"""Roles of the model itself."""


def is_cut(reason: JsonValue) -> bool:
    """True if a response that ended for this reason is incomplete."""
    return isinstance(reason, str) and reason.lower() in _CUT


def block_type(block: JsonObject) -> str | None:
    """Return the `type` of a block or message in one spelling, `None` if it is missing."""
    kind = block.get("type") or block.get("part_kind") or block.get("kind")
    return kind.lower().replace("-", "_").replace(".", "_") if isinstance(kind, str) else None


def is_foreign(role: JsonValue) -> bool:
    """True if a message of this role is not the model's."""
    return role is not None and not (isinstance(role, str) and role.lower() in OWN_ROLES)


class Blocks:
    """The blocks of one turn, added in their order; none is read in a message of another `role`."""

    def __init__(self, role: JsonValue = None) -> None:
        self._foreign = is_foreign(role)
        self.texts: list[tuple[str, int]] = []
        """Each text with the index of its block."""
        self.count = 0
        self._is_refused = False
        self._words: list[str] = []
        self._calls: list[tuple[ModelCall, int, JsonValue]] = []

    def __len__(self) -> int:
        return len(self._calls)

    @property
    def text(self) -> str:
        return "".join(self._words)

    def add(self, block: JsonValue) -> None:
        """Read one block of a message's content."""
        if not isinstance(block, dict) or block.get("thought") is True:
            self.skip()
            return
        kind = block_type(block)
        if kind in _CALLS:
            self.add_call_block(block)
        elif kind in _TEXTS:
            self.add_text(block.get("text") or block.get("content"))
        elif kind == "refusal":
            self.add_refusal(block.get("refusal"))
        elif kind is None:
            self._untyped(block)
        else:
            self.skip()

    def add_text(self, text: JsonValue) -> None:
        """Add a text of the model."""
        self.count += 1
        if isinstance(text, str) and not self._foreign:
            self.texts.append((text, self.count))
            self._words.append(text)

    def add_refusal(self, text: JsonValue) -> None:
        """Add a refusal: text that is not searched for calls."""
        self.count += 1
        self._is_refused = self._is_refused or bool(text)
        self._words.append(text if isinstance(text, str) else "")

    def add_call_block(self, value: JsonValue) -> None:
        """Read a block that should be a call; other blocks are skipped."""
        made = call_of(value)
        if made is None:
            self.skip()
        else:
            self.add_call(made, value.get("status") if isinstance(value, dict) else None)

    def add_call(self, call: ModelCall, status: JsonValue = None) -> None:
        """Add a call, with the `status` of its block."""
        self.count += 1
        if not self._foreign:
            self._calls.append((call, self.count, status))

    def skip(self) -> None:
        self.count += 1

    def calls(self, reason: JsonValue = None) -> tuple[ModelCall, ...]:
        """Return the calls of a turn that ended for this reason.

        If it is cut, a call in its last block is not closed. OpenAI's `status` takes precedence: a
        `completed` call is closed; an `incomplete` call and all calls after it are not. If the
        vendor says that the response failed, no call is closed.
        """
        found: list[ModelCall] = []
        cut = is_cut(reason)
        broken = isinstance(reason, str) and reason.lower() in _VOID
        for call, place, status in self._calls:
            broken = broken or status == "incomplete"
            at_end = cut and place == self.count and status != "completed"
            found.append(replace(call, closed=False) if broken or at_end else call)
        return tuple(found)

    def turn(
        self,
        messages: tuple[JsonObject, ...],
        reason: JsonValue,
        *,
        waits: bool = False,
        word: JsonValue = None,
        broken: JsonValue = None,
    ) -> ModelTurn:
        """Return the turn of these blocks, which ended for this reason.

        `word` is the vendor's more exact word for it; `broken` what it says of a malformed call.
        """
        word = word or reason
        known = str(word).lower()
        ended = _CUT.get(known) or _CUT.get(str(reason).lower())
        if ended is None:
            plain = "refusal" if self._is_refused else "stop" if known in _WHOLE else "other"
            ended = "calls" if self._calls else plain
        return ModelTurn(
            messages=messages,
            text=self.text,
            calls=self.calls(reason),
            cut=is_cut(reason),
            waits=waits,
            ended=ended,
            ended_as=word if isinstance(word, str) else None,
            broken=str(broken or self.text) if ended == "malformed" else "",
        )

    def _untyped(self, block: JsonObject) -> None:
        """Read a block whose key is its type, as in Gemini and Bedrock."""
        members = {key: inner for key, inner in block.items() if inner is not None}
        calls = [key for key in CALL_KEYS if key in members]
        for key in calls:
            self.add_call_block(members[key])
        if not calls:
            self.add_text(members.get("text") if is_model_text(members) else None)


def is_model_text(block: JsonObject) -> bool:
    """Return whether the text of a block or message without a type is the model's text."""
    keys = {key for key, inner in block.items() if inner is not None}
    return keys <= _BESIDE_TEXT and not block.get("thought")


def call_of(value: JsonValue, depth: int = 0) -> ModelCall | None:
    """Return an object as a call, `None` if it is not one or the vendor runs it."""
    if not isinstance(value, dict) or _runs_at_vendor(value):
        return None
    inner = value.get("function") or value.get("custom")
    body = inner if isinstance(inner, dict) else value
    name = inner if isinstance(inner, str) else _first(body, NAME_KEYS)
    if body is value and not isinstance(name, str) and depth < 8:
        wrapped = next((value[key] for key in CALL_KEYS if key in value), None)
        if wrapped is not None:
            return call_of(wrapped, depth + 1)
    space = value.get("namespace") or value.get("toolset_name")
    return ModelCall(
        id=id_of(value),
        name=name if isinstance(name, str) else "",
        arguments=_first(value if isinstance(inner, str) else body, ARGUMENT_KEYS),
        namespace=space if isinstance(space, str) else None,
        caller=value.get("caller"),
        custom=block_type(value) in ("custom", "custom_tool_call"),
    )


def id_of(call: JsonObject) -> str | None:
    """Return the id of a call, `None` if it is missing."""
    name = _first(call, _IDS)
    return name if isinstance(name, str) else None


def _runs_at_vendor(call: JsonObject) -> bool:
    """True if the vendor runs this call itself."""
    kind = call.get("type")
    if isinstance(kind, str) and "server" in kind:
        return True
    return bool(call.get("providerExecuted") or call.get("provider_executed"))


def _first(value: JsonObject, keys: Sequence[str]) -> JsonValue:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def read_input(written: object) -> object:
    """Return streamed arguments: the object, or the text if it is not the JSON of an object."""
    if not isinstance(written, str):
        return written
    read = parse_strict(written, DEFAULT_LIMITS.depth)
    return read.value if read is not None and isinstance(read.value, dict) else written or {}


def sendable_input(written: object) -> Data:
    """Return arguments for a vendor that accepts only objects; text becomes `INVALID_JSON`."""
    if isinstance(written, dict):
        return cast("Data", written)
    return {"INVALID_JSON": written} if written else {}


_ALPHABET: Final = ascii_letters + digits


class Ids:
    """The ids of one turn, made unique."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def of(self, given: object) -> str:
        """Return the given id, or a new one if it is missing or repeated.

        A new id has nine letters and digits, which every vendor accepts; some models of Mistral
        accept nothing else. `"null"` is a missing id in Mistral's SDK.
        """
        made = given if isinstance(given, str) and given != "null" else ""
        while not made or made in self._seen:
            made = "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in urandom(9))
        self._seen.add(made)
        return made
