from enum import Enum, StrEnum
from time import process_time

import pytest

from pyfunctools._json import JsonValue
from pyfunctools._text import visible
from pyfunctools.schema.ground.preview import LINE, escape_invisible, preview


class Colour(StrEnum):
    RED = "red"


class Plain(Enum):
    ONE = 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (-3, "-3"),
        (1.5, "1.5"),
        (1e300, "1e+300"),
        ("two", '"two"'),
        ('say "hi"\n', '"say \\"hi\\"\\n"'),
        ("é漢😀", '"é漢😀"'),
        ({}, "{}"),
        ([], "[]"),
        ((1, 2), "[1, 2]"),
        ({"a": [1, {"b": None}], "c": "x"}, '{"a": [1, {"b": null}], "c": "x"}'),
        (Colour.RED, '"red"'),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (b"secret", "<bytes>"),
        ({1: 2}, "{1: 2}"),
        (Plain.ONE, "<Plain>"),
    ],
)
def test_a_value_is_shown_as_json_on_one_line(value: JsonValue, text: str):
    assert preview(value) == text


def test_an_integer_that_python_does_not_write_is_named_by_its_length():
    assert preview([10**5000]) == "[<integer of about 5001 digits>]"


@pytest.mark.parametrize(
    ("text", "escape"),
    [
        ("\ud800", "\\ud800"),
        ("\u202e", "\\u202e"),
        ("\u200b", "\\u200b"),
        ("\x1b", "\\u001b"),
        ("\x00", "\\u0000"),
        ("\U000e0041", "\\udb40\\udc41"),
        ("\x85", "\\u0085"),
    ],
)
def test_what_a_person_would_not_see_is_escaped(text: str, escape: str):
    assert preview(f"a{text}b") == f'"a{escape}b"'
    assert preview({text: text}) == f'{{"{escape}": "{escape}"}}'
    assert escape_invisible(f"a{text}b\n") == f"a{escape}b\n"


@pytest.mark.parametrize(
    "value",
    ["x" * 1000, "\u202e" * 1000, '"' * 1000, {"a": "x" * 1000}, list(range(1000)), [[[[]]] * 999]],
)
@pytest.mark.parametrize("limit", [12, LINE, 200])
def test_no_line_is_longer_than_it_may_be(value: JsonValue, limit: int):
    text = preview(value, limit)
    assert len(text) <= limit
    assert visible(text) == text
    assert "…" in text


def test_a_cut_text_keeps_its_quotes():
    assert preview("x" * 100, 10) == '"xxxxxxx…"'


def test_a_value_that_holds_itself_is_cut_like_any_other():
    value: dict[str, JsonValue] = {"a": 1}
    value["self"] = [value, value]
    assert preview(value, 30) == '{"a": 1, "self": [{"a": 1, "s…'


def test_the_size_of_the_value_costs_nothing():
    big = {"rows": [{"text": "x" * 1000}] * 1_000_000}
    start = process_time()
    preview(big)
    preview("x" * 50_000_000)
    assert process_time() - start < 0.5
