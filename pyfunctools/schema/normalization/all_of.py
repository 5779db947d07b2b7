"""The schemas that an `allOf` merges: its branches, and the definitions that they refer to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import lcm
from typing import Any, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of, text_of
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.json_values import equal, values_in_both
from pyfunctools.schema.ground.walk import map_children
from pyfunctools.schema.normalization.spelling import keep_tighter_bounds, split_types, translate
from pyfunctools.schema.normalization.targets import Copied, Joined, Targets
from pyfunctools.schema.outline.json_types import schemas_by_name, schemas_of, types_named
from pyfunctools.schema.vocabulary import (
    ASSERTIONS,
    HUMAN_MARKS,
    KEYWORDS,
    NUMBERS,
    UNEVALUATED,
    UNIONS,
    human_mark,
)

MOST_CLOSED = 256
"""Most properties of two schemas that are merged if one is closed."""

MOST_WORK = 10_000_000
"""Most entries of a merged schema, added up over the schemas that are merged into it."""

MOST_MULTIPLE = 2**53
"""The largest result of merging two `multipleOf`: the largest exact integer of a double."""


class Conjunction:
    """Merges schemas that all apply, one by one.

    Constraints that cannot be merged stay under `allOf`: a second `pattern`, `$ref` or `anyOf`;
    types or values with nothing in common; properties where a pattern may match a name that another
    schema forbids. The merged schema accepts exactly the values that all schemas accept.
    """

    def __init__(self) -> None:
        self._node: dict[str, JsonValue] = {}
        self._fallback: dict[str, JsonValue] = {}
        self._left: list[JsonValue] = []
        self._work = 0

    def add(self, part: JsonSchema, referenced: bool) -> None:
        """Add a translated schema; what is under its `allOf` stays there.

        Annotations of a schema that was `referenced` come last; its title, its examples and its
        `discriminator` for subtypes are left out.
        """
        held = self._node.values()
        self._work += sum(len(value) for value in held if isinstance(value, dict | list))
        if self._work > MOST_WORK:
            raise SchemaError("the `allOf` is too large to be merged")
        node = _copied(part) if referenced else dict(part)
        self._left += items_of(node.pop("allOf", None))
        if not self._node and not referenced:
            self._node = node
            return
        rest: dict[str, JsonValue] = {}
        done: set[str] = set()
        for keyword, value in node.items():
            if keyword in _GROUPS:
                keywords, merge = _GROUPS[keyword]
                group = {k: node[k] for k in keywords if k in node and k not in done}
                done.update(keywords)
                if self._node.keys().isdisjoint(keywords):
                    self._node |= group
                elif group and not merge(self._node, group):
                    rest |= group
            elif keyword not in ASSERTIONS:
                self._annotate(keyword, value, referenced)
            elif not _merge(self._node, keyword, value):
                rest[keyword] = value
        if (written := split_types(rest)) != rest:
            self.add(written, False)  # as it is written at last, it may be merged
        elif rest:
            self._left.append(rest)

    def result(self) -> dict[str, JsonValue]:
        """Return the merged schema, with an `allOf` of the constraints that could not be merged."""
        node = {**self._fallback, **self._node}
        keep_tighter_bounds(node)
        values = items_of(node.get("enum"))
        if None in values and "null" not in (types_named(node) or ["null"]):
            if fitting := [value for value in values if value is not None]:
                node["enum"] = fitting
            else:
                del node["enum"]
                self._left.append(False)
        if self._left:
            node["allOf"] = [*self._left]
        elif "const" in node and values_in_both([node["const"]], items_of(node.get("enum"))):
            del node["enum"]
        return node

    def _annotate(self, keyword: str, value: JsonValue, referenced: bool) -> None:
        rule = KEYWORDS[keyword].merged if keyword in KEYWORDS else ""
        annotations = self._fallback if referenced else self._node
        if rule == "true":
            self._node[keyword] = bool(self._node.get(keyword)) or value
        elif keyword in HUMAN_MARKS:
            stated = human_mark({keyword: value})
            if stated is not None and not human_mark({keyword: annotations.get(keyword)}):
                annotations[keyword] = value  # true outweighs false
        elif not (referenced and rule == "own"):
            annotations.setdefault(keyword, value)


def _copied(schema: JsonSchema) -> dict[str, JsonValue]:
    """Return a definition to be merged, without a `discriminator` that has no union beside it."""
    node = map_children(
        schema, lambda _, inner: Copied(inner) if isinstance(inner, dict) else inner
    )
    if node.keys().isdisjoint(UNIONS):
        node.pop("discriminator", None)
    return node


def join(one: JsonSchema | bool, other: JsonSchema | bool) -> JsonSchema | bool:
    """Return a schema for values that are valid for both, to be merged later."""
    if one is True or (other is False and not _is_marked(one)):
        return other
    if other is True or (one is False and not _is_marked(other)) or equal(one, other):
        return one
    if one is False or other is False:
        return {"not": {}, "x-human": True}  # nothing is valid, and the name is still the human's
    branches = one["allOf"] if isinstance(one, Joined) else [one]
    return Joined(allOf=[*items_of(branches), other])


def _is_marked(schema: JsonSchema | bool) -> bool:
    members = items_of(schema["allOf"]) if isinstance(schema, Joined) else [schema]
    return human_mark(*members) is True


Keywords: TypeAlias = dict[str, JsonValue]
_Schemas: TypeAlias = dict[str, JsonSchema | bool]


def _once(node: Keywords, group: Keywords) -> bool:
    """Add a group of keywords, unless one of them is there already: they cannot be merged."""
    if not node.keys().isdisjoint(group):
        return False
    node |= group
    return True


def _choice(node: Keywords, group: Keywords) -> bool:
    """Add `oneOf` and `anyOf`, at most one of each; a `discriminator` stays with its union."""
    if "discriminator" in group:
        if len(group) > 1:
            return _once(node, group)
        node.setdefault("discriminator", group["discriminator"])
        return True
    for keyword in list(group):
        if keyword not in node:
            node[keyword] = group.pop(keyword)
    return not group


def _objects(node: Keywords, group: Keywords) -> bool:
    """Merge the keywords for the properties of an object (2020-12 core, 10.3.2).

    `additionalProperties` applies to all properties that its own schema does not declare, so also
    to those that only the other schema declares.
    """
    mine, theirs = (schemas_by_name(each.get("properties")) for each in (node, group))
    patterns, more = (schemas_by_name(each.get("patternProperties")) for each in (node, group))
    rest, their_rest = _at(node, "additionalProperties"), _at(group, "additionalProperties")
    if rest is not True or their_rest is not True:
        if patterns or more or len(mine) + len(theirs) > MOST_CLOSED:
            return False
        mine = {name: v if name in theirs else join(v, their_rest) for name, v in mine.items()}
        theirs = {name: v if name in mine else join(rest, v) for name, v in theirs.items()}
    properties = _joined(mine, theirs)
    rest = join(rest, their_rest)
    if rest is False:
        properties = {name: inner for name, inner in properties.items() if inner is not False}
    found: Keywords = {"properties": properties, "patternProperties": _joined(patterns, more)}
    found["additionalProperties"] = rest
    node |= {k: v for k, v in found.items() if k in node or k in group}
    return True


def _arrays(node: Keywords, group: Keywords) -> bool:
    """Merge the keywords for the items of an array (2020-12 core, 10.3.1)."""
    mine, theirs = schemas_of(node.get("prefixItems")), schemas_of(group.get("prefixItems"))
    rest, their_rest = _at(node, "items"), _at(group, "items")
    prefix = [
        join(
            mine[index] if index < len(mine) else rest,
            theirs[index] if index < len(theirs) else their_rest,
        )
        for index in range(max(len(mine), len(theirs)))
    ]
    found: Keywords = {"prefixItems": prefix, "items": join(rest, their_rest)}
    node |= {k: v for k, v in found.items() if k in node or k in group}
    return True


def _joined(some: _Schemas, others: _Schemas) -> _Schemas:
    found = dict(some)
    for name, inner in others.items():
        found[name] = join(found[name], inner) if name in found else inner
    return found


def _at(node: JsonSchema, keyword: str) -> JsonSchema | bool:
    value = node.get(keyword, True)
    return value if isinstance(value, dict | bool) else True


_MERGES: dict[str, Callable[[Keywords, Keywords], bool]] = {
    "with choice": _choice,
    "with condition": _once,
    "with contains": _once,
    "with items": _arrays,
    "with members": _objects,
}
_GROUPS: dict[str, tuple[list[str], Callable[[Keywords, Keywords], bool]]] = {
    keyword: ([other for other in KEYWORDS if KEYWORDS[other].merged == row.merged], merge)
    for keyword, row in KEYWORDS.items()
    if (merge := _MERGES.get(row.merged)) is not None
}
"""For each keyword that is merged together with others: the group, and the function that merges it.

