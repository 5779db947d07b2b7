"""The way of a call: what the model wrote is checked, a person is asked, and the function runs.

The steps are written once, as a coroutine. `call` and `acall`, `resume` and `aresume` take the same
ones; they differ in whether what a callable gives is awaited, and in how the function is run.
"""

from collections.abc import Callable
from dataclasses import replace
from secrets import token_hex
from typing import TYPE_CHECKING, TypeAlias

from pyfunctools._json import JsonValue
from pyfunctools.errors import DefinitionError, UnknownFunctionError, wrong_type
from pyfunctools.execution.person.blame import told
from pyfunctools.execution.runner import Run, Runner
from pyfunctools.record.call_info import CallInfo
from pyfunctools.record.function import Function, contract_of
from pyfunctools.record.origin import RemoteTool
from pyfunctools.record.outcome import Outcome, Waiting
from pyfunctools.schema import Failure, Success

if TYPE_CHECKING:  # loaded by the first call that has to do with a person
    from pyfunctools._lazy import Lazy
    from pyfunctools.execution.person.approval import Approve, Ask, PersonsValues
    from pyfunctools.execution.person.handover import Handover
    from pyfunctools.execution.person.tickets import Ticket, Tickets

FindFunction: TypeAlias = Callable[[str], tuple[Function, Runner]]
"""A function that returns a function and its runner by name, or raises `UnknownFunctionError`."""


class Invocation:
    """What is there for one call beside the model's part, and the steps to what comes of it.

    With `awaits` what the callables give may have to be awaited; without, the steps never suspend.
    """

    def __init__(
        self,
        entry: FindFunction,
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
        self._entry = entry
        self._tickets = tickets
        self._awaits = awaits
        self._human = human
        self._context = context
        self._approve = approve
        self._audience = None if audience is None else _checked_audience(audience)
        self._ticket: Ticket | None = None
        self.id = call_id or token_hex(8)

    async def resume(self, text: object) -> Outcome:
        """Go on with the call that a ticket is for.

        Raises:
            PyfunctoolsError: as `run`.
        """
        from pyfunctools.execution.person.tickets import Ticket, digest_of, refusal

        if isinstance(text, Outcome | Waiting):
            remedy = "Write `resume(outcome.waiting.ticket, ...)`."
            raise wrong_type("resume(ticket)", "a ticket's text", text, remedy)
        tickets = self._tickets.value
        ticket = tickets.read(text)
        if not isinstance(ticket, Ticket):
            return refusal(ticket)
        if not tickets.is_for(ticket, self._audience):
            return refusal("audience")
        try:
            function, _ = self._entry(ticket.function)
        except UnknownFunctionError:
            return refusal("gone", ticket.function)
        if digest_of(function) != ticket.digest:
            return refusal("changed", ticket.function)
        self._ticket, self.id = ticket, ticket.call
        return await self.run(ticket.function, ticket.arguments)

    async def run(
        self,
        name: str,
        arguments: str | bytes | JsonValue,
        read: Success[JsonValue] | Failure | None = None,
    ) -> Outcome:
        """Run all the steps; where one refuses, nothing has run, and the outcome has the reason.

        `read` is what came of reading the arguments, where somebody has; a `Failure` stays one.

        Raises:
            PyfunctoolsError: the function cannot be run in this way, or a callable cannot be asked
                in this way.
        """
        try:
            function, runner = self._entry(name)
        except UnknownFunctionError as error:
            return Outcome(text=str(error), reason="unknown", function=error.name)
        checked = read
        if not isinstance(checked, Failure):
            checked = contract_of(function).checker.value.check(arguments)
        if isinstance(read, Success):
            checked = replace(checked, repairs=(*read.repairs, *checked.repairs))
        if not checked:
            return told(function, checked)
        outcome = await self._outcome(function, runner, checked.value)
        if outcome.function == function.name and not checked.repairs:
            return outcome
        repairs = (*checked.repairs, *outcome.repairs)
        return replace(outcome, function=function.name, repairs=repairs)

    async def _outcome(self, function: Function, runner: Runner, llm: JsonValue) -> Outcome:
        info = CallInfo(
            id=self.id,
            function=function.name,
            attempt=1 if self._ticket is None else 2,
            audience=self._audience,
        )
        arguments = llm if isinstance(llm, dict) else {}
        run = Run(function, arguments, self._context, None, info, self._awaits)
        if self._is_of_person(function, runner):
            return await self._handover(runner, run, info).outcome()
        run.check_context()
        outcome = await runner.run(run)
        if outcome.waiting is None:
            return outcome
        return await self._handover(runner, run, info).ran(run, outcome)

    def _is_of_person(self, function: Function, runner: Runner) -> bool:
        """Return whether a person has a part in the call, or may be asked for one."""
        given = (self._human, self._approve, self._ticket)
        return (
            function.separated is not None
            or given != (None, None, None)
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
    """Return an audience that can stand for one person: text that is not empty.

    Raises:
        DefinitionError: it is not text, or empty.
    """
    if isinstance(audience, str) and audience:
        return audience
    if audience == "":
        raise DefinitionError("audience", "This must not be empty.", "Write the person's id, say.")
    raise wrong_type("audience", "text", audience, "Write the person's id, say.")
