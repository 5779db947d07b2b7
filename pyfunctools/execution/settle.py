"""Steps written once, as a coroutine, that are run blocking or awaited.

Where a step may have to wait for an event loop it says so through a `Settle`: `settled` awaits, and
`at_hand` refuses what it would have to await, so that `finish` can run the steps to their end.
"""

from collections.abc import Awaitable, Callable, Coroutine
from inspect import isawaitable, iscoroutine
from typing import TypeAlias, TypeVar

from pyfunctools.errors import DefinitionError

T = TypeVar("T")

Settle: TypeAlias = Callable[[object, str], Awaitable[object]]
"""Gives a value, or what it gives when it is awaited; the text names where it was given."""


async def settled(value: object, _: str) -> object:
    """Give the value, or what it gives when it is awaited."""
    return await value if isawaitable(value) else value


async def at_hand(value: object, where: str) -> object:
    """Give the value, which a blocking call cannot await.

    Raises:
        DefinitionError: it has to be awaited.
    """
    if not isawaitable(value):
        return value
    if iscoroutine(value):
        value.close()
    raise DefinitionError(
        where,
        "A function given there is asynchronous.",
        "Use `await controller.acall(...)`, or give a function that is not.",
    )


def finish(steps: Coroutine[object, None, T]) -> T:
    """Run steps that wait for nothing to their end."""
    try:
        steps.send(None)
    except StopIteration as end:
        return end.value
    steps.close()
    raise RuntimeError("blocking steps waited for an event loop")
