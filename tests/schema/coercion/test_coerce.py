import copy
import json
from pathlib import Path

import jsonschema_rs
import pytest
from schemas import BOOLEAN, INTEGER, NULL, NUMBER, STRING, any_of, array, thing

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.coercion.coerce import coerce, coerced
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.schema.result import Success

X = thing(x=INTEGER)


def exactly(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def test_the_vectors(vectors: Path):
    for vector in json.loads((vectors / "coerce.json").read_text()):
        given_value = copy.deepcopy(vector["value"])
        result = coerce(vector["schema"], vector["value"])
        assert exactly(result.value) == exactly(vector["out"]), vector
        assert bool(result.repairs) == vector["repaired"], vector
        assert vector["value"] == given_value
        if not vector["repaired"]:
            assert result.value is vector["value"]


@pytest.mark.parametrize(
    ("schema", "value", "out"),
    [
        (INTEGER, " 42 ", 42),
        (INTEGER, "42.00", 42),
        (INTEGER, 1e20, 10**20),
        (NUMBER, "1e3", 1000.0),
        (NUMBER, "42", 42),
        (NUMBER, "42.0", 42.0),
        (NUMBER, " +.5 ", 0.5),
        (BOOLEAN, " YES", True),
        (BOOLEAN, "Off", False),
        (NULL, "NULL", None),
        (STRING, -7, "-7"),
        ({"type": ["integer", "null"]}, "null", None),
        ({"type": ["boolean", "integer"]}, "1", 1),
        ({"type": ["string", "null"]}, 5, "5"),
        ({"enum": [1.5, True]}, "1.5", 1.5),
        ({"enum": [1.5, True]}, "on", True),
        ({"enum": [None, "a"]}, "null", None),
        ({"type": "string", "enum": ["celsius"]}, "Celsius", "celsius"),
        ({"const": "X"}, "x", "X"),
        ({"const": {"a": [1]}}, '{"a": [1]}', {"a": [1]}),
        ({"enum": ["1", "2"]}, 1, "1"),
        ({"enum": ["red", "green"]}, " Red", "red"),
        ({"enum": ["red", "Red"]}, "red ", "red"),
        ({"enum": ["straße"]}, "STRASSE", "straße"),
    ],
)
def test_a_scalar_in_the_wrong_spelling(schema: JsonSchema, value: JsonValue, out: JsonValue):
    result = coerce(schema, value)
    assert exactly(result.value) == exactly(out)
    assert len(result.repairs) == 1


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        *((INTEGER, text) for text in ("0x10", "42.", "1,000", "4.2e1", "--1", "9" * 4301, "NaN")),
        *((INTEGER, value) for value in (None, True, 4.5, [42], {"a": 42}, b"42", (42,))),
        *((NUMBER, text) for text in ("NaN", "Infinity", "1e999", "007", "1_000", "3,5", "1e")),
        *((BOOLEAN, value) for value in ("y", "t", "0", "1", "", 0, 1, None)),
        *((STRING, value) for value in (4.5, 42.0, True, None, ["a"], {"a": 1})),
        *((NULL, value) for value in ("", "nil", "None", 0, False)),
        (any_of(STRING, NULL), "null"),
        (any_of(INTEGER, STRING), "5"),
        ({"enum": ["Red", "red"]}, "RED"),
        ({"enum": [1, 2]}, "3"),
        ({"type": "integer", "enum": [1, 2]}, "3"),
        (array(INTEGER), "1,2"),
        (array(INTEGER), "x"),
        (array(INTEGER), None),
        (array(STRING), ""),
        ({**array(INTEGER), "minItems": 2}, 7),
        (array(INTEGER), {}),
        *((X, text) for text in ("", "x", "42", '"x"', "{", "{x}", "{x: 1} {", '"\ud800"', "a {")),
        *((X, text) for text in ('Here: {"x": 1}', '{"x": 1', '[1]{"x": 1}')),
        (array(INTEGER), "[1] see"),
        (array(INTEGER), "[1, 2"),
        (X, [{"x": 1}]),
        (X, None),
        (thing("x", x=STRING), {"x": None}),
        (thing(x={}), {"x": None}),
        (True, "5"),
        (False, "5"),
        ({}, "5"),
    ],
)
def test_an_uncertain_meaning_changes_nothing(schema: JsonSchema | bool, value: JsonValue):
    result = coerce(schema, value)
    assert result.value is value
    assert result.repairs == ()


