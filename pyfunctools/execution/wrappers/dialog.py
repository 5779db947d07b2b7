"""A remote server's questions to a person, each asked and answered by itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.execution.person.approval import Approval, View
from pyfunctools.execution.runner import PersonsPart, Run, Runs
from pyfunctools.execution.steps import Answered, ServerDialog
from pyfunctools.execution.wrappers.part import (
    claim,
    filled_paths,
    next_ticket,
    pending_call,
    questions_to,
    result_of,
    shown_arguments,
    shown_with_fixed,
)
from pyfunctools.record.origin import RemoteTool
from pyfunctools.record.outcome import Outcome, Waiting, waiting_state
from pyfunctools.route import Route

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
        self.inner = inner
        self._person, self._run, self._has_begun = person, person.made, False
        self._asked = cast("int", person.state.get("asked", 0))
        given = None if "server" in person.state else person.for_server
        self._given: Mapping[str, object] = _mapping(given)

    async def run(self, run: Run) -> Outcome:
        """Run the tool; if the server's question has no answer, the outcome waits."""
        start = run.begin
        self._person, self._run = run.person or self._person, run

        async def begin() -> Outcome | None:
            refused = None if self._has_begun or start is None else await start()
            self._has_begun = refused is None
            return refused

        person = self._person
        can_ask = person.ask is not None or callable(person.approve) or bool(self._given)
        dialog = ServerDialog(_answered(person), self._ask if can_ask else None)
        outcome = await self.inner.run(run._replace(begin=begin, dialog=dialog))
        if outcome.waiting is not None:
            return self._waiting(outcome, outcome.waiting)
        if outcome.reason == "declined" and not self._has_begun:
            return await claim(person) or outcome
        return outcome

    async def _ask(self, waiting: Waiting) -> Answered | Outcome | None:
        """Return the person's answer to one question of the server, `None` if there is none now."""
        self._asked += 1
        if self._asked > MOST_QUESTIONS:
            return None
        person, state, answer = self._shown(), waiting_state(waiting), None
        asked = person.ask if waiting.questions else person.approve
        named = [each.path for each in waiting.questions]
        values = {key: value for key, value in self._given.items() if _is_for(key, named)}
        if values:
            answer = values
            self._given = {key: self._given[key] for key in self._given.keys() - values.keys()}
        elif callable(asked):
            where = "human" if waiting.questions else "approve"
            pending = pending_call(person, waiting.questions, waiting.server)
            called = await result_of(person, where, asked, pending)
            if isinstance(called, Outcome):
                return called
            answer = called[0]
        return None if answer is None else _as_answer(person, state, waiting, answer)

    def _shown(self) -> PersonsPart:
        """Return the person's part of the call, with what a person sees who is asked."""
        person, run = self._person, self._run
        if self._has_begun:
            person = person._replace(state={**person.state, "approved": True})
        if not person.fixed:
            return person
        view = View(run.function, run.arguments, person.made.function, person.fixed)
        return person._replace(shown=shown_with_fixed(person, view))

    def _waiting(self, outcome: Outcome, waiting: Waiting) -> Outcome:
        """Return the outcome of a call that waits, with a ticket for the server's question.

        The values that the person gave before are asked for again: no ticket has them.
        """
        person = self._shown()
        if person.ticket is not None or person.ask is None:
            self._asked += 1
        if self._asked > MOST_QUESTIONS:
            text = f"The server asked a person more than {MOST_QUESTIONS} times in one call."
            return Outcome(text=text, reason="declined")
        secret = {q.path: None if q.kind == "login" else q.secret for q in waiting.questions}
        state: JsonObject = {
            "server": _without_values(waiting_state(waiting), person.private.text),
            "asked": self._asked,
            "paths": cast("JsonObject", secret),
            "approved": True,
        }
        filled = filled_paths(person)
        after = None if self._has_begun else person.ticket
        made = replace(
            waiting,
            call_id=person.made.info.id,
            arguments=shown_arguments(person),
            questions=(*waiting.questions, *(questions_to(person) if filled else ())),
            ticket=next_ticket(person, after, filled=filled, state=state),
            _state=None,
        )
        return replace(outcome, waiting=made)


_WORDS = frozenset({"message", "title", "description"})


def _without_values(state: JsonValue, masked: Callable[[str], str]) -> JsonValue:
    """Return the state of a call with the server's words masked: they may repeat an answer.

    What the server has to get back stays as it is.
    """
    if isinstance(state, list):
        return [_without_values(each, masked) for each in state]
    if not isinstance(state, dict):
        return state
    return {
        key: masked(inner)
        if key in _WORDS and isinstance(inner, str)
        else _without_values(inner, masked)
        for key, inner in state.items()
    }


def _answered(person: PersonsPart) -> Answered | None:
    """Return what was given with a ticket as the answer to the question that the ticket is for."""
    state = person.state
    if "server" not in state:
        return None
    given, approve = person.for_server, person.approve
    accepted: bool | None = None
    if approve is False or given is False:
        accepted = False
    elif _mapping(given) or given == {} or _is_yes(approve):
        accepted = True
    values = _mapping(given)
    secret = cast("Mapping[str, bool | None]", state["paths"])
    if None not in secret.values():  # the runner adds what is secret in a login
        person.private.add_answers(values, {path for path, hides in secret.items() if hides})
    return Answered(state["server"], values, accepted)


def _as_answer(person: PersonsPart, state: object, waiting: Waiting, answer: object) -> Answered:
    values = _mapping(answer)
    if not any(each.kind == "login" for each in waiting.questions):
        secret = {each.path for each in waiting.questions if each.secret}
        person.private.add_answers(values, secret)
    is_yes = answer is values if waiting.questions else _is_yes(answer)
    return Answered(cast("JsonObject", state), values, is_yes)


def _mapping(given: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", given if isinstance(given, Mapping) else {})


def _is_for(name: str, paths: Sequence[str]) -> bool:
    return name in paths or f"$input.{name}" in paths


def _is_yes(answer: Any) -> bool:
    """True for an approval without an edit: a server's question has no arguments to edit."""
    return answer is True or answer == Approval()


def dialog_with_server(inner: Runs, person: PersonsPart) -> Runs:
    """Wrap a call of a remote tool, or one for which a person may have to log in."""
    is_remote = isinstance(person.made.function.origin, RemoteTool | Route)
    return DialogWithServer(inner, person) if is_remote and person.made.may_ask else inner
