"""The owner of a place in the arguments: it depends on the path, never on the value.

A place belongs to the human or to the model with all that is below it, or it is mixed: then a value
there is split into its parts. A place with alternatives belongs to the human as a whole as soon as
one alternative (other than null) does, since the model could choose it by giving a value there:

    pay: anyOf [{card, limit: human}, {iban}]     mixed: the model gives `card` or `iban`
    pay: anyOf [{pin: human}, {iban}]             human, and `pay` is human in each branch

The owner of a name is the same in all branches and `allOf` members: a name that is human in one of
them is human in all, and in objects that do not declare it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from itertools import chain
from json import dumps
from typing import Final, Literal, TypeAlias

from pyfunctools._json import JsonValue, members_of
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.outline.json_types import listed_values, types_named
from pyfunctools.schema.outline.outline import matches
from pyfunctools.schema.separation.graph import (
    ALL_OF,
    ALTERNATIVES,
    IN_PLACE,
    Graph,
    Node,
    same_place,
    with_ancestors,
)
from pyfunctools.schema.vocabulary import (
    BELOW,
    CONJUNCTIVE,
    HOLDING,
    INDIVISIBLE,
    REMARKS,
    TESTED_ONLY,
    UNDECLARED,
    UNIONS,
    VALUE_LISTS,
    judging,
)


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


def _model_nodes(graph: Graph, human: Set[Node]) -> set[Node]:
    model: set[Node] = set()
    parents = graph.parents
    nodes = [node for node in graph.nodes if node not in human]
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


SideName: TypeAlias = Literal["llm", "human"]
"""One of the two sides: the model or the human."""

Owner: TypeAlias = Literal["llm", "human", "mixed"]
"""The owner of a place with all that is below it; `mixed` if both own a part."""


class OwnedPlace:
    """A place in the arguments with its owner, and with the schemas for it if it is mixed.

    `nodes` apply to every value there (references and `allOf` followed), `possible` also
    include the branches of unions and conditions. `names` are the declared properties. `unnamed`
    are the pattern and additional properties, each after the node it is in. Items from index
    `width` on are alike.
    Places are compared by identity.
    """

    __slots__ = ("children", "human", "names", "nodes", "owner", "possible", "unnamed", "width")

    def __init__(
        self, owner: Owner, nodes: tuple[Node, ...] = (), possible: tuple[Node, ...] = ()
    ) -> None:
        self.owner: Owner = owner
        self.nodes = nodes
        self.possible = possible
        self.names = dict.fromkeys(chain.from_iterable(node.property_names for node in possible))
        self.unnamed = [
            (node, part)
            for node in possible
            for keys, part in node.parts.items()
            if keys[0] in UNDECLARED
        ]
        self.width = max((len(node.parts_under("prefixItems")) for node in possible), default=0)
        self.children: dict[str | int, OwnedPlace] = {}
        self.human: list[str] | None = None

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
        self._view_numbers: dict[str, int] = {}
        self._views: dict[tuple[Node, OwnedPlace], int] = {}
        self._losing: set[Node] | None = None
        self._human: Set[Node] = frozenset()
        self._model: Set[Node] = frozenset()
        if graph.root.touched:
            self._find_owners()
        self.root = self.place((graph.root,))

    def _find_owners(self) -> None:
        """Find the owner of each node; a node that cannot be split counts as marked.

        A node is human if it is marked, if a schema for the same value is human (`allOf`, `then`,
        ...), or if an alternative is human and accepts more than null. If each alternative has a
        model part, the union is mixed. If one has no model part, all alternatives are human, but
        not the keywords beside them.

        Each node that cannot be split may make others inseparable, so this repeats until no new one
        is found.
        """
        nodes = self.graph.nodes
        while True:
            marked = (n for n in nodes if n.marked or n in self._undivided or has_mark_in_whole(n))
            self._human = with_ancestors(marked, self.graph.parents, _makes_parent_human)
            self._model = _model_nodes(self.graph, self._human)
            self._places.clear()
            self._views.clear()
            self._losing = None
            new = {
                node
                for node in nodes
                if node.touched
                and not self._is_human(node)
                and (self._has_lossy_item(node) or self._has_indistinct_branches(node))
            }
            if not new:
                return
            self._undivided |= new

    def _is_human(self, node: Node) -> bool:
        """Return whether a node is human, or is touched and has no model part."""
        return node in self._human or (node.touched and node not in self._model)

    def _has_lossy_item(self, node: Node) -> bool:
        """Return whether an item is human although the model had a part in it.

        The model cannot leave an item out of an array, so the whole array is human.
        """
        items = (part for keys, part in node.parts.items() if keys[0] in _ITEMS and part.touched)
        return any(self._is_human(part) and self._is_lost(part) for part in items)

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
            return self.child(place, str(discriminator.get("propertyName"))) is HUMAN
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
            own["required"] = [n for n in one.required if self.child(place, n) is not HUMAN]
            for keys, part in one.parts.items():
                child = place
                if keys[0] in BELOW:
                    is_named = keys[0] == "properties"
                    child = self.child(place, keys[1]) if is_named else self.place((part,))
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
        """Return whether an unmarked node, or one below it, loses a model part."""
        if self._losing is None:
            losing = filter(self._loses_model_part, self.graph.nodes)
            self._losing = with_ancestors(
                losing, self.graph.parents, lambda _, parent, __: not parent.marked
            )
        return node in self._losing and not node.marked

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
        if any(node in self._human for node in nodes):
            return HUMAN
        if not any(node.touched for node in nodes):
            return LLM
        if not any(node in self._model for node in nodes):
            return HUMAN
        together = tuple(node for node in same_place(nodes, ALL_OF) if _has_rules(node))
        key = frozenset(together)
        place = self._places.get(key)
        if place is None:
            place = OwnedPlace("mixed", together, tuple(same_place(nodes, IN_PLACE)))
            self._places[key] = place
        return place

    def child(self, place: OwnedPlace, step: str | int) -> OwnedPlace:
        """Return the place of a property or an item."""
        if place is LLM or place is HUMAN:
            return place
        if isinstance(step, int):
            step = min(step, place.width)
        found = place.children.get(step)
        if found is None:
            found = self.place(part for node in place.possible for part in self.parts(node, step))
            if isinstance(step, int) or step in place.names:
                place.children[step] = found
        return found

    def human_names(self, place: OwnedPlace) -> list[str]:
        """Return the declared properties of a place that are human or mixed."""
        if place.human is None:
            place.human = [n for n in place.names if self.child(place, n) is not LLM]
        return place.human

    def at(self, path: Iterable[str | int]) -> OwnedPlace:
        """Return the place at the end of a path."""
        *_, place = self.along(path)
        return place

    def along(self, path: Iterable[str | int]) -> Iterator[OwnedPlace]:
        """Yield each place along a path, the root first."""
        place = self.root
        yield place
        for step in path:
            place = self.child(place, step)
            yield place

    def is_human(self, node: Node) -> bool:
        """Return whether every place that a node applies to is human."""
        return node in self._human

    def parts(self, node: Node, step: str | int) -> list[Node]:
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


_ITEMS = frozenset({"items", "prefixItems"})
_TELLING = VALUE_LISTS | {"type"}
"""Keywords by which a model can tell two branches apart."""
_REMARKS = REMARKS | {"default", "description"}
_WITHOUT_RULES = _REMARKS - {"default"} | ALL_OF | {"$defs", "$ref"}
_MAX_VIEW_DEPTH = 16
"""Levels below a union at which differences between its branches are looked for."""


def _has_rules(node: Node) -> bool:
    return not isinstance(node.schema, dict) or not _WITHOUT_RULES.issuperset(node.schema)
