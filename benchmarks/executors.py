"""What a call costs over an executor, beside the executor alone, with the same function.

    python benchmarks/executors.py [calls [rounds]]

Both keep the same number of tasks ahead, and take turns; the median of the rounds. A pool of two
new processes, and, where they are installed, loky and a local Dask cluster of two workers.
"""

import asyncio
import statistics
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from typing import Any

from pyfunctools import Controller

AHEAD = 16


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def alone(executor: Executor, count: int) -> None:
    """Run the function without us, with as many tasks ahead."""
    window: deque[Future[int]] = deque()
    for n in range(count):
        if len(window) == AHEAD:
            window.popleft().result()
        window.append(executor.submit(add, n, 1))
    for each in window:
        each.result()


def cluster(pipe: Any) -> None:
    """Run a cluster in this process: its scheduler would contend with the calls for ours."""
    from distributed import LocalCluster

    address = "127.0.0.1:0"
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=address) as made:
        pipe.send(made.scheduler_address)
        pipe.recv()


@contextmanager
def executors() -> Iterator[dict[str, Executor]]:
    """Give the executors that are installed."""
    with ExitStack() as opened:
        made: dict[str, Executor] = {}
        made["processes"] = opened.enter_context(ProcessPoolExecutor(2, get_context("spawn")))
        try:
            import loky

            made["loky"] = opened.enter_context(loky.ProcessPoolExecutor(2))
        except ImportError:
            pass
        try:
            from distributed import Client

            here, there = get_context("spawn").Pipe()
            process = get_context("spawn").Process(target=cluster, args=(there,))
            process.start()
            opened.callback(process.join)
            opened.callback(here.send, "end")
            made["dask"] = opened.enter_context(Client(here.recv())).get_executor(pure=False)
        except ImportError:
            pass
        yield made


def timed(run: Callable[[], Any]) -> tuple[float, float]:
    """Return the seconds of the clock, and of this process."""
    clock, own = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - clock, time.process_time() - own


def main() -> None:
    count, rounds = [*map(int, sys.argv[1:]), *(10_000, 3)[len(sys.argv) - 1 :]]
    print(f"{count:,} calls: microseconds a call, by the clock and in this process")
    print("\n| executor | alone | ours | more | alone, here | ours, here | more |")
    print("|---|---|---|---|---|---|---|")
    with executors() as made:
        for name, executor in made.items():
            controller = Controller.from_functions([add]).configured(executor=executor)

            async def ours(controller: Controller = controller) -> None:
                calls = (("add", {"a": n, "b": 1}) for n in range(count))
                async for outcome in controller.amap(calls, concurrency=AHEAD):
                    assert outcome.ok

            alone(executor, 100)
            controller.call("add", {"a": 1, "b": 1})
            measured = [
                (timed(lambda e=executor: alone(e, count)), timed(lambda o=ours: asyncio.run(o())))
                for _ in range(rounds)
            ]
            row = [f"{name}"]
            for which in (0, 1):
                bare, own = (
                    statistics.median(each[side][which] for each in measured) / count * 1e6
                    for side in (0, 1)
                )
                row += [f"{bare:.0f}", f"{own:.0f}", f"{own - bare:.0f}"]
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
