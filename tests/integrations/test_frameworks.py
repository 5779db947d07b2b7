"""Claims about every framework: one shop, the same conversations, three agents."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from frameworks import NAMES, Driver, driver, reopened
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from leaking import NUMBER, leaked, random_function
from random_schemas import MARK
from random_values import Values
from roads import locals_of

from pyfunctools import (
    Approval,
    CallError,
    Context,
    Controller,
    DefinitionError,
    File,
    Human,
    MemoryStore,
    Retry,
    SqliteStore,
    Tickets,
    function,
)

PIN = "4711-0815"
KEY = b"a key of this test's, of at least 32 bytes"
TWO = [("p", "pay", '{"amount": 3}'), ("e", "erase", '{"sku": "x"}')]
every = pytest.mark.parametrize("name", NAMES)


class Shop:
    def __init__(self) -> None:
        self.done: list[str] = []

    @function
    def order(self, item: str, count: int, config: str = "", run_manager: int = 0) -> str:
        """Order something; the names of the other parameters are LangChain's own."""
        self.done.append(f"order {item} {count}{config}{run_manager or ''}")
        return f"{count} {item}"

    @function
    def pay(self, amount: int, pin: Human[str]) -> str:
        """Pay."""
        self.done.append(f"pay {amount} {pin}")
        return f"paid {amount}"

    @function(confirm=True)
    def erase(self, sku: str, who: Context[str | None] = None) -> str:
        """Erase."""
        self.done.append(f"erase {sku} {who}")
        return f"erased {sku}"

    @function
    def fail(self, how: str) -> File:
        """Fail, or show a picture."""
        if how == "retry":
            raise Retry("Write it in another way.")
        if how == "raise":
            raise ValueError("it is broken")
        return File(b"a picture", "a.png", "image/png")


def shop(folder: Path | None = None) -> tuple[Shop, Controller]:
    made = Shop()
    controller = Controller.from_object(made)
    if folder is None:
        return made, controller
    tickets = Tickets(KEY, store=SqliteStore(folder / "used.sqlite"))
    return made, controller.configured(tickets=tickets)


def play(conversation: Driver, *answers: dict[str, Any]) -> Driver:
    async def run() -> None:
        await conversation.start()
        for each in answers:
            await conversation.go_on(each)

    asyncio.run(run())
    return conversation


@every
def test_feedback_goes_back_and_broken_arguments_are_read(name: str) -> None:
    made, controller = shop()
    calls = [
        [("a", "order", '{"item": "tea", "count": "many"}')],
        [("b", "order", "{'item': 'tea', 'count': '2', 'config': '!', run_manager: 7,")],
        [("c", "order", "what do you mean")],
        "Done.",
    ]
    played = play(driver(name, controller, *calls))
    assert made.done == ["order tea 2!7"]
    assert "expected integer" in played.seen[1]
    assert "2 tea" in played.seen[2]
    assert "There is no JSON value" in played.seen[3]


@every
@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("retry", "Write it in another way."),
        ("raise", "ValueError: it is broken"),
        ("show", "YSBwaWN0dXJl"),
    ],
)
def test_what_a_method_raises_or_shows_reaches_the_model(name: str, how: str, told: str) -> None:
    _, controller = shop()
    played = play(driver(name, controller, [("a", "fail", json.dumps({"how": how}))], "Done."))
    assert told in played.seen[1]


ORDER = ("o", "order", '{"item": "tea", "count": 2}')


def go_on(name: str, folder: Path) -> None:
    """Go on with what was kept in a folder, and print what ran and what the model was sent."""

    async def run() -> None:
        kept = (folder / "kept").read_bytes()
        second = await reopened(name, kept, controller, "Done.", context="Ada")
        await second.go_on({"p": {"pin": PIN}, "e": True})
        print(json.dumps([made.done, second.seen]))

    made, controller = shop(folder)
    asyncio.run(run())


