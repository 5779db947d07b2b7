from enum import IntEnum
from time import perf_counter

import pytest

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.outline.shape import (
    ALL_TYPES,
    Shape,
    ShapeReader,
    constant_of,
    listed_values,
    loosely,
    schemas_of,
    type_of,
    types_of,
)


class Level(IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (True, "boolean"),
        (1, "integer"),
        (1.0, "integer"),
        (Level.HIGH, "integer"),
        (1.5, "number"),
        (float("nan"), "number"),
        (float("inf"), "number"),
        ("", "string"),
        ([], "array"),
        ((), "array"),
        ({}, "object"),
        (None, "null"),
        (b"", "bytes"),
    ],
)
def test_a_value_has_the_type_that_json_schema_calls_it(value: JsonValue, name: str):
    assert type_of(value) == name


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": "string"}, {"string"}),
        ({"type": "number"}, {"number", "integer"}),
        ({"type": ["null", "array"]}, {"null", "array"}),
        ({"const": 1}, {"integer"}),
        ({"enum": ["a", None]}, {"string", "null"}),
        ({"required": ["a"]}, {"object"}),
        ({"properties": {}}, {"object"}),
        ({"prefixItems": []}, {"array"}),
        ({"minimum": 1}, ALL_TYPES),
        ({}, ALL_TYPES),
    ],
)
def test_a_schema_says_which_types_it_wants(schema: JsonSchema, types: set[str]):
    assert types_of(schema) == types


def test_constants_are_equal_as_json_schema_has_it():
    assert constant_of(1) == constant_of(1.0)
    assert constant_of(1) != constant_of(True)
    assert constant_of(0) != constant_of(False)
    assert constant_of("1") != constant_of(1)
    assert constant_of([1]) is None
    assert constant_of({}) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [("Cat", " cat "), ("'cat'", "cat"), ("1", 1), (1.0, "1"), ("TRUE", True), ("Null", None)],
)
def test_constants_that_differ_only_in_spelling_are_alike(one: JsonValue, other: JsonValue):
    keys = constant_of(one), constant_of(other)
    assert keys[0] is not None
    assert keys[1] is not None
    assert loosely(keys[0]) == loosely(keys[1])


def test_a_constant_of_any_size_can_be_spelled():
    assert loosely(("number", 10**5000)) != loosely(("number", -(10**5000)))
    assert loosely(("number", 1.5)) == "1.5"
    assert loosely(("number", 1e300)).isdigit()


def test_listed_values_are_those_of_const_or_enum():
    assert listed_values({"const": None}) == [None]
    assert listed_values({"enum": [1, 2]}) == [1, 2]
    assert listed_values({"type": "string"}) is None


def test_only_what_can_be_a_schema_is_one():
    assert schemas_of([{}, True, "x", 1]) == [{}, True]
    assert schemas_of({"a": {}}) == []


def shapes(schema: JsonSchema, root: JsonSchema | None = None) -> list[Shape]:
    return ShapeReader(root if root is not None else schema).shapes(schema)


def test_a_shape_is_what_can_be_told_of_an_object_at_a_glance():
    schema: JsonSchema = {
        "type": "object",
        "properties": {
            "kind": {"enum": ["a", "b"]},
            "size": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "name": {"$ref": "#/$defs/Name"},
            "rest": True,
        },
        "required": ["kind", "name"],
        "additionalProperties": False,
        "$defs": {"Name": {"type": "string"}},
    }
    (shape,) = shapes(schema)
    assert shape.types == {"object"}
    assert list(shape.constants["kind"]) == [("string", "a"), ("string", "b")]
    assert shape.declared == {
        "kind": {"string"},
        "size": {"integer", "null"},
        "name": {"string"},
        "rest": ALL_TYPES,
    }
    assert shape.required == {"kind", "name"}
    assert not shape.others


def test_a_union_has_the_shapes_of_its_branches_with_what_stands_beside_it():
    both: JsonSchema = {
        "required": ["id"],
        "allOf": [{"properties": {"id": {"const": 1}}}],
        "oneOf": [{"required": ["a"]}, {"type": "object", "required": ["b"]}, False],
    }
    assert [shape.required for shape in shapes(both)] == [{"id", "a"}, {"id", "b"}]
    assert all(shape.constants == {"id": {("number", 1): None}} for shape in shapes(both))


def test_branches_that_contradict_each_other_have_no_shape():
    assert shapes({"allOf": [{"type": "string"}, {"type": "integer"}]}) == []


def test_a_map_takes_any_property():
    assert shapes({"additionalProperties": {"type": "integer"}})[0].others
    assert shapes({"patternProperties": {"^a": {}}})[0].others
    assert not shapes({"properties": {"a": {}}})[0].others


def test_recursion_and_doubling_come_to_an_end():
    loop: JsonSchema = {"$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}] * 50}}}
    wide: JsonSchema = {"allOf": [{"oneOf": [{"required": [f"{n}"]} for n in range(50)]}] * 50}
    start = perf_counter()
    assert shapes({"$ref": "#/$defs/A"}, loop)
    assert shapes(wide)
    assert perf_counter() - start < 5
