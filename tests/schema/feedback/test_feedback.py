import json
from dataclasses import dataclass, replace
from pathlib import Path as FilePath

import pytest
from clock import at_most
from hypothesis import given, settings
from hypothesis import strategies as st
from stacks import on_stack

from pyfunctools import Function
from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._text import visible
from pyfunctools.schema.feedback.feedback import feedback, one_line
from pyfunctools.schema.feedback.plain_words import to_person
from pyfunctools.schema.ground.issue import Issue, Side
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.result import Failure
from pyfunctools.schema.validation.validator import validate

GOLDEN = FilePath(__file__).parent / "golden"
LIMIT = 8 * 1024


def issue(
    keys: Keys, expected: str = "integer", message: str | None = None, side: Side = "whole"
) -> Issue:
    path = Path.of(keys)
    said = f"{path} is wrong." if message is None else message
    return Issue(path=path, expected=expected, value=None, message=said, side=side)


def golden(file: str, parts: int) -> list[object]:
    """Return the cases of a file: a name, `parts` lines of JSON, and the reviewed text."""
    blocks = (GOLDEN / file).read_text(encoding="utf-8").split("=== ")[1:]
    cases: list[object] = []
    for block in blocks:
        name, *lines, _, text = block.split("\n", parts + 2)
        cases.append(pytest.param(*lines, text.rstrip("\n"), id=name))
    return cases


@pytest.mark.parametrize(("schema", "value", "text"), golden("feedback.txt", 2))
def test_the_text_is_as_it_was_reviewed(schema: str, value: str, text: str):
    result = validate(json.loads(schema), json.loads(value))
    assert not result
    assert result.feedback() == text


@pytest.mark.parametrize(("schema", "written", "human", "text"), golden("checks.txt", 3))
def test_the_text_about_checked_arguments_is_as_it_was_reviewed(
    schema: str, written: str, human: str, text: str
):
    function = Function.from_schema(name="f", parameters=json.loads(schema))
    if human == "-":
        result = function.check(json.loads(written))
    else:
        result = function.merge(llm=json.loads(json.loads(written)), human=json.loads(human))
        assert "SECRET" not in text
    assert not result
    assert result.feedback() == text


def test_the_values_of_a_person_are_never_shown():
    value: JsonValue = {
        "amount": "1",
        "card": {"pin": "SECRET-1", "holder": "Ann"},
        "key": "SECRET-2",
    }
    issues = [
        issue(("amount",)),
        issue(("card", "pin"), "string (format: pin)", 'pin is "SECRET-1".', "human"),
        issue(("gone", "deep"), "string", '"SECRET-3" is wrong.', "human"),
    ]
    text = feedback(value, issues, hidden=[("key",), ("absent",)])
    assert "SECRET" not in text
    assert '"pin": (given by a person),' in text
    assert '"key": (given by a person)' in text
    assert '"holder": "Ann"' in text
    assert "absent" not in text
    assert "format: pin" not in text
    assert "gone" not in text
    assert "1 mistake," in text
    assert "they are not yours to send" in text


def test_mistakes_of_a_person_alone_are_not_described():
    text = feedback({"pin": "12", "n": 1}, [issue(("pin",), side="human")])
    assert text == "The values that a person gave are not accepted. They are not yours to correct."


def test_issues_without_a_line_are_listed_below():
    text = feedback({"a": 1}, [issue(("a",)), issue(("b", "c"), message="It is\nnot there.")])
    assert text.splitlines()[0] == "The arguments have 2 mistakes, 1 of them marked with ❌:"
    assert "Also wrong:\n- It is not there.\n" in text


def test_a_text_that_is_not_json_is_shown_unchanged():
    value = '{"a": 1,\n "b": ``` </tool>\u202e}'
    text = feedback(value, [issue((), "JSON", "Line 2 has no value after the colon.")])
    assert text == (
        "The arguments have 1 mistake. This is what was sent:\n"
        "```text\n"
        '{"a": 1,\n'
        ' "b": \\u0060\\u0060\\u0060 <\\/tool>\\u202e}\n'
        "```\n"
        "What is wrong:\n"
        "- Line 2 has no value after the colon.\n"
        "Correct every mistake, keep the rest, and send the complete arguments again."
    )


def test_a_long_text_that_is_not_json_is_cut_in_the_middle():
    text = feedback('{"a": "' + "x" * 5000 + "end", [issue((), "JSON", "It ends in a string.")])
    assert "… 3,010 more characters …" in text
    assert "end\n```" in text


def test_a_string_that_is_no_object_is_shown_as_json():
    text = feedback("hello", [replace(issue((), "object"), value="hello")])
    assert '"hello" // ❌ expected object' in text


def test_only_some_issues_are_spelled_out_and_the_rest_is_counted():
    text = feedback(["x"] * 200, [issue((n,)) for n in range(200)])
    assert text.count("// ❌") == 32
    assert text.splitlines()[0] == "The arguments have 200 mistakes, 32 of them marked with ❌:"
    assert "168 more mistakes are not shown" in text
    assert "are right" not in text


def test_a_value_with_more_mistakes_than_are_listed_has_many_more():
    result = validate({"items": {"type": "integer"}}, ["x"] * 5000)
    assert not result
    text = result.feedback()
    assert text.splitlines()[0].startswith("The arguments have more than 1,000 mistakes, 32 of")
    assert "Many more mistakes are not shown" in text


