"""Random values of a schema, as a careful model might send them."""

import re
import string
from collections.abc import Callable, Iterator
from importlib import import_module
from math import ceil, floor, inf
from random import Random
from typing import Any, TypeAlias, cast

from pyfunctools.schema.ground.references import resolve
from pyfunctools.schema.vocabulary import ANNOTATIONS, COMPOSITION, REFERENCES, UNIONS, judging

Schema: TypeAlias = Any
DEEPEST = 12
"""Below this level the smallest branch is chosen."""
EDGES = 0.2
"""The share of values at an edge (empty, zero, at a bound) with `edges`."""
WORDS = (
    "alpha",
    "Beta",
    "two words",
    "x1",
    "dash-ed",
    "under_score",
    "1.5",
    "d\u00e9j\u00e0 vu",
    "a&b=c",
    "50%",
)
"""Texts for schemas without `format` or `pattern`; some need encoding on the wire."""

FORMATS: dict[str, Callable[[Random], str]] = {
    "date": lambda r: f"20{r.randint(10, 29)}-{r.randint(1, 12):02}-{r.randint(1, 28):02}",
    "date-time": lambda r: f"20{r.randint(10, 29)}-01-02T{r.randint(0, 23):02}:04:05Z",
    "time": lambda r: f"{r.randint(0, 23):02}:04:05Z",
    "duration": lambda r: f"P{r.randint(1, 9)}D",
    "email": lambda r: f"a{r.randint(0, 99)}@example.com",
    "hostname": lambda r: f"h{r.randint(0, 99)}.example.com",
    "ipv4": lambda r: f"192.0.2.{r.randint(0, 255)}",
    "ipv6": lambda r: f"2001:db8::{r.randint(1, 9999)}",
    "iri": lambda r: f"https://example.com/{r.randint(0, 99)}",
    "iri-reference": lambda r: f"/{r.randint(0, 99)}",
    "json-pointer": lambda r: f"/a/{r.randint(0, 99)}",
    "regex": lambda r: f"^a{r.randint(0, 99)}$",
    "uri": lambda r: f"https://example.com/{r.randint(0, 99)}?q=1",
    "uri-reference": lambda r: f"/{r.randint(0, 99)}",
    "uri-template": lambda r: f"/{{id}}/{r.randint(0, 99)}",
    "uuid": lambda r: f"{r.getrandbits(32):08x}-0000-4000-8000-{r.getrandbits(48):012x}",
    "byte": lambda _: "aGVsbG8=",
}  # fmt: skip


