"""References replaced by their definitions, for models that do not see `$defs`.

A definition that is used in many places would be written in each. So places are filled breadth
first: each definition is written where it first occurs, and again as long as the schema grows by
less than a quarter; small ones everywhere. The other references stay, for the rewrite to cut.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable
from json import dumps
from typing import Final, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.ground.references import (
    NON_CONSTRAINING,
    components,
    defined_name,
    definition_of,
    prune,
    recursive_definitions,
)
from pyfunctools.schema.ground.walk import Slot, children, copy_with_slots, subschemas
from pyfunctools.schema.outline.json_types import texts_of

_GROWTH: Final = 0.25
"""The share of a schema's size that may be written a second time."""
_SMALL: Final = 200
"""The most characters of a definition that is always written: a cut has half as many."""
_DEEPEST: Final = 32
"""The most levels of schemas above a definition that replaces a reference."""
_MOST: Final = 10_000
"""The most schemas in a result whose references are replaced further."""

Above: TypeAlias = tuple[str, ...]
"""The definitions around a place, the outermost first."""


def inlined(schema: JsonSchema, *, once: bool = False) -> JsonSchema:
    """Return the schema with every reference that is not recursive replaced by its definition.

    Annotations beside a `$ref` replace those of the definition; with constraints beside it, the
    definition goes under `allOf`. Recursive definitions stay in `$defs`. With `once`, those that
    are referred to twice or with constraints stay too, and the description beside a `$ref` is
    joined with that of the definition.
    """
    schema = prune(schema)
    if "$defs" not in schema:
        return schema
    kept, mapped, uses = set(recursive_definitions(schema)), set[str](), Counter[str]()
    for _, inner in subschemas(schema):
        if not isinstance(inner, dict):
            continue
        if isinstance(reference := inner.get("$ref"), str):
            name = definition_of(reference) or ""
            uses[name] += 1 if NON_CONSTRAINING.issuperset(inner) else 2
        if "discriminator" in inner:
            mapping = members_of(members_of(inner["discriminator"]).get("mapping"))
            mapped |= {definition_of(str(each)) or "" for each in mapping.values()}
    if once:
        kept |= {name for name, count in uses.items() if count > 1}
    starts = [name for name in members_of(schema.get("$defs")) if name in kept | mapped]
    return _written(schema, starts, lambda name, _, __: name not in kept, joined=once)


def inlined_within(schema: JsonSchema, unrolled: int) -> tuple[JsonSchema, dict[str, str]]:
    """Return a schema with references replaced, and the path where each definition is written.

    A recursive definition is nested in itself `unrolled` times; with 0 it stays a definition.
    """
    recursive = recursive_definitions(schema)
    sizes = {name: len(dumps(inner)) for name, inner in members_of(schema.get("$defs")).items()}
    left = _GROWTH * len(dumps(schema))
    placed: dict[str, str] = {}

    def is_written(name: str, path: str, above: Above) -> bool:
        nonlocal left
        if above.count(name) >= (unrolled if name in recursive else 1):
            return False
        again = sizes[name] if name in placed and sizes[name] > _SMALL else 0
        if again > left:
            return False
        left -= again
        placed.setdefault(name, path)
        return True

    return _written(
        schema, () if unrolled else recursive, is_written, joined=True, path="$input"
    ), placed


