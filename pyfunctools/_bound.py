"""A call with its arguments, and a `repr` that hides them; the names that a `partial` sets."""

from collections.abc import Mapping
from functools import partial
from types import MethodType
from typing import cast


class BoundCall(partial[object]):
    """A callable with its arguments; its `repr` hides them, also in a traceback with variables."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<call with {len(self.args) + len(self.keywords)} arguments>"


def bound_keywords(called: object) -> Mapping[str, object]:
    """Return the keyword arguments that a `functools.partial` sets: values of the program."""
    found: dict[str, object] = {}
    while isinstance(called, partial | MethodType):
        if isinstance(called, MethodType):
            called = called.__func__
        else:
            bound = cast("partial[object]", called)
            found = {**bound.keywords, **found}
            called = bound.func
    return found
