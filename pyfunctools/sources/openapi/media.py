"""Media types: which of several is sent or read, and what a value is under it."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, TypeAlias

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.sources.openapi.document import Document, Place

Kind: TypeAlias = Literal["json", "multipart", "form", "any", "text", "bytes", "other"]
"""What a media type makes of a value; `any` is a range such as `*/*`, `other` has no rule here."""

_TEXTS = frozenset(
    {
        "application/javascript",
        "application/json-seq",
        "application/jsonl",
        "application/sdp",
        "application/graphql",
        "application/toml",
        "application/x-ndjson",
        "application/x-yaml",
        "application/xml",
        "application/yaml",
    }
)
_BYTES = ("image/", "audio/", "video/", "font/")
_RANK: dict[Kind, int] = {
    "json": 0,
    "multipart": 2,
    "form": 3,
    "any": 4,
    "text": 5,
    "bytes": 6,
    "other": 7,
}


def essence(media: str) -> str:
    """Give a media type without its parameters, in lower case."""
    return media.partition(";")[0].strip().lower()


@lru_cache(maxsize=1024)
def kind_of(media: str) -> Kind:
    """Give what a media type makes of a value."""
    name = essence(media)
    if name in ("application/json", "text/json") or name.endswith("+json"):
        return "json"
    if name.startswith("multipart/"):
        return "multipart"
    if name.endswith("x-www-form-urlencoded"):
        return "form"
    if name in ("*/*", "*", "", "application/*"):
        return "any"
    if name.startswith("text/") or name.endswith("+xml") or name in _TEXTS:
        return "text"
    if name.startswith(_BYTES) or name in ("application/octet-stream", "application/pdf"):
        return "bytes"
    return "other"


def ranked(content: Iterable[str]) -> list[str]:
    """Give media types in the order of choice: JSON, forms, ranges, text, bytes, the rest.

    Plain JSON goes before what is built on it; among equals the document's order holds.
    """
    return sorted(content, key=_rank)


def first_json(content: Iterable[str]) -> str:
    """Give the first media type of choice."""
    return min(content, key=_rank)


def text_schema(media: str, schema: JsonValue) -> JsonSchema:
    """Give the schema of a value that is sent or read as text, whatever the text holds."""
    if isinstance(schema, dict) and schema.get("type") == "string":
        return schema
    made: dict[str, JsonValue] = {"type": "string"}
    if isinstance(schema, dict):
        made |= {key: schema[key] for key in ("title", "description") if key in schema}
    name = essence(media)
    if name != "text/plain" and (name.startswith("text/") or name.endswith("xml")):
        made["contentMediaType"] = name
    return made


def bytes_schema(schema: JsonValue) -> JsonSchema:
    """Give the schema of a value that is bytes."""
    if isinstance(schema, dict) and schema.get("type", "string") == "string":
        if "format" in schema or "contentEncoding" in schema:
            return schema
        return {**schema, "type": "string", "format": "binary"}
    return {"type": "string", "format": "binary"}


def form_schema(document: Document, schema: Place) -> JsonSchema | bool:
    """Give the schema of a form as far as writing it needs: its properties, references followed."""
    properties: dict[str, JsonValue] = {}
    for place in _parts(document, schema, 4):
        found = place.value.get("properties") if isinstance(place.value, dict) else None
        for name, inner in found.items() if isinstance(found, dict) else ():
            properties.setdefault(name, _followed(document, place.below(inner, name)).value)
    whole = _followed(document, schema).value
    if not isinstance(whole, dict):
        return whole if isinstance(whole, bool) else True
    return {**whole, "properties": properties} if properties else whole


def _parts(document: Document, schema: Place, levels: int) -> Iterator[Place]:
    place = _followed(document, schema)
    yield place
    merged = place.value.get("allOf") if isinstance(place.value, dict) else None
    if isinstance(merged, list) and levels:
        for index, inner in enumerate(merged):
            yield from _parts(document, place.below(inner, "allOf", index), levels - 1)


def _followed(document: Document, place: Place) -> Place:
    try:
        return document.follow(place)
    except DocumentError:  # the operation is skipped for it
        return place._replace(value=True)


def entry_of(content: JsonObject, media: str) -> JsonObject:
    """Give what stands under a media type; nothing where it is no object."""
    entry = content[media]
    return entry if isinstance(entry, dict) else {}


@lru_cache(maxsize=1024)
def _rank(media: str) -> tuple[int, bool]:
    kind = kind_of(media)
    return _RANK[kind], essence(media) not in ("application/json", "text/plain")
