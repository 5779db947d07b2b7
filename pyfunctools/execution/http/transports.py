"""How a request goes out: over a pool of httpcore, or over a client of httpx somebody handed in.

Each way there is a blocking and an awaiting function, which differ in the line that sends. No
library is imported here: what is sent over is handed in, httpx and httpx2 alike.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from functools import lru_cache
from types import ModuleType
from typing import Literal, Protocol, TypeAlias
from urllib.parse import urlsplit

from pyfunctools.execution.http.wire import AwaitingReply, BlockingReply, Reply
from pyfunctools.execution.request.assembly import HttpRequest

Lines: TypeAlias = list[tuple[bytes, bytes]]
"""Header lines, as both libraries have them."""


class UnusableClientError(Exception):
    """A client that is closed, or would send to another place. Never leaves this room."""


class PoolAnswer(Protocol):
    """An answer of httpcore."""

    status: int
    headers: Lines

    def iter_stream(self) -> Iterator[bytes]:
        """Return the raw body as it comes."""
        ...

    def aiter_stream(self) -> AsyncIterator[bytes]:
        """Return the raw body as it comes."""
        ...

    def close(self) -> None:
        """Return the connection back."""
        ...

    def aclose(self) -> Awaitable[None]:
        """Return the connection back."""
        ...


class Pool(Protocol):
    """The blocking connections of httpcore."""

    def handle_request(self, request: object) -> PoolAnswer:
        """Send a request."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class AsyncPool(Protocol):
    """The connections of httpcore for one event loop."""

    def handle_async_request(self, request: object) -> Awaitable[PoolAnswer]:
        """Send a request."""
        ...

    def aclose(self) -> Awaitable[None]:
        """Close every connection."""
        ...


class ClientUrl(Protocol):
    """A URL of httpx."""

    scheme: str
    raw_host: bytes
    port: int | None
    raw_path: bytes


class ClientRequest(Protocol):
    """A request of httpx."""

    url: ClientUrl


class ClientHeaders(Protocol):
    """Headers of httpx."""

    raw: Lines


class ClientAnswer(Protocol):
    """An answer of httpx."""

    status_code: int
    headers: ClientHeaders
    is_stream_consumed: bool
    content: bytes

    def iter_raw(self) -> Iterator[bytes]:
        """Return the raw body as it comes."""
        ...

    def aiter_raw(self) -> AsyncIterator[bytes]:
        """Return the raw body as it comes."""
        ...

    def close(self) -> None:
        """Return the connection back."""
        ...

    def aclose(self) -> Awaitable[None]:
        """Return the connection back."""
        ...


class Builder(Protocol):
    """What a client of either kind makes requests with."""

    is_closed: bool

    def build_request(
        self,
        method: str,
        url: str,
        *,
        content: bytes | None,
        headers: dict[str, str],
        extensions: dict[str, object],
    ) -> ClientRequest:
        """Make a request, with what the client adds to each."""
        ...


class Client(Builder, Protocol):
    """A blocking client: `httpx.Client`, or httpx2's."""

    def send(self, request: ClientRequest, *, stream: bool, follow_redirects: bool) -> ClientAnswer:
        """Send a request."""
        ...


class AsyncClient(Builder, Protocol):
    """A client for event loops: `httpx.AsyncClient`, or httpx2's."""

    def send(
        self, request: ClientRequest, *, stream: bool, follow_redirects: bool
    ) -> Awaitable[ClientAnswer]:
        """Send a request."""
        ...


def over_pool(core: ModuleType, pool: Pool) -> Callable[[HttpRequest, float], BlockingReply]:
    """Return what sends over a pool and waits."""

    def send(request: HttpRequest, deadline: float) -> BlockingReply:
        answer = pool.handle_request(_pool_request(core, request, deadline))
        return Reply(
            status=answer.status,
            headers=_lines(answer.headers),
            chunks=answer.iter_stream(),
            close=answer.close,
        )

    return send


def over_async_pool(
    core: ModuleType, pool: AsyncPool
) -> Callable[[HttpRequest, float], Awaitable[AwaitingReply]]:
    """Return what sends over the pool of the running loop."""

    async def send(request: HttpRequest, deadline: float) -> AwaitingReply:
        answer = await pool.handle_async_request(_pool_request(core, request, deadline))
        return Reply(
            status=answer.status,
            headers=_lines(answer.headers),
            chunks=answer.aiter_stream(),
            close=answer.aclose,
        )

    return send


