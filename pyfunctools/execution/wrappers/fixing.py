"""The program's values: added to the arguments of the model and the person, and validated."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import cast

from pyfunctools._json import JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError, PyfunctoolsError
from pyfunctools.execution.person.answers import plain_json
from pyfunctools.execution.person.blame import whole_refused
from pyfunctools.execution.person.masking import UnshownArguments
from pyfunctools.execution.runner import PersonsPart, Run, Runs, Wrapped
from pyfunctools.execution.trace import log_raised
from pyfunctools.record.function import Function, with_contract
from pyfunctools.record.outcome import Outcome
from pyfunctools.record.settings import FixedView
from pyfunctools.schema import Failure, Issue, Path
from pyfunctools.schema.ground.path import Keys, value_at
from pyfunctools.schema.separation.ownership import SideName
from pyfunctools.schema.separation.side_values import side_issue


async def _run(inner: Runs, view: FixedView, run: Run) -> Outcome:
    """Run the function with its fixed values; from here on it is the one with their properties."""
    run.check_context()
    completed = await _completed(run, view)
    if isinstance(completed, Outcome):
        return completed
    outcome = await inner.run(completed)
    if outcome.reason == "arguments":
        return _wrong_fixed(run, view, outcome.issues) or outcome
    return outcome


async def _completed(run: Run, view: FixedView) -> Run | Outcome:
    """Return the run with the whole arguments, or the outcome of a refusal."""
    function, arguments, person = run.function, run.arguments, run.person
    assert person is not None  # noqa: S101 - as `fixing` checks
    taken = [_taken(function, keys) for keys in view.part.taken(arguments)]
    taken += [_taken(function, keys, "human") for keys in view.part.taken(person.human)]
    if taken:
        return whole_refused(function, Failure(value=arguments, issues=tuple(taken)))
    bare = with_contract(function, Lazy.of(view.whole))
    try:
        values = await _values(bare, view, run)
    except PyfunctoolsError:
        raise
    except Exception as error:  # it is the program's code, and may raise anything
        return _not_made(run, error, type(error).__name__)
    joined = view.part.joined(arguments, values)
    fixed = {keys: value for keys, value in values.items() if value_at(joined.program, keys)}
    person.private.fixed = (*person.private.fixed, joined.program)
    person.private.function = bare
    if joined.wrong:
        return _wrong_fixed(run, view, joined.wrong) or whole_refused(
            function, Failure(value=arguments, issues=joined.wrong)
        )
    if joined.issues:
        return whole_refused(function, Failure(value=arguments, issues=joined.issues))
    return run._replace(
        function=bare, arguments=UnshownArguments(joined.whole), person=person._replace(fixed=fixed)
    )


async def _values(function: Function, view: FixedView, run: Run) -> dict[Keys, JsonValue]:
    """Return the fixed values of one run."""
    context, made = run.context, dict[int, Mapping[str, object]]()
    values: dict[Keys, JsonValue] = {}
    for keys, (fixed, path) in view.places.items():
        if id(fixed) not in made:
            given = (
                await run.resolve(fixed(function, context), "fixed") if callable(fixed) else fixed
            )
            made[id(fixed)] = cast("Mapping[str, object]", given)
        value = made[id(fixed)][path]
        value = await run.resolve(value(context), "fixed") if callable(value) else value
        values[keys] = plain_json(value)
    return values


def _wrong_fixed(run: Run, view: FixedView, issues: Iterable[Issue]) -> Outcome | None:
    """Return the outcome if issues concern fixed values, which the program has to correct."""
    wrong = {
        str(Path.of(one.path.keys)): one.expected
        for one in issues
        if any(one.path.keys[: len(keys)] == keys for keys in view.places)
    }
    if not wrong:
        return None
    listed = "; ".join(f"`{path}`: expected {expected}" for path, expected in wrong.items())
    reason = f"A fixed value of {run.function.name} is not right: {listed}."
    return _not_made(run, DefinitionError("fixed", reason), "it is not right")


def _not_made(run: Run, error: Exception, reason: str) -> Outcome:
    name, ran = run.function.name, run.person and run.person.nothing_ran
    log_raised(name, "`fixed`", error)
    text = f"A value that the application gives could not be made ({reason}). {ran}."
    return Outcome(text=text, reason="raised", exception=error)


def _taken(function: Function, keys: Keys, side: SideName = "llm") -> Issue:
    """Return the issue for an argument in the place of a fixed value."""
    separated = function.separated
    is_humans = separated is not None and separated.owner(keys) == "human"
    side = "human" if is_humans else side
    return side_issue(side, keys, "no value, since the application sets it")


def fixing(inner: Runs, person: PersonsPart) -> Runs:
    """Wrap a call of a function with fixed values."""
    view = person.settings and person.settings.view and person.settings.view.value
    return inner if view is None or not view.places else Wrapped(partial(_run, inner, view))
