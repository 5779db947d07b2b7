"""The types and the constants of JSON Schema, of values and of what a schema lists."""

from typing import TypeAlias

from pyfunctools._json import JsonSchema, JsonValue

ALL_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
"""The types of JSON Schema; an `integer` is a `number` too."""

Constant: TypeAlias = tuple[str, str | int | float | bool | None]
"""A scalar, so that two are equal exactly if JSON Schema says so; see `constant_of`."""

Listed: TypeAlias = dict[Constant, None]
"""The values that something may have, in their order."""


def type_of(value: JsonValue) -> str:
    """Return the JSON type of a value; a float without a fraction is an `integer`.

    What is not JSON has the name of its Python type.
    """
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list | tuple):
        return "array"
    if isinstance(value, dict):
        return "object"
    return "null" if value is None else type(value).__name__


def types_named(schema: JsonSchema) -> list[str] | None:
    """Return the names in `type`, or `None` where a schema has none."""
    wanted = schema.get("type")
    if isinstance(wanted, str):
        return [wanted]
    return [n for n in wanted if isinstance(n, str)] if isinstance(wanted, list) else None


def types_shown(schema: JsonSchema) -> list[str]:
    """Return the types that a schema names, or those that its other keywords show it wants."""
    names = types_named(schema)
    if names:
        return names
    if "properties" in schema or "required" in schema:
        return ["object"]
    if "items" in schema or "prefixItems" in schema:
        return ["array"]
    return ["string"] if "pattern" in schema or "format" in schema else []


def listed_values(schema: JsonSchema) -> list[JsonValue] | None:
    """Return the values of `const` or `enum`, or `None` where a schema lists none."""
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return list(values) if isinstance(values, list) else None


def constant_of(value: JsonValue) -> Constant | None:
    """Return a scalar as a constant; `None` for everything else."""
    if isinstance(value, bool) or value is None:
        return ("", value)
    if isinstance(value, int | float):
        return ("number", value)
    return ("string", value) if isinstance(value, str) else None


def loosely(constant: Constant) -> str:
    """Return the text of a constant without case, surrounding space and quotes."""
    kind, value = constant
    if isinstance(value, str):
        return value.strip().strip("\"'").strip().casefold()
    if kind == "":
        return "null" if value is None else str(value).lower()
    if isinstance(value, float) and not value.is_integer():
        return repr(value)
    whole = int(value or 0)
    # Python writes no integer of more than 4,300 digits (`sys.int_info`), but for hexadecimal ones.
    return str(whole) if abs(whole) < _HUGE else hex(whole)


_HUGE = 10**4_000


def schemas_of(value: JsonValue) -> list[JsonSchema | bool]:
    """Return the schemas in a list of them; what is no schema, or no list, is passed over."""
    listed = value if isinstance(value, list) else ()
    return [inner for inner in listed if isinstance(inner, dict | bool)]


def schemas_by_name(value: JsonValue) -> dict[str, JsonSchema | bool]:
    """Return the schemas in an object of them; what is no schema, or no object, is passed over."""
    named = value.items() if isinstance(value, dict) else ()
    return {name: inner for name, inner in named if isinstance(inner, dict | bool)}


def texts_of(value: JsonValue) -> list[str]:
    """Return the texts in a list of them, as in `required`; what is none is passed over."""
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
