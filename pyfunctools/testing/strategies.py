"""Strategies of valid arguments, and a fuzzer; they need hypothesis."""

from collections.abc import Mapping
from dataclasses import dataclass
from logging import Filter, getLogger
from random import Random
from typing import Any, cast

from pyfunctools._json import JsonObject
from pyfunctools.controller import Controller
from pyfunctools.errors import DefinitionError, Retry, missing_extra
from pyfunctools.record.function import Function, contract_of, handler_of
from pyfunctools.record.outcome import Outcome
from pyfunctools.schema.ground.issue import Side
from pyfunctools.testing.fitting import FittingValues

try:
    from hypothesis import HealthCheck, find, settings
    from hypothesis import strategies as st
    from hypothesis.errors import NoSuchExample
except ImportError as error:
    raise missing_extra(
        "pyfunctools.testing", "hypothesis", "hypothesis", "testing", error
    ) from error

TRIES = 50
"""The number of values that `fitting` tries before it gives up."""

FULLNESS = (0.5, 0.2, 0.0, 1.0)
"""Shares of the optional properties in a value."""


def arguments(function: Function, side: Side = "llm") -> st.SearchStrategy[Mapping[str, Any]]:
    """Return a strategy of valid arguments of a function: of a model, a person, or both (`side`).

    Drawing raises a `DefinitionError` if 50 tries yield no valid arguments.
    """
    randoms = st.randoms(use_true_random=False)
    return randoms.map(lambda random: fitting(function, side, random))


def fitting(function: Function, side: Side, random: Random) -> JsonObject:
    """Return valid arguments of a function.

    Raises:
        DefinitionError: no valid arguments were found.
    """
    schema, parts = contract_of(function).parameters, function.separated
    if side != "whole":
        schema = getattr(parts, side) if parts else None if side == "human" else schema
    if schema is None:
        return {}
    wrong = "nothing could be made"
    for number in range(TRIES):
        fullness = FULLNESS[number % len(FULLNESS)]
        value = FittingValues(schema, random, fullness).value()
        checked = function.validate(value, side=side)
        if checked:
            return value
        wrong = "; ".join(f"{each.path}: {each.expected}" for each in checked.issues[:3])
    reason = f"No valid arguments were found in {TRIES} tries ({wrong})."
    remedy = "Write arguments by hand: keywords of the schema may exclude almost every value."
    raise DefinitionError(function.name, reason, remedy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Valid arguments for which a function fails, as small as possible, and the failed outcome.

    `arguments` include the person's values. `arguments` and `outcome` are `None` if no valid
    arguments were found; then `text` is the reason.
    """

    function: str
    text: str
    arguments: Mapping[str, Any] | None = None
    outcome: Outcome | None = None


def fuzz(
    controller: Controller, *, examples: int = 100, context: object = None
) -> tuple[Finding, ...]:
    """Call each function with valid arguments, and return the smallest ones that make it fail.

    A function fails if it raises (but not `Retry`) or if its return value does not match its output
    schema. The code really runs: pass a controller whose methods have no lasting effect.
    Functions that run elsewhere, such as over HTTP, are left out; `Controller.replaced` replaces
    them by local code. The person's values are generated too, and every call is approved.
    """
    log, nothing = getLogger("pyfunctools"), Filter("nothing")
    log.addFilter(nothing)  # otherwise each exception would be logged a hundred times
    try:
        local = [each for each in controller if handler_of(each) is not None]
        found = [_finding(controller, each, examples, context) for each in local]
    finally:
        log.removeFilter(nothing)
    return tuple(each for each in found if each is not None)


def _finding(
    controller: Controller, function: Function, examples: int, context: object
) -> Finding | None:
    separated = function.separated

    def call(whole: JsonObject) -> Outcome:
        llm, human = (whole, None) if separated is None else separated.split(whole)
        values, approve = cast("JsonObject | None", human), function.confirm or None
        return controller.call(function.name, llm, human=values, approve=approve, context=context)

    def fails(whole: JsonObject) -> bool:
        outcome = call(whole)
        return outcome.reason in ("raised", "output") and not isinstance(outcome.exception, Retry)

    checks = cast("list[HealthCheck]", list(HealthCheck))
    tried = settings(
        max_examples=examples, database=None, suppress_health_check=checks, deadline=None
    )
    random = Random(function.name)  # noqa: S311 - the same in every run, not a secret
    try:
        fitting(function, "whole", random)
    except DefinitionError as error:
        return Finding(function=function.name, text=str(error))
    try:
        smallest = find(arguments(function, "whole"), fails, settings=tried, random=random)
    except NoSuchExample:
        return None
    outcome = call(smallest)
    return Finding(function=function.name, text=outcome.text, arguments=smallest, outcome=outcome)
