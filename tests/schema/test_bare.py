import pytest

from pyfunctools._json import JsonValue
from pyfunctools.schema.parsing.scalars import Bare, is_last, read_bare

STRING = frozenset({"string"})
EITHER = frozenset({"string", "number", "integer"})
NONE: frozenset[str] = frozenset()


def read(text: str, types: frozenset[str] = NONE) -> Bare:
    return read_bare(text, 0, len(text), lambda: types)


@pytest.mark.parametrize(
    ("text", "value", "end", "kinds"),
    [
        ("true}", True, 4, ()),
        ("null", None, 4, ()),
        ("-1.5e3, 2", -1500.0, 6, ()),
        ("12]", 12, 2, ()),
        ("True,", True, 4, ("literal",)),
        ("None}", None, 4, ("literal",)),
        ("TRUE", True, 4, ("literal",)),
        ("Null ", None, 4, ("literal",)),
        ("+1}", 1, 2, ("number",)),
        ("0x10,", 16, 4, ("number",)),
        ("5.}", 5.0, 2, ("number",)),
        ("1_000//x", 1000, 5, ("number",)),
        ("tru", True, 3, ("literal",)),
        ("fals\n", False, 4, ("literal",)),
        ("nu", None, 2, ("literal",)),
        ("Non", None, 3, ("literal",)),
    ],
)
def test_literals_and_numbers_are_read(text: str, value: JsonValue, end: int, kinds: tuple[str]):
    bare = read(text)
    assert bare.fault is None
    assert (bare.value, type(bare.value), bare.end, bare.kinds) == (value, type(value), end, kinds)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1e}", "`1e`"),
        ("-}", "`-`"),
        ("007,", "`007`"),
        ("1.2.3", "`1.2.3`"),
        ("12px", "`12px`"),
        ("1__0", "`1__0`"),
        ("2024-01-05", "`2024-01-05`"),
    ],
)
def test_a_broken_number_is_a_fault(text: str, shown: str):
    bare = read(text)
    assert (bare.shown, bare.fault, bare.expected) == (shown, "is not a number", "a number")


@pytest.mark.parametrize(
    "text",
    ["n", "t", "No", "Oslo", "undefined", "NaN", "-Infinity", "...", "nul}", "nullx", "@x", "(1"],
)
def test_what_could_be_several_things_is_a_fault(text: str):
    bare = read(text)
    assert bare.fault is not None
    assert bare.fault.startswith("is not a JSON value")


def test_a_number_out_of_range_is_a_fault_that_says_so():
    for text in ("1e999", "9" * 4301, "-" + "9" * 400 + ".5"):
        bare = read(text)
        assert bare.fault == "is out of range"
        assert len(bare.shown) < 50


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Oslo}", "Oslo"),
        ("New York, x", "New York"),
        ("1.10}", "1.10"),
        ("007]", "007"),
        ("+1", "+1"),
        ("12 km}", "12 km"),
        ("12:30:00}", "12:30:00"),
        ("TRUE}", "TRUE"),
        ("tru", "tru"),
        ("a b // note\n}", "a b"),
        ("a b # note", "a b"),
        ("x\n}", "x"),
    ],
)
def test_a_word_is_a_string_where_one_is_wanted(text: str, value: str):
    bare = read(text, STRING)
    assert (bare.value, bare.end, bare.kinds) == (value, len(value), ("word",))


def test_a_number_stays_one_where_a_number_is_wanted_as_well():
    assert read("1.10}", EITHER) == Bare(4, 1.1)
    assert read("+1}", EITHER) == Bare(2, 1, ("number",))
    assert read("12 km}", EITHER).value == "12 km"


def test_a_literal_stays_one_where_a_string_is_wanted():
    assert read("true}", STRING) == Bare(4, True)
    assert read("None}", STRING) == Bare(4, None, ("literal",))


@pytest.mark.parametrize("text", ["undefined", "NaN", "Infinity", "a b: 2", "a:"])
def test_some_words_are_no_string_anywhere(text: str):
    assert read(text, STRING).fault is not None


def test_nothing_follows_the_last():
    assert is_last("ab \n\u00a0", 2, 5)
    assert is_last("ab", 2, 2)
    assert not is_last("ab c", 2, 4)
    assert is_last("ab c", 2, 3)
