"""Who owns each place."""

from typing import Any

import pytest

from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.separation.separate import Separated, separate_normalized

Schema = dict[str, Any]
H = {"type": "string", "x-human": True}
S = {"type": "string"}


def separated(schema: Schema) -> Separated:
    return separate_normalized(schema, lambda _, inner: inner.get("x-human") is True)


def owner_at(schema: Schema, *path: str | int) -> str:
    return separated(schema).owner(path)


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
        (a({"properties": {"l": S}, "unevaluatedProperties": H}), ("a", "l"), "human"),
        (MAPS, ("a",), "llm"),
        (MAPS, ("x_1",), "human"),
        (MAPS, ("else", "pin"), "human"),
        (MAPS, ("else", "v"), "llm"),
        ({"$ref": "#/$defs/T", "$defs": {"T": TREE}}, ("all", 0, "all", 1, "pin"), "human"),
        ({"$ref": "#/$defs/T", "$defs": {"T": TREE}}, ("all", 0, "all", 1, "v"), "llm"),
    ],
)
def test_the_owner_of_a_place(schema: Schema, path: Keys, owner: str) -> None:
    assert owner_at(schema, *path) == owner


@pytest.mark.parametrize(
    ("union", "owner"),
    [
        ([H, {"type": "null"}], "human"),
        ([{**S, "x-human": False}, {"type": "null", "x-human": True}], "mixed"),
        ([H, {"type": "integer"}], "human"),
        ([S, {"anyOf": [S, H]}, {"type": "null"}], "human"),
        ([*objects({"pin": H}), S], "human"),
        (objects({"pin": H}, {"v": S}), "human"),
        (objects({"pin": H}, {"pin": S}), "human"),
        ([*objects({"pin": H, "v": S}), S], "mixed"),
        ([*objects({"pin": H, "v": S}), {}], "mixed"),
        (objects({"pin": H, "v": S}, {"w": S}), "mixed"),
        ([H, *objects({"pin": H, "v": S})], "human"),
        ([{"type": "array", "items": H}, {"type": "array", "items": S}], "human"),
        ([{"additionalProperties": H}, {"additionalProperties": S}], "human"),
    ],
)
def test_the_owner_of_a_union(union: list[Schema], owner: str) -> None:
    assert owner_at(a({"anyOf": union}), "a") == owner
    assert owner_at(a({"oneOf": union}), "a") == owner


@pytest.mark.parametrize(
    ("schema", "owner"),
    [
        ({"allOf": [{"anyOf": [H, {"type": "integer"}]}, {"description": "x"}]}, "human"),
        ({"anyOf": [H, S], "properties": {"l": S}}, "human"),
        ({"anyOf": objects({"k": H}, {"l": S}), "properties": {"m": H}}, "human"),
        ({"anyOf": objects({"k": H}, {"l": S}), "properties": {"m": H, "l": S}}, "mixed"),
        ({"allOf": [{"anyOf": objects({"k": H}, {"l": S})}, *objects({"m": S})]}, "mixed"),
        ({"type": ["object", "string"], "properties": {"k": H}}, "human"),
        ({"type": ["object", "string"], "properties": {"k": H, "l": S}}, "mixed"),
        ({"enum": ["none", {"k": "x"}], "properties": {"k": H}}, "human"),
    ],
)
def test_keywords_beside_alternatives_belong_to_each(schema: Schema, owner: str) -> None:
    assert owner_at(a(schema), "a") == owner


KIND = {"kind": {"type": "string", "enum": ["card"]}}
CASE = {"kind": {"type": "string", "enum": ["cash"]}}
TAGGED = {"discriminator": {"propertyName": "kind"}}


@pytest.mark.parametrize(
    ("schema", "owner"),
    [
        ({"anyOf": objects({**KIND, "pin": H}, {**CASE, "pin": H})}, "mixed"),
        ({"anyOf": objects({"v": S, "pin": H}, {"w": S, "iban": H})}, "mixed"),
        ({"anyOf": objects({"v": S, "pin": H}, {"v": S, "iban": H})}, "human"),
        ({"anyOf": objects({"v": S, "pin": H}, {"v": {**S, "title": "V"}})}, "human"),
        ({"anyOf": objects({"v": S, "pin": H}, {"v": {"type": "integer"}})}, "mixed"),
        ({"anyOf": [*objects({"v": S, "pin": H}), {"type": "null"}]}, "mixed"),
        ({"anyOf": objects({"kind": H, "v": S}, {"kind": H, "w": S})}, "mixed"),
        ({"anyOf": objects({"kind": H, "v": S}, {"kind": H, "w": S}), **TAGGED}, "human"),
        ({"anyOf": objects({"kind": S, "pin": H}, {"kind": S, "iban": H}), **TAGGED}, "mixed"),
        (
            {"anyOf": objects(*[{"in": {"properties": {**k, "t": H}}} for k in (KIND, CASE)])},
            "mixed",
        ),
        (
            {"anyOf": objects(*[{"in": {"properties": {**k, "t": H}}} for k in (KIND, KIND)])},
            "human",
        ),
        ({"anyOf": [{"$ref": "#/properties/b"}, *objects({"v": S, "pin": H})]}, "mixed"),
        (
            {"anyOf": objects({"v": S, "pin": H}, {"v": S, "iban": H}), "properties": {"l": S}},
            "mixed",
        ),
    ],
)
def test_alternatives_that_only_human_values_tell_apart_are_human(
    schema: Schema, owner: str
) -> None:
    assert owner_at(a(schema), "a") == owner


