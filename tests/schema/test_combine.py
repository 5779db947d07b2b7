from typing import Any

import pytest

from pyfunctools.errors import SchemaError
from pyfunctools.schema import normalize
from pyfunctools.schema.normalization import conjunction as combine
from pyfunctools.schema.normalization.conjunction import Conjunction, join
from pyfunctools.schema.normalization.inlining import Copied, Joined


def merged(*parts: dict[str, Any], referenced: dict[str, Any] | None = None) -> dict[str, Any]:
    whole = Conjunction()
    for part in parts:
        whole.add(part, False)
    if referenced is not None:
        whole.add(referenced, True)
    return whole.result()


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
        {"propertyNames": {"allOf": [{"minLength": 1}, {"maxLength": 2}]}},
    ),
    (
        [{"dependentSchemas": {"a": {}}}, {"dependentSchemas": {"a": False, "b": {}}}],
        {"dependentSchemas": {"a": False, "b": {}}},
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
    ([{"const": None}, {"title": "t"}], {"const": None, "title": "t"}),
    ([{"type": "string"}, {"enum": ["a", None]}], {"type": "string", "enum": ["a"]}),
    ([{"enum": ["a", None]}, {"type": "string"}], {"enum": ["a"], "type": "string"}),
    ([{"type": "string"}, {"enum": [None]}], {"type": "string", "allOf": [{"enum": [None]}]}),
    ([{"enum": [None]}, {"type": "string"}], {"enum": [None], "allOf": [{"type": "string"}]}),
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
        {"dependentRequired": {"a": ["b", "c"], "d": []}},
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


@pytest.mark.parametrize(("parts", "whole"), MERGED)
def test_schemas_that_all_hold_become_one(parts: list[dict[str, Any]], whole: dict[str, Any]):
    assert merged(*parts) == whole


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


@pytest.mark.parametrize(("parts", "whole"), CLOSED)
def test_a_closed_object_forbids_what_only_the_others_name(
    parts: list[dict[str, Any]], whole: dict[str, Any]
):
    assert merged(*parts) == whole


def test_of_two_closed_objects_that_name_too_much_neither_is_merged():
    many = {"properties": {f"a{n}": {} for n in range(200)}, "additionalProperties": False}
    more = {"properties": {f"b{n}": {} for n in range(200)}, "additionalProperties": False}
    assert merged(many, more) == {**many, "allOf": [more]}


def test_annotations_are_those_of_the_first_who_has_one():
    assert merged(
        {"title": "own"},
        {"title": "inline", "description": "inline", "deprecated": False, "x-a": 1},
        referenced={"description": "base", "default": 1, "deprecated": True, "x-a": 2, "x-b": 3},
    ) == {
        "title": "own",
        "description": "inline",
        "deprecated": True,
        "x-a": 1,
        "default": 1,
        "x-b": 3,
    }


def test_what_names_or_shows_a_definition_stays_with_it():
    base = {
        "title": "Base",
        "examples": [{}],
        "xml": {"name": "base"},
        "discriminator": {"propertyName": "kind"},
        "type": "object",
    }
    assert merged({"minProperties": 1}, referenced=base) == {"minProperties": 1, "type": "object"}


def test_a_discriminator_without_a_union_is_that_of_the_first():
    first, second = {"propertyName": "a"}, {"propertyName": "b"}
    assert merged({"discriminator": first}, {"discriminator": second}) == {"discriminator": first}


def test_a_discriminator_comes_with_its_union():
    union = {"oneOf": [{}], "discriminator": {"propertyName": "kind"}}
    assert merged({"type": "object"}, referenced=union) == {"type": "object", **union}


def test_what_comes_with_a_definition_is_marked():
    whole = merged(
        {"properties": {"a": {}}}, referenced={"properties": {"a": {"minimum": 1}, "b": {}}}
    )
    assert isinstance(whole["properties"]["b"], Copied)
    assert whole["properties"]["a"] == {"allOf": [{}, {"minimum": 1}]}
    assert isinstance(whole["properties"]["a"]["allOf"][1], Copied)


def test_a_schema_may_be_told_to_stay_apart():
    whole = Conjunction()
    whole.add({"type": "object"}, False)
    whole.leave(False)
    whole.leave({"unevaluatedProperties": False})
    whole.leave(False)
    assert whole.result() == {"type": "object", "allOf": [False, {"unevaluatedProperties": False}]}


def test_joining_changes_neither_and_does_not_nest():
    one, two, three = {"minimum": 1}, {"maximum": 2}, {"multipleOf": 3}
    first = join(one, two)
    assert join(first, three) == {"allOf": [one, two, three]}
    assert first == {"allOf": [one, two]}
    assert isinstance(first, Joined)
    assert join(True, one) is one
    assert join(one, True) is one
    assert join(one, False) is False
    assert join(False, one) is False
    assert join(one, {"minimum": 1.0}) is one


def test_what_would_be_merged_for_minutes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combine, "MOST_WORK", 1_000)
    many = [f"p{index}" for index in range(100)]
    assert merged(*[{"required": many}] * 11) == {"required": many}
    with pytest.raises(SchemaError, match="holds too much"):
        merged(*[{"required": many}] * 12)


@pytest.mark.parametrize("mark", ["x-human", "x-samchon-human"])
@pytest.mark.parametrize("no", [False, 0, "no"])
@pytest.mark.parametrize("yes", [True, 1, "yes"])
def test_among_schemas_that_hold_together_a_mark_wins_over_one_that_says_no(
    mark: str, no: Any, yes: Any
) -> None:
    for one, other in ((no, yes), (yes, no)):
        merged = normalize(
            {"allOf": [{"type": "string", mark: one}, {"minLength": 1, mark: other}]}
        )
        assert merged[mark] == yes
        beside = normalize({"allOf": [{"type": "string", mark: one}], mark: other})
        assert beside[mark] == yes


def test_a_no_beside_a_reference_is_said_of_this_place() -> None:
    definitions = {"A": {"type": "string", "x-human": True}}
    schema = {"allOf": [{"$ref": "#/$defs/A"}, {"maxLength": 9, "x-human": False}]}
    assert normalize({**schema, "$defs": definitions})["x-human"] is False
