"""`readOnly` properties, which are never sent, and `writeOnly` ones, which are never returned."""

from collections.abc import Iterator

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.references import prune
from pyfunctools.schema.ground.walk import Slot, copy_with_slots, subschemas
from pyfunctools.schema.outline.outline import Outline, Part
from pyfunctools.schema.vocabulary import HOLDING, PER_PROPERTY, TESTED_ONLY, UNIONS

_NAMING = HOLDING | PER_PROPERTY | {"required"}
"""Keywords that may name properties; a schema without them needs no search."""


def without_read_only(schema: JsonSchema) -> JsonSchema:
    """Return a normalized schema of values to be sent: without `readOnly` properties.

    They are removed everywhere, in `$defs` and `required` too (OpenAPI 3.0, 4.7.24). The mark may
    be in the property's schema, or in the schema that it refers to. A schema without marks is
    returned as the same object.
    """
    return _without(schema, "readOnly")


def without_write_only(schema: JsonSchema) -> JsonSchema:
    """Return a normalized schema of values that are returned: without `writeOnly` properties.

    Like `without_read_only`, for `writeOnly`.
    """
    return _without(schema, "writeOnly")


def _without(root: JsonSchema, mark: str) -> JsonSchema:
    if not any(isinstance(s, dict) and s.get(mark) is True for _, s in subschemas(root)):
        return root
    outline = Outline(root)
    whole: dict[str, JsonValue] = {}
    todo: list[tuple[Slot, Keys, frozenset[str]]] = [(Slot(whole, "", root), (), frozenset())]
    while todo:
        slot, keys, outside = todo.pop()
        schema = slot.inner
        if not isinstance(schema, dict):
            continue
        hidden = outside
        part = outline.at(keys)
        if part is not None and not _NAMING.isdisjoint(schema):
            hidden |= frozenset(_hidden(part, mark))
        copy, slots = copy_with_slots(_without_properties(schema, hidden) if hidden else schema)
        slot.put(copy)
        for inner in slots:
            # Fewer constraints under `if` and `not` would make the schema reject more values.
            if inner.steps[0] not in TESTED_ONLY:
                below = hidden if inner.steps[0] in HOLDING else frozenset[str]()
                todo.append((inner, (*keys, *inner.steps), below))
    result = whole[""]
    return prune(result) if isinstance(result, dict) else root


def _hidden(part: Part, mark: str) -> Iterator[str]:
    """Yield the marked properties of a schema and of the schemas that apply with it."""
    for each in part.parts:
        for name, inner in each.declared.items():
            unions = (inner.branches(keyword) for keyword in UNIONS if keyword in inner.rules)
            some = [[b for b in union if b.schema != {"type": "null"}] for union in unions]
            if _is_marked(inner, mark) or any(
                union and all(_is_marked(branch, mark) for branch in union) for union in some
            ):
                yield name


def _is_marked(part: Part, mark: str) -> bool:
    """Return whether a schema is marked, or a schema that it refers to."""
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
