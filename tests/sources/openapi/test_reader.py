"""Reading a document into functions."""

import copy
import json
import pickle
from pathlib import Path

import pytest
from clock import at_most
from stacks import on_stack

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DefinitionError, DocumentError
from pyfunctools.execution.request.assembly import HttpRequest, build
from pyfunctools.limits import Limits
from pyfunctools.record.function import Function
from pyfunctools.route import Route
from pyfunctools.sources.openapi.document import files_under
from pyfunctools.sources.openapi.reader import read_document

TEXT: JsonObject = {"type": "string"}


def document(paths: JsonValue, **more: JsonValue) -> JsonObject:
    return {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths, **more}


def only(
    operation: JsonValue, path: str = "/a", method: str = "get", **more: JsonValue
) -> Function:
    (function,) = read_document(document({path: {method: operation}}, **more)).functions
    return function


SHOP = document(
    {
        "/orders/{id}": {
            "get": {
                "operationId": "getOrder",
                "summary": "Get an order",
                "description": "With all of its items.",
                "tags": ["orders"],
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": TEXT},
                    {
                        "name": "full",
                        "in": "query",
                        "description": "All of it.",
                        "schema": {"type": "boolean", "description": "A flag."},
                    },
                ],
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                        }
                    }
                },
                "security": [{"key": ["read"]}],
            },
            "delete": {"deprecated": True, "responses": {"204": {"description": "Gone."}}},
        }
    },
    servers=[{"url": "https://shop.example"}],
    components={
        "schemas": {
            "Order": {
                "type": "object",
                "properties": {"next": {"$ref": "#/components/schemas/Order"}},
            }
        },
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    },
)


def test_a_document_becomes_functions() -> None:
    found = read_document(SHOP)
    assert found.title == "T"
    assert found.skipped == ()
    get, erase = found.functions
    assert get.name == "orders_getById"
    assert get.title == "Get an order"
    assert get.tags == ("orders",)
    assert not get.deprecated
    assert get.description == (
        "Get an order\n\nWith all of its items.\n\n"
        "@param full All of it.\n@security key read\n@tag orders"
    )
    assert isinstance(get.origin, Route)
    assert get.origin.path == "/orders/{id}"
    assert get.parameters == {
        "type": "object",
        "properties": {
            "id": TEXT,
            "query": {
                "type": "object",
                "properties": {"full": {"type": "boolean", "description": "A flag."}},
                "additionalProperties": False,
            },
        },
        "required": ["id"],
        "additionalProperties": False,
    }
    order = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Order"}}}
    assert get.output == {"$ref": "#/$defs/Order", "$defs": {"Order": order}}
    assert erase.name == "orders_eraseById"
    assert erase.deprecated
    [note] = erase.notes
    assert note.text == "The path's parameter 'id' is not declared, and taken as text."
    assert note.pointer == "/paths/~1orders~1{id}/delete"
    assert erase.output is None
    assert get.positional == (TEXT, get.parameters["properties"]["query"])  # pyright: ignore


@pytest.mark.parametrize(
    ("method", "read_only", "destructive", "idempotent"),
    [
        ("get", True, False, True),
        ("head", True, False, True),
        ("options", True, False, True),
        ("query", True, False, True),
        ("trace", True, False, True),
        ("put", False, None, True),
        ("delete", False, True, True),
        ("post", False, None, False),
        ("patch", False, None, False),
    ],
)
def test_the_method_gives_hints(
    method: str, read_only: bool, destructive: bool | None, idempotent: bool
) -> None:
    found = only({}, method=method)
    assert (found.read_only, found.destructive, found.idempotent) == (
        read_only,
        destructive,
        idempotent,
    )


def test_an_unknown_method_gives_no_hints() -> None:
    (found,) = read_document(document({"/a": {"additionalOperations": {"COPY": {}}}})).functions
    assert (found.read_only, found.destructive, found.idempotent) == (None, None, None)
    assert isinstance(found.origin, Route)
    assert found.origin.method == "COPY"


