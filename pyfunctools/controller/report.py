"""`Report`: the number and the size of a controller's functions, and those that were skipped."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyfunctools._text import cut_at_word, quantity, visible
from pyfunctools.controller.tool_list import BYTES_PER_TOKEN, size_of
from pyfunctools.note import Note
from pyfunctools.record.function import Function, Skipped

WIDTH = 80
SHOWN = 10
"""The number of functions in the text of a report."""
REASONS = 5
"""The number of reasons, and of notes, in the text of a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The size of a function's definition as sent to a model, in bytes and estimated tokens."""

    name: str
    bytes: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report:
    """The number and size of a controller's functions; `str()` is for a terminal of 80 columns.

    `operations` is the number of operations in the source, `functions` the number of those that
    became functions, and `skipped` counts the others by reason. `bytes` is the size of
    `{"name", "description", "parameters"}` of each function, with the model's side of the
    parameters, as compact JSON in UTF-8; `tokens` is an estimate (`BYTES_PER_TOKEN`). `entries` has
    the largest first. `notes` maps a function's name to the notes on its source, if there are any.
    """

    operations: int
    functions: int
    skipped: Mapping[str, int]
    bytes: int
    tokens: int
    entries: tuple[Entry, ...]
    notes: Mapping[str, tuple[Note, ...]]

    def __repr__(self) -> str:
        return f"<Report: {'; '.join(self._totals())}>"

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self._lines())

    def _totals(self) -> Iterator[str]:
        left = self.operations - self.functions
        yield f"{quantity(self.functions, 'function')}, {left:,} skipped"
        yield f"{quantity(self.bytes, 'byte')} for a model, about {quantity(self.tokens, 'token')}"

    def _lines(self) -> Iterator[str]:
        yield from self._totals()
        if self.entries:
            yield ""
            yield from self._largest()
        yield from _counted("skipped", self.skipped)
        yield from _counted(
            "notes", Counter([note.text for each in self.notes.values() for note in each])
        )

    def _largest(self) -> Iterator[str]:
        shown, rest = self.entries[:SHOWN], self.entries[SHOWN:]
        rows = [(each.bytes, each.tokens, each.name) for each in shown]
        if rest:
            size, tokens = sum(each.bytes for each in rest), sum(each.tokens for each in rest)
            rows.append((size, tokens, f"({len(rest):,} more)"))
        wide = max(len("bytes"), *(len(f"{size:,}") for size, _, _ in rows))
        yield f"{'bytes':>{wide}}  {'~tokens':>{wide + 2}}  function"
        for size, tokens, name in rows:
            yield _line(f"{size:>{wide},}  {tokens:>{wide + 2},}", name)


def report_of(functions: Sequence[Function], skipped: Sequence[Skipped]) -> Report:
    """Return the report on functions and on skipped ones; all schemas are made for it."""
    entries = sorted(map(_entry, functions), key=lambda entry: (-entry.bytes, entry.name))
    return Report(
        operations=len(functions) + len(skipped),
        functions=len(functions),
        skipped=dict(Counter([each.reason for each in skipped]).most_common()),
        bytes=sum(entry.bytes for entry in entries),
        tokens=sum(entry.tokens for entry in entries),
        entries=tuple(entries),
        notes={each.name: notes for each in functions if (notes := each.notes)},
    )


def _entry(function: Function) -> Entry:
    definition = {
        "name": function.name,
        "description": function.description,
        "parameters": function.llm,
    }
    size = size_of(definition)
    return Entry(name=function.name, bytes=size, tokens=-(-size // BYTES_PER_TOKEN))


def _counted(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield the title, and a line for each of the most frequent texts."""
    if not counts:
        return
    yield ""
    yield title
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    wide = len(f"{ranked[0][1]:,}")
    for text, count in ranked[:REASONS]:
        yield _line(f"{count:>{wide},}", text)
    if more := ranked[REASONS:]:
        left = sum(count for _, count in more)
        yield _line(f"{left:>{wide},}", f"({quantity(len(more), 'more kind')})")


def _line(start: str, text: str) -> str:
    shown = " ".join(visible(text).split())
    return f"{start}  {cut_at_word(shown, max(WIDTH - len(start) - 2, 1))}"
