"""The subschemas of a schema as a graph, each with whether a predicate calls it the human's."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from pyfunctools._json import JsonSchema
from pyfunctools.schema.ground.marks import human_mark
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.ground.references import MAX_HOPS, find_target, mapped_subtypes, steps_of
from pyfunctools.schema.ground.walk import children, subschemas
from pyfunctools.schema.outline.json_types import listed_values, texts_of
from pyfunctools.schema.separation.predicates import (
    ANY,
    IsHuman,
    answer,
    looks_at_name_only,
    name_in,
)
from pyfunctools.schema.vocabulary import CONJUNCTIVE, TESTED_ONLY, UNIONS

ALTERNATIVES: Final = frozenset({*UNIONS, "discriminator"})
"""Keywords whose schemas are alternatives for the place they stand at. Those of a `discriminator`
are heirs, which only its mapping names: they may be meant, and are not validated."""
IN_PLACE: Final = ALTERNATIVES | CONJUNCTIVE | TESTED_ONLY


@dataclass(slots=True, eq=False)
class Node:
    """One subschema of a normalized schema, where it is used; equal to none but itself.

    `rules` are its keywords, none of a boolean. `parts` are the subschemas one level below by the
    steps to them, with the heirs that a `discriminator` names; `target` is what its `$ref` leads
    to, which there has a `name`. `marked` says that the predicate called it the human's, `touched`
    that something here or below is marked, and `linked` that what stands here or below cannot be
    put elsewhere as it is: a reference, say.
    """

    schema: JsonSchema | bool
    name: str = ""
    marked: bool = False
    touched: bool = False
    linked: bool = False
    parts: "dict[Keys, Node]" = field(default_factory=dict[Keys, "Node"], repr=False)
    target: "Node | None" = field(default=None, repr=False)
    rules: JsonSchema = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.rules = self.schema if isinstance(self.schema, dict) else {}


def is_null(node: Node) -> bool:
    """Return whether only null fits a node."""
    for _ in range(MAX_HOPS):
        if node.rules.get("type") == "null" or listed_values(node.rules) == [None]:
            return True
        if node.target is None or "type" in node.rules:
            break
        node = node.target
    return False


def declared(node: Node) -> list[str]:
    """Return the names of a subschema's properties."""
    return [str(steps[1]) for steps in node.parts if steps[0] == "properties"]


def required(node: Node) -> list[str]:
    """Return the names that a subschema requires."""
    return texts_of(node.rules.get("required"))


def prefix(node: Node) -> int:
    """Return how many items have schemas of their own in a subschema."""
    items = node.rules.get("prefixItems")
    return len(items) if isinstance(items, list) else 0


def spread(nodes: Iterable[Node], keywords: Collection[str]) -> Iterator[Node]:
    """Yield nodes and what holds at the same place by these keywords, each once."""
    seen: set[Node] = set()
    stack = list(reversed(tuple(nodes)))
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            yield node
            below = [part for keys, part in node.parts.items() if str(keys[0]) in keywords]
            stack.extend(reversed(below))
            if node.target is not None:
                stack.append(node.target)


def under(node: Node, keyword: str) -> list[Node]:
    """Return the parts of a node that stand under a keyword."""
    return [part for keys, part in node.parts.items() if keys[0] == keyword]


Holders: TypeAlias = dict[Node, list[tuple[Node, str]]]
"""For each node those it is a part of, with the keyword; that of a target is `$ref`."""


def holders_of(nodes: list[Node]) -> Holders:
    """Return for each of these nodes those that hold it."""
    found: Holders = {node: [] for node in nodes}
    for node in nodes:
        if node.target is not None:
            found[node.target].append((node, "$ref"))
        for steps, part in node.parts.items():
            found[part].append((node, str(steps[0])))
    return found


def above(
    nodes: Iterable[Node], held_by: Holders, passes: Callable[[Node, Node, str], bool]
) -> set[Node]:
    """Return these nodes and those that hold one of them, however far up.

    `passes` says of a node, one that holds it and the keyword whether to go on there.
    """
    found: set[Node] = set()
    stack = [*nodes]
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack += (holder for holder, by in held_by[node] if passes(node, holder, by))
    return found


