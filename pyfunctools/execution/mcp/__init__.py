"""MCP: the session with a server, the calls of its tools, and its questions to a person."""

from pyfunctools.errors import MissingExtraError

try:
    from pyfunctools.execution.mcp.runner import Accept, RemoteRunner, ToolProgress, header_fault
except ImportError as error:
    raise MissingExtraError(
        "from_mcp",
        f"The official SDK of MCP, version 2, is not installed: {error}.",
        "mcp",
    ) from None

__all__ = ["Accept", "RemoteRunner", "ToolProgress", "header_fault"]
