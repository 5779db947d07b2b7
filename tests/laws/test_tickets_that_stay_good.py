"""What fails before a resumed call runs leaves it waiting in its turn, and its ticket good."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator
from turns import response

from pyfunctools import Context, Controller, Inject, MemoryStore, PendingCall, Tickets, function

FAILS = [False]
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Bank", "version": "1"},
    "paths": {"/pay": {"post": {"security": [{"key": []}], "responses": {"204": {}}}}},
    "components": {
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    },
}


def given(*_: object) -> str:
    if FAILS[0]:
        raise ConnectionError("CANARY")
    return "given"


def checked(value: Any) -> Any:
    given()
    return value


def hook(_: PendingCall) -> Any:
    given()
    yield


class Store(MemoryStore):
    def claim(self, ticket_id: str, expires: int, /) -> bool:
        given()
        return super().claim(ticket_id, expires)


class Bank:
    def __init__(self) -> None:
        self.ran = 0

    def _run(self) -> str:
        self.ran += 1
        return "paid"

    @function(confirm=True)
    def pay(self, tenant: str = "own") -> str:
        """Pay."""
        return self._run()

    @function(confirm=True)
    async def provided(self, db: Annotated[str, Inject(given)], *, n: int = 1) -> str:
        """Pay with a connection."""
        return self._run()

    @function(confirm=True)
    def positional(self, db: Annotated[str, Inject(given)], user: Context[str], /) -> str:
        """Pay with a connection."""
        return f"{self._run()}{user * 0}"

    @function(confirm=True)
    def checks(self, n: Annotated[int, AfterValidator(checked)]) -> str:
        """Pay a checked amount."""
        return self._run()


CASES: dict[str, tuple[str, Callable[[Controller], Controller]]] = {
    "the store": ("pay", lambda bank: bank.configured(tickets=Tickets(bytes(32), store=Store()))),
    "a fixed value": ("pay", lambda bank: bank.configured(fixed={"tenant": given})),
    "a hook": ("pay", lambda bank: bank.configured(on_call=hook)),
    "a provider": ("provided", lambda bank: bank),
    "a provider by position": ("positional", lambda bank: bank),
    "a validator": ("checks", lambda bank: bank),
}


@pytest.mark.parametrize("way", ["run", "arun"])
@pytest.mark.parametrize("name", CASES)
def test_a_failure_before_the_run_leaves_the_call_waiting(name: str, way: str) -> None:
    called, configure = CASES[name]
    bank = Bank()
    made = Controller.from_object(bank)
    made = configure(made.configured(tickets=Tickets(bytes(32), store=MemoryStore())))
    tools = made.select(names=[called]).tools("openai")

    def resumed(saved: Any) -> Any:
        given: Any = {"context": "Ann"}
        if way == "run":
            return tools.resume(saved, {"a": True}, **given)
        return asyncio.run(tools.aresume(saved, {"a": True}, **given))

    arguments = '{"n": 1}' if called == "checks" else "{}"
    saved = tools.run(response(("a", called, arguments)), context="Ann").save()
    FAILS[0] = True
    try:
        failed = resumed(saved)
    finally:
        FAILS[0] = False
    assert (failed.outcomes[0].reason, bank.ran) == ("raised", 0)
    assert failed.waiting[0].ticket
    done = resumed(failed.save())
    assert (done.outcomes[0].text, bank.ran) == ("paid", 1)
    again = resumed(saved)
    assert (again.outcomes[0].text, again.outcomes[0].replayed, bank.ran) == ("paid", True, 1)


def test_a_call_without_its_credentials_or_its_controller_waits_too() -> None:
    tickets = Tickets(bytes(32), store=MemoryStore())
    bank = Controller.from_openapi(DOCUMENT, server="http://127.0.0.1:9", auth={"key": given})
    tools = bank.configured(confirm=True, tickets=tickets).tools("openai")
    turn = tools.run(response(("a", "pay_post", "{}")))
    FAILS[0] = True
    try:
        failed = tools.resume(turn, {"a": True})
    finally:
        FAILS[0] = False
    assert (failed.outcomes[0].reason, len(failed.waiting)) == ("raised", 1)
    closed = Controller.from_object(Bank()).configured(tickets=tickets)
    tools = closed.tools("openai")
    turn = tools.run(response(("a", "pay", "{}")))
    closed.close()
    failed = tools.resume(turn, {"a": True})
    assert (failed.outcomes[0].reason, len(failed.waiting)) == ("transport", 1)
