"""Numbers, literals and words without quotes: read without loss, or an issue."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools._json import JsonValue
from pyfunctools.schema import parse
from pyfunctools.schema.parsing.scalars import (
    digits_of,
    integer_from,
    number_from,
)


@pytest.mark.parametrize(
    ("token", "value", "kinds"),
    [
        ("true", True, []),
        ("null", None, []),
        ("-1.5e3", -1500.0, []),
        ("1E5", 100000.0, []),
        ("-0", 0, []),
        ("True", True, ["literal"]),
        ("None", None, ["literal"]),
        ("TRUE", True, ["literal"]),
        ("Null", None, ["literal"]),
        ("+1", 1, ["number"]),
        ("-0x1F", -31, ["number"]),
        ("0X10", 16, ["number"]),
        ("0o17", 15, ["number"]),
        ("0b101", 5, ["number"]),
        (".5", 0.5, ["number"]),
        ("-.5", -0.5, ["number"]),
        ("5.", 5.0, ["number"]),
        ("1_000", 1000, ["number"]),
        ("1_000.000_1", 1000.0001, ["number"]),
    ],
)
def test_literals_and_numbers_are_read(token: str, value: JsonValue, kinds: list[str]) -> None:
    result = parse(f"[{token},]")
    assert repr(result.unwrap()) == repr([value])
    assert [repair.kind for repair in result.repairs] == [*kinds, "comma"]


@pytest.mark.parametrize(("text", "value"), [("[tru", True), ("[fals\n", False), ("[Non", None)])
def test_a_literal_that_the_text_ends_in_is_completed(text: str, value: JsonValue) -> None:
    assert parse(text).unwrap() == [value]


@pytest.mark.parametrize(
    ("tokens", "fault"),
    [
        ("1e 1e+ - 007 -01 0x 1_ 1__0 1.2.3 12px 1n 2024-01-05", "is not a number"),
        ("n t No Oslo undefined NaN -Infinity ... nul nullx @x (1 _1", "is not a JSON value"),
        (f"1e999 -{'9' * 400}.5 {'9' * 4301} 0x{'f' * 4000}", "is out of range"),
    ],
)
def test_other_words_and_ambiguous_ones_are_an_issue(tokens: str, fault: str) -> None:
    for token in tokens.split():
        result = parse(f'{{"a": {token}}}')
        assert not result
        assert fault in result.issues[0].message, token
        assert len(result.issues[0].message) < 120


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("+1", "+1"),
        ("12 km", "12 km"),
        ("tru", "tru"),
        ("a b // note\n", "a b"),
        ("a b # note\n", "a b"),
        ("x\n", "x"),
        ("true", True),
        ("None", None),
    ],
)
def test_a_word_is_a_string_where_one_is_wanted(text: str, value: JsonValue) -> None:
    assert parse(f"[{text}]", {"items": {"type": "string"}}).unwrap() == [value]


@pytest.mark.parametrize(("text", "value"), [("1.10", 1.1), ("+1", 1), ("12 km", "12 km")])
def test_a_number_stays_one_where_a_number_is_wanted_as_well(text: str, value: JsonValue) -> None:
    assert parse(f"[{text},]", {"items": {"type": ["string", "number"]}}).unwrap() == [value]


NO_INTEGERS = "|42px|007|1e3|1_000|1,000|42.5|42.|.0|0x10|--1|٤٢|\u00a042|1e0|NaN"
NO_FRACTIONS = "|NaN|Infinity|1e999|1e-999|1e99999|007.5|1,5|1_0.5|1.5px|0x1.8"


def test_a_number_in_a_text_is_read_only_if_it_is_exact() -> None:
    assert {*map(integer_from, ("42", "+42", " 42 ", "42.0", "42.000", "\t42\n"))} == {42}
    assert {*map(integer_from, NO_INTEGERS.split("|"))} == {None}
    read = [number_from(text) for text in ("3.5", "1e3", "+.5", "5.", " 1.10 ")]
    assert read == [3.5, 1000.0, 0.5, 5.0, 1.1]
    inexact = ("0.1000000000000000055511151231257827", "12345678901234567.5", "1." + "0" * 500)
    assert {*map(number_from, (*NO_FRACTIONS.split("|"), *inexact))} == {None}


@given(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_is_read_as_it_is_written(integer: int, number: float) -> None:
    assert integer_from(str(integer)) == integer
    assert digits_of(integer) == str(integer)
    assert repr(number_from(repr(number))) == repr(number)
    assert digits_of(10**5000) is None
