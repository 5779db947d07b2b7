"""The owner of a place by default, by a predicate and by a mark, for classes and documents."""

import json
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, SecretBytes, SecretStr

from pyfunctools import Controller, Function, Human, function, human
from pyfunctools.errors import DefinitionError
from pyfunctools.schema.separation.predicates import any_of, is_file, is_secret

S = {"type": "string"}
FILE = {"type": "string", "format": "binary"}
PASSWORD = {"type": "string", "format": "password"}


class Form(BaseModel):
    note: str
    scan: Annotated[str, human("A scan", widget="file")]


class Office:
    """An office."""

    @function
    def apply(
        self,
        name: str,
        raw: bytes,
        form: Form,
        secret: SecretStr,
        token: SecretBytes | None,
        bare: Human[int],
        asked: Annotated[str, human("What to ask", widget="date")] = "x",
        papers: Annotated[list[str] | None, human("Papers", widget="file")] = None,
    ) -> str:
        """Apply."""
        return name


DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "T", "version": "1"},
    "components": {
        "securitySchemes": {
            "inQuery": {"type": "apiKey", "in": "query", "name": "key"},
            "inHeader": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "inCookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
        }
    },
    "security": [{"inQuery": [], "inHeader": [], "inCookie": []}],
    "paths": {
        "/apply": {
            "post": {
                "parameters": [
                    {"name": "key", "in": "query", "schema": S},
                    {"name": "X-Key", "in": "header", "schema": S},
                    {"name": "sid", "in": "cookie", "schema": S},
                    {"name": "Authorization", "in": "header", "schema": S},
                    {"name": "q", "in": "query", "schema": S},
                    {"name": "pin", "in": "query", "schema": PASSWORD},
                    {"name": "h", "in": "query", "x-human": True, "schema": S},
                ],
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "name": S,
                                    "scan": FILE,
                                    "more": {"type": "array", "items": FILE},
                                    "photo": {"contentMediaType": "image/png"},
                                    "text": {"type": "string", "contentMediaType": "text/csv"},
                                    "api_key": {"type": "string", "writeOnly": True},
                                    "vendor": {"type": "string", "x-acme-secret-key": "k"},
                                    "mine": {**PASSWORD, "x-human": False},
                                },
                            }
                        }
                    }
                },
            }
        }
    },
}


def names(schema: Any) -> set[str]:
    """Return the dotted names of the properties in a schema, without groups."""
    found: set[str] = set()
    for name, inner in (schema or {}).get("properties", {}).items():
        while "$ref" in inner:
            inner = schema["$defs"][inner["$ref"].removeprefix("#/$defs/")]
        below = names({**inner, "$defs": schema.get("$defs", {})})
        found |= {f"{name}.{each}" for each in below} or {name}
    return found


def of_class(**keywords: Any) -> Function:
    return Controller.from_object(Office(), **keywords)["apply"]


def of_document(**keywords: Any) -> Function:
    return Controller.from_openapi(DOCUMENT, **keywords)["apply_post"]


def human_names(made: Function) -> set[str]:
    return names(made.separated.human) if made.separated else set()


def model_names(made: Function) -> set[str]:
    return names(made.separated.llm if made.separated else made.parameters)


def test_by_default_secrets_files_and_marked_values_are_human() -> None:
    human = {"form.scan", "secret", "token", "bare", "asked", "papers"}
    assert human_names(of_class()) == human
    assert model_names(of_class()) == {"name", "raw", "form.note"}
    assert human_names(of_document()) == {
        "query.pin",
        "query.h",
        *(f"body.{name}" for name in ("scan", "more", "photo", "api_key", "vendor")),
    }
    assert model_names(of_document()) == {"query.q", "body.name", "body.text", "body.mine"}


def test_the_values_of_security_schemes_are_no_arguments() -> None:
    whole = json.dumps(of_document().parameters)
    for name in ("key", "X-Key", "sid", "Authorization"):
        assert f'"{name}"' not in whole


@pytest.mark.parametrize("made", [of_class, of_document])
def test_without_a_predicate_nothing_is_human(made: Any) -> None:
    assert made(is_human=None).separated is None


