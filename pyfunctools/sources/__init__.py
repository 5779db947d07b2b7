"""The sources of functions: Python, documents, applications and MCP servers."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from pyfunctools.route import Route
    from pyfunctools.schema.separation.predicates import IsHuman


class ReadOptions(TypedDict, total=False):
    """The settings for reading operations; see `Controller.from_openapi`."""

    is_human: "IsHuman | None"
    names: "Literal['accessor', 'operation_id'] | Callable[[Route], str]"
    describe: Literal["model", "full", "brief"]
    on_skip: Literal["collect", "raise"]
