"""More stack than the thread that asks may have, for what recurses in a library."""

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")

SIZE = 16 << 20
"""Bytes of stack; memory is only taken for what is used of it."""

_lock = threading.Lock()


def with_stack(call: Callable[[], T]) -> T:
    """Return what `call` gives, made in a thread with `SIZE` bytes of stack.

    The calling thread waits, and its context variables are those of the call.

    Raises:
        Exception: whatever the call raises.
    """
    context = copy_context()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(context.run(call))
        except BaseException as error:  # raised again below, in the thread that asked
            errors.append(error)

    thread = threading.Thread(target=run, name="pyfunctools-stack")
    with _lock:  # the size is that of the next thread anybody starts
        before = threading.stack_size(SIZE)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
    for error in errors:
        raise error
    return results[0]
