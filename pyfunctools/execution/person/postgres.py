"""`PostgresStore`: used tickets and their answers in a PostgreSQL database, for many machines."""

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pyfunctools.errors import DefinitionError, missing_extra, wrong_type
from pyfunctools.execution.person.stores import TABLES, SqlStore

if TYPE_CHECKING:
    from psycopg import Connection


class PostgresStore(SqlStore):
    """Remembers used tickets in a PostgreSQL database, for all processes of all machines.

    `dsn` is a connection string as libpq reads it (`"host=db dbname=shop"`, `"postgresql://..."`);
    it is in no `repr`, and its `options` are kept. The table `pyfunctools_tickets` is made when the
    store is first used, and not again: a store whose table is gone has lost its claims, and claims
    nothing. The table holds ids, expiries and answers, never a value of a person's; rows go an hour
    after they expired by the clocks of the store's `Tickets`. `timeout` bounds each statement on
    the server, and each attempt to connect, in seconds. A process has one connection.

    Raises:
        MissingExtraError: psycopg 3 is not installed (the extra `postgres`).
        DefinitionError: `dsn` is not text.
    """

    _mark = "%s"
    _skips = " FOR UPDATE SKIP LOCKED"
    _has_table = False

    def __init__(self, dsn: str, *, timeout: float = 5) -> None:
        try:
            import psycopg
        except ImportError as error:
            package = "psycopg, version 3,"
            raise missing_extra("PostgresStore", package, "psycopg", "postgres", error) from None
        if not isinstance(dsn, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise wrong_type("PostgresStore(dsn)", "a connection string", dsn)
        if isinstance(timeout, bool) or not timeout > 0:
            raise DefinitionError("PostgresStore(timeout)", "This must be more than 0 seconds.")
        self._errors = self._lost = (psycopg.Error,)
        super().__init__(dsn, timeout)

    def __repr__(self) -> str:
        return "PostgresStore(...)"

    def _told(self, error: Exception) -> str:
        return type(error).__name__  # its message may have the connection string

    def _opened(self) -> "Connection[tuple[Any, ...]]":
        import psycopg
        from psycopg.conninfo import conninfo_to_dict

        seconds, milliseconds = max(1, round(self._timeout)), int(self._timeout * 1000)
        given = conninfo_to_dict(self._place).get("options") or os.environ.get("PGOPTIONS", "")
        session = psycopg.connect(
            self._place,
            autocommit=True,
            connect_timeout=seconds,
            keepalives_idle=seconds,
            tcp_user_timeout=milliseconds,  # of a server that cannot be reached any more
            options=f"{given} -c statement_timeout={milliseconds} -c lock_timeout={milliseconds}",
            prepare_threshold=None,  # behind a pool, others have prepared statements of that name
        )
        try:
            for statement in () if self._has_table else TABLES:
                # If another process makes the table now, this says so although it asks "if not".
                with suppress(psycopg.errors.UniqueViolation, psycopg.errors.DuplicateTable):
                    session.execute(statement)
        except BaseException:  # an interrupt too
            session.close()
            raise
        self._has_table = True
        return session
