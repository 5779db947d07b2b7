"""The owner of a place by the simplest form of the rule, as a second implementation."""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from random_schemas import is_marked

Schema: TypeAlias = dict[str, Any]
Keys: TypeAlias = tuple[str | int, ...]
OraclePredicate: TypeAlias = Callable[[str, Schema], bool]
DATA = ("const", "default", "enum", "examples", "$ref")


def by_mark(_: str, schema: Schema) -> bool:
    """Return whether a schema is marked as human."""
    return is_marked(schema)


class Oracle:
    """A place is human if a subschema for it is, in any branch but null.

    The subschema may be in any branch of any schema above it; `predicate` returns
    whether a subschema at a path is human.
    """

    def __init__(self, root: Schema, predicate: OraclePredicate = by_mark) -> None:
        self.root = root
        self.predicate = predicate

    def humans(self, value: Any) -> Iterator[tuple[Keys, Any]]:
        """Yield the topmost human places in a value, with their values."""
        yield from self._humans(value, [(self.root, "$input")], ())

    def _humans(self, value: Any, applied: list[tuple[Any, str]], keys: Keys) -> Iterator[Any]:
        if any(self._is_human(schema, path) for schema, path in applied):
            yield keys, value
        elif isinstance(value, dict | list):
            for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
                below = [
                    found
                    for schema, path in applied
                    for one in self._spread(schema)
                    for found in self._below(one, path, key)
                ]
                yield from self._humans(inner, below, (*keys, key))

    def _is_human(self, schema: Any, path: str) -> bool:
        return any(
            self.predicate(path, one) or self._holds(one.get("contentSchema"), path)
            for one in self._spread(schema)
        )

    def _holds(self, schema: Any, path: str) -> bool:
        """Return whether the content of a text has a human part: a text is not split."""
        seen: set[int] = set()
        stack = [schema]
        while stack:
            one = stack.pop()
            if isinstance(one, list):
                stack += one
            elif isinstance(one, dict) and id(one) not in seen:
                seen.add(id(one))
                if self.predicate(path, one):
                    return True
                stack += [inner for key, inner in one.items() if key not in DATA]
                if "$ref" in one:
                    stack.append(defined(self.root, one))
        return False

    def _spread(self, schema: Any) -> Iterator[Schema]:
        """Yield all subschemas that may apply to the same value, without null branches."""
        seen: set[int] = set()
        stack = [schema]
        while stack:
            one = stack.pop()
            if not isinstance(one, dict) or id(one) in seen:
                continue
            seen.add(id(one))
            yield one
            if "$ref" in one:
                stack.append(defined(self.root, one))
            stack += one.get("allOf", [])
            branches = [*one.get("anyOf", []), *one.get("oneOf", [])]
            stack += [branch for branch in branches if not self.is_null(branch)]
            stack += [one[keyword] for keyword in ("then", "else") if keyword in one]
            stack += one.get("dependentSchemas", {}).values()

    def is_null(self, schema: Any) -> bool:
        for _ in range(9):  # a cycle of references accepts nothing
            if not isinstance(schema, dict):
                return False
            if schema.get("type") == "null" or schema.get("enum") == [None]:
                return True
            if "const" in schema and schema["const"] is None:
                return True
            schema = defined(self.root, schema) if "$ref" in schema else None
        return False

    def _below(self, schema: Schema, path: str, key: str | int) -> Iterator[tuple[Any, str]]:
        if isinstance(key, int):
            prefix = schema.get("prefixItems", [])
            if key < len(prefix):
                yield prefix[key], f"{path}[{key}]"
            elif "items" in schema:
                yield schema["items"], f"{path}[*]"
            return
        found = [
            (inner, f"{path}[*]")
            for pattern, inner in schema.get("patternProperties", {}).items()
            if re.search(pattern, key)
        ]
        if key in schema.get("properties", {}):
            found.append((schema["properties"][key], f"{path}.{key}"))
        if not found and "additionalProperties" in schema:
            found.append((schema["additionalProperties"], f"{path}[*]"))
        yield from found


def defined(root: Schema, site: Schema) -> Any:
    return root["$defs"][site["$ref"].removeprefix("#/$defs/")]
