"""`allOf`: several schemas that all hold, merged into one that says the same."""

from collections.abc import Callable
from math import lcm
from typing import TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.json_values import equal, values_in_both
from pyfunctools.schema.ground.marks import HUMAN_MARKS, human_mark
from pyfunctools.schema.ground.walk import map_children
from pyfunctools.schema.normalization.spelling import keep_tighter_bounds
from pyfunctools.schema.normalization.targets import Copied, Finished, Joined
from pyfunctools.schema.outline.json_types import schemas_by_name, schemas_of, types_named
from pyfunctools.schema.vocabulary import ASSERTIONS, KEYWORDS, Keyword

MOST_CLOSED = 256
"""Properties of two schemas that are merged where one is closed: each is held against the other."""

MOST_WORK = 10_000_000
"""Entries of a merged schema that are gone through again for each one that is added to it."""

MOST_MULTIPLE = 2**53
"""The largest number that two `multipleOf` are merged into: past it, not all readers are exact."""


class Conjunction:
    """Schemas that all hold, merged as they are added.

    What cannot be merged (a second `pattern`, `$ref` or `anyOf`; types or values that have nothing
    in common; an object's properties where a pattern may name one that another schema forbids)
    stays apart under `allOf`. Nothing that is valid for all becomes invalid, or the other way.
    """

    def __init__(self) -> None:
        self._node: dict[str, JsonValue] = {}
        self._fallback: dict[str, JsonValue] = {}
        self._left: list[JsonValue] = []
        self._work = 0

    def leave(self, schema: JsonSchema | bool) -> None:
        """Add a schema that must stay a branch of its own."""
        if not (isinstance(schema, bool) and schema in self._left):
            self._left.append(schema)

    def add(self, part: JsonSchema, referenced: bool) -> None:
        """Add a spelled schema without `allOf`.

        One that was `referenced` says less about the whole: its annotations stand behind all
        others; its title, its examples and how it is told from its heirs are left behind.

        Raises:
            SchemaError: there are too many, or they are too large.
        """
        held = self._node.values()
        self._work += sum(len(value) for value in held if isinstance(value, dict | list))
        if self._work > MOST_WORK:
            raise SchemaError("Its `allOf` holds too much to be merged.")
        if not self._node and not referenced:
            self._node = dict(part)
            return
        if referenced:
            node = map_children(
                part, lambda _, inner: Copied(inner) if isinstance(inner, dict) else inner
            )
        else:
            node = part
        if referenced and node.keys().isdisjoint(("anyOf", "oneOf")):
            node = {keyword: value for keyword, value in node.items() if keyword != "discriminator"}
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
        """Return the whole, with an `allOf` of what could not be merged."""
        node = {**self._fallback, **self._node}
        keep_tighter_bounds(node)
        if self._left:
            node["allOf"] = [*self._left]
        elif "const" in node and values_in_both([node["const"]], _listed(node.get("enum"))):
            del node["enum"]
        return node

    def _annotate(self, keyword: str, value: JsonValue, referenced: bool) -> None:
        if KEYWORDS.get(keyword, _UNKNOWN).merged == "true":
            self._node[keyword] = bool(self._node.get(keyword)) or value
        elif keyword in HUMAN_MARKS:
            held = self._fallback if referenced else self._node
            if (
                not human_mark({keyword: held.get(keyword)})
                and human_mark({keyword: value}) is not None
            ):
                held[keyword] = value  # a yes wins over a no, whichever stands first
        elif referenced:
            if KEYWORDS.get(keyword, _UNKNOWN).merged != "own":
                self._fallback.setdefault(keyword, value)
        else:
            self._node.setdefault(keyword, value)


def join(one: JsonSchema | bool, other: JsonSchema | bool) -> JsonSchema | bool:
    """Return a schema of what fits both, to be merged when its turn comes."""
    if one is True or other is False:
        return other
    if other is True or one is False or equal(one, other):
        return one
    branches = one["allOf"] if isinstance(one, Joined) else [one]
    return Joined(allOf=[*_listed(branches), other])


_UNKNOWN = Keyword(role="annotation")
"""What is known of a keyword that nobody knows."""

Keywords: TypeAlias = dict[str, JsonValue]
_Schemas: TypeAlias = dict[str, JsonSchema | bool]


def _once(node: Keywords, group: Keywords) -> bool:
    """Add a group that can stand only once; a second one stays apart even if it says the same."""
    if not node.keys().isdisjoint(group):
        return False
    node |= group
    return True


def _choice(node: Keywords, group: Keywords) -> bool:
    """Add `oneOf` and `anyOf`, which stand side by side; a `discriminator` goes with its union."""
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
    """Merge what an object's properties must be (2020-12 core, 10.3.2).

    `additionalProperties` looks at the properties that its own schema does not name, so each one
    that only the other schema names is held against it.
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
    """Merge what an array's items must be (2020-12 core, 10.3.1)."""
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


def _listed(value: JsonValue) -> list[JsonValue]:
    return list(value) if isinstance(value, list) else []


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
"""Keywords that say one thing together, each with all of them and what merges such a group.

It answers whether that could be done; if not, it leaves in the group what must stay apart.
"""


def _merge(node: Keywords, keyword: str, value: JsonValue) -> bool:
    """Merge a keyword that stands alone, and say whether that could be done."""
    if keyword == "enum":
        return _merge_values(node, value)
    if keyword not in node:
        merged = value
    elif (rule := _RULES.get(KEYWORDS[keyword].merged)) is not None:
        merged = rule(node[keyword], value)
        if merged is None:
            return False
    else:
        # Whether two schemas say the same is not known before they are normalized.
        return KEYWORDS[keyword].merged != "never" and equal(node[keyword], value)
    if keyword == "type" and "enum" in node:
        typed: Keywords = {"type": merged}
        if not _merge_values(typed, node["enum"]):
            return False
        node["enum"] = typed["enum"]
    node[keyword] = merged
    return True


def _merge_values(node: Keywords, values: JsonValue) -> bool:
    """Merge a list of values; `null` leaves it where a type stands that somebody else gave.

    In a schema of one author the type would make way instead.
    """
    found = (
        values_in_both(_listed(node["enum"]), _listed(values))
        if "enum" in node
        else _listed(values)
    )
    if "null" not in (types_named(node) or ["null"]):
        found = [value for value in found if value is not None]
    if found:
        node["enum"] = found
    return bool(found)


def _greater(mine: JsonValue, value: JsonValue) -> JsonValue:
    if isinstance(mine, int | float) and isinstance(value, int | float):
        return max(mine, value)
    return None


def _lesser(mine: JsonValue, value: JsonValue) -> JsonValue:
    if isinstance(mine, int | float) and isinstance(value, int | float):
        return min(mine, value)
    return None


def _multiple(mine: JsonValue, value: JsonValue) -> JsonValue:
    if not (isinstance(mine, int) and isinstance(value, int)):
        return None
    return both if (both := lcm(mine, value)) <= MOST_MULTIPLE else None


def _union(mine: JsonValue, value: JsonValue) -> JsonValue:
    return list(dict.fromkeys(map(str, [*_listed(mine), *_listed(value)])))


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
    """Return the types that both list; an `integer` is a `number`."""
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
    "greater": _greater,
    "lesser": _lesser,
    "multiple": _multiple,
    "names": _union,
    "names by name": _unions,
    "schema": _schema_of_both,
    "schemas by name": _schemas_of_both,
    "true": lambda mine, value: mine is True or value is True,
    "types": _types,
}
"""For each way to merge, what both values say in one; `None` where one value cannot say it."""