MAX_PLACES = 10_000
"""Places about which a predicate is asked one by one; past them it is asked once a definition."""

_HERE = IN_PLACE | {"contentSchema", "propertyNames"}
"""Keywords whose schemas are asked about with the path of the schema they stand in."""


@dataclass(slots=True)
class Graph:
    """The nodes of a schema from its root on, alike ones made one; the root, if nothing is marked.

    `answers` are the numbers of the questions that were answered with yes.
    """

    schema: JsonSchema
    by_name: bool
    answers: frozenset[int]
    root: Node
    nodes: list[Node]
    held_by: Holders

    def __reduce__(self) -> tuple[object, ...]:
        return (_again, (self.schema, self.by_name, self.answers))


def graph_of(schema: JsonSchema, is_human: IsHuman) -> Graph:
    """Return the graph of a schema, the predicate asked once about each place in it.

    The uses of a definition are places of their own, each with its path; a recursive definition is
    asked about on the first turn.

    Raises:
        DefinitionError: the predicate raised something; the error names the path.
    """

    def ask(_: int, path: Path, inner: JsonSchema) -> bool:
        return answer(is_human, path, inner)

    return _GraphReader(schema, ask, looks_at_name_only(is_human)).read()


class _Context(NamedTuple):
    """How a subschema is met: at which path, and what is known of it there.

    `shielded` says that what it is a branch of is declared to be the model's; what a reference
    leads to was asked about with the reference.
    """

    path: Path
    shielded: bool = False
    is_target: bool = False


class _GraphReader:
    def __init__(
        self, schema: JsonSchema, ask: Callable[[int, Path, JsonSchema], bool], by_name: bool
    ) -> None:
        self._root = schema
        self._ask = ask
        self._by_name = by_name
        self._nodes: list[Node] = []
        self._known: dict[tuple[object, ...], Node] = {}
        self._parents: dict[Node, Node] = {}
        self._queue: list[tuple[Node, _Context]] = []
        self._asked = 0
        self._answers: set[int] = set()
        self._opaque = False
        self._names: dict[str, Path] = {}
        self._heirs: dict[str, JsonSchema] = {}

    def read(self) -> Graph:
        root = self._node(self._root, _Context(Path.of(())), None)
        for node, context in self._queue:  # grows while it is read: breadth first
            if isinstance(node.schema, dict):
                self._open(node, node.schema, context)
        if self._opaque:
            self._look_everywhere(root)
        answers = frozenset(self._answers)
        if not answers:
            return Graph(self._root, self._by_name, answers, root, [root], {})
        nodes, held_by = self._nodes, holders_of(self._nodes)
        for node in above((n for n in nodes if n.marked), held_by, _always):
            node.touched = True
        linked = (n for n in nodes if n.target is not None or "discriminator" in n.rules)
        for node in above(linked, held_by, lambda _, __, keyword: keyword != "$ref"):
            node.linked = True
        if root.touched:
            root.marked = root.marked or self._opaque
            nodes, root = _merged(nodes, root)
            held_by = holders_of(nodes)
        return Graph(self._root, self._by_name, answers, root, nodes, held_by)

    def _node(self, schema: JsonSchema | bool, context: _Context, parent: Node | None) -> Node:
        one_by_one = not self._by_name and len(self._nodes) < MAX_PLACES
        scope = str(context.path) if one_by_one else name_in(context.path)
        key = (id(schema), one_by_one, scope, *context[1:])
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = Node(schema)
            self._nodes.append(node)
            if parent is not None:
                self._parents[node] = parent
            self._queue.append((node, context))
        return node

    def _open(self, node: Node, schema: JsonSchema, context: _Context) -> None:
        whole = self._followed(schema)
        if context.shielded:
            whole = {"x-human": False, **whole}
        if not context.is_target:
            node.marked = self._answer(context.path, whole)
        models = context.shielded if context.is_target else human_mark(whole) is False
        if "$ref" in schema:
            node.target = self._target(node, schema, context._replace(shielded=models))
        for steps, inner in (*children(schema), *self._inherited(schema)):
            if steps[0] != "$defs":
                path = self._below(context.path, steps)
                below = _Context(path, shielded=models and steps[0] in _HERE)
                node.parts[steps] = self._node(inner, below, node)

    def _inherited(self, schema: JsonSchema) -> Iterator[tuple[Keys, JsonSchema]]:
        """Yield the heirs that a discriminator names, and no union, as what is known elsewhere."""
        for tag, reference in mapped_subtypes(schema) if "discriminator" in schema else ():
            if isinstance(find_target(self._root, reference), dict):
                yield ("discriminator", tag), self._heirs.setdefault(reference, {"$ref": reference})

    def _answer(self, path: Path, schema: JsonSchema) -> bool:
        number = self._asked
        self._asked += 1
        if self._ask(number, path, schema):
            self._answers.add(number)
            return True
        return False

    def _followed(self, schema: JsonSchema) -> JsonSchema:
        """Return the schema with what its reference leads to, its own keywords over the others."""
        if "$ref" not in schema:
            return schema
        whole = schema
        for _ in range(MAX_HOPS):
            target = find_target(self._root, schema.get("$ref"))
            if not isinstance(target, dict):
                break
            whole, schema = {**target, **whole}, target
        return {key: value for key, value in whole.items() if key != "$ref"}

    def _target(self, node: Node, schema: JsonSchema, context: _Context) -> Node | None:
        reference = schema.get("$ref")
        target = find_target(self._root, reference)
        if not isinstance(reference, str) or not isinstance(target, dict | bool):
            self._opaque = True
            return None
        found = None if self._by_name else self._ancestor(node, target)
        if found is None:
            found = self._node(target, context._replace(is_target=True), node)
        found.name = found.name or _named(reference)
        return found

    def _ancestor(self, node: Node, schema: JsonSchema | bool) -> Node | None:
        """Return the turn of a recursive definition that this node is in."""
        above: Node | None = node
        while above is not None:
            if above.schema is schema and isinstance(schema, dict):
                return above
            above = self._parents.get(above)
        return None

    def _below(self, path: Path, steps: Keys) -> Path:
        keyword = steps[0]
        if keyword in _HERE:
            return path
        if self._by_name:
            name = str(steps[1]) if keyword == "properties" else name_in(path)
            return self._names.setdefault(name, Path.of((name,)))
        is_one = keyword in ("properties", "prefixItems")
        below = Path.of((steps[1],), root=path) if is_one else Path(path + "[*]")
        below.keys = (*path.keys, steps[1] if is_one else ANY)
        return below

    def _look_everywhere(self, root: Node) -> None:
        """Mark the root where anything at all is the human's: nobody knows where a link leads."""
        path = Path.of(())
        for _, inner in subschemas(self._root):
            if isinstance(inner, dict) and self._answer(path, inner):
                root.marked = True


