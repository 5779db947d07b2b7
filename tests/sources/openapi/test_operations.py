"""The operations of a document, and the skipped ones."""

import pytest

from pyfunctools import Controller
from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.record.function import Skipped
from pyfunctools.sources.openapi.document import Document, DocumentResolver
from pyfunctools.sources.openapi.load import Loaded
from pyfunctools.sources.openapi.operations import Operation, operations


def listed(root: JsonObject, resolver: DocumentResolver | None = None) -> list[Operation | Skipped]:
    return list(operations(Document(Loaded(root=root, name="a.json"), resolver)))


def of_paths(paths: JsonValue, **more: JsonValue) -> list[str]:
    return [
        f"{each.where} @ {each.pointer}" if isinstance(each, Operation) else f"- {each.where}"
        for each in listed({"paths": paths, **more})
    ]


def skipped(paths: JsonValue) -> Skipped:
    (found,) = listed({"paths": paths})
    assert isinstance(found, Skipped)
    return found


def test_every_method_is_an_operation_in_document_order() -> None:
    methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]
    found = of_paths({"/a": {method: {} for method in methods}, "/b": {"get": {}}})
    assert found == [
        *(f"{method.upper()} /a @ /paths/~1a/{method}" for method in methods),
        "GET /b @ /paths/~1b/get",
    ]


def test_additional_operations_keep_their_method() -> None:
    item: JsonValue = {"additionalOperations": {"LINK": {}, "m-search": {}, "no method": {}}}
    assert of_paths({"/a": item}) == [
        "LINK /a @ /paths/~1a/additionalOperations/LINK",
        "m-search /a @ /paths/~1a/additionalOperations/m-search",
    ]


@pytest.mark.parametrize(
    "paths",
    [None, {}, {"/a": None}, {"x-a": {"get": {}}}, {"/a": {}}, {"/a": {"x-y": 1, "summary": "z"}}],
)
def test_a_document_without_operations_has_none(paths: JsonValue) -> None:
    assert of_paths(paths) == []
    assert listed({}) == []


@pytest.mark.parametrize("paths", [7, "x", [], True])
def test_paths_that_are_no_object_refuse_the_document(paths: JsonValue) -> None:
    with pytest.raises(DocumentError, match=r"`paths` is .* \(at /paths\)"):
        listed({"paths": paths})


@pytest.mark.parametrize(
    ("paths", "where", "reason", "pointer"),
    [
        ({"/a": 7}, "/a", "The path item is '7', not an object.", "/paths/~1a"),
        ({"/a": []}, "/a", "The path item is '[]', not an object.", "/paths/~1a"),
        ({"/a": {"get": "x"}}, "GET /a", "The operation is 'x', not an object.", "/paths/~1a/get"),
        ({"/a": {"get": []}}, "GET /a", "The operation is '[]'", "/paths/~1a/get"),
        ({"/a": {"$ref": "#/x"}}, "/a", "The reference '#/x' leads nowhere.", "/paths/~1a"),
        ({"/a": {"$ref": "b.json"}}, "/a", "leads to another document", "/paths/~1a"),
        ({"/a": {"$ref": "#/paths/~1a"}}, "/a", "The path item refers to itself.", "/paths/~1a"),
        ({"/a": {"get": {"$ref": "#/x"}}}, "GET /a", "leads nowhere", "/paths/~1a/get"),
        ({"/a": {"get": {"x-human": True}}}, "GET /a", "for people only", "/paths/~1a/get"),
        ({"/a": {"get": {"x-samchon-human": True}}}, "GET /a", "for people", "/paths/~1a/get"),
        ({"/a": {"get": {}, "x-human": True}}, "GET /a", "for people", "/paths/~1a/get"),
    ],
)
def test_an_invalid_operation_is_skipped_with_its_reason(
    paths: JsonValue, where: str, reason: str, pointer: str
) -> None:
    found = skipped(paths)
    assert found.where == where
    assert reason in found.reason
    assert found.pointer == pointer