@pytest.mark.parametrize(
    ("schema", "value", "out"),
    [
        (array(INTEGER), "[1, '2',]", [1, 2]),
        (array(INTEGER), 7, [7]),
        (array(INTEGER), "7", [7]),
        (array(array(INTEGER)), 7, [[7]]),
        (array(array(INTEGER)), ["[1]", 2], [[1], [2]]),
        (array(STRING), '["a","b"]', ["a", "b"]),
        (array(STRING), "[draft] title", ["[draft] title"]),
        (array(STRING), "[", ["["]),
        (array(STRING), 7, ["7"]),
        (array(X), {"x": "1"}, [{"x": 1}]),
        (array(X), '{"x": "1"}', [{"x": 1}]),
        (array(), {"a": 1}, [{"a": 1}]),
        (array(INTEGER), ["1", "x", 2.0], [1, "x", 2]),
        (X, "{x: 1}", {"x": 1}),
        (X, '```json\n{"x": "1"}\n```', {"x": 1}),
        (X, json.dumps(json.dumps(json.dumps({"x": "1"}))), {"x": 1}),
        (thing(x=STRING), '{"x": 1.10}', {"x": "1.10"}),
        (thing(x=array(X)), {"x": '[{"x": "a"}, {"x": "2"}]'}, {"x": [{"x": "a"}, {"x": 2}]}),
        ({"type": "array", "prefixItems": [INTEGER], "items": STRING}, ["1", 2, 3], [1, "2", "3"]),
        ({"type": "array", "items": [INTEGER, STRING]}, ["1", 2], [1, "2"]),
        ({"additionalProperties": array(BOOLEAN)}, {"k": "yes"}, {"k": [True]}),
        ({"patternProperties": {"^n_": INTEGER}}, {"n_a": "1", "b": "1"}, {"n_a": 1, "b": "1"}),
        ({"allOf": [thing(closed=False, a=INTEGER), thing(closed=False, b=BOOLEAN)]},
         {"a": "1", "b": "no"}, {"a": 1, "b": False}),
        (thing(x=INTEGER), {"x": "1", "extra": "2"}, {"x": 1, "extra": "2"}),
        (thing(x=array(INTEGER), y=INTEGER), {"x": None, "y": 1}, {"y": 1}),
    ],
)  # fmt: skip
def test_objects_and_arrays_at_any_depth(schema: JsonSchema, value: JsonValue, out: JsonValue):
    result = coerce(schema, value)
    assert exactly(result.value) == exactly(out)
    assert result.repairs


@pytest.mark.parametrize(
    ("schema", "value", "out"),
    [
        (X, {"arguments": {"x": "1"}}, {"x": 1}),
        (X, {"input": '{"x": 1}'}, {"x": 1}),
        (X, {"input": {"params": {"x": 1}}}, {"x": 1}),
        (X, {"kwargs": {}}, {}),
        (thing("x", closed=False, x=INTEGER), {"args": {"x": 1}}, {"x": 1}),
        (array(X), [{"parameters": {"x": 1}}], [{"x": 1}]),
    ],
)
def test_an_object_in_one_key_is_unwrapped(schema: JsonSchema, value: JsonValue, out: JsonValue):
    assert exactly(coerce(schema, value).value) == exactly(out)
    assert any(repair.kind == "unwrapped" for repair in coerce(schema, value).repairs)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (thing(closed=False, x=INTEGER), {"arguments": {"x": 1}}),
        (thing(input=X), {"input": {"x": 1}}),
        (thing("y", input=X, y=INTEGER), {"input": {"y": 1}}),
        (X, {"arguments": {"y": 1}}),
        (X, {"arguments": {"x": 1}, "name": "f"}),
        (X, {"other": {"x": 1}}),
        (X, {"arguments": [1]}),
    ],
)
def test_it_is_unwrapped_only_if_only_that_fits(schema: JsonSchema, value: JsonValue):
    assert coerce(schema, value).value is value


CAT = thing("kind lives", kind={"const": "cat"}, lives=INTEGER)
DOG = thing("kind age", kind={"const": "dog"}, age=NUMBER)


