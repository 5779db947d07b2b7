"""Every complaint about one value, and whether coercing could do anything about it."""

import pytest

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.coerce import coerce
from pyfunctools.schema.compiled import Compiled
from pyfunctools.schema.complaints import Complaints, Rules
from pyfunctools.schema.path import Path

ITEM: JsonSchema = {
    "type": "object",
    "properties": {
        "sku": {"type": "string", "minLength": 2},
        "count": {"type": "integer", "minimum": 1},
        "kind": {"enum": ["new", "used"]},
    },
    "required": ["sku"],
    "additionalProperties": False,
}


def complained(schema: JsonSchema, value: JsonValue) -> tuple[list[str], bool]:
    complaints = Complaints(Rules(Compiled(schema, True, None)))
    places = [Path.of((*keys, *one.below)) for keys, one in complaints.of(value)]
    return [str(place) for place in places], complaints.settled and not complaints.suspects


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ({"sku": "a"}, ["$input.sku"]),
        ({"sku": "ab", "count": 0}, ["$input.count"]),
        ({}, ["$input.sku"]),
        ({"sku": "ab", "x": 1}, ["$input.x"]),
        ({"sku": "ab", "x": "text"}, ["$input.x"]),
    ],
)
def test_what_no_coercion_looks_at_is_settled(value: JsonValue, places: list[str]) -> None:
    assert complained(ITEM, value) == (places, True)
    assert coerce(ITEM, value).value is value


@pytest.mark.parametrize(
    "value",
    [
        {"sku": "ab", "count": "1"},
        {"sku": "ab", "kind": "NEW"},
        {"sku": "ab", "count": None},
        {"arguments": {"sku": "ab"}},
        {"sku": "ab", "x": ' {"a": 1}'},
        [],
        '{"sku": "ab"}',
    ],
)
def test_what_coercion_may_help_is_not_settled(value: JsonValue) -> None:
    assert not complained(ITEM, value)[1]


def test_a_member_that_may_be_unwrapped_is_not_settled() -> None:
    schema: JsonSchema = {"type": "object", "additionalProperties": ITEM}
    value: JsonValue = {"arguments": {"mine": {"sku": "ab"}}}
    assert not complained(schema, value)[1]
    assert coerce(schema, value).value == {"mine": {"sku": "ab"}}


def node(kind: str) -> JsonSchema:
    return {
        "type": "object",
        "properties": {
            "kind": {"const": kind},
            "size": {"type": "integer", "minimum": 1},
            "below": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        },
        "required": ["kind", "size"],
        "additionalProperties": False,
    }


TREE: JsonSchema = {
    "$ref": "#/$defs/Node",
    "$defs": {
        "Node": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]},
        "A": node("a"),
        "B": node("b"),
    },
}


def test_a_tag_leads_to_the_branch_at_every_level() -> None:
    value: JsonValue = {"kind": "a", "size": 0}
    for n in range(20):
        value = {"kind": "ab"[n % 2], "size": 1, "below": [value]}
    places, settled = complained(TREE, value)
    assert places == ["$input" + ".below[0]" * 20 + ".size"]
    assert settled


def test_a_tag_in_another_case_is_not_settled() -> None:
    assert complained(TREE, {"kind": "A", "size": 0}) == (["$input.kind", "$input.size"], False)


def test_more_than_one_fitting_branch_of_a_tagged_union_is_told() -> None:
    branch: JsonSchema = {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}}}
    schema: JsonSchema = {"oneOf": [branch, branch], "discriminator": {"propertyName": "kind"}}
    assert complained(schema, {"kind": "a"}) == (["$input"], False)
