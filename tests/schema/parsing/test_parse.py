import json
from collections.abc import Callable
from pathlib import Path
from time import thread_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.limits import Limits
from pyfunctools.schema.parsing.parse import parse
from pyfunctools.schema.result import Failure, Success

CITY: JsonSchema = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "unit": {"enum": ["c", "f", "TRUE"]},
        "size": {"type": ["string", "number"]},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}},
    },
    "$defs": {"tag": {"type": "string"}},
}

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)


def kinds(result: Success[JsonValue] | Failure) -> list[str]:
    return [repair.kind for repair in result.repairs]


def exactly(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def test_the_vectors(vectors: Path):
    for vector in json.loads((vectors / "parse.json").read_text()):
        result = parse(vector["text"])
        if vector.get("issue"):
            assert not result, vector
            assert result.issues
        else:
            assert result, vector
            assert exactly(result.value) == exactly(vector["value"]), vector
            assert bool(result.repairs) == vector["repaired"], vector


@given(JSON)
@settings(max_examples=200, deadline=None)
def test_valid_json_is_read_without_repairs(value: JsonValue):
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        for written in (text, text.encode()):
            result = parse(written)
            assert result
            assert result.repairs == ()
            assert repr(result.value) == repr(json.loads(text))


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 2}', '{"x": [{"a": 1, "\\u0061": 2}]}', '{"a" :1,"a":2, "b": ":"}']
)
def test_a_duplicate_key_is_an_issue(text: str):
    result = parse(text)
    assert not result
    assert "duplicate key 'a'" in result.issues[0].message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1e}', "`1e` at line 1 column 7 is not a number."),
        ('{\n "a": [\n  007]}', "`007` at line 3 column 3 is not a number."),
        ('{"a": NaN}', "`NaN` at line 1 column 7 is not a JSON value."),
        ('{"a": -Infinity}', "`-Infinity` at line 1 column 7 is not a JSON value."),
        ('{"a": undefined}', "`undefined` at line 1 column 7 is not a JSON value."),
        ('{"a": 1e999}', "`1e999` at line 1 column 7 is out of range."),
        ('{"a": }', 'The key "a" at line 1 column 2 has no value.'),
        ('{"a": 1, "b', 'The key "b" at line 1 column 10 has no value.'),
        ("", "There is no JSON value in the text: expected a JSON value."),
        ("I cannot do that.", "There is no JSON value in the text: expected a JSON value."),
    ],
)
def test_the_message_of_an_issue_names_the_text_and_its_place(text: str, message: str):
    result = parse(text)
    assert not result
    assert [issue.message for issue in result.issues] == [message]
    assert result.value == text


def test_all_issues_of_a_text_are_returned_at_once_with_their_paths():
    result = parse('{"a": 1e, "b": [true, nope], "a": 2}')
    assert not result
    assert [issue.path for issue in result.issues] == ["$input.a", "$input.b[1]", "$input.a"]
    assert [issue.expected for issue in result.issues] == [
        "a number",
        "a string in double quotes",
        "each key once",
    ]
    few = parse('{"k": [' + "x, " * 99 + "1]}", limits=Limits(issues=5))
    assert not few
    assert len(few.issues) == 5


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"city": Oslo}', {"city": "Oslo"}),
        ('{"city": New York, "days": 2}', {"city": "New York", "days": 2}),
        ('{"city": 2024-01-05}', {"city": "2024-01-05"}),
        ('{"city": 12:30:00}', {"city": "12:30:00"}),
        ('{"city": https://a.b/c?d=e}', {"city": "https://a.b/c?d=e"}),
        ('{"city": 007}', {"city": "007"}),
        ('{"city": 1.10}', {"city": "1.10"}),
        ('{"city": 0x10}', {"city": "0x10"}),
        ('{"city": 1e999}', {"city": "1e999"}),
        ('{"note": Oslo}', {"note": "Oslo"}),
        ('{"note": None}', {"note": None}),
        ('{"unit": c}', {"unit": "c"}),
        ('{"unit": TRUE}', {"unit": "TRUE"}),
        ('{"size": 1.10}', {"size": 1.1}),
        ('{"size": big}', {"size": "big"}),
        ('{"tags": [a, b c, 1.50]}', {"tags": ["a", "b c", "1.50"]}),
        ('{"city": true}', {"city": True}),
        ('{"city": None}', {"city": None}),
    ],
)
def test_the_schema_decides_where_a_word_or_number_is_a_string(text: str, value: JsonValue):
    result = parse(text, CITY)
    assert result
    assert exactly(result.value) == exactly(value)


