"""The limits of a strict mode that a schema is over, counted as OpenAI does."""

from collections.abc import Iterable
from typing import Final

from pyfunctools._json import JsonSchema, JsonValue, members_of
from pyfunctools.dialects.table import Profile
from pyfunctools.schema.ground.walk import subschemas

_LONG_ENUM: Final = 250
"""Texts of one enum after which their letters are counted."""


def over_limits(made: JsonSchema, profile: Profile) -> list[str]:
    """Return the limits that a schema is over: `properties`, `enum`, `levels`.

    The root and each definition are counted alone, as OpenAI does.
    """
    limits = (profile.properties, profile.enum_values, profile.levels, profile.characters)
    if limits == (None, None, None, None):
        return []
    names: list[str] = []
    values: list[JsonValue] = []
    longest = 0
    for _, inner in subschemas(made):
        if isinstance(inner, dict):
            for keyword in ("properties", "$defs"):
                held = inner.get(keyword)
                names += held if isinstance(held, dict) else ()
            listed = inner.get("enum")
            enum = listed if isinstance(listed, list) else ()
            if sum(isinstance(value, str) for value in enum) > _LONG_ENUM:
                longest = max(longest, _letters(enum))
            values += [*enum, *([inner["const"]] if "const" in inner else [])]
    kept = members_of(made.get("$defs"))
    body = {keyword: value for keyword, value in made.items() if keyword != "$defs"}
    over = {
        "properties": _over(len(names) - len(kept), profile.properties)
        or _over(_letters([*names, *values]), profile.characters),
        "enum": _over(len(values), profile.enum_values) or _over(longest, profile.enum_characters),
        "levels": _over(max(map(_levels, [body, *kept.values()])), profile.levels),
    }
    return [keyword for keyword, is_over in over.items() if is_over]


def _over(count: int, limit: int | None) -> bool:
    return limit is not None and count > limit


def _letters(values: Iterable[JsonValue]) -> int:
    return sum(len(value) for value in values if isinstance(value, str))


def _levels(schema: JsonValue) -> int:
    """Return how many objects and arrays are inside each other, references not followed."""
    if not isinstance(schema, dict):
        return 0
    deepest = 0
    for keys, inner in subschemas(schema):
        if isinstance(inner, dict):
            depth = sum(key in ("properties", "items") for key in keys if isinstance(key, str))
            deepest = max(deepest, depth)
    return deepest
