"""How well a value matches a schema by its types, constants, and required and declared keys.

Bounds, patterns and formats are not checked: `5` matches `{"type": "integer", "minimum": 9}`, so
that `"5"` is coerced to `5`, and the issue is about the bound.
"""

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.schema.ground.json_values import equal
from pyfunctools.schema.outline.json_types import json_type, listed_values
from pyfunctools.schema.outline.outline import Part
from pyfunctools.schema.vocabulary import BELOW, COMPOSITION, UNIONS, VALUE_LISTS

Match: TypeAlias = int
"""How well a value matches: `MISMATCH`, `WHOLE_FLOAT` or `EXACT`; the more, the better."""

MISMATCH: Final = 0
"""The value is invalid."""
WHOLE_FLOAT: Final = 1
"""The value matches, but has a float such as `42.0` where an integer is wanted."""
EXACT: Final = 2
"""The value matches."""

MAX_DEPTH: Final = 64
"""The deepest nesting of a value that is matched."""

_CLASSES: dict[str, type] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "null": type(None),
    "number": float,
    "object": dict,
    "string": str,
}
_IN_PLACE = frozenset({"$ref", *COMPOSITION})
"""Keywords whose schemas apply to the same value."""
_BESIDE_TYPE = _IN_PLACE | VALUE_LISTS | BELOW | {"required", "uniqueItems"}
"""The keywords that are checked, other than `type`."""


class TextWantedError(Exception):
    """The value has a float where only a string is wanted; it never leaves the engine."""


class TooMuch(Exception):  # noqa: N818 - a verdict, which never leaves the engine
    """The value is nested deeper than arguments may be, or contains itself."""


class Matcher:
    """Matches values with the parts of one schema.

    Results are cached, so values must not change meanwhile. With `sets`, an array of `uniqueItems`
    matches only if no item is repeated.
    """

    def __init__(self, *, sets: bool = False) -> None:
        self._sets = sets
        # The value is kept with the result, so that its id is not used again.
        self._known: dict[tuple[Part, int], tuple[JsonValue, Match]] = {}

    def match(self, part: Part, value: JsonValue, depth: int = 0) -> Match:
        """Return how well a value matches; a valid value is never a `MISMATCH`.

        Raises:
            TooMuch: the value is nested more than `MAX_DEPTH` deep.
        """
        rules = part.cached(_match_rules)
        if rules is None or rules.only is type(value):
            return EXACT
        schema = rules.part.rules
        if rules.part.schema is False:
            return MISMATCH
        match: Match = EXACT
        wanted = schema.get("type")
        if wanted is not None and not (
            isinstance(wanted, str) and type(value) is _CLASSES.get(wanted)
        ):
            match = _type_match(wanted, value)
        if not match or not rules.has_more:
            return match
        if not VALUE_LISTS.isdisjoint(schema) and not _is_listed(schema, value):
            return MISMATCH
        if not rules.is_composed:
            return min(match, self._members(rules, value, depth))
        key = (rules.part, id(value))
        if key not in self._known:
            # A schema that refers to itself for the same value adds no condition.
            self._known[key] = (value, EXACT)
            self._known[key] = (value, self._composed(rules, value, depth))
        return min(match, self._known[key][1])

    def _composed(self, rules: "MatchRules", value: JsonValue, depth: int) -> Match:
        part = rules.part
        match: Match = EXACT
        for inner in (part.target, *part.branches("allOf")):
            if inner is not None:
                match = min(match, self.match(inner, value, depth))
        for keyword in UNIONS:
            if match and keyword in part.rules:
                match = min(match, self._best(part.branches(keyword), value, depth))
        return min(match, self._members(rules, value, depth)) if match else MISMATCH

    def _best(self, branches: Iterable[Part], value: JsonValue, depth: int) -> Match:
        best: Match = MISMATCH
        for branch in branches:
            best = max(best, self.match(branch, value, depth))
            if best == EXACT:
                break
        return best

    def _members(self, rules: "MatchRules", value: JsonValue, depth: int) -> Match:
        """Return the worst match of a property or an item."""
        if not isinstance(value, dict | list):
            return EXACT
        if depth >= MAX_DEPTH:
            raise TooMuch
        if isinstance(value, dict):
            return self._properties(rules, value, depth)
        first, rest = rules.part.items
        only = None if rest is None else _only_class(rest)
        match: Match = EXACT
        for index, inner in enumerate(value):
            if index >= len(first) and (rest is None or type(inner) is only):
                continue
            for part in rules.part.parts_of(index):
                match = min(match, self.match(part, inner, depth + 1))
                if not match:
                    return MISMATCH
        return MISMATCH if self._sets and is_set(rules.part.rules) and repeats(value) else match

    def _properties(self, rules: "MatchRules", value: JsonObject, depth: int) -> Match:
        if any(name not in value for name in rules.part.required):
            return MISMATCH
        match: Match = EXACT
        declared, rest = rules.part.declared, rules.part.rest
        for name, inner in value.items():
            if type(inner) is rules.classes.get(name, rules.other_class):
                continue
            one = declared.get(name, rest)
            parts = [] if one is None else [one]
            for part in rules.part.parts_of(name) if rules.has_patterns else parts:
                match = min(match, self.match(part, inner, depth + 1))
                if not match:
                    return MISMATCH
        return match


