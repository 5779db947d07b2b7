import threading
from time import perf_counter

import pytest

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._text import visible
from pyfunctools.schema.compiled import Compiled
from pyfunctools.schema.issues import MOST, Issues
from pyfunctools.schema.result import Issue

STRING: JsonSchema = {"type": "string"}
INTEGER: JsonSchema = {"type": "integer"}
NULL: JsonSchema = {"type": "null"}


def thing(required: str = "", **properties: JsonValue) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def issues_of(schema: JsonSchema | bool, value: JsonValue) -> tuple[Issue, ...]:
    return Issues(Compiled(schema, True, None)).of(value, "llm")


def told(schema: JsonSchema | bool, value: JsonValue) -> list[tuple[str, str, str]]:
    issues = issues_of(schema, value)
    assert {issue.side for issue in issues} == {"llm"}
    return [(str(issue.path), issue.expected, issue.message) for issue in issues]


@pytest.mark.parametrize(
    ("schema", "value", "issues"),
    [
        (
            {"type": "integer"},
            "5",
            [("$input", "integer", '$input must be an integer, not the string "5".')],
        ),
        (
            {"type": "integer"},
            1.5,
            [("$input", "integer", "$input must be an integer, not the number 1.5.")],
        ),
        (
            {"type": "integer"},
            True,
            [("$input", "integer", "$input must be an integer, not true.")],
        ),
        (
            {"type": "integer"},
            None,
            [("$input", "integer", "$input must be an integer, not null.")],
        ),
        (
            {"type": ["string", "null"]},
            3,
            [("$input", "string or null", "$input must be a string or null, not the integer 3.")],
        ),
        (
            {"type": "integer", "minimum": 1, "maximum": 10},
            11,
            [
                (
                    "$input",
                    "integer, at least 1, at most 10",
                    "$input must be at most 10, but is 11.",
                )
            ],
        ),
        (
            {"type": "number", "exclusiveMinimum": 0},
            0,
            [("$input", "number, greater than 0", "$input must be greater than 0, but is 0.")],
        ),
        (
            {"multipleOf": 0.01},
            1.001,
            [("$input", "a multiple of 0.01", "$input must be a multiple of 0.01, but is 1.001.")],
        ),
        (
            {"type": "string", "minLength": 3, "pattern": "^[a-z]+$"},
            "A",
            [
                (
                    "$input",
                    "string (pattern: ^[a-z]+$), at least 3 characters",
                    "$input must have at least 3 characters, but has 1.",
                ),
                (
                    "$input",
                    "string (pattern: ^[a-z]+$), at least 3 characters",
                    '$input must match the pattern ^[a-z]+$, but is "A".',
                ),
            ],
        ),
        (
            {"type": "string", "format": "date-time"},
            "yesterday",
            [
                (
                    "$input",
                    "string (format: date-time)",
                    '$input must have the format date-time, like "2025-01-31T09:30:00Z", but is "yesterday".',
                )
            ],
        ),
        (
            {"type": "string", "format": "uuid"},
            "x",
            [
                (
                    "$input",
                    "string (format: uuid)",
                    '$input must have the format uuid, like "123e4567-e89b-12d3-a456-426614174000", but is "x".',
                )
            ],
        ),
        (
            {"enum": ["red", "green"]},
            "blue",
            [
                (
                    "$input",
                    'one of "red", "green"',
                    '$input must be one of "red", "green", but is "blue".',
                )
            ],
        ),
        (
            {"enum": ["red", "green"]},
            "Green ",
            [
                (
                    "$input",
                    'one of "red", "green"',
                    '$input must be one of "red", "green", but is "Green ". Did you mean "green"?',
                )
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
                (
                    "$input",
                    'one of "item-0", "item-1", "item-2", "item-3", "item-4", "item-5", "item-6", "item-7", "item-8", "item-9", "item-10", "item-11", … (28 more); did you mean "item-39"?',
                    '$input must be one of "item-0", "item-1", "item-2", "item-3", "item-4", "item-5", "item-6", "item-7", "item-8", "item-9", "item-10", "item-11", … (28 more), but is "item-39x". Did you mean "item-39"?',
                )
            ],
        ),
        ({"const": "v1"}, "v2", [("$input", '"v1"', '$input must be "v1", but is "v2".')]),
        (
            {"type": "string", "enum": ["a"]},
            5,
            [
                ("$input", '"a"', "$input must be a string, not the integer 5."),
                ("$input", '"a"', '$input must be "a", but is 5.'),
            ],
        ),
        (
            {"type": "array", "items": {"type": "integer"}, "minItems": 2},
            ["x"],
            [
                ("$input", "at least 2 items", "$input must have at least 2 items, but has 1."),
                ("$input[0]", "integer", '$input[0] must be an integer, not the string "x".'),
            ],
        ),
        (
            {"uniqueItems": True},
            [{"a": 1}, 2, {"a": 1}],
            [
                (
                    "$input",
                    "no item twice",
                    "$input must not hold an item twice: items 0 and 2 are equal.",
                )
            ],
        ),
        (
            {"type": "array", "contains": {"type": "integer"}, "minContains": 2},
            [1, "a"],
            [
                (
                    "$input",
                    "array with at least 2 items of this kind: integer",
                    "$input must hold at least 2 items of this kind: integer.",
                )
            ],
        ),
        (
            {"contains": {"type": "integer"}, "maxContains": 1},
            [1, 2],
            [
                (
                    "$input",
                    "array with exactly 1 item of this kind: integer",
                    "$input must hold exactly 1 item of this kind: integer.",
                )
            ],
        ),
        (
            {"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False},
            ["a", 1, 2],
            [
                ("$input[0]", "integer", '$input[0] must be an integer, not the string "a".'),
                ("$input[1]", "string", "$input[1] must be a string, not the integer 1."),
                ("$input[2]", "nothing", "$input[2] may not be given."),
            ],
        ),
        (
            {
                "type": "object",
                "properties": {"name": {"type": "string"}, "quantity": {"type": "integer"}},
                "required": ["name", "quantity"],
                "additionalProperties": False,
            },
            {"name": "x", "Quantity": 1},
            [
                ("$input.quantity", "integer", "$input.quantity is missing: expected integer."),
                (
                    "$input.Quantity",
                    'no property "Quantity"; did you mean "quantity"?',
                    '$input.Quantity is not a property that may be given: did you mean "quantity"?',
                ),
            ],
        ),
        (
            {
                "type": "object",
                "properties": {"user_name": {"type": "string"}},
                "required": [],
                "additionalProperties": False,
            },
            {"userName": "x"},
            [
                (
                    "$input.userName",
                    'no property "userName"; did you mean "user_name"?',
                    '$input.userName is not a property that may be given: did you mean "user_name"?',
                )
            ],
        ),
        (
            CLOSED({}),
            {"x": 1},
            [
                (
                    "$input.x",
                    'no property "x"; there are no properties',
                    "$input.x is not a property that may be given: there are no properties.",
                )
            ],
        ),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"a": "1", "b": 2, "c": "3"},
            [
                ("$input.a", "integer", '$input.a must be an integer, not the string "1".'),
                ("$input.c", "integer", '$input.c must be an integer, not the string "3".'),
            ],
        ),
        (
            {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}},
            {"A1": 1},
            [
                (
                    "$input.A1",
                    "another name: string (pattern: ^[a-z]+$)",
                    '$input.A1 has a name that is not allowed: it must match the pattern ^[a-z]+$, but is "A1".',
                )
            ],
        ),
        (
            {"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": False},
            {"x-a": 1, "y": 2},
            [
                (
                    "$input.y",
                    'no property "y"; the properties are those that match ^x-',
                    "$input.y is not a property that may be given: the properties are those that match ^x-.",
                ),
                ('$input["x-a"]', "string", '$input["x-a"] must be a string, not the integer 1.'),
            ],
        ),
        (
            {"minProperties": 2},
            {"a": 1},
            [
                (
                    "$input",
                    "at least 2 properties",
                    "$input must have at least 2 properties, but has 1.",
                )
            ],
        ),
        (
            {"dependentRequired": {"card": ["cvc"]}, "properties": {"cvc": {"type": "string"}}},
            {"card": 1},
            [
                (
                    "$input.cvc",
                    "string",
                    '$input.cvc is missing: expected string; it is needed where "card" is given.',
                )
            ],
        ),
        (
            {
                "if": {"properties": {"a": {"const": 1}}, "required": ["a"]},
                "then": {"required": ["b"]},
            },
            {"a": 1},
            [("$input.b", "any value", "$input.b is missing.")],
        ),
        (
            {"not": {"const": "root"}},
            "root",
            [("$input", 'not "root"', '$input must not be "root", but is "root".')],
        ),
        (
            {"not": {"type": "object"}},
            {},
            [("$input", "not object", "$input must not be object, but is {}.")],
        ),
        (
            {"properties": {"old": False}},
            {"old": 1},
            [("$input.old", "nothing", "$input.old may not be given.")],
        ),
        (False, 1, [("$input", "nothing", "$input may not be given.")]),
        (
            {"oneOf": [{"type": "integer"}, {"minimum": 5}]},
            7,
            [
                (
                    "$input",
                    "exactly one of: integer or at least 5",
                    "$input must fit exactly one of the allowed forms and fits several: integer or at least 5.",
                )
            ],
        ),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "x",
            [
                (
                    "$input",
                    "integer or null",
                    '$input must be integer or null, but is the string "x".',
                )
            ],
        ),
        (
            {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]},
            ["x"],
            [("$input[0]", "integer", '$input[0] must be an integer, not the string "x".')],
        ),
        (
            {
                "anyOf": [
                    {"type": "string", "format": "date"},
                    {"type": "string", "format": "date-time"},
                ]
            },
            "soon",
            [
                (
                    "$input",
                    "string (format: date) or string (format: date-time)",
                    '$input must be string (format: date) or string (format: date-time), but is the string "soon".',
                )
            ],
        ),
        (
            {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
                        "required": ["query", "limit"],
                        "additionalProperties": False,
                    },
                    {
                        "type": "object",
                        "properties": {"field": {"type": "string"}, "op": {"type": "string"}},
                        "required": ["field", "op"],
                        "additionalProperties": False,
                    },
                ]
            },
            {"query": 1, "limit": 2},
            [("$input.query", "string", "$input.query must be a string, not the integer 1.")],
        ),
        (
            {"allOf": [{"type": "integer"}, {"minimum": 5}]},
            3,
            [("$input", "at least 5", "$input must be at least 5, but is 3.")],
        ),
        (
            {"unevaluatedProperties": False, "allOf": [{"properties": {"a": {"type": "integer"}}}]},
            {"a": 1, "b": 2},
            [
                (
                    "$input.b",
                    'no property "b"; the properties are "a"',
                    '$input.b is not a property that may be given: the properties are "a".',
                )
            ],
        ),
        (
            {
                "$ref": "#/$defs/Tree",
                "$defs": {
                    "Tree": {
                        "type": "object",
                        "properties": {
                            "value": {"type": "integer"},
                            "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                        },
                        "required": ["value"],
                        "additionalProperties": False,
                    }
                },
            },
            {"value": 1, "children": [{"value": "2", "children": [{"vlaue": 3}]}]},
            [
                (
                    "$input.children[0].value",
                    "integer",
                    '$input.children[0].value must be an integer, not the string "2".',
                ),
                (
                    "$input.children[0].children[0].value",
                    "integer",
                    "$input.children[0].children[0].value is missing: expected integer.",
                ),
                (
                    "$input.children[0].children[0].vlaue",
                    'no property "vlaue"; did you mean "value"?',
                    '$input.children[0].children[0].vlaue is not a property that may be given: did you mean "value"?',
                ),
            ],
        ),
        (
            {"dependentSchemas": {"a": {"properties": {"b": {"type": "integer"}}}}},
            {"a": 1, "b": "x"},
            [("$input.b", "integer", '$input.b must be an integer, not the string "x".')],
        ),
        (
            {"contentEncoding": "base64", "type": "string"},
            5,
            [("$input", "string", "$input must be a string, not the integer 5.")],
        ),
        (
            {"unevaluatedItems": False, "prefixItems": [{"type": "integer"}]},
            [1, 2],
            [("$input", "no more items", "$input holds items beyond those that are declared.")],
        ),
        (
            {"unevaluatedProperties": {"type": "integer"}},
            {"a": "x"},
            [("$input.a", "integer", '$input.a must be integer, but is the string "x".')],
        ),
    ],
)
def test_each_broken_rule_is_one_sentence(
    schema: JsonSchema | bool, value: JsonValue, issues: list[tuple[str, str, str]]
):
    assert told(schema, value) == issues
