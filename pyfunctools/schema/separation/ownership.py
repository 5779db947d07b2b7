"""Whose a place in the arguments is: a function of the path to it, and of nothing in the value.

A place is the human's, the model's, or both's: then what stands there is split in its parts. A
place with alternatives is the human's whole as soon as one of them but null is: whoever gave a
value there could choose the human's. So the model never fills what a person should:

    pay: anyOf [{card, limit: human}, {iban}]     both's: the model gives card or iban
    pay: anyOf [{pin: human}, {iban}]             the human's, and so is `pay` in each branch

All that may stand at a place is read together, whichever branch it is said in: a name that is the
human's in one is so in all, and in objects that do not declare it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from json import dumps
from typing import Final, Literal, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.separation.graph import (
    ALTERNATIVES,
    IN_PLACE,
    Graph,
    Node,
    above,
    declared,
    prefix,
    required,
    spread,
)
from pyfunctools.schema.separation.whole_nodes import (
    Settled,
    alternatives,
    has_slots,
    is_alternative,
    is_undivided,
    settle,
    takes_more,
)
from pyfunctools.schema.validation.validator import Validator
from pyfunctools.schema.vocabulary import (
    BELOW,
    REMARKS,
    UNDECLARED,
    VALUE_LISTS,
)

Owner: TypeAlias = Literal["llm", "human", "mixed"]
"""Whose a place is: the model's or the human's with all that is below it, or both's in its
parts."""


@dataclass(slots=True, eq=False)
class OwnedPlace:
    """All that a schema says of one place in the arguments; equal to none but itself.

    `nodes` are the subschemas that hold there, references followed and `allOf` spread. `every` are
    all that may hold there, unions and conditions spread too. `names` are the properties that are
    declared, with those who say it that speak of no others; `unnamed` is what is said of others,
    and by whom. `width` is how many items have schemas of their own; those after them are alike.
    """

    owner: Owner
    nodes: tuple[Node, ...] = ()
    every: tuple[Node, ...] = ()
    names: dict[str, list[Node]] = field(init=False, repr=False)
    unnamed: list[tuple[Node, Node]] = field(init=False, repr=False)
    width: int = field(init=False, repr=False)
    known: "dict[str | int, OwnedPlace]" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.names = {}
        self.unnamed = [
            (node, part)
            for node in self.every
            for keys, part in node.parts.items()
            if keys[0] in UNDECLARED
        ]
        speaking = {node for node, _ in self.unnamed}
        for node in self.every:
            for name in declared(node):
                self.names.setdefault(name, []).extend(() if node in speaking else (node,))
        self.width = max(map(prefix, self.every), default=0)
        self.known = {}


LLM: Final = OwnedPlace(owner="llm")
HUMAN: Final = OwnedPlace(owner="human")


class Ownership:
    """The places of one schema."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._places: dict[object, OwnedPlace] = {}
        self._names: dict[OwnedPlace, list[str]] = {}
        self._patterns: dict[str, Validator] = {}
        self._coarse: set[Node] = set()
        self._numbers: dict[str, int] = {}
        self._told_at: dict[tuple[Node, OwnedPlace], int] = {}
        self._losing: set[Node] | None = None
        self._settled = Settled(frozenset(), frozenset())
        if graph.root.touched:
            self._settle()
        self.root = self.place((graph.root,))

    def _settle(self) -> None:
        """Settle whose each subschema is by itself; what cannot be split counts as marked."""
        nodes = self.graph.nodes
        while True:
            self._settled = settle(self.graph, self._coarse)
            self._places.clear()
            self._told_at.clear()
            self._losing = None
            new = {
                node
                for node in nodes
                if node.touched
                and not self._settled.is_humans(node)
                and (self._has_a_gap(node) or self._is_guessed(node))
            }
            if not new:
                return
            self._coarse |= new

    def _has_a_gap(self, node: Node) -> bool:
        """Return whether an item is the human's for one of its alternatives.

        In an array nothing can be left out: then the whole array is the human's.
        """
        items = (part for keys, part in node.parts.items() if keys[0] in _ITEMS and part.touched)
        return any(self._settled.is_humans(part) and self._is_lost(part) for part in items)

    def _is_guessed(self, node: Node) -> bool:
        """Return whether the model could not pick one of the alternatives that hold parts of both.

        Then only the human's values tell them apart.
        """
        unions = [one for one in alternatives(node) if any(branch.touched for branch in one)]
        if not unions or has_slots(node, self._settled.model):
            return False
        place = self.place((node,))
        stated = node.rules.get("discriminator")
        if isinstance(stated, dict):
            return self.child(place, str(stated.get("propertyName"))) is HUMAN
        for branches in unions:
            told: dict[int, Node] = {}
            for branch in branches:
                other = told.setdefault(self._told(branch, place), branch)
                if other is not branch and (other.touched or branch.touched):
                    return True
        return False

    def _told(self, node: Node, place: OwnedPlace, depth: int = 0) -> int:
        """Return a number for what the model may write at a node: the same for the same."""
        known = self._told_at.get((node, place))
        if known is not None:
            return known
        self._told_at[node, place] = -1  # should it lead back to itself
        said: list[JsonValue] = []
        for one in spread((node,), _TOGETHER) if depth < _DEEP else ():
            own: dict[str, JsonValue] = {k: one.rules[k] for k in _TELLING & one.rules.keys()}
            own["required"] = [n for n in required(one) if self.child(place, n) is not HUMAN]
            for keys, part in one.parts.items():
                child = place
                if keys[0] in BELOW:
                    is_named = keys[0] == "properties"
                    child = self.child(place, keys[1]) if is_named else self.place((part,))
                elif keys[0] not in ALTERNATIVES:
                    continue
                if child.owner == "mixed":
                    own["/".join(map(str, keys))] = self._told(part, child, depth + 1)
                elif child is LLM and isinstance(part.schema, dict):
                    own["/".join(map(str, keys))] = _without_words(part.schema)
            said.append(own)
        number = self._numbers.setdefault(dumps(said, sort_keys=True), len(self._numbers))
        self._told_at[node, place] = number
        return number

    def lost(self) -> Iterator[Path]:
        """Yield the places that are the human's whole though a part of them was the model's."""
        todo, seen = [(self.graph.root, Path.of(()))], set[Node]()
        for node, path in todo:  # grows while it is read
            if node in seen or not node.touched:
                continue
            seen.add(node)
            if self._settled.is_humans(node):
                if self._is_lost(node):
                    yield path
                continue
            for keys, part in node.parts.items():
                below = path
                if keys[0] in BELOW:
                    is_one = keys[0] in ("properties", "prefixItems")
                    below = Path.of((keys[1],), root=path) if is_one else Path(path + "[*]")
                todo.append((part, below))
            if node.target is not None:
                todo.append((node.target, path))

    def _is_lost(self, node: Node) -> bool:
        """Return whether something of the model's is in what became the human's without a mark."""
        if self._losing is None:
            losing = filter(self._loses, self.graph.nodes)
            self._losing = above(
                losing, self.graph.held_by, lambda _, held_by, __: not held_by.marked
            )
        return node in self._losing and not node.marked

    def _loses(self, node: Node) -> bool:
        if node.marked or not node.touched:
            return False
        if node in self._coarse or is_undivided(node):
            return True
        if node not in self._settled.human and takes_more(node):
            return True
        return any(
            any(branch.touched for branch in branches)
            and any(is_alternative(b) and not self._settled.is_humans(b) for b in branches)
            for branches in alternatives(node)
        )

    def place(self, nodes: Iterable[Node]) -> OwnedPlace:
        """Return the place of which these subschemas speak."""
        nodes = tuple(nodes)
        if any(node in self._settled.human for node in nodes):
            return HUMAN
        if not any(node.touched for node in nodes):
            return LLM
        if not any(node in self._settled.model for node in nodes):
            return HUMAN
        together = tuple(node for node in spread(nodes, _TOGETHER) if _says_anything(node))
        key = frozenset(together)
        place = self._places.get(key)
        if place is None:
            place = OwnedPlace("mixed", together, tuple(spread(nodes, IN_PLACE)))
            self._places[key] = place
        return place

    def child(self, place: OwnedPlace, step: str | int) -> OwnedPlace:
        """Return the place one step further."""
        if place is LLM or place is HUMAN:
            return place
        if isinstance(step, int):
            step = min(step, place.width)
        found = place.known.get(step)
        if found is None:
            found = self._child(place, step)
            if isinstance(step, int) or step in place.names:
                place.known[step] = found
        return found

    def _child(self, place: OwnedPlace, step: str | int) -> OwnedPlace:
        nodes: Iterable[Node] = place.every
        if isinstance(step, str):
            nodes = dict.fromkeys(
                (*place.names.get(step, ()), *(node for node, _ in place.unnamed))
            )
        return self.place(part for node in nodes for part in self.parts(node, step))

    def names(self, place: OwnedPlace) -> list[str]:
        """Return the declared properties of a place that are not the model's alone."""
        known = self._names.get(place)
        if known is None:
            known = [name for name in place.names if self.child(place, name) is not LLM]
            self._names[place] = known
        return known

    def at(self, path: Iterable[str | int]) -> Iterator[OwnedPlace]:
        """Yield each place on the way along a path, the root first."""
        place = self.root
        yield place
        for step in path:
            place = self.child(place, step)
            yield place

    def is_marked(self, node: Node) -> bool:
        """Return whether a node makes every place it speaks of the human's."""
        return node in self._settled.human

    def parts(self, node: Node, step: str | int) -> list[Node]:
        """Return the parts of one subschema that speak of the place one step further.

        Not what it says under conditions that look at the whole value (`contains`, `unevaluated*`):
        with a mark in one of those the whole is the human's.
        """
        if isinstance(step, int):
            item = node.parts.get(("prefixItems", step)) or node.parts.get(("items",))
            return [] if item is None else [item]
        own = node.parts.get(("properties", step))
        patterns = node.rules.get("patternProperties")
        found = [
            node.parts["patternProperties", pattern]
            for pattern in (patterns if isinstance(patterns, dict) else ())
            if ("patternProperties", pattern) in node.parts and self.matches(pattern, step)
        ]
        if own is not None or found:
            return [*([] if own is None else [own]), *found]
        rest = node.parts.get(("additionalProperties",))
        return [] if rest is None else [rest]

    def matches(self, pattern: str, name: str) -> bool:
        """Return whether a property falls under a pattern, by the engine that validates."""
        validator = self._patterns.get(pattern)
        if validator is None:
            validator = self._patterns[pattern] = Validator({"patternProperties": {pattern: False}})
        try:
            return not validator.is_valid({name: None})
        except SchemaError:
            return True


_TOGETHER = frozenset({"allOf"})
_ITEMS = frozenset({"items", "prefixItems"})
_TELLING = VALUE_LISTS | {"type"}
_WORDS = REMARKS | {"default", "description"}
_SAYING_NOTHING = _WORDS - {"default"} | _TOGETHER | {"$defs", "$ref"}
_DEEP = 16
"""Levels below alternatives in which is looked for what tells them apart."""


def _says_anything(node: Node) -> bool:
    return not isinstance(node.schema, dict) or not _SAYING_NOTHING.issuperset(node.schema)


def _without_words(schema: JsonSchema) -> JsonSchema:
    return {key: value for key, value in schema.items() if key not in _WORDS}
