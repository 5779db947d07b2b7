"""Names on the wire, compared as the most generous server reads them."""

import pytest

from pyfunctools import Controller
from pyfunctools.execution.request.claims import ComparedName, set_in

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


@pytest.mark.parametrize(
    ("key", "accepted"), [("page.size", True), ("page-size", True), ("page[size]", False)]
)
def test_the_model_may_set_other_names_beside_its_own(key: str, accepted: bool) -> None:
    text = {"type": "string"}
    map_of_texts = {"type": "object", "additionalProperties": text}
    parameters = [
        {"name": "page", "in": "query", "schema": text},
        {"name": "other", "in": "query", "explode": True, "schema": map_of_texts},
    ]
    document = {
        "openapi": "3.1.0",
        "info": {"title": "A", "version": "1"},
        "paths": {"/a": {"get": {"parameters": parameters}}},
    }
    controller = Controller.from_openapi(document, server="http://127.0.0.1:9")
    outcome = controller.call("a_get", {"query": {"other": {key: "1"}}})
    assert (outcome.reason == "transport") is accepted
    assert (outcome.reason == "arguments") is not accepted


def test_the_names_of_a_query_and_of_cookies() -> None:
    found = [name for _, name, _ in set_in({}, "A=1&b%5Bc%5D&&d+e=2")]
    assert found == ["A", "b[c]", "d e"]
    found = [name for at, name, _ in set_in({"cookie": "a=b; sid=x=y;;flag"}, "") if at == "cookie"]
    assert found == ["a", "sid", "flag"]
    assert not [*set_in({}, "")]
