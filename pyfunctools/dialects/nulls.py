"""Null in schemas: whether one takes it, and the same schema so that it does."""

from typing import Final

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.references import resolve

NULL: Final = {"type": "null"}
_DEEP: Final = 8
"""Unions inside each other that are looked into for null."""
_BESIDE_TYPE: Final = frozenset(("const", "$ref", "oneOf", "allOf", "not", "if"))
"""Keywords that may refuse null where the type takes it."""


def as_object(schema: JsonValue) -> JsonSchema:
    """Return a schema as an object: `true` says nothing, `false` takes nothing."""
    if isinstance(schema, dict):
        return schema
    return {"not": {}} if schema is False else {}


def takes_null(root: JsonSchema | None, schema: JsonSchema, depth: int = 0) -> bool:
    """True if null may stand here, as far as types and listed values say.

    Without a `root` a reference takes none.
    """
    if root is None and "$ref" in schema:
        return False
    schema = schema if root is None else as_object(resolve(root, schema))
    if "not" in schema and schema == {"not": {}}:
        return False
    kinds = schema.get("type")
    if kinds is not None and kinds != "null" and not (isinstance(kinds, list) and "null" in kinds):
        return False
    values = schema.get("enum")
    if isinstance(values, list) and None not in values:
        return False
    if "const" in schema and schema["const"] is not None:
        return False
    if depth > _DEEP:
        return True
    for keyword, holds in (("anyOf", any), ("oneOf", any), ("allOf", all)):
        listed = schema.get(keyword)
        inner = listed if isinstance(listed, list) else []
        if inner and not holds(takes_null(root, as_object(each), depth + 1) for each in inner):
            return False
    return True


def nullable(schema: dict[str, JsonValue], *, listed: bool = True) -> dict[str, JsonValue]:
    """Return a schema that takes null as well, by its own type if that may be `listed`."""
    made = dict(schema)
    if "const" in made and "enum" not in made:
        made["enum"] = [made.pop("const")]
    values, kinds, branches = made.get("enum"), made.get("type"), made.get("anyOf")
    if isinstance(branches, list):
        return {**made, "anyOf": [*branches, NULL]}
    is_open = kinds is None and not isinstance(values, list)
    types = kinds if isinstance(kinds, list) else [kinds]
    if not listed or is_open or "null" in types or not _BESIDE_TYPE.isdisjoint(made):
        text = made.pop("description", None)
        told = {} if text is None else {"description": text}
        return {"anyOf": [made, NULL], **told}
    if isinstance(values, list):
        made["enum"] = [*values, None]
    if kinds is not None:
        made["type"] = [*types, "null"]
    return made
