from time import perf_counter

import pytest

from pyfunctools._json import JsonSchema
from pyfunctools.schema.outline.places import Places, items_of, matches, stated
from pyfunctools.schema.outline.shape import ALL_TYPES

INTEGER: JsonSchema = {"type": "integer"}
STRING: JsonSchema = {"type": "string"}


def types(schema: JsonSchema, root: JsonSchema | None = None) -> frozenset[str]:
    places = Places(root if root is not None else schema)
    return places.types(places.parts(schema))


def test_parts_are_what_holds_together():
    root: JsonSchema = {
        "$ref": "#/$defs/a",
        "minimum": 1,
        "$defs": {"a": {"allOf": [INTEGER, {"$ref": "#/$defs/b"}]}, "b": {"maximum": 9}},
    }
    parts = Places(root).parts(root)
    assert root in parts
    assert INTEGER in parts
    assert {"maximum": 9} in parts
    assert Places({}).parts(True) == ()


def test_references_that_lead_nowhere_or_in_circles_say_nothing():
    root: JsonSchema = {
        "$defs": {
            "a": {"$ref": "#/$defs/a"},
            "b": {"allOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}, STRING]},
            "c": {"anyOf": [{"$ref": "#/$defs/c"}, INTEGER]},
        }
    }
    for reference in ("#/$defs/a", "#/$defs/none", "https://example.com/x", "#anchor"):
        assert types({"$ref": reference}, root) == ALL_TYPES
    assert types({"$ref": "#/$defs/b"}, root) == {"string"}
    places = Places(root)
    assert INTEGER in places.anyhow([{"$ref": "#/$defs/c"}])


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        (INTEGER, "integer"),
        ({"type": "number"}, "integer number"),
        ({"type": ["string", "null"]}, "string null"),
        ({"enum": ["a", 1, None]}, "string integer null"),
        ({"type": "string", "enum": ["a", 1]}, "string"),
        ({"const": True}, "boolean"),
        ({"anyOf": [INTEGER, STRING]}, "integer string"),
        ({"oneOf": [INTEGER, {"anyOf": [STRING, False]}]}, "integer string"),
        ({"allOf": [{"type": ["string", "null"]}, {"type": ["string", "array"]}]}, "string"),
        ({"type": "string", "anyOf": [{"minLength": 1}, {"maxLength": 2}]}, "string"),
        ({"properties": {}}, " ".join(sorted(ALL_TYPES))),
        ({"anyOf": [STRING, {}]}, " ".join(sorted(ALL_TYPES))),
    ],
)
def test_types_are_those_that_a_validator_may_accept(schema: JsonSchema, names: str):
    assert types(schema) == set(names.split())


def test_named_types_leave_out_schemas_that_name_none():
    places = Places({})
    assert places.named([{}, True, STRING, {"maxLength": 1}]) == {"string"}
    assert places.named([{}]) == frozenset()


def test_before_2019_nothing_beside_a_reference_counts():
    root: JsonSchema = {"definitions": {"s": STRING}}
    beside: JsonSchema = {"$ref": "#/definitions/s", "type": "integer"}
    assert types(beside, root) == frozenset()
    old: JsonSchema = {**root, "$schema": "http://json-schema.org/draft-07/schema#"}
    assert types(beside, old) == {"string"}


def test_a_schema_states_what_a_property_is():
    schema: JsonSchema = {
        "properties": {"a": INTEGER, "b": True},
        "patternProperties": {"^a": STRING},
        "additionalProperties": False,
    }
    assert stated(schema, "a") == [INTEGER, STRING]
    assert stated(schema, "b") == [True]
    assert stated(schema, "abc") == [STRING]
    assert stated(schema, "c") == [False]
    assert stated({}, "c") == []
    unreadable: JsonSchema = {"patternProperties": {"(": STRING}, "additionalProperties": False}
    assert stated(unreadable, "c") == []


def test_a_schema_states_what_an_item_is():
    schema: JsonSchema = {"prefixItems": [INTEGER], "items": STRING}
    assert [stated(schema, index) for index in (0, 1, 9)] == [[INTEGER], [STRING], [STRING]]
    old: JsonSchema = {"items": [INTEGER], "additionalItems": False}
    assert [stated(old, index) for index in (0, 1)] == [[INTEGER], [False]]
    assert stated({}, 0) == [True]
    assert items_of({"prefixItems": 3}) == ([], True)


def test_patterns_are_searched_in_linear_time_or_not_at_all():
    assert matches("^x-", "x-a") is True
    assert matches("^x-", "ax-") is False
    assert matches("(", "a") is None
    assert matches("(?=a)", "a") is None
    assert matches("a", "\ud800") is None
    assert matches("a", type("Spelled", (str,), {})("a")) is None
    began = perf_counter()
    for pattern in ("^(a+)+$", "^(a|a)*$", "(.*)*x"):
        matches(pattern, "a" * 100_000 + "!")
    assert perf_counter() - began < 1
