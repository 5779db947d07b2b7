"""What of a value is one side's own. This is what keeps a model's value from the human's place."""

from dataclasses import dataclass

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.given import ABSENT, Given, filled, is_plain, members, opened, present
from pyfunctools.schema.ownership import Ownership, Place
from pyfunctools.schema.path import Keys, Path
from pyfunctools.schema.result import Issue
from pyfunctools.schema.writer import Part


@dataclass(frozen=True, slots=True)
class Own:
    """What one side gave, without what is not its own.

    `foreign` says what was dropped because it is the other's, `broken` what because it is no JSON.
    """

    part: Given
    foreign: tuple[Issue, ...]
    broken: tuple[Issue, ...]


def own(ownership: Ownership, part: Part, value: JsonValue, place: Place | None = None) -> Own:
    """Give what of a value is one side's own, at a place or at the root.

    The value must not be nested too deeply.
    """
    sieve = _Sieve(ownership, part)
    if place is None and ownership.root.owner not in (part, "mixed"):
        # An argument is always given: that it is not shows in an empty object, or null.
        for key, inner in members(value).items():
            sieve.drop((str(key),), inner)
        kept: Given = {} if value is None or isinstance(value, dict) else value
    else:
        kept = sieve.kept(ownership.root if place is None else place, value, ())
    return Own(kept, tuple(sieve.foreign), tuple(sieve.broken))


def issue(part: Part, keys: Keys, expected: str, value: Given = ABSENT) -> Issue:
    """Give an issue of one side; there is no value of the human's in it."""
    path = Path.of(keys)
    return Issue(
        path=path,
        expected=expected,
        value=None if part == "human" or value is ABSENT else value,
        message=f"{path}: expected {expected}.",
        side=part,
    )


def too_deep(part: Part) -> Issue:
    """Give the issue with a value that is nested deeper than arguments may be."""
    return issue(part, (), f"at most {DEFAULT_LIMITS.depth} levels of nesting")


class _Sieve:
    def __init__(self, ownership: Ownership, part: Part) -> None:
        self._ownership = ownership
        self._part: Part = part
        self.foreign: list[Issue] = []
        self.broken: list[Issue] = []

    def kept(self, place: Place, value: JsonValue, keys: Keys) -> Given:
        """Give what of a value at a place is this side's, `ABSENT` if nothing is."""
        if place.owner == self._part or (place.owner == "either" and self._part == "human"):
            return value
        if place.owner in ("llm", "human"):
            return self.drop(keys, value)
        value = opened(value)
        if not is_plain(value):
            self.broken.append(issue(self._part, keys, _JSON))
            return ABSENT
        if isinstance(value, dict):
            return present({key: self._below(place, key, value[key], keys) for key in value})
        if isinstance(value, list):
            return self._items(place, value, keys)
        if self._part == "human" and value is not None:
            return self.drop(keys, value)  # what has no parts, has none of the human's
        return value

    def drop(self, keys: Keys, value: JsonValue) -> Given:
        """Note that a value is the other side's."""
        self.foreign.append(issue(self._part, keys, _NOTHING, value))
        return ABSENT

    def _items(self, place: Place, value: list[JsonValue], keys: Keys) -> Given:
        if place.theirs:
            # One alternative is given whole: it has no gaps for the other side to fill.
            kept = [self._below(place, n, item, keys) for n, item in enumerate(value)]
            return ABSENT if any(item is ABSENT for item in kept) else filled(kept)
        return filled(
            [
                None if item is None else self._below(place, n, item, keys)
                for n, item in enumerate(value)
            ]
        )

    def _below(self, place: Place, step: str | int, value: JsonValue, keys: Keys) -> Given:
        return self.kept(self._ownership.child(place, step), value, (*keys, step))


_JSON = "JSON, with texts as the keys of objects"
_NOTHING = "no value, since this is not yours to give"
