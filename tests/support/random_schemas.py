"""Random schemas with human places in every keyword that can contain one."""

import json
from random import Random
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]
MARK = "SECRET-7f3a"
"""What stands in all that a schema says of a human part."""
MODEL = ("a", "b", "c", "x_1", "x_2")
HUMAN = ("h0_secretname", "h1_secretname", "x_h_secretname")
NAMES = (*MODEL, *HUMAN)
YES = (True, True, True, "yes", "true", 1)
"""How documents spell a mark."""


def is_marked(schema: Schema) -> bool:
    """Return whether a schema is marked as human."""
    return any(schema.get(mark) in YES for mark in ("x-human", "x-samchon-human"))


class Schemas:
    """Random schemas. With `marks` some are `x-human`, with secrets in all their keywords."""

    def __init__(self, random: Random, *, marks: bool) -> None:
        self.random = random
        self.marks = marks
        self.definitions: Schema = {}
        self.left = 28

    def root(self) -> Schema:
        kind = self.random.choice(
            ["object"] * 6 + ["allOf", "union", "ref", "tagged", "array", "map"]
        )
        root = getattr(self, f"_{kind}")(0)
        if self.marks and self.chance(0.04):
            root = self.human(root)
        return {**root, "$defs": self.definitions} if self.definitions else root

    def schema(self, depth: int, marked: float = 0.15) -> Any:
        self.left -= 1
        if self.left < 0:
            return {"type": "integer"}
        kinds = ["leaf", "leaf", "leaf", "any"]
        if depth < 5:
            kinds += [*["object"] * 3, "array", "tuple", "map", "union", "union", "allOf"]
            kinds += ["ref", "tagged", "types", "conditional", "content"]
        schema = getattr(self, f"_{self.random.choice(kinds)}")(depth)
        if self.marks and isinstance(schema, dict) and self.chance(marked):
            return self.human(schema)
        return schema

    def human(self, schema: Schema) -> Schema:
        """Return a human schema, with secrets in every keyword that can contain one."""
        mark = self.random.choice(["x-human", "x-human", "x-samchon-human"])
        schema = {**schema, mark: self.random.choice(YES), "title": MARK}
        for keyword, value in (
            ("default", MARK),
            ("examples", [{"k": MARK}]),
            ("description", f"Ask for {MARK}."),
            ("x-human-ask", MARK),
            ("$comment", MARK),
        ):
            if self.chance(0.25):
                schema[keyword] = value
        if schema.keys() >= {"type"} and schema["type"] == "string" and self.chance(0.3):
            schema |= self.random.choice([{"const": f"{MARK}-c"}, {"enum": [f"{MARK}-e", "e"]}])
        return schema

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def _leaf(self, _: int) -> Schema:
        return self.random.choice(
            [
                {"type": "string"},
                {"type": "integer"},
                {"type": "null"},
                {"enum": ["e1", "e2", 3][: self.random.randint(1, 3)]},
                {"const": self.random.choice(["k1", "k2", 7, None])},
            ]
        )

    def _content(self, depth: int) -> Schema:
        """Return a schema of a text that contains JSON, as pydantic describes `Json[...]`."""
        return {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": self.schema(depth + 1),
        }

    def _any(self, _: int) -> Any:
        return self.random.choice([{}, True, True, {"description": "any"}])

    def _types(self, depth: int) -> Schema:
        types = self.random.choice([["object", "null"], ["object", "string"], ["string", "null"]])
        return {**self._object(depth), "type": types}

    def _object(self, depth: int) -> Schema:
        names = self.random.sample(MODEL, self.random.randint(0, 3))
        properties = {name: self.schema(depth + 1) for name in names}
        if self.marks and self.chance(0.5):
            for name in self.random.sample(HUMAN, self.random.randint(1, 2)):
                inner = self.schema(depth + 1, 0)
                properties[name] = self.human(inner if isinstance(inner, dict) else {})
        schema: Schema = {"type": "object", "properties": properties}
        required = [name for name in properties if self.chance(0.5)]
        if required or self.chance(0.3):
            schema["required"] = required
        closing = self.random.random()
        if closing < 0.5:
            schema["additionalProperties"] = False
        elif closing < 0.6:
            schema["additionalProperties"] = self.schema(depth + 1)
        elif closing < 0.65:
            schema["unevaluatedProperties"] = self.chance(0.3) and self.schema(depth + 1)
        if self.chance(0.12):
            pattern = self.random.choice(["^x_", "_1$", "^[ab]$"])
            schema["patternProperties"] = {pattern: self.schema(depth + 1)}
        constant = {name: MARK if name in HUMAN else "ok" for name in properties}
        for keyword, value in (
            ("default", constant),
            ("examples", [constant]),
            ("enum", [constant, None]),
            ("minProperties", self.random.randint(0, 2)),
            ("x-order", [*properties]),
        ):
            if self.chance(0.07):
                schema[keyword] = value
        if properties and self.chance(0.1):
            some = [{"required": [name]} for name in properties]
            schema["allOf"] = [{"anyOf": some, "x-kind": constant}]
        return schema

    def _map(self, depth: int) -> Schema:
        schema: Schema = {"type": "object", "additionalProperties": self.schema(depth + 1)}
        if self.chance(0.3):
            schema["patternProperties"] = {"^x_": self.schema(depth + 1)}
        return schema

    def _array(self, depth: int) -> Schema:
        schema: Schema = {"type": "array", "items": self.schema(depth + 1)}
        if self.chance(0.2):
            schema["minItems"] = self.random.randint(0, 2)
        if self.chance(0.2):
            schema["uniqueItems"] = True
        if self.chance(0.1):
            schema["contains"] = self.schema(depth + 1, 0)
        if self.chance(0.3):
            del schema["type"]
        return schema

    def _tuple(self, depth: int) -> Schema:
        count = self.random.randint(1, 3)
        prefix = [self.schema(depth + 1) for _ in range(count)]
        schema: Schema = {"type": "array", "prefixItems": prefix}
        if self.chance(0.6):
            schema["items"] = self.chance(0.5) and self.schema(depth + 1)
        return schema

    def _union(self, depth: int) -> Schema:
        keyword = self.random.choice(["anyOf", "oneOf"])
        branches = [self.schema(depth + 1, 0.3) for _ in range(self.random.randint(1, 3))]
        if self.chance(0.3):
            branches.append({"type": "null"})
        schema: Schema = {keyword: branches}
        if self.chance(0.15):
            schema["properties"] = {self.random.choice(MODEL): self.schema(depth + 1)}
        if self.chance(0.1) and MARK in json.dumps(branches):
            schema["default"] = {self.random.choice(HUMAN): MARK}
        return schema

    def _allOf(self, depth: int) -> Schema:
        members = [self.schema(depth + 1, 0.05) for _ in range(self.random.randint(1, 3))]
        beside = self._object(depth + 1) if self.chance(0.3) else {}
        return {**beside, "allOf": [*beside.get("allOf", []), *members]}

    def _tagged(self, depth: int) -> Schema:
        branches: list[Schema] = []
        for tag in ["t1", "t2", "t3"][: self.random.randint(2, 3)]:
            branch = self._object(depth + 1)
            branch["properties"]["kind"] = {"const": tag}
            branch["required"] = [*branch.get("required", []), "kind"]
            branches.append(self.human(branch) if self.marks and self.chance(0.25) else branch)
        keyword = self.random.choice(["anyOf", "oneOf"])
        if self.chance(0.4):
            return {keyword: branches}
        sites: list[Schema] = []
        for branch in branches:
            name = f"T{len(self.definitions)}"
            self.definitions[name] = branch
            sites.append({"$ref": f"#/$defs/{name}"})
        tags = [branch["properties"]["kind"]["const"] for branch in branches]
        mapping = {tag: site["$ref"] for tag, site in zip(tags, sites, strict=True)}
        return {keyword: sites, "discriminator": {"propertyName": "kind", "mapping": mapping}}

    def _conditional(self, depth: int) -> Schema:
        schema = self._object(depth)
        names = [*MODEL, *(name for name in schema["properties"] if name in HUMAN)]
        one, other = self.random.choice(names), self.random.choice(names)
        return (
            schema
            | self.random.choice(
                [
                    lambda: {
                        "if": {"properties": {"a": {"const": "k1"}}},
                        "then": self._object(depth + 1),
                        "else": self.schema(depth + 1, 0),
                    },
                    lambda: {"dependentSchemas": {one: self._object(depth + 1)}},
                    lambda: {"dependentRequired": {one: [other]}},
                    lambda: {"not": {"required": [one]}},
                    lambda: {"minProperties": 1, "propertyNames": {"enum": [*names, "kind"]}},
                ]
            )()
        )

    def _ref(self, depth: int) -> Schema:
        name = self.random.choice(["N0", "N1", "N2"])
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = self.schema(1)
        site: Schema = {"$ref": f"#/$defs/{name}"}
        if self.chance(0.15):
            site["description"] = "site"
        return {**site, **self._object(depth + 1)} if self.chance(0.1) else site
