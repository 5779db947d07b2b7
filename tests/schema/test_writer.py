"""Copies, references and definitions of what is written."""

from typing import Any

import pytest

from pyfunctools.schema.separation.separate import separate_normalized as separate

Schema = dict[str, Any]
H = {"type": "string", "x-human": True}
S = {"type": "string"}
CLOSED = {"additionalProperties": False}
PIN = {"pin": H}


def llm(schema: Schema) -> Schema:
    return dict(separate(schema).llm)


def test_what_is_the_models_is_handed_out_as_a_copy() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "object", "x-y": [1]}, **PIN}}
    separated = separate(schema)
    separated.llm["properties"]["a"]["x-y"].append(2)  # type: ignore[index]
    assert (
        separated.llm["properties"]["a"]
        == schema["properties"]["a"]
        == {  # type: ignore[index]
            "type": "object",
            "x-y": [1],
        }
    )


def test_references_of_every_form_lead_to_definitions_of_the_side() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "object", "properties": {"in": S}},
            "b": {"$ref": "#/properties/a", "title": "b"},
            "c": {"$ref": "#/properties/a/properties/in"},
            "d": {"$ref": "#/$defs/One%20Two"},
            "me": {"$ref": "#"},
            **PIN,
        },
        "$defs": {"One Two": {"type": "integer"}, "Unused": {"type": "null"}},
    }
    side = llm(schema)
    assert side["properties"]["b"] == {"$ref": "#/$defs/a", "title": "b"}
    assert side["properties"]["c"] == {"$ref": "#/$defs/in"}
    assert side["properties"]["d"] == {"$ref": "#/$defs/One%20Two"}
    assert side["properties"]["me"] == {"$ref": "#/$defs/Input"}
    assert set(side["$defs"]) == {"a", "in", "One Two", "Input"}
    assert "pin" not in side["$defs"]["Input"]["properties"]


def test_a_definition_that_is_used_in_several_ways_has_a_name_for_each() -> None:
    address = {"type": "object", "properties": {"street": S, "code": S}}
    schema = {
        "type": "object",
        "properties": {name: {"$ref": "#/$defs/A"} for name in "abc"},
        "$defs": {"A": address},
    }
    separated = separate(schema, lambda path, _: path == "$input.b.code")
    side = separated.llm
    assert side["properties"] == {
        "a": {"$ref": "#/$defs/A"},
        "b": {"$ref": "#/$defs/A_2"},
        "c": {"$ref": "#/$defs/A"},
    }
    assert side["$defs"]["A"] == address  # type: ignore[index]
    assert list(side["$defs"]["A_2"]["properties"]) == ["street"]  # type: ignore[index]


DISCRIMINATOR = {"propertyName": "kind", "mapping": {"a": "#/$defs/A", "b": "#/$defs/B"}}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_a_discriminator_leads_to_where_the_branches_are_now(keyword: str) -> None:
    def branch(kind: str, **properties: Any) -> Schema:
        return {"type": "object", "properties": {"kind": {"const": kind}, **properties}}

    union = {keyword: [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}
    schema = {
        "properties": {"u": {**union, "discriminator": DISCRIMINATOR}, **PIN},
        "$defs": {"A": branch("a", card=S), "B": branch("b")},
    }
    assert llm(schema)["properties"]["u"]["discriminator"] == DISCRIMINATOR

    schema["$defs"]["A"] = branch("a", card=H)
    assert llm(schema)["properties"]["u"]["discriminator"] == DISCRIMINATOR


@pytest.mark.parametrize("shown", [True, False])
def test_a_discriminator_at_a_place_of_both_has_only_the_tag_and_the_branches(shown: bool) -> None:
    mapping = {"cat": "#/$defs/Cat"}
    heir = {"allOf": [{"$ref": "#/$defs/Pet"}, {"properties": {"claw": H if shown else S}}]}
    stated = {"propertyName": "kind", "mapping": mapping, "x-secret": "SECRET"}
    pet = {"properties": {"kind": S}, "discriminator": stated}
    schema = {
        "properties": {"pet": {"$ref": "#/$defs/Pet"}, **PIN},
        "$defs": {"Pet": pet, "Cat": heir},
    }
    side = llm(schema)
    if not shown:
        assert side["$defs"] == schema["$defs"]
        return
    kept = side["$defs"]["Pet"]["discriminator"]
    assert kept == {"propertyName": "kind", "mapping": {}}
    assert list(side["$defs"]) == ["Pet"]
    human = separate(schema).human or {}
    claw = human["$defs"]["Pet"]["properties"]["claw"]  # type: ignore[index, call-overload]
    assert claw == {"anyOf": [H, True]}


def test_a_discriminator_of_the_humans_is_not_shown() -> None:
    branch = {
        "type": "object",
        "properties": {"secret_kind": {"const": "a", "x-human": True}, "a": S},
    }
    union = {"anyOf": [branch, {"type": "null"}], "discriminator": {"propertyName": "secret_kind"}}
    assert "secret_kind" not in str(llm({"properties": {"u": union, "b": S}}))


def test_what_stands_beside_null_and_is_never_looked_at_is_not_shown() -> None:
    null = {"type": "null", "properties": PIN}
    union = {"anyOf": [null, {"type": "integer"}]}
    assert llm({"properties": {"u": union, "b": S}})["properties"]["u"] == {
        "anyOf": [{"type": "null"}, {"type": "integer"}]
    }


def test_a_recursive_side_ends() -> None:
    tree = {"properties": {"v": S, "all": {"type": "array", "items": {"$ref": "#/$defs/T"}}, **PIN}}
    separated = separate({"$ref": "#/$defs/T", "$defs": {"T": tree}})
    for side, name in ((separated.llm, "v"), (separated.human or {}, "pin")):
        assert side["$ref"] == "#/$defs/T"
        assert sorted(side["$defs"]["T"]["properties"]) == sorted(["all", name])  # type: ignore[index]
        assert side["$defs"]["T"]["properties"]["all"]["items"] == {"$ref": "#/$defs/T"}  # type: ignore[index]


def test_a_schema_nested_as_deep_as_any_that_is_read_can_be_written() -> None:
    schema: Schema = {"type": "object", "properties": {"a": S, **PIN}}
    for _ in range(240):
        schema = {"type": "array", "items": schema}
    separated = separate({"type": "object", "properties": {"deep": schema}})
    assert "pin" not in str(separated.llm)
    assert "pin" in str(separated.human)
