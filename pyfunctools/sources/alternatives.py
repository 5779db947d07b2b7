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
from pyfunctools.schema.ground.walk import children
from pyfunctools.schema.normalization.prepare import Bundled, bundled
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

Found: TypeAlias = tuple[JsonSchema | bool, "References"]
"""The target of a reference, and the references in it."""


class References:
    """The references in a schema or a document, by a function that returns their targets.

    `known` are the facts of branches that are only a reference: each is read once.
    """

    def __init__(self, find: Callable[[str], Found | None]) -> None:
        self.find = find
        self.known: dict[str, BranchFacts] = {}

    @classmethod
    def by(cls, find: Callable[[str], JsonSchema | bool | None]) -> "References":
        """Return references whose targets have no others than these."""

        def found(reference: str) -> Found | None:
            target = find(reference)
            return None if target is None else (target, references)

        references = cls(found)
        return references


def loosened(schema: JsonSchema, references: References) -> JsonSchema:
    """Return a copy with `anyOf` for each `oneOf`, unless constants tell its branches apart.

    Targets of references are compared, not changed.
    """

    def prepare(inner: JsonSchema, scope: None) -> tuple[JsonSchema, None]:
        tested = {k: Bundled(v) for k in TESTED_ONLY if isinstance(v := inner.get(k), dict)}
        return {**loosened_alone(inner, references), **tested}, scope

    return bundled(schema, None, prepare)


def loosened_alone(schema: JsonSchema, references: References) -> JsonSchema:
    """Return a schema with `anyOf` for its own `oneOf`, unless constants tell its branches apart.

    If there is an `anyOf` already, it is inside an `allOf`.
    """
    branches = schema.get("oneOf")
    if branches is None or _difference(branches, references) == "constants":
        return schema
    others = {keyword: value for keyword, value in schema.items() if keyword != "oneOf"}
    if "anyOf" not in schema:
        return {**others, "anyOf": branches}
    return {**others, "allOf": [*items_of(schema.get("allOf")), {"anyOf": branches}]}


def overlapping(schema: JsonSchema | bool, pointer: str, references: References) -> Iterator[Note]:
    """Yield a note on each rewritten `oneOf` whose branches may overlap."""
    todo: list[tuple[Keys, JsonSchema | bool]] = [((), schema)]
    for keys, inner in todo:  # grows while it is read
        if isinstance(inner, dict):
            if "oneOf" in inner and _difference(inner["oneOf"], references) is None:
                yield Note(text=_ANY_OF, pointer=pointer + pointer_of((*keys, "oneOf")))
            found = (
                (steps, each) for steps, each in children(inner) if steps[0] not in TESTED_ONLY
            )
            todo += [((*keys, *steps), each) for steps, each in found]


class BranchFacts(NamedTuple):
    """Facts about every value that matches a branch; `None` if unknown."""

    types: frozenset[str] | None
    values: frozenset[Constant] | None
    required: frozenset[str]
    constants: dict[str, frozenset[Constant]]


def _difference(branches: JsonValue, references: References) -> str | None:
    """Return the difference of the branches: `constants`, `types`, or `None` if they may overlap.

    No two branches may share a type, a constant, or a tag of objects.
    """
    listed = items_of(branches)
    facts = [_facts_of(branch, references) for branch in listed if branch is not False]
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


def _facts_of(branch: JsonValue, references: References) -> BranchFacts:
    fields = members_of(branch)
    reference = text_of(fields.get("$ref")) if len(fields) == 1 else ""
    if reference in references.known:
        return references.known[reference]
    types: frozenset[str] | None = None
    values: frozenset[Constant] | None = None
    required: set[str] = set()
    constants: dict[str, frozenset[Constant]] = {}
    for part, inside in _parts(branch, references):
        types = _intersection(types, _types(part))
        values = _intersection(values, _constants(part))
        required.update(texts_of(part.get("required")))
        for name, inner in members_of(part.get("properties")).items():
            for narrow, _ in _parts(inner, inside):
                if (found := _intersection(constants.get(name), _constants(narrow))) is not None:
                    constants[name] = found
    facts = BranchFacts(types, values, frozenset(required), constants)
    if reference:
        references.known[reference] = facts
    return facts


def _parts(schema: JsonValue, references: References) -> Iterator[tuple[JsonSchema, References]]:
    """Yield the schemas that apply with this one, each with the references in it.

    They are the schema itself, the target of its `$ref` and its `allOf`.
    """
    todo: list[tuple[JsonValue, References]] = [(schema, references)]
    for part, inside in todo:
        if isinstance(part, dict):
            yield part, inside
            reference = part.get("$ref")
            if len(todo) < MAX_HOPS:
                if isinstance(reference, str) and (found := inside.find(reference)) is not None:
                    todo.append(found)
                todo += [(each, inside) for each in items_of(part.get("allOf"))]


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
