"""The keywords of one schema, without its subschemas, translated from any draft to 2020-12."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, items_of, members_of
from pyfunctools.schema.ground.json_values import equal
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.normalization.clean import CLEAN, known_type, with_visible_texts
from pyfunctools.schema.outline.json_types import (
    ALL_TYPES,
    json_type,
    schemas_by_name,
    texts_of,
    types_named,
)
from pyfunctools.schema.vocabulary import (
    ASSERTIONS,
    IN_PLACE,
    NUMBERS,
    REFERENCES,
    UNEVALUATED,
    VALUE_LISTS,
    human_mark,
    judging,
)

_REFUSING_NULL = IN_PLACE | REFERENCES | VALUE_LISTS
"""Keywords that may reject `null` although `type` allows it."""

_FLAGS = frozenset({"nullable", "x-nullable"})
_NULLABLE = _FLAGS | {"enum"}
_BOUNDS = (("minimum", "exclusiveMinimum", 1), ("maximum", "exclusiveMaximum", -1))


def translate(schema: JsonSchema) -> JsonSchema:
    """Return a schema with the keywords of 2020-12 and corrected values: itself if it has them.

    Subschemas stay as they are. The keywords of draft 4 and later, Swagger 2.0 and OpenAPI 3.0 are
    translated whatever `$schema` is: their meanings do not contradict each other, other than
    references, which `bundle` resolves. `null` in an `enum` adds `null` to the type.
    """
    changed: dict[str, JsonValue] | None = None
    for keyword, value in schema.items():
        clean = CLEAN.get(keyword)
        if clean is not None:
            corrected = clean(value)
        elif keyword.startswith("x-"):
            corrected = with_visible_texts(value)
        else:
            continue
        if corrected is not value or value is None:
            changed = dict(schema) if changed is None else changed
            changed[keyword] = corrected
            if corrected is None and clean is not None:
                del changed[keyword]
    node = schema if changed is None else changed
    properties = node.get("properties")
    if (
        not _DATED.isdisjoint(node)
        or ("type" in node and not _is_type(node["type"]))
        or isinstance(node.get("items"), list)
        or (properties is not None and any(_lifted(members_of(properties))))
    ):
        node = dict(node)
        for keyword, translation in _TRANSLATIONS.items():
            if keyword in node:
                translation(node)
    return node if _NULLABLE.isdisjoint(node) else _with_null(node)


def _is_type(value: JsonValue) -> bool:
    """Return whether a `type` is one name, or one name and `null`, as most are."""
    if isinstance(value, list) and len(value) == 2 and value[1] == "null" != value[0]:
        value = value[0]
    return isinstance(value, str) and value in ALL_TYPES


def keep_tighter_bounds(node: dict[str, JsonValue]) -> None:
    """Remove the looser of `minimum` and `exclusiveMinimum`, and of the maxima."""
    for inclusive, exclusive, sign in _BOUNDS:
        bound, open_bound = node.get(inclusive), node.get(exclusive)
        if isinstance(bound, int | float) and isinstance(open_bound, int | float):
            del node[exclusive if bound * sign > open_bound * sign else inclusive]


def _translate_type(node: dict[str, JsonValue]) -> None:
    given = node["type"]
    if isinstance(given, str) and given in ALL_TYPES:
        return
    named = [known_type(name) for name in (given if isinstance(given, list) else [given])]
    known = [name for name in named if name is not None]
    if not known or len(known) < len(named):
        # An unknown name may mean any type, so the others are not the complete list.
        del node["type"]
        return
    types = list(dict.fromkeys(name for name, _ in known))
    if "number" in types and "integer" in types:
        types.remove("integer")
    node["type"] = types[0] if len(types) == 1 else [*types]
    formats = {form for _, form in known if form is not None}
    if len(formats) == 1 and "format" not in node:
        node["format"] = formats.pop()


def _lift_required(node: dict[str, JsonValue]) -> None:
    """Move draft-03's `required: true` from the properties to the schema that has them."""
    if lifted := [*_lifted(members_of(node["properties"]))]:
        node["required"] = list(dict.fromkeys([*texts_of(node.get("required")), *lifted]))


