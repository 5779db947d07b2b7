from enum import Enum, StrEnum

import pytest
from clock import at_most

from pyfunctools._json import JsonValue
from pyfunctools._text import visible
from pyfunctools.schema.ground.json_values import LINE, escape_invisible, preview


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
        ([10**5000], "[<integer of about 5001 digits>]"),
    ],
)
def test_a_preview_is_json_on_one_line(value: JsonValue, text: str):
    assert preview(value) == text


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
def test_invisible_characters_are_escaped(text: str, escape: str):
    assert preview(f"a{text}b") == f'"a{escape}b"'
    assert preview({text: text}) == f'{{"{escape}": "{escape}"}}'
    assert escape_invisible(f"a{text}b\n") == f"a{escape}b\n"


@pytest.mark.parametrize(
    "value",
    ["x" * 1000, "\u202e" * 1000, '"' * 1000, {"a": "x" * 1000}, list(range(1000)), [[[[]]] * 999]],
)
@pytest.mark.parametrize("limit", [12, LINE, 200])
def test_a_preview_is_at_most_as_long_as_the_limit(value: JsonValue, limit: int):
    text = preview(value, limit)
    assert len(text) <= limit
    assert visible(text) == text
    assert "…" in text


def test_a_cut_text_keeps_its_quotes_and_a_value_may_contain_itself():
    assert preview("x" * 100, 10) == '"xxxxxxx…"'
    value: dict[str, JsonValue] = {"a": 1}
    value["self"] = [value, value]
    assert preview(value, 30) == '{"a": 1, "self": [{"a": 1, "s…'


def test_the_cost_does_not_depend_on_the_size_of_the_value():
    big = {"rows": [{"text": "x" * 1000}] * 1_000_000}
    with at_most(0.5):
        preview(big)
        preview("x" * 50_000_000)
