"""Stores of used tickets, so that each ticket can be used once.

An expired ticket is refused by its date, so a store may forget its claim. The store remembers the
latest expiry among the forgotten claims, and refuses every ticket that expires no later. So even if
the clocks of processes differ, no ticket whose claim was forgotten is accepted again.
"""

import os
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from heapq import heappop, heappush
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

from pyfunctools.errors import DefinitionError, TicketStoreError

if TYPE_CHECKING:  # loaded by the first `SqliteStore`
    from sqlite3 import Connection

Clock: TypeAlias = Callable[[], float]
"""A function that returns seconds since 1970."""

SWEEP = 100
"""The most expired claims that are removed with each new one."""


class TicketStore(Protocol):
    """A store of used tickets: a table, or a cache with expiring keys.

    All processes that accept the same tickets have to share one store.
    """

    def claim(self, ticket_id: str, expires: int, /) -> bool | Awaitable[bool]:
        """Return whether this is the first claim of this id, and remember it.

        Of several claims at the same time only one may return true. The id may be forgotten a
        minute after `expires`, in seconds since 1970. Under `aresume` the result may be awaitable.
        If this raises, the call does not run, and the ticket stays valid.
        """
        ...


class _Clocks:
    """The clocks of all `Tickets` with one store: a claim expires when it has expired by all."""

    def __init__(self) -> None:
        self._clocks: list[Clock] = []

    def add(self, clock: Clock) -> None:
        if not any(clock == known for known in self._clocks):
            self._clocks.append(clock)

    def now(self) -> float:
        return min(clock() for clock in self._clocks or (time.time,))


class MemoryStore:
    """Remembers used tickets in this process, for all its threads, until they expire.

    It uses the clock of its `Tickets`. It holds at most `limit` claims, and forgets no ticket that
    could be used again. It cannot be used in a forked process.
    """

    def __init__(self, limit: int = 100_000) -> None:
        self._limit = limit
        self._process = os.getpid()
        self._clocks = _Clocks()
        self._lock = Lock()
        self._used: set[str] = set()
        self._ends: list[tuple[int, str]] = []
        self._forgotten: float = float("-inf")

    def __len__(self) -> int:
        return len(self._used)

    def follow(self, clock: Clock) -> None:
        """Use this clock too."""
        self._clocks.add(clock)

    def claim(self, ticket_id: str, expires: int, /) -> bool:
        """Return whether this is the first claim of this id, and remember it.

        Raises:
            TicketStoreError: the store is full, or belongs to another process.
        """
        if os.getpid() != self._process:  # a claim here would be missing in the other processes
            raise TicketStoreError(
                "MemoryStore",
                "It was made before this process was forked, and each process has its own memory.",
                "Share a `SqliteStore(path)`, or make the store after the fork.",
            )
        with self._lock:
            self._sweep()
            if ticket_id in self._used or expires <= self._forgotten:
                return False
            if len(self._used) >= self._limit:
                raise TicketStoreError(
                    "MemoryStore",
                    f"It remembers {self._limit} used tickets already.",
                    "Give `Tickets` a shorter lifetime, or a store that can hold more.",
                )
            self._used.add(ticket_id)
            heappush(self._ends, (expires, ticket_id))
            return True

    def _sweep(self) -> None:
        until = self._clocks.now() - _GRACE
        for _ in range(SWEEP):
            if not self._ends or self._ends[0][0] >= until:
                return
            self._forgotten, ticket_id = heappop(self._ends)
            self._used.remove(ticket_id)


