"""Deadlines, retries, redirects, and the addresses that connections may have."""

import asyncio
import socket
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from pyfunctools.execution.http.exchange import (
    Exchange,
    HttpTransport,
    OpenResponse,
    Received,
    origin_of_url,
    pause_before,
    redirected,
    retry_after,
)
from pyfunctools.execution.http.transports import (
    DEADLINE,
    DeadlineBackend,
    DeadlineStream,
    NoConnectionError,
    PrivateAddressError,
    PublicBackend,
    is_public,
)
from pyfunctools.execution.request.assembly import HttpRequest
from pyfunctools.execution.steps import finish
from pyfunctools.limits import Limits


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
def test_an_address_of_the_open_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1",
     "0.0.0.1", "224.0.0.1", "::1", "::", "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1",
     "2002:7f00:1::", "64:ff9b::7f00:1", "255.255.255.255"],
)  # fmt: skip
def test_another_address_is_not_public_in_any_spelling(address: str) -> None:
    assert not is_public(address)


class Recording:
    """A connection and its backend; both record the arguments of each step."""

    def __init__(self, refuses: tuple[str, ...] = ()) -> None:
        self.asked: list[Any] = []
        self.refuses = refuses

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, *_: Any) -> Any:
        self.asked.append((host, timeout))
        if host in self.refuses:
            raise ConnectionRefusedError
        return self

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self.asked.append(timeout)
        return b""

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.asked.append(timeout)

    def start_tls(self, context: object, name: str | None, timeout: float | None) -> Any:
        self.asked.append(timeout)
        return self

    def close(self) -> None:
        self.asked.append("close")

    def get_extra_info(self, info: str) -> object:
        return info


class AsyncRecording:
    async def connect_tcp(self, host: str, port: int, *_: Any) -> str:
        return host


def resolver(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    """Resolve names to these addresses, one answer after the other."""
    left = list(answers)

    def getaddrinfo(*_: Any, **__: Any) -> list[Any]:
        return [(0, 0, 0, "", (address, 80)) for address in left.pop(0)]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def test_every_step_gets_what_is_left_of_the_call() -> None:
    inner = Recording()
    stream = DeadlineStream(inner)
    stream.read(1, 30)
    token = DEADLINE.set(time.monotonic() + 100)
    try:
        stream.read(1, 300)
        stream.write(b"", None)
        stream.start_tls(None, "h", 2).close()
    finally:
        DEADLINE.reset(token)
    free, read, write, tls, closed = inner.asked
    assert (free, tls, closed) == (30, 2, "close")
    assert 30 < read <= 100
    assert 30 < write <= 100
    assert stream.get_extra_info("socket") == "socket"


def test_no_step_begins_after_the_deadline() -> None:
    stream = DeadlineStream(Recording())
    token = DEADLINE.set(time.monotonic() - 1)
    try:
        for step in (lambda: stream.read(1), lambda: stream.write(b"")):
            with pytest.raises(TimeoutError):
                step()
        with pytest.raises(NoConnectionError):
            DeadlineBackend(Recording()).connect_tcp("127.0.0.1", 80)
    finally:
        DEADLINE.reset(token)


def test_the_next_address_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver(monkeypatch, ["10.0.0.1", "10.0.0.1", "10.0.0.2"])
    inner = Recording(refuses=("10.0.0.1",))
    DeadlineBackend(inner).connect_tcp("h", 80, 1)
    assert inner.asked == [("10.0.0.1", 0.5), ("10.0.0.2", 1)]


def test_the_error_of_the_last_address_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver(monkeypatch, ["10.0.0.1", "10.0.0.2"])
    with pytest.raises(ConnectionRefusedError):
        DeadlineBackend(Recording(refuses=("10.0.0.1", "10.0.0.2"))).connect_tcp("h", 80)


def test_an_address_is_checked_when_the_connection_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolver(monkeypatch, ["8.8.8.8"], ["127.0.0.1"], ["10.0.0.1", "8.8.8.8"])
    inner = Recording()
    backend = DeadlineBackend(inner, public_only=True)
    backend.connect_tcp("h", 80)
    with pytest.raises(PrivateAddressError):
        backend.connect_tcp("h", 80)
    backend.connect_tcp("h", 80)
    assert [host for host, _ in inner.asked] == ["8.8.8.8", "8.8.8.8"]


def test_an_address_is_checked_on_an_event_loop_too(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver(monkeypatch, ["10.0.0.1", "8.8.8.8"], ["127.0.0.1"])
    backend = PublicBackend(AsyncRecording())

    async def scenario() -> None:
        assert await backend.connect_tcp("h", 80) == "8.8.8.8"
        with pytest.raises(PrivateAddressError):
            await backend.connect_tcp("h", 80)

    asyncio.run(scenario())


REQUEST = HttpRequest(
    method="POST",
    url="https://api.test/v1/a;b=c?d=e",
    headers={"authorization": "SECRET", "content-type": "text/plain"},
    content=b"x",
)


def moved(status: int, location: str) -> Received:
    return Received(status=status, headers={"location": location}, body=b"")


def following(status: int, location: str, method: str = "GET") -> Any:
    request = HttpRequest(method=method, url=REQUEST.url, headers=REQUEST.headers, content=b"x")
    return redirected(request, moved(status, location))


def scripted(*replies: Any) -> tuple[HttpTransport, list[float]]:
    """Return a transport with these responses, and the times of its requests."""
    left, times = list(replies), []

    async def nothing() -> None: ...

    async def send(request: HttpRequest) -> OpenResponse:
        times.append(time.monotonic())
        reply = left.pop(0)
        if isinstance(reply, Exception):
            raise reply
        status, headers = reply if isinstance(reply, tuple) else (reply, {})
        chunks = iter([b"x"] if "content-encoding" in headers else [])

        async def read() -> bytes | None:
            return next(chunks, None)

        return OpenResponse(status=status, headers=headers, read=read, close=nothing)

    return HttpTransport(send=send, blocks=True), times


def exchanged(transport: HttpTransport, seconds: float = 5, **limits: Any) -> Received:
    exchange = Exchange(
        transport=transport,
        deadline=time.monotonic() + seconds,
        limits=Limits(deadline=seconds, **limits),
    )
    return finish(exchange.run(REQUEST, repeatable=True))


def test_a_request_is_sent_again_after_a_pause() -> None:
    transport, times = scripted(503, ConnectionError(), 200)
    result = exchanged(transport, retries=2)
    assert (result.status, result.lost) == (200, None)
    assert times[1] - times[0] >= 0.1
    assert times[2] - times[1] >= 0.2


def test_a_status_counts_also_if_the_body_is_lost() -> None:
    packed = {"content-encoding": "br", "retry-after": "0.1"}
    transport, times = scripted((429, packed), (307, {**packed, "location": "/b"}), 200)
    result = exchanged(transport, retries=1, redirects=1)
    assert (result.status, result.lost, len(times)) == (200, None, 3)


@pytest.mark.parametrize(
    ("attempt", "least", "most"),
    [(0, 0.1, 0.2), (1, 0.2, 0.4), (4, 1.6, 3.2), (9, 2.5, 5), (10**9, 2.5, 5)],
)
def test_the_pause_before_each_retry_is_longer_and_partly_random(
    attempt: int, least: float, most: float
) -> None:
    pauses = {pause_before(attempt) for _ in range(50)}
    assert len(pauses) > 1
    assert all(least <= pause <= most for pause in pauses)


@pytest.mark.parametrize("wanted", [0, 3, 600])
def test_a_pause_is_never_shorter_than_the_server_wants(wanted: float) -> None:
    assert all(wanted <= pause_before(3, wanted) <= wanted + 1.6 for _ in range(50))


def test_nothing_is_sent_after_the_deadline() -> None:
    transport, times = scripted(200)
    result = exchanged(transport, seconds=0)
    assert result.lost is not None
    assert (result.sent, times) == ("no", [])


def test_a_keyboard_interrupt_passes_through() -> None:
    async def send(request: HttpRequest) -> OpenResponse:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        exchanged(HttpTransport(send=send, blocks=True), retries=3)


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/x", "https://api.test/x"),
        ("y?z=1#f", "https://api.test/v1/y?z=1"),
        ("https://api.test:443/x", "https://api.test:443/x"),
        ("HTTPS://API.test/x", "https://API.test/x"),
    ],
)
def test_a_redirect_on_the_same_origin_can_be_followed(location: str, url: str) -> None:
    assert following(302, location).url == url


