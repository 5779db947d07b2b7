"""`readOnly` and `writeOnly`: what is never sent, and what never comes back."""

from collections.abc import Iterator

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.references import prune
from pyfunctools.schema.ground.walk import Slot, copy_with_slots, subschemas
from pyfunctools.schema.outline.outline import Outline, Part
from pyfunctools.schema.vocabulary import HOLDING, PER_PROPERTY, TESTED_ONLY, UNIONS

_ASKING = HOLDING | PER_PROPERTY | {"required"}


def without_read_only(schema: JsonSchema) -> JsonSchema:
    """Return a normalized schema without the properties that are `readOnly`: what may be sent.

    They are left out everywhere, in `$defs` too, and nothing requires them any more (OpenAPI 3.0,
    4.7.24). A property is what its schema says it is, or what the schema it refers to says. Gives
    the schema itself where nothing is `readOnly`.
    """
    return _without(schema, "readOnly")


def without_write_only(schema: JsonSchema) -> JsonSchema:
    """Return a normalized schema without the properties that are `writeOnly`: what comes back.

    As `without_read_only`, but for `writeOnly`.
    """
    return _without(schema, "writeOnly")


def _without(root: JsonSchema, mark: str) -> JsonSchema:
    if not any(isinstance(s, dict) and s.get(mark) is True for _, s in subschemas(root)):
        return root
    outline = Outline(root)
    whole: dict[str, JsonValue] = {}
    todo: list[tuple[Slot, Keys, frozenset[str]]] = [(Slot(whole, "", root), (), frozenset())]
    while todo:
        place, keys, outside = todo.pop()
        schema = place.inner
        if not isinstance(schema, dict):
            continue
        hidden = outside
        part = outline.at(keys)
        if part is not None and not _ASKING.isdisjoint(schema):
            hidden |= frozenset(_hidden(part, mark))
        copy, places = copy_with_slots(_relieved(schema, hidden) if hidden else schema)
        place.put(copy)
        for inner in places:
            # With less asked under `if` and `not`, the schema would refuse more.
            if inner.steps[0] not in TESTED_ONLY:
                below = hidden if inner.steps[0] in HOLDING else frozenset[str]()
                todo.append((inner, (*keys, *inner.steps), below))
    result = whole[""]
    return prune(result) if isinstance(result, dict) else root


def _hidden(part: Part, mark: str) -> Iterator[str]:
    """Yield the marked properties of a schema and of what holds together with it."""
    for each in part.parts:
        for name, inner in each.declared.items():
            unions = (inner.branches(keyword) for keyword in UNIONS if keyword in inner.rules)
            some = [[b for b in union if b.schema != {"type": "null"}] for union in unions]
            if _is_marked(inner, mark) or any(
                union and all(_is_marked(branch, mark) for branch in union) for union in some
            ):
                yield name


def _is_marked(part: Part, mark: str) -> bool:
    """Return whether a schema is marked, or what it refers to."""
    return any(each.rules.get(mark) is True for each in part.reference_chain())


def _relieved(schema: JsonSchema, hidden: frozenset[str]) -> JsonSchema:
    """Return a schema without these properties, and without what asks for them."""
    relieved = dict(schema)
    for keyword in PER_PROPERTY:
        named = relieved.get(keyword)
        if isinstance(named, dict):
            relieved[keyword] = {name: v for name, v in named.items() if name not in hidden}
    dependent = relieved.get("dependentRequired")
    if isinstance(dependent, dict):
        relieved["dependentRequired"] = {
            name: [other for other in needed if other not in hidden]
            for name, needed in dependent.items()
            if isinstance(needed, list)
        }
    required = relieved.get("required")
    if isinstance(required, list):
        relieved["required"] = [name for name in required if name not in hidden]
        if not relieved["required"]:
            del relieved["required"]
    return relieved