@every
@pytest.mark.slow
def test_another_process_goes_on_and_nothing_runs_twice(name: str, tmp_path: Path) -> None:
    made, controller = shop(tmp_path)
    first = play(driver(name, controller, [ORDER, *TWO], context="Ada"))
    assert set(first.waiting) == {"p", "e"}
    assert made.done == ["order tea 2"]
    (tmp_path / "kept").write_bytes(first.kept())
    assert PIN.encode() not in first.kept()
    here = Path(__file__)
    code = f"from test_frameworks import go_on, Path; go_on({name!r}, Path({str(tmp_path)!r}))"
    paths = (here.parents[2], here.parent, here.parents[1] / "support")
    ran = []
    for told in ("paid 3", "paid 3"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        there, seen = json.loads(done.stdout)
        ran += there
        assert told in seen[-1]
        assert "2 tea" in seen[-1]  # what ran before is told, and not run
        assert not [text for text in (*first.seen, *seen) if PIN in text or '"pin"' in text]
    assert sorted(ran) == ["erase x Ada", f"pay 3 {PIN}"]


@every
def test_a_denied_call_does_not_run_and_the_model_is_told(name: str) -> None:
    made, controller = shop()
    played = play(driver(name, controller, TWO, "Done."), {"p": False, "e": False})
    assert made.done == []
    assert played.seen[-1].count("Nothing has run.") == 2


@every
def test_a_declined_call_does_not_run_from_the_same_state_either(name: str, tmp_path: Path) -> None:
    made, controller = shop(tmp_path)
    first = play(driver(name, controller, TWO))

    async def again(answer: bool) -> str:
        second = await reopened(name, first.kept(), controller.select(), "Done.")
        await second.go_on({"p": {"pin": PIN}, "e": answer})
        return second.seen[-1]

    told = asyncio.run(again(False))
    assert "declined" in told
    told = asyncio.run(again(True))
    assert "declined" in told or "withdrawn" in told
    assert "paid 3" in told
    assert made.done == [f"pay 3 {PIN}"]


class AsyncStore:
    """A store in another place, which has to be awaited."""

    def __init__(self) -> None:
        self.used = set[str]()

    async def claim(self, id: str, expires: float) -> bool:
        """Use up an id."""
        await asyncio.sleep(0)
        return len(self.used) != (self.used.add(id) or len(self.used))


@every
def test_a_decline_withdraws_from_an_asynchronous_store_too(name: str) -> None:
    store = AsyncStore()
    made = Shop()
    tickets = Tickets(KEY, store=store)
    controller = Controller.from_object(made).configured(tickets=tickets)
    play(driver(name, controller, TWO[1:], "Done."), {"e": False})
    assert made.done == []
    assert len(store.used) == 1


@every
def test_some_answer_now_and_others_later(name: str) -> None:
    made, controller = shop()
    edited = Approval(arguments={"sku": "y"})
    play(driver(name, controller, TWO, "Done."), {"p": {"pin": PIN}}, {"e": edited})
    assert made.done == [f"pay 3 {PIN}", "erase y None"]


@pytest.mark.parametrize("name", ["pydantic_ai", "langchain"])
def test_calls_inside_a_program_are_answered_by_their_ids(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pydantic_monty")
    made, controller = shop(tmp_path)
    code = 'import asyncio\nawait asyncio.gather(pay(amount=3), erase(sku="x"))'
    calls = [("r", "run_program", json.dumps({"code": code}))]
    played = play(driver(name, controller.programs(), calls, "Done."))
    pay, erase = (each["call_id"] for each in played.waiting["r"]["pending"])
    with pytest.raises(DefinitionError, match="'nobody'.*'r'.*" + re.escape(repr(erase))):
        asyncio.run(played.go_on({"nobody": True}))
    asyncio.run(played.go_on({pay: {"pin": PIN}}))
    assert [each["call_id"] for each in played.waiting["r"]["pending"]] == [erase]
    asyncio.run(played.go_on({erase: False}))
    assert made.done == [f"pay 3 {PIN}"]
    assert "The person declined" in played.seen[-1]
    assert PIN not in "".join(played.seen)


@pytest.mark.parametrize("name", ["pydantic_ai", "langchain"])
def test_a_mistake_of_the_person_is_asked_about_again(name: str) -> None:
    made, controller = shop()
    calls = [("p", "pay", '{"amount": 3}')]
    played = play(driver(name, controller, calls, "Done."), {"p": {"pin": ["no"]}})
    assert "not accepted" in played.waiting["p"]["text"]
    assert made.done == []
    asyncio.run(played.go_on({"p": {"pin": PIN}}))
    assert made.done == [f"pay 3 {PIN}"]


@pytest.mark.parametrize("name", ["pydantic_ai", "langchain"])
def test_a_call_waits_on_while_its_store_fails(name: str) -> None:
    class Locked(MemoryStore):
        fails = True

        def claim(self, ticket_id: str, expires: float, /) -> bool:
            if self.fails:
                raise OSError(PIN)
            return super().claim(ticket_id, expires)

    made, controller = shop()
    store = Locked()
    controller = controller.configured(tickets=Tickets(KEY, store=store))
    played = play(driver(name, controller, TWO[:1], "Done."), {"p": {"pin": PIN}})
    assert "still waits" in played.waiting["p"]["text"]
    assert PIN not in str(played.waiting) + played.kept().decode(errors="replace")
    store.fails = False
    asyncio.run(played.go_on({"p": {"pin": PIN}}))
    assert made.done == [f"pay 3 {PIN}"]


def test_a_mistake_of_the_person_is_refused_before_anything_is_decided() -> None:
    made, controller = shop()
    played = driver("openai_agents", controller, [("p", "pay", '{"amount": 3}')], "Done.")
    with pytest.raises(CallError) as caught:
        play(played, {"p": {"pin": ["no"]}})
    assert [issue.side for issue in caught.value.outcome.issues] == ["human"]
    asyncio.run(played.go_on({"p": {"pin": PIN}}))
    assert made.done == [f"pay 3 {PIN}"]


@every
def test_a_state_that_is_gone_on_from_twice_runs_once(name: str, tmp_path: Path) -> None:
    made, controller = shop(tmp_path)
    first = play(driver(name, controller, TWO))

    async def again() -> str:
        second = await reopened(name, first.kept(), controller.select(), "Done.")
        await second.go_on({"p": {"pin": PIN}, "e": True})
        return second.seen[-1]

    assert "paid 3" in asyncio.run(again())
    assert "paid 3" in asyncio.run(again())
    assert len(made.done) == 2


def with_more(amount: int, pin: Human[str], currency: str = "EUR") -> str:
    """Pay."""
    raise AssertionError(f"{amount} {currency} {pin}")


def with_other(amount: float, currency: str, pin: Human[str]) -> str:
    """Pay."""
    raise AssertionError(f"{amount} {currency} {pin}")


@pytest.mark.parametrize(
    ("name", "now", "told"),
    [
        *((name, with_more, "as it was before a change") for name in NAMES),
        ("pydantic_ai", with_other, "missing: expected string"),
        ("langchain", with_other, "missing: expected string"),
        ("openai_agents", with_other, "as it was before a change"),
    ],
)
def test_a_function_that_changed_since_does_not_run(
    name: str, now: Any, told: str, tmp_path: Path
) -> None:
    _, controller = shop(tmp_path)
    first = play(driver(name, controller, [("p", "pay", '{"amount": 3}')]))
    tickets = Tickets(KEY, store=SqliteStore(tmp_path / "used.sqlite"))
    changed = Controller.from_functions([function(name="pay")(now)]).configured(tickets=tickets)

    async def run() -> str:
        second = await reopened(name, first.kept(), changed, "Done.")
        await second.go_on({"p": {"pin": PIN}})
        return second.seen[-1]

    assert told in asyncio.run(run())


@every
def test_an_id_that_does_not_wait_is_refused(name: str) -> None:
    made, controller = shop()
    with pytest.raises(DefinitionError, match=r"No call 'zz' .* The ids are 'p'") as caught:
        play(driver(name, controller, TWO[:1], "Done."), {"zz": {"pin": PIN}})
    assert made.done == []
    assert PIN not in str(locals_of(caught.value))


def test_a_value_that_is_refused_is_not_in_our_frames() -> None:
    _, controller = shop()
    with pytest.raises(CallError) as caught:
        play(driver("openai_agents", controller, TWO[:1], "Done."), {"p": {"pin": [PIN]}})
    assert PIN not in str(locals_of(caught.value))


@every
def test_a_function_that_was_found_by_a_search_waits_as_itself(name: str) -> None:
    made, controller = shop()

    def through(call: str, function: str, **arguments: Any) -> tuple[str, str, str]:
        return call, "call_function", json.dumps({"name": function, "arguments": arguments})

    calls = [through("p", "pay", amount=3), through("e", "erase", sku="x")]
    played = driver(name, controller.searchable(), calls, "Done.")
    play(played, {"p": {"pin": PIN}, "e": True})
    assert sorted(made.done) == ["erase x None", f"pay 3 {PIN}"]
    assert "paid 3" in played.seen[-1]


@every
def test_a_rule_of_the_program_asks_for_an_approval_too(name: str) -> None:
    made, controller = shop()
    ruled = controller.configured(confirm=lambda call: call.arguments["count"] > 5)
    calls = [
        ("a", "order", '{"item": "tea", "count": 2}'),
        ("b", "order", '{"item": "tea", "count": 9}'),
    ]
    played = driver(name, ruled, calls, "Done.")
    asyncio.run(played.start())
    assert [*played.waiting] == ["b"]
    asyncio.run(played.go_on({"b": True}))
    assert sorted(made.done) == ["order tea 2", "order tea 9"]


def test_no_approval_is_taken_for_granted_where_none_was_asked_for() -> None:
    made, controller = shop()
    asked: list[Any] = []

    def rule(call: Any) -> bool:
        asked.append(call)
        return len(asked) > 1  # not when the SDK asks whether to interrupt, but when the call runs

    played = driver(
        "openai_agents",
        controller.configured(confirm=rule),
        [("a", "order", '{"item": "tea", "count": 2}')],
        "Done.",
    )
    asyncio.run(played.start())
    assert (len(asked), made.done) == (2, [])
    assert "A person has to approve this call first." in played.seen[-1]


def test_calls_that_do_more_than_read_run_one_after_another() -> None:
    done: list[int] = []

    async def pay(cents: int) -> str:
        await asyncio.sleep(0.01)
        done.append(cents)
        return "paid"

    limited = Controller.from_functions([pay]).configured(confirm=lambda _: bool(done))
    calls = [("a", "pay", '{"cents": 60}'), ("b", "pay", '{"cents": 61}')]
    played = driver("pydantic_ai", limited, calls, "Done.")
    asyncio.run(played.start())
    assert (done, [*played.waiting]) == ([60], ["b"])


@every
def test_a_mistake_of_the_program_shows_no_value_in_our_frames(name: str) -> None:
    _, controller = shop()
    resumed: list[object] = []

    def broken(_: object) -> Any:
        if resumed:
            return "no outcome"
        yield

    played = driver(name, controller.configured(on_call=broken), TWO[:1], "Done.")
    asyncio.run(played.start())
    resumed.append(1)
    with pytest.raises(Exception, match="on_call") as caught:
        asyncio.run(played.go_on({"p": {"pin": PIN}}))
    assert PIN not in str(locals_of(caught.value))


IDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4}|\d\d:\d\d:\d\d\.\d+")
"""Ids and dates of the frameworks, which may have any digits."""


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    else:
        yield value


@every
@pytest.mark.slow
@law(60, most=500)
@given(seed=st.integers(0, 2**48))
def test_no_model_is_sent_what_is_a_persons(name: str, seed: int) -> None:
    random = Random(seed)

    def handler(**arguments: Any) -> str:
        if random.random() < 0.5:
            raise ValueError(list(leaves(arguments)))  # names would be the method's own words
        return "done"

    function = random_function(random, handler)
    theirs = Values(random, function.parameters, MARK, NUMBER)
    evil = Values(random, function.parameters, "EVIL", 6660)
    assert function.separated is not None
    _, human = function.separated.split(theirs.of(function.parameters))
    mine, _ = function.separated.split(evil.of(function.parameters))
    bad = evil.hostile(evil.of(function.parameters))
    texts = [json.dumps(mine), json.dumps(bad), json.dumps(mine)[:-1]]
    calls = [[("a", "f", texts[0])], [("b", "f", texts[1])], [("c", "f", texts[2])], "Done."]
    played = driver(name, Controller.from_functions([function]), *calls)
    play(played)
    for _ in range(3):
        if played.waiting:
            given_ = human if isinstance(human, dict) else {}
            try:
                asyncio.run(played.go_on(dict.fromkeys(played.waiting, given_)))
            except CallError:
                asyncio.run(played.go_on(dict.fromkeys(played.waiting, False)))
        for each in list(played.waiting):
            asyncio.run(played.go_on({each: False}))
    assert played.seen
    for text in played.seen:
        told = IDS.sub("", text)
        assert not leaked(told, "".join(texts)), told


def test_no_span_of_pydantic_ai_holds_a_persons_value() -> None:
    pytest.importorskip("pydantic_ai", exc_type=ImportError)
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from pydantic_ai.models.instrumented import InstrumentationSettings

    exporter, provider = InMemorySpanExporter(), sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    made, controller = shop()
    played: Any = driver("pydantic_ai", controller, TWO[:1], "Done.")
    played.agent.instrument = InstrumentationSettings(
        tracer_provider=provider, include_content=True
    )
    play(played, {"p": {"pin": PIN}})
    assert made.done == [f"pay 3 {PIN}"]
    spans = "".join(each.to_json() for each in exporter.get_finished_spans())
    assert "paid 3" in spans
    assert PIN not in spans
