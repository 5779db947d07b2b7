"""What a person is asked at one place of a schema."""

from typing import Any

import pytest

from pyfunctools.cli.field import followed, question_of

Schema = dict[str, Any]
S = {"type": "string"}
I = {"type": "integer"}  # noqa: E741
NULL = {"type": "null"}
TAGGED = {"type": "object", "properties": {"kind": {"const": "a"}, "n": I}, "required": ["kind"]}


@pytest.mark.parametrize(
    ("schema", "kind", "hint"),
    [
        (S, "text", ""),
        ({"type": "string", "format": "date"}, "text", "date"),
        ({"type": "string", "x-human-widget": "date"}, "text", "date"),
        (I, "text", "integer"),
        ({"type": ["integer", "null"]}, "text", "integer"),
        ({"anyOf": [I, NULL]}, "text", "integer"),
        ({"anyOf": [I, S]}, "text", ""),
        ({"anyOf": [{"type": "string", "format": "password"}, True]}, "secret", "hidden"),
        ({"type": "string", "format": "password"}, "secret", "hidden"),
        ({"type": "string", "x-human-widget": "secret"}, "secret", "hidden"),
        ({"type": "integer", "x-human-widget": "password"}, "secret", "hidden"),
        ({"type": "string", "format": "binary"}, "file", "path"),
        ({"contentMediaType": "image/png"}, "file", "path"),
        ({"type": "string", "x-human-widget": "file"}, "file", "path"),
        ({"type": "string", "format": "uri", "contentMediaType": "image/*"}, "text", "uri"),
        ({"type": "boolean"}, "yes or no", "y/n"),
        ({"enum": ["a", "b", None]}, "choice", ""),
        ({"const": "a"}, "choice", ""),
        ({"oneOf": [{"const": "a"}, {"enum": ["b"]}]}, "choice", ""),
        ({"type": "array", "items": S}, "array", ""),
        ({"type": "object", "properties": {"a": S}}, "object", ""),
        ({"allOf": [{"properties": {"a": S}}, {"properties": {"b": S}}]}, "object", ""),
        ({"type": "object", "additionalProperties": S}, "map", ""),
        ({"anyOf": [TAGGED, S]}, "branch", ""),
        ({}, "json", "JSON or text"),
        (True, "json", "JSON or text"),
        ({"$ref": "#/$defs/N"}, "text", "number"),
        ({"$ref": "#/$defs/missing"}, "json", "JSON or text"),
        ({"$ref": "#/$defs/loop"}, "json", "JSON or text"),
    ],
    ids=str,
)
def test_the_kind_of_a_question_follows_from_the_schema(schema: Any, kind: str, hint: str) -> None:
    root: Schema = {"$defs": {"N": {"type": "number"}, "loop": {"$ref": "#/$defs/loop"}}}
    if schema in ({"$ref": "#/$defs/missing"}, {"$ref": "#/$defs/loop"}):
        assert followed(root, schema) == {}
        return
    question = question_of(root, schema, ("a",))
    assert (question.kind, question.hint) == (kind, hint)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("pin", "secret"), ("card_cvc", "secret"), ("apiKey", "secret"), ("city", "text")],
)
def test_what_sounds_like_a_secret_is_typed_without_echo(name: str, kind: str) -> None:
    assert question_of({}, S, (name,)).kind == kind
    assert question_of({}, I, ("to", name)).kind == kind
    assert question_of({}, {"type": "boolean"}, (name,)).kind == "yes or no"


def test_what_is_asked_is_the_markers_question_or_the_first_paragraph_that_is_said() -> None:
    schema = {**S, "title": "T", "description": "One\nline.\n\nAnother."}
    assert question_of({}, schema, ()).text == "One line."
    assert question_of({}, {**schema, "x-human-ask": "Ask"}, ()).text == "Ask"
    assert question_of({}, {"anyOf": [schema, NULL], "description": "Own"}, ()).text == "Own"
    assert question_of({}, S, ()).text == ""


@pytest.mark.parametrize(
    ("schema", "typed", "value"),
    [
        (S, "42", "42"),
        (I, " 42 ", 42),
        (I, "x", "x"),
        ({"type": "number"}, "1.5", 1.5),
        ({"anyOf": [I, {"type": "string", "format": "date"}]}, "7", 7),
        ({"type": "boolean"}, "Yes", True),
        ({"type": "boolean"}, "n", False),
        ({"type": "boolean"}, "perhaps", "perhaps"),
        ({"enum": ["slow", "fast"]}, "2", "fast"),
        ({"enum": ["slow", "fast"]}, "slow", "slow"),
        ({"enum": ["slow", "fast"]}, "FAST", "fast"),
        ({"enum": ["slow", "fast"]}, "3", "3"),
        ({"enum": ["slow", "fast"]}, "0", "0"),
        ({"enum": ["slow", "fast"]}, "²", "²"),
        ({"enum": [2, 1]}, "1", 1),
        ({"enum": [20, 10]}, "2", "2"),
        ({"enum": ["1", "2", "0"]}, "0", "0"),
        ({}, '{"a": [1]}', {"a": [1]}),
        ({}, "{a", "{a"),
        ({}, "[" * 100_000, "[" * 100_000),
    ],
)
def test_an_answer_is_read_as_what_it_means(schema: Any, typed: str, value: Any) -> None:
    read = question_of({}, schema, ()).read(typed)
    assert read == value
    assert type(read) is type(value)


def test_a_refusal_says_what_is_expected_and_where() -> None:
    assert question_of({}, {**I, "minimum": 3}, ()).refusal(3) is None
    assert question_of({}, {**I, "minimum": 3}, ()).refusal(2) == "expected integer, at least 3"
    assert question_of({}, {"type": ["integer", "null"]}, ()).refusal("x") == "expected integer"
    listed = question_of({}, {"type": "array", "items": I}, ()).refusal([1, "SECRET"])
    assert listed == "[1] expected integer"


def test_a_secret_that_may_be_left_out_does_not_show_its_default() -> None:
    assert question_of({}, {**S, "default": "x"}, ()).skip == "Enter for x"
    assert question_of({}, {**I, "default": 3}, ()).skip == "Enter for 3"
    assert question_of({}, {**S, "default": None}, ()).skip == "Enter to skip"
    secret = {**S, "format": "password", "default": "SECRET"}
    assert question_of({}, secret, ()).skip == "Enter to skip"


def test_a_branch_is_called_by_its_title_its_tags_and_what_it_says() -> None:
    assert question_of({}, TAGGED, ()).name == "kind: a"
    named = {**TAGGED, "title": "A", "description": "An a."}
    assert question_of({}, named, ()).name == "A - kind: a - An a."
    assert question_of({}, {"type": "array"}, ()).name == "array"
