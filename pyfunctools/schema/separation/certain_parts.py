"""The places where every valid value has a part of one side, which that side requires."""

from collections.abc import Iterable, Iterator
from itertools import chain

from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.separation.graph import ALL_OF, Node, same_place
from pyfunctools.schema.separation.ownership import OwnedPlace, Ownership, SideName
from pyfunctools.schema.vocabulary import UNIONS


class CertainParts:
    """Decides whether every valid value at a place has a part of one side.

    Types, required properties, and the branches of one union can prove it; without a proof, the
    answer is no. The model gives every value that is no object, the length of every array, and
    picks the branch of every union.
    """

    def __init__(self, ownership: Ownership, side: SideName) -> None:
        self._ownership = ownership
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
        return any(
            self.are_certain(parts, child, depth) for parts, child in self._below(nodes, place)
        )

    def _below(
        self, nodes: tuple[Node, ...], place: OwnedPlace
    ) -> Iterator[tuple[Iterable[Node], OwnedPlace]]:
        """Yield the schemas and the place of each required property or item."""
        steps: list[str | int] = []
        if _are(nodes, "object"):
            steps += dict.fromkeys(name for node in nodes for name in node.required)
        if _are(nodes, "array") and any(map(_needs_an_item, nodes)):
            steps.append(0)
        for step in steps:
            parts = chain.from_iterable(self._ownership.parts(node, step) for node in nodes)
            yield dict.fromkeys(parts), self._ownership.child(place, step)


def _are(nodes: Iterable[Node], kind: str) -> bool:
    return any(node.rules.get("type") == kind for node in nodes)


def _needs_an_item(node: Node) -> bool:
    least = node.rules.get("minItems")
    return isinstance(least, int | float) and least >= 1
