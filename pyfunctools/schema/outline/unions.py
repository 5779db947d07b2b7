"""Which branch of a union (`anyOf` or `oneOf`) a value was meant for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from pyfunctools._json import JsonSchema, JsonValue, members_of
from pyfunctools.schema.outline.json_types import (
    ALL_TYPES,
    Constant,
    Listed,
    constant_of,
    implied_types,
    json_type,
    listed_values,
    loose_text,
)
from pyfunctools.schema.outline.outline import Part, Place
from pyfunctools.schema.vocabulary import UNIONS

_MOST_SHAPES = 300
"""How many shapes the branches of one union may have; unions inside them are ignored after that."""
_NESTING = 8
"""How many unions inside one branch are read; further ones are ignored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """The property by which the objects of a union are told apart, such as `kind`.

    `branches` maps each of its values, as `constant_of` returns it, to the index of a branch. The
    tag is `certain` if every branch rejects an object whose tag has the value of another branch.
    """

    name: str
    branches: dict[Constant, int]
    certain: bool = False

    @property
    def allowed(self) -> tuple[JsonValue, ...]:
        """The values of the tag, in the order of the branches."""
        return tuple(value for _, value in self.branches)

    def branch(self, value: JsonValue) -> int | None:
        """Return the index of the branch of a tag value, in whatever spelling."""
        key = constant_of(value)
        if key is None or key in self.branches:
            return None if key is None else self.branches[key]
        loose = loose_text(key)
        found = {index for known, index in self.branches.items() if loose_text(known) == loose}
        return found.pop() if len(found) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueShape:
    """One shape that a value of a union's branch may have; `index` is that of the branch.

    `values` are the constants that the value may be, `constants` those of its properties, where a
    schema lists them. `declared` are the types of its properties, `items` the type of its items. A
    value `is_map` if undeclared properties are allowed as well as declared ones.
    """

    index: int = 0
    types: frozenset[str] = ALL_TYPES
    values: Listed | None = None
    constants: dict[str, Listed] = field(default_factory=dict[str, Listed])
    declared: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    required: frozenset[str] = frozenset()
    is_map: bool = False
    items: frozenset[str] = ALL_TYPES


@dataclass(frozen=True, slots=True, kw_only=True)
class Union:
    """A union: its branches, their shapes, and the tag of its objects if they have one."""

    branches: list[Part]
    shapes: list[ValueShape]
    tag: Tag | None

    def branch_by_tag(self, value: JsonValue) -> Part | None:
        """Return the only branch that may accept an object, by its tag; `None` if not certain."""
        tag = self.tag
        if tag is None or not tag.certain or not isinstance(value, dict) or tag.name not in value:
            return None
        key = constant_of(value[tag.name])
        index = None if key is None else tag.branches.get(key)
        return None if index is None else self.branches[index]

    def intended_branch(self, value: JsonValue) -> Part | None:
        """Return the branch that a value was meant for; `None` if that is unknown.

        The branch may itself be a union. It is found by, in this order:

        1. the tag: the property that `discriminator` names, or else one that has other constants
           in each branch. If the value has the tag and it matches no branch, there is no branch.
        2. constants: properties for which one branch lists the value and another does not; for a
           value that is not an object, the values that the branches list.
        3. keys: the branch with the fewest missing and undeclared keys, if it declares any of them.
        4. types: of the value, then of its properties or items.

        Constants are compared exactly, then without case, surrounding space and quotes. The types
        come last: `{"kind": "cat", "lives": "9"}` was meant for the cat.
        """
        index = self.intended_index(value)
        return None if index is None else self.branches[index]

    def intended_index(self, value: JsonValue) -> int | None:
        """Return the index of the intended branch of a value."""
        if isinstance(value, dict):
            return _branch_of_object(self.shapes, value, self.tag)
        return _branch_of_other(self.shapes, value)


def union_of(part: Part, keyword: str) -> Union:
    """Return the union of a part's `oneOf` or `anyOf`, which is made once."""
    return part.cached(_UNIONS[keyword])


