"""`discriminator`: every branch of the union is in the mapping, with a reference."""

from typing import Any

import pytest

from pyfunctools.schema import normalize

CAT, DOG = {"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}
PLAIN: dict[str, Any] = {"Cat": {"type": "object"}, "Dog": {"type": "object"}}
TAGGED: dict[str, Any] = {
    "Cat": {"properties": {"kind": {"const": "cat"}}},
    "Dog": {"allOf": [{"$ref": "#/$defs/Base"}, {"properties": {"kind": {"$ref": "#/$defs/K"}}}]},
    "K": {"enum": ["dog", "hound", 3]},
    "Base": {"properties": {"kind": {"enum": ["cat", "dog", "hound"]}}},
}
SUBTYPES: dict[str, Any] = {
    "Base": {"properties": {"kind": {"enum": ["Cat", "Dog"]}}},
    "Cat": {"allOf": [{"$ref": "#/$defs/Base"}]},
    "Dog": {"allOf": [{"$ref": "#/$defs/Base"}]},
}
RECURSIVE: dict[str, Any] = {
    "Cat": {"allOf": [DOG, {"minProperties": 1}]},
    "Dog": {"allOf": [CAT, {"maxProperties": 9}]},
}
BOTH = {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog"}
NAMED = {"Cat": "#/$defs/Cat", "Dog": "#/$defs/Dog"}


def mapping_of(union: dict[str, Any], mapping: Any, own: dict[str, Any]) -> Any:
    """Return the mapping of a normalized union, whose other fields stay."""
    given = {"propertyName": "kind", "x-a": 1, **({} if mapping is None else {"mapping": mapping})}
    result: Any = normalize({**union, "discriminator": given, "$defs": own})
    assert normalize(result) == result
    assert {**result["discriminator"], "mapping": mapping} == {**given, "mapping": mapping}
    return result["discriminator"].get("mapping")


@pytest.mark.parametrize(
    ("stated", "own", "mapping"),
    [
        (None, PLAIN, NAMED),
        ({}, PLAIN, NAMED),
        (None, TAGGED, {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog", "hound": "#/$defs/Dog"}),
        (None, SUBTYPES, NAMED),
        (None, RECURSIVE, NAMED),
        ({"cat": "Cat", "dog": "#/$defs/Dog"}, PLAIN, BOTH),
        ({"cat": "#/components/schemas/Cat", "dog": "#/definitions/Dog"}, PLAIN, BOTH),
        ({"dog": "Dog"}, PLAIN, {"dog": "#/$defs/Dog", "Cat": "#/$defs/Cat"}),
        (
            {"kitten": "Cat"},
            TAGGED,
            {"kitten": "#/$defs/Cat", "dog": "#/$defs/Dog", "hound": "#/$defs/Dog"},
        ),
        (
            {"cat": "Cat", "dog": "Dog", "x": 3, "cow": "Cow", "u": "https://x/Cow"},
            PLAIN,
            {**BOTH, "cow": "Cow", "u": "https://x/Cow"},
        ),
    ],
)
def test_the_mapping_names_every_branch(stated: Any, own: dict[str, Any], mapping: dict[str, str]):
    assert mapping_of({"oneOf": [CAT, DOG]}, stated, own) == mapping


def test_a_name_is_escaped_in_a_reference():
    found = mapping_of({}, {"a": "A b", "c": "C"}, {"A b": {}})
    assert found == {"a": "#/$defs/A%20b", "c": "C"}


def test_a_branch_without_a_name_is_not_in_the_mapping():
    branches = [{"properties": {"kind": {"const": "x"}}}, {"allOf": [CAT], "title": "t"}, True]
    assert mapping_of({"anyOf": branches}, None, PLAIN) == {"Cat": "#/$defs/Cat"}
    assert mapping_of({}, None, {}) is None
