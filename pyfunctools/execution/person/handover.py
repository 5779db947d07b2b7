"""A call in which a person takes part: they give values and approve, and the outcome is masked.

values  = ask(pending)           missing values are asked for, or the call waits with a ticket
whole   = merge(llm, values)     both parts are checked together
whole   = approve(pending)       the person approves the whole arguments, or edits them
outcome = run(whole)             an MCP server may ask a person too
private.masked(outcome)          the person's values are removed from the model's text
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
from pyfunctools.execution.person.blame import (
    NOT_YOURS,
    arguments_refused,
    blamed,
    filled_in,
    of_model,
)
from pyfunctools.execution.person.masking import UnshownArguments
from pyfunctools.execution.person.private_values import PrivateValues
from pyfunctools.execution.person.questions import persons_values, questions_for
from pyfunctools.execution.person.tickets import ticket_refused
from pyfunctools.execution.person.uploads import merged
from pyfunctools.execution.runner import Run, Runner
from pyfunctools.execution.steps import Answered, Person, check_callable
from pyfunctools.execution.trace import MASKED, log_raised
from pyfunctools.record.call_info import CallInfo
from pyfunctools.record.origin import RemoteTool
from pyfunctools.record.outcome import Outcome, Waiting, waiting_state
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
"""How many times an MCP server may ask a person in one call."""


class Handover:
    """One call in which a person takes part; `run` has the model's part of the arguments.

    `human` are the person's values, or a callable that asks for them; `ticket` is that of a resumed
    call.
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
        asks = callable(human) and not isinstance(human, Mapping)
        self._ask = cast("Ask", human) if asks else None
        given = None if asks else cast("object", human)
        if given is None and isinstance(approve, Approval):
            given = approve.human
        is_remote = isinstance(run.function.origin, RemoteTool)
        self._for_server = given if is_remote else None  # the questions come with the result
        self._given = None if is_remote and self._separated is None else given
        self._nested: JsonValue = None  # `_given`, nested as the schema
        self._human: JsonValue = None  # `_nested`, coerced
        self._private: PrivateValues | None = None
        self._has_begun = False

    async def outcome(self) -> Outcome:
        """Return the outcome of the call; if the call is refused, the function has not run.

        Raises:
            PyfunctoolsError: the function cannot be run in this way, or a caller's callable has
                other parameters or has to be awaited.
        """
        token = None if self._separated is None else MASKED.set(self._masked)
        try:
            if self._ask is not None or callable(self._approve):
                self._run.check_context()  # an error comes before the person is asked
            checked = await self._arguments()
            if isinstance(checked, Outcome):
                return checked
            watched = self._private is not None or self._ticket is not None
            begin = self._begin if watched else None
            outcome = await self.run(self._run._replace(arguments=checked.value, begin=begin))
        finally:
            if token is not None:
                MASKED.reset(token)
        if self._private is not None:
            outcome = self._private.masked(outcome)
            if not self._has_begun and _is_persons_mistake(outcome):
                waiting = self._waiting("needs_human", outcome.issues)
                outcome = replace(waiting, text=outcome.text, issues=outcome.issues)
        edits = checked.repairs
        return replace(outcome, repairs=(*edits, *outcome.repairs)) if edits else outcome

    def _masked(self, text: str) -> str:
        """Return the text of an error without the person's values."""
        return text if self._private is None else self._private.text(text)

    # Questions of an MCP server

    async def run(self, run: Run, outcome: Outcome | None = None) -> Outcome:
        """Run the function, and pass an MCP server's questions to the person, or let the call wait.

        `outcome` is the outcome of a first run, if there was one.
        """
        state = None if self._ticket is None else self._ticket.state
        answer = None if state is None else Answered(state, {}, None)
        can_ask = not (self._for_server is self._ask is self._approve is None)
        for _ in range(ROUNDS):
            if outcome is None:
                info = self._info
                if isinstance(self._function.origin, RemoteTool):
                    person = Person(answer, self._answer_server if can_ask else None)
                    info = replace(info, _person=person)
                begin = None if self._has_begun else run.begin
                outcome = await self._runner.run(run._replace(begin=begin, info=info))
            if outcome.waiting is None:
                return outcome
            reply = await self._answer_server(outcome.waiting)
            if reply is None:
                after = None if self._has_begun else self._ticket
                waiting = replace(
                    outcome.waiting,
                    call_id=self._info.id,
                    arguments=self._llm,
                    ticket=self._issue_ticket(after, state=waiting_state(outcome.waiting)),
                    _state=None,
                )
                return replace(outcome, waiting=waiting)
            if isinstance(reply, Outcome):
                return reply
            answer, outcome = reply, None
        return Outcome(text=_ENDLESS.format(ROUNDS), reason="declined")

    async def _answer_server(self, waiting: Waiting) -> Answered | Outcome | None:
        """Return the person's answer to a server's question, `None` if nobody can be asked."""
        state = waiting_state(waiting)
        values: object
        values, self._for_server = self._for_server, None  # used for the first question only
        asked: object = self._ask if waiting.questions else self._approve
        if (values is None or not waiting.questions) and callable(asked):
            where = "human" if waiting.questions else "approve"
            answer = await self._call(where, _UNASKED, asked, self._pending(waiting.questions))
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

    # The arguments

    async def _arguments(self) -> Success[JsonObject] | Outcome:
        """Return the whole arguments, approved where necessary; a person's edit is a repair."""
        joined = await self._completed()
        if isinstance(joined, Outcome):
            return joined
        whole = joined.value if isinstance(joined.value, dict) else {}
        if self._separated is not None:
            whole = UnshownArguments(whole)
            self._private = PrivateValues(self._function, self._llm, (self._nested, self._human))
        has_answer = self._approve is not None and not callable(self._approve)
        if self._function.confirm or has_answer:
            return await self._approved(whole)
        for asks in self._confirm:
            pending = View(self._function, whole).pending
            answer = await self._call("confirm", _UNKNOWN, asks, pending)
            if isinstance(answer, Outcome):
                return answer
            if answer[0]:
                return await self._approved(whole)
        return Success(value=whole)

    async def _completed(self) -> Success[JsonValue] | Outcome:
        """Return the whole arguments; ask the person if only the person's values are wrong."""
        joined = self._joined()
        if not joined and self._ask is not None and self._is_persons(joined):
            pending = self._pending(self._questions())
            answer = await self._call("human", _UNASKED, self._ask, pending)
            if isinstance(answer, Outcome):
                return answer
            self._given = answer[0]
            if self._given is None:
                return Outcome(text=_DECLINED, reason="declined")
            joined = self._joined()
        if joined:
            return joined
        if not self._is_persons(joined):
            return arguments_refused(self._function, joined)
        if self._human is None and self._approve is False:
            return await self._denied()
        waiting = self._waiting("needs_human", joined.issues)
        return waiting if self._given is None else _mistaken(waiting, joined)

    def _joined(self) -> Success[JsonValue] | Failure:
        """Return both parts merged; values that were given before the ticket are required."""
        if self._given is not None:
            self._nested, self._human = persons_values(self._function, self._llm, self._given)
            whole = merged(self._function, self._llm, self._human)
            if not whole:
                return blamed(self._function, whole, self._human)
        elif self._separated is None:
            return Success(value=self._llm)
        elif not (whole := self._separated.merge(self._llm, {})):
            return whole
        if self._ticket is None:
            return whole
        missing = [keys for keys in self._ticket.filled if value_at(self._human, keys) is None]
        if not missing:
            return whole
        expected = "the value, which was given before"
        return Failure(
            value=self._llm, issues=tuple(side_issue("human", keys, expected) for keys in missing)
        )

    def _is_persons(self, failure: Failure) -> bool:
        """Return whether all issues are for the person to correct."""
        return self._separated is not None and all(i.side == "human" for i in failure.issues)

    async def _approved(self, whole: JsonObject) -> Success[JsonObject] | Outcome:
        """Return the arguments as the person approved them."""
        view, answer = View(self._function, whole), self._approve
        if callable(answer):
            asked = await self._call("approve", _UNASKED, answer, view.pending)
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
            self._nested = self._human = self._separated.part(edited.value, "human")
        if self._private is not None:
            self._private.given = (*self._private.given, self._human)
        before, after = (of_model(self._function, each) for each in (view.whole, edited.value))
        edit = Repair(path=Path.of(()), kind="edited", before=before, after=after)
        return Success(value=edited.value, repairs=() if equal(before, after) else (edit,))

    # The ticket

    async def _begin(self, bound: Mapping[str, object]) -> Outcome | None:
        """Record the bound arguments for masking, and use up the ticket."""
        if self._private is not None:
            self._private.add_bound(bound)
        del bound  # a traceback with locals must not show it
        refused = None if self._ticket is None else await self._claim(self._ticket)
        self._has_begun = refused is None
        return refused

    async def _denied(self) -> Outcome:
        refused = None if self._ticket is None else await self._claim(self._ticket)
        return refused or Outcome(text=_DENIED, reason="denied")

    async def _claim(self, ticket: "Ticket") -> Outcome | None:
        """Use up the ticket, or return the outcome that refuses it."""
        tickets = self._tickets.value
        if tickets.has_expired(ticket):  # while a person was asked
            return ticket_refused("expired")
        claim: Callable[..., object] = tickets.claim
        if self._run.awaits and tickets.waits:
            from asyncio import to_thread  # which few programs need

            claim = partial(to_thread, claim)
        answer = await self._call("store", _UNCLAIMED, claim, ticket)
        if isinstance(answer, Outcome):
            return answer
        return None if answer[0] else ticket_refused("used")

    def _waiting(
        self, reason: Literal["needs_human", "needs_approval"], wrong: Sequence[Issue] = ()
    ) -> Outcome:
        """Return the outcome of a waiting call, with a ticket.

        The ticket has the paths of the person's values that are not `wrong`. The person has to give
        these values again, since no value is stored, and a default must not replace one.
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
            ticket=self._issue_ticket(self._ticket, filled=filled),
            questions=self._questions(wrong),
        )
        return Outcome(text=_WAITS[reason], reason=reason, waiting=waiting)

    def _issue_ticket(
        self, after: "Ticket | None", *, filled: Sequence[Keys] = (), state: JsonValue = None
    ) -> str | None:
        return self._tickets.value.issue(
            self._function,
            self._llm,
            call=self._info.id,
            audience=self._info.audience,
            filled=filled,
            after=after,
            state=state,
        )

    # Questions to the person

    def _pending(self, questions: tuple[Question, ...]) -> PendingCall:
        arguments = cast("JsonObject", deepcopy(self._llm))
        return PendingCall(function=self._function, arguments=arguments, questions=questions)

    def _questions(self, wrong: Sequence[Issue] = ()) -> tuple[Question, ...]:
        """Return the questions to the person; `wrong` are the issues with the last answers."""
        if self._separated is None:
            return ()
        issues = () if self._given is None else wrong
        texts = {**TEXTS, **self._texts}
        return questions_for(self._function, self._llm, self._given, issues, texts)

    async def _call(
        self, where: str, failed: str, called: Callable[..., object], *arguments: object
    ) -> tuple[object] | Outcome:
        """Return the result of a caller's callable, or an outcome with the text `failed`.

        The text has the exception's type but not its message, which may contain a secret. A
        callable with other parameters is a mistake of the program, and an exception is raised.
        """
        try:
            return (await self._run.resolve(called(*arguments), where),)
        except Exception as error:  # the application's code may raise anything
            if isinstance(error, PyfunctoolsError) and not isinstance(error, TicketStoreError):
                raise
            if isinstance(error, TypeError):
                check_callable(where, called, arguments)
            log_raised(self._function.name, f"`{where}`", error)
            text = failed.format(self._masked(type(error).__name__))
            return Outcome(text=text, reason="raised", exception=error)


_WAITS = {
    "needs_human": "A person has to add their part first. Nothing has run yet.",
    "needs_approval": "A person has to approve this call first. Nothing has run yet.",
}
_ENDLESS = "The server asked a person {} times, without a result."
_DECLINED = "A person was asked for values and gave no answer. Nothing has run."
_DENIED = "A person has to approve this call and has not. Nothing has run."
_UNKNOWN = "The check whether a person has to approve this call failed ({}). Nothing has run."
_UNASKED = "The person could not be asked ({}). Nothing has run."
_UNCLAIMED = "The check whether the ticket was used failed ({}). Nothing has run."


def _is_persons_mistake(outcome: Outcome) -> bool:
    """True if a call was refused only for the person's values."""
    wrong = outcome.issues
    return outcome.reason == "arguments" and bool(wrong) and all(i.side == "human" for i in wrong)


def _mistaken(waiting: Outcome, failure: Failure) -> Outcome:
    """Return a waiting outcome with the issues of a person's mistake, who may try again."""
    return replace(waiting, text=NOT_YOURS, issues=failure.issues)
