"""`Runner`: runs functions of one kind; `Run` is its argument."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

from pyfunctools._json import JsonObject
from pyfunctools.errors import DefinitionError
from pyfunctools.execution.steps import Begin, Resolve, awaited, without_awaiting
from pyfunctools.limits import Limits
from pyfunctools.record.call_info import CallInfo
from pyfunctools.record.function import Function, handler_of
from pyfunctools.record.outcome import Outcome

if TYPE_CHECKING:
    from pyfunctools.record.handler import Handler


class Run(NamedTuple):
    """One run of a function on checked arguments.

    `begin` is awaited just before the function's own code runs, when all checks have passed; an
    outcome that it returns is the outcome of the call. With `awaits` the steps may suspend; without
    they never do, and block this thread.
    """

    function: Function
    arguments: JsonObject
    context: object = None
    begin: Begin | None = None
    info: CallInfo | None = None
    awaits: bool = False

    @property
    def resolve(self) -> Resolve:
        """The function that returns a value which may be awaitable; see `steps`."""
        return awaited if self.awaits else without_awaiting

    def check_context(self, handler: "Handler | None" = None) -> None:
        """Refuse a run without the context that a parameter requires.

        Raises:
            DefinitionError: a parameter requires the context, and there is no context.
        """
        if self.context is not None:
            return
        handler = handler or handler_of(self.function)
        if handler is not None and (parameter := handler.wants_context) is not None:
            raise DefinitionError(
                f"{self.function.name}({parameter})",
                "This parameter is the context, and the call has no context.",
                "Pass `context=` to the call (in a terminal `--context`), give it a default, or "
                "hint `Context[... | None]`.",
            )


class Runner(Protocol):
    """Runs functions of one kind: in this process, over HTTP, on an MCP server."""

    async def run(self, run: Run) -> Outcome:
        """Run the function."""
        ...

    @property
    def limits(self) -> Limits:
        """The limits of time, of sizes, and of the text for the model."""
        ...

    def close(self) -> None:
        """Close all resources."""
        ...

    async def aclose(self) -> None:
        """Close all resources, on an event loop."""
        ...
