"""`PostgresStore`: used tickets and their answers in a PostgreSQL database, for many machines."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from queue import Empty, LifoQueue
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from pyfunctools.errors import DefinitionError, MissingExtraError, TicketStoreError, wrong_type
from pyfunctools.execution.person.stores import Execute, SqlStore, T

if TYPE_CHECKING:
    from psycopg import Connection

PostgresSession: TypeAlias = "Connection[tuple[Any, ...]]"


class PostgresStore(SqlStore):
    """Remembers used tickets in a PostgreSQL database, for all processes of all machines.

    `dsn` is a connection string as libpq reads it (`"host=db dbname=shop"`, `"postgresql://..."`);
    it is in no `repr`. The table `pyfunctools_tickets` is made when the store is first used. It
    holds ids, expiries and answers, never a value of a person's; rows go an hour after they
    expired by the clocks of the store's `Tickets`. `timeout` bounds each statement, and each
    attempt to connect, in seconds. Connections are kept: one for each thread that uses the store
    at the same time.

    Raises:
        MissingExtraError: psycopg 3 is not installed (the extra `postgres`).
        DefinitionError: `dsn` is not text.
    """

    _sweep = (
        """
WITH old AS (
  DELETE FROM pyfunctools_tickets WHERE id IN (
    SELECT id FROM pyfunctools_tickets WHERE expires < %s AND id <> ''
    ORDER BY expires LIMIT %s FOR UPDATE SKIP LOCKED)
  RETURNING expires)
INSERT INTO pyfunctools_tickets (id, expires, claimant)
SELECT '', max(expires), '' FROM old HAVING count(*) > 0
ON CONFLICT (id) DO UPDATE
  SET expires = greatest(pyfunctools_tickets.expires, excluded.expires)""",
    )

    def __init__(self, dsn: str, *, timeout: float = 5) -> None:
        try:
            import psycopg
        except ImportError as error:
            reason = f"psycopg, version 3, is not installed: {error}."
            raise MissingExtraError("PostgresStore", reason, "postgres") from None
        if not isinstance(dsn, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise wrong_type("PostgresStore(dsn)", "a connection string", dsn)
        if isinstance(timeout, bool) or not timeout > 0:
            raise DefinitionError("PostgresStore(timeout)", "This must be more than 0 seconds.")
        self._errors = psycopg.Error
        self._connect = psycopg.connect
        self._dsn = dsn
        self._timeout = timeout
        super().__init__()
        self._has_table = False
        self._process = 0
        self._idle: LifoQueue[PostgresSession] = LifoQueue()

    def __repr__(self) -> str:
        return "PostgresStore(...)"

    def __reduce__(self) -> tuple[object, ...]:
        return (partial(PostgresStore, timeout=self._timeout), (self._dsn,))

    def close(self) -> None:
        """Close the connections that are kept; a later call opens new ones."""
        for session in self._kept() if hasattr(self, "_idle") else ():
            session.close()

    def _done(self, statements: Callable[[Execute], T]) -> T:
        """Return the result of statements; on a connection that was lost they run once again."""
        for session in self._kept():
            try:
                return self._run(statements, session)
            except self._errors:  # the server was restarted, maybe: the other ones are lost too
                self.close()
        try:
            return self._run(statements, self._opened())
        except self._errors as error:
            reason = f"The database did not do it ({type(error).__name__})."
            raise TicketStoreError("PostgresStore", reason, _REMEDY) from None  # no dsn

    def _run(self, statements: Callable[[Execute], T], session: PostgresSession) -> T:
        with _closed_on_error(session):
            result = statements(cast("Execute", session.execute))
        self._idle.put(session)
        return result

    def _kept(self) -> Iterator[PostgresSession]:
        """Yield the idle connections; a forked process must not use those of its parent."""
        if self._process != os.getpid():
            self._process, self._idle, self._has_table = os.getpid(), LifoQueue(), False
        while True:
            try:
                yield self._idle.get_nowait()
            except Empty:
                return

    def _opened(self) -> PostgresSession:
        milliseconds = int(self._timeout * 1000)
        session = self._connect(
            self._dsn,
            autocommit=True,
            connect_timeout=max(1, round(self._timeout)),
            options=f"-c statement_timeout={milliseconds} -c lock_timeout={milliseconds}",
        )
        if not self._has_table:
            with _closed_on_error(session):
                session.execute(_TABLE)
            self._has_table = True
        return session


@contextmanager
def _closed_on_error(session: PostgresSession) -> Generator[None]:
    try:
        yield
    except BaseException:
        session.close()
        raise


_REMEDY: Final = "Look at the server, and at the connection string."

_TABLE: Final = """
DO $$ BEGIN
  CREATE TABLE IF NOT EXISTS pyfunctools_tickets (
    id text PRIMARY KEY, expires bigint NOT NULL, claimant text NOT NULL, answer text);
  CREATE INDEX IF NOT EXISTS pyfunctools_tickets_by_end ON pyfunctools_tickets (expires);
EXCEPTION WHEN unique_violation OR duplicate_table THEN  -- another process made it now
END $$"""
