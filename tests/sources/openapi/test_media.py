"""Media types."""

import pytest

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.sources.openapi.document import Document, Place
from pyfunctools.sources.openapi.load import Loaded
from pyfunctools.sources.openapi.media import (
    bytes_schema,
    essence,
    first_json,
    form_schema,
    kind_of,
    ranked,
    text_schema,
)


@pytest.mark.parametrize(
    ("media", "kind"),
    [
        ("application/json", "json"),
        ("Application/JSON; charset=utf-8", "json"),
        ("text/json", "json"),
        ("application/problem+json", "json"),
        ("application/vnd.api+json;v=1", "json"),
        ("multipart/form-data", "multipart"),
        ("multipart/mixed", "multipart"),
        ("application/x-www-form-urlencoded", "form"),
        ("x-www-form-urlencoded", "form"),
        ("*/*", "any"),
        ("application/*", "any"),
        ("", "any"),
        ("text/plain", "text"),
        ("text/event-stream", "text"),
        ("text/*", "text"),
        ("application/xml", "text"),
        ("application/atom+xml", "text"),
        ("application/x-ndjson", "text"),
        ("application/yaml", "text"),
        ("application/octet-stream", "bytes"),
        ("image/png", "bytes"),
        ("image/*", "bytes"),
        ("application/pdf", "bytes"),
        ("application/vnd.github.diff", "other"),
        ("nonsense", "other"),
    ],
)
def test_a_media_type_says_what_it_makes_of_a_value(media: str, kind: str) -> None:
    assert kind_of(media) == kind


def test_the_essence_is_without_parameters() -> None:
    assert essence(" Text/Plain ; charset=x") == "text/plain"


def test_json_goes_first_and_what_has_no_rules_last() -> None:
    content = [
        "application/vnd.x",
        "image/png",
        "text/csv",
        "text/plain",
        "*/*",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/problem+json",
        "application/json; charset=utf-8",
    ]
    assert ranked(content) == content[::-1]
    assert first_json(content) == content[-1]
    assert ranked(["a/b+json", "c/d+json"]) == ["a/b+json", "c/d+json"]


@pytest.mark.parametrize(
    ("media", "schema", "expected"),
    [
        ("text/plain", {"type": "string", "maxLength": 7}, {"type": "string", "maxLength": 7}),
        ("text/plain", True, {"type": "string"}),
        ("text/plain", {"type": "object"}, {"type": "string"}),
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
        ("text/csv; header=present", None, {"type": "string", "contentMediaType": "text/csv"}),
        ("application/x-ndjson", None, {"type": "string"}),
    ],
)
def test_what_is_sent_as_text_is_a_text(
    media: str, schema: JsonValue, expected: JsonObject
) -> None:
    assert text_schema(media, schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, {"type": "string", "format": "binary"}),
        ({}, {"type": "string", "format": "binary"}),
        ({"type": "object"}, {"type": "string", "format": "binary"}),
        ({"type": "string"}, {"type": "string", "format": "binary"}),
        ({"type": "string", "format": "byte"}, {"type": "string", "format": "byte"}),
        ({"contentEncoding": "base64"}, {"contentEncoding": "base64"}),
    ],
)
def test_what_is_sent_as_bytes_is_a_file(schema: JsonValue, expected: JsonObject) -> None:
    assert bytes_schema(schema) == expected


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
