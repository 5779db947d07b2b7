import json
from pathlib import Path

import pytest
from clock import at_most

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.coercion.match import (
    EXACT,
    MISMATCH,
    WHOLE_FLOAT,
    Match,
    match_of,
)
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.outline.outline import Outline


def match(schema: JsonSchema | bool, value: JsonValue) -> Match:
    return match_of(Outline(schema).place, value)


OBJECT: JsonSchema = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "number"}, "c": {"enum": ["x"]}},
    "required": ["a"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (True, 1, EXACT),
        (False, 1, MISMATCH),
        ({}, 1, EXACT),
        ({"type": "integer"}, 1, EXACT),
        ({"type": "integer"}, 1.0, WHOLE_FLOAT),
        ({"type": "integer"}, 1.5, MISMATCH),
        ({"type": "integer"}, True, MISMATCH),
        ({"type": "integer"}, "1", MISMATCH),
        ({"type": "number"}, 1, EXACT),
        ({"type": "number"}, 1.0, EXACT),
        ({"type": "number"}, True, MISMATCH),
        ({"type": ["integer", "null"]}, None, EXACT),
        ({"type": ["integer", "null"]}, 2.0, WHOLE_FLOAT),
        ({"type": ["integer", "number"]}, 2.0, EXACT),
        ({"enum": [1, "a"]}, 1.0, WHOLE_FLOAT),
        ({"enum": [1, "a"]}, True, MISMATCH),
        ({"enum": [1, "a"]}, "a", EXACT),
        ({"const": {"a": [1]}}, {"a": [1.0]}, EXACT),
        ({"const": {"a": [1]}}, {"a": [True]}, MISMATCH),
        ({"type": "integer", "enum": [1, 2]}, 3, MISMATCH),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "a", EXACT),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, 1.0, WHOLE_FLOAT),
        ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, None, MISMATCH),
        ({"allOf": [{"type": "integer"}, {"enum": [1]}]}, 1, EXACT),
        ({"allOf": [{"type": "integer"}, {"enum": [1]}]}, 2, MISMATCH),
        (OBJECT, {"a": 1, "b": 1, "c": "x"}, EXACT),
        (OBJECT, {"a": 1.0, "b": 1.0}, WHOLE_FLOAT),
        (OBJECT, {"b": 1}, MISMATCH),
        (OBJECT, {"a": 1, "d": 1}, MISMATCH),
        (OBJECT, {"a": 1, "c": "y"}, MISMATCH),
        ({"additionalProperties": {"type": "integer"}}, {"k": 1}, EXACT),
        ({"additionalProperties": {"type": "integer"}}, {"k": "1"}, MISMATCH),
        ({"patternProperties": {"^a": {"type": "integer"}}}, {"ab": "1", "b": "1"}, MISMATCH),
        ({"patternProperties": {"^a": {"type": "integer"}}}, {"ab": 1, "b": "1"}, EXACT),
        ({"properties": {"a": {"type": "integer"}}}, "no object", EXACT),
        ({"items": {"type": "integer"}}, [1, 2.0], WHOLE_FLOAT),
        ({"items": {"type": "integer"}}, [1, "2"], MISMATCH),
        ({"prefixItems": [{"type": "integer"}], "items": False}, [1], EXACT),
        ({"prefixItems": [{"type": "integer"}], "items": False}, [1, 2], MISMATCH),
        ({"type": "string"}, b"x", MISMATCH),
    ],
)
def test_how_well_a_value_matches(schema: JsonSchema | bool, value: JsonValue, expected: Match):
    assert match(schema, value) == expected


def test_every_valid_value_of_the_official_suite_matches(shared: Path):
    count = 0
    for file in sorted((shared / "suite" / "tests" / "draft2020-12").rglob("*.json")):
        for group in json.loads(file.read_text()):
            for test in group["tests"]:
                if test["valid"]:
                    try:
                        assert match(normalize(group["schema"]), test["data"]) != MISMATCH, (
                            group,
                            test,
                        )
                        count += 1
                    except SchemaError:
                        continue
    assert count > 500


def test_recursive_schemas_and_values_come_to_an_end():
    schema: JsonSchema = {
        "$ref": "#/$defs/n",
        "$defs": {
            "n": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"n": {"$ref": "#/$defs/n"}, "a": {"const": 1}},
                    },
                    {
                        "type": "object",
                        "properties": {"n": {"$ref": "#/$defs/n"}, "a": {"const": 2}},
                    },
                ]
            },
            "loop": {"allOf": [{"$ref": "#/$defs/loop"}, {"$ref": "#/$defs/loop"}]},
        },
    }
    value: JsonValue = {"a": 3}
    for _ in range(63):
        value = {"n": value}
    with at_most(1):
        assert match(schema, value) == MISMATCH
        loop: JsonSchema = {"$ref": "#/$defs/loop", "$defs": schema["$defs"]}
        assert match(loop, value) == EXACT
