"""What of a value is one side's own. This is what keeps a model's value from the human's place."""

from dataclasses import dataclass

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.did_you_mean import near_name
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.ground.preview import shown
from pyfunctools.schema.result import Issue
from pyfunctools.schema.separation.given import (
    ABSENT,
    Given,
    filled,
    is_plain,
    members,
    opened,
    present,
)
from pyfunctools.schema.separation.ownership import Ownership, Place
from pyfunctools.schema.separation.side_writer import Part


@dataclass(frozen=True, slots=True)
class Own:
    """What one side gave, without what is not its own.

    `foreign` says what was dropped because it is the other's, `broken` what because it is no JSON.
    """

    part: Given
    foreign: tuple[Issue, ...]
    broken: tuple[Issue, ...]


def own(ownership: Ownership, part: Part, value: JsonValue) -> Own:
    """Return what of a value is one side's own. The value must not be nested too deeply."""
    sieve = _Sieve(ownership, part)
    if ownership.root.owner not in (part, "mixed"):
        # An argument is always given: that it is not shows in an empty object, or null.
        for key, inner in members(value).items():
            sieve.drop((str(key),), inner)
        kept: Given = {} if value is None or isinstance(value, dict) else value
    else:
        kept = sieve.kept(ownership.root, value, ())
    return Own(kept, tuple(sieve.foreign), tuple(sieve.broken))


def issue(part: Part, keys: Keys, expected: str, value: Given = ABSENT) -> Issue:
    """Return an issue of one side; there is no value of the human's in it."""
    path = Path.of(keys)
    return Issue(
        path=path,
        expected=expected,
        value=None if part == "human" or value is ABSENT else value,
        message=f"{path}: expected {expected}{'' if expected.endswith('?') else '.'}",
        side=part,
    )


def too_deep(part: Part) -> Issue:
    """Return the issue with a value that is nested deeper than arguments may be."""
    return issue(part, (), f"at most {DEFAULT_LIMITS.depth} levels of nesting")


class _Sieve:
    def __init__(self, ownership: Ownership, part: Part) -> None:
        self._ownership = ownership
        self._part: Part = part
        self.foreign: list[Issue] = []
        self.broken: list[Issue] = []

    def kept(self, place: Place, value: JsonValue, keys: Keys) -> Given:
        """Return what of a value at a place is this side's, `ABSENT` if nothing is."""
        if place.owner == self._part:
            return value
        if place.owner != "mixed":
            return self.drop(keys, value)
        value = opened(value)
        if not is_plain(value):
            self.broken.append(issue(self._part, keys, _JSON))
            return ABSENT
        if isinstance(value, dict):
            return present({key: self._below(place, key, value[key], keys) for key in value})
        if isinstance(value, list):
            return filled(
                [
                    None if item is None else self._below(place, n, item, keys)
                    for n, item in enumerate(value)
                ]
            )
        if self._part == "human" and value is not None:
            # What has no parts, has none of the human's.
            self.foreign.append(issue("human", keys, self._parts(place)))
            return ABSENT
        return value

    def drop(self, keys: Keys, value: JsonValue) -> Given:
        """Note that a value is the other side's.

        The person who misspelled a name is told the right ones; the model is told of none.
        """
        if self._part == "llm":
            self.foreign.append(issue("llm", keys, _NOTHING, value))
            return ABSENT
        *_, around = self._ownership.at(keys[:-1])
        names, name = self._ownership.names(around), keys[-1] if keys else None
        near = near_name(name, names) if isinstance(name, str) else None
        if near is not None:
            said = f"no value here: did you mean {shown(near)}?"
        else:
            said = f"no value here: {_listed(names) or 'nothing'} is asked for"
        self.foreign.append(issue("human", keys, said))
        return ABSENT

    def _parts(self, place: Place) -> str:
        listed = _listed(self._ownership.names(place))
        return f"an object with {listed}" if listed else "an object or an array"

    def _below(self, place: Place, step: str | int, value: JsonValue, keys: Keys) -> Given:
        return self.kept(self._ownership.child(place, step), value, (*keys, step))


_JSON = "JSON, with texts as the keys of objects"
_NOTHING = "no value, since this is not yours to give"
_LISTED = 6
"""How many names of what is asked for are told."""


def _listed(names: list[str]) -> str:
    return ", ".join(map(shown, names[:_LISTED])) + (", …" if len(names) > _LISTED else "")