@pytest.mark.parametrize(
    ("schema", "owner"),
    [
        ({"items": {"anyOf": [H, {"type": "integer"}]}}, "human"),
        ({"prefixItems": [S, {"anyOf": [H, {"type": "integer"}]}]}, "human"),
        ({"prefixItems": [S, {"type": ["object", "string"], "properties": {"k": H}}]}, "human"),
        ({"prefixItems": [S], "items": {"anyOf": [H, {"type": "integer"}]}}, "human"),
        ({"prefixItems": [S, H]}, "mixed"),
        ({"prefixItems": [S, {"anyOf": [H, {"type": "null"}]}]}, "mixed"),
        ({"prefixItems": [S, {"properties": {"k": H}}]}, "mixed"),
        ({"additionalProperties": {"anyOf": [H, {"type": "integer"}]}}, "human"),
        ({"properties": {"l": S}, "additionalProperties": {"anyOf": [H, S]}}, "mixed"),
    ],
)
def test_an_item_with_a_human_alternative_makes_the_array_human(schema: Schema, owner: str) -> None:
    assert owner_at(a(schema), "a") == owner


@pytest.mark.parametrize(
    ("schema", "lost"),
    [
        (a({"anyOf": [H, S]}), ["$input.a"]),
        (a({"items": {"anyOf": [H, S]}}), ["$input.a"]),
        (a({"items": {"properties": {"k": {"anyOf": [H, S]}, "l": S}}}), ["$input.a[*].k"]),
        (a({"prefixItems": [S, {"anyOf": [H, S]}]}), ["$input.a"]),
        (a({"anyOf": objects({"v": S, "pin": H}, {"v": S})}), ["$input.a"]),
        (a({"type": "string", "contentSchema": {"properties": {"k": H, "l": S}}}), ["$input.a"]),
        (a({"type": ["object", "string"], "properties": {"k": H}}), ["$input.a"]),
        (a(H), []),
        (a({"anyOf": [H, {"type": "null"}]}), []),
        (a({"anyOf": [H, S], "x-human": True}), []),
        (a({"type": "array", "items": H}), []),
        (a({"properties": {"k": H}}), []),
        (a({"allOf": [H, S]}), []),
        (a(S), []),
    ],
)
def test_places_that_the_model_lost_are_listed(schema: Schema, lost: list[str]) -> None:
    assert [str(path) for path in separated(schema).lost] == lost


def test_an_object_of_human_properties_is_human_unless_it_declares_others() -> None:
    pin = {"type": "object", "properties": {"pin": H}}
    assert owner_at(a(pin), "a", "extra") == "human"
    assert owner_at(a({**pin, "additionalProperties": True}), "a", "extra") == "llm"


def test_any_name_may_match_an_invalid_pattern() -> None:
    assert owner_at({"patternProperties": {"^[x": H}, "properties": {"a": S}}, "a") == "human"


def test_a_pattern_matches_as_in_the_validator() -> None:
    schema = {"patternProperties": {r"^\d$": H}, "additionalProperties": S}
    assert owner_at(schema, "7") == "human"
    assert owner_at(schema, "٧") == "llm"  # a digit to Python, not to ECMA 262
    assert owner_at(schema, "7\n") == "llm"


PIN = {"type": "object", "properties": {"pin": H}}


def owner_of_a(schema: Any) -> str:
    """Return the owner of a property with this schema."""
    loop, ref = {"$ref": "#/$defs/Loop"}, {"$ref": "#/$defs/Null"}
    named = {"Null": {"type": "null"}, "Ref": ref, "Loop": loop}
    return owner_at({"properties": {"a": schema, "h": H}, "$defs": named}, "a")


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
def test_a_place_is_human_if_marked_or_without_model_parts(
    schema: dict[str, Any],
) -> None:
    assert owner_of_a(schema) == "human"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"pin": H, "a": S}},
        {"type": "object", "properties": {"pin": H, "a": True}},
        {**PIN, "additionalProperties": True},
        {**PIN, "unevaluatedProperties": S},
        {"type": "array", "prefixItems": [H], "items": S},
        {"anyOf": [{"properties": {"a": S, "pin": H}}, S, {"type": "null"}]},
        {"anyOf": [{"properties": {"a": S, "pin": H}}, {"$ref": "#/$defs/Ref"}]},
        {**PIN, "anyOf": [{"properties": {"a": S}}, {"required": ["pin"]}]},
        {"properties": {"a": S}, "anyOf": [PIN, {"properties": {"b": S}}]},
        {"allOf": [PIN, {"properties": {"a": S}}]},
        {"not": {"properties": {"pin": H}}, "properties": {"a": S}},
    ],
)
def test_other_places_are_mixed(schema: dict[str, Any]) -> None:
    assert owner_of_a(schema) == "mixed"
