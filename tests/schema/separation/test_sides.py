"""The two sides of a schema, keyword by keyword, and their references."""

from typing import Any

import pytest

from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.separation.separate import separate_normalized as separate

Schema = dict[str, Any]
H = {"type": "string", "x-human": True}
S = {"type": "string"}
I = {"type": "integer"}  # noqa: E741
NULL = {"type": "null"}
EMPTY = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
CLOSED = {"additionalProperties": False}


def sides(schema: Schema) -> tuple[Any, Any]:
    """Return the two sides of a property `a`, beside a property of each owner."""
    separated = separate({"type": "object", "properties": {"a": schema, "m": S, "h": H}})
    assert separated.human is not None
    assert separated.llm["properties"]["m"] == S  # type: ignore[index]
    assert separated.human["properties"]["h"] == H  # type: ignore[index]
    properties = [side.get("properties", {}) for side in (separated.llm, separated.human)]
    return tuple(side.get("a") for side in properties)  # type: ignore[return-value]


def both(**keywords: Any) -> Schema:
    return {"type": "object", "properties": {"n": I, "t": H}, **keywords}


def object_of(properties: Schema, **keywords: Any) -> Schema:
    return {"type": "object", "properties": properties, **keywords}


MINE = object_of({"n": I})
THEIRS = object_of({"t": H}, **CLOSED)

OF_BOTH: list[tuple[str, Any]] = [
    ("uniqueItems", True),
    ("minProperties", 1),
    ("maxProperties", 2),
    ("dependentRequired", {"n": ["t"]}),
    ("dependentSchemas", {"t": {"required": ["n"]}}),
    ("if", {"required": ["t"]}),
    ("then", {"required": ["n"]}),
    ("else", {"minProperties": 1}),
    ("not", {"required": ["t"]}),
    ("contains", {"const": {"t": "SECRET-7f3a"}}),
    ("propertyNames", {"enum": ["n", "t"]}),
    ("unevaluatedProperties", False),
    ("unevaluatedItems", False),
    ("const", {"n": 1, "t": "SECRET-7f3a"}),
    ("enum", [{"n": 1, "t": "SECRET-7f3a"}, None]),
    ("default", {"n": 1, "t": "SECRET-7f3a"}),
    ("example", {"t": "SECRET-7f3a"}),
    ("examples", [{"t": "SECRET-7f3a"}]),
    ("x-order", ["n", "t"]),
    ("$comment", "t is secret"),
]


@pytest.mark.parametrize(("keyword", "value"), OF_BOTH)
def test_a_keyword_about_both_sides_is_left_out_of_both(keyword: str, value: Any) -> None:
    assert sides(both(**{keyword: value})) == (MINE, THEIRS)


@pytest.mark.parametrize(("keyword", "value"), [*OF_BOTH, ("x-kind", 1)])
def test_it_stays_in_a_schema_of_one_owner(keyword: str, value: Any) -> None:
    mine = {"type": "object", "properties": {"n": I}, keyword: value}
    assert sides(mine) == (mine, None)
    theirs = {**mine, "x-human": True}
    assert sides(theirs) == (None, theirs)


@pytest.mark.parametrize(
    ("schema", "llm", "human"),
    [
        (both(required=["n", "t"]), {**MINE, "required": ["n"]}, {**THEIRS, "required": ["t"]}),
        (both(**CLOSED), {**MINE, **CLOSED}, THEIRS),
        (both(additionalProperties=S), {**MINE, "additionalProperties": S}, THEIRS),
        (both(description="d", title="t"), {**MINE, "description": "d", "title": "t"},
         {**THEIRS, "description": "d", "title": "t"}),
        (both(default=None), {**MINE, "default": None}, THEIRS),
        (both(default="SECRET-7f3a", enum=["SECRET-7f3a", None]), MINE, THEIRS),
        (both(type=["object", "null"]), {**MINE, "type": ["object", "null"]},
         {**THEIRS, "type": ["object", "null"]}),
        (both(type=["object", "string"], maxLength=3),
         {**MINE, "type": ["object", "string"], "maxLength": 3},
         {**THEIRS, "type": ["object", "null"]}),
        (object_of({"in": both(required=["t"])}, required=["in"]),
         object_of({"in": {**MINE, "required": []}}, required=[]),
         object_of({"in": {**THEIRS, "required": ["t"]}}, required=["in"], **CLOSED)),
        (object_of({"t": H}, required=["t"]), None, object_of({"t": H}, required=["t"])),
    ],
)  # fmt: skip
def test_an_object_is_split_by_its_properties(schema: Schema, llm: Any, human: Any) -> None:
    assert sides(schema) == (llm, human)


