import json
import threading
from pathlib import Path

import pytest
from clock import at_most
from schemas import INTEGER, STRING, thing
from stacks import on_stack

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._text import visible
from pyfunctools.schema.ground.issue import MOST_ISSUES as MOST
from pyfunctools.schema.outline.json_types import EXAMPLES
from pyfunctools.schema.result import Issue
from pyfunctools.schema.validation.compiled import Compiled
from pyfunctools.schema.validation.validator import Validator

GOLDEN = Path(__file__).parent / "golden" / "issues.txt"


CAT = thing("kind lives", kind={"const": "cat"}, lives=INTEGER)
DOG = thing("kind bark", kind={"const": "dog"}, bark=STRING)


def issues_of(schema: JsonSchema | bool, value: JsonValue) -> tuple[Issue, ...]:
    return Validator(schema).issues(value, "llm")


def places(schema: JsonSchema | bool, value: JsonValue) -> list[str]:
    return [str(issue.path) for issue in issues_of(schema, value)]


def golden() -> list[tuple[str, str, list[str]]]:
    blocks = GOLDEN.read_text(encoding="utf-8").strip().split("\n\n")
    return [(lines[0], lines[1], lines[2:]) for lines in map(str.splitlines, blocks)]


@pytest.mark.parametrize(("schema", "value", "lines"), golden())
def test_every_issue_reads_as_it_was_reviewed(schema: str, value: str, lines: list[str]):
    issues = issues_of(json.loads(schema), json.loads(value))
    assert [t for i in issues for t in (i.message, f"    {i.expected}")] == lines
    assert all(issue.message.startswith(issue.path[:499]) for issue in issues)
    assert {issue.side for issue in issues} == {"llm"}


def test_all_issues_are_found_and_several_at_one_path():
    schema = thing("a b", a={"minimum": 5, "multipleOf": 2}, b=INTEGER, c={"items": INTEGER})
    value: JsonValue = {"a": 3, "c": [1, "x", None], "d": 1, "e": 2}
    assert sorted(places(schema, value)) == [
        "$input.a",
        "$input.a",
        "$input.b",
        "$input.c[1]",
        "$input.c[2]",
        "$input.d",
        "$input.e",
    ]


def test_an_issue_has_the_invalid_value():
    schema = thing("a c", a=INTEGER, c=INTEGER)
    found = {str(i.path): i.value for i in issues_of(schema, {"a": ["x"], "b": {"y": 1}})}
    assert found == {"$input.a": ["x"], "$input.b": {"y": 1}, "$input.c": None}


def test_the_same_complaint_is_given_once():
    assert places({"allOf": [INTEGER, INTEGER, {"$ref": "#/allOf/0"}]}, "x") == ["$input"]


def test_unions_inside_unions_are_followed_to_the_mistake():
    schema: JsonSchema = {
        "$defs": {
            "Pet": {"oneOf": [CAT, DOG]},
            "Pets": {"anyOf": [{"items": {"$ref": "#/$defs/Pet"}}, {"type": "null"}]},
            "Owner": thing("pets", pets={"$ref": "#/$defs/Pets"}),
        },
        "anyOf": [{"$ref": "#/$defs/Owner"}, {"type": "null"}],
    }
    value: JsonValue = {"pets": [{"kind": "cat", "lives": 9}, {"kind": "dog", "bark": 1}]}
    (issue,) = issues_of(schema, value)
    assert (issue.path, issue.expected) == ("$input.pets[1].bark", "string")


def test_the_issues_are_about_the_branch_that_fits_best():
    schema: JsonSchema = {"anyOf": [thing("a", a=INTEGER), thing("b c", b=INTEGER, c=INTEGER)]}
    assert places(schema, {"b": "x", "c": 1}) == ["$input.b"]


def test_a_value_that_fits_several_branches_of_one_of_has_an_issue():
    (issue,) = issues_of({"oneOf": [INTEGER, {"minimum": 5}, STRING]}, 7)
    assert "exactly one" in issue.expected
    tagged: JsonSchema = {"oneOf": [CAT, CAT]}
    (issue,) = issues_of(tagged, {"kind": "cat", "lives": 1})
    assert "exactly one" in issue.message


def test_properties_beside_a_union_have_issues_too():
    schema: JsonSchema = {
        "type": "object",
        "properties": {"id": INTEGER},
        "required": ["id"],
        "oneOf": [
            {"properties": {"kind": {"const": "a"}, "x": INTEGER}, "required": ["kind", "x"]},
            {"properties": {"kind": {"const": "b"}, "y": INTEGER}, "required": ["kind", "y"]},
        ],
    }
    assert places(schema, {"id": "1", "kind": "b"}) == ["$input.id", "$input.y"]


