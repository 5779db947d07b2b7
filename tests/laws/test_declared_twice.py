"""A parameter that is declared twice keeps the mark of either declaration."""

from typing import Any

import pytest

from pyfunctools import Controller, Function

TEXT = {"type": "string"}
PASSWORD = {"type": "string", "format": "password"}
MARKED = {"type": "string", "x-human": True}


def header(name: str, schema: Any = TEXT, **rest: Any) -> dict[str, Any]:
    return {"name": name, "in": "header", "schema": schema, **rest}


def names_of_model(function: Function) -> Any:
    return function.parameters if function.separated is None else function.separated.llm


def llm(of_path: Any, of_operation: Any, **settings: Any) -> Any:
    """Return the headers that the model may set, by their names in lower case."""
    operation = {"parameters": of_operation, "responses": {"200": {"description": ""}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"parameters": of_path, "get": operation}},
        "components": {
            "parameters": {"Token": header("X-Token", MARKED)},
            "schemas": {"Secret": PASSWORD},
        },
    }
    with Controller.from_openapi(document, server="http://127.0.0.1:9", **settings) as controller:
        schema = names_of_model(controller.functions[0])
    found = schema["properties"].get("header", {}).get("properties", {})
    return {name.lower() for name in found}


REFERENCE = {"$ref": "#/components/parameters/Token"}
TWICE: dict[str, tuple[Any, Any]] = {
    "mark-first": ([], [header("X-Token", MARKED), header("x-token")]),
    "mark-last": ([], [header("X-Token"), header("x-token", MARKED)]),
    "mark-on-the-parameter": ([], [header("X-TOKEN", **{"x-human": True}), header("x-token")]),
    "mark-behind-a-reference": ([], [REFERENCE, header("x-token")]),
    "secret-by-its-format": ([], [header("X-Token", PASSWORD), header("x-token")]),
    "secret-behind-a-reference": (
        [],
        [header("X-Token", {"$ref": "#/components/schemas/Secret"}), header("x-token")],
    ),
    "a-mark-and-its-opposite": (
        [],
        [header("X-Token", MARKED), header("x-token", {"type": "string", "x-human": False})],
    ),
    "three-times": ([], [header("X-Token", MARKED), header("x-token"), header("X-token")]),
    "of-the-path": ([header("X-Token", MARKED)], [header("x-token")]),
    "of-the-path-alike": ([header("X-Token", MARKED)], [header("X-Token")]),
    "of-the-operation": ([header("X-Token")], [header("x-token", MARKED)]),
}


@pytest.mark.parametrize(("of_path", "of_operation"), TWICE.values(), ids=TWICE)
def test_a_header_declared_twice_is_the_persons_if_either_is(
    of_path: Any, of_operation: Any
) -> None:
    assert llm(of_path, [header("X-Other"), *of_operation]) == {"x-other"}


OF_MODEL: dict[str, tuple[Any, Any]] = {
    "no-mark": ([], [header("X-Token"), header("x-token")]),
    "no-longer-the-persons": (
        [header("X-Token", MARKED)],
        [header("x-token", **{"x-human": False})],
    ),
}


@pytest.mark.parametrize(("of_path", "of_operation"), OF_MODEL.values(), ids=OF_MODEL)
def test_a_header_declared_twice_is_the_models_if_both_are(of_path: Any, of_operation: Any) -> None:
    assert llm(of_path, of_operation) == {"x-token"}


def test_without_a_predicate_marks_have_no_effect() -> None:
    twice = [header("X-Token", MARKED), header("x-token")]
    assert llm([], twice, is_human=None) == {"x-token"}


def test_query_parameters_that_differ_in_case_are_different() -> None:
    operation = {
        "parameters": [
            {"name": "pin", "in": "query", "schema": MARKED},
            {"name": "Pin", "in": "query", "schema": TEXT},
        ],
        "responses": {"200": {"description": ""}},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"get": operation}},
    }
    with Controller.from_openapi(document, server="http://127.0.0.1:9") as controller:
        query = names_of_model(controller.functions[0])["properties"]["query"]
    assert [*query["properties"]] == ["Pin"]