def _union(part: Part, keyword: str) -> Union:
    branches = part.branches(keyword)
    shapes = [
        shape
        for index, branch in enumerate(branches)
        for place in choices_of(branch, len(branches))
        if (shape := _shape(index, place)).types
    ]
    tag = _tag(part.rules, branches, shapes)
    if tag is not None and _is_certain(tag, branches):
        tag = replace(tag, certain=True)
    return Union(branches=branches, shapes=shapes, tag=tag)


_UNIONS = {keyword: partial(_union, keyword=keyword) for keyword in UNIONS}


def choices_of(branch: Part, branches: int) -> Iterator[Place]:
    """Yield the place of a branch with one branch of each union inside it, for each choice.

    The branch is one of so many `branches`: if there are too many choices, not all are made.
    """
    most = _MOST_SHAPES // branches
    todo: list[tuple[tuple[Part, ...], int]] = [((branch,), 0)]
    for roots, chosen in todo:  # grows while it is read
        place = branch.outline.place_of(roots)
        if chosen == len(place.unions) or chosen == _NESTING or len(todo) > most:
            yield place
        else:
            part, keyword = place.unions[chosen]
            todo += [((*roots, each), chosen + 1) for each in part.branches(keyword)]


def _shape(index: int, place: Place) -> ValueShape:
    types, items, values = place.types, ALL_TYPES, None
    constants: dict[str, Listed] = {}
    declared: dict[str, frozenset[str]] = {}
    for part in place.parts:
        types &= _types(part, part.own_types)
        items &= ALL_TYPES if (rest := part.items[1]) is None else _types(rest, rest.types)
        values = values if (listed := values_of(part)) is None else listed
        for name, inner in part.declared.items():
            declared[name] = _types(inner, inner.types)
            if listed := values_of(inner):
                known = constants.get(name, listed)
                constants[name] = {key: None for key in listed if key in known}
    return ValueShape(
        index=index,
        types=types,
        values=values,
        constants=constants,
        declared=declared,
        required=frozenset(name for part in place.parts for name in part.required),
        is_map=any(
            "patternProperties" in part.rules
            or part.rules.get("additionalProperties", False) is not False
            for part in place.parts
        ),
        items=items,
    )


def _types(part: Part, types: frozenset[str]) -> frozenset[str]:
    """Return the types that a part allows, or the type that its keywords imply if it allows all."""
    if types != ALL_TYPES or part.resolved is None:
        return types
    names = implied_types(part.resolved.rules)
    return frozenset(names) if names in (["object"], ["array"]) else ALL_TYPES


def values_of(part: Part) -> Listed | None:
    """Return the values of `const` or `enum`; `None` without values, or if one is no scalar."""
    whole = part.resolved
    values = None if whole is None else listed_values(whole.rules)
    if values is None:
        return None
    found = list(map(constant_of, values))
    return None if None in found else dict.fromkeys(filter(None, found))


def _branch_of_object(shapes: list[ValueShape], value: JsonSchema, tag: Tag | None) -> int | None:
    shapes = _objects(shapes)
    if tag is not None and tag.name in value:
        index = tag.branch(value[tag.name])
        if index is not None or {s.index for s in shapes} <= set(tag.branches.values()):
            return index
    shapes = _by_constants(shapes, value)
    if not shapes or (index := _only(shapes)) is not None:
        return _only(shapes)
    ranks = [_distance(shape, value) for shape in shapes]
    best = [shape for shape, rank in zip(shapes, ranks, strict=True) if rank == min(ranks)]
    if min(ranks)[0] and not any(key in shape.declared for shape in best for key in value):
        return None
    if (index := _only(best)) is not None:
        return index
    kinds = {key: json_type(inner) for key, inner in value.items()}
    fits = [
        sum(kind in shape.declared.get(key, ALL_TYPES) for key, kind in kinds.items())
        for shape in best
    ]
    return _most(best, fits)


def _branch_of_other(shapes: list[ValueShape], value: JsonValue) -> int | None:
    key = constant_of(value)
    if key is not None:
        fitting = _fitting({n: s.values for n, s in enumerate(shapes) if s.values is not None}, key)
        if fitting:
            return _only(shapes[n] for n in fitting)
    kind = json_type(value)
    typed = [shape for shape in shapes if kind in shape.types]
    if (index := _only(typed)) is not None or not isinstance(value, list):
        return index
    kinds = [json_type(item) for item in value[:16]]
    return _most(typed, [sum(kind in shape.items for kind in kinds) for shape in typed])


