"""Rewrites of objects and arrays for a profile: names, maps, tuples, `required`, closed objects."""

import re
from collections.abc import Iterator
from dataclasses import replace

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, items_of, members_of
from pyfunctools.dialects.change import KEY, SAME, VALUE, Change
from pyfunctools.dialects.simplify import accepts_null, as_object, nullable
from pyfunctools.dialects.subschema import Rewritten, Subschema
from pyfunctools.dialects.table import ARRAYS, OBJECTS
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.outline.json_types import texts_of


def rewrite_containers(node: Subschema) -> Change:
    """Rewrite the keywords of a schema about objects and arrays."""
    if node.profile.json_text and (text := _as_text(node)) is not None:
        return text
    of_object, of_array = _rewrite_object(node), _rewrite_array(node)
    if of_object and of_array:
        return replace(of_object, prefix=of_array.prefix, items=of_array.items)
    return of_object or of_array or SAME


def _rewrite_object(node: Subschema) -> Change | None:
    schema, profile = node.schema, node.profile
    properties = members_of(schema.get("properties"))
    if not _is_about("object", schema, "properties", "additionalProperties"):
        _drop(schema, OBJECTS)
        if "required" in schema and "patternProperties" not in profile.keywords:
            node.describe("required")
        return None
    if not profile.maps and not properties and node.path != "$input" and _is_map(node):
        return _rewrite_map(node)
    named = members_of(schema.get("patternProperties"))
    is_allowed = "patternProperties" in profile.keywords and all(map(profile.takes_pattern, named))
    if profile.maps and not is_allowed:
        _merge_patterns(node)
    change = _rewrite_properties(node, {**properties, **_undeclared(node, properties)})
    rest = schema.get("additionalProperties")
    if isinstance(rest, dict) and profile.maps:
        schema["additionalProperties"], change.rest = node.rewrite(rest, node.path + ".*")
    elif profile.closed:
        if rest not in (None, False) or "patternProperties" in schema:
            node.lose("additionalProperties", "refused")
        elif rest is None:
            node.lose("additionalProperties", "loosened")
        schema.pop("patternProperties", None)
        schema["additionalProperties"] = False
    patterns = schema.get("patternProperties")
    if isinstance(patterns, dict) and "patternProperties" in profile.keywords:
        schema["patternProperties"] = {
            pattern: node.rewrite(as_object(inner), node.path + ".*")[0]
            for pattern, inner in patterns.items()
        }
    if rest in (True, {}) and not profile.maps:
        schema.pop("additionalProperties", None)
    if schema.get("additionalProperties") is False and not profile.says_closed:
        node.describe("additionalProperties", how="loosened")
    return change


def _as_text(node: Subschema) -> Change | None:
    """Write a schema that has no other spelling as a string with JSON, else return `None`."""
    schema, kind = node.schema, node.schema.get("type")
    if node.path == "$input" or "anyOf" in schema or kind not in (None, "object"):
        return None
    rest = schema.get("additionalProperties")
    if kind == "object" and (
        schema.get("properties") or (schema.get("required") and rest is False)
    ):
        return None
    if kind == "object" and isinstance(rest, dict) and rest:
        return None
    for keyword in sorted(schema.keys() - {"description", "nullable", "default", "type"}):
        node.describe(keyword, how="loosened" if schema[keyword] in (False, True, {}) else None)
    node.notes.insert(0, f"{'A JSON object' if kind else 'Any JSON value'}, as JSON text.")
    node.lose("type", "told")
    schema["type"] = "string"
    if kind is None:
        schema["nullable"] = True
    return Change(text="object" if kind else "any")


def _merge_patterns(node: Subschema) -> None:
    """Replace `patternProperties` by `additionalProperties` with the schemas of all patterns."""
    schema = node.schema
    patterns, rest = schema.get("patternProperties"), schema.get("additionalProperties")
    if not isinstance(patterns, dict):
        return
    node.describe("patternProperties")
    if rest not in (None, True):
        listed = [*patterns.values(), *([] if rest is False else [rest])]
        schema["additionalProperties"] = listed[0] if len(listed) == 1 else {"anyOf": listed}


def _is_map(node: Subschema) -> bool:
    if node.schema.get("additionalProperties") is False:
        return bool(node.schema.get("patternProperties"))
    return node.profile.closed or (node.profile.json_text and not node.schema.get("required"))


def _undeclared(node: Subschema, properties: JsonObject) -> JsonObject:
    """Return schemas for the properties that are required and not declared.

    If the profile accepts `patternProperties`, the result is empty: a pattern may match them.
    """
    if "patternProperties" in node.profile.keywords:
        return {}
    rest = node.schema.get("additionalProperties", True)
    return {name: rest for name in texts_of(node.schema.get("required")) if name not in properties}


def _rewrite_properties(node: Subschema, properties: JsonObject) -> Change:
    schema, profile = node.schema, node.profile
    names = dict(_new_names(properties, profile.key))
    required = texts_of(schema.get("required"))
    members: dict[str, Change] = {}
    written: dict[str, JsonValue] = {}
    optional = properties.keys() - required if profile.complete else set[str]()
    missing_if_null: set[str] = set()
    unknown = dict.fromkeys(node.context.definitions, False)  # null is added beside references
    for name, inner in properties.items():
        path = str(Path.of((name,), node.path))
        made, change = node.rewrite(as_object(inner), path)
        if name in required and id(inner) in node.context.circular:
            node.context.lose(path, "required")
            required.remove(name)
        if name in optional:
            if accepts_null(as_object(inner), node.context.definitions):
                node.context.lose(path, "required", "loosened")
            else:
                missing_if_null.add(name)
            if not accepts_null(made, unknown):
                made = nullable(made, type_lists=profile.type_lists)
        written[names.get(name, name)] = made
        if change is not SAME:
            members[name] = change
    if properties or profile.closed:
        schema["properties"] = written
    needed = list(properties) if profile.complete else required
    if needed or (profile.complete and "properties" in schema):
        schema["required"] = [names.get(name, name) for name in needed]
    else:
        schema.pop("required", None)
    return Change(
        names=names,
        members=members,
        null_if_missing=frozenset(optional),
        missing_if_null=frozenset(missing_if_null),
    )


