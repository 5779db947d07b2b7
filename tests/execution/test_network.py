import asyncio
import socket
import time
from typing import Any

import pytest

from pyfunctools.execution.http.connections import (
    DEADLINE,
    DeadlineBackend,
    DeadlineStream,
    NoConnectionError,
    PrivateAddressError,
    PublicBackend,
    is_public,
)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
def test_an_address_of_the_open_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1",
     "0.0.0.1", "224.0.0.1", "::1", "::", "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1",
     "2002:7f00:1::", "64:ff9b::7f00:1", "255.255.255.255"],
)  # fmt: skip
def test_every_spelling_of_another_address_is_not(address: str) -> None:
    assert not is_public(address)


class Recording:
    """A connection and what opens it, which keep what they are asked for."""

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

    def sleep(self, seconds: float) -> None:
        self.asked.append(seconds)


class AsyncRecording:
    async def connect_tcp(self, host: str, port: int, *_: Any) -> str:
        return host

    async def sleep(self, seconds: float) -> None:
        pass


def resolver(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    """Let names be resolved to these, one answer after the other."""
    left = list(answers)

    def getaddrinfo(*_: Any, **__: Any) -> list[Any]:
        return [(0, 0, 0, "", (address, 80)) for address in left.pop(0)]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def test_every_step_gets_what_is_left_of_the_call() -> None:
    inner = Recording()
    stream = DeadlineStream(inner)
    stream.read(1, 30)
    token = DEADLINE.set(time.monotonic() + 5)
    try:
        stream.read(1, 30)
        stream.write(b"", None)
        stream.start_tls(None, "h", 2).close()
    finally:
        DEADLINE.reset(token)
    free, read, write, tls, closed = inner.asked
    assert (free, tls, closed) == (30, 2, "close")
    assert 4 < read <= 5
    assert 4 < write <= 5
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


def test_the_last_address_says_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver(monkeypatch, ["10.0.0.1", "10.0.0.2"])
    with pytest.raises(ConnectionRefusedError):
        DeadlineBackend(Recording(refuses=("10.0.0.1", "10.0.0.2"))).connect_tcp("h", 80)


def test_an_address_is_looked_at_when_the_connection_is_made(
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
    backend.sleep(0)


def test_so_it_is_on_an_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver(monkeypatch, ["10.0.0.1", "8.8.8.8"], ["127.0.0.1"])
    backend = PublicBackend(AsyncRecording())

    async def scenario() -> None:
        assert await backend.connect_tcp("h", 80) == "8.8.8.8"
        with pytest.raises(PrivateAddressError):
            await backend.connect_tcp("h", 80)
        await backend.sleep(0)

    asyncio.run(scenario())
