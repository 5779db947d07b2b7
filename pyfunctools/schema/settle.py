"""Whose a subschema is by itself: what follows from the marks for those above them."""

from collections.abc import Iterable, Set
from typing import Final, NamedTuple, TypeAlias

from pyfunctools.schema.nodes import MEMBERS, UNIONS, Node, is_null

SLOTS: Final = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "items",
        "patternProperties",
        "prefixItems",
        "properties",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
"""Keywords whose schemas are about a place one step further."""

Holders: TypeAlias = dict[Node, list[tuple[Node, str]]]
"""For each node those it is a part of, with the keyword; the target of a `$ref` is a member."""


class Settled(NamedTuple):
    """`human` are the nodes that are the human's whole, by a mark; `model` those that are not, and
    have something in them that is the model's."""

    human: Set[Node]
    model: Set[Node]


def settle(nodes: Iterable[Node], coarse: Set[Node]) -> Settled:
    """Say of each node whose it is by itself; `coarse` are marked too.

    A node is the human's if it is marked, if one of its members is (`allOf`, `then`, ...) or if all
    branches of a union are that take more than null. An object or array of which nothing is the
    model's is in neither set, and the human's too.
    """
    nodes = list(nodes)
    holders = _holders(nodes)
    human = _humans([node for node in nodes if node.marked or node in coarse], holders)
    return Settled(human, _models([node for node in nodes if node not in human], human, holders))


def _holders(nodes: list[Node]) -> Holders:
    holders: Holders = {node: [] for node in nodes}
    for node in nodes:
        if node.target is not None:
            holders[node.target].append((node, "$ref"))
        for steps, part in node.parts.items():
            holders[part].append((node, str(steps[0])))
    return holders


def _humans(stack: list[Node], holders: Holders) -> set[Node]:
    human: set[Node] = set()
    while stack:
        node = stack.pop()
        if node in human:
            continue
        human.add(node)
        for holder, keyword in holders[node]:
            if keyword == "$ref" or keyword in MEMBERS:
                stack.append(holder)
            elif keyword in UNIONS:
                branches = (part for keys, part in holder.parts.items() if keys[0] == keyword)
                if all(branch in human or is_null(branch) for branch in branches):
                    stack.append(holder)
    return human


def _models(nodes: list[Node], human: Set[Node], holders: Holders) -> set[Node]:
    """Give the nodes with something of the model's: where it starts, and all that lead there."""
    model: set[Node] = set()
    stack = [node for node in nodes if _has_own(node)]
    while stack:
        node = stack.pop()
        if node in model:
            continue
        model.add(node)
        for holder, keyword in holders[node]:
            if holder in human:
                continue
            passes = keyword in MEMBERS or keyword == "$ref"
            if passes or (node.touched and (keyword in UNIONS or keyword in SLOTS)):
                stack.append(holder)
    return model


def _has_own(node: Node) -> bool:
    """Say whether a node, not looking into what is touched below it, has something for the model.

    An object that merely does not forbid other properties has not.
    """
    schema = node.schema
    if not isinstance(schema, dict):
        return False
    kinds = schema.get("type")
    if not _CONTAINERS.issuperset(map(str, kinds if isinstance(kinds, list) else [kinds])):
        return True
    constants = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(constants, list) and not all(
        constant is None or isinstance(constant, dict | list) for constant in constants
    ):
        return True
    return any(
        not part.touched
        and part.schema is not False
        and (keys[0] in SLOTS or (keys[0] in UNIONS and _is_alternative(part)))
        for keys, part in node.parts.items()
    )


def _is_alternative(node: Node) -> bool:
    """Say whether a branch takes something of its own, and does not only constrain the others."""
    if is_null(node):
        return False
    return not (
        isinstance(node.schema, dict) and node.schema and _CONSTRAINTS.issuperset(node.schema)
    )


_CONTAINERS = frozenset({"None", "array", "null", "object"})
_CONSTRAINTS = frozenset(
    {
        "dependentRequired",
        "maxItems",
        "maxProperties",
        "minItems",
        "minProperties",
        "not",
        "propertyNames",
        "required",
        "uniqueItems",
    }
)