def test_a_named_predicate_selects_only_its_places() -> None:
    secrets, files = of_document(is_human=is_secret), of_document(is_human=is_file)
    assert human_names(secrets) == {
        "query.pin",
        "body.api_key",
        "body.vendor",
        "body.mine",
    }
    assert human_names(files) == {"body.scan", "body.more", "body.photo"}
    assert human_names(of_document(is_human=any_of(is_secret, is_file))) == human_names(
        secrets
    ) | human_names(files)
    # A mark gives `bytes` to the model, which only the default predicate respects.
    assert human_names(of_class(is_human=any_of(is_secret, is_file))) == {"secret", "token", "raw"}


@pytest.mark.parametrize(
    ("made", "place", "expected"),
    [(of_class, "$input.form.note", {"form.note"}), (of_document, "$input.query.q", {"query.q"})],
)
def test_a_custom_predicate_decides_by_path(made: Any, place: str, expected: set[str]) -> None:
    assert human_names(made(is_human=lambda path, _: path == place)) == expected


def test_a_custom_predicate_decides_by_schema() -> None:
    asked = of_class(is_human=lambda _, schema: "x-human-widget" in schema)
    assert human_names(asked) == {"form.scan", "asked", "papers"}


@pytest.mark.parametrize("made", [of_class, of_document])
def test_an_exception_of_a_predicate_is_an_error_with_the_place(made: Any) -> None:
    def raises(path: str, _: Any) -> bool:
        if str(path) in ("$input.form", "$input.query"):
            raise KeyError("something")
        return False

    broken = made(is_human=raises)
    for _ in range(2):  # the first error is not cached
        with pytest.raises(DefinitionError, match=r"\$input\.(form|query): .* KeyError"):
            _ = broken.separated


def test_an_exception_of_a_predicate_while_a_document_is_read_is_a_definition_error() -> None:
    parameter = {
        "name": "q",
        "in": "query",
        "description": "A",
        "schema": {**S, "description": "B"},
    }
    document = {**DOCUMENT, "paths": {"/a": {"get": {"parameters": [parameter]}}}}
    with pytest.raises(DefinitionError, match=r"\$input\.query\.q: .* ZeroDivisionError"):
        Controller.from_openapi(document, is_human=lambda _, __: 1 // 0 == 0)


def test_the_question_and_the_widget_are_only_in_the_human_side() -> None:
    made = of_class()
    assert made.separated is not None
    human_side: Any = made.separated.human
    asked = human_side["properties"]["asked"]
    assert (asked["x-human-ask"], asked["x-human-widget"]) == ("What to ask", "date")
    assert human_side["properties"]["papers"]["x-human-widget"] == "file"
    assert human_side["$defs"]["Form"]["properties"]["scan"]["x-human-ask"] == "A scan"
    for text in ("What to ask", "A scan", "Papers", "x-human-ask", "x-human-widget"):
        assert text not in json.dumps(made.separated.llm) + made.description


@pytest.mark.parametrize(
    "content",
    [
        {"application/octet-stream": {}},
        {"application/octet-stream": {"schema": S}},
        {"application/octet-stream": {"schema": FILE}},
        {"image/png": {}},
        {"application/pdf": {"schema": {}}},
    ],
    ids=str,
)
@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_a_body_of_bytes_is_a_file(content: Any, version: str) -> None:
    paths = {"/a": {"post": {"requestBody": {"content": content, "required": True}}}}
    (put,) = Controller.from_openapi({**DOCUMENT, "openapi": version, "paths": paths})
    assert human_names(put) == {"body"}


def test_a_file_of_swagger_2_is_one_too() -> None:
    parameters = [
        {"name": "scan", "in": "formData", "type": "file", "required": True},
        {"name": "pin", "in": "formData", "type": "string", "format": "password"},
        {"name": "name", "in": "formData", "type": "string"},
    ]
    operation = {"consumes": ["multipart/form-data"], "parameters": parameters}
    document = {"swagger": "2.0", "info": DOCUMENT["info"], "paths": {"/a": {"post": operation}}}
    (put,) = Controller.from_openapi(document)
    assert human_names(put) == {"body.scan", "body.pin"}