@pytest.mark.parametrize(
    ("schema", "llm", "human"),
    [
        ({"type": "array", "items": both(), "minItems": 1, "maxItems": 3},
         {"type": "array", "items": MINE, "minItems": 1, "maxItems": 3},
         {"type": "array", "items": THEIRS, "minItems": 1, "maxItems": 3}),
        ({"type": "array", "prefixItems": [S, H, both()], "items": False},
         {"type": "array", "prefixItems": [S, NULL, MINE], "items": False},
         {"type": "array", "prefixItems": [NULL, H, THEIRS], "items": False}),
        ({"type": "array", "prefixItems": [S], "items": H},
         {"type": "array", "prefixItems": [S], "items": NULL},
         {"type": "array", "prefixItems": [NULL], "items": H}),
        ({"type": "array", "items": H}, None, {"type": "array", "items": H}),
        ({"type": "array", "items": {"anyOf": [H, I]}}, None,
         {"type": "array", "items": {"anyOf": [H, I]}}),
        ({"type": "array", "allOf": [{"prefixItems": [S]}, {"items": both()}]},
         {"type": "array", "allOf": [{"prefixItems": [S]}, {"items": True}]},
         {"type": "array", "allOf": [{"prefixItems": [NULL]}, {"items": True}]}),
    ],
)  # fmt: skip
def test_an_array_is_split_by_its_items(schema: Schema, llm: Any, human: Any) -> None:
    assert sides(schema) == (llm, human)


@pytest.mark.parametrize(
    ("schema", "llm", "human"),
    [
        ({"type": "object", "additionalProperties": both()},
         {"type": "object", "additionalProperties": MINE},
         {"type": "object", "additionalProperties": THEIRS}),
        ({"type": "object", "additionalProperties": H}, None,
         {"type": "object", "additionalProperties": H}),
        ({"type": "object", "patternProperties": {"^s_": H}, "additionalProperties": S},
         {"type": "object", "additionalProperties": S},
         {"type": "object", "patternProperties": {"^s_": H}, **CLOSED}),
        ({"type": "object", "patternProperties": {"^s": both(), "^t": S}, **CLOSED},
         {"type": "object"},
         {"type": "object", "patternProperties": {"^s": True, "^t": True}, **CLOSED}),
        ({"type": "object", "properties": {"n": I}, "additionalProperties": H},
         {"type": "object", "properties": {"n": I}, **CLOSED},
         {"type": "object", "properties": {}, "additionalProperties": H}),
        ({"type": "object", "properties": {"n": I}, "patternProperties": {"^n": H}},
         {"type": "object", "properties": {}},
         {"type": "object", "properties": {"n": {"allOf": [I, H]}},
          "patternProperties": {"^n": H}, **CLOSED}),
        ({"type": "object", "properties": {"x": both()}, "patternProperties": {"^x": both()}},
         {"type": "object", "properties": {"x": {"allOf": [MINE, MINE]}}},
         {"type": "object", "properties": {"x": {"allOf": [THEIRS, THEIRS]}},
          "patternProperties": {"^x": True}, **CLOSED}),
    ],
)  # fmt: skip
def test_a_map_is_split_by_its_unnamed_properties(schema: Schema, llm: Any, human: Any) -> None:
    assert sides(schema) == (llm, human)


CARD = object_of({"kind": {"const": "card"}, "t": S}, required=["kind"], **CLOSED)
CASH = object_of({"kind": {"const": "cash"}}, required=["kind"], **CLOSED)


