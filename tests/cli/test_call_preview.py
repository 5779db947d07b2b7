"""What is shown before a call that may do harm."""

from typing import Any

import pytest

from pyfunctools import Controller, File, Function, function
from pyfunctools.cli.call_preview import address
from pyfunctools.execution.person.approval import View
from pyfunctools.execution.person.masking import MASK

SECRET = {"type": "string", "format": "password"}
S = {"type": "string"}


def object_of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "value", "shown"),
    [
        (object_of(a=SECRET, b=S), {"a": "x", "b": "y"}, {"a": MASK, "b": "y"}),
        (object_of(a=SECRET), {"a": None}, {"a": None}),
        (object_of(a={"anyOf": [SECRET, {"type": "null"}]}), {"a": "x"}, {"a": MASK}),
        (object_of(a={"allOf": [SECRET]}), {"a": ["x"]}, {"a": [MASK]}),
        (object_of(a={"type": "array", "items": SECRET}), {"a": ["x", "y"]}, {"a": [MASK] * 2}),
        (object_of(a={"prefixItems": [S, SECRET]}), {"a": ["x", "y"]}, {"a": ["x", MASK]}),
        ({"additionalProperties": SECRET}, {"a": "x"}, {"a": MASK}),
        ({"patternProperties": {"^a": SECRET}}, {"a": "x"}, {"a": MASK}),
        ({"if": {"required": ["a"]}, "then": object_of(a=SECRET)}, {"a": "x"}, {"a": MASK}),
        ({"dependentSchemas": {"b": object_of(a=SECRET)}}, {"a": "x"}, {"a": MASK}),
        (object_of(a={**S, "x-human-widget": "secret"}), {"a": "x"}, {"a": MASK}),
        (object_of(api_key={**S, "writeOnly": True}), {"api_key": "x"}, {"api_key": MASK}),
        (
            {"$ref": "#/$defs/T", "$defs": {"T": object_of(a=SECRET, t={"$ref": "#/$defs/T"})}},
            {"t": {"t": {"a": "x"}}},
            {"t": {"t": {"a": MASK}}},
        ),
        (object_of(f=SECRET), {"f": File(b"abc", "a.txt")}, {"f": MASK}),
        ({}, {"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
    ],
    ids=str,
)
def test_secrets_are_hidden_wherever_they_stand(schema: Any, value: Any, shown: Any) -> None:
    parameters = {**object_of(value=schema), "$defs": schema.pop("$defs", {})}
    made = Function.from_schema(name="f", parameters=parameters, is_human=None)
    assert View(made, {"value": value}).pending.arguments == {"value": shown}


def test_what_sounds_like_a_secret_is_hidden_where_it_is_the_humans() -> None:
    pin = {**S, "x-human": True}
    made = Function.from_schema(name="f", parameters=object_of(pin=pin, key=S, to=pin))
    shown = View(made, {"pin": "1", "key": "k", "to": "x"}).pending.arguments
    assert shown == {"pin": MASK, "key": "k", "to": "x"}


def test_a_call_goes_to_a_method_or_to_an_address() -> None:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "servers": [{"url": "http://one.example/v1/"}],
        "paths": {"/a/{id}": {"delete": {}}},
    }
    (erase,) = Controller.from_openapi(document)
    assert address(erase, "http://two.example/") == "DELETE http://two.example/a/{id}"
    assert address(erase, "document") == "DELETE http://one.example/v1/a/{id}"
    (bare,) = Controller.from_openapi({**document, "servers": []})
    assert address(bare, "document").startswith("DELETE /")

    class Shop:
        @function
        def buy(self) -> None:
            """Buy."""

    assert address(Controller.from_object(Shop())["buy"], None).endswith("Shop.buy")
