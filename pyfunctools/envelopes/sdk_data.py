"""Objects of a vendor's SDK, and plain data, as fresh plain data; no SDK is imported for it."""

from collections.abc import Mapping
from typing import Any, cast


def member(value: object, name: str) -> object:
    """Return what plain data or an object of an SDK has under a name, `None` where nothing is."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, object]", value).get(name)
    return getattr(value, name, None)


def object_or_empty(value: object) -> dict[str, Any]:
    """Return a value that is an object, `{}` for any other."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def list_or_empty(value: object) -> list[Any]:
    """Return a value that is a list, `[]` for any other."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def objects_in(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list; there are none where it is no list."""
    return [item for item in list_or_empty(value) if isinstance(item, dict)]


def first_object(value: object) -> dict[str, Any]:
    """Return the first object in a list, `{}` where there is none."""
    found = objects_in(value)
    return found[0] if found else {}


def grow(into: dict[str, Any], key: str, piece: object) -> str:
    """Add a piece to the text under a key, and return the piece; nothing but a text adds one."""
    if not isinstance(piece, str):
        return ""
    before = into.get(key)
    into[key] = before + piece if isinstance(before, str) else piece
    return piece


def plain_data(value: object, exclude: object = None) -> dict[str, Any]:
    """Return an object of an SDK, or plain data, as fresh plain data.

    Of an object of an SDK it is what the server sent, without what the SDK put in (`exclude`, as
    pydantic takes it). Anything else is `{}`.
    """
    dump = getattr(value, "model_dump", None)
    if not callable(dump):
        return object_or_empty(_copied(value))
    return object_or_empty(
        dump(mode="json", by_alias=True, exclude_unset=True, exclude=exclude, warnings=False)
    )


def _copied(value: object) -> object:
    """Return a copy in dictionaries and lists; needs no stack, and the value may hold itself."""
    whole: dict[object, Any] = {"": value}
    made: dict[int, dict[object, Any] | list[Any]] = {}
    todo: list[dict[object, Any] | list[Any]] = [whole]
    while todo:
        place = todo.pop()
        for key, inner in list(place.items() if isinstance(place, dict) else enumerate(place)):
            opened = _opened(inner)
            if opened is None:
                continue
            if id(inner) not in made:
                made[id(inner)] = opened
                todo.append(opened)
            cast("dict[object, Any]", place)[key] = made[id(inner)]
    return whole[""]


def _opened(value: object) -> dict[object, Any] | list[Any] | None:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, Any]", value))
    return list(cast("list[Any]", value)) if isinstance(value, list | tuple) else None
