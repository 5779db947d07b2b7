"""Random values of a schema, as a careful model might send them."""

import re
import string
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import chain
from math import ceil, floor, inf
from random import Random
from typing import Any, Final

from pyfunctools._json import JsonSchema
from pyfunctools.schema.outline.json_types import ALL_TYPES, json_type
from pyfunctools.schema.outline.outline import Outline, Part, Place
from pyfunctools.schema.vocabulary import judging

DEEPEST = 12
"""Below this level the smallest branch is chosen."""
SPANS = (10, 1000)
"""How many numbers are chosen from: near a bound or zero, or also farther from it."""
WORDS = (
    "",
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

USUAL = f"{string.ascii_letters}{string.digits} -_."
"""The characters that are tried first where a pattern allows many."""

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

    Empty texts and arrays, zeros and bounds are among them. A value may be invalid if several
    keywords act together: validate it, and try again.
    """

    def __init__(self, root: JsonSchema | bool, random: Random, fullness: float = 0.5) -> None:
        self.random = random
        self._outline = Outline(root)
        self._fullness = fullness

    def value(self) -> Any:
        """Return a value of the whole schema."""
        return self._at(self._outline.place, 0)

    def _at(self, place: Place, depth: int) -> Any:
        """Return a value at a place; values get smaller with depth."""
        place = self._with_branches(place, depth)
        rules = place.cached(_tightest)
        if "const" in rules:
            return rules["const"]
        if values := [each for each in rules.get("enum", ()) if json_type(each) in place.types]:
            return self.random.choice(values)
        kinds = sorted(place.types)
        if place.types == ALL_TYPES:
            kinds = [next((kind for kind, words in _KINDS.items() if words & rules.keys()), "")]
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        if len(kinds) > 1 and "null" in kinds and self.random.random() < 0.8:
            kinds.remove("null")
        kind = self.random.choice(kinds) if kinds else "string"
        if kind == "object":
            return self._object(place, rules, depth)
        if kind == "array":
            return self._array(place, rules, depth)
        if kind in ("integer", "number"):
            return self._number(rules, kind == "integer")
        if kind == "boolean":
            return self.random.random() < 0.5
        return None if kind == "null" else self._string(rules)

    def _with_branches(self, place: Place, depth: int) -> Place:
        """Return the place with one branch of each union, deep down the smallest one."""
        done = set[tuple[Part, str]]()
        while new := [each for each in place.unions if each not in done]:
            done.update(new)
            picked: list[Part] = []
            for part, keyword in new:
                branches = [each for each in part.branches(keyword) if each.schema is not False]
                if depth > DEEPEST:
                    objects, nested = {"object"}, {"object", "array"}
                    branches.sort(key=lambda each: (each.types <= objects) + (each.types <= nested))
                    branches = branches[:1]
                picked += [self.random.choice(branches)] if branches else []
            place = self._outline.place_of((*place.roots, *picked))
        return place

    def _object(self, place: Place, rules: dict[str, Any], depth: int) -> dict[str, Any]:
        required = dict.fromkeys(name for part in place.parts for name in part.required)
        declared = dict.fromkeys(name for part in place.parts for name in part.declared)
        least, most = rules.get("minProperties", 0), rules.get("maxProperties", inf)
        chance = self._fullness if depth <= 2 else self._fullness / 2 if depth < 6 else 0
        value: dict[str, Any] = {}
        for name in {**declared, **required}:
            inner = place.inside(name)
            wanted = self.random.random() < chance and len(value) < most and inner.types
            if name in required or wanted:
                value[name] = self._at(inner, depth + 1)
        for name in declared:
            if len(value) < least and name not in value:
                value[name] = self._at(place.inside(name), depth + 1)
        names = [part.below("propertyNames") for part in place.parts]
        place_of_names = self._outline.place_of(tuple(filter(None, names)))
        rest = [part.rules.get("additionalProperties") for part in place.parts]
        patterns = list(rules.get("patternProperties", ()))
        if not (len(value) < least or (False not in rest and any(rest))):
            return value
        for _ in range(20):
            if len(value) >= min(max(least, 1), most) or (False in rest and not patterns):
                break
            is_free = False not in rest
            name = self._at(place_of_names, depth + 1) if is_free else self._matching(patterns[0])
            value.setdefault(str(name), self._at(place.inside(str(name)), depth + 1))
        return value

    def _array(self, place: Place, rules: dict[str, Any], depth: int) -> list[Any]:
        first = place.first_items
        least, most = rules.get("minItems", 0), rules.get("maxItems", inf)
        wanted = first + (self.random.randint(0, 3) if depth < 6 else 0)
        count = int(min(max(least, wanted), most))
        if rules.get("items") is False:
            count = min(count, first)
        value: list[Any] = []
        for _ in range(count * 4):
            if len(value) >= count:
                break
            item = self._at(place.inside(len(value)), depth + 1)
            if item not in value or not rules.get("uniqueItems"):
                value.append(item)
        return value

    def _number(self, rules: dict[str, Any], integral: bool) -> int | float:
        low = max(rules.get("minimum", -inf), rules.get("exclusiveMinimum", -inf))
        high = min(rules.get("maximum", inf), rules.get("exclusiveMaximum", inf))
        if low == -inf:
            low = min(-5, high - 5)
        span = self.random.choice(SPANS)
        step = rules.get("multipleOf", 1 if integral or span > 10 else None)
        if step is None:
            return self.random.uniform(low, min(high, low + span))
        first, last = ceil(low / step), floor(min(high, low + span * step) / step)
        first += first * step == rules.get("exclusiveMinimum")
        last -= last * step == rules.get("exclusiveMaximum")
        return self.random.randint(first, max(first, last)) * step

    def _string(self, rules: dict[str, Any]) -> str:
        if "pattern" in rules:
            text = self._matching(rules["pattern"])
        else:
            make = FORMATS.get(rules.get("format", ""))
            text = self.random.choice(WORDS) if make is None else make(self.random)
        least, most = rules.get("minLength", 0), rules.get("maxLength", inf)
        while len(text) < least:
            text += self.random.choice(string.ascii_lowercase)
        return text[: int(most)] if len(text) > most else text

    def _matching(self, pattern: str) -> str:
        """Return a text that matches the pattern, or any word if the pattern is invalid."""
        try:
            return "".join(self._texts(_PARSER.parse(pattern)))
        except (re.error, KeyError, OverflowError):
            return self.random.choice(WORDS)

    def _texts(self, parsed: Any) -> Iterator[str]:
        for node in parsed:
            name, given = str(node[0]), node[1]
            if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
                yield self._one_matching(_PARSER.SubPattern(parsed.state, [node]))
            elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                least, most, inner = given
                for _ in range(self.random.randint(least, min(most, least + 3))):
                    yield from self._texts(inner)
            elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
                yield from self._texts(given[-1] if name == "SUBPATTERN" else given)
            elif name == "BRANCH":
                yield from self._texts(self.random.choice(given[1]))

    def _one_matching(self, node: Any) -> str:
        """Return a character that matches, a usual one if possible."""
        matches = _COMPILER.compile(node).match
        usual = [each for each in USUAL if matches(each)]
        others = filter(matches, map(chr, range(sys.maxunicode)))
        return self.random.choice(usual) if usual else next(others, "")


_KINDS: Final = {kind: judging(kind) for kind in ("object", "array", "number")}
_TIGHTER: Final[dict[str, Callable[[Any, Any], Any]]] = {"min": max, "max": min}
"""By how the name of a bound begins, the function that picks the tighter of two."""


def _tightest(place: Place) -> dict[str, Any]:
    """Return the keywords of all parts of a place, of each bound the tightest."""
    found: dict[str, Any] = {}
    for keyword, value in chain.from_iterable(part.rules.items() for part in place.parts):
        known = found.get(keyword, value)
        pick = _TIGHTER.get(keyword.removeprefix("exclusive")[:3].lower())
        found[keyword] = known if pick is None else pick(known, value)
    return found


# Python's own parser and compiler of patterns, which have no public names.
_PARSER: Any = import_module("re._parser")
_COMPILER: Any = import_module("re._compiler")
