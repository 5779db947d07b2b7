"""Whose each place is, by the path alone."""

from typing import Any

import pytest

from pyfunctools.schema.marks import graph_of
from pyfunctools.schema.ownership import HUMAN, LLM, Ownership
from pyfunctools.schema.path import Keys

Schema = dict[str, Any]
H = {"type": "string", "x-human": True}
S = {"type": "string"}


def ownership(schema: Schema) -> Ownership:
    return Ownership(graph_of(schema, lambda _, inner: inner.get("x-human") is True))


def whose(schema: Schema, *path: str | int) -> str:
    *_, place = ownership(schema).at(path)
    return place.owner


def a(schema: Any) -> Schema:
    return {"type": "object", "properties": {"a": schema, "b": S}}


def objects(*properties: Schema) -> list[Schema]:
    return [{"type": "object", "properties": one} for one in properties]


TREE = {"properties": {"pin": H, "v": S, "all": {"items": {"$ref": "#/$defs/T"}}}}
MAPS = {
    "properties": {"a": S, "b_pin": H},
    "patternProperties": {"^x_": H},
    "additionalProperties": {"properties": {"pin": H, "v": S}},
}


@pytest.mark.parametrize(
    ("schema", "path", "owner"),
    [
        (a(S), (), "llm"),
        (a(H), (), "mixed"),
        (a(H), ("a",), "human"),
        (a(H), ("a", "deeper", 0), "human"),
        (a(H), ("b",), "llm"),
        (a(H), ("extra",), "llm"),
        ({**a(H), "x-human": True}, (), "human"),
        (a({"items": {"properties": {"t": H, "v": S}}}), ("a", 7, "t"), "human"),
        (a({"items": {"properties": {"t": H, "v": S}}}), ("a", 7, "v"), "llm"),
        (a({"prefixItems": [S, H], "items": S}), ("a", 0), "llm"),
        (a({"prefixItems": [S, H], "items": S}), ("a", 1), "human"),
        (a({"prefixItems": [S, H], "items": S}), ("a", 9), "llm"),
        (a({"items": [S, H], "additionalItems": S}), ("a", 1), "human"),
        (a({"items": [S, H], "additionalItems": S}), ("a", 2), "llm"),
        (a({"items": S, "contains": H}), ("a", 0), "human"),
        (a({"allOf": objects({"k": H}, {"k": S, "l": S})}), ("a", "k"), "human"),
        (a({"anyOf": objects({"k": H, "m": S}, {"k": S, "l": S})}), ("a", "k"), "human"),
        (a({"anyOf": objects({"k": H, "m": S}, {"k": S, "l": S})}), ("a", "l"), "llm"),
        (
            a({"if": S, "then": {"properties": {"k": H}}, "properties": {"l": S}}),
            ("a", "k"),
            "human",
        ),
        (a({"not": {"properties": {"k": H}}, "type": "object"}), ("a", "k"), "human"),
        (a({"dependentSchemas": {"l": {"properties": {"k": H, "m": S}}}}), ("a", "k"), "human"),
        (a({"properties": {"l": S}, "unevaluatedProperties": H}), ("a", "k"), "human"),
        (a({"properties": {"l": S}, "unevaluatedProperties": H}), ("a", "l"), "llm"),
        (MAPS, ("a",), "llm"),
        (MAPS, ("x_1",), "human"),
        (MAPS, ("else", "pin"), "human"),
        (MAPS, ("else", "v"), "llm"),
        ({"$ref": "#/$defs/T", "$defs": {"T": TREE}}, ("all", 0, "all", 1, "pin"), "human"),
        ({"$ref": "#/$defs/T", "$defs": {"T": TREE}}, ("all", 0, "all", 1, "v"), "llm"),
    ],
)
def test_a_place_is_whose_the_schema_says(schema: Schema, path: Keys, owner: str) -> None:
    assert whose(schema, *path) == owner


