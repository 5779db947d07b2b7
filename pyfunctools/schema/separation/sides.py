"""The model's and the human's side of a schema, each written as a schema of its own.

What is the one's is copied, what is the other's is left out, and what is both's is written anew,
keyword by keyword. A keyword that looks at both sides at once is left off both: the whole is
checked in the end. So whatever fits the schema, its parts fit the sides.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.outline.json_types import types_named
from pyfunctools.schema.separation.graph import Node, declared, prefix, required, spread, under
from pyfunctools.schema.separation.ownership import HUMAN, LLM, OwnedPlace, Ownership
from pyfunctools.schema.separation.side_writer import NULL, SideName, Writer
from pyfunctools.schema.vocabulary import (
    CONJUNCTIVE,
    UNDECLARED,
    UNIONS,
    VALUE_LISTS,
    kept_by,
)

NOTHING: Final[JsonSchema] = {
    "type": "object",
    "properties": {},
    "required": [],
    "additionalProperties": False,
}
"""The side of one to whom nothing belongs."""

_KEPT = {"llm": kept_by("llm"), "human": kept_by("human")}
"""Keywords that say the same of one side as of the whole."""
_CONSTANTS = VALUE_LISTS | {"default"}
"""Keywords that the model's side keeps where nothing in them can be the human's: no object or
array, and no text beside a part of theirs."""
_OBJECT = UNDECLARED | {"properties"}
_CONDITIONS = CONJUNCTIVE - {"allOf"} | {"discriminator"}


def written(ownership: Ownership, part: SideName) -> JsonSchema:
    """Return one side of the whole schema, complete with its own `$defs`."""
    root = ownership.root
    if root.owner in ("llm", "human"):
        return ownership.graph.schema if root.owner == part else NOTHING
    writer = Writer(ownership, part, _filled)
    return writer.finished(writer.at(ownership.graph.root, root))


def _filled(
    writer: Writer, node: Node, source: JsonSchema, place: OwnedPlace
) -> dict[str, JsonValue]:
    result = {key: value for key, value in source.items() if key in _KEPT[writer.part]}
    kinds = types_named(source)
    if writer.part == "human" and kinds is not None:
        kept = [kind for kind in kinds if kind in ("array", "object")]
        kept += ["null"] if len(kept) < len(kinds) else []  # stands for a value without parts
        result["type"] = kept[0] if len(kept) == 1 else [*kept]
    for key in _CONSTANTS & source.keys() if writer.part == "llm" else ():
        value = source[key]
        values = value if key == "enum" and isinstance(value, list) else [value]
        hidden = (dict, list, str) if node.touched else (dict, list)
        if not any(isinstance(inner, hidden) for inner in values):
            result[key] = value
    if not _OBJECT.isdisjoint(source):
        fill = _llm_object if writer.part == "llm" else _human_object
        result |= fill(writer, node, source, place)
    if "required" in source:
        result["required"] = [n for n in required(node) if _is_required(writer, node, place, n)]
    result |= _array(writer, node, place) | _in_place(writer, node, source, place)
    return {key: result[key] for key in (*source, *result) if key in result}


def _is_required(writer: Writer, node: Node, place: OwnedPlace, name: str) -> bool:
    child = writer.own.child(place, name)
    if writer.part == "llm":
        return child.owner in ("llm", "mixed")
    return writer.needs.anything(writer.own.parts(node, name), child)


def _llm_object(
    writer: Writer, node: Node, source: JsonSchema, place: OwnedPlace
) -> dict[str, JsonValue]:
    """Return the model's part of an object, as open as the whole is."""
    properties: dict[str, JsonValue] = {}
    own = dict.fromkeys(declared(node))
    for name in dict.fromkeys([*own, *writer.own.names(place)]):
        child = writer.own.child(place, name)
        if child.owner == "llm" and name in own:
            properties[name] = writer.at(node.parts["properties", name], None)
        elif child.owner == "mixed":
            _declare(writer, properties, node, name, child)
    if node is _first_open(place):
        properties |= _told_sometimes(writer, place)
    result: dict[str, JsonValue] = {}
    if properties or "properties" in source:
        result["properties"] = properties
    patterns = [*_patterns(writer, node, place)]
    kept = {
        pattern: inner
        for pattern, part, child in patterns
        if child is not None and (inner := writer.below(part, child)) is not None
    }
    if kept:
        result["patternProperties"] = kept
    rest = node.parts.get(("additionalProperties",))
    # A pattern that others' names fall under is not told; so neither is what falls under none.
    if rest is not None and all(child is not None for _, _, child in patterns):
        child = _place_of(writer, node, rest, place)
        inner = True if child is None else writer.below(rest, child)
        result["additionalProperties"] = False if inner is None else inner
    return result


def _human_object(
    writer: Writer, node: Node, source: JsonSchema, place: OwnedPlace
) -> dict[str, JsonValue]:
    """Return the human's part of an object, closed where it can be."""
    properties: dict[str, JsonValue] = {}
    is_closed = source.get("additionalProperties") is False
    for name in writer.own.names(place):
        _declare(writer, properties, node, name, writer.own.child(place, name))
        if not is_closed and name not in properties:
            properties[name] = _sometimes(writer, place, name)
    result: dict[str, JsonValue] = {}
    if properties or "properties" in source:
        result["properties"] = properties
    patterns = {
        pattern: True if child is None else writer.below(part, child)
        for pattern, part, child in _patterns(writer, node, place)
        if child is not LLM
    }
    if patterns:
        result["patternProperties"] = patterns
    rest = node.parts.get(("additionalProperties",))
    child = LLM if rest is None else _place_of(writer, node, rest, place)
    if rest is not None and child is not None and child is not LLM:
        result["additionalProperties"] = writer.below(rest, child)
    elif is_closed or (child is not None and not _has_foreign(node, place)):
        result["additionalProperties"] = False
    return result


