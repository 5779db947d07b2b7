"""An MCP server with any responses, valid or not, over streams in memory."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp import Client
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, METHOD_NOT_FOUND, ErrorData, JSONRPCError, JSONRPCResponse

Answer = Callable[[str, dict[str, Any]], Any]
"""Returns the result of a method, an `ErrorData`, or `HANG` or `DIE`."""

HANG = object()
"""No answer, ever."""
DIE = object()
"""The end of the connection."""

MODERN = {
    "resultType": "complete",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}},
    "ttlMs": 0,
    "cacheScope": "private",
    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "raw", "version": "1"}},
}
OLDER = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "raw", "version": "1"},
}


@asynccontextmanager
async def _connection(answer: Answer, revision: str) -> AsyncIterator[Any]:
    async with create_client_server_memory_streams() as (ours, (incoming, outgoing)):

        async def serve() -> None:
            async for message in incoming:
                request = message.message
                if not hasattr(request, "id") or not hasattr(request, "method"):
                    continue
                result = _greeting(request.method, revision)
                if result is None:
                    result = answer(request.method, request.params or {})
                if result is HANG:
                    continue
                if result is DIE:
                    await outgoing.aclose()
                    return
                made: Any
                if isinstance(result, ErrorData):
                    made = JSONRPCError(jsonrpc="2.0", id=request.id, error=result)
                else:
                    made = JSONRPCResponse(jsonrpc="2.0", id=request.id, result=result)
                await outgoing.send(SessionMessage(made))

        async with anyio.create_task_group() as group:
            group.start_soon(serve)
            try:
                yield ours
            finally:
                group.cancel_scope.cancel()


def _greeting(method: str, revision: str) -> Any:
    if method == "server/discover":
        older = ErrorData(code=METHOD_NOT_FOUND, message="no such method")
        return MODERN if revision == "auto" else older
    return OLDER if method == "initialize" else None


def raw_client(answer: Answer, revision: str = "auto", **settings: Any) -> Client:
    """Return a client connected to a server with these responses; it is not open yet."""
    return Client(_connection(answer, revision), mode=revision, **settings)


def refusal(message: str, code: int = INTERNAL_ERROR) -> ErrorData:
    return ErrorData(code=code, message=message)