@pytest.mark.parametrize(
    ("union", "owner"),
    [
        ([H, {"type": "null"}], "human"),
        ([H, {"type": "integer"}], "either"),
        ([H, {"anyOf": [S, H]}, {"type": "null"}], "either"),
        ([*objects({"pin": H}), S], "either"),
        (objects({"pin": H}, {"v": S}), "either"),
        (objects({"pin": H}, {"pin": S}), "mixed"),
        (objects({"pin": H, "v": S}, {"w": S}), "mixed"),
        ([H, *objects({"pin": H, "v": S})], "human"),
        ([{"type": "array", "items": H}, {"type": "array", "items": S}], "human"),
        ([{"additionalProperties": H}, {"additionalProperties": S}], "human"),
    ],
)
def test_a_union_is_whose_its_branches_are(union: list[Schema], owner: str) -> None:
    assert whose(a({"anyOf": union}), "a") == owner
    assert whose(a({"oneOf": union}), "a") == owner


@pytest.mark.parametrize(
    ("schema", "owner"),
    [
        ({"allOf": [{"anyOf": [H, {"type": "integer"}]}, {"description": "x"}]}, "either"),
        ({"anyOf": [H, S], "properties": {"l": S}}, "either"),
        ({"anyOf": [H, S], "properties": {"k": H, "l": S}}, "human"),
        ({"anyOf": [H, S], "oneOf": [H, S]}, "human"),
        ({"anyOf": [H, S], "items": {"properties": {"k": H, "l": S}}}, "human"),
        ({"anyOf": objects({"k": H}, {"l": S}), "properties": {"m": H, "l": S}}, "mixed"),
    ],
)
def test_alternatives_are_told_apart_only_where_nothing_else_is_the_humans(
    schema: Schema, owner: str
) -> None:
    assert whose(a(schema), "a") == owner


CARD = {"properties": {"kind": {"const": "card"}, "number": S, "of": {"properties": {"cvc": S}}}}
CASH = {"properties": {"kind": {"const": "cash"}, "of": {"type": "object"}}}


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        ((), "either"),
        (("kind",), "mixed"),
        (("number",), "human"),
        (("note",), "llm"),
        (("of",), "mixed"),
        (("of", "cvc"), "human"),
        (("of", "note"), "llm"),
    ],
)
def test_among_alternatives_a_name_is_the_humans_if_only_an_alternative_of_theirs_has_it(
    path: Keys, owner: str
) -> None:
    assert whose(a({"anyOf": [{**CARD, "x-human": True}, CASH]}), "a", *path) == owner


def test_an_array_whose_items_could_be_either_s_is_the_humans() -> None:
    assert whose(a({"type": "array", "items": {"anyOf": [H, {"type": "integer"}]}}), "a") == "human"


def test_arguments_that_could_be_either_s_are_the_humans() -> None:
    assert whose({"anyOf": [H, {"type": "object"}]}) == "human"


def test_an_object_of_only_the_humans_is_theirs_unless_it_says_what_else_may_be_in_it() -> None:
    pin = {"type": "object", "properties": {"pin": H}}
    assert whose(a(pin), "a", "extra") == "human"
    assert whose(a({**pin, "additionalProperties": True}), "a", "extra") == "llm"


def test_what_nobody_divided_is_one_place_however_deep() -> None:
    places = list(ownership(a({"properties": {"k": H, "l": S}})).at(("b", "x", 0)))
    assert places[1:] == [LLM, LLM, LLM]
    assert list(ownership(a(H)).at(("a", 1)))[1:] == [HUMAN, HUMAN]


def test_what_is_said_surely_is_said_whatever_else_is_in_the_value() -> None:
    schema = {"items": S, "contains": H, "properties": {"k": H}, "unevaluatedProperties": S}
    places = ownership(schema)
    root = places.graph.root
    assert [part.schema for part in places.parts(root, 0)] == [S, H]
    assert [part.schema for part in places.parts(root, 0, surely=True)] == [S]
    assert [part.schema for part in places.parts(root, "k", surely=True)] == [H]
    assert [part.schema for part in places.parts(root, "l")] == [S]
    assert places.parts(root, "l", surely=True) == []


def test_any_name_may_fall_under_what_is_no_pattern() -> None:
    assert whose({"patternProperties": {"^[x": H}, "properties": {"a": S}}, "a") == "human"


def test_a_pattern_is_read_as_the_validator_reads_it() -> None:
    schema = {"patternProperties": {r"^\d$": H}, "additionalProperties": S}
    assert whose(schema, "7") == "human"
    assert whose(schema, "٧") == "llm"  # a digit to Python, not to ECMA 262
    assert whose(schema, "7\n") == "llm"
