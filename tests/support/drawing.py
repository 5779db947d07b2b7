"""Values of a strategy outside a property test."""

from typing import Any, TypeVar, cast

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from pyfunctools.schema.outline.outline import Outline
from pyfunctools.testing.fitting import FittingValues

T = TypeVar("T")


def drawn(strategy: st.SearchStrategy[T], number: int, count: int = 1) -> list[T]:
    """Return up to `count` values of a strategy, the same for each number."""
    found: list[T] = []
    checks = cast("list[HealthCheck]", list(HealthCheck))

    @seed(number)
    @settings(
        max_examples=count + 1,
        phases=[Phase.generate],
        suppress_health_check=checks,
        database=None,
        deadline=None,
    )
    @given(strategy)
    def collect(value: T) -> None:
        found.append(value)

    collect()
    return found[1:] or found  # the first one is always the simplest


def values_of(schema: Any) -> st.SearchStrategy[Any]:
    """Return a strategy of the values of a schema, most of them valid."""
    outline = Outline(schema)
    return st.composite(lambda draw: FittingValues(draw, outline).value())()
