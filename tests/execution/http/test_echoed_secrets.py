"""What a server repeats of a person's values and of credentials is `***`, whatever else it does."""

import asyncio
import json
import logging
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import httpx
import pytest
from pydantic import SecretStr

from pyfunctools import Controller, Limits, Outcome

from ..conftest import WAYS, Connection

SECRET = "SECRET-7f3a"


@pytest.fixture
def debug(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Capture everything that is logged."""
    caplog.set_level(logging.DEBUG)
    return caplog


def shown(outcome: Outcome, caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    """Yield everything that is told of a call."""
    yield from (outcome.text, str(outcome), repr(outcome), repr(outcome.repairs))
    yield from (str(outcome.issues), *map(repr, outcome.issues))
    for record in caplog.records:
        yield f"{record.getMessage()} {record.args!r} {record.exc_text}"


def call(controller: Controller, way: str, name: str, wrote: object, **given: Any) -> Outcome:
    if way == "run":
        return controller.call(name, wrote, **given)  # type: ignore[arg-type]

    async def main() -> Outcome:
        async with controller:
            return await controller.acall(name, wrote, **given)  # type: ignore[arg-type]

    return asyncio.run(main())


# Over HTTP.

TEXT = {"type": "string"}
PASSWORD = {"type": "string", "format": "password"}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/pay/{key}": {
            "post": {
                "operationId": "pay",
                "parameters": [
                    {"name": "key", "in": "path", "required": True, "schema": PASSWORD},
                    {"name": "q", "in": "query", "schema": PASSWORD},
                    {"name": "X-T", "in": "header", "schema": PASSWORD},
                    {"name": "c", "in": "cookie", "schema": PASSWORD},
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"type": "object", "properties": {"a": TEXT, "pin": PASSWORD}}
                        }
                    }
                },
                "responses": {"200": {"description": "Done."}},
                "security": [{"key": [], "query": [], "basic": []}],
            }
        }
    },
    "components": {
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "query": {"type": "apiKey", "in": "query", "name": "api_key"},
            "basic": {"type": "http", "scheme": "basic"},
        }
    },
}
HUMAN = {
    "key": SECRET,
    "query": {"q": SECRET},
    "header": {"X-T": SECRET},
    "cookie": {"c": SECRET},
    "body": {"pin": SECRET},
}
AUTH = {"key": SECRET, "query": SecretStr(SECRET), "basic": ("user", SECRET)}


def repeated(connection: Connection) -> bytes:
    return json.dumps([connection.head.decode(), connection.body.decode()]).encode()


def cut(connection: Connection) -> None:
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + SECRET.encode())
    raise ConnectionError


ROWS: dict[str, Callable[[Connection], None]] = {
    "done": lambda connection: connection.answer(body=repeated(connection)),
    "refused": lambda connection: connection.answer(401, body=repeated(connection)),
    "failed": lambda connection: connection.answer(
        500, body=repeated(connection), Content_Type="text/plain"
    ),
    "redirect": lambda connection: connection.answer(302, Location=f"http://h/{SECRET}?{SECRET}"),
    "no JSON": lambda connection: connection.answer(body=b'{"' + SECRET.encode()),
    "headers": lambda connection: connection.answer(
        503, Set_Cookie=SECRET, X_Echo=SECRET, Retry_After=SECRET
    ),
    "garbage": lambda connection: connection.send(SECRET.encode() + b"\r\n\r\n"),
    "cut": cut,
    "late": lambda connection: connection.stall(),
}


ECHOED_IN_THE_HEAD = ("redirect", "headers", "garbage")
"""Rows in which the server's own head holds the marker, which httpcore logs at DEBUG."""


def over_http(way: str, client: bool, url: str, deadline: float = 20) -> Outcome:
    """Call both ways, over the controller's own connections or a client's."""

    def opened(made: Any) -> Controller:
        return Controller.from_openapi(
            DOCUMENT,
            server=url,
            names="operation_id",
            headers={"X-Own": SECRET},
            auth=AUTH,
            expose_error_body=True,
            limits=Limits(deadline=deadline),
            client=made if client else None,
        )

    async def main() -> Outcome:
        async with httpx.AsyncClient(trust_env=False) as made, opened(made) as controller:
            return await controller.acall("pay", {"body": {"a": "b"}}, human=HUMAN)

    if way == "arun":
        return asyncio.run(main())
    with httpx.Client(trust_env=False) as made, opened(made) as controller:
        assert SECRET not in repr(controller)
        return controller.call("pay", {"body": {"a": "b"}}, human=HUMAN)


SENDS = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/things": {
            "get": {
                "operationId": "look",
                "parameters": [
                    {
                        "name": "X-T",
                        "in": "header",
                        "schema": {"type": "string", "default": "document", "x-human": True},
                    },
                    {"name": "Authorization", "in": "header", "schema": TEXT},
                ],
                "responses": {"200": {"description": "Done."}},
                "security": [{"bearer": []}],
            }
        }
    },
    "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("human", "headers", "sent"),
    [
        ({"header": {"X-T": "person"}}, {"X-T": "connection"}, None),
        ({"header": {"X-T": "person"}}, {}, "person"),
        (None, {"X-T": "connection"}, "connection"),
        ({}, {"X-T": "connection"}, "connection"),
        ({"header": {"X-T": None}}, {"X-T": "connection"}, None),
    ],
)
def test_t21_the_connection_comes_before_a_person_and_they_before_the_document(
    answering: Any, way: str, human: Any, headers: dict[str, str], sent: str | None
) -> None:
    server = answering(lambda connection: connection.answer())
    controller = Controller.from_openapi(
        SENDS,  # type: ignore[arg-type]
        server=server.url,
        names="operation_id",
        headers=headers,
        auth={"bearer": "connection"},
    )
    with controller:
        given = {"human": human, "context": {"authorization": "Bearer inbound"}}
        outcome = call(controller, way, "look", {}, **given)
        smuggled = call(controller, way, "look", {"header": {"X-T": "model"}}, **given)
        inbound = call(controller, way, "look", {"header": {"Authorization": "model"}}, **given)
    assert (smuggled.is_error, inbound.is_error) == (True, True)
    if sent is None:
        assert (outcome.ok, server.requests) == (False, [])
        return
    (request,) = server.requests
    assert request.header("x-t") == sent
    assert request.header("authorization") == "Bearer connection"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "row", [pytest.param(row, marks=pytest.mark.slow if row == "late" else ()) for row in ROWS]
)
@pytest.mark.parametrize("client", [False, True], ids=["own", "client"])
def test_b09_t26_t63_whatever_a_server_does_nothing_secret_is_told(
    answering: Any, row: str, way: str, client: bool, debug: pytest.LogCaptureFixture
) -> None:
    server = answering(ROWS[row])
    outcome = over_http(way, client, server.url, 0.5 if row == "late" else 20)
    sent = server.requests[0]
    assert sent.head.decode().count(SECRET) == 7  # but for the base64 of basic
    assert json.loads(sent.body) == {"a": "b", "pin": SECRET}
    assert outcome.is_error is (row != "done")
    if row in ECHOED_IN_THE_HEAD:
        debug.records[:] = [each for each in debug.records if each.name.startswith("pyfunctools")]
    assert debug.records
    assert [text for text in shown(outcome, debug) if SECRET in text] == []


