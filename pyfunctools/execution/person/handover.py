"""A call in which a person has a part: they are asked, and approve; it runs, and tells nothing.

values = ask(pending)            what is missing is asked for, or the call waits with a ticket
whole  = merge(llm, values)      both parts together are checked
whole  = approve(pending)        the person approves the whole, or edits it
run(whole)                       a remote server may ask a person too
theirs.masked(outcome)           what is the person's is left out of what is told
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import PyfunctoolsError, TicketStoreError
from pyfunctools.execution.person.approval import (
    Approval,
    Approve,
    Ask,
    PendingCall,
    PersonsValues,
    View,
)
from pyfunctools.execution.person.blame import NOT_YOURS, blamed, filled_in, of_model, told
from pyfunctools.execution.person.held import Theirs
from pyfunctools.execution.person.masking import UnshownArguments
from pyfunctools.execution.person.questions import sheet_of, values_of
from pyfunctools.execution.person.tickets import refusal
from pyfunctools.execution.person.uploads import merged
from pyfunctools.execution.runner import Run, Runner
from pyfunctools.execution.steps import Answered, Person, check_asked
from pyfunctools.execution.trace import MASKED, log_raised
from pyfunctools.record.call_info import CallInfo
from pyfunctools.record.origin import RemoteTool
from pyfunctools.record.outcome import Outcome, Waiting, state_of
from pyfunctools.record.question import Question
from pyfunctools.schema import Failure, Issue, Path, Repair, Success
from pyfunctools.schema.feedback.plain_words import TEXTS
from pyfunctools.schema.ground.json_values import equal
from pyfunctools.schema.ground.path import Keys, value_at
from pyfunctools.schema.separation.side_values import side_issue

if TYPE_CHECKING:
    from pyfunctools._lazy import Lazy
    from pyfunctools.execution.person.tickets import Ticket, Tickets

ROUNDS = 10
"""How often a remote server may ask a person in one call."""


class Handover:
    """One call in a person's hands: `run` is what would run, had they no part in it.

    `human` are their values, or what asks for them; `ticket` is the one that the call goes on from.
    """

    def __init__(
        self,
        runner: Runner,
        run: Run,
        info: CallInfo,
        *,
        human: PersonsValues | Ask,
        approve: Approve,
        tickets: "Lazy[Tickets]",
        ticket: "Ticket | None",
    ) -> None:
        self._runner = runner
        self._run = run
        self._info = info
        self._function = run.function
        self._llm: JsonValue = run.arguments
        self._separated = run.function.separated
        self._confirm: tuple[Callable[[PendingCall], object], ...] = getattr(runner, "confirm", ())
        self._texts: Mapping[str, str] = getattr(runner, "texts", {})  # both of a `Configured`
        self._approve = approve
        self._tickets = tickets
        self._ticket = ticket
        is_asked = callable(human) and not isinstance(human, Mapping)
        self._ask = cast("Ask", human) if is_asked else None
        given = None if is_asked else cast("object", human)
        if given is None and isinstance(approve, Approval):
            given = approve.human
        is_remote = isinstance(run.function.origin, RemoteTool)
        self._there = given if is_remote else None  # what it asks is not known before
        self._given = None if is_remote and self._separated is None else given
        self._typed: JsonValue = None
        self._human: JsonValue = None
        self._theirs: Theirs | None = None
        self._has_begun = False

    async def outcome(self) -> Outcome:
        """Return what comes of the call; where something refuses it, nothing has run.

        Raises:
            PyfunctoolsError: the function cannot be run in this way, or a callable cannot be asked
                in this way.
        """
        if self._separated is None:
            return await self._outcome()
        token = MASKED.set(self._masked)
        try:
            return await self._outcome()
        finally:
            MASKED.reset(token)

    async def _outcome(self) -> Outcome:
        if self._ask is not None or callable(self._approve):
            self._run.check_context()  # before somebody is asked for nothing
        ready = await self._ready()
        if isinstance(ready, Outcome):
            return ready
        self._run.check_context()
        is_watched = self._theirs is not None or self._ticket is not None
        begin = self._begin if is_watched else None
        outcome = await self.ran(self._run._replace(arguments=ready.value, begin=begin))
        if self._theirs is not None:
            outcome = self._theirs.masked(outcome)
            if not self._has_begun and _is_mistake(outcome):
                waiting = self._waiting("needs_human", outcome.issues)
                outcome = replace(waiting, text=outcome.text, issues=outcome.issues)
        edits = ready.repairs
        return replace(outcome, repairs=(*edits, *outcome.repairs)) if edits else outcome

    def _masked(self, text: str) -> str:
        """Return what is told of an error without what is the person's."""
        return text if self._theirs is None else self._theirs.text(text)

    # What a remote server asks

    async def ran(self, run: Run, outcome: Outcome | None = None) -> Outcome:
        """Run the function; what a remote server asks a person in it is answered, or waits.

        `outcome` is what came of running it, where somebody has.
        """
        state = None if self._ticket is None else self._ticket.state
        answer = None if state is None else Answered(state, {}, None)
        is_here = not (self._there is self._ask is self._approve is None)
        ask = self._said_there if is_here else None
        for _ in range(ROUNDS):
            if outcome is None:
                info = self._info
                if isinstance(self._function.origin, RemoteTool):
                    info = replace(info, _person=Person(answer, ask))
                begin = None if self._has_begun else run.begin
                outcome = await self._runner.run(run._replace(begin=begin, info=info))
            if outcome.waiting is None:
                return outcome
            said = await self._said_there(outcome.waiting)
            if said is None:
                return self._waiting_there(outcome, outcome.waiting)
            if isinstance(said, Outcome):
                return said
            answer, outcome = said, None
        return Outcome(text=_ENDLESS.format(ROUNDS), reason="declined")

    async def _said_there(self, waiting: Waiting) -> Answered | Outcome | None:
        """Return what the person says to a remote server, `None` if they are not here."""
        state = state_of(waiting)
        values: object
        values, self._there = self._there, None  # a second question is not answered by the first
        asked: object = self._ask if waiting.questions else self._approve
        if (values is None or not waiting.questions) and callable(asked):
            where = "human" if waiting.questions else "approve"
            answer = await self._answer(where, _UNASKED, asked, self._pending(waiting.questions))
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

    def _waiting_there(self, outcome: Outcome, waiting: Waiting) -> Outcome:
        """Return the outcome of a call that waits for what a remote server asks, with a ticket."""
        after = None if self._has_begun else self._ticket
        ticket = self._issued(after, state=state_of(waiting))
        waiting = replace(
            waiting, call_id=self._info.id, arguments=self._llm, ticket=ticket, _state=None
        )
        return replace(outcome, waiting=waiting)

    # The arguments that may run

    async def _ready(self) -> Success[JsonObject] | Outcome:
        """Return the arguments that may run, and how a person edited them."""
        joined = await self._merged()
        if isinstance(joined, Outcome):
            return joined
        whole = joined.value if isinstance(joined.value, dict) else {}
        if self._separated is not None:
            whole = UnshownArguments(whole)
            self._theirs = Theirs(self._function, self._llm, (self._typed, self._human))
        is_given = self._approve is not None and not callable(self._approve)
        if self._function.confirm or is_given:
            return await self._approved(whole)
        for asks in self._confirm:
            pending = View(self._function, whole).pending
            answer = await self._answer("confirm", _UNKNOWN, asks, pending)
            if isinstance(answer, Outcome):
                return answer
            if answer[0]:
                return await self._approved(whole)
        return Success(value=whole)

    async def _merged(self) -> Success[JsonValue] | Outcome:
        """Return the whole, for which the person is asked where all that is missing is theirs."""
        joined = self._joined()
        if not joined and self._ask is not None and self._is_theirs(joined):
            answer = await self._answer(
                "human", _UNASKED, self._ask, self._pending(self._questions())
            )
            if isinstance(answer, Outcome):
                return answer
            self._given = answer[0]
            if self._given is None:
                return Outcome(text=_DECLINED, reason="declined")
            joined = self._joined()
        if joined:
            return joined
        if not self._is_theirs(joined):
            return told(self._function, joined)
        if self._human is None and self._approve is False:
            return await self._denied()
        waiting = self._waiting("needs_human", joined.issues)
        return waiting if self._given is None else _mistaken(waiting, joined)

    def _joined(self) -> Success[JsonValue] | Failure:
        """Return the whole, or what is missing; what the person gave before is wanted again."""
        if self._given is not None:
            self._typed, self._human = values_of(self._function, self._llm, self._given)
            whole = merged(self._function, self._llm, self._human)
            if not whole:
                return blamed(self._function, whole, self._human)
        elif self._separated is None:
            return Success(value=self._llm)
        elif not (whole := self._separated.merge(self._llm, {})):
            return whole
        before = () if self._ticket is None else self._ticket.filled
        missing = [keys for keys in before if value_at(self._human, keys) is None]
        if not missing:
            return whole
        wanted = "the value, which was given before"
        return Failure(
            value=self._llm, issues=tuple(side_issue("human", keys, wanted) for keys in missing)
        )

    def _is_theirs(self, failure: Failure) -> bool:
        """Return whether all that is wrong is the person's to correct."""
        return self._separated is not None and all(i.side == "human" for i in failure.issues)

    async def _approved(self, whole: JsonObject) -> Success[JsonObject] | Outcome:
        """Return the arguments that a person has approved; their edit of them is a repair."""
        view, answer = View(self._function, whole), self._approve
        if callable(answer):
            asked = await self._answer("approve", _UNASKED, answer, view.pending)
            if isinstance(asked, Outcome):
                return asked
            answer = asked[0]
        if answer is None:
            return self._waiting("needs_approval")
        if answer is True:
            return Success(value=view.whole)
        if not isinstance(answer, Approval):
            return await self._denied()
        edited = view.edited(answer)
        if not edited:
            return _mistaken(self._waiting("needs_approval"), edited)
        if self._separated is not None:
            self._typed = self._human = self._separated.part(edited.value, "human")
        if self._theirs is not None:
            self._theirs.given = (*self._theirs.given, self._human)
        before, after = (of_model(self._function, each) for each in (view.whole, edited.value))
        edit = Repair(path=Path.of(()), kind="edited", before=before, after=after)
        return Success(value=edited.value, repairs=() if equal(before, after) else (edit,))

    # The ticket

    async def _begin(self, held: Mapping[str, object]) -> Outcome | None:
        """Keep what the call holds of a person's, and use up the ticket it goes on from."""
        if self._theirs is not None:
            self._theirs.hold(held)
        del held  # no traceback that shows locals is to show it
        forbidden = None if self._ticket is None else await self._claimed(self._ticket)
        self._has_begun = forbidden is None
        return forbidden

    async def _denied(self) -> Outcome:
        used = None if self._ticket is None else await self._claimed(self._ticket)
        return used or Outcome(text=_DENIED, reason="denied")

    async def _claimed(self, ticket: "Ticket") -> Outcome | None:
        """Use up the ticket that the call goes on from; return what forbids it."""
        tickets = self._tickets.value
        if tickets.has_expired(ticket):  # while a person was asked
            return refusal("expired")
        claim: Callable[..., object] = tickets.claim
        if self._run.awaits and tickets.waits:
            from asyncio import to_thread  # which few programs need

            claim = partial(to_thread, claim)
        answer = await self._answer("store", _UNCLAIMED, claim, ticket)
        if isinstance(answer, Outcome):
            return answer
        return None if answer[0] else refusal("used")

    def _waiting(
        self, reason: Literal["needs_human", "needs_approval"], wrong: Sequence[Issue] = ()
    ) -> Outcome:
        """Return the outcome of a call that waits, with a ticket.

        The ticket has the places in which the person has given something that is not `wrong`: on
        the way on it is wanted again, for nobody keeps it, and a default is not what they gave.
        """
        filled = [
            keys
            for keys in filled_in(self._function, self._human)
            if all(i.path.keys[: len(keys)] != keys for i in wrong)
        ]
        waiting = Waiting(
            call_id=self._info.id,
            function=self._function.name,
            arguments=self._llm,
            approval=self._function.confirm or bool(self._confirm),
            ticket=self._issued(self._ticket, filled=filled),
            questions=self._questions(wrong),
        )
        return Outcome(text=_WAITS[reason], reason=reason, waiting=waiting)

    def _issued(
        self, after: "Ticket | None", *, filled: Sequence[Keys] = (), state: JsonValue = None
    ) -> str | None:
        """Return a ticket to go on with this call; see `Tickets.issue`."""
        return self._tickets.value.issue(
            self._function,
            self._llm,
            call=self._info.id,
            audience=self._info.audience,
            filled=filled,
            after=after,
            state=state,
        )

    # What is asked

    def _pending(self, questions: tuple[Question, ...]) -> PendingCall:
        """Return the call as a person is asked about it."""
        arguments = cast("JsonObject", deepcopy(self._llm))
        return PendingCall(function=self._function, arguments=arguments, questions=questions)

    def _questions(self, wrong: Sequence[Issue] = ()) -> tuple[Question, ...]:
        """Return what to ask the person; what is `wrong` is so only with what they gave."""
        if self._separated is None:
            return ()
        issues = () if self._given is None else wrong
        texts = {**TEXTS, **self._texts}
        return tuple(sheet_of(self._function, self._llm, self._given, issues, texts).questions)

    async def _answer(
        self, where: str, unanswered: str, asked: Callable[..., object], *about: object
    ) -> tuple[object] | Outcome:
        """Return what a callable of the caller's answers, or the outcome that says it failed.

        The error's message is not told: it may hold a secret. One that could never have been called
        is a mistake of the program.
        """
        try:
            return (await self._run.settle(asked(*about), where),)
        except Exception as error:  # it is somebody else's code and may raise anything
            if isinstance(error, PyfunctoolsError) and not isinstance(error, TicketStoreError):
                raise
            if isinstance(error, TypeError):
                check_asked(where, asked, about)
            log_raised(self._function.name, f"`{where}`", error)
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


def _is_mistake(outcome: Outcome) -> bool:
    """True if a call was refused for what the person gave alone."""
    wrong = outcome.issues
    return outcome.reason == "arguments" and bool(wrong) and all(i.side == "human" for i in wrong)


def _mistaken(waiting: Outcome, failure: Failure) -> Outcome:
    """Return the outcome of a person's mistake: they may try again."""
    return replace(waiting, text=NOT_YOURS, issues=failure.issues)