def _lifted(properties: JsonObject) -> Iterator[str]:
    for name, inner in properties.items():
        if isinstance(inner, dict) and inner.get("required") is True:
            yield name


def _split_items(node: dict[str, JsonValue]) -> None:
    items = node["items"]
    if not isinstance(items, list):
        return
    del node["items"]
    if items and "prefixItems" not in node:
        node["prefixItems"] = items
    if "additionalItems" in node:
        node["items"] = node.pop("additionalItems")


def _split_dependencies(node: dict[str, JsonValue]) -> None:
    given = members_of(node.pop("dependencies"))
    names = {
        name: list(dict.fromkeys(texts_of([each] if isinstance(each, str) else each)))
        for name, each in given.items()
        if isinstance(each, list | str)
    }
    for keyword, found in (
        ("dependentRequired", names),
        ("dependentSchemas", schemas_by_name(given)),
    ):
        if found and keyword in node:
            node["allOf"] = [*items_of(node.get("allOf")), {keyword: found}]
        elif found:
            node[keyword] = found


def _number_bound(node: dict[str, JsonValue]) -> None:
    """Turn the flag of draft-04 beside a bound into a separate bound (2020-12 validation, 6.2)."""
    for inclusive, exclusive, _ in _BOUNDS:
        flag = node.get(exclusive)
        if isinstance(flag, bool):
            del node[exclusive]
            if flag and inclusive in node:
                node[exclusive] = node.pop(inclusive)
    keep_tighter_bounds(node)


def _gather_examples(node: dict[str, JsonValue]) -> None:
    known = items_of(node.get("examples"))
    given = [with_visible_texts(node.pop(key)) for key in ("example", "x-example") if key in node]
    new = [value for value in given if not any(equal(value, other) for other in known)]
    node["examples"] = [*new, *known]


def _spell_discriminator(node: dict[str, JsonValue]) -> None:
    given = node["discriminator"]
    if isinstance(given, str):
        node["discriminator"] = {"propertyName": given}
    elif not isinstance(members_of(given).get("propertyName"), str):
        del node["discriminator"]


def _drop_unless(needed: str, keyword: str) -> Callable[[dict[str, JsonValue]], object]:
    """Return a translation that drops a keyword which has no effect without another one."""
    return lambda node: None if needed in node else node.pop(keyword)


_TRANSLATIONS: dict[str, Callable[[dict[str, JsonValue]], object]] = {
    "type": _translate_type,
    "properties": _lift_required,
    "items": _split_items,
    "additionalItems": lambda node: node.pop("additionalItems"),  # no effect without `items`
    "dependencies": _split_dependencies,
    "exclusiveMinimum": _number_bound,
    "exclusiveMaximum": _number_bound,
    "example": _gather_examples,
    "x-example": _gather_examples,
    "discriminator": _spell_discriminator,
    "then": _drop_unless("if", "then"),
    "else": _drop_unless("if", "else"),
    "minContains": _drop_unless("contains", "minContains"),
    "maxContains": _drop_unless("contains", "maxContains"),
}
"""The translation of each keyword, in the order in which they are applied."""

_DATED = _TRANSLATIONS.keys() - {"type", "properties", "items"}
"""Keywords that are always translated; the others only with certain values."""


def _with_null(schema: JsonSchema) -> JsonSchema:
    is_listed = None in items_of(schema.get("enum"))
    if not is_listed and _FLAGS.isdisjoint(schema):
        return schema
    node = {keyword: value for keyword, value in schema.items() if keyword not in _FLAGS}
    is_nullable = any(schema.get(flag) for flag in _FLAGS)
    refusing = _REFUSING_NULL - {"enum"} if is_listed else _REFUSING_NULL
    if is_nullable and not refusing.isdisjoint(node):
        return _or_null(node)
    types = types_named(node) or []
    if types and "null" not in types and (is_listed or is_nullable):
        node["type"] = [*types, "null"]
    return node


