"""Steps written once, run blocking or awaited."""

import asyncio
from collections.abc import Generator

import pytest

from pyfunctools.errors import DefinitionError
from pyfunctools.execution.steps import Resolve, awaited, finish, without_awaiting


async def sum_of(settle: Resolve, *values: object) -> int:
    return sum([int(str(await settle(value, "value"))) for value in values])


async def later() -> int:
    return 3


def test_the_same_steps_run_blocking_and_awaited() -> None:
    assert finish(sum_of(without_awaiting, 1, 2)) == 3
    assert finish(sum_of(awaited, 1, 2)) == 3
    assert asyncio.run(sum_of(awaited, 1, later())) == 4


def test_what_has_to_be_awaited_is_refused_where_it_cannot_be_and_names_the_place() -> None:
    with pytest.raises(DefinitionError, match=r"value: .*acall"):
        finish(sum_of(without_awaiting, 1, later()))


class Pending:
    """Something that can be awaited and is no coroutine; it waits once."""

    def __await__(self) -> Generator[None, None, int]:
        yield
        return 3


def test_what_can_be_awaited_need_not_be_a_coroutine() -> None:
    assert asyncio.run(sum_of(awaited, Pending())) == 3
    with pytest.raises(DefinitionError):
        finish(sum_of(without_awaiting, Pending()))


def test_blocking_steps_never_wait_for_a_loop() -> None:
    with pytest.raises(RuntimeError, match="blocking steps"):
        finish(sum_of(awaited, Pending()))
