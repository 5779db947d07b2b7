"""The outline of a schema: its subschemas, and which of them apply to a place in a value.

    schema = {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "integer"}}}
    place = Outline(schema).place.inside("a")
    place.roots    the subschema of `a`: {"$ref": "#/$defs/A"}
    place.parts    all that applies there: {"type": "integer"}
    place.types    {"integer"}

A `Part` is a subschema. A `Place` is a place in values, with the parts that apply to it. An outline
makes each of them once, so results are cached on the object and never by the `id` of a schema.
"""

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, TypeVar

from pyfunctools._json import JsonSchema, JsonValue, items_of
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.references import MAX_HOPS, NON_CONSTRAINING, follow, steps_of
from pyfunctools.schema.outline.json_types import (
    ALL_TYPES,
    json_type,
    listed_values,
    schemas_by_name,
    texts_of,
    types_named,
)
from pyfunctools.schema.vocabulary import ALL_OF, NUMBERS, UNIONS

if TYPE_CHECKING:
    from jsonschema_rs import Validator

T = TypeVar("T")

ValueTest: TypeAlias = Callable[[JsonValue], bool]
"""A compiled part of a schema: a function that returns whether a value is valid."""

_NESTING = 8
"""How deep unions may be nested in unions; deeper unions are ignored."""
MOST_PARTS = 2_000
"""How many parts of one place are read."""
_MOST_PLACES = 10_000
"""How many places are cached; each choice of union branches that a value makes is one."""


class Outline:
    """The parts and places of one schema, which must not change afterwards. Thread-safe."""

    def __init__(self, schema: JsonSchema | bool) -> None:
        self.schema = schema
        self._parts: dict[Keys, Part] = {}
        self._places: dict[tuple[Part, ...], Place] = {}
        self.root = self.part((), schema)
        self.place = self.place_of((self.root,))
        """The place of a whole value."""

    def place_of(self, roots: "tuple[Part, ...]") -> "Place":
        """Return the place that these parts apply to."""
        place = self._places.get(roots)
        if place is None:
            if len(self._places) >= _MOST_PLACES:
                self._places.clear()
            place = self._places.setdefault(roots, Place(self, roots))
        return place

    def at(self, keys: Keys, start: "Part | None" = None) -> "Part | None":
        """Return the part at these keys below `start` or the root, or `None` if there is no schema.

        An index may be a string, as in a reference: `("anyOf", "1")`.
        """
        start = self.root if start is None else start
        whole = start.keys + keys
        if whole in self._parts:
            return self._parts[whole]
        found = follow(start.schema, keys)
        if found is None or not isinstance(found[0], (dict, bool)):
            return None
        return self._parts.setdefault(whole, self.part(start.keys + found[1], found[0]))

    def part(self, keys: Keys, schema: JsonSchema | bool) -> "Part":
        """Return the part of the schema at these keys, which is made once."""
        return self._parts.get(keys) or self._parts.setdefault(keys, Part(self, keys, schema))

    def target(self, reference: JsonValue) -> "Part | None":
        """Return the part that a reference points to, or `None` if it is not in this schema."""
        steps = steps_of(reference) if isinstance(reference, str) else None
        return None if steps is None else self.at(steps)


class _WithCache:
    """What others find out about an object is kept on it."""

    @cached_property
    def _cache(self) -> dict[object, Any]:
        return {}

    def cached(self, function: "Callable[[Self], T]") -> T:
        """Return `function(self)`, which is called once."""
        if function not in self._cache:
            self._cache[function] = function(self)
        return self._cache[function]


