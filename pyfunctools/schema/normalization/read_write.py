"""`readOnly` properties, which are never sent, and `writeOnly` ones, which are never returned."""

from collections.abc import Iterator

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.walk import Slot, copy_with_slots
from pyfunctools.schema.outline.outline import Part
from pyfunctools.schema.vocabulary import HOLDING, PER_PROPERTY, TESTED_ONLY, UNIONS

_NAMING = HOLDING | PER_PROPERTY | {"required"}
"""Keywords that may name properties; a schema without them needs no search."""


def relieved(start: Part, mark: str, *, body: JsonSchema | None = None) -> JsonSchema:
    """Return the schema of a part without the properties that bear a mark, everywhere in it.

    With `readOnly` it is one of values to be sent, with `writeOnly` one of values that are returned
    (OpenAPI 3.0, 4.7.24). The mark may be in the schema that a property refers to.
    What its references lead to is not changed: a definition is relieved once, wherever it is used.
    A schema that loses nothing is returned as the same object.
    """
    whole: dict[str, JsonValue] = {}
    found = False
    todo: list[tuple[Slot, Part | None, frozenset[str]]]
    todo = [(Slot(whole, "", start.schema if body is None else body), start, frozenset())]
    while todo:
        slot, part, outside = todo.pop()
        schema = slot.inner
        if not isinstance(schema, dict):
            continue
        hidden = outside
        if part is not None and not _NAMING.isdisjoint(schema):
            hidden |= frozenset(_hidden(part, mark))
        found = found or bool(hidden)
        copy, slots = copy_with_slots(_without_properties(schema, hidden) if hidden else schema)
        slot.put(copy)
        for inner in slots:
            # Fewer constraints under `if` and `not` would make the schema reject more values.
            if inner.steps[0] not in TESTED_ONLY:
                below = hidden if inner.steps[0] in HOLDING else frozenset[str]()
                todo.append((inner, part and part.below(*inner.steps), below))
    result = whole[""]
    if found and isinstance(result, dict):
        return result
    return start.rules if body is None else body


def _hidden(part: Part, mark: str) -> Iterator[str]:
    for each in part.parts:
        for name, inner in each.declared.items():
            unions = (inner.branches(keyword) for keyword in UNIONS if keyword in inner.rules)
            some = [[b for b in union if b.schema != {"type": "null"}] for union in unions]
            if _is_marked(inner, mark) or any(
                union and all(_is_marked(branch, mark) for branch in union) for union in some
            ):
                yield name


def _is_marked(part: Part, mark: str) -> bool:
    return any(each.rules.get(mark) is True for each in part.reference_chain())


def _without_properties(schema: JsonSchema, hidden: frozenset[str]) -> JsonSchema:
    """Return a schema without these properties, and without their names in `required`."""
    result = dict(schema)
    for keyword in PER_PROPERTY:
        named = result.get(keyword)
        if isinstance(named, dict):
            result[keyword] = {name: v for name, v in named.items() if name not in hidden}
    dependent = result.get("dependentRequired")
    if isinstance(dependent, dict):
        result["dependentRequired"] = {
            name: [other for other in needed if other not in hidden]
            for name, needed in dependent.items()
            if isinstance(needed, list)
        }
    required = result.get("required")
    if isinstance(required, list):
        result["required"] = [name for name in required if name not in hidden]
        if not result["required"]:
            del result["required"]
    return result
