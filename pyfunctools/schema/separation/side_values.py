"""Ownership applied to values: values that a side may not give, its part of a whole, the merge.

Each function walks over the value along the places of the schema, and goes on below a mixed place:
elsewhere only the owner's value counts. Values that are `is_too_deep` are rejected before.
"""

from collections.abc import Collection
from enum import Enum
from functools import partial

from pyfunctools._json import JsonObject, JsonValue, members_of
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.did_you_mean import near_name
from pyfunctools.schema.ground.issue import Issue, side_issue
from pyfunctools.schema.ground.json_values import ABSENT, Given, deeper_than, preview
from pyfunctools.schema.ground.path import Keys, value_at
from pyfunctools.schema.outline.expected import listing
from pyfunctools.schema.separation.ownership import LLM, OwnedPlace, SideName


def _json_part(value: Given) -> Given:
    """Return a part of a value as validators read it; `ABSENT` if it is not JSON.

    An enum's member is its value, and a tuple a list. Values inside are not checked, but keys must
    be of the type `str` itself: a validator may read a subclass as another text.
    """
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, dict):
        return value if _TEXT.issuperset(map(type, value)) else ABSENT
    if isinstance(value, tuple):
        return list(value)
    return value if value is None or isinstance(value, _JSON_TYPES) else ABSENT


_JSON_TYPES = (list, str, int, float)
_TEXT = frozenset({str})

is_too_deep = partial(deeper_than, limit=DEFAULT_LIMITS.depth)
"""Returns whether a value is nested deeper than arguments may be."""


def own_part(root: OwnedPlace, side: SideName, value: JsonValue) -> tuple[Given, list[Issue]]:
    """Return the part of a value that a side may give, and an issue for each other part.

    A value at a mixed place that is not JSON is an issue too; an empty object at the root is none.
    """
    found: list[Issue] = []
    if root.owner in (side, "mixed"):
        own = part_of(side, root, value, found=found)
        return (own if found else value), found
    if value is None:
        return {}, found
    found += (_foreign_issue(side, root, (str(k),), v) for k, v in members_of(value).items())
    return (ABSENT if found else value), found


def part_of(
    side: SideName,
    place: OwnedPlace,
    value: JsonValue,
    keys: Keys = (),
    *,
    outer: OwnedPlace = LLM,
    shaped: bool = False,
    found: list[Issue] | None = None,
) -> Given:
    """Return one side's part of a value at a place; `ABSENT` if the side has no part.

    An object or array without human parts is left out of the human's part, unless that is `shaped`
    like the whole, where only the model's values are missing. What is not JSON is the human's.
    Parts that this side may not give are issues in `found`; `outer` is the place around.
    """
    if place.owner == side:
        return value
    if place.owner != "mixed":
        if found is not None:
            found.append(_foreign_issue(side, outer, keys, value))
        return ABSENT
    part = _json_part(value)
    if part is ABSENT:
        if found is not None:
            found.append(side_issue(side, keys, _JSON))
        return value if side == "human" else ABSENT
    child = place.child
    below = partial(part_of, side, outer=place, shaped=shaped)
    if isinstance(part, dict):
        kept = {
            key: own
            for key, inner in part.items()
            if (own := below(child(key), inner, (*keys, key), found=found)) is not ABSENT
        }
        return kept if kept or shaped or side == "llm" else ABSENT
    if isinstance(part, list):
        # Null stands for an item of the other side.
        items = [
            below(child(n), item, (*keys, n), found=None if item is None else found)
            for n, item in enumerate(part)
        ]
        if side == "human" and not shaped:
            if all(item is ABSENT for item in items):
                return ABSENT
            items = _in_shape(place, part, items)
        return [None if item is ABSENT else item for item in items]
    if found is not None and side == "human" and part is not None:
        found.append(_no_part_issue(place, keys))
    return part if side == "llm" else None if shaped else ABSENT


def _in_shape(place: OwnedPlace, whole: list[JsonValue], own: list[Given]) -> list[Given]:
    """Return the human's items, those without human parts in the shape of the whole."""
    return [
        part_of("human", place.child(n), whole[n], shaped=True) if each is ABSENT else each
        for n, each in enumerate(own)
    ]


def is_human_at(root: OwnedPlace, keys: Keys, llm: JsonValue, human: JsonValue) -> bool:
    """Return whether the human gives the value at a path, by the values of both sides.

    The human also gives a value below an undeclared key that only the human's value has.
    """
    names: Collection[str] = ()
    for depth, place in enumerate(root.along(keys)):
        above = keys[:depth]
        is_declared = not above or isinstance(above[-1], int) or above[-1] in names
        if not is_declared and value_at(human, above) is not None and value_at(llm, above) is None:
            return True
        if place.owner != "mixed":
            return place.owner == "human"
        names = place.names
    return False


