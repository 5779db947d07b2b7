"""The types of JSON values and schemas.

The types are read-only, so that a type checker reports code that changes a document, a schema or an
argument. A value that a function builds itself has the type `dict` or `list`. At run time an
object is a `dict` and an array is a `list`.
"""

from collections.abc import Mapping, Sequence
from gc import is_tracked
from typing import Any, TypeAlias, TypeVar

JsonValue: TypeAlias = (
    Mapping[str, "JsonValue"] | Sequence["JsonValue"] | str | int | float | bool | None
)
"""Any JSON value."""

JsonObject: TypeAlias = Mapping[str, JsonValue]
"""A JSON object."""

JsonSchema: TypeAlias = Mapping[str, JsonValue]
"""A JSON Schema that is an object; if it may be `true` or `false`, write `JsonSchema | bool`."""

Json = TypeVar("Json", bound=JsonValue)


def members_of(value: JsonValue) -> JsonObject:
    """Return the members of an object; no members for any other value."""
    return value if isinstance(value, dict) else {}


def items_of(value: JsonValue) -> Sequence[JsonValue]:
    """Return the items of an array; no items for any other value."""
    return value if isinstance(value, list) else ()


def text_of(value: JsonValue) -> str:
    """Return a string; an empty string for any other value."""
    return value if isinstance(value, str) else ""


def json_copy(value: Json) -> Json:
    """Return a copy that shares no object and no array with the value."""
    copied: Any = value
    return _copy(copied) if isinstance(value, _CONTAINERS) else copied


def _copy(value: dict[str, Any] | list[Any]) -> Any:
    copied: Any = value.copy()
    # Python's collector does not track a dict without containers, which most are.
    if is_tracked(copied):
        for key, inner in copied.items() if isinstance(value, dict) else enumerate(copied):
            if inner.__class__ is not str and isinstance(inner, _CONTAINERS):
                copied[key] = _copy(inner)  # no key is added
    return copied


_CONTAINERS: tuple[type[Any], ...] = (dict, list)
