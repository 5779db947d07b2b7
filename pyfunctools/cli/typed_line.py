"""One typed line: asked for on standard error, so that standard output has the answer only."""

import sys

import typer

from pyfunctools._text import visible


def line(asked: str, *, hidden: bool = False) -> str:
    """Return the line that a person types after a question, without echo where it is `hidden`.

    Raises:
        typer.Abort: the input has ended, or the person has ended it.
    """
    asked = visible(asked)
    if sys.stdin.isatty() and (hidden or sys.stdout.isatty()):
        typed: str = typer.prompt(
            asked, default="", show_default=False, hide_input=hidden, err=True
        )
        return typed
    typer.echo(f"{asked}: ", nl=False, err=True)
    read = sys.stdin.readline()
    if not read:
        raise typer.Abort
    return read.rstrip("\r\n")


def is_yes(asked: str) -> bool:
    """Return whether a person answers yes; to answer nothing is no.

    Raises:
        typer.Abort: the input has ended, or the person has ended it.
    """
    while True:
        typed = line(f"{asked} [y/N]").strip().lower()
        if typed in ("y", "yes"):
            return True
        if typed in ("", "n", "no"):
            return False
