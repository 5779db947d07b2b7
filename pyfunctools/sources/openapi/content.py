"""What stands under `content`: the media type of choice, and the schema of a value in it."""

from collections import deque
from typing import NamedTuple

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.schema.vocabulary import ASSERTIONS, COMPOSED
from pyfunctools.sources.openapi.document import Document, Place
from pyfunctools.sources.openapi.media import Kind, chosen, essence, kind_of

_WRITTEN = ("string", "boolean", "integer", "number")
_NO_ENTRY: JsonObject = {}


class Content(NamedTuple):
    """One media type: what it makes of a value, what is said of it, and the value's schema.

    `schema` is `True` where nothing is said; then `is_said` is false. A mark of the human's may
    stand in `marked`: beside the schema, or beside a reference to the media type.
    """

    media: str
    kind: Kind
    entry: Place
    schema: Place
    is_said: bool
    notes: tuple[str, ...] = ()
    marked: tuple[JsonValue, ...] = ()


def content_in(document: Document, place: Place, *, received: bool = False) -> Content | None:
    """Return the content of choice of what has a `content`, or `None` where there is none.

    What is `received` as text is text, whatever the schema says; a number or a boolean is sent as
    its own text.

    Raises:
        DocumentError: the media type refers to something that is not there.
    """
    raw = place.value if isinstance(place.value, dict) else _NO_ENTRY
    content = raw.get("content")
    if not isinstance(content, dict) or not content:
        return None
    media = next(iter(content)) if len(content) == 1 else chosen(content)
    pointer = f"{place.pointer}/content/{media.replace('~', '~0').replace('/', '~1')}"
    entry = document.follow(Place(content[media], pointer, place.resource))
    found = _content(document, media, entry, received)
    return found._replace(marked=(content[media], entry.value))


def _content(document: Document, media: str, entry: Place, received: bool) -> Content:
    said = entry.value if isinstance(entry.value, dict) else _NO_ENTRY
    kind = kind_of(media)
    notes: list[str] = []
    if "schema" in said:
        schema = Place(said["schema"], f"{entry.pointer}/schema", entry.resource)
        if kind == "json" and isinstance(schema.value, dict):
            return Content(media, kind, entry, schema, True)
    elif "itemSchema" in said:
        schema = _sequence(Place(said["itemSchema"], f"{entry.pointer}/itemSchema", entry.resource))
    elif not ASSERTIONS.isdisjoint(said):
        notes.append(f"The schema stands right under {media!r}, and is taken from there.")
        schema = entry
    else:
        schema = entry._replace(value=None)
    is_said = schema.value is not None
    if not isinstance(schema.value, dict | bool):
        if is_said:
            notes.append(f"The schema of {media!r} is none, and anything is taken.")
        schema = schema._replace(value=True)
    if kind == "text":
        schema = _text(document, media, schema, received)
    elif kind == "bytes":
        schema = _bytes(document, schema)
    return Content(media, kind, entry, schema, is_said, tuple(notes))


def _sequence(items: Place) -> Place:
    if not isinstance(items.value, dict | bool):
        return items
    return items._replace(value={"type": "array", "items": items.value})


def _text(document: Document, media: str, schema: Place, received: bool) -> Place:
    """Return the schema of a value that is sent or read as text, whatever the text holds."""
    found = _followed(document, schema).value
    kinds = ("string",) if received or essence(media) != "text/plain" else _WRITTEN
    if isinstance(found, dict) and found.get("type") in kinds:
        return schema
    made: dict[str, JsonValue] = {"type": "string"}
    if isinstance(found, dict):
        made |= {key: found[key] for key in ("title", "description") if key in found}
    name = essence(media)
    if name != "text/plain" and (name.startswith("text/") or name.endswith("xml")):
        made["contentMediaType"] = name
    return schema._replace(value=made)


def _bytes(document: Document, schema: Place) -> Place:
    """Return the schema of a value that is bytes."""
    found = _followed(document, schema).value
    if isinstance(found, dict) and found.get("type", "string") == "string":
        if "format" in found or "contentEncoding" in found:
            return schema
        return schema._replace(value={**found, "type": "string", "format": "binary"})
    return schema._replace(value={"type": "string", "format": "binary"})


def form_schema(document: Document, schema: Place) -> JsonSchema | bool:
    """Return the schema of a form as far as writing it needs: its properties, references
    followed.
    """
    whole = _followed(document, schema)
    if not isinstance(whole.value, dict):
        return whole.value if isinstance(whole.value, bool) else True
    properties: dict[str, JsonValue] = {}
    seen: set[int] = set()
    todo = deque([whole])
    while todo:
        place = todo.popleft()
        if not isinstance(place.value, dict) or id(place.value) in seen:
            continue
        seen.add(id(place.value))
        found, merged = place.value.get("properties"), place.value.get("allOf")
        for name, inner in found.items() if isinstance(found, dict) else ():
            properties.setdefault(name, _opened(document, place.below(inner, name)))
        parts = merged if isinstance(merged, list) else []
        todo.extend(_followed(document, place.below(inner, "allOf")) for inner in parts)
    return {**whole.value, "properties": properties} if properties else whole.value


def _opened(document: Document, schema: Place, depth: int = 3) -> JsonValue:
    """Return a schema with the references followed in its alternatives and its items."""
    place = _followed(document, schema)
    if not isinstance(place.value, dict) or not depth:
        return place.value
    opened: dict[str, JsonValue] = {}
    for keyword in COMPOSED:
        if isinstance(branches := place.value.get(keyword), list):
            below = (place.below(branch, keyword) for branch in branches)
            opened[keyword] = [_opened(document, each, depth - 1) for each in below]
    if isinstance(items := place.value.get("items"), dict):
        opened["items"] = _opened(document, place.below(items, "items"), depth - 1)
    return {**place.value, **opened} if opened else place.value


def _followed(document: Document, place: Place) -> Place:
    try:
        return document.follow(place)
    except DocumentError:  # the operation is skipped for it
        return place._replace(value=True)
