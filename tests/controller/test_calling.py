"""Calling the functions of a controller: at once, or with a ticket later on."""

import asyncio
import subprocess
import sys
from datetime import datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, SecretStr

from pyfunctools import (
    Context,
    Controller,
    Human,
    Inject,
    MemoryStore,
    Outcome,
    Tickets,
    function,
)

SECRET = "SECRET-7f3a"


class Account:
    """What the program knows of who is calling."""

    def __repr__(self) -> str:
        return SECRET


class Bank:
    """A bank."""

    def __init__(self) -> None:
        self.moved: list[tuple[object, ...]] = []

    @function
    def transfer(
        self,
        amount: float,
        account: Human[str],
        user: Context[Account | None],
        db: Annotated[Account, Inject(Account)],
    ) -> str:
        """Send money."""
        self.moved.append((amount, account))
        return f"sent {amount}"

    @function(destructive=True)
    async def close(self, reason: str, pin: Human[SecretStr]) -> str:
        """Close the account."""
        self.moved.append((reason, pin.get_secret_value()))
        return "closed"

    @function(destructive=False)
    def look(self) -> str:
        """Look."""
        return "7"

    @function(confirm=True)
    def print_all(self, copies: int = 1) -> str:
        """Print."""
        return f"{copies} copies"


def bank() -> Controller:
    return Controller.from_object(Bank())


def call(controller: Controller, way: str, *arguments: Any, **given: Any) -> Outcome:
    """Call or resume, one way or the other."""
    made = getattr(controller, way)(*arguments, **given)
    outcome = asyncio.run(made) if way.startswith("a") else made
    assert isinstance(outcome, Outcome)
    return outcome


PAIRS = [("call", "resume"), ("acall", "aresume"), ("call", "aresume"), ("acall", "resume")]


@pytest.mark.parametrize(("first", "then"), PAIRS)
def test_a_call_is_resumed_with_its_ticket_with_or_without_a_loop(first: str, then: str) -> None:
    source = Bank()
    with Controller.from_object(source) as controller:
        waiting = call(controller, first, "transfer", '{"amount": 1}', context=Account())
        assert waiting.reason == "needs_human"
        assert source.moved == []
        done = call(
            controller, then, waiting.waiting.ticket, {"account": "DE02"}, context=Account()
        )
        assert (done.text, done.function) == ("sent 1.0", "transfer")
        assert source.moved == [(1.0, "DE02")]
        assert call(controller, then, waiting.waiting.ticket, {"account": "DE02"}).replayed
    assert len(source.moved) == 1


class Size(Enum):
    """How large."""

    SMALL = "small"
    LARGE = "large"


class Cat(BaseModel):
    """A cat."""

    kind: Literal["cat"]
    name: str


class Dog(BaseModel):
    """A dog."""

    kind: Literal["dog"]
    age: int


class Everything(BaseModel):
    """Values of every kind."""

    size: Size
    word: Literal["a", "b"]
    when: datetime
    which: UUID
    many: dict[str, list[str]]
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    code: Annotated[str, Field(pattern="^[A-Z]{3}$")]
    only: set[str]
    price: Decimal


def test_human_values_are_converted_to_the_hints_of_the_method() -> None:
    kept: list[Everything] = []

    def keep(all: Human[Everything]) -> int:
        """Keep."""
        kept.append(all)
        return 1

    said = {
        "size": "large",
        "word": "b",
        "when": "2026-11-21T18:00:00Z",
        "which": "12345678-1234-5678-1234-567812345678",
        "many": {"x": ["y"]},
        "pet": {"kind": "dog", "age": 3},
        "code": "ABC",
        "only": ["x", "y"],
        "price": "1.10",
    }
    controller = Controller.from_functions([keep])
    assert not controller.call("keep", {}, human={"all": said}).is_error
    assert kept == [Everything.model_validate(said)]
    for key, wrong in (("size", "huge"), ("word", "c"), ("code", "abc"), ("only", ["x", "x"])):
        outcome = controller.call("keep", {}, human={"all": {**said, key: wrong}})
        assert outcome.issues
        assert {issue.side for issue in outcome.issues} == {"human"}
    assert len(kept) == 1


def test_values_hidden_from_a_repr_have_the_types_of_their_hints() -> None:
    types: list[type] = []

    def pay(account: Human[str], pins: Human[list[str]], pin: Human[SecretStr]) -> str:
        """Pay."""
        types.extend(map(type, (account, *pins, pin)))
        return ""

    given = {"account": "a", "pins": ["b"], "pin": "c"}
    assert not Controller.from_functions([pay]).call("pay", {}, human=given).is_error
    assert types == [str, str, SecretStr]


# Settings.


def test_by_default_only_marked_functions_wait_for_an_approval() -> None:
    controller = bank()
    assert [each.name for each in controller if each.confirm] == ["print_all"]
    every = controller.configured(confirm="destructive")
    assert [each.name for each in every if each.confirm] == ["close", "print_all"]
    assert [each.confirm for each in every.configured()] == [each.confirm for each in every]
    assert [each.name for each in controller if each.confirm] == ["print_all"]


