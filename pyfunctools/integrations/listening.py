"""The HTTP server of `serve`: its socket, and the limits of its connections.

uvicorn has no limit of the time in which a client sends its headers, and counts only whole
requests. So `_LimitedProtocol` closes connections that are too many or too slow.
"""

import asyncio
import sys
from socket import AF_INET, AF_INET6, create_server, socket
from typing import Any, Final

from starlette.applications import Starlette
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from pyfunctools.errors import DefinitionError, check_count

CONNECTIONS: Final = 1_000
"""The most connections at the same time."""

HEADER_SECONDS: Final = 10.0
"""Seconds in which a client has to send the headers of a request."""


def listening_socket(where: str, host: str, port: int) -> socket:
    """Return a socket that listens at a port, 0 for a free one; `where` names it in errors."""
    if not 0 <= port < 1 << 16:
        raise DefinitionError(where, f"{port} is not a port.", "Write one of 0 to 65535.")
    try:
        return create_server((host, port), family=AF_INET6 if ":" in host else AF_INET)
    except OSError as error:
        reason = f"{host}:{port} cannot be served: {error.strerror}."
        raise DefinitionError(where, reason, "Choose another; port 0 takes a free one.") from None


async def serve_app(app: Starlette, host: str, port: int, path: str, connections: int) -> None:
    """Serve an application until this task is cancelled, and print its URL to standard error."""
    check_count("serve(max_connections)", connections)
    listening = listening_socket("serve(port)", host, port)
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{listening.getsockname()[1]}{path}"
    print(f"MCP at {url}", file=sys.stderr, flush=True)

    limited = type("Limited", (_LimitedProtocol,), {"most": connections})
    quiet: dict[str, Any] = {"log_config": None, "access_log": False}
    running = Server(Config(app, http=limited, timeout_graceful_shutdown=2, **quiet))
    task = asyncio.ensure_future(running.serve(sockets=[listening]))
    try:
        await asyncio.shield(task)
    finally:
        running.should_exit = True
        await task


class _LimitedProtocol(H11Protocol):
    """A connection that is closed if it is one too many, or if headers take too long."""

    most: int
    _slow: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.close()
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._rest()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        """Expect headers, unless a request is being answered."""
        if self.cycle and not self.cycle.response_complete:
            self._rest()
        elif self._slow is None and not self.transport.is_closing():
            self._slow = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _rest(self) -> None:
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None
