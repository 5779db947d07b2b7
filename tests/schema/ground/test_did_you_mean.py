"""The name that was meant by one that is wrong."""

import re
from difflib import get_close_matches
from random import Random

import pytest
from clock import at_most
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfunctools.schema.ground.did_you_mean import near_name, near_names


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


WORDS = re.findall(
    "[a-z]+",
    "get list create delete update users repos orders items teams issues pulls comments reviews "
    "events hooks keys invoices payments refund customer",
)
NAMES_AT_RANDOM = Random(1)
MANY = [
    *dict.fromkeys("_".join(NAMES_AT_RANDOM.choices(WORDS, k=2 + n % 4)) for n in range(14_000))
][:10_000]


def mistyped(name: str, random: Random) -> str:
    at = random.randrange(len(name))
    return random.choice(
        (
            name[:at] + name[at + 1 :],
            name[:at] + "x" + name[at:],
            name[:at] + "z" + name[at + 1 :],
            name[:at] + name[at : at + 2][::-1] + name[at + 2 :],
            name.upper(),
            name.replace("_", "-"),
        )
    )


def test_v5_among_ten_thousand_names_the_one_that_was_meant_is_found_quickly() -> None:
    assert len(MANY) == 10_000
    random = Random(5)
    with at_most(3):  # some 0.5 s
        found = sum(
            name in near_names(mistyped(name, random), MANY) for name in random.sample(MANY, 60)
        )
    assert found >= 57


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("refund_order", "refund_orders"),
        ("RefundOrders", "refund_orders"),
        ("shop_refund_orders", "refund_orders"),
        ("nothing_of_the_kind", None),
        ("", None),
        ("x" * 1_000, None),
    ],
)
def test_v5_among_many_names(name: str, near: str | None) -> None:
    close = near_names(name, [*MANY, "refund_orders"])
    assert near in close if near else not close


def test_an_empty_name_among_many_short_ones_has_no_suggestion() -> None:
    assert near_names("", [f"n{n}" for n in range(70)]) == []
