import doctest
import json
from collections.abc import Callable
from typing import Any

import jsonschema_rs
import pytest
from clock import at_most
from stacks import on_stack

from pyfunctools.errors import SchemaError
from pyfunctools.schema import normalization
from pyfunctools.schema.normalization.normalize import normalize

Schema = dict[str, Any]
A, B = {"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}
NULL = {"type": "null"}
TEXT = {"type": "string"}


def test_the_worked_example_runs() -> None:
    done = doctest.testmod(normalization)
    assert (done.failed, done.attempted > 5) == (0, True)


def accepts(schema: Schema | bool) -> Callable[[Any], bool]:
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=False).is_valid


NORMALIZED: list[tuple[str, Schema, Schema]] = [
    (
        "no type is invented",
        {"properties": {"a": {"minLength": 1}}},
        {"properties": {"a": {"minLength": 1}}},
    ),
    (
        "a nullable reference",
        {
            "properties": {"a": {"$ref": "#/definitions/A", "nullable": True, "title": "t"}},
            "definitions": {"A": TEXT},
        },
        {"properties": {"a": {"title": "t", "anyOf": [A, NULL]}}, "$defs": {"A": TEXT}},
    ),
    (
        "a nullable composition",
        {
            "properties": {"a": {"nullable": True, "allOf": [A, {"minLength": 1}]}},
            "$defs": {"A": TEXT},
        },
        {
            "properties": {"a": {"anyOf": [{"type": "string", "minLength": 1}, NULL]}},
            "$defs": {"A": TEXT},
        },
    ),
    (
        "a tuple of draft-04 in definitions",
        {
            "$schema": "http://json-schema.org/draft-04/schema#",
            "id": "http://x/y",
            "items": [{"$ref": "#/definitions/A"}],
            "additionalItems": False,
            "definitions": {"A": {"minimum": 1, "exclusiveMinimum": True}},
        },
        {"prefixItems": [A], "items": False, "$defs": {"A": {"exclusiveMinimum": 1}}},
    ),
    (
        "an alias with a description",
        {"allOf": [A], "description": "d", "$defs": {"A": TEXT}},
        {"description": "d", **A, "$defs": {"A": TEXT}},
    ),
    (
        "an heir",
        {
            "allOf": [A, {"properties": {"a": {"minLength": 1}, "b": {}}}],
            "$defs": {"A": {"type": "object", "properties": {"a": TEXT}}},
        },
        {
            "type": "object",
            "properties": {"a": {"type": "string", "minLength": 1}, "b": {}},
            "$defs": {"A": {"type": "object", "properties": {"a": TEXT}}},
        },
    ),
    (
        "an heir in its own definition",
        {"$defs": {"A": {"properties": {"child": {"allOf": [A, {"required": ["x"]}]}}}}},
        {
            "$defs": {
                "A": {
                    "properties": {
                        "child": {
                            "properties": {"child": {**A, "required": ["x"]}},
                            "required": ["x"],
                        }
                    }
                }
            }
        },
    ),
    (
        "a discriminator of Swagger 2.0 in a union",
        {
            "oneOf": [A, B],
            "discriminator": "kind",
            "$defs": {"A": {}, "B": {"properties": {"kind": {"const": "b"}}}},
        },
        {
            "oneOf": [A, B],
            "discriminator": {
                "propertyName": "kind",
                "mapping": {"A": "#/$defs/A", "b": "#/$defs/B"},
            },
            "$defs": {"A": {}, "B": {"properties": {"kind": {"const": "b"}}}},
        },
    ),
    (
        "an empty enum beside a reference, as where the values are not known",
        {"type": "string", "enum": [], "allOf": [A], "$defs": {"A": {"enum": ["x"]}}},
        {"type": "string", **A, "$defs": {"A": {"enum": ["x"]}}},
    ),
]


@pytest.mark.parametrize(
    ("schema", "expected"), [row[1:] for row in NORMALIZED], ids=[row[0] for row in NORMALIZED]
)
def test_any_schema_has_one_canonical_form(schema: Schema, expected: Schema):
    before = json.dumps(schema)
    result = normalize(schema)
    assert json.dumps(result, sort_keys=True) == json.dumps(expected, sort_keys=True)
    assert json.dumps(normalize(result)) == json.dumps(result)
    assert json.dumps(schema) == before


def test_a_schema_and_its_result_share_no_subschemas():
    assert normalize(True) is True
    schema: Schema = {
        "properties": {"a": {"items": {"type": "string"}}},
        "$defs": {"A": {"not": {}}},
    }
    result: Any = normalize(schema)
    result["properties"]["a"]["items"]["type"] = "changed"
    result["properties"]["b"] = {}
    result["$defs"]["A"]["not"]["x"] = 1
    assert schema == {
        "properties": {"a": {"items": {"type": "string"}}},
        "$defs": {"A": {"not": {}}},
    }


