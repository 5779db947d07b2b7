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


_FULL = 1_000_000
"""Containers after which the collector walks all, as garbage may be among them."""
_FROZEN = 1_000
"""From this many on it is the program that has frozen some, which stay so: Python 3.12 has 400."""
_moved = 0
_unseen = 0
"""Containers that may be made until those that the program has frozen are counted again."""


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
        is_due = False
        with _LOCK:
            if _OPEN and _OPEN.pop():
                is_due = _keep()
                gc.enable()
        if is_due:
            gc.collect()


def _keep() -> bool:
    """Move what was made to the oldest generation without a walk, as it is most likely kept.

    The collector counts only what it moves itself. So a walk of all is due here, after each million
    of containers; the result tells whether it is.
    """
    global _moved, _unseen  # noqa: PLW0603 - of this process, as the collector is
    made = gc.get_count()[0]
    _unseen -= made
    if _unseen > 0:
        return False
    frozen = gc.get_freeze_count()  # walks them
    if frozen >= _FROZEN:
        _unseen = frozen
        return False
    gc.freeze()
    gc.unfreeze()
    _moved += made
    if _moved <= _FULL:
        return False
    _moved = 0
    return True