@pytest.mark.parametrize(
    "location",
    ["http://api.test/x", "https://api.test:8443/x", "https://evil/x", "//evil/x", "file:///etc",
     "https://u@api.test/x", "https://api.test@evil/", "", "https://[::1", "/a b", "/a\r\nb", "/ü"],
)  # fmt: skip
def test_a_redirect_to_another_origin_is_not_followed(location: str) -> None:
    assert following(302, location) is None


@pytest.mark.parametrize(
    ("status", "method", "then"),
    [(301, "GET", "GET"), (302, "HEAD", "HEAD"), (303, "POST", "GET"), (303, "HEAD", "HEAD"),
     (307, "POST", "POST"), (308, "DELETE", "DELETE"), (301, "POST", None), (302, "PUT", None),
     (300, "GET", None), (304, "GET", None)],
)  # fmt: skip
def test_a_write_is_repeated_only_after_some_statuses(
    status: int, method: str, then: str | None
) -> None:
    request = following(status, "/x", method)
    assert (request and request.method) == then
    if then == "GET" and method == "POST":
        assert request.content is None
        assert "content-type" not in request.headers


def test_only_a_redirect_is_followed() -> None:
    assert redirected(REQUEST, Received(lost="", sent="unknown")) is None
    assert redirected(REQUEST, Received(status=200)) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0), ("120", 120), ("86400", 86400), (" 7 ", 7), ("-1", None), ("1.5", 1.5),
     ("2.0", 2), ("1.", None), ("1e3", None), ("soon", None), ("", None),
     ("9" * 400, None), ("²", None),
     ("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("Wed, 99 Oct 2015 07:28:00 GMT", None)],
)  # fmt: skip
def test_the_time_to_wait_is_read_in_seconds(text: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": text}) == seconds


def test_a_date_to_wait_for_is_read_as_the_seconds_until_then() -> None:
    date = datetime.now(UTC) + timedelta(seconds=100)
    text = format_datetime(date, usegmt=True)
    assert retry_after({"retry-after": text}) == pytest.approx(99, abs=2)
    assert retry_after({"retry-after": text.replace("GMT", "-0000")}) == pytest.approx(99, abs=2)
    assert retry_after({}) is None


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://h:443/x?token=SECRET", "https://h"),
        ("http://h:8080/x", "http://h:8080"),
        ("http://u:p@h/", None),
        ("/x", None),
        ("https://[::1", None),
        ("https://h:port/", None),
    ],
)
def test_only_the_origin_of_a_url_is_returned(url: str, origin: str | None) -> None:
    assert origin_of_url(url) == origin
