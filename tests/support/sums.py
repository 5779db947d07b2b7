"""Functions for an executor, in a module that another process can import."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Annotated, Literal

from pyfunctools import function, human


class QuotaError(Exception):
    """An exception that cannot be rebuilt from its `args`."""

    def __init__(self, used: int, left: int) -> None:
        super().__init__(f"{used} of {left}")


class Sums:
    """Sums that take a while."""

    @function
    def add(self, a: int, b: Annotated[int, human("b")], *rest: int) -> int:
        """Add."""
        return a + b + sum(rest)

    @function
    def where(self) -> list[int]:
        """Return the process and the thread."""
        return [os.getpid(), threading.get_ident()]

    @function
    async def later(self) -> int:
        """Return the process, from a loop."""
        return os.getpid()

    @function
    def fail(self, how: Literal["known", "odd"]) -> None:
        """Fail."""
        if how == "odd":
            raise QuotaError(3, 2)
        raise ValueError("no sum")

    @function
    def lock(self) -> object:
        """Return an object that cannot be pickled."""
        return threading.Lock()


class Local(Sums):
    """An object that cannot be pickled."""

    def __init__(self) -> None:
        self.lock_of_its_own = threading.Lock()


def count_up(n: int) -> Iterator[str]:
    """Name the thread, n times."""
    for _ in range(n):
        yield threading.current_thread().name


def pool_of_processes(count: int = 1) -> ProcessPoolExecutor:
    """Return a pool of new processes, which import this module."""
    return ProcessPoolExecutor(count, get_context("spawn"))
