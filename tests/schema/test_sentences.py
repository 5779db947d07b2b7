import pytest

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._text import visible
from pyfunctools.schema.compiled import Compiled
from pyfunctools.schema.expected import Expectations
from pyfunctools.schema.issues import Issues
from pyfunctools.schema.sentences import SAMPLES, Sentences, instead, named, near_name

STRING: JsonSchema = {"type": "string"}
INTEGER: JsonSchema = {"type": "integer"}


def thing(required: str = "", **properties: JsonValue) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def told(schema: JsonSchema | bool, value: JsonValue) -> list[str]:
    issues = Issues(Compiled(schema, True, None)).of(value, "whole")
    assert all(issue.message.startswith(f"{issue.path} ") for issue in issues)
    return [f"{issue.message} <{issue.expected}>" for issue in issues]


@pytest.mark.parametrize(
    ("schema", "value", "lines"),
    [
        (INTEGER, "5", ['$input must be an integer, not the string "5". <integer>']),
        (INTEGER, 1.5, ["$input must be an integer, not the number 1.5. <integer>"]),
        (INTEGER, True, ["$input must be an integer, not true. <integer>"]),
        (INTEGER, None, ["$input must be an integer, not null. <integer>"]),
        (
            {"type": ["string", "null"]},
            3,
            ["$input must be a string or null, not the integer 3. <string or null>"],
        ),
        (
            {"type": "integer", "minimum": 1, "maximum": 10},
            11,
            ["$input must be at most 10, but is 11. <integer, at least 1, at most 10>"],
        ),
        (
            {"type": "number", "exclusiveMinimum": 0},
            0,
            ["$input must be greater than 0, but is 0. <number, greater than 0>"],
        ),
        (
            {"multipleOf": 0.01},
            1.001,
            ["$input must be a multiple of 0.01, but is 1.001. <a multiple of 0.01>"],
        ),
        (
            {"type": "string", "minLength": 3, "pattern": "^[a-z]+$"},
            "A",
            [
                "$input must have at least 3 characters, but has 1. <string (pattern: ^[a-z]+$), at least 3 characters>",
                '$input must match the pattern ^[a-z]+$, but is "A". <string (pattern: ^[a-z]+$), at least 3 characters>',
            ],
        ),
        (
            {"type": "string", "format": "date-time"},
            "yesterday",
            [
                '$input must have the format date-time, like "2025-01-31T09:30:00Z", but is "yesterday". <string (format: date-time)>'
            ],
        ),
        (
            {"type": "string", "format": "uuid"},
            "x",
            [
                '$input must have the format uuid, like "123e4567-e89b-12d3-a456-426614174000", but is "x". <string (format: uuid)>'
            ],
        ),
        (
            {"enum": ["red", "green"]},
            "blue",
            ['$input must be one of "red", "green", but is "blue". <one of "red", "green">'],
        ),
        (
            {"enum": ["red", "green"]},
            "Green ",
            [
                '$input must be one of "red", "green", but is "Green ". Did you mean "green"? <one of "red", "green">'
            ],
        ),
        (
            {
                "enum": [
                    "item-0",
                    "item-1",
                    "item-2",
                    "item-3",
                    "item-4",
                    "item-5",
                    "item-6",
                    "item-7",
                    "item-8",
                    "item-9",
                    "item-10",
                    "item-11",
                    "item-12",
                    "item-13",
                    "item-14",
                    "item-15",
                    "item-16",
                    "item-17",
                    "item-18",
                    "item-19",
                    "item-20",
                    "item-21",
                    "item-22",
                    "item-23",
                    "item-24",
                    "item-25",
                    "item-26",
                    "item-27",
                    "item-28",
                    "item-29",
                    "item-30",
                    "item-31",
                    "item-32",
                    "item-33",
                    "item-34",
                    "item-35",
                    "item-36",
                    "item-37",
                    "item-38",
                    "item-39",
                ]
            },
            "item-39x",
            [
                '$input must be one of "item-0", "item-1", "item-2", "item-3", "item-4", "item-5", "item-6", "item-7", "item-8", "item-9", "item-10", "item-11", … (28 more), but is "item-39x". Did you mean "item-39"? <one of "item-0", "item-1", "item-2", "item-3", "item-4", "item-5", "item-6", "item-7", "item-8", "item-9", "item-10", "item-11", … (28 more); did you mean "item-39"?>'
            ],
        ),
        ({"const": "v1"}, "v2", ['$input must be "v1", but is "v2". <"v1">']),
        (
            {"type": "string", "enum": ["a"]},
            5,
            [
                '$input must be a string, not the integer 5. <"a">',
                '$input must be "a", but is 5. <"a">',
            ],
        ),
        (
            {"type": "array", "items": INTEGER, "minItems": 2},
            ["x"],
            [
                "$input must have at least 2 items, but has 1. <at least 2 items>",
                '$input[0] must be an integer, not the string "x". <integer>',
            ],
        ),
        (
            {"uniqueItems": True},
            [{"a": 1}, 2, {"a": 1}],
            ["$input must not hold an item twice: items 0 and 2 are equal. <no item twice>"],
        ),
        (
            {"type": "array", "contains": INTEGER, "minContains": 2},
            [1, "a"],
            [
                "$input must hold at least 2 items of this kind: integer. <array with at least 2 items of this kind: integer>"
            ],
        ),
        (
            {"contains": INTEGER, "maxContains": 1},
            [1, 2],
            [
                "$input must hold exactly 1 item of this kind: integer. <array with exactly 1 item of this kind: integer>"
            ],
        ),
        (
            {"prefixItems": [INTEGER, STRING], "items": False},
            ["a", 1, 2],
            [
                '$input[0] must be an integer, not the string "a". <integer>',
                "$input[1] must be a string, not the integer 1. <string>",
                "$input[2] may not be given. <nothing>",
            ],
        ),
        (
            thing("name quantity", **{"name": STRING, "quantity": INTEGER}),
            {"name": "x", "Quantity": 1},
            [
                "$input.quantity is missing: expected integer. <integer>",
                '$input.Quantity is not a property that may be given: did you mean "quantity"? <no property "Quantity"; did you mean "quantity"?>',
            ],
        ),
        (
            thing("", **{"user_name": STRING}),
            {"userName": "x"},
            [
                '$input.userName is not a property that may be given: did you mean "user_name"? <no property "userName"; did you mean "user_name"?>'
            ],
        ),
        (
            thing("", **{}),
            {"x": 1},
            [
                '$input.x is not a property that may be given: there are no properties. <no property "x"; there are no properties>'
            ],
        ),
        (
            {"type": "object", "additionalProperties": INTEGER},
            {"a": "1", "b": 2, "c": "3"},
            [
                '$input.a must be an integer, not the string "1". <integer>',
                '$input.c must be an integer, not the string "3". <integer>',
            ],
        ),
        (
            {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}},
            {"A1": 1},
            [
                '$input.A1 has a name that is not allowed: it must match the pattern ^[a-z]+$, but is "A1". <another name: string (pattern: ^[a-z]+$)>'
            ],
        ),
        (
            {"patternProperties": {"^x-": STRING}, "additionalProperties": False},
            {"x-a": 1, "y": 2},
            [
                '$input.y is not a property that may be given: the properties are those that match ^x-. <no property "y"; the properties are those that match ^x->',
                '$input["x-a"] must be a string, not the integer 1. <string>',
            ],
        ),
        (
            {"minProperties": 2},
            {"a": 1},
            ["$input must have at least 2 properties, but has 1. <at least 2 properties>"],
        ),
        (
            {"dependentRequired": {"card": ["cvc"]}, "properties": {"cvc": STRING}},
            {"card": 1},
            [
                '$input.cvc is missing: expected string; it is needed where "card" is given. <string>'
            ],
        ),
        (
            {
                "if": {"properties": {"a": {"const": 1}}, "required": ["a"]},
                "then": {"required": ["b"]},
            },
            {"a": 1},
            ["$input.b is missing. <any value>"],
        ),
        (
            {"not": {"const": "root"}},
            "root",
            ['$input must not be "root", but is "root". <not "root">'],
        ),
        ({"not": {"type": "object"}}, {}, ["$input must not be object, but is {}. <not object>"]),
        ({"properties": {"old": False}}, {"old": 1}, ["$input.old may not be given. <nothing>"]),
        (False, 1, ["$input may not be given. <nothing>"]),
        (
            {"oneOf": [INTEGER, {"minimum": 5}]},
            7,
            [
                "$input must fit exactly one of the allowed forms and fits several: integer or at least 5. <exactly one of: integer or at least 5>"
            ],
        ),
        (
            {"allOf": [INTEGER, {"minimum": 5}]},
            3,
            ["$input must be at least 5, but is 3. <at least 5>"],
        ),
        (
            {"unevaluatedProperties": False, "allOf": [{"properties": {"a": INTEGER}}]},
            {"a": 1, "b": 2},
            [
                '$input.b is not a property that may be given: the properties are "a". <no property "b"; the properties are "a">'
            ],
        ),
        (
            {"dependentSchemas": {"a": {"properties": {"b": INTEGER}}}},
            {"a": 1, "b": "x"},
            ['$input.b must be an integer, not the string "x". <integer>'],
        ),
        (
            {"contentEncoding": "base64", "type": "string"},
            5,
            ["$input must be a string, not the integer 5. <string>"],
        ),
        (
            {"unevaluatedItems": False, "prefixItems": [INTEGER]},
            [1, 2],
            ["$input holds items beyond those that are declared. <no more items>"],
        ),
        (
            {"unevaluatedProperties": INTEGER},
            {"a": "x"},
            ['$input.a must be integer, but is the string "x". <integer>'],
        ),
    ],
)
def test_each_broken_rule_is_one_sentence(
    schema: JsonSchema | bool, value: JsonValue, lines: list[str]
):
    assert told(schema, value) == lines


