"""Names on the wire, compared as the most generous server reads them."""

import pytest

from pyfunctools.execution.request.claims import ComparedName, names_in, names_in_cookies

PAIRS = {
    True: [
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
    ],
    False: [
        ("pin", "pins"),
        ("pin", "spin"),
        ("card[pin]", "card[note]"),
        ("card[pin]", "cards"),
        ("tags[]", "tag"),
        ("日本", "日"),
        ("$", "%"),
        ("", "a"),
    ],
}


@pytest.mark.parametrize("is_same", PAIRS)
def test_which_names_some_server_takes_for_each_other(is_same: bool) -> None:
    for names in PAIRS[is_same]:
        one, other = map(ComparedName.of, names)
        assert one.may_reach(other) is other.may_reach(one) is is_same, names


def test_the_names_of_a_query_and_of_cookies() -> None:
    assert names_in("A=1&b%5Bc%5D&&d+e=2") == {"A", "b[c]", "d e"}
    assert names_in_cookies("a=b; sid=x=y;;flag") == {"a", "sid", "flag"}
    assert names_in_cookies("") == set()
