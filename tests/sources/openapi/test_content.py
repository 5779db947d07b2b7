"""What stands under `content`."""

import pytest

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.sources.openapi.bodies import Content, content_in, form_schema
from pyfunctools.sources.openapi.document import Document, Place
from pyfunctools.sources.openapi.load import Loaded

OBJECT: JsonObject = {"type": "object"}
ROOT: JsonObject = {
    "text": {"type": "string", "maxLength": 7},
    "object": {"type": "object", "title": "O"},
    "media": {"schema": OBJECT},
}


def read(content: JsonValue) -> Content | None:
    document = Document(Loaded(root=ROOT, name="a.json"))
    return content_in(document, Place({"content": content}, "/here", document.main))


def of(media: str, entry: JsonValue) -> Content:
    found = read({media: entry})
    assert found is not None
    return found


@pytest.mark.parametrize("content", [None, 7, [], {}])
def test_no_content_is_none(content: JsonValue) -> None:
    assert read(content) is None
    document = Document(Loaded(root={}, name="a.json"))
    assert content_in(document, Place(content, "", document.main)) is None


def test_the_media_type_of_choice_is_read() -> None:
    found = read({"text/plain": {}, "application/json": {"schema": OBJECT}})
    assert found is not None
    assert (found.media, found.kind, found.is_said) == ("application/json", "json", True)
    assert found.schema.value is OBJECT
    assert found.schema.pointer == "/here/content/application~1json/schema"


@pytest.mark.parametrize(
    ("entry", "expected", "is_said", "note"),
    [
        ({}, True, False, ""),
        (None, True, False, ""),
        (7, True, False, ""),
        ({"example": {}}, True, False, ""),
        ({"schema": OBJECT}, OBJECT, True, ""),
        ({"schema": False}, False, True, ""),
        ({"schema": None}, True, False, ""),
        ({"schema": 7}, True, True, "The schema of 'application/json' is none"),
        ({"itemSchema": OBJECT}, {"type": "array", "items": OBJECT}, True, ""),
        ({"itemSchema": 7}, True, True, "is none"),
        ({"type": "object"}, OBJECT, True, "stands right under 'application/json'"),
        ({"$ref": "#/media"}, OBJECT, True, ""),
        ({"$ref": "#/object"}, {"type": "object", "title": "O"}, True, "stands right under"),
    ],
)
def test_the_schema_is_found_where_it_stands(
    entry: JsonValue, expected: JsonValue, is_said: bool, note: str
) -> None:
    found = of("application/json", entry)
    assert found.schema.value == expected
    assert found.is_said is is_said
    assert note in "".join(found.notes)
    assert bool(note) is bool(found.notes)


def test_a_media_type_that_leads_nowhere_is_an_error() -> None:
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
        ("image/png", True, {"type": "string", "format": "binary"}),
        ("image/png", OBJECT, {"type": "string", "format": "binary"}),
        ("image/png", {"$ref": "#/text"}, {"type": "string", "maxLength": 7, "format": "binary"}),
        ("image/png", {"type": "string", "format": "byte"}, {"type": "string", "format": "byte"}),
        ("image/png", {"contentEncoding": "base64"}, {"contentEncoding": "base64"}),
    ],
)
def test_what_is_sent_as_text_or_bytes_is_a_text_or_a_file(
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
def test_a_form_says_what_its_properties_are(schema: JsonValue, expected: JsonValue) -> None:
    root: JsonObject = {
        "file": {"format": "binary"},
        "base": {"properties": {"a": {"$ref": "#/file"}, "b": {}}},
        "whole": {"allOf": [{"$ref": "#/base"}, {"properties": {"c": {}}}]},
        "loop": {"allOf": [{"$ref": "#/loop"}]},
    }
    document = Document(Loaded(root=root, name="a.json"))
    assert form_schema(document, Place(schema, "", document.main)) == expected


def test_a_form_that_multiplies_is_read_once() -> None:
    schemas: dict[str, JsonValue] = {
        f"S{i}": {"allOf": [{"$ref": f"#/S{i + 1}"}] * 500, "properties": {f"p{i}": {}}}
        for i in range(10)
    }
    document = Document(
        Loaded(root={**schemas, "S10": {"properties": {"last": {}}}}, name="a.json")
    )
    found = form_schema(document, Place({"$ref": "#/S0"}, "", document.main))
    assert isinstance(found, dict)
    assert [*found["properties"]] == [*(f"p{i}" for i in range(10)), "last"]  # pyright: ignore


@pytest.mark.parametrize("kind", ["boolean", "integer", "number"])
def test_a_number_or_a_boolean_is_sent_as_its_own_text_and_read_as_text(kind: str) -> None:
    document = Document(Loaded(root={"scalar": {"type": kind}}, name="a.json"))
    for schema in ({"type": kind}, {"$ref": "#/scalar"}):
        place = Place({"content": {"text/plain": {"schema": schema}}}, "", document.main)
        sent, got = content_in(document, place), content_in(document, place, received=True)
        assert sent is not None
        assert got is not None
        assert (sent.schema.value, got.schema.value) == (schema, {"type": "string"})
    xml = content_in(
        document, Place({"content": {"text/xml": {"schema": {"type": kind}}}}, "", document.main)
    )
    assert xml is not None
    assert xml.schema.value == {"type": "string", "contentMediaType": "text/xml"}
