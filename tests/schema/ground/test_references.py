from copy import deepcopy

import pytest

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.references import (
    defined_name,
    find_target,
    prune,
    reachable_definitions,
    recursive_definitions,
    reference_to,
    references_in,
    resolve,
    steps_of,
)

ROOT: JsonSchema = {
    "$defs": {
        "A": {"type": "integer"},
        "a/b~c d%": {"type": "string"},
        "Alias": {"$ref": "#/$defs/A", "description": "an A"},
        "Both": {"$ref": "#/$defs/A", "minimum": 1},
        "Loop": {"$ref": "#/$defs/Pool"},
        "Pool": {"$ref": "#/$defs/Loop"},
        "Gone": {"$ref": "#/$defs/Nowhere"},
        "Far": {"$ref": "https://example.com/a.json"},
        "Text": "not a schema",
        "Never": False,
    },
    "allOf": [{"title": "first"}, {"title": "second"}],
}


@pytest.mark.parametrize("name", ["A", "a/b~c d%", "", "é", "~0", "~1", "%41", "{x}"])
def test_the_reference_to_a_definition_leads_back_to_its_name(name: str):
    assert defined_name(reference_to(name)) == name
    assert find_target({"$defs": {name: 1}}, reference_to(name)) == 1
    assert reference_to(name).isascii()
    assert " " not in reference_to(name)


def test_other_references_have_no_name_and_only_local_ones_have_steps():
    for reference in ("#", "#/$defs/A/items", "#/definitions/A", "a#/$defs/A", ""):
        assert defined_name(reference) is None
    assert steps_of("#") == ()
    assert steps_of("#/a~1b/0/c%20d") == ("a/b", "0", "c d")
    assert [steps_of(r) for r in ("", "#anchor", "a.json", "http://x/#/a")] == [None] * 4


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("#", ROOT),
        ("#/allOf/1/title", "second"),
        ("#/$defs/a~1b~0c%20d%25", {"type": "string"}),
        *((f"#/allOf/{index}", None) for index in ("2", "-1", "one", "²", "9" * 5000)),
        *((reference, None) for reference in ("#/x", "#/$defs/A/type/0", "b.json#/a")),
    ],
)
def test_the_target_of_a_reference_is_found(reference: str, target: JsonValue):
    assert find_target(ROOT, reference) == target


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("A", {"type": "integer"}),
        ("Alias", {"type": "integer"}),
        ("Both", {"$ref": "#/$defs/A", "minimum": 1}),
        ("Never", False),
        ("Loop", True),
        ("Gone", True),
        ("Far", True),
        ("Text", True),
    ],
)
def test_references_without_siblings_are_followed_to_the_end(name: str, found: JsonValue):
    assert resolve(ROOT, {"$ref": reference_to(name)}) == found


def test_repeated_references_are_yielded_again():
    schema: JsonSchema = {
        "properties": {"a": {"$ref": "#/a"}, "$ref": {"type": "string"}},
        "items": {"$ref": "#/a", "not": {"$ref": "#/b"}},
        "const": {"$ref": "#/c"},
    }
    assert sorted(references_in(schema)) == ["#/a", "#/a", "#/b"]


def test_definitions_are_reached_breadth_first():
    definitions: JsonSchema = {
        "A": {"properties": {"b": {"$ref": "#/$defs/B"}, "d": {"$ref": "#/$defs/D/items"}}},
        "B": {"$ref": "#/$defs/C"},
        "C": {"$ref": "#/$defs/A"},
        "D": {"items": {}},
        "E": {"$ref": "#/$defs/A"},
    }
    found = reachable_definitions({"$ref": "#/$defs/A", "$defs": definitions}, definitions)
    assert found == ["A", "B", "D", "C"]


def test_prune_keeps_the_definitions_that_are_reached():
    schema: JsonSchema = {"$ref": "#/$defs/A", "$defs": {"A": {}, "B": {"$ref": "#/$defs/A"}}}
    before = deepcopy(schema)
    assert prune(schema) == {"$ref": "#/$defs/A", "$defs": {"A": {}}}
    assert prune({"type": "null", "$defs": {"A": {}}}) == {"type": "null"}
    whole: JsonSchema = {"$ref": "#/$defs/A", "$defs": {"A": {}}}
    assert prune(whole) is whole
    assert schema == before


def test_definitions_that_lead_back_to_themselves_are_recursive():
    schema: JsonSchema = {
        "$defs": {
            "Self": {"items": {"$ref": "#/$defs/Self"}},
            "One": {"$ref": "#/$defs/Two"},
            "Two": {"items": {"$ref": "#/$defs/One/items"}},
            "Into": {"$ref": "#/$defs/One"},
            "Plain": {},
        }
    }
    assert recursive_definitions(schema) == {"Self", "One", "Two"}
    assert recursive_definitions({}) == frozenset()


def test_a_long_chain_of_definitions_is_walked_without_recursion():
    chain: dict[str, JsonValue] = {
        f"D{n}": {"items": {"$ref": f"#/$defs/D{n + 1}"}} for n in range(3000)
    }
    assert recursive_definitions({"$defs": {**chain, "D3000": {}}}) == frozenset()
    assert len(recursive_definitions({"$defs": {**chain, "D3000": {"$ref": "#/$defs/D0"}}})) == 3001
