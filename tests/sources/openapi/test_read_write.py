import json
from typing import Any, Literal

import pytest

from pyfunctools.schema.ground.references import prune
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.sources.directions import directed

TEXT = {"type": "string"}
ID = {"type": "string", "readOnly": True}

WRITABLE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "a property and what requires it",
        {
            "type": "object",
            "properties": {"id": ID, "name": TEXT},
            "required": ["id", "name"],
            "dependentRequired": {"id": ["name"], "name": ["id", "x"]},
            "dependentSchemas": {"id": {"minProperties": 2}},
        },
        {
            "type": "object",
            "properties": {"name": TEXT},
            "required": ["name"],
            "dependentRequired": {"name": ["x"]},
            "dependentSchemas": {},
        },
    ),
    (
        "everything that was required",
        {"properties": {"id": ID}, "required": ["id"]},
        {"properties": {}},
    ),
    (
        "what a property refers to",
        {
            "properties": {"a": {"$ref": "#/$defs/Alias"}, "b": TEXT},
            "required": ["a"],
            "$defs": {"Alias": {"$ref": "#/$defs/Id"}, "Id": ID},
        },
        {"properties": {"b": TEXT}},
    ),
    (
        "a reference that may be null",
        {
            "properties": {"a": {"anyOf": [{"$ref": "#/$defs/Id"}, {"type": "null"}]}},
            "$defs": {"Id": ID},
        },
        {"properties": {}},
    ),
    (
        "not a union of which only a part is",
        {"properties": {"a": {"anyOf": [ID, TEXT]}, "b": ID}},
        {"properties": {"a": {"anyOf": [ID, TEXT]}}},
    ),
    (
        "at any depth and in definitions",
        {
            "items": {"prefixItems": [{"properties": {"id": ID}}], "$ref": "#/$defs/A"},
            "$defs": {"A": {"properties": {"id": ID, "next": {"$ref": "#/$defs/A"}}}},
        },
        {
            "items": {"prefixItems": [{"properties": {}}], "$ref": "#/$defs/A"},
            "$defs": {"A": {"properties": {"next": {"$ref": "#/$defs/A"}}}},
        },
    ),
    (
        "what a branch requires of the whole",
        {"properties": {"id": ID}, "anyOf": [{"required": ["id"]}, {"properties": {"id": TEXT}}]},
        {"properties": {}, "anyOf": [{}, {"properties": {}}]},
    ),
    (
        "what is required of a referenced object",
        {
            "$ref": "#/$defs/A",
            "required": ["id", "x"],
            "allOf": [{"$ref": "#/$defs/A"}],
            "$defs": {"A": {"properties": {"id": ID}, "$ref": "#/$defs/A"}},
        },
        {
            "$ref": "#/$defs/A",
            "required": ["x"],
            "allOf": [{"$ref": "#/$defs/A"}],
            "$defs": {"A": {"properties": {}, "$ref": "#/$defs/A"}},
        },
    ),
    (
        "nothing inside a condition",
        {
            "properties": {"id": ID},
            "not": {"required": ["id"]},
            "if": {"properties": {"id": ID}},
            "then": {"required": ["id"]},
        },
        {
            "properties": {},
            "not": {"required": ["id"]},
            "if": {"properties": {"id": ID}},
            "then": {},
        },
    ),
    (
        "a name is not a mark",
        {"properties": {"readOnly": TEXT, "id": ID}},
        {"properties": {"readOnly": TEXT}},
    ),
]


def without(schema: dict[str, Any], mark: Literal["readOnly", "writeOnly"]) -> Any:
    result = directed(Outline(schema).root, mark)
    return schema if result is schema else prune(result)


def without_read_only(schema: dict[str, Any]) -> Any:
    return without(schema, "readOnly")


@pytest.mark.parametrize(
    ("schema", "expected"), [row[1:] for row in WRITABLE], ids=[row[0] for row in WRITABLE]
)
def test_marked_properties_are_removed(schema: dict[str, Any], expected: dict[str, Any]):
    before = json.dumps(schema)
    assert without_read_only(schema) == expected
    assert json.dumps(schema) == before
    assert without_read_only(without_read_only(schema)) == expected
    result = without(json.loads(before.replace("readOnly", "writeOnly")), "writeOnly")
    assert json.loads(json.dumps(result).replace("writeOnly", "readOnly")) == expected


def test_a_schema_without_marks_is_returned_itself():
    schema = {"properties": {"a": TEXT}, "$defs": {"unused": {}}}
    assert without_read_only(schema) is schema
    assert without({**schema, "items": ID}, "writeOnly")["$defs"] == {"unused": {}}


def test_missing_and_circular_references_hide_nothing():
    schema = {
        "properties": {"a": {"$ref": "#/$defs/missing"}, "b": {"$ref": "#/$defs/A"}, "c": ID},
        "$defs": {"A": {"$ref": "#/$defs/A"}},
    }
    assert list(without_read_only(schema)["properties"]) == ["a", "b"]


def test_a_deep_schema_is_walked_without_recursion():
    schema: dict[str, Any] = {"properties": {"id": ID}}
    for _ in range(5_000):
        schema = {"items": schema}
    inner: Any = without_read_only(schema)
    while "items" in inner:
        inner = inner["items"]
    assert inner == {"properties": {}}
