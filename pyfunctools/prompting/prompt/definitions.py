"""Schemas of several functions over one set of definitions, each name meaning one thing."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain, count
from json import dumps

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.references import defined_name, reference_to, references_in
from pyfunctools.schema.ground.walk import map_subschemas
from pyfunctools.schema.vocabulary import DRAFT

_UNSAFE = re.compile(r"\W+", re.ASCII)
_WORDS = frozenset(
    {"any", "array", "boolean", "integer", "never", "null", "number", "object", "string"}
)
"""Names that a signature has for types; no definition is called so."""


class Gathered:
    """The `definitions` that all schemas refer to which were added.

    What two schemas define alike, and with it all that it reaches, is there once; what they define
    differently under one name gets names of its own. Every name is made of ASCII letters, digits
    and `_`.
    """

    def __init__(self) -> None:
        self.definitions: dict[str, JsonValue] = {}
        self._names: dict[tuple[str, frozenset[tuple[str, str]]], str] = {}

    def add(self, schema: JsonSchema) -> JsonSchema:
        """Return a copy of a schema as a model is shown it, over the shared definitions."""
        whole = map_subschemas(schema, _shown)
        own = whole.pop("$defs", {})
        if not isinstance(own, dict) or not own:
            return whole
        texts = {name: dumps(inner) for name, inner in own.items()}
        below = {name: [n for n in _led_to(inner) if n in own] for name, inner in own.items()}
        names: dict[str, str] = {}
        new: list[str] = []
        for name in own:
            key = (name, frozenset((each, texts[each]) for each in _closure(name, below)))
            if key not in self._names:
                self._names[key] = self._free(name)
                self.definitions[self._names[key]] = True
                new.append(name)
            names[name] = self._names[key]
        for name in new:
            inner = own[name]
            renamed = _renamed(inner, names) if isinstance(inner, dict) else inner
            self.definitions[names[name]] = renamed
        return _renamed(whole, names)

    def _free(self, wanted: str) -> str:
        name = _UNSAFE.sub("_", wanted).strip("_") or "definition"
        numbered = (f"{name}_{number}" for number in count(2))
        names = chain((name,), numbered)
        return next(n for n in names if n not in self.definitions and n not in _WORDS)


_UNSHOWN = DRAFT | {"$comment", "title"}


def _shown(node: JsonSchema) -> dict[str, JsonValue]:
    """Return a schema without what a model is not shown: titles, comments and extensions."""
    return {
        keyword: value
        for keyword, value in node.items()
        if keyword not in _UNSHOWN and not keyword.startswith("x-")
    }


def _renamed(schema: JsonSchema, names: Mapping[str, str]) -> dict[str, JsonValue]:
    def spell(reference: JsonValue) -> JsonValue:
        name = defined_name(reference) if isinstance(reference, str) else None
        return reference if name is None else reference_to(names.get(name, name))

    def node(given: JsonSchema) -> dict[str, JsonValue]:
        result = dict(given)
        if "$ref" in result:
            result["$ref"] = spell(result["$ref"])
        tag = result.get("discriminator")
        if isinstance(tag, dict) and isinstance(mapping := tag.get("mapping"), dict):
            spelled = {value: spell(reference) for value, reference in mapping.items()}
            result["discriminator"] = {**tag, "mapping": spelled}
        return result

    return map_subschemas(schema, node)


def _led_to(schema: JsonValue) -> Iterator[str]:
    for reference in references_in(schema if isinstance(schema, dict | bool) else True):
        if (name := defined_name(reference)) is not None:
            yield name


def _closure(name: str, below: Mapping[str, list[str]]) -> set[str]:
    found = {name}
    todo = [name]
    while todo:
        new = set(below[todo.pop()]) - found
        found |= new
        todo.extend(new)
    return found
