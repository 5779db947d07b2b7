"""The parameters of an operation."""

import pytest

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.route import Encoding, Parameter
from pyfunctools.sources.openapi.document import Document, DocumentPlace
from pyfunctools.sources.openapi.load import Loaded
from pyfunctools.sources.openapi.operation_parameters import (
    FoundParameters,
    ParameterInput,
    Parameters,
    Security,
)
from pyfunctools.sources.openapi.operations import Operation, operations


def found(
    operation: JsonValue, item: JsonObject | None = None, **root: JsonValue
) -> FoundParameters:
    whole: JsonObject = {
        "paths": {"/a": {"get": {"parameters": operation}, **(item or {})}},
        **root,
    }
    document = Document(Loaded(root=whole, name="a.json"))
    (read,) = operations(document)
    assert isinstance(read, Operation)
    return Parameters(document, Security(document)).of(read)


def one(raw: JsonObject, **root: JsonValue) -> ParameterInput:
    (read,) = found([raw], **root).inputs.values()
    return read


FORM = "application/x-www-form-urlencoded"
TEXT: JsonObject = {"type": "string"}


@pytest.mark.parametrize(
    ("raw", "parameter"),
    [
        (
            {"name": "id", "in": "path", "schema": TEXT},
            Parameter(name="id", location="path", argument=("id",), required=True, schema=TEXT),
        ),
        (
            {
                "name": "q",
                "in": "query",
                "schema": TEXT,
                "allowReserved": True,
                "allowEmptyValue": True,
            },
            Parameter(
                name="q",
                location="query",
                argument=("query", "q"),
                style="form",
                explode=True,
                allow_reserved=True,
                schema=TEXT,
            ),
        ),
        (
            {"name": "X-A", "in": "header", "required": True, "explode": True},
            Parameter(
                name="X-A",
                location="header",
                argument=("header", "X-A"),
                required=True,
                explode=True,
                schema={},
            ),
        ),
        (
            {"name": "c", "in": "cookie", "schema": False, "style": "cookie"},
            Parameter(
                name="c",
                location="cookie",
                argument=("cookie", "c"),
                style="cookie",
                explode=True,
                schema=False,
            ),
        ),
        (
            {"name": "q", "in": "query", "content": {"application/json": {"schema": TEXT}}},
            Parameter(
                name="q",
                location="query",
                argument=("query", "q"),
                style="form",
                explode=True,
                content_type="application/json",
                schema=TEXT,
            ),
        ),
        (
            {"name": "q", "in": "query", "content": {"text/plain": None}},
            Parameter(
                name="q",
                location="query",
                argument=("query", "q"),
                style="form",
                explode=True,
                content_type="text/plain",
                schema=TEXT,
            ),
        ),
        (
            {
                "name": "q",
                "in": "querystring",
                "content": {"application/jsonpath": {"schema": TEXT}},
            },
            Parameter(
                name="q",
                location="querystring",
                argument=("query",),
                content_type="application/jsonpath",
                schema=TEXT,
            ),
        ),
        (
            {
                "name": "q",
                "in": "querystring",
                "content": {
                    FORM: {"schema": TEXT, "encoding": {"a": {"style": "form", "explode": False}}}
                },
            },
            Parameter(
                name="q",
                location="querystring",
                argument=("query",),
                content_type=FORM,
                encoding={"a": Encoding(style="form", explode=False)},
                schema=TEXT,
            ),
        ),
        (
            {"name": "f", "in": "Query", "type": "array", "collectionFormat": "pipes"},
            Parameter(
                name="f",
                location="query",
                argument=("query", "f"),
                style="pipeDelimited",
                schema={"type": "array"},
            ),
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_parameter_has_its_place_on_the_wire_and_in_the_arguments(
    raw: JsonObject, parameter: Parameter
) -> None:
    read = one(raw)
    assert read.parameter == parameter
    assert read.notes == ()


@pytest.mark.parametrize(
    ("location", "style", "explode"),
    [
        ("path", "simple", False),
        ("path", "label", False),
        ("path", "matrix", False),
        ("query", "form", True),
        ("query", "spaceDelimited", False),
        ("query", "pipeDelimited", False),
        ("query", "deepObject", False),
        ("header", "simple", False),
        ("cookie", "form", True),
        ("cookie", "cookie", True),
    ],
)
def test_explode_is_on_for_form_and_cookie_alone(location: str, style: str, explode: bool) -> None:
    read = one({"name": "a", "in": location, "style": style, "schema": {}}).parameter
    assert (read.style, read.explode) == (style, explode)


@pytest.mark.parametrize(
    ("location", "style", "instead"),
    [
        ("path", "form", "simple"),
        ("header", "matrix", "simple"),
        ("query", "simple", "form"),
        ("query", 7, "form"),
        ("cookie", "deepObject", "form"),
    ],
)
def test_a_style_that_is_invalid_in_its_location_is_noted(
    location: str, style: JsonValue, instead: str
) -> None:
    read = one({"name": "a", "in": location, "style": style, "schema": {}})
    assert read.parameter.style == instead
    (note,) = read.notes
    assert f"'a' has the style {style!r}" in note


@pytest.mark.parametrize(
    "name",
    [
        "Accept",
        "accept",
        "Accept-Encoding",
        "Content-Type",
        "Authorization",
        "Host",
        "Content-Length",
        "Connection",
        "Transfer-Encoding",
        "Cookie",
        "Proxy-Authorization",
        "PROXY-x",
        "X-Forwarded-For",
        "x-forwarded-host",
    ],
)
def test_headers_of_http_itself_are_never_parameters(name: str) -> None:
    read = found([{"name": name, "in": "header", "required": True, "schema": TEXT}])
    assert not read.inputs
    assert read.notes == [f"The header {name!r} cannot be set by a caller, and is left out."]


@pytest.mark.parametrize("location", ["query", "cookie", "path"])
def test_reserved_header_names_are_free_in_other_locations(location: str) -> None:
    assert one({"name": "Accept", "in": location, "schema": TEXT}).parameter.name == "Accept"


@pytest.mark.parametrize(
    ("raw", "note"),
    [
        (7, "A parameter without a name is left out."),
        ({"in": "query"}, "A parameter without a name is left out."),
        ({"name": "", "in": "query"}, "A parameter without a name is left out."),
        ({"name": "a"}, "The parameter 'a' is in None, and is left out."),
        ({"name": "a", "in": "amongus"}, "The parameter 'a' is in 'amongus', and is left out."),
    ],
)
def test_an_invalid_parameter_is_left_out_with_a_note(raw: JsonValue, note: str) -> None:
    read = found([raw])
    assert (list(read.inputs), list(read.notes)) == ([], [note])


def test_an_object_of_parameters_is_taken_for_a_list() -> None:
    read = found({"a": {"name": "a", "in": "query", "schema": TEXT}})
    assert [each.parameter.name for each in read.inputs.values()] == ["a"]
    assert read.notes == ["The parameters are an object, and are read as a list."]


@pytest.mark.parametrize(("mark", "is_human"), [("x-human", True), ("x-samchon-human", False)])
def test_a_parameter_may_be_marked_for_people(mark: str, is_human: bool) -> None:
    raw: JsonObject = {"name": "a", "in": "query", "schema": TEXT}
    assert one({**raw, mark: is_human}).is_human is is_human
    assert one(raw).is_human is None


@pytest.mark.parametrize("listed", [None, 7, {}, []])
def test_parameters_that_are_not_a_list_are_ignored(listed: JsonValue) -> None:
    assert not found(listed).inputs


def test_an_invalid_schema_accepts_anything() -> None:
    read = one({"name": "a", "in": "query", "schema": 7})
    assert read.parameter.schema is True
    assert read.notes == ("The schema of 'a' is not a schema; any value is accepted.",)


def test_the_operation_goes_before_the_path_item() -> None:
    def described(text: str, name: str = "a", location: str = "query") -> JsonObject:
        return {"name": name, "in": location, "schema": TEXT, "description": text}

    item: JsonObject = {
        "parameters": [described("item"), described("kept", "b"), described("item", "X", "header")]
    }
    own: JsonValue = [
        described("own"),
        described("cookie", "a", "cookie"),
        described("own", "x", "header"),
    ]
    read = found(own, item)
    assert [(each.key, each.description) for each in read.inputs.values()] == [
        (("query", "a"), "own"),
        (("query", "b"), "kept"),
        (("header", "x"), "own"),
        (("cookie", "a"), "cookie"),
    ]


def test_references_are_followed_and_read_once() -> None:
    shared: JsonObject = {"name": "a", "in": "query", "schema": TEXT, "description": "shared"}
    references: JsonValue = [{"$ref": "#/p"}]
    first = found([*references, {"$ref": "#/p"}], p={"$ref": "#/q"}, q=shared)
    (read,) = first.inputs.values()
    assert first.notes == ["'a' is declared twice; the last one is used."]
    assert read.description == "shared"
    assert read.schema.pointer == "/q/schema"
    beside: JsonObject = {"$ref": "#/p", "description": "beside", "summary": "x"}
    assert one(beside, p=shared).description == "beside"
    assert one({"$ref": "#/p", "summary": "x"}, p=shared).description == "shared"


@pytest.mark.parametrize("reference", ["#/none", "b.json", "#/paths/~1a/get/parameters/0"])
def test_a_broken_reference_to_a_parameter_is_an_error(reference: str) -> None:
    with pytest.raises(DocumentError):
        found([{"$ref": reference}])


def test_examples_are_carried() -> None:
    raw: JsonObject = {
        "name": "a",
        "in": "query",
        "schema": TEXT,
        "deprecated": True,
        "example": 1,
        "examples": {
            "b": {"value": 2},
            "c": {"$ref": "#/e"},
            "d": {"dataValue": 4, "serializedValue": "a=4"},
            "e": {"externalValue": "http://127.0.0.1/x"},
            "f": {"$ref": "#/none"},
            "g": 7,
        },
    }
    read = one(raw, e={"value": 3})
    assert read.written.value == raw
    assert read.deprecated
    document = Document(Loaded(root={"e": {"value": 3}}, name="a.json"))
    assert [*document.examples(DocumentPlace(raw, "", document.main))] == [1, 2, 3, 4]


def test_bodies_of_swagger_stand_aside() -> None:
    body: JsonObject = {"name": "b", "in": "body", "schema": TEXT}
    field: JsonObject = {"name": "f", "in": "formData", "type": "string"}
    assert [place.value for place in found([field, body]).body] == [field, body]
    assert [place.value for place in found([body], {"parameters": [field]}).body] == [body]
    other: JsonObject = {**field, "name": "g"}
    assert [place.value for place in found([field], {"parameters": [other]}).body] == [other, field]
