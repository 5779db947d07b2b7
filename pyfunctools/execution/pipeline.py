"""One call: the model's arguments are checked, a person is asked if necessary, the function runs.

The steps are one coroutine for `call`, `acall`, `resume` and `aresume`. The items of a stream are
passed on by `Run.put`, which returns when the caller wants the next one. Blocking steps suspend
there, and nowhere else; steps on an event loop are a task of their own, so that closing from any
task ends them where they are.
"""

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import partial
from logging import INFO, getLogger
from os import urandom
from time import perf_counter
from types import coroutine
from typing import TYPE_CHECKING, Any, TypeAlias

from pyfunctools._json import JsonValue
from pyfunctools.errors import DefinitionError, UnknownFunctionError, wrong_type
from pyfunctools.execution.runner import Beginning, Put, Run, Runner, executor_of
from pyfunctools.execution.trace import TRACES, traced, tracing
from pyfunctools.execution.truncation import truncated
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.record.call import CallInfo
from pyfunctools.record.function import Function, contract_of, settings_of
from pyfunctools.record.outcome import Outcome, Waiting, arguments_refused, is_end_of_stream
from pyfunctools.schema import Failure, Repair, Success

if TYPE_CHECKING:
    from pyfunctools._lazy import Lazy
    from pyfunctools.execution.person.approval import Approve, Ask, PersonsValues
    from pyfunctools.execution.person.tickets import Tickets
    from pyfunctools.record.settings import Settings

LOGGER = getLogger("pyfunctools.calls")