@pytest.mark.parametrize(
    ("schema", "value", "out"),
    [
        (any_of(CAT, DOG), {"kind": "dog", "age": "1.5"}, {"kind": "dog", "age": 1.5}),
        (any_of(CAT, DOG), {"kind": "Cat ", "lives": "9"}, {"kind": "cat", "lives": 9}),
        (any_of(CAT, NULL), '{"kind": "cat", "lives": 9}', {"kind": "cat", "lives": 9}),
        (any_of(thing("a", a=INTEGER), thing("b", b=INTEGER)), {"b": "2"}, {"b": 2}),
        (any_of(thing(a=INTEGER), thing(a=BOOLEAN)), {"a": "1"}, {"a": 1}),
        (any_of(thing(a=INTEGER), thing(a=BOOLEAN)), {"a": "on"}, {"a": True}),
        (any_of(INTEGER, array(STRING)), "x", ["x"]),
        (any_of(array(STRING), NULL), "null", None),
        (any_of({"enum": ["all"]}, array(STRING)), "some", ["some"]),
        (any_of({"enum": ["all"]}, array(STRING)), "ALL", "all"),
        (any_of(STRING, array(INTEGER)), 5, [5]),
        (any_of(INTEGER, STRING), 42.0, 42),
        (any_of(INTEGER, BOOLEAN), "5", 5),
        (any_of(thing(a=INTEGER), array(thing(a=INTEGER))), {"a": "1"}, {"a": 1}),
    ],
)
def test_the_branch_that_was_meant_is_followed(
    schema: JsonSchema, value: JsonValue, out: JsonValue
):
    for keyword in ("anyOf", "oneOf"):
        result = coerce({keyword: schema["anyOf"]}, value)
        assert exactly(result.value) == exactly(out)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (any_of(thing(a=INTEGER), thing(a={"const": "5", "type": "string"})), {"a": "5"}),
        (any_of(INTEGER, thing("a", closed=False, a=STRING), array()), {"b": 1}),
        (any_of(CAT, DOG), {"kind": "cow", "lives": "9"}),
    ],
)
def test_a_union_in_which_the_value_fits_or_nothing_does_changes_nothing(
    schema: JsonSchema, value: JsonValue
):
    assert coerce(schema, value).value is value


def test_an_integer_that_python_does_not_write_stays_one():
    assert coerce(STRING, 10**5000) == Success(value=10**5000)


def test_references_are_followed_however_deep():
    schema: JsonSchema = {
        "$ref": "#/$defs/tree",
        "$defs": {"tree": thing(v=INTEGER, kids=array({"$ref": "#/$defs/tree"}))},
    }
    value: JsonValue = {"v": "0"}
    for n in range(1, 25):
        value = {"v": str(n), "kids": [value]}
    result = coerce(schema, value)
    assert len(result.repairs) == 25
    assert result.repairs[2].path == "$input.kids[0].kids[0].v"
    assert jsonschema_rs.is_valid(schema, result.value)


def test_json_in_texts_may_not_lead_below_the_deepest_level():
    value: JsonValue = "[" * 63 + "]" * 63
    for _ in range(31):
        value = [value]
    assert coerce(array({"$ref": "#"}), value).repairs == ()


def test_a_repair_says_where_and_from_what_to_what():
    schema = thing(a=INTEGER, b=array(BOOLEAN), c=STRING)
    result = coerce(schema, {"a": "1", "b": ["yes", False], "c": None})
    assert [(r.path, r.kind, r.before, r.after) for r in result.repairs] == [
        ("$input.a", "number", "1", 1),
        ("$input.b[0]", "boolean", "yes", True),
        ("$input.c", "absent", None, None),
    ]
    recovered = coerce(schema, {"b": "[yes]"})
    assert recovered.value == {"b": "[yes]"}
    recovered = coerce(schema, {"b": "['yes']"})
    assert [(r.path, r.kind) for r in recovered.repairs] == [
        ("$input.b", "json"),
        ("$input.b[0]", "quote"),
        ("$input.b[0]", "boolean"),
    ]


def test_parts_without_repairs_are_shared():
    value = {"a": "1", "b": [1, 2], "c": {"d": [3]}}
    result = coerce({"properties": {"a": INTEGER}}, value)
    assert result.value == {"a": 1, "b": [1, 2], "c": {"d": [3]}}
    assert isinstance(result.value, dict)
    assert result.value["b"] is value["b"]
    assert result.value["c"] is value["c"]
    assert value["a"] == "1"


def test_an_outline_answers_for_every_value_as_a_new_one_does():
    schema = {"$ref": "#/$defs/X", "$defs": {"X": any_of(X, array(INTEGER), BOOLEAN)}}
    outline = Outline(schema)
    for value in [{"x": "1"}, ["1"], "true", {"x": 1}, "[2]"] * 500:
        assert coerced(outline, value) == coerce(schema, value)


@pytest.mark.parametrize("text", ['["a", "b', "[1, 2", '[{"a": "b'])
def test_an_array_that_was_cut_off_is_no_item(text: str):
    schema: JsonSchema = {"type": "array", "items": {"type": "string"}}
    assert coerce(schema, text) == Success(value=text)
    assert coerce(schema, "[draft] a").value == ["[draft] a"]
