"""One value on its way through one schema: how `coerce` gets at what it must have meant."""

from dataclasses import replace

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.schema.coercion.candidates import WRAPPERS, decoded, meanings
from pyfunctools.schema.coercion.match import (
    EXACT,
    MAX_DEPTH,
    NOT,
    ROUND,
    Fit,
    Fitting,
    TextWantedError,
    TooMuch,
    is_set,
    repeats,
)
from pyfunctools.schema.ground.json_values import equal
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.outline.json_types import json_type, listed_values
from pyfunctools.schema.outline.outline import Part, PartTests, Place, ValueTest
from pyfunctools.schema.outline.unions import union_of
from pyfunctools.schema.result import Repair
from pyfunctools.schema.vocabulary import UNIONS

_MOST_VALUES = 1_000_000
_MOST_TRIALS = 256
_MOST_PATHS = 16 << 20
"""What is done at most for one value; one that takes more is given as it is."""
_MOST_WRAPS = 3
"""Arrays of one item inside each other that are put around one value."""


class Coercion:
    """One value on its way through one schema.

    With `tests` what its own test accepts is taken to be right; see `coerced`.
    """

    def __init__(
        self, *, sets: bool = False, tests: PartTests | None = None, written: bool = False
    ) -> None:
        self._written = written
        self._fitting = Fitting(sets=sets)
        self._sets = sets
        self._tests = tests
        self._values = _MOST_VALUES
        self._trials = _MOST_TRIALS
        self._paths = _MOST_PATHS
        self._known: dict[Place, ValueTest | None] = {}
        self._wraps = 0
        self._active: set[tuple[Part, int]] = set()
        self.repairs: list[Repair] = []

    def value(self, place: Place, value: JsonValue, keys: Keys) -> JsonValue:
        """Return the value as it is wanted at a place.

        Raises:
            TooMuch: it is nested too deep, or there is too much of it.
            TextWantedError: with `written`, a float stands where only a text is wanted.
        """
        right = self._is_right(place, value, keys)
        return value if right else self.repaired(place, value, keys)

    def repaired(self, place: Place, value: JsonValue, keys: Keys) -> JsonValue:
        """Return a value that is not right as it is wanted at a place.

        Raises:
            TooMuch: as `value`.
            TextWantedError: as `value`.
        """
        self._values -= 1
        if self._values < 0 or len(keys) > MAX_DEPTH:
            raise TooMuch
        if isinstance(value, dict | list):
            return self._container(place, value, keys)
        if self._tests and self._fit(place, value, keys) == EXACT:
            return value  # it is refused for what no repair heals
        if self._written and self._tests and type(value) is float and place.wants_string:
            raise TextWantedError
        for kind, candidate in meanings(value, place.types, _constants(place)):
            listed = kind == "string" and self._fit(place, [value], keys) == EXACT
            if not listed and self._fit(place, candidate, keys) == EXACT:
                self._note(kind, value, candidate, keys)
                return candidate
        if isinstance(value, str) and not place.types.isdisjoint(("object", "array")):
            result = self._read(place, value, keys)
            if result is not value:
                return result
        for part, keyword in place.unions:
            result = self._tried(place, part.branches(keyword), value, keys)
            if result is not value:
                return result
        return self._wrapped(place, value, keys)

    def _is_right(self, place: Place, value: JsonValue, keys: Keys) -> bool:
        test = self._test(place)
        return test(value) if test else self._fit(place, value, keys) == EXACT

    def _test(self, place: Place) -> ValueTest | None:
        """Return the compiled test of a place; `None` where not all that is stated there has one.

        A container that it refuses for what no repair heals is walked in vain: nothing comes of it.
        """
        if self._tests is None:
            return None
        if place not in self._known:
            self._known[place] = _all_of([self._tests(part.keys) for part in place.roots])
        return self._known[place]

    def _fit(self, place: Place, value: JsonValue, keys: Keys) -> Fit:
        fit: Fit = EXACT
        for part in place.roots:
            fit = min(fit, self._fitting.of(part, value, len(keys)))
        return fit

    def _read(self, place: Place, text: str, keys: Keys) -> JsonValue:
        """Return what a JSON text says, or the text itself where it says nothing that is wanted."""
        read = decoded(text, place)
        if read is None or json_type(read.value) not in place.types:
            return text
        mark = len(self.repairs)
        self._note("json", text, read.value, keys)
        self.repairs += (replace(r, path=Path.of((*keys, *r.path.keys))) for r in read.repairs)
        result = self._moved(place, read.value, keys)
        if isinstance(result, list) and not self._fit(place, result, keys):
            made = self._undone(mark)
            wrapped = self._wrapped(place, text, keys)
            if wrapped is not text:
                return wrapped
            self.repairs += made
        return result

    def _container(
        self, place: Place, value: JsonObject | list[JsonValue], keys: Keys
    ) -> JsonValue:
        mark = len(self.repairs)
        meant, undecided = self._branched(place, value, keys)
        result: JsonValue
        if isinstance(value, dict):
            result = self._members(meant, value, keys)
        else:
            result = self._once(meant.parts, self._items(meant, list(value), value, keys), keys)
        for branches in undecided:
            if self._fit(place, result, keys) == NOT:
                result = self._tried(place, branches, result, keys)
        if not isinstance(value, dict) or not _may_move(place, value):
            return result
        if self._fit(place, result, keys) != NOT:
            return result
        made = self._undone(mark)
        for other in (self._unwrapped, self._wrapped):
            found = other(place, value, keys)
            if found is not value:
                return found
        self.repairs += made
        return result

    def _branched(
        self, place: Place, value: JsonValue, keys: Keys
    ) -> tuple[Place, list[list[Part]]]:
        """Return the place with the branches that were meant, and the unions that leave it
        open.
        """
        if not place.unions:
            return place, []
        found: dict[Part, None] = {}
        undecided: list[list[Part]] = []
        queue = list(place.parts)
        for part in queue:  # grows while it is read
            if part in found:
                continue
            found[part] = None
            for keyword in UNIONS:
                if keyword not in part.rules:
                    continue
                branches, union = part.branches(keyword), union_of(part, keyword)
                meant = union.branch_by_tag(value)
                if meant is None:
                    fits = [self._fitting.of(branch, value, len(keys)) for branch in branches]
                    if EXACT in fits or not fits:
                        continue
                    meant = (
                        branches[fits.index(ROUND)]
                        if ROUND in fits
                        else union.intended_branch(value)
                    )
                if meant is None:
                    undecided.append(branches)
                else:
                    queue += meant.parts
        return place.outline.place_of(tuple(found)), undecided

    def _members(self, meant: Place, value: JsonObject, keys: Keys) -> JsonObject:
        changed: dict[str, JsonValue] | None = None
        for name, inner in value.items():
            place = meant.inside(name) if type(name) is str else None
            if place is None or self._is_right(place, inner, keys):
                continue
            below = (*keys, name)
            if inner is None and self._absent(meant, place, name, below):
                self._note("absent", None, None, below)
                changed = dict(value) if changed is None else changed
                del changed[name]
                continue
            result = self.repaired(place, inner, below)
            if result is not inner:
                changed = dict(value) if changed is None else changed
                changed[name] = result
        return value if changed is None else changed

    def _absent(self, meant: Place, place: Place, name: str, keys: Keys) -> bool:
        """Return whether null was written for an optional property that does not take it."""
        declared = any(name in part.declared for part in meant.parts)
        required = any(name in part.required for part in meant.parts)
        return declared and not required and self._fit(place, None, keys) == NOT

    def _items(
        self, meant: Place, items: list[JsonValue], value: JsonValue, keys: Keys
    ) -> JsonValue:
        changed = False
        first = max((len(part.items[0]) for part in meant.parts), default=0)
        rest = meant.inside(first)
        test = self._test(rest)
        for index, inner in enumerate(items):
            if test and index >= first and test(inner):
                continue
            place = meant.inside(index) if index < first else rest
            result = self.value(place, inner, (*keys, index))
            if result is not inner:
                changed = True
                items[index] = result
        return items if changed else value

    def _once(self, parts: tuple[Part, ...], value: JsonValue, keys: Keys) -> JsonValue:
        """Return an array without what is in it twice, if it is a set."""
        if not (
            self._sets and isinstance(value, list) and any(is_set(part.rules) for part in parts)
        ):
            return value
        twice = repeats(value)
        for index in twice:
            self._note("repeated", value[index], None, (*keys, index))
        again = frozenset(twice)
        kept = [item for index, item in enumerate(value) if index not in again]
        return kept if twice else value

    def _tried(self, place: Place, branches: list[Part], value: JsonValue, keys: Keys) -> JsonValue:
        """Return the value as the one branch wants it that can be made to fit with least repair."""
        kind = json_type(value)
        taking = [branch for branch in branches if kind in branch.types]
        found: list[tuple[list[Repair], JsonValue]] = []
        for branch in taking if taking and isinstance(value, dict | list) else branches:
            trial = (branch, id(value))
            if self._trials <= 0 or trial in self._active:
                continue
            self._trials -= 1
            self._active.add(trial)
            mark = len(self.repairs)
            result = self.value(place.outline.place_of((branch,)), value, keys)
            self._active.discard(trial)
            made = self._undone(mark)
            if made and self._fit(place, result, keys) == EXACT:
                found.append((made, result))
        found.sort(key=lambda each: len(each[0]))
        rivals = [r for made, r in found[1:] if len(made) == len(found[0][0])]
        if not found or not all(equal(found[0][1], rival) for rival in rivals):
            return value
        self.repairs += found[0][0]
        return found[0][1]

    def _unwrapped(self, place: Place, value: JsonObject, keys: Keys) -> JsonValue:
        """Return what an object with the one key `arguments`, or the like, holds, if that fits."""
        name = next(iter(value), "")
        if len(value) != 1 or name not in WRAPPERS:
            return value
        if any(name in part.declared for part in place.possible.parts):
            return value
        mark = len(self.repairs)
        inner = value[name]
        self._note("unwrapped", value, inner, keys)
        result = self._moved(place, inner, keys)
        if isinstance(result, dict) and self._fit(place, result, keys) == EXACT:
            return result
        self._undone(mark)
        return value

    def _wrapped(self, place: Place, value: JsonValue, keys: Keys) -> JsonValue:
        """Return an array of this one value, if an array is wanted and that one fits."""
        if value is None or value == "" or self._wraps >= _MOST_WRAPS:
            return value
        if "array" not in place.types or json_type(value) in place.types:
            return value
        mark = len(self.repairs)
        self._note("item", value, [value], keys)
        self._wraps += 1
        items = place.inside(0)
        wrapped = [self._moved(items, value, (*keys, 0))]
        self._wraps -= 1
        short = all(_least(part.rules) <= 1 for part in place.parts)
        if short and self._fit(place, wrapped, keys) == EXACT:
            return wrapped
        self._undone(mark)
        return value

    def _moved(self, place: Place, value: JsonValue, keys: Keys) -> JsonValue:
        """Return a value as it is wanted at a place where it did not stand.

        Compiled tests take `42.0` for an integer, and whether such floats are in it where integers
        are wanted was asked of the place where it stood.
        """
        tests, self._tests = self._tests, None
        result = self.value(place, value, keys)
        self._tests = tests
        return result

    def _note(self, kind: str, before: JsonValue, after: JsonValue, keys: Keys) -> None:
        path = Path.of(keys)
        self._paths -= len(path)
        if self._paths < 0:
            raise TooMuch
        self.repairs.append(Repair(path=path, kind=kind, before=before, after=after))

    def _undone(self, mark: int) -> list[Repair]:
        made = self.repairs[mark:]
        del self.repairs[mark:]
        return made


def _all_of(tests: list[ValueTest | None]) -> ValueTest | None:
    if len(tests) == 1:  # which it nearly always is
        return tests[0]
    known = [test for test in tests if test is not None]
    return None if len(known) < len(tests) else lambda value: all(test(value) for test in known)


def _constants(place: Place) -> dict[str, JsonValue]:
    """Return the constants that are listed anywhere for a place, by a text that says them.

    A text says itself; `x-enum-varnames` has a name for each value of an `enum`.
    """
    found: dict[str, JsonValue] = {}
    for part in place.possible.parts:
        values, names = listed_values(part.rules) or (), part.rules.get("x-enum-varnames")
        named = zip(names, values, strict=False) if isinstance(names, list) else ()
        found |= {name: value for name, value in named if isinstance(name, str)}
        found |= {value: value for value in values if isinstance(value, str)}
    return found


def _may_move(place: Place, value: JsonObject) -> bool:
    """Return whether an object may be a wrapper, or may be meant as the item of an array."""
    if len(value) == 1 and next(iter(value)) in WRAPPERS:
        return True
    return "array" in place.types and "object" not in place.types


def _least(schema: JsonSchema) -> int:
    least = schema.get("minItems")
    return least if isinstance(least, int) else 0
