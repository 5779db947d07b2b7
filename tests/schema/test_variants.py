import json
from typing import Any

import pytest

from pyfunctools.schema.normalization.spelling import split

NULL = {"type": "null"}

SPLIT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
    ({"type": ["string", "null"], "title": "t"}, {"type": ["string", "null"], "title": "t"}),
    (
        {"type": ["string", "integer"], "minLength": 1, "minimum": 5, "title": "t"},
        {
            "title": "t",
            "anyOf": [{"type": "string", "minLength": 1}, {"type": "integer", "minimum": 5}],
        },
    ),
    (
        {"type": ["object", "null"], "properties": {"a": {}}, "required": ["a"], "not": {}},
        {
            "not": {},
            "anyOf": [{"type": "object", "properties": {"a": {}}, "required": ["a"]}, NULL],
        },
    ),
    (
        {"type": ["string", "null"], "minimum": 1},
        {"type": ["string", "null"], "minimum": 1},
    ),
    (
        {"type": ["string", "integer", "null"], "format": "int64"},
        {"anyOf": [{"type": "string"}, {"type": "integer", "format": "int64"}, NULL]},
    ),
    (
        {"type": ["string", "integer"], "format": "uuid"},
        {"anyOf": [{"type": "string", "format": "uuid"}, {"type": "integer"}]},
    ),
    (
        {"type": ["object", "null"], "format": "geo"},
        {"anyOf": [{"type": "object", "format": "geo"}, NULL]},
    ),
    (
        {"type": ["string", "null"], "enum": ["a", None]},
        {"anyOf": [{"type": "string", "enum": ["a"]}, NULL]},
    ),
    ({"type": ["string", "null"], "enum": ["a"]}, {"type": "string", "enum": ["a"]}),
    ({"type": ["string", "null"], "enum": [None]}, NULL),
    (
        {"type": ["string", "number"], "enum": ["a", 1, 2.5, True]},
        {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "number", "enum": [1, 2.5]}]},
    ),
    ({"type": ["string", "null"], "const": "a"}, {"type": "string", "const": "a"}),
    ({"type": ["string", "null"], "enum": [1]}, {"type": ["string", "null"], "enum": [1]}),
    ({"enum": ["a", 1, None]}, {"anyOf": [{"enum": ["a", 1]}, NULL]}),
    ({"enum": [None], "title": "t"}, {**NULL, "title": "t"}),
    ({"enum": ["a", 1]}, {"enum": ["a", 1]}),
    ({"const": None}, NULL),
    ({"type": "null", "enum": ["a", None], "const": None}, NULL),
    (
        {"type": ["string", "null"], "maxLength": 1, "anyOf": [{}]},
        {"anyOf": [{}], "allOf": [{"anyOf": [{"type": "string", "maxLength": 1}, NULL]}]},
    ),
    (
        {"type": ["object", "null"], "properties": {}, "unevaluatedProperties": False},
        {"type": ["object", "null"], "properties": {}, "unevaluatedProperties": False},
    ),
    (
        {"type": ["string", "null"], "maxLength": 1, "allOf": [{"pattern": "a"}]},
        {"type": ["string", "null"], "maxLength": 1, "allOf": [{"pattern": "a"}]},
    ),
]


@pytest.mark.parametrize(("node", "expected"), SPLIT)
def test_each_type_has_a_branch_where_more_than_the_type_varies(
    node: dict[str, Any], expected: dict[str, Any]
):
    before = json.dumps(node)
    assert json.dumps(split(node), sort_keys=True) == json.dumps(expected, sort_keys=True)
    assert json.dumps(node) == before


@pytest.mark.parametrize("expected", [expected for _, expected in SPLIT])
def test_what_is_split_stays_as_it_is(expected: dict[str, Any]):
    assert json.dumps(split(expected)) == json.dumps(expected)
