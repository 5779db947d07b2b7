"""How a request is sent: over a pool of httpcore, or over an httpx client of the caller.

Each way blocks or awaits; only the lines that wait differ. httpx2 and httpcore2 have the same
interfaces as httpx and httpcore. Errors of the libraries are recognised by their class.
"""

import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator
from functools import lru_cache
from socket import gaierror
from types import ModuleType
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict, TypeVar, cast
from urllib.parse import urlsplit

from pyfunctools.errors import wrong_type
from pyfunctools.execution.http.connections import NoConnectionError, Pools, PrivateAddressError
from pyfunctools.execution.http.exchange import HttpTransport, OpenResponse
from pyfunctools.execution.http.pauses import Headers
from pyfunctools.execution.request.assembly import HttpRequest

if TYPE_CHECKING:  # either library may be the one that is installed
    import httpcore
    import httpx

T = TypeVar("T")

Masked: TypeAlias = Literal["query", "target"] | None
"""The part of a URL that is masked in the log of a client's library: the query, or the path too."""


class UnusableClientError(Exception):
    """A client is closed, or would send to another URL. Never leaves `execution.http`."""


def masked_for(locations: Collection[str]) -> Masked:
    """Return the part of the URL to mask if a person's values stand in these locations."""
    if "path" in locations:
        return "target"
    return None if {"query", "querystring"}.isdisjoint(locations) else "query"


def pool_transport(pools: Pools, *, awaits: bool) -> HttpTransport:
    """Return the transport over a runner's own connections; with `awaits` on the running loop."""
    core = pools.core

    async def send(request: HttpRequest, deadline: float) -> OpenResponse:
        message = _pool_request(core, request, deadline)
        if awaits:
            response = await pools.of_loop().handle_async_request(message)
            read, close = chunk_reader(response.aiter_stream()), response.aclose
        else:
            response = pools.of_threads().handle_request(message)
            read, close = _blocking_reader(response.iter_stream()), _as_awaitable(response.close)
        headers = decoded_headers(response.headers)
        return OpenResponse(status=response.status, headers=headers, read=read, close=close)

    return _transport(core, send, blocks=not awaits)


def client_transport(client: object, masked: Masked, *, trusted: bool = True) -> HttpTransport:
    """Return the transport over a caller's client; it blocks if the client does.

    To a server that is not `trusted` it sends nothing of its own: no headers, cookies or `auth`.
    """
    library = library_of(client)
    blocks = isinstance(client, library.Client)
    own = cast("httpx.Client", client)
    own_async = cast("httpx.AsyncClient", client)
    settings: _SendSettings = {} if trusted else {"auth": None}

    async def send(request: HttpRequest, deadline: float) -> OpenResponse:
        message = _client_request(own, library if not trusted else None, request, deadline, masked)
        if blocks:
            response = own.send(message, stream=True, follow_redirects=False, **settings)
            read, close = _blocking_reader(response.iter_raw()), _as_awaitable(response.close)
        else:
            response = await own_async.send(
                message, stream=True, follow_redirects=False, **settings
            )
            read, close = chunk_reader(response.aiter_raw()), response.aclose
        is_read = response.is_stream_consumed  # by a hook of the caller
        return OpenResponse(
            status=response.status_code,
            headers=decoded_headers(response.headers.raw),
            read=_blocking_reader(iter((response.content,))) if is_read else read,
            close=close,
            decoded=is_read,
        )

    return _transport(library, send, blocks=blocks)


def library_of(client: object) -> ModuleType:
    """Return the library of a client."""
    for name in ("httpx", "httpx2"):
        library = sys.modules.get(name)  # a library that is not loaded has no client
        if library is not None and isinstance(client, library.Client | library.AsyncClient):
            return library
    remedy = "Pass an `httpx.Client` or an `httpx.AsyncClient`."
    raise wrong_type("client", "a client of httpx or httpx2", client, remedy)


def chunk_reader(chunks: AsyncIterator[bytes]) -> Callable[[], Awaitable[bytes | None]]:
    """Return a function that returns the next chunk, or `None` after the last."""
    return lambda: anext(chunks, None)


