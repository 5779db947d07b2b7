"""Fractions where the schema wants a string: `1.10`, of which a float has lost the zero."""

from pyfunctools._json import JsonValue
from pyfunctools.schema.places import NUMBERS, Parts, Places, Schemas, items_of


class _Spot:
    """A place in values, with what any branch of the schema says of it.

    What is inside is kept by key, but all items of an array beyond the first few are one place.
    """

    __slots__ = ("_inside", "_parts", "_places", "_rows", "_schemas")

    def __init__(self, places: Places, schemas: Schemas) -> None:
        self._places = places
        self._schemas = schemas
        self._parts: Parts | None = None
        self._rows = 0
        self._inside: dict[str | int, _Spot] = {}

    def is_textual(self) -> bool:
        """Say whether a string is wanted here, and no number."""
        types = self._places.named(self._schemas)
        return "string" in types and types.isdisjoint(NUMBERS)

    def inside(self, key: str | int, spots: dict[tuple[int, ...], "_Spot"]) -> "_Spot":
        """Give the place of a property or an item; `spots` are those that were met."""
        if self._parts is None:
            self._parts = self._places.anyhow(self._schemas)
            self._rows = max((len(items_of(part)[0]) for part in self._parts), default=0)
        if isinstance(key, int):
            key = min(key, self._rows)
        found = self._inside.get(key)
        if found is None:
            schemas = self._places.inside(self._parts, key)
            stated = tuple(map(id, schemas))
            found = spots.get(stated)
            if found is None:
                found = spots[stated] = _Spot(self._places, schemas)
            self._inside[key] = found
        return found


def has_textual_fraction(places: Places, schemas: Schemas, value: JsonValue) -> bool:
    """Say whether a float stands anywhere where these schemas want a string and no number.

    Works without recursion; the value must be JSON that was just read.
    """
    spots: dict[tuple[int, ...], _Spot] = {}
    stack: list[tuple[_Spot, JsonValue]] = [(_Spot(places, schemas), value)]
    while stack:
        spot, outer = stack.pop()
        if isinstance(outer, float):
            if spot.is_textual():
                return True
        elif isinstance(outer, dict):
            for name, inner in outer.items():
                kind = type(inner)
                if kind is float or kind is dict or kind is list:
                    stack.append((spot.inside(name, spots), inner))
        elif isinstance(outer, list):
            for index, inner in enumerate(outer):
                kind = type(inner)
                if kind is float or kind is dict or kind is list:
                    stack.append((spot.inside(index, spots), inner))
    return False
