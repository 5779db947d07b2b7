"""Whose a subschema is by itself: what follows from the marks for those above them."""

from collections import Counter
from collections.abc import Iterator, Set
from typing import NamedTuple

from pyfunctools.schema.outline.json_types import listed_values, types_named
from pyfunctools.schema.separation.graph import (
    ALTERNATIVES,
    Graph,
    Holders,
    Node,
    above,
    is_null,
    under,
)
from pyfunctools.schema.vocabulary import (
    BELOW,
    CONJUNCTIVE,
    HOLDING,
    INDIVISIBLE,
    TESTED_ONLY,
    judging,
)


class Settled(NamedTuple):
    """Whose the nodes are.

    `human` are the human's whole; `model` those that are not, and have something in them that is
    the model's. What is in neither is an object or array of which nothing is the model's.
    """

    human: Set[Node]
    model: Set[Node]

    def is_humans(self, node: Node) -> bool:
        """Return whether nothing of a node is the model's."""
        return node in self.human or (node.touched and node not in self.model)


def settle(graph: Graph, coarse: Set[Node]) -> Settled:
    """Return of each node whose it is by itself; `coarse` are taken for marked.

    A node is the human's if it is marked, if one of its members is (`allOf`, `then`, ...), or if
    one alternative is that takes more than null. Alternatives of which each has something of the
    model's are both's; if one has nothing, all are the human's, but for what stands beside them.
    """
    marked = [n for n in graph.nodes if n.marked or n in coarse or is_undivided(n)]
    human = above(marked, graph.held_by, _passes_on)
    others = [node for node in graph.nodes if node not in human]
    return Settled(human, _models(others, human, graph.held_by))


def is_undivided(node: Node) -> bool:
    """Return whether a mark stands in a node where the value cannot be split."""
    return any(part.touched and keys[0] in INDIVISIBLE for keys, part in node.parts.items())


def alternatives(node: Node) -> Iterator[list[Node]]:
    """Yield the alternatives of each union in a node, null left out."""
    for keyword in ALTERNATIVES:
        if branches := under(node, keyword):
            yield [branch for branch in branches if not is_null(branch)]


def takes_more(node: Node) -> bool:
    """Return whether a node that is not the human's takes something that has no parts at all.

    `{"type": ["object", "string"]}` takes a text, `{"minProperties": 1}` nothing of its own.
    """
    if node.schema is True:
        return True
    kinds, values = types_named(node.rules) or (), listed_values(node.rules) or ()
    return any(kind not in _CONTAINERS for kind in kinds) or not all(
        isinstance(value, dict | list | None) for value in values
    )


def has_slots(node: Node, model: Set[Node]) -> bool:
    """Return whether a place one step further that a node speaks of itself is the model's."""
    return any(
        keys[0] in BELOW and part.schema is not False and (not part.touched or part in model)
        for keys, part in node.parts.items()
    )


def _passes_on(node: Node, _: Node, keyword: str) -> bool:
    """Return whether what holds a human's node by this keyword is the human's too."""
    return keyword in _PASSED_ON or (keyword in ALTERNATIVES and not is_null(node))


def _models(nodes: list[Node], human: Set[Node], holders: Holders) -> set[Node]:
    """Return the nodes with something of the model's: where it starts, and all that lead there."""
    model: set[Node] = set()
    counted = {node for node in nodes if node.touched and not is_null(node)}
    left = Counter(held for node in counted for held in holders[node])
    stack = [node for node in nodes if _has_own(node)]
    while stack:
        node = stack.pop()
        if node in model:
            continue
        model.add(node)
        for held in holders[node]:
            holder, keyword = held
            passes = keyword in CONJUNCTIVE or keyword == "$ref"
            if node in counted:
                left[held] -= 1  # each of the alternatives must have something
                passes |= keyword in BELOW or (keyword in ALTERNATIVES and left[held] == 0)
            if passes and holder not in human:
                stack.append(holder)
    return model


def _has_own(node: Node) -> bool:
    """Return whether a node has something for the model that is not in what is touched below it.

    An object that merely does not forbid other properties has not.
    """
    return has_slots(node, frozenset()) or any(
        any(map(is_alternative, branches)) and not any(branch.touched for branch in branches)
        for branches in alternatives(node)
    )


def is_alternative(node: Node) -> bool:
    """Return whether a branch takes something of its own, and not only constrains the others."""
    return not node.rules or not _CONSTRAINTS.issuperset(node.rules)


_PASSED_ON = CONJUNCTIVE | TESTED_ONLY | {"$ref"}
_CONTAINERS = frozenset({"array", "null", "object"})
_CONSTRAINTS = judging("array", "object") - HOLDING - BELOW - {"contains"} | {"not"}
