"""The way of a call: check, ask the person, merge, have it approved, run, and say what came of it.

The steps are written once, as a coroutine. `call` and `acall`, `resume` and `aresume` take the same
ones; they differ in whether what a callable gives is awaited, and in how the function is run.
"""

from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Protocol, TypeAlias, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.errors import PyfunctoolsError, UnknownFunctionError
from pyfunctools.execution.approval import Approval, Approve, View
from pyfunctools.execution.files import with_files
from pyfunctools.execution.secrets import hidden, masked, revealed
from pyfunctools.execution.settle import at_hand, settled
from pyfunctools.execution.sides import NOT_YOURS, blamed, of_model
from pyfunctools.execution.tickets import Ticket, Tickets, digest_of, refusal
from pyfunctools.outcome import Outcome
from pyfunctools.record import Function
from pyfunctools.schema import Failure, Path, Repair, Success
from pyfunctools.schema.equal import equal


class Runner(Protocol):
    """What runs functions of one kind: in process, or over HTTP."""

    def run(self, function: Function, arguments: JsonObject, context: object) -> Outcome:
        """Run the function on checked arguments."""
        ...

    async def arun(self, function: Function, arguments: JsonObject, context: object) -> Outcome:
        """Run the function on checked arguments, awaiting what can be awaited."""
        ...

    def close(self) -> None:
        """Give back what the runner holds."""
        ...

    async def aclose(self) -> None:
        """Give back what the runner holds, on an event loop."""
        ...


Given: TypeAlias = JsonObject | None
"""What a person gave: their values, or nothing."""

Ask: TypeAlias = Callable[[Function, JsonObject], "Given | Awaitable[Given]"]
"""Asks a person for their part, where the call cannot run without it.

It gets the function and the model's part, and gives the person's values; `None` says that they gave
none.
"""

Entry: TypeAlias = Callable[[str], tuple[Function, Runner]]
"""Gives a function by its name, and what runs it; raises `UnknownFunctionError`."""


