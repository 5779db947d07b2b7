"""`PostgresStore`: used tickets and their answers in a PostgreSQL database, for many machines."""

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock
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
    attempt to connect, in seconds. A process keeps one connection, which its threads share.

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
        self._process = os.getpid()
        self._lock = Lock()
        self._session: PostgresSession | None = None

    def __repr__(self) -> str:
        return "PostgresStore(...)"

    def __reduce__(self) -> tuple[object, ...]:
        return (partial(PostgresStore, timeout=self._timeout), (self._dsn,))

    def close(self) -> None:
        """Close the connection; a later call opens a new one."""
        session: PostgresSession | None = getattr(self, "_session", None)
        self._session = None
        if session is not None:
            session.close()

    def _done(self, statements: Callable[[Execute], T]) -> T:
        """Return the result of statements; on a connection that was lost they run once again."""
        if self._process != os.getpid():  # a forked process must not use its parent's
            self._process, self._lock, self._session = os.getpid(), Lock(), None
        with self._lock:
            if self._session is not None:
                with suppress(self._errors):
                    return self._run(statements, self._session)
            try:
                return self._run(statements, self._opened())
            except self._errors as error:
                reason = f"The database did not do it ({type(error).__name__})."
                raise TicketStoreError("PostgresStore", reason, _REMEDY) from None  # no dsn

    def _run(self, statements: Callable[[Execute], T], session: PostgresSession) -> T:
        try:
            return statements(cast("Execute", session.execute))
        except BaseException:  # an interrupt too: what the connection waits for is not known
            self.close()
            raise

    def _opened(self) -> PostgresSession:
        milliseconds = int(self._timeout * 1000)
        session = self._session = self._connect(
            self._dsn,
            autocommit=True,
            connect_timeout=max(1, round(self._timeout)),
            options=f"-c statement_timeout={milliseconds} -c lock_timeout={milliseconds}",
        )
        self._run(lambda execute: execute(_TABLE, ()), session)
        return session


_REMEDY: Final = "Look at the server, and at the connection string."

_TABLE: Final = """
DO $$ BEGIN
  CREATE TABLE IF NOT EXISTS pyfunctools_tickets (
    id text PRIMARY KEY, expires bigint NOT NULL, claimant text NOT NULL, answer text);
  CREATE INDEX IF NOT EXISTS pyfunctools_tickets_by_end ON pyfunctools_tickets (expires);
EXCEPTION WHEN unique_violation OR duplicate_table THEN  -- another process made it now
END $$"""
