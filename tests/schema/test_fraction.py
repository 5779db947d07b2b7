from collections.abc import Sequence

import pytest

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.fraction import has_textual_fraction
from pyfunctools.schema.places import Places

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
    return has_textual_fraction(Places(SCHEMA), schemas, value)


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
