import json
from typing import Any

import pytest

from pyfunctools.schema import normalize

NULL = {"type": "null"}

TYPES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": "integer"}, {"type": "integer"}),
    ({"type": ["string"]}, {"type": "string"}),
    ({"type": ["string", "string", "null"]}, {"type": ["string", "null"]}),
    ({"type": ["integer", "number"]}, {"type": "number"}),
    ({"type": "any", "title": "t"}, {"title": "t"}),
    ({"type": ["string", "any"]}, {}),
    ({"type": []}, {}),
    ({"type": {"type": "string"}, "minLength": 1}, {"minLength": 1}),
    ({"type": "file"}, {"type": "string", "format": "binary"}),
    ({"type": " Int "}, {"type": "integer"}),
    ({"type": "long"}, {"type": "integer", "format": "int64"}),
    ({"type": "none"}, NULL),
    ({"type": "money"}, {}),
    ({"type": "float", "format": "double"}, {"type": "number", "format": "double"}),
    ({"type": None}, NULL),
    ({"type": ["string", None]}, {"type": ["string", "null"]}),
    ({"minLength": 1}, {"minLength": 1}),
]

NULLS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
    ({"type": "string", "x-nullable": True}, {"type": ["string", "null"]}),
    ({"type": "string", "nullable": False, "x-nullable": False}, {"type": "string"}),
    ({"type": "string", "nullable": "true"}, {"type": "string"}),
    ({"type": ["string", "null"], "nullable": True}, {"type": ["string", "null"]}),
    (
        {"type": "string", "enum": ["a"], "nullable": True},
        {"anyOf": [{"type": "string", "enum": ["a"]}, NULL]},
    ),
    ({"enum": ["a"], "nullable": True}, {"anyOf": [{"enum": ["a"]}, NULL]}),
    ({"type": "string", "enum": ["a", None]}, {"anyOf": [{"type": "string", "enum": ["a"]}, NULL]}),
    ({"type": "null", "enum": ["a", None]}, NULL),
    ({"nullable": True}, {}),
    ({"nullable": True, "minLength": 1}, {"minLength": 1}),
    (
        {"$ref": "#/$defs/A", "nullable": True, "description": "d", "x-y": 1},
        {"description": "d", "x-y": 1, "anyOf": [{"$ref": "#/$defs/A"}, NULL]},
    ),
    (
        {"allOf": [{"$ref": "#/$defs/A"}], "nullable": True, "default": None},
        {"default": None, "anyOf": [{"$ref": "#/$defs/A"}, NULL]},
    ),
    (
        {"type": "string", "const": "a", "nullable": True},
        {"anyOf": [{"type": "string", "const": "a"}, NULL]},
    ),
    ({"anyOf": [{"type": "string"}], "nullable": True}, {"anyOf": [{"type": "string"}, NULL]}),
    (
        {"anyOf": [{"type": "string"}, NULL], "nullable": True},
        {"anyOf": [{"type": "string"}, NULL]},
    ),
    (
        {"oneOf": [{"minLength": 1}], "discriminator": "k", "nullable": True},
        {"anyOf": [{"oneOf": [{"minLength": 1}], "discriminator": {"propertyName": "k"}}, NULL]},
    ),
]

KEYWORDS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"minimum": 5, "exclusiveMinimum": True}, {"exclusiveMinimum": 5}),
    ({"minimum": 5, "exclusiveMinimum": False}, {"minimum": 5}),
    ({"maximum": 5, "exclusiveMaximum": True}, {"exclusiveMaximum": 5}),
    ({"exclusiveMaximum": True}, {}),
    ({"minimum": 5, "exclusiveMinimum": 3}, {"minimum": 5}),
    ({"minimum": 3, "exclusiveMinimum": 3}, {"exclusiveMinimum": 3}),
    ({"maximum": 3, "exclusiveMaximum": 5}, {"maximum": 3}),
    ({"maximum": 3, "exclusiveMaximum": 3}, {"exclusiveMaximum": 3}),
    ({"items": [{}, True]}, {"prefixItems": [{}, True]}),
    ({"items": [{}], "additionalItems": False}, {"prefixItems": [{}], "items": False}),
    ({"items": [], "additionalItems": {"type": "string"}}, {"items": {"type": "string"}}),
    ({"items": {}, "additionalItems": False}, {"items": {}}),
    ({"additionalItems": False}, {}),
    (
        {"dependencies": {"a": ["b"], "c": {"required": ["d"]}, "e": "f", "g": 1}},
        {
            "dependentRequired": {"a": ["b"], "e": ["f"]},
            "dependentSchemas": {"c": {"required": ["d"]}},
        },
    ),
    (
        {
            "dependencies": {"a": ["b"], "c": False},
            "dependentRequired": {"a": ["d"]},
            "dependentSchemas": {"c": {}},
        },
        {"dependentRequired": {"a": ["d", "b"]}, "dependentSchemas": {"c": {"allOf": [False]}}},
    ),
    ({"example": 1}, {"examples": [1]}),
    ({"example": None}, {"examples": [None]}),
    ({"example": True, "x-example": 2, "examples": [1, 2]}, {"examples": [True, 1, 2]}),
    ({"discriminator": "kind"}, {"discriminator": {"propertyName": "kind"}}),
    ({"discriminator": {"mapping": {}}}, {}),
    (
        {"properties": {"a": {"required": True}, "b": {"required": False}}, "required": ["c"]},
        {"properties": {"a": {}, "b": {}}, "required": ["c", "a"]},
    ),
    ({"then": {}, "else": {}}, {}),
    ({"minContains": 1, "maxContains": 2}, {}),
    ({"if": {}, "then": {}}, {"if": {}, "then": {}}),
    (
        {"xml": {"name": "x"}, "externalDocs": {"url": "u"}},
        {"xml": {"name": "x"}, "externalDocs": {"url": "u"}},
    ),
    (
        {"x-anything": {"type": "nonsense"}, "other": [1]},
        {"x-anything": {"type": "nonsense"}, "other": [1]},
    ),
    ({"type": "string", "const": "a"}, {"type": "string", "const": "a"}),
    ({"enum": ["only"]}, {"enum": ["only"]}),
    ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "enum": [1, 2]}),
]


