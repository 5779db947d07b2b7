"""The items of a list of tools: strict as far as the vendor allows, shortened to fit a budget.

Some vendors limit the strict functions of a whole request. Then the functions with the most
constraints are strict, since strictness helps them most. The others are not, which is one of their
losses.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from json import JSONEncoder
from typing import Any, Final

from pyfunctools._json import JsonValue
from pyfunctools.dialects.loss import Loss
from pyfunctools.dialects.rendering import Rendering
from pyfunctools.dialects.table import Dialect
from pyfunctools.errors import DefinitionError
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.walk import subschemas

_COMPACT: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_FREE: Final = frozenset({"$defs", "description", "items", "properties", "type"})
"""Keywords that a vendor follows also without strictness."""


def size_of(value: object) -> int:
    """Return the size of a value as compact JSON in UTF-8."""
    return len(_COMPACT(value).encode(errors="replace"))


def renderings_of(
    functions: Sequence[Function], row: Dialect, *, strict: bool | None, inline: bool | None
) -> dict[str, Rendering]:
    """Return the rendering of each function by name, strict as far as a request allows.

    Raises:
        DefinitionError: there are more functions than the vendor accepts.
    """
    if row.tools is not None and len(functions) > row.tools:
        raise DefinitionError(
            f"tools({row.name!r})",
            f"There are {len(functions)} functions, and a request may have {row.tools}.",
            'Choose some: `controller.select(tags=["..."])`, or `names=`, `paths=`, `where=`.',
        )
    made = {each.name: each.render(row.name, strict=strict, inline=inline) for each in functions}
    able = [each for each in functions if made[each.name].strict]
    if row.strict_together and len(able) < len(functions):
        kept = set[str]()
    else:
        kept = _affordable({each.name: made[each.name] for each in able}, row)
    for each in able:
        if each.name not in kept:
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
    costs = {name: _costs(rendering) for name, rendering in strict.items()}
    used, chosen = (0, 0, 0), set[str]()
    for name in sorted(costs, key=lambda name: -costs[name][0]):
        _, optional, unions = costs[name]
        wanted = (used[0] + 1, used[1] + optional, used[2] + unions)
        if all(limit is None or n <= limit for n, limit in zip(wanted, limits, strict=True)):
            used = wanted
            chosen.add(name)
    return chosen


def tool_items(
    functions: Sequence[Function],
    renderings: dict[str, Rendering],
    item: Callable[[Function, str, dict[str, Any]], dict[str, Any]],
    budget: int | None,
) -> list[dict[str, Any]]:
    """Return the items of a list, with descriptions shortened to fit the budget.

    In this order, until the list fits: the descriptions of nested parameters, of parameters and of
    functions are cut to their first sentence; then those of nested parameters, and of parameters,
    are left out. Constraints in a description (`@minimum 1`) stay. Each function whose descriptions
    were shortened gets a loss in `renderings`.

    Raises:
        DefinitionError: the list is still longer than the budget, or the budget is not an integer.
    """
    if budget is not None and (isinstance(budget, bool) or not isinstance(budget, int)):  # pyright: ignore[reportUnnecessaryIsInstance]
        reason = f"`budget` must be a number of bytes, not `{type(budget).__name__}`."
        raise DefinitionError("tools(budget)", reason, "Write `budget=50_000`.")
    made = [(each, each.description, renderings[each.name].schema) for each in functions]
    tools = [item(*each) for each in made]
    whole = size = size_of(tools)
    if budget is None or size <= budget:
        return tools
    for step in _STEPS:
        made = [(each, *_shortened(*step, said, schema)) for each, said, schema in made]
        tools = [item(*each) for each in made]
        size = size_of(tools)
        if size <= budget:
            break
    else:
        raise DefinitionError(
            "tools(budget)",
            f"The list has {whole:,} bytes, {size:,} with short descriptions, not {budget:,}.",
            'Choose fewer functions: `controller.select(tags=["..."])`.',
        )
    for each, said, schema in made:
        rendering = renderings[each.name]
        if said != each.description or schema != rendering.schema:
            loss = Loss(path="$input", keyword="description", how="loosened")
            renderings[each.name] = replace(rendering, losses=(*rendering.losses, loss))
    return tools


def _first_sentence(text: str) -> str:
    found = _SENTENCE.match(text)
    first = found[0].strip() if found and not text.startswith("@") else ""
    return "\n".join(filter(None, (first, _constraints(text))))


def _constraints(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.startswith("@"))


_SENTENCE: Final = re.compile(r"[^\n]*?(?:[.!?](?=\s|$)|(?=\n|$))")

_STEPS: Final = (
    ("nested", _first_sentence),
    ("parameters", _first_sentence),
    ("function", _first_sentence),
    ("nested", _constraints),
    ("parameters", _constraints),
)


def _shortened(
    part: str, shorten: Callable[[str], str], description: str, schema: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return a function's description and schema with one part of the descriptions shortened."""
    if part == "function":
        return shorten(description), schema
    found: list[tuple[Keys, JsonValue]] = list(subschemas(schema))
    for keys, each in found:
        if isinstance(each, dict) and "description" in each:
            if (len(keys) > 2) is not (part == "nested"):
                continue
            each["description"] = shorten(str(each["description"]))
            if not each["description"]:
                del each["description"]
    return description, schema
