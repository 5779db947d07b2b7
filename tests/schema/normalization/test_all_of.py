"""`allOf`: schemas that all apply are merged into one equivalent schema."""

from typing import Any

import pytest

from pyfunctools.errors import SchemaError
from pyfunctools.schema import normalize
from pyfunctools.schema.normalization import all_of
from pyfunctools.schema.normalization.all_of import MOST_INHERITED

A, B, C = ({"$ref": f"#/$defs/{name}"} for name in "ABC")


def merged(*parts: Any, own: dict[str, Any] | None = None, **beside: Any) -> dict[str, Any]:
    """Return the schema that an `allOf` and the keywords beside it are merged into."""
    result = normalize({**beside, "allOf": [*parts], "$defs": own or {}})
    return {keyword: value for keyword, value in result.items() if keyword != "$defs"}


MERGED: list[tuple[list[dict[str, Any]], dict[str, Any]]] = [
    ([{"minimum": 1}, {"minimum": 2}, {"maximum": 5}], {"minimum": 2, "maximum": 5}),
    ([{"minimum": 2}, {"exclusiveMinimum": 2}], {"exclusiveMinimum": 2}),
    ([{"maxLength": 5}, {"maxLength": 3}], {"maxLength": 3}),
    ([{"minItems": 0}, {"minItems": 3}], {"minItems": 3}),
    ([{"multipleOf": 4}, {"multipleOf": 6}], {"multipleOf": 12}),
    ([{"multipleOf": 0.5}, {"multipleOf": 2}], {"multipleOf": 0.5, "allOf": [{"multipleOf": 2}]}),
    (
        [{"multipleOf": 2**40 + 1}, {"multipleOf": 2**40}],
        {"multipleOf": 2**40 + 1, "allOf": [{"multipleOf": 2**40}]},
    ),
    (
        [{"propertyNames": {"minLength": 1}}, {"propertyNames": {"maxLength": 2}}],
        {"propertyNames": {"minLength": 1}, "allOf": [{"propertyNames": {"maxLength": 2}}]},
    ),
    (
        [{"dependentSchemas": {"a": {}}}, {"dependentSchemas": {"a": False, "b": {}}}],
        {
            "dependentSchemas": {"a": {}},
            "allOf": [{"dependentSchemas": {"a": False, "b": {}}}],
        },
    ),
    ([{"uniqueItems": False}, {"uniqueItems": True}], {"uniqueItems": True}),
    ([{"required": ["a", "b"]}, {"required": ["b", "c"]}], {"required": ["a", "b", "c"]}),
    ([{"pattern": "a"}, {"pattern": "a"}], {"pattern": "a"}),
    ([{"pattern": "a"}, {"pattern": "b"}], {"pattern": "a", "allOf": [{"pattern": "b"}]}),
    ([{"format": "date"}, {"format": "uuid"}], {"format": "date", "allOf": [{"format": "uuid"}]}),
    ([{"type": "integer"}, {"type": "number"}], {"type": "integer"}),
    ([{"type": ["number", "null"]}, {"type": ["integer", "null"]}], {"type": ["integer", "null"]}),
    ([{"type": "string"}, {"type": "integer"}], {"type": "string", "allOf": [{"type": "integer"}]}),
    ([{"enum": [1, 2, 3]}, {"enum": [3.0, 2]}], {"enum": [2, 3]}),
    ([{"enum": [1]}, {"enum": [True]}], {"enum": [1], "allOf": [{"enum": [True]}]}),
    ([{"enum": ["a", "b"]}, {"const": "a"}], {"const": "a"}),
    ([{"enum": ["b"]}, {"const": "a"}], {"enum": ["b"], "const": "a"}),
    ([{"const": "a"}, {"const": "b"}], {"const": "a", "allOf": [{"const": "b"}]}),
    ([{"type": "string"}, {"enum": ["a", None]}], {"type": "string", "enum": ["a"]}),
    ([{"enum": ["a", None]}, {"type": "string"}], {"enum": ["a"], "type": "string"}),
    ([{"type": "string"}, {"enum": [None]}], {"type": "string", "allOf": [False]}),
    ([{"enum": [None]}, {"type": "string"}], {"type": "string", "allOf": [False]}),
    ([{"not": {}}, {"not": {}}], {"not": {}, "allOf": [{"not": {}}]}),
    ([{"oneOf": [{}]}, {"anyOf": [{}]}], {"oneOf": [{}], "anyOf": [{}]}),
    ([{"anyOf": [{}]}, {"anyOf": [{}, {}]}], {"anyOf": [{}], "allOf": [{"anyOf": [{}, {}]}]}),
    (
        [{"oneOf": [{}], "discriminator": {"propertyName": "k"}}, {"oneOf": [True], "minimum": 1}],
        {
            "oneOf": [{}],
            "discriminator": {"propertyName": "k"},
            "minimum": 1,
            "allOf": [{"oneOf": [True]}],
        },
    ),
    (
        [{"if": {}, "then": {}}, {"if": {}, "else": {}}],
        {"if": {}, "then": {}, "allOf": [{"if": {}, "else": {}}]},
    ),
    (
        [{"contains": {}, "minContains": 2}, {"contains": {"minimum": 1}}],
        {"contains": {}, "minContains": 2, "allOf": [{"contains": {"minimum": 1}}]},
    ),
    (
        [{"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"a": ["c"], "d": []}}],
        {
            "dependentRequired": {"a": ["b"]},
            "allOf": [{"dependentRequired": {"a": ["c"], "d": []}}],
        },
    ),
    (
        [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}, {"$ref": "#/$defs/A"}],
        {"$ref": "#/$defs/A", "allOf": [{"$ref": "#/$defs/B"}]},
    ),
    (
        [{"properties": {"a": {"minimum": 1}}}, {"properties": {"b": True}}],
        {"properties": {"a": {"minimum": 1}, "b": True}},
    ),
    (
        [{"properties": {"a": {"minimum": 1}}}, {"properties": {"a": {"minimum": 1}}}],
        {"properties": {"a": {"minimum": 1}}},
    ),
    (
        [{"patternProperties": {"x": {}}}, {"patternProperties": {"x": False, "y": {}}}],
        {"patternProperties": {"x": False, "y": {}}},
    ),
    (
        [{"prefixItems": [{}, False], "items": {"minimum": 1}}, {"prefixItems": [True]}],
        {"prefixItems": [{}, False], "items": {"minimum": 1}},
    ),
    ([{"prefixItems": [{}]}, {"items": False}], {"prefixItems": [False], "items": False}),
]


CLOSED: list[tuple[list[dict[str, Any]], dict[str, Any]]] = [
    (
        [{"properties": {"a": {}}, "additionalProperties": False}, {"properties": {"b": {}}}],
        {"properties": {"a": {}}, "additionalProperties": False},
    ),
    (
        [{"properties": {"b": {}}}, {"properties": {"a": {}}, "additionalProperties": False}],
        {"properties": {"a": {}}, "additionalProperties": False},
    ),
    (
        [
            {"properties": {"a": {}, "b": {}}, "additionalProperties": False},
            {"properties": {"b": {}, "c": {}}, "additionalProperties": False},
        ],
        {"properties": {"b": {}}, "additionalProperties": False},
    ),
    (
        [{"properties": {"a": True}}, {"additionalProperties": {"type": "string"}}],
        {"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}},
    ),
    (
        [
            {"patternProperties": {"^x": {}}},
            {"properties": {"a": {}}, "additionalProperties": False},
        ],
        {
            "patternProperties": {"^x": {}},
            "allOf": [{"properties": {"a": {}}, "additionalProperties": False}],
        },
    ),
    (
        [
            {"patternProperties": {"^x": {}}, "additionalProperties": True},
            {"properties": {"a": {}}},
        ],
        {"patternProperties": {"^x": {}}, "additionalProperties": True, "properties": {"a": {}}},
    ),
]


@pytest.mark.parametrize(("parts", "whole"), [*MERGED, *CLOSED])
def test_schemas_that_all_apply_are_merged_into_one(
    parts: list[dict[str, Any]], whole: dict[str, Any]
):
    assert merged(*parts) == whole


def test_false_rejects_every_value_and_true_is_left_out():
    parts = (True, {"allOf": [False]})
    assert merged(*parts, type="object") == {"type": "object", "allOf": [False]}


def test_closed_objects_with_too_many_properties_are_not_merged():
    many = {"properties": {f"a{n}": {} for n in range(200)}, "additionalProperties": False}
    more = {"properties": {f"b{n}": {} for n in range(200)}, "additionalProperties": False}
    assert merged(many, more) == {**many, "allOf": [more]}


def test_annotations_of_a_definition_come_last():
    base = {"description": "base", "default": 1, "deprecated": True, "x-a": 2, "x-b": 3}
    inline = {"title": "inline", "description": "inline", "deprecated": False, "x-a": 1}
    assert merged(A, {"minimum": 1}, inline, own={"A": base}, title="own") == {
        "minimum": 1,
        "title": "own",
        "description": "inline",
        "deprecated": True,
        "x-a": 1,
        "default": 1,
        "x-b": 3,
    }


def test_the_title_and_examples_of_a_definition_are_not_merged():
    shown = {"title": "Base", "examples": [{}], "xml": {"name": "base"}}
    base = {**shown, "discriminator": {"propertyName": "kind"}, "type": "object"}
    assert merged(A, own={"A": base}, minProperties=1) == {"minProperties": 1, "type": "object"}
    union = {"oneOf": [{}], "discriminator": {"propertyName": "kind"}}
    assert merged(A, own={"A": union}, minProperties=1) == {"minProperties": 1, **union}


def test_a_discriminator_without_a_union_is_that_of_the_first():
    first, second = ({"discriminator": {"propertyName": name}} for name in "ab")
    assert merged(first, second) == first


def test_an_all_of_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_of, "MOST_WORK", 1_000)
    many = [f"p{index}" for index in range(100)]
    assert merged(*[{"required": many}] * 11) == {"required": many}
    with pytest.raises(SchemaError, match="too large"):
        merged(*[{"required": many}] * 12)


def test_a_reference_beside_only_a_type_stays():
    assert merged(A, own={"A": {"type": "object"}}, type="object") == {"type": "object", **A}


def test_a_reference_beside_other_constraints_is_replaced_by_its_definition():
    own = {"A": {"type": "object", "properties": {"a": {}}, "required": ["a"]}}
    assert merged(A, {"properties": {"b": {}}}, own=own, required=["b"]) == {
        "type": "object",
        "properties": {"a": {}, "b": {}},
        "required": ["b", "a"],
    }


def test_the_references_of_a_definition_are_merged_with_it():
    own = {
        "A": {"allOf": [B, C, {"maximum": 5}]},
        "B": {"allOf": [C], "minimum": 1},
        "C": {"type": "number"},
    }
    whole = {"minimum": 1, "type": "number", "maximum": 5, "multipleOf": 2}
    assert merged(A, {"multipleOf": 2}, own=own) == whole


def test_a_definition_that_cannot_be_merged_stays_a_reference():
    own = {"A": {"type": "object", "unevaluatedProperties": False}, "B": {"minProperties": 1}}
    missing = {"$ref": "#/$defs/missing"}
    assert merged(B, A, own=own) == {"minProperties": 1, **A}
    assert merged(A, missing, own=own) == {**A, "allOf": [missing]}


def test_beside_a_reference_of_its_own_references_stay():
    own = {"A": {"minimum": 1}, "B": {"maximum": 2}}
    assert merged(B, {"multipleOf": 2}, own=own, **A) == {**A, "multipleOf": 2, "allOf": [B]}


def test_a_branch_with_unevaluated_properties_is_not_merged():
    branch = {"properties": {"a": {}}, "unevaluatedProperties": False}
    assert merged(branch, {"minProperties": 1}) == {"minProperties": 1, "allOf": [branch]}
    assert merged({"properties": {"a": {}}}, unevaluatedProperties=False) == branch


def test_a_reference_of_a_schema_to_itself_is_left_out():
    own = {"A": {"allOf": [A, B]}, "B": {"allOf": [A], "minimum": 1}}
    assert normalize({"$defs": own, **A})["$defs"] == {"A": B, "B": {"minimum": 1}}
    assert merged(A, {"maximum": 2}, own=own) == {"minimum": 1, "maximum": 2}


def test_a_schema_that_only_refers_to_itself_is_an_error():
    own = {"A": {"allOf": [A, B]}, "B": {"allOf": [A, C]}, "C": A}
    for schema in ({"allOf": [A, B]}, A):
        with pytest.raises(SchemaError, match="a cycle: #/\\$defs/A"):
            normalize({**schema, "$defs": own})


def chain(length: int) -> dict[str, Any]:
    own: dict[str, Any] = {
        f"S{n}": {"allOf": [{"$ref": f"#/$defs/S{n + 1}"}, {"minLength": n}]} for n in range(length)
    }
    return {**own, f"S{length}": {"type": "string"}}


def test_a_schema_with_too_many_ancestors_keeps_references():
    first, more = {"$ref": "#/$defs/S0"}, {"maxLength": 99}
    assert merged(first, more, own=chain(MOST_INHERITED)) == {
        "minLength": MOST_INHERITED - 1,
        "type": "string",
        "maxLength": 99,
    }
    assert merged(first, more, own=chain(MOST_INHERITED + 1)) == {**first, **more}


def test_references_of_the_schema_itself_are_not_limited():
    own = {f"S{n}": {"minLength": n} for n in range(2_000)}
    assert merged(*({"$ref": f"#/$defs/{name}"} for name in own), own=own) == {"minLength": 1_999}


def test_schemas_that_all_refer_to_each_other_keep_references():
    names = [{"$ref": f"#/$defs/S{n}"} for n in range(300)]
    own = {f"S{n}": {"allOf": names, "minLength": n} for n in range(300)}
    assert merged(*names, {"maxLength": 9}, own=own) == {
        **names[0],
        "maxLength": 9,
        "allOf": names[1:],
    }


@pytest.mark.parametrize("reference", [[], {}, 5, None])
def test_a_reference_that_is_no_text_is_no_reference(reference: Any) -> None:
    cat = {"allOf": [{"$ref": "#/$defs/Pet"}, {"$ref": reference}], "minProperties": 1}
    pet = {"type": "object", "discriminator": {"propertyName": "kind", "mapping": {"c": "Cat"}}}
    merged = normalize({"$ref": "#/$defs/Cat", "$defs": {"Cat": cat, "Pet": pet}})
    assert merged["$defs"]["Cat"]["type"] == "object"


@pytest.mark.parametrize("mark", ["x-human", "x-samchon-human"])
@pytest.mark.parametrize("no", [False, 0, "no"])
@pytest.mark.parametrize("yes", [True, 1, "yes"])
def test_a_mark_wins_over_a_no_in_another_schema(mark: str, no: Any, yes: Any) -> None:
    for one, other in ((no, yes), (yes, no)):
        merged = normalize(
            {"allOf": [{"type": "string", mark: one}, {"minLength": 1, mark: other}]}
        )
        assert merged[mark] == yes
        beside = normalize({"allOf": [{"type": "string", mark: one}], mark: other})
        assert beside[mark] == yes


def test_a_no_beside_a_reference_wins_over_the_definition() -> None:
    definitions = {"A": {"type": "string", "x-human": True}}
    schema = {"allOf": [{"$ref": "#/$defs/A"}, {"maxLength": 9, "x-human": False}]}
    assert normalize({**schema, "$defs": definitions})["x-human"] is False


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"const": True}, {"type": "string", "enum": [None], "const": None}),
        (
            {"type": "string", "dependentRequired": {"a": []}},
            {"type": ["integer", "object"], "dependentRequired": {}},
        ),
    ],
    ids=["const null is a type", "types with keywords of one are branches"],
)
def test_what_is_left_is_merged_as_it_is_written_at_last(one: Any, other: Any) -> None:
    once = normalize({**one, "allOf": [other]})
    assert normalize(once) == once
    assert "allOf" not in once


def test_two_unions_that_are_left_both_stay() -> None:
    text = {"type": "string", "anyOf": [{"minLength": 1}], "dependentRequired": {"a": []}}
    other = {"type": ["integer", "object"], "anyOf": [{"minimum": 1}], "dependentRequired": {}}
    assert len(normalize({**text, "allOf": [other]})["allOf"]) == 2  # type: ignore[arg-type]