def test_names_may_be_chosen() -> None:
    assert [each.name for each in read_document(SHOP, names="operation_id").functions] == [
        "getOrder",
        "orders_eraseById",
    ]
    assert [each.name for each in read_document(SHOP, names=lambda r: r.method).functions] == [
        "GET",
        "DELETE",
    ]


@pytest.mark.parametrize("option", ["names", "describe", "on_skip"])
def test_an_unknown_option_is_refused(option: str) -> None:
    with pytest.raises(DefinitionError, match=r"is not one of the choices\. Write '\w+' or '"):
        read_document(SHOP, **{option: "nonsense"})  # pyright: ignore[reportArgumentType]


BROKEN = document(
    {
        "/a": {
            "get": {"parameters": [{"$ref": "#/none"}]},
            "put": {"x-human": True},
            "post": {},
        }
    },
    webhooks={"w": {"post": {}}},
)


def test_one_bad_operation_does_not_refuse_the_rest() -> None:
    found = read_document(BROKEN)
    assert [each.name for each in found.functions] == ["a_post"]
    assert [(each.where, each.reason, each.pointer) for each in found.skipped] == [
        ("GET /a", "The reference '#/none' leads nowhere.", "/paths/~1a/get"),
        ("PUT /a", "The operation is for people only.", "/paths/~1a/put"),
        ("webhook w", "A webhook is called by the service, not by a client.", "/webhooks/w"),
    ]


def test_skipping_may_be_an_error_that_lists_everything() -> None:
    with pytest.raises(DocumentError) as caught:
        read_document(BROKEN, on_skip="raise")
    text = str(caught.value)
    assert "3 operations cannot become functions:" in text
    assert all(part in text for part in ("GET /a: ", "PUT /a: ", "webhook w: ", "/paths/~1a/put"))
    assert read_document(SHOP, on_skip="raise").functions


def test_schemas_are_made_when_somebody_asks() -> None:
    found = only({**body_of({"enum": [10**4000]})}, method="post")
    with pytest.raises(DocumentError, match="cannot be read"):
        _ = found.parameters
    with pytest.raises(DocumentError, match="cannot be read"):
        _ = found.output


def test_an_output_that_cannot_be_read_is_noted() -> None:
    found = only({**answer_of({"items": {"$ref": "#/none"}}), **body_of(True)}, method="post")
    assert found.output is None
    assert [note.text for note in found.notes] == [
        "The output is unknown: The reference '#/none' leads nowhere."
    ]


def body_of(schema: JsonValue) -> JsonObject:
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}}


def answer_of(schema: JsonValue) -> JsonObject:
    return {"responses": {"200": {"content": {"application/json": {"schema": schema}}}}}


def test_functions_can_be_compared_copied_and_pickled() -> None:
    first, second = read_document(SHOP), read_document(copy.deepcopy(SHOP))
    assert first == second
    assert copy.deepcopy(first) == first
    assert pickle.loads(pickle.dumps(first.functions)) == first.functions


def test_the_document_is_not_changed() -> None:
    before = copy.deepcopy(SHOP)
    for function in read_document(SHOP).functions:
        _ = function.parameters, function.output
    assert before == SHOP


def test_numbers_for_keys_are_read_as_yaml_readers_make_them() -> None:
    operation = {"responses": {200: {"content": {"application/json": {"schema": TEXT}}}}}
    found = only(operation)  # pyright: ignore[reportArgumentType]
    assert found.output == TEXT


# What hostile documents may try


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["deep", "nested"])
def test_deep_schemas_need_no_more_than_a_small_stack(kind: str) -> None:
    schema: JsonObject = TEXT
    if kind == "deep":
        for _ in range(236):
            schema = {"items": schema}
    else:
        for _ in range(115):
            schema = {"allOf": [schema, {"minLength": 1}]}
    text = json.dumps(document({"/a": {"post": {**body_of(schema), **answer_of(schema)}}}))

    def has_output() -> bool:
        (function,) = read_document(text).functions
        function.validate({"body": []})
        return function.output is not None

    assert has_output()
    assert on_stack(has_output)


