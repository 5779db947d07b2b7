"""The way of a call: check, ask the person, merge, have it approved, run, and say what came of it.

The steps are written once, as a coroutine. `call` and `acall`, `resume` and `aresume` take the same
ones; they differ in whether what a callable gives is awaited, and in how the function is run.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import (
    DefinitionError,
    PyfunctoolsError,
    TicketStoreError,
    UnknownFunctionError,
    wrong_type,
)
from pyfunctools.execution.person.blame import NOT_YOURS, blamed, filled_in, of_model
from pyfunctools.execution.runner import Run, Runner
from pyfunctools.execution.steps import Answered, Begin, Person, at_hand, check_asked, settled
from pyfunctools.execution.trace import MASKED, log_raised
from pyfunctools.record.call_info import CallInfo
from pyfunctools.record.function import Function, contract_of, handler_of
from pyfunctools.record.origin import RemoteTool
from pyfunctools.record.outcome import Outcome, Waiting, state_of
from pyfunctools.record.question import Question
from pyfunctools.schema import Failure, Issue, Path, Repair, Success
from pyfunctools.schema.ground.json_values import equal
from pyfunctools.schema.ground.path import at
from pyfunctools.schema.separation.sieve import issue

if TYPE_CHECKING:  # loaded by the first call that has to do with a person
    from pyfunctools._lazy import Lazy
    from pyfunctools.execution.person.approval import Approve, PendingCall
    from pyfunctools.execution.person.held import Theirs
    from pyfunctools.execution.person.tickets import Ticket, Tickets
    from pyfunctools.schema.separation.separate import Separated


ROUNDS = 10
"""How often a remote server may ask a person in one call."""

Given: TypeAlias = Mapping[str, Any] | None
"""What a person gave: their values, or nothing."""

Ask: TypeAlias = Callable[["PendingCall"], "Given | Awaitable[Given]"]
"""Asks a person for their part, where the call cannot run without it.

