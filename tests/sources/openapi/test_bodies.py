"""Request bodies and responses: the media type of choice and its schema."""

import json
from typing import Any

import pytest

from pyfunctools import Controller
from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.route import ITEMS, Body, Encoding
from pyfunctools.sources.openapi.bodies import (
    BodyInput,
    MediaContent,
    OperationResponses,
    body_input,
    content_in,
    form_schema,
    output_in,
    responses_of,
)
from pyfunctools.sources.openapi.document import Document, DocumentPlace
from pyfunctools.sources.openapi.load import Loaded
from pyfunctools.sources.openapi.operations import Operation, operations
from pyfunctools.sources.openapi.reader import read_document

OBJECT: JsonObject = {"type": "object"}
ROOT: JsonObject = {
    "text": {"type": "string", "maxLength": 7},
    "object": {"type": "object", "title": "O"},
    "media": {"schema": OBJECT},
}


def content_read(content: JsonValue) -> MediaContent | None:
    document = Document(Loaded(root=ROOT, name="a.json"))
    return content_in(document, DocumentPlace({"content": content}, "/here", document.main))


def of(media: str, entry: JsonValue) -> MediaContent:
    found = content_read({media: entry})
    assert found is not None
    return found


@pytest.mark.parametrize("content", [None, 7, [], {}])
def test_missing_content_returns_none(content: JsonValue) -> None:
    assert content_read(content) is None
    document = Document(Loaded(root={}, name="a.json"))
    assert content_in(document, DocumentPlace(content, "", document.main)) is None


@pytest.mark.parametrize(
    ("entry", "expected", "is_declared", "note"),
    [
        ({}, True, False, ""),
        (None, True, False, ""),
        (7, True, False, ""),
        ({"example": {}}, True, False, ""),
        ({"schema": OBJECT}, OBJECT, True, ""),
        ({"schema": False}, False, True, ""),
        ({"schema": None}, True, False, ""),
        ({"schema": 7}, True, True, "The schema of 'application/json' is not a schema"),
        ({"itemSchema": OBJECT}, {"type": "array", "items": OBJECT}, True, ""),
        ({"itemSchema": 7}, True, True, "is not a schema"),
        ({"type": "object"}, OBJECT, True, "stands directly under 'application/json'"),
        ({"$ref": "#/media"}, OBJECT, True, ""),
        ({"$ref": "#/object"}, {"type": "object", "title": "O"}, True, "stands directly under"),
    ],
)
def test_the_schema_of_a_media_type_is_found_in_each_place(
    entry: JsonValue, expected: JsonValue, is_declared: bool, note: str
) -> None:
    found = of("application/json", entry)
    assert found.schema.value == expected
    assert found.is_declared is is_declared
    assert note in "".join(found.notes)
    assert bool(note) is bool(found.notes)


def test_a_broken_reference_to_a_media_type_is_an_error() -> None:
    with pytest.raises(DocumentError):
        of("application/json", {"$ref": "#/none"})


@pytest.mark.parametrize(
    ("media", "schema", "expected"),
    [
        ("text/plain", {"type": "string", "maxLength": 7}, {"type": "string", "maxLength": 7}),
        ("text/plain", {"$ref": "#/text"}, {"$ref": "#/text"}),
        ("text/plain", {"$ref": "#/object"}, {"type": "string", "title": "O"}),
        ("text/plain", {"$ref": "#/none"}, {"type": "string"}),
        ("text/plain", True, {"type": "string"}),
        ("text/plain", OBJECT, {"type": "string"}),
        (
            "application/xml",
            {"type": "object", "title": "Pet", "description": "A pet."},
            {
                "type": "string",
                "title": "Pet",
                "description": "A pet.",
                "contentMediaType": "application/xml",
            },
        ),
        ("text/csv; header=present", {}, {"type": "string", "contentMediaType": "text/csv"}),
        ("application/x-ndjson", {}, {"type": "string"}),
        ("application/x-ndjson", OBJECT, {"type": "string"}),
        ("application/x-ndjson", {"type": "array"}, {"type": "array"}),
        ("image/png", True, {"type": "string", "format": "binary"}),
        ("image/png", OBJECT, {"type": "string", "format": "binary"}),
        ("image/png", {"$ref": "#/text"}, {"type": "string", "maxLength": 7, "format": "binary"}),
        ("image/png", {"type": "string", "format": "byte"}, {"type": "string", "format": "byte"}),
        ("image/png", {"contentEncoding": "base64"}, {"contentEncoding": "base64"}),
    ],
)
def test_text_and_bytes_media_types_have_text_and_file_schemas(
    media: str, schema: JsonValue, expected: JsonObject
) -> None:
    assert of(media, {"schema": schema}).schema.value == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, True),
        (7, True),
        ({"type": "object"}, {"type": "object"}),
        (
            {"properties": {"a": {"$ref": "#/file"}, "b": {"type": "string"}}},
            {"properties": {"a": {"format": "binary"}, "b": {"type": "string"}}},
        ),
        (
            {"$ref": "#/whole"},
            {
                "allOf": [{"$ref": "#/base"}, {"properties": {"c": {}}}],
                "properties": {"a": {"format": "binary"}, "b": {}, "c": {}},
            },
        ),
        ({"$ref": "#/none"}, True),
        ({"properties": {"a": {"$ref": "#/none"}}}, {"properties": {"a": True}}),
        ({"$ref": "#/loop"}, {"allOf": [{"$ref": "#/loop"}]}),
    ],
)
def test_a_form_schema_has_resolved_properties(schema: JsonValue, expected: JsonValue) -> None:
    root: JsonObject = {
        "file": {"format": "binary"},
        "base": {"properties": {"a": {"$ref": "#/file"}, "b": {}}},
        "whole": {"allOf": [{"$ref": "#/base"}, {"properties": {"c": {}}}]},
        "loop": {"allOf": [{"$ref": "#/loop"}]},
    }
    document = Document(Loaded(root=root, name="a.json"))
    assert form_schema(document, DocumentPlace(schema, "", document.main)) == expected


