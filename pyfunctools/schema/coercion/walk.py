"""One value on its way through one schema: how `coerce` gets at what it must have meant."""

from collections.abc import Collection, Iterator
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
    Outlines,
    TooDeep,
    is_set,
    repeats,
)
from pyfunctools.schema.ground.equality import equal
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.outline.places import Parts, Places, Schemas, Tests, items_of
from pyfunctools.schema.outline.shape import listed_values, schemas_of, type_of
from pyfunctools.schema.outline.unions import Unions
from pyfunctools.schema.result import Repair
from pyfunctools.schema.vocabulary import UNIONS

_MOST_VALUES = 1_000_000
_MOST_TRIALS = 256
_MOST_PATHS = 16 << 20
"""What is done at most for one value; one that takes more is given as it is."""
_MOST_WRAPS = 3
"""Arrays of one item inside each other that are put around one value."""


class Learned:
    """What is found out about a schema while values are coerced, for the values that follow.

    May be used by several threads: what two of them find out at once is kept once.
    """

    __slots__ = ("outlines", "places", "root", "sets", "unions")

    def __init__(self, root: JsonSchema, *, sets: bool = False) -> None:
        self.root = root
        self.sets = sets
        self.places = Places(root)
        self.unions = Unions(root)
        self.outlines: Outlines = {}


