"""What a schema says about the places inside a value: references followed, `allOf` spread."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.references import MAX_HOPS, resolve
from pyfunctools.schema.outline.shape import ALL_TYPES, listed_values, schemas_of, type_of
from pyfunctools.schema.vocabulary import UNIONS

Parts: TypeAlias = tuple[JsonSchema, ...]
"""Schemas that hold together for one value, none of them a mere reference."""

NUMBERS = frozenset({"number", "integer"})
"""The types of numbers."""

Schemas: TypeAlias = Sequence[JsonSchema | bool]
"""Schemas that are stated for one place."""

Test: TypeAlias = Callable[[JsonValue], bool]
"""A part of a schema, compiled: true of a value that is right."""
Tests: TypeAlias = Callable[[JsonSchema], Test | None]
"""Where the compiled tests of a schema's parts are found; see `Validator.test_of`."""

_NESTING = 8
"""Unions inside each other that are looked into."""
_MOST = 2_000
"""Schemas that one place may have."""


class Places:
    """The places of one schema; what it says is kept as long as this lives."""

    def __init__(self, root: JsonSchema) -> None:
        self._root = root
        self._parts: dict[int, tuple[object, Parts]] = {}
        self._types: dict[tuple[int, ...], tuple[object, frozenset[str]]] = {}
        self._anyhow: dict[tuple[int, ...], tuple[object, Parts]] = {}
        self._named: dict[tuple[int, ...], tuple[object, frozenset[str]]] = {}
        self._resolved: dict[int, tuple[object, JsonSchema | bool]] = {}
        # Before 2019-09 nothing beside a `$ref` counts.
        self._alone = "draft-0" in str(root.get("$schema", ""))

    def resolved(self, schema: JsonSchema) -> JsonSchema | bool:
        """Return what a schema with `$ref` refers to; itself where it says more besides.

        `True` where the reference cannot be followed.
        """
        known = self._resolved.get(id(schema))
        if known is None:
            found = resolve(self._root, schema)
            for _ in range(MAX_HOPS if self._alone else 0):
                if not isinstance(found, dict) or not isinstance(found.get("$ref"), str):
                    break
                found = self.target(found)
            known = self._resolved[id(schema)] = (schema, found)
        return known[1]

    def target(self, schema: JsonSchema) -> JsonSchema | bool:
        """Return what the `$ref` of a schema refers to, whatever it says besides."""
        reference = schema.get("$ref")
        return resolve(self._root, {"$ref": reference}) if isinstance(reference, str) else True

    def parts(self, *schemas: JsonSchema | bool) -> Parts:
        """Return what holds together where these schemas do; unions are left as they are."""
        if len(schemas) == 1:
            schema = schemas[0]
            known = self._parts.get(id(schema))
            if known is None:
                known = self._parts[id(schema)] = (schema, self._spread(schemas))
            return known[1]
        return self._spread(schemas)

    def _spread(self, schemas: Iterable[JsonSchema | bool]) -> Parts:
        found: dict[int, JsonSchema] = {}
        queue = list(schemas)
        seen: set[int] = set()
        while queue and len(seen) < _MOST:
            schema = queue.pop(0)
            if not isinstance(schema, dict) or id(schema) in seen:
                continue
            seen.add(id(schema))
            if "$ref" in schema and (resolved := self.resolved(schema)) is not schema:
                queue.append(resolved)
                continue
            if "$ref" in schema:
                queue.append(self.target(schema))
            found[id(schema)] = schema
            queue.extend(schemas_of(schema.get("allOf")))
        return tuple(found.values())

    def types(self, parts: Parts, depth: int = 0) -> frozenset[str]:
        """Return the types that a value may have where these hold together.

        Only what a validator would refuse is left out, so a schema without `type` has them all.
        """
        asked = tuple(map(id, parts))
        known = self._types.get(asked)
        if known is None:
            types = ALL_TYPES
            for part in parts:
                types &= _own_types(part)
                for keyword in UNIONS if depth < _NESTING else ():
                    if keyword in part:
                        types &= self._any_types(part, keyword, depth + 1)
            if depth:  # what is cut off further down is not known for good
                return types
            known = self._types[asked] = (parts, types)
        return known[1]

    def _any_types(self, part: JsonSchema, keyword: str, depth: int) -> frozenset[str]:
        types: frozenset[str] = frozenset()
        for branch in schemas_of(part[keyword]):
            if branch is not False:
                types |= self.types(self.parts(branch), depth)
        return types

    def named(self, schemas: Schemas) -> frozenset[str]:
        """Return the types that any of these schemas names; one that has them all names none."""
        asked = tuple(map(id, schemas))
        if asked not in self._named:
            each = [self.types(self.parts(schema)) for schema in schemas]
            named = frozenset[str]().union(*(types for types in each if types != ALL_TYPES))
            self._named[asked] = (schemas, named)
        return self._named[asked][1]

    def inside(self, parts: Parts, key: str | int) -> list[JsonSchema | bool]:
        """Return the schemas that these state for a property or an item."""
        return [inner for part in parts for inner in stated(part, key)]

    def anyhow(self, schemas: Schemas) -> Parts:
        """Return what may hold where any of these does: all branches of all unions."""
        asked = tuple(map(id, schemas))
        known = self._anyhow.get(asked)
        if known is None:
            found: dict[int, JsonSchema] = {}
            queue = [part for schema in schemas for part in self.parts(schema)]
            while queue and len(found) < _MOST:
                part = queue.pop(0)
                if id(part) not in found:
                    found[id(part)] = part
                    for keyword in UNIONS:
                        for branch in schemas_of(part.get(keyword)):
                            queue.extend(self.parts(branch))
            known = self._anyhow[asked] = (schemas, tuple(found.values()))
        return known[1]


