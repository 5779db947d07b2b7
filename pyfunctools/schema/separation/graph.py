"""A schema as a graph: a node for each subschema, and whether the predicate marks it as human."""

from collections.abc import Callable, Collection, Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.ground.references import MAX_HOPS, find_target, mapped_subtypes, steps_of
from pyfunctools.schema.ground.walk import children, subschemas
from pyfunctools.schema.outline.json_types import listed_values, texts_of
from pyfunctools.schema.separation.predicates import (
    ANY,
    IsHuman,
    ask,
    last_name,
    needs_name_only,
)
from pyfunctools.schema.vocabulary import CONJUNCTIVE, TESTED_ONLY, UNIONS, human_mark

ALTERNATIVES: Final = frozenset({*UNIONS, "discriminator"})
"""Keywords whose schemas are alternatives for one value. The mapping of a `discriminator` may name
schemas that are in no union: a value may be one of them, though no validator tests it."""
TOGETHER: Final = CONJUNCTIVE | {"$ref"}
"""Keywords whose schemas all apply to the same value, always or on a condition."""
IN_PLACE: Final = ALTERNATIVES | TOGETHER | TESTED_ONLY
"""Keywords whose schemas apply to the same value as the schema they are in."""

_REFERENCE = ("$ref",)


@dataclass(slots=True, eq=False)
class Node:
    """One subschema of a normalized schema, at one of the places where it is used.

    `rules` are its keywords (empty for a boolean schema), `parts` its direct subschemas by their
    steps, with the `target` of its `$ref` and those that only a `discriminator` names. `name` is
    that of a node as a definition. It is `marked` if the predicate is true for it, and `touched` if
    it or a node below is marked. Nodes are compared by identity.
    """

    schema: JsonSchema | bool
    rules: JsonSchema = field(init=False)
    required: list[str] = field(init=False)
    parts: "dict[Keys, Node]" = field(default_factory=dict[Keys, "Node"])
    name: str = ""
    marked: bool = False
    touched: bool = False

    def __post_init__(self) -> None:
        self.rules = self.schema if isinstance(self.schema, dict) else {}
        self.required = texts_of(self.rules.get("required"))

    def parts_under(self, *keywords: str) -> list["Node"]:
        """Return the direct subschemas under these keywords."""
        return [part for keys, part in self.parts.items() if keys[0] in keywords]

    @property
    def target(self) -> "Node | None":
        """The node of the `$ref`."""
        return self.parts.get(_REFERENCE)

    @property
    def property_names(self) -> list[str]:
        """The names in `properties`."""
        return [str(steps[1]) for steps in self.parts if steps[0] == "properties"]

    @property
    def is_null(self) -> bool:
        """Whether null is the only valid value."""
        node = self
        for _ in range(MAX_HOPS):
            if node.rules.get("type") == "null" or listed_values(node.rules) == [None]:
                return True
            if node.target is None or "type" in node.rules:
                break
            node = node.target
        return False


def same_place(nodes: Iterable[Node], keywords: Collection[str]) -> Iterator[Node]:
    """Yield nodes, and all for the same value through these keywords, each once."""
    seen: set[Node] = set()
    stack = list(reversed(tuple(nodes)))
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            yield node
            below = [part for keys, part in node.parts.items() if str(keys[0]) in keywords]
            stack.extend(reversed(below))


def parents_of(nodes: list[Node]) -> dict[Node, list[Node]]:
    """Return the parents of each of these nodes."""
    found: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node in nodes:
        for part in node.parts.values():
            found[part].append(node)
    return found


MAX_PLACES = 10_000
"""Nodes for which the predicate is called with their own path; later ones share the answer for
their definition."""

_SAME_PATH = IN_PLACE | {"contentSchema", "propertyNames"}
"""Keywords whose schemas have the path of the schema they are in."""


class _Context(NamedTuple):
    """Where a node is used.

    `is_target`: a `$ref` leads to it, and the predicate was called with the keywords of both.
    `shielded`: the schema around it, or the reference to it, has `x-human: false`.
    """

    path: Path
    is_target: bool = False
    shielded: bool = False


