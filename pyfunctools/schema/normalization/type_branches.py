"""Several types in one schema: a list where only the type varies, otherwise one branch for each."""

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.normalization.spelling import types_in
from pyfunctools.schema.outline.json_types import type_of
from pyfunctools.schema.vocabulary import SEES_SIBLINGS, VALUES, judging

OF_TYPE: dict[str, frozenset[str]] = {
    name: judging(name) for name in ("string", "number", "integer", "array", "object")
}
"""The keywords that look at values of one type only. `format` looks at several."""

_TYPED = frozenset[str]().union(*OF_TYPE.values(), VALUES, {"format"})

_NUMERIC_FORMATS = frozenset(
    {"decimal", "decimal128", "double", "double-int", "float", "int16", "int32", "int64", "int8"}
    | {"uint16", "uint32", "uint64", "uint8"}
)

_BARS = SEES_SIBLINGS | {"allOf"}
"""Keywords that see, or are merged with, what stands beside them: it may not move into a branch."""


def split(node: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a spelled schema in which each type has its own branch of an `anyOf`, where it must.

    A list of types stays where nothing else depends on the type. Otherwise each branch has only the
    keywords of its type and the values of an `enum` or `const` that are of its type; a branch that
    is left without values is left out, and a single branch is no union. What annotates, and what
    looks at values of any type, stays outside. A schema with an `anyOf` of its own gets the second
    one under `allOf`. A list of values without types that holds `null` is split as well.
    """
    if not _BARS.isdisjoint(node):
        return node
    types = types_in(node)
    if not types:
        return _split_values(node)
    if types == ["null"]:
        return _only_null(node)
    if len(types) < 2 or _TYPED.isdisjoint(node):
        return node
    names = [str(name) for name in types]
    moved = (VALUES | {"type", "format"}).union(*(OF_TYPE.get(n, ()) for n in names))
    if len(moved & node.keys()) == 1:
        return node
    branches = [branch for name in names if (branch := _branch(node, name, names)) is not None]
    if not branches:
        return node
    outer = {keyword: value for keyword, value in node.items() if keyword not in moved}
    return _joined(outer, branches)


def _branch(node: JsonSchema, name: str, names: list[str]) -> dict[str, JsonValue] | None:
    branch: dict[str, JsonValue] = {"type": name}
    for keyword, value in node.items():
        if keyword in OF_TYPE.get(name, ()) or (
            keyword == "format" and name in _formatted(value, names)
        ):
            branch[keyword] = value
        elif keyword == "const":
            if not _is_of(value, name):
                return None
            branch[keyword] = value
        elif keyword == "enum" and isinstance(value, list):
            fitting = [each for each in value if _is_of(each, name)]
            if not fitting:
                return None
            branch[keyword] = fitting
    return _only_null(branch) if name == "null" else branch


def _formatted(form: JsonValue, names: list[str]) -> list[str]:
    """Return those of the types that a format is about."""
    wanted = ("number", "integer") if form in _NUMERIC_FORMATS else ("string",)
    return [name for name in names if name in wanted] or [n for n in names if n != "null"]


def _is_of(value: JsonValue, name: str) -> bool:
    kind = type_of(value)
    return kind == name or (kind == "integer" and name == "number")


def _only_null(node: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Leave out the list of values where `null`, the only one of the type, is among them."""
    values = node.get("enum")
    if isinstance(values, list) and None in values:
        node = {keyword: value for keyword, value in node.items() if keyword != "enum"}
    if node.get("const", 0) is None:
        node = {keyword: value for keyword, value in node.items() if keyword != "const"}
    return node


def _split_values(node: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if node.get("const", 0) is None:
        return _only_null({**node, "type": "null"})
    values = node.get("enum")
    if not isinstance(values, list) or None not in values:
        return node
    rest = [value for value in values if value is not None]
    outer = {keyword: value for keyword, value in node.items() if keyword != "enum"}
    branches: list[dict[str, JsonValue]] = [{"enum": rest}] if rest else []
    return _joined(outer, [*branches, {"type": "null"}])


def _joined(
    outer: dict[str, JsonValue], branches: list[dict[str, JsonValue]]
) -> dict[str, JsonValue]:
    if len(branches) == 1:
        return {**branches[0], **outer}
    if "anyOf" in outer:
        return {**outer, "allOf": [{"anyOf": [*branches]}]}
    return {**outer, "anyOf": [*branches]}
