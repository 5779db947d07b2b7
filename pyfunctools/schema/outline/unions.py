"""Which branch of a union a value was evidently meant for."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.references import steps_of
from pyfunctools.schema.outline.json_types import (
    ALL_TYPES,
    Constant,
    Listed,
    constant_of,
    listed_values,
    loosely,
    type_of,
    types_shown,
)
from pyfunctools.schema.outline.outline import Part
from pyfunctools.schema.vocabulary import UNIONS

_MOST_SHAPES = 10_000
"""Shapes that are put together for one union; what lies behind the last of them says nothing."""
_NESTING = 8
"""Unions and compositions inside each other that are looked into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """The property that tells the objects of a union apart.

    `branches` leads from each of its values, as `constant_of` gives it, to the index of a branch.
    It is `certain` if every branch refuses an object whose tag has a value of another branch.
    """

    name: str
    branches: dict[Constant, int]
    certain: bool = False

    @property
    def allowed(self) -> tuple[JsonValue, ...]:
        """The values, in the order of the branches."""
        return tuple(value for _, value in self.branches)

    def branch(self, value: JsonValue) -> int | None:
        """Return the branch of a tag's value; its case, surrounding space and quotes may be
        wrong.
        """
        key = constant_of(value)
        if key is None or key in self.branches:
            return None if key is None else self.branches[key]
        loose = loosely(key)
        found = {index for known, index in self.branches.items() if loosely(known) == loose}
        return found.pop() if len(found) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """What a value looks like: one way of several, where the schema is a union.

    `index` is the branch of the union it was asked for. `own` and `constants` are the values that
    the whole and its properties may have, where they are listed; `declared` are the types of the
    properties that are named, `items` those of an array's items. With `others` a property that is
    not named is as good as one that is: the schema is a map.
    """

    index: int = 0
    types: frozenset[str] = ALL_TYPES
    own: Listed | None = None
    constants: dict[str, Listed] = field(default_factory=dict[str, Listed])
    declared: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    required: frozenset[str] = frozenset()
    others: bool = False
    items: frozenset[str] = ALL_TYPES

    def both(self, other: "Sketch") -> "Sketch":
        """Return the shape of what has this one and the other."""
        shared = {
            name: {key: None for key in values if key in self.constants.get(name, values)}
            for name, values in other.constants.items()
        }
        return Sketch(
            types=self.types & other.types,
            own=self.own if other.own is None else other.own,
            constants={**self.constants, **shared},
            declared={**self.declared, **other.declared},
            required=self.required | other.required,
            others=self.others or other.others,
            items=self.items & other.items,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Union:
    """A union as it was read: its branches, their shapes, and what tells its objects apart."""

    branches: list[Part]
    shapes: list[Sketch]
    tag: Tag | None

    def decided(self, value: JsonValue) -> Part | None:
        """Return the only branch that an object may fit; `None` where that is not certain."""
        tag = self.tag
        if tag is None or not tag.certain or not isinstance(value, dict) or tag.name not in value:
            return None
        key = constant_of(value[tag.name])
        index = None if key is None else tag.branches.get(key)
        return None if index is None else self.branches[index]

    def meant(self, value: JsonValue) -> Part | None:
        """Return the branch that a value was meant for, `None` where nothing tells.

        Only the outermost choice is given: a branch may be a union again. What decides, in this
        order:

        1. the tag: the property that `discriminator` names, or else one for which every object
           among the branches lists other values. A value that has it and fits none of them was
           meant for no branch.
        2. constants: properties for which one branch lists the value and another does not, and
           the listed values of what is no object.
        3. keys: the branch for which the fewest keys are missing or not declared, if it declares
           any of them at all.
        4. types: of the value, then of the properties or items it holds.

        Constants that nothing equals are compared without case, surrounding space and quotes. A
        wrong type never outweighs the rest: `{"kind": "cat", "lives": "9"}` was meant for the cat.
        """
        if isinstance(value, dict):
            index = _of_object(self.shapes, value, self.tag)
        else:
            index = _of_other(self.shapes, value)
        return None if index is None else self.branches[index]


def union_of(part: Part, keyword: str) -> Union:
    """Return the union of a part's `oneOf` or `anyOf`; it is read once."""
    return part.read(_READ[keyword])


def _union(part: Part, keyword: str) -> Union:
    branches = part.listed(keyword)
    shapes = _Sketches()
    found = [
        replace(shape, index=index)
        for index, branch in enumerate(branches)
        for shape in shapes.of(branch)
    ]
    tag = _tag(part.rules, branches, found)
    if tag is not None and _is_certain(tag, branches):
        tag = replace(tag, certain=True)
    return Union(branches=branches, shapes=found, tag=tag)


_READ = {keyword: partial(_union, keyword=keyword) for keyword in UNIONS}


class _Sketches:
    """Puts together the shapes of the branches of one union, within a budget for all of them."""

    def __init__(self) -> None:
        self._left = _MOST_SHAPES

    def of(self, part: Part, depth: int = 0) -> list[Sketch]:
        """Return every shape that a value of this part may have."""
        whole = part.resolved
        self._left -= 1
        if whole is not None and whole.schema is False:
            return []
        if whole is None or whole.schema is True or depth > _NESTING or self._left < 0:
            return [Sketch()]
        result = [whole.read(_own_shape)]
        target = whole.target
        for each in [*whole.listed("allOf"), *([] if target is None else [target])]:
            result = self._joined(result, self.of(each, depth + 1))
        for keyword in UNIONS:
            if keyword in whole.rules:
                inner = [s for b in whole.listed(keyword) for s in self.of(b, depth + 1)]
                result = self._joined(result, inner)
        return [shape for shape in result if shape.types]

    def _joined(self, some: list[Sketch], others: list[Sketch]) -> list[Sketch]:
        self._left -= len(some) * len(others)
        return some if self._left < 0 else [a.both(b) for b in others for a in some]


def _own_shape(part: Part) -> Sketch:
    """Return the looks of a value by a part's own keywords."""
    listed = {name: values for name, inner in part.declared.items() if (values := _values(inner))}
    items = part.items[1]
    return Sketch(
        types=_shown_types(part),
        own=_values(part),
        constants=listed,
        declared={name: _types(inner) for name, inner in part.declared.items()},
        required=frozenset(part.required),
        others="patternProperties" in part.rules
        or part.rules.get("additionalProperties", False) is not False,
        items=ALL_TYPES if items is None else _types(items),
    )


def _types(part: Part, depth: int = 0) -> frozenset[str]:
    whole = part.resolved
    if whole is None or not isinstance(whole.schema, dict):
        return ALL_TYPES
    types = whole.read(_shown_types)
    for keyword in UNIONS if depth < _NESTING else ():
        if keyword in whole.rules:
            below = _TYPES[depth + 1]
            types &= frozenset[str]().union(*(b.read(below) for b in whole.listed(keyword)))
    return types


_TYPES = [partial(_types, depth=depth) for depth in range(_NESTING + 1)]


def _shown_types(part: Part) -> frozenset[str]:
    """Return the types that a part's own keywords ask for, or show that they were meant."""
    if part.own_types != ALL_TYPES:
        return part.own_types
    names = types_shown(part.rules)
    return frozenset(names) if names in (["object"], ["array"]) else ALL_TYPES


def _values(part: Part) -> Listed | None:
    """Return the scalars that a part lists, `None` where it lists none or others too."""
    whole = part.resolved
    values = None if whole is None else listed_values(whole.rules)
    found = [constant_of(value) for value in values or ()]
    if values is None or None in found:
        return None
    return dict.fromkeys(key for key in found if key is not None)


def _of_object(shapes: list[Sketch], value: JsonSchema, tag: Tag | None) -> int | None:
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
    return _most(
        best,
        [
            sum(type_of(inner) in s.declared.get(key, ALL_TYPES) for key, inner in value.items())
            for s in best
        ],
    )


def _of_other(shapes: list[Sketch], value: JsonValue) -> int | None:
    key = constant_of(value)
    if key is not None:
        fitting = _fitting({n: s.own for n, s in enumerate(shapes) if s.own is not None}, key)
        if fitting:
            return _only(shapes[n] for n in fitting)
    kind = type_of(value)
    typed = [shape for shape in shapes if kind in shape.types]
    if (index := _only(typed)) is not None or not isinstance(value, list):
        return index
    held = [type_of(item) for item in value[:16]]
    return _most(typed, [sum(kind in shape.items for kind in held) for shape in typed])


def _by_constants(shapes: list[Sketch], value: JsonSchema) -> list[Sketch]:
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
    exact = [n for n, values in listing.items() if key in values]
    if exact:
        return exact
    loose = loosely(key)
    return [n for n, values in listing.items() if any(loosely(v) == loose for v in values)]


def _distance(shape: Sketch, value: JsonSchema) -> tuple[int, int, int]:
    missing = sum(name not in value for name in shape.required)
    if shape.others or not shape.declared:
        undeclared = 0
    else:
        undeclared = sum(name not in shape.declared for name in value)
    return (missing + undeclared, undeclared, missing - len(shape.required))


def _is_certain(tag: Tag, branches: list[Part]) -> bool:
    """Return whether each branch lists its tags itself, or is said to take no object."""
    for index, branch in enumerate(branches):
        part = branch.resolved
        kind = None if part is None else part.rules.get("type")
        if part is None or not isinstance(kind, str):
            return False
        if kind != "object":
            continue
        keys = _values(part.declared[tag.name]) if tag.name in part.declared else None
        if not keys or any(tag.branches.get(key) != index for key in keys):
            return False
    return True


def _tag(union: JsonSchema, branches: list[Part], shapes: list[Sketch]) -> Tag | None:
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
    name: str, mapping: JsonValue, branches: list[Part], objects: list[Sketch]
) -> Tag | None:
    places: dict[str, int] = {}
    names: dict[str, int] = {}
    for index, branch in enumerate(branches):
        reference = branch.rules.get("$ref")
        if isinstance(reference, str):
            places.setdefault(reference, index)
            names.setdefault(_last(reference), index)
    found: dict[Constant, int] = {}
    for value, target in mapping.items() if isinstance(mapping, dict) else ():
        index = {**names, **places}.get(target) if isinstance(target, str) else None
        if index is not None:
            found["string", value] = index
    for shape in objects:
        for key in shape.constants.get(name, ()):
            found.setdefault(key, shape.index)
    # OpenAPI 3.1, 4.8.25: a schema that the mapping does not name goes by its own name.
    for place, index in names.items():
        if index not in found.values():
            found["string", place] = index
    found = dict(sorted(found.items(), key=lambda item: item[1]))
    return Tag(name=name, branches=found) if found else None


def _last(reference: str) -> str:
    steps = steps_of(reference)
    return str(steps[-1]) if steps else reference


def _objects(shapes: list[Sketch]) -> list[Sketch]:
    return [shape for shape in shapes if "object" in shape.types]


def _only(shapes: Iterable[Sketch]) -> int | None:
    found = {shape.index for shape in shapes}
    return found.pop() if len(found) == 1 else None


def _most(shapes: list[Sketch], counts: list[int]) -> int | None:
    most = max(counts, default=0)
    return _only(shape for shape, count in zip(shapes, counts, strict=True) if count == most)