def _blocking_reader(chunks: Iterator[bytes]) -> Callable[[], Awaitable[bytes | None]]:
    return _as_awaitable(lambda: next(chunks, None))


def _as_awaitable(step: Callable[[], T]) -> Callable[[], Awaitable[T]]:
    """Return a blocking step as a coroutine function, which never suspends."""

    async def run() -> T:
        return step()

    return run


def _transport(
    library: ModuleType,
    send: Callable[[HttpRequest, float], Awaitable[OpenResponse]],
    *,
    blocks: bool,
) -> HttpTransport:
    """Return the transport of a library, with the classes of its errors."""
    unsent = (
        library.ConnectError,
        library.ConnectTimeout,
        library.LocalProtocolError,
        library.PoolTimeout,
        library.ProxyError,
        library.UnsupportedProtocol,
        getattr(library, "InvalidURL", UnusableClientError),  # httpcore does not have it
    )
    late = (library.TimeoutException, TimeoutError)
    return HttpTransport(send=send, blocks=blocks, unsent=(*unsent, *_UNSENT), late=late)


_UNSENT = (
    ConnectionRefusedError,
    NoConnectionError,
    PrivateAddressError,
    UnusableClientError,
    gaierror,
)


def _pool_request(core: ModuleType, request: HttpRequest, deadline: float) -> "httpcore.Request":
    parts = urlsplit(request.origin)
    content, headers = complete_message(request)
    return core.Request(
        request.method,
        # From its parts: a URL made from text would lose the text after `;` in the last segment.
        core.URL(scheme=parts.scheme, host=parts.hostname, port=parts.port, target=request.target),
        headers=list(headers.items()),
        content=content,
        extensions=_timeouts(deadline),
    )


def complete_message(request: HttpRequest) -> tuple[bytes | None, dict[str, str]]:
    """Return the body and all headers of a request that no client completes."""
    headers = {
        "host": urlsplit(request.origin).netloc,
        "accept": "*/*",
        "user-agent": "pyfunctools",
    }
    headers |= request.headers
    content = request.content
    if content is None and request.method in ("POST", "PUT", "PATCH"):
        content = b""  # some servers answer 411 to a write without a length
    if content is not None:
        headers["content-length"] = str(len(content))
    return content, headers


class _SendSettings(TypedDict, total=False):
    auth: None


def _client_request(
    client: "httpx.Client | httpx.AsyncClient",
    bare: ModuleType | None,
    request: HttpRequest,
    deadline: float,
    masked: Masked,
) -> "httpx.Request":
    if client.is_closed:
        raise UnusableClientError
    build = client.build_request if bare is None else bare.Request
    message = build(
        request.method,
        request.url,
        content=request.content,
        headers=dict(request.headers),
        extensions=_timeouts(deadline),
    )
    url, parts = message.url, urlsplit(request.origin)
    path = request.target.partition("?")[0].encode("ascii")
    host = (parts.hostname or "").encode("ascii")
    if url.raw_path.partition(b"?")[0] != path or url.raw_host.strip(b"[]") != host:
        raise UnusableClientError
    if masked:
        message.url = _masked_url(type(client.base_url), masked)(url)
    return message


def _timeouts(deadline: float) -> dict[str, object]:
    """Return the extension that limits the time of each step, for both libraries."""
    left = max(0.001, deadline - time.monotonic())
    return {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), left)}


@lru_cache(maxsize=8)
def _masked_url(kind: "type[httpx.URL]", masked: Masked) -> "type[httpx.URL]":
    """Return a subclass of a URL class whose text is masked, since the library logs it."""

    def text(url: "httpx.URL") -> str:
        path = url.raw_path.partition(b"?")[0].decode("ascii")
        target = f"{path}?***" if masked == "query" else "/***"
        return f"{url.scheme}://{url.raw_host.decode('ascii')}{target}"

    return type("MaskedUrl", (kind,), {"__str__": text, "__repr__": text})


def decoded_headers(lines: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return header lines as text, the names in lower case."""
    return tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in lines)
