"""Random values of a schema, and hostile ones."""

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

from ownership_oracle import defined
from random_schemas import NAMES, Schema

ABSENT = "ABSENT"


class Spelled(str):
    """A `str` that equals a key and is another object: a validator may read it differently."""

    __slots__ = ()


class Values:
    """Random values, most of them valid; their texts and numbers name their owner."""

    def __init__(self, random: Random, root: Schema, text: str, number: int) -> None:
        self.random = random
        self.root = root
        self.text = text
        self.number = number

    def noise(self, depth: int = 0) -> Any:
        kind = self.random.randrange(6)
        count = self.random.randrange(3)
        if kind == 0 and depth < 3:
            names = self.random.sample((*NAMES, "kind"), count)
            return {name: self.noise(depth + 1) for name in names}
        if kind == 1 and depth < 3:
            return [self.noise(depth + 1) for _ in range(count)]
        return self.random.choice([self.text, self.number, f"{self.text}{count}", True, None])

    def of(self, schema: Any, depth: int = 0) -> Any:
        if depth > 9 or not isinstance(schema, dict):
            return self.noise(3)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema and self.random.random() < 0.9:
            return self.random.choice(schema["enum"])
        others = [self.of(inner, depth + 1) for inner in self._beside(schema)]
        own = self._own(schema, depth)
        made = [*others, *([] if own is ABSENT else [own])]
        if made and all(isinstance(value, dict) for value in made):
            return {name: inner for value in made for name, inner in value.items()}
        return self.random.choice(made) if made else self.noise(2)

    def _beside(self, schema: Schema) -> Iterator[Any]:
        if "$ref" in schema:
            yield defined(self.root, schema)
        yield from schema.get("allOf", [])
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                yield self.random.choice(schema[keyword])
        if "then" in schema and self.random.random() < 0.5:
            yield schema["then"]

    def _own(self, schema: Schema, depth: int) -> Any:
        kind = schema.get("type", "object" if "properties" in schema else None)
        if kind is None and "items" in schema:
            kind = "array"
        if isinstance(kind, list):
            kind = self.random.choice(kind)
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, depth)
        if kind is None:
            return ABSENT
        if "contentSchema" in schema:
            return json.dumps(self.of(schema["contentSchema"], depth + 1))
        scalars = {"string": f"{self.text}{depth}", "integer": self.number + depth, "null": None}
        return scalars[kind]

    def _object(self, schema: Schema, depth: int) -> Schema:
        required = schema.get("required", [])
        value: Schema = {}
        for name, inner in schema.get("properties", {}).items():
            if name in required or self.random.random() < (0.55 if depth < 6 else 0.2):
                value[name] = self.of(inner, depth + 1)
        for name in required:
            value.setdefault(name, self.noise(2))
        rest = schema.get("additionalProperties", True)
        if rest is not False and self.random.random() < 0.5:
            value.setdefault(self.random.choice(NAMES), self.of(rest, depth + 1))
        for pattern, inner in schema.get("patternProperties", {}).items():
            for name in NAMES:
                if re.search(pattern, name) and (name in value or self.random.random() < 0.2):
                    value[name] = self.of(inner, depth + 1)
        return value

    def _array(self, schema: Schema, depth: int) -> list[Any]:
        value = [self.of(inner, depth + 1) for inner in schema.get("prefixItems", [])]
        rest, least = schema.get("items", True), schema.get("minItems", 0)
        if rest is not False:
            count = max(least, self.random.randrange(3) if depth < 6 else 0)
            value += [self.of(rest, depth + 1) for _ in range(count)]
        return value

    def hostile(self, value: Any) -> Any:
        """Return an invalid value: with other types, names, lengths and nulls."""
        if self.random.random() < 0.06:
            return self.noise()
        if isinstance(value, dict):
            bad = {k: self.hostile(v) for k, v in value.items() if self.random.random() < 0.9}
            if self.random.random() < 0.4:
                bad[self.random.choice(NAMES)] = self.noise(1)
            if self.random.random() < 0.04:
                return {Spelled(name): inner for name, inner in bad.items()}
            return bad
        if isinstance(value, list):
            listed = [self.hostile(inner) for inner in value]
            listed += [self.noise(1)] if self.random.random() < 0.2 else []
            return tuple(listed) if self.random.random() < 0.1 else listed
        return self.noise(3) if self.random.random() < 0.3 else value
