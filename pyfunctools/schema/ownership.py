"""Whose a place in the arguments is: a function of the path to it, and of nothing in the value."""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal, TypeAlias

from pyfunctools.errors import SchemaError
from pyfunctools.schema.marks import Graph
from pyfunctools.schema.nodes import (
    IN_PLACE,
    MEMBERS,
    UNIONS,
    UNNAMED,
    Node,
    declared,
    is_null,
    opened,
    prefix,
    required,
)
from pyfunctools.schema.settle import settle
from pyfunctools.schema.validate import Validator

Owner: TypeAlias = Literal["llm", "human", "mixed", "either"]
"""Whose a place is: the model's or the human's with all that is below it, both's in its parts, or
that one's who gives it, the human before the model."""


@dataclass(slots=True, eq=False)
class Place:
    """All that a schema says of one place in the arguments; equal to none but itself.

    `nodes` are the subschemas that hold there, references followed and `allOf` opened. `theirs` are
    the alternatives among them that are the human's. `every` are all that may hold there, unions
    and conditions opened too, without `theirs`. `names` are the properties that are declared,
    `unnamed` what is said of others, with the keyword and who says it, and `width` is how many
    items have schemas of their own; those after them are all alike.
    """

    owner: Owner
    nodes: tuple[Node, ...] = ()
    theirs: tuple[Node, ...] = ()
    every: tuple[Node, ...] = ()
    names: dict[str, None] = field(init=False, repr=False)
    unnamed: list[tuple[Node, str, Node]] = field(init=False, repr=False)
    width: int = field(init=False, repr=False)
    known: "dict[str | int, Place]" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        every = (*self.every, *opened(self.theirs, IN_PLACE))
        self.names = dict.fromkeys(name for node in every for name in declared(node))
        self.unnamed = [
            (node, str(keys[0]), part)
            for node in self.every
            for keys, part in node.parts.items()
            if keys[0] in UNNAMED
        ]
        self.width = max(map(prefix, every), default=0)
        self.known = {}


LLM: Final = Place(owner="llm")
HUMAN: Final = Place(owner="human")


