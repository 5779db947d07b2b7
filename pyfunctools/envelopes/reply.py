"""Reads the texts and calls of a response, a message or a block of any vendor, or a list of them.

A vendor's envelope reads only responses of that vendor, and keeps the blocks to send back. This
module reads responses of every vendor, as SDK objects or plain data, but only the texts and calls
in them. A message whose role is not the model's role is skipped.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from itertools import count
from typing import Final, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.blocks import (
    BLOCK_KEYS,
    CALL_KEYS,
    MAX_CALLS,
    REASON_KEYS,
    Blocks,
    block_type,
    is_cut,
    is_foreign,
    is_model_text,
)
from pyfunctools.envelopes.envelope import ModelCall, copied
from pyfunctools.errors import DocumentError

_FIRST: Final = ("choices", "candidates")
"""Keys of alternatives, of which the first is read."""
_WHOLE: Final = (*_FIRST, "output", "outputs")
"""Keys with the whole content of a response; other keys (Gemini's `text`) repeat a part."""
CONTENT_KEYS: Final = ("message", "content", "parts", "text", "generated_text")
"""Keys of a message's content."""
_FIELDS: Final = ("role", "raw_item", "output", *REASON_KEYS, *CONTENT_KEYS, *BLOCK_KEYS)
"""The attributes that are read from an object that is not a mapping."""
_FIELDS_AND_WHOLE: Final = frozenset({*_FIELDS, *_WHOLE})

_MESSAGES: Final = frozenset(
    {
        *("ai", "aimessage", "aimessagechunk", "assistant", "message", "message_output"),
        *("message_output_item", "model_output", "response", "tool_call_item"),
    }
)
"""Types of a message, or of an object that contains a message."""
_DEEPEST: Final = 70
_MOST_OBJECTS: Final = 10_000


class Reply:
    """The `blocks` of a reply, and the `reason` why it is incomplete, if it is.

    `written` is called with each object that is not a vendor's message but JSON that the model
    wrote; it returns the calls in the object.
    """

    def __init__(
        self, value: JsonValue, written: Callable[[JsonObject], Iterable[ModelCall]]
    ) -> None:
        self.blocks = Blocks()
        self.reason: JsonValue = None
        self._written = written
        self._any(value, 0)

    def _any(self, value: JsonValue, depth: int, *, block: bool = False) -> None:
        if len(self.blocks) > MAX_CALLS or depth > _DEEPEST:
            return
        if isinstance(value, str):
            self.blocks.add_text(value)
        elif isinstance(value, list):
            for item in value:
                self._any(item, depth + 1, block=block)
        elif isinstance(value, dict):
            self._object(value, depth, block=block)

    def _object(self, value: JsonObject, depth: int, *, block: bool) -> None:
        if not block and value.keys().isdisjoint(_FIELDS_AND_WHOLE):
            self._add_written(value)
            return
        role = value.get("role")
        if is_foreign(role):
            return
        kind = block_type(value)
        if kind in _MESSAGES:
            self._members(value, depth)
        elif kind is not None or (block and role is None):
            self.blocks.add(value)
        elif not self._members(value, depth):
            self._add_written(value)

    def _members(self, value: JsonObject, depth: int) -> bool:
        """Read the content of a message or response; return whether the value is one."""
        self._note_cut(value)
        for key in _WHOLE:
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
                    self.blocks.add_call_block(each)
        return found

    def _note_cut(self, value: JsonObject) -> None:
        reasons = (value.get(key) for key in ("status", *REASON_KEYS))
        self.reason = self.reason or next(filter(is_cut, reasons), None)

    def _add_written(self, value: JsonObject) -> None:
        for call in self._written(value):
            self.blocks.add_call(call)


def data_of(raw: object) -> JsonValue:
    """Return mappings, sequences and SDK objects as dictionaries and lists.

    Raises:
        DocumentError: it is neither a text nor a message.
    """
    objects = count()

    def read(value: object) -> object:
        if isinstance(value, Enum):
            return cast("object", value.value)
        if isinstance(value, bytes | bytearray):
            return bytes(value).decode(errors="surrogateescape")
        if isinstance(value, Sequence) and not isinstance(value, str):
            return list(cast("Sequence[object]", value))
        if isinstance(value, str | int | float | Mapping | None):
            return cast("object", value)
        members = _fields(value) if next(objects) < _MOST_OBJECTS else {}
        return members or value  # what cannot be read is refused when it is checked

    found = copied(raw, read)
    if found is raw and not isinstance(raw, str | int | float | None):
        raise DocumentError(
            "The model's output",
            f"A {type(raw).__name__} is neither a text nor a message.",
            remedy="Pass the text, or the message of the vendor's SDK.",
        )
    return cast("JsonValue", found)


def _fields(raw: object) -> dict[object, object]:
    """Return the known fields of an object, else its `model_dump()` or `to_dict()`."""
    found: dict[object, object] = {}
    try:
        for name in _WHOLE:
            inner = getattr(raw, name, None)
            if isinstance(inner, list | tuple):
                return {name: inner, **_present(raw, ("role", "status", *REASON_KEYS))}
        found = _present(raw, _FIELDS)
        if not found:
            dump = getattr(raw, "model_dump", None) or getattr(raw, "to_dict", None)
            dumped: object = dump() if callable(dump) else None
            if isinstance(dumped, Mapping):
                found = dict(cast("Mapping[object, object]", dumped))
    except Exception:  # a property may raise anything; then the field is missing
        return found
    return found


def _present(raw: object, names: Sequence[str]) -> dict[object, object]:
    values = ((name, getattr(raw, name, None)) for name in names)
    return {name: value for name, value in values if value is not None and not callable(value)}
