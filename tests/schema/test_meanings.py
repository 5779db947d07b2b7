import json

import pytest

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.coercion.candidates import meanings, parsed
from pyfunctools.schema.outline.json_types import ALL_TYPES
from pyfunctools.schema.outline.outline import Outline


def meant(value: JsonValue, types: str = " ".join(ALL_TYPES), *listed: str) -> list[JsonValue]:
    texts = {text: text for text in listed}
    return [meaning for _, meaning in meanings(value, frozenset(types.split()), texts)]


@pytest.mark.parametrize(
    ("value", "types", "expected"),
    [
        ("42", "integer", [42, 42.0]),
        ("42.0", "integer", [42.0, 42]),
        ("42.5", "number", [42.5]),
        ("yes", "boolean", [True]),
        ("yes", "integer", []),
        ("null", "null", [None]),
        ("null", "string", []),
        ("x", "boolean null integer", []),
        (42, "string", ["42"]),
        (42, "integer", []),
        (True, "string", []),
        (4.5, "string integer", []),
        (42.0, "integer", [42]),
        (None, "string", []),
        ([1], "string", []),
    ],
)
def test_what_a_scalar_may_have_been_meant_as(
    value: JsonValue, types: str, expected: list[JsonValue]
):
    found = meant(value, types)
    assert [(m, type(m)) for m in found] == [(m, type(m)) for m in expected]


def test_a_listed_text_is_meant_without_case_and_space_if_only_one_is():
    assert meant(" Red", "string", "red", "green") == ["red"]
    assert meant("RED", "string", "red", "Red") == []
    assert meant("red ", "string", "red", "Red") == ["red"]
    assert meant("STRASSE", "string", "straße") == ["straße"]
    assert meant("blue", "string", "red") == []


def test_an_integer_that_python_does_not_write_is_meant_as_nothing():
    assert meant(10**5000, "string") == []


def test_json_is_read_however_often_it_was_encoded():
    text = '{"a": [1]}'
    for _ in range(5):
        result = parsed(text, Outline({}).place)
        assert result is not None
        assert (result.value, result.repairs) == ({"a": [1]}, ())
        text = json.dumps(text)


def test_broken_json_is_read_with_its_repairs():
    result = parsed("```json\n{'a': 1,}\n```", Outline({}).place)
    assert result is not None
    assert result.value == {"a": 1}
    assert {repair.kind for repair in result.repairs} == {"fence", "quote", "comma"}


def test_the_schema_says_what_a_bare_word_or_number_in_it_is():
    schema: JsonSchema = {"properties": {"a": {"type": "string"}}}
    result = parsed('{"a": 1.10}', Outline(schema).place)
    assert result is not None
    assert result.value == {"a": "1.10"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "42",
        "true",
        "a {",
        '"x"',
        "[draft] title",
        "[1] see",
        'So: {"a": 1}',
        '{"a": 1',
        "[1, 2",
        "\ud800",
        "{",
        "[",
        '[1]{"a": 1}',
        "{a}",
        '"\ud800"',
    ],
)
def test_what_only_looks_like_json_is_a_text(text: str):
    result = parsed(text, Outline({}).place)
    assert result is None
