"""Schemas of several functions over one set of definitions."""

import re
from collections.abc import Mapping
from itertools import chain, count
from json import dumps

from pyfunctools._json import JsonSchema, JsonValue, members_of
from pyfunctools.dialects.simplify import simplified
from pyfunctools.schema.ground.references import defined_name, reachable_definitions, reference_to
from pyfunctools.schema.ground.walk import map_subschemas

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
        whole = simplified(schema)
        own = members_of(whole.pop("$defs", {}))
        texts = {name: dumps(inner) for name, inner in own.items()}
        names: dict[str, str] = {}
        new: list[str] = []
        for name, inner in own.items():
            reached = {name, *reachable_definitions(members_of(inner), own)}
            key = (name, frozenset((each, texts[each]) for each in reached))
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


def _with_names(schema: JsonSchema, names: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return a schema whose references have the new names."""

    def node(given: JsonSchema) -> dict[str, JsonValue]:
        reference = given.get("$ref")
        name = defined_name(reference) if isinstance(reference, str) else None
        return {**given, **({} if name is None else {"$ref": reference_to(names.get(name, name))})}

    return map_subschemas(schema, node)
