"""A controller in another process, and where the values of a person may go."""

import os
import pickle
import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

import pytest

from pyfunctools import Controller, DefinitionError, Function, Human

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Teas", "version": "1"},
    "paths": {"/teas": {"get": {}}},
}


def pay(amount: int, pin: Human[str]) -> int:
    """Pay."""
    return os.getpid()


def count(amount: int) -> int:
    """Count."""
    return os.getpid()


SCHEMA = {
    "type": "object",
    "properties": {"amount": {"type": "integer"}, "pin": {"type": "string", "x-human": True}},
    "required": ["amount", "pin"],
}


async def wait(amount: int) -> int:
    """Wait."""
    return amount


def copied(controller: Controller) -> Controller:
    return pickle.loads(pickle.dumps(controller))


def test_a_pickled_controller_calls_its_functions() -> None:
    controller = Controller.from_functions([pay, count, wait], name="till")
    controller.call("count", {"amount": 1})
    controller.call("wait", {"amount": 1})  # which has started a loop
    controller.search("count")
    with copied(controller.configured(confirm="destructive")) as other:
        assert (other.name, other.functions) == ("till", controller.functions)
        assert other.call("wait", {"amount": 3}).value == 3
        assert other.call("pay", {"amount": 1}, human={"pin": "1234"}).value == os.getpid()
        assert other.search("count")[0].name == "count"
        waiting = other.call("pay", {"amount": 1}).waiting
        assert waiting is not None
        assert other.resume(waiting.ticket, {"pin": "1234"}).ok
        assert controller.resume(waiting.ticket, {"pin": "1234"}).reason == "ticket_foreign"


def test_a_pickled_format_of_an_answer_reads_it() -> None:
    answer = pickle.loads(pickle.dumps(Controller.from_functions([pay]).response_format(int)))
    assert (answer.read('{"value": "7"}').value, "response_format" in answer.request) == (7, True)


def double(amount=0, **others):  # type: ignore[no-untyped-def] # as doubles are written
    return amount * 10 + len(others)


def double_of(till, amount=0, **others):  # type: ignore[no-untyped-def]
    return double(amount, till=till, **others)


@pytest.mark.parametrize(
    ("handler", "text", "reason"),
    [
        (double, "11", None),
        (partial(double_of, "till"), "12", None),
        (7, "7", None),
        (ValueError("no"), "ValueError", "raised"),
        (ValueError, "ValueError", "raised"),
    ],
)
@pytest.mark.parametrize(
    "function", [pay, Function.from_schema(name="pay", parameters=SCHEMA, handler=pay)]
)
def test_a_pickled_double_gets_what_the_method_would(
    handler: Any, text: str, reason: str | None, function: Any
) -> None:
    controller = Controller.from_functions([function]).replaced({"pay": handler})
    for each in (controller, copied(controller), copied(copied(controller))):
        assert each.functions == controller.functions
        outcome = each.call("pay", {"amount": "1"}, human={"pin": "1234"})
        assert (outcome.text[: len(text)], outcome.reason) == (text, reason)


def test_a_pickled_document_has_its_connection() -> None:
    headers = {"X-Tenant": "one"}
    controller = Controller.from_openapi(
        DOCUMENT,
        server="https://teas.example",
        headers=headers,
        auth={"header:X-Key": "secret-key"},
    )
    headers["X-Tenant"] = "two"
    waiting = copied(controller.configured(confirm=True)).call("teas_get").waiting
    assert waiting is not None
    assert waiting.request is not None
    assert waiting.request.url == "https://teas.example/teas"
    sent = {"x-tenant": "one", "x-key": "***"}
    assert sent.items() <= waiting.request.headers.items()


def with_lambda() -> Controller:
    return Controller.from_openapi(
        DOCUMENT, server="https://a.example", headers=lambda: {"X-A": "1"}
    )


def searchable() -> Controller:
    return Controller.from_functions([pay]).searchable()


def reading() -> object:
    return Controller.from_functions([pay]).tools("openai").reading()


@pytest.mark.parametrize(
    ("make", "said"),
    [(with_lambda, "headers"), (searchable, "searchable"), (reading, "tools.reading")],
)
def test_what_cannot_be_pickled_is_named(make: Callable[[], object], said: str) -> None:
    with pytest.raises(DefinitionError, match=re.escape(said)):
        pickle.dumps(make())


def test_a_persons_values_stay_in_this_process() -> None:
    values = {"human": {"pin": "1234"}}
    here = os.getpid()
    with ProcessPoolExecutor(1, get_context("spawn")) as pool, ThreadPoolExecutor(1) as threads:
        controller = Controller.from_functions([pay, count])
        away = controller.configured(executor=pool)
        assert away.call("count", {"amount": 1}).value != here
        assert away.call("pay", {"amount": 1}, **values).value == here
        assert "pay" in away.notes[0].text
        assert "count" not in away.notes[0].text
        sent = away.configured(executor_values=True)
        assert sent.call("pay", {"amount": 1}, **values).value != here
        assert sent.notes == controller.notes == ()
        assert controller.configured(executor=threads).notes == ()
