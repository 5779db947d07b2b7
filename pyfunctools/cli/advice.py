"""The findings of `check`: skipped parts, notes on the source, and advice for better functions."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from pyfunctools._json import JsonSchema, members_of, text_of
from pyfunctools.controller import Controller
from pyfunctools.record.function import Function
from pyfunctools.record.origin import Method
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.vocabulary import UNIONS, VALUE_LISTS

MANY: Final = 12
"""The most parameters on one level; of more, models begin to leave some out."""
_VAGUE: Final = frozenset(
    {"call", "do", "execute", "func", "function", "handle", "handler", "invoke", "main"}
    | {"method", "perform", "process", "run", "tool"}
)
"""Words that do not tell what a function does."""
_MEANINGFUL: Final = VALUE_LISTS | {"$ref", "format", "properties", *UNIONS}
"""Keywords that tell what a value means, even without a description."""
_RESTRICTING: Final = VALUE_LISTS | {"format", "pattern"}
"""Keywords that already restrict a string: beside them no enum is suggested."""
_SAYS: Final = r"(?:one of|either|must be|can be|allowed|(?:possible|valid) values|options)"
_LISTED: Final = re.compile(
    rf"\b{_SAYS}[^.\n`'\"]{{0,30}}((?:[`'\"][\w-]+[`'\"][\s,|/]*(?:or|and)?\s*){{2,}})"
    rf"|\b{_SAYS}(?: are)?:?\s+"
    r"([\w-]+(?:(?:\s*[,|/]\s*(?:(?:or|and)\s+)?|\s+or\s+)[\w-]+)+)\s*(?:[.;)]|$)",
    re.IGNORECASE | re.MULTILINE,
)
"""Finds values in a description, quoted or not: `one of 'a', 'b'`, `One of a, b.`"""
_WHOLE: Final = re.compile(
    r"\b(?:whole number|integer|(?:number|count|amount) of [a-z]+s)\b", re.IGNORECASE
)
"""Finds a whole number in a description."""

_WORD: Final = re.compile(r"\b(?!(?:or|and)\b)[\w-]+")

_EXAMPLES: Final = 3
_PLACE: Final = re.compile(r" \(at /.*\)$|^\d+ ")

Advice = tuple[str, str, str]
"""The place of a problem, its kind (`skipped`, `odd` or `advice`), and what to do."""


def findings(controller: Controller) -> Iterator[Advice]:
    """Yield the skipped parts of a source, the notes on it, and advice."""
    for skipped in controller.skipped:
        where = f"{skipped.where} (at {skipped.pointer})" if skipped.pointer else skipped.where
        yield where, "skipped", skipped.reason
    for function in controller.functions:
        for note in function.notes:
            yield function.name, "odd", str(note)
        for path, text in _advice(function):
            yield f"{function.name} {path}".strip(), "advice", text


def summed_up(found: Sequence[Advice]) -> Iterator[Advice]:
    """Yield the findings in their order, but a few and a count of those that say the same.

    Those say the same that differ only in their places and in numbers.
    """
    texts = [(kind, _PLACE.sub("", text)) for _, kind, text in found]
    counts = Counter(texts)
    seen = Counter[tuple[str, str]]()
    for each, text in zip(found, texts, strict=True):
        seen[text] += 1
        if seen[text] <= _EXAMPLES:
            yield each
        elif seen[text] == _EXAMPLES + 1:
            yield (f"and {counts[text] - _EXAMPLES:,} more", *text)


def _advice(function: Function) -> Iterator[tuple[str, str]]:
    is_python = isinstance(function.origin, Method)
    words = set(re.split(r"[_-]|(?<=[a-z])(?=[A-Z])", function.name.lower()))
    if words <= _VAGUE:
        yield "", "The name is vague. Use a verb and its object: `cancel_order`."
    if "-" in function.name:
        plain = function.name.replace("-", "_")
        line = f'`@function(name="{plain}")`' if is_python else f"`{plain}`, by `names=`"
        yield "", f"Models often write `_` for a dash in a name. Write {line}."
    if not function.description.strip():
        line = '`"""Cancel an order."""`' if is_python else '`"summary": "Cancel an order"`'
        yield "", f"The description is missing. Say what it does, and when to call it: {line}."
    yield from _advice_on(function.llm, (), is_python)


def _advice_on(schema: JsonSchema, keys: Keys, is_python: bool) -> Iterator[tuple[str, str]]:
    properties = members_of(schema.get("properties"))
    if len(properties) > MANY:
        count = len(properties)
        yield Path.of(keys), f"{count} parameters are many. Group them, or make two functions."
    for name, inner in properties.items():
        if not isinstance(inner, dict):
            continue
        below, where = (*keys, name), Path.of((*keys, name))
        description = text_of(inner.get("description"))
        if not description and inner.keys().isdisjoint(_MEANINGFUL):
            line = f"`{name}: ...` under `Args:`" if is_python else '`"description": "..."`'
            yield where, f"The description is missing. Say what to send: {line}."
        is_free = inner.get("type") == "string" and inner.keys().isdisjoint(_RESTRICTING)
        if is_free and (found := _LISTED.search(description)):
            values = json.dumps(_WORD.findall(found[1] or found[2]), ensure_ascii=False)
            line = f"{name}: Literal{values}" if is_python else f'"enum": {values}'
            yield where, f"The description lists the values. Write `{line}`."
        if inner.get("type") == "number" and _WHOLE.search(description):
            line = f"{name}: int" if is_python else '"type": "integer"'
            yield where, f"This is a whole number. Write `{line}`."
        yield from _advice_on(inner, below, is_python)