class Coercion:
    """One value on its way through one schema.

    With `tests` a container is taken to be right if its own test says so; see `Coercer.coerce`.
    """

    def __init__(
        self, root: JsonSchema, learned: Learned | None = None, tests: Tests | None = None
    ) -> None:
        known = Learned(root) if learned is None else learned
        self._root = root
        self._places = known.places
        self._fitting = Fitting(known.places, known.outlines, sets=known.sets)
        self._sets = known.sets
        self._unions = known.unions
        self._tests = tests
        self._values = _MOST_VALUES
        self._trials = _MOST_TRIALS
        self._paths = _MOST_PATHS
        self._wraps = 0
        self._active: set[tuple[int, int]] = set()
        self.repairs: list[Repair] = []

    def value(self, schemas: Schemas, value: JsonValue, keys: Keys) -> JsonValue:
        """Return the value as all of the schemas want it.

        Raises:
            TooDeep: it is nested too deep, or there is too much of it.
        """
        self._values -= 1
        if self._values < 0 or len(keys) > MAX_DEPTH:
            raise TooDeep
        if isinstance(value, dict | list):
            if self._is_right(schemas, value, keys):
                return value
            return self._container(schemas, self._places.parts(*schemas), value, keys)
        if self._fit(schemas, value, keys) == EXACT:
            return value
        parts = self._places.parts(*schemas)
        types = self._places.types(parts)
        for kind, candidate in meanings(value, types, self._listed(schemas)):
            listed = kind == "string" and self._fit(schemas, [value], keys) == EXACT
            if not listed and self._fit(schemas, candidate, keys) == EXACT:
                self._note(kind, value, candidate, keys)
                return candidate
        if isinstance(value, str) and not types.isdisjoint(("object", "array")):
            result = self._read(schemas, parts, value, keys)
            if result is not value:
                return result
        for branches in _unions(parts):
            result = self._tried(schemas, branches, value, keys)
            if result is not value:
                return result
        return self._wrapped(schemas, parts, value, keys)

    def _is_right(self, schemas: Schemas, value: JsonObject | list[JsonValue], keys: Keys) -> bool:
        """Return whether nothing in a container needs repair.

        One that is refused for what no repair heals may be walked in vain: nothing comes of it.
        """
        for schema in schemas:
            test = self._tests(schema) if self._tests and isinstance(schema, dict) else None
            if test is None:
                if self._fitting.of(schema, value, len(keys)) != EXACT:
                    return False
            elif not test(value):
                return False
        return True

    def _fit(self, schemas: Schemas, value: JsonValue, keys: Keys) -> Fit:
        fit: Fit = EXACT
        for schema in schemas:
            fit = min(fit, self._fitting.of(schema, value, len(keys)))
        return fit

    def _listed(self, schemas: Schemas) -> dict[str, JsonValue]:
        """Return the constants that are listed anywhere for this place, by a text that says them.

        A text says itself; `x-enum-varnames` has a name for each value of an `enum`.
        """
        found: dict[str, JsonValue] = {}
        for part in self._places.anyhow(schemas):
            values, names = listed_values(part) or (), part.get("x-enum-varnames")
            named = zip(names, values, strict=False) if isinstance(names, list) else ()
            found |= {name: value for name, value in named if isinstance(name, str)}
            found |= {value: value for value in values if isinstance(value, str)}
        return found

    def _read(self, schemas: Schemas, parts: Parts, text: str, keys: Keys) -> JsonValue:
        """Return what a JSON text says, or the text itself where it says nothing that is wanted."""
        read = decoded(text, self._root, schemas)
        if read is None or type_of(read.value) not in self._places.types(parts):
            return text
        mark = len(self.repairs)
        self._note("json", text, read.value, keys)
        self.repairs += (replace(r, path=Path.of((*keys, *r.path.keys))) for r in read.repairs)
        tests, self._tests = self._tests, None  # nobody knows of the floats in it
        result = self.value(schemas, read.value, keys)
        self._tests = tests
        if isinstance(result, list) and not self._fit(schemas, result, keys):
            made = self._undone(mark)
            wrapped = self._wrapped(schemas, parts, text, keys)
            if wrapped is not text:
                return wrapped
            self.repairs += made
        return result

    def _container(
        self, schemas: Schemas, parts: Parts, value: JsonObject | list[JsonValue], keys: Keys
    ) -> JsonValue:
        mark = len(self.repairs)
        meant, undecided = self._branched(parts, value, keys)
        result: JsonValue
        if isinstance(value, dict):
            result = self._members(meant, value, keys)
        else:
            result = self._once(meant, self._items(meant, list(value), value, keys), keys)
        for branches in undecided:
            if self._fit(schemas, result, keys) == NOT:
                result = self._tried(schemas, branches, result, keys)
        if not isinstance(value, dict) or not self._may_move(parts, value):
            return result
        if self._fit(schemas, result, keys) != NOT:
            return result
        made = self._undone(mark)
        for other in (self._unwrapped, self._wrapped):
            found = other(schemas, parts, value, keys)
            if found is not value:
                return found
        self.repairs += made
        return result

    def _may_move(self, parts: Parts, value: JsonObject) -> bool:
        """Return whether an object may be a wrapper, or may be meant as the item of an array."""
        if len(value) == 1 and next(iter(value)) in WRAPPERS:
            return True
        types = self._places.types(parts)
        return "array" in types and "object" not in types

    def _branched(
        self, parts: Parts, value: JsonValue, keys: Keys
    ) -> tuple[Parts, list[list[JsonSchema | bool]]]:
        """Return the parts with the branches that were meant, and the unions that leave it open."""
        found: dict[int, JsonSchema] = {}
        undecided: list[list[JsonSchema | bool]] = []
        queue = list(parts)
        while queue:
            part = queue.pop(0)
            if id(part) in found:
                continue
            found[id(part)] = part
            for keyword in UNIONS:
                if keyword not in part:
                    continue
                branches = schemas_of(part[keyword])
                fits = [self._fitting.of(branch, value, len(keys)) for branch in branches]
                if ROUND in fits and EXACT not in fits:
                    queue.extend(self._places.parts(branches[fits.index(ROUND)]))
                elif branches and EXACT not in fits:
                    meant = self._unions.meant(part, value, keyword)
                    if meant is None:
                        undecided.append(branches)
                    else:
                        queue.extend(self._places.parts(_branch(part, meant)))
        return tuple(found.values()), undecided

    def _members(self, parts: Parts, value: JsonObject, keys: Keys) -> JsonObject:
        changed: dict[str, JsonValue] | None = None
        for name, inner in value.items():
            schemas = self._places.inside(parts, name) if type(name) is str else []
            if not schemas:
                continue
            place = (*keys, name)
            if inner is None and self._absent(parts, schemas, name, place):
                self._note("absent", None, None, place)
                changed = dict(value) if changed is None else changed
                del changed[name]
                continue
            result = self.value(schemas, inner, place)
            if result is not inner:
                changed = dict(value) if changed is None else changed
                changed[name] = result
        return value if changed is None else changed

    def _absent(self, parts: Parts, schemas: Schemas, name: str, place: Keys) -> bool:
        """Return whether null was written for an optional property that does not take it."""
        declared = any(name in _names(part, "properties") for part in parts)
        required = any(name in _names(part, "required") for part in parts)
        return declared and not required and self._fit(schemas, None, place) == NOT

    def _items(
        self, parts: Parts, items: list[JsonValue], value: JsonValue, keys: Keys
    ) -> JsonValue:
        changed = False
        first = max((len(items_of(part)[0]) for part in parts), default=0)
        rest = self._places.inside(parts, first)
        for index, inner in enumerate(items):
            schemas = rest if index >= first else self._places.inside(parts, index)
            result = self.value(schemas, inner, (*keys, index)) if schemas else inner
            if result is not inner:
                changed = True
                items[index] = result
        return items if changed else value

    def _once(self, parts: Parts, value: JsonValue, keys: Keys) -> JsonValue:
        """Return an array without what is in it twice, if it is a set."""
        if not (self._sets and isinstance(value, list) and any(map(is_set, parts))):
            return value
        twice = repeats(value)
        for index in twice:
            self._note("repeated", value[index], None, (*keys, index))
        again = frozenset(twice)
        kept = [item for index, item in enumerate(value) if index not in again]
        return kept if twice else value

    def _tried(
        self, schemas: Schemas, branches: Schemas, value: JsonValue, keys: Keys
    ) -> JsonValue:
        """Return the value as the one branch wants it that can be made to fit with least repair."""
        kind = type_of(value)
        taking = [b for b in branches if kind in self._places.types(self._places.parts(b))]
        found: list[tuple[list[Repair], JsonValue]] = []
        for branch in taking if taking and isinstance(value, dict | list) else branches:
            trial = (id(branch), id(value))
            if self._trials <= 0 or trial in self._active:
                continue
            self._trials -= 1
            self._active.add(trial)
            mark = len(self.repairs)
            result = self.value([branch], value, keys)
            self._active.discard(trial)
            made = self._undone(mark)
            if made and self._fit(schemas, result, keys) == EXACT:
                found.append((made, result))
        found.sort(key=lambda each: len(each[0]))
        rivals = [r for made, r in found[1:] if len(made) == len(found[0][0])]
        if not found or not all(equal(found[0][1], rival) for rival in rivals):
            return value
        self.repairs += found[0][0]
        return found[0][1]

    def _unwrapped(
        self, schemas: Schemas, parts: Parts, value: JsonObject, keys: Keys
    ) -> JsonValue:
        """Return what an object with the one key `arguments`, or the like, holds, if that fits."""
        name = next(iter(value), "")
        if len(value) != 1 or name not in WRAPPERS:
            return value
        if any(name in _names(part, "properties") for part in self._places.anyhow(schemas)):
            return value
        mark = len(self.repairs)
        inner = value[name]
        self._note("unwrapped", value, inner, keys)
        result = self.value(schemas, inner, keys)
        if isinstance(result, dict) and self._fit(schemas, result, keys) == EXACT:
            return result
        self._undone(mark)
        return value

    def _wrapped(self, schemas: Schemas, parts: Parts, value: JsonValue, keys: Keys) -> JsonValue:
        """Return an array of this one value, if an array is wanted and that one fits."""
        types = self._places.types(parts)
        if value is None or value == "" or self._wraps >= _MOST_WRAPS or "array" not in types:
            return value
        if type_of(value) in types:
            return value
        mark = len(self.repairs)
        self._note("item", value, [value], keys)
        self._wraps += 1
        items = self._places.inside(parts, 0)
        wrapped = [self.value(items, value, (*keys, 0)) if items else value]
        self._wraps -= 1
        short = all(_least(part) <= 1 for part in parts)
        if short and self._fit(schemas, wrapped, keys) == EXACT:
            return wrapped
        self._undone(mark)
        return value

    def _note(self, kind: str, before: JsonValue, after: JsonValue, keys: Keys) -> None:
        path = Path.of(keys)
        self._paths -= len(path)
        if self._paths < 0:
            raise TooDeep
        self.repairs.append(Repair(path=path, kind=kind, before=before, after=after))

    def _undone(self, mark: int) -> list[Repair]:
        made = self.repairs[mark:]
        del self.repairs[mark:]
        return made


def _unions(parts: Parts) -> Iterator[list[JsonSchema | bool]]:
    for part in parts:
        for keyword in UNIONS:
            if keyword in part:
                yield schemas_of(part[keyword])


def _names(schema: JsonSchema, keyword: str) -> Collection[JsonValue]:
    names = schema.get(keyword)
    return names if isinstance(names, dict | list) else ()


def _branch(schema: JsonSchema, meant: tuple[str, int]) -> JsonSchema | bool:
    branches = schema[meant[0]]
    branch = branches[meant[1]] if isinstance(branches, list) else True
    return branch if isinstance(branch, dict | bool) else True


def _least(schema: JsonSchema) -> int:
    least = schema.get("minItems")
    return least if isinstance(least, int) else 0
