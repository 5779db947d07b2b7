"""LangGraph runs the calls beside an interrupt once, and sees no value of a person's."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from pyfunctools import Approval, Controller, Human, function

pytest.importorskip("langchain", exc_type=ImportError)

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from pyfunctools.integrations.langchain import resume, tools

PIN = "TRACEPIN-4711"


class Shop:
    """`charge` and `achieve` run until somebody lets them; `ask` needs a person."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.started, self.may_end = threading.Event(), threading.Event()

    @function
    def charge(self) -> str:
        """Charge."""
        self.ran.append("charge")
        self.started.set()
        assert self.may_end.wait(60)
        return "charged"

    @function
    async def send(self) -> str:
        """Send."""
        self.ran.append("send")
        self.started.set()
        await asyncio.to_thread(self.may_end.wait, 60)
        return "sent"

    @function(read_only=True)
    async def look(self) -> str:
        """Look."""
        self.ran.append("look")
        self.started.set()
        await asyncio.to_thread(self.may_end.wait, 60)
        return "seen"

    @function
    def ask(self, pin: Human[str], note: str = "") -> str:
        """Ask."""
        self.ran.append(f"ask {pin}{note}")
        return "asked"

    @function(confirm=True)
    def erase(self, what: str, why: Human[str] = "") -> str:
        """Erase."""
        self.ran.append(f"erase {what} {why}")
        return "erased"


def graph(controller: Controller) -> Any:
    made = StateGraph(MessagesState).add_node("tools", ToolNode(tools(controller)))
    return made.add_edge(START, "tools").compile(checkpointer=InMemorySaver())


def message(*names: str, **arguments: Any) -> Any:
    calls: Any = [
        {"id": each, "name": each, "args": arguments.get(each, {}), "type": "tool_call"}
        for each in names
    ]
    return {"messages": [AIMessage("", tool_calls=calls)]}


def config(*handlers: BaseCallbackHandler) -> Any:
    return {"configurable": {"thread_id": "1"}, "callbacks": list(handlers)}


async def invoked(made: Any, given: Any, conf: Any) -> Any:
    return await made.ainvoke(given, conf)


async def streamed(made: Any, given: Any, conf: Any) -> Any:
    last: dict[str, Any] = {}
    async for part in made.astream(given, conf, stream_mode="values"):
        last |= part
    return last


def in_one_loop(step: Callable[..., Any], made: Any, *given: Callable[[Any], Any]) -> Any:
    async def run() -> Any:
        result: Any = None
        for each in given:
            result = await step(made, each(result), config())
        return result

    return asyncio.run(run())


def in_many_loops(step: Callable[..., Any], made: Any, *given: Callable[[Any], Any]) -> Any:
    result: Any = None
    for each in given:
        result = asyncio.run(step(made, each(result), config()))
    return result


def blocking(_: Callable[..., Any], made: Any, *given: Callable[[Any], Any]) -> Any:
    result: Any = None
    for each in given:
        result = made.invoke(each(result), config())
    return result


@pytest.mark.parametrize("step", [invoked, streamed])
@pytest.mark.parametrize("run", [in_one_loop, in_many_loops, blocking])
@pytest.mark.parametrize("names", [("charge", "ask"), ("ask", "charge"), ("ask", "send")])
def test_a_call_in_flight_beside_an_interrupt_runs_once(
    names: tuple[str, str], run: Callable[..., Any], step: Callable[..., Any]
) -> None:
    if run is blocking and "send" in names:
        pytest.skip("an asynchronous function has no blocking call here")
    shop = Shop()
    other = next(each for each in names if each != "ask")
    timer = threading.Timer(0.05, shop.may_end.set)  # the interrupt comes first
    timer.start()
    made = graph(Controller.from_object(shop))
    result = run(
        step,
        made,
        lambda _: message(*names),
        lambda last: resume(last["__interrupt__"], {"ask": {"pin": PIN}}),
    )
    timer.join()
    assert sorted(shop.ran) == sorted([f"ask {PIN}", other])
    told = {each.tool_call_id: each.content for each in result["messages"][1:]}
    assert told == {"ask": "asked", other: {"charge": "charged", "send": "sent"}[other]}


