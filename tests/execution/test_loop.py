"""The background loop: shared, started when needed, ended when no longer referenced."""

import asyncio
import contextvars
import gc
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError

import pytest

from pyfunctools.execution.steps import BackgroundLoop, in_a_loop

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("WHO", default="nobody")


async def where() -> tuple[str, int]:
    return threading.current_thread().name, id(asyncio.get_running_loop())


OTHERS: set[threading.Thread] = set()
"""Threads that tests before these left to their end."""


@pytest.fixture(autouse=True)
def _only_new_loops() -> None:
    OTHERS.clear()
    OTHERS.update(threading.enumerate())


def loops() -> list[threading.Thread]:
    running = set(threading.enumerate()) - OTHERS
    return [each for each in running if each.name == "pyfunctools-loop"]


def test_everything_runs_on_one_loop_in_one_thread() -> None:
    loop = BackgroundLoop()
    assert not loops()
    places = {loop.wait_for(where()) for _ in range(3)}
    assert [name for name, _ in places] == ["pyfunctools-loop"]
    [thread] = loops()
    loop.close()
    thread.join(60)
    assert not thread.is_alive()


def test_coroutines_start_in_order_with_the_callers_context_variables() -> None:
    order: list[tuple[str, int]] = []

    async def step(number: int) -> None:
        order.append((WHO.get(), number))

    loop = BackgroundLoop()
    WHO.set("Ada")
    for future in [loop.submit(step(number)) for number in range(50)]:
        future.result(60)
    assert order == [("Ada", number) for number in range(50)]
    loop.close()


def test_a_closed_loop_starts_again_and_may_be_closed_twice() -> None:
    loop = BackgroundLoop()
    loop.wait_for(where())
    loop.close()
    loop.close()
    assert loop.wait_for(where())[0] == "pyfunctools-loop"
    loop.close()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_who_waits_gets_an_interrupt_and_the_loop_goes_on(error: type[BaseException]) -> None:
    async def interrupted() -> None:
        raise error

    loop = BackgroundLoop()
    with pytest.raises(error):
        loop.submit(interrupted()).result(60)
    assert loop.submit(where()).result(60)[0] == "pyfunctools-loop"
    loop.close()


def test_closing_cancels_running_tasks() -> None:
    ended: list[str] = []

    async def forever() -> None:
        try:
            started.set()
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    started = threading.Event()
    loop = BackgroundLoop()
    future = loop.submit(forever())
    assert started.wait(60)
    [thread] = loops()
    loop.close()
    thread.join(60)
    assert future.cancelled()
    assert ended == ["cancelled"]


def test_who_submits_while_another_thread_closes_is_told(switching: None) -> None:
    """Each coroutine runs, or is cancelled: nobody waits for one that is never begun."""
    loop, ended = BackgroundLoop(), list[object]()

    def submits() -> None:
        for _ in range(50):
            try:
                ended.append(loop.wait_for(where()))
            except CancelledError as error:
                ended.append(error)

    threads = [threading.Thread(target=submits, daemon=True) for _ in range(4)]
    for each in threads:
        each.start()
    end = time.monotonic() + 60
    while any(each.is_alive() for each in threads) and time.monotonic() < end:
        loop.close()
        time.sleep(0.001)
    assert len(ended) == 200
    loop.close()


def test_a_loop_ends_when_it_is_garbage_collected() -> None:
    loop = BackgroundLoop()
    loop.wait_for(where())
    [thread] = loops()
    del loop
    gc.collect()
    thread.join(60)
    assert not thread.is_alive()


FORKED = """
import os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 warns of forking beside threads
from pyfunctools.execution.steps import BackgroundLoop

async def one():
    return 1

loop = BackgroundLoop()
assert loop.wait_for(one()) == 1
child = os.fork()
if child == 0:
    os._exit(0 if loop.wait_for(one()) == 1 else 1)
assert os.waitpid(child, 0)[1] == 0
print("both")
"""


def test_a_forked_process_gets_a_loop_of_its_own() -> None:
    assert hasattr(os, "fork")
    done = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=300
    )
    assert done.stdout.strip() == "both", done.stderr


LEFT = """
from fastapi import FastAPI
from pyfunctools import Controller

def call():
    assert Controller.from_fastapi(app).call("ping_get").ok

app = FastAPI()
app.get("/ping")(lambda: 1)
call()
"""


def test_an_application_that_is_not_closed_ends_silently_at_the_exit() -> None:
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", LEFT], capture_output=True, text=True, timeout=300
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_thread_knows_whether_it_runs_a_loop() -> None:
    async def inside() -> bool:
        return in_a_loop()

    assert not in_a_loop()
    assert asyncio.run(inside())
