"""Markdown tables of figures, read from what a benchmark prints, and drawn as bars."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIRST_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
WIDE = 50
"""The largest value of a chart, of its smallest, from which on its axis is logarithmic."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its lines as they were printed, the cells of its head and of its rows."""

    lines: tuple[str, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def values(self, column: int) -> list[float | None]:
        """Return the number that each cell of a column begins with."""
        found = [FIRST_NUMBER.match(row[column]) for row in self.rows]
        return [float(each[0].replace(",", "")) if each else None for each in found]

    def numeric(self) -> list[int]:
        """Return the columns whose cells nearly all begin with a number."""
        return [
            column
            for column in range(1, len(self.head))
            if sum(bool(FIRST_NUMBER.match(row[column])) for row in self.rows) * 2 > len(self.rows)
        ]


def tables_in(text: str) -> list[Table]:
    """Return the tables in a text, in order."""
    found: list[Table] = []
    for block in re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE):
        lines = block.strip().splitlines()
        cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
        if len(lines) > 2 and set(lines[1]) <= set("|-: "):
            found.append(Table(tuple(lines), cells[0], tuple(cells[2:])))
    return found


def draw(table: Table, columns: Sequence[str], path: Path) -> bool:
    """Draw columns of a table as bars, and return whether there was anything to draw."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    chosen = [column for column in table.numeric() if not columns or table.head[column] in columns]
    if not chosen or not table.rows:
        return False
    series = {plain(table.head[column]): table.values(column) for column in chosen}
    height = 0.9 + 0.15 * len(table.rows) * (len(series) + 1)
    figure, axes = pyplot.subplots(figsize=(7.2, height), layout="constrained")
    bar = 0.8 / len(series)
    for number, (name, values) in enumerate(series.items()):
        places = [row + number * bar for row in range(len(values))]
        bars = axes.barh(places, [value or 0 for value in values], bar * 0.9, label=name)
        axes.bar_label(bars, [_said(value) for value in values], padding=3, fontsize=7)
    names = [fill(plain(row[0]), 36) for row in table.rows]
    middle = (len(series) - 1) * bar / 2
    axes.set_yticks([row + middle for row in range(len(names))], names, fontsize=8)
    axes.invert_yaxis()
    _scale(axes, [value for values in series.values() for value in values if value])
    if len(series) > 1:
        axes.legend(
            fontsize=8, frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=len(series)
        )
    else:
        axes.set_xlabel(next(iter(series)), fontsize=8)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=80, metadata={"Software": None})
    pyplot.close(figure)
    return True


def plain(text: str) -> str:
    """Return the text of a cell without Markdown."""
    return text.replace("`", "").replace("\\|", "|")


def _said(value: float | None) -> str:
    return "" if value is None else f"{value:,g}"


def _scale(axes: "Axes", values: Sequence[float]) -> None:
    if values and max(values) > WIDE * min(values):
        axes.set_xscale("log")
    axes.margins(x=0.12)
    axes.tick_params(axis="x", labelsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
