"""`$ref` and `$defs`: to resolve, collect, prune and inline references, and to find recursion."""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import TypeAlias
from urllib.parse import quote, unquote

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.path import Keys, array_index, pointer_of
from pyfunctools.schema.ground.walk import children, map_children, subschemas
from pyfunctools.schema.vocabulary import ANNOTATIONS, DRAFT

Lookup: TypeAlias = Callable[[str], JsonSchema | bool | None]
"""What gives the target of a reference that leads out of a schema, `None` where it knows none."""

MAX_HOPS = 100
"""References that lead to references: how many are followed before it counts as a circle."""


def reference_to(name: str) -> str:
    """Return the reference to a definition: `#/$defs/` and the name, escaped (RFC 6901, 6).

    What a URI's fragment may not hold (a space, a brace, `é`) is percent-encoded.
    """
    return "#" + quote(pointer_of(("$defs", name)), safe="/~!$&'()*+,;=:@?")


def defined_name(reference: str) -> str | None:
    """Return the name behind `#/$defs/NAME`, or `None` for any other reference."""
    prefix = "#/$defs/"
    if not reference.startswith(prefix) or "/" in reference[len(prefix) :]:
        return None
    return _unescape(reference[len(prefix) :])


def steps_of(reference: str) -> Keys | None:
    """Return the steps of a reference into the same document (`#/a/0`), or `None` for any other."""
    if reference == "#":
        return ()
    if not reference.startswith("#/"):
        return None
    return tuple(map(_unescape, reference[2:].split("/")))


def find_target(root: JsonValue, reference: JsonValue) -> JsonValue:
    """Return the value at a reference into the same document, `None` where there is none."""
    steps = steps_of(reference) if isinstance(reference, str) else None
    if steps is None:
        return None
    value = root
    for step in steps:
        if isinstance(value, dict) and step in value:
            value = value[str(step)]
        elif isinstance(value, list) and (index := array_index(step, len(value))) is not None:
            value = value[index]
        else:
            return None
    return value


def resolve(root: JsonSchema, schema: JsonSchema | bool) -> JsonSchema | bool:
    """Follow `$ref` from this schema until one is not a bare reference.

    A schema with other keywords beside its `$ref` is given as it is: both hold. What cannot be
    followed (another document, an anchor, a dangling or circular reference) is given as `True`,
    which says nothing; the validator is the one that refuses it.
    """
    for _ in range(MAX_HOPS):
        if not isinstance(schema, dict):
            return schema
        reference = schema.get("$ref")
        if not isinstance(reference, str) or any(key not in NON_CONSTRAINING for key in schema):
            return schema
        target = find_target(root, reference)
        if not isinstance(target, dict | bool):
            return True
        schema = target
    return True


def references_in(schema: JsonSchema | bool) -> Iterator[str]:
    """Yield every `$ref` in a schema, each as often as it stands there."""
    for _, inner in subschemas(schema):
        if isinstance(inner, dict) and isinstance(reference := inner.get("$ref"), str):
            yield reference


def mapped_subtypes(schema: JsonSchema) -> Iterator[tuple[str, str]]:
    """Yield tag and reference of each schema that only a `discriminator` names, no union beside it.

    Such a definition is one that refers to this schema: what is valid here may be one of those.
    """
    stated = schema.get("discriminator")
    if not isinstance(stated, dict):
        return
    mapping = stated.get("mapping")
    named = {"": stated.get("defaultMapping"), **(mapping if isinstance(mapping, dict) else {})}
    unions = (schema.get("anyOf"), schema.get("oneOf"))
    listed = (branch for union in unions if isinstance(union, list) for branch in union)
    known = [branch.get("$ref") for branch in listed if isinstance(branch, dict)]
    for tag, reference in named.items():
        if isinstance(reference, str) and reference.startswith("#/") and reference not in known:
            yield tag, reference