# Credentials of the connection.

KEY = "k3y-of-mine-7f3a9c"
BASIC = "Basic " + b64encode(b"ada:pass-of-ada-1").decode()
CREDENTIALS: dict[str, tuple[dict[str, Any], str, str]] = {
    "bearer": ({"headers": {"Authorization": f"Bearer {KEY}"}}, "", KEY),
    "lower": ({"headers": {"authorization": f"bearer {KEY}"}}, "", KEY),
    "basic": ({"headers": {"Authorization": BASIC}}, "", "pass-of-ada-1"),
    "key": ({"headers": {"X-Api-Key": "justwords"}}, "", "justwords"),
    "auth": ({"headers": {"X-Auth": "justwords"}}, "", "justwords"),
    "hidden": ({"headers": {"X-Anything": SecretStr("justwords")}}, "", "justwords"),
    "function": ({"headers": lambda: {"X-Api-Key": KEY}}, "", KEY),
    "of the context": ({"headers": lambda context: {"X-Own": KEY}}, "", KEY),
    "custom": ({"headers": {"X-Own": KEY}}, "", KEY),
    "declared": ({"headers": {"X-Declared": "justwords"}}, "", "justwords"),
    "cookie": ({"headers": {"Cookie": f"lang=en; sid={KEY}"}}, "", KEY),
    "session": ({"headers": {"Cookie": "lang=en; session=justwords"}}, "", "justwords"),
    "query": ({}, f"?api_key={KEY}", KEY),
    "words": ({}, "?token=justwords&v=2", "justwords"),
    "encoded": ({}, "?key=a%2Fb%26justwords", "a/b&justwords"),
    "auth=": ({"auth": {"declared": KEY}}, "", KEY),
    "auth= short": ({"auth": {"declared": "k9"}}, "", "k9"),
}
LOOK: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/look": {
            "get": {
                "operationId": "look",
                "parameters": [
                    {"name": "status", "in": "query", "schema": {"type": "integer"}},
                ],
                "responses": {"200": {"description": "Done."}},
                "security": [{"declared": []}, {}],
            }
        }
    },
    "components": {
        "securitySchemes": {"declared": {"type": "apiKey", "in": "header", "name": "X-Declared"}}
    },
}


