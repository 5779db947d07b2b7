"""A message with calls as the vendors' interfaces give it: objects of an SDK, or plain data."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, cast

from pyfunctools._json import JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.prompting.found import MAX_CALLS, Found
from pyfunctools.prompting.names import Names
from pyfunctools.prompting.shapes import ARGUMENT_KEYS, NAME_KEYS, Shape, shapes
from pyfunctools.prompting.text import Scan
from pyfunctools.schema.parse import parse

_FIELDS: Final = (
    "choices",
    "message",
    "role",
    "type",
    "thought",
    "function_call",
    "functionCall",
    "function_calls",
    "tool_calls",
    "toolUse",
    "id",
    "call_id",
    "candidates",
    "content",
    "parts",
    "text",
    "output",
    *NAME_KEYS,
    *ARGUMENT_KEYS,
)
"""What is looked at of an object that is no mapping."""
_WHOLE: Final = ("choices", "candidates", "output")
"""What holds all that a response says; what stands beside it (Gemini's `text`) is drawn from it."""
_FIRST: Final = frozenset({"choices", "candidates"})
"""Alternatives, of which the first is taken."""
_OTHERS: Final = frozenset({"user", "system", "developer", "tool", "function"})
_THOUGHTS: Final = frozenset({"thinking", "redacted_thinking", "reasoning"})
_SAID: Final = ("choices", "message", "candidates", "output", "content", "parts", "text")
_DEEPEST: Final = 70
_MOST_OBJECTS: Final = 10_000


def calls_in(raw: object, names: Names) -> list[Found]:
    """Give the calls in whatever a model or its SDK gave."""
    if raw is None:
        return []
    if isinstance(raw, bytes | bytearray):
        raw = bytes(raw).decode(errors="surrogateescape")
    if isinstance(raw, str):
        return Scan(raw, names).calls()
    value = plain(raw)
    found = [
        Found(name=shape.name, function=shape.function, arguments=shape.arguments)
        for shape in _bounded(shapes(value, names))
    ]
    found = found or list(_renamed(value))
    if found:
        return found
    for text in _texts(value):
        for each in Scan(text, names).calls():
            each.start = each.end = -1
            found.append(each)
    return found[: MAX_CALLS + 1]


def _bounded(found: Iterator[Shape]) -> Iterator[Shape]:
    return islice(found, MAX_CALLS + 1)


def _renamed(value: JsonValue) -> Iterator[Found]:
    """Give the calls of functions nobody has in `[{"name": "{...}"}]`."""
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict) and len(item) == 1:
            name, arguments = next(iter(item.items()))
            if isinstance(arguments, str) and _is_object(arguments):
                yield Found(name=name, function=None, arguments=arguments)


def _is_object(text: str) -> bool:
    if not text.lstrip().startswith("{"):
        return False
    read = parse(text)
    return bool(read) and isinstance(read.value, dict)


def _texts(value: JsonValue, depth: int = 0) -> Iterator[str]:
    """Give the texts of a message: what the model said, not what it thought or was told."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value if depth < _DEEPEST else ():
            yield from _texts(item, depth + 1)
    elif isinstance(value, dict) and depth < _DEEPEST:
        if str(value.get("type")) in _THOUGHTS or value.get("thought") is True:
            return
        for key in _SAID:
            if key in value:
                yield from _texts(value[key], depth + 1)


def plain(raw: object) -> JsonValue:
    """Give mappings, sequences and the objects of an SDK as dictionaries and lists.

    Raises:
        DocumentError: it is nothing that a model or its SDK gives.
    """
    return _Plain().value(raw, 0)


class _Plain:
    """One message on its way to plain data; it may be hostile, or hold itself."""

    def __init__(self) -> None:
        self._objects = _MOST_OBJECTS

    def value(self, raw: object, depth: int) -> JsonValue:
        """Give what `raw` says, as far as it is JSON or has the fields of a message."""
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
        role = members.get("role")
        if isinstance(role, str) and role in _OTHERS:
            return {}
        found: dict[str, JsonValue] = {}
        for key, value in members.items():
            if key in _FIRST and isinstance(value, list | tuple):
                value = cast("Sequence[object]", value)[:1]  # noqa: PLW2901
            found[str(key)] = self.value(value, depth + 1)
        return found


def _fields(raw: object) -> dict[object, object]:
    """Give what an object has of the fields of a message, else what it dumps."""
    found: dict[object, object] = {}
    try:
        for name in _WHOLE:
            if isinstance(getattr(raw, name, None), list | tuple):
                return {name: getattr(raw, name)}
        for name in _FIELDS:
            value = getattr(raw, name, None)
            if value is not None and not callable(value):
                found[name] = value
        if not found:
            dump = getattr(raw, "model_dump", None) or getattr(raw, "to_dict", None)
            dumped: object = dump() if callable(dump) else None
            if isinstance(dumped, Mapping):
                found = dict(cast("Mapping[object, object]", dumped))
    except Exception:  # somebody else's property: whatever it raises, it has no such field
        return found
    return found
