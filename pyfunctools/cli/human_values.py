"""The person's part of a call: their values, and whether to go on."""

import sys

import typer
from rich.console import Console

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.cli.asking import ask as asked_for
from pyfunctools.cli.asking import refused
from pyfunctools.cli.call_preview import approved
from pyfunctools.cli.display import plain
from pyfunctools.execution.person.approval import View
from pyfunctools.execution.person.questions import values_of
from pyfunctools.execution.person.uploads import merged
from pyfunctools.record.function import Function
from pyfunctools.schema import Failure


def human_part(
    function: Function,
    text: str,
    given: JsonObject | None,
    server: str | None,
    *,
    yes: bool,
    ask: bool,
) -> JsonObject | None:
    """Return the human's side of a call that may run, asked for where a person is there to answer.

    Nothing is asked where what the model wrote is refused anyway: calling says so.

    Raises:
        typer.Exit: nobody is there to give what is missing, or to approve, or they did not.
        typer.Abort: the input has ended, or the person has ended it.
    """
    checked = function.check(text)
    if not checked:
        return given
    is_there = ask or sys.stdin.isatty()
    lacking = refused(function, checked.value, given or {})
    if lacking and not is_there:
        told = Failure(value=None, issues=lacking).to_person()
        _say("Missing or not right:", told, "Give it with --human, or call it in a terminal.")
        return given  # which is not enough to run: calling says so
    if function.separated is not None and (ask or lacking):
        given = asked_for(function, checked.value, given or {})
    whole = merged(function, checked.value, values_of(function, checked.value, given or {})[1])
    if whole and (function.confirm or function.destructive is True) and not yes:
        if not is_there:
            _say(
                f"{function.name} asks a person before it runs. Nothing has run.",
                "Say --yes, or call it in a terminal.",
            )
            raise typer.Exit(1)
        if not approved(View(function, _object(whole.value)).pending, server):
            _say("Not approved. Nothing has run.")
            raise typer.Exit(1)
    return given


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _say(*lines: str) -> None:
    Console(stderr=True).print(plain("\n".join(lines), "yellow"), soft_wrap=True)
