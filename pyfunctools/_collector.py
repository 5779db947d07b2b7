"""A pause of Python's garbage collector.

A parsed document is hundreds of thousands of containers that are all kept, and so are its schemas.
While they are made, the collector would walk them again and again, which takes longer than to make
them.
"""

import gc
import os
from collections.abc import Generator
from contextlib import contextmanager
from threading import RLock

_LOCK = RLock()
_OPEN: list[bool] = []
"""For each pause that has not ended, whether it paused the collector: the first may have."""


_MANY = 10_000
"""Containers: about as many as make the collector walk the middle generation too."""


def _end_all() -> None:
    """Start anew in a forked process, in which the other threads do not exist."""
    if any(_OPEN):
        gc.enable()
    _OPEN.clear()
    _LOCK.release()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(
        before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_end_all
    )


@contextmanager
def collector_paused() -> Generator[None]:
    """Pause the garbage collector of this process until the last pause, of any thread, has ended.

    It is then as it was before the first: a collector that the program has disabled stays so.
    """
    with _LOCK:
        _OPEN.append(gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _LOCK:
            if is_over := bool(_OPEN) and _OPEN.pop():
                gc.enable()
        if is_over and gc.get_count()[0] > _MANY:
            gc.collect(1)  # one walk: else it is walked twice on its way to the oldest generation
