"""What runs a Python function: the protocol, and the one for a callable that takes keywords."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeAlias

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.schema import Failure, Success

Bound: TypeAlias = Callable[[], object]
"""A call with everything in it; what it gives may have to be awaited or iterated over."""


class Handler(Protocol):
    """What makes a call of checked arguments, and JSON of what comes back."""

    @property
    def is_async(self) -> bool:
        """Whether the call gives something to await or an async generator."""
        ...

    def bind(self, arguments: JsonObject, context: object) -> Success[Bound] | Failure:
        """Give the call, its arguments as the objects the callable wants.

        What the callable's own types refuse is a `Failure`. Nothing of the callable runs yet.
        """
        ...

    def dump(self, value: object) -> JsonValue:
        """Give what came back as JSON.

        Raises:
            Exception: whatever the value's own serialisation raises.
        """
        ...


@dataclass(frozen=True, slots=True)
class KeywordHandler:
    """A callable that takes the arguments by keyword, and `context` if it names it."""

    callable: Callable[..., object]
    is_async: bool = field(init=False)
    _takes_context: bool = field(init=False)

    def __post_init__(self) -> None:
        called = self.callable
        is_async = inspect.iscoroutinefunction(called) or inspect.isasyncgenfunction(called)
        object.__setattr__(self, "is_async", is_async)
        object.__setattr__(self, "_takes_context", "context" in _parameters(called))

    def bind(self, arguments: JsonObject, context: object) -> Success[Bound] | Failure:
        """Give the call; plain JSON is handed over as it is."""
        extra = {"context": context} if self._takes_context else {}
        return Success(value=partial(self.callable, **{**arguments, **extra}))

    def dump(self, value: object) -> JsonValue:
        """Give what came back as JSON, by pydantic's rules."""
        from pydantic import TypeAdapter

        return TypeAdapter[object](object).dump_python(value, mode="json")


def _parameters(called: Callable[..., object]) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(called).parameters)
    except (TypeError, ValueError):  # some built-in callables have no signature
        return ()
