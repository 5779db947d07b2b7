"""The parts of a schema that break the rules of a profile, so that the vendor would refuse it."""

import re
from collections.abc import Iterator

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.dialects.table import Profile
from pyfunctools.schema.ground.path import pointer_of
from pyfunctools.schema.ground.references import recursive_definitions
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.vocabulary import COMPOSITION


def violations(schema: JsonSchema, profile: Profile) -> Iterator[str]:
    """Yield each violation in a schema: a JSON Pointer and the reason.

    The limits for a whole request are not checked.
    """
    if schema.get("type") != "object":
        yield "/type: the root must be an object"
    if not profile.root_union and not schema.keys().isdisjoint(COMPOSITION):
        yield "/: the root has alternatives"
    if not profile.recursion and recursive_definitions(schema):
        yield "/$defs: a definition refers to itself"
    for keys, inner in subschemas(schema):
        at = pointer_of(keys)
        if isinstance(inner, dict):
            for reason in _of_one(inner, profile):
                yield f"{at}: {reason}"
        elif profile.closed and keys[-1] != "additionalProperties":
            yield f"{at}: a boolean is not a schema here"


def _of_one(schema: JsonSchema, profile: Profile) -> Iterator[str]:
    for keyword in sorted(schema.keys() - profile.keywords):
        yield f"`{keyword}` is not allowed"
    if profile.references == "bare" and "$ref" in schema and len(schema) > 1:
        yield "a `$ref` must stand alone"
    if not profile.type_lists and isinstance(schema.get("type"), list):
        yield "`type` must be one name"
    name, pattern, values = schema.get("format"), schema.get("pattern"), schema.get("enum")
    if profile.formats is not None and isinstance(name, str) and name not in profile.formats:
        yield f"the format {name!r} is not allowed"
    if isinstance(pattern, str) and not profile.takes_pattern(pattern):
        yield f"the pattern {pattern!r} is not allowed"
    if isinstance(values, list) and not profile.takes_values(values):
        yield "`enum` holds a value that is not allowed"
    least = schema.get("minItems")
    if isinstance(least, int) and least > (profile.most_min_items or least):
        yield f"`minItems` may be at most {profile.most_min_items}"
    yield from _of_object(schema, profile)


def _of_object(schema: JsonSchema, profile: Profile) -> Iterator[str]:
    named, required = schema.get("properties"), schema.get("required")
    names = list(named) if isinstance(named, dict) else []
    for name in names:
        if profile.key is not None and not re.fullmatch(profile.key, name):
            yield f"a property may not be named {name!r}"
    if profile.closed and _is(schema, "object") and schema.get("additionalProperties") is not False:
        yield "an object must have `additionalProperties: false`"
    if profile.complete and _is(schema, "object") and required != names and (names or required):
        yield "every property must be in `required`, in the same order"
    if not profile.untyped and schema.keys().isdisjoint({"$ref", "anyOf", "const", "enum", "type"}):
        yield "the type is missing"


def _is(schema: JsonSchema, kind: str) -> bool:
    wanted: JsonValue = schema.get("type")
    return wanted == kind or (isinstance(wanted, list) and kind in wanted)
