"""Whether a value looks right at a glance: by types, listed values, required and known keys."""

from collections.abc import Hashable, Sequence
from typing import Final, TypeAlias

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.schema.ground.equality import equal
from pyfunctools.schema.outline.places import Places, items_of, stated
from pyfunctools.schema.outline.shape import listed_values, schemas_of, type_of
from pyfunctools.schema.vocabulary import COMPOSED, SLOTS, UNIONS

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
_TURNING = frozenset({"$ref", *COMPOSED})
"""Keywords that ask another schema about the same value."""
_LISTING = frozenset({"const", "enum"})
_HOLDING = SLOTS | {"required", "uniqueItems"}
_MORE = _TURNING | _LISTING | _HOLDING
"""Keywords besides `type` that are looked at."""


class TooDeep(Exception):  # noqa: N818 - a verdict, which never leaves the engine
    """A value is nested deeper than arguments may be, or holds itself."""


class Fitting:
    """Tells how values fit one schema.

    What is found out is kept as long as this lives, so neither the schema nor a value may change.
    With `sets` an array of `uniqueItems` is a set, which fits only if nothing is in it twice.
    """

    def __init__(
        self, places: Places, outlines: "Outlines | None" = None, *, sets: bool = False
    ) -> None:
        self._places = places
        self._sets = sets
        self._known: dict[tuple[int, int], tuple[object, object, Fit]] = {}
        self._outlines: Outlines = {} if outlines is None else outlines

    def of(self, schema: JsonSchema | bool, value: JsonValue, depth: int = 0) -> Fit:
        """Return how well a value fits; one that a validator accepts always does.

        Raises:
            TooDeep: the value is nested more than `MAX_DEPTH` deep.
        """
        if isinstance(schema, dict) and "$ref" in schema:
            schema = self._places.resolved(schema)
        if not isinstance(schema, dict):
            return EXACT if schema else NOT
        wanted = schema.get("type")
        fit: Fit = EXACT
        if wanted is not None and not (
            isinstance(wanted, str) and type(value) is _CLASSES.get(wanted)
        ):
            fit = _typed(wanted, value)
        if not fit or _MORE.isdisjoint(schema):
            return fit
        if not _LISTING.isdisjoint(schema) and not _listed(schema, value):
            return NOT
        if not _TURNING.isdisjoint(schema):
            return min(fit, self._once(schema, value, depth))
        return min(fit, self._held(schema, value, depth))

    def _once(self, schema: JsonSchema, value: JsonValue, depth: int) -> Fit:
        """Ask the schemas that a schema refers to about a value, unless they were asked."""
        key = (id(schema), id(value))
        known = self._known.get(key)
        if known is not None:
            return known[2]
        # A schema that leads back to itself without going down says nothing new.
        self._known[key] = (schema, value, EXACT)
        fit = self._turned(schema, value, depth)
        self._known[key] = (schema, value, fit)
        return fit

    def _turned(self, schema: JsonSchema, value: JsonValue, depth: int) -> Fit:
        fit = self.of(self._places.target(schema), value, depth) if "$ref" in schema else EXACT
        for part in schemas_of(schema.get("allOf")):
            fit = min(fit, self.of(part, value, depth))
        for keyword in UNIONS:
            if fit and keyword in schema:
                best: Fit = NOT
                for branch in schemas_of(schema[keyword]):
                    best = max(best, self.of(branch, value, depth))
                    if best == EXACT:
                        break
                fit = min(fit, best)
        return min(fit, self._held(schema, value, depth)) if fit else NOT

    def _held(self, schema: JsonSchema, value: JsonValue, depth: int) -> Fit:
        if isinstance(value, dict):
            return self._object(schema, value, depth)
        return self._array(schema, value, depth) if isinstance(value, list) else EXACT

    def _object(self, schema: JsonSchema, value: JsonSchema, depth: int) -> Fit:
        if depth >= MAX_DEPTH:
            raise TooDeep
        known = self._outlines.get(id(schema))
        if known is None:
            known = self._outlines[id(schema)] = (schema, Outline(schema))
        outline = known[1]
        for name in outline.required:
            if name not in value:
                return NOT
        if outline.patterned:
            return self._patterned(schema, value, depth)
        classes, other = outline.classes, outline.other
        fit: Fit = EXACT
        for name, inner in value.items():
            if type(inner) is classes.get(name, other):
                continue
            part = outline.parts.get(name, outline.rest)
            if part is not True and isinstance(part, dict | bool):
                fit = min(fit, self.of(part, inner, depth + 1))
                if not fit:
                    return NOT
        return fit

    def _patterned(self, schema: JsonSchema, value: JsonSchema, depth: int) -> Fit:
        fit: Fit = EXACT
        for name, inner in value.items():
            for part in stated(schema, name):
                fit = min(fit, self.of(part, inner, depth + 1))
                if not fit:
                    return NOT
        return fit

    def _array(self, schema: JsonSchema, value: list[JsonValue], depth: int) -> Fit:
        if depth >= MAX_DEPTH:
            raise TooDeep
        front, rest = items_of(schema)
        plain = _plain(rest)
        fit: Fit = EXACT
        for index, inner in enumerate(value):
            if index >= len(front) and type(inner) is plain:
                continue
            part = front[index] if index < len(front) else rest
            if part is not True and isinstance(part, dict | bool):
                fit = min(fit, self.of(part, inner, depth + 1))
                if not fit:
                    return NOT
        return NOT if self._sets and is_set(schema) and repeats(value) else fit


class Outline:
    """What an object schema says of members, laid out to be asked quickly.

    `classes` has every declared name, with the one class that fits whatever its value, or `None`;
    `other` is that of all other names.
    """

    __slots__ = ("classes", "other", "parts", "patterned", "required", "rest")

    def __init__(self, schema: JsonSchema) -> None:
        named = schema.get("properties")
        self.parts: JsonObject = named if isinstance(named, dict) else {}
        self.classes = {name: _plain(part) for name, part in self.parts.items()}
        self.rest = schema.get("additionalProperties", True)
        self.other = _plain(self.rest)
        self.patterned = "patternProperties" in schema
        required = schema.get("required")
        names = required if isinstance(required, list) else ()
        self.required = [name for name in names if isinstance(name, str)]


Outlines: TypeAlias = dict[int, tuple[object, Outline]]
"""Outlines by the identity of their schema, which is kept beside it."""


def _plain(schema: JsonValue) -> type | None:
    """Return the one class that fits a schema, whatever the value, or `None`."""
    if isinstance(schema, dict) and _MORE.isdisjoint(schema):
        wanted = schema.get("type")
        return _CLASSES.get(wanted) if isinstance(wanted, str) else None
    return None


def _typed(wanted: JsonValue, value: JsonValue) -> Fit:
    kind = type_of(value)
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
        TooDeep: an item is nested more than `MAX_DEPTH` deep.
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
        raise TooDeep
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