class Part(_WithCache):
    """One subschema, compared by identity.

    `keys` lead to it from the root; `rules` are its keywords, empty for a boolean schema.
    """

    def __init__(self, outline: Outline, keys: Keys, schema: JsonSchema | bool) -> None:
        self.outline = outline
        self.keys = keys
        self.schema = schema
        self.rules: JsonSchema = schema if isinstance(schema, dict) else {}
        self._branches: dict[str, list[Part]] = {}

    def below(self, *keys: str | int) -> "Part | None":
        """Return the part at these keys below this one, or `None` if there is no schema."""
        return self.outline.at(keys, self)

    def branches(self, keyword: str) -> "list[Part]":
        """Return the parts in the list of a keyword: `anyOf`, `oneOf`, `allOf` or `prefixItems`."""
        if keyword not in self._branches:
            schemas = enumerate(items_of(self.rules.get(keyword)))
            self._branches[keyword] = [
                self.outline.part((*self.keys, keyword, index), schema)
                for index, schema in schemas
                if isinstance(schema, (dict, bool))
            ]
        return self._branches[keyword]

    @cached_property
    def declared(self) -> "dict[str, Part]":
        """The parts of `properties`."""
        named = schemas_by_name(self.rules.get("properties"))
        keys = (*self.keys, "properties")
        return {name: self.outline.part((*keys, name), each) for name, each in named.items()}

    @cached_property
    def required(self) -> list[str]:
        """The names of `required`."""
        return texts_of(self.rules.get("required"))

    @cached_property
    def items(self) -> "tuple[list[Part], Part | None]":
        """The parts of the first items of an array, and the part of all later ones."""
        if isinstance(self.rules.get("items"), list):  # up to draft 2019-09
            return self.branches("items"), self.below("additionalItems")
        return self.branches("prefixItems"), self.below("items")

    @cached_property
    def rest(self) -> "Part | None":
        """The part of `additionalProperties`."""
        return self.below("additionalProperties")

    def parts_of(self, key: str | int) -> "list[Part]":
        """Return the parts for a property or an item, by this part's own keywords."""
        if isinstance(key, int):
            front, rest = self.items
            part = front[key] if key < len(front) else rest
            return [] if part is None else [part]
        found = [self.declared[key]] if key in self.declared else []
        is_certain = True
        patterns = self.rules.get("patternProperties")
        for pattern in patterns if isinstance(patterns, dict) else ():
            is_match = matches(pattern, key)
            is_certain = is_certain and is_match is not None
            if is_match and (part := self.below("patternProperties", pattern)) is not None:
                found.append(part)
        if not found and is_certain and self.rest is not None:
            found.append(self.rest)
        return found

    def reference_chain(self) -> "Iterator[Part]":
        """Yield this part, the part that its `$ref` points to, and so on."""
        part: Part | None = self
        for _ in range(MAX_HOPS):
            if part is None:
                return
            yield part
            part = self.outline.target(part.rules.get("$ref"))

    @cached_property
    def resolved(self) -> "Part | None":
        """The target of a part that is only a `$ref`, or else the part itself.

        `None` if the reference cannot be followed.
        """
        for part in self.reference_chain():
            if "$ref" not in part.rules or not NON_CONSTRAINING.issuperset(part.rules):
                return part
        return None

    @cached_property
    def target(self) -> "Part | None":
        """The resolved target of the `$ref`, also if other keywords stand beside it."""
        part = self.outline.target(self.rules["$ref"]) if "$ref" in self.rules else None
        return None if part is None else part.resolved

    @cached_property
    def parts(self) -> "tuple[Part, ...]":
        """All parts that apply where this one does, through `$ref` and `allOf`, but not unions."""
        if ALL_OF.isdisjoint(self.rules):
            return () if self.schema is True else (self,)
        found: dict[Part, None] = {}
        queue: list[Part | None] = [self]
        seen: set[Part] = set()
        for part in queue:  # grows while it is read
            if part is None or part in seen or len(seen) >= MOST_PARTS:
                continue
            seen.add(part)
            if "$ref" in part.rules and part.resolved is not part:
                queue.append(part.resolved)
                continue
            if part.schema is not True:
                found[part] = None
            queue.append(part.target)
            queue += part.branches("allOf")
        return tuple(found)

    @property
    def types(self) -> frozenset[str]:
        """The types that a value may have, by all `parts` and their unions."""
        return self.cached(_TYPES[0])

    @cached_property
    def own_types(self) -> frozenset[str]:
        """The types that a value may have, by `type`, `const` and `enum` of this part."""
        if self.schema is False or self.rules.get("not") == {}:
            return frozenset()
        names = types_named(self.rules)
        types = ALL_TYPES if names is None else frozenset(names)
        types |= {"integer"} if "number" in types else frozenset[str]()
        values = listed_values(self.rules)
        return types if values is None else types & frozenset(map(json_type, values))


def _types(part: Part, depth: int) -> frozenset[str]:
    return ALL_TYPES.intersection(*(each.cached(_TYPES_ALONE[depth]) for each in part.parts))


def _types_alone(part: Part, depth: int) -> frozenset[str]:
    """Return the types by a part's own keywords; many branches may refer to the same part."""
    types = part.own_types
    for keyword in UNIONS if depth < _NESTING else ():
        if keyword in part.rules:
            nested = (branch.cached(_TYPES[depth + 1]) for branch in part.branches(keyword))
            types &= frozenset[str]().union(*nested)
    return types


_TYPES = [partial(_types, depth=depth) for depth in range(_NESTING + 1)]
_TYPES_ALONE = [partial(_types_alone, depth=depth) for depth in range(_NESTING + 1)]


