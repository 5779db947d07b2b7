"""Hooks run around a call: a log, a cache, a guard."""

import asyncio
import logging
import pickle
from collections.abc import AsyncGenerator, Callable, Generator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest

from pyfunctools import (
    CallInfo,
    Controller,
    DefinitionError,
    Human,
    Limits,
    MemoryStore,
    Outcome,
    PendingCall,
    Retry,
    Tickets,
    function,
)
from pyfunctools.record.outcome import outcome_json

Steps = Generator[Outcome | None, Outcome, Outcome | None]


class Till:
    """A till."""

    def __init__(self) -> None:
        self.paid: list[int] = []

    @function(read_only=True)
    def price(self, item: str, count: int = 1) -> int:
        """Return a price."""
        self.paid.append(count)
        return count * len(item)

    @function
    def pay(self, amount: int, pin: Human[str], info: CallInfo) -> str:
        """Pay."""
        self.paid.append(amount)
        return f"paid {amount} with {pin}"

    @function
    def fail(self) -> str:
        """Fail."""
        raise ValueError("no")


def call_of(controller: Controller, way: str) -> Callable[..., Outcome]:
    if way == "call":
        return controller.call
    return lambda *args, **options: asyncio.run(controller.acall(*args, **options))


@pytest.fixture(params=["call", "acall"])
def way(request: pytest.FixtureRequest) -> str:
    return request.param


def test_a_hook_runs_before_and_after_with_the_outcome_as_the_caller_gets_it(way: str) -> None:
    seen: list[Any] = []

    def log(call: PendingCall) -> Steps:
        seen.append((call.function.name, dict(call.arguments)))
        seen.append((yield))

    shop = Controller.from_object(Till()).configured(on_call=log)
    outcome = call_of(shop, way)("price", '{"item": "tea", "count": "2"}')
    assert outcome.value == 6
    assert seen == [("price", {"item": "tea", "count": 2}), outcome]
    assert seen[1].repairs == outcome.repairs != ()
    assert seen[1].function == "price"


def test_an_outcome_before_the_yield_is_the_answer_and_nothing_runs(way: str) -> None:
    def guard(call: PendingCall) -> Steps:
        if call.arguments.get("count", 0) > 5:
            return Outcome(text="At most 5.", reason="denied")
        return (yield)

    till = Till()
    called = call_of(Controller.from_object(till).configured(on_call=guard), way)
    refused = called("price", {"item": "tea", "count": 6})
    assert (refused.text, refused.reason, refused.function) == ("At most 5.", "denied", "price")
    assert till.paid == []
    assert called("price", {"item": "tea", "count": 5}).value == 15


def test_a_cache_answers_a_second_call(way: str) -> None:
    kept: dict[str, Outcome] = {}

    def cache(call: PendingCall) -> Steps:
        key = f"{call.function.name} {sorted(call.arguments.items())}"
        if key not in kept:
            kept[key] = yield
        return kept[key]

    till = Till()
    called = call_of(Controller.from_object(till).configured(on_call=cache), way)
    assert called("price", {"item": "tea"}) == called("price", {"item": "tea"})
    repaired = called("price", '{"item": "tea",}')
    assert [each.kind for each in repaired.repairs] == ["comma"]
    assert till.paid == [1]


def test_an_asynchronous_hook_awaits_and_yields_its_answer() -> None:
    seen: list[Outcome] = []

    async def hook(call: PendingCall) -> AsyncGenerator[Outcome | None, Outcome]:
        await asyncio.sleep(0)
        try:
            if call.arguments["item"] == "none":
                yield Outcome(text="There is none.")
            else:
                seen.append((yield None))
                yield replace(seen[-1], text="3!")
        finally:
            await asyncio.sleep(0)
            seen.append(Outcome(text="closed"))

    async def told(item: str) -> list[str]:
        del seen[:]
        outcome = await shop.acall("price", {"item": item})
        return [outcome.text, *(each.text for each in seen)]  # the hook ended before its caller

    shop = Controller.from_object(Till()).configured(on_call=hook)
    assert asyncio.run(told("none")) == ["There is none.", "closed"]
    assert asyncio.run(told("tea")) == ["3!", "3", "closed"]
    with pytest.raises(DefinitionError, match="acall"):
        shop.call("price", {"item": "tea"})


