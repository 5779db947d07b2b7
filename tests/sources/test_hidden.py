"""Hidden characters in the names and values of others' schemas reach no model."""

import json
from typing import Any

import pytest

from pyfunctools import Controller, Function
from pyfunctools._text import hidden_count
from pyfunctools.sources.hidden import may_have_hidden
from pyfunctools.sources.mcp import read_tools

TAG, BIDI, ZERO = "\U000e0041", "\u202e", "\u200b"
SOURCES = ["mapping", "text", "escaped text", "mcp"]


def read(source: str, schema: Any) -> tuple[tuple[Function, ...], Any]:
    """Return the functions, and the skipped ones, of a source with this schema of a body."""
    if source == "mcp":
        wrapped = {"type": "object", "properties": {"body": schema}}
        found = read_tools([{"name": "f", "inputSchema": wrapped}], server="s")
        return found.functions, found.skipped
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Teas", "version": "1"},
        "paths": {"/a": {"post": {"requestBody": body}}},
        "components": {"schemas": {"A": {"type": "object", "properties": {"inner": schema}}}},
    }
    text = json.dumps(document, ensure_ascii=source == "escaped text")
    controller = Controller.from_openapi(document if source == "mapping" else text)
    return controller.functions, controller.skipped


def shown(function: Function) -> str:
    texts = [function.description, *map(str, function.notes)]
    dialects = ("openai", "anthropic", "gemini", "mcp")
    schemas = [function.parameters, *(function.render(each).schema for each in dialects)]
    return "".join([*texts, *(json.dumps(each, ensure_ascii=False) for each in schemas)])


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("hidden", [TAG, BIDI, ZERO], ids=ascii)
@pytest.mark.parametrize(
    "schema",
    [
        {"enum": ["a", "b{}"]},
        {"enum": [{"a{}": 1}]},
        {"const": "{}a"},
        {"properties": {"a{}": {}}},
        {"properties": {"a": {"const": "{}"}}},
        {"items": {"anyOf": [{"required": ["{}x"]}, {}]}},
        {"patternProperties": {"^{}": {}}},
    ],
)
def test_a_hidden_character_in_a_name_or_a_value_skips_the_function(
    source: str, hidden: str, schema: Any
) -> None:
    written = _filled(schema, hidden)
    functions, (skipped,) = read(source, written)
    assert functions == ()
    assert "hidden character" in skipped.reason
    assert not hidden_count(f"{skipped.where}{skipped.reason}{skipped.pointer}")


def _filled(value: Any, hidden: str) -> Any:
    if isinstance(value, dict):
        return {key.replace("{}", hidden): _filled(inner, hidden) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, hidden) for inner in value]
    return value.replace("{}", hidden) if isinstance(value, str) else value


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("keyword", ["default", "pattern", "format"])
def test_a_hidden_character_that_only_explains_is_left_out(source: str, keyword: str) -> None:
    text = f"a{TAG}b"
    schema = {"type": "string", keyword: text}
    (function,), skipped = read(source, schema)
    assert skipped == ()
    assert not hidden_count(shown(function))
    assert any("hidden character" in note.text for note in function.notes)


def test_a_parameter_with_a_hidden_name_skips_the_function() -> None:
    parameter = {"name": f"a{ZERO}", "in": "query", "schema": {"type": "string"}}
    document = {
        "openapi": "3.1.0",
        "info": {},
        "paths": {f"/a{ZERO}": {"get": {"parameters": [parameter]}, "put": {"responses": {}}}},
    }
    controller = Controller.from_openapi(document)
    assert [each.where for each in controller.skipped] == ["GET /a"]
    assert len(controller) == 1


def test_an_output_with_a_hidden_name_is_unknown() -> None:
    schema = {"type": "object", "properties": {f"a{ZERO}": {}}}
    answer = {"description": "A.", "content": {"application/json": {"schema": schema}}}
    paths = {"/a": {"get": {"responses": {"200": answer}}}}
    (function,) = Controller.from_openapi({"openapi": "3.1.0", "info": {}, "paths": paths})
    assert function.output is None
    assert "The output is unknown" in function.notes[0].text


@pytest.mark.parametrize("text", ["é — “x” 中文 😀", r"\n \u00e9 \u2019 \t", "a\r\n\tb"])
def test_ordinary_texts_need_no_closer_look(text: str) -> None:
    assert not may_have_hidden(text)
