"""A value that is made when it is first read, and then kept."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import RLock
from typing import TYPE_CHECKING, Generic, TypeVar, TypeVarTuple, cast

T = TypeVar("T")
V = TypeVar("V")
Arguments = TypeVarTuple("Arguments")


class ProcessLock:
    """A reentrant lock of one process: in a forked one no thread holds it."""

    __slots__ = ("_locks",)

    def __init__(self) -> None:
        self._locks: dict[int, RLock] = {}  # by process; `setdefault` is atomic

    def __enter__(self) -> None:
        process = os.getpid()
        (self._locks.get(process) or self._locks.setdefault(process, RLock())).acquire()

    def __exit__(self, *_: object) -> None:
        if (lock := self._locks.get(os.getpid())) is not None:  # else a fork ended in its middle
            lock.release()


_LOCKS = ProcessLock()
"""Held while a `Lazy` creates its lock."""


class Lazy(Generic[T]):
    """One `value`, made when it is first read; afterwards it is a plain attribute.

    `arguments` are those of `make`. Two threads that read it at once get the same value. If the
    `make` functions of several objects share data, pass the same `ProcessLock` to each. An
    exception is not kept: the next reader tries again. To compare, copy or pickle a `Lazy` makes
    its value first, and uses only the value.
    """

    __slots__ = ("_arguments", "_lock", "_make", "value")

    value: T

    def __init__(
        self,
        make: Callable[[*Arguments], T],
        *arguments: *Arguments,
        lock: AbstractContextManager[object] | None = None,
    ) -> None:
        self._make: Callable[..., T] | None = make
        self._arguments: tuple[object, ...] = arguments
        self._lock = lock

    @staticmethod
    def of(value: V) -> "Lazy[V]":
        """Return an object that already holds `value`."""
        lazy = Lazy(lambda: value)
        _ = lazy.value
        return lazy

    @property
    def made(self) -> bool:
        """Whether the value has been made."""
        return self._make is None

    if not TYPE_CHECKING:  # else a type checker accepts every attribute

        def __getattr__(self, name: str) -> T:
            """Make the value: Python calls this for an attribute that does not exist yet."""
            if name != "value":
                raise AttributeError(name)
            with self._locked():
                if self._make is not None:
                    self.value = self._make(*self._arguments)
                    self._make, self._arguments, self._lock = None, (), None
            return self.value

    def _locked(self) -> AbstractContextManager[object]:
        # Created only now: most values are never read.
        with _LOCKS:
            if self._lock is None:
                self._lock = ProcessLock()
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
