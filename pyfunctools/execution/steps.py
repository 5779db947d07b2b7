"""Steps written once, as a coroutine, that are run blocking or awaited.

Where a step may have to wait for an event loop it says so through a `Settle`: `settled` awaits, and
`at_hand` refuses what it would have to await, so that `finish` can run the steps to their end.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from inspect import isawaitable, iscoroutine, signature
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from pyfunctools._json import JsonValue
from pyfunctools.errors import DefinitionError, wrong_type

if TYPE_CHECKING:
    from pyfunctools.record.outcome import Outcome, Waiting

T = TypeVar("T")

Settle: TypeAlias = Callable[[object, str], Awaitable[object]]
"""A function that returns a value, awaited if it is awaitable; the text names its place."""


Begin: TypeAlias = Callable[[Mapping[str, object]], "Coroutine[object, None, Outcome | None]"]
"""Steps that a runner takes when all is checked, just before it runs a function.

They get the arguments as the call holds them, and give an outcome where it must not run.
"""


class Answered(NamedTuple):
    """What a person says to a question of a remote server's.

    `values` are theirs by the paths of the questions, and `accepted` is false where they refuse;
    `None` asks what the question was. `state` is that of the call that waits.
    """

    state: JsonValue
    values: Mapping[str, object]
    accepted: bool | None


AskSteps: TypeAlias = Callable[["Waiting"], "Coroutine[object, None, Answered | Outcome | None]"]
"""Steps in which a person is asked; they give an outcome where that fails."""


class Person(NamedTuple):
    """How a remote server reaches a person in a call.

    `answered` is what they said before, and `ask` asks them now, where somebody is there.
    """

    answered: Answered | None
    ask: AskSteps | None


async def settled(value: object, _: str) -> object:
    """Return the value, or what it gives when it is awaited."""
    return await value if isawaitable(value) else value


async def at_hand(value: object, where: str) -> object:
    """Return the value, which a blocking call cannot await.

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


def check_asked(where: str, asked: object, about: tuple[object, ...]) -> None:
    """Refuse a function that cannot be called with the arguments `about`.

    Raises:
        DefinitionError: it is not a function, or has other parameters.
    """
    remedy = f"Write {_ASKED.get(where, 'one that can')}."
    if not callable(asked):
        raise wrong_type(where, "a function", asked, remedy)
    try:
        taken = signature(asked)
    except (TypeError, ValueError):  # some built-in callables have no signature
        return
    try:
        taken.bind(*about)
    except TypeError as error:
        reason = f"This function cannot be called as it will be: {error}."
        raise DefinitionError(where, reason, remedy) from None


_ASKED = {
    "approve": "a function of the pending call that returns `True`, or an `Approval`",
    "confirm": "a function of the pending call that returns whether a person has to approve it",
    "human": "the values, or a function of the pending call that returns them",
    "store": "one whose `claim` is a function of a ticket's id and its end",
}


def finish(steps: Coroutine[object, None, T]) -> T:
    """Run steps that wait for nothing to their end."""
    try:
        steps.send(None)
    except StopIteration as end:
        return end.value
    steps.close()
    raise RuntimeError("blocking steps waited for an event loop")