@pytest.mark.parametrize(("name", "times"), [("send", 1), ("charge", 1), ("look", 2)])
def test_a_cancelled_call_is_repeated_only_if_that_is_harmless(name: str, times: int) -> None:
    shop = Shop()
    made = graph(Controller.from_object(shop))

    async def run() -> Any:
        task = asyncio.ensure_future(made.ainvoke(message(name), config()))
        await asyncio.to_thread(shop.started.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        shop.may_end.set()
        return await made.ainvoke(None, config())

    told = asyncio.run(run())["messages"][-1]
    assert shop.ran == [name] * times
    assert ("effects are not known" in told.content) == (times == 1)
    assert told.status == ("error" if times == 1 else "success")


class Trace(BaseCallbackHandler):
    """What every callback of LangChain is given: a tracer sends no more."""

    def __init__(self) -> None:
        self.text = ""

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("on_"):
            return super().__getattribute__(name)

        def record(*given: Any, **more: Any) -> None:
            self.text += f"{name} {given!r} {more!r}\n"

        return record


@pytest.mark.parametrize("awaits", [True, False])
def test_no_trace_no_state_and_no_checkpoint_holds_a_persons_value(awaits: bool) -> None:
    shop, trace = Shop(), Trace()
    made = graph(Controller.from_object(shop))
    seen = ""

    def step(given: Any) -> Any:
        nonlocal seen
        modes = ["values", "updates", "checkpoints", "tasks", "debug"]
        streaming = made.astream if awaits else made.stream

        async def parts() -> list[Any]:
            if not awaits:
                return list(streaming(given, config(trace), stream_mode=modes))
            return [each async for each in streaming(given, config(trace), stream_mode=modes)]

        seen += repr(asyncio.run(parts()))
        return made.get_state(config()).interrupts

    both = message("ask", "erase", ask={"note": "!"}, erase={"what": "x"})
    edited = Approval(arguments={"what": "y"}, human={"why": f"since {PIN}"})
    answers = {"ask": [{"pin": ["WRONG-" + PIN]}, {"pin": PIN}], "erase": [edited]}
    waiting = step(both)
    while waiting:  # under asyncio the call that interrupts first is shown alone
        call = waiting[0].value["call_id"]
        waiting = step(resume(waiting, {call: answers[call].pop(0)}))
    assert sorted(shop.ran) == [f"ask {PIN}!", f"erase y since {PIN}"]
    assert trace.text.count("on_chain_start") >= 4
    assert "on_tool_start" in trace.text
    saver = made.checkpointer
    kept = repr((dict(saver.storage), dict(saver.writes), dict(saver.blobs)))
    history = repr(list(made.get_state_history(config())))
    for text in (trace.text, seen, kept, history):
        assert PIN not in text
    from pyfunctools.integrations import langchain

    assert PIN not in repr(langchain._GIVEN)  # pyright: ignore[reportPrivateUsage]


def test_an_answer_is_for_its_own_call_and_a_bare_one_for_none_of_two() -> None:
    for last in range(12):  # the calls of a node are threads, in any order
        shop = Shop()
        made = graph(Controller.from_object(shop))
        both = message("ask", "erase", erase={"what": "x"})
        (waiting,) = made.invoke(both, config())["__interrupt__"]
        (again,) = made.invoke(Command(resume={"approve": True}), config())["__interrupt__"]
        assert waiting.value["call_id"] == again.value["call_id"] == "ask"
        assert shop.ran == []  # a bare yes is for neither, or for the one that was shown
        made.invoke(resume([again], {"ask": {"pin": PIN}}), config())
        assert shop.ran == [f"ask {PIN}"], last
        (waiting,) = made.get_state(config()).interrupts
        made.invoke(resume([waiting], {"erase": last % 2 == 0}), config())
        assert shop.ran == [f"ask {PIN}", *["erase x "] * (last % 2 == 0)]


def test_a_bare_answer_to_two_calls_is_told_what_to_write() -> None:
    shop = Shop()
    made = graph(Controller.from_object(shop))
    both = message("ask", "erase", erase={"what": "x"})

    async def answered() -> Any:
        await made.ainvoke(both, config())  # on one loop both have asked before the answer
        return await made.ainvoke(Command(resume={"approve": True}), config())

    (again,) = asyncio.run(answered())["__interrupt__"]
    assert "Several calls of this step wait: make the answer with `resume`." in again.value["text"]
    assert shop.ran == []


def test_values_given_in_a_process_that_does_not_run_the_graph_are_asked_for_again() -> None:
    from pyfunctools.integrations import langchain

    shop = Shop()
    made = graph(Controller.from_object(shop))
    waiting = made.invoke(message("ask"), config())["__interrupt__"]
    command = resume(waiting, {"ask": {"pin": PIN}})
    langchain._GIVEN.clear()  # pyright: ignore[reportPrivateUsage]
    (again,) = made.invoke(command, config())["__interrupt__"]
    assert "in the process that runs the graph" in again.value["text"]
    assert shop.ran == []
    made.invoke(resume([again], {"ask": {"pin": PIN}}), config())
    assert shop.ran == [f"ask {PIN}"]
