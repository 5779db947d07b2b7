"""`Runner`: what runs functions of one kind."""

from typing import Protocol

from pyfunctools._json import JsonObject
from pyfunctools.execution.steps import Begin
from pyfunctools.limits import Limits
from pyfunctools.record.call_info import CallInfo
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome


class Runner(Protocol):
    """What runs functions of one kind: in process, or over HTTP."""

    def run(
        self,
        function: Function,
        arguments: JsonObject,
        context: object,
        begin: Begin | None = None,
        info: CallInfo | None = None,
    ) -> Outcome:
        """Run the function on checked arguments.

        `begin` is taken when nothing but the function's own code can fail any more, and whatever
        outcome it gives is that of the call.
        """
        ...

    async def arun(
        self,
        function: Function,
        arguments: JsonObject,
        context: object,
        begin: Begin | None = None,
        info: CallInfo | None = None,
    ) -> Outcome:
        """Run the function on checked arguments, awaiting what can be awaited."""
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
