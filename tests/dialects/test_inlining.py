"""References are replaced by their definitions."""

import json
from copy import deepcopy

from clock import at_most

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.dialects.inlining import inlined
from pyfunctools.schema.ground.references import references_in


def test_what_is_not_recursive_is_inlined():
    schema: JsonSchema = {
        "$defs": {
            "Leaf": {"type": "string", "title": "Leaf"},
            "Tree": {
                "properties": {
                    "leaf": {"$ref": "#/$defs/Leaf"},
                    "below": {"items": {"$ref": "#/$defs/Tree"}},
                }
            },
        },
        "properties": {
            "tree": {"$ref": "#/$defs/Tree"},
            "leaf": {"$ref": "#/$defs/Leaf", "title": "Mine"},
            "long": {
                "$ref": "#/$defs/Leaf",
                "minLength": 3,
                "allOf": [{"$ref": "#/$defs/Leaf"}],
            },
        },
    }
    before = deepcopy(schema)
    leaf = {"type": "string", "title": "Leaf"}
    assert inlined(schema) == {
        "properties": {
            "tree": {"$ref": "#/$defs/Tree"},
            "leaf": {"type": "string", "title": "Mine"},
            "long": {"minLength": 3, "allOf": [leaf, leaf]},
        },
        "$defs": {
            "Tree": {"properties": {"leaf": leaf, "below": {"items": {"$ref": "#/$defs/Tree"}}}}
        },
    }
    assert schema == before


def test_a_schema_that_is_only_a_reference_becomes_its_definition():
    assert inlined({"$ref": "#/$defs/A", "$defs": {"A": {"type": "null"}}}) == {"type": "null"}
    assert inlined({"$ref": "#/$defs/A", "$defs": {"A": False}}) == {"allOf": [False]}


def test_references_that_double_at_each_step_do_not_double_the_schema():
    definitions: dict[str, JsonValue] = {
        f"S{n}": {"properties": {key: {"$ref": f"#/$defs/S{n + 1}"} for key in "ab"}}
        for n in range(30)
    }
    schema: JsonSchema = {"$ref": "#/$defs/S0", "$defs": {**definitions, "S30": {}}}
    with at_most(5):
        result = inlined(schema)
    assert len(json.dumps(result)) < 1_000_000


def test_a_long_chain_of_definitions_is_inlined_in_part():
    chain: dict[str, JsonValue] = {
        f"D{n}": {"items": {"$ref": f"#/$defs/D{n + 1}"}} for n in range(3000)
    }
    assert set(references_in(inlined({"$ref": "#/$defs/D0", "$defs": {**chain, "D3000": {}}})))
