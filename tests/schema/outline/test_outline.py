import pytest
from clock import at_most
from schemas import INTEGER, STRING

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.outline.json_types import (
    ALL_TYPES,
    constant_of,
    json_type,
    loose_text,
)
from pyfunctools.schema.outline.outline import Outline, matches


def types(schema: JsonSchema, root: JsonSchema | None = None) -> frozenset[str]:
    return Outline({**(root or {}), **schema}).place.types


def inside(schema: JsonSchema, key: str | int) -> list[JsonSchema | bool]:
    return [part.schema for part in Outline(schema).place.inside(key).roots]


def test_the_parts_of_a_place_include_references_and_all_of():
    root: JsonSchema = {
        "$ref": "#/$defs/a",
        "minimum": 1,
        "$defs": {"a": {"allOf": [INTEGER, {"$ref": "#/$defs/b"}]}, "b": {"maximum": 9}},
    }
    parts = [part.schema for part in Outline(root).place.parts]
    assert root in parts
    assert INTEGER in parts
    assert {"maximum": 9} in parts
    assert Outline(True).place.parts == ()


def test_a_part_is_the_same_object_however_it_is_reached():
    root: JsonSchema = {
        "anyOf": [{"$ref": "#/anyOf/1"}, {"properties": {"a/b": INTEGER}}],
    }
    outline = Outline(root)
    first, second = outline.root.branches("anyOf")
    assert first.resolved is second
    assert outline.at(("anyOf", "1")) is outline.at(("anyOf", 1)) is second
    assert second.below("properties", "a/b") is second.declared["a/b"]
    assert outline.at(("anyOf", "01x")) is outline.at(("anyOf", 2)) is outline.at(("x",)) is None
    assert outline.root.cached(lambda part: part.schema) is root


def test_circular_and_dangling_references_allow_all_types():
    root: JsonSchema = {
        "$defs": {
            "a": {"$ref": "#/$defs/a"},
            "b": {"allOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}, STRING]},
            "c": {"anyOf": [{"$ref": "#/$defs/c"}, INTEGER]},
        }
    }
    for reference in ("#/$defs/a", "#/$defs/none", "https://example.com/x", "#anchor"):
        assert types({"$ref": reference}, root) == ALL_TYPES
    assert types({"$ref": "#/$defs/b"}, root) == {"string"}
    anyhow = Outline({**root, "$ref": "#/$defs/c"}).place.possible.parts
    assert INTEGER in [part.schema for part in anyhow]


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        (INTEGER, "integer"),
        ({"type": "number"}, "integer number"),
        ({"type": ["string", "null"]}, "string null"),
        ({"enum": ["a", 1, None]}, "string integer null"),
        ({"type": "string", "enum": ["a", 1]}, "string"),
        ({"const": True}, "boolean"),
        ({"anyOf": [INTEGER, STRING]}, "integer string"),
        ({"oneOf": [INTEGER, {"anyOf": [STRING, False]}]}, "integer string"),
        ({"allOf": [{"type": ["string", "null"]}, {"type": ["string", "array"]}]}, "string"),
        ({"type": "string", "anyOf": [{"minLength": 1}, {"maxLength": 2}]}, "string"),
        ({"properties": {}}, " ".join(sorted(ALL_TYPES))),
        ({"anyOf": [STRING, {}]}, " ".join(sorted(ALL_TYPES))),
    ],
)
def test_types_are_those_that_a_validator_may_accept(schema: JsonSchema, names: str):
    assert types(schema) == set(names.split())


def test_types_of_unions_in_unions_are_found_in_time():
    wide: JsonSchema = {"anyOf": [{"$ref": "#/$defs/A"}] * 50}
    with at_most(5):
        assert types({"$ref": "#/$defs/A"}, {"$defs": {"A": wide}}) == ALL_TYPES


def test_named_types_leave_out_schemas_that_name_none():
    outline = Outline({"anyOf": [{}, True, STRING, {"maxLength": 1}]})
    assert outline.place_of(tuple(outline.root.branches("anyOf"))).named_types == {"string"}
    assert Outline({}).place.named_types == frozenset()


def test_the_parts_of_a_property():
    schema: JsonSchema = {
        "properties": {"a": INTEGER, "b": True},
        "patternProperties": {"^a": STRING},
        "additionalProperties": False,
    }
    assert inside(schema, "a") == [INTEGER, STRING]
    assert inside(schema, "b") == [True]
    assert inside(schema, "abc") == [STRING]
    assert inside(schema, "c") == [False]
    assert inside({}, "c") == []
    unreadable: JsonSchema = {"patternProperties": {"(": STRING}, "additionalProperties": False}
    assert inside(unreadable, "c") == []