def test_a_form_that_multiplies_is_read_once() -> None:
    schemas: dict[str, JsonValue] = {
        f"S{i}": {"allOf": [{"$ref": f"#/S{i + 1}"}] * 500, "properties": {f"p{i}": {}}}
        for i in range(10)
    }
    document = Document(
        Loaded(root={**schemas, "S10": {"properties": {"last": {}}}}, name="a.json")
    )
    found = form_schema(document, DocumentPlace({"$ref": "#/S0"}, "", document.main))
    assert isinstance(found, dict)
    assert [*found["properties"]] == [*(f"p{i}" for i in range(10)), "last"]  # pyright: ignore


@pytest.mark.parametrize("kind", ["boolean", "integer", "number"])
def test_a_number_or_a_boolean_is_sent_as_its_own_text_and_read_as_text(kind: str) -> None:
    document = Document(Loaded(root={"scalar": {"type": kind}}, name="a.json"))
    for schema in ({"type": kind}, {"$ref": "#/scalar"}):
        place = DocumentPlace({"content": {"text/plain": {"schema": schema}}}, "", document.main)
        sent, got = content_in(document, place), content_in(document, place, received=True)
        assert sent is not None
        assert got is not None
        assert (sent.schema.value, got.schema.value) == (schema, {"type": "string"})
    xml = content_in(
        document,
        DocumentPlace({"content": {"text/xml": {"schema": {"type": kind}}}}, "", document.main),
    )
    assert xml is not None
    assert xml.schema.value == {"type": "string", "contentMediaType": "text/xml"}


def read(raw: JsonValue, **root: JsonValue) -> BodyInput | None:
    document = Document(Loaded(root=root, name="a.json"))
    return body_input(document, DocumentPlace(raw, "/body", document.main))


def made(content: JsonObject, **more: JsonValue) -> BodyInput:
    found = read({"content": content, **more})
    assert found is not None
    return found


@pytest.mark.parametrize("raw", [None, 7, {}, {"content": {}}, {"content": 7}])
def test_a_body_without_content_returns_none(raw: JsonValue) -> None:
    assert read(raw) is None


@pytest.mark.parametrize(
    ("media", "schema", "sent", "expected"),
    [
        ("application/json", None, "application/json", True),
        ("application/merge-patch+json", OBJECT, "application/merge-patch+json", OBJECT),
        ("*/*", OBJECT, "*/*", OBJECT),
        ("text/plain", OBJECT, "text/plain", {"type": "string"}),
        (
            "application/xml",
            OBJECT,
            "application/xml",
            {"type": "string", "contentMediaType": "application/xml"},
        ),
        (
            "application/octet-stream",
            None,
            "application/octet-stream",
            {"type": "string", "format": "binary"},
        ),
        ("application/x-www-form-urlencoded", None, "application/x-www-form-urlencoded", OBJECT),
        ("multipart/form-data", OBJECT, "multipart/form-data", OBJECT),
    ],
)
def test_each_kind_of_body_has_the_schema_of_its_value(
    media: str, schema: JsonValue, sent: str, expected: JsonValue
) -> None:
    found = made({media: {} if schema is None else {"schema": schema}})
    assert found.body.content_type == sent
    assert found.schema.value == expected
    assert found.notes == ()


