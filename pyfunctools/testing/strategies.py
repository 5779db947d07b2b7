"""What needs hypothesis: right arguments, a model's mistakes in them, and a fuzzer."""

from collections.abc import Mapping
from dataclasses import dataclass
from logging import LogRecord, getLogger
from random import Random
from typing import Any, cast

from pyfunctools._json import JsonObject
from pyfunctools.controller import Controller
from pyfunctools.errors import DefinitionError, Retry
from pyfunctools.record.function import Function, contract_of, handler_of
from pyfunctools.record.outcome import Outcome
from pyfunctools.schema.result import Side
from pyfunctools.testing.fitting import FittingValues
from pyfunctools.testing.spoiling import Mistake, slips

try:
    from hypothesis import HealthCheck, find, settings
    from hypothesis import strategies as st
    from hypothesis.errors import NoSuchExample
except ImportError as error:
    raise DefinitionError(
        "pyfunctools.testing",
        f"hypothesis is not installed: {error}.",
        "Install it: `pip install 'pyfunctools[testing]'`.",
    ) from error

TRIES = 50
"""How many values are made before a function is one that no arguments were found for."""

FULLNESS = (0.5, 0.2, 0.0, 1.0)
"""How many of the optional parts a value has."""


def arguments(function: Function, side: Side = "llm") -> st.SearchStrategy[Mapping[str, Any]]:
    """Return a strategy of valid arguments of a function.

    They are what a model may write, or with another `side` what a person has to give, or all.
    Drawing from it fails with a `DefinitionError` where in 50 tries none were found that fit.
    """

    @st.composite
    def drawn(draw: st.DrawFn) -> JsonObject:
        return fitting(function, side, draw(st.randoms(use_true_random=False)))

    return drawn()


def mistakes(function: Function) -> st.SearchStrategy[Mistake]:
    """Return a strategy of what a model writes that errs: numbers as text, broken JSON, and such.

    Each holds the valid arguments it was made of.
    """

    @st.composite
    def drawn(draw: st.DrawFn) -> Mistake:
        right = draw(arguments(function))
        return next(slips(draw(st.randoms(use_true_random=False)), right))

    return drawn()


def fitting(function: Function, side: Side, random: Random) -> JsonObject:
    """Return valid arguments of a function.

    Raises:
        DefinitionError: none were found.
    """
    schema = contract_of(function).parameters
    if side != "whole" and function.separated is not None:
        schema = function.separated.llm if side == "llm" else function.separated.human
    elif side == "human":
        schema = None
    if schema is None:
        return {}
    wrong = "nothing could be made"
    for number in range(TRIES):
        fullness = FULLNESS[number % len(FULLNESS)]
        edges = number < TRIES // 2  # they may be what does not fit, such as a text that is empty
        value = FittingValues(schema, random, fullness, edges=edges).value()
        checked = function.validate(value, side=side)
        if checked:
            return value
        wrong = "; ".join(f"{each.path}: {each.expected}" for each in checked.issues[:3])
    raise DefinitionError(
        function.name,
        f"No valid arguments were found in {TRIES} tries ({wrong}).",
        "Write some by hand: two keywords of the schema may leave next to nothing.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Valid arguments that a function fails on, as small as they could be made.

    `arguments` are all of them, the person's too, and `outcome` is what came of the call. Both are
    `None` where no valid arguments were found; then `text` says so.
    """

    function: str
    text: str
    arguments: Mapping[str, Any] | None = None
    outcome: Outcome | None = None


def fuzz(
    controller: Controller, *, examples: int = 100, context: object = None
) -> tuple[Finding, ...]:
    """Call each function with valid arguments, and return what it raised on.

    What returns something else than it promises is a finding too; a `Retry` is none. The code runs:
    hand over a controller whose methods change nothing that matters. Functions that run elsewhere,
    over HTTP say, are left out; `Controller.replaced` puts code here behind them. A person's part
    is made up as well, and every call approved.
    """
    log = getLogger("pyfunctools")
    log.addFilter(_silent)  # what is raised is in the findings, once and not a hundred times
    try:
        found = [
            _finding(controller, each, examples, context)
            for each in controller
            if handler_of(each) is not None
        ]
    finally:
        log.removeFilter(_silent)
    return tuple(each for each in found if each is not None)


def _silent(_: LogRecord) -> bool:
    return False


def _finding(
    controller: Controller, function: Function, examples: int, context: object
) -> Finding | None:
    separated = function.separated

    def call(whole: JsonObject) -> Outcome:
        llm, human = (whole, None) if separated is None else separated.split(whole)
        return controller.call(
            function.name,
            llm,
            human=cast("JsonObject | None", human),
            approve=True if function.confirm else None,
            context=context,
        )

    def fails(whole: JsonObject) -> bool:
        outcome = call(whole)
        return outcome.reason in ("raised", "output") and not isinstance(outcome.exception, Retry)

    tried = settings(
        max_examples=examples,
        database=None,
        suppress_health_check=cast("list[HealthCheck]", list(HealthCheck)),
        deadline=None,
    )
    random = Random(function.name)  # noqa: S311 - the same at every run, and no secret
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
