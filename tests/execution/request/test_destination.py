"""Credentials go to the origins that the caller named, and nowhere else."""

from typing import Any

import httpx
import pytest

from pyfunctools import Controller, DefinitionError

OWN = "https://api.example/v1"


def document(*own: str, **operations: str) -> dict[str, Any]:
    """Return a document with these servers, and an operation for each further server."""
    paths = {
        f"/{name}": {"get": {"operationId": name, "security": [{"k": []}]}} for name in operations
    }
    for name, url in operations.items():
        if url:
            (paths[f"/{name}"] if name != "deep" else paths["/deep"]["get"])["servers"] = [
                {"url": url}
            ]
    return {
        "openapi": "3.1.0",
        "info": {"title": "Teas", "version": "1"},
        "servers": [{"url": url} for url in own],
        "components": {"securitySchemes": {"k": {"type": "http", "scheme": "bearer"}}},
        "paths": paths,
    }


def sent(
    written: dict[str, Any], name: str, *, server: Any = True, **settings: Any
) -> httpx.Request:
    """Return the request of an operation, from a client that has credentials itself."""
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, json={})

    client = httpx.Client(
        transport=httpx.MockTransport(answer),
        headers={"X-Client": "CANARY"},
        cookies={"session": "CANARY"},
        params={"key": "CANARY"},
        auth=("user", "CANARY"),
    )
    given: dict[str, Any] = {
        "auth": {"k": "CANARY", "header:X-Key": "CANARY", "query:token": "CANARY"},
        "headers": {"X-Tenant": "CANARY", "Cookie": "a=CANARY"},
    }
    controller = Controller.from_openapi(
        written, server=server, names="operation_id", client=client, **{**given, **settings}
    )
    assert controller.call(name).ok
    return requests[0]


def has_credentials(request: httpx.Request) -> bool:
    return "CANARY" in str(request.url) or any(
        "CANARY" in each for each in request.headers.values()
    )


@pytest.mark.parametrize(
    ("url", "server", "goes_to", "gets_them"),
    [
        ("", True, "https://api.example/v1", True),
        ("https://api.example/v2", True, "https://api.example/v2", True),
        ("https://API.example:443/v2", True, "https://api.example:443/v2", True),
        ("https://evil.example", True, "https://evil.example", False),
        ("https://api.example:8443", True, "https://api.example:8443", False),
        ("https://api.example.evil.example", True, "https://api.example.evil.example", False),
        ("http://evil.example:80/x", True, "https://evil.example/x", False),
        ("http://evil.example", True, "https://evil.example", False),
        ("http://api.example/v2", True, "https://api.example/v2", True),
        ("https://evil.example", "https://me.example", "https://me.example", True),
        ("https://b.example/x", ["https://api.example", "https://b.example"], None, True),
        ("https://evil.example", ["https://api.example", "https://b.example"], None, False),
        ("http://b.example", ["https://api.example", "http://b.example"], None, True),
        ("https://b.example/v2", ["https://b.example/v1", "https://b.example/v2"], None, True),
        ("https://b.example/v3", ["https://b.example/v1"], "https://b.example/v1", True),
        ("", ["https://me.example/v9", "https://b.example"], "https://me.example/v9", True),
        ("", ["https://b.example", "https://api.example"], "https://api.example/v1", True),
        ("", ["https://b.example", "https://api.example/v9"], "https://api.example/v9", True),
    ],
)
@pytest.mark.parametrize("name", ["shallow", "deep"])
def test_credentials_go_to_the_servers_that_the_caller_named(
    name: str, url: str, server: Any, goes_to: str | None, gets_them: bool
) -> None:
    request = sent(document(OWN, **{name: url}), name, server=server)
    went_to = str(request.url).partition("?")[0].removesuffix(f"/{name}").replace(":443", "")
    assert went_to == (goes_to or url).replace(":443", "")
    assert has_credentials(request) is gets_them


def test_of_several_servers_of_a_document_the_first_is_its_own() -> None:
    written = document("https://a.example", "https://b.example", x="https://b.example")
    assert not has_credentials(sent(written, "x"))


def test_a_document_without_a_server_of_its_own_has_no_credentials_to_give() -> None:
    assert not has_credentials(sent(document(x="https://b.example"), "x"))
    assert has_credentials(sent(document(x="https://b.example"), "x", server=["https://b.example"]))


def test_the_functions_for_credentials_are_not_called_for_another_origin() -> None:
    def never() -> Any:
        raise AssertionError

    written = document(OWN, x="https://b.example")
    assert not has_credentials(sent(written, "x", headers=never, auth={"k": never}))


def test_a_call_without_its_credentials_is_noted_with_the_line_that_sends_them() -> None:
    written = document(OWN, x="https://b.example/v1", y="https://api.example/v2", z="")
    for server in (True, None, ["https://api.example"]):
        made = Controller.from_openapi(written, server=server, names="operation_id")
        [note] = made["x"].notes
        assert '`server=["https://...", "https://b.example"]`' in note.text
        assert made["y"].notes == made["z"].notes == ()
    for server in ("https://me.example", ["https://api.example", "https://b.example"]):
        made = Controller.from_openapi(written, server=server, names="operation_id")
        assert made["x"].notes == ()


@pytest.mark.parametrize("server", [[], [3], ["https://a.example", None], [""], 3])
def test_a_wrong_list_of_servers_is_refused(server: Any) -> None:
    with pytest.raises(DefinitionError):
        Controller.from_openapi(document(OWN), server=server)
