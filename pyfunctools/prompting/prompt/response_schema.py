"""The JSON Schema of an answer, with the keywords that a server can enforce."""

from collections.abc import Mapping

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.dialects.table import COMMON_FORMATS, GRAMMAR, NUMBERS
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
        _object({"name": {"const": name}, "args": map_subschemas(parameters, _enforceable)})
        for name, parameters in calls.items()
    ]
    choices: list[JsonSchema] = []
    if branches:
        call = branches[0] if len(branches) == 1 else {"anyOf": branches}
        choices.append(_object({"functionCall": call}))
    if not must_call:
        choices.append(_object({"answer": {"type": "string"}}))
    schema = choices[0] if len(choices) == 1 else {"type": "object", "anyOf": choices}
    if not definitions:
        return schema
    return prune({**schema, **map_subschemas({"$defs": definitions}, _enforceable)})


def _enforceable(node: JsonSchema) -> dict[str, JsonValue]:
    result = {keyword: value for keyword, value in node.items() if keyword in GRAMMAR.keywords}
    if "oneOf" in result:
        branches: JsonSchema = {"anyOf": result.pop("oneOf")}
        if "anyOf" in result:
            parts = result.get("allOf")
            result["allOf"] = [*(parts if isinstance(parts, list) else ()), branches]
        else:
            result |= branches
    if "format" in result and result["format"] not in COMMON_FORMATS:
        del result["format"]
    for keyword in NUMBERS - {"multipleOf"}:
        bound = result.get(keyword)
        if isinstance(bound, int | float) and abs(bound) > _EXACT:
            del result[keyword]
    pattern = result.get("pattern")
    if isinstance(pattern, str) and not GRAMMAR.takes_pattern(pattern):
        del result["pattern"]
    named = result.get("patternProperties")
    if isinstance(named, dict) and not all(map(GRAMMAR.takes_pattern, named)):
        del result["patternProperties"]
        result.pop("additionalProperties", None)  # it applied to names that match no pattern
    return result


def _object(properties: JsonObject) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
