"""One schema, without what lies below it, from any draft's spelling to that of 2020-12."""

from collections.abc import Callable

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.equality import equal
from pyfunctools.schema.normalization.clean import CLEAN, TYPES, shown, type_named
from pyfunctools.schema.vocabulary import ASSERTIONS, IN_PLACE, REFERENCES

_REFUSING_NULL = IN_PLACE | REFERENCES | {"const"}
"""Keywords that may refuse `null` whatever `type` and `enum` say."""


def spell(schema: JsonSchema) -> dict[str, JsonValue]:
    """Return a copy of a schema in which its own keywords are those of 2020-12, and sound.

    Its subschemas stay as they are, `allOf` among them. Read are the spellings of the drafts from
    4 on, of Swagger 2.0 and of OpenAPI 3.0, whatever `$schema` says: no two of them say different
    things in one spelling, but for references, which `bundle` reads. `null` in an `enum` beside a
    type that has none makes the type one with `null`: that is what the author wrote it for.
    """
    node: dict[str, JsonValue] = {}
    for keyword, value in schema.items():
        clean = CLEAN.get(keyword)
        if clean is None:
            node[keyword] = shown(value) if keyword.startswith("x-") else value
        elif (sound := clean(value)) is not None:
            node[keyword] = sound
    given = node.get("type", "object")
    if not (isinstance(given, str) and given in TYPES):
        _spell_type(node)
    if "properties" in node:
        _lift_required(node)
    if not _TRANSLATIONS.keys().isdisjoint(node):
        for keyword, translate in _TRANSLATIONS.items():
            if keyword in node:
                translate(node)
    if "nullable" in node or "x-nullable" in node or "enum" in node:
        return _with_null(node)
    return node


def tighten(node: dict[str, JsonValue]) -> None:
    """Leave the tighter of `minimum` and `exclusiveMinimum`, and of the maxima, where both are."""
    for inclusive, exclusive, sign in (
        ("minimum", "exclusiveMinimum", 1),
        ("maximum", "exclusiveMaximum", -1),
    ):
        bound, open_bound = node.get(inclusive), node.get(exclusive)
        if isinstance(bound, int | float) and isinstance(open_bound, int | float):
            del node[exclusive if bound * sign > open_bound * sign else inclusive]


def types_in(node: JsonSchema) -> list[JsonValue]:
    """Return the types that a spelled schema lists, none where it says nothing of them."""
    types = node.get("type", [])
    return list(types) if isinstance(types, list) else [types]


def _spell_type(node: dict[str, JsonValue]) -> None:
    given = node["type"]
    named = [type_named(name) for name in (given if isinstance(given, list) else [given])]
    sound = [name for name in named if name is not None]
    if not sound or len(sound) < len(named):
        # One name that means nothing may have meant anything: the others are not all there is.
        del node["type"]
        return
    types = list(dict.fromkeys(name for name, _ in sound))
    if "number" in types and "integer" in types:
        types.remove("integer")
    node["type"] = types[0] if len(types) == 1 else [*types]
    formats = {form for _, form in sound if form is not None}
    if len(formats) == 1 and "format" not in node:
        node["format"] = formats.pop()


def _lift_required(node: dict[str, JsonValue]) -> None:
    """Move draft-03's `required: true` from the properties to the schema that has them."""
    properties = node["properties"]
    if not isinstance(properties, dict):
        return
    lifted = [
        name
        for name, inner in properties.items()
        if isinstance(inner, dict) and inner.get("required") is True
    ]
    if lifted:
        required = node.get("required")
        listed = required if isinstance(required, list) else []
        node["required"] = list(dict.fromkeys([*listed, *lifted]))


def _split_items(node: dict[str, JsonValue]) -> None:
    items = node["items"]
    if not isinstance(items, list):
        return
    del node["items"]
    if items and "prefixItems" not in node:
        node["prefixItems"] = items
    if "additionalItems" in node:
        node["items"] = node["additionalItems"]


def _drop_additional_items(node: dict[str, JsonValue]) -> None:
    # It says nothing but beside an array of `items`, which has taken it over.
    del node["additionalItems"]