def test_an_operation_may_cancel_the_mark_of_its_path_item() -> None:
    item = {"x-human": True, "get": {"x-human": False}, "put": {}}
    assert of_paths({"/a": item}) == ["GET /a @ /paths/~1a/get", "- PUT /a"]


def test_an_empty_operation_is_one_and_so_is_null() -> None:
    assert of_paths({"/a": {"get": {}, "post": None}}) == [
        "GET /a @ /paths/~1a/get",
        "POST /a @ /paths/~1a/post",
    ]


def test_a_method_is_known_in_any_case_but_not_twice() -> None:
    assert of_paths({"/a": {"GET": {}}}) == ["GET /a @ /paths/~1a/GET"]
    assert of_paths({"/a": {"GET": {}, "get": {}, "put": {}}}) == [
        "GET /a @ /paths/~1a/GET",
        "- GET /a",
        "PUT /a @ /paths/~1a/put",
    ]


def test_an_additional_method_is_sent_as_it_is_written() -> None:
    item = {"additionalOperations": {"Copy": {}, "COPY": {}, "get": {}}}
    at = "/paths/~1a/additionalOperations"
    assert of_paths({"/a": item}) == [
        f"Copy /a @ {at}/Copy",
        f"COPY /a @ {at}/COPY",
        f"GET /a @ {at}/get",
    ]
    controller = Controller.from_openapi({"openapi": "3.2.0", "paths": {"/a": item}})
    assert len(controller.select(methods=["copy"])) == 2


def test_many_spellings_of_one_method_take_no_time() -> None:
    spellings = [
        "".join(c.upper() if i >> n & 1 else c for n, c in enumerate("abcdefghijklm"))
        for i in range(8192)
    ]
    found = listed({"paths": {"/a": {"additionalOperations": dict.fromkeys(spellings)}}})
    assert len(found) == 8192
    assert sum(isinstance(each, Operation) for each in found) == 8192


def test_a_path_item_may_refer_to_another_and_say_more_itself() -> None:
    paths: JsonValue = {
        "/a": {"$ref": "#/paths/~1b", "get": {"summary": "own"}},
        "/b": {"get": {"summary": "other"}, "put": {"summary": "other"}},
    }
    found = [each for each in listed({"paths": paths}) if isinstance(each, Operation)]
    summaries = [(each.where, each.fields["summary"], each.pointer) for each in found]
    assert summaries == [
        ("GET /a", "own", "/paths/~1a/get"),
        ("PUT /a", "other", "/paths/~1a/put"),
        ("GET /b", "other", "/paths/~1b/get"),
        ("PUT /b", "other", "/paths/~1b/put"),
    ]
    assert [len(each.items) for each in found] == [2, 2, 1, 1]


def test_operations_in_another_document_refer_to_their_own() -> None:
    other = {"item": {"get": {"$ref": "#/op"}}, "op": {"summary": "x"}}
    root: JsonObject = {"paths": {"/a": {"$ref": "b.json#/item"}}}
    (found,) = listed(root, lambda _: other)
    assert isinstance(found, Operation)
    assert found.fields == {"summary": "x"}
    assert found.resource.uri == "b.json"


def test_webhooks_are_never_operations() -> None:
    root: JsonObject = {
        "webhooks": {"new": {"post": {}, "put": {}}, "odd": 7, "lost": {"$ref": "#/x"}, "no": None},
        "x-webhooks": {"old": {"$ref": "#/webhooks/new"}},
    }
    found = [each for each in listed(root) if isinstance(each, Skipped)]
    assert [(each.where, each.pointer) for each in found] == [
        ("webhook new", "/webhooks/new"),
        ("webhook odd", "/webhooks/odd"),
        ("webhook lost", "/webhooks/lost"),
        ("webhook old", "/x-webhooks/old"),
    ]
    assert {each.reason for each in found} == {
        "A webhook is called by the service, not by a client."
    }
    assert listed({"webhooks": 7}) == []
