"""A person's values: asked for, merged with the model's part, and validated."""

from functools import partial

from pyfunctools._json import JsonValue
from pyfunctools.execution.person.blame import arguments_refused, blamed
from pyfunctools.execution.person.masking import UnshownArguments
from pyfunctools.execution.person.questions import persons_values
from pyfunctools.execution.person.uploads import merged
from pyfunctools.execution.runner import PersonsPart, Run, Runs, Wrapped
from pyfunctools.execution.wrappers.part import (
    declined,
    mistaken,
    pending_call,
    questions_to,
    result_of,
    still_waiting,
    waiting_call,
)
from pyfunctools.record.outcome import Outcome
from pyfunctools.schema import Failure, Success
from pyfunctools.schema.ground.path import value_at
from pyfunctools.schema.separation.side_values import side_issue


async def _run(inner: Runs, given: PersonsPart, run: Run) -> Outcome:
    """Run the function with both parts; without all values, or after a mistake, it waits."""
    completed = await _completed(given)
    if isinstance(completed, Outcome):
        return completed
    person, arguments = completed
    has_begun, claim = False, run.begin

    async def begin() -> Outcome | None:
        nonlocal has_begun
        refused = None if claim is None else await claim()
        has_begun = refused is None
        return refused

    outcome = await inner.run(run._replace(arguments=arguments, person=person, begin=begin))
    if has_begun or not _is_persons_mistake(outcome):
        return outcome
    shown = person.private.masked(outcome)
    return mistaken(person, "needs_human", shown.issues, shown.text)


async def _completed(person: PersonsPart) -> tuple[PersonsPart, UnshownArguments] | Outcome:
    """Return the whole arguments; ask the person if only the person's values are wrong."""
    person, joined = _joined(person)
    text = None
    if not joined and person.ask is not None and _is_persons(person, joined):
        pending = pending_call(person, questions_to(person))
        answer = await result_of(person, "human", person.ask, pending)
        if isinstance(answer, Outcome):
            return still_waiting(person, "needs_human", answer)
        if answer[0] is False:
            return await declined(person, "declined")
        if answer[0] is None:
            text = f"{_NOT_NOW} {person.nothing_ran} yet."
        else:
            person, joined = _joined(person._replace(given=answer[0], human=None))
    if joined:
        return person, UnshownArguments(joined.value if isinstance(joined.value, dict) else {})
    if not _is_persons(person, joined):
        return arguments_refused(person.made.function, joined)
    if person.human is None and person.approve is False:
        return await declined(person, "denied")
    if person.given is None or text is not None:
        return waiting_call(person, "needs_human", joined.issues, text)
    return mistaken(person, "needs_human", joined.issues)


def _joined(person: PersonsPart) -> tuple[PersonsPart, Success[JsonValue] | Failure]:
    """Return both parts merged; values that were given before the ticket are required."""
    function, llm = person.made.function, person.made.arguments
    if person.given is not None:
        nested, human = persons_values(function, llm, person.given)
        both = (human,) if nested == human else (nested, human)
        person.private.given = (*person.private.given, *both)
        person = person._replace(human=human)
        whole = merged(function, llm, human)
        if not whole:
            return person, blamed(function, whole, human)
    elif (separated := function.separated) is None:
        return person, Success(value=llm)
    elif not (whole := separated.merge(llm, {})):
        if _is_persons(person, whole):
            person = person._replace(asked=questions_to(person))
            if not person.asked:
                return _joined(person._replace(given=_BLANK))
        return person, whole
    filled = () if person.ticket is None else person.ticket.filled
    missing = [keys for keys in filled if value_at(person.human, keys) is None]
    if not missing:
        return person, whole
    expected = "the value, which was given before"
    issues = tuple(side_issue("human", keys, expected) for keys in missing)
    return person, Failure(value=llm, issues=issues)


def _is_persons(person: PersonsPart, failure: Failure) -> bool:
    """Return whether all issues are for the person to correct."""
    is_split = person.made.function.separated is not None
    return is_split and all(issue.side == "human" for issue in failure.issues)


def _is_persons_mistake(outcome: Outcome) -> bool:
    """True if a call was refused only for the person's values."""
    wrong = outcome.issues
    return outcome.reason == "arguments" and bool(wrong) and all(i.side == "human" for i in wrong)


_BLANK = {"$input": ""}
"""An empty form: what has only one value is filled in."""
_NOT_NOW = "A person was asked for their part and has not given it yet."


def with_values(inner: Runs, person: PersonsPart) -> Runs:
    """Wrap a call of a function with a human part, or a call to which a person gave values."""
    if person.made.function.separated is None and person.given is None:
        return inner
    return Wrapped(partial(_run, inner, person))
