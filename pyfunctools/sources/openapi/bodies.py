"""The body of a request: which media type is sent, and how it is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast, get_args

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.route import Body, Encoding, Style
from pyfunctools.sources.openapi.document import Document, Place
from pyfunctools.sources.openapi.media import (
    Kind,
    bytes_schema,
    entry_of,
    form_schema,
    kind_of,
    ranked,
    text_schema,
)

_URLENCODED = "application/x-www-form-urlencoded"
_STYLES: tuple[str, ...] = get_args(Style)


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyInput:
    """The body: how it is sent, and what its schema is made of."""

    body: Body
    schema: Place
    description: str = ""
    notes: tuple[str, ...] = ()


def body_input(document: Document, place: Place) -> BodyInput | None:
    """Give the body that a request body object describes, or `None` where it describes none."""
    raw = place.value
    content = raw.get("content") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(content, dict) or not content:
        return None
    media = ranked(content)[0]
    entry = place.below(entry_of(content, media), "content", media)
    kind = kind_of(media)
    notes: list[str] = []
    schema = _schema(entry, kind, media, notes)
    description = raw.get("description")
    is_form = kind in ("form", "multipart")
    written = form_schema(document, schema) if is_form else schema.value
    return BodyInput(
        body=Body(
            content_type=_URLENCODED if kind == "form" else media,
            required=raw.get("required") is True,
            encoding=_encodings(document, entry) if is_form else {},
            schema=written if isinstance(written, dict | bool) else True,
        ),
        schema=schema,
        description=description if isinstance(description, str) else "",
        notes=tuple(notes),
    )


def _schema(entry: Place, kind: Kind, media: str, notes: list[str]) -> Place:
    found = entry.value if isinstance(entry.value, dict) else {}
    schema: JsonValue = found.get("schema", True)
    place = entry.below(schema, "schema")
    if "schema" not in found and "itemSchema" in found:
        notes.append(f"The body is a sequence of {media!r}, given as a list.")
        schema = {"type": "array", "items": found["itemSchema"]}
    if not isinstance(schema, dict | bool):
        notes.append("The schema of the body is none, and anything is taken.")
        schema = True
    if kind == "text":
        schema = text_schema(media, schema)
    elif kind == "bytes":
        schema = bytes_schema(schema)
    elif kind in ("form", "multipart") and schema is True:
        schema = {"type": "object"}
    elif kind == "other":
        notes.append(f"The body has the media type {media!r}, which is sent as it is given.")
    if kind == "form" and media != _URLENCODED:
        notes.append(f"The media type {media!r} is sent as {_URLENCODED!r}.")
    return place._replace(value=schema)


def _encodings(document: Document, entry: Place) -> Mapping[str, Encoding]:
    raw = entry.value.get("encoding") if isinstance(entry.value, dict) else None
    if not isinstance(raw, dict):
        return {}
    return {
        name: _encoding(document, entry.below(value, "encoding", name), value)
        for name, value in raw.items()
        if isinstance(value, dict)
    }


def _encoding(document: Document, place: Place, raw: JsonObject) -> Encoding:
    content_type, style, explode = raw.get("contentType"), raw.get("style"), raw.get("explode")
    return Encoding(
        content_type=content_type if isinstance(content_type, str) else None,
        style=cast("Style", style) if style in _STYLES else None,
        explode=explode if isinstance(explode, bool) else None,
        allow_reserved=raw.get("allowReserved") is True,
        headers=_headers(document, place, raw.get("headers")),
    )


def _headers(document: Document, place: Place, raw: JsonValue) -> Mapping[str, str]:
    """Give the headers of a part whose value the document leaves no choice about."""
    if not isinstance(raw, dict):
        return {}
    fixed: dict[str, str] = {}
    for name, value in raw.items():
        header = document.follow(place.below(value, "headers", name)).value
        schema = header.get("schema") if isinstance(header, dict) else None
        if not isinstance(schema, dict):
            continue
        allowed = schema.get("enum")
        only = allowed[0] if isinstance(allowed, list) and len(allowed) == 1 else None
        text = schema.get("const", schema.get("default", only))
        if isinstance(text, str):
            fixed[name] = text
    return fixed
