"""The laws of separating and merging, on random schemas, marks, predicates and hostile values.

`PYFUNCTOOLS_EXAMPLES` says how many schemas each law is tried on.
"""

import copy
import json
import os
import pickle
import re
import zlib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeAlias
from urllib.parse import unquote

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyfunctools.schema.path import Path
from pyfunctools.schema.separate import Separated, separate
from pyfunctools.schema.validate import Validator

Schema: TypeAlias = dict[str, Any]
Keys: TypeAlias = tuple[str | int, ...]
ABSENT = "ABSENT"
MARK = "SECRET-7f3a"
MODEL = ("a", "b", "c", "x_1", "x_2")
HUMAN = ("h0_secretname", "h1_secretname", "x_h_secretname")
NAMES = (*MODEL, *HUMAN)

laws = settings(
    max_examples=int(os.environ.get("PYFUNCTOOLS_EXAMPLES", "300")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
seeds = given(seed=st.integers(0, 2**48))


class Schemas:
    """Random schemas. With `marks` some are marked `x-human`, with secrets all around in them."""

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
        return {**root, "$defs": self.definitions} if self.definitions else root

    def schema(self, depth: int, marked: float = 0.15) -> Any:
        self.left -= 1
        if self.left < 0:
            return {"type": "integer"}
        kinds = ["leaf", "leaf", "leaf", "any"]
        if depth < 5:
            kinds += [*["object"] * 3, "array", "tuple", "map", "union", "union", "allOf"]
            kinds += ["ref", "tagged", "types", "conditional"]
        schema = getattr(self, f"_{self.random.choice(kinds)}")(depth)
        if self.marks and isinstance(schema, dict) and self.chance(marked):
            return self.human(schema)
        return schema

    def human(self, schema: Schema) -> Schema:
        schema = {**schema, "x-human": True, "title": MARK}
        if self.chance(0.3):
            schema["default"] = MARK
        if self.chance(0.3):
            schema["examples"] = [{"k": MARK}]
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
        ):
            if self.chance(0.07):
                schema[keyword] = value
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
        if self.chance(0.1) and "x-human" in json.dumps(branches):
            schema["default"] = {self.random.choice(HUMAN): MARK}
        return schema

    def _allOf(self, depth: int) -> Schema:
        members = [self.schema(depth + 1, 0.05) for _ in range(self.random.randint(1, 3))]
        beside = self._object(depth + 1) if self.chance(0.3) else {}
        return {"allOf": members, **beside}

    def _tagged(self, depth: int) -> Schema:
        branches: list[Schema] = []
        for tag in ["t1", "t2", "t3"][: self.random.randint(2, 3)]:
            branch = self._object(depth + 1)
            branch["properties"]["kind"] = {"const": tag}
            branch["required"] = [*branch.get("required", []), "kind"]
            branches.append(self.human(branch) if self.marks and self.chance(0.25) else branch)
        return {self.random.choice(["anyOf", "oneOf"]): branches}

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


class Values:
    """Random values that mostly fit; every text and number in them says whose they are."""

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
        """Give a value full of what does not belong: other shapes, names, lengths, nulls."""
        if self.random.random() < 0.06:
            return self.noise()
        if isinstance(value, dict):
            bad = {k: self.hostile(v) for k, v in value.items() if self.random.random() < 0.9}
            if self.random.random() < 0.4:
                bad[self.random.choice(NAMES)] = self.noise(1)
            return bad
        if isinstance(value, list):
            listed = [self.hostile(inner) for inner in value]
            listed += [self.noise(1)] if self.random.random() < 0.2 else []
            return tuple(listed) if self.random.random() < 0.1 else listed
        return self.noise(3) if self.random.random() < 0.3 else value


class Oracle:
    """The rule in its plainest form, in code of its own.

    A place is certainly the human's if something that is said of it is, in any branch of anything
    above it: by its mark, or by the path that the predicate was asked about.
    """

    def __init__(self, root: Schema, by_path: Callable[[str], bool] | None = None) -> None:
        self.root = root
        self.by_path = by_path

    def humans(self, value: Any) -> Iterator[tuple[Keys, Any]]:
        """Give the topmost human places in a value, with what is there."""
        yield from self._humans(value, [(self.root, "$input")], ())

    def _humans(self, value: Any, said: list[tuple[Any, str]], keys: Keys) -> Iterator[Any]:
        if any(self._is_human(schema, path) for schema, path in said):
            yield keys, value
        elif isinstance(value, dict | list):
            for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
                below = [
                    found
                    for schema, path in said
                    for one in self._spread(schema, unions=True)
                    for found in self._below(one, path, key)
                ]
                yield from self._humans(inner, below, (*keys, key))

    def _is_human(self, schema: Any, path: str) -> bool:
        if self.by_path is not None:
            return isinstance(schema, dict) and path != "$input" and self.by_path(path)
        return any(one.get("x-human") is True for one in self._spread(schema, unions=False))

    def _spread(self, schema: Any, *, unions: bool) -> Iterator[Schema]:
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
            if unions:
                stack += [*one.get("anyOf", []), *one.get("oneOf", [])]
                stack += [one[keyword] for keyword in ("then", "else") if keyword in one]
                stack += one.get("dependentSchemas", {}).values()

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


def at(value: Any, keys: Keys) -> Any:
    for key in keys:
        if not isinstance(value, dict if isinstance(key, str) else list):
            return ABSENT
        try:
            value = value[key]
        except LookupError:
            return ABSENT
    return value


def same(one: Any, other: Any) -> bool:
    return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def marked_schema(seed: int) -> tuple[Random, Schema]:
    random = Random(seed)
    return random, Schemas(random, marks=True).root()


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for keyword, inner in schema.items():
            if keyword == "$ref" and isinstance(inner, str):
                yield unquote(inner)
            else:
                yield from references(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from references(inner)


def some_values(random: Random, root: Schema) -> Iterator[Any]:
    for _ in range(4):
        yield Values(random, root, "v", 1000).of(root)


def check_parts(separated: Separated, oracle: Oracle, value: Any) -> None:
    llm, human = separated.split(value)
    for keys, _ in oracle.humans(value):
        assert not keys or at(llm, keys) in (ABSENT, None)
    if not separated.validate(value, "whole"):
        return
    merged = separated.merge(llm, human)
    assert merged
    assert same(merged.value, value)
    assert separated.validate(llm, "llm")
    assert separated.validate(human, "human")


def check_hostile(separated: Separated, oracle: Oracle, llm: Any, human: Any) -> None:
    before = copy.deepcopy((llm, human))
    merged = separated.merge(llm, human)
    assert (llm, human) == before
    if not merged:
        assert merged.issues
        assert merged.value is llm
        return
    for keys, value in oracle.humans(merged.value):
        assert same(at(human, keys), value)
    for keys, value in oracle.humans(human):
        assert same(at(merged.value, keys), value)


@laws
@seeds
def test_what_is_split_is_merged_to_the_same_and_each_part_fits_its_side(seed: int) -> None:
    random, root = marked_schema(seed)
    before = json.dumps(root)
    separated = separate(root)
    for value in some_values(random, root):
        check_parts(separated, Oracle(root), value)
    assert json.dumps(root) == before


@laws
@seeds
def test_no_value_of_the_models_ever_stands_where_the_humans_belongs(seed: int) -> None:
    random, root = marked_schema(seed)
    separated = separate(root)
    for value in some_values(random, root):
        llm, human = separated.split(value)
        evil = Values(random, root, "EVIL", 6660)
        bad = evil.hostile(random.choice([evil.of(root), value]))
        check_hostile(separated, Oracle(root), bad, random.choice([human, {}]))
        other = random.choice([llm, {}, None, [], value])
        check_hostile(separated, Oracle(root), other, random.choice([human, {}]))


@laws
@seeds
def test_ownership_goes_by_the_path_that_the_predicate_was_asked_about(seed: int) -> None:
    random = Random(seed)
    schemas = Schemas(random, marks=False)
    root = schemas.root()
    graph = {name: set(references(inner)) for name, inner in schemas.definitions.items()}
    if any(graph.values()):
        return  # in a recursive definition later turns are not asked about

    def by_path(path: str) -> bool:
        return path != "$input" and zlib.crc32(f"{path}{seed}".encode()) % 4 == 0

    separated = separate(root, lambda path, _: by_path(path))
    oracle = Oracle(root, by_path)
    for value in some_values(random, root):
        check_parts(separated, oracle, value)
        bad = Values(random, root, "EVIL", 6660).hostile(value)
        check_hostile(separated, oracle, bad, random.choice([separated.split(value)[1], {}]))


@laws
@seeds
def test_the_model_is_shown_nothing_of_the_humans(seed: int) -> None:
    random, root = marked_schema(seed)
    separated = separate(root)
    if separated.human is None:
        assert separated.llm is root
        return
    shown = json.dumps(separated.llm)
    assert MARK not in shown
    assert not [name for name in HUMAN if name in shown]
    for _ in range(4):
        evil = Values(random, root, "EVIL", 6660)
        bad = evil.hostile(evil.of(root))
        wrote = json.dumps(bad)
        _, human = separated.split(Values(random, root, MARK, 1000).of(root))
        for result in (separated.merge(bad, human), separated.validate(bad, "llm")):
            for issue in () if result else result.issues:
                text = json.dumps([issue.path, issue.expected, issue.value, issue.message])
                assert issue.side == "llm" or issue.value is None
                leaked = [word for word in (MARK, *HUMAN) if word in text and word not in wrote]
                assert issue.side == "human" or not leaked


@laws
@seeds
def test_both_sides_are_schemas_complete_with_the_definitions_they_need(seed: int) -> None:
    _, root = marked_schema(seed)
    separated = separate(root)
    for side in (separated.llm, separated.human):
        if side is None or side is root:
            continue
        Validator(side).compile()
        defined = {f"#/$defs/{name}" for name in side.get("$defs", {})}
        assert set(references(side)) == defined


@laws
@seeds
def test_a_copy_and_a_pickle_are_equal_and_know_as_much(seed: int) -> None:
    random, root = marked_schema(seed)
    separated = separate(root, lambda path, schema: schema.get("x-human") is True or "c" in path)
    for other in (pickle.loads(pickle.dumps(separated)), copy.deepcopy(separated)):
        assert other == separated
        for value in some_values(random, root):
            assert other.split(value) == separated.split(value)


def test_the_oracle_and_the_library_spell_paths_alike() -> None:
    asked: list[Path] = []
    schema = {
        "properties": {"a": {"items": {"properties": {"b": {}}}}, "t": {"prefixItems": [{}]}},
        "additionalProperties": {"type": "string"},
    }
    separate(schema, lambda path, _: bool(asked.append(path)))
    spelled = ["$input", "$input.a", "$input.t", "$input[*]", "$input.a[*]", "$input.t[0]"]
    assert asked == [*spelled, "$input.a[*].b"]
    assert asked[-1].keys == ("a", "*", "b")