def test_a_pattern_that_takes_too_long_is_said_to():
    (line,) = told({"pattern": "(?<=a+)b"}, "a" * 5000)
    assert line == (
        f'$input cannot be checked: to match "{"a" * 61}…" with the pattern (?<=a+)b takes too '
        "many steps. Use a shorter text. <string (pattern: (?<=a+)b)>"
    )


def test_what_a_person_would_not_see_is_escaped_and_long_values_are_cut():
    hidden = "a\u202e\u200b\x1b</tool>" + "x" * 1000
    schema: JsonSchema = {
        "properties": {"a": {"enum": [hidden]}, "b": {"pattern": hidden}, hidden: False},
        "required": [hidden + "!"],
        "additionalProperties": False,
    }
    for line in told(schema, {"a": "\u200b" * 1000, "b": hidden, hidden: 1, "\u200b": hidden}):
        assert visible(line) == line
        assert "\n" not in line


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_of_a_format_is_right(name: str):
    schema: JsonSchema = {"format": name}
    assert told(schema, SAMPLES[name]) == [
        "$input does not fit the schema. <string (format: x)>"
    ] or (Compiled(schema, True, None).validator.is_valid(SAMPLES[name]))


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("Quantity", ["quality", "quantity"], "quantity"),
        ("user-name", ["userId", "user_name"], "user_name"),
        ("quantty", ["quantity", "price"], "quantity"),
        ("colour", ["size", "price"], None),
        ("x" * 100, ["x" * 99], None),
        ("a", [], None),
    ],
)
def test_the_name_that_was_meant_is_found(name: str, known: list[str], near: str | None):
    assert near_name(name, known) == near


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("two", 'the string "two"'),
        (2, "the integer 2"),
        (2.5, "the number 2.5"),
        (True, "true"),
        (None, "null"),
        ([1], "an array"),
        ({}, "an object"),
    ],
)
def test_a_value_is_spoken_of(value: JsonValue, words: str):
    assert named(value) == words


def test_a_value_that_fits_no_form_is_told_what_was_expected():
    assert instead("integer or null", "x") == 'must be integer or null, but is the string "x"'
    assert (
        instead('object with "a"', {}) == 'is an object that does not fit: expected object with "a"'
    )
    assert instead("nothing", 1) == "may not be given"
    assert instead("any value", 1) == "does not fit the schema"


def test_declared_properties_are_found_through_all_of_and_references():
    root: JsonSchema = {"$defs": {"A": thing(a=STRING, c=STRING)}}
    node: JsonSchema = {
        "properties": {"c": INTEGER},
        "allOf": [{"properties": {"b": INTEGER}}, {"$ref": "#/$defs/A"}, True],
    }
    declared = Sentences(root, Expectations(root)).declared(node)
    assert declared == {"c": INTEGER, "b": INTEGER, "a": STRING}


def test_declared_properties_of_a_circle_are_found():
    root: JsonSchema = {
        "$defs": {"A": {"properties": {"a": True}, "allOf": [{"$ref": "#/$defs/A"}]}}
    }
    assert Sentences(root, Expectations(root)).declared({"$ref": "#/$defs/A"}) == {"a": True}
