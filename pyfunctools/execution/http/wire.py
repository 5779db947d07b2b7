"""What carries requests, blocking or awaiting: the two are alike to whoever writes the exchange.

An exchange is written once, as coroutines. Over an `Awaiting` wire they are awaited; over a
`Blocking` one they never suspend, and `settle.finish` runs them to their end.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from pyfunctools.execution.request.assembly import HttpRequest

Chunks_co = TypeVar("Chunks_co", covariant=True)
Closed_co = TypeVar("Closed_co", covariant=True)
Incoming = TypeVar("Incoming")

GRACE = 0.05
"""Seconds after the deadline until an awaited step is cancelled.

A library's own timeout comes first and says more: whether there was a connection at all.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Generic[Chunks_co, Closed_co]):
    """An answer whose head is there: `chunks` is its body as it comes, `close` ends it early.

    `headers` are the lines as they came, the names in lower case. `decoded` says that somebody has
    undone the Content-Encoding already.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    chunks: Chunks_co
    close: Callable[[], Closed_co]
    decoded: bool = False

    def header(self, name: str) -> str:
        """Return the values of a header (named in lower case), joined by commas."""
        return ", ".join(value for key, value in self.headers if key == name)


BlockingReply: TypeAlias = Reply[Iterator[bytes], None]
AwaitingReply: TypeAlias = Reply[AsyncIterator[bytes], Awaitable[None]]


class Wire(Protocol[Incoming]):
    """What an exchange needs of the world. A deadline is a time of `time.monotonic`."""

    async def send(self, request: HttpRequest, deadline: float) -> Incoming:
        """Send a request and give its answer once its head is there."""
        ...

    async def read(self, reply: Incoming, deadline: float) -> bytes | None:
        """Return the next chunk of the body, or `None` after the last."""
        ...

    async def close(self, reply: Incoming) -> None:
        """End an answer, read to its end or not."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Blocking:
    """A wire over a function that sends and waits."""

    def __init__(self, send: Callable[[HttpRequest, float], BlockingReply]) -> None:
        self._send = send

    async def send(self, request: HttpRequest, deadline: float) -> BlockingReply:
        """Send a request and give its answer once its head is there."""
        return self._send(request, deadline)

    async def read(self, reply: BlockingReply, deadline: float) -> bytes | None:
        """Return the next chunk, or `None` after the last.

        Raises:
            TimeoutError: the deadline is over.
        """
        if time.monotonic() >= deadline:
            raise TimeoutError
        return next(reply.chunks, None)

    async def close(self, reply: BlockingReply) -> None:
        """End an answer, read to its end or not."""
        reply.close()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class Awaiting:
    """A wire over a coroutine function of the running event loop."""

    def __init__(self, send: Callable[[HttpRequest, float], Awaitable[AwaitingReply]]) -> None:
        self._send = send

    async def send(self, request: HttpRequest, deadline: float) -> AwaitingReply:
        """Send a request and give its answer once its head is there.

        Raises:
            TimeoutError: the deadline is over.
        """
        async with _until(deadline):
            return await self._send(request, deadline)

    async def read(self, reply: AwaitingReply, deadline: float) -> bytes | None:
        """Return the next chunk, or `None` after the last.

        Raises:
            TimeoutError: the deadline is over.
        """
        async with _until(deadline):
            return await anext(reply.chunks, None)

    async def close(self, reply: AwaitingReply) -> None:
        """End an answer, read to its end or not."""
        await reply.close()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        from asyncio import sleep

        await sleep(seconds)


def _until(deadline: float) -> AbstractAsyncContextManager[object]:
    from asyncio import timeout

    return timeout(deadline + GRACE - time.monotonic())
