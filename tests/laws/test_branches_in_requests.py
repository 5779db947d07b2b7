"""In requests a value that is valid for at least one branch of a `oneOf` is accepted."""

from typing import Any

import pytest

from pyfunctools import Controller, Function
from pyfunctools.schema import validate

CAT = {
    "type": "object",
    "properties": {"kind": {"type": "string"}, "lives": {"type": "integer"}},
    "required": ["kind"],
}
DOG = {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}
BOX = {"type": "object", "properties": {"held": {"oneOf": [{"type": "integer"}, {}]}}}
SCHEMAS = {
    "Cat": CAT,
    "Dog": DOG,
    "Box": BOX,
    "Id": {"oneOf": [{"type": "string", "format": "uuid"}, {"type": "string"}]},
    "Node": {
        "type": "object",
        "properties": {
            "value": {"oneOf": [{"type": "integer"}, {"type": "number"}]},
            "next": {"$ref": "#/components/schemas/Node"},
        },
    },
}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def function_with(schema: Any, *, output: Any = True, place: str = "body") -> Function:
    operation: dict[str, Any] = {
        "responses": {"200": {"description": "", "content": {"application/json": {}}}}
    }
    operation["responses"]["200"]["content"]["application/json"]["schema"] = output
    if place == "body":
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema}},
        }
    else:
        operation["parameters"] = [{"name": "v", "in": place, "required": True, "schema": schema}]
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x/{v}" if place == "path" else "/x": {"post": operation}},
        "components": {"schemas": SCHEMAS},
    }
    return Controller.from_openapi(document, server="http://127.0.0.1:9").functions[0]


NUMBERS = {"oneOf": [{"type": "integer"}, {"type": "number"}]}
DATES = {"oneOf": [{"type": "string", "format": "date"}, {"type": "string"}]}
NAMES = {"oneOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "string"}]}
LISTS = {
    "oneOf": [
        {"type": "array", "items": {"type": "string"}},
        {"type": "array", "items": {"type": "integer"}},
    ]
}
PETS = {"oneOf": [ref("Cat"), ref("Dog")], "discriminator": {"propertyName": "kind"}}

ACCEPTED: dict[str, tuple[Any, Any]] = {
    "integer-and-number": (NUMBERS, 5),
    "date-and-text": (DATES, "2026-01-31"),
    "listed-and-text": (NAMES, "a"),
    "two-arrays-and-none-of-their-items": (LISTS, []),
    "objects-with-all-of-it-optional": (
        {"oneOf": [{"type": "object", "properties": {k: {"type": "integer"}}} for k in "ab"]},
        {"a": 1},
    ),
    "same-branch-twice": ({"oneOf": [{"type": "string"}, {"type": "string"}]}, "x"),
    "discriminator-without-constants": (PETS, {"kind": "Cat", "lives": 9}),
    "behind-a-reference": (ref("Id"), "123e4567-e89b-12d3-a456-426614174000"),
    "in-a-recursive-definition": (ref("Node"), {"value": 1, "next": {"value": 2}}),
    "in-an-all-of": ({"allOf": [{"type": "object"}, ref("Box")]}, {"held": 1}),
    "in-an-item": ({"type": "array", "items": NUMBERS}, [1, 2.5]),
    "in-a-map": ({"type": "object", "additionalProperties": NUMBERS}, {"any": 1}),
    "in-a-branch": ({"oneOf": [NUMBERS, {"type": "string"}]}, 5),
    "nullable": ({"oneOf": [{"type": ["string", "null"]}, {"type": ["integer", "null"]}]}, None),
    "beside-an-any-of": ({**NUMBERS, "anyOf": [{"minimum": 1}, {"maximum": 0}]}, 5),
}


@pytest.mark.parametrize(("schema", "value"), ACCEPTED.values(), ids=ACCEPTED)
def test_a_value_of_one_branch_is_accepted_and_a_note_reports_the_oneof(
    schema: Any, value: Any
) -> None:
    function = function_with(schema)
    assert function.check({"body": value})
    assert validate(function.parameters, {"body": value})
    assert any("read as `anyOf`" in note.text for note in function.notes)


@pytest.mark.parametrize("place", ["path", "query", "header", "cookie"])
def test_parameters_accept_a_value_of_one_branch(place: str) -> None:
    function = function_with(NUMBERS, place=place)
    assert function.validate({"v": 5} if place == "path" else {place: {"v": 5}})


REFUSED: dict[str, tuple[Any, Any]] = {
    "fits-no-branch": (NUMBERS, "five"),
    "fits-no-branch-of-objects": (PETS, {"lives": 9}),
    "beside-an-any-of-that-it-breaks": ({**NUMBERS, "anyOf": [{"minimum": 9}]}, 5),
    "beside-keywords-that-it-breaks": ({**NUMBERS, "maximum": 4}, 5),
    "of-branches-that-constants-tell-apart": ({"oneOf": [{"const": 1}, {"const": 2}]}, 3),
    "negated-it-stays-exact": ({"not": {"oneOf": [{"minimum": 6}, {"maximum": 4}]}}, 7),
}


@pytest.mark.parametrize(("schema", "value"), REFUSED.values(), ids=REFUSED)
def test_a_value_of_no_branch_is_refused(schema: Any, value: Any) -> None:
    function = function_with(schema)
    assert not function.check({"body": value})
    assert not validate(function.parameters, {"body": value})


def test_in_responses_oneof_stays_exact() -> None:
    function = function_with(ref("Id"), output=ref("Id"))
    value = "123e4567-e89b-12d3-a456-426614174000"
    assert function.validate({"body": value})
    assert function.output is not None
    assert not validate(function.output, value)
    assert validate(function.output, "an id that is no UUID")


def test_oneof_is_kept_if_constants_distinguish_the_branches() -> None:
    tags = [{"type": "object", "properties": {"k": {"const": k}}, "required": ["k"]} for k in "ab"]
    function = function_with({"oneOf": tags})
    assert "oneOf" in function.parameters["properties"]["body"]
    assert not function.notes


def test_a_handwritten_schema_keeps_oneof() -> None:
    assert not validate(NUMBERS, 5)
    written = Function.from_schema(
        name="f", parameters={"type": "object", "properties": {"v": NUMBERS}}
    )
    assert not written.validate({"v": 5})
