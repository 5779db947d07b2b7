"""How a request is sent: over a pool of httpcore, or over an httpx client of the caller.

httpx2 and httpcore2 have the same interfaces as httpx and httpcore. A timeout of httpcore limits
one read or write; a server that sends a byte now and then never exceeds it. So the blocking backend
of a pool is wrapped: every step gets the time that is left of the whole call. (An awaited call is
cancelled at its deadline, see `exchange`.) A pool ignores the environment (proxies, `.netrc`,
certificates).
"""

import os
import re
import socket
import sys
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from inspect import isawaitable
from math import inf
from socket import gaierror
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast
from urllib.parse import urlsplit

from pyfunctools._lazy import ProcessLock
from pyfunctools.errors import wrong_type
from pyfunctools.execution.http.exchange import (
    DEADLINE,
    Headers,
    HttpTransport,
    OpenResponse,
    headers_of,
)
from pyfunctools.execution.request.assembly import HttpRequest
from pyfunctools.execution.request.destination import address_reached

if TYPE_CHECKING:
    import ssl
    from asyncio import AbstractEventLoop

    import httpcore
    import httpx


class NoConnectionError(TimeoutError):
    """The deadline was over before there was a connection. Never leaves `execution.http`."""


class PrivateAddressError(OSError):
    """A host has no address that may be called. Never leaves `execution.http`."""


class Pools:
    """A runner's own connections: one pool for all threads, one for each event loop.

    They are those of httpx2 if it is installed, else of httpx.
    """

    def __init__(self, public_only: bool) -> None:
        self._name = "httpx2" if find_spec("httpx2") else "httpx"
        self._public_only = public_only
        self._lock = ProcessLock()
        self._process = os.getpid()
        self._of_threads: httpcore.ConnectionPool | None = None
        self._of_loops: weakref.WeakKeyDictionary[
            AbstractEventLoop, httpcore.AsyncConnectionPool
        ] = weakref.WeakKeyDictionary()

    @property
    def core(self) -> ModuleType:
        """httpcore, or httpcore2 for httpx2."""
        return import_module(self._name.replace("httpx", "httpcore"))

    def of_threads(self) -> "httpcore.ConnectionPool":
        """Return the blocking pool; a forked process gets a new one."""
        with self._lock:
            if self._of_threads is None or self._process != os.getpid():
                core = self.core
                backend = DeadlineBackend(core.SyncBackend(), public_only=self._public_only)
                pool: httpcore.ConnectionPool = core.ConnectionPool(
                    network_backend=backend, **self._settings
                )
                self._of_threads, self._process = pool, os.getpid()
                weakref.finalize(self, pool.close)
            return self._of_threads

    def of_loop(self) -> "httpcore.AsyncConnectionPool":
        """Return the pool of the running loop."""
        from asyncio import get_running_loop

        loop = get_running_loop()
        with self._lock:
            pool = self._of_loops.get(loop)
            if pool is None:
                core = self.core
                backend = PublicBackend(core.AnyIOBackend()) if self._public_only else None
                pool = core.AsyncConnectionPool(network_backend=backend, **self._settings)
                self._of_loops[loop] = pool
            return pool

    def close(self) -> None:
        """Close the blocking pool."""
        with self._lock:
            pool, self._of_threads = self._of_threads, None
        if pool is not None:
            pool.close()

    async def aclose(self) -> None:
        """Close the blocking pool and that of the running loop."""
        from asyncio import get_running_loop

        self.close()
        with self._lock:
            pool = self._of_loops.pop(get_running_loop(), None)
        if pool is not None:
            await pool.aclose()

    def transport(self, *, awaits: bool) -> HttpTransport:
        """Return the transport over these connections; with `awaits` on the running loop."""
        core = self.core
        _ = self.of_loop() if awaits else self.of_threads()  # made before a call's time begins

        async def send(request: HttpRequest) -> OpenResponse:
            parts, target = urlsplit(request.origin), request.target
            content, headers = complete_message(request)
            # From its parts: a URL made from text would lose the text after `;` at its end.
            url = core.URL(scheme=parts.scheme, host=parts.hostname, port=parts.port, target=target)
            message = core.Request(
                request.method,
                url,
                headers=list(headers.items()),
                content=content,
                extensions=_timeouts(),
            )
            if awaits:
                response = await self.of_loop().handle_async_request(message)
                chunks, close = response.aiter_stream(), response.aclose
                return opened(response.status, response.headers, chunks, close)
            response = self.of_threads().handle_request(message)
            return opened(response.status, response.headers, response.iter_stream(), response.close)

        return HttpTransport(send=send, blocks=not awaits, **_faults(core))

    def digest(self, pair: tuple[str, str], request: HttpRequest, headers: Headers) -> str | None:
        """Return the answer to a digest challenge (RFC 7616), `None` without a valid challenge.

        `pair` is the user and the password, `headers` are those of the response.
        """
        library = import_module(self._name)
        for challenge in _DIGEST.findall(headers.get("www-authenticate", "")[:_MAX_LINES]):
            message = library.Request(request.method, request.url)
            flow = library.DigestAuth(*pair).auth_flow(message)
            next(flow)
            line = {"www-authenticate": challenge.rstrip(", \n")}
            with suppress(library.HTTPError, LookupError, RuntimeError, StopIteration, ValueError):
                flow.send(library.Response(401, headers=line, request=message))
                return message.headers["authorization"].encode("ascii").decode()
        return None  # there is no challenge that the library can answer

    @property
    def _settings(self) -> dict[str, object]:
        return {
            "ssl_context": _trusted(self._name),
            "max_connections": 100,
            # As many: httpcore closes a surplus one that another thread is about to use.
            "max_keepalive_connections": 100,
            "keepalive_expiry": 5.0,
        }


