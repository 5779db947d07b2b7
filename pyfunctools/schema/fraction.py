"""Fractions where the schema wants a string: `1.10`, of which a float has lost the zero."""

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.places import NUMBERS, Places, items_of


class _Spot:
    """A place in values, with what any branch of the schema says of it."""

    __slots__ = ("_inside", "_places", "_rows", "parts", "textual")

    def __init__(self, places: Places, schemas: list[JsonSchema | bool]) -> None:
        self._places = places
        self._inside: dict[str | int, _Spot] = {}
        self.parts = places.anyhow(schemas)
        self._rows = max((len(items_of(part)[0]) for part in self.parts), default=0)
        types = places.named(schemas)
        self.textual = "string" in types and types.isdisjoint(NUMBERS)

    def inside(self, key: str | int, spots: dict[tuple[int, ...], "_Spot"]) -> "_Spot":
        """Give the place of a property or an item; the same one for all items but the first."""
        if isinstance(key, int):
            key = min(key, self._rows)
        found = self._inside.get(key)
        if found is None:
            schemas = self._places.inside(self.parts, key)
            names = tuple(map(id, schemas))
            found = spots.get(names)
            if found is None:
                found = spots[names] = _Spot(self._places, schemas)
            self._inside[key] = found
        return found


def has_textual_fraction(schema: JsonSchema, value: JsonValue) -> bool:
    """Say whether a float stands anywhere where the schema wants a string and no number.

    Works without recursion; the value must be JSON that was just read.
    """
    spots: dict[tuple[int, ...], _Spot] = {}
    stack: list[tuple[_Spot, JsonValue]] = [(_Spot(Places(schema), [schema]), value)]
    while stack:
        spot, outer = stack.pop()
        if isinstance(outer, float):
            if spot.textual:
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
