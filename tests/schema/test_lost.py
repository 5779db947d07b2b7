import json
import os
import re
from collections.abc import Iterator
from time import thread_time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pyfunctools._json import JsonValue
from pyfunctools.schema.lost import MOST, Lost, lost
from pyfunctools.schema.parse import parse

EXAMPLES = int(os.environ.get("PYFUNCTOOLS_EXAMPLES", "0"))


def found(text: str, depth: int = 64) -> Lost | None:
    return lost(text, 0, len(text), depth)


def completed(text: str) -> str | None:
    put = found(text)
    return text[: put.at] + put.char + text[put.at :] if put and put.sure else None


@pytest.mark.parametrize(
    "whole",
    [
        '{~id": 7}',
        '{"id~: 7, "name": "Ada"}',
        '{"id": 7, ~name": "Ada", "n": 1}',
        '{"name": "Ada~, "tags": ["x"]}',
        '{"name": "Lovelace, Ada~, "tags": []}',
        '{"id": 7, "name": ~Ada", "tags": ["x"]}',
        '{"id": 7, "name":~Ada", "tags":["x"]}',
        '{"say": "\\"hi\\" he said~, "n": 1}',
        '{"say": "he said \\"hi\\"~, "n": 1}',
        '{\n "a": {\n  ~b": 1,\n  "c": 2\n },\n "d": 3\n}',
        '{"tags": ["x", "y~], "n": 1}',
        '[\n  "a",\n  ~b",\n  "c"\n]',
        '[\n  "a~,\n  "b"\n]',
        '{\n "a": "x~\n}',
    ],
)
def test_a_lost_quote_is_found_where_it_can_only_have_been(whole: str):
    assert completed(whole.replace("~", "")) == whole.replace("~", '"')


@pytest.mark.parametrize(
    "whole",
    [
        '{"name"~:~ "Ada"}',
        '{"a"~:~ [1], "b": {}}',
        '{"a": 1~,~ "b": 2}',
        "[1~,~ 2]",
        '{"tags": ["a", "b"~]~, "n": 1}',
        '[{"a": 1~}~, {"a": 2}]',
        '{"tags": ~[~"x", "y"], "n": 1}',
        '{"at": ~{~"x": 1.5, "y": true}}',
        '[~{~"a": 1}, {"a": 2}]',
        '{"a": [[1~]~]}',
    ],
)
def test_a_lost_sign_is_found_where_it_can_only_have_been(whole: str):
    before, sign, behind = whole.split("~")
    assert completed(before + behind) == before + sign + behind


@pytest.mark.parametrize(
    "text",
    [
        '["x, "y"]',
        '["x", y"]',
        '[1, 2, x", "y"]',
        '{"name": Ada"}',
        '{"a":1, "b": x"}',
        '{"name": "Ada , "n": 1}',
        '{"a": ", "b": 1}',
        '{"a": 7", "b": 1}',
        '{"a": "true, "b": 1}',
        '{"a: 1, b: 2, "c": 3}',
        '{"a": "x], "b": 1}',
        '{"a": {"b": 1, "c": 2}',
        "[[1, 2], 3]]",
    ],
)
def test_what_can_be_read_in_two_ways_is_not_sure(text: str):
    put = found(text)
    assert put is not None
    assert not put.sure


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        "{}",
        "{'a': 1",
        '{"a": [1, {"b": 2',
        '{"a": 1e, "b" 2}',
        "[1-2]",
        '{"a" "b": 1}',
        '{name: Ada"}',
        '{"a": "forest"", "b": 1}',
        '"a", "b"]',
        "[[1], [2], true, ",
        "[[1], [2] and so on",
        "[}",
        "",
    ],
)
def test_what_one_character_does_not_explain_is_not_explained(text: str):
    assert found(text) is None


def test_what_is_around_the_value_is_left_alone():
    text = 'x {"a" 1}\n</call> ]'
    assert lost(text, 2, 9, 64) == Lost(6, ":", "", ":")
    assert lost('{"a" 1}\n</call>', 0, 15, 64) == Lost(4, ":", "", ":")


def test_it_is_read_no_deeper_and_no_further_than_it_may():
    text = '{"a": [[1 2]]}'
    assert found(text, 3) is not None
    assert found(text, 2) is None
    for length in (MOST, MOST + 1):
        long = "[" + " " * (length - 5) + "1 2]"
        assert (found(long) is not None) == (length == MOST)


