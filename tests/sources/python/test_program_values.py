"""What `functools.partial` sets is the program's: in no schema, taken from nobody."""

import json
from collections.abc import Callable
from functools import partial, partialmethod, update_wrapper
from typing import Any

import pytest

from pyfunctools import Controller, DefinitionError, Function, Human, function

EVIL = "from the model"


def query(sql: str, dsn: str, limit: int = 3) -> str:
    """Query.

    Args:
        sql: What.
        dsn: Where.
    """
    return f"{sql} {dsn} {limit}"


def open_query(sql: str, **rest: str) -> str:
    return f"{sql} {rest}"


def untyped(sql: str, session) -> str:  # type: ignore[no-untyped-def]
    return f"{sql} {session}"


def pinned(sql: str, pin: Human[str]) -> str:
    return f"{sql} {pin}"


def args(sql: str, *more: str, dsn: str) -> str:
    return f"{sql} {more} {dsn}"


wrapped = update_wrapper(partial(query, dsn="own"), query)

PARTIALS: dict[str, tuple[Callable[..., str], str, str]] = {
    "keyword": (partial(query, dsn="own"), "dsn", "x own 3"),
    "twice": (partial(partial(query, dsn="other"), dsn="own", limit=1), "dsn", "x own 1"),
    "into **kwargs": (partial(open_query, dsn="own"), "dsn", "x {'dsn': 'own'}"),
    "without a hint": (partial(untyped, session="own"), "session", "x own"),
    "a person's": (partial(pinned, pin="own"), "pin", "x own"),
    "beside *args": (partial(args, dsn="own"), "dsn", "x () own"),
    "with __wrapped__": (wrapped, "dsn", "x own 3"),
}


@pytest.mark.parametrize("name", PARTIALS)
def test_a_bound_keyword_is_the_programs(name: str) -> None:
    bound, hidden, expected = PARTIALS[name]
    controller = Controller.from_functions([bound])
    [made] = controller.functions
    assert hidden not in json.dumps([made.parameters, made.llm])
    assert made.separated is None
    assert controller.call(made.name, {"sql": "x"}).value == expected
    refused = controller.call(made.name, {"sql": "x", hidden: EVIL}, human={hidden: EVIL})
    assert not refused.ok
    assert EVIL not in str(refused.value)


def test_a_bound_position_is_hidden() -> None:
    controller = Controller.from_functions([update_wrapper(partial(query, "x"), query)])
    assert set(controller["query"].parameters["properties"]) == {"dsn", "limit"}
    assert controller.call("query", {"dsn": "d"}).value == "x d 3"


class Shop:
    def pay(self, amount: int, currency: str) -> str:
        return f"{amount} {currency}"

    pay_in_euro = function(partialmethod(pay, currency="EUR"))


def test_a_partial_method_is_a_method() -> None:
    for controller in (
        Controller.from_object(Shop()),
        Controller.from_object(Shop(), all=True).select(names=["pay_in_euro"]),
    ):
        [made] = controller.functions
        assert set(made.parameters["properties"]) == {"amount"}
        assert controller.call("pay_in_euro", {"amount": 1}).value == "1 EUR"
        assert not controller.call("pay_in_euro", {"amount": 1, "currency": "USD"}).ok


OPEN: dict[str, Any] = {"type": "object", "additionalProperties": True}


def test_a_handlers_bound_keyword_cannot_be_set() -> None:
    made = Function.from_schema(name="f", parameters=OPEN, handler=partial(query, dsn="own"))
    assert Controller.from_functions([made]).call("f", {"sql": "x", "dsn": EVIL}).value == "x own 3"
    with pytest.raises(DefinitionError, match=r"f\(handler\).*`dsn`.*out of the schema"):
        Function.from_schema(
            name="f",
            parameters={"type": "object", "properties": {"dsn": {"type": "string"}}},
            handler=partial(query, "x", dsn="own"),
        )
