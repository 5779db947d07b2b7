"""What is around a whole call: its ticket, the code of the program, and what is withheld."""

from collections.abc import AsyncGenerator, Callable, Generator
from dataclasses import replace
from functools import partial
from inspect import isasyncgenfunction, isgeneratorfunction
from typing import TypeAlias, cast

from pyfunctools._text import visible
from pyfunctools.errors import DefinitionError, PyfunctoolsError, Retry
from pyfunctools.execution.person.approval import PendingCall
from pyfunctools.execution.person.withheld import Withheld
from pyfunctools.execution.runner import PersonsPart, Run, Runs
from pyfunctools.execution.steps import check_callable
from pyfunctools.execution.trace import MASKED, log_raised
from pyfunctools.execution.wrappers.consent import DialogWithServer, run_approved
from pyfunctools.execution.wrappers.part import pending_call, run_with_fixed, run_with_values
from pyfunctools.record.origin import RemoteTool
from pyfunctools.record.outcome import Outcome, is_ours
from pyfunctools.route import Route


def wrapped(run: Runs, person: PersonsPart) -> Runs:
    """Return the `run` of a runner with all wrappers that a call needs, the innermost first."""
    made, private, settings = person.made, person.private, person.settings
    function, view = made.function, settings.view and settings.view.value
    if made.may_ask and isinstance(function.origin, RemoteTool | Route):
        run = DialogWithServer(run, person).run
    # A call that waited in its middle was approved before, with the fixed values it had then.
    if function.confirm or settings.confirm or person.has_answer:
        run = partial(run_approved, run)
    if view is not None and view.places:
        run = partial(run_with_fixed, run, view)
    if person.given is not None or function.separated is not None:
        run = partial(run_with_values, run, person)
    run = partial(run_finished, partial(run_masked, run, private))
    for hook in settings.on_call:
        run = partial(run_masked, partial(run_hooked, run, hook), private)
    return run if person.ticket is None else partial(run_recorded, run, private)


async def run_recorded(inner: Runs, private: Withheld, run: Run) -> Outcome:
    """Run a call that has a ticket, and record what came of it when it is used up."""
    outcome, begin = await inner(run), run.begin
    if begin is not None and begin.has_begun and begin.record is not None:
        await begin.record(
            outcome, outcome.text if is_ours(outcome) else private.text(outcome.text)
        )
    return outcome


async def run_finished(inner: Runs, run: Run) -> Outcome:
    """Run a call, and return the outcome as the caller gets it, which the hooks see."""
    return run.finish(await inner(run))


async def run_masked(inner: Runs, private: Withheld, run: Run) -> Outcome:
    """Run a call, and mask what a person and the program gave in its outcome."""
    token = MASKED.set(private.text)
    try:
        outcome = await inner(run if run.put is None else run.telling(private.masked))
    finally:
        MASKED.reset(token)
    return private.masked(outcome)


_Steps: TypeAlias = (
    Generator[Outcome | None, Outcome, Outcome | None] | AsyncGenerator[Outcome | None, Outcome]
)
Hook: TypeAlias = Callable[[PendingCall], _Steps]
"""A generator function of a call, with the model's arguments: `outcome = yield` runs the call.

The yield gives the `Outcome` as the caller gets it, also that of a call that waits for a person. To
answer the call without running it, return another `Outcome` instead of yielding; to replace the
outcome, return another one after the `yield`. An asynchronous generator cannot return a value, and
yields the `Outcome` instead.
"""


def check_hook(hook: object) -> None:
    """Refuse a hook that is not a generator function of one argument.

    Raises:
        DefinitionError: it is not.
    """
    called = (hook, type(hook).__call__) if callable(hook) else ()
    if not any(isgeneratorfunction(each) or isasyncgenfunction(each) for each in called):
        raise DefinitionError("on_call", "This must be a generator function.", _REMEDY)
    check_callable("on_call", hook, (None,))


async def run_hooked(inner: Runs, hook: Hook, run: Run) -> Outcome:
    """Run a call inside a hook; what it tells is masked: it can read a value and an exception."""
    person = run.person
    assert person is not None  # noqa: S101 - it is made for every wrapped call
    steps = hook(pending_call(person, ()))
    if isinstance(steps, AsyncGenerator) and not run.awaits:
        reason = "This hook is asynchronous."
        raise DefinitionError("on_call", reason, "Use `await controller.acall(...)`.")
    try:
        return await _run_inside(inner, steps, run, person.nothing_ran)
    finally:
        await _closed(steps)


async def _run_inside(inner: Runs, steps: _Steps, run: Run, nothing_ran: str) -> Outcome:
    try:
        given = await _advanced(steps, None)
    except Retry as error:
        given = Outcome(text=visible(str(error.text)), reason="raised", exception=error)
    except PyfunctoolsError:
        raise
    except Exception as error:  # the application's code may raise anything
        log_raised(run.function.name, "`on_call`", error)
        text = _BEFORE.format(type(error).__name__, nothing_ran)
        return Outcome(text=text, reason="raised", exception=error)
    if given is not None:
        refused = await run.refused() if given.waiting is None else None
        # Repairs of a cached outcome are those of an earlier call.
        return refused or run.finish(replace(given, repairs=()))
    outcome = await inner(run)
    try:
        given = await _advanced(steps, outcome)
    except Exception as error:  # the hook may have been there to hide the result
        log_raised(run.function.name, "`on_call`", error)
        if outcome.waiting is not None:
            return outcome
        is_told = isinstance(error, Retry)
        text = visible(str(error.text)) if is_told else _AFTER.format(type(error).__name__)
        return replace(outcome, text=text, reason="raised", exception=error, content=())
    return outcome if given is None else run.finish(given)


async def _advanced(steps: _Steps, outcome: Outcome | None) -> Outcome | None:
    """Run a hook to its `yield`, or with the outcome to its end; return what it gave."""
    given: object = None
    is_over = False
    try:
        if isinstance(steps, Generator):
            given = steps.send(cast("Outcome", outcome))  # a generator is started with `None`
        else:
            given = await steps.asend(cast("Outcome", outcome))
    except StopIteration as end:
        given, is_over = end.value, True
    except StopAsyncIteration:
        is_over = True
    if given is None and is_over == (outcome is None):
        reason = "ended without a `yield`" if is_over else "yielded twice"
        raise DefinitionError("on_call", f"This hook {reason}.", _REMEDY)
    if given is not None and not isinstance(given, Outcome):
        reason = f"This hook gave `{type(given).__name__}`, not an `Outcome`."
        raise DefinitionError("on_call", reason, _REMEDY)
    return given


async def _closed(steps: _Steps) -> None:
    """End a hook; if its second part did not run, its `finally` does."""
    try:
        if isinstance(steps, Generator):
            steps.close()
        else:
            await steps.aclose()
    except Exception as error:  # the application's code may raise anything
        log_raised("on_call", "a hook", error)


_BEFORE = "A check of the application before the call failed ({}). {}."
_AFTER = (
    "The call was made, but a step of the application after it failed ({}). "
    "Its result is not shown."
)
_REMEDY = "Write `def hook(call): outcome = yield`, and `return` an `Outcome` to answer the call."
