"""The objects and arrays that are open while a text is read."""

from dataclasses import dataclass

from pyfunctools._json import JsonValue
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.outline.places import Parts, Places, Schemas


@dataclass(slots=True)
class Frame:
    """An object or an array that is open.

    `key` is the place of the element that is being read; `filled` says that one was read since the
    last comma, `comma` that there was a comma, `doubled` that its first bracket stood there twice.
    """

    value: dict[str, JsonValue] | list[JsonValue]
    closer: str
    key: str | int = 0
    filled: bool = False
    comma: bool = False
    doubled: bool = False
    parts: Parts | None = None

    def put(self, value: JsonValue) -> None:
        """Put the element that was read into its place."""
        if isinstance(self.value, list):
            self.value.append(value)
        else:
            self.value[str(self.key)] = value


class Frames:
    """What is open, the outermost first; with `places` the `schemas` say what is wanted there."""

    def __init__(self, places: Places | None, schemas: Schemas) -> None:
        self._places = places
        self._schemas = schemas
        self.open: list[Frame] = []

    def keys(self, levels: int | None = None) -> Keys:
        """Return the steps to the element that is being read, or to one further out."""
        return tuple(frame.key for frame in self.open[:levels])

    def outer(self, closer: str) -> int | None:
        """Return the place of the innermost frame that this bracket closes."""
        fitting = [index for index, frame in enumerate(self.open) if frame.closer == closer]
        return fitting[-1] if fitting else None

    def wanted(self) -> frozenset[str]:
        """Return the types that the schema names for the element that is being read."""
        places = self._places
        if places is None:
            return frozenset()
        schemas = self._schemas
        outer: Frame | None = None
        for frame in self.open:
            if frame.parts is None:
                inside = outer and places.inside(outer.parts or (), outer.key)
                frame.parts = places.anyhow(schemas if inside is None else inside)
            outer = frame
        return places.named(places.inside(outer.parts or (), outer.key) if outer else schemas)