@pytest.mark.parametrize(
    "text",
    [
        '{"days": Oslo}',
        '{"other": Oslo}',
        '{"city": undefined}',
        '{"city": NaN}',
        '{"city": New York days: 2}',
        '{"city": Oslo, Norway}',
    ],
)
def test_elsewhere_a_word_is_an_issue(text: str):
    assert not parse(text, CITY)
    assert not parse(text)


def test_a_number_stays_a_number_without_a_schema_and_where_one_fits():
    assert parse('{"city": 1.10}') == Success(value={"city": 1.1})
    assert parse('{"days": 1.5, "other": 2.5}', CITY) == Success(value={"days": 1.5, "other": 2.5})
    anything: JsonSchema = {"anyOf": [CITY, {}]}
    assert parse('{"n": 1.10}', anything) == Success(value={"n": 1.1})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b": [1, 2', {"a": 1, "b": [1, 2]}),
        ('{"a": 1', {"a": 1}),
        ('{"a": 1\n', {"a": 1}),
        ('{"a": 1.', {"a": 1.0}),
        ('{"a": "hel', {"a": "hel"}),
        ('{"a": "x\\', {"a": "x"}),
        ('{"a": "x\\u00', {"a": "x"}),
        ('{"a": "\\ud83d', {"a": ""}),
        ('```json\n{"a": "hel\n```', {"a": "hel"}),
    ],
)
def test_a_string_or_number_at_the_end_of_the_text_may_be_cut_off(text: str, value: JsonValue):
    result = parse(text)
    assert result
    assert result.value == value
    assert "truncated" in kinds(result)


@pytest.mark.parametrize(
    "text", ['{"a": {"b": 1}', '{"a": "hel"', '{"a": true', '{"a": tru', "[1,", "```\n[1\n```"]
)
def test_a_missing_bracket_alone_cuts_nothing_off(text: str):
    result = parse(text)
    assert result
    assert "closer" in kinds(result)
    assert "truncated" not in kinds(result)


def test_bytes_are_utf_8():
    assert parse('{"ä": "€"}'.encode()) == Success(value={"ä": "€"})
    assert kinds(parse(b'\xef\xbb\xbf{"a": 1}')) == ["bom"]
    for data in (b"\xff\xfe", b'{"a": "\xff"}', '{"a": 1}'.encode("utf-16"), b'"\xed\xa0\x80"'):
        result = parse(data)
        assert not result
        assert "UTF-8" in result.issues[0].message
        assert isinstance(result.value, str)


def test_half_of_a_surrogate_pair_is_an_issue():
    for text in ('{"a": "\ud800"}', "\ud800", '{"a": "\\ud800"}', '{"a": "\\ude00\\ud83d"}'):
        result = parse(text)
        assert not result
        assert result.issues
    assert parse('"\\ud83d\\ude00"') == Success(value="😀")
    assert parse("{'a': '\\ud83d\\ude00\\u0000'}").unwrap() == {"a": "😀\x00"}


@pytest.mark.parametrize("value", [None, 1, ["[]"], {"a": 1}, bytearray(b"[]"), object()])
def test_a_value_that_is_not_text_is_an_issue(value: object):
    result = parse(value)  # pyright: ignore[reportArgumentType]
    assert not result
    assert result.issues[0].expected == "the arguments as text"


def test_integers_are_exact_up_to_4300_digits():
    for digits in ("9" * 4300, "-" + "9" * 4300, "123456789012345678901234567890"):
        assert parse(f'{{"a": {digits}}}') == Success(value={"a": int(digits)})
    for digits in ("9" * 4301, "9" * 5000, "+" + "9" * 5000, "0x" + "f" * 5000):
        result = parse(f'{{"a": {digits}}}')
        assert not result
        assert "out of range" in result.issues[0].message
    assert not parse("9" * 400 + ".5")


