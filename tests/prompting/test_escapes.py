"""Backslashes in strings."""

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools.prompting.calls.literals import unescaped


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_escapes_of_json_are_read(text: str) -> None:
    assert unescaped(json.dumps(text)[1:-1]) == text


@pytest.mark.parametrize(
    "written",
    [
        "a",
        "\\n\\t\\r",
        "\\x41",
        "\\u0041",
        "\\U0001F600",
        "\\101",
        "\\7",
        "\\\n",
        "\\'",
        "\\a\\b\\f\\v",
    ],
)
def test_escapes_of_python_are_read(written: str) -> None:
    assert unescaped(written) == ast.literal_eval(f'"{written}"')


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("\\d", "\\d"),
        ("\\_", "\\_"),
        ("\\u12", "\\u12"),
        ("\\U00110000", "\\U00110000"),
        ("\\ud83d\\ude00", "\U0001f600"),
        ("\\", "\\"),
        ("\\/", "/"),
    ],
)
def test_what_else_stands_behind_a_backslash_stays_as_it_is(written: str, value: str) -> None:
    assert unescaped(written) == value


def test_a_raw_string_has_no_escapes() -> None:
    assert unescaped("\\n", raw=True) == "\\n"
