"""What the terminal shows: text of documents and models, never as markup or control characters."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened, visible
from pyfunctools.controller import Controller
from pyfunctools.record.function import Function
from pyfunctools.record.origin import origin_text
from pyfunctools.record.outcome import Outcome

_SHORT = 24
"""How long the names of a table may be."""


def plain(text: str, style: str = "") -> Text:
    """Return text as it is, without what a terminal would obey and without markup."""
    return Text(visible(text), style=style)


def code(text: str, language: str) -> Syntax:
    """Return code in the colours that the terminal has."""
    return Syntax(text, language, theme="ansi_dark", background_color="default", word_wrap=True)


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


def row_of(function: Function) -> tuple[str, str, str]:
    """Return the line of a function in a list: its name, where it lives, what it does."""
    return function.name, origin_text(function.origin), summary_of(function)


def function_table(functions: list[Function]) -> RenderableType:
    """Return the functions for a screen: name, where each lives, what it does.

    A table where the names are short, and else two lines each, so that no name is broken.
    """
    rows = [(name, where, shortened(does, 120)) for name, where, does in map(row_of, functions)]
    if max((len(name) for name, _, _ in rows), default=0) > _SHORT:
        return two_lines(rows)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("function", overflow="fold", style="cyan")
    table.add_column("lives at", overflow="fold", style="dim")
    table.add_column("does", overflow="fold")
    for row in rows:
        table.add_row(*map(plain, row))
    return table


def two_lines(rows: Iterable[tuple[str, str, str]]) -> RenderableType:
    """Return each row for a screen as its first cell, and the others in a line under it."""
    parts: list[RenderableType] = []
    for first, *others in rows:
        under = plain(" · ".join(filter(None, others)))
        parts += [plain(first, "cyan"), Padding(under, (0, 0, 0, 4), expand=False)]
    return Group(*parts)


def skipped_text(controller: Controller) -> Text | None:
    """Return the places that were left out, each with its reason; `None` where there are none."""
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
    facts = (origin_text(function.origin), *function.tags, *marks)
    about = " · ".join(filter(None, facts))
    parts: list[RenderableType] = [plain(function.name, "bold cyan"), plain(about, "dim")]
    if function.description:
        parts += [Text(), plain(function.description)]
    parts += [Text(), *sides(function)]
    if function.output is not None:
        parts.append(Titled("what comes back", function.output))
    parts += [plain(f"note: {note}", "yellow") for note in function.notes]
    return Group(*parts)


def sides(function: Function) -> list[RenderableType]:
    """Return the schema the model sees and, where there is one, the human's."""
    separated = function.separated
    if separated is None:
        return [Titled("what the model sees", function.parameters)]
    return [
        Titled("what the model sees", separated.llm),
        Titled("what only a person gives", separated.human or {}),
    ]


def about_outcome(outcome: Outcome) -> list[RenderableType]:
    """Return the repairs, the HTTP status and the open questions of a call."""
    parts: list[RenderableType] = [repair_lines(outcome)] if outcome.repairs else []
    if outcome.response is not None and outcome.response.status is not None:
        parts.append(plain(f"HTTP {outcome.response.status}", "dim"))
    asked = () if outcome.waiting is None else outcome.waiting.questions
    said = (plain(f"a person gives {each.path}: {each.label}", "yellow") for each in asked)
    return [*parts, *said]


def outcome_text(outcome: Outcome) -> RenderableType:
    """Return the text of what came of a call."""
    waits = outcome.waiting is not None
    return plain(outcome.text, "red" if outcome.is_error else "yellow" if waits else "")


def repair_lines(outcome: Outcome) -> Text:
    """Return a line for each repair: its kind, its place, the value before and after."""
    width = max((len(repair.kind) for repair in outcome.repairs), default=0)
    lines = [
        f"repaired  {each.kind:{width}}  {each.path}  {_said(each.before)} -> {_said(each.after)}"
        for each in outcome.repairs
    ]
    return plain("\n".join(lines), "dim")


def show(console: Console, *parts: RenderableType | None) -> None:
    """Print each part that is there; outside of a terminal nothing is wrapped or cut."""
    for part in parts:
        if part is not None:
            console.print(part, soft_wrap=not console.is_terminal)


@dataclass(frozen=True, slots=True)
class Titled:
    """JSON under a title: in a frame on a terminal, and without one anywhere else."""

    title: str
    value: JsonValue

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the frame, or the title and the text."""
        if console.is_terminal:
            text = visible(compact(self.value, min(options.max_width - 4, 100)))
            framed = code(text, "json")
            yield Panel(framed, title=self.title, title_align="left", border_style="dim")
        else:
            yield Text(f"{self.title}:")
            yield plain(compact(self.value))


def _said(value: JsonValue) -> str:
    if isinstance(value, str) and '"' in value and "'" not in value:
        return shortened(f"'{value}'", 40)
    return shortened(json.dumps(value, ensure_ascii=False), 40)


def _members(value: JsonObject | Sequence[JsonValue]) -> list[tuple[str, JsonValue]]:
    if isinstance(value, dict):
        return [(json.dumps(key, ensure_ascii=False) + ": ", held) for key, held in value.items()]
    return [("", held) for held in value]
