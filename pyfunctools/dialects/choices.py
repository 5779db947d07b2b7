"""Rewrites of alternatives for a profile: unions, `allOf`, listed values, types."""

from collections.abc import Sequence
from json import dumps
from typing import Final

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, items_of, members_of
from pyfunctools._lazy import Lazy
from pyfunctools.dialects.change import SAME, Branch, Change
from pyfunctools.dialects.simplify import NULL, as_object
from pyfunctools.dialects.subschema import RewriteContext, Rewritten, Subschema
from pyfunctools.dialects.table import EVERYTHING
from pyfunctools.schema.ground.references import prune, resolve
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.outline.json_types import json_type, texts_of, types_named
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.schema.outline.unions import Union, union_of
from pyfunctools.schema.validation.validator import Validator
from pyfunctools.schema.vocabulary import KEYWORDS, UNIONS

_TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
_RESHAPING: Final = frozenset({"additionalProperties", "items", "prefixItems", "properties"})
"""Keywords whose subschemas may change values."""
_TYPED: Final = frozenset({"$ref", "const", "enum", "properties", "type"})
"""Keywords that tell which values a branch accepts."""
_TYPE_OF_KEYWORD: Final = {
    name: row.judges[0]
    for name, row in KEYWORDS.items()
    if row.about == "child" or name == "required"
}
"""The type that a keyword implies in a schema without `type`."""


def rewrite_choices(node: Subschema) -> Change | None:
    """Rewrite the alternatives of a schema.

    Returns `None` if the keywords about objects and arrays beside them are still to be rewritten.
    """
    _rewrite_all_of(node)
    change = _rewrite_union(node)
    if change is None:
        _rewrite_values(node)
        _name_type(node)
    return change


def refuse_maps_beside_arrays(context: RewriteContext) -> None:
    """Refuse each union of a map and an array, if maps are rendered as arrays of pairs."""
    for path, branches, union in context.unions:
        if _is_map_beside_array(context, branches, [union]):
            context.lose(path, "anyOf", "refused")


def _is_map_beside_array(
    context: RewriteContext, branches: Sequence[JsonSchema], changes: Sequence[Change]
) -> bool:
    """True if one branch is a map that becomes an array of pairs, and another an array."""
    return any(inner.pairs for change in changes for inner in change.here()) and any(
        "array" in part.types for part in _union(branches, context.definitions).branches
    )


def _rewrite_all_of(node: Subschema) -> None:
    """Merge an `allOf` that the profile does not accept into the schema that contains it."""
    schema = node.schema
    members = schema.get("allOf")
    if not isinstance(members, list):
        return
    if "allOf" in node.profile.keywords:
        schema["allOf"] = [node.rewrite(as_object(member), node.path)[0] for member in members]
        return
    del schema["allOf"]
    node.lose("allOf")
    for member in members:
        for keyword, value in node.context.enter(member).items():
            known = schema.get(keyword)
            if isinstance(known, dict) and isinstance(value, dict):
                schema[keyword] = {**value, **known}
            elif keyword in EVERYTHING - {"$ref"} and keyword not in schema:
                schema[keyword] = value


def _rewrite_union(node: Subschema) -> Change | None:
    """Rewrite `anyOf` and `oneOf`; return `None` if other keywords are still to be rewritten."""
    schema, profile, context = node.schema, node.profile, node.context
    if "oneOf" in schema and "oneOf" not in profile.keywords:
        branches = schema.pop("oneOf")
        if "anyOf" in schema:
            node.describe("oneOf", branches)
        else:
            node.lose("oneOf", "loosened")
            schema["anyOf"] = branches
    keyword = next((each for each in reversed(UNIONS) if each in schema), None)
    listed = None if keyword is None else schema[keyword]
    if keyword is None or not isinstance(listed, list):
        return None
    branches = [as_object(branch) for branch in listed]
    _leave_out_required(node, branches)
    beside = schema.keys() - {keyword, "description", "default"}
    typed = any(not branch.keys().isdisjoint(_TYPED) for branch in branches)
    if beside and profile.closed:
        node.describe(keyword, how="refused" if typed else None)
        return None
    if not typed and "patternProperties" not in profile.keywords:
        node.describe(keyword)
        return None
    if profile.lone_union and not _stands_alone(node, keyword, branches):
        return None
    beside &= schema.keys()
    if keyword == "anyOf" and isinstance(others := schema.get("oneOf"), list):
        schema["oneOf"] = [node.rewrite(as_object(each), node.path)[0] for each in others]
    if profile.nullable and NULL in branches and len(branches) > 1:
        branches.remove(NULL)
        schema["nullable"] = True
        if len(branches) == 1 and not beside:
            del schema[keyword]
            made, change = node.rewrite(branches[0], node.path)
            node.take_keywords(made)
            return change
    rewritten = [node.rewrite(branch, node.path) for branch in branches]
    if profile.json_text and _is_ambiguous(context, branches, rewritten):
        node.describe(keyword, listed)
        return None
    schema[keyword] = [made for made, _ in rewritten]
    if not context.reshapes or all(change is SAME for _, change in rewritten):
        return None if beside else SAME
    if not beside.isdisjoint(_RESHAPING):  # two changes would apply to one value
        node.describe(keyword, listed)
        return None
    _rewrite_values(node)
    _name_type(node)
    return _union_change(node, branches, rewritten)


