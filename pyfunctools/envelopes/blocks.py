"""The texts and calls in a model's turn, of any vendor.

Every envelope adds the blocks of its vendor to `Blocks`. It reads known blocks of text and calls,
and skips all others: thoughts, results of the vendor's own tools, calls of other servers,
documents, and unknown types. `Reply` finds the blocks in a response, a message, a block or a list
of any vendor, for `parse_calls`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from itertools import count
from typing import Final, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.envelope import Ended, ModelCall, ModelTurn
from pyfunctools.envelopes.plain import CALL_KEYS, call_of, copied
from pyfunctools.errors import DocumentError
from pyfunctools.schema.ground.call_keys import ARGUMENT_KEYS, ID_KEYS, NAME_KEYS

BLOCK_KEYS: Final = (
    *("type", "part_kind", "kind", "thought", "function", "custom", "status", "namespace"),
    *("toolset_name", "caller", "providerExecuted", "provider_executed"),
    *(*CALL_KEYS, *NAME_KEYS, *ARGUMENT_KEYS, *ID_KEYS),
)
"""All keys of a block that are read, except its text."""
REASON_KEYS: Final = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason")
"""Keys of the reason why a message ended."""
MAX_CALLS: Final = 1_000
"""The most calls that are read from one text or message."""
TEXT_TYPES: Final = frozenset({"output_text", "text"})
"""Types of a text block."""
CALL_TYPES: Final = frozenset(
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

    @property
    def text(self) -> str:
        return "".join(self._words)

    def add(self, block: JsonValue) -> None:
        """Read one block of a message's content."""
        if not isinstance(block, dict) or block.get("thought") is True:
            self.skip()
            return
        kind = block_type(block)
        if kind in CALL_TYPES:
            self.add_call_block(block)
        elif kind in TEXT_TYPES:
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


_FIRST: Final = ("choices", "candidates")
"""Keys of alternatives, of which the first is read."""
_OUTPUTS: Final = (*_FIRST, "output", "outputs")
"""Keys with the whole content of a response; other keys (Gemini's `text`) repeat a part."""
CONTENT_KEYS: Final = ("message", "content", "parts", "text", "generated_text")
"""Keys of a message's content."""
_FIELDS: Final = ("role", "raw_item", "output", *REASON_KEYS, *CONTENT_KEYS, *BLOCK_KEYS)
"""The attributes that are read from an object that is not a mapping."""
_KNOWN: Final = frozenset({*_FIELDS, *_OUTPUTS})

_MESSAGES: Final = frozenset(
    {
        *("ai", "aimessage", "aimessagechunk", "assistant", "message", "message_output"),
        *("message_output_item", "model_output", "response", "tool_call_item"),
    }
)
"""Types of a message, or of an object that contains a message."""
_DEEPEST: Final = 70
_MOST_OBJECTS: Final = 10_000


class Reply(Blocks):
    """The blocks of a reply, and the `reason` why it is incomplete, if it is.

    `written` is called with each object that is not a vendor's message but JSON that the model
    wrote; it returns the calls in the object.
    """

    def __init__(
        self, value: JsonValue, written: Callable[[JsonObject], Iterable[ModelCall]]
    ) -> None:
        super().__init__()
        self.reason: JsonValue = None
        self._written = written
        self._any(value, 0)

    def _any(self, value: JsonValue, depth: int, *, block: bool = False) -> None:
        if len(self._calls) > MAX_CALLS or depth > _DEEPEST:
            return
        if isinstance(value, str):
            self.add_text(value)
        elif isinstance(value, list):
            for item in value:
                self._any(item, depth + 1, block=block)
        elif isinstance(value, dict):
            self._object(value, depth, block=block)

    def _object(self, value: JsonObject, depth: int, *, block: bool) -> None:
        if not block and value.keys().isdisjoint(_KNOWN):
            self._add_written(value)
            return
        role = value.get("role")
        if is_foreign(role):
            return
        kind = block_type(value)
        if kind in _MESSAGES:
            self._members(value, depth)
        elif kind is not None or (block and role is None):
            self.add(value)
        elif not self._members(value, depth):
            self._add_written(value)

    def _members(self, value: JsonObject, depth: int) -> bool:
        """Read the content of a message or response; return whether the value is one."""
        reasons = (value.get(key) for key in ("status", *REASON_KEYS))
        self.reason = self.reason or next(filter(is_cut, reasons), None)
        for key in _OUTPUTS:
            inner = value.get(key)
            if isinstance(inner, list) and key in _FIRST:
                self._any(inner[0] if inner else None, depth + 1)
                return True
            if isinstance(inner, dict | list):
                self._any(inner, depth + 1, block=isinstance(inner, list))
                return True
        if isinstance(item := value.get("raw_item"), dict):
            self._object(item, depth + 1, block=False)
            return True
        found = False
        for key in CONTENT_KEYS:
            inner = value.get(key)
            if key == "text" and not is_model_text(value):
                continue
            if inner is not None:
                found = True
                blocks = key in ("content", "parts") and isinstance(inner, list)
                self._any(inner, depth + 1, block=blocks)
        for key in CALL_KEYS:
            inner = value.get(key)
            if isinstance(inner, dict | list):
                found = True
                for each in inner if isinstance(inner, list) else [inner]:
                    self.add_call_block(each)
        return found

    def _add_written(self, value: JsonObject) -> None:
        for call in self._written(value):
            self.add_call(call)


def data_of(raw: object) -> JsonValue:
    """Return mappings, sequences and SDK objects as dictionaries and lists.

    Raises:
        DocumentError: it is neither a text nor a message.
    """
    objects = count()

    def copy(value: object) -> object:
        if isinstance(value, Enum):
            value = cast("object", value.value)
        if isinstance(value, bytes | bytearray):
            return bytes(value).decode(errors="surrogateescape")
        if isinstance(value, str | int | float | None):
            return value
        if isinstance(value, Mapping):
            return dict(cast("Mapping[object, object]", value))
        if isinstance(value, Sequence):
            return list(cast("Sequence[object]", value))
        members = _fields(value) if next(objects) < _MOST_OBJECTS else {}
        return members or value  # what cannot be read is refused when it is checked

    found = copied(raw, copy)
    if found is raw and not isinstance(raw, str | int | float | None):
        raise DocumentError(
            "The model's output",
            f"A {type(raw).__name__} is neither a text nor a message.",
            remedy="Pass the text, or the message of the vendor's SDK.",
        )
    return cast("JsonValue", found)


def _fields(raw: object) -> dict[object, object]:
    """Return the known fields of an object; of one with a whole response, only these."""
    whole: dict[object, object] = {
        name: each
        for name, each in _present(raw, _OUTPUTS).items()
        if isinstance(each, list | tuple)
    }
    return {**whole, **_present(raw, ("role", "status", *REASON_KEYS) if whole else _FIELDS)}


def _present(raw: object, names: Sequence[str]) -> dict[object, object]:
    found: dict[object, object] = {}
    for name in names:
        with suppress(Exception):  # a property may raise anything; then the field is missing
            value = getattr(raw, name, None)
            if value is not None and not callable(value):
                found[name] = value
    return found
