"""Arguments taken apart: which values are the model's and which the human's, place by place."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, Literal, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.depth import deeper_than
from pyfunctools.schema.marks import Graph, graph_of
from pyfunctools.schema.ownership import Owner, Ownership, Place
from pyfunctools.schema.path import Keys, Path
from pyfunctools.schema.predicates import IsHuman, any_of
from pyfunctools.schema.result import Issue
from pyfunctools.schema.sides import written, written_at
from pyfunctools.schema.validate import Validator
from pyfunctools.schema.writer import Part


class _Absent(Enum):
    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
"""What stands for a value that is not there; null is one that is."""

Given: TypeAlias = "JsonValue | Literal[_Absent.ABSENT]"
"""A value, or that there is none."""


@dataclass(frozen=True, slots=True)
class Own:
    """What one side gave, without what is not its own.

    The issues say what was dropped: `foreign` what is the other's, `broken` what is no JSON.
    """

    part: Given
    foreign: list[Issue]
    broken: list[Issue]


class Division:
    """A schema with the places of both sides in it, and what it takes to tell values apart.

    Everything is made when first asked for and kept. Copies and pickles keep what the predicate
    answered, not the predicate.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.schema = graph.schema
        self._ownership = Lazy(lambda: Ownership(graph))
        self._sides = {
            "llm": Lazy(lambda: written(self.ownership, "llm")),
            "human": Lazy(lambda: written(self.ownership, "human")),
        }
        self._validators: dict[Part | tuple[Place, Part], Validator] = {}
        self.whole = Validator(graph.schema)

    def __reduce__(self) -> tuple[object, ...]:
        return (Division, (self._graph,))

    @property
    def ownership(self) -> Ownership:
        """Whose each place is."""
        return self._ownership.get()

    @property
    def root(self) -> Place:
        """The place of the arguments themselves."""
        return self.ownership.root

    def side(self, part: Part) -> JsonSchema:
        """Give the schema of one side."""
        return self._sides[part].get()

    def validator(self, part: Part, place: Place | None = None) -> Validator:
        """Give the validator of one side, or of that side's alternatives at one place."""
        key = part if place is None else (place, part)
        known = self._validators.get(key)
        if known is None:
            own = self.side(part) if place is None else written_at(self.ownership, place, part)
            known = self._validators.setdefault(
                key, self.whole if own is self.schema else Validator(own)
            )
        return known

    def split(self, value: JsonValue) -> tuple[JsonValue, JsonValue]:
        """Give the model's part and the human's part of a whole value."""
        if too_deep(value):
            return {}, value
        llm, human = self._split(self.root, value)
        if human is ABSENT and self.root.owner == "mixed" and not isinstance(value, dict):
            human = self.shaped("human", value, ABSENT, ABSENT)
        return ({} if llm is ABSENT else llm), ({} if human is ABSENT else human)

    def _split(self, place: Place, value: JsonValue) -> tuple[Given, Given]:
        value = opened(value)
        if place.owner == "llm":
            return value, ABSENT
        if place.owner == "human" or not is_plain(value):
            return ABSENT, value
        if place.owner == "either":
            return (value, ABSENT) if self._is_models(place, value) else (ABSENT, value)
        if isinstance(value, dict):
            parts = {key: self._split(self._child(place, key), value[key]) for key in value}
            llm = {key: part for key, (part, _) in parts.items() if part is not ABSENT}
            human = {key: part for key, (_, part) in parts.items() if part is not ABSENT}
            return llm, human or ABSENT
        if isinstance(value, list):
            pairs = [self._split(self._child(place, n), item) for n, item in enumerate(value)]
            llm_items = [None if part is ABSENT else part for part, _ in pairs]
            human = [part for _, part in pairs]
            given = any(part is not ABSENT for part in human)
            shaped = self.shaped("human", value, human, ABSENT, place)
            return llm_items, shaped if given else ABSENT
        return value, ABSENT

    def _is_models(self, place: Place, value: JsonValue) -> bool:
        """Say whether only the model can have given a value that is either's."""
        own = Own(ABSENT, [], [])
        self._own(place, "llm", value, (), own)
        if own.foreign or own.broken or self.validator("human", place).is_valid(value):
            return False
        return self.validator("llm", place).is_valid(value)

    def _child(self, place: Place, step: str | int) -> Place:
        return self.ownership.child(place, step)

    def own(self, part: Part, value: JsonValue) -> Own:
        """Give what is its own of what one side gave.

        In an array null is no value where the item is the other's.
        """
        own = Own(ABSENT, [], [])
        other: Owner = "human" if part == "llm" else "llm"
        if self.root.owner != other:
            return replace(own, part=self._own(self.root, part, value, (), own))
        # An argument is always given: to give nothing is to give an empty object, or null.
        if isinstance(value, dict):
            own.foreign.extend(not_yours(part, (str(key),), value[key]) for key in value)
        return replace(own, part={} if isinstance(value, dict) or value is None else value)

    def _own(self, place: Place, part: Part, value: JsonValue, keys: Keys, own: Own) -> Given:
        if place.owner == part or (place.owner == "either" and part == "human"):
            return value
        value = opened(value)
        if place.owner not in ("mixed", "either"):
            own.foreign.append(not_yours(part, keys, value))
            return ABSENT
        if not is_plain(value):
            own.broken.append(issue(part, keys, "JSON, and text as the keys of an object", None))
            return ABSENT
        if isinstance(value, dict):
            kept = {
                key: self._own(self._child(place, key), part, inner, (*keys, key), own)
                for key, inner in value.items()
            }
            return {key: inner for key, inner in kept.items() if inner is not ABSENT}
        if isinstance(value, list):
            listed = [
                None
                if item is None and not place.theirs
                else self._own(self._child(place, n), part, item, (*keys, n), own)
                for n, item in enumerate(value)
            ]
            # Of alternatives one is given whole: there null does not stand for the other's item.
            if place.theirs and any(item is ABSENT for item in listed):
                return ABSENT
            return [None if item is ABSENT else item for item in listed]
        if part == "human" and value is not None:
            own.foreign.append(not_yours(part, keys, value))
            return ABSENT
        return value

    def shaped(
        self, part: Part, whole: Given, own: Given, other: Given, place: Place | None = None
    ) -> Given:
        """Give one side's part in the shape of the whole: empty where that side gave nothing."""
        place = self.root if place is None else place
        if place.owner != "mixed" or whole is ABSENT:
            chosen = place.owner == "either" and (part == "human" or other is ABSENT)
            return own if chosen or place.owner == part else ABSENT
        if isinstance(whole, dict):
            mine, theirs = members(own), members(other)
            kept = {
                key: self.shaped(
                    part,
                    inner,
                    mine.get(key, ABSENT),
                    theirs.get(key, ABSENT),
                    self._child(place, key),
                )
                for key, inner in whole.items()
                # The model is not to see a key that only the human wrote.
                if part == "human" or key in mine or key in place.names
            }
            return {key: inner for key, inner in kept.items() if inner is not ABSENT}
        if isinstance(whole, list):
            rows = zip(whole, items(own, len(whole)), items(other, len(whole)), strict=True)
            listed = [self.shaped(part, *row, self._child(place, n)) for n, row in enumerate(rows)]
            return [None if item is ABSENT else item for item in listed]
        return whole if part == "llm" else None

    def validate_shaped(
        self, part: Part, whole: Given, own: Given, other: Given
    ) -> tuple[Issue, ...]:
        """Give the issues that one side's schema has with its part of a whole."""
        shaped = self.shaped(part, whole, own, other)
        verdict = self.validator(part).validate({} if shaped is ABSENT else shaped, part)
        return () if verdict else verdict.issues

    def is_humans(self, keys: Keys, mine: Given, theirs: Given) -> bool:
        """Say whether what stands at a path of the whole is the human's.

        So is what stands under a key that is not declared, if only the human wrote that key.
        """
        names: Collection[str] = ()
        for depth, place in enumerate(self.ownership.at(keys)):
            met = keys[:depth]
            if met and isinstance(met[-1], str) and met[-1] not in names:
                if has(theirs, met) and not has(mine, met):
                    return True
            if place.owner in ("llm", "human"):
                return place.owner == "human"
            if place.owner == "either":
                return has(theirs, met)
            names = place.names
        return False


