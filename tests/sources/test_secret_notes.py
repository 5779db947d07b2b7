"""Fields of a document that sound like secrets, and that nobody marked, are noted."""

import re
from typing import Any

import pytest

from pyfunctools import Controller

TEXT = {"type": "string"}


def notes(parameters: Any = (), properties: Any = None, **more: Any) -> list[str]:
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}
    operation = {"parameters": [*parameters], "requestBody": body, **more}
    schema = {"type": "object", "properties": properties or {}}
    document = {
        "openapi": "3.1.0",
        "info": {},
        "paths": {"/a/{id}": {"post": operation}},
        "components": {"schemas": {"A": schema}},
    }
    (function,) = Controller.from_openapi(document)
    return [note.text for note in function.notes if "sounds like" in note.text]


def parameter(name: str, location: str = "query", **more: Any) -> Any:
    return {"name": name, "in": location, "schema": TEXT, **more}


@pytest.mark.parametrize(
    ("name", "location"),
    [
        ("token", "header"),
        ("api_key", "query"),
        ("authorization", "query"),
        ("sid_token", "cookie"),
    ],
)
def test_a_parameter_that_is_a_credential_is_noted_with_the_line_that_fixes_it(
    name: str, location: str
) -> None:
    (text,) = notes([parameter(name, location)])
    assert f'configured(fixed={{"$input.{location}.{name}": ...}})' in text


def test_the_line_that_fixes_a_credential_is_python_whatever_its_name() -> None:
    (text,) = notes([parameter("X-Api-Key", "header")])
    (line,) = re.findall(r"`(controller\..*)`", text)
    assert "'$input.header[\"X-Api-Key\"]'" in line
    compile(line, "the note", "eval")


def test_a_field_that_sounds_like_a_secret_is_noted_with_the_ways_to_mark_it() -> None:
    (text,) = notes(properties={"password": TEXT, "name": TEXT})
    assert text.startswith("`password` sounds like a secret")
    assert "x-human: true" in text


@pytest.mark.parametrize(
    "properties",
    [
        {"password": {**TEXT, "format": "password"}},
        {"password": {**TEXT, "x-human": True}},
        {"password": {**TEXT, "x-human": False}},
        {"password_policy": {"type": "string", "enum": ["weak", "strong"]}},
        {"next_page_token": TEXT},
        {"max_tokens": {"type": "integer"}},
    ],
)
def test_what_is_marked_or_no_secret_is_not_noted(properties: Any) -> None:
    assert notes(properties=properties) == []
    assert notes([parameter("page_token")]) == []