def test_text_at_the_limit_is_read_and_one_byte_more_is_not():
    limits = Limits(text=20)
    assert parse('"' + "x" * 18 + '"', limits=limits)
    assert parse(('"' + "€" * 6 + '"'), limits=limits)
    for text in ('"' + "x" * 19 + '"', '"' + "€" * 7 + '"', "x" * 1000, "€" * 1000):
        for written in (text, text.encode()):
            result = parse(written, limits=limits)
            assert not result
            assert result.issues[0].expected == "text of at most 20 bytes in UTF-8"


def nested(depth: int, opening: str, closing: str, leaf: str = "") -> str:
    return opening * depth + leaf + closing * depth


@pytest.mark.parametrize(
    ("opening", "closing", "leaf"), [("[", "]", ""), ('{"a":', "}", "1"), ("[{'a':", "}]", "1")]
)
def test_64_levels_are_read_and_65_are_not(opening: str, closing: str, leaf: str):
    levels = sum(char in "[{" for char in opening)
    assert parse(nested(64 // levels, opening, closing, leaf))
    deep = parse(nested(64 // levels + 1, opening, closing, leaf))
    assert not deep
    assert "more than 64 levels" in deep.issues[0].message
    assert deep.issues[0].path.keys


def test_other_depths_may_be_asked_for():
    assert not parse("[[]]", limits=Limits(depth=1))
    assert parse("[]", limits=Limits(depth=1))
    deep = nested(5000, "[", "]")
    assert parse(deep, limits=Limits(depth=5000))
    assert not parse(deep, limits=Limits(depth=4999))


def seconds(call: Callable[[], object]) -> float:
    def once() -> float:
        began = thread_time()
        call()
        return thread_time() - began

    return min(once() for _ in range(3))


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        *("[", '{"a":', "[{", '[["', '"', "\\", "'", "`", "```", "{{", "[1;", '"x": ', "[}", "\\u"),
        *('", \u201c', '{"a": "b ', '"{"a": ', "[tr,", "{'a': 'b', ", "x [a] ", '"]', "1_", "/*"),
        *("<a>", "` {", '{\\"a', "[,", "\u00a0"),
    ],
)
def test_the_time_grows_no_faster_than_the_text(unit: str):
    small, large = ((unit * 80_000)[:size] for size in (20_000, 80_000))
    for schema in (None, CITY):
        limit = 16 * max(seconds(lambda: parse(small, schema)), 0.002)  # noqa: B023
        assert seconds(lambda: parse(large, schema)) < limit  # noqa: B023


def test_a_long_name_around_many_repairs_does_not_fill_the_memory():
    result = parse('{"' + "k" * 300_000 + '": [' + "1;" * 100_000)
    assert not result
    assert "more repairs than are made" in result.issues[-1].message


@given(JSON, st.data())
@settings(max_examples=300, deadline=None)
def test_a_text_that_is_not_strict_json_has_repairs_or_issues(
    value: JsonValue, data: st.DataObject
):
    text = json.dumps(value, ensure_ascii=False)
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 2))
    put = data.draw(st.text(alphabet="{}[]\",:'\\ \u00a0x1", max_size=2))
    broken = text[:at] + put + text[at + cut :]
    try:
        json.loads(broken, object_pairs_hook=lambda pairs: _once(pairs), parse_constant=_never)
    except ValueError:
        result = parse(broken)
        assert result.repairs if result else result.issues


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError
    return dict(pairs)


def _never(name: str) -> object:
    raise ValueError(name)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("<answer>5</answer>", 5),
        ("<a><b>true</b></a>", True),
        ('<call>{"a": 1</call>', {"a": 1}),
        ('<call>\n{"a": [1, "x"\n</call>', {"a": [1, "x"]}),
        ('<call>{"a": "<b>x</b>"}</call>', {"a": "<b>x</b>"}),
    ],
)
def test_tags_end_the_value_between_them(text: str, value: JsonValue):
    result = parse(text)
    assert exactly(result.unwrap()) == exactly(value)
    assert "truncated" not in {repair.kind for repair in result.repairs}


def test_a_word_in_tags_is_read_without_them():
    assert parse("<answer>well done</answer>", {"type": "string"}).unwrap() == "well done"
    cut = parse('<call>{"a": "x</call>')
    assert cut.unwrap() == {"a": "x"}
    assert "truncated" in {repair.kind for repair in cut.repairs}
