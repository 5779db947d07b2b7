"""Broken JSON: its spelling is repaired, and a value that was not written is an issue."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema import parse
from pyfunctools.schema.parsing.recovery import MAX_WRONG, Recovery

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.sampled_from(["{", "[", '["x"]', '{"a": 1}', ": ", ",", "'", "`", "//", "/*", "#", "\\"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5) | st.just("it's"), inner),
    max_leaves=15,
)  # fmt: skip


@given(JSON)
@settings(max_examples=300, deadline=None)
def test_the_reader_of_broken_json_reads_valid_json_without_repairs(value: JsonValue):
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        recovery = Recovery(text, 0, len(text), limits=DEFAULT_LIMITS)
        recovery.read()
        assert (recovery.issues, recovery.repairs, recovery.at) == ([], [], len(text))
        assert repr(recovery.value) == repr(json.loads(text))


@given(JSON)
@settings(max_examples=200, deadline=None)
def test_literals_of_python_are_read_as_python_reads_them(value: JsonValue):
    if result := parse(repr(value)):
        assert repr(result.value) == repr(value) or "\\x" in repr(value) or "\\U" in repr(value)


@pytest.mark.parametrize(
    ("text", "value", "kinds"),
    [
        ('{"a": 1,}', {"a": 1}, ["comma"]),
        ("[1, 2, 3,,]", [1, 2, 3], ["comma", "comma"]),
        ("[1,", [1], ["closer", "comma"]),
        ('{"a": 1,, "b": 2}', {"a": 1, "b": 2}, ["comma"]),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, ["comma"]),
        ('{"a": "x" "b": 2}', {"a": "x", "b": 2}, ["comma"]),
        ('{"a": "x"\n b: 2}', {"a": "x", "b": 2}, ["comma", "key"]),
        ("[1 2]", [1, 2], ["comma"]),
        ('["a" "b"]', ["a", "b"], ["comma"]),
        ('[{"a": 1} {"b": 2}]', [{"a": 1}, {"b": 2}], ["comma"]),
        ('{"a": 1; "b": 2}', {"a": 1, "b": 2}, ["comma"]),
        ('{"a"\uff1a1\uff0c"b": 2}', {"a": 1, "b": 2}, ["colon", "comma"]),
        ('{"a" = 1, "b" => 2}', {"a": 1, "b": 2}, ["colon", "colon"]),
        ("{a: 1, $b_2: 2, c-d: 3, 4: 5}", {"a": 1, "$b_2": 2, "c-d": 3, "4": 5}, ["key"] * 4),
        ('{"a": 1, // one\n "b": 2 /* two */}', {"a": 1, "b": 2}, ["comment", "comment"]),
        ('{"a": 1 # one\n}', {"a": 1}, ["comment"]),
        ('{"a":\u00a01}', {"a": 1}, ["space"]),
        ('{{"a": {{"b": 1}}}}', {"a": {"b": 1}}, ["brace", "brace"]),
        ('{ {"a": 1} }', {"a": 1}, ["brace"]),
        ("{'a': 'b'}", {"a": "b"}, ["quote", "quote"]),
        ("{'a': True, 'b': None}", {"a": True, "b": None}, ["quote", "literal"] * 2),
        ("{", {}, ["closer"]),
    ],
)
def test_spelling_is_repaired(text: str, value: JsonValue, kinds: list[str]):
    result = parse(text)
    assert result.unwrap() == value
    assert [repair.kind for repair in result.repairs] == kinds


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, 2}", [1, 2]),
        ('{"a": 1]', {"a": 1}),
        ('{"a": [1, 2}', {"a": [1, 2]}),
        ('{"a": [1, 2}}', {"a": [1, 2]}),
        ('{"a": [1, 2}, "b": 3}', {"a": [1, 2], "b": 3}),
        ('[{"a": 1]', [{"a": 1}]),
        ('[{"a": 1], {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ("[[1, 2}, [3, 4]]", [[1, 2], [3, 4]]),
        ('{"a": [3, 2]], "b": [1]}', {"a": [3, 2], "b": [1]}),
        ('{"p": {"a": [3]], "b": [1]}}', {"p": {"a": [3], "b": [1]}}),
        ('{"a": {"x": 1], "b": 2}', {"a": {"x": 1}, "b": 2}),
        ('{"a": {"x": 1}}, "b": 2}', {"a": {"x": 1}, "b": 2}),
        ('{"a": 1} "b": 2}', {"a": 1, "b": 2}),
        ('{"a": {"b": [1, {"c": 2', {"a": {"b": [1, {"c": 2}]}}),
    ],
)
def test_wrong_brackets_lose_no_value(text: str, value: JsonValue):
    result = parse(text)
    assert result.unwrap() == value
    assert (
        {"closer"} <= {repair.kind for repair in result.repairs} <= {"closer", "comma", "truncated"}
    )


def test_brackets_without_any_order_are_an_issue():
    result = parse("[" * (MAX_WRONG + 1) + "}" * (MAX_WRONG + 1))
    assert not result
    assert "one wrong bracket too many" in result.issues[0].message


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('{"a": , "b": }', ["$input.a", "$input.b"]),
        ('{"a"}', ["$input.a"]),
        ('{"a" 1}', ["$input.a"]),
        ('{"a": 1, "b":', ["$input.b"]),
        ("{curly}", ["$input"]),
        ('{"a": 1, ...}', ["$input"]),
        ('{"a": {[1]}}', ["$input.a"]),
        ('["a", ...]', ["$input[1]"]),
        ("[1,,2]", ["$input[1]"]),
        ("[,1]", ["$input[0]"]),
        ('{"a": 2 * 3.14}', ["$input.a"]),
        ('{"a": 1 000}', ["$input.a"]),
        ('{"a": "x" oops, "b": 1}', ["$input.a"]),
        ('{"x": [{"a": 1, "a": 2}]}', ["$input.x[0].a"]),
        ('{"a": 1 // c }', ["$input.a"]),
        ('{"a": {"b": [1e, 2, tru]}}', ["$input.a.b[0]", "$input.a.b[2]"]),
    ],
)
def test_a_missing_or_invalid_value_is_an_issue_at_its_place(text: str, paths: list[str]):
    result = parse(text)
    assert not result
    assert [issue.path for issue in result.issues] == paths


def test_a_repair_has_its_path_and_the_text_before_and_after():
    result = parse("{'a': [+1, 2}")
    assert [(r.path, r.kind, r.before, r.after) for r in result.repairs] == [
        ("$input.a", "quote", "'a'", '"a"'),
        ("$input.a[0]", "number", "+1", "1"),
        ("$input.a", "closer", "", "]"),
    ]
