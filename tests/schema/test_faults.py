"""Mistakes in a schema whose author is there to mend them."""

from typing import Any

import pytest

from pyfunctools.schema.normalization.oddities import Fault, faults_of


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        (
            {"propertys": {}},
            Fault("/propertys", "`propertys` is no keyword of JSON Schema", "Write `properties`."),
        ),
        (
            {"properties": {"a": {"pattern": "("}}},
            Fault(
                "/properties/a/pattern",
                '`pattern` cannot be "("',
                "Write a regular expression that compiles.",
            ),
        ),
        (
            {"properties": {"a": {"required": True}}},
            Fault(
                "/properties/a/required",
                "`required` cannot be true",
                "List the name in the `required` of the object that has the property.",
            ),
        ),
        ({"type": "int"}, Fault("/type", '`type` is "int"', 'Write "integer".')),
        ({"type": ["strng"]}, Fault("/type", '`type` cannot be "strng"', 'Write "string".')),
        (
            {"items": {"$ref": "#/$defs/Adress"}, "$defs": {"Address": {}}},
            Fault(
                "/items/$ref",
                "`$ref` leads nowhere: there is no `#/$defs/Adress`",
                "Write `#/$defs/Address`.",
            ),
        ),
        (
            {"$ref": "other.json"},
            Fault(
                "/$ref",
                "`$ref` leads out of the schema, to `other.json`",
                "Nothing is fetched: put its target into `$defs`.",
            ),
        ),
        (
            {"properties": {"a": {}}, "required": ["b"], "additionalProperties": False},
            Fault(
                "/required",
                '`required` names "b", which is no property of this closed object',
                "Declare it in `properties`.",
            ),
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_mistake_has_its_place_and_its_remedy(schema: Any, fault: Fault) -> None:
    assert list(faults_of(schema)) == [fault]


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
def test_what_some_draft_knows_and_what_nobody_knows_is_no_mistake(schema: Any) -> None:
    assert list(faults_of(schema)) == []


def test_a_required_name_needs_a_property_where_the_object_will_be_closed() -> None:
    schema: Any = {"properties": {"city": {}}, "required": ["citty"]}
    [fault] = faults_of(schema, closed=True)
    assert fault.remedy == 'Write "city".'
    assert list(faults_of({**schema, "allOf": [{}]}, closed=True)) == []
