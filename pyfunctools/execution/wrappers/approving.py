"""A person's approval: asked for with the whole arguments, which the person may edit."""

from dataclasses import replace
from functools import partial
from json import dumps

from pyfunctools._json import JsonObject
from pyfunctools.execution.person.approval import Approval, PendingCall, View, with_value
from pyfunctools.execution.person.blame import of_model
from pyfunctools.execution.runner import PersonsPart, Run, Runs, Wrapped
from pyfunctools.execution.wrappers.part import (
    declined,
    mistaken,
    result_of,
    still_waiting,
    waiting_call,
)
from pyfunctools.record.outcome import Outcome
from pyfunctools.schema import Path, Repair, Success
from pyfunctools.schema.ground.json_values import equal
from pyfunctools.schema.ground.path import value_at


async def _run(inner: Runs, run: Run) -> Outcome:
    """Run the call as a person has approved it; an edit of the model's part is a repair."""
    assert run.person is not None  # noqa: S101 - as `approving` checks
    view = View(run.function, run.arguments, run.person.made.function, run.person.fixed)
    person = run.person._replace(shown=_shown(run.person, view))
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

    person = person._replace(is_edited=bool(approved.repairs))
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
    answer, text = person.approve, None
    state = {"fixed": _digest(person)} if person.fixed else None
    if callable(answer):
        asked = await result_of(person, "approve", answer, _pending(person, view))
        if isinstance(asked, Outcome):
            return still_waiting(person, "needs_approval", asked)
        answer, text = asked[0], _NOT_NOW
    elif answer is not None and answer is not False and _has_changed(person):
        answer, text = None, _CHANGED
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


def _shown(person: PersonsPart, view: View) -> JsonObject | None:
    """Return the model's part with the fixed values, secrets covered, `None` without fixed ones."""
    if not person.fixed:
        return None
    shown, covered = person.made.arguments, dict(view.pending.arguments)
    for keys in person.fixed:
        found = value_at(covered, keys)
        shown = shown if found is None else with_value(shown, keys, found[0])
    return shown


def _has_changed(person: PersonsPart) -> bool:
    """Return whether other fixed values were shown with the ticket than the call has now."""
    return "fixed" in person.state and person.state["fixed"] != _digest(person)


def _digest(person: PersonsPart) -> str:
    fixed = [[list(keys), value] for keys, value in person.fixed.items()]
    return person.tickets.value.signature(b"fixed\n" + dumps(fixed, default=repr).encode())


_NOT_NOW = "A person was asked to approve this call and has not decided yet. Nothing has run yet."
_CHANGED = "The call is not as it was when the person was asked: they have to approve it again."


def approving(inner: Runs, person: PersonsPart) -> Runs:
    """Wrap a call that may need an approval.

    One that waited in the middle was approved before, if as it is: no ticket has an edit.
    """
    rules = person.settings and person.settings.confirm
    wanted = person.made.function.confirm or person.has_answer or bool(rules)
    return Wrapped(partial(_run, inner)) if wanted and not person.has_begun else inner