def _split_dependencies(node: dict[str, JsonValue]) -> None:
    dependencies = node.pop("dependencies")
    required = _copy_of(node.get("dependentRequired"))
    schemas = _copy_of(node.get("dependentSchemas"))
    for name, needed in dependencies.items() if isinstance(dependencies, dict) else ():
        if isinstance(needed, dict | bool):
            given = schemas.get(name)
            schemas[name] = needed if given is None else {"allOf": [given, needed]}
        elif isinstance(needed, list | str):
            given = required.get(name)
            wanted = [needed] if isinstance(needed, str) else needed
            names = [*(given if isinstance(given, list) else []), *wanted]
            required[name] = list(dict.fromkeys(n for n in names if isinstance(n, str)))
    if required:
        node["dependentRequired"] = required
    if schemas:
        node["dependentSchemas"] = schemas


def _copy_of(value: JsonValue) -> dict[str, JsonValue]:
    return dict(value) if isinstance(value, dict) else {}


def _number_bound(node: dict[str, JsonValue]) -> None:
    """Turn draft-04's flag beside a bound into a bound of its own (2020-12 validation, 6.2)."""
    for inclusive, exclusive in (
        ("minimum", "exclusiveMinimum"),
        ("maximum", "exclusiveMaximum"),
    ):
        flag = node.get(exclusive)
        if isinstance(flag, bool):
            del node[exclusive]
            if flag and inclusive in node:
                node[exclusive] = node.pop(inclusive)
    tighten(node)


def _gather_examples(node: dict[str, JsonValue]) -> None:
    given = [shown(node.pop(key)) for key in ("example", "x-example") if key in node]
    listed = node.get("examples")
    known = listed if isinstance(listed, list) else []
    new = [value for value in given if not any(equal(value, other) for other in known)]
    node["examples"] = [*new, *known]


def _spell_discriminator(node: dict[str, JsonValue]) -> None:
    given = node["discriminator"]
    if isinstance(given, str):
        node["discriminator"] = {"propertyName": given}
    elif not (isinstance(given, dict) and isinstance(given.get("propertyName"), str)):
        del node["discriminator"]


def _drop_unless(needed: str, *keywords: str) -> Callable[[dict[str, JsonValue]], None]:
    """Return what drops keywords that say nothing without another one."""

    def drop(node: dict[str, JsonValue]) -> None:
        if needed not in node:
            for keyword in keywords:
                node.pop(keyword, None)

    return drop


_TRANSLATIONS: dict[str, Callable[[dict[str, JsonValue]], None]] = {
    "items": _split_items,
    "additionalItems": _drop_additional_items,
    "dependencies": _split_dependencies,
    "exclusiveMinimum": _number_bound,
    "exclusiveMaximum": _number_bound,
    "example": _gather_examples,
    "x-example": _gather_examples,
    "discriminator": _spell_discriminator,
    "then": _drop_unless("if", "then", "else"),
    "else": _drop_unless("if", "then", "else"),
    "minContains": _drop_unless("contains", "minContains", "maxContains"),
    "maxContains": _drop_unless("contains", "minContains", "maxContains"),
}
"""What translates a keyword, in the order in which it is done."""


def _with_null(node: dict[str, JsonValue]) -> dict[str, JsonValue]:
    flags = [node.pop("nullable", False), node.pop("x-nullable", False)]
    values = node.get("enum")
    types = types_in(node)
    listed = isinstance(values, list) and None in values
    if any(flags) and not _REFUSING_NULL.isdisjoint(node):
        return _or_null(node)
    if not listed and not any(flags):
        return node
    if types and "null" not in types:
        node["type"] = [*types, "null"]
    if isinstance(values, list) and not listed:
        node["enum"] = [*values, None]
    return node


def _or_null(node: dict[str, JsonValue]) -> dict[str, JsonValue]:
    inner = {keyword: value for keyword, value in node.items() if keyword in ASSERTIONS}
    outer = {keyword: value for keyword, value in node.items() if keyword not in ASSERTIONS}
    only = inner.get("anyOf") if len(inner) == 1 else None
    branches = list(only) if isinstance(only, list) else [inner]
    if {"type": "null"} not in branches:
        branches.append({"type": "null"})
    outer["anyOf"] = branches
    return outer
