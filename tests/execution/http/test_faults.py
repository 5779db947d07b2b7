"""The outcome of a call when the server fails, at every possible point. Rows R01 to R05."""

import gzip
import socket
import time
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from clock import at_most

from pyfunctools.execution.http import transports
from pyfunctools.execution.http.runner import HttpRunner
from pyfunctools.limits import Limits

from ..conftest import WAYS, Connection, Server, called, operation

Serve = Callable[[Callable[[Connection], None] | None], Server]

MAYBE = "may have been carried out"


@pytest.fixture(params=["httpx", "httpx2"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the only library that is installed."""
    pytest.importorskip(request.param)
    monkeypatch.setattr(transports, "find_spec", lambda name: name == request.param or None)
    return str(request.param)


HEAD = b"HTTP/1.1 200 OK\r\n"
SHORT = HEAD + b"Content-Length: 100\r\n\r\n{}"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def after_the_request(response: bytes = b"", *, resets: bool = False) -> Any:
    """Return a script that reads a request, sends bytes, and closes or resets the connection."""

    def script(connection: Connection) -> None:
        connection.read_request()
        if response:
            connection.send(response)
        if resets:
            connection.closing.wait(0.02)  # the sent bytes have to arrive before the reset
            connection.reset()

    return script


def resets_inside_the_request(connection: Connection) -> None:
    connection.sock.recv(4)
    connection.reset()


BREAKS: dict[str, tuple[Any, int | None]] = {
    "closes at once": (lambda _: None, None),
    "resets inside the request": (resets_inside_the_request, None),
    "closes after the request": (after_the_request(), None),
    "resets after the request": (after_the_request(resets=True), None),
    "garbage": (after_the_request(b"\x16\x03\x01 this is not HTTP\r\n\r\n"), None),
    "closes inside the head": (after_the_request(HEAD + b"Content-Type: app"), None),
    "closes inside the body": (after_the_request(SHORT), 200),
    "resets inside the body": (after_the_request(SHORT, resets=True), 200),
    "closes inside a chunk": (after_the_request(CHUNKED + b"5\r\nab"), 200),
    "garbage chunk": (after_the_request(CHUNKED + b"zz\r\nab\r\n"), 200),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("script", "status"), BREAKS.values(), ids=BREAKS)
def test_a_broken_connection_is_an_error_outcome(
    serve: Serve, script: Any, status: int | None, way: str, library: str
) -> None:
    server = serve(script)
    runner = HttpRunner(server=server.url)
    outcome = called(runner, operation("POST"), {"id": "1", "body": {"a": "b"}}, way)
    assert outcome.is_error
    assert outcome.response.sent == "unknown"
    assert MAYBE in outcome.text
    assert (outcome.response.status, outcome.value) == (status, None)
    assert server.connections == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_reset_may_come_before_anything_could_be_sent(
    serve: Serve, way: str, library: str
) -> None:
    runner = HttpRunner(server=serve(lambda connection: connection.reset()).url)
    outcome = called(runner, operation("POST"), {"id": "1"}, way)
    assert outcome.is_error
    assert outcome.response.sent in ("no", "unknown")
    assert (MAYBE in outcome.text) is (outcome.response.sent == "unknown")


@pytest.mark.parametrize("way", WAYS)
def test_after_a_refused_connection_nothing_was_sent(way: str, library: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    runner = HttpRunner(server=f"http://127.0.0.1:{port}")
    outcome = called(runner, operation("POST"), {"id": "1"}, way)
    assert outcome.is_error
    assert outcome.response.sent == "no"
    assert outcome.text == "No connection could be made (ConnectError). The request was not sent."


@pytest.mark.parametrize("way", WAYS)
def test_a_server_without_tls_gets_no_request(serve: Serve, way: str, library: str) -> None:
    server = serve(lambda connection: connection.send(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
    runner = HttpRunner(server=server.url.replace("http:", "https:"))
    outcome = called(runner, operation("POST"), {"id": "1"}, way)
    assert (outcome.is_error, outcome.response.sent) == (True, "no")


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_handshake_that_stalls_ends_by_the_deadline(serve: Serve, way: str) -> None:
    url = serve(lambda connection: connection.stall()).url.replace("http:", "https:")
    started = time.monotonic()
    runner = HttpRunner(server=url, limits=Limits(deadline=0.5))
    outcome = called(runner, operation("POST"), {"id": "1"}, way)
    assert time.monotonic() - started < 20
    assert (outcome.is_error, outcome.response.sent) == (True, "no")


@pytest.mark.parametrize("way", WAYS)
def test_to_an_unknown_host_nothing_is_sent(way: str) -> None:
    outcome = called(HttpRunner(server="http://nowhere.invalid"), operation(), {"id": "1"}, way)
    assert (outcome.is_error, outcome.response.sent) == (True, "no")


def drips_its_head(connection: Connection) -> None:
    connection.read_request()
    connection.drip(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 1000)


def drips_its_body(connection: Connection) -> None:
    connection.read_request()
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n")
    connection.drip(b"y" * 1000)


def stalls_after_the_request(connection: Connection) -> None:
    connection.read_request()
    connection.stall()


@pytest.mark.parametrize("way", WAYS)
def test_what_only_the_first_call_needs_is_not_in_its_time(
    serve: Serve, way: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = import_module(library).create_ssl_context

    def slowly(**settings: Any) -> object:
        time.sleep(1.6)
        return made(**settings)

    transports._trusted.cache_clear()  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(import_module(library), "create_ssl_context", slowly)
    runner = HttpRunner(server=serve(answers(b"{}")).url, limits=Limits(deadline=1.5))
    assert called(runner, operation("POST"), {"id": "1"}, way).ok


def stalls_after_dripping(connection: Connection) -> None:
    connection.read_request()
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    connection.drip(b"yyy")
    connection.stall()


LATE = [None, stalls_after_the_request, stalls_after_dripping, drips_its_head, drips_its_body]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("script", LATE, ids=lambda one: getattr(one, "__name__", "no accept"))
def test_the_deadline_is_kept_against_every_kind_of_slowness(
    serve: Serve, script: Any, way: str, library: str
) -> None:
    runner = HttpRunner(server=serve(script).url, limits=Limits(deadline=0.5))
    started = time.monotonic()
    outcome = called(runner, operation("POST"), {"id": "1"}, way)
    assert 0.45 <= time.monotonic() - started < 20
    assert outcome.is_error
    assert outcome.response.sent == "unknown"
    assert "No answer came within 0.5 s." in outcome.text
    assert MAYBE in outcome.text


def test_a_write_that_was_lost_is_not_sent_again(serve: Serve) -> None:
    committed = []

    def commits_then_drops(connection: Connection) -> None:
        connection.read_request()
        committed.append(connection.body)

    runner = HttpRunner(server=serve(commits_then_drops).url, limits=Limits(retries=3))
    outcome = called(runner, operation("POST"), {"id": "1", "body": {"a": "1"}})
    assert committed == [b'{"a":"1"}']
    assert (outcome.response.sent, MAYBE in outcome.text) == ("unknown", True)


BOMB = gzip.compress(b"\0" * (200 << 20), 9)
LARGE = b"x" * ((10 << 20) + 1)


def answers(body: bytes, **headers: str) -> Callable[[Connection], None]:
    def script(connection: Connection) -> None:
        connection.read_request()
        connection.answer(body=body, Content_Type="text/plain", **headers)

    return script


def endless(connection: Connection) -> None:
    connection.read_request()
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
    while not connection.closing.is_set():
        connection.send(b"x" * 65536)


TOO_LARGE = {
    "gzip bomb": answers(BOMB, Content_Encoding="gzip"),
    "deflate bomb": answers(zlib.compress(b"\0" * (50 << 20)), Content_Encoding="deflate"),
    "plain": answers(LARGE),
    "one byte more": answers(gzip.compress(LARGE), Content_Encoding="gzip"),
    "a length that promises it": answers(b"x", Content_Length=str(1 << 40)),
    "a length no number holds": answers(b"x", Content_Length="9" * 15),
    "endless": endless,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("script", TOO_LARGE.values(), ids=TOO_LARGE.keys())
def test_a_body_larger_than_the_limit_is_refused_while_it_is_read(
    serve: Serve, script: Any, way: str
) -> None:
    with at_most(1):
        outcome = called(HttpRunner(server=serve(script).url), operation(), {"id": "1"}, way)
    assert outcome.is_error
    assert (outcome.response.status, outcome.response.sent, outcome.value) == (200, "yes", None)
    assert "larger than 10485760 bytes" in outcome.text


@pytest.mark.parametrize("way", WAYS)
def test_a_body_at_the_limit_is_read(serve: Serve, way: str) -> None:
    server = serve(answers(gzip.compress(b"x" * 1000), Content_Encoding="gzip"))
    runner = HttpRunner(server=server.url, limits=Limits(response=1000))
    assert called(runner, operation(), {"id": "1"}, way).value == "x" * 1000


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content_Encoding": "gzip, gzip"}, gzip.compress(gzip.compress(b"x"))),
        ({"Content_Encoding": "br"}, b"\x0b\x00\x80x\x03"),
        ({"Content_Encoding": "zstd"}, b"(\xb5/\xfd"),
        ({"Content_Encoding": "gzip"}, b"not gzip"),
        ({"Content_Encoding": "gzip"}, gzip.compress(b"abc")[:-4]),
    ],
    ids=["twice", "br", "zstd", "no gzip", "cut off"],
)
def test_an_invalid_encoding_is_an_error(
    serve: Serve, headers: dict[str, str], body: bytes
) -> None:
    runner = HttpRunner(server=serve(answers(body, **headers)).url)
    outcome = called(runner, operation(), {"id": "1"})
    assert outcome.reason == "transport"
    assert outcome.text.startswith("200 OK, but: The body of the answer ")
    missing = serve(answers(body, status=404, **headers)).url
    outcome = called(HttpRunner(server=missing), operation(), {"id": "1"})
    assert (outcome.reason, outcome.response.status) == ("status", 404)
    assert outcome.text.startswith("404 Not Found. The body of the answer ")


def test_a_length_that_is_too_short_ends_the_body_and_the_connection(serve: Serve) -> None:
    server = serve(answers(b"abcdef", Content_Length="3"))
    outcome = called(HttpRunner(server=server.url), operation(), {"id": "1"})
    assert outcome.value == "abc"
