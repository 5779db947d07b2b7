"""Floats where a schema wants something else: a string as it was written, or an integer."""

from collections.abc import Callable
from functools import cached_property

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.outline.places import NUMBERS, Parts, Places, Schemas, items_of


class Fractions:
    """Looks for floats in values of one schema; what the schema says is read once.

    With `schemas` the values are those of these parts of `root`, which must not change. Works
    without recursion; safe to share between threads.
    """

    def __init__(self, root: JsonSchema, schemas: Schemas | None = None) -> None:
        self._spots: dict[tuple[int, ...], _Spot] = {}
        self._first = _Spot(Places(root), [root] if schemas is None else schemas, self._spots)

    def has_textual(self, value: JsonValue) -> bool:
        """Return whether a float stands where a string is wanted and no number.

        `1.10` was written there as a string is, and has lost its zero.
        """
        return self._any(value, lambda spot, _: spot.is_textual)

    def has_whole(self, value: JsonValue) -> bool:
        """Return whether a whole number stands as a float (`42.0`) where an integer may be wanted.

        If a value is right and has none, `coerce` gives it as it is.
        """
        return self._any(value, lambda spot, number: number.is_integer() and spot.is_counting)

    def _any(self, value: JsonValue, wrong: "Callable[[_Spot, float], bool]") -> bool:
        stack: list[tuple[_Spot, JsonValue]] = [(self._first, value)]
        seen: set[tuple[int, int]] = set()
        while stack:
            spot, outer = stack.pop()
            if isinstance(outer, float):
                if wrong(spot, outer):
                    return True
                continue
            # What is held twice is looked through once, even if it holds itself.
            if (id(spot), id(outer)) in seen:
                continue
            seen.add((id(spot), id(outer)))
            if isinstance(outer, dict):
                for name, inner in outer.items():
                    kind = type(inner)
                    if kind is float or kind is dict or kind is list:
                        stack.append((spot.member(name), inner))
            elif isinstance(outer, list):
                for index, inner in enumerate(outer):
                    kind = type(inner)
                    if kind is float or kind is dict or kind is list:
                        stack.append((spot.item(index), inner))
        return False


class _Spot:
    """A place in values, with what any branch of the schema says of it.

    Names that are not declared share one place, and so do all items of an array but the first few.
    """

    def __init__(
        self, places: Places, schemas: Schemas, spots: "dict[tuple[int, ...], _Spot]"
    ) -> None:
        self._places = places
        self._schemas = schemas
        self._spots = spots
        self._inside: dict[str | int, _Spot] = {}

    @cached_property
    def is_textual(self) -> bool:
        """Whether a string is wanted here, and no number."""
        types = self._places.named(self._schemas)
        return "string" in types and types.isdisjoint(NUMBERS)

    @cached_property
    def is_counting(self) -> bool:
        """Whether any of the schemas takes an integer, and no other number."""
        places = self._places
        each = (places.types(places.parts(schema)) for schema in self._schemas)
        return any("integer" in types and "number" not in types for types in each)

    @cached_property
    def _layout(self) -> "_Layout":
        return _Layout(self._places.anyhow(self._schemas))

    def member(self, name: str) -> "_Spot":
        """Return the place of a property."""
        found = self._inside.get(name)
        if found is not None:
            return found
        layout = self._layout
        if name in layout.names:
            found = self._inside[name] = self._below(name)
            return found
        return self._below(name) if layout.patterned else self.item(-1, name)

    def item(self, index: int, name: str | None = None) -> "_Spot":
        """Return the place of an item, or with -1 that of any property that is not declared."""
        key = min(index, self._layout.rows)
        found = self._inside.get(key)
        if found is None:
            found = self._inside[key] = self._below(key if name is None else name)
        return found

    def _below(self, key: str | int) -> "_Spot":
        schemas = self._places.inside(self._layout.parts, key)
        stated = tuple(map(id, schemas))
        found = self._spots.get(stated)
        if found is None:
            found = self._spots[stated] = _Spot(self._places, schemas, self._spots)
        return found


class _Layout:
    """What a place holds: the names that are declared, and how many items are told apart."""

    __slots__ = ("names", "parts", "patterned", "rows")

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.patterned = any(part.get("patternProperties") for part in parts)
        self.rows = max((len(items_of(part)[0]) for part in parts), default=0)
        self.names: set[str] = set()
        for part in parts:
            declared = part.get("properties")
            self.names.update(declared if isinstance(declared, dict) else ())