def test_an_outcome_returned_after_the_yield_replaces_it(way: str) -> None:
    def shout(call: PendingCall) -> Steps:
        outcome = yield
        return replace(outcome, text=f"{outcome.text}!")

    called = call_of(Controller.from_object(Till()).configured(on_call=shout), way)
    outcome = called("price", '{"item": "tea",}')
    assert outcome.text == "3!"
    assert len(outcome.repairs) == 1


def test_a_value_that_a_hook_replaced_is_on_no_other_road() -> None:
    def hide(call: PendingCall) -> Steps:
        outcome = yield
        return replace(outcome, text="hidden", value=None)

    def found() -> dict[str, str]:
        """Find it."""
        return {"number": "CANARY"}

    shop = Controller.from_functions([found]).configured(on_call=hide)
    request = {"name": "found", "arguments": {}}
    told = [shop.tools("mcp").run(request).messages, pickle.loads(pickle.dumps(shop.call("found")))]
    assert "CANARY" not in f"{told} {outcome_json(shop.call('found'))}"
    if find_spec("pydantic_monty"):
        program = {"code": "print(await found())"}
        assert shop.programs().call("run_program", program).text == "None"


@pytest.mark.parametrize("value", [1, 300, 10**30, 1.5, "a", None, {"a": [1]}, (1, 2), Till.price])
def test_what_a_model_sees_of_a_value_is_kept_beside_it(value: Any) -> None:
    outcome = Outcome(text="", value=value, _json=("***", value))
    assert outcome_json(outcome) == ("***",)
    assert outcome_json(pickle.loads(pickle.dumps(outcome))) == ("***",)
    assert outcome_json(replace(outcome, value="other")) == ("other",)


def test_hooks_are_nested_the_last_outermost() -> None:
    order: list[str] = []

    def named(name: str) -> Callable[[PendingCall], Steps]:
        def hook(call: PendingCall) -> Steps:
            order.append(name)
            yield
            order.append(name)

        return hook

    shop = Controller.from_object(Till()).configured(on_call=named("in"))
    shop.configured(on_call=named("out")).call("price", {"item": "tea"})
    assert order == ["out", "in", "in", "out"]


def test_the_outcome_is_masked_and_truncated_as_the_callers() -> None:
    seen: list[str] = []

    def log(call: PendingCall) -> Steps:
        assert "pin" not in call.arguments
        seen.append((yield).text)

    shop = Controller.from_object(Till(), limits=Limits(outcome=12)).configured(on_call=log)
    outcome = shop.call("pay", {"amount": 4}, human={"pin": "7391"})
    assert seen == [outcome.text]
    assert "7391" not in outcome.text
    assert len(outcome.text) <= 12


def test_a_waiting_call_passes_the_hook_and_the_resumed_one_too() -> None:
    reasons: list[str | None] = []

    def log(call: PendingCall) -> Steps:
        reasons.append((yield).reason)

    shop = Controller.from_object(Till()).configured(on_call=log)
    waiting = shop.call("pay", {"amount": 4}).waiting
    assert waiting is not None
    assert shop.resume(waiting.ticket, {"pin": "7391"}).ok
    assert reasons == ["needs_human", None]


def test_an_answer_to_a_resumed_call_uses_its_ticket_up() -> None:
    till, is_open = Till(), [False]

    def guard(call: PendingCall) -> Steps:
        return (yield) if is_open[0] else Outcome(text="Closed.", reason="denied")

    tickets = Tickets(b"k" * 32, store=MemoryStore())
    plain = Controller.from_object(till).configured(tickets=tickets)
    guarded = plain.configured(on_call=guard)
    waiting = plain.call("pay", {"amount": 4}).waiting
    assert waiting is not None
    assert guarded.resume(waiting.ticket, {"pin": "7391"}).text == "Closed."
    is_open[0] = True
    again = guarded.resume(waiting.ticket, {"pin": "7391"})
    assert (again.text, again.replayed) == ("Closed.", True)
    assert till.paid == []


