"""What a schema says about the places in a value, each part of it read once and by whoever asks.

    Outline({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "integer"}}})
        .place                the root: nothing but the whole schema is stated for it
        .inside("a")          the place of `a`: the `$ref` is stated for it ...
            .parts            ... and what holds there is the definition
            .types            {"integer"}

A `Part` is a subschema where it stands. A `Place` is a place in values, with
all parts that are stated for it. Both are found again as the same objects, so that what is read of
one is kept with it, and no schema is looked up by its identity.
"""

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import Final, TypeAlias, TypeVar, cast

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.path import Keys, array_index
from pyfunctools.schema.ground.references import MAX_HOPS, NON_CONSTRAINING, steps_of
from pyfunctools.schema.outline.json_types import (
    ALL_TYPES,
    listed_values,
    texts_of,
    type_of,
    types_named,
)
from pyfunctools.schema.vocabulary import UNIONS

T = TypeVar("T")

Test: TypeAlias = Callable[[JsonValue], bool]
"""A part of a schema, compiled: true of a value that is right."""
Tests: TypeAlias = Callable[[Keys], Test | None]
"""Where the compiled test of a part is found, by the steps to it; see `Validator.test_of`."""

NUMBERS: Final = frozenset({"number", "integer"})
"""The types of numbers."""

_NESTING = 8
"""Unions inside each other that are looked into."""
_MOST = 2_000
"""Schemas that one place may have."""
_MOST_PLACES = 10_000
"""Places that are kept: values choose which branches of unions are looked at together."""


class Outline:
    """The parts and the places of one schema, which must not change.

    May be used by several threads: what two of them read at once is kept once.
    """

    def __init__(self, schema: JsonSchema | bool) -> None:
        self.schema = schema
        self._parts: dict[Keys, Part | None] = {}
        self._places: dict[tuple[Part, ...], Place] = {}
        self.root = Part(self, (), schema)
        self._parts[()] = self.root

    @property
    def place(self) -> "Place":
        """The place of a whole value."""
        return self.placed((self.root,))

    def placed(self, stated: "tuple[Part, ...]") -> "Place":
        """Return the place for which these parts are stated."""
        known = self._places.get(stated)
        if known is None:
            if len(self._places) >= _MOST_PLACES:
                self._places.clear()
            known = self._places.setdefault(stated, Place(self, stated))
        return known

    def at(self, keys: Keys, start: "Part | None" = None) -> "Part | None":
        """Return the part at these steps, from the root or another part, or `None` where none is.

        The steps may be those of a reference, in which the index of an item is a text.
        """
        begun = self.root.keys if start is None else start.keys
        whole = begun + keys
        if whole in self._parts:
            return self._parts[whole]
        value: JsonValue = self.schema if start is None else start.schema
        found = [*begun]
        for key in keys:
            index = array_index(key, len(value)) if isinstance(value, list) else None
            if isinstance(value, dict) and key in value:
                value = value[str(key)]
            elif isinstance(value, list) and index is not None:
                value = value[index]
            else:
                return self._parts.setdefault(whole, None)
            found.append(key if index is None else index)
        part = None
        if isinstance(value, dict | bool):
            exact = tuple(found)
            part = self._parts.get(exact) or self._parts.setdefault(exact, Part(self, exact, value))
        return self._parts.setdefault(whole, part)

    def target(self, reference: JsonValue) -> "Part | None":
        """Return the part that a reference leads to, or `None` where that is not in this schema."""
        steps = steps_of(reference) if isinstance(reference, str) else None
        return None if steps is None else self.at(steps)


