"""What the terminal shows: text of documents and models, never as markup or control characters."""

import json
from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened, visible
from pyfunctools.controller import Controller
from pyfunctools.record.function import Function
from pyfunctools.record.origin import place
from pyfunctools.record.outcome import Outcome

_SHORT = 24
"""How long the names of a table may be."""


def plain(text: str, style: str = "") -> Text:
    """Return text as it is, without what a terminal would obey and without markup."""
    return Text(visible(text), style=style)


def compact(value: JsonValue, width: int = 74, indent: int = 0, beside: int = 0) -> str:
    """Return JSON in which whatever fits into the width stands on one line.

    `indent` is that of the line it begins in, `beside` what else stands in that line.
    """
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or indent + beside + len(line) <= width:
        return line
    inner = ",\n".join(
        " " * (indent + 2) + key + compact(held, width, indent + 2, len(key) + 1)
        for key, held in _members(value)
    )
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    return f"{opened}\n{inner}\n{' ' * indent}{closed}"


def summary_of(function: Function) -> str:
    """Return the first line of a function's description."""
    return function.description.partition("\n")[0]


def function_table(functions: list[Function]) -> RenderableType:
    """Return the functions: name, where each lives, what it does.

    A table where the names are short, and else two lines each, so that no name is broken.
    """
    rows = [(each.name, place(each.origin), shortened(summary_of(each), 120)) for each in functions]
    if max((len(name) for name, _, _ in rows), default=0) > _SHORT:
        return Group(
            *(
                Group(
                    plain(name, "cyan"),
                    Padding(
                        plain(" · ".join(filter(None, (where, does)))), (0, 0, 0, 4), expand=False
                    ),
                )
                for name, where, does in rows
            )
        )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("function", overflow="fold", style="cyan")
    table.add_column("lives at", overflow="fold", style="dim")
    table.add_column("does", overflow="fold")
    for row in rows:
        table.add_row(*map(plain, row))
    return table


def skipped_text(controller: Controller) -> Text | None:
    """Return what was left out and why, or `None` where nothing was."""
    if not controller.skipped:
        return None
    lines = [
        f"{item.where}: {item.reason}" + (f" (at {item.pointer})" if item.pointer else "")
        for item in controller.skipped
    ]
    return plain("\n".join(lines), style="yellow")


def function_page(function: Function) -> RenderableType:
    """Return everything there is to see of one function, the two sides apart."""
    marks = [
        word
        for word, said in (
            ("deprecated", function.deprecated),
            ("read-only", function.read_only),
            ("destructive", function.destructive),
            ("idempotent", function.idempotent),
            ("asks a person first", function.confirm),
        )
        if said
    ]
    about = " · ".join(part for part in (place(function.origin), *function.tags, *marks) if part)
    parts: list[RenderableType] = [plain(function.name, "bold cyan"), plain(about, "dim")]
    if function.description:
        parts += [Text(), plain(function.description)]
    parts += [Text(), *sides(function)]
    if function.output is not None:
        parts.append(_titled("what comes back", function.output))
    parts += [plain(f"note: {note}", "yellow") for note in function.notes]
    return Group(*parts)


def sides(function: Function) -> list[RenderableType]:
    """Return the schema the model sees and, where there is one, the human's."""
    separated = function.separated
    if separated is None:
        return [_titled("what the model sees", function.parameters)]
    return [
        _titled("what the model sees", separated.llm),
        _titled("what only a person gives", separated.human or {}),
    ]


def outcome_text(outcome: Outcome) -> RenderableType:
    """Return what came of a call, with its repairs before it."""
    repairs = [repair_table(outcome)] if outcome.repairs else []
    waiting = outcome.waiting
    code = None if outcome.response is None else outcome.response.status
    status = [] if code is None else [plain(f"HTTP {code}", "dim")]
    style = "red" if outcome.is_error else "yellow" if waiting is not None else ""
    answer = [plain(outcome.text, style)]
    asked: list[RenderableType] = []
    if waiting is not None and waiting.questions:
        said = "\n".join(f"{each.path}: {each.label}" for each in waiting.questions)
        title = "what only a person gives"
        asked = [Panel(plain(said), title=title, title_align="left", border_style="dim")]
    return Group(*repairs, *status, *answer, *asked)


def repair_table(outcome: Outcome) -> Table:
    """Return what was changed in the model's text: the kind, the place, before and after."""
    table = Table(box=None, pad_edge=False, show_header=False, style="dim", padding=(0, 2, 0, 0))
    for repair in outcome.repairs:
        change = f"{_said(repair.before)} -> {_said(repair.after)}"
        table.add_row("repaired", plain(repair.kind), plain(repair.path), plain(change))
    return table


def show(console: Console, *parts: RenderableType | None) -> None:
    """Print each part that is there."""
    for part in parts:
        if part is not None:
            console.print(part, soft_wrap=False)


def _titled(title: str, schema: JsonValue) -> Panel:
    return Panel(plain(compact(schema)), title=title, title_align="left", border_style="dim")


def _said(value: JsonValue) -> str:
    return shortened(json.dumps(value, ensure_ascii=False), 40)


def _members(value: JsonObject | Sequence[JsonValue]) -> list[tuple[str, JsonValue]]:
    if isinstance(value, dict):
        return [(json.dumps(key, ensure_ascii=False) + ": ", held) for key, held in value.items()]
    return [("", held) for held in value]
