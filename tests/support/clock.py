"""Bounds of processor time that hold on a slow machine and under coverage."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from time import process_time

CALM = 0.05
"""What the work below takes on the machine for which the bounds are written, in seconds."""
TRACED = 4
"""How many times longer the library takes where each of its lines is traced."""


def slowness() -> float:
    """Return how many times slower than a calm machine this one runs just now, at least 1."""
    start = process_time()
    text = ""
    for number in range(250_000):
        text = f"{number:x}{text[:8]}"
    return max((process_time() - start) / CALM, 1.0)


@contextmanager
def at_most(seconds: float) -> Generator[None]:
    """Fail if what runs inside takes more processor time, in seconds of a calm machine."""
    start = process_time()
    yield
    taken = process_time() - start
    if taken >= seconds:
        allowed = seconds * slowness() * (TRACED if sys.gettrace() else 1)
        assert taken < allowed