Masked: TypeAlias = Literal["query", "target"] | None
"""What of a URL is kept from what a client's library logs: the query, or the path too."""


def masked_for(locations: Collection[str]) -> Masked:
    """Return what of a URL is kept back where a person's values stand in these parts of a
    request.
    """
    if "path" in locations:
        return "target"
    return None if {"query", "querystring"}.isdisjoint(locations) else "query"


def over_client(client: Client, *, masked: Masked) -> Callable[[HttpRequest, float], BlockingReply]:
    """Return what sends over a caller's client and waits."""

    def send(request: HttpRequest, deadline: float) -> BlockingReply:
        built = _client_request(client, request, deadline, masked)
        answer = client.send(built, stream=True, follow_redirects=False)
        read = answer.is_stream_consumed
        return Reply(
            status=answer.status_code,
            headers=_lines(answer.headers.raw),
            chunks=iter((answer.content,)) if read else answer.iter_raw(),
            close=answer.close,
            decoded=read,
        )

    return send


def over_async_client(
    client: AsyncClient, *, masked: Masked
) -> Callable[[HttpRequest, float], Awaitable[AwaitingReply]]:
    """Return what sends over a caller's client for event loops."""

    async def send(request: HttpRequest, deadline: float) -> AwaitingReply:
        built = _client_request(client, request, deadline, masked)
        answer = await client.send(built, stream=True, follow_redirects=False)
        read = answer.is_stream_consumed
        return Reply(
            status=answer.status_code,
            headers=_lines(answer.headers.raw),
            chunks=_once(answer.content) if read else answer.aiter_raw(),
            close=answer.aclose,
            decoded=read,
        )

    return send


def _pool_request(core: ModuleType, request: HttpRequest, deadline: float) -> object:
    parts = urlsplit(request.origin)
    headers = {"host": parts.netloc, "accept": "*/*", "user-agent": "pyfunctools"}
    headers |= request.headers
    content = request.content
    if content is None and request.method in ("POST", "PUT", "PATCH"):
        content = b""  # some servers answer 411 to a write that says no length
    if content is not None:
        headers["content-length"] = str(len(content))
    return core.Request(
        request.method,
        # From its parts: made of a text, it would lose what follows `;` in the last segment.
        core.URL(scheme=parts.scheme, host=parts.hostname, port=parts.port, target=request.target),
        headers=list(headers.items()),
        content=content,
        extensions=_timeouts(deadline),
    )


def _client_request(
    client: Builder, request: HttpRequest, deadline: float, masked: Masked
) -> ClientRequest:
    if client.is_closed:
        raise UnusableClientError
    built = client.build_request(
        request.method,
        request.url,
        content=request.content,
        headers=dict(request.headers),
        extensions=_timeouts(deadline),
    )
    url, parts = built.url, urlsplit(request.origin)
    path = request.target.partition("?")[0].encode("ascii")
    host = (parts.hostname or "").encode("ascii")
    if url.raw_path.partition(b"?")[0] != path or url.raw_host.strip(b"[]") != host:
        raise UnusableClientError
    if masked:
        built.url = _masked(type(url), masked)(url)
    return built


def _timeouts(deadline: float) -> dict[str, object]:
    """Return the extension by which both libraries are told how long each step may take."""
    left = max(0.001, deadline - time.monotonic())
    return {"timeout": {"connect": left, "read": left, "write": left, "pool": left}}


@lru_cache(maxsize=8)
def _masked(
    kind: Callable[[ClientUrl], ClientUrl], masked: Masked
) -> Callable[[ClientUrl], ClientUrl]:
    """Return the kind of URL that is the same but for its text, which is what gets logged."""

    def shown(url: ClientUrl) -> str:
        path = url.raw_path.partition(b"?")[0].decode("ascii")
        target = f"{path}?***" if masked == "query" else "/***"
        return f"{url.scheme}://{url.raw_host.decode('ascii')}{target}"

    return type("MaskedUrl", (kind,), {"__str__": shown, "__repr__": shown})  # pyright: ignore


def _lines(lines: Lines) -> tuple[tuple[str, str], ...]:
    return tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in lines)


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content
