"""A program waits for people: put into a ticket, and continued once, in any process."""

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import SecretStr
from random_programs import in_ticket

from pyfunctools import (
    Approval,
    CallInfo,
    Controller,
    Human,
    MemoryStore,
    Outcome,
    PendingCall,
    ProgramLimits,
    Tickets,
    Waiting,
    function,
    human,
)

pytest.importorskip("pydantic_monty")

PIN = "pin-4711-xyzzy"
KEY = bytes(range(32))


class Bank:
    """A bank."""

    def __init__(self) -> None:
        self.did: list[Any] = []

    @function(read_only=True)
    def accounts(self) -> list[str]:
        """List the accounts."""
        self.did.append("accounts")
        return ["a", "b", "c"]

    @function
    def pay(self, to: str, pin: Human[SecretStr], info: CallInfo) -> str:
        """Pay."""
        self.did.append(("pay", to, info.id, info.attempt))
        if pin.get_secret_value() != PIN:
            raise ValueError(f"{pin.get_secret_value()} is wrong")
        return f"paid {to} with {pin.get_secret_value()}"

    @function(confirm=True)
    def close(self, account: str) -> str:
        """Close an account."""
        self.did.append(("close", account))
        return f"closed {account}"

    @function
    def note(self, text: str, stars: Annotated[int, human("How many?")]) -> str:
        """Note."""
        self.did.append(("note", text, stars))
        return f"{text}: {stars} stars"

    @function
    def crash(self, pin: Human[str]) -> str:
        """Crash."""
        os._exit(3)


GATHER = """
import asyncio
first = await accounts()
print("start")
async def one(name):
    try:
        return await close(account=name)
    except RuntimeError as error:
        return "no " + name
done = await asyncio.gather(*[one(n) for n in first], pay(to="Ada"))
print("end")
done
"""


@pytest.fixture
def bank() -> Bank:
    return Bank()


def programs_of(
    bank: Bank, store: MemoryStore | None = None, limits: ProgramLimits | None = None, **more: Any
) -> Controller:
    tickets = Tickets(KEY, store=store or MemoryStore(), **more)
    return Controller.from_object(bank).configured(tickets=tickets).programs(limits=limits)


def start(programs: Controller, code: str = GATHER, **options: Any) -> Waiting:
    outcome = programs.call("run_program", {"code": code}, **options)
    assert outcome.waiting is not None, outcome.text
    return outcome.waiting


def ids(waiting: Waiting | None) -> dict[str, str]:
    """Return the ids of the pending calls by function and the first argument."""
    assert waiting is not None
    named = {}
    for each in waiting.pending:
        named[f"{each.function} {next(iter(each.arguments.values()), '')}"] = each.call_id
    return named


def test_all_calls_that_stand_still_are_pending(bank: Bank) -> None:
    outcome = programs_of(bank).call("run_program", {"code": GATHER})
    waiting = outcome.waiting
    assert waiting is not None
    assert not outcome.ok
    assert not outcome.is_error
    assert [*ids(waiting)] == ["pay Ada", "close a", "close b", "close c"]
    assert waiting.function == "run_program"
    assert {each.ticket for each in waiting.pending} == {None}
    assert [each.approval for each in waiting.pending] == [False, True, True, True]
    assert [each.path for each in waiting.pending[0].questions] == ["$input.pin"]
    assert [each.function for each in outcome.calls] == ["accounts", "pay", *["close"] * 3]
    assert bank.did == ["accounts"]
    assert "start" not in repr(outcome)