_MAX_LINES = 8192
"""The most characters of challenges that are read."""
_DIGEST = re.compile(
    r'\bdigest\s+(?:[\w-]+\s*=\s*(?:"(?:\\.|[^"\\])*"|[^\s,"]*)[,\s]*)+', re.IGNORECASE
)
"""A challenge with its parameters; a line may have several (RFC 9110, section 11.6.1)."""


@lru_cache(maxsize=2)
def _trusted(library: str) -> object:
    """Return the TLS settings of a library, without the environment's certificates."""
    return import_module(library).create_ssl_context(trust_env=False)


class DeadlineStream:
    """A blocking connection; every step ends at the deadline, with a `TimeoutError`."""

    def __init__(self, inner: "httpcore.NetworkStream") -> None:
        self._inner = inner
        self._awaits_answer = False
        self.close = inner.close

    def get_extra_info(self, info: str) -> Any:
        """Return a fact about the connection.

        The pool closes an idle connection that is readable. It looks at both in turn, so it would
        also close one on which another thread sends a request in between, and gets its answer.
        """
        if info == "is_readable" and self._awaits_answer:
            return False
        return self._inner.get_extra_info(info)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Wait for data and return it."""
        data = self._inner.read(max_bytes, _left(timeout))
        self._awaits_answer = False
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write the whole buffer."""
        self._awaits_answer = True
        self._inner.write(buffer, _left(timeout))

    def start_tls(
        self, ssl_context: object, server_hostname: str | None = None, timeout: float | None = None
    ) -> "DeadlineStream":
        """Return the connection, encrypted."""
        context = cast("ssl.SSLContext", ssl_context)
        return DeadlineStream(self._inner.start_tls(context, server_hostname, _left(timeout)))


class DeadlineBackend:
    """Opens `DeadlineStream`s; with `public_only` to public addresses only.

    A name is resolved once, and the connection is opened to an address that was checked. So a name
    whose address changes in between does not pass the check.
    """

    def __init__(self, inner: "httpcore.NetworkBackend", *, public_only: bool = False) -> None:
        self._inner = inner
        self._public_only = public_only

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, **options: Any
    ) -> DeadlineStream:
        """Open a connection to the first address that answers; all addresses share the time.

        Raises:
            OSError: the name has no address, or with `public_only` no public one.
            TimeoutError: the deadline is over before there is a connection.
        """
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = _addresses(found, self._public_only)
        while True:
            left = _left(timeout, NoConnectionError)
            share = None if left is None else left / len(addresses)
            try:
                opened = self._inner.connect_tcp(addresses.pop(0), port, share, **options)
            except Exception:  # the next address may answer
                if not addresses:
                    raise
            else:
                return DeadlineStream(opened)


class PublicBackend:
    """Opens connections of an event loop, to public addresses only."""

    def __init__(self, inner: "httpcore.AsyncNetworkBackend") -> None:
        self._inner = inner

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, **options: Any
    ) -> "httpcore.AsyncNetworkStream":
        """Open a connection to the first public address."""
        from asyncio import get_running_loop

        found = await get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return await self._inner.connect_tcp(_addresses(found, True)[0], port, timeout, **options)


def is_public(address: str) -> bool:
    """Return whether an address is public; an IPv6 address may contain an IPv4 address."""
    ip = address_reached(address.partition("%")[0])
    return ip.is_global and not ip.is_multicast


def _addresses(found: Iterable[tuple[Any, ...]], public_only: bool) -> list[str]:
    unique = dict.fromkeys(str(entry[4][0]) for entry in found)
    addresses = [each for each in unique if not public_only or is_public(each)]
    if not addresses:
        raise PrivateAddressError("the host has no public address")
    return addresses


def _left(timeout: float | None, late: type[TimeoutError] = TimeoutError) -> float | None:
    left = DEADLINE.get() - time.monotonic()
    if left <= 0:
        raise late("the deadline is over")
    return timeout if left == inf else min(left, inf if timeout is None else timeout)


Masked: TypeAlias = Literal["query", "target"] | None
"""The part of a URL that is masked in the log of a client's library: the query, or the path too."""


class UnusableClientError(Exception):
    """A client is closed, or would send to another URL. Never leaves `execution.http`."""