def _by_constants(shapes: list[ValueShape], value: JsonSchema) -> list[ValueShape]:
    hits = dict.fromkeys(range(len(shapes)), 0)
    for name in {name: None for shape in shapes for name in shape.constants}:
        key = constant_of(value[name]) if name in value else None
        if key is None:
            continue
        listing = {n: shapes[n].constants[name] for n in hits if name in shapes[n].constants}
        fitting = _fitting(listing, key)
        if fitting:
            hits = {n: count for n, count in hits.items() if n in fitting or n not in listing}
            hits |= {n: hits[n] + 1 for n in fitting}
    most = max(hits.values(), default=0)
    return [shapes[n] for n, count in hits.items() if count == most]


def _fitting(listing: dict[int, Listed], key: Constant) -> list[int]:
    """Return the indexes of the lists that have a constant, or else have it in another spelling."""
    exact = [n for n, values in listing.items() if key in values]
    if exact:
        return exact
    loose = loose_text(key)
    return [n for n, values in listing.items() if any(loose_text(v) == loose for v in values)]


def _distance(shape: ValueShape, value: JsonSchema) -> tuple[int, int, int]:
    """Return how far an object is from a shape, by missing and undeclared keys."""
    missing = sum(name not in value for name in shape.required)
    if shape.is_map or not shape.declared:
        undeclared = 0
    else:
        undeclared = sum(name not in shape.declared for name in value)
    return (missing + undeclared, undeclared, missing - len(shape.required))


def _is_certain(tag: Tag, branches: list[Part]) -> bool:
    """Return whether each branch lists its own tags, or has a `type` that is not an object."""
    for index, branch in enumerate(branches):
        part = branch.resolved
        kind = None if part is None else part.rules.get("type")
        if part is None or not isinstance(kind, str):
            return False
        if kind != "object":
            continue
        keys = values_of(part.declared[tag.name]) if tag.name in part.declared else None
        if not keys or any(tag.branches.get(key) != index for key in keys):
            return False
    return True


def _tag(union: JsonSchema, branches: list[Part], shapes: list[ValueShape]) -> Tag | None:
    objects = _objects(shapes)
    stated = union.get("discriminator")
    if isinstance(stated, dict) and isinstance(name := stated.get("propertyName"), str):
        return _stated_tag(name, stated.get("mapping"), branches, objects)
    if len({shape.index for shape in objects}) < 2:
        return None
    for name in objects[0].constants:
        found: dict[Constant, int] = {}
        for shape in objects:
            values = shape.constants.get(name)
            if not values or any(found.get(v, shape.index) != shape.index for v in values):
                break
            found |= dict.fromkeys(values, shape.index)
        else:
            return Tag(name=name, branches=found)
    return None


def _stated_tag(
    name: str, mapping: JsonValue, branches: list[Part], objects: list[ValueShape]
) -> Tag | None:
    references = {str(part.rules.get("$ref")): n for n, part in enumerate(branches)}
    found: dict[Constant, int] = {
        ("string", value): references[str(target)]
        for value, target in members_of(mapping).items()
        if str(target) in references
    }
    for shape in objects:
        for key in shape.constants.get(name, ()):
            found.setdefault(key, shape.index)
    found = dict(sorted(found.items(), key=lambda item: item[1]))
    return Tag(name=name, branches=found) if found else None


def _objects(shapes: list[ValueShape]) -> list[ValueShape]:
    return [shape for shape in shapes if "object" in shape.types]


def _only(shapes: Iterable[ValueShape]) -> int | None:
    """Return the branch of these shapes, if there is only one."""
    found = {shape.index for shape in shapes}
    return found.pop() if len(found) == 1 else None


def _most(shapes: list[ValueShape], counts: list[int]) -> int | None:
    most = max(counts, default=0)
    return _only(shape for shape, count in zip(shapes, counts, strict=True) if count == most)
