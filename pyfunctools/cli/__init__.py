"""The command line: `list`, `show`, `call`, `check`, `serve` and more; see `app`."""

from pyfunctools.cli.app import run

__all__ = ["run"]
