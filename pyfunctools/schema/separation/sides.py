"""The model's and the human's side of a schema, each written as a schema of its own.

Subschemas of a side's owner stay as they are, those of the other owner are left out, and mixed ones
are built keyword by keyword. A keyword that needs the values of both sides is left out of both: the
merged value is checked by the whole schema. So both parts of a valid value are valid.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Final

from pyfunctools._json import JsonSchema, JsonValue, members_of
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.references import (
    numbered,
    prune,
    reachable_definitions,
    reference_to,
)
from pyfunctools.schema.outline.json_types import listed_values, types_named
from pyfunctools.schema.separation.graph import TOGETHER, Node, same_place
from pyfunctools.schema.separation.ownership import (
    HUMAN,
    LLM,
    OwnedPlace,
    Ownership,
    SideName,
    may_match,
    parts_at,
)
from pyfunctools.schema.vocabulary import (
    ALL_OF,
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
"""The schema of a side without any values."""

NULL: Final[JsonSchema] = {"type": "null"}
"""The human's side of a value without parts, and each side of an item of the other side."""

_KEPT = {"llm": kept_by("llm"), "human": kept_by("human")}
"""Keywords that mean the same for one side as for the whole."""
_CONSTANTS = VALUE_LISTS | {"default"}
"""Keywords that the model's side keeps if nothing in them can be human: no object or array, and in
a touched node no string."""
_PARTED = frozenset({"array", "object"})
_OBJECT = UNDECLARED | {"properties"}
_CONDITIONS = CONJUNCTIVE - {"allOf"} | {"discriminator"}


def side_of(ownership: Ownership, side: SideName) -> JsonSchema:
    """Return one side of the whole schema, complete with its own `$defs`."""
    root = ownership.root
    if root.owner == "mixed":
        return _SideWriter(ownership, side).write()
    return prune(ownership.graph.schema) if root.owner == side else NOTHING


