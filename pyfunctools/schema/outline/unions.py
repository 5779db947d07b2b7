"""Which branch of a union a value was evidently meant for."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.references import resolve, steps_of
from pyfunctools.schema.outline.shape import (
    ALL_TYPES,
    Constant,
    Listed,
    Shape,
    ShapeReader,
    constant_of,
    listed_values,
    loosely,
    type_of,
)
from pyfunctools.schema.vocabulary import UNIONS


def meant(
    root: JsonSchema, union: JsonSchema, value: JsonValue, keyword: str | None = None
) -> tuple[str, int] | None:
    """Return the keyword (`oneOf` or `anyOf`) and the index of the branch `value` was meant for.

    See `Unions.meant`; this is it for a single question.
    """
    return Unions(root).meant(union, value, keyword)


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

    def decided(self, value: JsonSchema) -> int | None:
        """Return the only branch that an object may fit; `None` where that is not certain."""
        if not self.certain or self.name not in value:
            return None
        key = constant_of(value[self.name])
        return None if key is None else self.branches.get(key)


class Unions:
    """The unions of one schema: which branch a value was meant for, and what tells them apart.

    `root` is the document that references lead into. What a union says is read once and kept as
    long as this lives, so the schema must not change meanwhile.
    """

    def __init__(self, root: JsonSchema) -> None:
        self._root = root
        # The list is kept beside what was read of it, so that its identity is not used again.
        self._read: dict[int, tuple[JsonValue, list[Shape], Tag | None]] = {}

    def meant(
        self, union: JsonSchema, value: JsonValue, keyword: str | None = None
    ) -> tuple[str, int] | None:
        """Return the keyword and the index of the branch that `value` was meant for.

        `union` is a schema with `oneOf` or `anyOf`; `keyword` says which where both stand. Only the
        outermost choice is given: a branch may be a union again. What decides, in this order:

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
        `None` where nothing tells, or several branches look alike. The answer depends on nothing
        but the arguments; a union is read once, and asked at the cost of the keys of its branches.
        """
        keyword = _keyword(union) if keyword is None else keyword
        if keyword is None:
            return None
        shapes, tag = self._shapes(union, keyword)
        if isinstance(value, dict):
            index = _of_object(shapes, value, tag)
        else:
            index = _of_other(shapes, value)
        return None if index is None else (keyword, index)

    def tag(self, union: JsonSchema, keyword: str | None = None) -> Tag | None:
        """Return what tells the objects of a union apart, or `None` where no one property does."""
        keyword = _keyword(union) if keyword is None else keyword
        return None if keyword is None else self._shapes(union, keyword)[1]

    def _shapes(self, union: JsonSchema, keyword: str) -> tuple[list[Shape], Tag | None]:
        branches = union.get(keyword)
        if not isinstance(branches, list):
            return [], None
        known = self._read.get(id(branches))
        if known is None:
            reader = ShapeReader(self._root)
            shapes = [
                replace(shape, index=index)
                for index, branch in enumerate(branches)
                if isinstance(branch, dict | bool)
                for shape in reader.shapes(branch)
            ]
            tag = _tag(union, branches, shapes)
            if tag is not None and self._is_certain(tag, branches):
                tag = replace(tag, certain=True)
            known = self._read[id(branches)] = (branches, shapes, tag)
        return known[1:]

    def _is_certain(self, tag: Tag, branches: list[JsonValue]) -> bool:
        """Return whether each branch lists its tags itself, or is said to take no object."""
        for index, branch in enumerate(branches):
            schema = resolve(self._root, branch) if isinstance(branch, dict) else None
            kind = schema.get("type") if isinstance(schema, dict) else None
            if not isinstance(schema, dict) or not isinstance(kind, str):
                return False
            if kind != "object":
                continue
            properties = schema.get("properties")
            stated = properties.get(tag.name) if isinstance(properties, dict) else None
            inner = resolve(self._root, stated) if isinstance(stated, dict) else None
            values = listed_values(inner) if isinstance(inner, dict) else None
            keys = [constant_of(value) for value in values or ()]
            if not keys or any(key is None or tag.branches.get(key) != index for key in keys):
                return False
        return True


def _of_object(shapes: list[Shape], value: JsonSchema, tag: Tag | None) -> int | None:
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


def _of_other(shapes: list[Shape], value: JsonValue) -> int | None:
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


def _by_constants(shapes: list[Shape], value: JsonSchema) -> list[Shape]:
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


def _distance(shape: Shape, value: JsonSchema) -> tuple[int, int, int]:
    missing = sum(name not in value for name in shape.required)
    if shape.others or not shape.declared:
        undeclared = 0
    else:
        undeclared = sum(name not in shape.declared for name in value)
    return (missing + undeclared, undeclared, missing - len(shape.required))


def _tag(union: JsonSchema, branches: list[JsonValue], shapes: list[Shape]) -> Tag | None:
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
    name: str, mapping: JsonValue, branches: list[JsonValue], objects: list[Shape]
) -> Tag | None:
    places: dict[str, int] = {}
    names: dict[str, int] = {}
    for index, branch in enumerate(branches):
        reference = branch.get("$ref") if isinstance(branch, dict) else None
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


def _objects(shapes: list[Shape]) -> list[Shape]:
    return [shape for shape in shapes if "object" in shape.types]


def _only(shapes: Iterable[Shape]) -> int | None:
    found = {shape.index for shape in shapes}
    return found.pop() if len(found) == 1 else None


def _most(shapes: list[Shape], counts: list[int]) -> int | None:
    most = max(counts, default=0)
    return _only(shape for shape, count in zip(shapes, counts, strict=True) if count == most)


def _keyword(union: JsonSchema) -> str | None:
    return next((name for name in UNIONS if isinstance(union.get(name), list)), None)