class Part:
    """One subschema where it stands; equal to none but itself.

    `keys` are the steps to it from the root, `rules` its keywords, none of a boolean.
    """

    def __init__(self, outline: Outline, keys: Keys, schema: JsonSchema | bool) -> None:
        self.outline = outline
        self.keys = keys
        self.schema = schema
        self.rules: JsonSchema = schema if isinstance(schema, dict) else {}
        self._read: dict[object, object] = {}
        self._listed: dict[str, list[Part]] = {}

    def read(self, what: "Callable[[Part], T]") -> T:
        """Return the answer of a function about this part: it is asked once, and that is kept."""
        if what not in self._read:
            self._read[what] = what(self)
        return cast("T", self._read[what])

    def below(self, *steps: str | int) -> "Part | None":
        """Return the part at these steps below, or `None` where no schema stands."""
        return self.outline.at(steps, self)

    def listed(self, keyword: str) -> "list[Part]":
        """Return the parts in the list of a keyword, those of a union or of `allOf`."""
        if keyword not in self._listed:
            listed = self.rules.get(keyword)
            parts = map(partial(self.below, keyword), range(_length(listed)))
            self._listed[keyword] = [part for part in parts if part is not None]
        return self._listed[keyword]

    @cached_property
    def declared(self) -> "dict[str, Part]":
        """The parts of `properties`."""
        named = self.rules.get("properties")
        names = list(named) if isinstance(named, dict) else []
        found = ((name, self.below("properties", name)) for name in names)
        return {name: part for name, part in found if part is not None}

    @cached_property
    def required(self) -> list[str]:
        """The names of `required`."""
        return texts_of(self.rules.get("required"))

    @cached_property
    def items(self) -> "tuple[list[Part], Part | None]":
        """The parts of an array's first items, and that of all others, if it has any."""
        if isinstance(self.rules.get("items"), list):  # up to draft 2019-09
            return self.listed("items"), self.below("additionalItems")
        return self.listed("prefixItems"), self.below("items")

    @cached_property
    def rest(self) -> "Part | None":
        """The part of `additionalProperties`."""
        return self.below("additionalProperties")

    def stated(self, key: str | int) -> "list[Part]":
        """Return the parts that the own keywords state for a property or an item."""
        if isinstance(key, int):
            front, rest = self.items
            part = front[key] if key < len(front) else rest
            return [] if part is None else [part]
        found = [self.declared[key]] if key in self.declared else []
        sure = True
        patterns = self.rules.get("patternProperties")
        for pattern in patterns if isinstance(patterns, dict) else ():
            fits = matches(pattern, key)
            sure = sure and fits is not None
            if fits and (part := self.below("patternProperties", pattern)) is not None:
                found.append(part)
        if not found and sure and self.rest is not None:
            found.append(self.rest)
        return found

    def followed(self) -> "Iterator[Part]":
        """Yield this part and what it refers to, reference after reference."""
        part: Part | None = self
        for _ in range(MAX_HOPS):
            if part is None:
                return
            yield part
            part = self.outline.target(part.rules.get("$ref"))

    @cached_property
    def resolved(self) -> "Part | None":
        """What a mere reference refers to, this part itself where it says more.

        `None` where the reference cannot be followed: then nothing is known.
        """
        for part in self.followed():
            if "$ref" not in part.rules or not NON_CONSTRAINING.issuperset(part.rules):
                return part
        return None

    @cached_property
    def target(self) -> "Part | None":
        """What the `$ref` refers to, whatever stands beside it; `None` where nothing is known."""
        part = self.outline.target(self.rules["$ref"]) if "$ref" in self.rules else None
        return None if part is None else part.resolved

    @cached_property
    def parts(self) -> "tuple[Part, ...]":
        """What holds together where this part does; unions are left as they are."""
        found: dict[Part, None] = {}
        queue: list[Part | None] = [self]
        seen: set[Part] = set()
        for part in queue:  # grows while it is read
            if part is None or part in seen or len(seen) >= _MOST:
                continue
            seen.add(part)
            if "$ref" in part.rules and part.resolved is not part:
                queue.append(part.resolved)
                continue
            if part.schema is not True:
                found[part] = None
            queue.append(part.target)
            queue += part.listed("allOf")
        return tuple(found)

    @property
    def types(self) -> frozenset[str]:
        """The types that a value may have, by all that holds here; see `Place.types`."""
        return self.read(_TYPES[0])

    @cached_property
    def own_types(self) -> frozenset[str]:
        """The types that a value may have by the part's own keywords."""
        if self.schema is False:
            return frozenset()
        names = types_named(self.rules)
        types = ALL_TYPES if names is None else frozenset(names)
        types |= {"integer"} if "number" in types else frozenset[str]()
        values = listed_values(self.rules)
        return types if values is None else types & frozenset(map(type_of, values))


def _types(part: Part, depth: int) -> frozenset[str]:
    types = ALL_TYPES
    for each in part.parts:
        types &= each.own_types
        for keyword in UNIONS if depth < _NESTING else ():
            if keyword in each.rules:
                branches = each.listed(keyword)
                below = _TYPES[depth + 1]
                types &= frozenset[str]().union(*(branch.read(below) for branch in branches))
    return types


_TYPES = [partial(_types, depth=depth) for depth in range(_NESTING + 1)]