def reachable_definitions(schema: JsonSchema, definitions: JsonSchema) -> list[str]:
    """Return the names of the definitions that a schema reaches, its own `$defs` left aside.

    In the order in which they are first met, breadth first; heirs are reached too.
    """
    body = {key: value for key, value in schema.items() if key != "$defs"}
    names: dict[str, None] = {}
    queue: deque[JsonSchema | bool] = deque([body])
    while queue:
        for reference in _leading(queue.popleft()):
            name = _definition_of(reference)
            if name is not None and name in definitions and name not in names:
                names[name] = None
                inner = definitions[name]
                if isinstance(inner, dict | bool):
                    queue.append(inner)
    return list(names)


def _leading(schema: JsonSchema | bool) -> Iterator[str]:
    for _, inner in subschemas(schema):
        if isinstance(inner, dict):
            if isinstance(reference := inner.get("$ref"), str):
                yield reference
            if "discriminator" in inner:
                yield from (reference for _, reference in mapped_subtypes(inner))


def prune(schema: JsonSchema) -> JsonSchema:
    """Return the schema with only those `$defs` it reaches, or itself if that is all of them."""
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
    """Return the names of the `$defs` that lead back to themselves."""
    return frozenset(_ordered(_graph(schema))[1])


def inline(schema: JsonSchema, *, once: bool = False) -> JsonSchema:
    """Return the schema with every reference that is not recursive replaced by what it means.

    Annotations beside a `$ref` win over those of the definition; what constrains beside one stays
    apart from it under `allOf`. Definitions stay in `$defs` that are recursive, that something
    refers into, or that come to more than `MAX_INLINED` schemas or `MAX_INLINED_DEPTH` levels. With
    `once` only those are put in their place that are referred to once, with no constraint beside;
    then both descriptions are told.
    """
    definitions = schema.get("$defs")
    if not isinstance(definitions, dict):
        return schema
    order, circular = _ordered(_graph(schema))
    kept = {*circular, *_entered(schema)}
    if once:
        kept |= _shared(prune(schema))
    inliner = _Inliner(kept, once=once)
    for name in order:
        inner = definitions[name]
        inliner.define(name, inner if isinstance(inner, dict | bool) else True)
    body = {key: value for key, value in schema.items() if key != "$defs"}
    result = inliner.visit((), body)
    if not isinstance(result, dict):
        return {"allOf": [result]}
    left = {name: inliner.definitions[name] for name in definitions}
    return prune({**result, "$defs": left})


MAX_INLINED = 2_000
"""Schemas that one definition may come to where it is put in the place of a reference."""
MAX_INLINED_DEPTH = 32
"""Levels of schemas in one definition that is put in the place of a reference."""


class _Inliner:
    """Puts definitions in the place of references; `define` them first, the referred to first."""

    def __init__(self, kept: set[str], *, once: bool) -> None:
        self.definitions: dict[str, JsonValue] = {}
        self._kept = kept
        self._once = once
        self._whole: dict[str, JsonSchema | bool] = {}

    def define(self, name: str, schema: JsonSchema | bool) -> None:
        whole = self.visit((), schema)
        self.definitions[name] = whole
        if name not in self._kept and _is_small(whole):
            self._whole[name] = whole

    def visit(self, _: Keys, schema: JsonSchema | bool) -> JsonSchema | bool:
        if not isinstance(schema, dict):
            return schema
        reference = schema.get("$ref")
        name = defined_name(reference) if isinstance(reference, str) else None
        if name is None or name not in self._whole:
            return map_children(schema, self.visit)
        whole = self._whole[name]
        siblings = map_children({k: v for k, v in schema.items() if k != "$ref"}, self.visit)
        if not siblings:
            return whole
        if isinstance(whole, dict) and all(key in NON_CONSTRAINING for key in siblings):
            made: JsonSchema = {**whole, **siblings}
            return {**made, **_both_told(siblings, whole)} if self._once else made
        also = siblings.get("allOf")
        return {**siblings, "allOf": [whole, *(also if isinstance(also, list) else [])]}


