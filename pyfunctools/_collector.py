"""A pause of Python's garbage collector.

A parsed document is hundreds of thousands of containers that are all kept. While they are made, the
collector would walk them again and again, which takes as long as to parse and read the document.
"""

import gc
import os
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock


class _Pauses:
    """The pauses of all threads, and whether the collector was enabled before the first."""

    def __init__(self) -> None:
        self.end_all()

    def end_all(self) -> None:
        """Start anew, as in a forked process, in which the other threads do not exist."""
        self.lock = Lock()
        if getattr(self, "count", 0) and self.was_enabled:
            gc.enable()
        self.count = 0
        self.was_enabled = True

    def begin(self) -> None:
        with self.lock:
            if not self.count:
                self.was_enabled = gc.isenabled()
            self.count += 1
            gc.disable()

    def end(self) -> None:
        with self.lock:
            self.count = max(0, self.count - 1)
            if not self.count and self.was_enabled:
                if not gc.get_freeze_count():  # the program may have frozen objects of its own
                    gc.freeze()
                    gc.unfreeze()  # into the oldest generation, without a walk
                gc.enable()


_PAUSES = _Pauses()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_PAUSES.end_all)


@contextmanager
def collector_paused() -> Generator[None]:
    """Pause the garbage collector of this process until the last pause, of any thread, has ended.

    It is then as it was before the first: a collector that the program has disabled stays so.
    """
    _PAUSES.begin()
    try:
        yield
    finally:
        _PAUSES.end()
