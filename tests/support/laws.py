"""The number of examples of a law: few by default, 2,000 in CI, or `PYFUNCTOOLS_EXAMPLES`."""

import os
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import pytest
from hypothesis import HealthCheck, settings

Test = TypeVar("Test", bound=Callable[..., None])
Law: TypeAlias = Callable[[Test], Test]

ASKED = os.environ.get("PYFUNCTOOLS_EXAMPLES") or ("2000" if os.environ.get("CI") else None)
"""The requested number of examples; in CI 2,000."""

IS_WHOLE = ASKED is not None
"""Whether all functions of the corpora are tried, not a few of each document."""


def examples(usual: int) -> int:
    """Return how many examples to try; `usual` is the default."""
    return usual if ASKED is None else int(ASKED)


def law(usual: int = 100, most: int | None = None) -> Law[Test]:
    """Return a decorator for a property; write it above `given`.

    An example that fails is printed with the seed that reproduces it. `most` limits the number of
    examples of a slow law. In CI the examples are the same in each run: there a change is judged,
    and new examples are tried at a desk.
    """

    def decorated(test: Test) -> Test:
        tried = settings(
            max_examples=min(examples(usual), most or examples(usual)),
            deadline=None,
            database=None,
            derandomize="CI" in os.environ,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
        )
        return pytest.mark.law(tried(test))

    return decorated
