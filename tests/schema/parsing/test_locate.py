"""The one value in a text: what stands around it is removed, and parts of prose are not values."""

import pytest

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema import parse

OBJECT: JsonSchema = {"type": "object", "properties": {"a": {"type": "integer"}}}
ARRAY: JsonSchema = {"type": "array"}
TEXT: JsonSchema = {"type": "string"}


def found(text: str, schema: JsonSchema | None = None) -> tuple[JsonValue, list[str]]:
    result = parse(text, schema)
    assert result, result
    return result.value, [repair.kind for repair in result.repairs]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ('```json\n{"a": 1}\n```', ["frame", "frame"]),
        ('~~~\n{"a": 1}\n~~~', ["frame", "frame"]),
        ('Sure!\n```JSON\n{"a": 1}\n```\nMore?', ["prose", "frame", "prose"]),
        ('`{"a": 1}`', ["frame", "frame"]),
        ('The call is {"a": 1}. Hope this helps!', ["prose", "prose"]),
        ('~~~ python \n{"a": 1}', ["frame"]),
        ('`{"a": 1}', ["frame"]),
        ('<tool_call>\n{"a": 1}\n</tool_call>', ["frame", "frame"]),
        ("<tool_call>\n<arguments type='x'>\n" + '{"a": 1}', ["frame"]),
        ('<tool_call>\n```json\n{"a": 1}\n```', ["frame", "frame"]),
        ('<|python_tag|>{"a": 1}', ["frame"]),
        ('<\uff5ctool\uff5c>{"a": 1}', ["frame"]),
        ('[TOOL_CALLS] {"a": 1}', ["frame"]),
        ('Ok. <a> {"a": 1}', ["prose"]),
        ('if a > {"a": 1}', ["prose"]),
        ('Use `{"a": 1}', ["prose"]),
        ('{"a": 1} } ]', ["closer"]),
        ('{"a": 1}\n```\nDone.', ["frame", "prose"]),
        ('{"a": 1}. Hope this helps! {}', ["prose"]),
        ('\ufeff{"a": 1}', ["bom"]),
        ('\u2028{"a": 1}\u00a0', ["space", "space"]),
        ('{"a": 1}{"a": 2}', ["rest"]),
        ('{"a": 1}\n{"a": 2}\n', ["rest"]),
        ('{"a": 1}, {"a": 2}', ["comma", "rest"]),
        ('{"a": 1};', ["comma"]),
        ('{"a": 1}}', ["closer"]),
        ('// the call\n{"a": 1} // done', ["frame", "frame"]),
        ('# 1: {"a": 1}', ["frame"]),
        ('Use {name} and [see below]: {"a": 1}', ["prose"]),
        ('[docs](https://x.y) {"a": 1}', ["prose"]),
        ('functions.f({"a": 1})', ["prose", "closer"]),
        ('arguments = {"a": 1}', ["prose"]),
        ('"a": 1', ["closer", "truncated", "closer"]),
        ('{\\"a\\": 1}', ["escape"]),
        ('{\\\\\\"a\\\\\\": 1}', ["escape", "escape"]),
    ],
)
def test_the_text_around_a_value_is_removed(text: str, kinds: list[str]):
    assert found(text) == ({"a": 1}, kinds)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("+42", 42),
        ("'abc'", "abc"),
        ("True", True),
        ("```\nNone\n```", None),
        ('"she said "hi" to me"', 'she said "hi" to me'),
        ('"{"a": 1}"', '{"a": 1}'),
        ("'abc';", "abc"),
        ('"hel', "hel"),
        ("I mean [1, 2,]", [1, 2]),
    ],
)
def test_a_scalar_is_a_value_if_it_is_the_whole_text(text: str, value: JsonValue):
    assert found(text)[0] == value


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "\ufeff", "```json\n```", "I cannot do that.", "42 is the answer", "1, 2"),
        *('"x" "y"', "yes", "Oslo", "[see below]", "f(a=[1, 2], b=3)", "f(a, {'x': 1})"),
        *("f(x=1, y={'a': 1})", "{'a': 1e} or {'a': 2}", '{"location"}: "x", "tags": []}'),
        "[a, b]",
    ],
)
def test_a_part_of_prose_or_of_a_call_is_not_the_value(text: str):
    result = parse(text)
    assert not result
    assert result.value == text
    assert result.issues


@pytest.mark.parametrize(
    "answer", ['{"a": 1}', '```json\n{"a": 1}\n```', "{a: 1,}", 'So: {"a": 1}']
)
@pytest.mark.parametrize(
    "thoughts",
    [
        '<think>\n{"a": 2}\n</think>\n',
        '<thinking>{"a": 2}?</thinking>',
        'Maybe {"a": 2}?\n</think>\n\n',
        'So\n```json\n{"a": 2}\n```\nNo.</think>',
    ],
)
def test_thoughts_before_an_answer_have_no_value(thoughts: str, answer: str):
    assert parse(thoughts + answer).value == {"a": 1}
    assert parse("\ufeff" + thoughts + answer).value == {"a": 1}


def test_thoughts_without_an_answer_have_no_value():
    assert not parse('<think>{"a": 2} or so')
    assert not parse('{"a": 2} or so'.join(("<think>", "</think>")))
    assert parse('It is: {"a": "</think>"}').value == {"a": "</think>"}


def test_the_schema_decides_which_brackets_in_prose_begin_a_value():
    text = 'As in [1], {"a": 1} is the call.'
    assert found(text)[0] == [1]
    assert found(text, ARRAY)[0] == [1]
    assert found(text, OBJECT)[0] == {"a": 1}
    assert not parse("I cannot, see [1].", OBJECT)
    assert found("[1,]", OBJECT)[0] == [1]


def test_a_single_word_is_a_string_if_the_schema_wants_one():
    assert found("Oslo", TEXT) == ("Oslo", ["word"])
    assert found("1.10", TEXT) == ("1.10", ["word"])
    assert not parse("Oslo", OBJECT)


def test_a_repair_around_the_value_has_the_removed_text():
    result = parse('Sure: {"a": 1} ok')
    assert result
    assert [(r.path, r.before, r.after) for r in result.repairs] == [
        ("$input", "Sure:", ""),
        ("$input", "ok", ""),
    ]


def test_the_issues_are_those_of_the_value_at_the_beginning():
    result = parse('```json\n{"a": 1e}\n```')
    assert not result
    assert [issue.message for issue in result.issues] == [
        "`1e` at line 2 column 7 is not a number."
    ]
