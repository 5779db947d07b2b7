"""A schema without the properties whose values the program gives itself."""

from collections.abc import Sequence

from pyfunctools._json import JsonSchema, JsonValue, items_of
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.references import MAX_HOPS, find_target, prune
from pyfunctools.schema.vocabulary import (
    ANNOTATIONS,
    BELOW,
    COMPOSITION,
    TESTED_ONLY,
    VALUE_LISTS,
    judging,
)


def without_properties(schema: JsonSchema, paths: Sequence[Keys]) -> JsonSchema:
    """Return a schema without the properties at these paths, and without objects that become empty.

    Definitions on the way are copied to the places of their references. Keywords that need a whole
    object (`minProperties`, `dependentRequired`, `if`, `not`) are left out where the object loses a
    property: they have to be checked on the whole value.
    """
    for keys in paths:
        schema, _ = _without(schema, schema, keys, 0)
    return prune(schema)


def has_property(schema: JsonSchema, keys: Keys) -> bool:
    """Return whether a schema declares a property at this path."""
    return all(isinstance(key, str) for key in keys) and _without(schema, schema, keys, 0)[1]


def _without(
    root: JsonSchema, schema: JsonSchema, keys: Keys, hops: int
) -> tuple[JsonSchema, bool]:
    """Return a schema without a property, and whether it had the property."""
    if not keys or hops > MAX_HOPS:
        return schema, False
    found = False
    named = find_target(root, schema.get("$ref"))
    if isinstance(named, dict):
        target, found = _without(root, named, keys, hops + 1)
        if found:
            own = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
            is_bare = ANNOTATIONS.issuperset(own)  # else both schemas have rules, and both apply
            schema = {**target, **own} if is_bare else {**own, "allOf": [target]}
    changed: dict[str, JsonValue] = dict(schema)
    for keyword in COMPOSITION:
        members: list[JsonValue] = []
        listed = schema.get(keyword)
        for member in items_of(listed):
            left, had = member, False
            if isinstance(member, dict):
                left, had = _without(root, member, keys, hops)
            members.append(left)
            found = found or had
        if members:
            changed[keyword] = members
    return _without_own(root, changed, keys, found)


def _without_own(
    root: JsonSchema, schema: dict[str, JsonValue], keys: Keys, found: bool
) -> tuple[JsonSchema, bool]:
    """Return the same as `_without`, for the schema's own `properties`."""
    name, rest = str(keys[0]), keys[1:]
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or name not in properties:
        return schema, found
    kept = {key: value for key, value in properties.items() if key != name}
    is_needed = False
    if rest:
        inner = properties[name]
        left, had = _without(root, inner, rest, 0) if isinstance(inner, dict) else (inner, False)
        if not had or not isinstance(left, dict):
            return schema, found
        if not _is_empty(left):
            kept = {key: left if key == name else value for key, value in properties.items()}
            is_needed = bool(left.get("required"))
    for keyword in _OF_THE_WHOLE:
        schema.pop(keyword, None)
    schema["properties"] = kept
    if isinstance(required, list) and not is_needed:
        schema["required"] = [each for each in required if each != name]
    return schema, True


def _is_empty(schema: JsonSchema) -> bool:
    """Return whether an object allows no property any more."""
    return not schema.get("properties") and schema.get("additionalProperties") is False


_OF_THE_WHOLE = (
    (judging("object") - BELOW - {"properties", "required"})
    | VALUE_LISTS
    | TESTED_ONLY
    | {"then", "else"}
)