def _new_names(properties: JsonObject, key: str | None) -> Iterator[tuple[str, str]]:
    """Yield the properties whose names do not match `key`, each with an unused name that does."""
    if key is None:
        return
    taken = {name for name in properties if re.fullmatch(key, name)}
    for name in [name for name in properties if name not in taken]:
        base = re.sub(r"[^A-Za-z0-9_]", "_", name)[:60] or "_"
        base = base if re.fullmatch(key, base) else f"_{base}"
        new, count = base, 1
        while new in taken:
            count += 1
            new = f"{base[:58]}_{count}"
        taken.add(new)
        yield name, new


def _rewrite_map(node: Subschema) -> Change:
    """Rewrite a map as an array of pairs, each with a `key` and a `value`."""
    schema, path = node.schema, node.path + ".*"
    patterns = schema.pop("patternProperties", None)
    rest = schema.pop("additionalProperties", None)
    key = as_object(schema.pop("propertyNames", {}))
    if isinstance(patterns, dict) and len(patterns) == 1 and rest is False:
        ((pattern, rest),) = patterns.items()
        key = {"pattern": pattern}
    types = texts_of(schema.get("type"))
    if (
        not isinstance(rest, dict)
        or not rest
        or "array" in types
        or texts_of(schema.get("required"))
    ):
        schema.pop("required", None)
        if node.profile.json_text and (text := _as_text(node)) is not None:
            return text
        node.lose("additionalProperties", "refused")
        schema["additionalProperties"] = False
        return SAME
    value, change = node.rewrite(rest, path)
    name, _ = node.rewrite({"type": "string", **key}, path)
    for old, new in (("minProperties", "minItems"), ("maxProperties", "maxItems")):
        if old in schema:
            schema[new] = schema.pop(old)
    schema.pop("properties", None)
    closed: JsonSchema = {"additionalProperties": False} if node.profile.closed else {}
    pair: JsonSchema = {
        "type": "object",
        "properties": {KEY: name, VALUE: value},
        "required": [KEY, VALUE],
        **closed,
    }
    schema |= {"type": ["array", "null"] if "null" in types else "array", "items": pair}
    node.notes.append("A map, as a list of its keys with their values, each key once.")
    node.lose("additionalProperties", "told")
    return Change(pairs=True, rest=change)


def _rewrite_array(node: Subschema) -> Change | None:
    schema, profile, path = node.schema, node.profile, node.path + "[]"
    prefix, rest = schema.get("prefixItems"), schema.get("items", True)
    if not _is_about("array", schema, "prefixItems", "items"):
        _drop(schema, ARRAYS)
        return None
    listed, most = items_of(prefix), schema.get("maxItems")
    first = [node.rewrite(as_object(each), path) for each in listed]
    filled = rest is False or (bool(listed) and isinstance(most, int) and most <= len(listed))
    later = None if filled else node.rewrite(as_object(rest), path)
    if first and not profile.tuples:
        return _rewrite_tuple(node, first, later)
    if first:
        schema["prefixItems"] = [made for made, _ in first]
    if later is not None and (rest is not True or not profile.itemless):
        schema["items"] = later[0]
    elif filled and (not profile.itemless or rest is not False):
        schema.pop("items", None)
        if not profile.itemless:
            schema["items"] = {}
            schema.setdefault("maxItems", len(first))
    return Change(prefix=[change for _, change in first], items=None if later is None else later[1])


def _rewrite_tuple(node: Subschema, first: list[Rewritten], later: Rewritten | None) -> Change:
    """Rewrite a tuple as an array whose items may be any of its items."""
    schema = node.schema
    schema.pop("prefixItems")
    if node.original.get("items") is False:
        schema.setdefault("maxItems", len(first))
    branches: list[JsonValue] = []
    for made, _ in [*first, *([] if later is None else [later])]:
        if made not in branches:
            branches.append(made)
    if len(branches) > 1:
        node.describe("prefixItems", [made for made, _ in first])
    else:
        node.lose("prefixItems", "loosened")
    schema["items"] = branches[0] if len(branches) == 1 else {"anyOf": branches}
    changes = [change for _, change in first]
    if any(change is not SAME for change in changes):
        node.lose("prefixItems")
    return Change(prefix=changes, items=None if later is None else later[1])


def _is_about(kind: str, schema: JsonSchema, *keywords: str) -> bool:
    """True if a schema is about objects (or arrays), by its type or by its keywords."""
    named = schema.get("type")
    if named is None:
        return any(schema.get(keyword) is not None for keyword in keywords)
    return named == kind or (isinstance(named, list) and kind in named)


def _drop(schema: dict[str, JsonValue], keywords: frozenset[str]) -> None:
    """Remove keywords about a type that the schema excludes."""
    if "type" in schema:
        for keyword in keywords & schema.keys():
            del schema[keyword]
