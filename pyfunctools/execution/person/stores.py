"""Stores of used tickets, so that each ticket can be used once, and of what came of its call.

An expired ticket is refused by its date, so a store may forget its claim. The store remembers the
latest expiry among the forgotten claims: of a ticket that expires no later it cannot tell whether
it was used, and raises. So even if clocks differ, or one was ahead, no call runs twice.
"""

import os
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias, TypeVar, cast

from pyfunctools.errors import DefinitionError, TicketStoreError

if TYPE_CHECKING:  # loaded by the first `SqliteStore`
    from sqlite3 import Connection

T = TypeVar("T")

Clock: TypeAlias = Callable[[], float]
"""A function that returns seconds since 1970."""

SWEEP = 100
"""The most expired claims that are removed with each new one."""


class TicketStore(Protocol):
    """A store of used tickets: a table, or a cache with expiring keys.

    All processes that accept the same tickets have to share one store. It may also keep what came
    of each ticket's call: then it has `record(ticket_id, answer)`, with a text, and
    `answer(ticket_id)`, which returns that text or `None`. A second `resume` returns that answer.
    Under `aresume` all of them may return awaitables.
    """

    def claim(self, ticket_id: str, expires: int, /) -> bool | Awaitable[bool]:
        """Return whether this is the first claim of this id, and remember it.

        Of several claims at the same time only one may return true. The id, and its answer, may be
        forgotten a minute after `expires`, in seconds since 1970. If this raises, the call does not
        run, and the ticket stays valid.
        """
        ...


def time_of(clock: Clock) -> float:
    """Return the time of the program's clock.

    Raises:
        DefinitionError: the clock raises, or does not return seconds since 1970.
    """
    remedy = "Return seconds since 1970, as `time.time` does."
    try:
        now = cast("object", clock())
    except Exception as error:  # the program's code may raise anything
        reason = f"It raised {type(error).__name__}: {error}."
        raise DefinitionError("Tickets(clock)", reason, remedy) from error
    if isinstance(now, int | float) and abs(now) < _LATEST:  # false for NaN
        return now
    raise DefinitionError("Tickets(clock)", f"It returned {now!r}.", remedy)


class _ByClocks:
    """The clocks of all `Tickets` with one store: a claim expires when it has expired by all.

    It has to have expired by the clock of this machine too: one that is ahead forgets nothing.
    """

    def __init__(self) -> None:
        self._clocks: list[Clock] = [time.time]

    def follow(self, clock: Clock) -> None:
        """Use this clock too."""
        if not any(clock == known for known in self._clocks):
            self._clocks.append(clock)

    def _now(self) -> float:
        return min(map(time_of, self._clocks))


class MemoryStore(_ByClocks):
    """Remembers used tickets in this process, for all its threads, until they expire.

    It uses the clock of its `Tickets`. It holds at most `limit` claims, and forgets no ticket that
    could be used again; of the answers it keeps the latest. It cannot be used in a forked process.
    """

    def __init__(self, limit: int = 100_000) -> None:
        super().__init__()
        self._limit = limit
        self._process = os.getpid()
        self._lock = Lock()
        self._used: dict[str, int] = {}  # the expiries by the ids
        self._forgotten: float = float("-inf")
        self._answers: dict[str, str] = {}
        self._size = 0

    def __len__(self) -> int:
        return len(self._used)

    def claim(self, ticket_id: str, expires: int, /) -> bool:
        """Return whether this is the first claim of this id, and remember it.

        Raises:
            TicketStoreError: the store is full, belongs to another process, or cannot tell.
        """
        if os.getpid() != self._process:  # a claim here would be missing in the other processes
            why = "It was made before this process was forked, and each process has its own memory."
            remedy = "Share a `SqliteStore(path)`, or make the store after the fork."
            raise TicketStoreError("MemoryStore", why, remedy)
        with self._lock:
            until = self._now() - _GRACE
            for _ in range(SWEEP):
                oldest = next(iter(self._used), "")  # the one that was claimed first
                if self._used.get(oldest, until) >= until:
                    break
                self._forgotten = max(self._forgotten, self._used.pop(oldest))
                self._size -= len(self._answers.pop(oldest, ""))
            if ticket_id in self._used:
                return False
            if expires <= self._forgotten:
                _refuse_forgotten("MemoryStore")
            if len(self._used) >= self._limit:
                why = f"It remembers {self._limit} used tickets already."
                remedy = "Give `Tickets` a shorter lifetime, or a store that can hold more."
                raise TicketStoreError("MemoryStore", why, remedy)
            self._used[ticket_id] = expires
            return True

    def record(self, ticket_id: str, answer: str, /) -> None:
        """Remember the answer of a claimed ticket."""
        with self._lock:
            if ticket_id in self._used:
                self._size += len(answer) - len(self._answers.pop(ticket_id, ""))
                self._answers[ticket_id] = answer
            while self._size > _MOST_TEXT:
                self._size -= len(self._answers.pop(next(iter(self._answers))))

    def answer(self, ticket_id: str, /) -> str | None:
        """Return the answer of a ticket, `None` if there is none."""
        return self._answers.get(ticket_id)