class _SideWriter:
    """Writes one side of a schema.

    Each mixed schema is an empty dict at first, and is filled when its turn in the queue comes: so
    none is written twice, recursion ends, and deep nesting needs no stack. What belongs to this
    side as a whole is not copied, and refers to the definitions of the whole schema; those that are
    written have other names than the `shared` ones.
    """

    def __init__(self, ownership: Ownership, side: SideName, shared: Collection[str] = ()) -> None:
        self._ownership = ownership
        self._side: SideName = side
        self._shared = shared
        self._parts = CertainParts(side)
        self._conditions: dict[OwnedPlace, list[Node]] = {}
        self._whole: list[JsonValue] = []
        self._definitions: dict[str, JsonValue] = {}
        self._names: dict[tuple[Node, OwnedPlace], str] = {}
        self._schemas: dict[tuple[Node, OwnedPlace], dict[str, JsonValue]] = {}
        self._queue: list[tuple[Node, OwnedPlace]] = []

    def write(self) -> JsonSchema:
        graph = self._ownership.graph
        schema = self._at(graph.root, self._ownership.root)
        for node, place in self._queue:  # grows while it is read
            self._schemas[node, place].update(self._mixed(node, place))
        known = members_of(graph.schema.get("$defs"))
        shared = reachable_definitions({"allOf": self._whole}, known) if known else ()
        if not self._definitions.keys().isdisjoint(shared):
            return _SideWriter(self._ownership, self._side, shared).write()
        definitions = {**{name: known[name] for name in shared}, **self._definitions}
        body = schema if isinstance(schema, dict) else {"allOf": [schema]}
        # A part that was written may be left out in the end, and with it what it refers to.
        return prune({**body, "$defs": definitions}) if definitions else body

    def _at(self, node: Node, place: OwnedPlace) -> JsonSchema | bool:
        """Return this side of a node for a mixed place."""
        if not isinstance(node.schema, dict):
            return node.schema
        is_without_parts = self._side == "human" and _has_no_parts(node)
        if is_without_parts or (node.touched and node.is_null):
            return NULL
        key = (node, place)
        if key not in self._schemas:
            self._schemas[key] = {}
            self._queue.append(key)
        return self._schemas[key]

    def _below(self, node: Node, place: OwnedPlace) -> JsonSchema | bool | None:
        """Return this side of a node for a place; `None` if that belongs to the other side."""
        if place.owner == self._side:
            self._whole.append(node.schema)
            return node.schema
        return self._at(node, place) if place.owner == "mixed" else None

    def _reference(self, target: Node, place: OwnedPlace) -> str:
        key = (target, place)
        name = self._names.get(key)
        if name is None:
            taken = self._definitions, self._shared
            names = numbered(target.name)
            name = next(n for n in names if not any(n in each for each in taken))
            self._names[key] = name
            self._definitions[name] = True  # reserved: the target may refer to itself
            self._definitions[name] = self._at(*key)
        return reference_to(name)

    def _discriminator(self, node: Node, place: OwnedPlace) -> dict[str, JsonValue]:
        """Return the tag of a node's `discriminator`, and the branches of unions in its mapping."""
        stated = members_of(node.rules["discriminator"])
        targets = {
            str(part.rules["$ref"]): self._reference(part.target, place)
            for part in node.parts_under(*UNIONS)
            if part.target is not None
        }
        result: dict[str, JsonValue] = {"propertyName": stated.get("propertyName")}
        if isinstance(mapping := stated.get("mapping"), dict):
            named = {tag: targets[str(to)] for tag, to in mapping.items() if str(to) in targets}
            result["mapping"] = named
        return result

    def _mixed(self, node: Node, place: OwnedPlace) -> dict[str, JsonValue]:
        source = node.rules
        result = {key: value for key, value in source.items() if key in _KEPT[self._side]}
        if self._side == "llm":
            result |= _constants(node)
        elif (kinds := types_named(source)) is not None:
            kept = [kind for kind in kinds if kind in _PARTED]
            kept += ["null"] if len(kept) < len(kinds) else []  # stands for a value without parts
            result["type"] = kept[0] if len(kept) == 1 else [*kept]
        if not _OBJECT.isdisjoint(source):
            result |= self._object(node, place)
        if "required" in source:
            result["required"] = [
                name
                for name in node.required
                if self._parts.are_certain(parts_at(node, name), place.child(name))
            ]
        result |= self._array(node, place) | self._in_place(node, place)
        return {key: result[key] for key in (*source, *result) if key in result}

    def _object(self, node: Node, place: OwnedPlace) -> dict[str, JsonValue]:
        """Return this side's part of the keywords for objects.

        The model's part is as open as the whole schema, the human's is closed if it can be.
        """
        is_llm = self._side == "llm"
        is_closed = node.rules.get("additionalProperties") is False
        properties: dict[str, JsonValue] = {}
        own = dict.fromkeys(node.property_names if is_llm else ())
        for name in dict.fromkeys([*own, *place.human_names]):
            child = place.child(name)
            if child.owner == "llm" and name in own:
                properties[name] = self._below(node.parts["properties", name], child)
            elif not is_llm or child.owner == "mixed":
                self._declare(properties, node, name, child)
            if not is_llm and name not in properties and not is_closed:
                properties[name] = self._conditional(place, name)
        result: dict[str, JsonValue] = {}
        if properties or "properties" in node.rules:
            result["properties"] = properties
        places = [*self._patterns(node, place)]
        patterns = {
            pattern: True if child is None else self._below(part, child)
            for pattern, part, child in places
            if not (is_llm and child is None)
        }
        if patterns := {key: inner for key, inner in patterns.items() if inner is not None}:
            result["patternProperties"] = patterns
        rest = node.parts.get(("additionalProperties",))
        child = LLM if rest is None else self._place_of(node, rest, place)
        below = True if child is None else None if rest is None else self._below(rest, child)
        if is_llm:
            # A pattern of several places is left out; then additional properties have to be too.
            if rest is not None and all(child is not None for _, _, child in places):
                result["additionalProperties"] = False if below is None else below
        elif child is not None and below is not None:
            result["additionalProperties"] = below
        elif is_closed or (
            child is not None
            and not any(part.touched and other is not node for other, part in place.unnamed)
        ):
            result["additionalProperties"] = False
        return result

    def _declare(
        self, properties: dict[str, JsonValue], node: Node, name: str, child: OwnedPlace
    ) -> None:
        """Add a property with all schemas of a node for its name, also those of patterns."""
        parts = parts_at(node, name)
        if any(part.schema is False for part in parts):
            return
        schemas = [self._below(part, child) for part in parts]
        if schemas:
            properties[name] = schemas[0] if len(schemas) == 1 else {"allOf": schemas}

    def _conditional(self, place: OwnedPlace, name: str) -> JsonSchema | bool:
        """Return a union of the schemas that conditions have for a name, and of `true`.

        A side has no conditions, and if no condition holds, any value is valid. So it rejects
        nothing, but shows which values are wanted.
        """
        if place not in self._conditions:
            parts = (part for node in place.possible for part in node.parts_under(*_CONDITIONS))
            self._conditions[place] = [*same_place(parts, TOGETHER.union(UNIONS))]
        child, found = place.child(name), list[JsonSchema | bool]()
        for node in self._conditions[place]:
            part = node.parts.get(("properties", name))
            if part is not None and child.owner == "mixed":
                part.name = part.name or name
                found.append({"$ref": self._reference(part, child)})
            elif part is not None and isinstance(schema := self._below(part, child), dict):
                found.append(schema)
        return {"anyOf": [*_unique(found), True]} if found else True

    def _patterns(
        self, node: Node, place: OwnedPlace
    ) -> Iterator[tuple[str, Node, OwnedPlace | None]]:
        """Yield each pattern of a node with its place; `None` if it applies to several places."""
        for keys, part in node.parts.items():
            if keys[0] == "patternProperties":
                pattern = str(keys[1])
                is_human = self._ownership.is_human(part)
                names = () if is_human else place.human_names
                is_shared = any(may_match(pattern, name) for name in names)
                yield pattern, part, None if is_shared else self._place_of(node, part, place)

    def _place_of(self, node: Node, slot: Node, place: OwnedPlace) -> OwnedPlace | None:
        """Return the place of a pattern, or of the additional properties, of a node.

        `None` if other schemas may apply to the same names, so that these are several places.
        """
        if self._ownership.is_human(slot):
            return HUMAN
        patterns = node.parts_under("patternProperties")
        others = [part for part in patterns if part is not slot and slot in patterns]
        others += [part for other, part in place.unnamed if other is not node]
        others = [part for part in others if isinstance(part.schema, dict)]
        if others and any(part.touched for part in (slot, *others)):
            return None
        return self._ownership.place((slot,))

    def _array(self, node: Node, place: OwnedPlace) -> dict[str, JsonValue]:
        result: dict[str, JsonValue] = {}
        first = node.parts_under("prefixItems")
        if first:
            result["prefixItems"] = [
                self._item(part, place.child(index)) for index, part in enumerate(first)
            ]
        rest = node.parts.get(("items",))
        if rest is not None:
            places = {place.child(n) for n in range(len(first), place.width + 1)}
            # The schemas beside it may make several places of the items.
            is_one = rest.schema is False or len(places) == 1
            result["items"] = self._item(rest, places.pop()) if is_one else True
        return result

    def _item(self, part: Node, place: OwnedPlace) -> JsonSchema | bool:
        inner = False if part.schema is False else self._below(part, place)
        return NULL if inner is None else inner

    def _in_place(self, node: Node, place: OwnedPlace) -> dict[str, JsonValue]:
        """Return the reference, the unions and `allOf` of a node, but not its conditions."""
        result: dict[str, JsonValue] = {}
        if node.target is not None:
            result["$ref"] = self._reference(node.target, place)
        members = [self._at(part, place) for part in node.parts_under("allOf")]
        # `anyOf` for `oneOf` too: this side of two alternatives may be the same.
        for keyword in reversed(UNIONS):
            branches = [self._at(part, place) for part in node.parts_under(keyword)]
            if branches and "anyOf" in result:
                members.append({"anyOf": _unique(branches)})
            elif branches:
                result["anyOf"] = _unique(branches)
        if members:
            result["allOf"] = members
        tag = members_of(node.rules.get("discriminator")).get("propertyName")
        if self._side == "llm" and isinstance(tag, str) and place.child(tag) is LLM:
            result["discriminator"] = self._discriminator(node, place)
        return result