@pytest.mark.parametrize(
    ("media", "entry", "note", "expected"),
    [
        (
            "application/json",
            {"schema": 7},
            "The schema of 'application/json' is not a schema",
            True,
        ),
        ("application/vnd.x", {"schema": OBJECT}, "is sent as given", OBJECT),
        ("x-www-form-urlencoded", {"schema": OBJECT}, "is sent as 'application/x-www-form", OBJECT),
        (
            "multipart/mixed",
            {"itemSchema": OBJECT},
            "",
            {"type": "array", "items": OBJECT},
        ),
        ("application/json", None, "", True),
        ("application/json", OBJECT, "stands directly under", OBJECT),
    ],
)
def test_unusual_bodies_have_notes(
    media: str, entry: JsonValue, note: str, expected: JsonValue
) -> None:
    found = made({media: entry})
    assert found.schema.value == expected
    assert note in "".join(found.notes)


def test_a_schema_without_its_content_is_json() -> None:
    found = read({"schema": OBJECT, "required": True})
    assert found is not None
    assert found.body == Body(content_type="application/json", required=True, schema=OBJECT)


@pytest.mark.parametrize(("mark", "is_human"), [("x-human", True), ("x-samchon-human", False)])
def test_a_body_may_be_marked_for_people(mark: str, is_human: bool) -> None:
    content: JsonObject = {"application/json": {}}
    assert made(content, **{mark: is_human}).is_human is is_human
    assert made(content).is_human is None


def test_encodings_say_how_a_property_is_written() -> None:
    entry: JsonObject = {
        "schema": OBJECT,
        "encoding": {
            "a": {"contentType": "image/png", "headers": {"X": {"schema": {"const": "x"}}}},
            "b": {"style": "pipeDelimited", "explode": False, "allowReserved": True},
            "c": {"style": "nonsense", "contentType": 7, "explode": "x", "headers": 7},
            "d": 7,
            "e": {
                "headers": {
                    "One": {"schema": {"enum": ["only"]}},
                    "Two": {"schema": {"enum": ["one", "two"]}},
                    "Set": {"$ref": "#/header"},
                    "Odd": 7,
                    "Any": {"schema": {"type": "string"}},
                }
            },
            "f": {"encoding": {"g": {"style": "form"}}},
        },
        "prefixEncoding": [{"contentType": "image/png"}],
        "itemEncoding": {"contentType": "text/csv"},
    }
    found = read({"content": {"multipart/form-data": entry}}, header={"schema": {"default": "y"}})
    assert found is not None
    assert found.body.encoding == {
        "a": Encoding(content_type="image/png", headers={"X": "x"}),
        "b": Encoding(style="pipeDelimited", explode=False, allow_reserved=True),
        "c": Encoding(),
        "e": Encoding(headers={"One": "only", "Set": "y"}),
        "f": Encoding(encoding={"g": Encoding(style="form")}),
        "0": Encoding(content_type="image/png"),
        ITEMS: Encoding(content_type="text/csv"),
    }


def test_encodings_of_a_json_body_are_ignored() -> None:
    assert made({"application/json": {"encoding": {"a": {}}}}).body.encoding == {}
    assert made({"multipart/form-data": {"encoding": 7}}).body.encoding == {}


def test_a_broken_reference_to_a_header_is_an_error() -> None:
    entry: JsonObject = {"encoding": {"a": {"headers": {"X": {"$ref": "#/none"}}}}}
    with pytest.raises(DocumentError):
        read({"content": {"multipart/form-data": entry}})


def answers(responses: JsonValue, **root: JsonValue) -> OperationResponses:
    whole: JsonObject = {"paths": {"/a": {"get": {"responses": responses}}}, **root}
    document = Document(Loaded(root=whole, name="a.json"))
    (operation,) = operations(document)
    assert isinstance(operation, Operation)
    return responses_of(document, operation)


def output_place(responses: JsonValue, **root: JsonValue) -> DocumentPlace | None:
    success = answers(responses, **root).success
    found = success and output_in(Document(Loaded(root=root, name="a.json")), success)
    return None if found is None else found.schema


def output(responses: JsonValue, **root: JsonValue) -> JsonValue:
    found = output_place(responses, **root)
    return None if found is None else found.value


def content(schema: JsonValue, media: str = "application/json") -> JsonObject:
    return {"description": "d", "content": {media: {"schema": schema}}}


def typed(name: str) -> JsonObject:
    return content({"title": name})