class FittingValues:
    """Random values of one normalized schema with its `$defs`.

    A value may be invalid if several keywords act together: validate it, and try again. With
    `edges`, some values are empty texts and arrays, or numbers near zero or near a bound.
    """

    def __init__(
        self, root: Schema, random: Random, fullness: float = 0.5, *, edges: bool = False
    ) -> None:
        self.root = root
        self.random = random
        self.fullness = fullness
        self._edges = edges
        self._matching = Matching(random, self._word)

    def value(self) -> Any:
        """Return a value of the whole schema."""
        return self.of(self.root, 0)

    def of(self, schema: Schema, depth: int, properties: Schema = None) -> Any:
        """Return a value of a schema; values get smaller with depth.

        `properties` are the properties of surrounding schemas for the same value (around `allOf`).
        """
        if not isinstance(schema, dict):
            return self._word()
        schema = cast("Schema", schema)
        for part in (schema, *schema.get("allOf", ())):
            if isinstance(part, dict) and "const" in part:
                return cast("Schema", part)["const"]
        takes_null = "null" in str(schema.get("type", "null"))
        enum = [value for value in schema.get("enum", ()) if value is not None or takes_null]
        if enum:
            return self.random.choice(enum)
        known: Schema = (properties or {}) | schema.get("properties", {})
        values = [self.of(part, depth + 1, known) for part in self._parts(schema, depth)]
        if not values or any(key not in _SILENT and not key.startswith("x-") for key in schema):
            values.insert(0, self._of_type(schema, depth, known))
        if all(isinstance(value, dict) for value in values):
            return {name: member for value in values for name, member in value.items()}
        return values[-1]

    def _parts(self, schema: Schema, depth: int) -> Iterator[Schema]:
        """Yield the schemas for the same value: `$ref`, `allOf`, and one branch of a union."""
        if "$ref" in schema:
            yield resolve(self.root, {"$ref": schema["$ref"]})
        yield from schema.get("allOf", ())
        for keyword in reversed(UNIONS):
            branches = [branch for branch in schema.get(keyword, ()) if branch is not False]
            if branches:
                if depth > DEEPEST:
                    branches = sorted(branches, key=_weight)[:1]
                yield self.random.choice(branches)

    def _of_type(self, schema: Schema, depth: int, known: Schema) -> Any:
        kinds = schema.get("type")
        if kinds is None:
            kinds = next(
                (kind for kind, words in _KINDS.items() if words & schema.keys()), "string"
            )
        listed = cast("list[Any]", kinds if isinstance(kinds, list) else [kinds])
        if len(listed) > 1 and "null" in listed and self.random.random() < 0.8:
            listed = [kind for kind in listed if kind != "null"]
        kind = self.random.choice(listed)
        if kind == "object":
            return self._object(schema, depth, known)
        if kind == "array":
            return self._array(schema, depth)
        if kind in ("integer", "number"):
            return self._number(schema, kind == "integer")
        if kind == "boolean":
            return self.random.random() < 0.5
        return None if kind == "null" else self._string(schema)

    def _object(self, schema: Schema, depth: int, known: Schema) -> dict[str, Any]:
        required = schema.get("required", [])
        properties = schema.get("properties", {})
        least, most = schema.get("minProperties", 0), schema.get("maxProperties", inf)
        chance = self.fullness if depth <= 2 else self.fullness / 2 if depth < 6 else 0
        value: dict[str, Any] = {}
        for name, inner in properties.items():
            wanted = self.random.random() < chance and len(value) < most and inner is not False
            if name in required or wanted:
                value[name] = self.of(inner, depth + 1)
        rest = schema.get("additionalProperties", True)
        patterns = schema.get("patternProperties", {})
        for name in [name for name in required if name not in value]:
            value[name] = self.of(known.get(name, rest), depth + 1)
        for name in properties:
            if len(value) >= least:
                break
            value.setdefault(name, self.of(properties[name], depth + 1))
        names = schema.get("propertyNames", {})
        free = (rest is not False and isinstance(rest, dict)) or len(value) < least
        for _ in range(20):
            if not free or len(value) >= max(least, 1) or len(value) >= most:
                break
            pattern = next(iter(patterns), None)
            if rest is False and pattern is not None:
                value[self._matching.text(pattern)] = self.of(patterns[pattern], depth + 1)
            elif rest is not False:
                name = self.of({"type": "string", "minLength": 1, **names}, depth + 1)
                value.setdefault(str(name), self.of(rest, depth + 1))
        return value

    def _array(self, schema: Schema, depth: int) -> list[Any]:
        prefix = schema.get("prefixItems", [])
        items = schema.get("items", True)
        least, most = schema.get("minItems", 0), schema.get("maxItems", inf)
        wanted = len(prefix) + (self.random.randint(1, 3) if depth < 6 else 0)
        if self._at_edge():
            wanted = 0
        count = int(min(max(least, wanted), most))
        if items is False:
            count = min(count, len(prefix))
        value: list[Any] = []
        for _ in range(count * 4):
            if len(value) >= count:
                break
            index = len(value)
            item = self.of(prefix[index] if index < len(prefix) else items, depth + 1)
            if item not in value or not schema.get("uniqueItems"):
                value.append(item)
        return value

    def _number(self, schema: Schema, integral: bool) -> int | float:
        low = max(schema.get("minimum", -inf), schema.get("exclusiveMinimum", -inf))
        high = min(schema.get("maximum", inf), schema.get("exclusiveMaximum", inf))
        bits = {"int32": 31, "int64": 53, "u-int8": 8}.get(schema.get("format", ""), 20)
        if self._at_edge():
            low, high = _edge_bounds(low, high)
        else:
            low, high = max(low, min(1, high)), min(high, max(2**bits - 1, low))
        step = schema.get("multipleOf", 1 if integral or high - low > 10 else None)
        if step is None:
            return self.random.uniform(low, high)
        first = floor(low / step) + (1 if low == schema.get("exclusiveMinimum") else 0)
        first = max(first, ceil(low / step))
        last = (
            ceil(high / step) - 1 if high == schema.get("exclusiveMaximum") else floor(high / step)
        )
        return self.random.randint(first, max(first, min(last, first + 1000))) * step

    def _at_edge(self) -> bool:
        return self._edges and self.random.random() < EDGES

    def _string(self, schema: Schema) -> str:
        if self._at_edge() and not schema.keys() & judging("string"):
            return ""
        if "pattern" in schema:
            text = self._matching.text(schema["pattern"])
        else:
            make = FORMATS.get(schema.get("format", ""))
            text = self._word() if make is None else make(self.random)
        least, most = schema.get("minLength", 1), schema.get("maxLength", inf)
        while len(text) < least:
            text += self.random.choice(string.ascii_lowercase)
        return text[: int(most)] if len(text) > most else text

    def _word(self) -> str:
        return self.random.choice(WORDS)


