import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools.schema.parsing.strings import Where, read_quoted


def read(text: str, where: Where = "member", start: int = 0) -> tuple[str, int]:
    quoted = read_quoted(text, start, len(text), where)
    assert quoted.fault is None, quoted
    return quoted.value, quoted.end


def kinds(text: str, where: Where = "member") -> tuple[str, ...]:
    return read_quoted(text, 0, len(text), where).kinds


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS, st.sampled_from([', "b": 1}', "}", "]}", ", 'b': 2", '\n "b": 1}', "", ",}", "// x"]))
def test_a_json_string_ends_where_it_ends(value: str, rest: str):
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        quoted = read_quoted(text + rest, 0, len(text + rest), "member")
        assert (quoted.value, quoted.end, quoted.fault) == (value, len(text), None)
        assert not {"quote", "escape", "control", "truncated"} & set(quoted.kinds)


@given(TEXTS, st.sampled_from([', "b"]', "]", ", 1]", ", [", ", null]", ' "b"]', "", ",]", "]}"]))
def test_a_json_string_in_an_array_ends_where_it_ends(value: str, rest: str):
    text = json.dumps(value)
    quoted = read_quoted(text + rest, 0, len(text + rest), "item")
    assert (quoted.value, quoted.end, quoted.kinds) == (value, len(text), ())


@given(TEXTS, st.sampled_from([": 1}", " : [", "=1", "", ", 2", "}"]))
def test_the_first_quote_ends_a_key(value: str, rest: str):
    text = json.dumps(value)
    assert read(text + rest, "key") == (value, len(text))


@pytest.mark.parametrize(
    "text",
    [
        *("'x'", "`x`", "\u201cx\u201d", "\u201ex\u201c", "\u2018x\u2019", "\u00abx\u00bb"),
        *("'''x'''", '"""x"""', '\u201cx"'),
    ],
)
def test_other_quotes_are_quotes_too(text: str):
    assert read(text + "}") == ("x", len(text))
    assert kinds(text + "}") == ("quote",)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"she said "hi" to me", "b": 1}', 'she said "hi" to me'),
        ('"she said "hi", then left", "b": 1}', 'she said "hi", then left'),
        ('"she said "hi""}', 'she said "hi"'),
        ('""hi" she said"}', '"hi" she said'),
        ('"a 5" pipe", "b": 1}', 'a 5" pipe'),
        ('"use {"b"} here", "c": 1}', 'use {"b"} here'),
        ('"tag "x" # 5"}', 'tag "x" # 5'),
        ("'it's', 'b': 1}", "it's"),
        ("'the dogs' bowl'}", "the dogs' bowl"),
        ("'rock 'n' roll'}", "rock 'n' roll"),
        ("'he said \"hi\"'}", 'he said "hi"'),
        ('"""a "b" c"""}', 'a "b" c'),
        ('"{"x": "1", "y": ["2"]}", "z": 3}', '{"x": "1", "y": ["2"]}'),
        ('"["x"]"}', '["x"]'),
        ('"say "hi", "b": 1}', 'say "hi'),
        ('"she said "hi", then left", 2]', 'she said "hi", then left'),
        ('"5" pipe", "b"]', '5" pipe'),
        ('"a "b" c", "d"]', 'a "b" c'),
    ],
)
def test_a_quote_inside_is_distinguished_from_the_end(text: str, value: str):
    where: Where = "item" if text.endswith("]") else "member"
    quoted = read_quoted(text, 0, len(text), where)
    assert (quoted.value, quoted.kinds, quoted.fault) == (value, ("quote",), None)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('"hello, "b": 2}', "member"),
        ('"x" oops, "b": "y"}', "member"),
        ('"x" "y"}', "member"),
        ('"forest"", "b": 1}', "member"),
        ('""forest", "b": 1}', "member"),
        ('"{"x": "1", "z": 3}', "member"),
        ('"it"s', "member"),
        ('"milk", bread", "eggs"]', "item"),
        ('"milk, "eggs"]', "item"),
        ('"say "hi", "ok"]', "item"),
        ('"x" "y"', "root"),
        ('"a": {"b": 1}', "root"),
        ('"a\nb": 1', "key"),
    ],
)
def test_an_ambiguous_quote_is_a_fault(text: str, where: Where):
    quoted = read_quoted(text, 0, len(text), where)
    assert quoted.fault is not None
    assert quoted.value == ""


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ('"C:\\q"', "C:\\q", "escape"),
        ('"C:\\users"', "C:\\users", "escape"),
        ('"it\\\'s"', "it's", "escape"),
        ('"a\nb"', "a\nb", "control"),
        ('"a\tb\x01"', "a\tb\x01", "control"),
    ],
)
def test_escapes_that_json_lacks_and_raw_control_characters_are_kept(
    text: str, value: str, kind: str
):
    assert read(text + "}") == (value, len(text))
    assert kinds(text + "}") == (kind,)


def test_escapes_mean_what_they_mean_in_json():
    assert read('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"}')[0] == '"\\/\b\f\n\r\té😀'
    for half in ("\\ud83d", "\\ude00", "\\ud83dx", "\\ude00\\ud83d", "\\u0041\\ude00"):
        assert read_quoted(f'"{half}"', 0, len(half) + 2, "root").fault is not None
