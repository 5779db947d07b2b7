"""Definitions of several functions put together."""

import copy
from pathlib import Path

import pytest

from pyfunctools._json import JsonSchema
from pyfunctools.prompting.prompt.definitions import SharedDefinitions
from pyfunctools.schema import validate
from pyfunctools.schema.ground.references import defined_name, references_in
from pyfunctools.sources.openapi.reader import read_document


def over(definitions: JsonSchema, name: str = "A") -> JsonSchema:
    reference = {"$ref": f"#/$defs/{name}"}
    return {"type": "object", "properties": {"x": reference}, "$defs": definitions}


def x_of(schema: JsonSchema) -> object:
    return schema["properties"]["x"]  # type: ignore[index, call-overload]


def test_what_two_schemas_define_alike_is_there_once() -> None:
    shared_definitions = SharedDefinitions()
    first = shared_definitions.add(over({"A": {"type": "string"}}))
    second = shared_definitions.add(over({"A": {"type": "string"}}))
    assert first == second
    assert shared_definitions.definitions == {"A": {"type": "string"}}


def test_what_they_define_differently_under_one_name_gets_two_names() -> None:
    shared_definitions = SharedDefinitions()
    shared_definitions.add(over({"A": {"type": "string"}}))
    second = shared_definitions.add(over({"A": {"type": "integer"}}))
    assert x_of(second) == {"$ref": "#/$defs/A_2"}
    assert shared_definitions.definitions == {"A": {"type": "string"}, "A_2": {"type": "integer"}}


def test_definitions_that_read_alike_but_lead_elsewhere_are_two() -> None:
    shared_definitions = SharedDefinitions()
    to_b = {"type": "array", "items": {"$ref": "#/$defs/B"}}
    shared_definitions.add(over({"A": to_b, "B": {"type": "string"}}))
    second = shared_definitions.add(over({"A": to_b, "B": {"type": "integer"}}))
    assert x_of(second) == {"$ref": "#/$defs/A_2"}
    assert shared_definitions.definitions["A_2"] == {
        "type": "array",
        "items": {"$ref": "#/$defs/B_2"},
    }
    third = shared_definitions.add(over({"A": to_b, "B": {"type": "integer"}}))
    assert third == second


def test_definitions_that_lead_to_one_another_keep_to_their_own() -> None:
    def pair(kind: str) -> JsonSchema:
        a = {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}}
        b = {"anyOf": [{"type": kind}, {"$ref": "#/$defs/A"}]}
        return over({"A": a, "B": b})

    shared_definitions = SharedDefinitions()
    schemas = [shared_definitions.add(pair(kind)) for kind in ("string", "integer", "string")]
    assert schemas[0] == schemas[2]
    assert len(shared_definitions.definitions) == 4
    for schema, right, wrong in [(schemas[0], "x", 1), (schemas[1], 1, "x")]:
        whole = {**schema, "$defs": shared_definitions.definitions}
        assert validate(whole, {"x": {"b": {"b": right}}})
        assert not validate(whole, {"x": {"b": {"b": wrong}}})


def test_a_name_made_anew_takes_none_that_is_there() -> None:
    shared_definitions = SharedDefinitions()
    shared_definitions.add(over({"A": {"type": "string"}}))
    shared_definitions.add(over({"A_2": {"type": "null"}}, "A_2"))
    assert x_of(shared_definitions.add(over({"A": {"type": "integer"}}))) == {"$ref": "#/$defs/A_3"}


@pytest.mark.parametrize(
    ("name", "reference", "plain"),
    [
        ("Page[Item]", "Page%5BItem%5D", "Page_Item"),
        ("a/b c", "a~1b%20c", "a_b_c"),
        ("é\u200b", "%C3%A9%E2%80%8B", "definition"),
        ("string", "string", "string_2"),
    ],
)
def test_names_are_ascii_words_and_no_types(name: str, reference: str, plain: str) -> None:
    shared_definitions = SharedDefinitions()
    schema = shared_definitions.add(over({name: {"type": "boolean"}}, reference))
    assert x_of(schema) == {"$ref": f"#/$defs/{plain}"}
    assert shared_definitions.definitions == {plain: {"type": "boolean"}}


def test_the_mapping_of_a_discriminator_is_renamed_with_its_branches() -> None:
    def union(kind: str) -> JsonSchema:
        tag = {"propertyName": "kind", "mapping": {"a": "#/$defs/A"}}
        whole = {"anyOf": [{"$ref": "#/$defs/A"}], "discriminator": tag}
        return {**whole, "$defs": {"A": {"type": kind}}}

    shared_definitions = SharedDefinitions()
    shared_definitions.add(union("object"))
    second = shared_definitions.add(union("array"))
    assert second["anyOf"] == [{"$ref": "#/$defs/A_2"}]
    assert second["discriminator"]["mapping"] == {"a": "#/$defs/A_2"}  # type: ignore[index, call-overload]


def test_titles_comments_and_extensions_go_and_properties_of_such_names_stay() -> None:
    schema = {
        "title": "T",
        "$comment": "C",
        "x-own": 1,
        "properties": {"title": {"title": "T", "type": "string"}, "x-a": {"default": 1}},
        "enum": [{"title": "kept"}],
    }
    before = copy.deepcopy(schema)
    assert SharedDefinitions().add(schema) == {
        "properties": {"title": {"type": "string"}, "x-a": {"default": 1}},
        "enum": [{"title": "kept"}],
    }
    assert schema == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        "v3.1/samchon-openapi--v3.1_shopping.json",
        "v3.1/openai-openai-openapi--openapi.json",
        "v2.0/kubernetes-client-python--kubernetes_swagger.json",
    ],
)
def test_a_whole_document_leaves_no_reference_dangling(shared: Path, file: str) -> None:
    shared_definitions = SharedDefinitions()
    schemas = [
        shared_definitions.add(each.parameters)
        for each in read_document(shared / "corpus" / file).functions
    ]
    found = {defined_name(reference) for schema in schemas for reference in references_in(schema)}
    found |= {
        defined_name(each) for each in references_in({"$defs": shared_definitions.definitions})
    }
    assert found == set(shared_definitions.definitions)
