"""A controller that has run in a process runs in one that is forked from it, or says why not."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Event, Thread

import pytest
from fastapi import FastAPI
from forks import in_a_fork

from pyfunctools import Controller, DefinitionError
from pyfunctools._lazy import Lazy

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")


@asynccontextmanager
async def started(app: FastAPI) -> AsyncIterator[None]:
    app.state.process = os.getpid()
    yield


APP = FastAPI(lifespan=started)


@APP.get("/pid")
async def pid() -> list[int]:
    return [APP.state.process, os.getpid()]


def twice() -> list[int]:
    return [os.getpid()] * 2


async def twice_async() -> list[int]:
    return [os.getpid()] * 2


LOCAL = Controller.from_functions([twice, twice_async])
APPLICATION = Controller.from_fastapi(APP)


@pytest.mark.parametrize(
    "run",
    [
        lambda: LOCAL.call("twice").value,
        lambda: LOCAL.call("twice_async").value,
        lambda: asyncio.run(LOCAL.acall("twice")).value,
        lambda: next(iter([*LOCAL.map([("twice", {})])])).value,
        lambda: APPLICATION.call("pid_get").value,
        lambda: asyncio.run(APPLICATION.acall("pid_get")).value,
    ],
)
def test_a_controller_runs_in_a_fork_too(run: Callable[[], object]) -> None:
    assert run() == [os.getpid()] * 2
    pids = in_a_fork(lambda: (run(), [os.getpid()] * 2, LOCAL.close(), APPLICATION.close()))
    assert isinstance(pids, tuple)
    assert pids[0] == pids[1]
    assert run() == [os.getpid()] * 2


def test_a_program_is_refused_in_a_fork_of_a_process_that_ran_one() -> None:
    pytest.importorskip("pydantic_monty")
    programs = LOCAL.programs()
    assert programs.call("run_program", {"code": "1 + 1"}).value == 2

    def refused() -> str:
        with pytest.raises(DefinitionError, match="forked") as raised:
            programs.call("run_program", {"code": "1 + 1"})
        return str(raised.value)

    assert "spawn" in str(in_a_fork(refused))


def test_a_fork_does_not_wait_for_what_another_thread_makes() -> None:
    """The thread does not exist there, so it would never end."""
    begun, go, parent = Event(), Event(), os.getpid()

    def make() -> bool:
        begun.set()
        return os.getpid() == parent and go.wait(60)

    lazy = Lazy(make)
    other = Thread(target=lambda: lazy.value)
    other.start()
    assert begun.wait(60)
    assert in_a_fork(lambda: lazy.value) is False
    go.set()
    other.join()
    assert lazy.value is True
