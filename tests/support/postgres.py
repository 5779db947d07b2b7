"""A PostgreSQL server of the tests' own: in a new folder, on a Unix socket in it."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

INSTALLED = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))


def program(name: str) -> str:
    """Return the path of a program of PostgreSQL; skip the test if it is not installed."""
    found = str(INSTALLED[-1].with_name(name)) if INSTALLED else shutil.which(name)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed; `apt-get install postgresql` does it")
        pytest.skip("PostgreSQL is not installed")
    return found


class Server:
    """A server that can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.dsn = f"host={folder} dbname=postgres user=tests"
        self._data = folder / "data"
        self._run(
            program("initdb"), "-D", str(self._data), "-U", "tests", "-A", "trust", "-E", "UTF8"
        )

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}' -c fsync=off"
        self._run(
            program("pg_ctl"), "-D", str(self._data), "-o", options, "-w", "-l",
            str(self.folder / "log"), "start",
        )  # fmt: skip

    def stop(self, mode: str = "fast") -> None:
        """Stop the server; `immediate` is as a crash."""
        self._run(program("pg_ctl"), "-D", str(self._data), "-m", mode, "-w", "stop")

    def dump(self) -> str:
        """Return the whole database as SQL."""
        return self._run(program("pg_dump"), self.dsn)

    def _run(self, *command: str) -> str:
        """Run a program as another user than root, whom PostgreSQL refuses."""
        user = "postgres" if os.getuid() == 0 else None
        done = subprocess.run(command, user=user, capture_output=True, text=True, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def postgres_server() -> Iterator[Server]:
    """Yield a running server, which is stopped and removed at the end."""
    program("pg_ctl")
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # a short path: a socket's has 107 bytes
    if os.getuid() == 0:
        os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)
    try:
        server = Server(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
