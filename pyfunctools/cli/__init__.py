"""The command line: `demo`, `list`, `show` and `call`."""

from pyfunctools.cli.app import run

__all__ = ["run"]
