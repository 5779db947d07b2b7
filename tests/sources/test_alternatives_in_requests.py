"""`oneOf` in requests becomes `anyOf` unless its branches exclude each other."""

from typing import Any

import pytest

from pyfunctools._json import JsonSchema
from pyfunctools.note import Note
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.sources.directions import directed, overlapping


def tagged(tag: Any, *, required: bool = True) -> JsonSchema:
    properties = {"kind": {"const": tag}, "name": {"type": "string"}}
    schema: JsonSchema = {"type": "object", "properties": properties}
    return {**schema, "required": ["kind"]} if required else schema


DEFINED: dict[str, Any] = {
    "Cat": tagged("cat"),
    "Dog": {"allOf": [{"$ref": "#/$defs/Pet"}, tagged("dog")]},
    "Pet": {"type": "object", "properties": {"name": {"type": "string"}}},
    "Loop": {"$ref": "#/$defs/Loop"},
}
CAT, DOG, PET, LOOP = ({"$ref": f"#/$defs/{name}"} for name in DEFINED)


def loosened(schema: JsonSchema) -> JsonSchema:
    """Return a schema of values to be sent, without its definitions."""
    result = dict(directed(outline_of(schema).root, None))
    del result["$defs"]
    return result


def notes(schema: JsonSchema) -> list[Note]:
    return [*overlapping(outline_of(schema).root, schema, "")]


def outline_of(schema: JsonSchema) -> Outline:
    return Outline({**schema, "$defs": DEFINED})


APART = {
    "tags": [tagged("cat"), tagged("dog")],
    "tags-behind-references": [CAT, DOG],
    "tags-and-null": [CAT, DOG, {"type": "null"}],
    "constants": [{"const": 1}, {"enum": [2, 3]}],
    "constants-and-type": [{"enum": ["a"]}, {"type": "integer"}],
    "one-branch": [{"type": "string"}],
    "one-branch-that-fits": [{"type": "string"}, False],
}
TYPES = {
    "types": [{"type": "string"}, {"type": "integer"}],
    "type-lists": [{"type": ["string", "null"]}, {"type": "array"}],
    "object-and-text": [PET, {"type": "string"}],
}
TOGETHER = {
    "integer-and-number": [{"type": "integer"}, {"type": "number"}],
    "date-and-text": [{"type": "string", "format": "date"}, {"type": "string"}],
    "constants-and-their-type": [{"enum": ["a"]}, {"type": "string"}],
    "equal-numbers": [{"const": 1}, {"const": 1.0}],
    "arrays": [{"type": "array", "items": {"type": t}} for t in ("string", "integer")],
    "objects": [PET, {"type": "object"}],
    "tags-that-may-be-left-out": [tagged("cat", required=False), tagged("dog", required=False)],
    "equal-tags": [tagged("cat"), tagged("cat")],
    "no-type": [{"minimum": 1}, {"type": "string"}],
    "anything": [True, {"type": "string"}],
    "circle": [LOOP, {"type": "string"}],
    "dangling": [{"$ref": "#/$defs/None"}, {"type": "string"}],
}


@pytest.mark.parametrize("branches", APART.values(), ids=APART)
def test_branches_that_constants_tell_apart_stay_one_of(branches: list[Any]) -> None:
    schema = {"oneOf": branches}
    assert loosened(schema) == schema
    assert not notes(schema)


@pytest.mark.parametrize("branches", TYPES.values(), ids=TYPES)
def test_branches_of_different_types_are_rewritten_without_a_note(branches: list[Any]) -> None:
    assert loosened({"oneOf": branches}) == {"anyOf": branches}
    assert not notes({"oneOf": branches})


@pytest.mark.parametrize("branches", TOGETHER.values(), ids=TOGETHER)
def test_branches_that_may_fit_together_are_rewritten_and_noted(branches: list[Any]) -> None:
    assert loosened({"oneOf": branches}) == {"anyOf": branches}
    found = notes({"oneOf": branches})
    assert [note.pointer for note in found] == ["/oneOf"]


WRITTEN = {
    "both-nullable": [{"type": t, "nullable": True} for t in ("string", "integer")],
    "constants-both-nullable": [{"const": n, "nullable": True} for n in (1, 2)],
    "unknown-type": [{"type": "money"}, {"type": "string"}],
}


@pytest.mark.parametrize("branches", WRITTEN.values(), ids=WRITTEN)
def test_branches_are_compared_as_they_are_normalized(branches: list[Any]) -> None:
    written = {"oneOf": branches}
    root = Outline(normalize(written)).root
    assert "anyOf" in directed(root, None)
    assert [note.pointer for note in overlapping(root, written, "")] == ["/oneOf"]


def test_one_of_is_rewritten_at_each_depth_of_a_copy() -> None:
    both = {"oneOf": [{"type": "integer"}, {"type": "number"}]}
    schema = {"properties": {"a": {"items": both}}, "allOf": [both], "oneOf": [both, PET, {}]}
    either = {"anyOf": both["oneOf"]}
    assert loosened(schema) == {
        "properties": {"a": {"items": either}},
        "allOf": [either],
        "anyOf": [either, PET, {}],
    }
    assert schema["oneOf"] == [both, PET, {}]
    assert {note.pointer for note in notes(schema)} == {
        "/oneOf",
        "/oneOf/0/oneOf",
        "/allOf/0/oneOf",
        "/properties/a/items/oneOf",
    }


def test_beside_an_any_of_both_apply() -> None:
    schema = {"oneOf": [{"minimum": 1}, {"maximum": 9}], "anyOf": [{}, {}]}
    assert loosened(schema) == {
        "anyOf": [{}, {}],
        "allOf": [{"anyOf": [{"minimum": 1}, {"maximum": 9}]}],
    }


@pytest.mark.parametrize("keyword", ["not", "if"])
def test_below_a_negation_one_of_stays(keyword: str) -> None:
    schema = {keyword: {"oneOf": [{"minimum": 1}, {"maximum": 9}]}}
    assert loosened(schema) == schema
    assert not notes(schema)


@pytest.mark.parametrize("schema", [{}, {"type": "string"}, {"oneOf": 1}, {"oneOf": []}])
def test_a_schema_without_a_choice_is_unchanged(schema: JsonSchema) -> None:
    assert loosened(schema) == schema
