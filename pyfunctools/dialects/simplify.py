"""The simplification of a schema, before the rules of a vendor are applied.

`{"anyOf": [{"const": "a"}, {"const": "b"}]}` becomes `{"enum": ["a", "b"]}`,
`{"anyOf": [{"type": "string"}, {"type": "null"}]}` becomes `{"type": ["string", "null"]}`, and
keywords that no model needs (`title`, `examples`, `x-...`) are removed. The meaning stays.
"""

import re
from collections.abc import Sequence
from typing import Final

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.dialects.table import ANNOTATIONS, EVERYTHING
from pyfunctools.schema.ground.json_values import values_in_both
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.walk import map_children
from pyfunctools.schema.normalization.spelling import branch_of_type
from pyfunctools.schema.outline.json_types import constant_of, json_type, listed_values, types_named
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.schema.validation.validator import Validator
from pyfunctools.schema.vocabulary import KEYWORDS, UNIONS, VALUE_LISTS

NULL: Final = {"type": "null"}
_MAY_REFUSE_NULL: Final = frozenset(("const", "$ref", "oneOf", "allOf", "not", "if"))
"""Keywords that may refuse null even if `type` accepts it."""


def as_object(schema: JsonValue) -> JsonSchema:
    """Return a schema as an object: `{}` for `true`, `{"not": {}}` for `false`."""
    if isinstance(schema, dict):
        return schema
    return {"not": {}} if schema is False else {}


def accepts_null(schema: JsonSchema, definitions: JsonObject) -> bool:
    """True if null may be valid, judged by types, listed values and `oneOf` alone."""
    whole: JsonSchema = {**schema, "$defs": definitions}
    may = "null" in Outline(whole).root.types
    return may and ("oneOf" not in schema or Validator(whole).is_valid(None))


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


_CONSTANT: Final = VALUE_LISTS | {"type"}
_SILENT_FORMATS: Final = frozenset(
    {*("double", "float", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")}
    | {"integer", "number", "string"}
)
"""Formats that tell a model nothing beside the type; local validation does not read them either."""


def simplified(schema: JsonSchema) -> dict[str, JsonValue]:
    """Return a normalized schema without keywords that no model needs, with shorter unions."""
    kept = {keyword: value for keyword, value in schema.items() if keyword in EVERYTHING}
    values = kept.pop("enum") if kept.keys() >= VALUE_LISTS else None
    if isinstance(values, list) and not values_in_both([kept["const"]], values):
        return {"not": {}}
    if isinstance(text := kept.get("description"), str):
        kept["description"] = unwrapped(text.strip())
    if kept.get("format") in _SILENT_FORMATS:
        del kept["format"]
    if "default" in kept and kept["default"] is None:
        del kept["default"]
    _list_own_type(kept)
    made = map_children(kept, _inner)
    for keyword in UNIONS:
        branches = made.get(keyword)
        if isinstance(branches, list) and all(isinstance(each, dict) for each in branches):
            objects = [each for each in branches if isinstance(each, dict)]
            beside = {name: value for name, value in made.items() if name != keyword}
            made = _as_enum(objects, beside) or _as_nullable(objects, beside) or made
    return made


def unwrapped(text: str) -> str:
    """Return a text without the line breaks inside its sentences, which cost tokens."""
    return text if "```" in text else _WRAPPED.sub(" ", text)


_WRAPPED: Final = re.compile(r"(?<=[^\n]{40})\n(?=[^\W\d])")
"""The end of a long line before a word: no list, no heading, no table, no `@` line."""


def _list_own_type(schema: dict[str, JsonValue]) -> None:
    """Remove the values of `enum` that the type excludes, unless that is all of them."""
    types, values = types_named(schema), schema.get("enum")
    if types is not None and isinstance(values, list):
        known = {*types, "integer"} if "number" in types else set(types)
        kept = [value for value in values if json_type(value) in known]
        schema["enum"] = kept or values


def _inner(_: Keys, schema: JsonSchema | bool) -> JsonSchema | bool:
    return simplified(schema) if isinstance(schema, dict) else schema


def _as_enum(branches: Sequence[JsonSchema], beside: JsonSchema) -> dict[str, JsonValue] | None:
    """Return a union of only listed values as one `enum`, else `None`."""
    if not VALUE_LISTS.isdisjoint(beside):
        return None
    values: list[JsonValue] = []
    types: list[JsonValue] = []
    for branch in branches:
        listed = [None] if branch == NULL else listed_values(branch)
        named = branch.get("type")
        if listed is None or not branch.keys() <= _CONSTANT or len(branch.keys() & VALUE_LISTS) > 1:
            return None
        if named is not None and any(json_type(value) != named for value in listed):
            return None
        values += listed
        types += [named] if named not in types else []
    constants = {constant_of(value) for value in values}
    if None in constants or len(constants) < len(values):
        return None
    made: dict[str, JsonValue] = {"enum": values, **beside}
    if None in types or "type" in beside:
        return made
    return {"type": types[0] if len(types) == 1 else types, **made}


def _as_nullable(branches: Sequence[JsonSchema], beside: JsonSchema) -> dict[str, JsonValue] | None:
    """Return a union of null and one type as a list of types, else `None`."""
    others = [branch for branch in branches if branch != NULL]
    if len(others) != 1 or len(branches) != 2 or not beside.keys() <= ANNOTATIONS:
        return None
    (branch,) = others
    named = branch.get("type")
    if not isinstance(named, str) or named == "null" or not beside.keys().isdisjoint(branch):
        return None
    made = nullable(branch)
    return None if "anyOf" in made else {**made, **beside}


_UNTYPED: Final = EVERYTHING - ANNOTATIONS - VALUE_LISTS - {"type", "format"}
"""Keywords of which those that judge no type constrain values of every type."""


def types_as_branches(schema: JsonSchema) -> dict[str, JsonValue]:
    """Return a schema in which a list of types is a union with one branch for each."""
    made = map_children(
        schema, lambda _, inner: types_as_branches(inner) if isinstance(inner, dict) else inner
    )
    types = types_named(made) or [*dict.fromkeys(map(json_type, listed_values(made) or ()))]
    if len(types) < 2:
        return made
    beside = {word: made.pop(word) for word in ANNOTATIONS & made.keys()}
    every = {word: made[word] for word in _UNTYPED & made.keys() if not KEYWORDS[word].judges}
    found = (branch_of_type(made, name, types) for name in types)
    branches = [{**each, **every} for each in found if each is not None]
    if len(branches) < 2:
        return {**branches[0], **beside} if branches else {"not": {}}
    return {"anyOf": branches, **beside}
