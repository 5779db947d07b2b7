"""References replaced by their definitions, for models that do not see `$defs`.

A definition that is used in many places would be written in each. So places are filled breadth
first: each definition is written where it first occurs, and again as long as the schema grows by
less than a quarter; small ones everywhere. The other references stay, for the rewrite to cut.
"""

from collections import deque
from json import dumps
from typing import Final

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.ground.references import (
    beside_reference,
    defined_name,
    prune,
    recursive_definitions,
)
from pyfunctools.schema.ground.walk import Slot, children, copy_with_slots
from pyfunctools.schema.outline.json_types import texts_of

_GROWTH: Final = 0.25
"""The share of a schema's size that may be written a second time."""
_SMALL: Final = 200
"""The most characters of a definition that is always written: a cut has half as many."""


def inlined_within(schema: JsonSchema, unrolled: int) -> tuple[JsonSchema, dict[str, str]]:
    """Return a schema with references replaced, and the path where each definition is written.

    A recursive definition is nested in itself `unrolled` times; with 0 it stays a definition.
    """
    definitions = members_of(schema.get("$defs"))
    recursive = recursive_definitions(schema)
    sizes = {name: len(dumps(inner)) for name, inner in definitions.items()}
    left = _GROWTH * len(dumps(schema))
    body = {keyword: value for keyword, value in schema.items() if keyword != "$defs"}
    whole: dict[str, JsonValue] = {}
    kept: dict[str, JsonValue] = dict(definitions)
    placed: dict[str, str] = {}
    queue = deque[tuple[Slot, str, tuple[str, ...]]]([(Slot(whole, "", body), "$input", ())])
    if not unrolled:
        queue += [(Slot(kept, name, _schema(definitions[name])), name, ()) for name in recursive]
    while queue:
        slot, path, above = queue.popleft()
        inner = slot.inner
        while isinstance(inner, dict) and (name := _target(inner) or "") in definitions:
            if above.count(name) >= (unrolled if name in recursive else 1):
                break
            if name in placed and sizes[name] > max(left, _SMALL):
                break
            left -= sizes[name] if name in placed and sizes[name] > _SMALL else 0
            placed.setdefault(name, path)
            siblings = {keyword: value for keyword, value in inner.items() if keyword != "$ref"}
            inner = beside_reference(siblings, _schema(definitions[name]), joined=True)
            above = (*above, name)
        if not isinstance(inner, dict):
            slot.put(inner)
            continue
        copy, slots = copy_with_slots(inner)
        slot.put(copy)
        queue += [(each, _below(path, each.steps), above) for each in slots]
    made = whole[""]
    return prune({**members_of(made), "$defs": kept}), placed


def circular_places(schema: JsonSchema) -> tuple[set[int], set[int]]:
    """Return what closes a circle of references without passing an optional property.

    These are the `id` of the required property that a reference is in, or else of the reference.
    """
    definitions = members_of(schema.get("$defs"))
    found: list[tuple[int | None, int, str, str]] = []
    targets: dict[str, set[str]] = {}
    for owner in ("#", *definitions):
        start = schema if owner == "#" else _schema(definitions[owner])
        stack: list[tuple[JsonSchema | bool, int | None, set[str]]] = [(start, None, set())]
        while stack:
            inner, member, around = stack.pop()
            if not isinstance(inner, dict):
                continue
            if (target := _target(inner)) is not None:
                found.append((member, id(inner), owner, target))
                targets.setdefault(owner, set()).add(target)
            parts = [inner, *map(members_of, items_of(inner.get("allOf")))]
            required = around.union(*(texts_of(part.get("required")) for part in parts))
            for steps, below in children(inner):
                if steps[0] == "properties":
                    if steps[-1] in required:
                        stack.append((below, id(below), set()))
                elif steps[0] != "$defs":
                    stack.append((below, member, required if steps[0] == "allOf" else set()))
    circular = [each for each in found if each[2] in _reached(each[3], targets)]
    members = {member for member, _, _, _ in circular if member is not None}
    return members, {place for member, place, _, _ in circular if member is None}


def _reached(start: str, targets: dict[str, set[str]]) -> set[str]:
    seen, stack = {start}, [start]
    while stack:
        new = targets.get(stack.pop(), set()) - seen
        seen |= new
        stack += new
    return seen


def _target(schema: JsonSchema) -> str | None:
    """Return the definition that a schema refers to, `#` for the whole schema."""
    reference = schema.get("$ref")
    if reference == "#" or not isinstance(reference, str):
        return "#" if reference == "#" else None
    return defined_name(reference)


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
