"""The owner of a place in the arguments: it depends on the path, never on the value.

A place belongs to the human or to the model with all that is below it, or it is mixed: then a value
there is split into its parts. A place with alternatives belongs to the human as a whole as soon as
one alternative (other than null) does, since the model could choose it by giving a value there:

    pay: anyOf [{card, limit: human}, {iban}]     mixed: the model gives `card` or `iban`
    pay: anyOf [{pin: human}, {iban}]             human, and `pay` is human in each branch

A name that is human in one branch or `allOf` member is human in all.
"""

from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from itertools import chain
from json import dumps
from typing import Final, Literal, TypeAlias

from pyfunctools._json import JsonValue, members_of
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.outline.json_types import listed_values, types_named
from pyfunctools.schema.outline.outline import matches
from pyfunctools.schema.separation.graph import (
    ALTERNATIVES,
    IN_PLACE,
    TOGETHER,
    Graph,
    Node,
    path_below,
    same_place,
)
from pyfunctools.schema.vocabulary import (
    ALL_OF,
    BELOW,
    HOLDING,
    INDIVISIBLE,
    REMARKS,
    TESTED_ONLY,
    UNDECLARED,
    UNIONS,
    VALUE_LISTS,
    judging,
)


def alternatives(node: Node) -> Iterator[list[Node]]:
    """Yield the alternatives of each union in a node, without null."""
    for keyword in ALTERNATIVES & node.rules.keys():
        if branches := node.parts_under(keyword):
            yield [branch for branch in branches if not branch.is_null]


def has_mark_in_whole(node: Node) -> bool:
    """Return whether a mark is under a keyword such as `contains`, that needs the whole value."""
    return any(part.touched for part in node.parts_under(*INDIVISIBLE))


def is_human(node: Node, human: Set[Node]) -> bool:
    """Return whether a schema for the same value as a node, or an alternative, is human."""
    return any(part in human for part in node.parts_under(*_PASSED_ON)) or any(
        part in human and not part.is_null for part in node.parts_under(*ALTERNATIVES)
    )


def has_model_slot(node: Node, model: Set[Node]) -> bool:
    """Return whether a property or an item that a node itself declares has a model part.

    Undeclared properties that are merely not forbidden do not count.
    """
    return any(
        part.schema is not False and (not part.touched or (part in model and not part.is_null))
        for part in node.parts_under(*BELOW)
    )


def has_model_part(node: Node, model: Set[Node]) -> bool:
    """Return whether a node that is not human has a part that the model gives."""
    return (
        has_model_slot(node, model)
        or any(part in model for part in node.parts_under(*TOGETHER))
        or any(_have_model_parts(branches, model) for branches in alternatives(node))
    )


def _have_model_parts(branches: list[Node], model: Set[Node]) -> bool:
    if touched := [branch for branch in branches if branch.touched]:
        return all(branch in model for branch in touched)
    return any(map(is_alternative, branches))


def is_alternative(node: Node) -> bool:
    """Return whether a branch declares values, and does not only constrain values beside it."""
    return not node.rules or not _CONSTRAINTS.issuperset(node.rules)


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


_PASSED_ON = TOGETHER | TESTED_ONLY
_CONTAINERS = frozenset({"array", "null", "object"})
_CONSTRAINTS = judging("array", "object") - HOLDING - BELOW - {"contains"} | {"not"}


SideName: TypeAlias = Literal["llm", "human"]
"""One of the two sides: the model or the human."""

Owner: TypeAlias = Literal["llm", "human", "mixed"]
"""The owner of a place with all that is below it; `mixed` if both own a part."""


