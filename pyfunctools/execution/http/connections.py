"""A runner's own connections: pools of httpcore whose sockets keep a deadline.

A timeout of httpcore limits one read or write; a server that sends a byte now and then never
exceeds it. So the blocking backend is wrapped: every step gets the time that is left of the whole
call. (An awaited call is cancelled at its deadline, see `exchange`.) With `public_only` both
backends connect to public addresses only. A pool ignores the environment (proxies, `.netrc`,
certificates).
"""

import ipaddress
import os
import socket
import time
import weakref
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from math import inf
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from pyfunctools.errors import DefinitionError
from pyfunctools.execution.http.exchange import DEADLINE
from pyfunctools.execution.http.pauses import Headers
from pyfunctools.execution.request.assembly import HttpRequest

if TYPE_CHECKING:  # loaded by the first call that opens a connection
    import ssl
    from asyncio import AbstractEventLoop

    import httpcore


class NoConnectionError(TimeoutError):
    """The deadline was over before there was a connection. Never leaves `execution.http`."""


class PrivateAddressError(OSError):
    """A host has no address that may be called. Never leaves `execution.http`."""


class Pools:
    """A runner's own connections: one pool for all threads, one for each event loop.

    `library` is `httpx` or `httpx2`, by default the newer one that is installed.
    """

    def __init__(self, library: str | None, public_only: bool) -> None:
        if library not in (None, "httpx", "httpx2") or not find_spec(library or "httpx"):
            reason = f"{library!r} is not installed, or not an HTTP library."
            raise DefinitionError("library", reason, 'Write `library="httpx"`.')
        self._name = library or ("httpx2" if find_spec("httpx2") else "httpx")
        self._public_only = public_only
        self._lock = Lock()
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

    def digest(self, pair: tuple[str, str], request: HttpRequest, headers: Headers) -> str | None:
        """Return the answer to a digest challenge (RFC 7616), `None` without a valid challenge.

        `pair` is the user and the password, `headers` are those of the response.
        """
        library = import_module(self._name)
        message = library.Request(request.method, request.url)
        flow = library.DigestAuth(*pair).auth_flow(message)
        next(flow)
        try:
            flow.send(library.Response(401, headers=list(headers), request=message))
        except (library.HTTPError, *_NO_CHALLENGE):
            return None
        return message.headers.get("authorization")

    @property
    def _settings(self) -> dict[str, object]:
        return {
            "ssl_context": _trusted(self._name),
            "max_connections": 100,
            # As many: httpcore closes a surplus one that another thread is about to use.
            "max_keepalive_connections": 100,
            "keepalive_expiry": 5.0,
        }


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
        self.sleep = inner.sleep

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, **options: Any
    ) -> DeadlineStream:
        """Open a connection to the first address that answers; all addresses share the time.

        Raises:
            OSError: the name has no address, or with `public_only` no public one.
            TimeoutError: the deadline is over before there is a connection.
        """
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        *others, last = addresses = _addresses(found, self._public_only)
        for index, address in enumerate(others):
            with suppress(Exception):  # the next address may answer
                return self._open(address, port, timeout, len(addresses) - index, options)
        return self._open(last, port, timeout, 1, options)

    def _open(
        self, address: str, port: int, timeout: float | None, share: int, options: dict[str, Any]
    ) -> DeadlineStream:
        left = _left(timeout, NoConnectionError)
        left = None if left is None else left / share
        return DeadlineStream(self._inner.connect_tcp(address, port, left, **options))


class PublicBackend:
    """Opens connections of an event loop, to public addresses only."""

    def __init__(self, inner: "httpcore.AsyncNetworkBackend") -> None:
        self._inner = inner
        self.sleep = inner.sleep

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, **options: Any
    ) -> "httpcore.AsyncNetworkStream":
        """Open a connection to the first public address."""
        from asyncio import get_running_loop

        found = await get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return await self._inner.connect_tcp(_addresses(found, True)[0], port, timeout, **options)


def is_public(address: str) -> bool:
    """Return whether an address is public; an IPv6 address may contain an IPv4 address."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if inner is None and ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        ip = ip if inner is None else inner
    return ip.is_global and not ip.is_multicast


_NO_CHALLENGE = (LookupError, RuntimeError, StopIteration, ValueError)
"""Further errors of the libraries if there is no challenge, or if they cannot answer it."""

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


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
