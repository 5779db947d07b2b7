"""Random values of a schema, as a careful model might send them; they need hypothesis."""

import re
import string
from collections.abc import Callable, Sequence
from itertools import chain
from math import ceil, floor, inf
from typing import Any, Final

from hypothesis import strategies as st

from pyfunctools.schema.outline.json_types import ALL_TYPES, json_type
from pyfunctools.schema.outline.outline import Outline, Part, Place
from pyfunctools.schema.vocabulary import judging

DEEPEST = 12
"""Below this level the smallest branch is chosen."""
ENDLESS = 64
"""Below this level there is only null: the schema may have no finite value."""
OPTIONAL = 8
"""The most optional properties of an object; two fewer on each further level."""
SPAN = 1000
"""How far from zero, or from its bounds, a number may be."""
TEXTS = st.sampled_from(
    ("", "alpha", "x1", "two words", "1.5", "d\u00e9j\u00e0 vu", "a&b=c", "50%")
)
"""Texts for schemas without `format` or `pattern`; some need encoding on the wire."""

FORMATS = {
    "date": r"20[12]\d-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])",
    "date-time": r"20[12]\d-01-02T[01]\d:04:05Z",
    "time": r"[01]\d:04:05Z",
    "duration": r"P[1-9]D",
    "email": r"a\d@example\.com",
    "hostname": r"h\d\.example\.com",
    "ipv4": r"192\.0\.2\.[1-9]",
    "ipv6": r"2001:db8::[1-9a-f]",
    "iri": r"https://example\.com/\d",
    "json-pointer": r"/a/\d",
    "uri": r"https://example\.com/\d\?q=1",
    "uuid": r"[0-9a-f]{8}-0000-4000-8000-[0-9a-f]{12}",
}
"""Patterns of texts that have a format; other formats take most of the texts above."""


class FittingValues:
    """Random values of the outline of a normalized schema with its `$defs`.

    Empty texts and arrays, zeros and bounds are among them. A value may be invalid if several
    keywords act together: validate it, and try again.
    """

    def __init__(self, draw: st.DrawFn, outline: Outline) -> None:
        self._draw = draw
        self._outline = outline

    def value(self) -> Any:
        """Return a value of the whole schema."""
        return self._at(self._outline.place, 0)

    def _one_of(self, values: Sequence[Any]) -> Any:
        return self._draw(st.sampled_from(values))

    def _at(self, place: Place, depth: int) -> Any:
        """Return a value at a place; values get smaller with depth."""
        place = self._with_branches(place, depth)
        rules = place.cached(_tightest)
        if "const" in rules:
            return rules["const"]
        if values := [each for each in rules.get("enum", ()) if json_type(each) in place.types]:
            return self._one_of(values)
        kinds = sorted(place.types - {"null"}) or ["null"]
        if place.types == ALL_TYPES:
            kinds = [next((kind for kind, words in _KINDS.items() if words & rules.keys()), "")]
        elif "null" in place.types and self._one_of(range(5)) == 4:
            kinds = ["null"]
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        kind = self._one_of(kinds) if depth < ENDLESS else "null"
        if kind == "object":
            return self._object(place, rules, depth)
        if kind == "array":
            return self._array(place, rules, depth)
        if kind in ("integer", "number"):
            return self._number(rules, kind == "integer")
        if kind == "boolean":
            return self._draw(st.booleans())
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
                    branches = sorted(branches, key=_weight)[:1]
                picked += [self._one_of(branches)] if branches else []
            place = self._outline.place_of((*place.roots, *picked))
        return place

    def _object(self, place: Place, rules: dict[str, Any], depth: int) -> dict[str, Any]:
        required = dict.fromkeys(name for part in place.parts for name in part.required)
        declared = dict.fromkeys(name for part in place.parts for name in part.declared)
        optional = [each for each in declared if each not in required and place.inside(each).types]
        least, most = rules.get("minProperties", 0), rules.get("maxProperties", inf)
        missing = max(min(least - len(required), len(optional)), 0)
        few = max(min(OPTIONAL - 2 * depth, most - len(required), len(optional)), missing)
        some = st.lists(
            st.sampled_from(optional or [""]), min_size=missing, max_size=few, unique=True
        )
        names = [*required, *self._draw(some)]
        value = {name: self._at(place.inside(name), depth + 1) for name in names}
        inner = [part.below("propertyNames") for part in place.parts]
        place_of_names = self._outline.place_of(tuple(filter(None, inner)))
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
        wanted = first + (self._draw(st.integers(0, 3)) if depth < 6 else 0)
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
        low, high = max(low, min(high, 0) - SPAN), min(high, max(low, 0) + SPAN)
        step = rules.get("multipleOf", 1 if integral or self._draw(st.booleans()) else None)
        if step is None:
            return self._draw(st.floats(float(low), float(max(low, high)), allow_subnormal=False))
        first, last = ceil(low / step), floor(high / step)
        first += first * step == rules.get("exclusiveMinimum")
        last -= last * step == rules.get("exclusiveMaximum")
        return self._draw(st.integers(first, max(first, last))) * step

    def _string(self, rules: dict[str, Any]) -> str:
        pattern = rules.get("pattern") or FORMATS.get(rules.get("format", ""))
        text = self._draw(TEXTS) if pattern is None else self._matching(pattern)
        least, most = rules.get("minLength", 0), rules.get("maxLength", inf)
        while len(text) < least:
            text += self._one_of(string.ascii_lowercase)
        return text[: int(most)] if len(text) > most else text

    def _matching(self, pattern: str) -> str:
        """Return a text that matches the pattern, or any word if the pattern is invalid."""
        try:
            compiled = re.compile(pattern, re.ASCII)
        except (re.error, OverflowError):
            return self._draw(TEXTS)
        return self._draw(st.from_regex(compiled, fullmatch=True))


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


def _weight(part: Part) -> int:
    return 2 if part.types <= {"object"} else 1 if part.types <= {"object", "array"} else 0