def test_the_parts_of_an_item():
    schema: JsonSchema = {"prefixItems": [INTEGER], "items": STRING}
    assert [inside(schema, index) for index in (0, 1, 9)] == [[INTEGER], [STRING], [STRING]]
    old: JsonSchema = {"items": [INTEGER], "additionalItems": False}
    assert [inside(old, index) for index in (0, 1)] == [[INTEGER], [False]]
    assert inside({}, 0) == []


def test_patterns_are_searched_in_bounded_time_or_not_at_all():
    assert matches("^x-", "x-a") is True
    assert matches("^x-", "ax-") is False
    assert matches("(", "a") is None
    assert matches("(?=a)", "a") is True
    assert matches("(?=a)", "b") is False
    assert matches("(?<=a+)b", "a" * 5000) is None
    assert matches("a", "\ud800") is None
    assert matches("a", type("Spelled", (str,), {})("a")) is None
    with at_most(1):
        for pattern in ("^(a+)+$", "^(a|a)*$", "(.*)*x"):
            matches(pattern, "a" * 100_000 + "!")


COUNTS: JsonSchema = {
    "properties": {
        "n": INTEGER,
        "x": {"type": "number"},
        "maybe": {"anyOf": [INTEGER, {"type": "null"}]},
        "any": {"type": ["integer", "number"]},
        "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
    },
    "patternProperties": {"^n_": INTEGER},
    "additionalProperties": {"items": INTEGER},
    "$defs": {"row": {"oneOf": [{"properties": {"n": INTEGER}}, STRING]}},
}
TEXTS: JsonSchema = {
    "type": "object",
    "properties": {
        "price": STRING,
        "weight": {"type": "number"},
        "either": {"type": ["string", "number"]},
        "sizes": {"type": "array", "items": {"$ref": "#/$defs/size"}},
        "pair": {"prefixItems": [{"type": "number"}, STRING], "items": {}},
        "note": {"anyOf": [STRING, {"type": "null"}]},
    },
    "additionalProperties": {"type": "object", "additionalProperties": {"enum": ["a", "b"]}},
    "$defs": {"size": STRING},
}


def test_a_float_where_only_a_string_is_wanted_is_found():
    place = Outline(TEXTS).place
    wrong: list[JsonValue] = [
        {"price": 1.1},
        {"sizes": ["a", 1, 2.5]},
        {"pair": [1.5, 1.5]},
        {"note": 1.5},
        {"k": {"x": 0.5}},
        {"weight": 1.5, "k": {}, "price": 1.0},
    ]
    assert all(place.misplaced_floats(value)[1] for value in wrong)
    right: list[JsonValue] = [
        {"price": 1, "sizes": [1]},
        {"weight": 1.5, "either": 1.5},
        {"pair": [1.5, "x", 1.5]},
        {"k": 1.5},
        {"sizes": 1.5},
        [1.5],
        1.5,
        "x",
    ]
    assert not any(place.misplaced_floats(value)[1] for value in right)
    assert Outline(STRING).place.misplaced_floats(1.5) == (False, True)


def test_a_whole_float_is_found_where_an_integer_may_be_wanted():
    place = Outline(COUNTS).place

    def has_whole(value: JsonValue) -> bool:
        return place.misplaced_floats(value)[0]

    for value in ({"n": 42.0}, {"maybe": 0.0}, {"rows": [{"n": 1}, {"n": 1.0}]}, {"n_a": 1.0}):
        assert has_whole(value), value
    for value in ({"n": 42}, {"n": 1.5}, {"x": 42.0}, {"any": 42.0}, {"rows": [{"m": 1.0}]}, 42.0):
        assert not has_whole(value), value
    assert has_whole({"other": [1.0]})
    assert has_whole({"another": [1, 2.0]})
    assert not has_whole({"other": 1.0})


def test_a_value_that_holds_itself_comes_to_an_end():
    place = Outline({"additionalProperties": {"$ref": "#"}}).place
    ring: dict[str, JsonValue] = {}
    ring |= {"n": ring, "m": ring, "x": 1.5}
    assert place.misplaced_floats(ring) == (False, False)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (True, "boolean"),
        (1, "integer"),
        (1.0, "integer"),
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
def test_the_json_type_of_a_value(value: JsonValue, name: str):
    assert json_type(value) == name


def test_constants_are_compared_as_json_schema_does():
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
    assert loose_text(keys[0]) == loose_text(keys[1])


def test_a_constant_of_any_size_can_be_spelled():
    assert loose_text(("number", 10**5000)) != loose_text(("number", 10**4000))
    assert loose_text(("number", 1.5)) == "1.5"
    assert loose_text(("number", 1e300)).isdigit()
