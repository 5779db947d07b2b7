"""MCP: the session with a server, the calls of its tools, and its questions to a person."""

from pyfunctools.errors import DefinitionError

try:
    from pyfunctools.execution.mcp.runner import Accept, RemoteRunner
    from pyfunctools.execution.mcp.session import Session, header_fault
except ImportError as error:
    raise DefinitionError(
        "from_mcp",
        f"The official SDK of MCP, version 2, is not installed: {error}.",
        "Run `pip install 'pyfunctools[mcp]'`.",
    ) from None

__all__ = ["Accept", "RemoteRunner", "Session", "header_fault"]
