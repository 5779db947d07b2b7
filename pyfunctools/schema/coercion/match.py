"""Whether a value looks right at a glance: by types, listed values, required and known keys."""

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.json_values import equal
from pyfunctools.schema.outline.json_types import json_type, listed_values
from pyfunctools.schema.outline.outline import Part
from pyfunctools.schema.vocabulary import BELOW, COMPOSITION, UNIONS, VALUE_LISTS

Fit: TypeAlias = int
"""How well a value fits: `NOT`, `ROUND` or `EXACT`. The more, the better."""

NOT: Final = 0
"""A validator refuses it."""
ROUND: Final = 1
"""It fits, but a whole number stands as a float (`42.0`) where an integer is wanted."""
EXACT: Final = 2
"""Nothing that is looked at speaks against it."""

MAX_DEPTH: Final = 64
"""Nesting of a value that is looked into."""

_CLASSES: dict[str, type] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "null": type(None),
    "number": float,
    "object": dict,
    "string": str,
}
_TURNING = frozenset({"$ref", *COMPOSITION})
"""Keywords that ask another schema about the same value."""
_MORE = _TURNING | VALUE_LISTS | BELOW | {"required", "uniqueItems"}
"""Keywords besides `type` that are looked at."""


class TextWantedError(Exception):
    """A float stands where a text is wanted as it was written; it never leaves the engine."""


class TooMuch(Exception):  # noqa: N818 - a verdict, which never leaves the engine
    """A value is nested deeper than arguments may be, or holds itself."""


class Fitting:
    """Tells how values fit the parts of one schema.

    What is found out is kept as long as this lives, so no value may change meanwhile. With `sets`
    an array of `uniqueItems` is a set, which fits only if nothing is in it twice.
    """

    def __init__(self, *, sets: bool = False) -> None:
        self._sets = sets
        # A value is kept beside its verdict, so that its identity is not used again.
        self._known: dict[tuple[Part, int], tuple[JsonValue, Fit]] = {}

    def of(self, part: Part, value: JsonValue, depth: int = 0) -> Fit:
        """Return how well a value fits; one that a validator accepts always does.

        Raises:
            TooMuch: the value is nested more than `MAX_DEPTH` deep.
        """
        asked = part.cached(_asked)
        if asked is None or asked.only is type(value):
            return EXACT
        schema = asked.part.rules
        if asked.part.schema is False:
            return NOT
        fit: Fit = EXACT
        wanted = schema.get("type")
        if wanted is not None and not (
            isinstance(wanted, str) and type(value) is _CLASSES.get(wanted)
        ):
            fit = _typed(wanted, value)
        if not fit or not asked.more:
            return fit
        if not VALUE_LISTS.isdisjoint(schema) and not _listed(schema, value):
            return NOT
        if asked.turns:
            return min(fit, self._once(asked, value, depth))
        return min(fit, self._held(asked, value, depth))

    def _once(self, asked: "MatchRules", value: JsonValue, depth: int) -> Fit:
        """Ask the parts that a part refers to about a value, unless they were asked."""
        key = (asked.part, id(value))
        known = self._known.get(key)
        if known is not None:
            return known[1]
        # A schema that leads back to itself without going down says nothing new.
        self._known[key] = (value, EXACT)
        fit = self._turned(asked, value, depth)
        self._known[key] = (value, fit)
        return fit

    def _turned(self, asked: "MatchRules", value: JsonValue, depth: int) -> Fit:
        part = asked.part
        fit: Fit = EXACT if part.target is None else self.of(part.target, value, depth)
        for each in part.branches("allOf"):
            fit = min(fit, self.of(each, value, depth))
        for keyword in UNIONS:
            if fit and keyword in part.rules:
                best: Fit = NOT
                for branch in part.branches(keyword):
                    best = max(best, self.of(branch, value, depth))
                    if best == EXACT:
                        break
                fit = min(fit, best)
        return min(fit, self._held(asked, value, depth)) if fit else NOT

    def _held(self, asked: "MatchRules", value: JsonValue, depth: int) -> Fit:
        if not isinstance(value, dict | list):
            return EXACT
        if depth >= MAX_DEPTH:
            raise TooMuch
        if isinstance(value, list):
            return self._array(asked, value, depth)
        if any(name not in value for name in asked.part.required):
            return NOT
        fit: Fit = EXACT
        classes, other = asked.classes, asked.other
        declared, rest = asked.part.declared, asked.part.rest
        for name, inner in value.items():
            if type(inner) is classes.get(name, other):
                continue
            one = declared.get(name, rest)
            stated = asked.part.parts_of(name) if asked.patterned else [] if one is None else [one]
            for part in stated:
                fit = min(fit, self.of(part, inner, depth + 1))
                if not fit:
                    return NOT
        return fit

    def _array(self, asked: "MatchRules", value: list[JsonValue], depth: int) -> Fit:
        front, rest = asked.part.items
        only = None if rest is None else _class_of(rest)
        fit: Fit = EXACT
        for index, inner in enumerate(value):
            if index >= len(front) and (rest is None or type(inner) is only):
                continue
            for part in asked.part.parts_of(index):
                fit = min(fit, self.of(part, inner, depth + 1))
                if not fit:
                    return NOT
        return NOT if self._sets and is_set(asked.part.rules) and repeats(value) else fit


