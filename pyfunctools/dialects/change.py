"""How a value changes on its way into a rendering and back: the inverse that each rewrite leaves.

A `Change` belongs to one schema of a rendering. `apply` gives a value of the original schema the
shape of the rendering, `restore` is the way back. Both leave alone what has not the shape they are
about, so a wrong value stays as wrong as it was.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from pyfunctools._json import JsonValue
from pyfunctools.schema.ground.path import Keys

Accepts = Callable[[JsonValue], bool]
"""True if a value is right by some schema."""
Guess = Callable[[JsonValue], int | None]
"""Returns the index of the branch that a value was meant for, `None` where nothing tells."""

KEY, VALUE = "key", "value"
"""The properties of a pair that stands for a member of a map."""


@dataclass(slots=True, kw_only=True, eq=False)
class Branch:
    """A branch of a union: who takes its values before and after, and how they change."""

    before: Accepts
    after: Accepts
    change: "Change"


@dataclass(slots=True, kw_only=True, eq=False)
class Change:
    """What happens to the values of one schema.

    `names` leads from a property's name to its new one, where that differs; `members` are the
    changes of properties by their old names, `rest` that of all others. A property in `filled` that
    is not there becomes null, and null for one in `absent` becomes a property that is not there.
    With `pairs` an object becomes an array of objects with a `key` and a `value`. `front` and
    `items` are those of an array, `branches` those of a union; `meant_before` and `meant_after` say
    which of them a value was meant for that none takes. `definition` is asked where the schema is a
    reference.
    """

    names: Mapping[str, str] = field(default_factory=dict[str, str])
    members: Mapping[str, "Change"] = field(default_factory=dict[str, "Change"])
    rest: "Change | None" = None
    filled: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    pairs: bool = False
    front: Sequence["Change"] = ()
    items: "Change | None" = None
    branches: Sequence[Branch] = ()
    meant_before: Guess = lambda _: None
    meant_after: Guess = lambda _: None
    definition: "Callable[[], Change] | None" = None
    _leading_on: "Sequence[Branch] | None" = field(default=None, init=False)

    def apply(self, value: JsonValue) -> JsonValue:
        """Return a value of the original schema as the rendering has it."""
        return self._changed(value, forth=True)

    def restore(self, value: JsonValue) -> JsonValue:
        """Return a value of the rendering as the original schema has it."""
        return self._changed(value, forth=False)

    def located(self, keys: Keys, value: JsonValue) -> "tuple[Keys, Change]":
        """Return where a place of `value` stands in `apply(value)`, and how what is there changes.

        The place of a member of a map is that of the `value` of its pair.
        """
        if self.definition is not None:
            return self._target().located(keys, value)
        for branch in self._meant(value, forth=True):
            return branch.change.located(keys, value)
        if not keys:
            return (), self
        first, below = keys[0], keys[1:]
        if isinstance(value, dict) and isinstance(first, str):
            inner, change = self._member(first).located(below, value.get(first))
            if not self.pairs:
                return (self.names.get(first, first), *inner), change
            return ((list(value).index(first), VALUE, *inner) if first in value else ()), change
        if isinstance(value, list) and isinstance(first, int) and first < len(value):
            place = self.front[first] if first < len(self.front) else self.items or SAME
            inner, change = place.located(below, value[first])
            return (first, *inner), change
        return keys, SAME

    def renamed(self) -> Iterator[tuple[str, str]]:
        """Yield every property's name that is another in the rendering, with that one."""
        for each in self._all():
            yield from each.names.items()

    def keeps(self) -> bool:
        """True if no value changes at all."""
        return not any(each.names or each.filled or each.pairs for each in self._all())

    def here(self) -> "Iterator[Change]":
        """Yield this change and those that are, by references and unions alone, a part of it."""
        return _reached(self, lambda each: each._same_place())

    def _all(self) -> "Iterator[Change]":
        """Yield this change and those below it, each once."""
        return _reached(self, lambda each: [*each._same_place(), *each._below()])

    def _same_place(self) -> "list[Change]":
        referred = [] if self.definition is None else [self.definition()]
        return [*referred, *(branch.change for branch in self.branches)]

    def _below(self) -> "list[Change]":
        others = [inner for inner in (self.rest, self.items) if inner is not None]
        return [*self.members.values(), *self.front, *others]

    def _changed(self, value: JsonValue, *, forth: bool) -> JsonValue:
        if self.definition is not None:
            return self._target()._changed(value, forth=forth)
        for branch in self._meant(value, forth=forth):
            return branch.change._changed(value, forth=forth)
        if self.pairs:
            return self._paired(value) if forth else self._unpaired(value)
        if isinstance(value, dict):
            return self._renamed(value) if forth else self._named_back(value)
        if isinstance(value, list):
            front, later = self.front, self.items or SAME
            return [
                (front[n] if n < len(front) else later)._changed(item, forth=forth)
                for n, item in enumerate(value)
            ]
        return value

    def _target(self) -> "Change":
        """Return what the references lead to that this is; a circle of them changes nothing."""
        change, passed = self, set[int]()
        while change.definition is not None:
            if id(change) in passed:
                return SAME
            passed.add(id(change))
            change = change.definition()
        return change

    def _meant(self, value: JsonValue, *, forth: bool) -> Sequence[Branch]:
        """Return the branch that takes the value, and whose change the other side takes."""
        taking = [b for b in self._own if (b.before if forth else b.after)(value)]
        # A branch that takes any name takes one that was given by another branch, too.
        if len(taking) > 1:
            taking.sort(key=lambda branch: not branch.change._names_in(value, forth=forth))
        sure = (
            branch
            for branch in taking
            if (branch.after if forth else branch.before)(
                branch.change._changed(value, forth=forth)
            )
        )
        found = next(sure, taking[0] if taking else None)
        if found is None and self._own:
            found = self._guessed(value, forth=forth)
        return [each for each in self._own if each is found]

    def _guessed(self, value: JsonValue, *, forth: bool) -> Branch | None:
        """Return the branch that a wrong value was meant for, which may be as it was written."""
        asked = (self.meant_before, self.meant_after) if forth else (self.meant_after,)
        indexes = (meant(value) for meant in asked)
        return next((self.branches[index] for index in indexes if index is not None), None)

    @property
    def _own(self) -> Sequence[Branch]:
        """The branches but for those that only lead back here: they say nothing of their own."""
        if self._leading_on is None:
            listed = self.branches
            own = [b for b in listed if all(each is not self for each in b.change.here())]
            self._leading_on = own
        return self._leading_on

    def _names_in(self, value: JsonValue, *, forth: bool) -> bool:
        """True if the value has a property, at any depth, by the name it has only on its side."""
        waiting: list[tuple[Change, JsonValue]] = [(self, value)]
        seen = set[tuple[int, int]]()
        while waiting:
            start, inner = waiting.pop()
            for each in start.here():
                if (id(each), id(inner)) in seen:
                    continue
                seen.add((id(each), id(inner)))
                names = {new: old for old, new in each.names.items()}
                if isinstance(inner, dict):
                    if not inner.keys().isdisjoint(each.names if forth else names):
                        return True
                    waiting += [(each._member(n), held) for n, held in inner.items()]
                elif isinstance(inner, list):
                    places = [*each.front, *[each.items or SAME] * len(inner)]
                    waiting += zip(places, inner, strict=False)
        return False

    def _renamed(self, value: Mapping[str, JsonValue]) -> JsonValue:
        made = {self.names.get(n, n): self._member(n).apply(inner) for n, inner in value.items()}
        filled = {self.names.get(name, name): None for name in sorted(self.filled - value.keys())}
        return {**made, **filled}

    def _named_back(self, value: Mapping[str, JsonValue]) -> JsonValue:
        old = {new: name for name, new in self.names.items()}
        made: dict[str, JsonValue] = {}
        for key, inner in value.items():
            name = old.get(key, key)
            if inner is not None or name not in self.absent:
                made[name] = self._member(name).restore(inner)
        return made

    def _member(self, name: str) -> "Change":
        return self.members.get(name) or self.rest or SAME

    def _paired(self, value: JsonValue) -> JsonValue:
        if not isinstance(value, dict):
            return value
        inner = self.rest or SAME
        return [{KEY: name, VALUE: inner.apply(member)} for name, member in value.items()]

    def _unpaired(self, value: JsonValue) -> JsonValue:
        """Return the object that pairs say; as they are if one is no pair or a key comes twice."""
        if not isinstance(value, list) or not all(map(_is_pair, value)):
            return value
        pairs = cast("list[dict[str, JsonValue]]", value)
        inner = self.rest or SAME
        made = {str(pair[KEY]): inner.restore(pair[VALUE]) for pair in pairs}
        return made if len(made) == len(pairs) else value


def doubled_key(value: JsonValue) -> str | None:
    """Return a key that comes twice in pairs; `None` where none does, or these are no pairs."""
    if not isinstance(value, list) or not all(map(_is_pair, value)):
        return None
    keys = [str(pair[KEY]) for pair in cast("list[dict[str, JsonValue]]", value)]
    return next((key for place, key in enumerate(keys) if key in keys[:place]), None)


def _reached(start: Change, leads: Callable[[Change], Sequence[Change]]) -> Iterator[Change]:
    seen: dict[int, Change] = {}
    waiting = [start]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen:
            seen[id(each)] = each
            yield each
            waiting += leads(each)


SAME = Change()
"""The change of a schema whose values stay as they are."""


def _is_pair(value: JsonValue) -> bool:
    return isinstance(value, dict) and value.keys() == {KEY, VALUE} and isinstance(value[KEY], str)
