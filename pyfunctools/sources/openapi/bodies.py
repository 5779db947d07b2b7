"""What stands under `content`: the media type of choice, its schema, requests and responses."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast, get_args

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.media_types import MediaKind, media_kind, preferred_media, without_parameters
from pyfunctools.route import Body, DeclaredResponse, Encoding, Style
from pyfunctools.schema.ground.marks import human_mark
from pyfunctools.schema.vocabulary import ASSERTIONS, COMPOSITION
from pyfunctools.sources.openapi import swagger
from pyfunctools.sources.openapi.document import Document, DocumentPlace, Resource
from pyfunctools.sources.openapi.operations import Operation

_WRITTEN = ("string", "boolean", "integer", "number")


class MediaContent(NamedTuple):
    """One media type under `content`: its kind, its entry, and the value's schema.

    `schema` is `True` where nothing is said; then `is_said` is false. A mark of the human's may
    stand in `marked`: beside the schema, or beside a reference to the media type.
    """

    media: str
    kind: MediaKind
    entry: DocumentPlace
    schema: DocumentPlace
    is_said: bool
    notes: tuple[str, ...] = ()
    marked: tuple[JsonValue, ...] = ()


def content_in(
    document: Document, place: DocumentPlace, *, received: bool = False
) -> MediaContent | None:
    """Return the preferred media type of a `content` map, or `None` without one.

    What is `received` as text is text, whatever the schema says; a number or a boolean is sent as
    its own text.

    Raises:
        DocumentError: the media type refers to something that is not there.
    """
    content = place.fields.get("content")
    if not isinstance(content, dict) or not content:
        return None
    media = next(iter(content)) if len(content) == 1 else preferred_media(content)
    entry = document.follow(place.below(content[media], "content", media))
    found = _content(document, media, entry, received)
    return found._replace(marked=(content[media], entry.value))


def _content(document: Document, media: str, entry: DocumentPlace, received: bool) -> MediaContent:
    said = entry.fields
    kind = media_kind(media)
    notes: list[str] = []
    if "schema" in said:
        schema = entry.below(said["schema"], "schema")
    elif "itemSchema" in said:
        schema = _sequence(entry.below(said["itemSchema"], "itemSchema"))
    elif not ASSERTIONS.isdisjoint(said):
        notes.append(f"The schema stands right under {media!r}, and is taken from there.")
        schema = entry
    else:
        schema = entry._replace(value=None)
    is_said = schema.value is not None
    if not isinstance(schema.value, dict | bool):
        if is_said:
            notes.append(f"The schema of {media!r} is not a schema; any value is accepted.")
        schema = schema._replace(value=True)
    if kind == "text":
        schema = _text(document, media, schema, received)
    elif kind == "bytes":
        schema = _bytes(document, schema)
    return MediaContent(media, kind, entry, schema, is_said, tuple(notes))


def _sequence(items: DocumentPlace) -> DocumentPlace:
    if not isinstance(items.value, dict | bool):
        return items
    return items._replace(value={"type": "array", "items": items.value})


def _text(document: Document, media: str, schema: DocumentPlace, received: bool) -> DocumentPlace:
    """Return the schema of a value that is sent or read as text, whatever the text holds."""
    found = _followed(document, schema).value
    kinds = ("string",) if received or without_parameters(media) != "text/plain" else _WRITTEN
    if isinstance(found, dict) and found.get("type") in kinds:
        return schema
    made: dict[str, JsonValue] = {"type": "string"}
    if isinstance(found, dict):
        made |= {key: found[key] for key in ("title", "description") if key in found}
    name = without_parameters(media)
    if name != "text/plain" and (name.startswith("text/") or name.endswith("xml")):
        made["contentMediaType"] = name
    return schema._replace(value=made)


def _bytes(document: Document, schema: DocumentPlace) -> DocumentPlace:
    """Return the schema of a value that is bytes."""
    found = _followed(document, schema).value
    if isinstance(found, dict) and found.get("type", "string") == "string":
        if "format" in found or "contentEncoding" in found:
            return schema
        return schema._replace(value={**found, "type": "string", "format": "binary"})
    return schema._replace(value={"type": "string", "format": "binary"})


def form_schema(document: Document, schema: DocumentPlace) -> JsonSchema | bool:
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


def _opened(document: Document, schema: DocumentPlace, depth: int = 3) -> JsonValue:
    """Return a schema with the references followed in its alternatives and its items."""
    place = _followed(document, schema)
    if not isinstance(place.value, dict) or not depth:
        return place.value
    opened: dict[str, JsonValue] = {}
    for keyword in COMPOSITION:
        if isinstance(branches := place.value.get(keyword), list):
            below = (place.below(branch, keyword) for branch in branches)
            opened[keyword] = [_opened(document, each, depth - 1) for each in below]
    if isinstance(items := place.value.get("items"), dict):
        opened["items"] = _opened(document, place.below(items, "items"), depth - 1)
    return {**place.value, **opened} if opened else place.value


def _followed(document: Document, place: DocumentPlace) -> DocumentPlace:
    try:
        return document.follow(place)
    except DocumentError:  # the operation is skipped for it
        return place._replace(value=True)


_URLENCODED = "application/x-www-form-urlencoded"
_STYLES: tuple[str, ...] = get_args(Style)


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyInput:
    """The body of an operation: how it is sent, and its schema."""

    body: Body
    schema: DocumentPlace
    description: str = ""
    is_human: bool | None = None
    notes: tuple[str, ...] = ()


def body_input(document: Document, place: DocumentPlace) -> BodyInput | None:
    """Return the body that a request body object describes, or `None`.

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
        is_human=human_mark(raw, *content.marked),
        notes=(*content.notes, *_oddities(content)),
    )