def divide(schema: JsonSchema, is_human: IsHuman | None) -> Division:
    """Give the division of a schema by a predicate; with none nothing is the human's.

    Raises:
        DefinitionError: the predicate raised something.
    """
    return Division(graph_of(schema, is_human or any_of()))


def opened(value: JsonValue) -> JsonValue:
    """Give what a value is to a validator: a member of an enum what it stands for, a tuple a list."""
    if isinstance(value, Enum):
        value = value.value
    return list(value) if isinstance(value, tuple) else value


def is_plain(value: JsonValue) -> bool:
    """Say whether a value, not looking into it, is JSON; a key that only equals a text is not."""
    if isinstance(value, dict):
        return all(type(key) is str for key in value)
    return value is None or isinstance(value, list | str | int | float)


def members(value: Given) -> Mapping[str, JsonValue]:
    """Give what is in an object; nothing is in anything else."""
    return value if isinstance(value, dict) else {}


def items(value: Given, count: int) -> Sequence[Given]:
    """Give the items of an array, or as many times that there is none."""
    return value if isinstance(value, list) else [ABSENT] * count


def too_deep(value: JsonValue) -> bool:
    """Say whether a value is nested deeper than arguments may be."""
    return deeper_than(value, DEFAULT_LIMITS.depth)


def depth_issue(part: Part) -> Issue:
    """Give the issue with a value that is nested too deeply."""
    return issue(part, (), f"objects and arrays at most {DEFAULT_LIMITS.depth} deep", None)


def not_yours(part: Part, keys: Keys, value: JsonValue) -> Issue:
    """Give the issue with a value where one side may give none."""
    return issue(part, keys, "nothing: this is not yours to give", value)


def issue(part: Part, keys: Keys, expected: str, value: JsonValue) -> Issue:
    """Give an issue of one side; a value of the human's is in none."""
    path = Path.of(keys)
    return Issue(
        path=path,
        expected=expected,
        value=None if part == "human" else value,
        message=f"{path}: expected {expected}.",
        side=part,
    )


def has(value: Given, keys: Keys) -> bool:
    """Say whether something stands at the end of a path."""
    for key in keys:
        if isinstance(value, dict) and key in value:
            value = value[str(key)]
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return False
    return value is not ABSENT
