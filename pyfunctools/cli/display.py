"""Functions and outcomes on the terminal; foreign text is shown without control characters."""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from enum import IntEnum
from io import TextIOWrapper
from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.syntax import Syntax
from rich.text import Text

from pyfunctools._json import JsonSchema
from pyfunctools._text import shortened, text_of_value, visible
from pyfunctools.cli.advice import Advice, summed_up
from pyfunctools.controller import Controller
from pyfunctools.record.function import Function
from pyfunctools.record.origin import origin_text
from pyfunctools.record.outcome import Outcome
from pyfunctools.schema.feedback.pretty import pretty_json
from pyfunctools.schema.ground.json_values import preview

_BODY = 2_048
"""The most characters of a server's error."""
_EACH = 5
"""The most skipped parts of one reason that are listed one by one."""


def safe_text(text: str, style: str = "") -> Text:
    """Return a text without control characters; markup in it is not interpreted."""
    return Text(visible(text), style=style)


def code(text: str, language: str) -> Syntax:
    """Return highlighted code."""
    return Syntax(text, language, theme="ansi_dark", background_color="default", word_wrap=True)


def table_row(function: Function) -> tuple[str, str, str]:
    """Return the name of a function, its origin, and the first line of its description."""
    return function.name, origin_text(function.origin), function.description.partition("\n")[0]


def two_lines(rows: Iterable[tuple[str, str, str]]) -> RenderableType:
    """Return each row as its first cell, and a line with the other cells below."""
    parts: list[RenderableType] = []
    for first, *others in rows:
        under = safe_text(" · ".join(filter(None, others)))
        parts += [safe_text(first, "cyan"), Padding(under, (0, 0, 0, 4), expand=False)]
    return Group(*parts)


def skipped_text(controller: Controller) -> Text | None:
    """Return a line for each skipped part, or one for many of one reason; `None` for none."""
    if not controller.skipped:
        return None
    counts = Counter(item.reason for item in controller.skipped)
    lines = [
        f"{item.where}: {item.reason}" + (f" (at {item.pointer})" if item.pointer else "")
        for item in controller.skipped
        if counts[item.reason] <= _EACH
    ]
    lines += [f"{count:,} skipped: {each}" for each, count in counts.items() if count > _EACH]
    return safe_text("\n".join(lines), style="yellow")


def function_page(function: Function, console: Console) -> RenderableType:
    """Return a page about one function, with the model's and the person's schema apart."""
    marks = [each.replace("_", "-") for each in _TRAITS if getattr(function, each)]
    asks = "asks a person first" if function.confirm else ""
    facts = (origin_text(function.origin), *function.tags, *marks, asks)
    about = safe_text(" · ".join(filter(None, facts)), "dim")
    parts: list[RenderableType] = [safe_text(function.name, "bold cyan"), about]
    if function.description:
        parts += [Text(), safe_text(function.description)]
    separated = function.separated
    parts += [Text(), *_titled("what the model sees", function.llm, console)]
    if separated is not None:
        parts += _titled("what only a person gives", separated.human or {}, console)
    if function.output is not None:
        parts += _titled("output", function.output, console)
    notes = summed_up([("note", "", str(note)) for note in function.notes])
    parts += [safe_text(f"{where}: {text}", "yellow") for where, _, text in notes]
    return Group(*parts)


_TRAITS = ("deprecated", "read_only", "destructive", "idempotent")


def _titled(title: str, value: JsonSchema, console: Console) -> list[RenderableType]:
    """Return JSON under a title, in a frame if the output is a terminal."""
    if not console.is_terminal:
        return [Text(f"{title}:"), safe_text(pretty_json(value))]
    text = code(pretty_json(value, min(console.width - 20, 80)), "json")
    return [Panel(text, title=title, title_align="left", border_style="dim")]