def stated(schema: JsonSchema, key: str | int) -> list[JsonSchema | bool]:
    """Return what one schema, its own keywords alone, states for a property or an item."""
    if isinstance(key, int):
        front, rest = items_of(schema)
        return schemas_of([front[key] if key < len(front) else rest])
    found: list[JsonValue] = []
    named = schema.get("properties")
    if isinstance(named, dict) and key in named:
        found.append(named[key])
    patterns = schema.get("patternProperties")
    sure = True
    for pattern, inner in patterns.items() if isinstance(patterns, dict) else ():
        fits = matches(pattern, key)
        sure = sure and fits is not None
        if fits:
            found.append(inner)
    if not found and sure:
        found.append(schema.get("additionalProperties"))
    return schemas_of(found)


def items_of(schema: JsonSchema) -> tuple[list[JsonValue], JsonValue]:
    """Return the schemas of an array's first items, and that of all others."""
    front, rest = schema.get("prefixItems"), schema.get("items", True)
    if isinstance(rest, list):  # up to draft 2019-09
        front, rest = rest, schema.get("additionalItems", True)
    return front if isinstance(front, list) else [], rest


def matches(pattern: str, text: str) -> bool | None:
    """Return whether a pattern is found in a text.

    `None` where nobody can say in linear time, or the text is none that UTF-8 could say, or merely
    equals one.
    """
    search = _search(pattern)
    try:
        return None if search is None else search(text)
    except ValueError:
        return None


@lru_cache(maxsize=1024)
def _search(pattern: str) -> Callable[[str], bool] | None:
    # Python's own `re` can be made to backtrack for hours by a hostile schema.
    from jsonschema_rs import Draft202012Validator, RegexOptions, ValidationError

    try:
        checker = Draft202012Validator({"pattern": pattern}, pattern_options=RegexOptions())
    except ValidationError:
        return None
    return checker.is_valid


def _own_types(schema: JsonSchema) -> frozenset[str]:
    wanted = schema.get("type")
    if isinstance(wanted, str):
        types = {wanted}
    elif isinstance(wanted, list):
        types = {name for name in wanted if isinstance(name, str)}
    else:
        types = set(ALL_TYPES)
    if "number" in types:
        types.add("integer")
    values = listed_values(schema)
    return frozenset(types if values is None else types & set(map(type_of, values)))