@pytest.mark.parametrize(
    ("schema", "llm", "human"),
    [
        ({"anyOf": [H, NULL]}, None, {"anyOf": [H, NULL]}),
        ({"anyOf": [H, I, NULL]}, None, {"anyOf": [H, I, NULL]}),
        ({"oneOf": [{**CARD, "x-human": True}, CASH]}, None,
         {"oneOf": [{**CARD, "x-human": True}, CASH]}),
        ({"anyOf": [I, {"oneOf": [I, H]}]}, None, {"anyOf": [I, {"oneOf": [I, H]}]}),
        ({"anyOf": [THEIRS, I]}, None, {"anyOf": [THEIRS, I]}),
        ({"anyOf": [both(), NULL]}, {"anyOf": [MINE, NULL]}, {"anyOf": [THEIRS, NULL]}),
        ({"oneOf": [both(), S, I]}, {"anyOf": [MINE, S, I]}, {"anyOf": [THEIRS, NULL]}),
        ({"anyOf": [both(**CLOSED), object_of({"t": S, "l": S}, **CLOSED)]},
         {"anyOf": [{**MINE, **CLOSED}, object_of({"l": S}, **CLOSED)]},
         {"anyOf": [THEIRS, object_of({"t": S}, **CLOSED)]}),
        ({"anyOf": [H, both()]}, None, {"anyOf": [H, both()]}),
        ({"allOf": [both(), object_of({"t": {"maxLength": 3}, "l": S})]},
         {"allOf": [MINE, object_of({"l": S})]},
         {"allOf": [THEIRS, object_of({"t": {"maxLength": 3}}, **CLOSED)]}),
        ({"allOf": [H, {"maxLength": 3}]}, None, {"allOf": [H, {"maxLength": 3}]}),
    ],
)  # fmt: skip
def test_a_union_or_intersection_is_split_by_its_schemas(
    schema: Schema, llm: Any, human: Any
) -> None:
    assert sides(schema) == (llm, human)


def test_if_all_is_human_the_model_has_an_empty_object() -> None:
    for schema in (object_of({"t": H}), object_of({"t": H}, **CLOSED), {"anyOf": [H, S]}, H):
        separated = separate(schema)
        assert separated.llm == EMPTY
        assert separated.human == schema


@pytest.mark.parametrize(
    "condition",
    [
        {"if": {"properties": {"n": {"const": 1}}}, "then": {"properties": {"t": H}}},
        {"if": {"properties": {"n": {"const": 1}}}, "else": {"properties": {"t": H}}},
        {"dependentSchemas": {"n": {"properties": {"t": H}}}},
        {"allOf": [{"if": {"required": ["n"]}, "then": {"anyOf": [{"properties": {"t": H}}]}}]},
    ],
    ids=str,
)
def test_a_human_property_of_a_condition_is_on_the_human_side(
    condition: Schema,
) -> None:
    mine, theirs = sides(object_of({"n": I}, **condition))
    assert mine["properties"] == {"n": I}
    # If no condition holds it may be anything.
    assert theirs["properties"] == {"t": {"anyOf": [H, True]}}


def test_a_property_that_only_an_if_declares_may_be_anything() -> None:
    _, theirs = sides(object_of({"n": I}, **{"if": {"properties": {"t": H}}, "then": {"not": {}}}))
    assert theirs["properties"] == {"t": True}


PIN = {"type": "object", "properties": {"pin": H, "v": S}, "required": ["pin"]}


def is_wanted(schema: Schema) -> bool:
    """Return whether a required property is required on the human's side too."""
    whole = {"type": "object", "properties": {"a": schema, "h": H}, "required": ["a"]}
    human = separate(whole).human
    assert human is not None
    return "a" in human["required"]  # type: ignore[operator]


@pytest.mark.parametrize(
    "schema",
    [
        H,
        PIN,
        {"allOf": [PIN]},
        {"type": "object", "properties": {"in": PIN, "v": S}, "required": ["in"]},
        {"type": "array", "items": PIN, "minItems": 1},
        {"type": "array", "prefixItems": [PIN, S], "minItems": 2},
        {"anyOf": [PIN, {**PIN, "required": ["v", "pin"]}]},
    ],
)
def test_a_property_that_always_has_a_human_part_is_required_of_the_human(schema: Schema) -> None:
    assert is_wanted(schema)


@pytest.mark.parametrize(
    "schema",
    [
        S,
        {**PIN, "required": []},
        {**PIN, "type": ["object", "null"]},
        {"properties": PIN["properties"], "required": ["pin"]},
        {"type": "array", "items": PIN},
        {"anyOf": [PIN, {"type": "null"}]},
        {"if": {"required": ["v"]}, "then": PIN, "type": "object", "properties": {"v": S}},
    ],
)
def test_a_property_that_may_have_no_human_part_is_not_required(schema: Schema) -> None:
    assert not is_wanted(schema)


def test_recursion_alone_requires_nothing() -> None:
    tree = {
        "type": "object",
        "properties": {"next": {"$ref": "#/properties/a"}, "pin": H, "v": S},
        "required": ["next"],
    }
    assert not is_wanted(tree)
    assert is_wanted({**tree, "required": ["next", "pin"]})


def llm_of(schema: Schema) -> Schema:
    return dict(separate(schema).llm)


