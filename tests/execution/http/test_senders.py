"""Calls over clients of the caller: httpx and httpx2, blocking and asynchronous."""

import asyncio
import gzip
import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from pyfunctools import DefinitionError, Function
from pyfunctools.execution.http.runner import HttpRunner
from pyfunctools.limits import Limits
from pyfunctools.route import SecurityScheme

from ..conftest import WAYS, Connection, aran, called, operation

SECRET = "SECRET-7f3a"
ONE = {"id": "1"}


@pytest.fixture(params=["httpx", "httpx2"])
def library(request: pytest.FixtureRequest) -> ModuleType:
    return pytest.importorskip(request.param)


class Handed:
    """A client with the mock transport of its library, and the requests that reached it."""

    def __init__(
        self, library: ModuleType, answer: Callable[..., Any], kind: str, **rest: Any
    ) -> None:
        self.requests: list[Any] = []
        self.library = library

        def handle(request: Any) -> Any:
            self.requests.append(request)
            return answer(library, request)

        make = library.Client if kind == "Client" else library.AsyncClient
        self.client = make(transport=library.MockTransport(handle), **rest)


@pytest.fixture(params=["Client", "AsyncClient"])
def handed(request: pytest.FixtureRequest, library: ModuleType) -> Callable[..., Handed]:
    return lambda answer, **rest: Handed(library, answer, request.param, **rest)


def ways_of(handed: Handed) -> tuple[str, ...]:
    return ("arun",) if type(handed.client).__name__ == "AsyncClient" else WAYS


def done(library: Any, _: Any) -> Any:
    return library.Response(200, json={"n": 1})


def test_a_client_of_either_library_and_kind_is_used(handed: Any) -> None:
    given = handed(done, headers={"X-Client": "1"}, cookies={"jar": "2"})
    runner = HttpRunner(server="https://h/v1", client=given.client)
    for way in ways_of(given):
        outcome = called(runner, operation("POST"), {"id": "a b", "body": {"a": "ü"}}, way)
        assert (outcome.response.status, outcome.value) == (200, {"n": 1})
        request = given.requests[-1]
        assert str(request.url) == "https://h/v1/things/a%20b"
        assert request.content == '{"a":"ü"}'.encode()
        assert request.headers["x-client"] == "1"
        assert request.headers["user-agent"] == given.client.headers["user-agent"]
        assert request.headers["cookie"] == "jar=2"
        assert request.headers["accept-encoding"] == "gzip, deflate"
    assert not given.client.is_closed


def test_an_asynchronous_client_needs_an_awaited_call(library: ModuleType) -> None:
    given = Handed(library, done, "AsyncClient")
    with pytest.raises(DefinitionError, match="acall"):
        called(HttpRunner(server="https://h", client=given.client), operation(), ONE)
    assert given.requests == []


@pytest.mark.parametrize("client", ["httpx", object(), 1])
def test_an_invalid_client_is_refused(client: object) -> None:
    with pytest.raises(DefinitionError):
        HttpRunner(server="https://h", client=client)


def test_a_client_cannot_be_kept_from_private_addresses(library: ModuleType) -> None:
    with library.Client() as client, pytest.raises(DefinitionError):
        HttpRunner(server="https://h", client=client, block_private_networks=True)


def test_redirects_of_a_client_are_not_followed(handed: Any) -> None:
    def turn(library: Any, request: Any) -> Any:
        return library.Response(302, headers={"location": "https://evil/x"})

    given = handed(turn, follow_redirects=True)
    for way in ways_of(given):
        outcome = called(HttpRunner(server="https://h", client=given.client), operation(), ONE, way)
        assert outcome.response.status == 302
    assert {request.url.host for request in given.requests} == {"h"}


@pytest.mark.parametrize(
    "arguments",
    [
        *({"id": value} for value in ("..", "%2e%2e", "a/../b")),
        *(
            {"id": "1", "header": {"X-T": value}}
            for value in ("a\r\nX-Evil: 1", "a\nb", "a\rb", "a\x00", "한글")
        ),
    ],
    ids=str,
)
def test_no_client_gets_a_path_or_a_header_that_it_would_change(
    handed: Any, arguments: dict[str, Any]
) -> None:
    given = handed(done)
    for way in ways_of(given):
        runner = HttpRunner(server="https://h/v1/", client=given.client)
        assert called(runner, operation(), arguments, way).issues
    assert given.requests == []


@pytest.mark.parametrize(
    ("error", "sent"),
    [
        ("ConnectError", "no"),
        ("ConnectTimeout", "no"),
        ("PoolTimeout", "no"),
        ("ReadTimeout", "unknown"),
        ("WriteError", "unknown"),
        ("RemoteProtocolError", "unknown"),
        ("ValueError", "unknown"),
    ],
)
def test_each_error_of_a_client_tells_whether_the_request_was_sent(
    handed: Any, error: str, sent: str
) -> None:
    def fails(library: Any, request: Any) -> Any:
        raise getattr(library, error, ValueError)(SECRET)

    given = handed(fails)
    for way in ways_of(given):
        outcome = called(
            HttpRunner(server="https://h", client=given.client), operation("POST"), ONE, way
        )
        assert (outcome.is_error, outcome.response.sent) == (True, sent)
        assert SECRET not in outcome.text