The function returns whether it merged the group; the keywords that it could not merge stay in it.
"""


def _merge(node: Keywords, keyword: str, value: JsonValue) -> bool:
    """Merge a single keyword; return `False` if it cannot be merged."""
    if keyword in node:
        merged = KEYWORDS[keyword].merged
        if merged not in _RULES:
            # Schemas cannot be compared before they are normalized.
            return merged != "never" and equal(node[keyword], value)
        value = _RULES[merged](node[keyword], value)
        if value is None:
            return False
    node[keyword] = value
    return True


def _multiple(mine: float, value: float) -> int | None:
    if isinstance(mine, int) and isinstance(value, int):
        return both if (both := lcm(mine, value)) <= MOST_MULTIPLE else None
    return None


def _types(mine: JsonValue, value: JsonValue) -> JsonValue:
    """Return the types that are in both; an `integer` is a `number`."""
    some, others = types_named({"type": mine}) or [], types_named({"type": value}) or []
    found = [
        name if name in others else "integer"
        for name in some
        if name in others or (name in NUMBERS and not NUMBERS.isdisjoint(others))
    ]
    return found[0] if len(found) == 1 else found or None


_RULES: Mapping[str, Callable[[Any, Any], JsonValue]] = {
    "greater": max,
    "lesser": min,
    "multiple": _multiple,
    "names": lambda mine, value: list(dict.fromkeys([*mine, *value])),
    "true": lambda mine, value: mine or value,
    "types": _types,
    "values": lambda mine, value: values_in_both(mine, value) or None,
}
"""The functions that merge two values; they return `None` if one value cannot express both."""


MOST_INHERITED = 64
"""Most targets that one `allOf` merges beyond those that it names itself."""

MOST_BRANCHES = 1_000
"""Most `allOf` branches of targets that are searched, plus four for each reference."""

MOST_MERGED = 50_000
"""Most branches and properties of definitions that one schema merges; other references stay."""


@dataclass(slots=True)
class _Part:
    """One of the schemas under an `allOf`; what must stay a separate branch is under its own."""

    node: dict[str, JsonValue]
    referenced: bool

    @property
    def reference(self) -> str | None:
        found = self.node.get("$ref")
        return found if isinstance(found, str) else None

    def constrains(self, *ignored: str) -> bool:
        return not (ASSERTIONS & self.node.keys()).issubset(ignored)


class Merger:
    """Merges each `allOf` of a schema with the definitions that its branches refer to.

    `merged` counts the branches and properties of definitions that were merged.
    """

    def __init__(self, definitions: Targets) -> None:
        self._definitions = definitions
        self.merged = 0

    def merge(
        self, node: JsonSchema, *, copied: bool, known_as: str | None
    ) -> dict[str, JsonValue]:
        """Return a translated schema with its `allOf` merged into it.

        A reference is replaced by its definition only if other constraints apply too, and neither
        in a schema that was `copied` from a definition nor beside the schema's own `$ref`.
        Otherwise it becomes the `$ref` of the result, and a second one stays under `allOf`.
        `known_as` is the reference to the schema itself, which is left out.
        """
        known: set[str] = set() if known_as is None else {known_as}
        parts = self._parts(node, False, set())
        circular = [part for part in parts if part.reference in known]
        for part in circular:
            del part.node["$ref"]
        if circular and not any(part.constrains() for part in parts):
            raise _cycle(known)
        if not copied and "$ref" not in node and _must_merge(parts):
            parts = self._expanded(parts, known) or parts
        whole = Conjunction()
        for part in parts:
            whole.add(part.node, part.referenced)
        return whole.result()

    def _parts(self, site: JsonSchema | bool, referenced: bool, seen: set[str]) -> list[_Part]:
        """Return a schema, the branches of its `allOf`, and their branches, in document order.

        Branches that are only a reference in `seen` are left out.
        """
        parts: list[_Part] = []
        stack: list[tuple[JsonValue, bool]] = [(site, referenced)]
        while stack:
            schema, copied = stack.pop()
            copied = copied or isinstance(schema, Copied)
            if not isinstance(schema, dict):
                if schema is False:
                    parts.append(_Part({"allOf": [False]}, copied))
                continue
            own = dict(translate(schema))
            if schema is not site and not UNEVALUATED.isdisjoint(own):
                parts.append(_Part({"allOf": [schema]}, copied))
                continue
            branches = items_of(own.pop("allOf", None))
            parts.append(_Part(own, copied))
            self.merged += len(branches) if referenced else 0
            stack.extend((b, copied) for b in reversed(branches) if not _is_among(b, seen))
        return parts

    def _expanded(self, parts: list[_Part], known: set[str]) -> list[_Part] | None:
        """Return the parts with references replaced by their targets, or `None` if too large."""
        if self.merged > MOST_MERGED or self._inherits_too_much(parts):
            return None
        seen = set(known)
        found: list[_Part] = []
        stack = parts[::-1]
        while stack:
            part = stack.pop()
            reference = part.reference
            if reference is None:
                found.append(part)
                continue
            target = None if reference in seen else self._definitions.at(reference)
            if not UNEVALUATED.isdisjoint(members_of(target)):
                target = None  # it means something else elsewhere
            if target is None and reference not in seen:
                found.append(part)
            elif len(part.node) > 1:
                rest = {keyword: v for keyword, v in part.node.items() if keyword != "$ref"}
                found.append(_Part(rest, part.referenced))
            seen.add(reference)
            if target is not None:
                self.merged += 1 + len(members_of(members_of(target).get("properties")))
                stack.extend(reversed(self._parts(target, True, seen)))
            if self.merged > MOST_MERGED:
                return None
        if not any(part.constrains() for part in found):
            raise _cycle(seen)
        return found

    def _inherits_too_much(self, parts: list[_Part]) -> bool:
        """Return whether the references reach too many schemas to merge them all.

        If all schemas refer to each other, each would become a copy of all others.
        """
        seen = {part.reference for part in parts if part.reference is not None}
        most = len(seen) + MOST_INHERITED
        steps = 4 * len(seen) + MOST_BRANCHES
        stack: list[JsonValue] = [self._definitions.at(reference) for reference in seen]
        while stack:
            branch = members_of(stack.pop())
            reference = branch.get("$ref")
            if isinstance(reference, str) and reference not in seen:
                seen.add(reference)
                stack.append(self._definitions.at(reference))
            branches = items_of(branch.get("allOf"))
            steps -= len(branches)
            stack.extend(branches)
            if steps < 0 or len(seen) > most:
                return True
        return False


def _must_merge(parts: list[_Part]) -> bool:
    references = {part.reference for part in parts} - {None}
    if len(references) == 1:
        return any(part.constrains("$ref", "discriminator", "type") for part in parts)
    return bool(references)


def _is_among(branch: JsonValue, seen: set[str]) -> bool:
    return isinstance(branch, dict) and len(branch) == 1 and text_of(branch.get("$ref")) in seen


def _cycle(references: set[str]) -> SchemaError:
    return SchemaError(f"the references form a cycle: {', '.join(sorted(references))}")
