"""The places where every valid value has a part of one side, which that side requires."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TypeAlias

from pyfunctools.schema.separation.graph import ALL_OF, Node, same_place
from pyfunctools.schema.separation.ownership import OwnedPlace, Ownership, SideName
from pyfunctools.schema.vocabulary import UNIONS

_PartQuestion: TypeAlias = tuple[tuple[Node, ...], OwnedPlace]
"""The question whether each value that is valid for these nodes, at a place, has a part."""


class CertainParts:
    """Decides whether every valid value at a place has a part of one side.

    Types, required properties, and the branches of one union can prove it; without a proof, the
    answer is no. The model gives every value that is no object, the length of every array, and
    picks the branch of every union.
    """

    def __init__(self, ownership: Ownership, side: SideName) -> None:
        self._ownership = ownership
        self._side: SideName = side
        self._known: dict[_PartQuestion, bool] = {}

    def are_certain(self, nodes: Iterable[Node], place: OwnedPlace) -> bool:
        """Return whether each value that is valid for these nodes has a part at a place."""
        if place.owner != "mixed":
            return place.owner == self._side
        question = (tuple(nodes), place)
        if question not in self._known:
            self._answer(question)
        return self._known[question]

    def _answer(self, question: _PartQuestion) -> None:
        """Answer a question and those that it depends on, which may be in a circle."""
        questions = [question]
        self._known[question] = False
        for one in questions:  # grows while it is read
            for nodes in self._readings(one):
                new = [c for c in self._below(nodes, one[1]) if c not in self._known]
                self._known |= dict.fromkeys(new, False)
                questions += dict.fromkeys(new)
        count = -1
        while count != (count := sum(self._known[one] for one in questions)):
            for one in reversed(questions):  # from the leaves up: mostly one round is enough
                self._known[one] = self._known[one] or self._holds(one)

    def _holds(self, question: _PartQuestion) -> bool:
        readings = self._readings(question)
        if self._side == "llm" and (len(readings) > 1 or not _are(readings[0], "object")):
            return True
        first, *others = (
            any(c[1].owner == self._side or self._known[c] for c in self._below(nodes, question[1]))
            for nodes in readings
        )
        return first or (bool(others) and all(others))

    def _readings(self, question: _PartQuestion) -> list[tuple[Node, ...]]:
        """Return the nodes that certainly apply, then with each branch of the first union."""
        nodes = tuple(same_place(question[0], ALL_OF))
        unions = (node.parts_under(keyword) for node in nodes for keyword in reversed(UNIONS))
        branches = next(filter(None, unions), ())
        return [nodes, *(tuple(same_place((*nodes, branch), ALL_OF)) for branch in branches)]

    def _below(self, nodes: tuple[Node, ...], place: OwnedPlace) -> Iterator[_PartQuestion]:
        """Yield the question for each required property or item that may have a part."""
        steps: list[str | int] = []
        if _are(nodes, "object"):
            steps += dict.fromkeys(name for node in nodes for name in node.required)
        if _are(nodes, "array") and any(map(_needs_an_item, nodes)):
            steps.append(0)
        for step in steps:
            child = self._ownership.child(place, step)
            if child.owner in (self._side, "mixed"):
                parts = (self._ownership.parts(node, step) for node in nodes)
                yield tuple(dict.fromkeys(chain.from_iterable(parts))), child


def _are(nodes: Iterable[Node], kind: str) -> bool:
    return any(node.rules.get("type") == kind for node in nodes)


def _needs_an_item(node: Node) -> bool:
    least = node.rules.get("minItems")
    return isinstance(least, int | float) and least >= 1
