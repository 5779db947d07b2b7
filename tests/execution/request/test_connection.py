"""The settings of `from_openapi`, and the base URL."""

from typing import Any

import pytest

from pyfunctools import Controller
from pyfunctools.errors import DefinitionError, DocumentError
from pyfunctools.execution.http.runner import HttpRunner
from pyfunctools.execution.request.connection import Connection, check_settings
from pyfunctools.execution.request.destination import server_url
from pyfunctools.route import Server


def test_every_setting_is_documented() -> None:
    assert [
        each for each in Connection.__annotations__ if f"`{each}`" not in Connection.__doc__
    ] == []


def checked(**settings: Any) -> None:
    check_settings(settings, Connection.__annotations__)
    HttpRunner(**settings)


@pytest.mark.parametrize(
    ("settings", "where", "remedy"),
    [
        ({"server": 3}, "server", "https://api.example.com/v1"),
        ({"auth": "SECRET-7f3a"}, "auth", "auth={scheme: credential}"),
        ({"auth": [("key", "SECRET-7f3a")]}, "auth", "auth={scheme: credential}"),
        ({"variables": ["x"]}, "variables", "variables={name: text}"),
        ({"variables": {"port": 8443}}, "variables['port']", "variables={name: text}"),
        ({"deep": "no"}, "deep", ""),
        ({"block_private_networks": "SECRET-7f3a"}, "block_private_networks", ""),
        ({"expose_error_body": 1}, "expose_error_body", ""),
        ({"headers": lambda a, b: {}}, "headers", "no arguments"),
        ({"auth": {"key": lambda a, b: "SECRET-7f3a"}}, "auth['key']", "no arguments"),
        ({"auth": {"key": lambda *, a: "SECRET-7f3a"}}, "auth['key']", "no arguments"),
    ],
)
def test_a_wrong_setting_is_named_with_what_to_write_and_without_its_value(
    settings: dict[str, Any], where: str, remedy: str
) -> None:
    with pytest.raises(DefinitionError) as raised:
        checked(**settings)
    assert raised.value.where == where
    assert remedy in (raised.value.remedy or "")
    assert "SECRET-7f3a" not in str(raised.value)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"server": None, "variables": None, "headers": None, "auth": None},
        {"server": True, "variables": {"a": "b"}, "headers": {"a": "b"}, "auth": {"key": "b"}},
        {"headers": dict, "auth": {"one": str, "two": lambda context: "b", "three": len}},
        {"auth": {"key": lambda context, *more, **others: "b", "other": lambda prefix="p": "b"}},
    ],
)
def test_valid_settings_are_accepted(settings: dict[str, Any]) -> None:
    checked(**settings)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"timeout": 3}, "'timeout'. Write `limits=Limits(deadline=seconds)`."),
        ({"base_url": "https://a.example"}, "'base_url'. Write `server=`."),
        ({"token": "SECRET-7f3a"}, "'token'. Write `auth={scheme: token}`"),
        ({"retry": 3}, "'retry'. The settings are auth, block_private_networks, client, "),
        ({"header": {}}, "'header'. Write `headers=`."),
    ],
)
def test_an_unknown_setting_is_a_type_error_that_lists_the_settings(
    settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(TypeError) as raised:
        checked(**settings)
    assert said in str(raised.value)
    assert "SECRET-7f3a" not in str(raised.value)


def documents(url: str, variables: Any = None, **defaults: str) -> str:
    allowed = {"region": ("eu", "us")} if "region" in defaults else {}
    return server_url([Server(url=url, variables=defaults, allowed=allowed)], True, variables)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        ("HTTPS://API.example.com:8443/v1/", "https://api.example.com:8443/v1/"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://[::1]:80/a", "http://[::1]:80/a"),
        ("https://h/v1?api-version=2", "https://h/v1?api-version=2"),
        ("https://h/ü/%2F", "https://h/%C3%BC/%2F"),
    ],
)
def test_a_base_url_is_taken_from_the_caller_and_from_a_document(url: str, expected: str) -> None:
    assert server_url((), url) == expected
    assert documents(url) == expected


