"""One subschema, where it is used, and what it says of the places around it."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from pyfunctools._json import JsonSchema
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.references import MAX_HOPS

UNIONS: Final = frozenset({"anyOf", "oneOf"})
"""Keywords of whose schemas one fits at the place they stand at."""
ALTERNATIVES: Final = UNIONS | {"discriminator"}
"""Keywords whose schemas are alternatives for the place they stand at. Those of a `discriminator`
are heirs, which only its mapping names: they may be meant, and are not validated."""
MEMBERS: Final = frozenset({"allOf", "dependencies", "dependentSchemas", "else", "then"})
"""Keywords whose schemas hold, always or sometimes, for the place they stand at."""
MENTIONS: Final = frozenset({"if", "not"})
"""Keywords whose schemas are asked about the place they stand at, and say nothing of it."""
IN_PLACE: Final = ALTERNATIVES | MEMBERS | MENTIONS
UNNAMED: Final = frozenset({"additionalProperties", "patternProperties"})
"""Keywords whose schemas are about properties that are not named."""


@dataclass(slots=True, eq=False)
class Node:
    """One subschema, where it is used; equal to none but itself.

    `parts` are the subschemas one level below by the steps to them, without definitions and with
    the heirs that a `discriminator` names; `target` is what its `$ref` leads to, which there has a
    `name`. `marked` says that the predicate called it the human's, `touched` that something here or
    below is marked, and `linked` that what stands here or below cannot be put elsewhere as it is: a
    reference, say.
    """

    schema: JsonSchema | bool
    name: str = ""
    marked: bool = False
    touched: bool = False
    linked: bool = False
    parts: "dict[Keys, Node]" = field(default_factory=dict[Keys, "Node"], repr=False)
    target: "Node | None" = field(default=None, repr=False)


def is_null(node: Node) -> bool:
    """Return whether only null fits a node."""
    for _ in range(MAX_HOPS):
        schema = node.schema
        if not isinstance(schema, dict):
            return False
        if schema.get("type") in ("null", ["null"]) or schema.get("enum") == [None]:
            return True
        if "const" in schema and schema["const"] is None:
            return True
        if node.target is None:
            return False
        node = node.target
    return False


def declared(node: Node) -> list[str]:
    """Return the names of a subschema's properties."""
    return [str(steps[1]) for steps in node.parts if steps[0] == "properties"]


def required(node: Node) -> list[str]:
    """Return the names that a subschema requires."""
    names = node.schema.get("required") if isinstance(node.schema, dict) else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def prefix(node: Node) -> int:
    """Return how many items have schemas of their own in a subschema."""
    schema = node.schema if isinstance(node.schema, dict) else {}
    lists = (schema.get("prefixItems"), schema.get("items"))
    return max((len(items) for items in lists if isinstance(items, list)), default=0)


def opened(nodes: Iterable[Node], keywords: Set[str]) -> Iterator[Node]:
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


def unions(nodes: Iterable[Node]) -> Iterator[Sequence[Node]]:
    """Yield the branches of each union that stands in one of these nodes."""
    for node in nodes:
        for keyword in ("anyOf", "oneOf"):
            branches = [part for keys, part in node.parts.items() if keys[0] == keyword]
            if branches:
                yield branches


def about(node: Node) -> Iterator[Node]:
    """Yield what a node says of the arguments: its parts and its target."""
    yield from node.parts.values()
    if node.target is not None:
        yield node.target


def holders(nodes: list[Node], held: Callable[[Node], Iterable[Node]]) -> dict[Node, list[Node]]:
    """Return for each node those that hold it."""
    found: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node in nodes:
        for inner in held(node):
            found[inner].append(node)
    return found


def above(nodes: Iterable[Node], held_by: dict[Node, list[Node]]) -> set[Node]:
    """Return these nodes and everything that holds one of them, however far up."""
    found: set[Node] = set()
    stack = [*nodes]
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack.extend(held_by[node])
    return found
