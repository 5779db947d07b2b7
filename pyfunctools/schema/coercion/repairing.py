"""The repairs of one value by one schema, for `coerce`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Final

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.schema.coercion.match import EXACT, WHOLE_FLOAT, match_of, test_of
from pyfunctools.schema.ground.call_keys import ANY_ARGUMENT_KEYS
from pyfunctools.schema.ground.json_values import DEPTH, deeper_than, equal
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.outline.json_types import json_type
from pyfunctools.schema.outline.outline import Part, Place
from pyfunctools.schema.outline.unions import union_of
from pyfunctools.schema.parsing.parse import parse_at
from pyfunctools.schema.parsing.scalars import (
    SPACE,
    WORDS,
    digits_of,
    integer_from,
    number_from,
)
from pyfunctools.schema.result import Repair, Success
from pyfunctools.schema.vocabulary import NUMBERS, UNIONS

WRAPPERS: Final = frozenset({*ANY_ARGUMENT_KEYS, "data", "payload", "properties"}) - {
    *("action_input", "partial_json", "toolInput")
}
"""Keys of objects that models put around the arguments."""

_JSON = ("{", "[", '"', "`", "~")
"""The first characters of JSON in a string: of a bracket, a quote or a fence."""
_GUESSED = frozenset({"prose", "rest", "truncated"})
"""Repairs after which a string counts as prose, not as JSON.

