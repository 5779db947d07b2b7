import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.parsing.recovery import MAX_WRONG, Recovery


def recovered(text: str) -> Recovery:
    recovery = Recovery(text, 0, len(text), limits=DEFAULT_LIMITS)
    recovery.read()
    return recovery


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.sampled_from(["{", "[", '["x"]', '{"a": 1}', ": ", ",", "'", "`", "//", "/*", "#", "\\"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5) | st.just("it's"), inner),
    max_leaves=15,
)  # fmt: skip


@given(JSON)
@settings(max_examples=300, deadline=None)
def test_what_is_right_is_read_as_it_is(value: JsonValue):
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        recovery = recovered(text)
        assert recovery.issues == []
        assert recovery.repairs == []
        assert recovery.at == len(text)
        assert repr(recovery.value) == repr(json.loads(text))


@given(JSON)
@settings(max_examples=200, deadline=None)
def test_what_python_writes_is_read_as_python_does(value: JsonValue):
    recovery = recovered(repr(value))
    if not recovery.issues:
        assert repr(recovery.value) == repr(value) or "\\x" in repr(value) or "\\U" in repr(value)


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
    recovery = recovered(text)
    assert recovery.issues == []
    assert recovery.value == value
    assert [repair.kind for repair in recovery.repairs] == kinds


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
def test_wrong_brackets_lose_nothing(text: str, value: JsonValue):
    recovery = recovered(text)
    assert recovery.issues == []
    assert recovery.value == value
    assert recovery.at == len(text)
    assert "closer" in {repair.kind for repair in recovery.repairs}


def test_brackets_without_any_order_are_an_issue():
    recovery = recovered("[" * (MAX_WRONG + 1) + "}" * (MAX_WRONG + 1))
    assert "one wrong bracket too many" in recovery.issues[0].message


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('{"a": }', ["$input.a"]),
        ('{"a": , "b": }', ["$input.a", "$input.b"]),
        ('{"a"}', ["$input.a"]),
        ('{"a" 1}', ["$input.a"]),
        ('{"a": 1, "b', ["$input.b"]),
        ('{"a": 1, "b":', ["$input.b"]),
        ("{curly}", ["$input"]),
        ('{"a": 1, ...}', ["$input"]),
        ('{"a": {[1]}}', ["$input.a"]),
        ("[1, ...]", ["$input[1]"]),
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
def test_what_was_not_written_is_an_issue_at_its_place(text: str, paths: list[str]):
    recovery = recovered(text)
    assert [issue.path for issue in recovery.issues] == paths


def test_a_repair_says_where_and_from_what_to_what():
    recovery = recovered("{'a': [+1, 2}")
    assert [(r.path, r.kind, r.before, r.after) for r in recovery.repairs] == [
        ("$input.a", "quote", "'a'", '"a"'),
        ("$input.a[0]", "number", "+1", "1"),
        ("$input.a", "closer", "", "]"),
    ]
