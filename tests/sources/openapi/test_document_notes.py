"""Notes on schemas, references and hidden characters of an operation."""

import copy
import pickle
from dataclasses import replace
from typing import Any

import pytest

from pyfunctools import Function
from pyfunctools.note import Note
from pyfunctools.record.function import contract_of
from pyfunctools.schema.normalization.oddities import SIBLINGS_NOTE
from pyfunctools.sources.openapi.reader import read_document

OPERATION = "/paths/~1a/post"


def only(operation: Any, version: str = "3.1.0", **components: Any) -> Function:
    document: Any = {
        "openapi": version,
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"post": {"responses": {}, **operation}}},
        "components": components,
    }
    [function] = read_document(document).functions
    return function


def query(name: str, schema: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema, **more}


def body(schema: Any, **more: Any) -> dict[str, Any]:
    return {"requestBody": {"content": {"application/json": {"schema": schema}}, **more}}


SCHEMA = f"{OPERATION}/requestBody/content/application~1json/schema"


def test_a_sound_operation_has_no_notes() -> None:
    function = only({"parameters": [query("q", {"type": "string"})], **body({"type": "object"})})
    assert function.notes == ()


@pytest.mark.parametrize(
    ("operation", "note"),
    [
        (
            {"parameters": [query("q", {"pattern": "("})]},
            Note(
                text='`pattern` cannot be "(", and is left out.',
                pointer=f"{OPERATION}/parameters/0/schema/pattern",
            ),
        ),
        (
            {"parameters": [query("q", {}, description="a\u200b")]},
            Note(
                text="1 hidden character is left out of the description of 'q'.",
                pointer=f"{OPERATION}/parameters/0/schema",
            ),
        ),
        (
            body({"properties": {"a": {"title": "x\u202e"}}}),
            Note(
                text="1 hidden character is left out of `title`.",
                pointer=f"{SCHEMA}/properties/a/title",
            ),
        ),
        (
            body({}, description="\u2066a"),
            Note(
                text="1 hidden character is left out of the description of the body.",
                pointer=SCHEMA,
            ),
        ),
        (
            {"responses": {"200": {"content": {"application/json": {"schema": {"enum": []}}}}}},
            Note(
                text="`enum` cannot be an empty list, and is left out.",
                pointer=f"{OPERATION}/responses/200/content/application~1json/schema/enum",
            ),
        ),
        (
            {"requestBody": {"content": {"chemical/x-pdb": {}}}},
            Note(
                text="The body of type 'chemical/x-pdb' is sent as given.",
                pointer=OPERATION,
            ),
        ),
        (
            {"description": "x" * 1025},
            Note(
                text="The description is longer than the 1,024 characters that every vendor takes."
            ),
        ),
        (
            {"summary": "a\U000e0041"},
            Note(text="1 hidden character is left out of the description."),
        ),
    ],
)
def test_an_oddity_is_noted_with_its_place(operation: Any, note: Note) -> None:
    function = only(operation)
    assert note in function.notes
    assert function.parameters


def test_a_description_of_the_longest_that_all_take_is_not_odd() -> None:
    assert only({"description": "x" * 1024}).notes == ()


def test_hidden_characters_of_tags_are_noted_without_a_description_too() -> None:
    document: Any = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"get": {"tags": ["a\u200b"], "responses": {}}}},
    }
    [function] = read_document(document, describe="brief").functions
    assert function.tags == ("a",)
    assert function.notes == (Note(text="1 hidden character is left out of the tags."),)


def test_notes_on_definitions_are_found_even_when_normalization_merges_them() -> None:
    schemas = {
        "A": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"type": "object"}]},
        "Base": {"properties": {"next": {"$ref": "#/components/schemas/A"}, "x": {"enum": []}}},
        "Unused": {"enum": []},
    }
    function = only(body({"$ref": "#/components/schemas/A"}), schemas=schemas)
    assert function.notes == (
        Note(
            text="`enum` cannot be an empty list, and is left out.",
            pointer="/components/schemas/Base/properties/x/enum",
        ),
    )


@pytest.mark.parametrize(
    ("version", "noted"), [("3.0.3", True), ("3.1.0", False), ("3.2.0", False)]
)
def test_siblings_of_a_schema_reference_are_noted_before_3_1(version: str, noted: bool) -> None:
    function = only(
        body({"$ref": "#/components/schemas/A", "description": "One."}),
        version,
        schemas={"A": {"type": "object"}},
    )
    assert (Note(text=SIBLINGS_NOTE, pointer=SCHEMA) in function.notes) is noted


def test_ignored_siblings_of_other_references_are_noted() -> None:
    function = only(
        {
            "parameters": [{"$ref": "#/components/parameters/P", "required": True, "x-a": 1}],
            "requestBody": {"$ref": "#/components/requestBodies/B", "description": "Mine."},
            "responses": {"200": {"$ref": "#/components/responses/R", "description": "Fine."}},
        },
        parameters={"P": query("q", {"type": "string"})},
        requestBodies={"B": {"content": {"application/json": {"schema": {}}}}},
        responses={"R": {"description": "OK"}},
    )
    assert function.notes == (
        Note(
            text="`description` beside the `$ref` is not read.", pointer=f"{OPERATION}/requestBody"
        ),
        Note(text="`required` beside the `$ref` is not read.", pointer=f"{OPERATION}/parameters/0"),
    )
    assert "required" not in function.parameters["properties"]["query"]  # type: ignore[operator,index,call-overload]


def test_notes_are_neither_in_equality_nor_in_the_repr_and_survive_copies() -> None:
    odd = only({**body({"enum": []}), "description": "\u200b"})
    assert len(odd.notes) == 2
    assert replace(odd, _noted=()) == odd
    assert "noted" not in repr(odd)
    for again in (pickle.loads(pickle.dumps(odd)), copy.deepcopy(odd)):
        assert again.notes == odd.notes != ()


def test_notes_are_made_only_when_they_are_read() -> None:
    function = only(body({"enum": []}))
    assert function.parameters
    assert "notes" not in vars(contract_of(function))
    assert function.notes
    assert "notes" in vars(contract_of(function))