class Ownership:
    """The places of one schema."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._places: dict[object, Place] = {}
        self._names: dict[Place, list[str]] = {}
        self._patterns: dict[str, Validator] = {}
        self._human: Set[Node] = frozenset()
        self._model: Set[Node] = frozenset()
        if graph.root.touched:
            self._settle()
        root = self.place((graph.root,))
        # An argument is always given, if only as {}: nobody can say by it that it is not theirs.
        self.root = HUMAN if root.owner == "either" else root

    def _settle(self) -> None:
        """Say of each subschema whose it is by itself.

        In an array nothing can be left out, so what is either's cannot be an item: then the whole
        array is the human's.
        """
        coarse: set[Node] = set()
        while True:
            self._human, self._model = settle(self.graph.nodes, coarse)
            self._places.clear()
            arrays = {
                node
                for node in self.graph.nodes
                if node.touched and node not in self._human
                for steps, part in node.parts.items()
                if steps[0] in _ITEMS and self.place((part,)).owner == "either"
            }
            if not arrays:
                return
            coarse |= arrays

    def place(self, nodes: Iterable[Node], theirs: Iterable[Node] = ()) -> Place:
        """Give the place of which these subschemas speak."""
        nodes, theirs = tuple(nodes), tuple(theirs)
        if any(node in self._human for node in nodes):
            return HUMAN
        if not theirs and not any(node.touched for node in nodes):
            return LLM
        together = tuple(node for node in opened(nodes, _TOGETHER) if _says_anything(node))
        key = (frozenset(together), frozenset(theirs))
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = self._place(together, theirs)
        return place

    def _place(self, nodes: tuple[Node, ...], theirs: tuple[Node, ...]) -> Place:
        if theirs:
            return Place("mixed", nodes, theirs, tuple(opened(nodes, IN_PLACE)))
        if not any(node in self._model for node in nodes):
            return HUMAN
        alternatives = self._alternatives(nodes)
        if alternatives:
            every = tuple(opened(nodes, IN_PLACE, without=alternatives))
            is_told = not self._collide(opened(alternatives, IN_PLACE), every)
            return Place("either", nodes, alternatives, every) if is_told else HUMAN
        if any(node in self._human for node in opened(nodes, _TOGETHER | UNIONS | MEMBERS)):
            return HUMAN
        return Place("mixed", nodes, (), tuple(opened(nodes, IN_PLACE)))

    def child(self, place: Place, step: str | int) -> Place:
        """Give the place one step further."""
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

    def _child(self, place: Place, step: str | int) -> Place:
        nodes = [part for node in place.every for part in self.parts(node, step)]
        if not place.theirs:
            return self.place(nodes)
        others = tuple(opened(place.theirs, IN_PLACE))
        theirs = [part for node in others for part in self.parts(node, step)]
        if any(map(self._is_theirs, theirs)):
            return HUMAN
        is_theirs = any(step in declared(node) for node in others)
        is_models = any(step in (*declared(node), *required(node)) for node in place.every)
        return HUMAN if is_theirs and not is_models else self.place(nodes, theirs)

    def names(self, place: Place) -> list[str]:
        """Give the declared properties of a place that are not the model's alone."""
        known = self._names.get(place)
        if known is None:
            known = [name for name in place.names if self.child(place, name) is not LLM]
            self._names[place] = known
        return known

    def at(self, path: Iterable[str | int]) -> Iterator[Place]:
        """Give each place on the way along a path, the root first."""
        place = self.root
        yield place
        for step in path:
            place = self.child(place, step)
            yield place

    def is_marked(self, node: Node) -> bool:
        """Say whether a node makes every place it speaks of the human's."""
        return node in self._human

    def parts(self, node: Node, step: str | int, *, surely: bool = False) -> list[Node]:
        """Give what one subschema says of the place one step further.

        With `surely` only what it says whatever else is in the value; which items are contained and
        which properties are evaluated depends on that.
        """
        if isinstance(step, int):
            return _of_item(node, step, surely)
        if not isinstance(node.schema, dict):
            return []
        own = node.parts.get(("properties", step))
        patterns = node.schema.get("patternProperties")
        found = [
            node.parts["patternProperties", pattern]
            for pattern in (patterns if isinstance(patterns, dict) else ())
            if ("patternProperties", pattern) in node.parts and self.matches(pattern, step)
        ]
        if own is not None or found:
            return [*([] if own is None else [own]), *found]
        keywords = ["additionalProperties", *([] if surely else ["unevaluatedProperties"])]
        return _first(node, keywords)

    def matches(self, pattern: str, name: str) -> bool:
        """Say whether a property falls under a pattern, by the engine that validates."""
        validator = self._patterns.get(pattern)
        if validator is None:
            validator = self._patterns[pattern] = Validator({"patternProperties": {pattern: False}})
        try:
            return not validator.is_valid({name: None})
        except SchemaError:
            return True

    def _alternatives(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """Give the human's alternatives here, if there is nothing else of the human's.

        They are branches of one union, or of unions that are branches of it. None are given where
        a branch has parts of both, or a name of the human's is one of the model's too: then what
        is the human's is told by the names.
        """
        theirs: list[Node] = []
        others: list[Node] = []
        seen: set[Node] = set()
        groups = [nodes]
        for group in groups:
            branches = _only_union(group)
            if branches is None or not seen.isdisjoint(group):
                return ()
            seen.update(group)
            for branch in branches:
                if is_null(branch) and branch not in self._human:
                    continue
                if self._is_theirs(branch):
                    theirs.append(branch)
                elif branch.touched:
                    groups.append(tuple(opened((branch,), _TOGETHER)))
                else:
                    others.append(branch)
        rest = opened((*nodes, *others), IN_PLACE, without=theirs)
        names = {name for node in rest for name in (*declared(node), *required(node))}
        is_shared = any(
            self._is_theirs(part)
            for node in opened(theirs, IN_PLACE)
            for name in names
            for part in self.parts(node, name)
        )
        return () if is_shared or not others else tuple(theirs)

    def _collide(self, theirs: Iterable[Node], others: Iterable[Node]) -> bool:
        """Say whether any item, or any name, may be the human's in one alternative and the model's
        in another."""
        slots = [(str(keys[0]), part) for node in theirs for keys, part in node.parts.items()]
        human = {keyword for keyword, part in slots if self._is_theirs(part)}
        model = {
            str(keys[0])
            for node in others
            for keys, part in node.parts.items()
            if part.schema is not False
        }
        kinds = (_ITEMS, UNNAMED)
        return any(not kind.isdisjoint(human) and not kind.isdisjoint(model) for kind in kinds)

    def _is_theirs(self, node: Node) -> bool:
        return node in self._human or (node.touched and node not in self._model)


_TOGETHER = frozenset({"allOf"})
_ITEMS = frozenset({"additionalItems", "contains", "items", "prefixItems", "unevaluatedItems"})
_SAYING_NOTHING = frozenset(
    {"$comment", "$defs", "$ref", "$schema", "allOf", "definitions", "description", "title"}
)


def _says_anything(node: Node) -> bool:
    return not isinstance(node.schema, dict) or not _SAYING_NOTHING.issuperset(node.schema)


def _only_union(nodes: tuple[Node, ...]) -> list[Node] | None:
    """Give the branches of the one union that holds all that is touched in these nodes."""
    unions: dict[tuple[Node, str], list[Node]] = {}
    for node in nodes:
        for steps, part in node.parts.items():
            keyword = str(steps[0])
            if keyword in UNIONS:
                unions.setdefault((node, keyword), []).append(part)
            elif part.touched and keyword not in _TOGETHER:
                return None
    touched = [branches for branches in unions.values() if any(part.touched for part in branches)]
    return touched[0] if len(touched) == 1 else None


def _of_item(node: Node, index: int, surely: bool) -> list[Node]:
    own = node.parts.get(("prefixItems", index)) or node.parts.get(("items", index))
    rest = ["items", "additionalItems", *([] if surely else ["unevaluatedItems"])]
    found = _first(node, rest) if own is None else [own]
    return found if surely else found + _first(node, ["contains"])


def _first(node: Node, keywords: list[str]) -> list[Node]:
    """Give the schema of the first of these keywords that a node has."""
    found = (node.parts[(keyword,)] for keyword in keywords if (keyword,) in node.parts)
    return [*islice(found, 1)]