def test_approvals_are_required_in_every_derived_controller() -> None:
    every = bank().configured(confirm="destructive")
    pin = {"pin": "1"}
    made = {
        "close": [every, every.select(names=["close"]), Controller.combine(every)],
        "b_close": [every.prefixed("b_"), Controller.combine(bank(), every.prefixed("b_"))],
    }
    for name, controllers in made.items():
        for controller in controllers:
            with controller:
                waiting = controller.call(name, {"reason": "x"}, human=pin)
                assert waiting.reason == "needs_approval"
                ticket = waiting.waiting.ticket or ""
                assert controller.resume(ticket, pin, approve=lambda _: True).text == "closed"


def test_only_derived_controllers_take_the_tickets_of_a_controller() -> None:
    assert len(Controller.combine()) == 0
    controller = bank()
    given = {"account": "a"}

    def ticket() -> str:
        return controller.call("transfer", {"amount": 1}).waiting.ticket or ""

    kin = [
        controller.select(names=["transfer"]),
        controller.configured(confirm="destructive"),
        Controller.combine(controller, bank().prefixed("y_")),
    ]
    for each in kin:
        assert not each.resume(ticket(), given).is_error
        other = each.call("transfer", {"amount": 1}).waiting.ticket or ""
        assert not controller.resume(other, given).is_error
    for stranger in (bank(), Controller.combine(bank(), controller.prefixed("x_"))):
        assert "somebody else" in stranger.resume(ticket(), given).text
    gone = controller.select(names=["look"]).resume(ticket(), given)
    assert "does not exist" in gone.text
    assert "does not exist" in controller.prefixed("x_").resume(ticket(), given).text
    used = ticket()
    assert not kin[0].resume(used, given).is_error
    again = kin[1].resume(used, given)
    assert (again.ok, again.replayed, again.value) == (True, True, None)


def test_with_a_shared_key_and_store_a_ticket_is_valid_once_everywhere() -> None:
    tickets = Tickets(b"k" * 32, store=MemoryStore())
    one, other = (bank().configured(tickets=tickets) for _ in range(2))
    ticket = one.call("transfer", {"amount": 1}).waiting.ticket or ""
    assert not other.resume(ticket, {"account": "a"}).is_error
    assert one.resume(ticket, {"account": "a"}).replayed


PROCESS = """
import sys
sys.path.insert(0, {tests!r})
from test_calling import Bank, Controller, Tickets
from pyfunctools import SqliteStore

tickets = Tickets(b"k" * 32, store=SqliteStore({used!r}))
bank = Controller.from_object(Bank()).configured(tickets=tickets)
print(bank.{call})
"""


def test_a_ticket_is_valid_in_another_process_with_the_same_key(tmp_path: Path) -> None:
    used = str(tmp_path / "used.sqlite")

    def said(written: str) -> str:
        code = PROCESS.format(tests=str(Path(__file__).parent), call=written, used=used)
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    ticket = said('call("transfer", {"amount": 1}).waiting.ticket')
    assert said(f'resume({ticket!r}, {{"account": "a"}}).text') == "sent 1.0"
    again = said(f'resume({ticket!r}, {{"account": "a"}})')
    assert "sent 1.0" in again
    assert "replayed=True" in again
    assert "was changed" in said(f'resume({ticket[:-2] + "AA"!r}, {{"account": "a"}}).text')


# Values of the program.


def test_the_context_and_injected_values_are_in_no_schema_and_no_text() -> None:
    controller = bank()
    transfer = controller["transfer"]
    assert transfer.separated is not None
    schemas = [transfer.parameters, transfer.separated.llm, transfer.separated.human]
    for name in ("user", "db"):
        assert name not in str(schemas)
    waiting = controller.call("transfer", {"amount": 1}, context=Account())
    done = controller.resume(waiting.waiting.ticket or "", {"account": "a"}, context=Account())
    refused = controller.call("transfer", {"amount": 1, "user": 1, "db": 2}, context=Account())
    assert [str(issue.path) for issue in refused.issues] == [
        "$input.user",
        "$input.db",
    ]
    given = {"account": "a", "user": "x"}
    theirs = controller.call("transfer", {"amount": 1}, human=given, context=Account())
    assert theirs.reason == "needs_human"
    for outcome in (waiting, done, refused, theirs):
        assert SECRET not in outcome.text + repr(outcome) + str(outcome.waiting)


def test_a_callable_that_asks_does_not_get_the_context() -> None:
    asked: list[object] = []

    def ask(*about: object) -> dict[str, str]:
        asked.extend(about)
        return {"account": "a"}

    bank().call("transfer", {"amount": 1}, human=ask, context=Account())
    assert SECRET not in repr(asked)
