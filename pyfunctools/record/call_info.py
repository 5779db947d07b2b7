"""`CallInfo`: which call a function runs for."""

from dataclasses import dataclass, field
from types import UnionType
from typing import Annotated, Never, Union, get_args, get_origin


@dataclass(frozen=True, slots=True, kw_only=True)
class CallInfo:
    """Which call a function runs for. A parameter with this hint gets it, and is in no schema.

    `id` is the call's: the vendor's, where it gave one. It stays the same when the call goes on
    after a person has answered, so it can tell a repeated call from a new one. `attempt` is 1, and
    2 where the call goes on with a ticket. `audience` is what `call` or `resume` was given.
    """

    id: str
    function: str
    attempt: int = 1
    audience: str | None = None
    _person: object = field(default=None, compare=False, repr=False)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Never:
        """Refuse to be a field: what a model writes there would look like the program's.

        Raises:
            TypeError: always.
        """
        raise TypeError("`CallInfo` is for a parameter of its own, not inside another type")


def person_in(info: CallInfo | None) -> object:
    """Return how a remote server reaches a person in a call (`execution.steps.Person`), if so."""
    return None if info is None else info._person  # pyright: ignore[reportPrivateUsage]


def wants_info(hint: object) -> bool:
    """Return whether a hint is `CallInfo`, or a union with it."""
    if get_origin(hint) is Annotated:
        return wants_info(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        return any(map(wants_info, get_args(hint)))
    return hint is CallInfo