def _written(
    schema: JsonSchema,
    starts: Iterable[str],
    is_written: Callable[[str, str, Above], bool],
    *,
    joined: bool,
    path: str = "",
) -> JsonSchema:
    """Return a schema, and the definitions `starts`, with others written where `is_written`.

    Without the `path` of the schema no path is made: that takes as long as everything else.
    """
    definitions = members_of(schema.get("$defs"))
    body = {keyword: value for keyword, value in schema.items() if keyword != "$defs"}
    whole: dict[str, JsonValue] = {}
    left: dict[str, JsonValue] = dict(definitions)
    queue = deque[tuple[Slot, str, Above, int]]([(Slot(whole, "", body), path, (), 0)])
    for name in starts:
        queue.append((Slot(left, name, _schema(definitions[name])), path and name, (), 0))
    count = 0
    while queue:
        slot, path, above, level = queue.popleft()
        inner = slot.inner
        while isinstance(inner, dict) and "$ref" in inner:
            name = _target(inner) or ""
            if name not in definitions:
                break
            is_full = max(level, len(above)) > _DEEPEST or count > _MOST
            if is_full or not is_written(name, path, above):
                break
            siblings = {keyword: value for keyword, value in inner.items() if keyword != "$ref"}
            inner = _beside_reference(siblings, _schema(definitions[name]), joined=joined)
            above = (*above, name)
        if not isinstance(inner, dict):
            slot.put(inner)
            continue
        copy, slots = copy_with_slots(inner)
        slot.put(copy)
        count += len(slots)
        for each in slots:
            queue.append((each, path and _below(path, each.steps), above, level + 1))
    made = whole[""]
    return prune({**(made if isinstance(made, dict) else {"allOf": [made]}), "$defs": left})


def _beside_reference(
    siblings: JsonSchema, target: JsonSchema | bool, *, joined: bool
) -> JsonSchema | bool:
    """Return the target of a `$ref` with the keywords beside it; `joined` joins descriptions."""
    if not siblings:
        return target
    if isinstance(target, dict) and all(key in NON_CONSTRAINING for key in siblings):
        described = _descriptions(siblings, target) if joined else dict[str, JsonValue]()
        return {**target, **siblings, **described}
    return {**siblings, "allOf": [target, *items_of(siblings.get("allOf"))]}


def _descriptions(outer: JsonSchema, inner: JsonSchema) -> JsonSchema:
    """Return both descriptions as one, or `{}` if the outer one is enough."""
    text, more = outer.get("description"), inner.get("description")
    if not isinstance(text, str) or not isinstance(more, str) or more.rstrip(" .") in text:
        return {}
    return {"description": more if text.rstrip(" .") in more else f"{text}\n\n{more}"}


def circular_places(schema: JsonSchema) -> tuple[set[int], set[int]]:
    """Return what closes a circle of references without passing an optional property.

    These are the `id` of the required property that a reference is in, or else of the reference.
    """
    definitions = members_of(schema.get("$defs"))
    found: list[tuple[int | None, int, str, str]] = []
    targets: dict[str, set[str]] = {name: set() for name in ("#", *definitions)}
    for owner, own in targets.items():
        start = schema if owner == "#" else _schema(definitions[owner])
        stack: list[tuple[JsonSchema | bool, int | None, set[str]]] = [(start, None, set())]
        while stack:
            inner, member, around = stack.pop()
            if not isinstance(inner, dict):
                continue
            if (target := _target(inner)) in targets:
                found.append((member, id(inner), owner, target))
                own.add(target)
            parts = [inner, *map(members_of, items_of(inner.get("allOf")))]
            required = around.union(*(texts_of(part.get("required")) for part in parts))
            for steps, below in children(inner):
                if steps[0] == "properties":
                    if steps[-1] in required:
                        stack.append((below, id(below), set()))
                elif steps[0] != "$defs":
                    stack.append((below, member, required if steps[0] == "allOf" else set()))
    number = components(targets)
    circular = [(m, place) for m, place, one, other in found if number[one] == number[other]]
    members = {member for member, _ in circular if member is not None}
    return members, {place for member, place in circular if member is None}


def _target(schema: JsonSchema) -> str | None:
    """Return the definition that a schema refers to, or `None`."""
    reference = schema.get("$ref")
    return defined_name(reference) if isinstance(reference, str) else None


def _schema(value: JsonValue) -> JsonSchema | bool:
    return value if isinstance(value, dict | bool) else True


def _below(path: str, steps: Keys) -> str:
    match steps:
        case ("properties", str(name)):
            return str(Path.of((name,), path))
        case ("items" | "prefixItems", *_):
            return path + "[]"
        case ("additionalProperties" | "patternProperties", *_):
            return path + ".*"
        case _:
            return path
