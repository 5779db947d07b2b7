"""An event loop in a separate thread, for code that waits in another thread."""

import os
import weakref
from collections.abc import Callable, Coroutine
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # loaded by the first call that needs a loop
    from asyncio import AbstractEventLoop
    from concurrent.futures import Future

T = TypeVar("T")


class BackgroundLoop:
    """An event loop in a separate thread, started when the first coroutine is submitted.

    It starts again after `close`, in a forked process, and after a coroutine has closed it. It ends
    when this object is garbage-collected.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._process = os.getpid()
        self._loop: AbstractEventLoop | None = None
        self._stop: Callable[[], object] | None = None

    def submit(self, steps: Coroutine[object, object, T]) -> "Future[T]":
        """Run a coroutine on the loop, with the caller's context variables.

        Coroutines start in the order of their submission.
        """
        from asyncio import run_coroutine_threadsafe

        return run_coroutine_threadsafe(steps, self._started())

    def wait_for(self, steps: Coroutine[object, object, T]) -> T:
        """Run a coroutine on the loop and return its result; not for use in the loop's thread."""
        future = self.submit(steps)
        try:
            return future.result()
        except BaseException:  # an interrupt of the waiting thread too
            future.cancel()
            raise

    def is_mine(self) -> bool:
        """Return whether this thread is the loop's own."""
        from asyncio import get_running_loop

        return in_a_loop() and get_running_loop() is self._loop

    def close(self) -> None:
        """Stop the loop, and cancel its tasks."""
        with self._lock:
            if self._stop is not None:
                self._stop()
            self._loop = self._stop = None

    def _started(self) -> "AbstractEventLoop":
        from asyncio import new_event_loop
        from threading import Thread

        with self._lock:
            lost = self._loop is None or self._loop.is_closed() or self._process != os.getpid()
            if self._loop is None or lost:
                loop = self._loop = new_event_loop()
                self._process = os.getpid()
                thread = Thread(target=_serve, args=(loop,), name="pyfunctools-loop", daemon=True)
                thread.start()
                self._stop = weakref.finalize(self, _stop, loop)
            return self._loop


def in_a_loop() -> bool:
    """Return whether an event loop runs in this thread."""
    from asyncio import get_running_loop

    try:
        get_running_loop()
    except RuntimeError:
        return False
    return True


def _serve(loop: "AbstractEventLoop") -> None:
    from asyncio import all_tasks, gather

    try:
        while True:
            try:
                loop.run_forever()
                break
            except (KeyboardInterrupt, SystemExit):  # raised by a coroutine: its future has it too
                continue
        if left := all_tasks(loop):
            for task in left:
                task.cancel()
            loop.run_until_complete(gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _stop(loop: "AbstractEventLoop") -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)
