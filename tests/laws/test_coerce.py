import copy
import json
from pathlib import Path

import jsonschema_rs
import pytest
from clock import at_most
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from stacks import on_stack

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.coercion.coerce import coerce, coerced
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.schema.parsing.strict import has_whole_float
from pyfunctools.schema.result import Success

INTEGER: JsonSchema = {"type": "integer"}
NUMBER: JsonSchema = {"type": "number"}
BOOLEAN: JsonSchema = {"type": "boolean"}
STRING: JsonSchema = {"type": "string"}
NULL: JsonSchema = {"type": "null"}


def array(items: JsonSchema | bool = True) -> JsonSchema:
    return {"type": "array", "items": items}


def thing(**properties: JsonValue) -> JsonSchema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def any_of(*branches: JsonSchema | bool) -> JsonSchema:
    return {"anyOf": list(branches)}


TEXTS = (
    "",
    "a",
    "A",
    " a ",
    "5",
    "5.0",
    "1e3",
    "true",
    "Yes",
    "null",
    "[1]",
    '{"a": "1"}',
    '["x"]',
)
SCALARS = st.sampled_from(
    [
        None,
        True,
        0,
        5,
        0.5,
        42.0,
        -0.0,
        1e300,
        *TEXTS,
        '"[1]"',
        "red",
        "RED",
        '{"input": {"a": "1"}}',
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "arguments", "input"]), inner, max_size=3)
    ),
    max_leaves=8,
)
TYPES: list[JsonSchema] = [INTEGER, NUMBER, BOOLEAN, STRING, NULL, {"type": ["string", "array"]}]
LISTS: list[JsonSchema] = [
    {"enum": values} for values in (["a", "b"], ["red", "RED"], [1, 2, "5"], [None, True])
]
REFERENCES: list[JsonSchema] = [{"$ref": r} for r in ("#/$defs/D", "#/$defs/E", "#")]
LEAVES = st.sampled_from(
    [
        *TYPES,
        *LISTS,
        *REFERENCES,
        {"type": "object"},
        {"const": 5},
        {"const": {"a": 1}},
        {},
        True,
        False,
    ]
)


def composed(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    names = st.dictionaries(st.sampled_from(["a", "b", "input"]), inner, max_size=3)
    some = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.builds(array, inner),
        st.builds(lambda *front: {"prefixItems": list(front)}, inner, inner),
        st.builds(lambda p, r, c: {"type": "object", "properties": p, "required": r} | c, names,
            st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True),
            st.one_of(st.just({}), st.builds(lambda s: {"additionalProperties": s}, inner))),
        st.builds(lambda b: {"anyOf": b}, some),
        st.builds(lambda b: {"oneOf": b}, some),
        st.builds(lambda b: {"allOf": b}, some),
        st.builds(lambda s: {"patternProperties": {"^a": s}}, inner),
        st.builds(lambda p, s: {"properties": p, "anyOf": [s, NULL]}, names, inner),
    )  # fmt: skip


def rooted(schema: JsonValue, one: JsonValue, other: JsonValue) -> JsonValue:
    return {**schema, "$defs": {"D": one, "E": other}} if isinstance(schema, dict) else schema


def is_schema(schema: JsonSchema) -> bool:
    try:
        normalize(schema)
    except SchemaError:
        return False
    return True


SCHEMAS = st.builds(
    rooted,
    st.recursive(LEAVES, composed, max_leaves=8),
    st.recursive(LEAVES, composed, max_leaves=4),
    st.recursive(LEAVES, composed, max_leaves=3),
).filter(is_schema)


@law(500)
@given(SCHEMAS, VALUES)
def test_coerce_is_idempotent_and_changes_no_argument(schema: JsonSchema, value: JsonValue):
    before = copy.deepcopy((schema, value))
    result = coerce(schema, value)
    assert repr((schema, value)) == repr(before)
    if not result.repairs:
        assert result.value is value
    again = coerce(schema, result.value)
    assert again.value is result.value
    assert again.repairs == ()


@law(500)
@given(SCHEMAS, VALUES)
def test_valid_values_stay_unchanged_except_whole_floats(schema: JsonSchema, value: JsonValue):
    try:
        validator = jsonschema_rs.Draft202012Validator(schema)
    except (ValueError, jsonschema_rs.ReferencingError):
        return
    if validator.is_valid(value):
        result = coerce(schema, value)
        assert {repair.kind for repair in result.repairs} <= {"integer"}
        assert validator.is_valid(result.value)
        if not Outline(normalize(schema)).place.misplaced_floats(value)[0]:
            assert result.value is value