def test_carriage_returns_are_not_hidden_characters() -> None:
    found = only({"description": "a\r\nb", "tags": "t"})
    assert (found.description, found.tags, found.notes) == ("a\nb\n\n@tag t", ("t",), ())


@pytest.mark.parametrize(
    "name",
    ["self", "__class__", "class", "return", "_handler", "lc", "constructor", "__proto__", "cls"],
)
def test_a_parameter_may_be_called_anything(name: str) -> None:
    declared: list[JsonValue] = [
        {"name": name, "in": place, "required": True, "schema": TEXT} for place in ("path", "query")
    ]
    found = only({"parameters": declared}, f"/{{{name}}}")
    assert found.validate({name: "x", "query": {name: "y"}})
    assert not found.validate({name: "x", "query": {name: "y", "other": 1}})


# Many documents


def test_references_into_other_files_are_read_under_a_root(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "paths.yaml").write_text(
        "item:\n  get:\n    responses:\n      200:\n        content:\n          application/json:\n"
        "            schema: {$ref: schemas/Order.yaml}\n"
    )
    (tmp_path / "schemas" / "Order.yaml").write_text(
        "type: object\nproperties:\n  next: {$ref: Order.yaml}\n"
        "  item: {$ref: '../api.yaml#/components/schemas/Item'}\n"
    )
    path = tmp_path / "api.yaml"
    path.write_text(
        "openapi: 3.1.0\npaths:\n  /a: {$ref: 'paths.yaml#/item'}\n"
        "components:\n  schemas:\n    Item: {type: string}\n"
    )
    assert [each.where for each in read_document(path).skipped] == ["/a"]
    (found,) = read_document(path, resolver=files_under(tmp_path)).functions
    assert found.output == {
        "$ref": "#/$defs/Order",
        "$defs": {
            "Order": {
                "type": "object",
                "properties": {"next": {"$ref": "#/$defs/Order"}, "item": {"$ref": "#/$defs/Item"}},
            },
            "Item": TEXT,
        },
    }
    (skipped,) = read_document(path, resolver=files_under(tmp_path / "schemas")).skipped
    assert "outside" in skipped.reason


def test_the_given_limits_are_used() -> None:
    text = json.dumps(SHOP)
    with pytest.raises(DocumentError, match="larger"):
        read_document(text, limits=Limits(document=10))
    with pytest.raises(DocumentError, match="deep"):
        read_document(SHOP, limits=Limits(document_depth=3))


@pytest.mark.slow
def test_a_document_of_ten_thousand_operations_costs_little_more_than_its_json() -> None:
    paths: dict[str, JsonValue] = {
        f"/things{i}/{{id}}": {
            "get": {
                "summary": "Get a thing",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": TEXT}],
                "responses": {
                    "200": {"description": "The thing, with everything in it.", "content": {}}
                },
            }
        }
        for i in range(10_000)
    }
    text = json.dumps(document(paths))
    with at_most(5):
        found = read_document(text)
        assert len(found.functions) == 10_000


def test_a_boolean_that_is_sent_as_plain_text_is_a_boolean_to_the_model() -> None:
    body = {"required": True, "content": {"text/plain": {"schema": {"type": "boolean"}}}}
    operation = {"requestBody": body, "responses": {}}
    (function,) = read_document({"openapi": "3.1.0", "paths": {"/a": {"put": operation}}}).functions
    assert function.parameters["properties"] == {"body": {"type": "boolean"}}
    assert not function.check('{"body": "perhaps"}')
    assert isinstance(function.origin, Route)
    request = build(function.origin, {"body": True}, base_url="https://h.example")
    assert isinstance(request, HttpRequest)
    assert (request.content, request.headers["content-type"]) == (b"true", "text/plain")
