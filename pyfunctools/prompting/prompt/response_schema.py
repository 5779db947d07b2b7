"""The JSON Schema of an answer, with the keywords that a server can enforce."""

from collections.abc import Mapping

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.dialects.rewrites import rewritten
from pyfunctools.dialects.table import GRAMMAR, NUMBERS
from pyfunctools.schema.ground.references import prune
from pyfunctools.schema.ground.walk import map_subschemas

_EXACT = 2**53
"""The largest integer that is exact in JSON (RFC 8259, section 6); larger bounds are left out."""


def response_schema(
    calls: Mapping[str, JsonSchema], definitions: JsonObject, *, must_call: bool
) -> JsonSchema:
    """Return the schema of an answer: one call with its parameters, or words.

    It accepts every valid answer. Keywords that no server enforces are left out, with everything
    inside `not` and `if`, so it may accept invalid answers too.
    """
    branches: list[JsonValue] = [
        _object({"name": {"const": name}, "args": parameters}) for name, parameters in calls.items()
    ]
    choices: list[JsonSchema] = []
    if branches:
        call = branches[0] if len(branches) == 1 else {"anyOf": branches}
        choices.append(_object({"functionCall": call}))
    if not must_call:
        choices.append(_object({"answer": {"type": "string"}}))
    schema = choices[0] if len(choices) == 1 else {"type": "object", "anyOf": choices}
    made, _, _ = rewritten({**schema, "$defs": definitions}, GRAMMAR, inlined=False)
    return prune(map_subschemas(made, _bare))


def _bare(node: JsonSchema) -> dict[str, JsonValue]:
    """Return a schema without its description and bounds that are not exact."""
    return {
        keyword: value
        for keyword, value in node.items()
        if keyword != "description"
        and not (keyword in NUMBERS and isinstance(value, int | float) and abs(value) > _EXACT)
    }


def _object(properties: JsonObject) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