class Graph:
    """The `root` and all `nodes` of a schema, breadth first; no nodes if nothing is marked.

    The predicate is called once for each place: each use of a definition is one, but in a recursive
    definition only the first round. So a subschema at two paths is two nodes. A predicate that is
    known to use only the last name of a path is called `by_name`: a subschema at paths with the
    same last name is one node.

    A pickle has the results of a predicate of the program's, in the order of the calls, and then
    `is_human` knows the paths that it was called for.

    Raises:
        DefinitionError: the predicate raised an exception; the error names the path.
    """

    def __init__(self, schema: JsonSchema, is_human: IsHuman) -> None:
        self.schema = schema
        self.is_human: IsHuman = is_human
        self._by_name = needs_name_only(is_human)
        self._known: dict[tuple[object, ...], Node] = {}
        self._first_parents: dict[Node, Node] = {}
        self._queue: list[tuple[Node, _Context]] = []
        self._answers: list[bool] = []
        self._has_dead_reference = False
        self._paths: dict[str, Path] = {}
        self._heirs: dict[str, JsonSchema] = {}
        self.root = self._node(schema, _Context(Path.of(())), None)
        for node, context in self._queue:  # grows while it is read
            if isinstance(node.schema, dict):
                self._read_node(node, node.schema, context)
        if self._has_dead_reference:  # it may mean any subschema
            for _, part in subschemas(schema):
                if isinstance(part, dict):
                    self._answer(Path.of(()), part)
            self.root.marked = any(self._answers)
        self.nodes: list[Node] = []
        if any(self._answers):
            nodes = [node for node, _ in self._queue]
            self._parents = parents_of(nodes)
            for node in self.smallest((n for n in nodes if n.marked), lambda _, __: True):
                node.touched = True
            self.nodes, self.root = _merged(nodes, self.root)
            self._parents = parents_of(self.nodes)
        for scratch in (self._known, self._first_parents, self._queue, self._paths):
            scratch.clear()

    def __reduce__(self) -> tuple[object, ...]:
        if self._by_name:
            return (Graph, (self.schema, self.is_human))
        return (_replayed, (self.schema, tuple(self._answers)))

    def smallest(self, start: Iterable[Node], rule: Callable[[Node, Set[Node]], bool]) -> set[Node]:
        """Return the smallest set of nodes for which `rule(node, set)` is true.

        `start` are those for which it may be true at first; it may become true for the parents of a
        node in the set, and never becomes false.
        """
        found: set[Node] = set()
        stack = [*start]
        while stack:
            node = stack.pop()
            if node not in found and rule(node, found):
                found.add(node)
                stack += self._parents[node]
        return found

    def _node(self, schema: JsonSchema | bool, context: _Context, parent: Node | None) -> Node:
        own_path = not self._by_name and len(self._queue) < MAX_PLACES
        scope = str(context.path) if own_path else last_name(context.path)
        key = (id(schema), own_path, scope, *context[1:])
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = Node(schema)
            if parent is not None:
                self._first_parents[node] = parent
            self._queue.append((node, context))
        return node

    def _read_node(self, node: Node, schema: JsonSchema, context: _Context) -> None:
        whole = self._with_target_keywords(schema)
        if context.shielded:
            whole = {"x-human": False, **whole}
        if not context.is_target:
            node.marked = self._answer(context.path, whole)
        shields = context.shielded if context.is_target else human_mark(whole) is False
        if "$ref" in schema:
            self._add_target(node, schema["$ref"], context._replace(shielded=shields))
        for steps, inner in (*children(schema), *self._heirs_of(schema)):
            if steps[0] != "$defs":
                below = context.path, False, shields
                if steps[0] not in _SAME_PATH:
                    below = self._path_below(context.path, steps), False, False
                node.parts[steps] = self._node(inner, _Context(*below), node)

    def _heirs_of(self, schema: JsonSchema) -> Iterator[tuple[Keys, JsonSchema]]:
        """Yield the schemas that only a discriminator's mapping names, as references."""
        for tag, reference in mapped_subtypes(schema) if "discriminator" in schema else ():
            if isinstance(find_target(self.schema, reference), dict):
                yield ("discriminator", tag), self._heirs.setdefault(reference, {"$ref": reference})

    def _answer(self, path: Path, schema: JsonSchema) -> bool:
        self._answers.append(ask(self.is_human, path, schema))
        return self._answers[-1]

    def _with_target_keywords(self, schema: JsonSchema) -> JsonSchema:
        """Return a schema with the keywords of its reference's target that it does not have."""
        if "$ref" not in schema:
            return schema
        whole = schema
        for _ in range(MAX_HOPS):
            target = find_target(self.schema, schema.get("$ref"))
            if not isinstance(target, dict):
                break
            whole, schema = {**target, **whole}, target
        return {key: value for key, value in whole.items() if key != "$ref"}

    def _add_target(self, node: Node, reference: JsonValue, context: _Context) -> None:
        target = find_target(self.schema, reference)
        if not isinstance(reference, str) or not isinstance(target, dict | bool):
            self._has_dead_reference = True
            return
        found = None if self._by_name else self._ancestor(node, target)
        if found is None:
            found = self._node(target, context._replace(is_target=True), node)
        steps = steps_of(reference)
        found.name = found.name or (str(steps[-1]) if steps else "Input")
        node.parts[_REFERENCE] = found

    def _ancestor(self, node: Node, schema: JsonSchema | bool) -> Node | None:
        """Return the node for a schema at or above this node: a reference to it is recursive."""
        above: Node | None = node
        while above is not None:
            if above.schema is schema and isinstance(schema, dict):
                return above
            above = self._first_parents.get(above)
        return None

    def _path_below(self, path: Path, steps: Keys) -> Path:
        if not self._by_name:
            return path_below(path, steps)
        name = str(steps[1]) if steps[0] == "properties" else last_name(path)
        return self._paths.setdefault(name, Path.of((name,)))