def test_a_client_that_was_closed_is_an_error_outcome(library: ModuleType) -> None:
    client = library.Client()
    client.close()
    outcome = called(HttpRunner(server="https://h", client=client), operation(), ONE)
    assert (outcome.is_error, outcome.response.sent) == (True, "no")


def test_a_body_that_a_hook_has_read_is_not_decoded_again(library: ModuleType) -> None:
    def packed(library: Any, request: Any) -> Any:
        return library.Response(
            200,
            headers={"content-type": "text/plain", "content-encoding": "gzip"},
            content=gzip.compress(b"x" * 1000),
        )

    given = Handed(library, packed, "Client", event_hooks={"response": [lambda r: r.read()]})
    for limit, is_error in ((1000, False), (999, True)):
        runner = HttpRunner(server="https://h", client=given.client, limits=Limits(response=limit))
        outcome = called(runner, operation(), ONE)
        assert outcome.is_error is is_error
        assert outcome.value == (None if is_error else "x" * 1000)


@pytest.mark.parametrize("status", [200, 401])
def test_a_client_logs_no_credential_of_the_query(
    handed: Any, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    scheme = SecurityScheme(name="key", type="apiKey", location="query", parameter="api_key")
    function = operation(security=({"key": ()},), schemes={"key": scheme})
    given = handed(lambda library, request: library.Response(status, json={}))
    with caplog.at_level(logging.DEBUG):
        for way in ways_of(given):
            runner = HttpRunner(server="https://h", client=given.client, auth={"key": SECRET})
            outcome = called(runner, function, ONE, way)
            assert outcome.response.status == status
            assert given.requests[-1].url.raw_path == f"/things/1?api_key={SECRET}".encode()
            assert SECRET not in repr(outcome)
    told = [f"{record.getMessage()} {record.args!r}" for record in caplog.records]
    assert any("https://h/things/1?***" in text for text in told)
    assert [text for text in told if SECRET in text] == []


def of_person(*place: str) -> Function:
    """Return the operation with one input that belongs to a person."""
    contract = Function.from_schema(
        name="operation",
        parameters=operation().parameters,
        is_human=lambda path, _: path.keys == place,
    )._contract
    return replace(operation(), _contract=contract)


@pytest.mark.parametrize(
    ("place", "arguments", "logged"),
    [
        (("query", "q"), {"id": "1", "query": {"q": SECRET}}, "https://h/things/1?***"),
        (("id",), {"id": SECRET, "query": {"q": "x"}}, "https://h/***"),
        (("body", "secret"), {"id": "1", "body": {"secret": SECRET}}, "https://h/things/1"),
    ],
)
def test_a_client_logs_no_persons_value_of_the_url(
    handed: Any,
    caplog: pytest.LogCaptureFixture,
    place: tuple[str, ...],
    arguments: dict[str, Any],
    logged: str,
) -> None:
    given = handed(lambda library, request: library.Response(200, json={}))
    with caplog.at_level(logging.DEBUG):
        for way in ways_of(given):
            runner = HttpRunner(server="https://h", client=given.client)
            called(runner, of_person(*place), arguments, way)
            sent = given.requests[-1]
            assert SECRET.encode() in sent.url.raw_path + sent.read()
    told = [f"{record.getMessage()} {record.args!r}" for record in caplog.records]
    assert any(logged in text for text in told)
    assert [text for text in told if SECRET in text] == []


def test_a_client_that_changes_the_place_is_not_used(library: ModuleType) -> None:
    class Elsewhere(library.Client):  # type: ignore[name-defined, misc]
        def build_request(self, method: str, url: str, **rest: Any) -> Any:
            return super().build_request(method, "https://evil/x", **rest)

    with Elsewhere() as client:
        outcome = called(HttpRunner(server="https://h", client=client), operation(), ONE)
    assert (outcome.is_error, outcome.response.sent) == (True, "no")


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_real_client_keeps_the_deadline_between_the_chunks(
    serve: Any, way: str, library: ModuleType
) -> None:
    def drips(connection: Connection) -> None:
        connection.read_request()
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        connection.drip(b"y" * 1000)

    server = serve(drips)
    with library.Client() as client:
        runner = HttpRunner(server=server.url, client=client, limits=Limits(deadline=0.5))
        outcome = called(runner, operation(), ONE, way)
    assert "No answer came within 0.5 s." in outcome.text


def test_a_blocking_client_does_not_block_the_loop(answering: Any, library: ModuleType) -> None:
    beaten = threading.Event()

    def slow(connection: Connection) -> None:
        beaten.wait(20)
        connection.answer()

    async def calls(runner: HttpRunner) -> int:
        beats = 0
        call = asyncio.create_task(aran(runner, operation(), ONE))
        while not call.done():
            await asyncio.wait([call], timeout=0.01)
            beats += 1
            if beats > 10:
                beaten.set()
        assert (await call).response.status == 200
        return beats

    with library.Client() as client:
        assert asyncio.run(calls(HttpRunner(server=answering(slow).url, client=client))) > 10
