"""The items of a list of tools: strict as far as the vendor allows, short enough for a budget.

Some vendors limit the strict functions of a whole request. Then the functions with the most
constraints are strict, since strictness helps them most. The others are not, which is one of their
losses. `Report` tells what all functions cost.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from json import JSONEncoder
from math import inf
from typing import Any, Final

from pyfunctools._json import JsonValue
from pyfunctools._text import cut_at_word, first_sentence, quantity, visible
from pyfunctools.dialects.rendering import Rendering
from pyfunctools.dialects.simplify import unwrapped
from pyfunctools.dialects.subschema import Loss
from pyfunctools.dialects.table import Dialect
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.note import Note
from pyfunctools.record.function import Function, Skipped, contract_of, has_whole_description
from pyfunctools.route import Route
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.validation.validator import Validator

BYTES_PER_TOKEN: Final = 4
"""Bytes of a definition per token, for an estimate of tokens.

Measured in 2026 on 1,898 definitions of real documents: 4.0 bytes a token for DeepSeek's tokenizer,
4.1 for the one Anthropic once published, 4.3 for OpenAI's o200k and cl100k. So a whole list is
over-estimated by up to a twelfth, a single definition by more or less.
"""
_COMPACT: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_FREE: Final = frozenset({"$defs", "description", "items", "properties", "type"})
"""Keywords that a vendor follows also without strictness."""


def size_of(value: object) -> int:
    """Return the size of a value as compact JSON in UTF-8."""
    return len(_COMPACT(value).encode(errors="replace"))


def renderings_of(
    functions: Sequence[Function], row: Dialect, *, strict: bool | None, inline: bool | None
) -> dict[str, Rendering]:
    """Return the rendering of each function by name, strict as far as a request allows."""
    if row.tools is not None and len(functions) > row.tools:
        raise DefinitionError(
            f"tools({row.name!r})",
            f"There are {len(functions)} functions, and a request may have {row.tools}.",
            'Choose some: `controller.select(tags=["..."])` (in a terminal `--tag`), or `names=`, '
            "`paths=`, `where=`. "
            f"Or let the model find them: `controller.tools({row.name!r}, search=True)`.",
        )
    made = {each.name: each.render(row.name, strict=strict, inline=inline) for each in functions}
    able = {name: rendering for name, rendering in made.items() if rendering.strict}
    is_part = row.strict_together and len(able) < len(functions)
    loose = able.keys() if is_part else able.keys() - _affordable(able, row)
    for each in functions:
        if each.name in loose:
            rendering = each.render(row.name, strict=False, inline=inline)
            refused = Loss(path="$input", keyword="strict", how="refused")
            made[each.name] = replace(rendering, losses=(refused, *rendering.losses))
    return made


def _costs(rendering: Rendering) -> tuple[int, int, int]:
    """Return the counts of constraints that strictness adds, optional properties, and unions."""
    gain = optional = unions = 0
    for _, inner in subschemas(rendering.schema):
        if not isinstance(inner, dict):
            continue
        required, properties = inner.get("required"), inner.get("properties")
        needed = len(required) if isinstance(required, list) else 0
        optional += len(properties) - needed if isinstance(properties, dict) else 0
        unions += "anyOf" in inner or isinstance(inner.get("type"), list)
        gain += len(inner.keys() - _FREE) + needed
    return gain, optional, unions


def _affordable(strict: Mapping[str, Rendering], row: Dialect) -> set[str]:
    """Return the functions that can be strict in one request, those that gain most first."""
    limits = (row.strict_tools, row.strict_optional, row.strict_unions)
    if limits == (None, None, None):
        return set(strict)
    left, chosen = [inf if limit is None else limit for limit in limits], set[str]()
    costs = {name: _costs(rendering) for name, rendering in strict.items()}
    for name, (_, *spent) in sorted(costs.items(), key=lambda item: -item[1][0]):
        then = [have - cost for have, cost in zip(left, (1, *spent), strict=True)]
        if min(then) >= 0:
            left = then
            chosen.add(name)
    return chosen


def largest_size(budget: int | None, size: int | None) -> int | None:
    """Return the smaller of a `budget` in tokens and a size in bytes as bytes, `None` without."""
    sizes: list[int] = []
    for word, given, each in (("budget", budget, BYTES_PER_TOKEN), ("bytes", size, 1)):
        if given is None:
            continue
        if isinstance(given, bool) or not isinstance(given, int):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise wrong_type(f"tools({word})", "a whole number", given, f"Write `{word}=50_000`.")
        sizes.append(given * each)
    return min(sizes, default=None)


def tool_items(
    functions: Sequence[Function],
    renderings: dict[str, Rendering],
    item: Callable[[Function, str, dict[str, Any]], dict[str, Any]],
    most: int | None,
) -> list[dict[str, Any]]:
    """Return the items of a list, with descriptions shortened to fit the budget.

    In this order, until the list fits: the descriptions of nested parameters, of parameters and of
    functions are cut to their first sentence; then those of nested parameters, and of parameters,
    are left out. Constraints in a description (`@minimum 1`) stay. Each function whose descriptions
    were shortened gets a loss in `renderings`.
    """
    tells_tags = len({tag for each in functions for tag in each.tags}) > 1
    made = [
        (each, sent_description(each, tells_tags), renderings[each.name].schema)
        for each in functions
    ]
    tools = [item(*each) for each in made]
    if most is None or (whole := size_of(tools)) <= most:
        return tools
    size = whole
    for step in _STEPS:
        made = [(each, *_shortened(each, *step, said, schema)) for each, said, schema in made]
        tools = [item(*each) for each in made]
        size = size_of(tools)
        if size <= most:
            break
    else:
        raise DefinitionError(
            "tools(budget)",
            f"The list has {_said(whole)}, {_said(size)} with short descriptions; asked for were "
            f"{_said(most)}.",
            'Choose fewer functions: `controller.select(tags=["..."])`.',
        )
    for each, said, schema in made:
        if said != sent_description(each, tells_tags) or schema != renderings[each.name].schema:
            _lose(renderings, each.name, "description")
    return tools


def _said(size: int) -> str:
    return f"{size:,} bytes (about {-(-size // BYTES_PER_TOKEN):,} tokens)"


def with_examples(
    tools: list[dict[str, Any]],
    functions: Sequence[Function],
    renderings: dict[str, Rendering],
    key: str,
    most: int | None,
) -> list[dict[str, Any]]:
    """Return the items with examples of arguments under a key, if they fit the budget."""
    found = {each.name: _examples(each, renderings[each.name]) for each in functions}
    made = [
        {**tool, key: given} if (given := found[function.name]) else tool
        for tool, function in zip(tools, functions, strict=True)
    ]
    if most is None or size_of(made) <= most:
        return made
    for name in (name for name, given in found.items() if given):
        _lose(renderings, name, "examples")
    return tools


def _lose(renderings: dict[str, Rendering], name: str, keyword: str) -> None:
    loss = Loss(path="$input", keyword=keyword, how="loosened")
    renderings[name] = replace(renderings[name], losses=(*renderings[name].losses, loss))


def _examples(function: Function, rendering: Rendering) -> list[JsonValue]:
    """Return examples of arguments as the model writes them; a vendor refuses invalid ones."""
    given = [rendering.apply(each) for each in contract_of(function).examples]
    if given and (rendering.reshapes or rendering.losses):
        given = list(filter(Validator(rendering.schema).is_valid, given))
    return given


def sent_description(function: Function, tells_tags: bool) -> str:
    """Return a description without lines that tell a model nothing.

    These are the security schemes of an operation, and a tag that all functions of a list share.
    """
    text = unwrapped(function.description)
    if "@" not in text or not isinstance(function.origin, Route):
        return text
    silent = ("@security ",) if tells_tags else ("@security ", "@tag ")
    return "\n".join(line for line in text.split("\n") if not line.startswith(silent)).rstrip()


def _first_sentence(text: str) -> str:
    said = "\n".join(line for line in text.splitlines() if not line.startswith("@"))
    return "\n".join(filter(None, (first_sentence(said, len(said)), _constraints(text))))


def _constraints(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.startswith("@"))


_STEPS: Final = (
    ("nested", _first_sentence),
    ("parameters", _first_sentence),
    ("function", _first_sentence),
    ("nested", _constraints),
    ("parameters", _constraints),
)


def _shortened(
    function: Function,
    part: str,
    shorten: Callable[[str], str],
    description: str,
    schema: dict[str, Any],
) -> tuple[str, dict[str, Any]]:
    """Return a function's description and schema with one part of the descriptions shortened."""
    if part == "function":
        return description if has_whole_description(function) else shorten(description), schema
    for keys, each in list(subschemas(schema)):
        if not isinstance(each, dict) or "description" not in each:
            continue
        if (len(keys) > 2) is (part == "nested"):
            each["description"] = shorten(str(each["description"]))
            if not each["description"]:
                del each["description"]
    return description, schema


WIDTH = 80
SHOWN = 10
"""The number of functions, of reasons and of notes in the text of a report."""


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
        sizes = {each.name: each.tokens for each in self.entries}
        notes = Counter([note.text for each in self.notes.values() for note in each])
        yield from _table("tokens of the largest functions", sizes)
        yield from _table("skipped", self.skipped)
        yield from _table("notes", notes)


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
    name, said = function.name, function.description
    size = size_of({"name": name, "description": said, "parameters": function.llm})
    return Entry(name=name, bytes=size, tokens=-(-size // BYTES_PER_TOKEN))


def _table(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield the title, and a line for each of the largest counts."""
    if not counts:
        return
    yield f"\n{title}"
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    wide = len(f"{rows[0][1]:,}")
    for text, count in rows[:SHOWN]:
        shown = cut_at_word(" ".join(visible(text).split()), WIDTH - wide - 2)
        yield f"{count:>{wide},}  {shown}"
    if len(rows) > SHOWN:
        yield f"({len(rows) - SHOWN:,} more)"
