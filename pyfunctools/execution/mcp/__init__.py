"""MCP: the session with a server, the calls of its tools, and its questions to a person."""

from pyfunctools.errors import missing_extra

try:
    from pyfunctools.execution.mcp.runner import Accept, RemoteRunner, ToolProgress, header_fault
except ImportError as error:
    package = "The official SDK of MCP, version 2,"
    raise missing_extra("from_mcp", package, "mcp", "mcp", error) from None

__all__ = ["Accept", "RemoteRunner", "ToolProgress", "header_fault"]
