"""`$ref` and `$defs`: resolves and collects references, prunes definitions."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import chain, count
from urllib.parse import quote, unquote

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools.schema.ground.path import Keys, array_index, pointer_of
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.vocabulary import ANNOTATIONS, DRAFT, UNIONS

MAX_HOPS = 100
"""References to references that are followed before they count as a cycle."""


@lru_cache(maxsize=4096)
def reference_to(name: str) -> str:
    """Return the reference to a definition: `#/$defs/NAME`, escaped (RFC 6901, 6)."""
    return "#" + quote(pointer_of(("$defs", name)), safe="/~!$&'()*+,;=:@?")


@lru_cache(maxsize=4096)
def defined_name(reference: str) -> str | None:
    """Return the name behind `#/$defs/NAME`, or `None` for any other reference."""
    prefix = "#/$defs/"
    if not reference.startswith(prefix) or "/" in reference[len(prefix) :]:
        return None
    return _unescape(reference[len(prefix) :])


def numbered(name: str) -> Iterator[str]:
    """Yield a name, and then with numbers: `A`, `A_2`, `A_3`."""
    return chain((name,), (f"{name}_{number}" for number in count(2)))


def steps_of(reference: str) -> Keys | None:
    """Return the steps of a reference into the same document (`#/a/0`), or `None` for any other."""
    if reference == "#":
        return ()
    if not reference.startswith("#/"):
        return None
    return tuple(map(_unescape, reference[2:].split("/")))


def find_target(root: JsonValue, reference: JsonValue) -> JsonValue:
    """Return the value at a reference into the same document, or `None`."""
    steps = steps_of(reference) if isinstance(reference, str) else None
    found = None if steps is None else follow(root, steps)
    return None if found is None else found[0]


def follow(value: JsonValue, steps: Keys) -> tuple[JsonValue, Keys] | None:
    """Return the value at these steps, and the steps with every index as an integer.

    An index may be a string, as in a reference: `("anyOf", "1")`. `None` without such a value.
    """
    exact: list[str | int] = []
    for step in steps:
        index = array_index(step, len(value)) if isinstance(value, list) else None
        if isinstance(value, list) and index is not None:
            value = value[index]
        elif isinstance(value, dict) and step in value:
            value = value[str(step)]
        else:
            return None
        exact.append(step if index is None else index)
    return value, tuple(exact)


def resolve(root: JsonSchema, schema: JsonSchema | bool) -> JsonSchema | bool:
    """Follow `$ref` from this schema to the first schema that is not only a reference.

    A schema with constraints beside its `$ref` is returned unchanged. For a reference that cannot
    be followed (another document, an anchor, a missing or circular target), return `True`.
    """
    for _ in range(MAX_HOPS):
        if not isinstance(schema, dict):
            return schema
        reference = schema.get("$ref")
        if not isinstance(reference, str) or any(key not in NON_CONSTRAINING for key in schema):
            return schema
        target = find_target(root, reference)
        if not isinstance(target, (dict, bool)):
            return True
        schema = target
    return True


def references_in(schema: JsonSchema | bool, *, subtypes: bool = False) -> Iterator[str]:
    """Yield every `$ref` in a schema, repeated ones too; also those of `mapped_subtypes`."""
    for _, inner in subschemas(schema):
        if isinstance(inner, dict):
            if isinstance(reference := inner.get("$ref"), str):
                yield reference
            if subtypes and "discriminator" in inner:
                yield from (reference for _, reference in mapped_subtypes(inner))


def mapped_subtypes(schema: JsonSchema) -> Iterator[tuple[str, str]]:
    """Yield the tag and reference of each subtype that a `discriminator` maps, but no union lists.

    A subtype's definition usually refers back to this schema, whose values may be of the subtype.
    The tag of a `defaultMapping` is empty.
    """
    discriminator = members_of(schema.get("discriminator"))
    mapping = members_of(discriminator.get("mapping"))
    branches = (branch for keyword in UNIONS for branch in items_of(schema.get(keyword)))
    known = [members_of(branch).get("$ref") for branch in branches]
    for tag, reference in {"": discriminator.get("defaultMapping"), **mapping}.items():
        if isinstance(reference, str) and reference.startswith("#/") and reference not in known:
            yield tag, reference


def reachable_definitions(schema: JsonSchema, definitions: JsonSchema) -> list[str]:
    """Return the names of the definitions that a schema reaches, breadth first.

    Subtypes of a `discriminator` are reached too; the schema's own `$defs` are not searched.
    """
    body = {key: value for key, value in schema.items() if key != "$defs"}
    names: dict[str, None] = {}
    queue: list[JsonSchema] = [body]
    for schema in queue:  # grows while it is read
        for reference in references_in(schema, subtypes=True):
            name = definition_of(reference)
            if name is not None and name in definitions and name not in names:
                names[name] = None
                queue.append(members_of(definitions[name]))
    return list(names)


def prune(schema: JsonSchema) -> JsonSchema:
    """Return the schema with only the `$defs` that it reaches; itself if it reaches all of them."""
    definitions = schema.get("$defs")
    if not isinstance(definitions, dict):
        return schema
    names = set(reachable_definitions(schema, definitions))
    if len(names) == len(definitions):
        return schema
    kept = {name: inner for name, inner in definitions.items() if name in names}
    body = {key: value for key, value in schema.items() if key != "$defs"}
    return {**body, "$defs": kept} if kept else body


def recursive_definitions(schema: JsonSchema) -> frozenset[str]:
    """Return the names of the `$defs` that reach themselves."""
    definitions = members_of(schema.get("$defs"))
    graph = {
        name: [
            target
            for reference in references_in(members_of(inner))
            if (target := definition_of(reference)) is not None and target in definitions
        ]
        for name, inner in definitions.items()
    }
    found = components(graph)
    sizes = Counter(found.values())
    return frozenset(n for n in graph if sizes[found[n]] > 1 or n in graph[n])


def components(graph: Mapping[str, Collection[str]]) -> dict[str, int]:
    """Return a number for each name; names that reach each other have the same one.

    Kosaraju's algorithm, without recursion.
    """
    order: list[str] = []
    entered: set[str] = set()
    todo = [(name, False) for name in graph]
    while todo:
        name, left = todo.pop()
        if left:
            order.append(name)
        elif name not in entered:
            entered.add(name)
            todo.append((name, True))
            todo.extend((target, False) for target in graph[name])
    sources: dict[str, list[str]] = {name: [] for name in graph}
    for name, targets in graph.items():
        for target in targets:
            sources[target].append(name)
    found: dict[str, int] = {}
    for number, start in enumerate(reversed(order)):
        stack = [start]
        while stack:
            name = stack.pop()
            if name not in found:
                found[name] = number
                stack.extend(sources[name])
    return found


NON_CONSTRAINING = ANNOTATIONS | DRAFT | {"$defs", "$ref"}
"""Keywords that may stand beside a `$ref` without constraining anything."""


def definition_of(reference: str) -> str | None:
    """Return the definition that a reference leads to or into, `None` for any other."""
    steps = steps_of(reference)
    return str(steps[1]) if steps and len(steps) > 1 and steps[0] == "$defs" else None


def _unescape(token: str) -> str:
    return unquote(token).replace("~1", "/").replace("~0", "~")
