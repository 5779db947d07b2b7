"""Steps that run blocking or on an event loop."""

import asyncio
from collections.abc import Generator

import pytest

from pyfunctools.errors import DefinitionError
from pyfunctools.execution.steps import finish, resolved


async def sum_of(*values: object, awaits: bool) -> int:
    return sum([int(str(await resolved(each, "value", awaits=awaits))) for each in values])


async def later() -> int:
    return 3


def test_the_same_steps_run_blocking_and_awaited() -> None:
    assert finish(sum_of(1, 2, awaits=False)) == 3
    assert finish(sum_of(1, 2, awaits=True)) == 3
    assert asyncio.run(sum_of(1, later(), awaits=True)) == 4


def test_an_awaitable_is_refused_in_blocking_steps_with_the_name_of_the_setting() -> None:
    with pytest.raises(DefinitionError, match=r"value: .*acall"):
        finish(sum_of(1, later(), awaits=False))


class Pending:
    """An awaitable that is not a coroutine; it suspends once."""

    def __await__(self) -> Generator[None, None, int]:
        yield
        return 3


def test_an_awaitable_need_not_be_a_coroutine() -> None:
    assert asyncio.run(sum_of(Pending(), awaits=True)) == 3
    with pytest.raises(DefinitionError):
        finish(sum_of(Pending(), awaits=False))


def test_blocking_steps_never_wait_for_a_loop() -> None:
    with pytest.raises(RuntimeError, match="blocking steps"):
        finish(sum_of(Pending(), awaits=True))
