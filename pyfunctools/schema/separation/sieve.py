"""What ownership means for values: what one side gave too much, its part of a whole, both joined.

Three walks along the places of a schema. A place of both is gone into; at every other the value of
its owner stands and the other side has no say, so a model's value never gets where a person's
belongs. Values that are nested too deeply (`is_too_deep`) are refused before.
"""

from collections.abc import Collection, Iterable
from enum import Enum
from typing import Final, Literal, TypeAlias

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.did_you_mean import near_name
from pyfunctools.schema.ground.json_values import deeper_than
from pyfunctools.schema.ground.path import Keys, Path, value_at
from pyfunctools.schema.ground.preview import preview
from pyfunctools.schema.result import Issue
from pyfunctools.schema.separation.ownership import OwnedPlace, Ownership
from pyfunctools.schema.separation.side_writer import SideName


class _Absent(Enum):
    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
"""What stands for a value that is not there."""

Given: TypeAlias = "JsonValue | Literal[_Absent.ABSENT]"
"""A value, or that there is none."""


def unwrapped(value: JsonValue) -> JsonValue:
    """Return a value as validators take it: of an enum's member its value, of a tuple a list."""
    if isinstance(value, Enum):
        value = value.value
    return list(value) if isinstance(value, tuple) else value


def is_plain(value: JsonValue) -> bool:
    """Return whether a value is JSON, what is in it left aside.

    A key has to be a `str` and nothing that merely equals one: a validator may read it as another.
    """
    if isinstance(value, dict):
        return _TEXT.issuperset(map(type, value))
    return value is None or isinstance(value, _JSON_KINDS)


_JSON_KINDS = (list, str, int, float)
_TEXT = frozenset({str})


def is_too_deep(value: JsonValue) -> bool:
    """Return whether a value is nested deeper than arguments may be."""
    return deeper_than(value, DEFAULT_LIMITS.depth)


def filled(values: Iterable[Given]) -> list[JsonValue]:
    """Return the items with null for those that are not there."""
    return [None if value is ABSENT else value for value in values]


def issue(part: SideName, keys: Keys, expected: str, value: Given = ABSENT) -> Issue:
    """Return an issue of one side; there is no value of the human's in it."""
    path = Path.of(keys)
    return Issue(
        path=path,
        expected=expected,
        value=None if part == "human" or value is ABSENT else value,
        message=f"{path}: expected {expected}{'' if expected.endswith('?') else '.'}",
        side=part,
    )


def too_deep(part: SideName) -> Issue:
    """Return the issue with a value that is nested deeper than arguments may be."""
    return issue(part, (), f"at most {DEFAULT_LIMITS.depth} levels of nesting")


def not_own(ownership: Ownership, part: SideName, value: JsonValue) -> list[Issue]:
    """Return an issue for everything that one side gave and that is not its own to give.

    So is what is no JSON at a place of both. An argument is always given: one to whom nothing
    belongs gives an empty object.
    """
    found: list[Issue] = []
    root = ownership.root
    if root.owner in (part, "mixed"):
        _look(ownership, part, root, value, (), found)
    elif isinstance(value, dict):
        found += (_foreign(ownership, part, (str(key),), value[key]) for key in value)
    return found


def _look(
    ownership: Ownership,
    part: SideName,
    place: OwnedPlace,
    value: JsonValue,
    keys: Keys,
    to: list[Issue],
) -> None:
    if place.owner == part:
        return
    value = unwrapped(value)
    if place.owner != "mixed":
        to.append(_foreign(ownership, part, keys, value))
    elif not is_plain(value):
        to.append(issue(part, keys, _JSON))
    elif isinstance(value, dict):
        for key, inner in value.items():
            _look(ownership, part, ownership.child(place, key), inner, (*keys, key), to)
    elif isinstance(value, list):
        for n, item in enumerate(value):
            if item is not None:  # which stands for an item of the other's
                _look(ownership, part, ownership.child(place, n), item, (*keys, n), to)
    elif part == "human" and value is not None:
        to.append(_has_no_part(ownership, place, keys))


def part_of(
    ownership: Ownership,
    part: SideName,
    place: OwnedPlace,
    value: JsonValue,
    *,
    shaped: bool = False,
) -> Given:
    """Return one side's part of a whole value at a place, `ABSENT` if there is none.

    An object or array of which nothing is the human's is left out of their part, unless that is to
    be `shaped` like the whole: then what is missing in it is missing at its own place. What nobody
    looks into, since it is no JSON, is the human's.
    """
    if place.owner != "mixed":
        return value if place.owner == part else ABSENT
    value = unwrapped(value)
    if not is_plain(value):
        return value if part == "human" else ABSENT
    child = ownership.child
    if isinstance(value, dict):
        kept = {
            key: found
            for key, inner in value.items()
            if (found := part_of(ownership, part, child(place, key), inner, shaped=shaped))
            is not ABSENT
        }
        return kept if kept or shaped or part == "llm" else ABSENT
    if isinstance(value, list):
        rows = [(child(place, n), item) for n, item in enumerate(value)]
        parts = [part_of(ownership, part, *row, shaped=shaped) for row in rows]
        if part == "human" and not shaped:
            if all(each is ABSENT for each in parts):
                return ABSENT
            parts = [
                part_of(ownership, part, *row, shaped=True) if each is ABSENT else each
                for each, row in zip(parts, rows, strict=True)
            ]
        return filled(parts)
    return value if part == "llm" else None if shaped else ABSENT