def _is_ambiguous(
    context: RewriteContext, before: Sequence[JsonSchema], branches: Sequence[Rewritten]
) -> bool:
    """True if a rendered value may be of two branches: JSON text or a string, a map or an array."""
    changes = [change for _, change in branches]
    texts = [any(each.text is not None for each in change.here()) for change in changes]
    return _is_map_beside_array(context, before, changes) or (
        any(texts)
        and any(
            not is_text and '"string"' in dumps(made)
            for is_text, (made, _) in zip(texts, branches, strict=True)
        )
    )


def _stands_alone(node: Subschema, keyword: str, branches: list[JsonSchema]) -> bool:
    """Remove the keywords beside a union; if that needs the union itself, return false."""
    schema = node.schema
    beside = schema.keys() - {keyword, "description", "default"}
    named = schema.get("type")
    if beside - {"type"} or any(each.get("type", named) != named for each in branches if beside):
        fold_union(node, keyword)
        return False
    if "default" in schema:
        node.describe("default")
    if beside:
        branches[:] = [{"type": schema["type"], **each} for each in branches]
        del schema["type"]
    return True


def _leave_out_required(node: Subschema, branches: Sequence[JsonSchema]) -> None:
    """Remove `required` beside a union if every branch requires the same properties."""
    if "properties" not in node.schema:
        asked = [
            texts_of(as_object(resolve(node.context.root, branch)).get("required"))
            for branch in branches
        ]
        needed = texts_of(node.schema.get("required"))
        if needed and all(name in names for names in asked for name in needed):
            del node.schema["required"]


def fold_union(node: Subschema, keyword: str) -> None:
    """Move a union into the description; the properties of its branches become optional."""
    properties = dict(members_of(node.schema.get("properties")))
    for branch in items_of(node.schema[keyword]):
        inner = node.context.enter(branch)
        for name, schema in members_of(inner.get("properties")).items():
            properties.setdefault(name, schema)
    if properties:
        node.schema["properties"] = properties
    node.describe(keyword)


def _union_change(
    node: Subschema, before: Sequence[JsonSchema], rewritten: Sequence[Rewritten]
) -> Change:
    context = node.context
    after = [schema for schema, _ in rewritten]
    union = Change(
        branches=[_branch(context, old, *new) for old, new in zip(before, rewritten, strict=True)],
        before=Lazy(lambda: _union(before, context.definitions)),
        after=Lazy(lambda: _union(after, context.rewritten_definitions)),
    )
    context.unions.append((node.path, before, union))
    return union


def _branch(
    context: RewriteContext, before: JsonSchema, after: JsonSchema, change: Change
) -> Branch:
    def rendered() -> Validator:
        spelled = normalize(after) if context.profile.nullable else after
        return Validator(_with_definitions(spelled, context.rewritten_definitions))

    original = Lazy(lambda: Validator(_with_definitions(before, context.definitions)))
    return Branch(before=original, after=Lazy(rendered), change=change)


def _union(branches: Sequence[JsonSchema], definitions: JsonObject) -> Union:
    part = Outline(_with_definitions({"anyOf": list(branches)}, definitions)).root
    return union_of(part, "anyOf")


def _with_definitions(schema: JsonSchema, definitions: JsonObject) -> JsonSchema:
    return prune({**schema, "$defs": definitions}) if definitions else schema


def _rewrite_values(node: Subschema) -> None:
    schema, profile = node.schema, node.profile
    if "const" in schema and "const" not in profile.keywords:
        value, listed = schema.pop("const"), schema.get("enum")
        if isinstance(listed, list) and value not in listed:  # then no value is valid
            node.describe("enum")
        schema["enum"] = [value]
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if not isinstance(values, list):
        return
    names = {json_type(each) for each in values}
    types: list[JsonValue] = sorted(names, key=_TYPES.index)
    named = types[0] if len(types) == 1 else types
    wanted = types_named(schema)
    if wanted is not None and "number" in wanted:
        wanted.append("integer")
    if wanted is not None and names.isdisjoint(wanted):
        node.describe("enum" if "enum" in schema else "const")  # no value of the type is listed
        return
    others = [each for each in values if each is not None]
    if "enum" in schema and not profile.takes_values(values):
        if others and len(others) < len(values) and profile.takes_values(others):
            own = [name for name in types if name != "null"]
            branch = {"type": own[0] if len(own) == 1 else own, "enum": others}
            del schema["enum"]
            schema.pop("type", None)
            schema["anyOf"] = [branch, NULL]
            return
        node.describe("enum")
        if named is not types:
            schema.setdefault("type", named)
    elif not profile.untyped:
        schema.setdefault("type", named)


def _name_type(node: Subschema) -> None:
    """Add `type` if the profile requires it."""
    schema = node.schema
    if node.profile.untyped or not schema.keys().isdisjoint({"type", "anyOf", "enum"}):
        return
    implied = next((name for keyword, name in _TYPE_OF_KEYWORD.items() if keyword in schema), None)
    if implied is not None:
        schema["type"] = implied
        node.lose("type", "loosened")
    elif node.profile.closed:
        node.lose("type", "refused")
