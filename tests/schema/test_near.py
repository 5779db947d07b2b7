"""The name that was meant by one that is wrong."""

from difflib import get_close_matches

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfunctools.schema.near import near_name


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("Quantity", ["quality", "quantity"], "quantity"),
        ("user-name", ["userId", "user_name"], "user_name"),
        ("quantty", ["quantity", "price"], "quantity"),
        ("colour", ["size", "price"], None),
        ("x" * 100, ["x" * 99], None),
        ("a", [], None),
    ],
)
def test_the_name_that_was_meant_is_found(name: str, known: list[str], near: str | None):
    assert near_name(name, known) == near


NAMES = st.text(alphabet="abcxyz", min_size=1, max_size=10)


@given(NAMES, st.lists(NAMES, max_size=5, unique=True))
@settings(max_examples=500, deadline=None)
def test_it_is_the_nearest_that_difflib_finds(name: str, known: list[str]):
    expected = name if name in known else next(iter(get_close_matches(name, known, 1)), None)
    assert near_name(name, known) == expected
