"""Sockets with a deadline, and with a say in where they lead.

What is here has the shape of httpcore's network backends and stands around one of them. A timeout
there is for one read or write, which a server that sends a byte now and then never runs into; here
every step gets what is left of the whole call.
"""

import ipaddress
import socket
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from math import inf
from typing import Protocol

DEADLINE: ContextVar[float] = ContextVar("pyfunctools_deadline", default=inf)
"""When the blocking call of this thread has to be over, as `time.monotonic` counts."""


class NoConnectionError(TimeoutError):
    """The deadline came before there was a connection. Never leaves this room."""


class PrivateAddressError(OSError):
    """A host without a public address, where only those may be called. Never leaves this room."""


class Stream(Protocol):
    """A connection, as httpcore has it."""

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what is there, once something is."""
        ...

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all of it."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...

    def start_tls(
        self, ssl_context: object, server_hostname: str | None = None, timeout: float | None = None
    ) -> "Stream":
        """Return the connection with TLS on it."""
        ...

    def get_extra_info(self, info: str) -> object:
        """Return what is known of the connection under this name."""
        ...


class Backend(Protocol):
    """What opens connections, as httpcore has it."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[object] | None = None,
    ) -> Stream:
        """Open a connection."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class AsyncBackend(Protocol):
    """What opens connections for an event loop, as httpcore has it."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[object] | None = None,
    ) -> object:
        """Open a connection."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class DeadlineStream:
    """A blocking connection of which every step ends by the deadline."""

    def __init__(self, inner: Stream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what is there, once something is.

        Raises:
            TimeoutError: the deadline is over.
        """
        return self._inner.read(max_bytes, _left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all of it.

        Raises:
            TimeoutError: the deadline is over.
        """
        self._inner.write(buffer, _left(timeout))

    def close(self) -> None:
        """Close the connection."""
        self._inner.close()

    def start_tls(
        self, ssl_context: object, server_hostname: str | None = None, timeout: float | None = None
    ) -> "DeadlineStream":
        """Return the connection with TLS on it.

        Raises:
            TimeoutError: the deadline is over.
        """
        return DeadlineStream(self._inner.start_tls(ssl_context, server_hostname, _left(timeout)))

    def get_extra_info(self, info: str) -> object:
        """Return what is known of the connection under this name."""
        return self._inner.get_extra_info(info)


class DeadlineBackend:
    """Opens `DeadlineStream`s; with `public_only` to public addresses and no others.

    A name is resolved once, and the connection goes to an address that was looked at: a name that
    changes its mind in between gains nothing.
    """

    def __init__(self, inner: Backend, *, public_only: bool = False) -> None:
        self._inner = inner
        self._public_only = public_only

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[object] | None = None,
    ) -> DeadlineStream:
        """Open a connection to the first address that answers, each given its share of the time.

        Raises:
            OSError: the name has no address, or none that is allowed.
            TimeoutError: the deadline is over before there is a connection.
        """
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = _addresses([str(entry[4][0]) for entry in found], self._public_only)
        *others, last = addresses
        for index, address in enumerate(others):
            with suppress(Exception):  # whatever it was, the next address may answer
                share = len(addresses) - index
                return self._opened(address, port, share, timeout, local_address, socket_options)
        return self._opened(last, port, 1, timeout, local_address, socket_options)

    def sleep(self, seconds: float) -> None:
        """Wait."""
        self._inner.sleep(seconds)

    def _opened(
        self,
        address: str,
        port: int,
        share: int,
        timeout: float | None,
        local_address: str | None,
        socket_options: Iterable[object] | None,
    ) -> DeadlineStream:
        left = _left(timeout, NoConnectionError)
        left = None if left is None else left / share
        return DeadlineStream(
            self._inner.connect_tcp(address, port, left, local_address, socket_options)
        )


class PublicBackend:
    """Opens connections of an event loop to public addresses and no others."""

    def __init__(self, inner: AsyncBackend) -> None:
        self._inner = inner

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[object] | None = None,
    ) -> object:
        """Open a connection to the first public address.

        Raises:
            OSError: the name has no address, or none that is public.
        """
        from asyncio import get_running_loop

        found = await get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        address = _addresses([str(entry[4][0]) for entry in found], True)[0]
        return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._inner.sleep(seconds)


def is_public(address: str) -> bool:
    """Return whether an address is one of the open internet, also as an IPv6 address carries it."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if inner is None and ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        ip = ip if inner is None else inner
    return ip.is_global and not ip.is_multicast


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def _addresses(found: Sequence[str], public_only: bool) -> list[str]:
    addresses = [
        address for address in dict.fromkeys(found) if not public_only or is_public(address)
    ]
    if not addresses:
        raise PrivateAddressError("the host has no public address")
    return addresses


def _left(timeout: float | None, late: type[TimeoutError] = TimeoutError) -> float | None:
    left = DEADLINE.get() - time.monotonic()
    if left <= 0:
        raise late("the deadline is over")
    return timeout if left == inf else min(left, inf if timeout is None else timeout)
