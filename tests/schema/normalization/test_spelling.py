import json
from typing import Any

import pytest

from pyfunctools._json import JsonValue
from pyfunctools.schema import normalize
from pyfunctools.schema.normalization.clean import with_visible_texts

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
        {
            "dependentRequired": {"a": ["d"]},
            "dependentSchemas": {"c": {}},
            "allOf": [{"dependentRequired": {"a": ["b"]}}, {"dependentSchemas": {"c": False}}],
        },
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
def test_any_spelling_becomes_that_of_2020_12(schema: dict[str, Any], spelled: dict[str, Any]):
    before = json.dumps(schema)
    result = normalize(schema)
    assert json.dumps(result, sort_keys=True) == json.dumps(spelled, sort_keys=True)
    assert json.dumps(normalize(result)) == json.dumps(result)
    assert json.dumps(schema) == before


CORRECTED: list[tuple[str, JsonValue, JsonValue]] = [
    ("minimum", "1", 1),
    ("minimum", " -1.5e2 ", -150.0),
    ("minimum", "1e999", None),
    ("minimum", "one", None),
    ("minimum", True, None),
    ("maximum", 1.5, 1.5),
    ("multipleOf", 0, None),
    ("multipleOf", "0.01", 0.01),
    ("minLength", 1.0, 1),
    ("minLength", 1.5, None),
    ("minLength", -1, None),
    ("maxItems", "3", 3),
    ("uniqueItems", "true", None),
    ("pattern", "^a+$", "^a+$"),
    ("pattern", "(", None),
    ("pattern", "(?P<x>a)\\Z", None),
    ("pattern", "(?<year>[0-9]{4})", "(?<year>[0-9]{4})"),
    ("pattern", "^(?=.*\\d).+$", "^(?=.*\\d).+$"),
    ("pattern", 3, None),
    ("pattern", r"^[\w-./:]+$", r"^[\w\-./:]+$"),
    ("pattern", r"^[.-\d]+$", r"^[.\-\d]+$"),
    ("format", ["date"], None),
    ("description", "a\u200bb\ud800", "ab"),
    ("title", 3, None),
    ("enum", [], None),
    ("enum", {"a": 1}, None),
    ("required", ["a", 1, "b", "a"], ["a", "b"]),
    ("required", "a", None),
    ("properties", ["a"], None),
    (
        "properties",
        {"a": None, "b": "string", "c": 1},
        {"a": True, "b": {"type": "string"}, "c": True},
    ),
    ("patternProperties", {"(": {}, "a": {}}, {"a": {}}),
    ("allOf", [], None),
    ("anyOf", [None, {}], [{}]),
    ("anyOf", {"a": {}}, None),
    ("items", "integer", {"type": "integer"}),
    ("additionalProperties", "no", None),
    ("not", 3, None),
    ("dependentRequired", {"a": ["b", "b"], "c": "d"}, {"a": ["b"]}),
    ("$ref", {"type": "string"}, None),
    ("readOnly", "yes", None),
    ("examples", "x", ["x"]),
    ("examples", {"a": {"value": 1}, "b": {"externalValue": "u"}, "c": 2}, [1, 2]),
    ("examples", {"b": {"$ref": "#/x"}}, None),
]


@pytest.mark.parametrize(("keyword", "value", "corrected"), CORRECTED)
def test_a_value_is_corrected_or_left_out(keyword: str, value: JsonValue, corrected: JsonValue):
    result = normalize({keyword: value})
    expected = {} if corrected is None else {keyword: corrected}
    assert json.dumps(result) == json.dumps(expected)


def test_invisible_characters_are_removed_from_examples() -> None:
    example: JsonValue = {"a\u200b": ["b\U000e0041", {"c": "\x1bd"}], "e": 1, "f": None}
    assert with_visible_texts(example) == {"a": ["b", {"c": "d"}], "e": 1, "f": None}
    assert example["a\u200b"][0] == "b\U000e0041"  # type: ignore[index]
    assert with_visible_texts("x\u2066") == "x"
    found = normalize({"examples": ["x\u2066", 1], "$comment": "x\u2066"})
    assert found == {"examples": ["x", 1], "$comment": "x"}