class OwnedPlace:
    """A place in the arguments with its owner, and with the schemas for it if it is mixed.

    `nodes` apply to every value there (references and `allOf` followed), `possible` also
    include the branches of unions and conditions. `names` are the declared properties. `unnamed`
    are the pattern and additional properties, each after the node it is in. Items from index
    `width` on are alike. Places are compared by identity.
    """

    def __init__(
        self, owner: Owner, ownership: "Ownership | None" = None, roots: tuple[Node, ...] = ()
    ) -> None:
        self.owner: Owner = owner
        self._ownership = ownership
        self.nodes = tuple(same_place(roots, ALL_OF))
        self.possible = tuple(same_place(roots, IN_PLACE))
        self.names = dict.fromkeys(chain.from_iterable(n.property_names for n in self.possible))
        self.unnamed = [
            (node, part) for node in self.possible for part in node.parts_under(*UNDECLARED)
        ]
        self.width = max(
            (len(node.parts_under("prefixItems")) for node in self.possible), default=0
        )
        self._children: dict[str | int, OwnedPlace] = {}

    def child(self, step: str | int) -> "OwnedPlace":
        """Return the place of a property or an item."""
        if self._ownership is None:
            return self
        if isinstance(step, int):
            step = min(step, self.width)
        found = self._children.get(step)
        if found is None:
            parts = chain.from_iterable(parts_at(node, step) for node in self.possible)
            found = self._ownership.place(parts)
            if isinstance(step, int) or step in self.names:
                self._children[step] = found
        return found

    def along(self, path: Iterable[str | int]) -> Iterator["OwnedPlace"]:
        """Yield this place and each place along a path below it."""
        place = self
        yield place
        for step in path:
            place = place.child(step)
            yield place

    def at(self, path: Iterable[str | int]) -> "OwnedPlace":
        """Return the place at the end of a path below this one."""
        *_, place = self.along(path)
        return place

    @cached_property
    def human_names(self) -> list[str]:
        """The declared properties that are human or mixed."""
        return [name for name in self.names if self.child(name) is not LLM]

    @property
    def is_object(self) -> bool:
        """Whether every value is an object, and there is no union to pick a branch of."""
        kinds = [node.rules["type"] for node in self.nodes if "type" in node.rules]
        has_union = any(keyword in node.rules for node in self.nodes for keyword in UNIONS)
        return "object" in kinds and all(kind == "object" for kind in kinds) and not has_union


LLM: Final = OwnedPlace("llm")
HUMAN: Final = OwnedPlace("human")