@law(500)
@given(SCHEMAS, VALUES)
def test_a_value_without_whole_floats_is_repaired_as_any_other(
    schema: JsonSchema, value: JsonValue
):
    if not has_whole_float(value):
        outline = Outline(schema)
        assert repr(coerced(outline, value, floats=False)) == repr(coerced(outline, value))


def test_valid_values_of_the_official_suite_stay_unchanged(shared: Path):
    count = 0
    for file in sorted((shared / "suite" / "tests").rglob("*.json")):
        for group in json.loads(file.read_text()):
            try:
                outline = Outline(normalize(group["schema"]))
            except SchemaError:  # a dynamic reference
                continue
            for test in group["tests"]:
                result = coerced(outline, test["data"])
                count += 1
                if test["valid"]:
                    assert {r.kind for r in result.repairs} <= {"integer"}, (group, test)
    assert count > 2000


HOSTILE: list[JsonSchema] = [
    {"$ref": "#/$defs/A", "$defs": {"A": any_of(INTEGER, array({"$ref": "#/$defs/A"}),
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/A"}})}},
    {"$ref": "#/$defs/N", "$defs": {"N": any_of(*(thing(n={"$ref": "#/$defs/N"}, a=leaf)
        for leaf in (INTEGER, BOOLEAN, NULL)))}},
    {"$ref": "#/$defs/L", "$defs": {"L": {"allOf": [{"$ref": "#/$defs/L"}, {"$ref": "#"}]}}},
    {"$ref": "#/$defs/U", "$defs": {"U": any_of({"$ref": "#/$defs/U"}, {"$ref": "#"}, array())}},
    {"$ref": "#/$defs/W", "$defs": {"W": array({"$ref": "#/$defs/W"})}},
    array(array(INTEGER)),
    {"type": {"a": 1}},
    {"type": [["integer"]]},
    {"properties": 5, "required": [["a"], 7], "enum": 3, "items": 4, "anyOf": {}, "allOf": [1]},
    {"patternProperties": {"(": INTEGER, "^(a+)+$": INTEGER}},
    {"$ref": 5},
    {"$ref": "https://example.com/schema"},
]  # fmt: skip


def nested(depth: int, leaf: JsonValue, key: str = "") -> JsonValue:
    for _ in range(depth):
        leaf = {key: leaf} if key else [leaf]
    return leaf


def hostile_values() -> list[JsonValue]:
    circle: list[JsonValue] = []
    circle += [circle, circle]
    ring: dict[str, JsonValue] = {}
    ring |= {"n": ring, "m": ring}
    encoded = '[1,"2"]'
    for _ in range(12):
        encoded = json.dumps(encoded)
    odd: list[object] = [
        b"x",
        (1, 2),
        {1: 2},
        {None: 1},
        object(),
        {1, 2},
        "\ud800",
        {"\ud800": "1"},
    ]
    return [
        *odd,  # pyright: ignore[reportReturnType]
        circle,
        ring,
        encoded,
        *(nested(depth, "5") for depth in (60, 63, 64, 65, 100_000)),
        *(nested(depth, {"a": "5x"}, "n") for depth in (60, 64)),
        {"k": ["1"] * 2000},
        {"a" * 50 + "!": "5"},
        "9" * 5000,
        "[" * 100_000,
        '"' * 1000,
        10**5000,
        float("nan"),
        float("inf"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("schema", HOSTILE)
def test_hostile_schemas_and_values_raise_nothing_even_with_a_small_stack(
    schema: JsonSchema,
):
    def coerced() -> list[object]:
        return [coerce(schema, value) for value in hostile_values()]

    with at_most(10):
        assert all(isinstance(result, Success) for result in (*coerced(), *on_stack(coerced)))


def test_a_value_nested_too_deeply_is_returned_unchanged():
    schema: JsonSchema = {"$ref": "#/$defs/A", "$defs": {"A": HOSTILE[0]["$defs"]["A"]}}  # pyright: ignore
    right = nested(64, "5")
    assert coerce(schema, right).value == nested(64, 5)
    deep = nested(65, "5")
    assert coerce(schema, deep).value is deep


def test_many_repairs_below_a_long_name_need_little_memory():
    schema: JsonSchema = {"additionalProperties": array(INTEGER)}
    value: JsonValue = {"k" * 500_000: ["1"] * 1000}
    result = coerce(schema, value)
    assert result.value is value
    assert result.repairs == ()
