"""The body of a request: which media type is sent, and how it is written."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast, get_args

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.route import Body, Encoding, Style
from pyfunctools.schema.ground.marks import mark_of
from pyfunctools.sources.openapi.content import Content, content_in, form_schema
from pyfunctools.sources.openapi.document import Document, Place

_URLENCODED = "application/x-www-form-urlencoded"
_STYLES: tuple[str, ...] = get_args(Style)


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyInput:
    """The body: how it is sent, and what its schema is made of."""

    body: Body
    schema: Place
    description: str = ""
    is_human: bool | None = None
    notes: tuple[str, ...] = ()


def body_input(document: Document, place: Place) -> BodyInput | None:
    """Return the body that a request body object describes, or `None` where it describes none.

    Raises:
        DocumentError: it refers to something that is not there.
    """
    raw = place.value
    if not isinstance(raw, dict):
        return None
    if "content" not in raw and "schema" in raw:
        place = place._replace(value={"content": {"application/json": raw}})
    content = content_in(document, place)
    if content is None:
        return None
    schema = content.schema
    is_form = content.kind in ("form", "multipart")
    if is_form and schema.value is True:
        schema = schema._replace(value={"type": "object"})
    written = form_schema(document, schema) if is_form else schema.value
    description = raw.get("description")
    return BodyInput(
        body=Body(
            content_type=_URLENCODED if content.kind == "form" else content.media,
            required=raw.get("required") is True,
            encoding=_encodings(document, content.entry) if is_form else {},
            schema=written if isinstance(written, dict | bool) else True,
        ),
        schema=schema,
        description=description if isinstance(description, str) else "",
        is_human=mark_of(raw, *content.marked),
        notes=(*content.notes, *_oddities(content)),
    )


def _oddities(content: Content) -> Iterator[str]:
    if content.kind == "other":
        yield f"The body has the media type {content.media!r}, which is sent as it is given."
    if content.kind == "form" and content.media != _URLENCODED:
        yield f"The media type {content.media!r} is sent as {_URLENCODED!r}."


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
    """Return the headers of a part whose value the document leaves no choice about."""
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
