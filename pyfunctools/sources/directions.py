"""Schemas for one direction: of values that are sent, or of values that are returned.

`readOnly` properties are never sent, and `writeOnly` ones are never returned. Subtypes that only
the mapping of a `discriminator` names are there for the parts that a person gives: in no output.

A `oneOf` in requests is read as `anyOf` unless its branches exclude each other. In JSON Schema a
value that matches two branches of a `oneOf` is invalid. Documents use it where `anyOf` is meant
(`oneOf: [integer, number]`), and servers accept a value that matches any branch: read literally, no
integer would be valid. If the branches exclude each other, `oneOf` and `anyOf` mean the same. Only
simple facts of a branch are compared: its type, its constants, and the constants of a property that
every object among the branches requires.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeVar, cast

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools.note import Note
from pyfunctools.schema.ground.path import Keys, pointer_of
from pyfunctools.schema.ground.references import follow, mapped_subtypes
from pyfunctools.schema.ground.walk import WITH_SCHEMAS, Slot, children, copy_with_slots
from pyfunctools.schema.outline.json_types import Constant, json_type
from pyfunctools.schema.outline.outline import Part, Place
from pyfunctools.schema.outline.unions import choices_of, values_of
from pyfunctools.schema.vocabulary import HOLDING, PER_PROPERTY, TESTED_ONLY, UNIONS

T = TypeVar("T")

_ANY_OF = "`oneOf` is read as `anyOf`: a value may fit more than one of its branches."
_APART = TESTED_ONLY | {"$defs"}
_NAMING = HOLDING | PER_PROPERTY | {"required"}
"""Keywords that may name properties; a schema without them needs no search."""
_READ = _NAMING | WITH_SCHEMAS | {"discriminator"}


def directed(start: Part, mark: Literal["readOnly", "writeOnly"] | None) -> JsonSchema | bool:
    """Return the schema of a part without the properties that bear a mark, everywhere in it.

    With `readOnly` it is one of values to be sent, with `writeOnly` one of values that are returned
    (OpenAPI 3.0, 4.7.24). The mark may be in the schema that a property refers to. Values to be
    sent have an `anyOf` for a `oneOf`, unless constants tell its branches apart; without a mark
    only this changes.

    What its references lead to is not changed: a definition is changed once, wherever it is used.
    A schema that stays as it is is returned as the same object.
    """
    whole: dict[str, JsonValue] = {}
    found = False
    todo: list[tuple[Slot, Keys, frozenset[str]]]
    todo = [(Slot(whole, "", start.schema), (), frozenset())]
    while todo:
        slot, keys, outside = todo.pop()
        schema = slot.inner
        if not isinstance(schema, dict) or _READ.isdisjoint(schema):
            continue  # it stays as it is
        hidden, part = outside, None
        if "oneOf" in schema or (mark and not _NAMING.isdisjoint(schema)):
            part = start.below(*keys)
        if mark and part is not None:
            hidden |= frozenset(_hidden(part, mark))
        loosens = mark != "writeOnly" and part is not None and is_loose(part)
        subtypes = dict(mapped_subtypes(schema)) if mark == "writeOnly" else {}
        found = found or bool(hidden or subtypes) or loosens
        schema = _without_properties(schema, hidden) if hidden else schema
        schema = _without_subtypes(schema, subtypes) if subtypes else schema
        copy, slots = copy_with_slots(schema)
        if loosens and len(schema) == 1 and slot.steps[:1] == ("anyOf",):
            # Inside of an `anyOf`, whose later branches are done, its branches become branches.
            branches = cast("list[JsonValue]", slot.holder)
            branches[int(slot.key) : int(slot.key) + 1] = cast("list[JsonValue]", copy["oneOf"])
            for inner in slots:
                inner.holder, inner.key = branches, int(slot.key) + int(inner.key)
        else:
            slot.put(_loosened(copy) if loosens else copy)
        for inner in slots:
            # Fewer constraints under `if` and `not` would make the schema reject more values.
            if inner.steps[0] not in TESTED_ONLY:
                below = hidden if inner.steps[0] in HOLDING else frozenset[str]()
                todo.append((inner, keys + inner.steps, below))
    return members_of(whole[""]) if found else start.schema


def _loosened(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a schema with `anyOf` for its own `oneOf`, inside an `allOf` if it has an `anyOf`."""
    branches = schema.pop("oneOf")
    if "anyOf" not in schema:
        return {**schema, "anyOf": branches}
    parts = schema.setdefault("allOf", [])
    cast("list[JsonValue]", parts).append({"anyOf": branches})
    return schema


