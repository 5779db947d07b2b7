"""What of a value is one side's own. This is what keeps a model's value from the human's place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.depth import deeper_than
from pyfunctools.schema.ground.did_you_mean import near_name
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.ground.preview import shown
from pyfunctools.schema.result import Issue
from pyfunctools.schema.separation.ownership import Ownership, Place
from pyfunctools.schema.separation.side_writer import Part


class _Absent(Enum):
    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
"""What stands for a value that is not there."""

Given: TypeAlias = "JsonValue | Literal[_Absent.ABSENT]"
"""A value, or that there is none."""


def opened(value: JsonValue) -> JsonValue:
    """Return what a value is to a validator: of an enum's member its value, of a tuple a list."""
    if isinstance(value, Enum):
        value = value.value
    return list(value) if isinstance(value, tuple) else value


def is_plain(value: JsonValue) -> bool:
    """Return whether a value is JSON, what is in it left aside.

    A key has to be a `str` and nothing that merely equals one: a validator may read it as another.
    """
    if isinstance(value, dict):
        return all(type(key) is str for key in value)
    return value is None or isinstance(value, list | str | int | float)


def is_too_deep(value: JsonValue) -> bool:
    """Return whether a value is nested deeper than arguments may be."""
    return deeper_than(value, DEFAULT_LIMITS.depth)


def members(value: Given) -> Mapping[str, JsonValue]:
    """Return what is in an object; nothing is in anything else."""
    return value if isinstance(value, dict) else {}


def items(value: Given, count: int) -> Sequence[Given]:
    """Return the items of an array; of anything else, as many times that there is none."""
    return value if isinstance(value, list) else [ABSENT] * count


def present(values: Mapping[str, Given]) -> dict[str, JsonValue]:
    """Return the members that are there."""
    return {key: value for key, value in values.items() if value is not ABSENT}


def filled(values: Sequence[Given]) -> list[JsonValue]:
    """Return the items with null for those that are not there."""
    return [None if value is ABSENT else value for value in values]


def has(value: Given, keys: Keys) -> bool:
    """Return whether something stands at the end of a path."""
    for key in keys:
        if isinstance(value, dict) and key in value:
            value = value[str(key)]
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return False
    return value is not ABSENT


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
