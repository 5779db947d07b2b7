"""Null in schemas: whether a schema accepts null, and a copy that does."""

from typing import Final

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.references import resolve

NULL: Final = {"type": "null"}
_MAX_DEPTH: Final = 8
"""The most levels of unions that are searched for null."""
_MAY_REFUSE_NULL: Final = frozenset(("const", "$ref", "oneOf", "allOf", "not", "if"))
"""Keywords that may refuse null even if `type` accepts it."""


def as_object(schema: JsonValue) -> JsonSchema:
    """Return a schema as an object: `{}` for `true`, `{"not": {}}` for `false`."""
    if isinstance(schema, dict):
        return schema
    return {"not": {}} if schema is False else {}


def accepts_null(root: JsonSchema | None, schema: JsonSchema, depth: int = 0) -> bool:
    """True if null may be valid, judged by types and listed values alone.

    Without a `root` a reference counts as one that does not accept null.
    """
    if root is None and "$ref" in schema:
        return False
    schema = schema if root is None else as_object(resolve(root, schema))
    if schema == {"not": {}}:
        return False
    types = schema.get("type")
    if types is not None and types != "null" and not (isinstance(types, list) and "null" in types):
        return False
    values = schema.get("enum")
    if isinstance(values, list) and None not in values:
        return False
    if "const" in schema and schema["const"] is not None:
        return False
    if depth > _MAX_DEPTH:
        return True
    for keyword, holds in (("anyOf", any), ("oneOf", any), ("allOf", all)):
        inner = schema.get(keyword)
        if isinstance(inner, list) and inner:
            accepting = (accepts_null(root, as_object(each), depth + 1) for each in inner)
            if not holds(accepting):
                return False
    return True


def nullable(schema: JsonSchema, *, type_lists: bool = True) -> dict[str, JsonValue]:
    """Return a schema that also accepts null: in `type` if it may be a list, else in `anyOf`."""
    made = dict(schema)
    if "const" in made and "enum" not in made:
        made["enum"] = [made.pop("const")]
    values, named, branches = made.get("enum"), made.get("type"), made.get("anyOf")
    if isinstance(branches, list):
        return {**made, "anyOf": [*branches, NULL]}
    is_open = named is None and not isinstance(values, list)
    types = named if isinstance(named, list) else [named]
    if not type_lists or is_open or "null" in types or not _MAY_REFUSE_NULL.isdisjoint(made):
        text = made.pop("description", None)
        return {"anyOf": [made, NULL], **({} if text is None else {"description": text})}
    if isinstance(values, list):
        made["enum"] = [*values, None]
    if named is not None:
        made["type"] = [*types, "null"]
    return made