def _both_told(outer: JsonSchema, inner: JsonSchema) -> JsonSchema:
    """Return the description of a place and of what is put there, if one does not say the other."""
    said, more = outer.get("description"), inner.get("description")
    if not isinstance(said, str) or not isinstance(more, str) or more.rstrip(" .") in said:
        return {}
    return {"description": more if said.rstrip(" .") in more else f"{said}\n\n{more}"}


def _shared(schema: JsonSchema) -> set[str]:
    """Return the definitions that are referred to twice, or with a constraint beside."""
    counted = Counter[str]()
    for _, inner in subschemas(schema):
        if isinstance(inner, dict) and isinstance(reference := inner.get("$ref"), str):
            bound = any(key not in NON_CONSTRAINING for key in inner)
            counted[_definition_of(reference) or ""] += 2 if bound else 1
    return {name for name, count in counted.items() if count > 1}


def _is_small(schema: JsonSchema | bool) -> bool:
    """Return whether a schema may stand in several places; what it shares counts each time."""
    level = [schema]
    count = 0
    for _ in range(MAX_INLINED_DEPTH):
        count += len(level)
        if not level or count > MAX_INLINED:
            return not level
        level = [
            inner for outer in level if isinstance(outer, dict) for _, inner in children(outer)
        ]
    return not level


def _entered(schema: JsonSchema) -> Iterator[str]:
    """Yield the definitions that a reference leads into, past their own top."""
    for reference in references_in(schema):
        name = _definition_of(reference)
        if name is not None and defined_name(reference) is None:
            yield name


def _graph(schema: JsonSchema) -> dict[str, list[str]]:
    definitions = schema.get("$defs")
    if not isinstance(definitions, dict):
        return {}
    return {
        name: [
            target
            for reference in references_in(inner if isinstance(inner, dict | bool) else True)
            if (target := _definition_of(reference)) is not None and target in definitions
        ]
        for name, inner in definitions.items()
    }


def _ordered(graph: dict[str, list[str]]) -> tuple[list[str], set[str]]:
    """Return the names so that each comes after those it leads to, and those that lie on a circle.

    Tarjan's algorithm for strongly connected components, without recursion.
    """
    order: list[str] = []
    circular: set[str] = set()
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    path: dict[str, None] = {}
    for start, first in graph.items():
        todo = [(start, iter(first))] if start not in index else []
        while todo:
            name, targets = todo[-1]
            if name not in index:
                index[name] = low[name] = len(index)
                path[name] = None
            step = next((target for target in targets if _is_open(target, index, path)), None)
            if step is not None and step not in index:
                todo.append((step, iter(graph[step])))
                continue
            if step is not None:
                low[name] = min(low[name], index[step])
                circular |= {name} if step == name else set()
                continue
            todo.pop()
            order.append(name)
            if todo:
                low[todo[-1][0]] = min(low[todo[-1][0]], low[name])
            if low[name] == index[name]:
                members = _taken(path, name)
                circular |= set(members) if len(members) > 1 else set()
    return order, circular


def _is_open(name: str, index: dict[str, int], path: dict[str, None]) -> bool:
    return name not in index or name in path


def _taken(path: dict[str, None], name: str) -> list[str]:
    """Remove and return the names from the end of the path, up to and with this one."""
    members: list[str] = []
    while name in path:
        members.append(path.popitem()[0])
    return members


NON_CONSTRAINING = ANNOTATIONS | DRAFT | {"$defs", "$ref"}
"""Keywords beside which a reference is all that a schema says."""


def _definition_of(reference: str) -> str | None:
    steps = steps_of(reference)
    return str(steps[1]) if steps and len(steps) > 1 and steps[0] == "$defs" else None


def _unescape(token: str) -> str:
    return unquote(token).replace("~1", "/").replace("~0", "~")
