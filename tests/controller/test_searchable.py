"""`Controller.searchable`: two functions in the place of very many."""

import asyncio
import json
from typing import Any

import pytest
from turns import response, shop

from pyfunctools import Controller, DefinitionError, Function, UnknownFunctionError, function


class Orders:
    @function
    def refund(self, order: int) -> str:
        """Refund an order."""
        return f"refunded {order}"

    @function(confirm=True)
    def cancel(self, order: int) -> str:
        """Cancel an order."""
        return f"cancelled {order}"


def orders() -> Controller:
    return Controller.from_object(Orders()).searchable()


def call(name: str, arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def test_a_model_sees_two_functions_and_the_kept_ones() -> None:
    _, controller = shop()
    made = controller.searchable(keep=["buy"])
    assert [each.name for each in made] == ["find_functions", "call_function", "buy"]
    assert made.call("buy", {"item": "tea"}).text == "1 tea"
    with pytest.raises(UnknownFunctionError):
        controller.searchable(keep=["nothing"])


def test_functions_are_found_as_signatures() -> None:
    outcome = orders().call("find_functions", {"query": "give back the money of an order"})
    assert "def refund(*, order: int): 'Refund an order.'" in outcome.text
    assert orders().call("find_functions", {"query": "zzz"}).text.startswith("No function fits")


@pytest.mark.parametrize(
    "arguments",
    [
        call("refund", {"order": "7"}),
        call("refund", '{"order": 7}'),
        call("refund", "{'order': 7}"),
        json.dumps(call("refund", json.dumps({"order": 7}))),
        call("call_function", call("refund", {"order": 7})),
    ],
)
def test_a_call_is_that_of_the_function(arguments: Any) -> None:
    outcome = orders().call("call_function", arguments)
    assert (outcome.text, outcome.function) == ("refunded 7", "refund")


def test_no_arguments_are_an_empty_object() -> None:
    made = Controller.from_functions([lambda_named()]).searchable()
    assert made.call("call_function", {"name": "ping"}).text == "pong"
    for nothing in (None, "", {}):
        assert made.call("call_function", {"name": "ping", "arguments": nothing}).text == "pong"


def lambda_named() -> Function:
    return Function.from_schema(name="ping", parameters={"type": "object"}, handler=lambda: "pong")


def test_wrong_arguments_are_told_as_in_a_call_of_the_function_itself() -> None:
    outcome = orders().call("call_function", call("refund", {"order": "many"}))
    assert outcome.reason == "arguments"
    assert outcome.function == "refund"
    assert [str(each.path) for each in outcome.issues] == ["$input.order"]
    itself = Controller.from_object(Orders()).call("refund", {"order": "many"})
    assert outcome.text == itself.text


def test_a_wrong_call_of_call_function_is_refused_as_such() -> None:
    outcome = orders().call("call_function", {"nam": 1})
    assert (outcome.reason, outcome.function) == ("arguments", "call_function")
    cut = (
        orders()
        .tools()
        .run(response(("a", "call_function", '{"name": "refund", "arguments": {"order": 1')))
    )
    assert cut.outcomes[0].reason == "arguments"


def test_an_unknown_name_is_told_with_what_fits() -> None:
    outcome = orders().call("call_function", call("refund_order", {}))
    assert outcome.reason == "unknown"
    assert "Did you mean refund" in outcome.text


def test_a_person_takes_part_and_the_turn_is_saved() -> None:
    made, controller = shop()
    tools = controller.searchable().tools()
    turn = tools.run(
        response(
            ("a", "call_function", json.dumps(call("pay", {"amount": 3}))),
            ("b", "find_functions", '{"query": "buy"}'),
        )
    )
    (waiting,) = turn.waiting
    assert [each.path for each in waiting.questions] == ["$input.pin"]
    saved = json.loads(json.dumps(turn.save()))
    done = tools.resume(saved, {"a": {"pin": "1234"}})
    assert next(each["content"] for each in done.messages[1:]) == "paid 3"
    assert done.outcomes[0].function == "pay"
    assert made.done == ["pay 3"]


def test_a_call_waits_for_approval() -> None:
    made = orders()
    outcome = made.call("call_function", call("cancel", {"order": 7}))
    assert outcome.reason == "needs_approval"
    assert outcome.waiting is not None
    assert made.resume(outcome.waiting.ticket, approve=True).text == "cancelled 7"
    assert made.call("call_function", call("cancel", {"order": 7}), approve=True).ok


def test_the_log_names_the_function(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "pyfunctools.calls"):
        orders().call("call_function", call("refund", {"order": 1}))
    assert [vars(each)["function"] for each in caplog.records] == ["refund"]


def test_views_are_made_before() -> None:
    for view in (
        lambda: orders().select(names="refund"),
        lambda: orders().prefixed("a_"),
        lambda: orders().configured(confirm=True),
        lambda: Controller.combine(orders()),
        lambda: orders().replaced({"call_function": 1}),
        lambda: orders().searchable(),
        lambda: Controller.from_object(Orders()).searchable(limit=0),
    ):
        with pytest.raises(DefinitionError):
            view()
    approved = Controller.from_object(Orders()).configured(confirm=True).searchable()
    assert approved.call("call_function", call("refund", {"order": 1})).waiting


def test_calls_of_an_event_loop_are_the_same() -> None:
    outcome = asyncio.run(orders().acall("call_function", call("refund", {"order": "x"})))
    assert (outcome.function, outcome.reason) == ("refund", "arguments")


def test_calls_of_a_turn_run_together_as_the_calls_they_stand_for() -> None:
    made, controller = shop()
    looks = [(each, "call_function", json.dumps(call("look", {"item": each}))) for each in "xyz"]
    buy = ("a", "call_function", json.dumps(call("buy", {"item": "tea"})))
    unknown = ("u", "call_function", json.dumps(call("nothing", {})))
    turn = asyncio.run(controller.searchable().tools().arun(response(*looks, buy, unknown)))
    assert made.most == 3
    assert made.done[-1] == "buy tea"
    assert [each.text for each in turn.outcomes[:4]] == ["x", "y", "z", "1 tea"]
    assert turn.outcomes[4].reason == "unknown"
