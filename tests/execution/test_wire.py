import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from pyfunctools.execution.http.wire import Awaiting, Blocking, Reply
from pyfunctools.execution.request.assembly import HttpRequest
from pyfunctools.execution.steps import finish

REQUEST = HttpRequest(method="GET", url="https://h/")


async def chunks() -> AsyncIterator[bytes]:
    yield b"a"
    yield b"b"


async def read_all(wire: Any, deadline: float) -> tuple[int, bytes, list[str]]:
    """What an exchange does, written once for both wires."""
    closed: list[str] = []
    reply = await wire.send((REQUEST, closed), deadline)
    body = b""
    while (chunk := await wire.read(reply, deadline)) is not None:
        body += chunk
    await wire.close(reply)
    await wire.sleep(0)
    return reply.status, body, closed


def blocking(asked: Any, _: float) -> Any:
    _, closed = asked
    return Reply(
        status=200, headers=(), chunks=iter((b"a", b"b")), close=lambda: closed.append("closed")
    )


async def awaiting(asked: Any, _: float) -> Any:
    _, closed = asked

    async def close() -> None:
        closed.append("closed")

    return Reply(status=200, headers=(), chunks=chunks(), close=close)


def test_the_same_steps_run_over_both_wires() -> None:
    deadline = time.monotonic() + 5
    expected = (200, b"ab", ["closed"])
    assert finish(read_all(Blocking(blocking), deadline)) == expected
    assert asyncio.run(read_all(Awaiting(awaiting), deadline)) == expected


def test_the_deadline_ends_each_step() -> None:
    with pytest.raises(TimeoutError):
        finish(read_all(Blocking(blocking), time.monotonic() - 1))

    async def never(asked: Any, _: float) -> Any:
        await asyncio.sleep(60)

    with pytest.raises(TimeoutError):
        asyncio.run(read_all(Awaiting(never), time.monotonic()))


def test_a_header_that_comes_twice_is_joined() -> None:
    headers = (("a", "1"), ("b", "2"), ("a", "3"))
    reply = Reply(status=200, headers=headers, chunks=None, close=lambda: None)
    assert (reply.header("a"), reply.header("c")) == ("1, 3", "")
