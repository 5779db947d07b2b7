"""Swagger 2.0 converted to OpenAPI 3."""

import json

import pytest

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.sources.openapi import swagger
from pyfunctools.sources.openapi.document import DocumentPlace, Resource

RESOURCE = Resource({})
ARRAY: JsonObject = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("location", "collection", "style", "explode"),
    [
        ("query", "csv", "form", False),
        ("query", None, "form", False),
        ("query", "ssv", "spaceDelimited", False),
        ("query", "tsv", "tabDelimited", False),
        ("query", "pipes", "pipeDelimited", False),
        ("query", "multi", "form", True),
        ("query", 7, "form", False),
        ("path", "csv", "simple", False),
        ("path", "pipes", "pipeDelimited", False),
        ("header", "csv", "simple", False),
        ("header", "tsv", "tabDelimited", False),
        ("cookie", "csv", "form", False),
    ],
)
def test_an_array_has_the_style_of_its_collection_format(
    location: str, collection: JsonValue, style: str, explode: bool
) -> None:
    old: JsonObject = {"name": "a", "in": location, **ARRAY}
    if collection is not None:
        old = {**old, "collectionFormat": collection}
    new = swagger.parameter(old)
    assert (new["style"], new["explode"]) == (style, explode)
    assert new["schema"] == ARRAY


def test_the_schema_is_the_keywords_that_are_not_the_parameters() -> None:
    old: JsonObject = {
        "name": "a",
        "in": "query",
        "description": "d",
        "required": True,
        "allowEmptyValue": True,
        "type": "integer",
        "minimum": 1,
        "x-nullable": True,
        "x-example": 7,
    }
    before = json.dumps(old)
    assert swagger.parameter(old) == {
        "name": "a",
        "in": "query",
        "description": "d",
        "required": True,
        "allowEmptyValue": True,
        "schema": {"type": "integer", "minimum": 1, "x-nullable": True},
        "example": 7,
    }
    assert json.dumps(old) == before


def test_keywords_of_version_3_stay_with_the_parameter() -> None:
    old: JsonObject = {
        "name": "a",
        "in": "query",
        "type": "array",
        "style": "form",
        "explode": True,
    }
    new: JsonObject = {**old, "example": [1], "deprecated": True}
    made = swagger.parameter(new)
    assert made.pop("schema") == {"type": "array"}
    assert made == {key: value for key, value in new.items() if key != "type"}


def places(*values: JsonObject) -> list[DocumentPlace]:
    return [DocumentPlace(value, "", RESOURCE) for value in values]


def test_a_body_has_every_media_type_but_those_of_forms() -> None:
    schema: JsonObject = {"type": "object"}
    body: JsonObject = {
        "in": "body",
        "name": "b",
        "schema": schema,
        "required": True,
        "description": "d",
    }
    consumes = [
        "application/json",
        "application/xml",
        "multipart/form-data",
        "Multipart/Form-Data;a",
    ]
    made = swagger.request_body(places(body), consumes)
    assert made == {
        "required": True,
        "description": "d",
        "content": {"application/json": {"schema": schema}, "application/xml": {"schema": schema}},
    }
    form = "application/x-www-form-urlencoded"
    for consumes, media in (([], "application/json"), ([form], form)):
        assert swagger.request_body(places({"in": "body", "type": "string"}), consumes) == {
            "content": {media: {"schema": {"type": "string"}}}
        }


def test_form_fields_become_one_form() -> None:
    fields = places(
        {"in": "formData", "name": "a", "type": "string", "required": True, "description": "d"},
        {"in": "formData", "name": "b", **ARRAY, "collectionFormat": "multi"},
        {"in": "formData", "name": "c", **ARRAY},
        {"in": "formData", "name": "d", **ARRAY, "collectionFormat": "pipes"},
    )
    made = swagger.request_body(fields, [])
    assert made == {
        "required": True,
        "content": {
            "application/x-www-form-urlencoded": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "a": {"type": "string", "description": "d"},
                        "b": ARRAY,
                        "c": ARRAY,
                        "d": ARRAY,
                    },
                    "required": ["a"],
                    "additionalProperties": False,
                },
                "encoding": {
                    "b": {"style": "form", "explode": True},
                    "c": {"style": "simple", "explode": False},
                    "d": {"style": "pipeDelimited", "explode": False},
                },
            }
        },
    }


@pytest.mark.parametrize(
    ("kind", "consumes", "media"),
    [
        ("file", [], "multipart/form-data"),
        ("file", ["application/x-www-form-urlencoded"], "multipart/form-data"),
        ("string", ["multipart/form-data"], "multipart/form-data"),
        ("string", ["Multipart/Form-Data; charset=utf-8"], "multipart/form-data"),
        (
            "string",
            ["multipart/form-data", "application/x-www-form-urlencoded; charset=utf-8"],
            "application/x-www-form-urlencoded",
        ),
        (
            "string",
            ["multipart/form-data", "application/x-www-form-urlencoded"],
            "application/x-www-form-urlencoded",
        ),
        ("string", ["application/json"], "application/x-www-form-urlencoded"),
    ],
)
def test_a_form_with_a_file_is_multipart(kind: str, consumes: list[str], media: str) -> None:
    field: JsonObject = {"in": "formData", "name": "a", "type": kind, "x-human": False}
    made = swagger.request_body(places(field), consumes)
    assert made is not None
    assert isinstance(content := made["content"], dict)
    assert list(content) == [media]
    if kind == "file":
        assert content[media]["schema"]["properties"]["a"] == {  # pyright: ignore
            "type": "string",
            "format": "binary",
            "x-human": False,
        }


@pytest.mark.parametrize(
    "fields",
    [
        places({"in": "body"}, {"in": "body"}),
        places({"in": "body"}, {"in": "formData", "name": "a"}),
    ],
)
def test_two_bodies_contradict_each_other(fields: list[DocumentPlace]) -> None:
    assert swagger.request_body(fields, []) is None


@pytest.mark.parametrize(
    ("response", "produces", "content"),
    [
        ({}, ["application/json"], {}),
        ({"schema": 7}, [], {}),
        ({"schema": ARRAY}, [], {"application/json": {"schema": ARRAY}}),
        ({"schema": ARRAY}, ["a/b", "c/d"], {"a/b": {"schema": ARRAY}, "c/d": {"schema": ARRAY}}),
        (
            {"schema": {"type": "file"}},
            ["application/json", "application/json; charset=utf-8", "image/png"],
            {"image/png": {"schema": {"type": "string", "format": "binary"}}},
        ),
        (
            {"schema": {"type": "file"}},
            [],
            {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        ),
    ],
)
def test_a_swagger_response_has_the_media_types_of_produces(
    response: JsonObject, produces: list[str], content: JsonObject
) -> None:
    assert swagger.content_of(response, produces) == content


def test_media_types_are_the_operations_or_the_documents() -> None:
    root: JsonObject = {"consumes": ["a/b", 7], "produces": "c/d"}
    assert swagger.media_types({}, root, "consumes") == ["a/b"]
    assert swagger.media_types({"consumes": ["e/f"]}, root, "consumes") == ["e/f"]
    assert swagger.media_types({"consumes": []}, root, "consumes") == ["a/b"]
    assert swagger.media_types({}, root, "produces") == ["c/d"]
    assert swagger.media_types({}, {}, "produces") == []
