"""A name on the wire, as the most generous server reads it."""

import pytest

from pyfunctools.execution.request.claims import ComparedName, names_in, names_in_cookies

SAME = [
    ("pin", "PIN"),
    ("pin", "pin[]"),
    ("pin", "pin[0]"),
    ("pin", " pin "),
    ("pin", "pin.x"),
    ("pin", "p%69n"),
    ("pin", "p%2569n"),
    ("card_number", "card.number"),
    ("card_number", "card-number"),
    ("card number", "card+number"),
    ("card[pin]", "card[pin][x]"),
    ("card[pin]", "card.pin"),
    ("card[pin]", "card"),
    ("straße", "STRASSE"),
]
OTHERS = [
    ("pin", "pins"),
    ("pin", "spin"),
    ("card[pin]", "card[note]"),
    ("card[pin]", "cards"),
    ("tags[]", "tag"),
    ("日本", "日"),
    ("$", "%"),
    ("", "a"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_names_that_some_server_takes_for_each_other(one: str, other: str) -> None:
    assert ComparedName.of(one).may_reach(ComparedName.of(other))
    assert ComparedName.of(other).may_reach(ComparedName.of(one))


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_names_that_no_server_takes_for_each_other(one: str, other: str) -> None:
    assert not ComparedName.of(one).may_reach(ComparedName.of(other))
    assert not ComparedName.of(other).may_reach(ComparedName.of(one))


def test_the_names_of_a_query_and_of_cookies() -> None:
    assert names_in("A=1&b%5Bc%5D&&d+e=2") == {"A", "b[c]", "d e"}
    assert names_in_cookies("a=b; sid=x=y;;flag") == {"a", "sid", "flag"}
    assert names_in_cookies("") == set()
