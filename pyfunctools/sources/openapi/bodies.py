"""Bodies of requests and responses: the preferred media type of a `content` map, and its schema."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, cast, get_args

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, items_of, members_of, text_of
from pyfunctools.errors import DocumentError
from pyfunctools.media_types import (
    MediaKind,
    first_concrete_media,
    is_xml_media,
    media_kind,
    preferred_media,
    sequence_kind,
    without_parameters,
)
from pyfunctools.route import ITEMS, Body, Encoding, Style
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.separation.predicates import IsHuman, ask, is_secret, may_be_persons
from pyfunctools.schema.vocabulary import ASSERTIONS, COMPOSITION, human_mark
from pyfunctools.sources.openapi import swagger
from pyfunctools.sources.openapi.document import Document, DocumentPlace
from pyfunctools.sources.openapi.operations import Operation

_TEXT_TYPES = ("string", "boolean", "integer", "number")


class MediaContent(NamedTuple):
    """One media type of a `content` map: its kind, its entry, and the schema of the value.

    Without a declared schema `schema` is `True` and `is_declared` false. `marked` are the objects
    that may have `x-human` beside the schema or beside a reference to the entry.
    """

    media: str
    kind: MediaKind
    entry: DocumentPlace
    schema: DocumentPlace
    is_declared: bool
    notes: tuple[str, ...] = ()
    marked: tuple[JsonValue, ...] = ()


def content_in(
    document: Document, place: DocumentPlace, *, received: bool = False
) -> MediaContent | None:
    """Return the preferred media type of a `content` map, or `None` without one.

    A number or a boolean is sent as text, but text that is `received` is never parsed as one.
    """
    content = place.fields.get("content")
    if not isinstance(content, dict) or not content:
        return None
    media = next(iter(content)) if len(content) == 1 else preferred_media(content)
    entry = document.follow(place.below(content[media], "content", media))
    found = _content(document, media, entry, received)
    return found._replace(marked=(content[media], entry.value))


def _content(document: Document, media: str, entry: DocumentPlace, received: bool) -> MediaContent:
    fields = entry.fields
    kind = media_kind(media)
    notes: list[str] = []
    if "schema" in fields:
        schema = entry.below(fields["schema"], "schema")
    elif "itemSchema" in fields:
        schema = entry.below(fields["itemSchema"], "itemSchema")
        if isinstance(schema.value, (dict, bool)):
            schema = schema._replace(value={"type": "array", "items": schema.value})
    elif not ASSERTIONS.isdisjoint(fields):
        notes.append(f"The schema stands directly under {media!r}, and is read from there.")
        schema = entry
    else:
        schema = entry._replace(value=None)
    is_declared = schema.value is not None
    schema = checked_schema(schema, media, notes) if is_declared else schema._replace(value=True)
    if kind == "text":
        schema = _text_schema(document, media, schema, received)
    elif kind == "bytes":
        schema = _bytes_schema(document, schema)
    encodings = members_of(None if received else fields.get("encoding"))
    schema = _with_xml_as_text(document, schema, encodings) if encodings else schema
    if marks := {name: {"x-human": True} for name, each in encodings.items() if human_mark(each)}:
        schema = schema._replace(value={"allOf": [schema.value, {"properties": {**marks}}]})
    return MediaContent(media, kind, entry, schema, is_declared, tuple(notes))


def checked_schema(place: DocumentPlace, name: JsonValue, notes: list[str]) -> DocumentPlace:
    """Return the place of a schema; anything else accepts any value, which is noted."""
    if isinstance(place.value, (dict, bool)):
        return place
    notes.append(f"The schema of {name!r} is not a schema; any value is accepted.")
    return place._replace(value=True)


def _text_schema(
    document: Document, media: str, schema: DocumentPlace, received: bool
) -> DocumentPlace:
    declared = _target(document, schema).fields
    name = without_parameters(media)
    types = ("string",) if received or name != "text/plain" else _TEXT_TYPES
    if not received and sequence_kind(name) == "lines":
        types = ("string", "array")
    if declared.get("type") in types:
        return schema
    text: dict[str, JsonValue] = {"type": "string"}
    text |= {key: declared[key] for key in ("title", "description") if key in declared}
    if name != "text/plain" and (name.startswith("text/") or name.endswith("xml")):
        text["contentMediaType"] = name
    if not received and _persons(document, schema):  # a text cannot be split
        text["x-human"] = True
    return schema._replace(value=text)


def _with_xml_as_text(
    document: Document, form: DocumentPlace, encodings: JsonObject
) -> DocumentPlace:
    """Return the schema of a form in which the model writes the text of each XML part."""
    whole = _target(document, form)
    declared, texts = members_of(whole.fields.get("properties")), dict[str, JsonValue]()
    for name, encoding in encodings.items():
        media = first_concrete_media(text_of(members_of(encoding).get("contentType"))) or ""
        if name in declared and is_xml_media(media):
            part = whole.below(declared[name], name)
            items = (target := _target(document, part)).below(target.fields.get("items"), "items")
            is_list = items.value is not None
            text = _text_schema(document, media, items if is_list else part, False).value
            mark = {"x-human": True} if is_list and _persons(document, part) else {}
            texts[name] = {"type": "array", "items": text, **mark} if is_list else text
    properties: JsonObject = {"properties": {**declared, **texts}}
    return whole._replace(value={**whole.fields, **properties}) if texts else form


def _bytes_schema(document: Document, schema: DocumentPlace) -> DocumentPlace:
    declared = _target(document, schema).fields
    if declared.get("type", "string") != "string":
        declared = {}
    if "format" in declared or "contentEncoding" in declared:
        return schema
    return schema._replace(value={**declared, "type": "string", "format": "binary"})


def form_schema(document: Document, schema: DocumentPlace) -> JsonSchema | bool:
    """Return the schema of a form with all properties, those in `allOf` too, references resolved.

    References deep inside a property are kept: encoding a form does not need their targets.
    """
    whole = _target(document, schema)
    if not isinstance(whole.value, dict):
        return whole.value if isinstance(whole.value, bool) else True
    properties: dict[str, JsonValue] = {}
    seen: set[int] = set()
    queue = [whole]
    for place in queue:
        if id(place.value) not in seen:
            seen.add(id(place.value))
            for name, inner in members_of(place.fields.get("properties")).items():
                properties.setdefault(name, _resolved(document, place.below(inner, name)))
            parts = items_of(place.fields.get("allOf"))
            queue += [_target(document, place.below(part, "allOf")) for part in parts]
    return {**whole.value, "properties": properties} if properties else whole.value


def _resolved(document: Document, schema: DocumentPlace, depth: int = 3) -> JsonValue:
    """Return a schema with references resolved in its alternatives and its items."""
    place = _target(document, schema)
    if not isinstance(place.value, dict) or not depth:
        return place.value
    resolved: dict[str, JsonValue] = {}
    for keyword in COMPOSITION:
        if isinstance(branches := place.value.get(keyword), list):
            below = (place.below(branch, keyword) for branch in branches)
            resolved[keyword] = [_resolved(document, each, depth - 1) for each in below]
    if isinstance(items := place.value.get("items"), dict):
        resolved["items"] = _resolved(document, place.below(items, "items"), depth - 1)
    return {**place.value, **resolved} if resolved else place.value


def _target(document: Document, place: DocumentPlace) -> DocumentPlace:
    try:
        return document.follow(place)
    except DocumentError:  # the operation will be skipped for this reason
        return place._replace(value=True)


_URLENCODED = "application/x-www-form-urlencoded"
_STYLES: tuple[str, ...] = get_args(Style)


class BodyInput(NamedTuple):
    """The request body of an operation: how it is sent, its schema, and its media type object."""

    body: Body
    schema: DocumentPlace
    media: DocumentPlace
    description: str = ""
    is_human: bool | None = None
    notes: tuple[str, ...] = ()


def body_input(document: Document, place: DocumentPlace) -> BodyInput | None:
    """Return the body that a request body object describes, or `None` if it has no content."""
    raw = place.value
    if not isinstance(raw, dict):
        return None
    if "content" not in raw and "schema" in raw:
        place = place._replace(value={"content": {"application/json": raw}})
    marked = _with_marks(document, place)
    content = content_in(document, marked or place)
    if content is None:
        return None
    schema = content.schema
    is_form = content.kind in ("form", "multipart")
    if is_form and schema.value is True:
        schema = schema._replace(value={"type": "object"})
    encoded = form_schema(document, schema) if is_form else schema.value
    notes = [f"The body of type {content.media!r} is sent as given."] * (content.kind == "other")
    if content.kind == "form" and content.media != _URLENCODED:
        notes.append(f"The media type {content.media!r} is sent as {_URLENCODED!r}.")
    return BodyInput(
        body=Body(
            content_type=_URLENCODED if content.kind == "form" else content.media.strip(),
            required=raw.get("required") is True,
            encoding=encodings_of(document, content.entry) if is_form else {},
            schema=encoded if isinstance(encoded, (dict, bool)) else True,
        ),
        schema=schema,
        media=content.entry,
        description=text_of(raw.get("description")),
        is_human=human_mark(raw, *content.marked, {"x-human": True} if marked is None else {}),
        notes=(*content.notes, *notes),
    )


def _with_marks(document: Document, place: DocumentPlace) -> DocumentPlace | None:
    """Return a body with the media types in which a person gives all that is theirs in any.

    The same values are sent in each, so one mark is enough. `None` if there is no such media type.
    """
    written = members_of(place.fields.get("content"))
    if not written:
        return place
    entries = {m: _target(document, place.below(e, "content", m)) for m, e in written.items()}
    schemas = {m: e.below(e.fields.get("schema"), "schema") for m, e in entries.items()}
    first, *others = (schema.value for schema in schemas.values())
    if all(other == first for other in others):
        return place
    persons = {media: _persons(document, schema) for media, schema in schemas.items()}
    everything = frozenset[Keys]().union(*persons.values())
    fitting: JsonObject = {
        media: written[media]
        for media, found in persons.items()
        if found == everything and (not found or media_kind(media) in _WITH_PARTS)
    }
    return place._replace(value={**place.fields, "content": fitting}) if fitting else None


_WITH_PARTS = frozenset({"any", "form", "json", "multipart"})


def _persons(document: Document, place: DocumentPlace) -> frozenset[Keys]:
    """Return the names of the parts that a person gives, each after the name around it."""
    found, seen = set[Keys](), set[tuple[int, Keys]]()
    todo: list[tuple[Keys, DocumentPlace]] = [((), place)]
    for outer, each in todo:  # grows while it is read
        for keys, inner in subschemas(each.fields):
            schema = members_of(inner)
            if "$ref" not in schema and not may_be_persons(schema):
                continue  # as nearly all
            is_human = human_mark(schema)
            named = (key for word, key in pairwise(keys) if word == "properties")
            names = (*outer, *named)[-2:]
            if is_human or (is_human is None and is_secret(Path.of(names), schema)):
                found.add(names)
            target = _target(document, each._replace(value=schema)) if "$ref" in schema else each
            if target is not each and (id(target.value), names) not in seen:
                seen.add((id(target.value), names))
                todo.append((names, target))
    return frozenset(found)


def is_persons(
    document: Document,
    place: DocumentPlace,
    argument: Keys,
    is_human: IsHuman | None,
    *,
    mark: bool | None = None,
) -> bool:
    """Return whether a person gives an input: one human alternative of its schema is enough.

    `mark` is that of the parameter or body around the schema.
    """
    if is_human is None:
        return False
    marked = human_mark(place.value, {"x-human": mark})
    beside: JsonObject = {} if marked is None else {"x-human": marked}
    for part in _parts_of(document, place):
        schema = {key: value for key, value in part.fields.items() if key != "$ref"}
        if ask(is_human, Path.of(argument), {**schema, **beside}):
            return True
        beside = {}
    return False


def _parts_of(document: Document, place: DocumentPlace) -> Iterator[DocumentPlace]:
    """Yield a schema, and those of its references and branches, that apply to the same value."""
    todo, seen = [place], set[int]()
    for each in todo:  # grows while it is read
        target = _target(document, each)
        yield target._replace(value={**target.fields, **each.fields})
        if id(target.value) not in seen:
            seen.add(id(target.value))
            for keyword in COMPOSITION:
                todo += (target.below(b, keyword) for b in items_of(target.fields.get(keyword)))


def encodings_of(document: Document, entry: DocumentPlace) -> Mapping[str, Encoding]:
    """Return the encodings of a media type by the names of their parts, or by their indexes."""
    fields = entry.fields
    written = {str(n): each for n, each in enumerate(items_of(fields.get("prefixEncoding")))}
    written |= {ITEMS: fields.get("itemEncoding"), **members_of(fields.get("encoding"))}
    return {
        name: _encoding(document, entry.below(value, "encoding", name), value)
        for name, value in written.items()
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
        encoding=encodings_of(document, place),
    )


def _headers(document: Document, place: DocumentPlace, raw: JsonValue) -> Mapping[str, str]:
    """Return the headers of a part whose value the document fixes (`const`, `default`, `enum`)."""
    fixed: dict[str, str] = {}
    for name, value in members_of(raw).items():
        header = document.follow(place.below(value, "headers", name))
        schema = _target(document, header.below(header.fields.get("schema"), "schema")).fields
        allowed = items_of(schema.get("enum"))
        only = allowed[0] if len(allowed) == 1 else None
        text = schema.get("const", schema.get("default", only))
        if isinstance(text, str):
            fixed[name] = text
    return fixed


_is_status = lru_cache(re.compile(r"[1-5](?:[0-9]{2}|[xX]{2})|default", re.ASCII).fullmatch)


class OperationResponses(NamedTuple):
    """The media types of responses by their status, the place of the successful one, and notes."""

    declared: Mapping[str, tuple[str, ...]]
    success: DocumentPlace | None
    notes: Sequence[str]


def responses_of(document: Document, operation: Operation) -> OperationResponses:
    """Return the responses of an operation.

    The successful one is the lowest exact status of 2xx, else `2XX`, else `default`.
    """
    found: dict[str, DocumentPlace] = {}
    declared: dict[str, tuple[str, ...]] = {}
    notes: list[str] = []
    for status, value in members_of(operation.fields.get("responses")).items():
        if not _is_status(status):
            continue
        place = DocumentPlace(value, f"{operation.pointer}/responses/{status}", operation.resource)
        try:
            place = document.follow(place)
        except DocumentError as error:
            notes.append(f"The response {status} is unknown: {error.reason}")
            continue
        content = place.fields.get("content")
        if not isinstance(content, dict):
            # In Swagger 2.0 the operation, not the response, has the media types.
            produces = swagger.media_types(operation.fields, document.root, "produces")
            content = swagger.content_of(place.fields, produces)
            place = place._replace(value={"content": content})
        name = status if status == "default" else status.upper()
        found[name], declared[name] = place, (*content,)
    exact = sorted(status for status in found if "200" <= status <= "299")
    success = next((found[each] for each in (*exact, "2XX", "default") if each in found), None)
    return OperationResponses(declared, success, notes)


def output_in(document: Document, response: DocumentPlace) -> MediaContent | None:
    """Return the content of a response that says what comes back, or `None`."""
    content = content_in(document, response, received=True)
    if content is None or not (content.is_declared or content.kind in ("text", "bytes")):
        return None
    return content


def items_in(document: Document, response: DocumentPlace) -> DocumentPlace | None:
    """Return the `itemSchema` of the first media type that is a sequence and has one."""
    for media, value in members_of(response.fields.get("content")).items():
        if sequence_kind(media) is not None:
            with suppress(DocumentError):  # a note on the output says it
                entry = document.follow(response.below(value, "content", media))
                if isinstance(schema := entry.fields.get("itemSchema"), dict):
                    return entry.below(schema, "itemSchema")
    return None