class SqlStore(_ByClocks, ABC):
    """Remembers used tickets, and their answers, in a table of a database.

    A process has one connection, which its threads share; it is closed before a fork. A claim may
    be repeated after an error, at once or by the next `claim` of its id: its row holds who claimed
    it. The row without an id remembers the latest expiry among the forgotten claims. After an error
    in `_lost` the statements run once again, on a new connection.
    """

    _connection: Any = None
    _errors: tuple[type[Exception], ...]
    _lost: tuple[type[Exception], ...] = ()
    _mark = "?"
    _skips = ""

    blocks = True
    """Whether a claim may wait for others."""

    def __init__(self, place: str, timeout: float) -> None:
        super().__init__()
        self._place = place
        self._timeout = timeout
        self._lock = Lock()
        self._unsure = dict[str, str]()  # the claimants by the ids, if a row may be theirs
        with _FORK:
            _OPEN.add(self)

    def __del__(self) -> None:
        self._close()

    def __reduce__(self) -> tuple[object, ...]:
        return (partial(type(self), timeout=self._timeout), (self._place,))

    def claim(self, ticket_id: str, expires: int, /) -> bool:
        """Return whether this is the first claim of this id, and remember it.

        Raises:
            TicketStoreError: the database cannot be reached or written, or it cannot tell.
        """
        claimant = self._unsure.pop(ticket_id, None) or token_hex(8)
        until = self._now() - _GRACE_OF_TABLE

        def write() -> tuple[str, int | None] | None:
            self._execute(_REMEMBER_LATEST, until, SWEEP)
            self._execute(_FORGET.format(skips=self._skips), until, SWEEP)
            self._execute(_CLAIM, ticket_id, expires, claimant)
            return self._execute(_CLAIMED, ticket_id).fetchone()

        try:
            winner, forgotten = self._done(write) or (claimant, expires)  # gone at once: it was old
            if winner == claimant and forgotten is not None and expires <= forgotten:
                _refuse_forgotten(repr(self))
        except BaseException:  # an interrupt too
            self._unsure[ticket_id] = claimant
            for oldest in list(self._unsure)[:-_MOST_UNSURE]:
                self._unsure.pop(oldest, None)  # another thread may be faster
            raise
        return winner == claimant

    def record(self, ticket_id: str, answer: str, /) -> None:
        """Remember the answer of a claimed ticket."""
        text = answer.replace("\0", "\N{REPLACEMENT CHARACTER}")  # which PostgreSQL cannot hold
        self._done(lambda: self._execute(_RECORD, text, ticket_id))

    def answer(self, ticket_id: str, /) -> str | None:
        """Return the answer of a ticket, `None` if there is none."""
        row = self._done(lambda: self._execute(_ANSWER, ticket_id).fetchone())
        return None if row is None else row[0]

    def close(self) -> None:
        """Close the connection when no thread uses it; a later claim opens a new one."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def before_fork(self) -> None:
        """Close the connection: it must not exist in two processes."""
        self._lock.acquire()
        self._close()

    def after_fork(self) -> None:
        """Go on after a fork, in both processes: of a claim that is not sure, neither is."""
        self._unsure.clear()
        self._lock.release()

    def _done(self, statements: Callable[[], T]) -> T:
        """Return the result of statements, each of which is a transaction of its own."""
        is_held = list[bool]()
        try:
            # One step: an interrupt between two would leave the lock to nobody.
            is_held += map(self._lock.acquire, (True,), (self._timeout,))
            if not is_held[0]:
                raise self._failed("other threads wait for it")
            if self._connection is not None:
                with suppress(*self._lost):
                    return self._run(statements)
            return self._run(statements)
        except self._errors as error:
            raise self._failed(self._told(error)) from None
        finally:
            if is_held and is_held[0]:
                self._lock.release()

    def _run(self, statements: Callable[[], T]) -> T:
        try:
            if self._connection is None:
                self._connection = self._opened()
            return statements()
        except BaseException:  # an interrupt too: what the connection waits for is not known
            self._close()
            raise

    def _execute(self, statement: str, *values: object) -> Any:
        """Run a statement of SQL, with `%s` for each value, and return its cursor."""
        return self._connection.execute(statement.replace("%s", self._mark), values)

    def _failed(self, reason: str) -> TicketStoreError:
        text = f"The claim could not be written: {reason}."
        return TicketStoreError(repr(self), text, "Look at the database.")

    def _told(self, error: Exception) -> str:
        """Return what may be told of an error."""
        return str(error)

    @abstractmethod
    def _opened(self) -> Any:
        """Return a new connection to the table."""


_OPEN: "weakref.WeakSet[SqlStore]" = weakref.WeakSet()
_FORK = Lock()
"""Held by a thread that forks, as others may do so at the same time, or make a store."""


class SqliteStore(SqlStore):
    """Remembers used tickets in an SQLite file, for all threads and processes of one machine.

    The file may be the application's own: the table is `pyfunctools_tickets`; the file is set to
    write-ahead logging. A claim is on disk when `claim` returns; it waits for other transactions
    for up to `timeout` seconds. A process has one connection, closed before a fork and by `close`.
    The store uses the clock of its `Tickets`.

    Raises:
        DefinitionError: no database can be opened or created at the path.
    """

    def __init__(self, path: str | os.PathLike[str], *, timeout: float = 5) -> None:
        import sqlite3

        self._path = _checked(path)
        self._errors = (sqlite3.Error, OSError, OverflowError)
        self._file: tuple[int, int] | None = None
        super().__init__(str(self._path), timeout)
        try:
            with self._lock:  # as another thread may fork
                self._connection = self._opened("rwc")
                for statement in TABLES:
                    self._execute(statement)
        except sqlite3.Error as error:
            self._close()
            reason = f"No database can be opened or created at {self._place!r}: {error}."
            remedy = "Pass the path of a file in a directory that exists and can be written to."
            raise DefinitionError("SqliteStore(path)", reason, remedy) from error

    def __repr__(self) -> str:
        return f"SqliteStore({self._place!r})"

    def _run(self, statements: Callable[[], T]) -> T:
        if self._file != _identity(self._path):
            self._close()
        return super()._run(statements)

    def _opened(self, mode: str = "rw") -> "Connection":  # which does not create a deleted file
        import sqlite3

        connection = sqlite3.connect(
            f"{self._path.as_uri()}?mode={mode}",
            uri=True,
            timeout=self._timeout,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error:
            connection.close()
            raise
        self._file = _identity(self._path)
        return connection


def _before_fork() -> None:
    _FORK.acquire()
    for each in _OPEN:
        each.before_fork()


def _after_fork() -> None:
    for each in _OPEN:
        each.after_fork()
    _FORK.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another at the same path, `None` if there is none."""
    with suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None


