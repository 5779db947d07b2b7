"""A function in a process that is forked from the tests'."""

from collections.abc import Callable
from multiprocessing import get_context


def in_a_fork(work: Callable[[], object]) -> object:
    """Return the result of a function in a process forked from this one."""
    context = get_context("fork")
    result = context.SimpleQueue()
    process = context.Process(target=lambda: result.put(work()), daemon=True)
    process.start()
    process.join(timeout=120)
    if process.exitcode is None:
        process.kill()
    assert process.exitcode == 0
    return result.get()