def test_answers_go_in_any_order_some_now_and_some_later(bank: Bank) -> None:
    programs = programs_of(bank)
    waiting = start(programs)
    named = ids(waiting)
    next_one = programs.resume(waiting.ticket, {named["pay Ada"]: {"pin": PIN}}).waiting
    assert [*ids(next_one)] == ["close a", "close b", "close c"]
    answers: dict[str, Any] = {named["close c"]: False, named["close a"]: True}
    assert next_one is not None
    last = programs.resume(next_one.ticket, answers).waiting
    assert ids(last) == {"close b": named["close b"]}
    assert last is not None
    outcome = programs.resume(last.ticket, {named["close b"]: Approval({"account": "z"})})
    assert outcome.value == ["closed a", "closed z", "no c", "paid Ada with ***"]
    assert outcome.text.startswith("start\nend\n")
    named_calls = [(each.function, each.outcome.reason) for each in outcome.calls]
    closes = [("close", None), ("close", None), ("close", "denied")]
    assert named_calls == [("accounts", None), ("pay", None), *closes]
    assert [each.call_id for each in outcome.calls[1:]] == list(named.values())
    assert sorted(map(str, bank.did)) == sorted(
        map(str, ["accounts", ("pay", "Ada", named["pay Ada"], 2), ("close", "a"), ("close", "z")])
    )


def test_acall_and_aresume_do_the_same(bank: Bank) -> None:
    async def main() -> Outcome:
        programs = programs_of(bank)
        waiting = (await programs.acall("run_program", {"code": GATHER})).waiting
        assert waiting is not None
        answers: dict[str, Any] = dict.fromkeys(ids(waiting).values(), True)
        answers[ids(waiting)["pay Ada"]] = {"$input.pin": PIN}
        return await programs.aresume(waiting.ticket, answers)

    assert asyncio.run(main()).value == ["closed a", "closed b", "closed c", "paid Ada with ***"]
    assert len(bank.did) == 5


def test_the_ticket_holds_nothing_of_a_persons_and_is_small(bank: Bank) -> None:
    programs = programs_of(bank)
    waiting = start(programs)
    answers = {ids(waiting)["pay Ada"]: {"pin": PIN}}
    later = programs.resume(waiting.ticket, answers).waiting
    assert later is not None
    assert later.ticket is not None
    assert len(later.ticket) < 10_000
    for written in (*in_ticket(later.ticket), repr(later), json.dumps(later.arguments)):
        assert "4711" not in written
        assert "xyzzy" not in written


def test_callables_are_asked_for_each_call_and_values_answer_none(bank: Bank) -> None:
    asked: list[PendingCall] = []

    def ask(pending: PendingCall) -> dict[str, Any]:
        asked.append(pending)
        return {"pin": PIN}

    def approve(pending: PendingCall) -> bool:
        asked.append(pending)
        return pending.arguments["account"] != "b"

    programs = programs_of(bank)
    outcome = programs.call("run_program", {"code": GATHER}, human=ask, approve=approve)
    assert outcome.value == ["closed a", "no b", "closed c", "paid Ada with ***"]
    assert [each.function.name for each in asked] == ["pay", "close", "close", "close"]
    for options in ({"human": {"pin": PIN}}, {"approve": True}):
        assert len(start(programs, **options).pending) == 4


def test_callables_may_be_asked_at_the_end_too(bank: Bank) -> None:
    programs = programs_of(bank)
    waiting = start(programs)
    outcome = programs.resume(
        waiting.ticket, lambda pending: {"pin": PIN}, approve=lambda pending: True
    )
    assert outcome.value == ["closed a", "closed b", "closed c", "paid Ada with ***"]


def test_a_mistake_of_the_persons_leaves_the_ticket_good(bank: Bank) -> None:
    programs = programs_of(bank)
    waiting = start(programs, 'x = await note(text="tea")\nx')
    (call_id,) = ids(waiting).values()
    again = programs.resume(waiting.ticket, {call_id: {"stars": "many"}})
    assert again.waiting is not None
    (question,) = again.waiting.pending[0].questions
    assert question.problem
    assert [str(each.path) for each in again.issues] == ["$input.stars"]
    for ticket in (waiting.ticket, again.waiting.ticket):
        outcome = programs.resume(ticket, {call_id: {"stars": "5"}})
        assert outcome.value == "tea: 5 stars" or outcome.replayed
    assert bank.did == [("note", "tea", 5)]


