"""The person's part of a call: their values, and whether to go on."""

import json
import sys
from collections.abc import Callable

from rich.console import Console
from rich.panel import Panel

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.cli.asking import ask as asked_for
from pyfunctools.cli.asking import is_yes, refused
from pyfunctools.cli.display import compact, plain
from pyfunctools.execution.person.approval import PendingCall
from pyfunctools.record.file import File
from pyfunctools.record.function import Function
from pyfunctools.record.origin import origin_text
from pyfunctools.route import Route
from pyfunctools.schema import Failure


def human_part(
    function: Function, text: str, given: JsonObject | None, *, ask: bool
) -> JsonObject | None:
    """Return the human's side of a call that may run, asked for where a person is there to answer.

    Nothing is asked where what the model wrote is refused anyway: calling says so.

    Raises:
        EOFError: the input has ended.
        KeyboardInterrupt: the person has ended it.
    """
    checked = function.check(text)
    if not checked or function.separated is None:
        return given
    lacking = refused(function, checked.value, given or {})
    if lacking and not is_there(ask):
        told = Failure(value=None, issues=lacking).to_person()
        _say("Missing or not right:", told, "Give it with --human, or call it in a terminal.")
        return given  # which is not enough to run: calling says so
    return asked_for(function, checked.value, given or {}) if ask or lacking else given


def approval(server: str | None, *, ask: bool) -> Callable[[PendingCall], bool | None]:
    """Return what shows a call, its secrets hidden, and asks whether to go on."""

    def approved(pending: PendingCall) -> bool | None:
        function = pending.function
        if not is_there(ask):
            _say("This asks a person before it runs: say --yes, or call it in a terminal.")
            return None
        text = f"{_address(function, server)}\n\n{compact(_without_bytes(pending.arguments))}"
        title = "about to run, and destructive" if function.destructive else "about to run"
        shown = Panel(plain(text), title=title, title_align="left", border_style="yellow")
        Console(stderr=True).print(shown)
        try:
            return is_yes(f"Run {function.name}?")
        except EOFError:
            return None

    return approved


def is_there(ask: bool) -> bool:
    """Return whether a person is there to be asked."""
    return ask or sys.stdin.isatty()


def _address(function: Function, server: str | None) -> str:
    """Return where a call goes: method and address, or the method's qualified name."""
    origin = function.origin
    if not isinstance(origin, Route):
        return origin_text(origin)
    base = server or ""
    if server == "document":
        base = origin.servers[0].url if origin.servers else ""
    return f"{origin.method} {base.rstrip('/')}{origin.path}"


def _without_bytes(value: JsonObject | JsonValue) -> JsonValue:
    """Return arguments to look at: of a file its name and size."""
    if isinstance(value, File):
        return f"<file {json.dumps(value.filename)}, {len(value.content)} bytes>"
    if isinstance(value, dict):
        return {name: _without_bytes(inner) for name, inner in value.items()}
    return [_without_bytes(item) for item in value] if isinstance(value, list) else value


def _say(*lines: str) -> None:
    Console(stderr=True).print(plain("\n".join(lines), "yellow"), soft_wrap=True)