@pytest.mark.parametrize(
    ("statuses", "good"),
    [
        (["200", "201"], "200"),
        (["404", "201", "202"], "201"),
        (["2XX", "201"], "201"),
        (["default", "2XX"], "2XX"),
        (["default", "2xx"], "2xx"),
        (["default", "404"], "default"),
        (["404", "500"], None),
        (["299", "x-200"], "299"),
        ([], None),
    ],
)
def test_the_output_is_of_the_lowest_2xx_then_2XX_then_default(
    statuses: list[str], good: str | None
) -> None:
    assert output({status: typed(status) for status in statuses}) == (good and {"title": good})


def test_a_success_response_without_content_has_no_output() -> None:
    assert output({"204": {"description": "Done."}, "default": typed("x")}) is None
    assert output({"200": {"content": {}}}) is None
    assert output({"200": {"content": {"application/json": {}}}}) is None
    assert output({"200": {"content": {"application/json": 7}}}) is None
    assert output({"200": content(None)}) is None
    assert output({"200": content(7)}) is True
    assert output({"200": None}) is None


@pytest.mark.parametrize("responses", [None, 7, []])
def test_without_responses_there_is_no_output(responses: JsonValue) -> None:
    assert answers(responses) == ({}, None, [])


@pytest.mark.parametrize(
    ("media", "schema", "expected"),
    [
        ("application/json", False, False),
        ("application/json", {"type": "integer"}, {"type": "integer"}),
        ("*/*", {"type": "object"}, {"type": "object"}),
        ("application/vnd.x", {"type": "object"}, {"type": "object"}),
        ("text/plain", {"type": "object"}, {"type": "string"}),
        ("image/png", {}, {"type": "string", "format": "binary"}),
    ],
)
def test_the_output_is_any_schema(media: str, schema: JsonValue, expected: JsonValue) -> None:
    assert output({"200": content(schema, media)}) == expected


def test_a_sequence_is_text_or_a_list() -> None:
    entry: JsonObject = {"itemSchema": {"title": "i"}}
    assert output({"200": {"content": {"application/json": entry}}}) == {
        "type": "array",
        "items": {"title": "i"},
    }
    stream = output({"200": {"content": {"text/event-stream": entry}}})
    assert stream == {"type": "string", "contentMediaType": "text/event-stream"}


def test_a_media_type_may_be_a_reference() -> None:
    entry: JsonObject = {"content": {"application/json": {"$ref": "#/media"}}}
    assert output({"200": entry}, media={"schema": {"title": "m"}}) == {"title": "m"}
    document: JsonObject = {
        "openapi": "3.1.0",
        "paths": {"/a": {"get": {"responses": {"200": entry}}}},
    }
    (found,) = read_document(document).functions
    assert found.output is None
    assert [note.text for note in found.notes] == [
        "The output is unknown: The reference '#/media' leads nowhere."
    ]


def test_every_response_is_listed() -> None:
    found = answers(
        {
            "200": content({}),
            "4xx": {"description": 7},
            "default": {"$ref": "#/error"},
            "x-note": {},
            "600": {},
        },
        error=content({}, "application/problem+json"),
    )
    assert found.declared == {
        "200": ("application/json",),
        "4XX": (),
        "default": ("application/problem+json",),
    }


def test_a_broken_reference_to_a_response_is_only_noted() -> None:
    found = answers({"200": typed("x"), "404": {"$ref": "#/none"}})
    assert found.success is not None
    assert list(found.notes) == [
        "The response 404 is unknown: The reference '#/none' leads nowhere."
    ]


def test_the_place_of_the_output_is_known() -> None:
    found = output_place({"200": typed("x")})
    assert found is not None
    assert found.pointer == "/paths/~1a/get/responses/200/content/application~1json/schema"


def test_swagger_responses_have_the_media_types_of_produces() -> None:
    responses: JsonObject = {"200": {"schema": {"title": "x"}}}
    media = ["text/csv", "application/json"]
    found = answers(responses, produces=media)
    assert found.declared["200"] == ("text/csv", "application/json")
    assert output(responses, produces=media) == {"title": "x"}


