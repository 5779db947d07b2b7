"""A message with calls as the vendors' interfaces give it: objects of an SDK, or plain data.

Only what is known to be the model's speech is read: text blocks, and calls that are for us. Every
other block is skipped whole, whether it is known or not: what a vendor's own tools gave, calls of
another server, documents, thoughts. So is a message of any other role.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import Final, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.blocks import (
    BLOCK_KEYS,
    CALL_KEYS,
    Blocks,
    id_of,
    is_cut,
    is_spoken,
    kind_of,
)
from pyfunctools.envelopes.envelope import SpokenCall
from pyfunctools.errors import DocumentError
from pyfunctools.prompting.calls.found import MAX_CALLS, Found
from pyfunctools.prompting.calls.names import Names
from pyfunctools.prompting.calls.scan import Scan
from pyfunctools.prompting.calls.shapes import shapes
from pyfunctools.schema.parsing.parse import parse

_FIRST: Final = ("choices", "candidates")
"""Alternatives, of which the first is read."""
_WHOLE: Final = (*_FIRST, "output", "outputs")
"""What holds all that a response says; what stands beside it (Gemini's `text`) is drawn from it."""
_CONTENT: Final = ("message", "content", "parts", "text", "generated_text")
"""What holds what a message says."""
_REASONS: Final = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason")
_FIELDS: Final = ("role", "raw_item", "output", *_REASONS, *_CONTENT, *BLOCK_KEYS)
"""What is looked at of an object that is no mapping."""
_FIELDS_AND_WHOLE: Final = frozenset({*_FIELDS, *_WHOLE})

_OWN: Final = frozenset({"assistant", "model", "ai", "chatbot"})
"""Roles of the model."""
_MESSAGES: Final = frozenset(
    {
        *("ai", "aimessage", "aimessagechunk", "assistant", "message", "message_output"),
        *("message_output_item", "model_output", "response", "tool_call_item"),
    }
)
"""What `type` is of a message, or of what holds one."""
_DEEPEST: Final = 70
_MOST_OBJECTS: Final = 10_000


def calls_in(raw: object, names: Names) -> list[Found]:
    """Return the calls in whatever a model or its SDK gave."""
    if raw is None:
        return []
    if isinstance(raw, bytes | bytearray):
        raw = bytes(raw).decode(errors="surrogateescape")
    if isinstance(raw, str):
        return Scan(raw, names).calls()
    value = plain(raw)
    return _Message(names).read(value) or list(islice(_renamed(value), MAX_CALLS + 1))


def _renamed(value: JsonValue) -> Iterator[Found]:
    """Yield the calls of functions nobody has in `[{"name": "{...}"}]`."""
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict) and len(item) == 1:
            name, arguments = next(iter(item.items()))
            if name not in _CONTENT and isinstance(arguments, str) and _is_object(arguments):
                yield Found(name=name, function=None, arguments=arguments)


def _is_object(text: str) -> bool:
    if not text.lstrip().startswith("{"):
        return False
    read = parse(text)
    return bool(read) and isinstance(read.value, dict)


