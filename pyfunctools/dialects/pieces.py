"""Small questions about a schema that is rewritten, and small changes of one."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, Generic, TypeVar

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.dialects.change import Change, Guess, Judge
from pyfunctools.dialects.table import Profile
from pyfunctools.schema.ground.references import prune
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.outline.outline import Outline, Part
from pyfunctools.schema.outline.unions import union_of
from pyfunctools.schema.validation.validator import Validator

T = TypeVar("T")


class Later(Generic[T]):
    """A question of a value that is made when it is first asked: by then all is written."""

    def __init__(self, make: Callable[[], Callable[[JsonValue], T]]) -> None:
        self._asked = Lazy(make)

    def __call__(self, value: JsonValue) -> T:
        return self._asked.value(value)


def judge(schema: JsonSchema, definitions: JsonObject) -> Judge:
    """Return what says whether a value fits a schema with these definitions."""
    return Validator(_whole(schema, definitions)).is_valid


def guess(branches: Sequence[JsonValue], definitions: JsonObject) -> Guess:
    """Return what says which of the branches of a union a value was meant for."""
    union = union_of(_union(branches, definitions), "anyOf")

    def index(value: JsonValue) -> int | None:
        meant = union.meant(value)
        return None if meant is None else union.branches.index(meant)

    return index


def may_be_array(branches: Sequence[JsonValue], definitions: JsonObject) -> bool:
    """Return whether an array may fit one of the branches of a union."""
    return any("array" in each.types for each in _union(branches, definitions).listed("anyOf"))


def _union(branches: Sequence[JsonValue], definitions: JsonObject) -> Part:
    return Outline(_whole({"anyOf": list(branches)}, definitions)).root


def _whole(schema: JsonSchema, definitions: JsonObject) -> JsonSchema:
    return prune({**schema, "$defs": definitions}) if definitions else schema


SILENT: Final = frozenset({"$defs", "properties", "deprecated", "contentSchema"})
"""Keywords that say nothing in a line of a description."""


def texts(value: JsonValue) -> list[str]:
    """Return the texts in a list, and none of anything else."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def may_be(made: JsonSchema, kind: str, *told: JsonValue) -> bool:
    """True if a schema is about objects (or arrays), by its type or by its keywords."""
    wanted = made.get("type")
    if wanted is None:
        return any(each is not None for each in told)
    return wanted == kind or (isinstance(wanted, list) and kind in wanted)


def both(held: Change, listed: Change) -> Change:
    """Return the change of a schema that is about objects and about arrays."""
    return replace(held, front=listed.front, items=listed.items)


def drop(made: dict[str, JsonValue], keywords: frozenset[str]) -> None:
    """Leave out keywords about a type that a schema never has."""
    if "type" in made:
        for keyword in keywords & made.keys():
            del made[keyword]


def without_object(kinds: JsonValue) -> JsonValue:
    """Return types with `array` in the place of `object`."""
    if isinstance(kinds, list):
        return ["array" if kind == "object" else kind for kind in kinds]
    return "array"


def has_type(branch: JsonSchema) -> bool:
    """Return whether a branch says what its values are."""
    return not branch.keys().isdisjoint({"$ref", "const", "enum", "properties", "type"})


def has_other_names(schema: JsonSchema, key: str) -> bool:
    """Return whether some property has a name that does not match."""
    for _, inner in subschemas(schema):
        if isinstance(inner, dict):
            named = inner.get("properties")
            names = [*(named if isinstance(named, dict) else ()), *texts(inner.get("required"))]
            if not all(re.fullmatch(key, name) for name in names):
                return True
    return False


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
            longest = max(longest, _letters(enum) if len(texts(listed)) > _LONG_ENUM else 0)
            values += [*enum, *([inner["const"]] if "const" in inner else [])]
    definitions = made.get("$defs")
    kept = definitions if isinstance(definitions, dict) else {}
    body = {keyword: value for keyword, value in made.items() if keyword != "$defs"}
    over = {
        "properties": _over(len(names) - len(kept), profile.properties)
        or _over(_letters([*names, *values]), profile.characters),
        "enum": _over(len(values), profile.enum_values) or _over(longest, profile.enum_characters),
        "levels": _over(max(map(_levels, [body, *kept.values()])), profile.levels),
    }
    return [keyword for keyword, is_over in over.items() if is_over]


_LONG_ENUM: Final = 250
"""Texts of one enum after which their letters are counted."""


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
