import copy
from typing import Any

import pytest

from pyfunctools.schema.normalization.discriminator import complete_mapping
from pyfunctools.schema.normalization.targets import Targets

CAT, DOG = {"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}
PLAIN: dict[str, Any] = {"Cat": {"type": "object"}, "Dog": {"type": "object"}}
TAGGED: dict[str, Any] = {
    "Cat": {"properties": {"kind": {"const": "cat"}}},
    "Dog": {"allOf": [{"$ref": "#/$defs/Base"}, {"properties": {"kind": {"$ref": "#/$defs/K"}}}]},
    "K": {"enum": ["dog", "hound", 3]},
    "Base": {"properties": {"kind": {"enum": ["cat", "dog", "hound"]}}},
}
HEIRS: dict[str, Any] = {
    "Base": {"properties": {"kind": {"enum": ["Cat", "Dog"]}}},
    "Cat": {"allOf": [{"$ref": "#/$defs/Base"}]},
    "Dog": {"allOf": [{"$ref": "#/$defs/Base"}]},
}
BOTH = {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog"}
NAMED = {"Cat": "#/$defs/Cat", "Dog": "#/$defs/Dog"}


@pytest.mark.parametrize(
    ("stated", "own", "mapping"),
    [
        (None, PLAIN, NAMED),
        ({}, PLAIN, NAMED),
        (None, TAGGED, {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog", "hound": "#/$defs/Dog"}),
        (None, HEIRS, NAMED),
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
def test_the_mapping_names_every_branch(
    stated: dict[str, Any] | None, own: dict[str, Any], mapping: dict[str, str]
):
    given: dict[str, Any] = {"propertyName": "kind", "x-a": 1}
    if stated is not None:
        given["mapping"] = stated
    node = {"oneOf": [CAT, DOG], "discriminator": given}
    before = copy.deepcopy(given)
    complete_mapping(node, Targets(own, None))
    assert node["discriminator"] == {**before, "mapping": mapping}
    assert given == before
    again = copy.deepcopy(node)
    complete_mapping(again, Targets(own, None))
    assert again == node


def test_a_name_is_resolved_by_the_lookup_too():
    node: dict[str, Any] = {
        "discriminator": {"propertyName": "kind", "mapping": {"a": "A b", "c": "C"}}
    }
    complete_mapping(node, Targets({}, {"#/$defs/A%20b": {}}.get))
    assert node["discriminator"]["mapping"] == {"a": "#/$defs/A%20b", "c": "C"}


def test_branches_without_a_name_are_left_to_their_constants():
    node: dict[str, Any] = {
        "anyOf": [{"properties": {"kind": {"const": "x"}}}, {"allOf": [CAT], "title": "t"}, True],
        "discriminator": {"propertyName": "kind"},
    }
    complete_mapping(node, Targets(PLAIN, None))
    assert node["discriminator"]["mapping"] == {"Cat": "#/$defs/Cat"}


def test_without_a_union_there_is_nothing_to_map():
    node: dict[str, Any] = {"discriminator": {"propertyName": "kind"}}
    complete_mapping(node, Targets({}, None))
    assert node == {"discriminator": {"propertyName": "kind"}}


def test_a_branch_that_is_made_of_itself_ends():
    own: dict[str, Any] = {"Cat": {"allOf": [CAT, DOG]}, "Dog": {"allOf": [CAT]}}
    node: dict[str, Any] = {"oneOf": [CAT], "discriminator": {"propertyName": "kind"}}
    complete_mapping(node, Targets(own, None))
    assert node["discriminator"]["mapping"] == {"Cat": "#/$defs/Cat"}
