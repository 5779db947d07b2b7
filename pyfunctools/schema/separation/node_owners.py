"""The owner of each node of a graph, which follows from the marks on it and below it."""

from collections import Counter
from collections.abc import Iterator, Set
from typing import NamedTuple

from pyfunctools.schema.outline.json_types import listed_values, types_named
from pyfunctools.schema.separation.graph import (
    ALTERNATIVES,
    Graph,
    Node,
    Parents,
    with_ancestors,
)
from pyfunctools.schema.vocabulary import (
    BELOW,
    CONJUNCTIVE,
    HOLDING,
    INDIVISIBLE,
    TESTED_ONLY,
    judging,
)


class NodeOwners(NamedTuple):
    """The owners of the nodes of a graph.

    A node in `human` is human as a whole. A node in `model` is not human, and has a part that the
    model gives (a model part). A touched node in neither is an object or array without one.
    """

    human: Set[Node]
    model: Set[Node]

    def is_human(self, node: Node) -> bool:
        """Return whether a node is human, or is touched and has no model part."""
        return node in self.human or (node.touched and node not in self.model)


def node_owners(graph: Graph, undivided: Set[Node]) -> NodeOwners:
    """Return the owners of the nodes; those that are `undivided` count as marked.

    A node is human if it is marked, if a schema for the same value is human (`allOf`, `then`, ...),
    or if an alternative is human and accepts more than null. If each alternative has a model part,
    the union is mixed. If one has no model part, all alternatives are human, but not the keywords
    beside them.
    """
    marked = [n for n in graph.nodes if n.marked or n in undivided or has_mark_in_whole(n)]
    human = with_ancestors(marked, graph.parents, _makes_parent_human)
    others = [node for node in graph.nodes if node not in human]
    return NodeOwners(human, _model_nodes(others, human, graph.parents))


def has_mark_in_whole(node: Node) -> bool:
    """Return whether a mark is under a keyword such as `contains`, that needs the whole value."""
    return any(part.touched and keys[0] in INDIVISIBLE for keys, part in node.parts.items())


def alternatives(node: Node) -> Iterator[list[Node]]:
    """Yield the alternatives of each union in a node, without null."""
    for keyword in ALTERNATIVES:
        if branches := node.parts_under(keyword):
            yield [branch for branch in branches if not branch.is_null]


def accepts_scalars(node: Node) -> bool:
    """Return whether a node declares a value other than an object, an array or null.

    `{"type": ["object", "string"]}` does, `{"minProperties": 1}` does not.
    """
    if node.schema is True:
        return True
    kinds, values = types_named(node.rules) or (), listed_values(node.rules) or ()
    return any(kind not in _CONTAINERS for kind in kinds) or not all(
        isinstance(value, dict | list | None) for value in values
    )


def has_model_slot(node: Node, model: Set[Node]) -> bool:
    """Return whether a property or an item that a node itself declares has a model part."""
    return any(
        keys[0] in BELOW and part.schema is not False and (not part.touched or part in model)
        for keys, part in node.parts.items()
    )


def is_alternative(node: Node) -> bool:
    """Return whether a branch declares values, and does not only constrain values beside it."""
    return not node.rules or not _CONSTRAINTS.issuperset(node.rules)


def _makes_parent_human(node: Node, _: Node, keyword: str) -> bool:
    return keyword in _PASSED_ON or (keyword in ALTERNATIVES and not node.is_null)


def _model_nodes(nodes: list[Node], human: Set[Node], parents: Parents) -> set[Node]:
    model: set[Node] = set()
    counted = {node for node in nodes if node.touched and not node.is_null}
    missing = Counter(parent for node in counted for parent in parents[node])
    stack = [node for node in nodes if _has_model_part(node)]
    while stack:
        node = stack.pop()
        if node in model:
            continue
        model.add(node)
        for use in parents[node]:
            parent, keyword = use
            passes = keyword in CONJUNCTIVE or keyword == "$ref"
            if node in counted:
                missing[use] -= 1  # a union needs a model part in each alternative
                passes |= keyword in BELOW or (keyword in ALTERNATIVES and missing[use] == 0)
            if passes and parent not in human:
                stack.append(parent)
    return model


def _has_model_part(node: Node) -> bool:
    """Return whether a node has a model part outside of the touched nodes below it.

    Undeclared properties that are merely not forbidden do not count.
    """
    return has_model_slot(node, frozenset()) or any(
        any(map(is_alternative, branches)) and not any(branch.touched for branch in branches)
        for branches in alternatives(node)
    )


_PASSED_ON = CONJUNCTIVE | TESTED_ONLY | {"$ref"}
_CONTAINERS = frozenset({"array", "null", "object"})
_CONSTRAINTS = judging("array", "object") - HOLDING - BELOW - {"contains"} | {"not"}