def test_references_that_only_lead_to_each_other_are_an_error_where_they_are_used():
    cycle = {"A": B, "B": {**A, "title": "b"}}
    with pytest.raises(SchemaError, match=r"#/\$defs/A -> #/\$defs/B -> #/\$defs/A"):
        normalize({"items": A, "$defs": cycle})
    assert normalize({"type": "string", "$defs": {**cycle, "C": TEXT}}) == {
        **TEXT,
        "$defs": {"C": TEXT},
    }


def entangled(count: int) -> dict[str, Schema]:
    names = [f"S{n}" for n in range(count)]
    return {
        name: {
            "allOf": [
                *({"$ref": f"#/$defs/{names[(n * k + 1) % count]}"} for k in range(2, 8)),
                {
                    "properties": {
                        name: {
                            "anyOf": [
                                {"allOf": [{"$ref": f"#/$defs/{other}"}, {"required": ["x"]}]}
                                for other in names[n : n + 4]
                            ]
                        }
                    }
                },
            ]
        }
        for n, name in enumerate(names)
    }


def test_schemas_that_refer_to_each_other_do_not_multiply():
    own = entangled(300)
    with at_most(4):
        normalize({"$ref": "#/$defs/S0", "$defs": own})


def test_a_diamond_of_sixty_levels_is_merged_in_a_moment():
    own: dict[str, Any] = {
        f"S{n}": {
            "allOf": [{"$ref": f"#/$defs/S{n + 1}"}] * 2
            + [
                {
                    "properties": {
                        side: {"allOf": [{"$ref": f"#/$defs/S{n + 1}"}, {"required": ["a"]}]}
                        for side in "ab"
                    }
                }
            ]
        }
        for n in range(60)
    }
    own["S60"] = {"type": "object"}
    with at_most(4):
        normalize({"$ref": "#/$defs/S0", "$defs": own})


def nested(keyword: str, levels: int) -> Schema:
    schema: Schema = {}
    for _ in range(levels):
        schema = {keyword: [schema]} if keyword in ("allOf", "anyOf") else {keyword: schema}
    return schema


@pytest.mark.slow
@pytest.mark.parametrize("keyword", ["not", "items", "additionalProperties", "allOf", "anyOf"])
def test_256_levels_are_normalized_and_more_are_an_error_in_a_small_stack_too(keyword: str):
    levels = 127 if keyword in ("allOf", "anyOf") else 255
    schemas = [nested(keyword, levels), nested(keyword, 100_000)]
    found: list[object] = []

    def run() -> None:
        for schema in schemas:
            try:
                found.append(normalize(normalize(schema)))
            except SchemaError as error:
                found.append(error)

    on_stack(run)
    assert isinstance(found[0], dict)
    assert isinstance(found[1], SchemaError)


def test_a_schema_that_is_too_deep_once_normalized_is_an_error():
    schema: Schema = {"type": "string"}
    for _ in range(100):
        schema = {"type": "object", "nullable": True, "properties": {"a": schema}}
    with pytest.raises(SchemaError, match="more than 256 deep"):
        normalize(schema)


GARBAGE: list[Schema] = [
    {"type": "strin", "properties": 3, "required": "a", "items": 4, "pattern": "(", "minimum": "x"},
    {"allOf": [], "anyOf": {}, "oneOf": [None], "not": 1, "enum": "abc", "title": 3, "format": 1},
    {
        "allOf": [{"items": [1, "x"]}, 3],
        "patternProperties": {"(": {}},
        "$ref": {},
        "$id": 3,
        "$anchor": [],
    },
    {
        "$dynamicRef": 1,
        "$recursiveRef": [],
        "$defs": 3,
        "definitions": {"a": 3},
        "dependencies": [1],
        "readOnly": 1,
    },
    {
        "discriminator": 3,
        "examples": 3,
        "example": {},
        "nullable": 1,
        "dependentSchemas": {"a": 3},
        "$vocabulary": 3,
    },
    {
        "properties": {
            "$ref": {"type": "string"},
            "$id": {"type": "x"},
            "allOf": {},
            "enum": {"enum": []},
        }
    },
]


@pytest.mark.parametrize("schema", GARBAGE)
def test_invalid_keywords_do_not_affect_the_others(schema: Schema):
    whole = {**schema, "properties": {"sound": {"type": "integer"}, "odd": schema}}
    result = normalize(whole)
    assert accepts(result)({"sound": 1})
    assert not accepts(result)({"sound": "x"})
    assert json.dumps(normalize(result)) == json.dumps(result)


def test_a_long_chain_of_references_is_not_a_cycle() -> None:
    chain: Schema = {f"S{n}": {"$ref": f"#/$defs/S{n + 1}"} for n in range(5_000)}
    assert normalize({"$ref": "#/$defs/S0", "$defs": {**chain, "S5000": TEXT}})
