"""Small schemas that many tests use."""

from pyfunctools._json import JsonSchema, JsonValue

INTEGER: JsonSchema = {"type": "integer"}
NUMBER: JsonSchema = {"type": "number"}
BOOLEAN: JsonSchema = {"type": "boolean"}
STRING: JsonSchema = {"type": "string"}
NULL: JsonSchema = {"type": "null"}


def thing(required: str = "", *, closed: bool = True, **properties: JsonValue) -> JsonSchema:
    """Return the schema of an object; the names that it requires are separated by spaces."""
    schema: JsonSchema = {
        "type": "object",
        "properties": properties,
        "required": required.split(),
    }
    return {**schema, "additionalProperties": False} if closed else schema


def array(items: JsonSchema | bool = True) -> JsonSchema:
    """Return the schema of an array."""
    return {"type": "array", "items": items}


def any_of(*branches: JsonSchema | bool) -> JsonSchema:
    """Return the union of these schemas."""
    return {"anyOf": list(branches)}
