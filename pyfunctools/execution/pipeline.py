"""One call: the model's arguments are checked, a person is asked if necessary, the function runs.

The steps are one coroutine for `call`, `acall`, `resume` and `aresume`. The four differ in whether
the results of the caller's callables are awaited, and in how the function is run.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from logging import INFO, getLogger
from secrets import token_hex
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

from pyfunctools._json import JsonValue
from pyfunctools.errors import DefinitionError, UnknownFunctionError, wrong_type
from pyfunctools.execution.person.blame import arguments_refused
from pyfunctools.execution.runner import Run, Runner
from pyfunctools.execution.truncation import truncated
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.record.call_info import CallInfo
from pyfunctools.record.function import Function, contract_of
from pyfunctools.record.origin import RemoteTool
from pyfunctools.record.outcome import Outcome, Waiting
from pyfunctools.schema import Failure, Success

if TYPE_CHECKING:  # loaded by the first call in which a person takes part
    from pyfunctools._lazy import Lazy
    from pyfunctools.execution.person.approval import Approve, Ask, PersonsValues
    from pyfunctools.execution.person.handover import Handover
    from pyfunctools.execution.person.tickets import Ticket, Tickets

FindFunction: TypeAlias = Callable[[str], tuple[Function, Runner]]
"""Returns a function and its runner by name, or raises `UnknownFunctionError`."""

LOGGER = getLogger("pyfunctools.calls")


class Invocation:
    """One call: its settings, and the steps from the model's arguments to the outcome.

    With `awaits` the results of the caller's callables are awaited; without it the steps never
    suspend.
    """

    def __init__(
        self,
        find: FindFunction,
        tickets: "Lazy[Tickets]",
        *,
        awaits: bool,
        human: "PersonsValues | Ask" = None,
        context: object = None,
        approve: "Approve" = None,
        audience: str | None = None,
        call_id: str | None = None,
    ) -> None:
        if approve is not None:
            from pyfunctools.execution.person.approval import check_approve

            check_approve(approve)
        self._find = find
        self._tickets = tickets
        self._awaits = awaits
        self._human = human
        self._context = context
        self._approve = approve
        self._audience = None if audience is None else _checked_audience(audience)
        self._ticket: Ticket | None = None
        self._id = call_id or token_hex(8)
        self._limit = DEFAULT_LIMITS.outcome

    async def logged(self, steps: Awaitable[Outcome]) -> Outcome:
        """Return the outcome of `run` or `resume`, its text truncated, and log the call.

        The log record holds no value: only the function, the call's id, the reason, the duration in
        milliseconds and the number of repairs, in the message and as attributes.
        """
        started = perf_counter()
        try:
            outcome = await steps
        except Exception:  # a mistake of the program: it is raised and not logged
            raise
        except BaseException:  # cancelled or interrupted
            self._log(None, "cancelled", started, 0)
            raise
        if isinstance(outcome.text, str) and len(outcome.text) > self._limit:  # pyright: ignore
            outcome = replace(outcome, text=truncated(outcome.text, self._limit))
        if LOGGER.isEnabledFor(INFO):
            # The name of an unknown function is the model's text, and may hold anything.
            name = None if outcome.reason == "unknown" else outcome.function
            self._log(name, outcome.reason, started, len(outcome.repairs))
        return outcome

    def _log(self, function: str | None, reason: str | None, started: float, repairs: int) -> None:
        record = {
            "function": function,
            "call_id": self._id,
            "reason": reason,
            "milliseconds": round((perf_counter() - started) * 1000, 3),
            "repairs": repairs,
        }
        shown = {**record, "function": function or "?", "reason": reason or "ok"}
        LOGGER.info("%s %s %s %.1f ms, %d repairs", *shown.values(), extra=record)

    async def resume(self, text: object) -> Outcome:
        """Continue the call of a ticket.

        Raises:
            PyfunctoolsError: as `run`.
        """
        from pyfunctools.execution.person.tickets import Ticket, digest_of, ticket_refused

        if isinstance(text, Outcome | Waiting):
            remedy = "Write `resume(outcome.waiting.ticket, ...)`."
            raise wrong_type("resume(ticket)", "a ticket's text", text, remedy)
        tickets = self._tickets.value
        ticket = tickets.read(text)
        if not isinstance(ticket, Ticket):
            return ticket_refused(ticket)
        if not tickets.is_for(ticket, self._audience):
            return ticket_refused("audience")
        try:
            function, _ = self._find(ticket.function)
        except UnknownFunctionError:
            return ticket_refused("gone", ticket.function)
        if digest_of(function) != ticket.digest:
            return ticket_refused("changed", ticket.function)
        self._ticket, self._id = ticket, ticket.call
        return await self.run(ticket.function, ticket.arguments)

    async def run(
        self,
        name: str,
        arguments: str | bytes | JsonValue,
        read: Success[JsonValue] | Failure | None = None,
    ) -> Outcome:
        """Check the arguments and run the function; a refusal is an outcome with its reason.

        `read` is the result of an earlier check of the arguments, if there was one; if it is a
        `Failure`, the call is refused.

        Raises:
            PyfunctoolsError: the function cannot be run in this way, or a caller's callable has
                other parameters or has to be awaited.
        """
        try:
            function, runner = self._find(name)
        except UnknownFunctionError as error:
            return Outcome(text=str(error), reason="unknown", function=error.name)
        self._limit = runner.limits.outcome
        contract = contract_of(function)
        checked = read
        if not isinstance(checked, Failure):
            checked = contract.checker.value.check(arguments)
        if isinstance(read, Success):
            checked = replace(checked, repairs=(*read.repairs, *checked.repairs))
        if not checked:
            return arguments_refused(function, checked)
        llm = checked.value if isinstance(checked.value, dict) else {}
        attempt = 1 if self._ticket is None else 2
        info = CallInfo(
            id=self._id, function=function.name, attempt=attempt, audience=self._audience
        )
        run = Run(function, llm, self._context, None, info, self._awaits)
        if contract.separated.value is not None or self._may_ask(function, runner):
            outcome = await self._handover(runner, run, info).outcome()
        else:
            outcome = await runner.run(run)
            if outcome.waiting is not None:
                outcome = await self._handover(runner, run, info).run(run, outcome)
        if outcome.function == function.name and not checked.repairs:
            return outcome
        repairs = (*checked.repairs, *outcome.repairs)
        return replace(outcome, function=function.name, repairs=repairs)

    def _may_ask(self, function: Function, runner: Runner) -> bool:
        """Return whether a person may be asked although the model gives all parameters."""
        return (
            (self._human, self._approve, self._ticket) != (None, None, None)
            or function.confirm
            or bool(getattr(runner, "confirm", ()))  # of a `Configured`
            or isinstance(function.origin, RemoteTool)
        )

    def _handover(self, runner: Runner, run: Run, info: CallInfo) -> "Handover":
        from pyfunctools.execution.person.handover import Handover

        return Handover(
            runner,
            run,
            info,
            human=self._human,
            approve=self._approve,
            tickets=self._tickets,
            ticket=self._ticket,
        )


def _checked_audience(audience: object) -> str:
    """Return the audience, a text that is not empty.

    Raises:
        DefinitionError: it is not text, or empty.
    """
    if isinstance(audience, str) and audience:
        return audience
    remedy = "Write the person's id, for example."
    if audience == "":
        raise DefinitionError("audience", "This must not be empty.", remedy)
    raise wrong_type("audience", "text", audience, remedy)
