"""The same schema in fewer words, before any vendor's rules.

`{"anyOf": [{"const": "a"}, {"const": "b"}]}` becomes `{"enum": ["a", "b"]}`,
`{"anyOf": [{"type": "string"}, {"type": "null"}]}` becomes `{"type": ["string", "null"]}`, and what
is nobody's (`title`, `examples`, `x-...`) is left out. All else is said, and means what it meant.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.dialects.nulls import NULL, nullable
from pyfunctools.dialects.table import ANNOTATIONS, EVERYTHING
from pyfunctools.schema.ground.json_values import values_in_both
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.walk import map_children
from pyfunctools.schema.outline.json_types import constant_of, json_type, listed_values, types_named
from pyfunctools.schema.vocabulary import KEYWORDS, UNIONS, VALUE_LISTS

_CONSTANT: Final = VALUE_LISTS | {"type"}
_JUDGED: Final = {
    **{name: row.judges for name, row in KEYWORDS.items()},
    "format": ("number", "string"),
}
"""The types that a keyword is about, none where it is about all of them."""


def compact(schema: JsonSchema) -> dict[str, JsonValue]:
    """Return a normalized schema without what is nobody's, its trivial unions said shorter."""
    told = {keyword: value for keyword, value in schema.items() if keyword in EVERYTHING}
    values = told.pop("enum") if {"const", "enum"} <= told.keys() else None
    if isinstance(values, list) and not values_in_both([told["const"]], values):
        return {"not": {}}
    if isinstance(text := told.get("description"), str):
        told["description"] = text.strip()
    made = map_children(told, _inner)
    for keyword in UNIONS:
        branches = made.get(keyword)
        if isinstance(branches, list) and all(isinstance(each, dict) for each in branches):
            listed = [each for each in branches if isinstance(each, dict)]
            beside = {name: value for name, value in made.items() if name != keyword}
            made = _of_values(listed, beside) or _of_null(listed, beside) or made
    return made


def _inner(_: Keys, schema: JsonSchema | bool) -> JsonSchema | bool:
    return compact(schema) if isinstance(schema, dict) else schema


def _of_values(branches: Sequence[JsonSchema], beside: JsonSchema) -> dict[str, JsonValue] | None:
    """Return a union of nothing but listed values as one list of them."""
    if not VALUE_LISTS.isdisjoint(beside):
        return None
    values: list[JsonValue] = []
    kinds: list[JsonValue] = []
    for branch in branches:
        listed = [None] if branch == NULL else listed_values(branch)
        kind = branch.get("type")
        if listed is None or not branch.keys() <= _CONSTANT or len(branch.keys() & VALUE_LISTS) > 1:
            return None
        if kind is not None and any(json_type(value) != kind for value in listed):
            return None
        values += listed
        kinds += [kind] if kind not in kinds else []
    constants = {constant_of(value) for value in values}
    if None in constants or len(constants) < len(values):
        return None
    named = None in kinds or "type" in beside
    told: Mapping[str, JsonValue] = (
        {} if named else {"type": kinds[0] if len(kinds) == 1 else kinds}
    )
    return {**told, "enum": values, **beside}


def _of_null(branches: Sequence[JsonSchema], beside: JsonSchema) -> dict[str, JsonValue] | None:
    """Return a union of null and one type as that type or null."""
    others = [branch for branch in branches if branch != NULL]
    if len(others) != 1 or len(branches) != 2 or not beside.keys() <= ANNOTATIONS:
        return None
    (branch,) = others
    kind = branch.get("type")
    if not isinstance(kind, str) or kind == "null" or not beside.keys().isdisjoint(branch):
        return None
    made = nullable(dict(branch))
    return None if "anyOf" in made else {**made, **beside}


def spread(schema: JsonSchema) -> dict[str, JsonValue]:
    """Return a schema in which each of several types is a branch of a union."""
    made = map_children(
        schema, lambda _, inner: spread(inner) if isinstance(inner, dict) else inner
    )
    values = listed_values(made) or ()
    kinds = types_named(made) or dict.fromkeys(map(json_type, values))
    if len(kinds) < 2:
        return made
    beside = {word: made.pop(word) for word in ANNOTATIONS & made.keys()}
    branches = [each for kind in kinds if (each := _of_type(made, kind)) is not None]
    if len(branches) < 2:
        return {**branches[0], **beside} if branches else {"not": {}}
    return {"anyOf": branches, **beside}


def _of_type(schema: JsonSchema, kind: str) -> JsonSchema | None:
    """Return what a schema says of values of one type; `None` where it lists none of them."""
    values = listed_values(schema)
    if values is not None:
        kinds = ("integer", "number") if kind == "number" else (kind,)
        values = [each for each in values if json_type(each) in kinds]
    if not values and values is not None:
        return None
    judge = "number" if kind == "integer" else kind
    bounds = {
        word: each
        for word, each in schema.items()
        if word not in _CONSTANT and judge in (_JUDGED.get(word) or (judge,))
    }
    listed = {} if values is None or kind == "null" else {"enum": values}
    return {"type": kind, **listed, **bounds}
