"""How a request goes out: over a pool of httpcore, or over a client of httpx somebody handed in.

Each way blocks or awaits, and differs in that in the lines that wait. httpx2 and
httpcore2 are used as what they follow; which errors of each mean what is said here by their class.
"""

import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator
from functools import lru_cache
from socket import gaierror
from types import ModuleType
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, cast
from urllib.parse import urlsplit

from pyfunctools.errors import wrong_type
from pyfunctools.execution.http.connections import NoConnectionError, Pools, PrivateAddressError
from pyfunctools.execution.http.exchange import Headers, OpenResponse, Wire
from pyfunctools.execution.request.assembly import HttpRequest

if TYPE_CHECKING:  # either library may be the one that is there
    import httpcore
    import httpx

T = TypeVar("T")

Masked: TypeAlias = Literal["query", "target"] | None
"""What of a URL is kept from what a client's library logs: the query, or the path too."""


class UnusableClientError(Exception):
    """A client that is closed, or would send to another place. Never leaves this room."""


def masked_for(locations: Collection[str]) -> Masked:
    """Return what to mask where a person's values stand in these parts of a request."""
    if "path" in locations:
        return "target"
    return None if {"query", "querystring"}.isdisjoint(locations) else "query"


def over_pools(pools: Pools, *, awaits: bool) -> Wire:
    """Return the wire over a runner's own connections: those of the running loop if it `awaits`."""
    core = pools.core

    async def send(request: HttpRequest, deadline: float) -> OpenResponse:
        asked = _pool_request(core, request, deadline)
        if awaits:
            answer = await pools.of_loop().handle_async_request(asked)
            read, close = reader_of(answer.aiter_stream()), answer.aclose
        else:
            answer = pools.of_threads().handle_request(asked)
            read, close = _reader_at_once(answer.iter_stream()), _at_once(answer.close)
        headers = lines_of(answer.headers)
        return OpenResponse(status=answer.status, headers=headers, read=read, close=close)

    return _wire(core, send, blocks=not awaits)


def over_client(client: object, masked: Masked) -> Wire:
    """Return the wire over a caller's client, which blocks if the client does.

    Raises:
        DefinitionError: it is no client of httpx or httpx2.
    """
    library = library_of(client)
    blocks = isinstance(client, library.Client)
    own = cast("httpx.Client", client)
    own_async = cast("httpx.AsyncClient", client)

    async def send(request: HttpRequest, deadline: float) -> OpenResponse:
        built = _client_request(own, request, deadline, masked)
        if blocks:
            answer = own.send(built, stream=True, follow_redirects=False)
            read, close = _reader_at_once(answer.iter_raw()), _at_once(answer.close)
        else:
            answer = await own_async.send(built, stream=True, follow_redirects=False)
            read, close = reader_of(answer.aiter_raw()), answer.aclose
        is_read = answer.is_stream_consumed  # by a hook of the caller's
        return OpenResponse(
            status=answer.status_code,
            headers=lines_of(answer.headers.raw),
            read=_reader_at_once(iter((answer.content,))) if is_read else read,
            close=close,
            decoded=is_read,
        )

    return _wire(library, send, blocks=blocks)


def library_of(client: object) -> ModuleType:
    """Return the library whose client this is.

    Raises:
        DefinitionError: it is no client of httpx or httpx2.
    """
    for name in ("httpx", "httpx2"):
        library = sys.modules.get(name)  # where it is not loaded the client cannot be its
        if library is not None and isinstance(client, library.Client | library.AsyncClient):
            return library
    remedy = "Pass an `httpx.Client` or an `httpx.AsyncClient`."
    raise wrong_type("client", "a client of httpx or httpx2", client, remedy)


def reader_of(chunks: AsyncIterator[bytes]) -> Callable[[], Awaitable[bytes | None]]:
    """Return a function that gives the next chunk, or `None` after the last."""
    return lambda: anext(chunks, None)


def _reader_at_once(chunks: Iterator[bytes]) -> Callable[[], Awaitable[bytes | None]]:
    return _at_once(lambda: next(chunks, None))


def _at_once(step: Callable[[], T]) -> Callable[[], Awaitable[T]]:
    """Return a blocking step as one to await, which never suspends."""

    async def awaited() -> T:
        return step()

    return awaited


def _wire(
    library: ModuleType,
    send: Callable[[HttpRequest, float], Awaitable[OpenResponse]],
    *,
    blocks: bool = False,
) -> Wire:
    """Return the wire of a library, with the classes of its errors."""
    unsent = (
        library.ConnectError,
        library.ConnectTimeout,
        library.LocalProtocolError,
        library.PoolTimeout,
        library.ProxyError,
        library.UnsupportedProtocol,
    )
    invalid = getattr(library, "InvalidURL", UnusableClientError)  # httpcore has none
    return Wire(
        send=send,
        blocks=blocks,
        unsent=(*unsent, invalid, *_UNSENT),
        late=(library.TimeoutException, TimeoutError),
    )


_UNSENT = (
    ConnectionRefusedError,
    NoConnectionError,
    PrivateAddressError,
    UnusableClientError,
    gaierror,
)


def _pool_request(core: ModuleType, request: HttpRequest, deadline: float) -> "httpcore.Request":
    parts = urlsplit(request.origin)
    content, headers = framed(request)
    return core.Request(
        request.method,
        # From its parts: made of a text, it would lose what follows `;` in the last segment.
        core.URL(scheme=parts.scheme, host=parts.hostname, port=parts.port, target=request.target),
        headers=list(headers.items()),
        content=content,
        extensions=_timeouts(deadline),
    )


def framed(request: HttpRequest) -> tuple[bytes | None, dict[str, str]]:
    """Return the body and all headers of a request that no client completes."""
    headers = {
        "host": urlsplit(request.origin).netloc,
        "accept": "*/*",
        "user-agent": "pyfunctools",
    }
    headers |= request.headers
    content = request.content
    if content is None and request.method in ("POST", "PUT", "PATCH"):
        content = b""  # some servers answer 411 to a write that says no length
    if content is not None:
        headers["content-length"] = str(len(content))
    return content, headers


def _client_request(
    client: "httpx.Client | httpx.AsyncClient",
    request: HttpRequest,
    deadline: float,
    masked: Masked,
) -> "httpx.Request":
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
    """Return the extension that limits each step, for both libraries."""
    left = max(0.001, deadline - time.monotonic())
    return {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), left)}


@lru_cache(maxsize=8)
def _masked(kind: "type[httpx.URL]", masked: Masked) -> "type[httpx.URL]":
    """Return a subclass of a URL whose text, which gets logged, is masked."""

    def shown(url: "httpx.URL") -> str:
        path = url.raw_path.partition(b"?")[0].decode("ascii")
        target = f"{path}?***" if masked == "query" else "/***"
        return f"{url.scheme}://{url.raw_host.decode('ascii')}{target}"

    return type("MaskedUrl", (kind,), {"__str__": shown, "__repr__": shown})


def lines_of(lines: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return header lines as text, the names in lower case."""
    return tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in lines)
