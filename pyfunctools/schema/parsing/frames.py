"""The objects and arrays that are open while a text is read."""

from dataclasses import dataclass

from pyfunctools._json import JsonValue
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.outline.outline import Place


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
    place: Place | None = None

    def put(self, value: JsonValue) -> None:
        """Put the element that was read into its place."""
        if isinstance(self.value, list):
            self.value.append(value)
        else:
            self.value[str(self.key)] = value


class Frames:
    """What is open, the outermost first; `place` is that of the whole value, if it is known."""

    def __init__(self, place: Place | None) -> None:
        self._place = place
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
        place = self._place
        if place is None:
            return frozenset()
        for frame in self.open:
            if frame.place is None:
                frame.place = place
            place = frame.place.anyhow_inside(frame.key)
        return place.named
