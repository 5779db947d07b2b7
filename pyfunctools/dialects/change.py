"""How a value changes on its way into a rendering and back.

Every rewrite leaves a `Change` for the schema that it rewrote. `apply` brings a value of the
original schema into the shape of the rendering, and `restore` brings it back:

    original schema      {"properties": {"a b": ..., "n": ...}}
    rendering            {"properties": {"a_b": ..., "n": {"type": [..., "null"]}}}
    apply({"a b": 1})    {"a_b": 1, "n": null}
    restore(...)         {"a b": 1}

Both keep a part of the value unchanged if it does not have the shape of its schema, so a wrong
value stays wrong.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pyfunctools._json import JsonValue, items_of
from pyfunctools._lazy import Lazy
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.outline.json_types import json_type
from pyfunctools.schema.outline.unions import Union
from pyfunctools.schema.parsing.strict import parse_strict
from pyfunctools.schema.validation.validator import Validator

KEY, VALUE = "key", "value"
"""The properties of a pair, which stands for one member of a map."""


@dataclass(slots=True, kw_only=True, eq=False)
class Branch:
    """A branch of a union: its change, and validators of original and of rendered values.

    They are made when they are first used, when all definitions are rewritten.
    """

    before: Lazy[Validator]
    after: Lazy[Validator]
    change: "Change"

    def accepts(self, value: JsonValue, *, forth: bool) -> bool:
        """Return whether the branch accepts an original value (`forth`) or a rendered one."""
        return (self.before if forth else self.after).value.is_valid(value)


@dataclass(slots=True, kw_only=True, eq=False)
class Change:
    """The change of the values of one schema.

    - `names`: the new name of each property that is renamed.
    - `members`: the changes of properties, by their old names.
    - `rest`: the change of every other property.
    - `null_if_missing`: optional properties that become null if they are missing.
    - `missing_if_null`: optional properties that `restore` removes if they are null.
    - `pairs`: an object becomes an array of objects with a `key` and a `value`.
    - `text`: a value of this type becomes a string with its JSON; `"any"` for all but null.
    - `prefix`, `items`: the changes of the items of an array.
    - `branches`: the branches of a union; `before` and `after` choose one of them for a value
      that no branch accepts.
    - `definition`: for a reference, returns the change of its definition.
    """

    names: Mapping[str, str] = field(default_factory=dict[str, str])
    members: Mapping[str, "Change"] = field(default_factory=dict[str, "Change"])
    rest: "Change | None" = None
    null_if_missing: frozenset[str] = frozenset()
    missing_if_null: frozenset[str] = frozenset()
    pairs: bool = False
    text: str | None = None
    prefix: Sequence["Change"] = ()
    items: "Change | None" = None
    branches: Sequence[Branch] = ()
    before: Lazy[Union] | None = None
    after: Lazy[Union] | None = None
    definition: "Callable[[], Change] | None" = None
    _own_branches: "Sequence[Branch] | None" = field(default=None, init=False)

    def apply(self, value: JsonValue) -> JsonValue:
        """Return a value of the original schema in the shape of the rendering."""
        return self._changed(value, forth=True)

    def restore(self, value: JsonValue) -> JsonValue:
        """Return a value of the rendering in the shape of the original schema."""
        return self._changed(value, forth=False)

    def located(self, keys: Keys, value: JsonValue) -> "tuple[Keys, Change]":
        """Return the path in `apply(value)` of a path in `value`, and the change at this path.

        The path of a member of a map is the path of the `value` of its pair.
        """
        if self.definition is not None:
            return self._target().located(keys, value)
        if (branch := self._branch_of(value, forth=True)) is not None:
            return branch.change.located(keys, value)
        if not keys or self.text is not None:
            return (), self
        first, below = keys[0], keys[1:]
        if isinstance(value, dict) and isinstance(first, str):
            inner, change = self.member(first).located(below, value.get(first))
            if not self.pairs:
                return (self.names.get(first, first), *inner), change
            return ((list(value).index(first), VALUE, *inner) if first in value else ()), change
        if isinstance(value, list) and isinstance(first, int) and first < len(value):
            inner, change = self.item(first).located(below, value[first])
            return (first, *inner), change
        return keys, SAME

    def renamed(self) -> Iterator[tuple[str, str]]:
        """Yield the old and the new name of every property that is renamed, at any depth."""
        for each in self._all():
            yield from each.names.items()

    def keeps_values(self) -> bool:
        """True if no value changes at all."""
        return not any(
            each.names or each.null_if_missing or each.pairs or each.text for each in self._all()
        )

    def here(self) -> "Iterator[Change]":
        """Yield all changes of the same value: this one, of references and of branches."""
        return _reachable(self, lambda each: each._same_place())

    def _all(self) -> "Iterator[Change]":
        """Yield this change and all changes below it, each once."""
        return _reachable(self, lambda each: [*each._same_place(), *each._below()])

    def _same_place(self) -> "list[Change]":
        referred = [] if self.definition is None else [self.definition()]
        return [*referred, *(branch.change for branch in self.branches)]

    def _below(self) -> "list[Change]":
        others = [inner for inner in (self.rest, self.items) if inner is not None]
        return [*self.members.values(), *self.prefix, *others]

    def member(self, name: str) -> "Change":
        """Return the change of a property, by its old name."""
        return self.members.get(name) or self.rest or SAME

    def item(self, index: int) -> "Change":
        """Return the change of an item."""
        return self.prefix[index] if index < len(self.prefix) else self.items or SAME

    def settled(self, value: JsonValue) -> "Change":
        """Return the change of a value of the rendering, which is no reference and no union."""
        change = self._target()
        while (branch := change._branch_of(value, forth=False)) is not None:
            change = branch.change._target()
        return change

    def _changed(self, value: JsonValue, *, forth: bool) -> JsonValue:
        if self.definition is not None:
            return self._target()._changed(value, forth=forth)
        if (branch := self._branch_of(value, forth=forth)) is not None:
            return branch.change._changed(value, forth=forth)
        if self.pairs:
            return self._to_pairs(value) if forth else self._from_pairs(value)
        if self.text is not None and forth:
            is_own = value is not None if self.text == "any" else json_type(value) == self.text
            return json.dumps(value, ensure_ascii=False) if is_own else value
        if self.text is not None:
            read = parse_strict(value, DEFAULT_LIMITS.depth) if isinstance(value, str) else None
            is_read = read is not None and self.text in ("any", json_type(read.value))
            return read.value if read is not None and is_read else value
        if isinstance(value, dict):
            return self._to_new_names(value) if forth else self._to_old_names(value)
        if isinstance(value, list):
            return [self.item(n)._changed(item, forth=forth) for n, item in enumerate(value)]
        return value

    def _target(self) -> "Change":
        """Return the change that a chain of references ends in; for a circle, `SAME`."""
        change, visited = self, set[int]()
        while change.definition is not None:
            if id(change) in visited:
                return SAME
            visited.add(id(change))
            change = change.definition()
        return change

    def _branch_of(self, value: JsonValue, *, forth: bool) -> Branch | None:
        """Return the branch of the value: if possible one that accepts it both before and after."""
        if not self.branches:
            return None
        if self._own_branches is None:  # a branch that leads back here cannot be chosen
            own = [b for b in self.branches if all(each is not self for each in b.change.here())]
            self._own_branches = own
        accepting = [b for b in self._own_branches if b.accepts(value, forth=forth)]
        # A branch that accepts any name also accepts the new name of another branch's property.
        if len(accepting) > 1:
            accepting.sort(key=lambda branch: not branch.change._has_name_of(value, forth=forth))
        for branch in accepting:
            if branch.accepts(branch.change._changed(value, forth=forth), forth=not forth):
                return branch
        if accepting:
            return accepting[0]
        # Even on the way forth a wrong value may have the shape of the rendering already.
        unions = (self.before, self.after) if forth else (self.after,)
        made = (union.value.intended_index(value) for union in unions if union is not None)
        index = next((n for n in made if n is not None), None)
        found = None if index is None else self.branches[index]
        return next((each for each in self._own_branches if each is found), None)

    def _has_name_of(self, value: JsonValue, *, forth: bool) -> bool:
        """True if the value has, at any depth, the old (`forth`) or new name of a property."""
        waiting: list[tuple[Change, JsonValue]] = [(self, value)]
        seen = set[tuple[int, int]]()
        while waiting:
            start, inner = waiting.pop()
            for each in start.here():
                if (id(each), id(inner)) in seen:
                    continue
                seen.add((id(each), id(inner)))
                if isinstance(inner, dict):
                    if not inner.keys().isdisjoint(each.names if forth else each.names.values()):
                        return True
                    waiting += [(each.member(n), held) for n, held in inner.items()]
                elif isinstance(inner, list):
                    waiting += [(each.item(n), held) for n, held in enumerate(inner)]
        return False

    def _to_new_names(self, value: Mapping[str, JsonValue]) -> JsonValue:
        made = {self.names.get(n, n): self.member(n).apply(inner) for n, inner in value.items()}
        missing = sorted(self.null_if_missing - value.keys())
        return {**made, **{self.names.get(name, name): None for name in missing}}

    def _to_old_names(self, value: Mapping[str, JsonValue]) -> JsonValue:
        old = {new: name for name, new in self.names.items()}
        return {
            (name := old.get(key, key)): self.member(name).restore(inner)
            for key, inner in value.items()
            if inner is not None or old.get(key, key) not in self.missing_if_null
        }

    def _to_pairs(self, value: JsonValue) -> JsonValue:
        if not isinstance(value, dict):
            return value
        inner = self.rest or SAME
        return [{KEY: name, VALUE: inner.apply(member)} for name, member in value.items()]

    def _from_pairs(self, value: JsonValue) -> JsonValue:
        """Return the object for a list of pairs; any other value or a repeated key is kept."""
        pairs, inner = _pairs_in(value), self.rest or SAME
        made = {key: inner.restore(member) for key, member in pairs or ()}
        return value if pairs is None or len(made) < len(pairs) else made


def repeated_key(value: JsonValue) -> str | None:
    """Return a key that occurs twice in a list of pairs, or `None`."""
    counts = Counter(key for key, _ in _pairs_in(value) or ())
    return next((key for key, count in counts.items() if count > 1), None)


def _pairs_in(value: JsonValue) -> list[tuple[str, JsonValue]] | None:
    """Return the pairs in a list of only pairs, else `None`."""
    pairs = [
        (key, each[VALUE])
        for each in items_of(value)
        if isinstance(each, dict) and each.keys() == {KEY, VALUE}
        if isinstance(key := each[KEY], str)
    ]
    return pairs if isinstance(value, list) and len(pairs) == len(value) else None


def _reachable(start: Change, next_of: Callable[[Change], Sequence[Change]]) -> Iterator[Change]:
    seen = set[int]()
    waiting = [start]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            waiting += next_of(each)


SAME = Change()
"""The change of a schema whose values stay as they are."""