@dataclass(slots=True, eq=False, repr=False)
class Invocation:
    """One call: its settings, and the steps from the model's arguments to the outcome.

    `find` raises `UnknownFunctionError`. With `awaits` the results of the caller's callables are
    awaited; without it the steps never suspend. With `looks` neither the function nor a hook runs:
    what comes of the call is what it waits for, or an error.
    """

    find: Callable[[str], tuple[Function, Runner]]
    tickets: "Lazy[Tickets]"
    awaits: bool = field(kw_only=True)
    is_closed: bool = field(kw_only=True, default=False)
    human: "PersonsValues | Ask" = None
    context: object = None
    approve: "Approve" = None
    audience: str | None = None
    put: Put | None = field(init=False, default=None)
    looks: bool = field(init=False, default=False)
    _begin: Beginning | None = field(init=False, default=None)
    _id: str | None = field(init=False, default=None)
    _limit: int = field(init=False, default=DEFAULT_LIMITS.outcome)

    async def logged(self, steps: Awaitable[Outcome]) -> Outcome:
        """Return the outcome of `run` or `resume`, its text truncated, and log no value of it."""
        started = perf_counter()
        try:
            outcome = await steps
        except Exception:  # a mistake of the program: it is raised and not logged
            raise
        except BaseException:  # cancelled or interrupted
            self._log(None, "cancelled", started, 0)
            raise
        outcome = self._truncated(outcome)
        if LOGGER.isEnabledFor(INFO):
            # The name of an unknown function is the model's text, and may hold anything.
            name = None if outcome.reason == "unknown" else outcome.function
            self._log(name, outcome.reason, started, len(outcome.repairs))
        return outcome

    def _truncated(self, outcome: Outcome) -> Outcome:
        if isinstance(outcome.text, str) and len(outcome.text) > self._limit:  # pyright: ignore[reportUnnecessaryIsInstance]
            return replace(outcome, text=truncated(outcome.text, self._limit))
        return outcome

    def _check(self) -> None:
        """Check the options: in a traceback of the constructor the frames around it show values."""
        audience: object = self.audience
        remedy = "Write the person's id, for example."
        if audience == "":
            raise DefinitionError("audience", "This must not be empty.", remedy)
        if not (audience is None or isinstance(audience, str)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise wrong_type("audience", "text", audience, remedy)
        if self.approve is not None:
            from pyfunctools.execution.person.approval import check_approve

            check_approve(self.approve)

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
        """Continue the call of a ticket."""
        from pyfunctools.execution.person.ticket_use import TicketUse
        from pyfunctools.execution.person.tickets import Ticket, digest_of, ticket_refused

        self._check()
        if isinstance(text, Outcome | Waiting):
            remedy = "Write `resume(outcome.waiting.ticket, ...)`."
            raise wrong_type("resume(ticket)", "a ticket's text", text, remedy)
        tickets = self.tickets.value
        ticket = tickets.read(text, also_expired=True)
        if not isinstance(ticket, Ticket):
            return ticket_refused(ticket)
        if not tickets.is_for(ticket, self.audience):
            return ticket_refused("audience")
        use = TicketUse(tickets, ticket, self.awaits)
        if (earlier := await use.earlier()) is not None:
            return earlier
        try:
            function, _ = self.find(ticket.function)
        except UnknownFunctionError:
            return ticket_refused("gone", ticket.function)
        if digest_of(function) != ticket.digest:
            return ticket_refused("changed", ticket.function)
        return await self.resumed(Beginning(use.claim, ticket, use.record))

    async def resumed(self, begin: Beginning) -> Outcome:
        """Continue the call of a ticket that was found to be good."""
        ticket = begin.ticket
        assert ticket is not None  # noqa: S101 - the call waited with it
        self._begin, self._id = begin, ticket.call
        known: Success[JsonValue] = Success(value=ticket.arguments)  # checked before it was signed
        outcome = await self.run(ticket.function, ticket.arguments, known)
        is_good = not begin.has_begun and outcome.reason in _UNDECIDED
        return replace(outcome, _still_waits=True) if is_good else outcome

    async def run(
        self,
        name: str,
        arguments: str | bytes | JsonValue,
        read: Success[JsonValue] | Failure | None = None,
        call_id: str | None = None,
        mark: object = None,
    ) -> Outcome:
        """Check the arguments and run the function; a refusal is an outcome with its reason.

        `read` is the result of an earlier check. With the `mark` of the function's contract it is
        that contract's verdict, and the arguments are not checked again.

        Raises:
            PyfunctoolsError: the function cannot be run in this way, or a caller's callable has
                other parameters or has to be awaited.
        """
        if self.audience is not None or self.approve is not None:
            self._check()
        self._id = call_id or self._id or urandom(8).hex()
        try:
            function, runner = self.find(name)
        except UnknownFunctionError as error:
            return Outcome(text=str(error), reason="unknown", function=error.name)
        self._limit = runner.limits.outcome
        if self.is_closed:
            text = "The controller of this function is closed. Nothing has run."
            return Outcome(text=text, reason="transport", function=function.name)
        steps = self._run(function, runner, arguments, read, mark)
        api = tracing() if TRACES in sys.modules else None
        return await (steps if api is None else traced(api, steps, function, self._id))

    async def _run(
        self,
        function: Function,
        runner: Runner,
        arguments: str | bytes | JsonValue,
        read: Success[JsonValue] | Failure | None,
        mark: object,
    ) -> Outcome:
        contract, settings = contract_of(function), settings_of(function)
        checked = read
        if checked is None or (self._begin is None and checked and mark is not contract.mark):
            checked = contract.checker.check(arguments, name=function.name)
            if read is not None:
                checked = replace(checked, repairs=(*read.repairs, *checked.repairs))
        if isinstance(checked, Failure):
            return arguments_refused(function.name, checked)
        attempt = 1 if self._begin is None else 2
        info = CallInfo(
            id=self._id or "", function=function.name, attempt=attempt, audience=self.audience
        )
        may_ask = runner.may_ask is not None and runner.may_ask(function)
        is_wrapped = (
            self.human is not None
            or self.approve is not None
            or self._begin is not None
            or any((self.looks, may_ask, function.confirm))
            or contract.separated is not None
            or (settings and (settings.view or settings.confirm or settings.on_call))
        )
        run = Run(
            function,
            checked.value if isinstance(checked.value, dict) else {},
            info,
            self.context,
            self.awaits,
            begin=(self._begin or Beginning()) if is_wrapped else None,
            preview=runner.preview,
            finish=partial(self._finished, function.name, checked.repairs),
            may_ask=may_ask,
            put=self.put,
            executor=settings and executor_of(function),
        )
        if self.put is not None:
            run = run.telling(run.finish)
        if is_wrapped:
            return await self._with_person(runner, run, settings)
        outcome = await runner.run(run)
        is_finished = outcome.function == function.name and not checked.repairs
        return outcome if is_finished else run.finish(outcome)

    async def _with_person(self, runner: Runner, run: Run, settings: "Settings | None") -> Outcome:
        """Run a function with all that the call needs around it."""
        from pyfunctools.execution.wrappers.hooks import wrapped
        from pyfunctools.execution.wrappers.part import part_of_person

        if self.looks and settings:
            settings = replace(settings, on_call=())
        person = part_of_person(run, settings, self.human, self.approve, self.tickets)
        if person.ask is not None or callable(person.approve):
            run.check_context()  # an error comes before the person is asked
        called = _not_run if self.looks else runner.run
        return await wrapped(called, person)(run._replace(person=person))

    def _finished(self, name: str, repairs: tuple[Repair, ...], outcome: Outcome) -> Outcome:
        """Return the outcome as the caller gets it: with the name, all repairs, a bounded text."""
        outcome = self._truncated(outcome)
        if outcome.repairs[: len(repairs)] != repairs:  # else it was finished before
            outcome = replace(outcome, repairs=(*repairs, *outcome.repairs))
        return outcome if outcome.function == name else replace(outcome, function=name)


_UNDECIDED = ("raised", "transport", "deadline", "status")
"""The reasons of a failure, before the run, that is neither the model's nor the person's."""


async def _not_run(_: Run) -> Outcome:
    return Outcome(text="Nothing is missing. Nothing has run.", reason="cancelled")


Steps: TypeAlias = Callable[[Put], Coroutine[Any, Any, Outcome]]
"""Begins a call whose items are passed on by a `put`."""


@coroutine
def _hand_over(item: Outcome) -> Generator[Outcome, None, None]:
    """Suspend blocking steps with an item on its way out."""
    yield item


def items_of(begin: Steps) -> Generator[Outcome]:
    """Run blocking steps, and yield the items; at the end an outcome that is more than the end."""
    context, steps = copy_context(), begin(_hand_over)
    try:
        while True:
            yield context.run(steps.send, None)
    except StopIteration as end:
        last: Outcome = end.value
    finally:
        context.run(steps.close)
    if not is_end_of_stream(last):
        yield last


async def aitems_of(begin: Steps) -> AsyncGenerator[Outcome]:
    """Do the same with steps on this event loop."""
    from asyncio import Queue, create_task, gather  # which few programs need

    items: Queue[Outcome | None] = Queue()

    async def put(item: Outcome) -> None:
        items.put_nowait(item)
        await items.join()

    async def run() -> Outcome:
        try:
            return await begin(put)
        finally:
            items.put_nowait(None)

    task = create_task(run())
    try:
        while (item := await items.get()) is not None:
            yield item
            items.task_done()
        last = await task
    finally:
        task.cancel()
        await gather(task, return_exceptions=True)
    if not is_end_of_stream(last):
        yield last
