"""The description of a document's function: its paragraphs and its `@` lines."""

import pytest

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.sources.openapi.reader import Describe, read_document

TEXT: JsonObject = {"type": "string"}


def document(paths: JsonValue, **more: JsonValue) -> JsonObject:
    return {"openapi": "3.1.0", "paths": paths, **more}


def describe(operation: JsonObject, **more: JsonValue) -> str:
    (function,) = read_document(document({"/a/{name}": {"post": operation}}, **more)).functions
    return function.description


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        ({}, ""),
        ({"summary": "Get a user"}, "Get a user"),
        ({"description": "All of it."}, "All of it."),
        ({"summary": "Get a user", "description": "All of it."}, "Get a user\n\nAll of it."),
        ({"summary": "Get a user", "description": "Get a user by name."}, "Get a user by name."),
        ({"summary": "Get a user.", "description": "Get a user."}, "Get a user."),
        ({"summary": " Get a user \n", "description": "\n More. "}, "Get a user\n\nMore."),
        ({"deprecated": True}, "@deprecated"),
        ({"security": [{}]}, ""),
    ],
)
def test_the_summary_and_the_description_are_paragraphs(operation: JsonObject, text: str) -> None:
    assert describe(operation) == text


def test_the_parts_have_a_fixed_order() -> None:
    text = describe(
        {
            "summary": "Get a user",
            "description": "By name.",
            "parameters": [
                {
                    "name": "name",
                    "in": "path",
                    "required": True,
                    "description": "Who it is.\nIn full.",
                    "schema": {**TEXT, "description": "A name."},
                }
            ],
            "requestBody": {
                "description": "What to change.",
                "content": {"application/json": {"schema": {"description": "Fields."}}},
            },
            "security": [{"key": []}, {"oauth": ["read", "write"], "key": []}],
            "tags": ["users", "people"],
            "deprecated": True,
        }
    )
    assert text == (
        "Get a user\n"
        "\n"
        "By name.\n"
        "\n"
        "@param name Who it is.\n"
        "In full.\n"
        "@param body What to change.\n"
        "@security key\n"
        "@security oauth read write\n"
        "@tag users\n"
        "@tag people\n"
        "@deprecated"
    )


def test_at_most_20_security_schemes_are_named() -> None:
    many: list[JsonValue] = [{f"s{i}_{j}": [] for j in range(50)} for i in range(50)]
    assert describe({"security": many}).count("@security") == 20


PARAMETERS: list[JsonValue] = [
    {"name": "a", "in": "query", "description": "of a", "schema": TEXT},
    {"name": "b", "in": "query", "description": "of b", "schema": {**TEXT, "description": "own"}},
    {
        "name": "c",
        "in": "query",
        "description": "of c",
        "schema": {"$ref": "#/components/schemas/S"},
    },
    {
        "name": "d",
        "in": "query",
        "description": "same",
        "schema": {**TEXT, "description": "the same."},
    },
    {"name": "e", "in": "query", "schema": {**TEXT, "description": "own e"}},
    {
        "name": "f",
        "in": "query",
        "description": "of f",
        "schema": {**TEXT, "format": "password", "description": "x"},
    },
]


@pytest.mark.parametrize(
    ("mode", "params"),
    [
        ("model", ["@param b of b", "@param body of body"]),
        (
            "full",
            [
                "@param a of a",
                "@param b of b",
                "@param c of c",
                "@param d same",
                "@param e own e",
                "@param body of body",
            ],
        ),
        ("brief", []),
    ],
)
def test_a_parameter_is_described_where_its_schema_lacks_the_text(
    mode: Describe, params: list[str]
) -> None:
    body: JsonObject = {
        "description": "of body",
        "content": {"application/json": {"schema": {"type": "object", "description": "own"}}},
    }
    operation: JsonObject = {
        "summary": "S",
        "parameters": PARAMETERS,
        "requestBody": body,
        "tags": ["t"],
    }
    whole = document(
        {"/a": {"post": operation}}, components={"schemas": {"S": {**TEXT, "description": "of S"}}}
    )
    (found,) = read_document(whole, describe=mode).functions
    lines = found.description.splitlines()
    assert [line for line in lines if line.startswith("@param")] == params
    assert ("@tag t" in lines) is (mode != "brief")


def test_a_humans_parameter_is_described_only_if_the_model_gives_it() -> None:
    whole = document(
        {"/a": {"post": {"parameters": PARAMETERS}}}, components={"schemas": {"S": TEXT}}
    )
    (found,) = read_document(whole, is_human=None).functions
    assert "@param f of f" in found.description
    assert found.separated is None
    (found,) = read_document(
        whole, is_human=lambda path, _: str(path) == "$input.query.b"
    ).functions
    assert "@param b" not in found.description
    assert found.separated is not None


def test_a_parameter_marked_for_people_is_not_described() -> None:
    parameter: JsonObject = {
        "name": "a",
        "in": "query",
        "description": "d",
        "schema": {"description": "own"},
    }
    for mark, text in ((True, ""), (False, "@param a d")):
        assert describe({"parameters": [{**parameter, "x-human": mark}]}) == text
