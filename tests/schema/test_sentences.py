import pytest

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._text import visible
from pyfunctools.schema.validation.compiled import Compiled
from pyfunctools.schema.validation.messages import SAMPLES, described, misfit_text
from pyfunctools.schema.validation.validator import Validator

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
    issues = Validator(schema).issues(value)
    assert all(issue.message.startswith(f"{issue.path} ") for issue in issues)
    return [f"{issue.message} <{issue.expected}>" for issue in issues]


def test_a_pattern_that_takes_too_long_is_said_to():
    (line,) = told({"pattern": "(?<=a+)b"}, "a" * 5000)
    assert line == (
        f'$input cannot be checked: to match "{"a" * 61}…" with the pattern (?<=a+)b takes too '
        "many steps. Use a shorter text. <string (pattern: (?<=a+)b)>"
    )


def test_what_up_to_draft_7_must_be_encoded_is_told():
    schema: JsonSchema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "contentEncoding": "base64",
    }
    (line,) = told(schema, "%")
    assert line == '$input must be "base64" text, but is "%". <any value>'


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
def test_the_sample_of_a_format_is_right_and_is_shown(name: str):
    formatted = Compiled({"format": name}, True, None).validator
    assert formatted.is_valid(SAMPLES[name])
    wrong = next(text for text in ("", " ", "\\x(", "~2") if not formatted.is_valid(text))
    (line,) = told({"format": name}, wrong)
    assert SAMPLES[name] in line


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
    assert described(value) == words


def test_a_value_that_fits_no_form_is_told_what_was_expected():
    assert misfit_text("integer or null", "x") == 'must be integer or null, but is the string "x"'
    assert (
        misfit_text('object with "a"', {})
        == 'is an object that does not fit: expected object with "a"'
    )
    assert misfit_text("nothing", 1) == "may not be given"
    assert misfit_text("any value", 1) == "does not fit the schema"


def test_the_properties_that_may_be_given_are_those_of_all_of_and_references_too():
    root: JsonSchema = {
        "$defs": {
            "A": {"properties": {"a": STRING, "c": STRING}, "allOf": [{"$ref": "#/$defs/A"}]}
        },
        "properties": {"c": INTEGER},
        "allOf": [{"properties": {"b": INTEGER}}, {"$ref": "#/$defs/A"}, True],
        "additionalProperties": False,
    }
    (line,) = told(root, {"x": 1})
    assert 'the properties are "c", "b", "a".' in line


def test_a_property_that_a_branch_needs_is_told_as_the_schema_around_declares_it():
    schema: JsonSchema = {
        "properties": {"how": {"type": "string"}, "where": {"type": "string", "minLength": 2}},
        "if": {"properties": {"how": {"const": "post"}}},
        "then": {"allOf": [{"required": ["where", "when"]}]},
    }
    where = "$input.where is missing: expected string, at least 2 characters."
    assert told(schema, {"how": "post"}) == [
        f"{where} <string, at least 2 characters>",
        "$input.when is missing. <any value>",
    ]
