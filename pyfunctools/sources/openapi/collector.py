"""The garbage collector, asked to wait while functions are made of a document."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def waiting_collector() -> Generator[None]:
    """Hold the cyclic garbage collector off, and let it go on as before.

    What is made of a document is kept and holds no cycles. With it the collector would look through
    the whole document once more, which takes as long as parsing it, and find nothing. Who has
    switched the collector off finds it off.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