def path_below(path: Path, steps: Keys) -> Path:
    """Return the path of a schema that these steps lead to, from a schema at `path`."""
    if steps[0] in _SAME_PATH:
        return path
    is_one = steps[0] in ("properties", "prefixItems")
    below = Path.of((steps[1],), root=path) if is_one else Path(path + "[*]")
    below.keys = (*path.keys, steps[1] if is_one else ANY)
    return below


def _replayed(schema: JsonSchema, answers: tuple[bool, ...]) -> Graph:
    known, marked = iter(answers), set[Keys]()

    def answer(path: Path, _: JsonSchema) -> bool:
        if is_marked := next(known, False):
            marked.add(path.keys)
        return is_marked

    graph = Graph(schema, answer)
    graph.is_human = lambda path, _: path.keys in marked
    return graph


def _merged(nodes: list[Node], root: Node) -> tuple[list[Node], Node]:
    """Return the nodes and the root, with nodes merged whose whole graphs are alike.

    By partition refinement: nodes begin with a colour for their schema and marks, and get a new one
    from the colours of their parts until the number of colours no longer grows.
    """
    colours: dict[Node, tuple[object, ...]] = {
        node: (id(node.schema), node.touched and node.marked, node.touched) for node in nodes
    }
    count = 0
    while count != (count := len(numbers := dict.fromkeys(colours.values()))):
        numbered = {colour: n for n, colour in enumerate(numbers)}
        number = {node: numbered[colour] for node, colour in colours.items()}
        for node in nodes:
            parts = tuple(number[part] for part in node.parts.values()) if node.touched else ()
            colours[node] = (number[node], parts)
    first: dict[tuple[object, ...], Node] = {}
    kept = {node: first.setdefault(colours[node], node) for node in nodes}
    for node, one in kept.items():
        one.name = one.name or node.name
    for node in first.values():
        node.parts = {steps: kept[part] for steps, part in node.parts.items()}
    return list(first.values()), kept[root]
