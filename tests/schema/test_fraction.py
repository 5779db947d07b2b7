from collections.abc import Sequence

import pytest

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.outline.floats import Fractions

SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {
        "price": {"type": "string"},
        "weight": {"type": "number"},
        "either": {"type": ["string", "number"]},
        "sizes": {"type": "array", "items": {"$ref": "#/$defs/size"}},
        "pair": {"prefixItems": [{"type": "number"}, {"type": "string"}], "items": {}},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "additionalProperties": {"type": "object", "additionalProperties": {"enum": ["a", "b"]}},
    "$defs": {"size": {"type": "string"}},
}


def textual(value: JsonValue, schemas: Sequence[JsonSchema] = (SCHEMA,)) -> bool:
    return Fractions(SCHEMA, schemas).has_textual(value)


@pytest.mark.parametrize(
    "value",
    [
        {"price": 1.1},
        {"sizes": ["a", 1, 2.5]},
        {"pair": [1.5, 1.5]},
        {"note": 1.5},
        {"k": {"x": 0.5}},
        {"weight": 1.5, "k": {}, "price": 1.0},
    ],
)
def test_a_float_where_only_a_string_is_wanted_is_found(value: JsonValue):
    assert textual(value)


@pytest.mark.parametrize(
    "value",
    [
        {"price": 1, "sizes": [1]},
        {"weight": 1.5, "either": 1.5},
        {"pair": [1.5, "x", 1.5]},
        {"k": 1.5},
        {"sizes": 1.5},
        [1.5],
        1.5,
        "x",
    ],
)
def test_all_others_are_left_alone(value: JsonValue):
    assert not textual(value)


def test_the_value_itself_may_be_one():
    assert textual(1.5, [{"type": "string"}])
    assert not textual(1.5, [{}])


COUNTS: JsonSchema = {
    "properties": {
        "n": {"type": "integer"},
        "x": {"type": "number"},
        "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "any": {"type": ["integer", "number"]},
        "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
    },
    "patternProperties": {"^n_": {"type": "integer"}},
    "additionalProperties": {"items": {"type": "integer"}},
    "$defs": {"row": {"oneOf": [{"properties": {"n": {"type": "integer"}}}, {"type": "string"}]}},
}


def test_a_whole_number_that_stands_as_a_float_is_found_where_an_integer_may_be_wanted():
    fractions = Fractions(COUNTS)
    for value in ({"n": 42.0}, {"maybe": 0.0}, {"rows": [{"n": 1}, {"n": 1.0}]}, {"n_a": 1.0}):
        assert fractions.has_whole(value), value
    for value in ({"n": 42}, {"n": 1.5}, {"x": 42.0}, {"any": 42.0}, {"rows": [{"m": 1.0}]}, 42.0):
        assert not fractions.has_whole(value), value
    assert fractions.has_whole({"other": [1.0]})
    assert fractions.has_whole({"another": [1, 2.0]})
    assert not fractions.has_whole({"other": 1.0})


def test_a_value_that_holds_itself_comes_to_an_end():
    schema: JsonSchema = {"additionalProperties": {"$ref": "#"}}
    ring: dict[str, JsonValue] = {}
    ring |= {"n": ring, "m": ring, "x": 1.5}
    assert not Fractions(schema).has_whole(ring)
    assert not Fractions(schema).has_textual(ring)
