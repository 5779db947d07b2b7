"""What the human will always have given."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TypeAlias

from pyfunctools.schema.separation.nodes import Node, opened, required, unions
from pyfunctools.schema.separation.ownership import Ownership, Place


class Needs:
    """Where every value that fits has something of the human's in it.

    What is found by the types, the required properties and the branches of unions; where that does
    not tell, nothing is needed.
    """

    def __init__(self, ownership: Ownership) -> None:
        self._own = ownership
        self._known: dict[_Claim, bool] = {}

    def anything(self, nodes: Iterable[Node], place: Place) -> bool:
        """Return whether a value that fits these nodes has something of the human's at a place."""
        if place.owner != "mixed":
            return place.owner == "human"
        claim = (tuple(nodes), place)
        if claim not in self._known:
            self._settle(claim)
        return self._known[claim]

    def _settle(self, claim: "_Claim") -> None:
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

    def _holds(self, claim: "_Claim") -> bool:
        first, *others = (
            any(c[1].owner == "human" or self._known[c] for c in self._below(nodes, claim[1]))
            for nodes in self._readings(claim)
        )
        return first or (bool(others) and all(others))

    def _readings(self, claim: "_Claim") -> list[tuple[Node, ...]]:
        """Return what certainly holds, and then what holds in each branch of the first union."""
        nodes = tuple(opened(claim[0], _TOGETHER))
        branches = next(unions(nodes), ())
        return [nodes, *(tuple(opened((*nodes, branch), _TOGETHER)) for branch in branches)]

    def _below(self, nodes: tuple[Node, ...], place: Place) -> Iterator["_Claim"]:
        """Yield what is certainly there one step further, where the human may have part in it."""
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


_Claim: TypeAlias = tuple[tuple[Node, ...], Place]
_TOGETHER = frozenset({"allOf"})


def _are(nodes: Iterable[Node], kind: str) -> bool:
    return any(isinstance(n.schema, dict) and n.schema.get("type") == kind for n in nodes)


def _at_least_one(node: Node) -> bool:
    least = node.schema.get("minItems") if isinstance(node.schema, dict) else None
    return isinstance(least, int | float) and least >= 1