So does a string with an opening bracket only: `[`.
"""


def meanings(
    value: JsonValue, types: frozenset[str], constants: Mapping[str, JsonValue]
) -> list[tuple[str, JsonValue]]:
    """Return the kind of repair and the value for each meaning of a scalar, the likeliest first.

    `constants` are the values that a place lists, each by the string that stands for it.
    """
    found: list[tuple[str, JsonValue]] = []
    if isinstance(value, str):
        if constants and (name := _closest(value, constants)) is not None:
            found.append(("constant", constants[name]))
        kind, meant = WORDS.get(value.strip(SPACE).lower(), ("", None))
        if kind in types:
            found.append((kind, meant))
        if not types.isdisjoint(NUMBERS):
            numbers = [integer_from(value), number_from(value)]
            numbers = reversed(numbers) if "." in value else numbers
            found += [("number", number) for number in numbers if number is not None]
    elif isinstance(value, float) and value.is_integer():
        found.append(("integer", int(value)))
    elif isinstance(value, int) and not isinstance(value, bool) and "string" in types:
        text = digits_of(value)
        found += [] if text is None else [("string", text)]
    return found


def _closest(text: str, names: Mapping[str, JsonValue]) -> str | None:
    """Return the only name that equals a text but for the space around it, or also but for case."""
    for fold in (str, str.casefold):
        found = [name for name in names if fold(name.strip()) == fold(text.strip())]
        if len(found) == 1:
            return found[0]
    return None


def parsed(text: str, place: Place) -> Success[JsonValue] | None:
    """Return the object or array that a string contains as JSON, encoded once or several times."""
    repairs: tuple[Repair, ...] = ()
    value: JsonValue = text
    while isinstance(value, str):
        if value.lstrip()[:1] not in _JSON:
            return None
        result = parse_at(value, lambda: place)
        kinds = {repair.kind for repair in result.repairs}
        if not result or kinds & _GUESSED or ("closer" in kinds and not result.value):
            return None
        value, repairs = result.value, (*repairs, *result.repairs)
    return Success(value=value, repairs=repairs) if isinstance(value, dict | list) else None


_MOST_VALUES = 1_000_000
"""The most parts of one value that are repaired; a value with more is returned unchanged."""
_MOST_TRIALS = 256
"""The most branches of unions that are tried for one value; further ones are skipped."""
_MOST_PATHS = 16 << 20
"""The most characters in the paths of all repairs; else the value is returned unchanged."""
_MOST_WRAPS = 3
"""The most arrays of one item that are put around one value."""


class TooMuch(Exception):  # noqa: N818 - a verdict, which never leaves the engine
    """The value is nested deeper than arguments may be, or too large."""


@dataclass(slots=True, kw_only=True)
class Coercion:
    """Repairs one value, by one schema; `repairs` lists the changes.

    Without `floats` the value has no float such as `42.0`.
    """

    floats: bool
    repairs: list[Repair] = field(default_factory=list[Repair])
    _values: int = _MOST_VALUES
    _trials: int = _MOST_TRIALS
    _paths: int = _MOST_PATHS
    _wraps: int = 0
    _active: set[tuple[Part, int]] = field(default_factory=set[tuple[Part, int]])

    def coerced(self, place: Place, value: JsonValue, keys: Keys) -> JsonValue:
        """Return the value of a place, repaired if it is not valid.

        Raises:
            TooMuch: it is nested too deep, or too large.
        """
        if match_of(place, value, floats=self.floats) == EXACT:
            return value
        self._values -= 1
        if self._values < 0 or len(keys) > DEPTH:
            raise TooMuch
        if isinstance(value, (dict, list)):
            return self._container(place, value, keys)
        for kind, meant in meanings(value, place.types, place.constants):
            is_item = kind == "string" and match_of(place, [value]) == EXACT
            if not is_item and match_of(place, meant) == EXACT:
                self._note(kind, value, meant, keys)
                return meant
        if isinstance(value, str) and not place.types.isdisjoint(("object", "array")):
            result = self._from_json(place, value, keys)
            if result is not value:
                return result
        for part, keyword in place.unions:
            result = self._by_branch(place, part.branches(keyword), value, keys)
            if result is not value:
                return result
        return self._wrapped(place, value, keys)

    def _from_json(self, place: Place, text: str, keys: Keys) -> JsonValue:
        """Return the value of a JSON text, or the text itself if the value has an unwanted type."""
        result = parsed(text, place)
        if result is None or json_type(result.value) not in place.types:
            return text
        if deeper_than(result.value, DEPTH - len(keys)):
            raise TooMuch
        self.floats = True
        self._note("json", text, result.value, keys)
        for repair in result.repairs:
            self.repairs.append(replace(repair, path=Path.of((*keys, *repair.path.keys))))
        return self.coerced(place, result.value, keys)

    def _container(
        self, place: Place, value: JsonObject | list[JsonValue], keys: Keys
    ) -> JsonValue:
        mark = len(self.repairs)
        chosen, open_unions = place, list[list[Part]]()
        if place.unions:
            chosen, open_unions = self._with_branches(place, value, keys)
        result: JsonValue
        if isinstance(value, Mapping):
            result = self._properties(chosen, value, keys)
        else:
            result = self._items(chosen, value, keys)
        for branches in open_unions:
            if not match_of(place, result, floats=False):
                result = self._by_branch(place, branches, result, keys)
        if not isinstance(value, dict) or match_of(place, result, floats=False):
            return result
        undone = self._undo(mark)
        for move in (self._unwrapped, self._by_titles, self._wrapped):
            moved = move(place, value, keys)
            if moved is not value:
                return moved
        self.repairs += undone
        return result

    def _with_branches(
        self, place: Place, value: JsonValue, keys: Keys
    ) -> tuple[Place, list[list[Part]]]:
        """Return the place with the union branches that were meant, and the undecided unions."""
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
                    places = map(place.outline.place_of, zip(branches))
                    fits = [match_of(each, value) for each in places]
                    if EXACT in fits or not fits:
                        continue
                    meant = (
                        branches[fits.index(WHOLE_FLOAT)]
                        if WHOLE_FLOAT in fits
                        else union.intended_branch(value)
                    )
                if meant is None:
                    undecided.append(branches)
                else:
                    queue += meant.parts
        return place.outline.place_of(tuple(found)), undecided

    def _properties(self, outer: Place, value: JsonObject, keys: Keys) -> JsonObject:
        changed: dict[str, JsonValue] = {}
        absent: set[str] = set()
        for name, inner in value.items():
            if type(name) is not str:
                continue
            place, below = outer.inside(name), (*keys, name)
            if inner is None and self._is_absent(outer, place, name, below):
                self._note("absent", None, None, below)
                absent.add(name)
                continue
            result = self.coerced(place, inner, below)
            if result is not inner:
                changed[name] = result
        if not absent:
            return {**value, **changed} if changed else value
        return {n: changed.get(n, inner) for n, inner in value.items() if n not in absent}

    def _is_absent(self, outer: Place, place: Place, name: str, keys: Keys) -> bool:
        """Return whether null was written for an optional property that does not allow it."""
        declared = any(name in part.declared for part in outer.parts)
        required = any(name in part.required for part in outer.parts)
        return declared and not required and not match_of(place, None, floats=False)

    def _items(self, outer: Place, value: list[JsonValue], keys: Keys) -> list[JsonValue]:
        changed = value
        first, test = outer.first_items, outer.inside(outer.first_items).cached(test_of)
        # `map` is the fastest way to ask for many items.
        fits = repeat(False) if self.floats else map(test, value)
        for index, (inner, is_right) in enumerate(zip(value, fits, strict=False)):
            if is_right and index >= first:
                continue
            result = self.coerced(outer.inside(index), inner, (*keys, index))
            if result is not inner:
                changed = list(value) if changed is value else changed
                changed[index] = result
        return changed

    def _by_branch(
        self, place: Place, branches: Sequence[Part], value: JsonValue, keys: Keys
    ) -> JsonValue:
        """Return the value repaired for the branch with the fewest repairs, if that is certain."""
        kind = json_type(value)
        if isinstance(value, (dict, list)):
            branches = [branch for branch in branches if kind in branch.types] or branches
        found: list[tuple[list[Repair], JsonValue]] = []
        for branch in branches:
            trial = (branch, id(value))
            if self._trials <= 0 or trial in self._active:
                continue
            self._trials -= 1
            self._active.add(trial)
            mark = len(self.repairs)
            result = self.coerced(place.outline.place_of((branch,)), value, keys)
            self._active.discard(trial)
            undone = self._undo(mark)
            if undone and match_of(place, result) == EXACT:
                found.append((undone, result))
        fewest = min((len(repairs) for repairs, _ in found), default=0)
        found = [each for each in found if len(each[0]) == fewest]
        if not found or not all(equal(found[0][1], result) for _, result in found):
            return value
        self.repairs += found[0][0]
        return found[0][1]

    def _unwrapped(self, place: Place, value: JsonObject, keys: Keys) -> JsonValue:
        """Return the object under an object's only key, such as `arguments`, if that matches."""
        name = next(iter(value), "")
        if len(value) != 1 or name not in WRAPPERS:
            return value
        if any(name in part.declared for part in place.possible.parts):
            return value
        mark = len(self.repairs)
        result = self._read_as("unwrapped", value[name], place, value, keys)
        if isinstance(result, dict):
            return result
        self._undo(mark)
        return value

    def _by_titles(self, place: Place, value: JsonObject, keys: Keys) -> JsonValue:
        """Return the items of a tuple that is written as an object of the titles of its items."""
        if "array" not in place.types:
            return value
        items = next((part.items[0] for part in place.parts if part.items[0]), list[Part]())
        titles = [str(item.rules.get("title", n)) for n, item in enumerate(items)]
        if not value or not value.keys() <= set(titles) or len(set(titles)) < len(titles):
            return value
        least = [n for part in place.parts if isinstance(n := part.rules.get("minItems"), int)]
        last = max([*least, *(titles.index(name) + 1 for name in value)])
        named = list(zip(titles, items, strict=True))[:last]
        # An item that can only be null is another side's, and has no title here.
        fills = [
            name in value or "default" in i.rules or i.types == frozenset({"null"})
            for name, i in named
        ]
        if not all(fills):
            return value
        listed = [value.get(name, item.rules.get("default")) for name, item in named]
        return self._read_as("named", listed, place, value, keys)

    def _wrapped(self, place: Place, value: JsonValue, keys: Keys) -> JsonValue:
        """Return an array with this value as its only item, if an array is wanted and matches."""
        if value is None or value == "" or self._wraps >= _MOST_WRAPS:
            return value
        if "array" not in place.types or json_type(value) in place.types:
            return value
        if isinstance(value, str) and value.lstrip()[:1] == "[":
            repairs = parse_at(value, lambda: place).repairs
            if any(repair.kind == "truncated" for repair in repairs):
                return value  # an array that was cut off
        least = [part.rules.get("minItems") for part in place.parts]
        if any(isinstance(each, int) and each > 1 for each in least):
            return value
        self._wraps += 1
        result = self._read_as("item", [value], place, value, keys)
        self._wraps -= 1
        return result

    def _read_as(
        self, kind: str, meant: JsonValue, place: Place, value: JsonValue, keys: Keys
    ) -> JsonValue:
        """Return what a value was probably meant as, repaired, or the value if that mismatches."""
        mark = len(self.repairs)
        self._note(kind, value, meant, keys)
        result = self.coerced(place, meant, keys)
        if match_of(place, result) == EXACT:
            return result
        self._undo(mark)
        return value

    def _note(self, kind: str, before: JsonValue, after: JsonValue, keys: Keys) -> None:
        path = Path.of(keys)
        self._paths -= len(path)
        if self._paths < 0:
            raise TooMuch
        self.repairs.append(Repair(path=path, kind=kind, before=before, after=after))

    def _undo(self, mark: int) -> list[Repair]:
        """Remove and return the repairs after the first `mark`."""
        undone = self.repairs[mark:]
        del self.repairs[mark:]
        return undone