class Ownership:
    """The owners of all nodes of a graph, and of all places in a value.

    A node in `_human` is human as a whole. A node in `_model` is not human, and has a part that the
    model gives (a model part). A touched node in neither is an object or array without one.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._places: dict[object, OwnedPlace] = {}
        self._undivided: set[Node] = set()
        self._views: dict[tuple[Node, OwnedPlace], int] = {}
        self._view_numbers: dict[str, int] = {}
        self._human: Set[Node] = frozenset()
        self._model: Set[Node] = frozenset()
        self._losing: Set[Node] = frozenset()
        """Unmarked nodes that lose a model part, or have one below that does."""
        while graph.nodes and (new := self._find_owners()):
            self._undivided |= new
        self.root = self.place((graph.root,))

    def _find_owners(self) -> set[Node]:
        """Find the owner of each node, and return the nodes that cannot be split after all.

        A node is human if it is marked, if a schema for the same value is human (`allOf`, `then`,
        ...), or if an alternative is human and accepts more than null. If each alternative has a
        model part, the union is mixed. If one has no model part, all alternatives are human, but
        not the keywords beside them.

        A node that cannot be split counts as marked, and may make others inseparable.
        """
        nodes, smallest = self.graph.nodes, self.graph.smallest
        marked = {n for n in nodes if n.marked or n in self._undivided or has_mark_in_whole(n)}
        human = smallest(marked, lambda node, found: node in marked or is_human(node, found))
        self._human = human
        self._model = smallest(
            nodes, lambda node, found: node not in human and has_model_part(node, found)
        )
        self._losing = smallest(
            filter(self._loses_model_part, nodes), lambda node, _: not node.marked
        )
        self._places.clear()
        self._views.clear()
        return {
            node
            for node in nodes
            if node.touched
            and not self._is_human(node)
            and (self._has_lossy_item(node) or self._has_indistinct_branches(node))
        }

    def _is_human(self, node: Node) -> bool:
        """Return whether a node is human, or is touched and has no model part."""
        return node in self._human or (node.touched and node not in self._model)

    def _has_lossy_item(self, node: Node) -> bool:
        """Return whether an item is human although the model had a part in it.

        The model cannot leave an item out of an array, so the whole array is human.
        """
        return any(
            part in self._losing and self._is_human(part)
            for part in node.parts_under("prefixItems", "items")
        )

    def _has_indistinct_branches(self, node: Node) -> bool:
        """Return whether mixed branches of a union differ in human values only.

        Then the model could not choose one of them.
        """
        unions = [one for one in alternatives(node) if any(branch.touched for branch in one)]
        if not unions or has_model_slot(node, self._model):
            return False
        place = self.place((node,))
        discriminator = node.rules.get("discriminator")
        if isinstance(discriminator, dict):
            return place.child(str(discriminator.get("propertyName"))) is HUMAN
        for branches in unions:
            by_view: dict[int, Node] = {}
            for branch in branches:
                other = by_view.setdefault(self._view(branch, place), branch)
                if other is not branch and (other.touched or branch.touched):
                    return True
        return False

    def _view(self, node: Node, place: OwnedPlace, depth: int = 0) -> int:
        """Return a number for the model's view of a node; equal views have one number."""
        known = self._views.get((node, place))
        if known is not None:
            return known
        self._views[node, place] = -1  # for a node that leads back to itself
        view: list[JsonValue] = []
        for one in same_place((node,), ALL_OF) if depth < _MAX_VIEW_DEPTH else ():
            own: dict[str, JsonValue] = {k: one.rules[k] for k in _TELLING & one.rules.keys()}
            own["required"] = [n for n in one.required if place.child(n) is not HUMAN]
            for keys, part in one.parts.items():
                child = place
                if keys[0] in BELOW:
                    is_named = keys[0] == "properties"
                    child = place.child(keys[1]) if is_named else self.place((part,))
                elif keys[0] not in ALTERNATIVES:
                    continue
                if child.owner == "mixed":
                    own["/".join(map(str, keys))] = self._view(part, child, depth + 1)
                elif child is LLM and isinstance(part.schema, dict):
                    told = {k: value for k, value in part.schema.items() if k not in _REMARKS}
                    own["/".join(map(str, keys))] = told
            view.append(own)
        text = dumps(view, sort_keys=True)
        number = self._view_numbers.setdefault(text, len(self._view_numbers))
        self._views[node, place] = number
        return number

    def lost(self) -> Iterator[Path]:
        """Yield the unmarked places that are human as a whole though the model had a part there."""
        todo, seen = [(self.graph.root, Path.of(()))], set[Node]()
        for node, path in todo:  # grows while it is read
            if node in seen or not node.touched:
                continue
            seen.add(node)
            if self._is_human(node):
                if node in self._losing:
                    yield path
                continue
            todo += ((part, path_below(path, keys)) for keys, part in node.parts.items())

    def _loses_model_part(self, node: Node) -> bool:
        if node.marked or not node.touched:
            return False
        if node in self._undivided or has_mark_in_whole(node):
            return True
        if node not in self._human and accepts_scalars(node):
            return True
        return any(
            any(branch.touched for branch in branches)
            and any(is_alternative(b) and not self._is_human(b) for b in branches)
            for branches in alternatives(node)
        )

    def place(self, nodes: Iterable[Node]) -> OwnedPlace:
        """Return the place that these nodes apply to."""
        nodes = tuple(nodes)
        if not self._human.isdisjoint(nodes):
            return HUMAN
        if not any(node.touched for node in nodes):
            return LLM
        if self._model.isdisjoint(nodes):
            return HUMAN
        key = frozenset(filter(_has_rules, same_place(nodes, ALL_OF)))
        if key not in self._places:
            self._places[key] = OwnedPlace("mixed", self, nodes)
        return self._places[key]

    def is_human(self, node: Node) -> bool:
        """Return whether every place that a node applies to is human."""
        return node in self._human


def parts_at(node: Node, step: str | int) -> list[Node]:
    """Return the subschemas of one node for a property or an item.

    Keywords that look at the whole value (`contains`, `unevaluated*`) are left out: a mark in
    one of them makes the whole value human.
    """
    if isinstance(step, int):
        named, rest = [("prefixItems", step)], ("items",)
    else:
        patterns = members_of(node.rules.get("patternProperties"))
        named, rest = [("properties", step)], ("additionalProperties",)
        named += [("patternProperties", each) for each in patterns if may_match(each, step)]
    found = [node.parts[keys] for keys in named if keys in node.parts]
    return found or [node.parts[keys] for keys in (rest,) if keys in node.parts]


def may_match(pattern: str, name: str) -> bool:
    """Return whether a name matches a pattern, or the pattern cannot be matched."""
    return matches(pattern, name) is not False


_TELLING = VALUE_LISTS | {"type"}
"""Keywords by which a model can tell two branches apart."""
_REMARKS = REMARKS | {"default", "description"}
_WITHOUT_RULES = _REMARKS - {"default"} | ALL_OF | {"$defs"}
_MAX_VIEW_DEPTH = 16
"""Levels below a union at which differences between its branches are looked for."""


def _has_rules(node: Node) -> bool:
    return not isinstance(node.schema, dict) or not _WITHOUT_RULES.issuperset(node.schema)