def _has_no_parts(node: Node) -> bool:
    """Return whether a node allows no object and no array."""
    kinds, values = types_named(node.rules), listed_values(node.rules)
    if kinds is not None:
        return _PARTED.isdisjoint(kinds)
    return values is not None and not any(isinstance(value, dict | list) for value in values)


def _constants(node: Node) -> dict[str, JsonValue]:
    """Return the constants of a node in which nothing can be human."""
    result: dict[str, JsonValue] = {}
    for key in _CONSTANTS & node.rules.keys():
        value = node.rules[key]
        values = value if key == "enum" and isinstance(value, list) else [value]
        hidden = (dict, list, str) if node.touched else (dict, list)
        if not any(isinstance(inner, hidden) for inner in values):
            result[key] = value
    return result


def _unique(branches: list[JsonSchema | bool]) -> list[JsonSchema | bool]:
    return list({id(branch): branch for branch in branches}.values())


class CertainParts:
    """Decides whether every valid value at a place has a part of one side.

    Types, required properties, and the branches of one union can prove it; without a proof, the
    answer is no. The model gives every value that is no object, the length of every array, and
    picks the branch of every union.
    """

    def __init__(self, side: SideName) -> None:
        self._side: SideName = side
        self._known: dict[tuple[tuple[Node, ...], OwnedPlace], bool] = {}

    def are_certain(self, nodes: Iterable[Node], place: OwnedPlace, depth: int = 0) -> bool:
        """Return whether each value that is valid for these nodes has a part at a place."""
        if place.owner != "mixed":
            return place.owner == self._side
        question = (tuple(nodes), place)
        if question not in self._known:
            self._known[question] = False  # for a question that leads back to itself
            if depth < DEFAULT_LIMITS.depth:
                self._known[question] = self._holds(question[0], place, depth + 1)
        return self._known[question]

    def _holds(self, nodes: tuple[Node, ...], place: OwnedPlace, depth: int) -> bool:
        certain = tuple(same_place(nodes, ALL_OF))
        unions = (node.parts_under(keyword) for node in certain for keyword in reversed(UNIONS))
        branches = next(filter(None, unions), ())
        if self._side == "llm" and (branches or not _are(certain, "object")):
            return True
        readings = (tuple(same_place((*certain, branch), ALL_OF)) for branch in branches)
        return self._has_part(certain, place, depth) or (
            bool(branches) and all(self._has_part(each, place, depth) for each in readings)
        )

    def _has_part(self, nodes: tuple[Node, ...], place: OwnedPlace, depth: int) -> bool:
        """Return whether a required property or item of these nodes has a certain part."""
        steps: list[str | int] = []
        if _are(nodes, "object"):
            steps += dict.fromkeys(name for node in nodes for name in node.required)
        if _are(nodes, "array") and any(node.rules.get("minItems") for node in nodes):
            steps.append(0)
        for step in steps:
            parts = chain.from_iterable(parts_at(node, step) for node in nodes)
            child = place.child(step)
            if self.are_certain(dict.fromkeys(parts), child, depth):
                return True
        return False


def _are(nodes: Iterable[Node], kind: str) -> bool:
    return any(node.rules.get("type") == kind for node in nodes)
