"""The schemas of a function."""

import json
import pickle
import threading

import pytest

from pyfunctools._json import JsonObject, JsonValue, members_of
from pyfunctools.errors import DocumentError
from pyfunctools.record.contract import Contract
from pyfunctools.record.function import contract_of
from pyfunctools.schema import normalize
from pyfunctools.schema.separation.predicates import is_human_by_default
from pyfunctools.sources.openapi.document import Document
from pyfunctools.sources.openapi.function_schemas import SchemaMaker
from pyfunctools.sources.openapi.load import load
from pyfunctools.sources.openapi.operations import Operation, operations
from pyfunctools.sources.openapi.reader import read_document
from pyfunctools.sources.openapi.routes import Plan, Routes

TEXT: JsonObject = {"type": "string"}
CLOSED: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}


def made(operation: JsonObject, path: str = "/a", **named: JsonValue) -> Contract:
    loaded = load({"paths": {path: {"post": operation}}, "components": {"schemas": named}})
    document = Document(loaded)
    (operation_,) = operations(document)
    assert isinstance(operation_, Operation)
    plan = Routes(document).plan(operation_)
    assert isinstance(plan, Plan), plan
    return SchemaMaker(document, is_human_by_default).make(plan)


def parameter(name: str, location: str = "query", **more: JsonValue) -> JsonObject:
    return {"name": name, "in": location, "schema": TEXT, **more}


def json_body(schema: JsonValue, **more: JsonValue) -> JsonObject:
    return {"requestBody": {"content": {"application/json": {"schema": schema}}, **more}}


def answer(schema: JsonValue) -> JsonObject:
    return {"responses": {"200": {"content": {"application/json": {"schema": schema}}}}}


def test_without_inputs_the_parameters_are_empty_and_closed() -> None:
    found = made({})
    assert found.parameters == CLOSED
    assert found.output is None
    assert found.separated is None


def test_the_parameters_are_one_closed_object_in_their_order() -> None:
    operation: JsonObject = {
        **json_body({"$ref": "#/components/schemas/Pet"}, required=True),
        "parameters": [
            parameter("c", "cookie"),
            parameter("X-H", "header"),
            parameter("q", required=True),
            parameter("p"),
            parameter("id", "path"),
        ],
    }
    found = made(
        operation,
        "/a/{id}",
        Pet={"properties": {"owner": {"$ref": "#/components/schemas/P"}}},
        P=TEXT,
    )
    assert json.dumps(found.parameters) == json.dumps(
        {
            "type": "object",
            "properties": {
                "id": TEXT,
                "query": {
                    "type": "object",
                    "properties": {"q": TEXT, "p": TEXT},
                    "required": ["q"],
                    "additionalProperties": False,
                },
                "header": {
                    "type": "object",
                    "properties": {"X-H": TEXT},
                    "additionalProperties": False,
                },
                "cookie": {
                    "type": "object",
                    "properties": {"c": TEXT},
                    "additionalProperties": False,
                },
                "body": {"$ref": "#/$defs/Pet"},
            },
            "required": ["id", "query", "body"],
            "additionalProperties": False,
            "$defs": {"Pet": {"properties": {"owner": {"$ref": "#/$defs/P"}}}, "P": TEXT},
        }
    )
    assert normalize(found.parameters) == found.parameters


def test_a_querystring_parameter_is_the_group_query() -> None:
    schema: JsonObject = {"type": "object", "properties": {"a": TEXT}}
    content: JsonObject = {"application/x-www-form-urlencoded": {"schema": schema}}
    operation: JsonObject = {
        "parameters": [{"name": "q", "in": "querystring", "content": content, "required": True}]
    }
    assert made(operation).parameters == {
        "type": "object",
        "properties": {"query": schema},
        "required": ["query"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (TEXT, {"type": "string", "description": "d", "deprecated": True, "examples": [1]}),
        (
            {"type": "string", "description": "own", "example": 2, "deprecated": False},
            {"type": "string", "description": "own", "examples": [2], "deprecated": False},
        ),
        (True, {"description": "d", "deprecated": True, "examples": [1]}),
        (False, False),
        (
            {"$ref": "#/components/schemas/S"},
            {"$ref": "#/$defs/S", "description": "d", "deprecated": True, "examples": [1]},
        ),
    ],
)
def test_annotations_of_a_parameter_are_put_on_its_schema(
    schema: JsonValue, expected: JsonValue
) -> None:
    entry = parameter("a", schema=schema, description="d", deprecated=True, example=1)
    found = made({"parameters": [entry]}, S={"type": "string", "description": "of S"}).parameters
    group = found["properties"]["query"]  # pyright: ignore
    assert group["properties"]["a"] == expected  # pyright: ignore


def test_a_marked_parameter_is_the_humans() -> None:
    operation: JsonObject = {
        "parameters": [parameter("a", **{"x-human": True}), parameter("b", "header")],
        **json_body(TEXT, **{"x-samchon-human": True}),
    }
    found = made(operation)
    sides = found.separated
    assert sides is not None
    model, person = sides.llm["properties"], (sides.human or {})["properties"]
    assert isinstance(model, dict)
    assert isinstance(person, dict)
    assert sorted(person) == ["body", "query"]
    assert "body" not in model


def test_hidden_characters_are_left_out_of_descriptions() -> None:
    found = made({"parameters": [parameter("a", description="a\u202eb")]}).parameters
    assert "\u202e" not in json.dumps(found, ensure_ascii=False)


def test_the_description_of_a_body_goes_onto_its_schema() -> None:
    found = made(json_body(TEXT, description="d"))
    assert found.parameters["properties"] == {"body": {"type": "string", "description": "d"}}


