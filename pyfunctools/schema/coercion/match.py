"""How well a value matches a schema by its types, constants, and required and declared keys.

Bounds, patterns and formats are not checked: `5` matches `{"type": "integer", "minimum": 9}`, so
that `"5"` is coerced to `5`, and the issue is about the bound.
"""

from collections.abc import Callable
from typing import Final, TypeAlias
from urllib.parse import quote

from pyfunctools._json import JsonSchema, JsonValue, items_of
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.json_values import deeper_than
from pyfunctools.schema.ground.path import Keys, pointer_of
from pyfunctools.schema.ground.walk import map_subschemas, subschemas
from pyfunctools.schema.outline.outline import Part, Place, ValueTest
from pyfunctools.schema.validation.compiled import Compiled
from pyfunctools.schema.vocabulary import MATCHED, SCHEMA_MAP

Match: TypeAlias = int
"""How well a value matches: `MISMATCH`, `WHOLE_FLOAT` or `EXACT`; the more, the better."""

MISMATCH: Final = 0
"""The value is invalid."""
WHOLE_FLOAT: Final = 1
"""The value matches, but has a float such as `42.0` where an integer is wanted."""
EXACT: Final = 2
"""The value matches."""

MAX_DEPTH: Final = 64
"""The deepest nesting of a value that is matched."""


class TooMuch(Exception):  # noqa: N818 - a verdict, which never leaves the engine
    """The value is nested deeper than arguments may be, or contains itself."""


def match_of(place: Place, value: JsonValue, depth: int = 0) -> Match:
    """Return how well a value matches a place; a valid value is never a `MISMATCH`.

    Raises:
        TooMuch: the value is nested more than `MAX_DEPTH` deep.
    """
    if isinstance(value, (dict, list)) and deeper_than(value, MAX_DEPTH - depth):
        raise TooMuch
    try:
        for test in place.cached(_tests_of):
            if not test(value):
                return MISMATCH
    except (SchemaError, ValueError, TypeError):
        return MISMATCH  # not JSON
    if not isinstance(value, (dict, list, float)):
        return EXACT
    return WHOLE_FLOAT if place.misplaced_floats(value)[0] else EXACT


def _tests_of(place: Place) -> list[ValueTest]:
    test_of = place.outline.root.cached(_relaxed)
    return [test_of(part.keys) for part in place.roots]


def _relaxed(root: Part) -> Callable[[Keys], ValueTest]:
    """Return the tests of the schema without bounds, patterns and formats.

    `oneOf` is `anyOf`, in a keyword of its own so that pointers to its branches stay alike. A
    reference out of the schema allows everything, and so does a schema that does not compile.
    """

    def relaxed(schema: JsonSchema) -> dict[str, JsonValue]:
        rules = {key: value for key, value in schema.items() if key in MATCHED}
        if "$ref" in rules and root.outline.target(rules["$ref"]) is None:
            del rules["$ref"]
        return rules

    whole = root.schema if isinstance(root.schema, bool) else map_subschemas(root.schema, relaxed)
    for keys, inner in [*subschemas(whole)]:
        if isinstance(inner, dict) and "oneOf" in inner:
            inner[_ONE_OF] = branches = [*items_of(inner.pop("oneOf"))]
            pointers = (pointer_of((*_moved(keys), _ONE_OF, n)) for n in range(len(branches)))
            any_of = [{"$ref": "#" + quote(pointer, safe="/~")} for pointer in pointers]
            inner["allOf"] = [*items_of(inner.get("allOf")), {"anyOf": any_of}]
    try:
        compiled = Compiled(whole, False, None)
    except SchemaError:
        return lambda _: lambda _: True
    return lambda keys: compiled.test(_moved(keys))


def _moved(keys: Keys) -> Keys:
    """Return the keys with each keyword `oneOf`, but no name, replaced."""
    found: list[str | int] = []
    is_keyword = True
    for key in keys:
        found.append(_ONE_OF if is_keyword and key == "oneOf" else key)
        is_keyword = not (is_keyword and isinstance(key, str) and key in SCHEMA_MAP)
    return tuple(found)


_ONE_OF = "x-oneOf"
