"""A schema written from the top down: copies, references and definitions that fit together."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final, Literal, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.references import reference_to
from pyfunctools.schema.ground.walk import map_children
from pyfunctools.schema.outline.json_types import listed_values, types_named
from pyfunctools.schema.separation.graph import (
    ALTERNATIVES,
    Node,
    is_null,
    required,
    spread,
    under,
)
from pyfunctools.schema.separation.ownership import OwnedPlace, Ownership
from pyfunctools.schema.vocabulary import UNIONS


class Needs:
    """Where every value that fits has something of the human's in it.

    What is found by the types, the required properties and the branches of unions; where that does
    not tell, nothing is needed.
    """

    def __init__(self, ownership: Ownership) -> None:
        self._own = ownership
        self._known: dict[_NodesAtPlace, bool] = {}

    def anything(self, nodes: Iterable[Node], place: OwnedPlace) -> bool:
        """Return whether a value that fits these nodes has something of the human's at a place."""
        if place.owner != "mixed":
            return place.owner == "human"
        claim = (tuple(nodes), place)
        if claim not in self._known:
            self._settle(claim)
        return self._known[claim]

    def _settle(self, claim: "_NodesAtPlace") -> None:
        claims = [claim]
        self._known[claim] = False
        for one in claims:  # grows while it is read
            for nodes in self._readings(one):
                new = [c for c in self._below(nodes, one[1]) if c not in self._known]
                self._known |= dict.fromkeys(new, False)
                claims += dict.fromkeys(new)
        count = -1
        while count != (count := sum(self._known[one] for one in claims)):
            for one in reversed(claims):  # from the leaves up: mostly one round is enough
                self._known[one] = self._known[one] or self._holds(one)

    def _holds(self, claim: "_NodesAtPlace") -> bool:
        first, *others = (
            any(c[1].owner == "human" or self._known[c] for c in self._below(nodes, claim[1]))
            for nodes in self._readings(claim)
        )
        return first or (bool(others) and all(others))

    def _readings(self, claim: "_NodesAtPlace") -> list[tuple[Node, ...]]:
        """Return the nodes that certainly hold, then those of each branch of the first union."""
        nodes = tuple(spread(claim[0], _TOGETHER))
        unions = (under(node, keyword) for node in nodes for keyword in reversed(UNIONS))
        branches = next(filter(None, unions), ())
        return [nodes, *(tuple(spread((*nodes, branch), _TOGETHER)) for branch in branches)]

    def _below(self, nodes: tuple[Node, ...], place: OwnedPlace) -> Iterator["_NodesAtPlace"]:
        """Yield the claims one step further: values that are certainly there and may be theirs."""
        steps: list[str | int] = []
        if _are(nodes, "object"):
            steps += dict.fromkeys(name for node in nodes for name in required(node))
        if _are(nodes, "array") and any(map(_at_least_one, nodes)):
            steps.append(0)
        for step in steps:
            child = self._own.child(place, step)
            if child.owner in ("human", "mixed"):
                parts = (self._own.parts(node, step) for node in nodes)
                yield tuple(dict.fromkeys(chain.from_iterable(parts))), child


_NodesAtPlace: TypeAlias = tuple[tuple[Node, ...], OwnedPlace]
_TOGETHER = frozenset({"allOf"})


def _are(nodes: Iterable[Node], kind: str) -> bool:
    return any(node.rules.get("type") == kind for node in nodes)


def _at_least_one(node: Node) -> bool:
    least = node.rules.get("minItems")
    return isinstance(least, int | float) and least >= 1


SideName: TypeAlias = Literal["llm", "human"]
"""The side that is written."""

Fill: TypeAlias = "Callable[[Writer, Node, JsonSchema, OwnedPlace], dict[str, JsonValue]]"
"""What gives one side of what a node says of a place that is both's."""

NULL: Final[JsonSchema] = {"type": "null"}
"""What the human gives for a value that has no parts, and each side for an item of the other's."""