@pytest.mark.parametrize(
    "answers",
    [{"other": True}, {"$input.pin": PIN}, {}, None, True, Approval(), "text", {"ID": "yes"}],
)
def test_answers_that_are_for_no_call_run_nothing(bank: Bank, answers: Any) -> None:
    programs = programs_of(bank)
    waiting = start(programs)
    if isinstance(answers, dict) and "ID" in answers:
        answers = {waiting.pending[0].call_id: "yes"}
    given = {"approve": answers} if isinstance(answers, bool | Approval) else {"human": answers}
    outcome = programs.resume(waiting.ticket, **given)
    assert len(ids(outcome.waiting)) == 4
    assert bank.did == ["accounts"]
    assert bool(outcome.issues) is bool(answers)
    assert PIN not in repr(outcome)
    assert outcome.waiting is not None
    assert programs.resume(outcome.waiting.ticket, approve=False).reason == "raised"


def test_a_decline_is_an_exception_in_the_program(bank: Bank) -> None:
    programs = programs_of(bank)
    code = 'try:\n    await pay(to="Ada")\nexcept RuntimeError as error:\n    print(error)'
    waiting = start(programs, code)
    outcome = programs.resume(waiting.ticket, {waiting.pending[0].call_id: False})
    assert outcome.text == "The person declined this call. Nothing has run.\n".strip()
    uncaught = start(programs, 'await accounts()\nawait pay(to="Ada")')
    outcome = programs.resume(uncaught.ticket, False)
    assert outcome.reason == "raised"
    assert "not undone: accounts (ok)." in outcome.text


def test_a_program_waits_as_often_as_it_has_to(bank: Bank) -> None:
    programs = programs_of(bank)
    code = """
total = 0
for name in await accounts():
    total += len(await note(text=name))
    print(name, total)
total
"""
    outcome = programs.call("run_program", {"code": code})
    seen = []
    while outcome.waiting is not None:
        (each,) = outcome.waiting.pending
        seen.append(each.call_id)
        outcome = programs.resume(outcome.waiting.ticket, {each.call_id: {"stars": 5}})
    assert (outcome.value, outcome.text) == (30, "a 10\nb 20\nc 30\n30")
    assert len(set(seen)) == 3
    assert [each.function for each in outcome.calls] == ["accounts", "note", "note", "note"]
    assert bank.did == ["accounts", *[("note", each, 5) for each in "abc"]]


# Tickets.


def test_a_ticket_runs_once_and_tells_its_outcome_again(bank: Bank) -> None:
    programs = programs_of(bank)
    waiting = start(programs, 'await note(text="tea")')
    answers = {waiting.pending[0].call_id: {"stars": 5}}
    first = programs.resume(waiting.ticket, answers)
    again = programs.resume(waiting.ticket, answers)
    assert first.value == "tea: 5 stars"
    assert (again.text, again.replayed) == (first.text, True)
    assert len(bank.did) == 1


class Kept(MemoryStore):
    """A store that shows what is recorded."""

    def record(self, ticket_id: str, answer: str, /) -> None:
        assert PIN not in answer
        super().record(ticket_id, answer)


