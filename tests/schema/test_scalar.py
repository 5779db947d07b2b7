import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools.schema.parsing.scalars import (
    WRITTEN,
    boolean_from,
    integer_from,
    is_null,
    is_strict_number,
    number_from,
    text_from,
    written_number,
)


@pytest.mark.parametrize(
    ("token", "number"),
    [
        ("+1", 1),
        ("-0x1F", -31),
        ("0X10", 16),
        ("0o17", 15),
        ("0b101", 5),
        (".5", 0.5),
        ("-.5", -0.5),
        ("5.", 5.0),
        ("1_000", 1000),
        ("1_000.000_1", 1000.0001),
        ("1E5", 100000.0),
        ("0", 0),
        ("-0", 0),
    ],
)
def test_numbers_of_javascript_and_python_are_read(token: str, number: float):
    assert WRITTEN.fullmatch(token)
    read = written_number(token)
    assert (read, type(read)) == (number, type(number))


@pytest.mark.parametrize(
    "token",
    ["", "-", "+", ".", "1e", "1e+", "007", "-01", "0x", "1_", "_1", "1__0", "1n", "٤٢", "1.2.3"],
)
def test_what_is_no_number_is_none(token: str):
    assert not WRITTEN.fullmatch(token)


def test_what_python_has_no_number_for_is_none():
    for token in ("1e999", "9" * 4301, "0x" + "f" * 4000, "9" * 400 + ".5"):
        assert WRITTEN.fullmatch(token)
        assert written_number(token) is None
    assert written_number("9" * 4300) == int("9" * 4300)


def test_only_numbers_of_json_are_strict():
    assert all(map(is_strict_number, ("0", "-0", "10", "1.5", "1e5", "-1.5E-10")))
    assert not any(map(is_strict_number, ("+1", "01", ".5", "5.", "1_0", "0x1", "", "1e")))


@pytest.mark.parametrize("text", ["42", "+42", " 42 ", "42.0", "42.000", "\t42\n"])
def test_an_integer_in_another_spelling_is_read(text: str):
    assert integer_from(text) == 42


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "42px",
        "007",
        "1e3",
        "1_000",
        "1,000",
        "42.5",
        "42.",
        ".0",
        "0x10",
        "--1",
        "٤٢",
        "\u00a042",
        "1e0",
        "9" * 4301,
        "NaN",
    ],
)
def test_what_may_be_something_else_is_no_integer(text: str):
    assert integer_from(text) is None


@given(st.integers())
def test_every_integer_is_read_as_it_is_written(number: int):
    assert integer_from(str(number)) == number
    assert text_from(number) == str(number)


def test_no_text_is_made_of_an_integer_that_python_does_not_write():
    assert text_from(10**5000) is None


@pytest.mark.parametrize(
    ("text", "number"), [("3.5", 3.5), ("1e3", 1000.0), ("+.5", 0.5), ("5.", 5.0), (" 1.10 ", 1.1)]
)
def test_a_fraction_is_read(text: str, number: float):
    assert number_from(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "NaN",
        "Infinity",
        "1e999",
        "1e-999",
        "1e99999",
        "007.5",
        "1,5",
        "1_0.5",
        "1.5px",
        "0x1.8",
        "0.1000000000000000055511151231257827",
        "12345678901234567.5",
        "1." + "0" * 500,
    ],
)
def test_a_number_that_a_float_does_not_hold_is_not_read(text: str):
    assert number_from(text) is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_as_it_is_written(number: float):
    assert repr(number_from(repr(number))) == repr(number)


def test_booleans_and_null_are_read_in_any_case():
    assert [boolean_from(text) for text in ("true", "YES", " On ")] == [True, True, True]
    assert [boolean_from(text) for text in ("False", "no", "OFF")] == [False, False, False]
    assert [boolean_from(text) for text in ("1", "0", "y", "t", "", "truely")] == [None] * 6
    assert [is_null(text) for text in ("null", " NULL ", "None", "nil", "")] == [
        True,
        True,
        False,
        False,
        False,
    ]