_KINDS = {kind: judging(kind) for kind in ("object", "array", "number")}
_SILENT = ANNOTATIONS | REFERENCES | {"$defs", "discriminator"} | {*COMPOSITION, "not"}


def _edge_bounds(low: float, high: float) -> tuple[float, float]:
    """Return narrow bounds close to a bound, or around zero without one."""
    if low == -inf:
        low = max(-5, high - 5) if high < inf else -5
    return low, min(high, low + 10)


def _weight(schema: Schema) -> int:
    kinds: Any = cast("Schema", schema).get("type") if isinstance(schema, dict) else "string"
    return {"string": 0, "null": 0, "boolean": 0, "integer": 0, "array": 1}.get(str(kinds), 2)


# Python's own parser of patterns, which has no public name.
_PARSER: Any = import_module("re._parser")
_CODES: Any = import_module("re._constants")


class Matching:
    """Random texts for Python patterns; look-around is ignored."""

    def __init__(self, random: Random, word: Callable[[], str]) -> None:
        self._random = random
        self._word = word

    def text(self, pattern: str) -> str:
        """Return a text that matches the pattern, or any word if the pattern is invalid."""
        try:
            return "".join(self._texts(_PARSER.parse(pattern)))
        except (re.error, KeyError, OverflowError):
            return self._word()

    def _texts(self, parsed: Any) -> Iterator[str]:
        for operator, given in parsed:
            name = str(operator)
            if name == "LITERAL":
                yield chr(given)
            elif name in ("NOT_LITERAL", "ANY"):
                yield "a" if given != ord("a") else "b"
            elif name == "IN":
                yield self._one_of(given)
            elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                least, most, inner = given
                for _ in range(self._random.randint(least, min(most, least + 3))):
                    yield from self._texts(inner)
            elif name == "SUBPATTERN":
                yield from self._texts(given[-1])
            elif name == "ATOMIC_GROUP":
                yield from self._texts(given)
            elif name == "BRANCH":
                yield from self._texts(self._random.choice(given[1]))

    def _one_of(self, members: Any) -> str:
        kinds = {
            _CODES.CATEGORY_DIGIT: string.digits,
            _CODES.CATEGORY_WORD: string.ascii_letters + string.digits + "_",
            _CODES.CATEGORY_SPACE: " ",
            _CODES.CATEGORY_NOT_SPACE: string.ascii_letters,
            _CODES.CATEGORY_NOT_DIGIT: string.ascii_letters,
            _CODES.CATEGORY_NOT_WORD: "-",
        }
        found: set[str] = set()
        negated = False
        for operator, given in members:
            name = str(operator)
            negated = negated or name == "NEGATE"
            if name == "LITERAL":
                found.add(chr(given))
            elif name == "RANGE":
                found.update(map(chr, range(given[0], min(given[1], given[0] + 200) + 1)))
            elif name == "CATEGORY":
                found.update(kinds[given])
        usual = string.ascii_letters + string.digits + " -_."
        choices = [c for c in usual if c not in found] if negated else sorted(found)
        return self._random.choice([c for c in choices if c in usual] or choices or ["\u4e2d"])