def test_a_side_is_a_copy() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "object", "x-y": [1]}, "pin": H}}
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
            "pin": H,
        },
        "$defs": {"One Two": {"type": "integer"}, "Unused": {"type": "null"}},
    }
    side = llm_of(normalize(schema))
    assert side["properties"]["b"] == {"$ref": "#/$defs/a", "title": "b"}
    assert side["properties"]["c"] == {"$ref": "#/$defs/a_in"}
    assert side["properties"]["d"] == {"$ref": "#/$defs/One%20Two"}
    assert side["properties"]["me"] == {"$ref": "#/$defs/root"}
    assert set(side["$defs"]) == {"a", "a_in", "One Two", "root"}
    assert "pin" not in side["$defs"]["root"]["properties"]


def test_a_definition_with_several_sides_has_a_name_for_each() -> None:
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
def test_a_discriminator_refers_to_the_branches_of_the_side(keyword: str) -> None:
    def branch(kind: str, **properties: Any) -> Schema:
        return {"type": "object", "properties": {"kind": {"const": kind}, **properties}}

    union = {keyword: [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}
    schema = {
        "properties": {"u": {**union, "discriminator": DISCRIMINATOR}, "pin": H},
        "$defs": {"A": branch("a", card=S), "B": branch("b")},
    }
    assert llm_of(schema)["properties"]["u"]["discriminator"] == DISCRIMINATOR

    schema["$defs"]["A"] = branch("a", card=H)
    assert llm_of(schema)["properties"]["u"]["discriminator"] == DISCRIMINATOR


@pytest.mark.parametrize("shown", [True, False])
def test_a_discriminator_of_a_mixed_place_has_only_the_tag_and_the_branches(shown: bool) -> None:
    mapping = {"cat": "#/$defs/Cat"}
    heir = {"allOf": [{"$ref": "#/$defs/Pet"}, {"properties": {"claw": H if shown else S}}]}
    stated = {"propertyName": "kind", "mapping": mapping, "x-secret": "SECRET"}
    pet = {"properties": {"kind": S}, "discriminator": stated}
    schema = {
        "properties": {"pet": {"$ref": "#/$defs/Pet"}, "pin": H},
        "$defs": {"Pet": pet, "Cat": heir},
    }
    side = llm_of(schema)
    if not shown:
        assert side["$defs"] == schema["$defs"]
        return
    kept = side["$defs"]["Pet"]["discriminator"]
    assert kept == {"propertyName": "kind", "mapping": {}}
    assert list(side["$defs"]) == ["Pet"]
    human = separate(schema).human or {}
    claw = human["$defs"]["Pet"]["properties"]["claw"]  # type: ignore[index, call-overload]
    assert claw == {"anyOf": [H, True]}


def test_a_human_discriminator_is_not_shown() -> None:
    branch = {
        "type": "object",
        "properties": {"secret_kind": {"const": "a", "x-human": True}, "a": S},
    }
    union = {"anyOf": [branch, {"type": "null"}], "discriminator": {"propertyName": "secret_kind"}}
    assert "secret_kind" not in str(llm_of({"properties": {"u": union, "b": S}}))


def test_unused_keywords_beside_null_are_not_shown() -> None:
    null = {"type": "null", "properties": {"pin": H}}
    union = {"anyOf": [null, {"type": "integer"}]}
    assert llm_of({"properties": {"u": union, "b": S}})["properties"]["u"] == {
        "anyOf": [{"type": "null"}, {"type": "integer"}]
    }


def test_a_recursive_side_ends() -> None:
    tree = {
        "properties": {"v": S, "all": {"type": "array", "items": {"$ref": "#/$defs/T"}}, "pin": H}
    }
    separated = separate({"$ref": "#/$defs/T", "$defs": {"T": tree}})
    for side, name in ((separated.llm, "v"), (separated.human or {}, "pin")):
        assert side["$ref"] == "#/$defs/T"
        assert sorted(side["$defs"]["T"]["properties"]) == sorted(["all", name])  # type: ignore[index]
        assert side["$defs"]["T"]["properties"]["all"]["items"] == {"$ref": "#/$defs/T"}  # type: ignore[index]


def test_a_deeply_nested_schema_can_be_written() -> None:
    schema: Schema = {"type": "object", "properties": {"a": S, "pin": H}}
    for _ in range(240):
        schema = {"type": "array", "items": schema}
    separated = separate({"type": "object", "properties": {"deep": schema}})
    assert "pin" not in str(separated.llm)
    assert "pin" in str(separated.human)
