"""A person's consents, each to what was shown: a call, which may be edited, a server's question."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from pyfunctools._json import JsonObject
from pyfunctools.execution.person.answers import path_of
from pyfunctools.execution.person.approval import Approval, PendingCall, View
from pyfunctools.execution.person.blame import of_model
from pyfunctools.execution.person.masking import words_masked
from pyfunctools.execution.runner import PersonsPart, Run, Runs
from pyfunctools.execution.steps import Answered, ServerDialog
from pyfunctools.execution.wrappers.part import (
    declined,
    filled_paths,
    fixed_digest,
    mapping_of,
    mistaken,
    next_ticket,
    pending_call,
    questions_to,
    result_of,
    shown_arguments,
    still_waiting,
    waiting_call,
)
from pyfunctools.record.outcome import Outcome, Waiting, waiting_state
from pyfunctools.schema.ground.json_values import equal


async def run_approved(inner: Runs, run: Run) -> Outcome:
    """Run the call as a person has approved it, maybe with an edit."""
    person = run.person
    assert person is not None  # noqa: S101 - it is made for every wrapped call
    has_changed = "fixed" in person.state and person.state["fixed"] != fixed_digest(person)
    if person.has_begun:
        if not has_changed:
            return await inner(run)
        if person.has_answer:  # it is for the server's question
            person = person._replace(approve=None)
    view = View(run.function, run.arguments, person.made.function, person.fixed)
    if run.preview is not None and (person.approve is not True or has_changed):
        request = await run.preview(run)
        request = request and person.private.request(request, view.secrets)
        person = person._replace(request=request)
    wanted = person.made.function.confirm or person.has_answer or await _is_wanted(person, view)
    if isinstance(wanted, Outcome):
        return still_waiting(person, "needs_approval", wanted)
    if not wanted:
        return await inner(run)
    approved = await _approved(person, view, has_changed)
    if isinstance(approved, Outcome):
        return approved
    llm = of_model(view.function, approved)
    if not equal(llm, of_model(view.function, view.whole)):
        shown = person.private.value(llm)  # a cover may have been moved
        made = person.made._replace(arguments=cast("JsonObject", shown))
        person = person._replace(made=made, is_unkept=not equal(shown, llm))
    if person.has_answer:
        person = person._replace(approve=None)  # a question of a server is for another answer
    return await inner(run._replace(arguments=approved, person=person))


async def _is_wanted(person: PersonsPart, view: View) -> bool | Outcome:
    for rule in person.settings.confirm:
        answer = await result_of(person, "confirm", rule, _pending(person, view))
        if isinstance(answer, Outcome) or answer[0]:
            return answer if isinstance(answer, Outcome) else True
    return False


async def _approved(person: PersonsPart, view: View, has_changed: bool) -> JsonObject | Outcome:
    """Return the whole arguments as approved, or the outcome of a call that is not.

    It `has_changed` if other fixed values were shown with the ticket than the call has now.
    """
    answer, text = person.approve, _CHANGED if has_changed else None
    if callable(answer):
        asked = await result_of(person, "approve", answer, _pending(person, view))
        if isinstance(asked, Outcome):
            return still_waiting(person, "needs_approval", asked)
        answer, text = asked[0], f"{_NOT_NOW} {person.nothing_ran} yet."
    elif has_changed and answer is not False:
        answer = None
    if answer is None:
        state: JsonObject | None = {"approved": False} if person.has_begun else None
        return waiting_call(person, "needs_approval", text=text, state=state)
    if answer is True:
        return view.whole
    if not isinstance(answer, Approval):
        return await declined(person, "denied")
    edited = view.edited(answer)
    if not edited:
        return mistaken(person, "needs_approval", edited.issues)
    separated = person.made.function.separated
    if separated is not None:
        given = separated.part(edited.value, "human")
        person.private.given = (*person.private.given, given)
    return edited.value


def _pending(person: PersonsPart, view: View) -> PendingCall:
    return replace(view.pending, request=person.request)


_NOT_NOW = "A person was asked to approve this call and has not decided yet."
_CHANGED = "The call is not as it was when the person was asked: they have to approve it again."


MOST_QUESTIONS = 10
"""How many times a server may ask a person in one call."""


class DialogWithServer:
    """Passes a server's questions to the person, or lets the call wait for the answers.

    Only callables are asked in the middle of a call, with the server's words. Values that were
    given to the call answer the questions with their names, each value once, and only if the tool
    itself takes none of a person. An approval that was given to the call answers nothing. The
    ticket of a question that waited is for that question: what is given with it answers it, once.
    """

    def __init__(self, inner: Runs, person: PersonsPart) -> None:
        self._inner = inner
        self._person = person
        self._asked = cast("int", person.state.get("asked", 0))
        given = None if "server" in person.state else person.for_server
        self._given = {path_of(name): value for name, value in mapping_of(given).items()}

    async def run(self, run: Run) -> Outcome:
        """Run the tool; if the server's question has no answer, the outcome waits."""
        person = self._person = run.person or self._person
        can_ask = person.ask is not None or callable(person.approve) or bool(self._given)
        dialog = ServerDialog(_answered(person), self._ask if can_ask else None)
        outcome = await self._inner(run._replace(dialog=dialog))
        if outcome.waiting is not None:
            return self._waiting(outcome, outcome.waiting)
        if outcome.reason == "declined" and not run.has_begun:
            return await run.refused() or outcome
        return outcome

    async def _ask(self, waiting: Waiting) -> Answered | Outcome | None:
        """Return the person's answer to one question of the server, `None` if there is none now."""
        self._asked += 1
        if self._asked > MOST_QUESTIONS:
            return None
        person, is_form, answer = self._person, bool(waiting.questions), cast("object", None)
        where, asked = ("human", person.ask) if is_form else ("approve", person.approve)
        named = [each.path for each in waiting.questions if each.path in self._given]
        if named:
            answer = {path: self._given.pop(path) for path in named}
        elif callable(asked):
            pending = pending_call(person, waiting.questions, waiting.server)
            called = await result_of(person, where, asked, pending)
            if isinstance(called, Outcome):
                return called
            answer = called[0]
        values = mapping_of(answer)
        accepted = _accepts(is_form, answer if is_form else None, None if is_form else answer)
        if accepted is None:
            return None
        if not any(each.kind == "login" for each in waiting.questions):
            secret = {each.path for each in waiting.questions if each.secret}
            person.private.add_answers(values, secret)
        return Answered(waiting_state(waiting), values, accepted)

    def _waiting(self, outcome: Outcome, waiting: Waiting) -> Outcome:
        """Return the outcome of a call that waits, with a ticket for the server's question.

        The values that the person gave before are asked for again: no ticket has them.
        """
        person = self._person
        if person.ticket is not None or person.ask is None:
            self._asked += 1
        if self._asked > MOST_QUESTIONS:
            text = f"The server asked a person more than {MOST_QUESTIONS} times in one call."
            return Outcome(text=text, reason="declined")
        secret = {q.path: None if q.kind == "login" else q.secret for q in waiting.questions}
        state: JsonObject = {
            "server": words_masked(waiting_state(waiting), person.private.text),
            "asked": self._asked,
            "paths": cast("JsonObject", secret),
            "approved": True,
        }
        filled = filled_paths(person)
        after = None if person.made.has_begun else person.ticket
        made = replace(
            waiting,
            call_id=person.made.info.id,
            arguments=shown_arguments(person),
            questions=(*waiting.questions, *(questions_to(person) if filled else ())),
            ticket=next_ticket(person, after, filled=filled, state=state),
            _state=None,
        )
        return replace(outcome, waiting=made)


def _answered(person: PersonsPart) -> Answered | None:
    """Return what was given with a ticket as the answer to the question that the ticket is for."""
    state, given, approve = person.state, person.for_server, person.approve
    if "server" not in state:
        return None
    secret, values = cast("Mapping[str, bool | None]", state["paths"]), mapping_of(given)
    if None not in secret.values():  # the runner adds what is secret in a login
        person.private.add_answers(values, {path for path, hides in secret.items() if hides})
    return Answered(state["server"], values, _accepts(bool(secret), given, approve))


def _accepts(is_form: bool, given: object, approve: Any) -> bool | None:
    """Return whether a person agrees to what a server asks, `None` if this does not answer it.

    Values are no approval, and an approval with an edit is none: there are no arguments to edit.
    """
    if given is False or approve is False:
        return False
    is_filled = is_form and isinstance(given, Mapping)
    return is_filled or approve is True or approve == Approval() or None