class MatchRules:
    """What is looked at in a part, laid out to be asked quickly.

    A class is the one whose values all fit, `None` where there is none. `only` is that of the
    whole, the others are those of an object's members, where no patterns are.
    """

    def __init__(self, part: Part) -> None:
        self.part = part
        self.only = _class_of(part)
        self.more = not _MORE.isdisjoint(part.rules)
        self.turns = not _TURNING.isdisjoint(part.rules)
        self.patterned = bool(part.rules.get("patternProperties"))

    @cached_property
    def classes(self) -> dict[str, type | None]:
        """The class of each declared name."""
        names = {} if self.patterned else self.part.declared
        return {name: _class_of(inner) for name, inner in names.items()}

    @cached_property
    def other(self) -> type | None:
        """The class of all other names."""
        rest = None if self.patterned else self.part.rest
        return None if rest is None else _class_of(rest)


def _asked(part: Part) -> MatchRules | None:
    whole = part.resolved
    return None if whole is None or whole.schema is True else MatchRules(whole)


def _class_of(part: Part) -> type | None:
    """Return the one class that fits a part, whatever the value, or `None`."""
    wanted = part.rules.get("type")
    if isinstance(wanted, str) and _MORE.isdisjoint(part.rules):
        return _CLASSES.get(wanted)
    return None


def _typed(wanted: JsonValue, value: JsonValue) -> Fit:
    kind = json_type(value)
    names = wanted if isinstance(wanted, list) else [wanted]
    if kind == "integer":
        if "number" in names:
            return EXACT
        fit = ROUND if isinstance(value, float) else EXACT
        return fit if "integer" in names else NOT
    return EXACT if kind in names else NOT


def is_set(schema: JsonSchema) -> bool:
    """True if nothing may be twice in the arrays of this schema."""
    return schema.get("uniqueItems") is True


def repeats(items: Sequence[JsonValue]) -> list[int]:
    """Return the places of items that one before them equals (2020-12 core, 4.2.2).

    Raises:
        TooMuch: an item is nested more than `MAX_DEPTH` deep.
    """
    seen: set[Hashable] = set()
    found: list[int] = []
    for index, item in enumerate(items):
        same = _same(item, 0)
        if same in seen:
            found.append(index)
        seen.add(same)
    return found


def _same(value: JsonValue, depth: int) -> Hashable:
    """Return what is equal for equal values and for no others: `1` is `1.0`, and not `true`."""
    if depth > MAX_DEPTH:
        raise TooMuch
    if isinstance(value, list):
        return tuple([_same(inner, depth + 1) for inner in value])
    if isinstance(value, dict):
        return frozenset([(key, _same(inner, depth + 1)) for key, inner in value.items()])
    if value is None or isinstance(value, str | int | float):
        return type(value) is bool, value
    return "", id(value)  # what is no JSON is refused elsewhere


def _listed(schema: JsonSchema, value: JsonValue) -> bool:
    values = listed_values(schema)
    if values is None or type(value) is str:
        return values is None or value in values
    return any(equal(value, listed) for listed in values)