class Call:
    """What is there for one call beside the model's part, and the steps to what comes of it.

    With `awaits` what the callables give may have to be awaited; without, the steps never suspend.
    """

    def __init__(
        self,
        entry: Entry,
        tickets: Lazy[Tickets],
        *,
        awaits: bool,
        human: Given | Ask = None,
        context: object = None,
        approve: Approve | None = None,
    ) -> None:
        self._entry = entry
        self._tickets = tickets
        self._awaits = awaits
        self._ask: Ask | None = None
        self._human: JsonValue = None
        if callable(human) and not isinstance(human, Mapping):
            self._ask = human
        else:
            self._human = _values(cast("object", human))
        self._context = context
        self._approve = approve
        self._ticket: Ticket | None = None

    async def resume(self, text: object) -> Outcome:
        """Go on with the call that a ticket is for.

        Raises:
            PyfunctoolsError: as `run`.
        """
        ticket = self._tickets.get().read(text)
        if not isinstance(ticket, Ticket):
            return refusal(ticket)
        try:
            function, _ = self._entry(ticket.function)
        except UnknownFunctionError:
            return refusal("gone", ticket.function)
        if digest_of(function) != ticket.digest:
            return refusal("changed", ticket.function)
        self._ticket = ticket
        return await self.run(ticket.function, ticket.arguments)

    async def run(self, name: str, arguments: str | bytes | JsonValue) -> Outcome:
        """Take all the steps; where one says no nothing has run, and the outcome says why.

        Raises:
            PyfunctoolsError: the function cannot be run in this way, or a callable cannot be asked
                in this way.
        """
        try:
            function, runner = self._entry(name)
        except UnknownFunctionError as error:
            return Outcome(text=str(error), is_error=True, function=error.name)
        checked = function.check(arguments)
        if not checked:
            return _refused(function, checked)
        repairs = list(checked.repairs)
        whole = await self._whole(function, checked)
        if not isinstance(whole, Outcome) and function.confirm:
            whole = await self._approved(function, checked, whole, repairs)
        if not isinstance(whole, Outcome):
            whole = await self._claimed() or whole
        if isinstance(whole, Outcome):
            repairs = [*checked.repairs, *whole.repairs]
            return replace(whole, function=function.name, repairs=tuple(repairs))
        if self._awaits:
            outcome = await runner.arun(function, whole, self._context)
        else:
            outcome = runner.run(function, whole, self._context)
        repairs += outcome.repairs
        done = replace(outcome, function=function.name, repairs=tuple(repairs))
        return masked(function, whole, done)

    async def _whole(self, function: Function, checked: Success[JsonValue]) -> JsonObject | Outcome:
        """Give the whole arguments, the person's part among them."""
        given = self._human
        merged = _merged(function, checked, given)
        if self._ask is not None and not merged and _is_theirs(function, merged):
            part = deepcopy(checked.value)
            answer = await self._answer("human", _UNASKED, self._ask, function, part)
            if isinstance(answer, Outcome):
                return answer
            given = _values(answer[0])
            if given is None:
                return Outcome(text=_DECLINED, is_error=True)
            merged = _merged(function, checked, given)
        if merged:
            return merged.value if isinstance(merged.value, dict) else {}
        if not _is_theirs(function, merged):
            return _refused(function, merged)
        schema = None if function.separated is None else function.separated.human
        waiting = replace(self._waiting(_NEEDS_HUMAN, function, checked), needs_human=schema)
        return waiting if given is None else _mistaken(waiting, merged)

    async def _approved(
        self,
        function: Function,
        checked: Success[JsonValue],
        whole: JsonObject,
        repairs: list[Repair],
    ) -> JsonObject | Outcome:
        """Give the arguments that a person has approved; their edit of them is a repair."""
        if self._approve is None:
            return self._unapproved(function, checked)
        view = View(function, whole)
        answer = await self._answer("approve", _UNASKED, self._approve, view.pending)
        if isinstance(answer, Outcome):
            return answer
        if answer[0] is True:
            return view.whole
        if not isinstance(answer[0], Approval):
            return await self._claimed() or Outcome(text=_DENIED, is_error=True)
        edited = view.edited(answer[0].arguments)
        if not edited:
            return _mistaken(self._unapproved(function, checked), edited)
        approved = edited.value if isinstance(edited.value, dict) else {}
        before, after = (revealed(of_model(function, each)) for each in (view.whole, approved))
        if not equal(before, after):
            repairs.append(Repair(path=Path.of(()), kind="edited", before=before, after=after))
        return approved

    async def _claimed(self) -> Outcome | None:
        """Use up the ticket, if the call goes on from one; give what forbids it."""
        ticket = self._ticket
        if ticket is None:
            return None
        tickets = self._tickets.get()
        if tickets.has_expired(ticket):  # while a person was asked
            return refusal("expired")
        claim = tickets.store.claim
        answer = await self._answer("store", _UNCLAIMED, claim, ticket.id, ticket.expires)
        if isinstance(answer, Outcome):
            return answer
        return None if answer[0] else refusal("used")

    def _waiting(self, text: str, function: Function, checked: Success[JsonValue]) -> Outcome:
        if self._ticket is None:
            ticket = self._tickets.get().issue(function, checked.value)
        else:
            ticket = self._ticket.text
        return Outcome(text=text, value=checked.value, ticket=ticket)

    def _unapproved(self, function: Function, checked: Success[JsonValue]) -> Outcome:
        # An error, for a caller that knows of no approval must not take the call for done.
        waiting = self._waiting(_NEEDS_APPROVAL, function, checked)
        return replace(waiting, is_error=True, needs_approval=True)

    async def _answer(
        self, where: str, unanswered: str, asked: Callable[..., object], *about: object
    ) -> tuple[object] | Outcome:
        """Give what a callable of the caller's answers, or the outcome that says it failed.

        The error's message is not told: it may hold a secret.
        """
        settle = settled if self._awaits else at_hand
        try:
            return (await settle(asked(*about), where),)
        except PyfunctoolsError:
            raise
        except Exception as error:  # it is somebody else's code and may raise anything
            text = unanswered.format(type(error).__name__)
            return Outcome(text=text, is_error=True)


_NEEDS_HUMAN = "A person has to add their part first. Nothing has run yet."
_NEEDS_APPROVAL = "A person has to approve this call first. Nothing has run yet."
_DECLINED = "A person was asked for their part and gave none. Nothing has run."
_DENIED = "A person has to approve this call and has not. Nothing has run."
_UNASKED = "The person could not be asked ({}). Nothing has run."
_UNCLAIMED = "It could not be found out whether the ticket was used ({}). Nothing has run."


def _values(human: object) -> JsonValue:
    """Give a person's values as the schema takes them: files as such, texts without a `repr`."""
    if isinstance(human, Mapping):
        human = dict(cast("JsonObject", human))
    return hidden(with_files(cast("JsonValue", human)))


def _merged(
    function: Function, checked: Success[JsonValue], human: JsonValue
) -> Success[JsonValue] | Failure:
    merged = function.merge(llm=checked.value, human=human)
    return merged if merged or human is None else blamed(function, merged, human)


def _is_theirs(function: Function, failure: Failure) -> bool:
    """Say whether all that is wrong is the person's to correct."""
    return function.separated is not None and all(i.side == "human" for i in failure.issues)


def _refused(function: Function, failure: Failure) -> Outcome:
    return Outcome(
        text=failure.feedback(),
        is_error=True,
        failure=failure,
        function=function.name,
        repairs=failure.repairs,
    )


def _mistaken(waiting: Outcome, failure: Failure) -> Outcome:
    """Give the outcome of a person's mistake: they may try again."""
    return replace(waiting, text=NOT_YOURS, is_error=True, failure=failure)
