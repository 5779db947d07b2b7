"""A person's values and approval for a call."""

import json
import sys
from collections.abc import Callable

from rich.console import Console
from rich.panel import Panel

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.cli.asking import ask_values, human_issues, is_confirmed
from pyfunctools.cli.display import pretty_json, print_note, safe_text
from pyfunctools.execution.person.approval import PendingCall
from pyfunctools.record.file import File
from pyfunctools.record.function import Function
from pyfunctools.record.origin import origin_text
from pyfunctools.route import Route
from pyfunctools.schema.feedback.plain_words import to_person


def human_values(
    function: Function, text: str, given: JsonObject | None, *, ask: bool
) -> JsonObject | None:
    """Return the person's values of a call; ask for missing ones if a person can be asked.

    If the model's arguments in `text` are invalid, no question is asked: the call reports them.

    Raises:
        EOFError: standard input has ended.
        KeyboardInterrupt: the person pressed ctrl-C.
    """
    checked = function.check(text)
    if not checked or function.separated is None:
        return given
    issues, values = human_issues(function, checked.value, given or {})
    if issues and not has_person(ask):
        text = to_person(issues, given=values)
        told = f"Missing or invalid:\n{text}\nUse --human, or call it in a terminal."
        print_note(told, "yellow")
        return given  # the call reports the issues
    return ask_values(function, checked.value, given or {}) if ask or issues else given


def approval_prompt(server: str | None, *, ask: bool) -> Callable[[PendingCall], bool | None]:
    """Return a function that shows a call, secrets masked, and asks the person to approve it."""

    def approve(pending: PendingCall) -> bool | None:
        function = pending.function
        if not has_person(ask):
            print_note("This needs approval: use --yes, or call it in a terminal.", "yellow")
            return None
        text = f"{_address(function, server)}\n\n{pretty_json(_without_bytes(pending.arguments))}"
        title = "about to run, and destructive" if function.destructive else "about to run"
        panel = Panel(safe_text(text), title=title, title_align="left", border_style="yellow")
        Console(stderr=True).print(panel)
        try:
            return is_confirmed(f"Run {function.name}?")
        except EOFError:
            return None

    return approve


def has_person(ask: bool) -> bool:
    """Return whether a person can be asked: in a terminal, or with the option `--ask`."""
    return ask or sys.stdin.isatty()


def _address(function: Function, server: str | None) -> str:
    """Return the method and URL of a request, or the qualified name of a Python method."""
    origin = function.origin
    if not isinstance(origin, Route):
        return origin_text(origin)
    base = server or ""
    if server == "document":
        base = origin.servers[0].url if origin.servers else ""
    return f"{origin.method} {base.rstrip('/')}{origin.path}"


def _without_bytes(value: JsonObject | JsonValue) -> JsonValue:
    """Return arguments with the name and size of each file in place of its content."""
    if isinstance(value, File):
        return f"<file {json.dumps(value.filename)}, {len(value.content)} bytes>"
    if isinstance(value, dict):
        return {name: _without_bytes(inner) for name, inner in value.items()}
    return [_without_bytes(item) for item in value] if isinstance(value, list) else value
