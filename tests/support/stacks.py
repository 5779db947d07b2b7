"""Runs a function in a thread with a small stack."""

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LITTLE = 512 * 1024
"""Bytes of a stack as small as threads of real programs have it."""


def on_stack(act: Callable[[], T], size: int = LITTLE) -> T:
    """Run a function in a thread with this stack, and return its result or raise its exception."""
    gave: list[T] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            gave.append(act())
        except BaseException as error:  # it is raised again below
            raised.append(error)

    before = threading.stack_size(size)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    if raised:
        raise raised[0]
    return gave[0]
