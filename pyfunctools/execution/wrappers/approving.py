"""A person's approval: asked for with the whole arguments, which the person may edit."""

from dataclasses import replace
from functools import partial
from typing import cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.execution.person.approval import Approval, PendingCall, View
from pyfunctools.execution.person.blame import of_model
from pyfunctools.execution.runner import PersonsPart, Run, Runs, Wrapped
from pyfunctools.execution.wrappers.part import (
    declined,
    fixed_digest,
    mistaken,
    result_of,
    shown_with_fixed,
    still_waiting,
    waiting_call,
)
from pyfunctools.record.outcome import Outcome
from pyfunctools.schema import Path, Repair, Success
from pyfunctools.schema.ground.json_values import equal


async def _run(inner: Runs, run: Run) -> Outcome:
    """Run the call as a person has approved it; an edit of the model's part is a repair."""
    person = run.person
    assert person is not None  # noqa: S101 - as `approving` checks
    answers_server = person.has_begun and not callable(person.approve)
    if person.has_begun and not _has_changed(person):
        return await inner.run(run)
    view = View(run.function, run.arguments, person.made.function, person.fixed)
    approve = None if answers_server else person.approve
    person = person._replace(approve=approve, shown=shown_with_fixed(person, view))
    if run.preview is not None and (person.approve is not True or _has_changed(person)):
        request = await run.preview(run)
        request = request and person.private.request(request, view.secrets)
        person = person._replace(request=request)
    wanted = person.made.function.confirm or person.has_answer or await _is_wanted(person, view)
    if isinstance(wanted, Outcome):
        return still_waiting(person, "needs_approval", wanted)
    if not wanted:
        return await inner.run(run)
    approved = await _approved(person, view)
    if isinstance(approved, Outcome):
        return approved

    def edited(outcome: Outcome) -> Outcome:
        repairs = (*approved.repairs, *outcome.repairs)
        return replace(outcome, repairs=repairs) if approved.repairs else outcome

    if approved.repairs:
        person = _as_edited(person, of_model(view.function, approved.value))
    if not callable(person.approve):
        person = person._replace(approve=None)  # a question of a server is for another answer
    run = run._replace(arguments=approved.value, person=person)
    return edited(await inner.run(run.telling(edited)))


async def _is_wanted(person: PersonsPart, view: View) -> bool | Outcome:
    """Return whether a rule of the program wants an approval."""
    for rule in () if person.settings is None else person.settings.confirm:
        answer = await result_of(person, "confirm", rule, _pending(person, view))
        if isinstance(answer, Outcome) or answer[0]:
            return answer if isinstance(answer, Outcome) else True
    return False


async def _approved(person: PersonsPart, view: View) -> Success[JsonObject] | Outcome:
    """Return the arguments as the person approved them."""
    answer, text = person.approve, _CHANGED if _has_changed(person) else None
    state: JsonObject | None = {"approved": False} if person.has_begun else None
    if callable(answer):
        asked = await result_of(person, "approve", answer, _pending(person, view))
        if isinstance(asked, Outcome):
            return still_waiting(person, "needs_approval", asked)
        answer, text = asked[0], f"{_NOT_NOW} {person.nothing_ran} yet."
    elif answer is not None and answer is not False and _has_changed(person):
        answer = None
    if answer is None:
        return waiting_call(person, "needs_approval", text=text, state=state)
    if answer is True:
        return Success(value=view.whole)
    if not isinstance(answer, Approval):
        return await declined(person, "denied")
    edited = view.edited(answer)
    if not edited:
        return mistaken(person, "needs_approval", edited.issues)
    separated = person.made.function.separated
    if separated is not None:
        given = separated.part(edited.value, "human")
        person.private.given = (*person.private.given, given)
    before, after = (of_model(view.function, each) for each in (view.whole, edited.value))
    if equal(before, after):
        return Success(value=edited.value)
    before, after = map(person.private.value, (before, after))  # a cover may have been moved
    edit = Repair(path=Path.of(()), kind="edited", before=before, after=after)
    return Success(value=edited.value, repairs=(edit,))


def _pending(person: PersonsPart, view: View) -> PendingCall:
    return replace(view.pending, request=person.request)


def _has_changed(person: PersonsPart) -> bool:
    """Return whether other fixed values were shown with the ticket than the call has now."""
    return "fixed" in person.state and person.state["fixed"] != fixed_digest(person)


def _as_edited(person: PersonsPart, llm: JsonValue) -> PersonsPart:
    """Return the person's part of a call with this model's part, as an approval left it."""
    shown = person.private.value(llm)  # a cover may have been moved
    made = person.made._replace(arguments=cast("JsonObject", shown))
    return person._replace(made=made, is_unkept=not equal(shown, llm))


_NOT_NOW = "A person was asked to approve this call and has not decided yet."
_CHANGED = "The call is not as it was when the person was asked: they have to approve it again."


def approving(inner: Runs, person: PersonsPart) -> Runs:
    """Wrap a call that may need an approval.

    One that waited in its middle was approved before, with the fixed values it had then.
    """
    rules = person.settings and person.settings.confirm
    wanted = person.made.function.confirm or person.has_answer or bool(rules)
    return Wrapped(partial(_run, inner)) if wanted else inner
