import pytest
from clock import at_most
from schemas import INTEGER, NULL, STRING, thing

from pyfunctools._json import JsonSchema
from pyfunctools._text import visible
from pyfunctools.schema.outline.expected import LENGTH, expected, expected_of_union
from pyfunctools.schema.outline.outline import Outline, Part

CAT = thing("kind lives", kind={"const": "cat"}, lives=INTEGER)
DOG = thing("kind age", kind={"const": "dog"}, age=INTEGER)
ROOT: JsonSchema = {
    "$defs": {
        "Size": {"type": "integer", "minimum": 1},
        "Tree": thing("value", value=INTEGER, below={"$ref": "#/$defs/Forest"}),
        "Forest": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
        "Json": {
            "anyOf": [
                STRING,
                INTEGER,
                {"type": "array", "items": {"$ref": "#/$defs/Json"}},
                {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}},
                NULL,
            ]
        },
        "Loop": {"$ref": "#/$defs/Loop"},
        "Self": {"anyOf": [{"$ref": "#/$defs/Self"}, {"type": "array"}]},
    }
}


def part(schema: JsonSchema | bool, root: JsonSchema = ROOT) -> Part:
    found = Outline({**root, "not": schema}).at(("not",))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        (True, "any value"),
        ({}, "any value"),
        ({"description": "whatever"}, "any value"),
        (False, "nothing"),
        ({"enum": []}, "nothing"),
        (STRING, "string"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "integer", "minimum": 1}, "integer, at least 1"),
        ({"type": "integer", "minimum": 1, "maximum": 10}, "integer, at least 1, at most 10"),
        (
            {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.01},
            "number, greater than 0, a multiple of 0.01",
        ),
        ({"type": "number", "exclusiveMaximum": 1.5}, "number, less than 1.5"),
        (
            {"type": "string", "format": "date-time"},
            "string (format: date-time such as 2025-01-31T09:30:00Z)",
        ),
        (
            {"type": "string", "contentMediaType": "application/json"},
            "string (content: application/json)",
        ),
        ({"type": "string", "contentEncoding": "base64"}, "string (content: base64)"),
        ({"type": "string", "minLength": 1}, "string, at least 1 character"),
        ({"type": "string", "maxLength": 64}, "string, at most 64 characters"),
        ({"type": "string", "minLength": 0}, "string"),
        (
            {"type": "string", "pattern": "^[a-z]+$", "minLength": 3},
            "string (pattern: ^[a-z]+$), at least 3 characters",
        ),
        (
            {"type": "string", "format": "email", "pattern": "@example"},
            "string (format: email such as ann@example.com, pattern: @example)",
        ),
        ({"pattern": "^a"}, "string (pattern: ^a)"),
        ({"minimum": 5}, "at least 5"),
        ({"enum": ["a", "b"]}, 'one of "a", "b"'),
        ({"type": "string", "enum": ["only"]}, '"only"'),
        ({"const": 5}, "5"),
        ({"const": {"a": [1]}}, '{"a": [1]}'),
        ({"enum": [None, "a", 1.5]}, 'one of null, "a", 1.5'),
        ({"enum": list(range(14))}, "one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … (2 more)"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"type": ["null", "integer"]}, "integer or null"),
        ({"anyOf": [NULL, STRING]}, "string or null"),
        (
            {"anyOf": [{"type": "integer", "minimum": 1}, NULL]},
            "integer, at least 1, or null",
        ),
        ({"anyOf": [{"enum": ["a", "b"]}, NULL]}, 'one of "a", "b", or null'),
        ({"anyOf": [STRING, STRING, False]}, "string"),
        ({"anyOf": [STRING, {}]}, "any value"),
        (
            {"anyOf": [INTEGER, {"type": "array", "items": INTEGER}]},
            "integer or array of integer",
        ),
        (
            {
                "anyOf": [
                    {"type": "string", "format": "date"},
                    {"type": "string", "format": "date-time"},
                ]
            },
            "string (format: date such as 2025-01-31) or "
            "string (format: date-time such as 2025-01-31T09:30:00Z)",
        ),
        ({"type": "array"}, "array"),
        ({"type": "array", "items": {}}, "array"),
        ({"type": "array", "items": False}, "empty array"),
        ({"type": "array", "items": INTEGER, "minItems": 1}, "array of integer, at least 1 item"),
        ({"type": "array", "items": {"type": ["integer", "null"]}}, "array of (integer or null)"),
        (
            {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True},
            'array of (one of "a", "b"), no item twice',
        ),
        (
            {"type": "array", "prefixItems": [INTEGER, STRING], "items": False},
            "array [integer, string]",
        ),
        ({"type": "array", "prefixItems": [INTEGER, {}]}, "array [integer, any, …]"),
        ({"type": "object"}, "object"),
        (thing("sku quantity"), 'object with "sku", "quantity"'),
        (thing(a=STRING), 'object with optional "a"'),
        ({"type": "object", "additionalProperties": False}, "an empty object: {}"),
        (
            thing("a b c d e f g h"),
            'object with "a", "b", "c", "d", "e", "f", … (2 more)',
        ),
        ({"type": "object", "additionalProperties": INTEGER}, "object whose values are integer"),
        ({"type": "object", "minProperties": 1}, "object, at least 1 property"),
        ({"oneOf": [CAT, DOG]}, 'object whose "kind" is one of "cat", "dog"'),
        ({"oneOf": [CAT, DOG, NULL]}, 'object whose "kind" is one of "cat", "dog", or null'),
        ({"oneOf": [CAT, NULL]}, 'object with "kind", "lives", or null'),
        ({"anyOf": [thing("a"), thing("b c")]}, 'object with "a", or object with "b", "c"'),
        ({"type": "array", "items": CAT}, 'array of (object with "kind", "lives")'),
        ({"allOf": [INTEGER, {"minimum": 10}]}, "integer, at least 10"),
        ({"not": {"const": "root"}}, 'not "root"'),
        ({"type": "string", "not": {"enum": ["x", "y"]}}, 'string, not one of "x", "y"'),
        ({"$ref": "#/$defs/Size"}, "integer, at least 1"),
        ({"$ref": "#/$defs/Size", "maximum": 5}, "integer, at least 1, at most 5"),
        ({"$ref": "#/$defs/Forest"}, 'array of object with "value"'),
        ({"$ref": "#/$defs/Json"}, "string or integer or array or object or null"),
        ({"$ref": "#/$defs/Loop"}, "any value"),
        ({"$ref": "#/$defs/Self"}, "any value"),
        ({"$ref": "#/nowhere"}, "any value"),
        ({"$ref": "https://example.com"}, "any value"),
    ],
)
def test_a_schema_as_one_line(schema: JsonSchema | bool, line: str):
    assert expected(part(schema)) == line


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": ["x" * 1000] * 50},
        {"type": "string", "pattern": "x" * 10_000},
        {"type": "string", "format": "x" * 10_000},
        {"anyOf": [thing(f"name-{n}-{'x' * 20}") for n in range(50)]},
        {"required": ["x" * 1000] * 9},
        {"type": ["x" * 1000]},
    ],
)
def test_the_line_has_a_bound(schema: JsonSchema):
    line = expected(Outline(schema).root)
    assert len(line) <= LENGTH
    assert "…" in line


def test_invisible_characters_are_escaped():
    hidden = "a\u202e\u200b\x1b\nb"
    schema: JsonSchema = {
        "anyOf": [
            {"type": "string", "pattern": hidden, "format": hidden},
            {"const": hidden},
            {"type": "object", "required": [hidden]},
            {"type": hidden},
        ]
    }
    line = expected(Outline(schema).root)
    assert visible(line) == line
    assert "\\u202e\\u200b\\u001b" in line


def test_schemas_that_fan_out_and_recur_cost_little():
    wide: JsonSchema = {
        "$defs": {
            "A": {
                "anyOf": [
                    {"type": "array", "items": {"$ref": "#/$defs/A"}},
                    *[{"allOf": [{"$ref": "#/$defs/A"}]}] * 1000,
                ]
            }
        }
    }
    with at_most(3):
        assert expected(part({"$ref": "#/$defs/A"}, wide))


def test_the_line_of_a_union_leaves_out_other_keywords():
    schema: JsonSchema = {"type": "object", "anyOf": [thing("a"), thing("b")]}
    assert expected_of_union(Outline(schema).root, "anyOf") == 'object with "a" or object with "b"'
