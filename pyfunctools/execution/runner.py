"""`Runner`: what runs functions of one kind; `Run` is what it is given."""

from typing import NamedTuple, Protocol

from pyfunctools._json import JsonObject
from pyfunctools.errors import DefinitionError
from pyfunctools.execution.steps import Begin, Settle, at_hand, settled
from pyfunctools.limits import Limits
from pyfunctools.record.call_info import CallInfo
from pyfunctools.record.function import Function, handler_of
from pyfunctools.record.outcome import Outcome


class Run(NamedTuple):
    """One run of a function on checked arguments.

    `begin` is taken when nothing but the function's own code can fail any more, and whatever
    outcome it gives is that of the call. With `awaits` the steps may suspend; without they never
    do, and wait in this thread.
    """

    function: Function
    arguments: JsonObject
    context: object = None
    begin: Begin | None = None
    info: CallInfo | None = None
    awaits: bool = False

    @property
    def settle(self) -> Settle:
        """What gives a value that may have to be awaited."""
        return settled if self.awaits else at_hand

    def check_context(self) -> None:
        """Refuse a run that lacks the context before it starts, or uses up a ticket.

        Raises:
            DefinitionError: a parameter has to be given the context, and there is none.
        """
        handler = handler_of(self.function) if self.context is None else None
        if handler is not None and (wanted := handler.wants_context) is not None:
            raise DefinitionError(
                f"{self.function.name}({wanted})",
                "It is the context, and the call was given none.",
                "Pass `context=` to the call (in a terminal `--context`), give it a default, or "
                "hint `Context[... | None]`.",
            )


class Runner(Protocol):
    """What runs functions of one kind: in process, or over HTTP."""

    async def run(self, run: Run) -> Outcome:
        """Run the function."""
        ...

    @property
    def limits(self) -> Limits:
        """How much is read and told."""
        ...

    def close(self) -> None:
        """Close what the runner holds."""
        ...

    async def aclose(self) -> None:
        """Close what the runner holds, on an event loop."""
        ...