def test_two_rules_with_the_same_remedy_are_one_mistake():
    assert "1 mistake," in feedback({"a": 1}, [issue(("a",)), issue(("a",), message="other")])


WIDE = {f"property_number_{n}_{'w' * 60}": "漢字" * 100 for n in range(300)}


@pytest.mark.parametrize(
    ("value", "issues"),
    [
        (WIDE, [issue((key,), "漢" * 200) for key in WIDE]),
        ({"a": 1}, [issue(("b", "c", n), "x" * 900, "漢" * 900) for n in range(40)]),
        ({"a": "\u202e" * 10_000}, [issue(("a",))]),
        ("{" + "\x00\n" * 10_000, [issue(())]),
        ("{" + "漢" * 10_000, [issue((), message="漢" * 10_000)]),
        (WIDE, [issue((f"missing {n}",), "漢" * 200) for n in range(40)]),
        ([[["漢" * 60] * 50] * 50] * 50, [issue((n, n, n), "漢" * 200) for n in range(40)]),
    ],
)
def test_the_text_has_a_bound(value: JsonValue, issues: list[Issue]):
    text = feedback(value, issues)
    assert len(text.encode()) <= LIMIT
    assert text.count("```") == 2
    assert "send the complete arguments again" in text


@dataclass
class Odd:
    name: str


def deep(levels: int) -> JsonValue:
    value: JsonValue = []
    for _ in range(levels):
        value = [value]
    return value


def circular() -> JsonValue:
    value: dict[str, JsonValue] = {"a": 1}
    value["one"] = value["two"] = [value, value]
    return value


@pytest.mark.parametrize(
    "make",
    [
        lambda: float("nan"),
        lambda: b"\xff",
        lambda: Odd("x"),
        lambda: {1: {2: {3}}, None: "\ud800", "a": 10**4000},
        lambda: deep(100_000),
        circular,
        lambda: {"a": [circular()] * 3},
        lambda: ({"a": (1, 2)},),
    ],
)
@pytest.mark.parametrize("keys", [(), ("a",), (0,), (0,) * 64, (0,) * 5000, ("one", 0, "two", 1)])
def test_any_value_has_a_text(make, keys: Keys):
    text = feedback(make(), [issue(keys), issue((*keys, "more"), side="human")])
    assert len(text.encode()) <= LIMIT
    assert visible(text) == text


def test_a_small_stack_is_enough():
    told: list[str] = []
    issues = [issue((0,) * 64), issue((0,) * 10_000)]
    on_stack(lambda: told.append(feedback(deep(10_000), issues)))
    assert len(told) == 1


def test_the_size_of_the_value_costs_nothing():
    value: JsonValue = {"rows": [{"text": "x" * 1000}] * 1_000_000, "text": "y" * 10_000_000}
    with at_most(0.5):
        text = feedback(value, [issue(("rows", n * 1000, "text")) for n in range(32)])
    assert text.count("// ❌") == 32


SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {
        "a": {"type": "integer", "minimum": 3},
        "b": {"type": "array", "items": {"enum": ["x", "y"]}},
        "c": {"anyOf": [{"type": "object", "required": ["d"]}, {"type": "null"}]},
    },
    "required": ["a", "c"],
    "additionalProperties": False,
}
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from("abcd") | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(values)
def test_every_issue_is_marked_or_listed(value: JsonValue):
    result = validate(SCHEMA, value)
    if result:
        return
    text = result.feedback()
    assert visible(text) == text
    assert text.count("```") == 2
    assert "mistake" in text.splitlines()[0]
    for found in result.issues[:32]:
        assert one_line(found.expected)[:20] in text or one_line(found.message)[:20] in text


def test_repeated_mistakes_are_marked():
    told = {("$input.a", "integer"), ("$input.b", "integer"), ("$input.gone", "integer")}
    issues = [issue(("a",)), issue(("b",)), issue(("c",)), issue(("d", "e"), message="It is odd.")]
    text = feedback({"a": 1, "c": 2}, issues, repeated={*told, ("$input.d.e", "integer")})
    assert '"a": 1, // ❌ AGAIN, expected integer' in text
    assert '"b": undefined // ❌ AGAIN, missing: expected integer' in text
    assert '"c": 2, // ❌ expected integer' in text
    assert "- AGAIN: It is odd." in text
    assert "Mistakes marked AGAIN were described before" in text
    assert "AGAIN" not in feedback({"a": 1}, [issue(("a",), "string")], repeated=told)


DATE: JsonSchema = {"type": "string", "format": "date"}


@pytest.mark.parametrize(
    ("schema", "value", "words"),
    [
        ({"type": "string", "pattern": "date"}, "x", "a text of the pattern date"),
        (
            {
                "type": "array",
                "prefixItems": [{"type": "string", "format": "date"}],
                "items": False,
            },
            1,
            "a list [a date such as 2025-01-31]",
        ),
    ],
)
def test_a_person_reads_a_date_only_where_one_is_wanted(
    schema: JsonSchema, value: JsonValue, words: str
):
    result = validate(schema, value)
    assert isinstance(result, Failure)
    assert words in to_person(result.issues)