def client_transport(client: object, masked: Masked, *, trusted: bool = True) -> HttpTransport:
    """Return the transport over a caller's client; it blocks if the client does.

    To a server that is not `trusted` it sends nothing of its own: no headers, cookies or `auth`.
    """
    library = library_of(client)
    blocks = isinstance(client, library.Client)
    own = cast("httpx.Client", client)
    own_async = cast("httpx.AsyncClient", client)
    auth = library.USE_CLIENT_DEFAULT if trusted else None

    async def send(request: HttpRequest) -> OpenResponse:
        if own.is_closed:
            raise UnusableClientError
        message = (own.build_request if trusted else library.Request)(
            request.method,
            request.url,
            content=request.content,
            headers=dict(request.headers),
            extensions=_timeouts(),
        )
        if not _is_addressed_as(message.url, request):
            raise UnusableClientError
        if masked:
            message.url = _masked_url(type(own.base_url), masked)(message.url)
        options: dict[str, Any] = {"stream": True, "follow_redirects": False, "auth": auth}
        response = (
            own.send(message, **options) if blocks else await own_async.send(message, **options)
        )
        chunks = response.iter_raw() if blocks else response.aiter_raw()
        lines = response.headers.raw
        if response.is_stream_consumed:  # by a hook of the caller, and decoded
            chunks = iter((response.content,))
            lines = [line for line in lines if line[0].lower() != b"content-encoding"]
        close = response.close if blocks else response.aclose
        return opened(response.status_code, lines, chunks, close)

    return HttpTransport(send=send, blocks=blocks, **_faults(library))


def _is_addressed_as(url: "httpx.URL", request: HttpRequest) -> bool:
    """Return whether a library has left the host and the path of a request as they are."""
    host = (urlsplit(request.origin).hostname or "").encode("ascii")
    path = request.target.partition("?")[0].encode("ascii")
    return url.raw_path.partition(b"?")[0] == path and url.raw_host.strip(b"[]") == host


def library_of(client: object) -> ModuleType:
    """Return the library of a client."""
    for name in ("httpx", "httpx2"):
        library = sys.modules.get(name)  # a library that is not loaded has no client
        if library is not None and isinstance(client, library.Client | library.AsyncClient):
            return library
    remedy = "Pass an `httpx.Client` or an `httpx.AsyncClient`."
    raise wrong_type("client", "a client of httpx or httpx2", client, remedy)


def opened(
    status: int,
    lines: Iterable[tuple[bytes, bytes]],
    chunks: Iterator[bytes] | AsyncIterator[bytes],
    close: Callable[[], object],
) -> OpenResponse:
    """Return a response from its header lines and its `chunks`, which block or are awaited."""

    async def read() -> bytes | None:
        return next(chunks, None) if isinstance(chunks, Iterator) else await anext(chunks, None)

    async def ended() -> None:
        closing = close()
        if isawaitable(closing):
            await closing

    headers = headers_of(lines)
    return OpenResponse(status=status, headers=headers, read=read, close=ended)


@lru_cache(maxsize=4)
def _faults(library: ModuleType) -> dict[str, tuple[type[Exception], ...]]:
    """Return the errors of a library by what they mean; see `HttpTransport`."""
    names = ("ConnectError", "ConnectTimeout", "LocalProtocolError", "PoolTimeout", "ProxyError")
    names = (*names, "UnsupportedProtocol", "InvalidURL")  # the last is only of httpx
    unsent = (getattr(library, name) for name in names if hasattr(library, name))
    own = (ConnectionRefusedError, NoConnectionError, PrivateAddressError, UnusableClientError)
    return {"unsent": (*unsent, *own, gaierror), "late": (library.TimeoutException, TimeoutError)}


def complete_message(request: HttpRequest) -> tuple[bytes | None, dict[str, str]]:
    """Return the body and all headers of a request that no client completes."""
    host, content = urlsplit(request.origin).netloc, request.content
    headers = {"host": host, "accept": "*/*", "user-agent": "pyfunctools", **request.headers}
    if content is None and request.method in ("POST", "PUT", "PATCH"):
        content = b""  # some servers answer 411 to a write without a length
    if content is not None:
        headers["content-length"] = str(len(content))
    return content, headers


def _timeouts() -> dict[str, object]:
    """Return the extension that limits the time of each step, for both libraries."""
    left = max(0.001, DEADLINE.get() - time.monotonic())
    return {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), left)}


@lru_cache(maxsize=8)
def _masked_url(kind: "type[httpx.URL]", masked: Masked) -> "type[httpx.URL]":
    """Return a subclass of a URL class whose text is masked, since the library logs it."""

    def text(url: "httpx.URL") -> str:
        path = url.raw_path.partition(b"?")[0].decode("ascii")
        target = f"{path}?***" if masked == "query" else "/***"
        return f"{url.scheme}://{url.raw_host.decode('ascii')}{target}"

    return type("MaskedUrl", (kind,), {"__str__": text, "__repr__": text})