class Place:
    """A place in values, and the parts of the schema that are stated for it."""

    def __init__(self, outline: Outline, stated: tuple[Part, ...]) -> None:
        self.outline = outline
        self.stated = stated

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What holds together here: references followed, `allOf` spread, unions left as they
        are.
        """
        return tuple(dict.fromkeys(chain.from_iterable(part.parts for part in self.stated)))

    @cached_property
    def unions(self) -> "list[tuple[Part, str]]":
        """The parts that hold here and have a union, with its keyword."""
        return [
            (part, keyword) for part in self.parts for keyword in UNIONS if keyword in part.rules
        ]

    @cached_property
    def types(self) -> frozenset[str]:
        """The types that a value may have here.

        Only what a validator would refuse is left out, so a schema without `type` has them all.
        """
        return ALL_TYPES.intersection(*(part.types for part in self.stated))

    @cached_property
    def named(self) -> frozenset[str]:
        """The types that any of the parts names; one that has them all names none."""
        named = [part.types for part in self.stated if part.types != ALL_TYPES]
        return frozenset[str]().union(*named)

    @cached_property
    def anyhow(self) -> tuple[Part, ...]:
        """What may hold here, by any branch of any union."""
        found: dict[Part, None] = {}
        queue = list(self.parts)
        for part in queue:  # grows while it is read
            if part not in found and len(found) < _MOST:
                found[part] = None
                for keyword in UNIONS:
                    queue += chain.from_iterable(branch.parts for branch in part.listed(keyword))
        return tuple(found)

    def inside(self, key: str | int) -> "Place":
        """Return the place of a property or an item, by what holds here."""
        return self._certain.at(key)

    def anyhow_inside(self, key: str | int) -> "Place":
        """Return the place of a property or an item, by what may hold here."""
        return self._possible.at(key)

    @cached_property
    def _certain(self) -> "_Inside":
        return _Inside(self.outline, self.parts)

    @cached_property
    def _possible(self) -> "_Inside":
        return _Inside(self.outline, self.anyhow)

    @cached_property
    def is_textual(self) -> bool:
        """Whether a string is wanted here, and no number."""
        return "string" in self.named and self.named.isdisjoint(NUMBERS)

    @cached_property
    def is_counting(self) -> bool:
        """Whether any of the parts takes an integer, and no other number."""
        return any("integer" in p.types and "number" not in p.types for p in self.stated)

    def has_textual(self, value: JsonValue) -> bool:
        """Return whether a float stands in a value where a string is wanted and no number.

        `1.10` was written there as a string is, and has lost its zero.
        """
        return self._any(value, lambda place, _: place.is_textual)

    def has_whole(self, value: JsonValue) -> bool:
        """Return whether a whole number stands as a float (`42.0`) where an integer may be wanted.

        If a value is right and has none, `coerce` gives it as it is.
        """
        return self._any(value, lambda place, number: number.is_integer() and place.is_counting)

    def _any(self, value: JsonValue, wrong: "Callable[[Place, float], bool]") -> bool:
        stack: list[tuple[Place, JsonValue]] = [(self, value)]
        seen: set[tuple[Place, int]] = set()
        while stack:
            place, outer = stack.pop()
            if isinstance(outer, float):
                if wrong(place, outer):
                    return True
                continue
            # What is held twice is looked through once, even if it holds itself.
            if (place, id(outer)) in seen:
                continue
            seen.add((place, id(outer)))
            members = outer.items() if isinstance(outer, dict) else ()
            members = enumerate(outer) if isinstance(outer, list) else members
            for key, inner in members:
                kind = type(inner)
                if kind is float or kind is dict or kind is list:
                    stack.append((place.anyhow_inside(key), inner))
        return False


class _Inside:
    """The places inside one, by what some parts state for it.

    Names that are not declared share one place, and so do all items but the first few.
    """

    def __init__(self, outline: Outline, parts: tuple[Part, ...]) -> None:
        self._outline = outline
        self._parts = parts
        self._names = frozenset(chain.from_iterable(part.declared for part in parts))
        self._rows = max((len(part.items[0]) for part in parts), default=0)
        self._has_patterns = any(part.rules.get("patternProperties") for part in parts)
        self._known: dict[str | int | None, Place] = {}

    def at(self, key: str | int) -> Place:
        """Return the place of a property or an item."""
        shared: str | int | None
        if isinstance(key, int):
            shared = min(key, self._rows)
        else:
            shared = key if key in self._names else None
        found = self._known.get(shared)
        if found is None:
            stated = tuple([inner for part in self._parts for inner in part.stated(key)])
            found = self._outline.placed(stated)
            if shared is not None or not self._has_patterns:
                self._known[shared] = found
        return found


def _length(value: JsonValue) -> int:
    return len(value) if isinstance(value, list) else 0


def matches(pattern: str, text: str) -> bool | None:
    """Return whether a pattern is found in a text.

    `None` where nobody can say in linear time, or the text is none that UTF-8 could say, or merely
    equals one.
    """
    search = _search(pattern)
    try:
        return None if search is None else search(text)
    except ValueError:
        return None


@lru_cache(maxsize=1024)
def _search(pattern: str) -> Callable[[str], bool] | None:
    # Python's own `re` can be made to backtrack for hours by a hostile schema.
    from jsonschema_rs import Draft202012Validator, RegexOptions, ValidationError

    try:
        checker = Draft202012Validator({"pattern": pattern}, pattern_options=RegexOptions())
    except ValidationError:
        return None
    return checker.is_valid