def test_a_hook_that_raises_before_the_call_runs_nothing(
    way: str, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(call: PendingCall) -> Steps:
        raise KeyError("a secret")
        yield

    till = Till()
    with caplog.at_level(logging.ERROR, "pyfunctools"):
        shop = Controller.from_object(till).configured(on_call=broken)
        outcome = call_of(shop, way)("price", {"item": "tea"})
    assert outcome.reason == "raised"
    assert outcome.text == (
        "A check of the application before the call failed (KeyError). Nothing has run."
    )
    assert isinstance(outcome.exception, KeyError)
    assert till.paid == []
    assert "on_call" in caplog.text
    assert "a secret" not in caplog.text.partition("Traceback")[0]


def test_a_hook_that_raises_after_the_call_says_that_it_was_made(way: str) -> None:
    def broken(call: PendingCall) -> Steps:
        yield
        raise KeyError("a secret")

    till = Till()
    outcome = call_of(Controller.from_object(till).configured(on_call=broken), way)(
        "price", {"item": "tea"}
    )
    assert outcome.reason == "raised"
    assert "The call was made" in outcome.text
    assert "KeyError" in outcome.text
    assert "a secret" not in outcome.text
    assert (outcome.value, till.paid) == (3, [1])


def test_retry_of_a_hook_tells_the_model_what_to_do(way: str) -> None:
    def guard(call: PendingCall) -> Steps:
        raise Retry("Ask for fewer.")
        yield

    shop = Controller.from_object(Till()).configured(on_call=guard)
    assert call_of(shop, way)("price", {"item": "tea"}).text == "Ask for fewer."


def test_the_end_of_a_hook_runs_although_the_call_raises() -> None:
    ended: list[bool] = []

    def hook(call: PendingCall) -> Steps:
        try:
            yield
        finally:
            ended.append(True)

    async def wait() -> None:
        """Wait."""
        raise asyncio.CancelledError

    shop = Controller.from_functions([wait]).configured(on_call=hook)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(shop.acall("wait"))
    assert ended == [True]


def no_generator(call: PendingCall) -> Outcome:
    return Outcome(text="")


def without_parameters() -> Steps:
    yield


@pytest.mark.parametrize("hook", [no_generator, without_parameters, "text", print])
def test_what_is_no_hook_is_refused_at_once(hook: Any) -> None:
    with pytest.raises(DefinitionError, match="on_call"):
        Controller.from_object(Till()).configured(on_call=hook)


def ends_early(call: PendingCall) -> Steps:
    return None
    yield


def yields_a_number(call: PendingCall) -> Steps:
    yield 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("hook", "said"), [(ends_early, "without a `yield`"), (yields_a_number, "`int`")]
)
def test_a_mistake_of_a_hook_is_an_exception(hook: Any, said: str) -> None:
    till = Till()
    with pytest.raises(DefinitionError, match=said):
        Controller.from_object(till).configured(on_call=hook).call("price", {"item": "tea"})
    assert till.paid == []


def test_a_hook_that_yields_twice_is_said() -> None:
    def twice(call: PendingCall) -> Steps:
        yield
        yield

    outcome = Controller.from_object(Till()).configured(on_call=twice).call("fail")
    assert outcome.reason == "raised"
    assert "yielded twice" in str(outcome.exception)


class Counting:
    """A hook with a state."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, call: PendingCall) -> Steps:
        self.count += 1
        yield


def test_an_object_may_be_a_hook_and_goes_with_the_record() -> None:
    hook = Counting()
    shop = Controller.from_object(Till()).configured(on_call=hook)
    Controller.from_functions([*shop.functions]).call("price", {"item": "tea"})
    assert hook.count == 1
    read = pickle.loads(pickle.dumps(shop))
    assert read.call("price", {"item": "tea"}).ok
    with pytest.raises(DefinitionError, match="on_call"):
        pickle.dumps(shop.configured(on_call=lambda call: (yield)))
