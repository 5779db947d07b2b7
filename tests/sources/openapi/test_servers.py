"""The servers of a document, a path item or an operation."""

import pytest

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.route import Server
from pyfunctools.sources.openapi.document import Document
from pyfunctools.sources.openapi.load import Loaded
from pyfunctools.sources.openapi.operations import Operation, operations
from pyfunctools.sources.openapi.routes import Servers


def servers(root: JsonObject) -> Servers:
    return Servers(Document(Loaded(root=root, name="a.json")))


def urls(root: JsonObject) -> list[str]:
    document = Document(Loaded(root=root, name="a.json"))
    (operation,) = operations(document)
    assert isinstance(operation, Operation)
    return [server.url for server in Servers(document).of(operation)]


def one(url: str) -> JsonValue:
    return [{"url": url}]


def test_the_nearest_servers_count() -> None:
    operation: JsonObject = {"servers": one("https://operation")}
    item: JsonObject = {"get": operation, "servers": one("https://item")}
    root: JsonObject = {"paths": {"/a": item}, "servers": one("https://document")}
    assert urls(root) == ["https://operation"]
    assert urls({**root, "paths": {"/a": {**item, "get": {}}}}) == ["https://item"]
    assert urls({**root, "paths": {"/a": {"get": {}}}}) == ["https://document"]
    assert urls({**root, "paths": {"/a": {"get": {"servers": []}}}}) == ["https://document"]
    assert urls({"paths": {"/a": {"get": {}}}}) == []


def test_a_server_has_its_variables() -> None:
    entry: JsonObject = {
        "url": "https://{region}.example.com:{port}",
        "description": "Near you.",
        "variables": {
            "region": {"default": "eu", "enum": ["eu", "us"]},
            "port": {"default": 443},
            "flag": {"default": True},
            "none": {},
            "odd": 7,
        },
    }
    assert servers({"servers": [entry]}).main == (
        Server(
            url="https://{region}.example.com:{port}",
            description="Near you.",
            variables={"region": "eu", "port": "443", "flag": "true", "none": ""},
            allowed={"region": ("eu", "us")},
        ),
    )


@pytest.mark.parametrize("listed", [None, 7, "x", [7, None, {}, {"url": 7}]])
def test_what_is_no_server_is_none(listed: JsonValue) -> None:
    assert servers({"servers": listed}).main == ()


@pytest.mark.parametrize(
    "url",
    [
        "https://u:p@h/",
        "https://user@example.com",
        "//u:p@h",
        "https://api.example@evil/",
        "http:\\\\u:p@h",
        "https://{user}@h",
        "https://u:p@[::1]/",
        "https://u:p@[",
    ],
)
def test_a_url_with_a_user_is_refused(url: str) -> None:
    with pytest.raises(DocumentError, match="holds a user's name or password"):
        servers({"servers": one(url)})


@pytest.mark.parametrize("url", ["https://h/a@b", "/users/@me", "https://h?x=a@b", "https://h#@"])
def test_an_at_sign_elsewhere_is_no_user(url: str) -> None:
    assert servers({"servers": one(url)}).main == (Server(url=url),)


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (
            {"host": "h", "basePath": "/v1", "schemes": ["http", "https"]},
            ["https://h/v1", "http://h/v1"],
        ),
        ({"host": "h", "basePath": "v1/"}, ["https://h/v1"]),
        ({"host": "h:8080", "schemes": ["http", "ws"]}, ["http://h:8080"]),
        ({"host": "h", "basePath": "/"}, ["https://h"]),
        ({"basePath": "/v1"}, ["/v1"]),
        ({}, []),
        ({"host": 7, "basePath": 8, "schemes": 9}, []),
    ],
)
def test_swagger_says_its_server_in_three_words(root: JsonObject, expected: list[str]) -> None:
    found = servers({"swagger": "2.0", **root})
    assert [server.url for server in found.main] == expected


def test_an_operation_of_swagger_may_have_its_own_schemes() -> None:
    root: JsonObject = {"swagger": "2.0", "host": "h", "schemes": ["https"]}
    item: JsonObject = {"get": {"schemes": ["http"]}}
    assert urls({**root, "paths": {"/a": item}}) == ["http://h"]


def test_a_host_with_a_user_is_refused() -> None:
    with pytest.raises(DocumentError, match="a user's name"):
        servers({"swagger": "2.0", "host": "u:p@h"})
