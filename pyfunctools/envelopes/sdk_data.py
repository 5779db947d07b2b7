"""Reads objects of a vendor's SDK, or the same as plain data, without importing the SDK."""

from collections.abc import Callable, Mapping
from typing import Any, cast


def member(value: object, name: str) -> object:
    """Return a member of plain data or of an SDK object, `None` if it is missing."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, object]", value).get(name)
    return getattr(value, name, None)


def as_dict(value: object) -> dict[str, Any]:
    """Return a value if it is a dictionary, else `{}`."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return a value if it is a list, else `[]`."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def dicts_in(value: object) -> list[dict[str, Any]]:
    """Return the dictionaries in a list, `[]` if the value is not a list."""
    return [item for item in as_list(value) if isinstance(item, dict)]


def first_dict(value: object) -> dict[str, Any]:
    """Return the first dictionary in a list, `{}` if it contains no dictionary."""
    found = dicts_in(value)
    return found[0] if found else {}


def grow(into: dict[str, Any], key: str, piece: object) -> str:
    """Append a piece to the text under a key, and return the piece; ignore one that is not text."""
    if not isinstance(piece, str):
        return ""
    before = into.get(key)
    into[key] = before + piece if isinstance(before, str) else piece
    return piece


def plain_data(value: object, exclude: object = None) -> dict[str, Any]:
    """Return a copy of an SDK object or plain data as a dictionary; `{}` for other values.

    An SDK object becomes the data that the server sent, without the SDK's own additions (`exclude`,
    in pydantic's format).
    """
    dump = getattr(value, "model_dump", None)
    if not callable(dump):
        return as_dict(copied(value))
    return as_dict(
        dump(mode="json", by_alias=True, exclude_unset=True, exclude=exclude, warnings=False)
    )


def copied(value: object, read: Callable[[object], object] = lambda inner: inner) -> object:
    """Return a copy in dictionaries and lists, also of a value that contains itself.

    `read` returns an inner value, or what is copied in its place.
    """
    whole: dict[object, Any] = {"": value}
    # With what was copied, whose `id` no other object may get before the end.
    made: dict[int, tuple[object, dict[object, Any] | list[Any]]] = {}
    todo: list[dict[object, Any] | list[Any]] = [whole]
    while todo:
        place = todo.pop()
        for key, inner in list(place.items() if isinstance(place, dict) else enumerate(place)):
            if id(inner) not in made:
                plain = read(inner)
                copy = _shallow_copy(plain)
                if copy is None:
                    cast("dict[object, Any]", place)[key] = plain
                    continue
                made[id(inner)] = (inner, copy)
                todo.append(copy)
            cast("dict[object, Any]", place)[key] = made[id(inner)][1]
    return whole[""]


def _shallow_copy(value: object) -> dict[object, Any] | list[Any] | None:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, Any]", value))
    return list(cast("list[Any]", value)) if isinstance(value, list | tuple) else None