class Place(_WithCache):
    """A place in values, with the parts that apply to it.

    `roots` are the parts it was made of: for a property those under `properties`, or else under
    `patternProperties` or `additionalProperties`, of every part that applies to the object.
    """

    def __init__(self, outline: Outline, roots: tuple[Part, ...]) -> None:
        self.outline = outline
        self.roots = roots
        self._inside: dict[str | int | None, Place] = {}

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All parts that apply here, through `$ref` and `allOf`, but not unions."""
        return tuple(dict.fromkeys(chain.from_iterable(part.parts for part in self.roots)))

    @cached_property
    def possible(self) -> "Place":
        """The place with the parts of every branch of every union added."""
        found: dict[Part, None] = {}
        queue = list(self.parts)
        for part in queue:  # grows while it is read
            if part not in found and len(found) < MOST_PARTS:
                found[part] = None
                for keyword in UNIONS:
                    queue += chain.from_iterable(branch.parts for branch in part.branches(keyword))
        return self.outline.place_of(tuple(found))

    @cached_property
    def unions(self) -> "list[tuple[Part, str]]":
        """Each part that has `anyOf` or `oneOf`, with that keyword."""
        return [
            (part, keyword) for part in self.parts for keyword in UNIONS if keyword in part.rules
        ]

    @cached_property
    def types(self) -> frozenset[str]:
        """The types that a value may have here: all of them if no part has a `type`."""
        return ALL_TYPES.intersection(*(part.types for part in self.roots))

    @cached_property
    def named_types(self) -> frozenset[str]:
        """The types that the parts allow; parts that allow all types are ignored."""
        named = [part.types for part in self.roots if part.types != ALL_TYPES]
        return frozenset[str]().union(*named)

    @cached_property
    def constants(self) -> dict[str, JsonValue]:
        """The constants of all parts and unions, by the strings that stand for them.

        A string stands for itself; `x-enum-varnames` has a name for each value of `enum`.
        """
        found: dict[str, JsonValue] = {}
        for part in self.possible.parts:
            values, names = listed_values(part.rules) or (), part.rules.get("x-enum-varnames")
            named = zip(names, values, strict=False) if isinstance(names, list) else ()
            found |= {name: value for name, value in named if isinstance(name, str)}
            found |= {value: value for value in values if isinstance(value, str)}
        return found

    def inside(self, key: str | int) -> "Place":
        """Return the place of a property or an item.

        Undeclared properties share one place, and so do all items after the first few.
        """
        shared: str | int | None
        if isinstance(key, int):
            shared = min(key, self.first_items)
        else:
            shared = key if key in self._names else None
        place = self._inside.get(shared)
        if place is None:
            roots = tuple([inner for part in self.parts for inner in part.parts_of(key)])
            place = self.outline.place_of(roots)
            if shared is not None or not self._has_patterns:
                self._inside[shared] = place
        return place

    @cached_property
    def first_items(self) -> int:
        """How many items have a place of their own."""
        return max((len(part.items[0]) for part in self.parts), default=0)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(chain.from_iterable(part.declared for part in self.parts))

    @cached_property
    def _has_patterns(self) -> bool:
        return any(part.rules.get("patternProperties") for part in self.parts)

    @cached_property
    def wants_string(self) -> bool:
        """Whether a string is allowed here, and no number."""
        return "string" in self.named_types and self.named_types.isdisjoint(NUMBERS)

    @cached_property
    def _wants_integer(self) -> bool:
        return any("integer" in p.types and "number" not in p.types for p in self.roots)

    def misplaced_floats(self, value: JsonValue) -> tuple[bool, bool]:
        """Return whether a value has a float where an integer may be wanted, and where a string is.

        The first is a float such as `42.0`; `coerce` returns a valid value without one unchanged.
        The string may have been `1.10`: as a float it has lost its last zero.
        """
        for_integer = for_string = False
        stack: list[tuple[Place, JsonValue]] = [(self, value)]
        seen: set[tuple[Place, int]] = set()
        while stack:
            place, outer = stack.pop()
            if isinstance(outer, float):
                for_integer = for_integer or (outer.is_integer() and place._wants_integer)
                for_string = for_string or place.wants_string
                continue
            # By identity, so that the loop ends for a value that contains itself.
            if (place, id(outer)) in seen:
                continue
            seen.add((place, id(outer)))
            members = outer.items() if isinstance(outer, dict) else ()
            members = enumerate(outer) if isinstance(outer, list) else members
            for key, inner in members:
                kind = type(inner)
                if kind is float or kind is dict or kind is list:
                    stack.append((place.possible.inside(key), inner))
        return for_integer, for_string


BACKTRACKS: Final = 2_000
"""How often matching one pattern may backtrack; most patterns are matched in one pass.

On a text of 100 kB, each costs about 20 us for a look-behind of variable length.
"""


def matches(pattern: str, text: str) -> bool | None:
    """Return whether a pattern is found in a text.

    `None` if the pattern is invalid or backtracks too often, or if the text is a subclass of `str`
    or has lone surrogates.
    """
    checker = _checker(pattern)
    try:
        if checker is None or checker.is_valid(text):
            return None if checker is None else True
        kinds = [type(error.kind).__name__ for error in checker.iter_errors(text)]
    except ValueError:
        return None
    return False if kinds == ["Pattern"] else None


@lru_cache(maxsize=1024)
def _checker(pattern: str) -> "Validator | None":
    # Python's own `re` can be made to backtrack for hours by a hostile schema.
    from jsonschema_rs import Draft202012Validator, FancyRegexOptions, ValidationError

    options = FancyRegexOptions(backtrack_limit=BACKTRACKS)
    try:
        return Draft202012Validator({"pattern": pattern}, pattern_options=options)
    except ValidationError:
        return None
