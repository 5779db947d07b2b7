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


_MAP = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "properties": {"pin": {"type": "string", "x-human": True}},
}
_FORM, _MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
PLACES = {
    "query": {"parameters": [{"name": "m", "in": "query", "schema": _MAP}]},
    "query, one text": {
        "parameters": [{"name": "m", "in": "query", "explode": False, "schema": _MAP}]
    },
    "deepObject": {
        "parameters": [{"name": "m", "in": "query", "style": "deepObject", "schema": _MAP}]
    },
    "cookie": {"parameters": [{"name": "m", "in": "cookie", "schema": _MAP}]},
    "header": {"parameters": [{"name": "m", "in": "header", "schema": _MAP}]},
    "querystring": {
        "parameters": [{"name": "m", "in": "querystring", "content": {_FORM: {"schema": _MAP}}}]
    },
    "form": {"requestBody": {"content": {_FORM: {"schema": _MAP}}}},
    "multipart": {"requestBody": {"content": {_MULTIPART: {"schema": _MAP}}}},
    "part": {
        "requestBody": {
            "content": {
                _MULTIPART: {
                    "schema": {"type": "object", "properties": {"m": _MAP}},
                    "encoding": {"m": {"style": "deepObject"}},
                }
            }
        }
    },
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("key", ["pin\0x", "pin\n", "a\r\npin", "pin\0"])
def test_no_name_ends_early_for_some_server(place: str, key: str) -> None:
    document = {"openapi": "3.2.0", "paths": {"/a": {"post": PLACES[place]}}}
    controller = Controller.from_openapi(document, server="http://127.0.0.1:9")
    group = next(iter(controller["a_post"].parameters["properties"]))
    is_whole = place in ("querystring", "form", "multipart")

    def given(values: dict[str, str]) -> dict[str, object]:
        return {group: values if is_whole else {"m": values}}

    outcome = controller.call("a_post", given({key: "1"}), human=given({"pin": "2"}))
    assert outcome.reason == "arguments"


def test_the_names_of_a_query_and_of_cookies() -> None:
    found = [name for _, name, _ in set_in({}, "A=1&b%5Bc%5D&&d+e=2")]
    assert found == ["A", "b[c]", "d e"]
    found = [name for at, name, _ in set_in({"cookie": "a=b; sid=x=y;;flag"}, "") if at == "cookie"]
    assert found == ["a", "sid", "flag"]
    assert not [*set_in({}, "")]