def _oddities(content: MediaContent) -> Iterator[str]:
    if content.kind == "other":
        yield f"The body has the media type {content.media!r}, which is sent as it is given."
    if content.kind == "form" and content.media != _URLENCODED:
        yield f"The media type {content.media!r} is sent as {_URLENCODED!r}."


def _encodings(document: Document, entry: DocumentPlace) -> Mapping[str, Encoding]:
    raw = entry.fields.get("encoding")
    if not isinstance(raw, dict):
        return {}
    return {
        name: _encoding(document, entry.below(value, "encoding", name), value)
        for name, value in raw.items()
        if isinstance(value, dict)
    }


def _encoding(document: Document, place: DocumentPlace, raw: JsonObject) -> Encoding:
    content_type, style, explode = raw.get("contentType"), raw.get("style"), raw.get("explode")
    return Encoding(
        content_type=content_type if isinstance(content_type, str) else None,
        style=cast("Style", style) if style in _STYLES else None,
        explode=explode if isinstance(explode, bool) else None,
        allow_reserved=raw.get("allowReserved") is True,
        headers=_headers(document, place, raw.get("headers")),
    )


def _headers(document: Document, place: DocumentPlace, raw: JsonValue) -> Mapping[str, str]:
    """Return the headers of a part whose value the document leaves no choice about."""
    if not isinstance(raw, dict):
        return {}
    fixed: dict[str, str] = {}
    for name, value in raw.items():
        schema = document.follow(place.below(value, "headers", name)).fields.get("schema")
        if not isinstance(schema, dict):
            continue
        allowed = schema.get("enum")
        only = allowed[0] if isinstance(allowed, list) and len(allowed) == 1 else None
        text = schema.get("const", schema.get("default", only))
        if isinstance(text, str):
            fixed[name] = text
    return fixed


_STATUS = re.compile(r"[1-5](?:[0-9]{2}|[xX]{2})|default", re.ASCII)
_OTHERWISE = ("2XX", "2xx", "2xX", "2Xx", "default")


class OperationResponses(NamedTuple):
    """The answers of an operation: all of them, the schema of the good one, and oddities."""

    responses: tuple[DeclaredResponse, ...]
    output: DocumentPlace | None
    notes: Sequence[str]


class _Answer(NamedTuple):
    response: DeclaredResponse
    place: DocumentPlace


class Responses:
    """The answers of one document; each that stands in it once is read once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._known: dict[tuple[Resource | str, ...], dict[tuple[str, str], _Answer]] = {}
        self._responses: dict[tuple[str, ...], DeclaredResponse] = {}

    def of(self, operation: Operation) -> OperationResponses:
        """Return the answers of an operation.

        The good one is the lowest exact status of 2xx, then `2XX`, then `default`.
        """
        raw = operation.raw.get("responses")
        if not isinstance(raw, dict):
            return OperationResponses((), None, ())
        produces = swagger.media_types(operation.raw, self._document.root, "produces")
        # Swagger 2.0 says beside the operation in which media types it answers.
        known = self._known.setdefault((operation.resource, *produces), {})
        found: dict[str, _Answer] = {}
        notes: list[str] = []
        for status, value in raw.items():
            reference = value.get("$ref") if isinstance(value, dict) else None
            if not isinstance(reference, str):
                if _STATUS.fullmatch(status):
                    pointer = f"{operation.pointer}/responses/{status}"
                    place = DocumentPlace(value, pointer, operation.resource)
                    found[status] = self._new(status, place, produces)
                continue
            key = status, reference
            answer = known.get(key)
            if answer is None:
                if not _STATUS.fullmatch(status):
                    continue
                try:
                    place = self._document.end(reference, operation.resource)
                except DocumentError as error:
                    notes.append(f"The response {status} is unknown: {error.reason}")
                    continue
                answer = known[key] = self._new(status, place, produces)
            found[status] = answer
        good = _good(found)
        output = None if good is None else self._output(found[good], notes)
        return OperationResponses(
            tuple([answer.response for answer in found.values()]), output, notes
        )

    def _new(self, status: str, place: DocumentPlace, produces: list[str]) -> "_Answer":
        raw = place.fields
        content, said = raw.get("content"), raw.get("description")
        if not isinstance(content, dict):
            empty: JsonObject = {}
            content = swagger.content_of(raw, produces) if "schema" in raw else empty
            place = place._replace(value={"content": content})
        key = status, *content, said if isinstance(said, str) else ""
        response = self._responses.get(key)
        if response is None:
            response = self._responses[key] = DeclaredResponse(
                status=status if status == "default" else status.upper(),
                content_types=key[1:-1],
                description=key[-1],
            )
        return _Answer(response, place)

    def _output(self, answer: "_Answer", notes: list[str]) -> DocumentPlace | None:
        try:
            content = content_in(self._document, answer.place, received=True)
        except DocumentError as error:
            notes.append(f"The output is unknown: {error.reason}")
            return None
        if content is None or not (content.is_said or content.kind in ("text", "bytes")):
            return None
        notes += content.notes
        return content.schema


def _good(found: Iterable[str]) -> str | None:
    exact = min([status for status in found if "200" <= status <= "299"], default=None)
    return exact or next((status for status in _OTHERWISE if status in found), None)