def overlapping(start: Part, written: JsonValue, pointer: str) -> Iterator[Note]:
    """Yield a note on each rewritten `oneOf` in a schema whose branches may overlap.

    `written` is the schema that was normalized, `pointer` its place.
    """
    todo: list[tuple[Part, JsonValue, Keys]] = [(start, written, ())]
    for part, outer, keys in todo:  # grows while it is read
        if "oneOf" in part.rules and _difference(part) is None:
            yield Note(text=_ANY_OF, pointer=pointer + pointer_of((*keys, "oneOf")))
        for steps, _ in children(part.rules):
            below = None if steps[0] in _APART else part.below(*steps)
            if below is not None:
                found = follow(outer, steps)  # `None` for a union with null that normalizing made
                inside = (outer, keys) if found is None else (found[0], (*keys, *steps))
                todo.append((below, *inside))


def is_loose(part: Part) -> bool:
    """Return whether a part has a `oneOf` that is read as `anyOf`."""
    return "oneOf" in part.rules and _difference(part) != "constants"


def _difference(part: Part) -> str | None:
    """Return the difference of its branches: `constants`, `types`, or `None` if they may overlap.

    No two branches may share a type, a constant, or a tag of objects.
    """
    branches = [branch for branch in part.branches("oneOf") if branch.schema is not False]
    if len(branches) < 2:
        return "constants"
    lists = [found for each in branches if (found := _constants(each.parts)) is not None]
    if len(lists) == len(branches):
        return "constants" if _are_disjoint(lists) else None
    if _are_disjoint([branch.types for branch in branches]):
        return "constants" if lists else "types"
    types, values = Counter[str](), Counter[Constant]()
    objects: list[tuple[int, Place]] = []
    for index, branch in enumerate(branches):
        allowed, listed = set[str](), set[Constant]()
        for place in choices_of(branch, len(branches)):
            if (constants := _constants(place.parts)) is not None:
                listed |= constants
            else:
                allowed |= place.types
                objects += [(index, place)] if "object" in place.types else []
        types.update(allowed - {"object"})
        values.update(listed)
    taken = {json_type(value) for _, value in values}
    if any(n > 1 for n in (*types.values(), *values.values())) or not taken.isdisjoint(types):
        return None
    if len({index for index, _ in objects}) > 1:
        names = {name: None for part in objects[0][1].parts for name in part.required}
        return "constants" if any(_are_tagged(objects, name) for name in names) else None
    return "constants"


def _are_disjoint(sets: Sequence[frozenset[T]]) -> bool:
    return len(frozenset[T]().union(*sets)) == sum(map(len, sets))


def _are_tagged(objects: Iterable[tuple[int, Place]], name: str) -> bool:
    """Return whether all require a property whose constants differ between the branches."""
    owners: dict[Constant, int] = {}
    for index, place in objects:
        tags = _constants(part.declared[name] for part in place.parts if name in part.declared)
        if not tags or not any(name in part.required for part in place.parts):
            return False
        if any(owners.setdefault(tag, index) != index for tag in tags):
            return False
    return True


def _constants(parts: Iterable[Part]) -> frozenset[Constant] | None:
    """Return the values that parts which apply together list, or `None` if they list none."""
    listed = [frozenset(found) for part in parts if (found := values_of(part)) is not None]
    return listed[0].intersection(*listed[1:]) if listed else None


def _hidden(part: Part, mark: str) -> Iterator[str]:
    for each in part.parts:
        for name, inner in each.declared.items():
            unions = (inner.branches(keyword) for keyword in UNIONS if keyword in inner.rules)
            some = [[b for b in union if b.schema != {"type": "null"}] for union in unions]
            alternatives = [[inner], *filter(None, some)]
            if any(all(_is_marked(branch, mark) for branch in each) for each in alternatives):
                yield name


def _is_marked(part: Part, mark: str) -> bool:
    return any(each.rules.get(mark) is True for each in part.reference_chain())


def _without_subtypes(schema: JsonSchema, subtypes: Mapping[str, str]) -> JsonSchema:
    given = members_of(schema["discriminator"])
    rest = {k: v for k, v in given.items() if k != "mapping" and v not in subtypes.values()}
    mapping = {k: v for k, v in members_of(given.get("mapping")).items() if k not in subtypes}
    return {**schema, "discriminator": {**rest, "mapping": mapping} if mapping else rest}


def _without_properties(schema: JsonSchema, hidden: frozenset[str]) -> JsonSchema:
    """Return a schema without these properties, and without their names in `required`."""
    result = dict(schema)
    for keyword in PER_PROPERTY & schema.keys():
        named = members_of(schema[keyword]).items()
        result[keyword] = {name: v for name, v in named if name not in hidden}
    if "dependentRequired" in result:
        result["dependentRequired"] = {
            name: [other for other in items_of(needed) if other not in hidden]
            for name, needed in members_of(result["dependentRequired"]).items()
        }
    if required := [name for name in items_of(schema.get("required")) if name not in hidden]:
        result["required"] = required
    else:
        result.pop("required", None)
    return result