def _refuse_forgotten(store: str) -> NoReturn:
    raise TicketStoreError(
        store,
        "It has forgotten claims that expire later than this ticket, so a clock was ahead; it "
        "cannot tell whether the ticket was used.",
        "Set the clock, and start the call again when the ticket has expired.",
    )


def _checked(path: object) -> Path:
    """Return the absolute path, so that a change of the working directory does not matter."""
    if isinstance(path, str | os.PathLike):
        given = os.fsdecode(cast("str", path))
        if given and not given.startswith(":memory:"):
            return Path(os.path.abspath(given))
    reason = f"This must be the path of a file, not {path!r}."
    remedy = "Use `MemoryStore()` if there is only one process."
    raise DefinitionError("SqliteStore(path)", reason, remedy)


_GRACE = 60
_GRACE_OF_TABLE = 3600
"""Seconds for which an expired claim is kept, since the clocks of processes may differ."""

_LATEST = 1e15
_MOST_UNSURE = 10_000
_MOST_TEXT = 64 << 20
"""Characters of all answers in a `MemoryStore`."""

_REMEMBER_LATEST = """
INSERT INTO pyfunctools_tickets (id, expires, claimant)
SELECT '', latest, '' FROM (
  SELECT max(expires) AS latest FROM (
    SELECT expires FROM pyfunctools_tickets WHERE expires < %s AND id <> ''
    ORDER BY expires LIMIT %s) AS old) AS ended WHERE latest IS NOT NULL
ON CONFLICT (id) DO UPDATE
  SET expires = excluded.expires WHERE excluded.expires > pyfunctools_tickets.expires"""
"""Comes before `_FORGET`: a claim in between is refused."""
_FORGET = """
DELETE FROM pyfunctools_tickets WHERE id IN (
  SELECT id FROM pyfunctools_tickets WHERE expires < %s AND id <> ''
  AND expires <= (SELECT expires FROM pyfunctools_tickets WHERE id = '')
  ORDER BY expires LIMIT %s{skips})"""
_CLAIM = """
INSERT INTO pyfunctools_tickets (id, expires, claimant) VALUES (%s, %s, %s)
ON CONFLICT (id) DO NOTHING"""
_CLAIMED = """
SELECT claimant, (SELECT expires FROM pyfunctools_tickets WHERE id = '')
FROM pyfunctools_tickets WHERE id = %s"""
_RECORD = "UPDATE pyfunctools_tickets SET answer = %s WHERE id = %s"
_ANSWER = "SELECT answer FROM pyfunctools_tickets WHERE id = %s"

TABLES = (
    "CREATE TABLE IF NOT EXISTS pyfunctools_tickets (id text PRIMARY KEY,"
    " expires bigint NOT NULL, claimant text NOT NULL, answer text)",
    "CREATE INDEX IF NOT EXISTS pyfunctools_tickets_by_end ON pyfunctools_tickets (expires)",
)
"""The statements that make the table, if there is none."""
