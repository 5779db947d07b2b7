"""Objects and arrays as a profile takes them: names, maps, tuples, what is required, closing."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.dialects.change import KEY, SAME, VALUE, Change
from pyfunctools.dialects.nulls import as_object, nullable, takes_null
from pyfunctools.dialects.table import ARRAYS, OBJECTS, Profile
from pyfunctools.dialects.telling import Rewrite, Rewritten, Telling
from pyfunctools.schema.ground.path import Path

Walk: TypeAlias = Callable[[JsonSchema | bool, str], Rewritten]
"""Rewrites a schema that stands at a place."""


class Containers:
    """Rewrites the objects and arrays of one schema; `walk` does what is inside of them."""

    def __init__(self, root: JsonSchema, profile: Profile, telling: Telling, walk: Walk) -> None:
        self._root = root
        self._profile = profile
        self._telling = telling
        self._walk = walk

    def rewrite(self, node: Rewrite) -> Change:
        """Rewrite what a schema says of objects and of arrays."""
        held, listed = self._object(node), self._array(node)
        if held and listed:
            return replace(held, front=listed.front, items=listed.items)
        return held or listed or SAME

    def _object(self, node: Rewrite) -> Change | None:
        made = node.made
        named = made.get("properties")
        properties = named if isinstance(named, dict) else {}
        if not _may_be(made, "object", named, made.get("additionalProperties")):
            _drop(made, OBJECTS)
            return None
        if not self._profile.maps and not properties and self._is_map(node):
            return self._pairs(node)
        if self._profile.maps and "patternProperties" not in self._profile.keywords:
            self._without_patterns(node)
        change = self._properties(node, {**properties, **self._undeclared(node, properties)})
        rest = made.get("additionalProperties")
        if isinstance(rest, dict) and self._profile.maps:
            made["additionalProperties"], inner = self._walk(rest, node.path + ".*")
            change.rest = inner
        elif self._profile.closed:
            if rest not in (None, False) or "patternProperties" in made:
                self._telling.lose(node, "additionalProperties", "refused")
            elif rest is None:
                self._telling.lose(node, "additionalProperties", "loosened")
            made.pop("patternProperties", None)
            made["additionalProperties"] = False
        patterns = made.get("patternProperties")
        if isinstance(patterns, dict) and "patternProperties" in self._profile.keywords:
            made["patternProperties"] = {
                pattern: self._walk(as_object(inner), node.path + ".*")[0]
                for pattern, inner in patterns.items()
            }
        return change

    def _without_patterns(self, node: Rewrite) -> None:
        """Allow any other name what the patterns let some have."""
        patterns, rest = node.made.get("patternProperties"), node.made.get("additionalProperties")
        if isinstance(patterns, dict) and rest not in (None, True):
            self._telling.tell(node, "patternProperties")
            listed = [*patterns.values(), *([] if rest is False else [rest])]
            node.made["additionalProperties"] = listed[0] if len(listed) == 1 else {"anyOf": listed}

    def _is_map(self, node: Rewrite) -> bool:
        if node.made.get("additionalProperties") is False:
            return bool(node.made.get("patternProperties"))
        return self._profile.closed

    def _undeclared(self, node: Rewrite, properties: JsonObject) -> JsonObject:
        """Return what may stand at names that are required and not declared.

        Where a profile says all of JSON Schema they stay as they are: patterns may be about them.
        """
        if "patternProperties" in self._profile.keywords:
            return {}
        rest = node.made.get("additionalProperties", True)
        return {name: rest for name in texts(node.made.get("required")) if name not in properties}

    def _properties(self, node: Rewrite, properties: JsonObject) -> Change:
        made, path = node.made, node.path
        names = dict(self._names(properties))
        required = texts(made.get("required"))
        members: dict[str, Change] = {}
        written: dict[str, JsonValue] = {}
        absent: set[str] = set()
        filled: set[str] = set()
        for name, inner in properties.items():
            below = str(Path.of((name,), path))
            schema, change = self._walk(as_object(inner), below)
            if self._profile.complete and name not in required:
                filled.add(name)
                if takes_null(self._root, as_object(inner)):
                    self._telling.lose_at(below, "required", "loosened")
                else:
                    absent.add(name)
                if not takes_null(None, schema):
                    schema = nullable(schema, listed=self._profile.type_lists)
            written[names.get(name, name)] = schema
            if change is not SAME:
                members[name] = change
        if properties or self._profile.closed:
            made["properties"] = written
        asked = list(properties) if self._profile.complete else required
        if asked or (self._profile.complete and "properties" in made):
            made["required"] = [names.get(name, name) for name in asked]
        else:
            made.pop("required", None)
        return Change(
            names=names, members=members, filled=frozenset(filled), absent=frozenset(absent)
        )

    def _names(self, properties: JsonObject) -> Iterator[tuple[str, str]]:
        """Yield the properties that have to be renamed, with a name that is not taken."""
        if self._profile.key is None:
            return
        taken = {name for name in properties if re.fullmatch(self._profile.key, name)}
        for name in [name for name in properties if name not in taken]:
            base = re.sub(r"[^A-Za-z0-9_]", "_", name)[:60] or "_"
            base = base if re.fullmatch(self._profile.key, base) else f"_{base}"
            new, count = base, 1
            while new in taken:
                count += 1
                new = f"{base[:58]}_{count}"
            taken.add(new)
            yield name, new

    def _pairs(self, node: Rewrite) -> Change | None:
        """Rewrite a map as an array of pairs, each with a `key` and a `value`."""
        made, path = node.made, node.path
        patterns = made.pop("patternProperties", None)
        rest = made.pop("additionalProperties", None)
        key: JsonSchema = as_object(made.pop("propertyNames", {}))
        if isinstance(patterns, dict) and len(patterns) == 1 and rest is False:
            ((pattern, rest),) = patterns.items()
            key = {"pattern": pattern}
        is_list = "array" in texts(made.get("type"))
        if not isinstance(rest, dict) or not rest or is_list or texts(made.get("required")):
            self._telling.lose(node, "additionalProperties", "refused")
            made.pop("required", None)
            made["additionalProperties"] = False
            return SAME
        value, change = self._walk(rest, path + ".*")
        name, _ = self._walk({"type": "string", **key}, path + ".*")
        for old, new in (("minProperties", "minItems"), ("maxProperties", "maxItems")):
            if old in made:
                made[new] = made.pop(old)
        made |= {
            "type": ["array", "null"] if "null" in texts(made.get("type")) else "array",
            "items": {
                "type": "object",
                "properties": {KEY: name, VALUE: value},
                "required": [KEY, VALUE],
                "additionalProperties": False,
            },
        }
        node.told.append("A map, as a list of its keys with their values, each key once.")
        self._telling.lose(node, "additionalProperties", "told")
        return Change(pairs=True, rest=change)

    def _array(self, node: Rewrite) -> Change | None:
        made, path = node.made, node.path + "[]"
        front, rest = made.get("prefixItems"), made.get("items", True)
        if not _may_be(made, "array", front, made.get("items")):
            _drop(made, ARRAYS)
            return None
        listed = list(front) if isinstance(front, list) else []
        first = [self._walk(as_object(each), path) for each in listed]
        later = None if rest is False else self._walk(as_object(rest), path)
        if rest is True and not self._profile.untyped and not first:
            return None if later is None else Change(items=later[1])
        if first and not self._profile.tuples:
            most = made.get("maxItems")
            filled = isinstance(most, int) and most <= len(first)
            return self._widened(node, first, None if filled else later)
        if first:
            made["prefixItems"] = [each[0] for each in first]
        if "items" in made and later is not None and rest is not True:
            made["items"] = later[0]
        return Change(front=[each[1] for each in first], items=None if later is None else later[1])

    def _widened(self, node: Rewrite, first: list[Rewritten], later: Rewritten | None) -> Change:
        """Rewrite a tuple as an array in which each of its items may stand."""
        made = node.made
        made.pop("prefixItems")
        self._telling.lose(node, "prefixItems", "loosened")
        if node.was.get("items") is False:
            made.setdefault("maxItems", len(first))
        each: list[JsonValue] = []
        for schema, _ in [*first, *([] if later is None else [later])]:
            if schema not in each:
                each.append(schema)
        made["items"] = each[0] if len(each) == 1 else {"anyOf": each}
        changes = [change for _, change in first]
        if not all(change is SAME for change in changes):
            self._telling.lose(
                node, "prefixItems", "refused" if self._profile.closed else "loosened"
            )
        return Change(front=changes, items=None if later is None else later[1])


def texts(value: JsonValue) -> list[str]:
    """Return the texts in a list, and none of anything else."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _may_be(made: JsonSchema, kind: str, *told: JsonValue) -> bool:
    """True if a schema is about objects (or arrays), by its type or by its keywords."""
    wanted = made.get("type")
    if wanted is None:
        return any(each is not None for each in told)
    return wanted == kind or (isinstance(wanted, list) and kind in wanted)


def _drop(made: dict[str, JsonValue], keywords: frozenset[str]) -> None:
    """Leave out keywords about a type that a schema never has."""
    if "type" in made:
        for keyword in keywords & made.keys():
            del made[keyword]
