"""Compares `validate` with jsonschema-rs and jsonschema, which share no code.

Three things differ by design, and are left out: `NaN` (no JSON here, a number there), decimal
`multipleOf` (exact here and in jsonschema-rs, of floats in jsonschema), and regular expressions
(ECMA 262 here, Python's own there).
"""

import json

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import law

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema import validate

PER_SCHEMA = 8

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-12, 12),
    st.sampled_from([0.0, -0.0, 1.0, 2.5, 1e300, 10**30]),
    st.text(max_size=4),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)
SMALL = st.integers(0, 4)
LEAVES: list[st.SearchStrategy[JsonValue]] = [
    st.booleans(),
    st.just({}),
    st.builds(lambda t: {"type": t}, st.sampled_from(
        ["null", "boolean", "integer", "number", "string", "array", "object"])),
    st.builds(lambda t: {"type": t}, st.lists(st.sampled_from(
        ["null", "integer", "string", "object"]), min_size=1, max_size=3, unique=True)),
    st.builds(lambda v: {"enum": v}, st.lists(JSON, min_size=1, max_size=3)),
    st.builds(lambda v: {"const": v}, JSON),
    st.builds(lambda a, b: {"minimum": a, "exclusiveMaximum": b}, SMALL, st.integers(3, 12)),
    st.builds(lambda n: {"type": "integer", "multipleOf": n}, st.integers(1, 5)),
    st.builds(lambda a, b: {"type": "string", "minLength": a, "maxLength": b}, SMALL, SMALL),
    st.builds(lambda a, b: {"minItems": a, "maxItems": b, "uniqueItems": True}, SMALL, SMALL),
    st.builds(lambda a, b: {"minProperties": a, "maxProperties": b}, SMALL, SMALL),
    st.builds(lambda n: {"required": n}, st.lists(NAMES, max_size=2, unique=True)),
    st.builds(lambda a, b: {"dependentRequired": {a: [b]}}, NAMES, NAMES),
]  # fmt: skip


def composed(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=3)
    return st.one_of(
        st.builds(lambda s: {"type": "array", "items": s}, inner),
        st.builds(lambda p, s: {"prefixItems": p, "items": s}, some, inner),
        st.builds(lambda s, n: {"contains": s, "minContains": n}, inner, SMALL),
        st.builds(lambda p, r: {"type": "object", "properties": p, "required": r}, named,
            st.lists(NAMES, max_size=2, unique=True)),
        st.builds(lambda p, s: {"properties": p, "additionalProperties": s}, named, inner),
        st.builds(lambda p, s: {"allOf": [{"properties": p}], "unevaluatedProperties": s},
            named, inner),
        st.builds(lambda p, s: {"anyOf": [{"prefixItems": p}, True], "unevaluatedItems": s},
            some, inner),
        st.builds(lambda s: {"propertyNames": s}, inner),
        st.builds(lambda k, b: {k: b}, st.sampled_from(["anyOf", "oneOf", "allOf"]), some),
        st.builds(lambda s: {"not": s}, inner),
        st.builds(lambda a, b, c: {"if": a, "then": b, "else": c}, inner, inner, inner),
        st.builds(lambda n, s: {"dependentSchemas": {n: s}}, NAMES, inner),
        st.builds(lambda s: {"$ref": "#/$defs/D", "$defs": {"D": s}}, inner).map(_inlined),
    )  # fmt: skip


def _inlined(schema: JsonValue) -> JsonValue:
    # Definitions are found from the root, but this schema may be anywhere.
    return {"allOf": [schema["$defs"]["D"]]} if isinstance(schema, dict) else schema


SCHEMAS = st.recursive(st.one_of(LEAVES), composed, max_leaves=6)


TYPED: dict[str, st.SearchStrategy[JsonValue]] = {
    "null": st.none(),
    "boolean": st.booleans(),
    "integer": st.integers(-3, 12) | st.sampled_from([1.0, 10**30]),
    "number": st.integers(-3, 12) | st.sampled_from([-0.0, 2.5, 1e300]),
    "string": st.text(max_size=4),
    "array": st.lists(JSON, max_size=4),
    "object": st.dictionaries(NAMES, JSON, max_size=3),
}


def similar_values(schema: JsonValue) -> st.SearchStrategy[JsonValue]:
    """Return values, many of them valid; hypothesis-jsonschema does not support our hypothesis."""
    if not isinstance(schema, dict):
        return JSON
    found: list[st.SearchStrategy[JsonValue]] = [JSON]
    if "const" in schema:
        found.append(st.just(schema["const"]))
    found += [st.just(value) for value in schema.get("enum", [])]
    types = schema.get("type", [])
    found += [TYPED[name] for name in ([types] if isinstance(types, str) else types)]
    for keyword in ("allOf", "anyOf", "oneOf"):
        found += [similar_values(inner) for inner in schema.get(keyword, [])]
    found += [
        similar_values(schema[keyword]) for keyword in ("if", "then", "else") if keyword in schema
    ]
    if "items" in schema or "prefixItems" in schema:
        front = [similar_values(inner) for inner in schema.get("prefixItems", [])]
        rest = st.lists(similar_values(schema.get("items", True)), max_size=3)
        found.append(st.builds(lambda front, rest: [*front, *rest], st.tuples(*front), rest))
    if "properties" in schema:
        members = {name: similar_values(inner) for name, inner in schema["properties"].items()}
        needed = {name: members[name] for name in schema.get("required", []) if name in members}
        rest = {name: value for name, value in members.items() if name not in needed}
        found.append(st.fixed_dictionaries(needed, optional=rest))
    return st.one_of(found)


@pytest.mark.slow
@law(375)
@given(st.data())
def test_values_are_valid_as_for_two_other_validators(data: st.DataObject) -> None:
    schema: JsonSchema | bool = data.draw(SCHEMAS)
    values = data.draw(st.lists(similar_values(schema), min_size=PER_SCHEMA, max_size=PER_SCHEMA))
    fast = jsonschema_rs.Draft202012Validator(schema)
    plain = jsonschema.Draft202012Validator(schema)
    for value in values:
        result = validate(schema, value, formats=False)
        assert bool(result) is fast.is_valid(value), (schema, value)
        # The second one divides floats: a multiple of 3 as large as 1e300 is one by chance.
        if "multipleOf" not in json.dumps(schema) or "e+" not in json.dumps(value):
            assert bool(result) is plain.is_valid(value), (schema, value)
        assert result or result.issues