class SqliteStore:
    """Remembers used tickets in an SQLite file, for all threads and processes of one machine.

    The file may be the application's own: the tables are `pyfunctools_claims` and
    `pyfunctools_forgotten`. Each claim is one transaction over its own connection, on disk when
    `claim` returns; it waits for other transactions for up to `timeout` seconds. The store uses the
    clock of its `Tickets`.

    Raises:
        DefinitionError: no database can be opened or created at the path.
    """

    def __init__(self, path: str | os.PathLike[str], *, timeout: float = 5) -> None:
        import sqlite3

        self._path = _checked(path)
        self._timeout = timeout
        self._clocks = _Clocks()
        try:
            with self._open("rwc") as connection:
                for statement in _TABLES:
                    connection.execute(statement)
        except sqlite3.Error as error:
            raise DefinitionError(
                "SqliteStore(path)",
                f"No database can be opened or created at {str(self._path)!r}: {error}.",
                "Pass the path of a file in a directory that exists and can be written to.",
            ) from error

    def __repr__(self) -> str:
        return f"SqliteStore({str(self._path)!r})"

    def follow(self, clock: Clock) -> None:
        """Use this clock too."""
        self._clocks.add(clock)

    def claim(self, ticket_id: str, expires: int, /) -> bool:
        """Return whether this is the first claim of this id, and remember it.

        Raises:
            TicketStoreError: the file is locked, full, damaged, or gone.
        """
        import sqlite3

        try:
            with self._open("rw") as connection:
                return _claim(connection, ticket_id, expires, self._clocks.now() - _GRACE_OF_FILE)
        except (sqlite3.Error, OverflowError) as error:
            raise TicketStoreError(
                repr(self), f"The claim could not be written: {error}.", "Look at the file."
            ) from error

    @contextmanager
    def _open(self, mode: str) -> "Generator[Connection]":
        """Open the file for one write transaction, which is rolled back on an exception."""
        import sqlite3

        address = (
            f"{self._path.as_uri()}?mode={mode}"  # `rw` does not create a file that was deleted
        )
        # `isolation_level=None`: a claim has to hold the lock before it reads.
        connection = sqlite3.connect(address, uri=True, timeout=self._timeout, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        finally:
            connection.close()  # which rolls back what was not committed


def _claim(connection: "Connection", ticket_id: str, expires: int, until: float) -> bool:
    old = connection.execute(
        "SELECT id, expires FROM pyfunctools_claims WHERE expires < ? ORDER BY expires LIMIT ?",
        (until, SWEEP),
    ).fetchall()
    if old:
        connection.executemany("DELETE FROM pyfunctools_claims WHERE id = ?", [i[:1] for i in old])
        connection.execute("UPDATE pyfunctools_forgotten SET until = max(until, ?)", old[-1][1:])
    [(forgotten,)] = connection.execute("SELECT until FROM pyfunctools_forgotten").fetchall()
    if expires <= forgotten:
        return False
    claimed = connection.execute(
        "INSERT OR IGNORE INTO pyfunctools_claims (id, expires) VALUES (?, ?)",
        (ticket_id, expires),
    )
    return claimed.rowcount == 1


def _checked(path: object) -> Path:
    """Return the absolute path, so that a change of the working directory does not matter."""
    kind = type(path).__name__
    given = os.fspath(cast("str", path)) if isinstance(path, _PATHS) else None
    if isinstance(given, str) and given and not given.startswith(":memory:"):
        return Path(os.path.abspath(given))
    reason = "A database in memory is not shared, not even by two threads."
    if not isinstance(given, str):
        reason = f"This must be a path, not `{kind}`."
    remedy = "Pass the path of a file, or use `MemoryStore()` if there is only one process."
    raise DefinitionError("SqliteStore(path)", reason, remedy)


_PATHS = (str, os.PathLike)
_GRACE = 60
_GRACE_OF_FILE = 3600
"""Seconds for which an expired claim is kept, since the clocks of processes may differ."""

_TABLES = (
    "CREATE TABLE IF NOT EXISTS pyfunctools_claims"
    " (id TEXT PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS pyfunctools_claims_by_end ON pyfunctools_claims (expires)",
    "CREATE TABLE IF NOT EXISTS pyfunctools_forgotten"
    " (only INTEGER PRIMARY KEY CHECK (only = 1), until INTEGER NOT NULL)",
    "INSERT OR IGNORE INTO pyfunctools_forgotten VALUES (1, 0)",
)