def is_humans(ownership: Ownership, keys: Keys, llm: JsonValue, human: JsonValue) -> bool:
    """Return whether what stands at a path is the human's, of what the two sides gave.

    So is what stands under a key that is not declared, if only the human wrote it.
    """
    names: Collection[str] = ()
    for depth, place in enumerate(ownership.at(keys)):
        met = keys[:depth]
        is_declared = not met or isinstance(met[-1], int) or met[-1] in names
        if not is_declared and value_at(human, met) is not None and value_at(llm, met) is None:
            return True
        if place.owner != "mixed":
            return place.owner == "human"
        names = place.names
    return False


class Joiner:
    """Puts the model's and the human's value together; `issues` says what does not go together.

    A value of the model's at a human's place is dropped, one of the human's at a model's place is
    an issue.
    """

    def __init__(self, ownership: Ownership, llm: JsonValue, human: JsonValue) -> None:
        self._ownership = ownership
        self._llm = llm
        self._human = human
        self.issues: list[Issue] = []

    def whole(self) -> Given:
        """Return the whole, `ABSENT` where neither gave anything of it."""
        root = self._ownership.root
        if root.owner != "llm":
            return self._joined(root, self._llm, self._human, ())
        if self._human is not None:
            self.issues += not_own(self._ownership, "human", self._human)
        return self._llm

    def _joined(self, place: OwnedPlace, llm: Given, human: Given, keys: Keys) -> Given:
        if place.owner == "llm":
            if human is not ABSENT:
                self.issues.append(_foreign(self._ownership, "human", keys, human))
            return llm
        if place.owner == "human":
            return human
        llm, human = self._plain("llm", llm, keys), self._plain("human", human, keys)
        if not isinstance(human, dict | list) and human not in (None, ABSENT):
            self.issues.append(_has_no_part(self._ownership, place, keys))
            human = ABSENT
        if not human and type(human) is not type(llm):
            human = ABSENT  # null, {} and [] are how nothing is given to what has another shape
        if human is not ABSENT and llm is not ABSENT and type(human) is not type(llm):
            # Where both are containers the model's came first, and is right by itself.
            side, other = ("human", llm) if isinstance(llm, dict | list) else ("llm", human)
            kind = "an object" if isinstance(other, dict) else "an array"
            gave = f"{kind}, as the {'model' if side == 'human' else 'human'} gave"
            self.issues.append(issue(side, keys, gave, llm))
            _look(self._ownership, "human", place, human, keys, self.issues)
            return ABSENT
        if isinstance(llm, dict) or isinstance(human, dict):
            return self._object(place, llm, human, keys)
        if isinstance(llm, list) or isinstance(human, list):
            return self._array(place, llm, human, keys)
        return llm

    def _plain(self, part: SideName, value: Given, keys: Keys) -> Given:
        if value is ABSENT or is_plain(value := unwrapped(value)):
            return value
        self.issues.append(issue(part, keys, _JSON))
        return ABSENT

    def _object(self, place: OwnedPlace, llm: Given, human: Given, keys: Keys) -> JsonValue:
        mine, theirs = (each if isinstance(each, dict) else {} for each in (llm, human))
        child = self._ownership.child
        joined: dict[str, JsonValue] = {}
        for key in {**mine, **theirs}:
            one, other = mine.get(key, ABSENT), theirs.get(key, ABSENT)
            found = self._joined(child(place, key), one, other, (*keys, key))
            if found is not ABSENT:
                joined[key] = found
        return joined

    def _array(self, place: OwnedPlace, llm: Given, human: Given, keys: Keys) -> JsonValue:
        count, *different = {len(value) for value in (human, llm) if isinstance(value, list)}
        if different:
            wanted = len(llm) if isinstance(llm, list) else 0
            one = "1 item" if wanted == 1 else f"{wanted} items"
            self.issues.append(issue("human", keys, f"{one}, as many as the model gave"))
            return []
        nothing = [ABSENT] * count
        mine, theirs = (each if isinstance(each, list) else nothing for each in (llm, human))
        joined: list[JsonValue] = []
        for n, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            child, below = self._ownership.child(place, n), (*keys, n)
            stands_aside = other is None and child.owner == "llm"  # for an item of the model's
            item = self._joined(child, one, ABSENT if stands_aside else other, below)
            if item is ABSENT:
                side = is_humans(self._ownership, below, self._llm, self._human)
                self.issues.append(issue("human" if side else "llm", below, "a value"))
            else:
                joined.append(item)
        return joined


def _foreign(ownership: Ownership, part: SideName, keys: Keys, value: JsonValue) -> Issue:
    """Return the issue with a value that is the other side's to give.

    The person who misspelled a name is told the right ones; the model is told of none.
    """
    if part == "llm":
        return issue("llm", keys, _NOTHING, value)
    *_, around = ownership.at(keys[:-1])
    names, name = ownership.names(around), keys[-1] if keys else None
    near = near_name(name, names) if isinstance(name, str) else None
    if near is not None:
        return issue("human", keys, f"no value here: did you mean {preview(near)}?")
    return issue("human", keys, f"no value here: {_listed(names) or 'nothing'} is asked for")


def _has_no_part(ownership: Ownership, place: OwnedPlace, keys: Keys) -> Issue:
    """Return the issue with a human's value without parts: none of the human's can be in it."""
    listed = _listed(ownership.names(place))
    return issue("human", keys, f"an object with {listed}" if listed else "an object or an array")


_JSON = "JSON, with texts as the keys of objects"
_NOTHING = "no value, since this is not yours to give"
_LISTED = 6
"""How many names of what is asked for are told."""


def _listed(names: list[str]) -> str:
    return ", ".join(map(preview, names[:_LISTED])) + (", …" if len(names) > _LISTED else "")
