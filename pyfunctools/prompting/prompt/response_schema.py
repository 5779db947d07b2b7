"""The JSON Schema of an answer, as far as a server can hold a model to one."""

import re
from collections.abc import Mapping

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.prompting.prompt.definitions import mapped
from pyfunctools.schema.ground.references import prune
from pyfunctools.schema.vocabulary import judging

_HELD = frozenset(
    {
        "$defs",
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "multipleOf",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "required",
        "type",
    }
)
"""What llguidance compiles (seen 2026-11 in llama.cpp); another assertion makes it compile nothing,
and the server then answers as if it had been given no schema."""

_FORMATS = frozenset(
    {"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"}
)
"""Formats it knows; the others make it compile nothing as well."""

_EXACT = 2**53
"""The integers up to which every number of JSON is exact (RFC 8259, 6); it has no range beyond."""

_LOOKS_AROUND = re.compile(r"\(\?<?[=!]|\\[1-9k]")
"""What is in no regular language, and so in no grammar: look-around and back references."""


def response_schema(
    calls: Mapping[str, JsonSchema], definitions: JsonObject, *, must_call: bool
) -> JsonSchema:
    """Return the schema of an answer: one call, each name with its parameters, or words.

    Every right answer fits it. What it leaves out of the parameters is what no server can hold a
    model to; dropping that lets more through and nothing less, for what stands inside a negation or
    a condition goes with it.
    """
    branches: list[JsonValue] = [
        _object({"name": {"const": name}, "args": mapped(parameters, _held)})
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
    return prune({**schema, **mapped({"$defs": definitions}, _held)})


def _held(node: JsonSchema) -> dict[str, JsonValue]:
    result = {keyword: value for keyword, value in node.items() if keyword in _HELD}
    if "oneOf" in result:
        branches: JsonSchema = {"anyOf": result.pop("oneOf")}
        if "anyOf" in result:
            parts = result.get("allOf")
            result["allOf"] = [*(parts if isinstance(parts, list) else ()), branches]
        else:
            result |= branches
    if "format" in result and result["format"] not in _FORMATS:
        del result["format"]
    for keyword in judging("number") - {"multipleOf"}:
        bound = result.get(keyword)
        if isinstance(bound, int | float) and abs(bound) > _EXACT:
            del result[keyword]
    pattern = result.get("pattern")
    if isinstance(pattern, str) and _LOOKS_AROUND.search(pattern):
        del result["pattern"]
    named = result.get("patternProperties")
    if isinstance(named, dict) and any(map(_LOOKS_AROUND.search, named)):
        del result["patternProperties"]
        result.pop("additionalProperties", None)  # what it closed were the names left over
    return result


def _object(properties: JsonObject) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