class Echo(BaseHTTPRequestHandler):
    """A server that returns everything it was sent."""

    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        sent = self.headers.get("authorization", "").partition(" ")[2]
        request = {"path": self.path, "headers": dict(self.headers), "query": asked, "sent": sent}
        body = json.dumps([request, unquote(self.path), _decoded(sent)]).encode()
        self.send_response(int(asked.get("status", ["200"])[0]))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _decoded(text: str) -> str:
    try:
        return b64decode(text, validate=True).decode()
    except ValueError:
        return ""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a server that returns everything it was sent."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("status", [200, 401, 500])
@pytest.mark.parametrize("row", CREDENTIALS)
def test_a_credential_that_a_server_repeats_is_masked(
    row: str, status: int, way: str, url: str, debug: pytest.LogCaptureFixture
) -> None:
    settings, query, secret = CREDENTIALS[row]
    with Controller.from_openapi(
        LOOK, server=url + query, names="operation_id", expose_error_body=True, **settings
    ) as controller:
        outcome = call(controller, way, "look", {"query": {"status": status}})
    assert outcome.ok is (status == 200)
    assert "***" in outcome.text
    assert not [text for text in shown(outcome, debug) if secret in text]
    assert secret not in repr(controller)


PLAIN_HEADERS = {
    "Accept-Language": "en-GB",
    "X-Tenant": "acme-corp",
    "X-GitHub-Api-Version": "2022-11-28",
    "X-Version": "1.2.3-beta4",
    "Accept": "application/vnd.github.v3+json",
    "User-Agent": "my-agent/1.0.0",
    "X-Request-Id": "6f1c2a4e9b7d4a1f",
    "X-Region": "eu-central",
    "Cookie": "lang=en",
}


@pytest.mark.parametrize("name", PLAIN_HEADERS)
def test_a_setting_that_is_no_credential_is_not_masked(name: str, url: str) -> None:
    headers = {name: PLAIN_HEADERS[name]}
    with Controller.from_openapi(
        LOOK, server=url, names="operation_id", headers=headers
    ) as controller:
        outcome = controller.call("look", {})
    assert PLAIN_HEADERS[name] in outcome.text


def test_credentials_of_a_client_are_masked(url: str) -> None:
    client = httpx.Client(
        headers={"X-Api-Key": KEY, "Cookie": 'session="header-77-x"'},
        cookies={"sid": "cookie-77-x"},
        params={"token": "query-77-x"},
        trust_env=False,
    )
    with (
        client,
        Controller.from_openapi(
            LOOK, server=url, names="operation_id", client=client
        ) as controller,
    ):
        outcome = controller.call("look", {})
    assert outcome.ok
    for secret in (KEY, "header-77-x", "cookie-77-x", "query-77-x"):
        assert secret not in outcome.text
