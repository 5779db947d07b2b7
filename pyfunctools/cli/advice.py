"""Advice for functions that models call well: what a check of a source finds beside oddities."""

import re
from collections.abc import Iterator
from typing import Final

from pyfunctools._json import JsonSchema, members_of
from pyfunctools.controller import Controller
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.vocabulary import UNIONS, VALUE_LISTS

MANY: Final = 12
"""Parameters of one level, from which on a model begins to leave some out."""
_VAGUE: Final = frozenset(
    {"call", "do", "execute", "func", "function", "handle", "handler", "invoke", "main"}
    | {"method", "perform", "process", "run", "tool"}
)
"""Names that say nothing of what is done."""
_TELLING: Final = VALUE_LISTS | {"$ref", "format", "properties", *UNIONS}
"""Keywords that say what a value means, also without a description."""
_LIMITING: Final = VALUE_LISTS | {"format", "pattern"}
"""Keywords with which a text need not be one of those that a description lists."""
_LISTED: Final = re.compile(
    r"(?:one of|either|must be|can be|allowed|(?:possible|valid) values|options)[^.\n`'\"]{0,30}"
    r"((?:[`'\"][\w-]+[`'\"][\s,|/]*(?:or|and)?\s*){2,})",
    re.IGNORECASE,
)
"""Values that a description lists."""

Advice = tuple[str, str, str]
"""Where something was found, of what kind it is, and what to do about it."""


def findings(controller: Controller) -> Iterator[Advice]:
    """Yield what was skipped, what is odd, and what a model would do better with."""
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
        yield "", "The name says nothing. Name what is done, and to what: `cancel_order`."
    if not function.description.strip():
        yield "", "There is no description. Say what it does, and when to call it."
    yield from _of_parameters(function.llm, ())


def _of_parameters(schema: JsonSchema, keys: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    properties = members_of(schema.get("properties"))
    if len(properties) > MANY:
        said = f"{len(properties)} parameters are many. Group them, or make two functions of it."
        yield _place(keys), said
    for name, inner in properties.items():
        if not isinstance(inner, dict):
            continue
        below = (*keys, name)
        description = inner.get("description")
        said = description if isinstance(description, str) else ""
        if not said and _is_bare(inner):
            yield _place(below), "There is no description. Say what to give, and in which form."
        if inner.get("type") == "string" and (listed := _listed(inner, said)):
            yield _place(below), f"The values stand in prose ({listed}). Make them an enum."
        yield from _of_parameters(inner, below)


def _place(keys: tuple[str, ...]) -> str:
    return str(Path.of(keys))


def _is_bare(schema: JsonSchema) -> bool:
    """True if nothing in a schema says what its values mean."""
    return schema.keys().isdisjoint(_TELLING)


def _listed(schema: JsonSchema, description: str) -> str:
    if not schema.keys().isdisjoint(_LIMITING):
        return ""
    found = _LISTED.search(description)
    return found[1].strip(" ,|/") if found else ""
