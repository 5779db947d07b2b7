"""What is shown before a call that may do harm: where it goes, and all that it carries."""

import json

from rich.console import Console
from rich.panel import Panel

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.cli.display import compact, plain
from pyfunctools.cli.typed_line import is_yes
from pyfunctools.execution.person.approval import PendingCall
from pyfunctools.record.file import File
from pyfunctools.record.function import Function
from pyfunctools.record.origin import place
from pyfunctools.route import Route


def approved(pending: PendingCall, server: str | None) -> bool:
    """Show the call, its secrets hidden, and ask whether to go on.

    Raises:
        typer.Abort: the input has ended, or the person has ended it.
    """
    function, shown = pending.function, compact(_without_bytes(pending.arguments))
    text = f"{address(function, server)}\n\n{shown}"
    title = "about to run, and destructive" if function.destructive else "about to run"
    console = Console(stderr=True)
    console.print(Panel(plain(text), title=title, title_align="left", border_style="yellow"))
    return is_yes(f"Run {function.name}?")


def address(function: Function, server: str | None) -> str:
    """Return where a call goes: method and address, or the method's qualified name."""
    origin = function.origin
    if not isinstance(origin, Route):
        return place(origin)
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