def about_outcome(outcome: Outcome) -> list[RenderableType]:
    """Return the repairs, the HTTP status and the open questions of an outcome."""
    parts: list[RenderableType] = [repair_lines(outcome)] if outcome.repairs else []
    if outcome.response is not None and outcome.response.status is not None:
        parts.append(safe_text(f"HTTP {outcome.response.status}", "dim"))
        if outcome.reason == "status" and outcome.value is not None:
            parts.append(safe_text(shortened(text_of_value(outcome.value), _BODY), "dim"))
    waits = outcome.waiting if outcome.reason == "needs_human" else None
    questions = () if waits is None else waits.questions
    for each in questions:
        problem = f": {each.problem}" if each.problem else ""
        parts.append(safe_text(f"a person gives {each.path}: {each.label}{problem}", "yellow"))
    asked = {each.path for each in questions}
    others = [
        each for each in outcome.issues if each.side == "human" and str(each.path) not in asked
    ]
    return [*parts, *(safe_text(each.message, "yellow") for each in others)]


def outcome_text(outcome: Outcome) -> RenderableType:
    """Return the text of an outcome, coloured if it is an error or waits for a person."""
    waits = outcome.waiting is not None
    return safe_text(outcome.text, "red" if outcome.is_error else "yellow" if waits else "")


def repair_lines(outcome: Outcome) -> Text:
    """Return a line for each repair: its kind, its path, the values before and after."""
    width = max((len(repair.kind) for repair in outcome.repairs), default=0)
    lines = [
        f"repaired  {each.kind:{width}}  {each.path}"
        f"  {preview(each.before, 40)} -> {preview(each.after, 40)}"
        for each in outcome.repairs
    ]
    return safe_text("\n".join(lines), "dim")


def print_parts(console: Console, *parts: RenderableType | None) -> None:
    """Print each part that is not `None`; outside a terminal lines are not wrapped or cut."""
    for part in parts:
        if part is not None:
            console.print(part, soft_wrap=not console.is_terminal)


def print_note(text: str, style: str = "dim") -> None:
    """Print a text to standard error."""
    print_parts(Console(stderr=True), safe_text(text, style))


class Status(IntEnum):
    """The exit status of a command."""

    DONE = 0
    FAILED = 1  # the function failed, or could not be reached
    MISTAKE = 2  # the command line or its source is invalid
    REFUSED = 3  # the arguments are invalid, or the function is unknown
    WAITS = 4  # a value or the approval of a person is missing
    FOUND = 5  # `check` or `replay` found something
    INTERRUPTED = 130  # a person pressed ctrl-C


_WAITS: Final = frozenset({"declined", "denied", "needs_approval", "needs_human"})


def status_of(outcome: Outcome) -> Status:
    """Return the exit status of an outcome."""
    if outcome.ok:
        return Status.DONE
    if outcome.reason in ("arguments", "unknown"):
        return Status.REFUSED
    return Status.WAITS if outcome.reason in _WAITS else Status.FAILED


def outcome_row(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as JSON, without secrets."""
    response, waiting = outcome.response, outcome.waiting
    return {
        "function": outcome.function,
        "ok": outcome.ok,
        "reason": outcome.reason,
        "text": outcome.text,
        "status": None if response is None else response.status,
        "issues": [
            {"path": str(each.path), "expected": each.expected, "message": each.message}
            for each in outcome.issues
        ],
        "repairs": [
            {"path": str(each.path), "kind": each.kind, "before": each.before, "after": each.after}
            for each in outcome.repairs
        ],
        "files": [each.filename for each in outcome.content],
        "questions": [] if waiting is None else [asdict(each) for each in waiting.questions],
    }


def prepare() -> None:
    """Make standard output and error accept any text, whatever their encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_json(value: object, *, indent: int | None = None) -> None:
    """Print JSON, with escapes unless the encoding is Unicode."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(value, ensure_ascii=not is_unicode, indent=indent))


def print_table(rows: Sequence[Advice], shown: Sequence[Advice] | None = None) -> None:
    """Print rows, or what is `shown` of them in a terminal, each in two lines.

    For another program there are tabs between the cells.
    """
    console = Console()
    if console.is_terminal:
        print_parts(console, two_lines(rows if shown is None else shown))
        return
    for row in rows:
        print("\t".join(" ".join(visible(cell).split()) for cell in row))