SPLIT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
    ({"type": ["string", "null"], "title": "t"}, {"type": ["string", "null"], "title": "t"}),
    (
        {"type": ["string", "integer"], "minLength": 1, "minimum": 5, "title": "t"},
        {
            "title": "t",
            "anyOf": [{"type": "string", "minLength": 1}, {"type": "integer", "minimum": 5}],
        },
    ),
    (
        {"type": ["object", "null"], "properties": {"a": {}}, "required": ["a"], "not": {}},
        {
            "not": {},
            "anyOf": [{"type": "object", "properties": {"a": {}}, "required": ["a"]}, NULL],
        },
    ),
    (
        {"type": ["string", "null"], "minimum": 1},
        {"type": ["string", "null"], "minimum": 1},
    ),
    (
        {"type": ["string", "integer", "null"], "format": "int64"},
        {"anyOf": [{"type": "string"}, {"type": "integer", "format": "int64"}, NULL]},
    ),
    (
        {"type": ["string", "integer"], "format": "uuid"},
        {"anyOf": [{"type": "string", "format": "uuid"}, {"type": "integer"}]},
    ),
    (
        {"type": ["object", "null"], "format": "geo"},
        {"anyOf": [{"type": "object", "format": "geo"}, NULL]},
    ),
    (
        {"type": ["string", "null"], "enum": ["a", None]},
        {"anyOf": [{"type": "string", "enum": ["a"]}, NULL]},
    ),
    ({"type": ["string", "null"], "enum": ["a"]}, {"type": "string", "enum": ["a"]}),
    ({"type": ["string", "null"], "enum": [None]}, NULL),
    (
        {"type": ["string", "number"], "enum": ["a", 1, 2.5, True]},
        {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "number", "enum": [1, 2.5]}]},
    ),
    ({"type": ["string", "null"], "const": "a"}, {"type": "string", "const": "a"}),
    ({"type": ["string", "null"], "enum": [1]}, {"type": ["string", "null"], "enum": [1]}),
    ({"enum": ["a", 1, None]}, {"anyOf": [{"enum": ["a", 1]}, NULL]}),
    ({"enum": [None], "title": "t"}, {**NULL, "title": "t"}),
    ({"enum": ["a", 1]}, {"enum": ["a", 1]}),
    ({"const": None}, NULL),
    ({"type": "null", "enum": ["a", None], "const": None}, NULL),
    (
        {"type": ["string", "null"], "maxLength": 1, "anyOf": [{}]},
        {"anyOf": [{}], "allOf": [{"anyOf": [{"type": "string", "maxLength": 1}, NULL]}]},
    ),
    (
        {"type": ["object", "null"], "properties": {}, "unevaluatedProperties": False},
        {"type": ["object", "null"], "properties": {}, "unevaluatedProperties": False},
    ),
    (
        {"type": ["string", "null"], "maxLength": 1, "allOf": [{"pattern": "a"}]},
        {"anyOf": [{"type": "string", "maxLength": 1, "pattern": "a"}, NULL]},
    ),
]


@pytest.mark.parametrize(("schema", "spelled"), [*TYPES, *NULLS, *KEYWORDS, *SPLIT])
def test_every_spelling_becomes_that_of_2020_12(schema: dict[str, Any], spelled: dict[str, Any]):
    before = json.dumps(schema)
    result = normalize(schema)
    assert json.dumps(result, sort_keys=True) == json.dumps(spelled, sort_keys=True)
    assert json.dumps(normalize(result)) == json.dumps(result)
    assert json.dumps(schema) == before
