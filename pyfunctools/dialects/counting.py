"""The limits of a strict mode that a schema exceeds, counted as OpenAI counts."""

from collections.abc import Iterable
from typing import Final

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools.dialects.table import Profile
from pyfunctools.schema.ground.walk import subschemas

_LONG_ENUM: Final = 250
"""The most strings in one `enum` whose characters are not counted."""


def exceeded_limits(schema: JsonSchema, profile: Profile) -> list[str]:
    """Return the limits that a schema exceeds: `properties`, `enum`, `levels`.

    The levels of the root and of each definition are counted separately, all else together.
    """
    limits = (profile.properties, profile.enum_values, profile.levels, profile.characters)
    if limits == (None, None, None, None):
        return []
    definitions = members_of(schema.get("$defs"))
    names: list[str] = []
    values: list[JsonValue] = []
    longest = 0
    for _, inner in subschemas(schema):
        if isinstance(inner, dict):
            names += members_of(inner.get("properties"))
            listed = inner.get("enum")
            enum = items_of(listed)
            if sum(isinstance(value, str) for value in enum) > _LONG_ENUM:
                longest = max(longest, _characters(enum))
            values += [*enum, *([inner["const"]] if "const" in inner else [])]
    root = {keyword: value for keyword, value in schema.items() if keyword != "$defs"}
    exceeded = {
        "properties": _exceeds(len(names), profile.properties)
        or _exceeds(_characters([*names, *definitions, *values]), profile.characters),
        "enum": _exceeds(len(values), profile.enum_values)
        or _exceeds(longest, profile.enum_characters),
        "levels": _exceeds(max(map(_levels, [root, *definitions.values()])), profile.levels),
    }
    return [keyword for keyword, is_exceeded in exceeded.items() if is_exceeded]


def _exceeds(count: int, limit: int | None) -> bool:
    return limit is not None and count > limit


def _characters(values: Iterable[JsonValue]) -> int:
    return sum(len(value) for value in values if isinstance(value, str))


def _levels(schema: JsonValue) -> int:
    """Return the depth of nested objects and arrays; references are not followed."""
    if not isinstance(schema, dict):
        return 0
    return max(
        sum(key in ("properties", "items") for key in keys if isinstance(key, str))
        for keys, inner in subschemas(schema)
        if isinstance(inner, dict)
    )
