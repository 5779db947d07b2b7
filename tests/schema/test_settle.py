"""Whose a subschema is by itself."""

from typing import Any

import pytest

from pyfunctools.schema.separation.graph import graph_of
from pyfunctools.schema.separation.whole_nodes import settle

H = {"type": "string", "x-human": True}
S = {"type": "string"}
PIN = {"type": "object", "properties": {"pin": H}}


def whose(schema: dict[str, Any]) -> str:
    graph = graph_of({"properties": {"a": schema}}, lambda _, inner: inner.get("x-human") is True)
    node = graph.root.parts["properties", "a"]
    human, model = settle(graph.nodes, frozenset())
    assert not human & model
    return "human" if node in human else "both" if node in model else "nothing of the model's"


@pytest.mark.parametrize(
    "schema",
    [
        H,
        {"allOf": [S, H]},
        {"anyOf": [H, {"type": "null"}]},
        {"oneOf": [H, {"allOf": [H]}, {"const": None}]},
        {"if": S, "then": H},
        {"if": H, "then": S},
        {"not": H, "properties": {"a": S}},
        {"anyOf": [H, S]},
        {"oneOf": [S, {"anyOf": [{"type": "null"}, H]}]},
        {"contains": PIN, "items": S},
        {"contentSchema": PIN},
        {"propertyNames": H, "properties": {"a": S}},
        {"properties": {"a": S}, "unevaluatedProperties": PIN},
        {"prefixItems": [S], "unevaluatedItems": {"anyOf": [PIN]}},
        {"dependentSchemas": {"b": H}},
    ],
)
def test_a_mark_makes_what_it_holds_for_the_humans(schema: dict[str, Any]) -> None:
    assert whose(schema) == "human"


@pytest.mark.parametrize(
    "schema",
    [
        PIN,
        {**PIN, "type": ["object", "null"], "additionalProperties": False},
        {**PIN, "required": ["pin"], "anyOf": [{"required": ["pin"]}, {"minProperties": 1}]},
        {"type": "array", "items": H},
        {"type": "array", "prefixItems": [H, PIN], "items": False},
        {"type": "object", "additionalProperties": H, "patternProperties": {"^a": PIN}},
        {"anyOf": [PIN, {"type": "array", "items": PIN}, {"type": "null"}]},
        {"allOf": [PIN, {"type": "object", "required": ["pin"]}]},
        {"type": "object", "properties": {"deep": PIN}},
        {**PIN, "type": ["object", "string"]},
        {"anyOf": [PIN, {}]},
        {"anyOf": [PIN, {"const": "none"}]},
        {"anyOf": [PIN, {"properties": {"a": S}}]},
        {"anyOf": [{"properties": {"a": S, "pin": H}}, {"allOf": [PIN]}]},
        {"not": {"properties": {"pin": H}}, "type": "string"},
    ],
)
def test_an_object_or_array_of_nothing_but_the_humans_has_nothing_of_the_models(
    schema: dict[str, Any],
) -> None:
    assert whose(schema) == "nothing of the model's"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"pin": H, "a": S}},
        {"type": "object", "properties": {"pin": H, "a": True}},
        {**PIN, "additionalProperties": True},
        {**PIN, "unevaluatedProperties": S},
        {"type": "array", "prefixItems": [H], "items": S},
        {"anyOf": [{"properties": {"a": S, "pin": H}}, {"properties": {"a": S}}]},
        {"anyOf": [{"properties": {"a": S, "pin": H}}, S, {"type": "null"}]},
        {**PIN, "anyOf": [{"properties": {"a": S}}, {"required": ["pin"]}]},
        {"properties": {"a": S}, "anyOf": [PIN, {"properties": {"b": S}}]},
        {"allOf": [PIN, {"properties": {"a": S}}]},
        {"not": {"properties": {"pin": H}}, "properties": {"a": S}},
    ],
)
def test_with_anything_else_it_has_parts_of_both(schema: dict[str, Any]) -> None:
    assert whose(schema) == "both"
