"""Functions for the workers of an executor, and the executors, in a module that workers import."""

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from pyfunctools import Human

KINDS = ("threads", "processes", "loky", "dask")


class RenewedPool(Executor):
    """loky's pool, a new one after a worker has died, as the page on scaling shows it."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        loky = pytest.importorskip("loky")
        return loky.get_reusable_executor(max_workers=2).submit(fn, *args, **kwargs)


def note(file: str, n: int) -> int:
    """Write down that this call ran, and return its process."""
    with Path(file).open("a") as lines:
        lines.write(f"{n}\n")
    return os.getpid()


def die(file: str, n: int) -> int:
    """Kill the worker in the middle of the call with the number 3."""
    note(file, n)
    if n == 3:
        os._exit(1)
    return n


def pay(file: str, pin: Human[str]) -> int:
    """Pay."""
    return note(file, len(pin))


def fields(n: int) -> Iterator[int]:
    """Count."""
    yield from range(n)


def breaks(n: int, pin: Human[str] = "") -> Iterator[str]:
    """Count, and break at the end."""
    yield from (f"{each} {pin}" for each in range(n))
    raise ValueError(pin)


@contextmanager
def executor_of(kind: str) -> Iterator[Executor]:
    """Give an executor of two workers."""
    if kind == "dask":
        pytest.importorskip("distributed")
        import dask
        from distributed import Client, LocalCluster

        # A task whose worker died is not run again.
        dask.config.set({"distributed.scheduler.allowed-failures": 0})
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0")
        with cluster, Client(cluster) as client:
            yield client.get_executor()
        return
    made: Executor
    if kind == "renewed":
        made = RenewedPool()
    elif kind == "loky":
        loky = pytest.importorskip("loky")
        made = loky.ProcessPoolExecutor(2)
    elif kind == "processes":
        made = ProcessPoolExecutor(2, get_context("spawn"))
    else:
        made = ThreadPoolExecutor(2)
    with made as executor:
        yield executor