class Writer:
    """Writes one side of a schema.

    Every schema gets its dict at once, and what is in it when its turn comes; so nothing is written
    twice, recursion ends by itself and no depth of nesting costs stack.
    """

    def __init__(self, ownership: Ownership, part: SideName, fill: Fill) -> None:
        self.own = ownership
        self.part: SideName = part
        self.needs = Needs(ownership)
        self._fill = fill
        self._definitions: dict[str, JsonValue] = {}
        self._names: dict[tuple[Node, OwnedPlace | None], str] = {}
        self._begun: dict[tuple[Node, OwnedPlace | None], dict[str, JsonValue]] = {}
        self._queue: list[tuple[Node, JsonSchema, OwnedPlace | None]] = []

    def finished(self, schema: JsonSchema | bool) -> JsonSchema:
        """Return a schema with all that was begun for it filled in, and its definitions."""
        for node, source, place in self._queue:  # grows while it is read
            whole = self.copied(node, source, None) if place is None else None
            filled = self._fill(self, node, source, place) if place is not None else whole
            self._begun[node, place].update(filled or {})
        body = schema if isinstance(schema, dict) else {"allOf": [schema]}
        return {**body, "$defs": self._definitions} if self._definitions else body

    def at(self, node: Node, place: OwnedPlace | None) -> JsonSchema | bool:
        """Return this side of what a node says of a place that is both's, or with none a copy."""
        source = node.schema
        if not isinstance(source, dict) or (place is None and not node.linked):
            return source
        if place is not None and (self._has_no_parts(source) or (node.touched and is_null(node))):
            return NULL
        begun = self._begun.get((node, place))
        if begun is None:
            begun = self._begun[node, place] = {}
            self._queue.append((node, source, place))
        return begun

    def below(self, node: Node, place: OwnedPlace) -> JsonSchema | bool | None:
        """Return this side of what a node says of its place, `None` where that is the other's."""
        if place.owner == self.part:
            return self.at(node, None)
        return None if place.owner in ("llm", "human") else self.at(node, place)

    def aside(self, node: Node, place: OwnedPlace, name: str) -> JsonSchema | bool | None:
        """Return the same for where the node does not stand: what may lead back is referred to."""
        if not node.linked or place.owner not in (self.part, "mixed"):
            return self.below(node, place)
        node.name = node.name or name
        return {"$ref": self.reference(node, place if place.owner == "mixed" else None)}

    def reference(self, target: Node, place: OwnedPlace | None) -> str:
        """Return a reference to the definition of `at(target, place)`."""
        key = (target, place)
        name = self._names.get(key)
        if name is None:
            name, number = target.name, 1
            while name in self._definitions:
                number += 1
                name = f"{target.name}_{number}"
            self._names[key] = name
            self._definitions[name] = True  # taken, should the target lead back to itself
            self._definitions[name] = self.at(*key)
        return reference_to(name)

    def copied(
        self, node: Node, source: JsonSchema, place: OwnedPlace | None
    ) -> dict[str, JsonValue]:
        """Return a copy with every subschema as it is `at` this place, and references that hold."""
        body = {key: value for key, value in source.items() if key != "$defs"}
        copy = map_children(body, lambda steps, _: self.at(node.parts[steps], place))
        if node.target is not None:
            copy["$ref"] = self.reference(node.target, place)
        return copy | self.discriminator(node, source, place)

    def discriminator(
        self, node: Node, source: JsonSchema, place: OwnedPlace | None
    ) -> dict[str, JsonValue]:
        """Return the `discriminator`, if there is one, with references to where the branches are.

        At a place of both it has no more than the tag and the branches, and no heirs.
        """
        value = source.get("discriminator")
        if not isinstance(value, dict):
            return {} if value is None or place is not None else {"discriminator": value}
        kept = ALTERNATIVES if place is None else UNIONS
        targets = {
            str(part.rules["$ref"]): self.reference(part.target, place)
            for keys, part in node.parts.items()
            if keys[0] in kept and part.target is not None
        }
        result = dict(value) if place is None else {"propertyName": value.get("propertyName")}
        mapping, default = value.get("mapping"), str(result.pop("defaultMapping", None))
        if isinstance(mapping, dict):
            named = {tag: targets[str(to)] for tag, to in mapping.items() if str(to) in targets}
            result["mapping"] = named
        if default in targets:
            result["defaultMapping"] = targets[default]
        return {"discriminator": result}

    def _has_no_parts(self, schema: JsonSchema) -> bool:
        if self.part == "llm":
            return False
        kinds, values = types_named(schema), listed_values(schema)
        if kinds is not None:
            return not any(kind in ("array", "object") for kind in kinds)
        return values is not None and not any(isinstance(v, dict | list) for v in values)
