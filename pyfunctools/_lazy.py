"""A value that is made when it is first asked for, and then kept."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import Lock, RLock
from typing import TYPE_CHECKING, Generic, TypeVar, cast

T = TypeVar("T")
V = TypeVar("V")

_LOCKS = Lock()
"""Held while a cell gets its lock."""


class Lazy(Generic[T]):
    """One `value`, made when it is first read, and kept: from then on it is a plain attribute.

    Two threads that ask at once get the same value; cells whose makers share something share a
    `lock` too, one that its holder may take again. An exception is not kept: the next reader tries
    again. Equality, copies and pickles are those of the value, so they make it first.
    """

    __slots__ = ("_lock", "_make", "value")

    value: T

    def __init__(
        self, make: Callable[[], T], lock: AbstractContextManager[object] | None = None
    ) -> None:
        self._make: Callable[[], T] | None = make
        self._lock = lock

    @staticmethod
    def of(value: V) -> "Lazy[V]":
        """Return a cell that already holds `value`."""
        cell = Lazy(lambda: value)
        _ = cell.value
        return cell

    @property
    def made(self) -> bool:
        """Whether the value is there already."""
        return self._make is None

    if not TYPE_CHECKING:  # or every other attribute would be thought to be there

        def __getattr__(self, name: str) -> T:
            """Make the value: Python asks here for an attribute that is not there yet."""
            if name != "value":
                raise AttributeError(name)
            with self._locked():
                if self._make is not None:
                    self.value = self._make()
                    self._make = self._lock = None
            return self.value

    def _locked(self) -> AbstractContextManager[object]:
        # A lock of its own only while the value is made: of most cells nobody ever asks.
        with _LOCKS:
            if self._lock is None:
                self._lock = RLock()
            return self._lock

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Lazy):
            return NotImplemented
        return self is other or bool(self.value == cast("Lazy[object]", other).value)

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        return f"Lazy({self.value!r})" if self.made else "Lazy(...)"

    def __reduce__(self) -> tuple[object, ...]:
        return (Lazy.of, (self.value,))
