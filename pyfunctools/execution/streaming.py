"""The items of a stream, from the steps of a call to the caller who iterates over them.

The steps pass on an item by `Run.put`, which returns when the caller wants the next one. Blocking
steps suspend there, and nowhere else; steps on an event loop are a task of their own, so that
closing from any task ends them where they are.
"""

from asyncio import Queue, create_task, gather
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextvars import copy_context
from typing import Any, TypeAlias

from pyfunctools.execution.runner import Put
from pyfunctools.record.outcome import Outcome, is_end_of_stream

Steps: TypeAlias = Callable[[Put], Coroutine[Any, Any, Outcome]]
"""Begins a call whose items are passed on by a `put`."""


class _HandedOver:
    """An item on its way out of blocking steps: to await it suspends them."""

    def __init__(self, item: Outcome) -> None:
        self.item = item

    def __await__(self) -> Generator["_HandedOver", None, None]:
        yield self


async def _hand_over(item: Outcome) -> None:
    await _HandedOver(item)


def items_of(begin: Steps) -> Generator[Outcome]:
    """Run blocking steps, and yield the items; at the end an outcome that is more than the end."""
    context, steps = copy_context(), begin(_hand_over)
    try:
        while True:
            handed = context.run(steps.send, None)
            yield handed.item
    except StopIteration as end:
        last: Outcome = end.value
    finally:
        context.run(steps.close)
    if not is_end_of_stream(last):
        yield last


async def aitems_of(begin: Steps) -> AsyncGenerator[Outcome]:
    """Do the same with steps on this event loop."""
    items: Queue[Outcome | None] = Queue()

    async def put(item: Outcome) -> None:
        items.put_nowait(item)
        await items.join()

    async def run() -> Outcome:
        try:
            return await begin(put)
        finally:
            items.put_nowait(None)

    task = create_task(run())
    try:
        while (item := await items.get()) is not None:
            yield item
            items.task_done()
        last = await task
    finally:
        task.cancel()
        await gather(task, return_exceptions=True)
    if not is_end_of_stream(last):
        yield last
