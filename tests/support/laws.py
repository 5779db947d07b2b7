"""How often a law is tried: little at a desk, 2,000 times in CI, or as often as is asked for."""

import os
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import pytest
from hypothesis import HealthCheck, settings

Test = TypeVar("Test", bound=Callable[..., None])
Law: TypeAlias = Callable[[Test], Test]

ASKED = os.environ.get("PYFUNCTOOLS_EXAMPLES") or ("2000" if os.environ.get("CI") else None)
"""How many examples were asked for; in CI 2,000 are."""

IS_WHOLE = ASKED is not None
"""Whether corpora are gone through whole, and not a few functions of each document."""


def examples(usual: int) -> int:
    """Return how many examples to try; `usual` is the number at a desk."""
    return usual if ASKED is None else int(ASKED)


def law(usual: int = 100, most: int | None = None) -> Law[Test]:
    """Return a decorator for a property: it goes above `given`.

    An example that fails is printed with the seed that makes it again. `most` bounds how often one
    is tried that takes long.
    """

    def decorated(test: Test) -> Test:
        tried = settings(
            max_examples=min(examples(usual), most or examples(usual)),
            deadline=None,
            database=None,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
        )
        return pytest.mark.law(tried(test))

    return decorated