def test_unevaluated_properties_are_issues_only_if_the_rest_is_valid():
    schema: JsonSchema = {
        "allOf": [{"properties": {"a": INTEGER}}],
        "anyOf": [{"properties": {"b": INTEGER}, "required": ["b"]}, {"required": ["c"]}],
        "unevaluatedProperties": False,
    }
    assert places(schema, {"a": 1, "b": 2, "d": 3}) == ["$input.d"]
    assert places(schema, {"a": "x", "b": 2, "d": 3}) == ["$input.a"]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$ref": "#a", "$defs": {"A": {"$anchor": "a", "type": "integer"}}}, "x"),
        (
            {
                "$id": "https://example.com/tree",
                "$dynamicAnchor": "node",
                "properties": {"below": {"items": {"$dynamicRef": "#node"}}},
                "required": ["value"],
            },
            {"value": 1, "below": [{}]},
        ),
        (
            {
                "$defs": {"A": {"$id": "https://example.com/a", "type": "integer"}},
                "properties": {"a": {"$ref": "https://example.com/a"}},
            },
            {"a": "x"},
        ),
    ],
)
def test_references_of_every_kind_have_at_least_one_issue(schema: JsonSchema, value: JsonValue):
    assert issues_of(schema, value)


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (
            {"properties": {"a/b c%": INTEGER}, "prefixItems": [{"items": INTEGER}]},
            {"a/b c%": "x"},
            ['$input["a/b c%"]'],
        ),
        (
            {
                "$id": "https://example.com/root.json",
                "$defs": {"A": {"$ref": "root.json#/$defs/B"}, "B": {"type": "null"}},
                "properties": {"a": {"$ref": "#/$defs/A"}},
            },
            {"a": 1},
            ["$input.a"],
        ),
        (
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "definitions": {"A": INTEGER},
                "properties": {"a": {"$ref": "#/definitions/A", "enum": []}, "b": STRING},
            },
            {"a": 1, "b": 1},
            ["$input.b"],
        ),
    ],
)
def test_a_part_is_found_wherever_it_stands(
    schema: JsonSchema, value: JsonValue, expected: list[str]
):
    assert places(schema, value) == expected


def test_references_that_go_in_a_circle_come_to_an_end():
    circle: JsonSchema = {
        "$defs": {"A": {"allOf": [{"$ref": "#/$defs/B"}]}, "B": {"anyOf": [{"$ref": "#/$defs/A"}]}},
        "allOf": [{"$ref": "#/$defs/A"}, {"not": {}}],
    }
    assert places(circle, 1) == ["$input"]


MANY = 100_000


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"items": INTEGER}, ["x"] * MANY),
        ({"items": thing("a b", a=INTEGER)}, [{"a": "x", "c": 1}] * MANY),
        ({"items": {"oneOf": [CAT, DOG]}}, [{"kind": "cat", "lives": "x"}] * MANY),
        ({"items": {"anyOf": [INTEGER, {"type": "null"}]}}, ["x"] * MANY),
        ({"prefixItems": [INTEGER], "items": False}, [1] * MANY),
        (thing(), {f"k{n}": n for n in range(MANY)}),
        ({"additionalProperties": STRING}, {f"k{n}": n for n in range(MANY)}),
        ({"patternProperties": {"^k": STRING}}, {f"k{n}": n for n in range(MANY)}),
        ({"propertyNames": {"maxLength": 1}}, {f"k{n}": n for n in range(MANY)}),
    ],
)
def test_a_hundred_thousand_mistakes_are_found_in_no_time(schema: JsonSchema, value: JsonValue):
    found = Validator(schema)
    with at_most(0.5):  # some 20 ms where nothing else runs
        issues = found.issues(value, "whole")
    assert len(issues) == MOST + 1
    assert issues[-1].message == "$input: expected fewer mistakes: only the first 1,000 are listed."


def test_many_missing_properties_of_a_large_value_cost_no_copies():
    schema: JsonSchema = {"required": [f"r{n}" for n in range(500)]}
    with at_most(0.5):
        assert len(issues_of(schema, {"rows": ["x" * 10] * MANY})) == 500