class MatchRules:
    """The rules of a part, prepared for fast matching.

    `only` is the Python class whose values all match, or `None`; `classes` and `other_class` are
    the same for the properties, if there are no patterns.
    """

    def __init__(self, part: Part) -> None:
        self.part = part
        self.only = _only_class(part)
        self.has_more = not _BESIDE_TYPE.isdisjoint(part.rules)
        self.is_composed = not _IN_PLACE.isdisjoint(part.rules)
        self.has_patterns = bool(part.rules.get("patternProperties"))

    @cached_property
    def classes(self) -> dict[str, type | None]:
        """The class of each declared property."""
        names = {} if self.has_patterns else self.part.declared
        return {name: _only_class(inner) for name, inner in names.items()}

    @cached_property
    def other_class(self) -> type | None:
        """The class of all other properties."""
        rest = None if self.has_patterns else self.part.rest
        return None if rest is None else _only_class(rest)


def _match_rules(part: Part) -> MatchRules | None:
    whole = part.resolved
    return None if whole is None or whole.schema is True else MatchRules(whole)


def _only_class(part: Part) -> type | None:
    """Return the class whose values all match, or `None` if that depends on the value."""
    wanted = part.rules.get("type")
    if isinstance(wanted, str) and _BESIDE_TYPE.isdisjoint(part.rules):
        return _CLASSES.get(wanted)
    return None


def _type_match(wanted: JsonValue, value: JsonValue) -> Match:
    kind = json_type(value)
    names = wanted if isinstance(wanted, list) else [wanted]
    if kind == "integer" and "number" not in names and isinstance(value, float):
        return WHOLE_FLOAT if kind in names else MISMATCH
    return EXACT if kind in names or (kind == "integer" and "number" in names) else MISMATCH


def is_set(schema: JsonSchema) -> bool:
    """Return whether the items of an array must be unique."""
    return schema.get("uniqueItems") is True


def repeats(items: Sequence[JsonValue]) -> list[int]:
    """Return the indexes of items that equal an earlier one (2020-12 core, 4.2.2).

    Raises:
        TooMuch: an item is nested more than `MAX_DEPTH` deep.
    """
    seen: set[Hashable] = set()
    found: list[int] = []
    for index, item in enumerate(items):
        key = _hashable(item, 0)
        if key in seen:
            found.append(index)
        seen.add(key)
    return found


def _hashable(value: JsonValue, depth: int) -> Hashable:
    """Return a key that only equal values share: `1` and `1.0`, but not `true`."""
    if depth > MAX_DEPTH:
        raise TooMuch
    if isinstance(value, list):
        return tuple([_hashable(inner, depth + 1) for inner in value])
    if isinstance(value, dict):
        return frozenset([(key, _hashable(inner, depth + 1)) for key, inner in value.items()])
    if value is None or isinstance(value, str | int | float):
        return type(value) is bool, value
    return "", id(value)  # not JSON, which is an issue elsewhere


def _is_listed(schema: JsonSchema, value: JsonValue) -> bool:
    values = listed_values(schema)
    if values is None or type(value) is str:
        return values is None or value in values
    return any(equal(value, listed) for listed in values)
