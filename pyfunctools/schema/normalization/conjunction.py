"""`allOf`: schemas that all apply, merged into one equivalent schema."""

from collections.abc import Callable
from math import lcm
from typing import TypeAlias

from pyfunctools._json import JsonSchema, JsonValue, items_of
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.json_values import equal, values_in_both
from pyfunctools.schema.ground.marks import HUMAN_MARKS, human_mark
from pyfunctools.schema.ground.walk import map_children
from pyfunctools.schema.normalization.spelling import keep_tighter_bounds
from pyfunctools.schema.normalization.targets import Copied, Finished, Joined
from pyfunctools.schema.outline.json_types import schemas_by_name, schemas_of, types_named
from pyfunctools.schema.vocabulary import ASSERTIONS, KEYWORDS, UNIONS

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

    def leave(self, schema: JsonSchema | bool) -> None:
        """Add a schema that must stay a separate branch."""
        if not (isinstance(schema, bool) and schema in self._left):
            self._left.append(schema)

    def add(self, part: JsonSchema, referenced: bool) -> None:
        """Add a translated schema without `allOf`.

        Annotations of a schema that was `referenced` come last; its title, its examples and its
        `discriminator` for subtypes are left out.
        """
        held = self._node.values()
        self._work += sum(len(value) for value in held if isinstance(value, dict | list))
        if self._work > MOST_WORK:
            raise SchemaError("the `allOf` is too large to be merged")
        if not self._node and not referenced:
            self._node = dict(part)
            return
        node = _copied(part) if referenced else part
        rest: dict[str, JsonValue] = {}
        done: set[str] = set()
        for keyword, value in node.items():
            if keyword in _GROUPS:
                keywords, merge = _GROUPS[keyword]
                group = {k: node[k] for k in keywords if k in node and k not in done}
                done.update(keywords)
                if group and not merge(self._node, group):
                    rest |= group
            elif keyword not in ASSERTIONS:
                self._annotate(keyword, value, referenced)
            elif not _merge(self._node, keyword, value):
                rest[keyword] = value
        if rest:
            self._left.append(Finished(rest))

    def result(self) -> dict[str, JsonValue]:
        """Return the merged schema, with an `allOf` of the constraints that could not be merged."""
        node = {**self._fallback, **self._node}
        keep_tighter_bounds(node)
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
    if node.keys().isdisjoint(_GROUPS["properties"][0]):
        node |= group
        return True
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
    if node.keys().isdisjoint(_GROUPS["items"][0]):
        node |= group
        return True
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
    if keyword == "enum":
        return _merge_values(node, value)
    if keyword not in node:
        merged = value
    elif (rule := _RULES.get(KEYWORDS[keyword].merged)) is not None:
        merged = rule(node[keyword], value)
        if merged is None:
            return False
    else:
        # Schemas cannot be compared before they are normalized.
        return KEYWORDS[keyword].merged != "never" and equal(node[keyword], value)
    if keyword == "type" and "enum" in node:
        typed: Keywords = {"type": merged}
        if not _merge_values(typed, node["enum"]):
            return False
        node["enum"] = typed["enum"]
    node[keyword] = merged
    return True


def _merge_values(node: Keywords, values: JsonValue) -> bool:
    """Merge an `enum`; `null` is removed if the type, from another schema, does not allow it."""
    found = (
        values_in_both(items_of(node["enum"]), items_of(values))
        if "enum" in node
        else items_of(values)
    )
    if "null" not in (types_named(node) or ["null"]):
        found = [value for value in found if value is not None]
    if found:
        node["enum"] = found
    return bool(found)


def _by(choose: Callable[[float, float], float]) -> Callable[[JsonValue, JsonValue], JsonValue]:
    def chosen(mine: JsonValue, value: JsonValue) -> JsonValue:
        if isinstance(mine, int | float) and isinstance(value, int | float):
            return choose(mine, value)
        return None

    return chosen


def _multiple(mine: JsonValue, value: JsonValue) -> JsonValue:
    if not (isinstance(mine, int) and isinstance(value, int)):
        return None
    return both if (both := lcm(mine, value)) <= MOST_MULTIPLE else None


def _union(mine: JsonValue, value: JsonValue) -> JsonValue:
    return list(dict.fromkeys(map(str, [*items_of(mine), *items_of(value)])))


def _unions(mine: JsonValue, value: JsonValue) -> JsonValue:
    if not (isinstance(mine, dict) and isinstance(value, dict)):
        return None
    return {name: _union(mine.get(name), value.get(name)) for name in {**mine, **value}}


def _schemas_of_both(mine: JsonValue, value: JsonValue) -> JsonValue:
    return _joined(schemas_by_name(mine), schemas_by_name(value))


def _schema_of_both(mine: JsonValue, value: JsonValue) -> JsonValue:
    if isinstance(mine, dict | bool) and isinstance(value, dict | bool):
        return join(mine, value)
    return None


def _types(mine: JsonValue, value: JsonValue) -> JsonValue:
    """Return the types that are in both; an `integer` is a `number`."""
    some, others = types_named({"type": mine}) or [], types_named({"type": value}) or []
    found = [
        name if name in others else "integer"
        for name in some
        if name in others
        or (name == "number" and "integer" in others)
        or (name == "integer" and "number" in others)
    ]
    return found[0] if len(found) == 1 else found or None


_RULES: dict[str, Callable[[JsonValue, JsonValue], JsonValue]] = {
    "greater": _by(max),
    "lesser": _by(min),
    "multiple": _multiple,
    "names": _union,
    "names by name": _unions,
    "schema": _schema_of_both,
    "schemas by name": _schemas_of_both,
    "true": lambda mine, value: mine is True or value is True,
    "types": _types,
}
"""The functions that merge two values; they return `None` if one value cannot express both."""
