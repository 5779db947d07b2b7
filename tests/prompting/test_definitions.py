"""Definitions of several functions in one set."""

import copy

import pytest

from pyfunctools._json import JsonSchema
from pyfunctools.prompting.prompt import SharedDefinitions
from pyfunctools.schema import validate


def over(definitions: JsonSchema, name: str = "A") -> JsonSchema:
    reference = {"$ref": f"#/$defs/{name}"}
    return {"type": "object", "properties": {"x": reference}, "$defs": definitions}


def x_of(schema: JsonSchema) -> object:
    return schema["properties"]["x"]  # type: ignore[index, call-overload]


TEXT: JsonSchema = {"type": "string"}
NUMBER: JsonSchema = {"type": "integer"}
LIST: JsonSchema = {"type": "array", "items": {"$ref": "#/$defs/B"}}


@pytest.mark.parametrize(
    ("first", "second", "name", "definitions"),
    [
        pytest.param({"A": TEXT}, {"A": TEXT}, "A", {"A": TEXT}, id="equal"),
        pytest.param({"A": TEXT}, {"A": NUMBER}, "A_2", {"A": TEXT, "A_2": NUMBER}, id="different"),
        pytest.param(
            {"A": LIST, "B": TEXT},
            {"A": LIST, "B": NUMBER},
            "A_2",
            {
                "A": LIST,
                "B": TEXT,
                "B_2": NUMBER,
                "A_2": {"type": "array", "items": {"$ref": "#/$defs/B_2"}},
            },
            id="equal, but with references to different ones",
        ),
        pytest.param(
            {"A": TEXT, "A_2": {"type": "null"}},
            {"A": NUMBER},
            "A_3",
            {"A": TEXT, "A_2": {"type": "null"}, "A_3": NUMBER},
            id="different, with a new name that is taken",
        ),
    ],
)
def test_different_definitions_get_different_names(
    first: JsonSchema, second: JsonSchema, name: str, definitions: JsonSchema
) -> None:
    shared = SharedDefinitions()
    shared.add(over(first))
    for _ in range(2):
        assert x_of(shared.add(over(second))) == {"$ref": f"#/$defs/{name}"}
        assert shared.definitions == definitions


def test_definitions_that_refer_to_each_other_stay_together() -> None:
    def pair(kind: str) -> JsonSchema:
        a = {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}}
        b = {"anyOf": [{"type": kind}, {"$ref": "#/$defs/A"}]}
        return over({"A": a, "B": b})

    shared = SharedDefinitions()
    schemas = [shared.add(pair(kind)) for kind in ("string", "integer", "string")]
    assert schemas[0] == schemas[2]
    assert len(shared.definitions) == 4
    for schema, right, wrong in [(schemas[0], "x", 1), (schemas[1], 1, "x")]:
        whole = {**schema, "$defs": shared.definitions}
        assert validate(whole, {"x": {"b": {"b": right}}})
        assert not validate(whole, {"x": {"b": {"b": wrong}}})


@pytest.mark.parametrize(
    ("name", "reference", "plain"),
    [
        ("Page[Item]", "Page%5BItem%5D", "Page_Item"),
        ("a/b c", "a~1b%20c", "a_b_c"),
        ("é\u200b", "%C3%A9%E2%80%8B", "definition"),
    ],
)
def test_names_are_ascii_words(name: str, reference: str, plain: str) -> None:
    shared = SharedDefinitions()
    schema = shared.add(over({name: {"type": "boolean"}}, reference))
    assert x_of(schema) == {"$ref": f"#/$defs/{plain}"}
    assert shared.definitions == {plain: {"type": "boolean"}}


def test_what_no_model_needs_is_removed_but_not_properties() -> None:
    schema = {
        "title": "T",
        "$comment": "C",
        "x-own": 1,
        "properties": {"title": {"title": "T", "type": "string"}, "x-a": {"default": 1}},
        "discriminator": {"propertyName": "kind"},
        "examples": [{}],
        "enum": [{"title": "kept"}],
    }
    before = copy.deepcopy(schema)
    assert SharedDefinitions().add(schema) == {
        "properties": {"title": {"type": "string"}, "x-a": {"default": 1}},
        "enum": [{"title": "kept"}],
    }
    assert schema == before
