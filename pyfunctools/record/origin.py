"""`Origin`: where a function is: in Python, at a route, or on an MCP server."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from json import dumps
from typing import TYPE_CHECKING, Final, TypeAlias, Union

from pyfunctools._json import JsonValue

if TYPE_CHECKING:  # a Python function needs no route
    from pyfunctools.route import Route


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A Python callable: its qualified name, and whether it is asynchronous."""

    qualname: str
    is_async: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteTool:
    """A tool of an MCP server: the name of the server, and the name of the tool.

    `digest` changes with the tool's name, description, schemas and annotations. With `wraps`, the
    result is in an object, under `result`. `extras` are what only other clients use: `icons`,
    `_meta` and `openWorldHint` of a trusted tool.
    """

    server: str
    name: str
    digest: str = field(default="", repr=False)
    wraps: bool = False
    extras: Mapping[str, JsonValue] = field(
        default_factory=dict[str, JsonValue], repr=False, compare=False
    )


WRAPPED: Final = "x-fastmcp-wrap-result"
"""The keyword by which fastmcp marks an output schema whose result is wrapped in an object."""

_DIGESTED: Final = ("annotations", "description", "inputSchema", "name", "outputSchema")


def digest_of_tool(tool: Mapping[str, JsonValue]) -> str:
    """Return a digest of a tool's name, description, schemas and annotations."""
    fields = {word: tool.get(word) for word in _DIGESTED}
    return sha256(dumps(fields, sort_keys=True).encode()).hexdigest()


Origin: TypeAlias = Union[Method, "Route", RemoteTool]


def origin_text(origin: Origin | None) -> str:
    """Return an origin as a short text: `GET /teas`, `Shop.buy`, `files/read`."""
    match origin:
        case None:
            return "a written schema"
        case Method(qualname=qualname):
            return qualname
        case RemoteTool(server=server, name=name):
            return f"{server}/{name}"
        case route:
            return f"{route.method} {route.path}"


def is_async(called: Callable[..., object]) -> bool:
    """Return whether a callable is declared to return an awaitable or an async generator."""
    for each in (called, inspect.getattr_static(type(called), "__call__", None)):
        if inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each):
            return True
    return False
