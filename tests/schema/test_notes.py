"""What is odd in a schema as it was written: the same keywords that normalizing cannot take."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools._text import hidden_count
from pyfunctools.note import Note
from pyfunctools.schema import normalize
from pyfunctools.schema.normalization.oddities import SIBLINGS_NOTE, notes_of


def said(schema: Any, **more: Any) -> list[str]:
    return [note.text for note in notes_of(schema, **more)]


@pytest.mark.parametrize(
    "schema",
    [
        True,
        False,
        {},
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]},
        {"type": "number", "minimum": 0, "exclusiveMinimum": True},
        {"properties": {"a": {"type": "string", "required": True}}},
        {"items": [{"type": "string"}], "additionalItems": False},
        {"dependencies": {"a": ["b"], "c": {"type": "object"}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"A": {}}},
        {"pattern": "^[a-z]+$", "patternProperties": {"^x-": {}}, "maxLength": 3.0},
        {"description": None, "nullable": True, "example": {"a": 1}, "examples": {"x": {}}},
        {"$ref": "#/$defs/A", "description": "An A.", "$defs": {"A": {}}},
        {"required": ["a", "a"], "x-own": [1], "discriminator": {"propertyName": "k"}},
        {"enum": ["a", "a\nb", "👩‍💻"], "const": "tab\t"},
    ],
)
def test_what_is_sound_in_any_draft_is_not_odd(schema: Any) -> None:
    assert said(schema) == []


@pytest.mark.parametrize(
    ("schema", "note"),
    [
        ({"pattern": "(?<"}, '`pattern` cannot be "(?<", and is left out.'),
        ({"pattern": 3}, "`pattern` cannot be 3, and is left out."),
        (
            {"patternProperties": {"(": {}, "a": {}}},
            "`patternProperties` contains an invalid element, and is read without it.",
        ),
        ({"pattern": r"[\w-.]"}, r'`pattern` is "[\\w-.]", and read as "[\\w\\-.]".'),
        ({"enum": []}, "`enum` cannot be an empty list, and is left out."),
        ({"minLength": -1}, "`minLength` cannot be -1, and is left out."),
        ({"maxItems": "5"}, '`maxItems` is "5", and read as 5.'),
        ({"multipleOf": 0}, "`multipleOf` cannot be 0, and is left out."),
        ({"type": "strnig"}, '`type` cannot be "strnig", and is left out.'),
        ({"type": ["int", "null"]}, '`type` is "int", and read as "integer".'),
        ({"type": {"a": 1}}, "`type` cannot be an object, and is left out."),
        ({"items": 4}, "`items` cannot be 4, and is left out."),
        ({"items": "string"}, '`items` is "string", and read as an object.'),
        (
            {"properties": {"a": "string"}},
            "`properties` contains an invalid element, and is read without it.",
        ),
        (
            {"anyOf": [{}, 3]},
            "`anyOf` contains an invalid element, and is read without it.",
        ),
        (
            {"required": ["a", 1]},
            "`required` contains an invalid element, and is read without it.",
        ),
        ({"readOnly": "yes"}, '`readOnly` cannot be "yes", and is left out.'),
        ({"description": {"a": 1}}, "`description` cannot be an object, and is left out."),
        ({"description": "a\u200bb\u202e"}, "2 hidden characters are left out of `description`."),
        ({"title": "a\U000e0041"}, "1 hidden character is left out of `title`."),
        (
            {"enum": ["a\u200b", "b"]},
            "1 hidden character is kept in `enum`, as a part of the value.",
        ),
        (
            {"default": {"a\u200b": ["\x00"]}},
            "2 hidden characters are kept in `default`, as a part of the value.",
        ),
        (
            {"properties": {"a\u200b": {}}},
            "1 hidden character is kept in names of `properties`, as a part of the names.",
        ),
    ],
)
def test_what_is_changed_or_left_out_is_said(schema: Any, note: str) -> None:
    assert said(schema) == [note]
    normalize(schema)


def test_a_note_points_to_its_place() -> None:
    schema: Any = {
        "properties": {"a/b": {"items": {"enum": []}}},
        "anyOf": [{}, {"title": "\u200b"}],
    }
    assert [note.pointer for note in notes_of(schema, "/components/schemas/A")] == [
        "/components/schemas/A/properties/a~1b/items/enum",
        "/components/schemas/A/anyOf/1/title",
    ]


def test_what_stands_beside_a_reference_is_odd_where_the_version_knows_nothing_there() -> None:
    schema: Any = {
        "properties": {
            "a": {"$ref": "#/x", "nullable": True},
            "b": {"$ref": "#/x", "x-own": 1},
            "$ref": {"type": "string"},
        }
    }
    assert list(notes_of(schema)) == []
    assert list(notes_of(schema, siblings_ignored=True)) == [
        Note(text=SIBLINGS_NOTE, pointer="/properties/a")
    ]


def test_what_is_told_of_a_value_is_short_and_holds_nothing_hidden() -> None:
    schema: Any = {"type": "\u202e" * 3 + "x" * 10_000, "pattern": "(\u200b" * 500}
    for text in said(schema):
        assert len(text) < 200
        assert hidden_count(text) == 0


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["type", "enum", "properties", "items", "pattern", "required", "x"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ).filter(lambda value: isinstance(value, dict))
)
def test_anything_can_be_asked_and_nothing_is_changed(schema: Any) -> None:
    before = repr(schema)
    for note in notes_of(schema, siblings_ignored=True):
        assert note.text
        assert note.pointer is not None
    assert repr(schema) == before


@given(st.text(max_size=20))
def test_every_hidden_character_of_a_text_is_accounted_for(text: str) -> None:
    count = hidden_count(text)
    assert len(said({"description": text})) == (1 if count else 0)