@pytest.mark.parametrize(
    ("text", "repair"),
    [
        ('{"a": {id": 7}}', ("$input.a.id", "quote", 'id"', '"id"')),
        ('{"n": 1, "a": [{"b": x"}]}', ("$input.a[0].b", "quote", 'x"', '"x"')),
        ('{"a": {"b" [1]}}', ("$input.a.b", "colon", "", ":")),
        ('{"a": "b": 1}}', ("$input.a", "closer", "", "{")),
        ('{"a": ["b", "c", "d": 1}', ("$input.a", "closer", "", "]")),
    ],
)
def test_what_is_put_back_is_a_repair_at_its_place(text: str, repair: tuple[str, str, str, str]):
    result = parse(text)
    assert result
    assert [(r.path, r.kind, r.before, r.after) for r in result.repairs] == [repair]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"vector1" [1, 2], "a": 3}', {"vector1": [1, 2], "a": 3}),
        ('{location": "x", "tags": ["y"]}', {"location": "x", "tags": ["y"]}),
        ('{"gradeDict: "{\'a\': 1}"}', {"gradeDict": "{'a': 1}"}),
        ('Sure:\n```json\n{"a" [1]}\n```\nDone.', {"a": [1]}),
        ('[\n  "a b,\n  "c"\n]', ["a b", "c"]),
        ('[{"a": 1}, {"b": 2}, "c": 3}]', [{"a": 1}, {"b": 2}, {"c": 3}]),
        ('[\n  "a",\n  #"\n]', ["a", "#"]),
        ('[\n  "a", # "b"\n]', ["a"]),
        ('```\n{"a": {"b": 1, "c": 2}\n```', {"a": {"b": 1, "c": 2}}),
        ('{"a": [1]]}', {"a": [1]}),
        ('{"a": "hel}', {"a": "hel}"}),
    ],
)
def test_one_lost_character_counts_for_less_than_two_other_changes(text: str, value: JsonValue):
    result = parse(text)
    assert result
    assert result.value == value


def test_a_text_that_a_lost_character_explains_in_two_ways_is_an_issue():
    result = parse('["1", -2], false]')
    assert not result
    assert result.issues[0].message == "The text at line 1 column 2 lacks a `[`, here or elsewhere."
    assert not parse('{"a": "x", "a" 1}')


@pytest.mark.parametrize(
    ("begin", "more", "end"),
    [
        ("[", "1,", "1]]}"),
        ("[", '"a",', '"b, "c"]}'),
        ("[", '"a",', '"b" "c"]'),
        ('{"a":"', "b, ", 'c, "d": 1}'),
        ("[", '{"a": x", ', "1]"),
        ("", "[", "]}"),
        ("[", '" ', "]"),
    ],
)
def test_a_long_text_is_answered_in_time(begin: str, more: str, end: str):
    text = begin + more * ((MOST - 20) // len(more)) + end
    began = thread_time()
    found(text)
    assert thread_time() - began < 5


NAMES = st.sampled_from(["id", "name", "a b", "", " x", "x ", "a, b", 'say "hi"', "true", "a\nb"])
SIGNS = st.sampled_from([*"{}[]:,#'`-\\\u201c", "// x", "/*", "it's", "```"])
STRINGS = NAMES | SIGNS | st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | STRINGS,
    lambda inner: st.lists(inner) | st.dictionaries(STRINGS, inner, max_size=6),
    max_leaves=15,
)  # fmt: skip
LAYOUTS = st.sampled_from(
    [
        (None, None),
        (None, (",", ":")),
        (2, None),
        (1, None),
        (None, (",", ": ")),
        (None, (", ", ":")),
    ]
)
STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]')


def structure(text: str) -> Iterator[int]:
    """Give the places of the characters that are not in strings, and of their quotes."""
    for piece in STRUCTURE.finditer(text):
        yield from {piece.start(), piece.end() - 1}


def exactly(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


@given(JSON.filter(lambda value: isinstance(value, dict | list)), LAYOUTS, st.data())
@settings(max_examples=max(500, EXAMPLES), deadline=None)
def test_no_other_value_is_read_where_one_character_was_lost(
    value: JsonValue, layout: tuple[int | None, tuple[str, str] | None], data: st.DataObject
):
    indent, separators = layout
    ascii_only = data.draw(st.booleans())
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators)
    at = data.draw(st.sampled_from(sorted(structure(text))))
    broken = text[:at] + text[at + 1 :]
    try:
        json.loads(broken)
    except ValueError:
        whole = completed(broken)
        assert whole is None or exactly(json.loads(whole)) == exactly(value)
        result = parse(broken)
        if result and exactly(result.value) != exactly(value):
            # What was cut off or left out is marked, and so is a bracket that was moved.
            kinds = {repair.kind for repair in result.repairs}
            brackets = text[at] in "{}[]"
            assert "truncated" in kinds or "prose" in kinds or (brackets and kinds == {"closer"})
    else:
        assume(False)