def test_a_ticket_whose_program_waits_again_tells_the_next_ticket_again(bank: Bank) -> None:
    programs = programs_of(bank, Kept())
    tools = programs.tools()
    asked = {"name": "run_program", "arguments": json.dumps({"code": GATHER})}
    call = {"id": "1", "type": "function", "function": asked}
    saved = tools.run(
        {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]}
    ).save()
    (waiting,) = tools.resume(saved, {}).waiting
    named = ids(waiting)
    answers = {named["pay Ada"]: {"pin": PIN}}
    first = programs.resume(waiting.ticket, answers)
    assert first.waiting is not None
    for again in (
        programs.resume(waiting.ticket, answers),
        asyncio.run(programs.aresume(waiting.ticket, {named["close a"]: True})),
        *tools.resume(saved, answers).outcomes,
    ):
        assert (again.text, again.reason, again.replayed) == (first.text, first.reason, True)
        assert again.waiting is not None
        assert replace(again.waiting, call_id=first.waiting.call_id) == first.waiting
        assert not again.is_error
    assert bank.did == ["accounts", ("pay", "Ada", named["pay Ada"], 2)]
    last = programs.resume(first.waiting.ticket, dict.fromkeys(ids(first.waiting).values(), True))
    assert last.value == ["closed a", "closed b", "closed c", "paid Ada with ***"]
    told = programs.resume(waiting.ticket, answers).waiting
    assert told is not None
    assert programs.resume(told.ticket, {}).text == last.text


def test_an_earlier_ticket_is_used_once_a_call_has_run(bank: Bank) -> None:
    programs = programs_of(bank)
    waiting = start(programs)
    named = ids(waiting)
    assert programs.resume(waiting.ticket, {named["close a"]: True}).waiting is not None
    late = programs.resume(waiting.ticket, {named["close b"]: True})
    assert late.replayed
    assert [*ids(late.waiting)] == ["pay Ada", "close b", "close c"]
    assert "Nothing has run" not in late.text
    assert bank.did == ["accounts", ("close", "a")]


def test_two_processes_at_once_run_each_call_once(bank: Bank) -> None:
    from concurrent.futures import ThreadPoolExecutor

    programs = programs_of(bank)
    waiting = start(programs)
    with ThreadPoolExecutor(8) as pool:
        done = [
            pool.submit(programs.resume, waiting.ticket, {call_id: True})
            for call_id in [*ids(waiting).values()][1:]
        ]
    told = [each.result() for each in done]
    assert sum(each.waiting is not None and not each.replayed for each in told) == 1
    assert {each.reason for each in told} <= {"needs_human", "ticket_used"}
    assert len(bank.did) == 2