@pytest.mark.parametrize("marked", ["application/json", "application/x-www-form-urlencoded"])
@pytest.mark.parametrize("mark", [{"x-human": True}, {"format": "password"}])
def test_a_field_that_is_a_persons_in_one_media_type_is_so_in_all(
    marked: str, mark: JsonObject
) -> None:
    types = ("application/json", "application/x-www-form-urlencoded")
    content: dict[str, JsonValue] = {}
    cards: dict[str, JsonValue] = {}
    for media in types:
        pin = {"type": "string", **(mark if media == marked else {})}
        card = cards[media[12:15]] = {"type": "object", "properties": {"pin": pin, "no": {}}}
        items = {"$ref": f"#/components/schemas/{media[12:15]}"}
        own = {"pin": pin, "plain": {}, "cards": {"type": "array", "items": items}}
        content[media] = {"schema": {**card, "properties": own}}
    document: Any = {
        "openapi": "3.1.0",
        "info": {},
        "paths": {"/a": {"post": {"requestBody": {"content": content}}}},
        "components": {"schemas": cards},
    }
    (function,) = Controller.from_openapi(document)
    shown = json.dumps(function.llm)
    assert '"pin"' not in shown
    assert '"plain"' in shown
    assert '"no"' in shown


@pytest.mark.parametrize("place", ["requestBody", "querystring"])
def test_a_mark_in_the_encoding_of_a_field_makes_it_a_persons(place: str) -> None:
    schema = {"type": "object", "properties": {"pin": {"type": "string"}, "plain": {}}}
    media = {"schema": schema, "encoding": {"pin": {"x-human": True}}}
    content: Any = {"multipart/form-data": media}
    operation: Any = {"requestBody": {"content": content}}
    if place == "querystring":
        content = {"application/x-www-form-urlencoded": media}
        operation = {"parameters": [{"name": "q", "in": place, "content": content}]}
    document: Any = {"openapi": "3.2.0", "info": {}, "paths": {"/a": {"post": operation}}}
    (function,) = Controller.from_openapi(document)
    assert '"pin"' not in json.dumps(function.llm)
    assert '"plain"' in json.dumps(function.llm)


@pytest.mark.parametrize("media", ["multipart/form-data", "application/x-www-form-urlencoded"])
@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ({"$ref": "#/object"}, {"type": "string", "title": "O"}),
        ({"type": "array", "items": OBJECT}, {"type": "array", "items": {"type": "string"}}),
        ({"$ref": "#/text"}, {"$ref": "#/text"}),
    ],
)
def test_the_xml_of_a_part_is_text(media: str, declared: JsonValue, expected: JsonValue) -> None:
    form: JsonObject = {"type": "object", "properties": {"a": declared, "b": OBJECT}}
    encoding = {"a": {"contentType": "text/xml; charset=utf-8, application/xml"}}
    found: Any = of(media, {"schema": form, "encoding": encoding}).schema.value
    shown = json.dumps(found["properties"]).replace(', "contentMediaType": "text/xml"', "")
    assert json.loads(shown) == {"a": expected, "b": OBJECT}
    assert form["properties"] == {"a": declared, "b": OBJECT}


@pytest.mark.parametrize("mark", [{"x-human": True}, {"format": "password"}])
@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("place", ["body", "part", "parts", "query"])
def test_a_text_with_a_persons_part_is_the_persons(
    place: str, inside: bool, mark: JsonObject
) -> None:
    pin: JsonObject = {"type": "string", **mark}
    schema: JsonObject = {"type": "object", "properties": {"pin": pin}} if inside else mark
    xml = "application/xml"
    if place == "parts":
        schema = {
            "type": "array",
            "items": schema if inside else OBJECT,
            **({} if inside else mark),
        }
    form = {"type": "object", "properties": {"x": schema}}
    part = {"schema": form, "encoding": {"x": {"contentType": xml}}}
    content = {"multipart/form-data": part} if "part" in place else {xml: {"schema": schema}}
    operation: Any = {"requestBody": {"content": content}}
    if place == "query":
        operation = {"parameters": [{"name": "x", "in": place, "content": content}]}
    document: Any = {"openapi": "3.1.0", "info": {}, "paths": {"/a": {"post": operation}}}
    (function,) = Controller.from_openapi(document)
    assert "string" not in json.dumps(function.llm)


def test_a_mark_beside_a_second_reference_in_another_media_type_counts() -> None:
    branch: JsonObject = {"$ref": "#/components/schemas/Text"}
    either: JsonObject = {"anyOf": [branch, {**branch, "x-human": True}]}
    schemas = [{"properties": {"a": inner, "b": {}}} for inner in ({"type": "string"}, either)]
    media = ("application/json", "multipart/form-data")
    content = {name: {"schema": each} for name, each in zip(media, schemas, strict=True)}
    (function,) = read_document(
        {
            "openapi": "3.1.0",
            "paths": {"/a": {"post": {"requestBody": {"content": content}}}},
            "components": {"schemas": {"Text": {"type": "string"}}},
        }
    ).functions
    assert function.separated is not None
    assert function.separated.owner(("body", "a")) == "human"
    assert function.separated.owner(("body", "b")) == "llm"
