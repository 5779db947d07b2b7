"""Objects of vendors as plain data, and those that are calls.

chat         {"id", "type": "function", "function": {"name", "arguments"}}
responses    {"type": "function_call", "call_id", "name", "arguments", "status"}
anthropic    {"type": "tool_use", "id", "name", "input"}
gemini       {"functionCall": {"id", "name", "args"}}
bedrock      {"toolUse": {"toolUseId", "name", "input"}}
"""

from collections.abc import Callable, Mapping, Sequence
from os import urandom
from string import ascii_letters, digits
from typing import Any, Final, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.envelope import Data, ModelCall
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.call_keys import ARGUMENT_KEYS, ID_KEYS, NAME_KEYS
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


def member(value: object, name: str) -> object:
    """Return a member of plain data or of an SDK object, `None` if it is missing."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, object]", value).get(name)
    return getattr(value, name, None)


def as_dict(value: object) -> Data:
    """Return a value if it is a dictionary, else `{}`."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return a value if it is a list, else `[]`."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def dicts_in(value: object) -> list[Data]:
    """Return the dictionaries in a list, `[]` if the value is not a list."""
    return [item for item in as_list(value) if isinstance(item, dict)]


def first_dict(value: object) -> Data:
    """Return the first dictionary in a list, `{}` if it contains no dictionary."""
    found = dicts_in(value)
    return found[0] if found else {}


_WHOLE: Final = frozenset({"id", "role", "type"})
"""Texts that do not come in pieces."""


def merge(into: Data, piece: Data) -> None:
    """Merge a piece of a streamed object: texts, bytes and lists are joined, others replaced."""
    for key, value in piece.items():
        before = into.get(key)
        is_joined = type(before) is type(value) and isinstance(value, str | bytes | list)
        if isinstance(before, dict) and isinstance(value, dict):
            merge(as_dict(into[key]), as_dict(piece[key]))
        elif is_joined and key not in _WHOLE:
            into[key] = into[key] + value
        elif value not in (None, "") or key not in into:
            into[key] = value


def plain_data(value: object, exclude: object = None) -> Data:
    """Return a copy of an SDK object or plain data as a dictionary; `{}` for other values.

    An SDK object becomes the data that the server sent, without the SDK's own additions (`exclude`,
    in pydantic's format).
    """
    dump = getattr(value, "model_dump", None)
    if not callable(dump):
        return as_dict(copied(value))
    how = {"by_alias": True, "exclude_unset": True, "exclude": exclude, "warnings": False}
    try:
        return as_dict(dump(mode="json", **how))
    except ValueError:  # arguments that a model nests 255 deep
        return as_dict(dump(mode="python", **how))


def shallow_copy(value: object) -> object:
    """Return a mapping as a new dictionary, a list or tuple as a new list, else the value."""
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    return list(cast("list[object]", value)) if isinstance(value, list | tuple) else value


def copied(value: object, copy: Callable[[object], object] = shallow_copy) -> object:
    """Return a copy in dictionaries and lists, also of a value that contains itself.

    `copy` returns one inner value as a new dictionary or list, or what stands in its place.
    """
    whole: dict[object, object] = {"": value}
    # With what was copied, whose `id` no other object may get before the end.
    made: dict[int, tuple[object, object]] = {}
    todo: list[dict[object, object] | list[object]] = [whole]
    while todo:
        place = todo.pop()
        for key, inner in list(place.items() if isinstance(place, dict) else enumerate(place)):
            if id(inner) not in made:
                made[id(inner)] = (inner, made_copy := copy(inner))
                if isinstance(made_copy, dict | list):
                    todo.append(cast("list[object]", made_copy))
            cast("dict[object, object]", place)[key] = made[id(inner)][1]
    return whole[""]


def call_of(value: JsonValue, depth: int = 0) -> ModelCall | None:
    """Return an object as a call, `None` if it is not one or the vendor runs it."""
    if not isinstance(value, dict) or "server" in str(value.get("type")):
        return None
    if value.get("providerExecuted") or value.get("provider_executed"):
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
        custom=value.get("type") in ("custom", "custom_tool_call"),
    )


def id_of(call: JsonObject) -> str | None:
    """Return the id of a call, `None` if it is missing."""
    name = _first(call, ID_KEYS)
    return name if isinstance(name, str) else None


def _first(value: JsonObject, keys: Sequence[str]) -> JsonValue:
    for key in keys:
        if value.get(key) is not None:
            return value[key]
    return None


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