EXPRESSION: JsonSchema = {
    "$defs": {
        "E": {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in ("Num", "Add", "Neg", "Mul")]},
        "Num": thing("kind value", kind={"const": "num"}, value={"type": "number"}),
        **{
            name: thing(
                "kind left right",
                kind={"const": name.lower()},
                left={"$ref": "#/$defs/E"},
                right={"$ref": "#/$defs/E"},
            )
            for name in ("Add", "Neg", "Mul")
        },
    },
    "$ref": "#/$defs/E",
}


@pytest.mark.parametrize("stack", [512 << 10, 8 << 20])
def test_the_issue_in_a_deep_recursive_union_is_found_at_once(stack: int):
    value: JsonValue = {"kind": "num", "value": "x"}
    for n in range(62):
        number: JsonValue = {"kind": "num", "value": n}
        value = {"kind": "add", "left": number, "right": value}
    found: list[Issue] = []

    def judge() -> None:
        with at_most(1):
            found.extend(issues_of(EXPRESSION, value))

    on_stack(judge, stack)
    (issue,) = found
    assert issue.path == "$input" + ".right" * 62 + ".value"


def test_several_threads_may_share_a_validator():
    found = Validator(EXPRESSION)
    value: JsonValue = {"kind": "add", "left": {"kind": "nmu"}, "right": {"kind": "num"}}
    expected = Validator(EXPRESSION).issues(value, "whole")
    told: list[tuple[Issue, ...]] = []
    threads = [
        threading.Thread(
            target=lambda: told.extend(found.issues(value, "whole") for _ in range(20))
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [expected] * 160
    assert [str(issue.path) for issue in expected] == ["$input.left.kind", "$input.right.value"]


def messages(schema: JsonSchema | bool, value: JsonValue) -> list[str]:
    issues = Validator(schema).issues(value)
    assert all(issue.message.startswith(issue.path[:499]) for issue in issues)
    return [f"{issue.message} <{issue.expected}>" for issue in issues]


def test_a_pattern_that_takes_too_long_is_an_issue():
    (line,) = messages({"pattern": "(?<=a+)b"}, "a" * 5000)
    assert line == (
        f'$input is "{"a" * 61}…": expected a shorter text, since it takes too many steps to match '
        "it: string (pattern: (?<=a+)b). <string (pattern: (?<=a+)b)>"
    )


def test_content_encoding_is_checked_up_to_draft_7():
    schema: JsonSchema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "contentEncoding": "base64",
    }
    (line,) = messages(schema, "%")
    assert line == '$input is "%": expected "base64" text. <any value>'


def test_invisible_characters_are_escaped_and_long_values_are_cut():
    hidden = "a\u202e\u200b\x1b</tool>" + "x" * 1000
    schema: JsonSchema = {
        "properties": {"a": {"enum": [hidden]}, "b": {"pattern": hidden}, hidden: False},
        "required": [hidden + "!"],
        "additionalProperties": False,
    }
    for line in messages(schema, {"a": "\u200b" * 1000, "b": hidden, hidden: 1, "\u200b": hidden}):
        assert visible(line) == line
        assert "\n" not in line


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_sample_of_a_format_is_valid_and_in_the_message(name: str):
    formatted = Compiled({"format": name}, True, None).validator
    assert formatted.is_valid(EXAMPLES[name])
    wrong = next(text for text in ("", " ", "\\x(", "~2") if not formatted.is_valid(text))
    (line,) = messages({"format": name}, wrong)
    assert EXAMPLES[name] in line


def test_allowed_properties_include_those_of_all_of_and_references():
    root: JsonSchema = {
        "$defs": {
            "A": {"properties": {"a": STRING, "c": STRING}, "allOf": [{"$ref": "#/$defs/A"}]}
        },
        "properties": {"c": INTEGER},
        "allOf": [{"properties": {"b": INTEGER}}, {"$ref": "#/$defs/A"}, True],
        "additionalProperties": False,
    }
    (line,) = messages(root, {"x": 1})
    assert 'the properties are "c", "b", "a".' in line


def test_a_property_that_a_branch_requires_is_described_as_declared_around_it():
    schema: JsonSchema = {
        "properties": {"how": {"type": "string"}, "where": {"type": "string", "minLength": 2}},
        "if": {"properties": {"how": {"const": "post"}}},
        "then": {"allOf": [{"required": ["where", "when"]}]},
    }
    where = "$input.where is missing: expected string, at least 2 characters."
    assert messages(schema, {"how": "post"}) == [
        f"{where} <string, at least 2 characters>",
        "$input.when is missing: expected a value. <any value>",
    ]
