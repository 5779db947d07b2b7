"""The schema of an answer."""

import pytest

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.prompting.prompt import response_schema
from pyfunctools.schema import validate

S: JsonSchema = {"type": "string"}
I: JsonSchema = {"type": "integer"}  # noqa: E741
X: JsonSchema = {"properties": {"x": S}, "additionalProperties": False}


def response(schema: JsonSchema, **definitions: JsonValue) -> JsonSchema:
    parameters: JsonSchema = {"type": "object", "properties": {"v": schema}, "required": ["v"]}
    return response_schema({"f": parameters}, definitions)


def kept(schema: JsonSchema) -> JsonValue:
    """Return the schema of one property in the schema of an answer."""
    branches = response(schema)["anyOf"]
    assert isinstance(branches, list)
    node = branches[0]
    for step in ("properties", "functionCall", "properties", "args", "properties", "v"):
        assert isinstance(node, dict)
        node = node[step]
    return node


def call(value: JsonValue) -> JsonValue:
    return {"functionCall": {"name": "f", "args": {"v": value}}}


@pytest.mark.parametrize(
    ("schema", "left"),
    [
        ({**S, "description": "d", "default": "x", "examples": ["x"], "deprecated": True}, S),
        ({**I, "not": {"const": 1}}, I),
        ({**I, "if": {"minimum": 1}, "then": {"maximum": 3}, "else": False}, I),
        ({"type": "array", "uniqueItems": True, "contains": S}, {"type": "array"}),
        ({"type": "object", "propertyNames": S, "dependentRequired": {}}, {"type": "object"}),
        ({"type": "object", "unevaluatedProperties": False}, {"type": "object"}),
        ({"type": "object", "minProperties": 1, "maxProperties": 2}, {"type": "object"}),
        ({**I, "minimum": -(2**63), "exclusiveMaximum": 1e300, "maximum": 7}, {**I, "maximum": 7}),
        ({**S, "format": "password"}, S),
        ({**S, "format": "date"}, {**S, "format": "date"}),
        ({**S, "pattern": "^(?!a)b$"}, S),
        ({**S, "pattern": "(?<=a)b"}, S),
        ({**S, "pattern": r"^(a)\1$"}, S),
        ({**S, "pattern": "^(?:a|b)$"}, {**S, "pattern": "^(?:a|b)$"}),
        ({"oneOf": [S, I]}, {"anyOf": [S, I]}),
        ({"oneOf": [S, I], "anyOf": [S]}, {"anyOf": [S]}),
        (
            {"patternProperties": {"^(?=a)": S}, **X},
            {"properties": {"x": S}, "additionalProperties": S},
        ),
        ({"patternProperties": {"^a": S}, **X}, {"patternProperties": {"^a": S}, **X}),
        ({"properties": {"not": S, "format": S}}, {"properties": {"not": S, "format": S}}),
        ({"const": {"not": 1, "title": "x"}}, {"const": {"not": 1, "title": "x"}}),
    ],
)
def test_only_keywords_that_servers_enforce_are_kept(schema: JsonSchema, left: JsonValue) -> None:
    assert kept(schema) == left


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"not": S}, [1, None]),
        ({"type": "integer", "if": {"minimum": 9}, "then": {"multipleOf": 5}}, [1, 10]),
        ({"oneOf": [{"minimum": 5}, {"maximum": 1}], "type": "integer"}, [0, 9]),
        ({"oneOf": [S, I], "anyOf": [I, {"type": "null"}]}, [1]),
        ({"type": "object", **X, "patternProperties": {"^(?!x)": I}}, [{"x": "s"}, {"a": 1}]),
        (
            {"allOf": [{"type": "object", "properties": {"a": I}}], "unevaluatedProperties": False},
            [{"a": 1}],
        ),
        ({"type": "array", "contains": I, "items": {"not": {"type": "null"}}}, [[1, "a"]]),
        ({"type": "string", "format": "uri"}, ["https://a.example"]),
    ],
)
def test_every_valid_value_is_in_a_valid_answer(
    schema: JsonSchema, values: list[JsonValue]
) -> None:
    for value in values:
        assert validate(schema, value)
        assert validate(response(schema), call(value)), value


def test_only_definitions_that_are_used_are_kept() -> None:
    schema = response({"$ref": "#/$defs/A"}, A={**S, "format": "byte"}, B=I)
    assert schema["$defs"] == {"A": S}


def test_a_definition_that_only_a_condition_uses_is_removed() -> None:
    schema = response({**I, "not": {"$ref": "#/$defs/A"}}, A={"const": 1})
    assert "$defs" not in schema
    assert validate(schema, call(2))


def test_each_call_has_the_parameters_of_its_name() -> None:
    functions: dict[str, JsonSchema] = {
        "f": {"type": "object", "properties": {"a": S}, "additionalProperties": False},
        "g": {"type": "object", "properties": {"b": S}, "additionalProperties": False},
    }
    schema = response_schema(functions, {})
    assert validate(schema, {"functionCall": {"name": "g", "args": {"b": "x"}}})
    assert not validate(schema, {"functionCall": {"name": "f", "args": {"b": "x"}}})
    assert not validate(schema, {"functionCall": {"name": "h", "args": {}}})
    assert validate(schema, {"answer": "x"})
    failure = validate(schema, {"functionCall": {"name": "g", "args": {"a": "x"}}})
    assert [str(issue.path) for issue in failure.issues] == ["$input.functionCall.args.a"]  # type: ignore[union-attr]
