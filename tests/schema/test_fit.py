import json
from pathlib import Path
from time import process_time

import pytest

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.coercion.match import EXACT, MAX_DEPTH, NOT, ROUND, Fit, Fitting, TooMuch
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.outline.outline import Outline


def fit(schema: JsonSchema | bool, value: JsonValue) -> Fit:
    return Fitting().of(Outline(schema).root, value)


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
        (False, 1, NOT),
        ({}, 1, EXACT),
        ({"type": "integer"}, 1, EXACT),
        ({"type": "integer"}, 1.0, ROUND),
        ({"type": "integer"}, 1.5, NOT),
        ({"type": "integer"}, True, NOT),
        ({"type": "integer"}, "1", NOT),
        ({"type": "number"}, 1, EXACT),
        ({"type": "number"}, 1.0, EXACT),
        ({"type": "number"}, True, NOT),
        ({"type": ["integer", "null"]}, None, EXACT),
        ({"type": ["integer", "null"]}, 2.0, ROUND),
        ({"type": ["integer", "number"]}, 2.0, EXACT),
        ({"enum": [1, "a"]}, 1.0, EXACT),
        ({"enum": [1, "a"]}, True, NOT),
        ({"enum": [1, "a"]}, "a", EXACT),
        ({"const": {"a": [1]}}, {"a": [1.0]}, EXACT),
        ({"const": {"a": [1]}}, {"a": [True]}, NOT),
        ({"type": "integer", "enum": [1, 2]}, 3, NOT),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "a", EXACT),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, 1.0, ROUND),
        ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, None, NOT),
        ({"allOf": [{"type": "integer"}, {"enum": [1]}]}, 1, EXACT),
        ({"allOf": [{"type": "integer"}, {"enum": [1]}]}, 2, NOT),
        (OBJECT, {"a": 1, "b": 1, "c": "x"}, EXACT),
        (OBJECT, {"a": 1.0, "b": 1.0}, ROUND),
        (OBJECT, {"b": 1}, NOT),
        (OBJECT, {"a": 1, "d": 1}, NOT),
        (OBJECT, {"a": 1, "c": "y"}, NOT),
        ({"additionalProperties": {"type": "integer"}}, {"k": 1}, EXACT),
        ({"additionalProperties": {"type": "integer"}}, {"k": "1"}, NOT),
        ({"patternProperties": {"^a": {"type": "integer"}}}, {"ab": "1", "b": "1"}, NOT),
        ({"patternProperties": {"^a": {"type": "integer"}}}, {"ab": 1, "b": "1"}, EXACT),
        ({"properties": {"a": {"type": "integer"}}}, "no object", EXACT),
        ({"items": {"type": "integer"}}, [1, 2.0], ROUND),
        ({"items": {"type": "integer"}}, [1, "2"], NOT),
        ({"prefixItems": [{"type": "integer"}], "items": False}, [1], EXACT),
        ({"prefixItems": [{"type": "integer"}], "items": False}, [1, 2], NOT),
        ({"items": [{"type": "integer"}], "additionalItems": {"type": "null"}}, [1, 2], NOT),
        ({"type": "array"}, (1, 2), EXACT),
        ({"type": "object"}, {1: 2}, EXACT),
        ({"type": "string"}, b"x", NOT),
        ({"type": "number"}, float("nan"), EXACT),
    ],
)
def test_how_well_a_value_fits(schema: JsonSchema | bool, value: JsonValue, expected: Fit):
    assert fit(schema, value) == expected


def test_every_value_that_the_official_suite_calls_valid_fits(shared: Path):
    count = 0
    for file in sorted((shared / "suite" / "tests" / "draft2020-12").rglob("*.json")):
        for group in json.loads(file.read_text()):
            for test in group["tests"]:
                if test["valid"]:
                    try:
                        assert fit(normalize(group["schema"]), test["data"]) != NOT, (group, test)
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
    for _ in range(MAX_DEPTH - 1):
        value = {"n": value}
    began = process_time()
    assert fit(schema, value) == NOT
    loop: JsonSchema = {"$ref": "#/$defs/loop", "$defs": schema["$defs"]}
    assert fit(loop, value) == EXACT
    assert process_time() - began < 1
    with pytest.raises(TooMuch):
        fit(schema, {"n": value})
    circle: dict[str, JsonValue] = {}
    circle["n"] = circle
    assert fit(schema, circle) == EXACT
