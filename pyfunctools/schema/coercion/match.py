"""How well a value matches a schema by its types, constants, and required and declared keys.

Bounds, patterns and formats are not checked: `5` matches `{"type": "integer", "minimum": 9}`, so
that `"5"` is coerced to `5`, and the issue is about the bound.
"""

from typing import Final, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue, items_of
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.walk import map_subschemas
from pyfunctools.schema.outline.outline import Part, Place, ValueTest
from pyfunctools.schema.validation.compiled import Compiled
from pyfunctools.schema.vocabulary import MATCHED

Match: TypeAlias = int
MISMATCH: Final = 0
WHOLE_FLOAT: Final = 1
EXACT: Final = 2
"""How well a value matches; `WHOLE_FLOAT` but for a float such as `42.0` for an integer."""


def match_of(place: Place, value: JsonValue, *, floats: bool = True) -> Match:
    """Return how well a value matches a place; a valid value is never a `MISMATCH`.

    It must not be nested too deep. Without `floats` no float such as `42.0` is in it.
    """
    try:
        if not place.cached(test_of)(value):
            return MISMATCH
    except (ValueError, TypeError):
        return MISMATCH  # not JSON
    return WHOLE_FLOAT if floats and place.misplaced_floats(value)[0] else EXACT


def test_of(place: Place) -> ValueTest:
    """Return the test of a place for values that are JSON; to be cached on the place."""
    try:
        tests = [part.cached(_relaxed_test) for part in place.roots]
    except SchemaError:
        return lambda _: False
    return tests[0] if len(tests) == 1 else lambda value: all(test(value) for test in tests)


def _relaxed_test(part: Part) -> ValueTest:
    """Return the test of a part without bounds, patterns and formats.

    If the schema does not compile, everything is allowed.
    """
    compiled = part.outline.root.cached(_compiled)
    if compiled is None:
        return lambda _: True
    if not part.keys:
        return compiled.validator.is_valid
    return compiled.part(_relaxed(part, compiled)).is_valid


def _compiled(root: Part) -> Compiled | None:
    try:
        return Compiled(_relaxed(root), False, None)
    except SchemaError:
        return None


def _relaxed(part: Part, whole: Compiled | None = None) -> JsonSchema | bool:
    """Return the schema of a part with `anyOf` for `oneOf`, and only the keywords `MATCHED`.

    A reference out of the schema is left out. The other ones are for a part apart from the `whole`,
    if that is given.
    """

    def relaxed(schema: JsonSchema) -> dict[str, JsonValue]:
        rules = {key: value for key, value in schema.items() if key in MATCHED}
        reference = rules.pop("$ref", None)
        if (target := part.outline.target(reference)) is not None:
            rules["$ref"] = reference if whole is None else whole.address(target.keys)
        if "oneOf" in rules:
            rules["allOf"] = [*items_of(rules.get("allOf")), {"anyOf": rules.pop("oneOf")}]
        return rules

    return map_subschemas(part.schema, relaxed) if isinstance(part.schema, dict) else part.schema