def _again(schema: JsonSchema, by_name: bool, answers: frozenset[int]) -> Graph:
    return _GraphReader(schema, lambda number, _, __: number in answers, by_name).read()


def _always(*_: object) -> bool:
    return True


def _named(reference: str) -> str:
    steps = steps_of(reference)
    return str(steps[-1]) if steps else "Input"


def _merged(nodes: list[Node], root: Node) -> tuple[list[Node], Node]:
    """Make nodes one that say the same of the same schema, all the way down."""
    colours = _numbered([(id(n.schema), n.touched and n.marked, n.touched) for n in nodes])
    count = 0
    while count != (count := len(set(colours))):
        colour = dict(zip(nodes, colours, strict=True))
        colours = _numbered(
            [
                (
                    colour[node],
                    tuple(colour[part] for part in node.parts.values()) if node.touched else (),
                    None if node.target is None else colour[node.target],
                )
                for node in nodes
            ]
        )
    first: dict[int, Node] = {}
    for node, number in zip(nodes, colours, strict=True):
        first.setdefault(number, node)
    kept = {node: first[number] for node, number in zip(nodes, colours, strict=True)}
    for node, one in kept.items():
        one.name = one.name or node.name
    for node in first.values():
        node.parts = {steps: kept[part] for steps, part in node.parts.items()}
        node.target = None if node.target is None else kept[node.target]
    return list(first.values()), kept[root]


def _numbered(values: list[tuple[object, ...]]) -> list[int]:
    numbers: dict[tuple[object, ...], int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]