PET: JsonObject = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "password": {"type": "string", "writeOnly": True},
        "name": TEXT,
        "made": {"$ref": "#/components/schemas/Stamp"},
    },
    "required": ["id", "password", "name"],
}
STAMP: JsonObject = {"type": "string", "readOnly": True}


def test_examples_of_the_body_and_of_parameters_make_examples_of_arguments() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"age": {"type": "integer"}, "key": {"type": "string", "x-human": True}},
    }
    operation: JsonObject = {
        "parameters": [parameter("q", required=True, example="a\u200bb")],
        "requestBody": {
            "content": {
                "application/json": {
                    "schema": schema,
                    "examples": {
                        "wrong": {"value": {"age": "old"}},
                        "long": {"value": {"more": "x" * 4_000}},
                        "right": {"value": {"age": 1, "key": "secret"}},
                        "second": {"$ref": "#/components/examples/Second"},
                        "missing": {"$ref": "#/components/examples/Missing"},
                        "third": {"value": {}},
                        "fourth": {"value": {"age": 4}},
                    },
                }
            }
        },
    }
    loaded = load(
        {
            "openapi": "3.1.0",
            "paths": {"/a": {"post": operation}},
            "components": {"examples": {"Second": {"value": {"age": 2}}}},
        }
    )
    (function,) = read_document(loaded.root).functions
    bodies: list[JsonObject] = [{"age": 1}, {"age": 2}, {}]
    expected = tuple({"query": {"q": "ab"}, "body": body} for body in bodies)
    assert contract_of(function).examples == expected
    restored = pickle.loads(pickle.dumps(function))
    assert contract_of(restored).examples == expected


def test_without_an_example_of_a_required_input_there_is_none() -> None:
    needed = [parameter("q", required=True), parameter("p", example="x")]
    assert made({"parameters": [*needed]}).examples == ()
    assert made({"parameters": needed[1:]}).examples == ({"query": {"p": "x"}},)


def test_read_only_is_not_sent_and_write_only_is_not_returned() -> None:
    reference: JsonObject = {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}
    found = made({**json_body(reference), **answer(reference)}, Pet=PET, Stamp=STAMP)
    sent, received = found.parameters["$defs"], (found.output or {})["$defs"]
    assert sent == {
        "Pet": {
            "type": "object",
            "properties": {"password": {"type": "string", "writeOnly": True}, "name": TEXT},
            "required": ["password", "name"],
        }
    }
    assert received == {
        "Pet": {
            "type": "object",
            "properties": {
                "id": {"type": "integer", "readOnly": True},
                "name": TEXT,
                "made": {"$ref": "#/$defs/Stamp"},
            },
            "required": ["id", "name"],
        },
        "Stamp": STAMP,
    }
    assert found.separated is not None


def test_a_parameter_and_a_body_that_are_read_only_themselves_stay() -> None:
    operation: JsonObject = {
        "parameters": [parameter("a", schema={"type": "string", "readOnly": True})],
        **json_body({"$ref": "#/components/schemas/Stamp"}),
    }
    found = made(operation, Stamp=STAMP).parameters["properties"]
    assert isinstance(found, dict)
    assert list(found) == ["query", "body"]


def test_the_output_is_any_schema() -> None:
    assert made(answer({"type": "integer"})).output == {"type": "integer"}
    assert made(answer(True)).output == {}
    assert made(answer(False)).output == {"not": {}}
    assert made(answer({"$ref": "#/components/schemas/T"}), T=TEXT).output == {
        "$ref": "#/$defs/T",
        "$defs": {"T": TEXT},
    }


def test_an_unreadable_schema_is_an_error_with_the_operation() -> None:
    with pytest.raises(DocumentError) as caught:
        made(json_body({"$ref": "#/components/schemas/T"}), T={"enum": ["\ud800"]})
    assert "(at /components/schemas/T)" in str(caught.value)


def test_many_threads_give_one_result() -> None:
    named: dict[str, JsonValue] = {
        f"S<{i}>": {"properties": {"a": {"$ref": f"#/components/schemas/S<{(i * 7 + 1) % 40}>"}}}
        for i in range(40)
    }
    paths: dict[str, JsonValue] = {
        f"/{i}": {"post": json_body({"$ref": f"#/components/schemas/S<{i}>"})} for i in range(40)
    }

    root: JsonObject = {"openapi": "3.1.0", "paths": paths, "components": {"schemas": named}}
    expected = [each.parameters for each in read_document(root).functions]
    functions = read_document(root).functions
    found: list[JsonObject | None] = [None] * 40

    def build(start: int) -> None:
        for index in range(start, 40, 4):
            found[index] = functions[index].parameters

    threads = [threading.Thread(target=build, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def test_a_base_of_hundreds_of_subtypes_does_not_bring_them_into_a_function() -> None:
    count = 300
    mapping = {f"#t{i}": f"#/components/schemas/t{i}" for i in range(1, count)}
    base = {"type": "object", "discriminator": {"propertyName": "@type", "mapping": mapping}}
    schemas: dict[str, JsonValue] = {"t0": base}
    for index in range(1, count):
        related = {"$ref": f"#/components/schemas/t{index * 7 % count}"}
        own = {"type": "object", "properties": {"related": related}}
        schemas[f"t{index}"] = {"allOf": [{"$ref": f"#/components/schemas/t{index // 2}"}, own]}
    content: JsonObject = {"application/json": {"schema": {"$ref": "#/components/schemas/t0"}}}
    operation: JsonObject = {
        "requestBody": {"content": content},
        "responses": {"200": {"content": content}},
    }
    contract = made(operation, **schemas)
    for schema in (contract.parameters, contract.output):
        assert schema is not None
        assert [*members_of(schema["$defs"])] == ["t0"]
