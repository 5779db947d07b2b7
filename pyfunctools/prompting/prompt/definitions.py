"""Schemas of several functions over one set of definitions."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain, count
from json import dumps

from pyfunctools._json import JsonSchema, JsonValue, members_of
from pyfunctools.schema.ground.references import defined_name, reference_to, references_in
from pyfunctools.schema.ground.walk import map_subschemas
from pyfunctools.schema.vocabulary import DRAFT

_UNSAFE = re.compile(r"\W+", re.ASCII)


class SharedDefinitions:
    """The definitions of all schemas that were added.

    Two definitions with one name that are equal, with all that they refer to, become one; if they
    differ, they get different names. Every name consists of ASCII letters, digits and `_`.
    """

    def __init__(self) -> None:
        self.definitions: dict[str, JsonValue] = {}
        self._names: dict[tuple[str, frozenset[tuple[str, str]]], str] = {}

    def add(self, schema: JsonSchema) -> JsonSchema:
        """Return a copy of a schema for a model, with references to the shared definitions."""
        whole = map_subschemas(schema, _without_hidden)
        own = members_of(whole.pop("$defs", {}))
        texts = {name: dumps(inner) for name, inner in own.items()}
        below = {name: [n for n in _names_in(inner) if n in own] for name, inner in own.items()}
        names: dict[str, str] = {}
        new: list[str] = []
        for name in own:
            key = (name, frozenset((each, texts[each]) for each in _reachable(name, below)))
            if key not in self._names:
                self._names[key] = self._unused(name)
                self.definitions[self._names[key]] = True
                new.append(name)
            names[name] = self._names[key]
        for name in new:
            inner = own[name]
            self.definitions[names[name]] = (
                _with_names(inner, names) if isinstance(inner, dict) else inner
            )
        return _with_names(whole, names) if names else whole

    def _unused(self, wanted: str) -> str:
        name = _UNSAFE.sub("_", wanted).strip("_") or "definition"
        names = chain((name,), (f"{name}_{number}" for number in count(2)))
        return next(each for each in names if each not in self.definitions)


_HIDDEN = DRAFT | {"$comment", "title"}


def _without_hidden(node: JsonSchema) -> dict[str, JsonValue]:
    """Return a schema without titles, comments, extensions and keywords about the draft."""
    return {
        keyword: value
        for keyword, value in node.items()
        if keyword not in _HIDDEN and not keyword.startswith("x-")
    }


def _with_names(schema: JsonSchema, names: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return a schema whose references, and mappings of discriminators, have the new names."""

    def renamed(reference: JsonValue) -> JsonValue:
        name = defined_name(reference) if isinstance(reference, str) else None
        return reference if name is None else reference_to(names.get(name, name))

    def node(given: JsonSchema) -> dict[str, JsonValue]:
        result = dict(given)
        if "$ref" in result:
            result["$ref"] = renamed(result["$ref"])
        tag = result.get("discriminator")
        if isinstance(tag, dict) and isinstance(mapping := tag.get("mapping"), dict):
            new = {value: renamed(reference) for value, reference in mapping.items()}
            result["discriminator"] = {**tag, "mapping": new}
        return result

    return map_subschemas(schema, node)


def _names_in(schema: JsonValue) -> Iterator[str]:
    for reference in references_in(schema if isinstance(schema, dict | bool) else True):
        if (name := defined_name(reference)) is not None:
            yield name


def _reachable(name: str, below: Mapping[str, list[str]]) -> set[str]:
    found = {name}
    waiting = [name]
    while waiting:
        new = set(below[waiting.pop()]) - found
        found |= new
        waiting.extend(new)
    return found
