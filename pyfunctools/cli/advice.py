"""The findings of `check`: skipped parts, notes on the source, and advice for better functions."""

import re
from collections.abc import Iterator
from typing import Final

from pyfunctools._json import JsonSchema, members_of, text_of
from pyfunctools.controller import Controller
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.path import Path
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
_LISTED: Final = re.compile(
    r"(?:one of|either|must be|can be|allowed|(?:possible|valid) values|options)[^.\n`'\"]{0,30}"
    r"((?:[`'\"][\w-]+[`'\"][\s,|/]*(?:or|and)?\s*){2,})",
    re.IGNORECASE,
)
"""Finds quoted values in a description: `one of 'a', 'b'`."""

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


def _advice(function: Function) -> Iterator[tuple[str, str]]:
    words = set(re.split(r"[_-]|(?<=[a-z])(?=[A-Z])", function.name.lower()))
    if words <= _VAGUE:
        yield "", "The name is vague. Use a verb and its object: `cancel_order`."
    if not function.description.strip():
        yield "", "The description is missing. Say what it does, and when to call it."
    yield from _advice_on(function.llm, ())


def _advice_on(schema: JsonSchema, keys: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    properties = members_of(schema.get("properties"))
    if len(properties) > MANY:
        count = len(properties)
        yield _place(keys), f"{count} parameters are many. Group them, or make two functions."
    for name, inner in properties.items():
        if not isinstance(inner, dict):
            continue
        below = (*keys, name)
        description = text_of(inner.get("description"))
        if not description and inner.keys().isdisjoint(_MEANINGFUL):
            yield _place(below), "The description is missing. Say what to send, and in which form."
        is_free = inner.get("type") == "string" and inner.keys().isdisjoint(_RESTRICTING)
        if is_free and (found := _LISTED.search(description)):
            values = found[1].strip(" ,|/")
            yield _place(below), f"The description lists the values: {values}. Use an enum."
        yield from _advice_on(inner, below)


def _place(keys: tuple[str, ...]) -> str:
    return str(Path.of(keys))