HOSTILE = [
    "file:///etc",
    "ftp://h/",
    "//evil",
    "/v1",
    "v1",
    "",
    "https://api.example@evil/",
    "https://u:p@h/",
    "https:///x",
    "https://",
    "https://h/a/../b",
    "https://h/%2e%2e/b",
    "https://h/#x",
    "https://h\\evil/",
    "https://h /",
    "https://h\r\nX: 1/",
    "https://münchen.example/",
    "https://h:port/",
    "https://h:99999/",
    "https://[::1/",
    "https://h/{x}",
    "javascript://h/%0aalert(1)",
    "https://h/\ud800",
]


@pytest.mark.parametrize("url", HOSTILE)
def test_a_hostile_base_url_is_refused_and_no_user_information_is_quoted(url: str) -> None:
    with pytest.raises(DocumentError) as documents_fault:
        documents(url)
    with pytest.raises(DefinitionError) as callers_fault:
        server_url((), url)
    for error in (documents_fault, callers_fault):
        assert "u:p" not in str(error.value)


@pytest.mark.parametrize(
    "host",
    ["169.254.169.254", "169.254.169.254.", "0xA9FEA9FE", "2852039166", "0251.0376.0251.0376",
     "[fe80::1]", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]",
     "[2002:a9fe:a9fe::]"],
)  # fmt: skip
def test_a_document_may_not_choose_a_link_local_address(host: str) -> None:
    with pytest.raises(DocumentError):
        documents(f"http://{host}/")
    assert server_url((), f"http://{host}/") == f"http://{host}/".lower()


def test_a_documents_server_has_to_be_accepted() -> None:
    for server in (None, False):
        with pytest.raises(DefinitionError, match="server=True"):
            server_url([Server(url="https://evil.example/")], server)
    with pytest.raises(DocumentError):
        server_url([], True)


def test_variables_are_filled_in() -> None:
    url = "{scheme}://{region}.example.com:{port}/{base}"
    assert documents(url, scheme="https", region="eu", port="8443", base="v2/api") == (
        "https://eu.example.com:8443/v2/api"
    )
    filled = documents(url, {"region": "us", "base": "a b?c"}, scheme="http", region="eu", port="1")
    assert filled == "http://us.example.com:1/a%20b%3Fc"
    assert documents("{base}/v1", {"base": "https://own.example"}) == "https://own.example/v1"
    assert server_url((), "https://{t}.example.com", {"t": "a"}) == "https://a.example.com"


@pytest.mark.parametrize(
    ("url", "name", "value"),
    [
        ("https://{h}/", "h", "evil/#"),
        ("https://{h}.example.com/", "h", "evil.test/"),
        ("https://{h}.example.com/", "h", "u@evil"),
        ("https://{h}.example.com/", "h", "evil?"),
        ("https://{h}.example.com/", "h", "ev\nil"),
        ("https://{h}.example.com/", "h", ""),
        ("https://h/{p}", "p", "../x"),
        ("https://h/{p}", "p", "\ud800"),
        ("{s}://h/", "s", "file"),
        ("{b}/v1", "b", "file:///etc"),
        ("{b}/v1", "b", "//evil"),
    ],
)
def test_a_variable_cannot_leave_its_place(url: str, name: str, value: str) -> None:
    with pytest.raises((DefinitionError, DocumentError)):
        documents(url, {name: value})


def test_a_variable_that_no_server_has_is_named() -> None:
    url = "https://{region}.example.com"
    document = {"openapi": "3.1.0", "paths": {"/a": {"get": {"servers": [{"url": url}]}}}}

    def opened(server: str | bool, **variables: str) -> Controller:
        return Controller.from_openapi(document, server=server, variables=variables)

    assert opened(True, region="eu").functions
    assert opened("https://{tenant}.example.com", tenant="a").functions
    for server, known in ((True, "region"), ("https://{tenant}.example.com", "region, tenant")):
        with pytest.raises(DefinitionError) as raised:
            opened(server, regoin="eu", tenant="a")
        assert raised.value.where == "variables['regoin']"
        assert raised.value.remedy == f"The variables: {known}."


def test_a_variable_has_to_be_known_and_listed() -> None:
    with pytest.raises(DocumentError):
        documents("https://{h}/")
    with pytest.raises(DefinitionError, match=r"does not list \('eu', 'us'\)"):
        documents("https://{region}.example.com", {"region": "xx"}, region="eu")