def _or_null(node: JsonSchema) -> dict[str, JsonValue]:
    inner = {keyword: value for keyword, value in node.items() if keyword in ASSERTIONS}
    outer = {keyword: value for keyword, value in node.items() if keyword not in ASSERTIONS}
    branches = [*items_of(inner.get("anyOf"))] if len(inner) == 1 else []
    branches = branches or [inner]
    if {"type": "null"} not in branches:
        branches.append({"type": "null"})
    outer["anyOf"] = branches
    return outer


OF_TYPE: dict[str, frozenset[str]] = {
    name: judging(name) for name in ("string", "number", "integer", "array", "object")
}
"""The keywords that constrain values of one type only; `format` constrains several."""

_TYPED = frozenset[str]().union(*OF_TYPE.values(), VALUE_LISTS, {"format"})

_NUMERIC_FORMAT = re.compile(r"u?int\d+|decimal(128)?|double(-int)?|float")

_BARS = UNEVALUATED | {"allOf"}
"""Keywords that depend on the keywords beside them, which must not move into a branch."""


def split_types(node: JsonSchema) -> JsonSchema:
    """Return a translated schema with an `anyOf` of one branch for each of several types.

    Each branch has the keywords of its type, and the values of `enum` or `const` of its type; if
    these have no value of the type, the branch is left out, unless a part of it is marked: then
    nothing is split. A list of types stays if no other keyword depends on the type. A second
    `anyOf` goes under `allOf`. An `enum` without types that contains `null` is split too.
    """
    given = node.get("type")
    if (isinstance(given, str) and given != "null") or not _BARS.isdisjoint(node):
        return node
    names = types_named(node) or []
    if not names:
        return _split_values(node)
    if names == ["null"]:
        return _only_null(node)
    if len(names) < 2 or _TYPED.isdisjoint(node):
        return node
    moved = _moved(*names)
    if len(moved & node.keys()) == 1:
        return node
    found = {name: branch_of_type(node, name, names) for name in names}
    branches = [branch for branch in found.values() if branch is not None]
    if len(branches) < len(found):
        lost = [OF_TYPE.get(name, ()) for name, branch in found.items() if branch is None]
        left_out = subschemas({key: node[key] for key in node if any(key in each for each in lost)})
        if not branches or any(human_mark(inner) for _, inner in left_out):
            return node
    outer = {keyword: value for keyword, value in node.items() if keyword not in moved}
    return _joined(outer, branches)


@lru_cache(maxsize=256)
def _moved(*names: str) -> frozenset[str]:
    """Return the keywords that move into a branch for each of these types."""
    return (VALUE_LISTS | {"type", "format"}).union(*(OF_TYPE.get(name, ()) for name in names))


def branch_of_type(
    node: JsonSchema, name: str, names: Sequence[str]
) -> dict[str, JsonValue] | None:
    """Return the part of a schema of these types for one of them, `None` if no value fits."""
    branch: dict[str, JsonValue] = {"type": name}
    own = OF_TYPE.get(name, ())
    for keyword, value in node.items():
        if keyword in own or (keyword == "format" and name in _formatted(value, names)):
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


def _formatted(form: JsonValue, names: Sequence[str]) -> list[str]:
    """Return the types that a format applies to."""
    wanted = NUMBERS if _NUMERIC_FORMAT.fullmatch(str(form)) else ("string",)
    return [name for name in names if name in wanted] or [n for n in names if n != "null"]


def _is_of(value: JsonValue, name: str) -> bool:
    kind = json_type(value)
    return kind == name or (kind == "integer" and name == "number")


def _only_null(node: JsonSchema) -> dict[str, JsonValue]:
    """Return a schema of type `null` without an `enum` or `const` that contains `null`."""
    kept = dict(node)
    if None in items_of(kept.get("enum")):
        del kept["enum"]
    if kept.get("const", 0) is None:
        del kept["const"]
    return kept


def _split_values(node: JsonSchema) -> JsonSchema:
    if node.get("const", 0) is None:
        return _only_null({**node, "type": "null"})
    values = items_of(node.get("enum"))
    if None not in values:
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
