"""`oneOf` in requests, read as `anyOf` unless its branches exclude each other.

In JSON Schema a value that matches two branches of a `oneOf` is invalid. Documents use it where
`anyOf` is meant (`oneOf: [integer, number]`), and servers accept a value that matches any branch:
read literally, no integer would be valid. If the branches exclude each other, `oneOf` and `anyOf`
mean the same. Only simple facts of a branch are compared: its type, its constants, and the
constants of a property that every object among the branches requires.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias, TypeVar

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of, text_of
from pyfunctools.note import Note
from pyfunctools.schema.ground.path import Keys, pointer_of
from pyfunctools.schema.ground.references import MAX_HOPS
from pyfunctools.schema.ground.walk import Slot, children, copy_with_slots
from pyfunctools.schema.outline.json_types import (
    ALL_TYPES,
    Constant,
    constant_of,
    listed_values,
    texts_of,
)
from pyfunctools.schema.vocabulary import TESTED_ONLY

_ANY_OF = "`oneOf` is read as `anyOf`: a value may fit more than one of its branches."

T = TypeVar("T")

Find = Callable[[str], JsonSchema | bool | None]
"""Returns the target of a reference, or `None` if it is unknown."""


def loosened(schema: JsonSchema, find: Find, known: "Known | None" = None) -> JsonSchema:
    """Return a copy with `anyOf` for each `oneOf`, unless constants tell its branches apart.

    Targets of references are compared, not changed; pass the same `known` to read each once.
    """
    facts: Known = {} if known is None else known
    whole: dict[str, JsonValue] = {"": schema}
    todo = [Slot(whole, "", schema)]
    while todo:
        place = todo.pop()
        if isinstance(place.inner, dict) and TESTED_ONLY.isdisjoint(place.steps[:1]):
            copy, below = copy_with_slots(place.inner)
            place.put(copy)
            todo += below
            if "oneOf" in copy and _difference(place.inner["oneOf"], find, facts) != "constants":
                _write_any_of(copy)
    return members_of(whole[""])


def overlapping(
    schema: JsonSchema | bool, pointer: str, find: Find, known: "Known | None" = None
) -> Iterator[Note]:
    """Yield a note on each rewritten `oneOf` whose branches may overlap."""
    facts: Known = {} if known is None else known
    todo: list[tuple[Keys, JsonSchema | bool]] = [((), schema)]
    for keys, inner in todo:  # grows while it is read
        if isinstance(inner, dict):
            if "oneOf" in inner and _difference(inner["oneOf"], find, facts) is None:
                yield Note(text=_ANY_OF, pointer=pointer + pointer_of((*keys, "oneOf")))
            found = (
                (steps, each) for steps, each in children(inner) if steps[0] not in TESTED_ONLY
            )
            todo += [((*keys, *steps), each) for steps, each in found]


def _write_any_of(schema: dict[str, JsonValue]) -> None:
    """Write `oneOf` as `anyOf`, inside an `allOf` if there is an `anyOf` already."""
    branches = schema.pop("oneOf")
    if "anyOf" not in schema:
        schema["anyOf"] = branches
        return
    parts = schema.get("allOf")
    schema["allOf"] = [*items_of(parts), {"anyOf": branches}]


class BranchFacts(NamedTuple):
    """Facts about every value that matches a branch; `None` if unknown."""

    types: frozenset[str] | None
    values: frozenset[Constant] | None
    required: frozenset[str]
    constants: dict[str, frozenset[Constant]]


Known: TypeAlias = dict[str, BranchFacts]
"""The facts of branches that are only a reference, by the reference."""


def _difference(branches: JsonValue, find: Find, known: Known) -> str | None:
    """Return the difference of the branches: `constants`, `types`, or `None` if they may overlap.

    No two branches may share a type, a constant, or a tag of objects.
    """
    listed = items_of(branches)
    facts = [_facts_of(branch, find, known) for branch in listed if branch is not False]
    if len(facts) < 2:
        return "constants"
    types: Counter[str] = Counter()
    values: Counter[Constant] = Counter()
    objects: list[BranchFacts] = []
    for branch in facts:
        if branch.values is not None:
            values.update(branch.values)
        elif branch.types is None:
            return None
        else:
            types.update(branch.types - {"object"})
            if "object" in branch.types:
                objects.append(branch)
    taken = {_type_of(value) for value in values}
    if any(count > 1 for count in (*types.values(), *values.values())) or taken & types.keys():
        return None
    if len(objects) > 1:
        return "constants" if _are_tagged(objects) else None
    return "constants" if values else "types"


def _are_tagged(objects: list[BranchFacts]) -> bool:
    """Return whether all require a property whose constants differ between them."""
    for name in objects[0].constants:
        if all(name in each.required and name in each.constants for each in objects):
            count = Counter(value for each in objects for value in each.constants[name])
            if max(count.values(), default=0) == 1:
                return True
    return False


def _facts_of(branch: JsonValue, find: Find, known: Known) -> BranchFacts:
    fields = members_of(branch)
    reference = text_of(fields.get("$ref")) if len(fields) == 1 else ""
    if reference in known:
        return known[reference]
    types: frozenset[str] | None = None
    values: frozenset[Constant] | None = None
    required: set[str] = set()
    constants: dict[str, frozenset[Constant]] = {}
    for part in _parts(branch, find):
        types = _intersection(types, _types(part))
        values = _intersection(values, _constants(part))
        required.update(texts_of(part.get("required")))
        for name, inner in members_of(part.get("properties")).items():
            for narrow in _parts(inner, find):
                if (found := _intersection(constants.get(name), _constants(narrow))) is not None:
                    constants[name] = found
    facts = BranchFacts(types, values, frozenset(required), constants)
    if reference:
        known[reference] = facts
    return facts


def _parts(schema: JsonValue, find: Find) -> Iterator[JsonSchema]:
    """Yield the schemas that apply with this one: itself, its `$ref` and its `allOf`."""
    todo: list[JsonValue] = [schema]
    for part in todo:
        if isinstance(part, dict):
            yield part
            reference, merged = part.get("$ref"), part.get("allOf")
            if len(todo) < MAX_HOPS:
                todo += [find(reference)] if isinstance(reference, str) else []
                todo += items_of(merged)


def _types(schema: JsonSchema) -> frozenset[str] | None:
    """Return the types in a schema, an integer as a number, so that no value has two of them."""
    wanted = schema.get("type")
    named = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(named, list) or not all(each in ALL_TYPES for each in named):
        return None
    types = frozenset("number" if each == "integer" else str(each) for each in named)
    return types | {"null"} if _is_nullable(schema) else types


def _constants(schema: JsonSchema) -> frozenset[Constant] | None:
    """Return the values of a schema that lists only scalars, else `None`."""
    found = [constant_of(value) for value in listed_values(schema) or ()]
    known = frozenset(value for value in found if value is not None)
    if not found or None in found:
        return None
    return known | {_NULL} if _is_nullable(schema) else known


def _is_nullable(schema: JsonSchema) -> bool:
    return schema.get("nullable") is True or schema.get("x-nullable") is True


def _intersection(known: frozenset[T] | None, also: frozenset[T] | None) -> frozenset[T] | None:
    return also if known is None else known if also is None else known & also


def _type_of(constant: Constant) -> str:
    kind, value = constant
    return kind or ("null" if value is None else "boolean")


_NULL: Constant = ("", None)