def _declare(
    writer: Writer, properties: dict[str, JsonValue], node: Node, name: str, child: OwnedPlace
) -> None:
    """Put what a node says of a name among the properties, wherever in the node it says it."""
    parts = writer.own.parts(node, name)
    if any(part.schema is False for part in parts):
        return
    schemas = [writer.below(part, child) for part in parts]
    if schemas:
        properties[name] = schemas[0] if len(schemas) == 1 else {"allOf": schemas}


def _first_open(place: OwnedPlace) -> Node | None:
    """Return the first schema of a place that speaks of properties, and does not forbid others."""
    for node in place.nodes:
        is_closed = node.rules.get("additionalProperties") is False
        if not (_OBJECT.isdisjoint(node.rules) or is_closed):
            return node
    return None


def _told_sometimes(writer: Writer, place: OwnedPlace) -> dict[str, JsonValue]:
    """Return the model's properties that only conditions speak of, which are left off its side."""
    surely = {name for node in spread(place.nodes, UNIONS) for name in declared(node)}
    names = [n for n in place.names if n not in surely and writer.own.child(place, n) is LLM]
    said = {name: _sometimes(writer, place, name) for name in names}
    return {name: schema for name, schema in said.items() if schema is not True}


def _sometimes(writer: Writer, place: OwnedPlace, name: str) -> JsonSchema | bool:
    """Return a union of the schemas that conditions have for a name; both sides lack conditions.

    Where none holds any value is right, so this refuses nothing and says what is wanted.
    """
    conditional = [
        part for node in place.every for keys, part in node.parts.items() if keys[0] in _CONDITIONS
    ]
    parts = [
        n.parts.get(("properties", name)) for n in spread(conditional, CONJUNCTIVE.union(UNIONS))
    ]
    child = writer.own.child(place, name)
    said = [writer.aside(part, child, name) for part in parts if part is not None]
    schemas = _once([one for one in said if isinstance(one, dict)])
    return {"anyOf": [*schemas, True]} if schemas else True


def _patterns(
    writer: Writer, node: Node, place: OwnedPlace
) -> Iterator[tuple[str, Node, OwnedPlace | None]]:
    """Yield each pattern of a node with the place it speaks of, `None` where that is several."""
    for keys, part in node.parts.items():
        if keys[0] == "patternProperties":
            pattern = str(keys[1])
            names = () if writer.own.is_marked(part) else writer.own.names(place)
            is_shared = any(writer.own.matches(pattern, name) for name in names)
            yield pattern, part, None if is_shared else _place_of(writer, node, part, place)


def _place_of(writer: Writer, node: Node, slot: Node, place: OwnedPlace) -> OwnedPlace | None:
    """Return the place that a pattern or the additional properties of a node speak of.

    `None` where others may speak of the same names, so that it is several places.
    """
    if writer.own.is_marked(slot):
        return HUMAN
    patterns = under(node, "patternProperties")
    others = [part for part in patterns if part is not slot and slot in patterns]
    others += [part for other, part in place.unnamed if other is not node]
    others = [part for part in others if isinstance(part.schema, dict)]
    if others and any(part.touched for part in (slot, *others)):
        return None
    return writer.own.place((slot,))


def _has_foreign(node: Node, place: OwnedPlace) -> bool:
    """Return whether something of the human's may come under a name this node says nothing of."""
    return any(part.touched and other is not node for other, part in place.unnamed)


def _array(writer: Writer, node: Node, place: OwnedPlace) -> dict[str, JsonValue]:
    result: dict[str, JsonValue] = {}
    if first := under(node, "prefixItems"):
        children = (writer.own.child(place, index) for index in range(len(first)))
        result["prefixItems"] = list(map(partial(_item, writer), first, children))
    rest = node.parts.get(("items",))
    if rest is not None:
        places = {writer.own.child(place, n) for n in range(prefix(node), place.width + 1)}
        # Where the schemas of others make several places of them, none is told.
        is_one = rest.schema is False or len(places) == 1
        result["items"] = _item(writer, rest, places.pop()) if is_one else True
    return result


def _item(writer: Writer, part: Node, place: OwnedPlace) -> JsonSchema | bool:
    inner = writer.below(part, place)
    if part.schema is False:
        return False
    return NULL if inner is None else inner


def _in_place(
    writer: Writer, node: Node, source: JsonSchema, place: OwnedPlace
) -> dict[str, JsonValue]:
    """Return the reference, unions and `allOf` of a node; conditions look at both sides."""
    result: dict[str, JsonValue] = {}
    if node.target is not None:
        result["$ref"] = writer.reference(node.target, place)
    members = [writer.at(part, place) for part in under(node, "allOf")]
    # Of two alternatives the same may be left: one of them has to fit, or more.
    for keyword in reversed(UNIONS):
        branches = [writer.at(part, place) for part in under(node, keyword)]
        if branches and "anyOf" in result:
            members.append({"anyOf": _once(branches)})
        elif branches:
            result["anyOf"] = _once(branches)
    if members:
        result["allOf"] = members
    value = source.get("discriminator")
    tag = str(value.get("propertyName")) if isinstance(value, dict) else ""
    if writer.part == "llm" and writer.own.child(place, tag) is LLM:
        result |= writer.discriminator(node, source, place)
    return result


def _once(branches: list[JsonSchema | bool]) -> list[JsonSchema | bool]:
    """Return the branches, but those that are one and the same only once."""
    return list({id(branch): branch for branch in branches}.values())
