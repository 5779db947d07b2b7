"""Functions as signatures."""

import pytest

from pyfunctools._json import JsonSchema
from pyfunctools.prompting.prompt.signature import (
    MAX_DEPTH,
    MAX_DESCRIPTION,
    MAX_NOTE,
    signature,
    type_text,
)

S: JsonSchema = {"type": "string"}
I: JsonSchema = {"type": "integer"}  # noqa: E741


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (True, "any"),
        (False, "never"),
        ({}, "any"),
        (S, "string"),
        ({"type": ["integer", "null"]}, "integer | null"),
        ({"type": "string", "format": "date"}, "string(date)"),
        ({"type": "string", "pattern": "^\\d+\n$"}, 'string(pattern "^\\\\d+\\n$")'),
        ({"type": "string", "minLength": 2}, "string(at least 2 characters)"),
        ({**I, "minimum": 1, "maximum": 5}, "integer(at least 1, at most 5)"),
        ({"type": "number", "multipleOf": 0.5}, "number(a multiple of 0.5)"),
        ({"type": "boolean", "minimum": 1}, "boolean"),
        ({"const": None}, "null"),
        ({"type": "string", "enum": ["a", "b"]}, '"a" | "b"'),
        ({"enum": []}, "never"),
        ({"enum": ["a\u200bb"]}, '"a\\u200bb"'),
        ({"$ref": "#/$defs/Item"}, "Item"),
        ({"$ref": "other.json"}, "any"),
        ({"anyOf": [S, I]}, "string | integer"),
        ({"anyOf": [S, S]}, "string"),
        ({"oneOf": [{"anyOf": [S, I]}, {"type": "null"}]}, "string | integer | null"),
        ({"allOf": [{"$ref": "#/$defs/A"}, {"anyOf": [S, I]}]}, "A & (string | integer)"),
        ({"type": "array"}, "any[]"),
        ({"type": "array", "items": False}, "[]"),
        ({"type": "array", "items": {"anyOf": [S, I]}}, "(string | integer)[]"),
        ({"type": "array", "items": S, "minItems": 1}, "string[](at least 1 item)"),
        ({"type": "array", "prefixItems": [S, I], "items": False}, "[string, integer]"),
        ({"type": "array", "prefixItems": [S], "items": I}, "[string, ...integer[]]"),
        ({"prefixItems": [S, I], "minItems": 2, "maxItems": 2}, "[string, integer]"),
        (
            {"prefixItems": [S, I], "minItems": 1, "maxItems": 2},
            "[string, integer](at least 1 item)",
        ),
        (
            {"prefixItems": [S], "items": I, "maxItems": 4},
            "[string, ...integer[]](at most 4 items)",
        ),
        ({"type": "object"}, "object"),
        ({"type": "object", "additionalProperties": False}, "{}"),
        ({"type": "object", "additionalProperties": I}, "{[key]: integer}"),
        ({"type": "object", "patternProperties": {"^x": I}}, '{["^x"]: integer}'),
        ({"properties": {"a": S, "b": True}, "required": ["a"]}, "{a: string, b?: any}"),
        ({"type": "object", "required": ["a"]}, "{a: any}"),
        ({"properties": {"a b": S, "c": False}}, '{"a b"?: string, c?: never}'),
        ({"properties": {"a": {**I, "default": 2}}}, "{a?: integer = 2}"),
        ({"properties": {"a": {**S, "description": "So. Not this."}}}, "{a?: string /* So. */}"),
        ({"properties": {"a": {**S, "description": "x */ y"}}}, "{a?: string /* x * / y */}"),
    ],
)
def test_a_schema_is_written_as_a_type(schema: JsonSchema | bool, text: str) -> None:
    assert type_text(schema) == text


def test_a_signature_is_one_line_whatever_the_descriptions_are() -> None:
    hostile = "First line\nsecond\n\nThird.\u202e"
    schema: JsonSchema = {
        "type": "object",
        "properties": {"a\nb": {"enum": ["c\nd"], "description": "e\nf"}},
        "patternProperties": {"g\nh": {"type": "string", "format": "i\nj"}},
    }
    line = signature("do", hostile, schema)
    assert line == (
        'do({"a\\nb"?: "c\\nd" /* e f */, ["g\\nh"]: string(i j)}) // First line second'
    )


def test_a_function_without_a_description_has_no_comment() -> None:
    assert signature("do", " ", {"type": "object", "additionalProperties": False}) == "do({})"


def test_descriptions_are_cut() -> None:
    line = signature("do", "É" * 500, {"properties": {"a": {"description": "Ü" * 500}}})
    assert line.count("É") == MAX_DESCRIPTION - 1
    assert line.count("Ü") == MAX_NOTE - 1


def test_a_sentence_ends_neither_in_an_abbreviation_nor_in_a_number() -> None:
    assert signature("f", "Round to 1.5 e.g. up. Then stop.", {}).endswith(
        "// Round to 1.5 e.g. up."
    )


def test_deep_types_end_in_an_ellipsis() -> None:
    schema: JsonSchema = S
    for _ in range(100):
        schema = {"type": "array", "items": schema}
    assert type_text(schema) == "…" + "[]" * (MAX_DEPTH + 1)
