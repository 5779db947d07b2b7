"""Mistakes in a schema as it was written: notes for a document, faults in a program."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools._text import hidden_count
from pyfunctools.note import Note
from pyfunctools.schema import normalize
from pyfunctools.schema.normalization.oddities import (
    SIBLINGS_NOTE,
    faults_of,
    keyword_meant,
    notes_of,
)


def texts(schema: Any, **more: Any) -> list[str]:
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
def test_a_schema_that_is_valid_in_some_draft_has_no_notes(schema: Any) -> None:
    assert texts(schema) == []


@pytest.mark.parametrize(
    ("schema", "note"),
    [
        ({"pattern": "(?<"}, '`pattern` cannot be "(?<", and is left out.'),
        ({"pattern": 3}, "`pattern` cannot be 3, and is left out."),
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
        *(
            (schema, f"`{keyword}` contains an invalid element, and is read without it.")
            for schema in (
                {"patternProperties": {"(": {}, "a": {}}},
                {"properties": {"a": "string"}},
                {"anyOf": [{}, 3]},
                {"required": ["a", 1]},
            )
            for keyword in schema
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
def test_each_correction_has_a_note(schema: Any, note: str) -> None:
    assert texts(schema) == [note]
    normalize(schema)


def test_a_note_has_the_pointer_of_its_place() -> None:
    schema: Any = {
        "properties": {"a/b": {"items": {"enum": []}}},
        "anyOf": [{}, {"title": "\u200b"}],
    }
    assert [note.pointer for note in notes_of(schema, "/components/schemas/A")] == [
        "/components/schemas/A/properties/a~1b/items/enum",
        "/components/schemas/A/anyOf/1/title",
    ]


def test_keywords_beside_a_reference_have_a_note_if_the_version_ignores_them() -> None:
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


def test_a_note_is_short_and_has_no_hidden_characters() -> None:
    schema: Any = {"type": "\u202e" * 3 + "x" * 10_000, "pattern": "(\u200b" * 500}
    for text in texts(schema):
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
def test_any_value_can_be_checked_and_is_not_changed(schema: Any) -> None:
    before = repr(schema)
    for note in notes_of(schema, siblings_ignored=True):
        assert note.text
        assert note.pointer is not None
    assert all(fault.remedy for fault in faults_of(schema, closed=True))
    assert repr(schema) == before


@given(st.text(max_size=20))
def test_hidden_characters_of_a_text_have_one_note(text: str) -> None:
    assert len(texts({"description": text})) == (1 if hidden_count(text) else 0)


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        (
            {"propertys": {}},
            "/propertys: `propertys` is no keyword of JSON Schema. Write `properties`.",
        ),
        (
            {"properties": {"a": {"pattern": "("}}},
            '/properties/a/pattern: `pattern` cannot be "(". '
            "Write a regular expression that compiles.",
        ),
        (
            {"properties": {"a": {"required": True}}},
            "/properties/a/required: `required` cannot be true. "
            "List the name in the `required` of the object that has the property.",
        ),
        ({"type": "int"}, '/type: `type` is "int". Write "integer".'),
        ({"type": ["strng"]}, '/type: `type` cannot be "strng". Write "string".'),
        (
            {"items": {"$ref": "#/$defs/Adress"}, "$defs": {"Address": {}}},
            "/items/$ref: `$ref` leads nowhere: there is no `#/$defs/Adress`. "
            "Write `#/$defs/Address`.",
        ),
        (
            {"$ref": "other.json"},
            "/$ref: `$ref` leads out of the schema, to `other.json`. "
            "Nothing is fetched: put its target into `$defs`.",
        ),
        (
            {"properties": {"a": {}}, "required": ["b"], "additionalProperties": False},
            '/required: `required` names "b", which is no property of this closed object. '
            "Declare it in `properties`.",
        ),
    ],
)
def test_a_fault_has_its_place_and_its_remedy(schema: Any, fault: str) -> None:
    [found] = faults_of(schema)
    assert f"{found.pointer}: {found.wrong}. {found.remedy}" == fault


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"minimum": 1, "exclusiveMinimum": True, "nullable": True, "example": 1},
        {"items": [{}], "additionalItems": False, "definitions": {"A": {}}},
        {"properties": {"propertys": {"type": "string"}}, "required": ["propertys"]},
        {"enum": ["minlength"], "const": {"minlength": 1}, "default": {"minlength": 1}},
        {"label": "L", "enumNames": ["a"], "x-propertys": 1, "enum": ["a"]},
        {"$id": "https://example.com/a", "$ref": "b"},
        {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        {"required": ["a"]},
        {"required": ["ab"], "patternProperties": {"^a": {}}, "additionalProperties": False},
    ],
)
def test_keywords_of_any_draft_and_unknown_ones_are_no_faults(schema: Any) -> None:
    assert list(faults_of(schema)) == []


def test_a_required_name_must_be_declared_if_the_object_is_closed() -> None:
    schema: Any = {"properties": {"city": {}}, "required": ["citty"]}
    [fault] = faults_of(schema, closed=True)
    assert fault.remedy == 'Write "city".'
    assert list(faults_of({**schema, "allOf": [{}]}, closed=True)) == []


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("propertys", "properties"),
        ("requried", "required"),
        ("min_length", "minLength"),
        ("minlength", "minLength"),
        ("anyof", "anyOf"),
        ("tpye", "type"),
        ("item", "items"),
        ("ref", "$ref"),
        ("additional_properties", "additionalProperties"),
        ("min", "minimum"),
        ("writeonly", "writeOnly"),
    ],
)
def test_a_misspelled_keyword_is_recognised(word: str, meant: str) -> None:
    assert keyword_meant(word) == meant


REMARKS = """
    properties required $ref x-propertys note notes label hint order unit options tags name
    enumNames enumDescriptions markdownDescription errorMessage propertyOrder propertyOrdering
    isNullable requiredIf multiple placeholder help widget comment $comment title schema anchor
    optional strict style explode in example deprecated source version
"""


def test_a_keyword_and_a_remark_are_not_misspelled() -> None:
    words = (*REMARKS.split(), "", "\u202e", "x" * 100_000, "プロパティ")
    assert {word: meant for word in words if (meant := keyword_meant(word))} == {}