class _Message:
    """What a message says: its calls, or else its texts, and whether it was cut off."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._blocks = Blocks()
        self._cut = False

    def read(self, value: JsonValue) -> list[Found]:
        """Return the calls of a message, a response, or a list of such or of blocks."""
        self._any(value, 0)
        found = [self._found(call) for call in self._blocks.calls(cut=self._cut)]
        if found:
            return found
        for text, block in self._blocks.texts:
            calls = Scan(text, self._names).calls()
            after = found[-1].group + 1 if found else 0
            for each in calls:
                each.start = each.end = -1
                each.group += after
            if calls and self._cut and block == self._blocks.count:
                calls[-1].cut = True
            found += calls
        return found[: MAX_CALLS + 1]

    def _found(self, call: SpokenCall) -> Found:
        return Found(
            name=call.name,
            function=self._names.find(call.name),
            arguments=call.arguments,
            id=call.id,
            namespace=call.namespace,
            caller=call.caller,
            cut=not call.closed,
        )

    def _any(self, value: JsonValue, depth: int, *, block: bool = False) -> None:
        if len(self._blocks) > MAX_CALLS or depth > _DEEPEST:
            return
        if isinstance(value, str):
            self._blocks.say(value)
        elif isinstance(value, list):
            for item in value:
                self._any(item, depth + 1, block=block)
        elif isinstance(value, dict):
            self._object(value, depth, block=block)

    def _object(self, value: JsonObject, depth: int, *, block: bool) -> None:
        if not block and value.keys().isdisjoint(_FIELDS_AND_WHOLE):
            self._written(value)
            return
        role = value.get("role")
        if role is not None and not (isinstance(role, str) and role.lower() in _OWN):
            return
        kind = kind_of(value)
        if kind in _MESSAGES:
            self._members(value, depth)
        elif kind is not None or (block and role is None):
            self._blocks.add(value)
        elif not self._members(value, depth):
            self._written(value)

    def _members(self, value: JsonObject, depth: int) -> bool:
        """Read what a message or response holds; return whether it is one."""
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
        for key in _CONTENT:
            inner = value.get(key)
            if key == "text" and not is_spoken(value):
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
                    self._blocks.call(each)
        return found

    def _note_cut(self, value: JsonObject) -> None:
        reasons = [value.get(key) for key in (*_REASONS, "status")]
        self._cut = self._cut or any(map(is_cut, reasons))

    def _written(self, value: JsonObject) -> None:
        """Read what is no vendor's message as JSON that the model wrote."""
        for shape in islice(shapes(value, self._names, closed=True), MAX_CALLS + 1):
            name = id_of(value) if len(value) > 1 else None
            self._blocks.put(SpokenCall(id=name, name=shape.name, arguments=shape.arguments))


def plain(raw: object) -> JsonValue:
    """Return mappings, sequences and the objects of an SDK as dictionaries and lists.

    Raises:
        DocumentError: it is nothing that a model or its SDK gives.
    """
    return _Plain().value(raw, 0)


class _Plain:
    """One message on its way to plain data; it may be hostile, or hold itself."""

    def __init__(self) -> None:
        self._objects = _MOST_OBJECTS

    def value(self, raw: object, depth: int) -> JsonValue:
        """Return what `raw` says, as far as it is JSON or has the fields of a message."""
        if type(raw) is str:
            return raw
        if isinstance(raw, Enum):
            raw = cast("object", raw.value)
        if raw is None or isinstance(raw, str | int | float):
            return raw
        if depth > _DEEPEST:
            return None
        if isinstance(raw, bytes | bytearray):
            return bytes(raw).decode(errors="surrogateescape")
        if isinstance(raw, Mapping):
            return self._members(cast("Mapping[object, object]", raw), depth)
        if isinstance(raw, Sequence):
            return [self.value(item, depth + 1) for item in cast("Sequence[object]", raw)]
        self._objects -= 1
        members = _fields(raw) if self._objects > 0 else {}
        if not members and depth:
            return cast("JsonValue", raw)  # the check says that it is no JSON
        if not members:
            raise DocumentError(
                "What the model wrote",
                f"A {type(raw).__name__} is neither a text nor a message.",
                remedy="Give the text, or the message as the vendor's SDK gives it.",
            )
        return self._members(members, depth)

    def _members(self, members: Mapping[object, object], depth: int) -> JsonValue:
        found: dict[str, JsonValue] = {}
        for key, value in members.items():
            if key in _FIRST and isinstance(value, list | tuple):
                value = cast("Sequence[object]", value)[:1]  # noqa: PLW2901
            found[str(key)] = self.value(value, depth + 1)
        return found


def _fields(raw: object) -> dict[object, object]:
    """Return what an object has of the fields of a message, else what it dumps."""
    found: dict[object, object] = {}
    try:
        for name in _WHOLE:
            inner = getattr(raw, name, None)
            if isinstance(inner, list | tuple):
                return {name: inner, **_present(raw, ("role", "status", *_REASONS))}
        found = _present(raw, _FIELDS)
        if not found:
            dump = getattr(raw, "model_dump", None) or getattr(raw, "to_dict", None)
            dumped: object = dump() if callable(dump) else None
            if isinstance(dumped, Mapping):
                found = dict(cast("Mapping[object, object]", dumped))
    except Exception:  # somebody else's property: whatever it raises, it has no such field
        return found
    return found


def _present(raw: object, names: Sequence[str]) -> dict[object, object]:
    values = ((name, getattr(raw, name, None)) for name in names)
    return {name: value for name, value in values if value is not None and not callable(value)}
