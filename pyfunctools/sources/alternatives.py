"""`oneOf` in what is sent, read as its authors mean it: one fitting alternative is enough.

JSON Schema refuses a value that fits two branches of a `oneOf`. Documents write it where `anyOf` is
meant (`oneOf: [integer, number]`), and servers take what fits any branch: read to the letter, a
right call could never be made. So `oneOf` becomes `anyOf` unless its branches are proven apart,
where the two are the same. What is proven is no more than can be seen at a branch: its type, its
constants, and constants of a property that every object among the branches requires.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from typing_extensions import TypeIs

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.references import MAX_HOPS
from pyfunctools.schema.ground.walk import Slot, children, copy_with_slots
from pyfunctools.schema.outline.json_types import Constant, constant_of, listed_values

Find = Callable[[str], JsonSchema | bool | None]
"""Return the schema that a reference leads to, or `None` where it leads nowhere."""

_NEGATED = frozenset({"if", "not"})
"""Keywords below which a schema that takes more would refuse more."""


def loosened(schema: JsonSchema, find: Find) -> JsonSchema:
    """Return the schema with `anyOf` for each `oneOf` whose branches constants do not tell apart.

    The schema is not changed; one without such a `oneOf` is returned itself. What its references
    lead to is looked at for the proof and left as it is.
    """
    if not _has_choice(schema):
        return schema
    whole: dict[str, JsonValue] = {"": schema}
    todo = [Slot(whole, "", schema)]
    while todo:
        place = todo.pop()
        if isinstance(place.inner, dict) and _NEGATED.isdisjoint(place.steps[:1]):
            copy, below = copy_with_slots(place.inner)
            place.put(copy)
            todo += below
            if "oneOf" in copy and _proof(place.inner["oneOf"], find) != "constants":
                _to_any(copy)
    changed = whole[""]
    return changed if isinstance(changed, dict) else schema


def overlapping(schema: JsonSchema | bool, find: Find) -> Iterator[Keys]:
    """Return the steps to each `oneOf` that `loosened` rewrites and nothing proves apart."""
    todo: list[tuple[Keys, JsonSchema | bool]] = [((), schema)]
    for keys, inner in todo:  # grows while it is read
        if isinstance(inner, dict):
            if "oneOf" in inner and _proof(inner["oneOf"], find) is None:
                yield (*keys, "oneOf")
            found = ((steps, each) for steps, each in children(inner) if steps[0] not in _NEGATED)
            todo += [((*keys, *steps), each) for steps, each in found]


def _has_choice(schema: JsonSchema) -> bool:
    todo: list[JsonSchema | bool] = [schema]
    for inner in todo:
        if isinstance(inner, dict):
            if "oneOf" in inner:
                return True
            todo += [each for _, each in children(inner)]
    return False


def _to_any(schema: dict[str, JsonValue]) -> None:
    """Write `oneOf` as `anyOf`, in an `allOf` where an `anyOf` stands beside it: both hold."""
    branches = schema.pop("oneOf")
    if "anyOf" not in schema:
        schema["anyOf"] = branches
        return
    parts = schema.get("allOf")
    schema["allOf"] = [*(parts if isinstance(parts, list) else []), {"anyOf": branches}]


class _Seen(NamedTuple):
    """What can be seen of a branch: all of it holds for every value that fits the branch."""

    types: frozenset[str] | None
    values: frozenset[Constant] | None
    required: frozenset[str]
    constants: dict[str, frozenset[Constant]]


def _proof(branches: JsonValue, find: Find) -> str | None:
    """Return how no value can fit two branches: by `constants`, by `types` alone, or not proven.

    A type of one branch is taken by no other; neither is a constant, nor a tag of the objects.
    """
    listed = branches if isinstance(branches, list) else []
    seen = [_seen(branch, find) for branch in listed if branch is not False]
    if len(seen) < 2:
        return "constants"
    types: Counter[str] = Counter()
    values: Counter[Constant] = Counter()
    objects: list[_Seen] = []
    for branch in seen:
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


def _are_tagged(objects: list[_Seen]) -> bool:
    """True if a property that all of them require has another constant in each."""
    for name in objects[0].constants:
        if all(name in each.required and name in each.constants for each in objects):
            count = Counter(value for each in objects for value in each.constants[name])
            if max(count.values(), default=0) == 1:
                return True
    return False


def _seen(branch: JsonValue, find: Find) -> _Seen:
    types: frozenset[str] | None = None
    values: frozenset[Constant] | None = None
    required: set[str] = set()
    constants: dict[str, frozenset[Constant]] = {}
    for part in _parts(branch, find):
        own = _types(part)
        if own is not None:
            types = own if types is None else types & own
        values = _narrowed(values, _constants(part))
        named = part.get("required")
        required.update(filter(_is_text, named if isinstance(named, list) else []))
        properties = part.get("properties")
        for name, inner in properties.items() if isinstance(properties, dict) else ():
            for narrow in _parts(inner, find):
                if (found := _narrowed(constants.get(name), _constants(narrow))) is not None:
                    constants[name] = found
    return _Seen(types, values, frozenset(required), constants)


def _parts(schema: JsonValue, find: Find) -> Iterator[JsonSchema]:
    """Return the schemas that all hold where this one does: its own, `$ref`s and `allOf` opened."""
    todo: list[JsonValue] = [schema]
    for part in todo:
        if isinstance(part, dict):
            yield part
            reference, merged = part.get("$ref"), part.get("allOf")
            if len(todo) < MAX_HOPS:
                todo += [find(reference)] if isinstance(reference, str) else []
                todo += merged if isinstance(merged, list) else []


def _types(schema: JsonSchema) -> frozenset[str] | None:
    """Return the types that a schema names, as the types that no value has two of."""
    wanted = schema.get("type")
    named = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(named, list) or not all(each in _APART for each in named):
        return None
    types = frozenset(_APART[each] for each in named if isinstance(each, str))
    return types | {"null"} if _is_nullable(schema) else types


def _constants(schema: JsonSchema) -> frozenset[Constant] | None:
    """Return the scalars that a schema lists, or `None` where it lists none, or others too."""
    found = [constant_of(value) for value in listed_values(schema) or ()]
    known = frozenset(value for value in found if value is not None)
    if not found or None in found:
        return None
    return known | {_NULL} if _is_nullable(schema) else known


def _is_nullable(schema: JsonSchema) -> bool:
    return schema.get("nullable") is True or schema.get("x-nullable") is True


def _narrowed(
    known: frozenset[Constant] | None, also: frozenset[Constant] | None
) -> frozenset[Constant] | None:
    return also if known is None else known if also is None else known & also


def _type_of(constant: Constant) -> str:
    kind, value = constant
    return kind or ("null" if value is None else "boolean")


def _is_text(value: JsonValue) -> TypeIs[str]:
    return isinstance(value, str)


_NULL: Constant = ("", None)
_APART = {
    "array": "array",
    "boolean": "boolean",
    "integer": "number",
    "null": "null",
    "number": "number",
    "object": "object",
    "string": "string",
}