class Joiner:
    """Merges the model's and the human's value; `issues` are the conflicts between them.

    The model's value in a human place is dropped; a human's value in a model's place is an issue.
    """

    def __init__(self, root: OwnedPlace, llm: JsonValue, human: JsonValue) -> None:
        self._root = root
        self._llm = llm
        self._human = human
        self.issues: list[Issue] = []

    def merge(self) -> Given:
        """Return the whole; `ABSENT` if neither side gave a part of it."""
        if self._root.owner != "llm":
            return self._merge(self._root, self._llm, self._human, ())
        self.issues += own_part(self._root, "human", self._human)[1]
        return self._llm

    def _merge(self, place: OwnedPlace, llm: Given, human: Given, keys: Keys) -> Given:
        if place.owner == "llm":
            if human is not ABSENT:
                outer = self._root.at(keys[:-1])
                self.issues.append(_foreign_issue("human", outer, keys, human))
            return llm
        if place.owner == "human":
            return human
        llm, human = self._json("llm", llm, keys), self._json("human", human, keys)
        if not isinstance(human, dict | list) and human not in (None, ABSENT):
            self.issues.append(_no_part_issue(place, keys))
            human = ABSENT
        if not human and type(human) is not type(llm):
            human = ABSENT  # null, {} and [] stand for no part of a value of another type
        if human is not ABSENT and llm is not ABSENT and type(human) is not type(llm):
            # If one is an object, the other an array, the model's value is right: it came first.
            side, other = ("human", llm) if isinstance(llm, dict | list) else ("llm", human)
            kind = "an object" if isinstance(other, dict) else "an array"
            wanted = f"{kind}, as the {'model' if side == 'human' else 'human'} gave"
            self.issues.append(side_issue(side, keys, wanted, llm))
            part_of("human", place, human, keys, found=self.issues)
            return ABSENT
        if isinstance(llm, dict) or isinstance(human, dict):
            return self._merge_objects(place, llm, human, keys)
        if isinstance(llm, list) or isinstance(human, list):
            return self._merge_arrays(place, llm, human, keys)
        return llm

    def _json(self, side: SideName, value: Given, keys: Keys) -> Given:
        part = value if value is ABSENT else _json_part(value)
        if part is ABSENT and value is not ABSENT:
            self.issues.append(side_issue(side, keys, _JSON))
        return part

    def _merge_objects(self, place: OwnedPlace, llm: Given, human: Given, keys: Keys) -> JsonValue:
        models: JsonObject = llm if isinstance(llm, dict) else {}
        humans: JsonObject = human if isinstance(human, dict) else {}
        merged: dict[str, JsonValue] = {}
        for key in {**models, **humans}:
            one, other = models.get(key, ABSENT), humans.get(key, ABSENT)
            found = self._merge(place.child(key), one, other, (*keys, key))
            if found is not ABSENT:
                merged[key] = found
        return self._with_empty(place, merged)

    def _with_empty(self, place: OwnedPlace, given: JsonObject, depth: int = 0) -> JsonObject:
        """Return an object with the required objects of both sides that neither has to give."""
        filled = dict(given)
        for name in [name for node in place.nodes for name in node.required]:
            if name in filled or depth >= _MAX_EMPTY:
                continue
            child = place.child(name)
            if child.owner != "mixed":
                continue
            empty = self._with_empty(child, {}, depth + 1)
            needed = {inner for node in child.nodes for inner in node.required}
            if child.is_object and needed <= empty.keys():
                filled[name] = empty
        return filled

    def _merge_arrays(self, place: OwnedPlace, llm: Given, human: Given, keys: Keys) -> JsonValue:
        count, *different = {len(value) for value in (human, llm) if isinstance(value, list)}
        if different:
            wanted = len(llm) if isinstance(llm, list) else 0
            one = "1 item" if wanted == 1 else f"{wanted} items"
            self.issues.append(side_issue("human", keys, f"{one}, as many as the model gave"))
            return []
        nothing = [ABSENT] * count
        models, humans = (each if isinstance(each, list) else nothing for each in (llm, human))
        merged: list[JsonValue] = []
        for n, (one, other) in enumerate(zip(models, humans, strict=True)):
            child, below = place.child(n), (*keys, n)
            is_filler = other is None and child.owner == "llm"
            item = self._merge(child, one, ABSENT if is_filler else other, below)
            if item is ABSENT:
                is_human = is_human_at(self._root, below, self._llm, self._human)
                self.issues.append(side_issue("human" if is_human else "llm", below, "a value"))
            else:
                merged.append(item)
        return merged


def _foreign_issue(side: SideName, outer: OwnedPlace, keys: Keys, value: JsonValue) -> Issue:
    """Return the issue of a value in the other side's place; `outer` is the place around it.

    For the human, it contains the expected names, or the closest; for the model, no names.
    """
    if side == "llm":
        return side_issue("llm", keys, _NO_VALUE, value)
    names = outer.human_names
    near = near_name(str(keys[-1]), names) if keys else None
    remedy = f"{listing(names) or 'nothing'} is asked for"
    remedy = remedy if near is None else f"did you mean {preview(near)}?"
    return side_issue("human", keys, f"no value here: {remedy}")


def _no_part_issue(place: OwnedPlace, keys: Keys) -> Issue:
    """Return the issue of a human's string or number at a mixed place: it has no human part."""
    names = listing(place.human_names)
    return side_issue("human", keys, f"an object with {names}" if names else _CONTAINER)


_JSON = "JSON, with texts as the keys of objects"
_CONTAINER = "an object or an array"
_NO_VALUE = "no value, since this is not yours to give"
_MAX_EMPTY = 8
"""How deep empty objects are nested in empty objects."""
