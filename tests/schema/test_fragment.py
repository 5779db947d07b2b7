import pytest

from pyfunctools._json import JsonSchema
from pyfunctools.errors import SchemaError
from pyfunctools.schema.compiled import Compiled
from pyfunctools.schema.fragment import Fragment, Fragments
from pyfunctools.schema.path import Keys
from pyfunctools.schema.walk import subschemas

STRING: JsonSchema = {"type": "string"}
INTEGER: JsonSchema = {"type": "integer"}
TREE: JsonSchema = {
    "$ref": "#/$defs/Tree",
    "$defs": {
        "Tree": {
            "type": "object",
            "properties": {
                "value": INTEGER,
                "left": {"$ref": "#/$defs/Tree"},
                "all": {"type": "array", "items": {"$ref": "#/$defs/Tree"}, "minItems": 1},
            },
            "required": ["value"],
            "additionalProperties": False,
        }
    },
}


def fragments(schema: JsonSchema) -> Fragments:
    return Fragments(Compiled(schema, True, None))


def checks(schema: JsonSchema) -> list[tuple[str, Keys, Keys]]:
    return [(c.kind, c.path, c.at) for c in fragments(schema).at(()).checks]


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        (STRING, []),
        ({"required": ["a"]}, [("required", (), ())]),
        ({"dependentRequired": {"a": ["b"]}}, [("required", (), ())]),
        ({"additionalProperties": False}, [("closed", (), ())]),
        ({"anyOf": [STRING]}, [("union", (), ("anyOf",))]),
        ({"oneOf": [STRING]}, [("union", (), ("oneOf",))]),
        ({"items": STRING}, [("items", (), ("items",))]),
        ({"items": True}, []),
        ({"additionalProperties": STRING}, [("members", (), ("additionalProperties",))]),
        ({"patternProperties": {"^a": STRING}}, [("members", (), ("patternProperties", "^a"))]),
        ({"propertyNames": STRING}, [("names", (), ("propertyNames",))]),
        ({"if": STRING, "then": INTEGER}, [("if", (), ())]),
        ({"if": STRING}, []),
        ({"dependentSchemas": {"a": STRING}}, [("schema", (), ("dependentSchemas", "a"))]),
        ({"unevaluatedProperties": False}, [("whole", (), ())]),
        (
            {"properties": {"a": {"items": STRING}}, "prefixItems": [{"anyOf": [STRING]}]},
            [
                ("items", ("a",), ("properties", "a", "items")),
                ("union", (0,), ("prefixItems", 0, "anyOf")),
            ],
        ),
        (
            {"allOf": [{"unevaluatedItems": False}, {"required": ["b"]}]},
            [("required", (), ("allOf", 1)), ("whole", (), ("allOf", 0))],
        ),
    ],
)
def test_what_lies_further_away_is_a_check(schema: JsonSchema, found: list[tuple[str, Keys, Keys]]):
    assert checks(schema) == found


def test_a_reference_is_followed_once_and_then_checked():
    assert checks(TREE) == [
        ("schema", ("left",), ("$defs", "Tree")),
        ("items", ("all",), ("$defs", "Tree", "properties", "all", "items")),
        ("required", (), ("$defs", "Tree")),
        ("closed", (), ("$defs", "Tree")),
    ]


def test_a_fragment_complains_only_of_what_is_its_own():
    fragment = fragments(TREE).at(())
    assert fragment.validator.is_valid({"value": 1, "left": "wrong", "all": ["wrong"], "more": 1})
    assert not fragment.validator.is_valid({"value": "x"})
    assert not fragment.validator.is_valid({"all": []})


def test_a_complaint_leads_to_the_schema_of_the_whole():
    made = fragments(TREE)
    fragment = made.at(())
    (error,) = fragment.validator.iter_errors({"value": "x"})
    assert fragment.node(error) is INTEGER
    (error,) = fragment.validator.iter_errors({"all": []})
    assert fragment.node(error) is made.schema(("$defs", "Tree", "properties", "all"))


def test_a_complaint_of_a_schema_that_is_false_leads_to_it():
    fragment = fragments({"properties": {"a": False, "b": {"not": True}}}).at(())
    (error,) = fragment.validator.iter_errors({"a": 1})
    assert fragment.node(error) is False
    (error,) = fragment.validator.iter_errors({"b": 1})
    assert fragment.node(error) == {"not": True}


def test_the_whole_and_the_test_of_a_check_say_the_same():
    made = fragments({**TREE, "$ref": "#/$defs/Tree"})
    check = next(check for check in made.at(()).checks if check.kind == "schema")
    for value in ({"value": 1, "left": {"value": 1}}, {"value": 1, "left": {}}, {"left": 1}, 1):
        assert made.whole(check.at).is_valid(value) == made.test(check).is_valid(value)


def test_a_fragment_is_made_once():
    made = fragments(TREE)
    assert made.at(()) is made.at(())
    assert made.whole(("$defs", "Tree")) is made.whole(("$defs", "Tree"))


def test_what_is_no_schema_has_no_fragment():
    with pytest.raises(SchemaError):
        fragments(TREE).at(("$defs", "Nobody"))
    with pytest.raises(SchemaError):
        fragments(TREE).at(("$defs", "Tree", "required"))


def test_up_to_draft_7_what_stands_beside_a_reference_is_left_out():
    schema: JsonSchema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"A": STRING},
        "$ref": "#/definitions/A",
        "minLength": 5,
        "required": ["a"],
    }
    fragment = fragments(schema).at(())
    assert fragment.checks == ()
    assert fragment.validator.is_valid("x")


def test_tuples_of_older_drafts_are_read():
    schema: JsonSchema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": [STRING, {"items": INTEGER}],
        "additionalItems": INTEGER,
        "dependencies": {"a": ["b"], "c": {"required": ["d"]}},
    }
    assert [(c.kind, c.path, c.start) for c in fragments(schema).at(()).checks] == [
        ("items", (1,), 0),
        ("required", (), 0),
        ("items", (), 2),
        ("schema", (), 0),
    ]


def depth_of(fragment: Fragment) -> int:
    return max(len(keys) for keys, _ in subschemas(fragment.schema)) // 2


def test_a_fragment_is_neither_deep_nor_large():
    deep: JsonSchema = INTEGER
    for _ in range(100):
        deep = {"properties": {"a": deep}}
    assert depth_of(fragments(deep).at(())) < 20
    wide: JsonSchema = {
        "$defs": {"A": {"type": "object", "properties": {"a": INTEGER}}},
        "properties": {f"p{n}": {"$ref": "#/$defs/A"} for n in range(500)},
    }
    assert sum(1 for _ in subschemas(fragments(wide).at(()).schema)) < 1200


def test_the_decisive_check_is_the_last_that_asks_more_than_names():
    made = fragments(TREE).at(("$defs", "Tree"))
    assert made.checks[made.decisive].kind == "items"
    assert fragments({"required": ["a"]}).at(()).decisive == -1


def test_a_reference_to_a_mere_union_is_that_union():
    schema: JsonSchema = {
        "properties": {"a": {"$ref": "#/$defs/U"}},
        "$defs": {"U": {"anyOf": [INTEGER, {"items": {"$ref": "#/$defs/U"}}], "title": "U"}},
    }
    assert checks(schema) == [("union", ("a",), ("$defs", "U", "anyOf"))]
