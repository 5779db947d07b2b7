import json
from typing import Any

import pytest

from pyfunctools.errors import SchemaError
from pyfunctools.schema.normalization.bundle import bundle

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
TEXT = {"type": "string"}
NUMBER = {"type": "number"}


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


BUNDLED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "definitions",
        {"$ref": "#/definitions/A", "definitions": {"A": TEXT}},
        {**ref("A"), "$defs": {"A": TEXT}},
    ),
    (
        "definitions beside $defs of the same name",
        {
            "items": {"$ref": "#/definitions/A"},
            "not": {"$ref": "#/$defs/A"},
            "definitions": {"A": TEXT},
            "$defs": {"A": NUMBER},
        },
        {"items": ref("A_2"), "not": ref("A"), "$defs": {"A": NUMBER, "A_2": TEXT}},
    ),
    (
        "an escaped name",
        {"$ref": "#/definitions/a~1b%25", "definitions": {"a/b%": TEXT}},
        {**ref("a~1b%25"), "$defs": {"a/b%": TEXT}},
    ),
    (
        "a name that is no URI",
        {"$ref": "#/$defs/List<é>", "$defs": {"List<é>": TEXT}},
        {**ref("List%3C%C3%A9%3E"), "$defs": {"List<é>": TEXT}},
    ),
    (
        "a part of a definition",
        {"$ref": "#/definitions/A/properties/b", "definitions": {"A": {"properties": {"b": TEXT}}}},
        {**ref("A_b"), "$defs": {"A": {"properties": {"b": TEXT}}, "A_b": TEXT}},
    ),
    (
        "another place of the schema",
        {"properties": {"a": {"items": [TEXT]}, "b": {"$ref": "#/properties/a/items/0"}}},
        {
            "properties": {"a": {"items": [TEXT]}, "b": ref("a_items_0")},
            "$defs": {"a_items_0": TEXT},
        },
    ),
    (
        "a place that no keyword names",
        {"$ref": "#/x-parts/a", "x-parts": {"a": TEXT}},
        {**ref("x-parts_a"), "x-parts": {"a": TEXT}, "$defs": {"x-parts_a": TEXT}},
    ),
    (
        "the root",
        {"properties": {"a": {"$ref": "#"}}},
        {"properties": {"a": ref("root")}, "$defs": {"root": {"properties": {"a": ref("root")}}}},
    ),
    (
        "definitions of a subschema",
        {"items": {"$ref": "#/items/$defs/A", "$defs": {"A": TEXT, "unused": NUMBER}}},
        {"items": ref("items_A"), "$defs": {"items_A": TEXT}},
    ),
    (
        "an anchor",
        {"$ref": "#here", "$defs": {"A": {"$anchor": "here", **TEXT}}},
        {**ref("A"), "$defs": {"A": TEXT}},
    ),
    (
        "a schema with an address",
        {
            "$id": "https://example.com/a/root.json",
            "items": {"$ref": "part.json#/properties/x"},
            "not": {"$ref": "https://example.com/other.json"},
            "$defs": {"P": {"$id": "part.json", "properties": {"x": TEXT, "y": {"$ref": "#"}}}},
        },
        {
            "items": ref("x"),
            "not": {"$ref": "https://example.com/other.json"},
            "$defs": {"P": {"properties": {"x": TEXT, "y": ref("P")}}, "x": TEXT},
        },
    ),
    (
        "a relative reference that leads out",
        {"$id": "https://example.com/a/root.json", "items": {"$ref": "../b.json#/x"}},
        {"items": {"$ref": "https://example.com/b.json#/x"}},
    ),
    (
        "a draft-04 id",
        {
            "$schema": DRAFT_4,
            "id": "http://x/y",
            "not": {"id": "z", "items": {"$ref": "z#/items/0"}},
        },
        {"not": {"items": {"$ref": "http://x/z#/items/0"}}},
    ),
    (
        "an id that is only a property of some tool",
        {"id": "http://x/y", "items": {"$ref": "z"}},
        {"id": "http://x/y", "items": {"$ref": "z"}},
    ),
    (
        "draft-07, where nothing counts beside a reference",
        {
            "$schema": DRAFT_7,
            "items": {"$ref": "#/definitions/A", "minLength": 1, "title": "t"},
            "definitions": {"A": {}},
        },
        {"items": {**ref("A"), "title": "t"}, "$defs": {"A": {}}},
    ),
    (
        "a reference that is only a value",
        {"const": {"$ref": "#/definitions/A"}, "examples": [{"$ref": "#"}]},
        {"const": {"$ref": "#/definitions/A"}, "examples": [{"$ref": "#"}]},
    ),
    (
        "a pointer that leads nowhere",
        {"allOf": [{"properties": {"b": {}}}], "items": {"$ref": "#/properties/b"}},
        {"allOf": [{"properties": {"b": {}}}], "items": ref("~1properties~1b")},
    ),
    (
        "references that are no addresses",
        {"anyOf": [{"$ref": "http://["}, {"$ref": "#nowhere"}]},
        {"anyOf": [{"$ref": "http://["}, {"$ref": "#nowhere"}]},
    ),
    (
        "a boolean",
        {"not": {"$ref": "#/properties/a"}, "properties": {"a": False}},
        {"not": ref("a"), "properties": {"a": False}, "$defs": {"a": False}},
    ),
    (
        "an index that is too long",
        {"allOf": [{"$ref": "#/allOf/" + "9" * 5_000}]},
        {"allOf": [ref("~1allOf~1" + "9" * 5_000)]},
    ),
    (
        "an empty enum under a stated draft",
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "items": {"enum": []}},
        {"items": {"allOf": [False]}},
    ),
]


@pytest.mark.parametrize(
    ("schema", "bundled"), [row[1:] for row in BUNDLED], ids=[row[0] for row in BUNDLED]
)
def test_every_reference_leads_to_a_definition(schema: dict[str, Any], bundled: dict[str, Any]):
    before = json.dumps(schema)
    result = bundle(schema)
    assert result == bundled
    assert json.dumps(schema) == before
    assert bundle(result) == result


def test_a_new_name_is_not_a_missing_one():
    schema = {
        "properties": {"a": {"$ref": "#/properties/b"}, "b": TEXT, "c": ref("b")},
    }
    assert bundle(schema)["$defs"] == {"b_2": TEXT}


@pytest.mark.parametrize("keyword", ["$dynamicRef", "$recursiveRef"])
def test_the_error_for_a_dynamic_reference_says_what_to_write(keyword: str):
    with pytest.raises(SchemaError, match="refer to it with `\\$ref`"):
        bundle({"properties": {"a": {keyword: "#"}}})


def test_many_references_of_one_name_are_numbered():
    parts = {"+" * n: {"properties": {"a": {"minimum": n}}} for n in range(1, 2_001)}
    schema = {"x": parts, "anyOf": [{"$ref": f"#/x/{name}/properties/a"} for name in parts]}
    assert len(bundle(schema)["$defs"]) == 2_000


def test_a_relative_id_counts_once() -> None:
    schema = {
        "$id": "https://a.org/b/c.json",
        "$ref": "#/$defs/x",
        "$defs": {
            "x": {"$id": "d/e.json", "$ref": "f.json"},
            "y": {"$id": "d/f.json", "type": "number"},
        },
    }
    assert bundle(schema)["$defs"] == {"x": {"$ref": "#/$defs/y"}, "y": {"type": "number"}}
