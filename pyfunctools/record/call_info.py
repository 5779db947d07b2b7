"""`CallInfo`: facts about a call, for the function that runs."""

from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Never, Union, get_args, get_origin


@dataclass(frozen=True, slots=True, kw_only=True)
class CallInfo:
    """Facts about a call, passed to a parameter with this type hint, which is in no schema.

    `id` is the vendor's id of the call, or a generated id. It is the same when the call is resumed
    after a person has answered, so a repeated call can be told from a new one. `attempt` is 1, or 2
    for a call resumed with a ticket. `audience` is the argument of `call` or `resume`.
    """

    id: str
    function: str
    attempt: int = 1
    audience: str | None = None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Never:
        """Raise an error: the model could write the value of a field.

        Raises:
            TypeError: always.
        """
        raise TypeError("`CallInfo` is for a parameter of its own, not inside another type")


def wants_info(hint: object) -> bool:
    """Return whether a hint is `CallInfo` or a union with it."""
    if get_origin(hint) is Annotated:
        return wants_info(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        return any(map(wants_info, get_args(hint)))
    return hint is CallInfo
