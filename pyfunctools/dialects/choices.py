"""Rewrites of alternatives for a profile: unions, `allOf`, listed values, types."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.dialects.change import SAME, Branch, Change, Guess
from pyfunctools.dialects.nulls import NULL, as_object
from pyfunctools.dialects.subschema import RewriteContext, Rewritten, Subschema
from pyfunctools.dialects.table import EVERYTHING
from pyfunctools.schema.ground.references import prune, resolve
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.outline.json_types import json_type
from pyfunctools.schema.outline.outline import Outline, Part
from pyfunctools.schema.outline.unions import union_of
from pyfunctools.schema.validation.validator import Validator
from pyfunctools.schema.vocabulary import KEYWORDS, UNIONS

T = TypeVar("T")

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
        has_map = any(each.pairs for each in union.here())
        if has_map:
            parts = _union(branches, context.definitions).branches("anyOf")
            if any("array" in each.types for each in parts):
                context.lose(path, "anyOf", "refused")


def _rewrite_all_of(node: Subschema) -> None:
    """Merge an `allOf` that the profile does not accept into the schema that contains it."""
    schema, root = node.schema, node.context.root
    members = schema.get("allOf")
    if not isinstance(members, list):
        return
    if "allOf" in node.profile.keywords:
        schema["allOf"] = [node.rewrite(as_object(member), node.path)[0] for member in members]
        return
    del schema["allOf"]
    node.lose("allOf")
    for member in members:
        for keyword, value in as_object(resolve(root, as_object(member))).items():
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
    beside = schema.keys() - {keyword, "description", "default"}
    if beside and profile.closed:
        typed = any(not branch.keys().isdisjoint(_TYPED) for branch in branches)
        node.describe(keyword, how="refused" if typed else None)
        return None
    if keyword == "anyOf" and isinstance(others := schema.get("oneOf"), list):
        schema["oneOf"] = [node.rewrite(as_object(each), node.path)[0] for each in others]
    if profile.nullable and NULL in branches and len(branches) > 1:
        branches.remove(NULL)
        schema["nullable"] = True
        if len(branches) == 1 and not beside:
            del schema[keyword]
            made, change = node.rewrite(branches[0], node.path)
            node.schema = {**made, **schema}
            return change
    rewritten = [node.rewrite(branch, node.path) for branch in branches]
    schema[keyword] = [made for made, _ in rewritten]
    if not context.reshapes or all(change is SAME for _, change in rewritten):
        return None if beside else SAME
    if not beside.isdisjoint(_RESHAPING):  # two changes would apply to one value
        node.describe(keyword, listed)
        return None
    _rewrite_values(node)
    _name_type(node)
    return _union_change(node, branches, rewritten)


def _union_change(
    node: Subschema, before: Sequence[JsonSchema], rewritten: Sequence[Rewritten]
) -> Change:
    context = node.context
    after = [schema for schema, _ in rewritten]
    union = Change(
        branches=[_branch(context, old, *new) for old, new in zip(before, rewritten, strict=True)],
        guess_before=_lazily(lambda: _guess(before, context.definitions)),
        guess_after=_lazily(lambda: _guess(after, context.rewritten_definitions())),
    )
    context.unions.append((node.path, before, union))
    return union


def _branch(
    context: RewriteContext, before: JsonSchema, after: JsonSchema, change: Change
) -> Branch:
    def validator_after() -> Callable[[JsonValue], bool]:
        if context.profile.nullable:
            return Validator(normalize(after)).is_valid
        return Validator(_with_definitions(after, context.rewritten_definitions())).is_valid

    return Branch(
        accepts_before=_lazily(
            lambda: Validator(_with_definitions(before, context.definitions)).is_valid
        ),
        accepts_after=_lazily(validator_after),
        change=change,
    )


def _lazily(make: Callable[[], Callable[[JsonValue], T]]) -> Callable[[JsonValue], T]:
    """Return a function that is made at its first call, when all definitions are rewritten."""
    made = Lazy(make)
    return lambda value: made.value(value)  # noqa: PLW0108 - it is made by the first call


def _guess(branches: Sequence[JsonSchema], definitions: JsonObject) -> Guess:
    """Return a function that finds the branch that a wrong value was meant for."""
    union = union_of(_union(branches, definitions), "anyOf")

    def index(value: JsonValue) -> int | None:
        meant = union.intended_branch(value)
        return None if meant is None else union.branches.index(meant)

    return index


def _union(branches: Sequence[JsonSchema], definitions: JsonObject) -> Part:
    return Outline(_with_definitions({"anyOf": list(branches)}, definitions)).root


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
    types: list[JsonValue] = sorted({json_type(each) for each in values}, key=_TYPES.index)
    named = types[0] if len(types) == 1 else types
    if "enum" in schema and not profile.takes_values(values):
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