def test_altered_foreign_truncated_and_expired_tickets_are_refused(bank: Bank) -> None:
    now = [1000.0]
    programs = programs_of(bank, clock=lambda: now[0], lifetime=60)
    waiting = start(programs, audience="ada")
    ticket = str(waiting.ticket)
    payload, _, signature = ticket.partition(".")
    places = range(0, len(payload), max(1, len(payload) // 60))
    altered = [payload[:n] + ("A" if payload[n] != "A" else "B") + payload[n + 1 :] for n in places]
    bad = [f"{each}.{signature}" for each in altered] + [ticket[:-1], ticket[1:], payload, ""]
    other = programs_of(Bank()).configured(tickets=Tickets(b"x" * 32, store=MemoryStore()))
    answers = dict.fromkeys(ids(waiting).values(), True)
    for each in bad:
        assert programs.resume(each, answers, audience="ada").reason == "ticket_foreign"
    assert other.resume(ticket, answers, audience="ada").reason == "ticket_foreign"
    assert programs.resume(ticket, answers, audience="bob").reason == "ticket_foreign"
    assert programs.resume(ticket, answers).reason == "ticket_foreign"
    now[0] += 61
    assert programs.resume(ticket, answers, audience="ada").reason == "ticket_expired"
    assert bank.did == ["accounts"]


def test_a_dump_of_another_monty_or_for_other_functions_is_changed(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyfunctools.integrations.programs import program_run as suspended

    store = MemoryStore()
    waiting = start(programs_of(bank, store))
    answers = dict.fromkeys(ids(waiting).values(), True)
    with monkeypatch.context() as patched:
        patched.setattr(suspended, "VERSION", "1.3.9")
        outcome = programs_of(bank, store).resume(waiting.ticket, answers)
        assert outcome.reason == "ticket_changed"

    class Other(Bank):
        @function(confirm=True)
        def close(self, account: str, reason: str = "") -> str:
            """Close."""
            return ""

    tickets = Tickets(KEY, store=store)
    changed = Controller.from_object(Other(), inherited=True).configured(tickets=tickets)
    assert changed.programs().resume(waiting.ticket, answers).reason == "ticket_changed"
    fewer = Controller.from_object(bank).configured(tickets=tickets).select(names=["pay"])
    assert fewer.programs().resume(waiting.ticket, answers).reason == "ticket_gone"
    assert bank.did == ["accounts"]
    assert programs_of(bank, store).resume(waiting.ticket, answers).waiting is not None


def test_a_withdrawn_program_does_not_go_on(bank: Bank) -> None:
    tickets = Tickets()
    programs = Controller.from_object(bank).configured(tickets=tickets).programs()
    waiting = start(programs)
    assert tickets.withdraw(str(waiting.ticket))
    outcome = programs.resume(waiting.ticket, dict.fromkeys(ids(waiting).values(), True))
    assert outcome.reason == "declined"
    assert bank.did == ["accounts"]


def test_waiting_does_not_count_as_time_and_counts_go_on(bank: Bank) -> None:
    limits = ProgramLimits(calls=3, output=10)
    programs = programs_of(bank, limits=limits)
    code = "for n in range(9):\n    await note(text=str(n))\n    print('ab')"
    outcome = programs.call("run_program", {"code": code})
    while outcome.waiting is not None:
        answers = {outcome.waiting.pending[0].call_id: {"stars": 5}}
        outcome = programs.resume(outcome.waiting.ticket, answers)
    assert "calls=3" in outcome.text
    assert len(bank.did) == 3
    assert [each.function for each in outcome.calls] == ["note"] * 3


def test_a_failure_after_waiting_tells_what_ran(bank: Bank) -> None:
    programs = programs_of(bank)
    waiting = start(programs, 'print("one")\nx = await pay(to="Ada")\nx["a"]')
    outcome = programs.resume(waiting.ticket, {waiting.pending[0].call_id: {"pin": PIN}})
    assert outcome.reason == "raised"
    assert "line 3" in outcome.text
    assert "pay (ok)" in outcome.text
    assert "one" in outcome.text
    assert PIN not in outcome.text
    again = programs.resume(waiting.ticket, {})
    assert (again.text, again.replayed) == (outcome.text, True)


FOLDER = Path(__file__).parent
PROCESS = """
import sys, json, base64
import test_programs_wait as t
from pyfunctools import SqliteStore
bank = t.Bank()
programs = t.programs_of(bank, SqliteStore({store!r}))
ticket, answers = json.loads(sys.stdin.read())
outcome = programs.resume(ticket, answers)
waits = outcome.waiting
print(json.dumps([outcome.text, outcome.reason, waits and waits.ticket, bank.did]))
"""


def in_another_process(store: Path, ticket: str | None, answers: Any) -> Any:
    code = PROCESS.format(store=str(store))
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps([ticket, answers]),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{FOLDER}:{FOLDER.parent / 'support'}"},
    )
    return json.loads(done.stdout) if done.returncode == 0 else done.returncode


@pytest.mark.slow
def test_another_process_goes_on_and_a_crash_is_told_truly(bank: Bank, tmp_path: Path) -> None:
    from pyfunctools import SqliteStore

    programs = programs_of(bank, SqliteStore(tmp_path / "s"))  # type: ignore[arg-type]
    waiting = start(programs, 'print("one")\nawait note(text="tea")')
    (call_id,) = ids(waiting).values()
    answer = {call_id: {"stars": 5}}
    told = in_another_process(tmp_path / "s", waiting.ticket, answer)
    assert told == ["one\ntea: 5 stars", None, None, [["note", "tea", 5]]]
    again = programs.resume(waiting.ticket, answer)
    assert (again.text, again.replayed) == (told[0], True)

    waiting = start(programs, "await crash()")
    (call_id,) = ids(waiting).values()
    assert in_another_process(tmp_path / "s", waiting.ticket, {call_id: {"pin": PIN}}) == 3
    outcome = programs.resume(waiting.ticket, {call_id: {"pin": PIN}})
    assert outcome.reason == "ticket_used"
    assert "not known" in outcome.text


# Turns.


def reply(*codes: str) -> dict[str, Any]:
    calls = [
        {
            "id": f"call_{n}",
            "type": "function",
            "function": {"name": "run_program", "arguments": json.dumps({"code": code})},
        }
        for n, code in enumerate(codes)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    return {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}


@pytest.mark.parametrize("by_inner_id", [False, True])
def test_a_saved_turn_goes_on(bank: Bank, by_inner_id: bool) -> None:
    store = MemoryStore()
    turn = programs_of(bank, store).tools("openai").run(reply(GATHER, 'await note(text="tea")'))
    saved = json.loads(json.dumps(turn.save()))
    named = {**ids(turn.waiting[0]), **ids(turn.waiting[1])}
    assert len(set(named.values())) == 5
    tools = programs_of(bank, store).tools("openai")
    answers: dict[str, Any] = dict.fromkeys(named.values(), True)
    answers[named["pay Ada"]], answers[named["note tea"]] = {"pin": PIN}, {"stars": 4}
    if not by_inner_id:
        outer = {each.call_id: each for each in turn.waiting}
        answers = {
            key: {each.call_id: answers[each.call_id] for each in waiting.pending}
            for key, waiting in outer.items()
        }
    done = tools.resume(saved, answers)
    assert not done.waiting
    texts = [message["content"] for message in done.messages[1:]]
    assert texts[1] == "tea: 4 stars"
    assert texts[0].startswith("start\nend\n")
    for text in (json.dumps(saved), json.dumps(done.messages), json.dumps(done.save())):
        assert PIN not in text


# Other ways to a person.


@pytest.mark.parametrize("accepts", [True, False])
def test_an_mcp_client_asks_for_one_call_after_another(bank: Bank, accepts: bool) -> None:
    pytest.importorskip("mcp")
    from mcp import Client
    from mcp_types import ElicitResult

    from pyfunctools.integrations.mcp import server

    asked: list[str] = []

    async def ask(_: Any, params: Any) -> Any:
        asked.append(params.message)
        fields = params.requested_schema["properties"]
        content: dict[str, Any] = {"stars": 4} if "stars" in fields else {}
        return ElicitResult(action="accept" if accepts else "decline", content=content)

    async def main() -> Any:
        code = """
import asyncio
async def one(call):
    try:
        return await call
    except RuntimeError:
        return "no"
await asyncio.gather(one(close(account="a")), one(note(text="tea")))
"""
        async with Client(server(programs_of(bank)), elicitation_callback=ask) as client:
            return await client.call_tool("run_program", {"code": code})

    result = asyncio.run(main())
    assert not result.is_error
    done = '["closed a", "tea: 4 stars"]' if accepts else '["no", "no"]'
    assert result.content[0].text == done
    assert [each.splitlines()[0] for each in asked] == [
        "run_program calls close",
        "run_program calls note",
    ]
    assert len(bank.did) == 2 * accepts


@pytest.mark.slow
def test_frameworks_go_on_with_a_program(bank: Bank) -> None:
    pytest.importorskip("pydantic_ai")
    from pydantic_ai import Agent, DeferredToolRequests
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    from pyfunctools.integrations.pydantic_ai import toolset

    def model(messages: Any, _: Any) -> ModelResponse:
        last = messages[-1].parts[-1]
        if last.part_kind == "tool-return":
            return ModelResponse(parts=[TextPart(str(last.content))])
        call = ToolCallPart("run_program", {"code": GATHER}, tool_call_id="c1")
        return ModelResponse(parts=[call])

    tools = toolset(programs_of(bank))
    agent = Agent(FunctionModel(model), toolsets=[tools], output_type=[str, DeferredToolRequests])
    first = agent.run_sync("go")
    assert isinstance(first.output, DeferredToolRequests)
    pending = first.output.metadata["c1"]["pending"]
    answers: dict[str, Any] = {each["call_id"]: True for each in pending}
    answers[pending[0]["call_id"]] = {"pin": PIN}
    results = tools.results(first.output, {"c1": answers})
    last = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=results)
    assert "closed c" in str(last.output)
    assert PIN not in str(last.all_messages())
    assert len(bank.did) == 5


@pytest.mark.parametrize("elsewhere", [False, True])
def test_langgraph_goes_on_with_a_program(bank: Bank, elsewhere: bool) -> None:
    pytest.importorskip("langchain")
    from langchain_core.messages import AIMessage
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode

    from pyfunctools.integrations.langchain import resume, tools

    saver, store, graphs = InMemorySaver(), MemoryStore(), list[Any]()
    thread: Any = {"configurable": {"thread_id": "1"}}

    def app() -> Any:
        """Return the graph, or one that knows only what was saved."""
        if elsewhere or not graphs:
            graph: Any = StateGraph(MessagesState)
            graph.add_node("tools", ToolNode(tools(programs_of(bank, store))))
            graph.set_entry_point("tools")
            graphs.append(graph.compile(checkpointer=saver))
        return graphs[-1]

    call = {"name": "run_program", "args": {"code": GATHER}, "id": "c1", "type": "tool_call"}
    state = app().invoke({"messages": [AIMessage("", tool_calls=[call])]}, thread)
    pending = state["__interrupt__"][0].value["pending"]
    answers: dict[str, Any] = {each["call_id"]: True for each in pending}
    answers[pending[0]["call_id"]] = {"pin": PIN}
    for given in (dict(list(answers.items())[:2]), dict(list(answers.items())[2:])):
        state = app().invoke(resume(state["__interrupt__"], {"c1": given}), thread)
    assert "closed c" in state["messages"][-1].content
    assert PIN not in str(state)
    assert len(bank.did) == 5


def test_langgraph_continues_a_program_by_a_bare_answer(bank: Bank) -> None:
    pytest.importorskip("langchain")
    from langchain_core.messages import AIMessage
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode
    from langgraph.types import Command

    from pyfunctools.integrations.langchain import tools

    graph: Any = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(tools(programs_of(bank))))
    graph.set_entry_point("tools")
    app, thread = graph.compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "1"}}
    code = "await accounts()\nawait close(account='a')"
    call = {"name": "run_program", "args": {"code": code}, "id": "c1", "type": "tool_call"}
    app.invoke({"messages": [AIMessage("", tool_calls=[call])]}, thread)
    state = app.invoke(Command(resume={"human": {"c1.2": True}}), thread)
    assert state["messages"][-1].content == "closed a"
    assert bank.did == ["accounts", ("close", "a")]


def test_the_page_asks_for_each_call_of_a_program(bank: Bank) -> None:
    pytest.importorskip("python_multipart")
    from starlette.testclient import TestClient

    programs = programs_of(bank)
    waiting = start(programs, GATHER, audience="ada")
    page = programs.inspector(audience=lambda _: "ada", waiting=lambda _: [waiting])
    client = TestClient(page, base_url="http://127.0.0.1")
    shown = client.get("/waiting").text
    pay, *closes = [each.call_id for each in waiting.pending]
    assert f'name="{pay}$input.pin"' in shown
    form = {f"{each}action": "approve" for each in closes}
    form |= {"call": waiting.call_id, f"{pay}$input.pin": PIN, "action": "run"}
    origin = {"origin": "http://127.0.0.1"}
    answered = client.post("/waiting", data=form, headers=origin).text
    assert "closed c" in answered
    assert PIN not in answered
    assert len(bank.did) == 5