It gets the pending call, with the model's part and the questions, and gives the person's values;
`None` says that they gave none.
"""

Entry: TypeAlias = Callable[[str], tuple[Function, Runner]]
"""A function that returns a function and its runner by name, or raises `UnknownFunctionError`."""


class Invocation:
    """What is there for one call beside the model's part, and the steps to what comes of it.

    With `awaits` what the callables give may have to be awaited; without, the steps never suspend.
    """

    def __init__(
        self,
        entry: Entry,
        tickets: "Lazy[Tickets]",
        *,
        awaits: bool,
        human: Given | Ask = None,
        context: object = None,
        approve: "Approve" = None,
        audience: str | None = None,
        call_id: str | None = None,
    ) -> None:
        self._entry = entry
        self._tickets = tickets
        self._awaits = awaits
        self._ask: Ask | None = None
        self._given: object = None
        self._there: object = None
        self._typed: JsonValue = None
        self._human: JsonValue = None
        if callable(human) and not isinstance(human, Mapping):
            self._ask = human
        else:
            self._given = human
        self._context = context
        self._approve = approve
        if approve is not None:
            self._check_approval(approve)
        self._audience = _checked_audience(audience)
        self._ticket: Ticket | None = None
        self._theirs: Theirs | None = None
        self._has_begun = False
        self.id = call_id or token_hex(8)
        self._attempt = 1
        self._name = ""
        self._confirm: tuple[Callable[[PendingCall], object], ...] = ()
        self._texts: Mapping[str, str] = {}
        self._separated: Separated | None = None

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
        self._ticket = ticket
        self.id, self._attempt = ticket.call, 2
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
        self._name = function.name
        self._confirm = getattr(runner, "confirm", ())  # of a `Configured`
        self._texts = getattr(runner, "texts", {})
        contract = contract_of(function)
        self._separated = contract.separated.value
        if isinstance(function.origin, RemoteTool):  # what its server asks is not known before
            self._there = self._given
            self._given = None if self._separated is None else self._given
        checked = read if isinstance(read, Failure) else contract.checker.value.check(arguments)
        if isinstance(read, Success):
            checked = replace(checked, repairs=(*read.repairs, *checked.repairs))
        if not checked:
            return _refused(function, checked)
        if self._separated is None:
            outcome = await self._outcome(function, runner, checked)
        else:
            token = MASKED.set(self._masked)
            try:
                outcome = await self._outcome(function, runner, checked)
            finally:
                MASKED.reset(token)
        if outcome.function == function.name and not checked.repairs:
            return outcome
        repairs = (*checked.repairs, *outcome.repairs)
        return replace(outcome, function=function.name, repairs=repairs)

    async def _outcome(
        self, function: Function, runner: Runner, checked: Success[JsonValue]
    ) -> Outcome:
        if self._ask is not None or callable(self._approve):
            self._check_context(function)  # before somebody is asked for nothing
        ready = await self._ready(function, checked)
        if isinstance(ready, Outcome):
            return ready
        self._check_context(function)
        whole, begin = ready.value, None
        if self._theirs is not None or self._ticket is not None:
            begin = self._begin
        info = CallInfo(
            id=self.id, function=function.name, attempt=self._attempt, audience=self._audience
        )
        outcome = await self._ran(runner, function, checked, whole, begin, info)
        if self._theirs is not None:
            outcome = self._theirs.masked(outcome)
            if not self._has_begun and _is_mistake(outcome):
                waiting = self._waiting("needs_human", function, checked, outcome.issues)
                outcome = replace(waiting, text=outcome.text, issues=outcome.issues)
        edits = ready.repairs
        return replace(outcome, repairs=(*edits, *outcome.repairs)) if edits else outcome

    def _check_context(self, function: Function) -> None:
        """Refuse a call that lacks the context before it runs, or uses up a ticket.

        Raises:
            DefinitionError: a parameter has to be given the context, and there is none.
        """
        handler = handler_of(function) if self._context is None else None
        if handler is not None and (wanted := handler.wants_context) is not None:
            raise DefinitionError(
                f"{function.name}({wanted})",
                "It is the context, and the call was given none.",
                "Pass `context=` to the call (in a terminal `--context`), give it a default, or "
                "hint `Context[... | None]`.",
            )

    def _masked(self, text: str) -> str:
        """Return what is told of an error without what is the person's."""
        return text if self._theirs is None else self._theirs.text(text)

    async def _ran(
        self,
        runner: Runner,
        function: Function,
        checked: Success[JsonValue],
        whole: JsonObject,
        begin: Begin | None,
        info: CallInfo,
    ) -> Outcome:
        """Run the function; what a remote server asks a person in it is answered, or waits."""
        state = None if self._ticket is None else self._ticket.state
        answer = None if state is None else Answered(state, {}, None)
        is_here = not (self._there is self._ask is self._approve is None)
        ask = partial(self._said_there, function, checked) if is_here else None
        for _ in range(ROUNDS):
            first = None if self._has_begun else begin
            if isinstance(function.origin, RemoteTool):
                info = replace(info, _person=Person(answer, ask))
            run = Run(function, whole, self._context, first, info, self._awaits)
            outcome = await runner.run(run)
            if outcome.waiting is None:
                return outcome
            said = await self._said_there(function, checked, outcome.waiting)
            if said is None:
                return self._waiting_there(function, checked, outcome, outcome.waiting)
            if isinstance(said, Outcome):
                return said
            answer = said
        return Outcome(text=_ENDLESS.format(ROUNDS), reason="declined")

    async def _said_there(
        self, function: Function, checked: Success[JsonValue], waiting: Waiting
    ) -> Answered | Outcome | None:
        """Return what the person says to a remote server, `None` if they are not here."""
        from pyfunctools.execution.person.approval import Approval, PendingCall

        state, arguments = state_of(waiting), cast("JsonObject", deepcopy(checked.value))
        pending = PendingCall(function=function, arguments=arguments, questions=waiting.questions)
        values: object
        values, self._there = self._there, None  # a second question is not answered by the first
        asked: object = self._ask if waiting.questions else self._approve
        if (values is None or not waiting.questions) and callable(asked):
            where = "human" if waiting.questions else "approve"
            answer = await self._answer(where, _UNASKED, asked, pending)
            if isinstance(answer, Outcome):
                return answer
            values = answer[0]
            if waiting.questions and values is None:
                return Answered(state, {}, False)
        elif not waiting.questions:
            values = self._approve
        elif values is None and self._approve is False:
            values = False
        if values is None:
            return None
        given: Mapping[str, object] = (
            cast("Mapping[str, object]", values) if isinstance(values, Mapping) else {}
        )
        return Answered(state, given, values is True or isinstance(values, Mapping | Approval))

    def _waiting_there(
        self,
        function: Function,
        checked: Success[JsonValue],
        outcome: Outcome,
        waiting: Waiting,
    ) -> Outcome:
        """Return the outcome of a call that waits for what a remote server asks, with a ticket."""
        ticket = self._tickets.value.issue(
            function,
            checked.value,
            audience=self._audience,
            call=self.id,
            after=None if self._has_begun else self._ticket,
            state=state_of(waiting),
        )
        waiting = replace(
            waiting, call_id=self.id, arguments=checked.value, ticket=ticket, _state=None
        )
        return replace(outcome, waiting=waiting)

    async def _begin(self, held: Mapping[str, object]) -> Outcome | None:
        """Keep what the call holds of a person's, and use up the ticket it goes on from."""
        if self._theirs is not None:
            self._theirs.hold(held)
        del held  # no traceback that shows locals is to show it
        forbidden = None if self._ticket is None else await self._claimed(self._ticket)
        self._has_begun = forbidden is None
        return forbidden

    async def _ready(
        self, function: Function, checked: Success[JsonValue]
    ) -> Success[JsonObject] | Outcome:
        """Return the arguments that may run, and how a person edited them."""
        merged = checked
        if self._separated is not None or self._given is not None:
            joined = await self._merged(function, checked)
            if isinstance(joined, Outcome):
                return joined
            merged = joined
        whole = merged.value if isinstance(merged.value, dict) else {}
        if self._separated is not None:
            from pyfunctools.execution.person.held import Theirs
            from pyfunctools.execution.person.masking import Arguments

            whole = Arguments(whole)
            self._theirs = Theirs(function, checked.value, (self._typed, self._human))
        if function.confirm or (self._approve is not None and not callable(self._approve)):
            return await self._approved(function, checked, whole)
        for asks in self._confirm:
            from pyfunctools.execution.person.approval import View

            answer = await self._answer("confirm", _UNKNOWN, asks, View(function, whole).pending)
            if isinstance(answer, Outcome):
                return answer
            if answer[0]:
                return await self._approved(function, checked, whole)
        return Success(value=whole)

    async def _merged(
        self, function: Function, checked: Success[JsonValue]
    ) -> Success[JsonValue] | Outcome:
        """Return the whole, for which the person is asked where all that is missing is theirs."""
        merged = self._joined(function, checked)
        if not merged and self._ask is not None and self._is_theirs(merged):
            pending = self._pending(function, checked)
            answer = await self._answer("human", _UNASKED, self._ask, pending)
            if isinstance(answer, Outcome):
                return answer
            self._given = answer[0]
            if self._given is None:
                return Outcome(text=_DECLINED, reason="declined")
            merged = self._joined(function, checked)
        if merged:
            return merged
        if not self._is_theirs(merged):
            return _refused(function, merged)
        if self._human is None and self._approve is False:
            return await self._denied()
        waiting = self._waiting("needs_human", function, checked, merged.issues)
        return waiting if self._given is None else _mistaken(waiting, merged)

    def _joined(
        self, function: Function, checked: Success[JsonValue]
    ) -> Success[JsonValue] | Failure:
        """Return the whole, or what is missing; what the person gave before is wanted again."""
        if self._given is None:
            merged = contract_of(function).merge(checked.value, None)
        else:
            from pyfunctools.execution.person.questions import values_of
            from pyfunctools.execution.person.uploads import merged as merged_with

            self._typed, self._human = values_of(function, checked.value, self._given)
            merged = merged_with(function, checked.value, self._human)
        if not merged:
            return merged if self._given is None else blamed(function, merged, self._human)
        before = () if self._ticket is None else self._ticket.filled
        missing = [keys for keys in before if at(self._human, keys) is None]
        if not missing:
            return merged
        issues = tuple(
            issue("human", keys, "the value, which was given before") for keys in missing
        )
        return Failure(value=checked.value, issues=issues)

    def _is_theirs(self, failure: Failure) -> bool:
        """Return whether all that is wrong is the person's to correct."""
        return self._separated is not None and all(i.side == "human" for i in failure.issues)

    async def _approved(
        self, function: Function, checked: Success[JsonValue], whole: JsonObject
    ) -> Success[JsonObject] | Outcome:
        """Return the arguments that a person has approved; their edit of them is a repair."""
        from pyfunctools.execution.person.approval import Approval, View

        view = View(function, whole)
        answer = self._approve
        if callable(answer):
            asked = await self._answer("approve", _UNASKED, answer, view.pending)
            if isinstance(asked, Outcome):
                return asked
            answer = asked[0]
        if answer is None:
            return self._waiting("needs_approval", function, checked)
        if answer is True:
            return Success(value=view.whole)
        if not isinstance(answer, Approval):
            return await self._denied()
        edited = view.edited(answer)
        if not edited:
            return _mistaken(self._waiting("needs_approval", function, checked), edited)
        if self._separated is not None:
            self._typed = self._human = self._separated.part(edited.value, "human")
        if self._theirs is not None:
            self._theirs.given = (*self._theirs.given, self._human)
        before, after = of_model(function, view.whole), of_model(function, edited.value)
        edit = Repair(path=Path.of(()), kind="edited", before=before, after=after)
        return Success(value=edited.value, repairs=() if equal(before, after) else (edit,))

    async def _denied(self) -> Outcome:
        used = None if self._ticket is None else await self._claimed(self._ticket)
        return used or Outcome(text=_DENIED, reason="denied")

    def _check_approval(self, approve: object) -> None:
        from pyfunctools.execution.person.approval import Approval, check_approve

        check_approve(approve)
        if isinstance(approve, Approval) and self._given is None:
            self._given = approve.human

    async def _claimed(self, ticket: "Ticket") -> Outcome | None:
        """Use up the ticket that the call goes on from; return what forbids it."""
        from pyfunctools.execution.person.tickets import refusal

        tickets = self._tickets.value
        if tickets.has_expired(ticket):  # while a person was asked
            return refusal("expired")
        claim: Callable[..., object] = tickets.claim
        if self._awaits and tickets.waits:
            from asyncio import to_thread

            claim = partial(to_thread, claim)
        answer = await self._answer("store", _UNCLAIMED, claim, ticket)
        if isinstance(answer, Outcome):
            return answer
        return None if answer[0] else refusal("used")

    def _waiting(
        self,
        reason: Literal["needs_human", "needs_approval"],
        function: Function,
        checked: Success[JsonValue],
        wrong: Sequence[Issue] = (),
    ) -> Outcome:
        """Return the outcome of a call that waits, with a ticket.

        The ticket has the places in which the person has given something that is not `wrong`: on
        the way on it is wanted again, for nobody keeps it, and a default is not what they gave.
        """
        filled = filled_in(function, self._human)
        ticket = self._tickets.value.issue(
            function,
            checked.value,
            audience=self._audience,
            call=self.id,
            filled=[
                keys for keys in filled if all(i.path.keys[: len(keys)] != keys for i in wrong)
            ],
            after=self._ticket,
        )
        waiting = Waiting(
            call_id=self.id,
            function=function.name,
            arguments=checked.value,
            approval=function.confirm or bool(self._confirm),
            ticket=ticket,
            questions=self._questions(function, checked, wrong),
        )
        return Outcome(text=_WAITS[reason], reason=reason, waiting=waiting)

    def _pending(self, function: Function, checked: Success[JsonValue]) -> "PendingCall":
        """Return the call as a person is asked for their values."""
        from pyfunctools.execution.person.approval import PendingCall

        arguments = cast("JsonObject", deepcopy(checked.value))
        questions = self._questions(function, checked)
        return PendingCall(function=function, arguments=arguments, questions=questions)

    def _questions(
        self, function: Function, checked: Success[JsonValue], wrong: Sequence[Issue] = ()
    ) -> tuple[Question, ...]:
        """Return what to ask the person; what is `wrong` is so only with what they gave."""
        if self._separated is None:
            return ()
        from pyfunctools.execution.person.questions import sheet_of
        from pyfunctools.schema.feedback.plain_words import TEXTS

        issues = () if self._given is None else wrong
        texts = {**TEXTS, **self._texts}
        return tuple(sheet_of(function, checked.value, self._given, issues, texts).questions)

    async def _answer(
        self, where: str, unanswered: str, asked: Callable[..., object], *about: object
    ) -> tuple[object] | Outcome:
        """Return what a callable of the caller's answers, or the outcome that says it failed.

        The error's message is not told: it may hold a secret. One that could never have been called
        is a mistake of the program.
        """
        settle = settled if self._awaits else at_hand
        try:
            return (await settle(asked(*about), where),)
        except Exception as error:  # it is somebody else's code and may raise anything
            if isinstance(error, PyfunctoolsError) and not isinstance(error, TicketStoreError):
                raise
            if isinstance(error, TypeError):
                check_asked(where, asked, about)
            log_raised(self._name, f"`{where}`", error)
            text = unanswered.format(self._masked(type(error).__name__))
            return Outcome(text=text, reason="raised", exception=error)


