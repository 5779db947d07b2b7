"""Where a function lives."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from json import dumps
from typing import TYPE_CHECKING, Final, TypeAlias, Union

from pyfunctools._json import JsonValue

if TYPE_CHECKING:  # what has a method for its origin needs no route
    from pyfunctools.route import Route


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A Python callable: its qualified name, and whether calling it gives something to await."""

    qualname: str
    is_async: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteTool:
    """A tool of an MCP server: the server's name and the tool's own.

    `digest` tells a change of what the tool says of itself. With `wraps` what it gives stands in an
    object, as its `result`.
    """

    server: str
    name: str
    digest: str = field(default="", repr=False)
    wraps: bool = False


WRAPPED: Final = "x-fastmcp-wrap-result"
"""The keyword of fastmcp by which an MCP tool says that its output stands in an object."""

_SAID: Final = ("annotations", "description", "inputSchema", "name", "outputSchema")


def digest_of_tool(tool: Mapping[str, JsonValue]) -> str:
    """Return a digest of what a model and we go by: name, description, schemas and annotations."""
    said = {word: tool.get(word) for word in _SAID}
    return sha256(dumps(said, sort_keys=True).encode()).hexdigest()


Origin: TypeAlias = Union[Method, "Route", RemoteTool]


def place(origin: Origin | None) -> str:
    """Return where a function lives, in a few words: `GET /teas`, `Shop.buy`, `files/read`."""
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
    """True if a call gives something to await or an async generator, as far as can be seen."""
    candidates = (called, inspect.getattr_static(type(called), "__call__", None))
    return any(
        inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each) for each in candidates
    )