_WAITS = {
    "needs_human": "A person has to add their part first. Nothing has run yet.",
    "needs_approval": "A person has to approve this call first. Nothing has run yet.",
}
_ENDLESS = "The server asked a person {} times, and nothing came of it."
_DECLINED = "A person was asked for their part and gave none. Nothing has run."
_DENIED = "A person has to approve this call and has not. Nothing has run."
_UNKNOWN = "It could not be found out whether a person has to approve this ({}). Nothing has run."
_UNASKED = "The person could not be asked ({}). Nothing has run."
_UNCLAIMED = "It could not be found out whether the ticket was used ({}). Nothing has run."


def _checked_audience(audience: object) -> str | None:
    """Return an audience that can stand for one person: text that is not empty.

    Raises:
        DefinitionError: it is not text, or empty.
    """
    if audience is None or (isinstance(audience, str) and audience):
        return audience
    if audience == "":
        raise DefinitionError("audience", "This must not be empty.", "Write the person's id, say.")
    raise wrong_type("audience", "text", audience, "Write the person's id, say.")


def _is_mistake(outcome: Outcome) -> bool:
    """True if a call was refused for what the person gave alone."""
    wrong = outcome.issues
    return outcome.reason == "arguments" and bool(wrong) and all(i.side == "human" for i in wrong)


def _refused(function: Function, failure: Failure) -> Outcome:
    return Outcome(
        text=failure.feedback(),
        reason="arguments",
        issues=failure.issues,
        function=function.name,
        repairs=failure.repairs,
    )


def _mistaken(waiting: Outcome, failure: Failure) -> Outcome:
    """Return the outcome of a person's mistake: they may try again."""
    return replace(waiting, text=NOT_YOURS, issues=failure.issues)
