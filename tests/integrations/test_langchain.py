"""LangChain's own ways to call a tool: by hand, in a node of many calls, with odd answers."""

import asyncio
from typing import Annotated, Any, TypedDict

import pytest
from raw_mcp import MODERN, raw_client

from pyfunctools import (
    Context,
    Controller,
    DefinitionError,
    Function,
    Human,
    function,
    human,
)

pytest.importorskip("langchain", exc_type=ImportError)

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.tools import BaseTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from pyfunctools.integrations.langchain import RepairMiddleware, resume, tools

CONFIG: Any = {"configurable": {"thread_id": "1"}}


class Shop:
    def __init__(self) -> None:
        self.done: list[str] = []

    @function
    def order(self, item: str) -> dict[str, str]:
        """Order."""
        self.done.append(item)
        return {"ordered": item}

    @function
    def pay(self, amount: int, pin: Human[str]) -> str:
        """Pay."""
        self.done.append(f"{amount} {pin}")
        return f"paid {amount}"

    @function
    async def who(self, user: Context[str | None] = None) -> str:
        """Return the user."""
        return f"it is {user}"


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


def graph(controller: Controller, **settings: Any) -> Any:
    """Return a graph of one node, which makes all calls of a message."""
    made = StateGraph(State).add_node("tools", ToolNode(tools(controller, **settings)))
    return made.add_edge(START, "tools").compile(checkpointer=InMemorySaver())


def called(*calls: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    made: Any = [{"id": i, "name": n, "args": a, "type": "tool_call"} for i, n, a in calls]
    return {"messages": [AIMessage("", tool_calls=made)]}


BOTH = called(("o", "order", {"item": "tea"}), ("p", "pay", {"amount": 3}))


def test_a_call_beside_one_that_waits_does_not_run_again_with_its_node() -> None:
    shop = Shop()
    made = graph(Controller.from_object(shop))
    waiting = made.invoke(BOTH, CONFIG)["__interrupt__"]
    messages = made.invoke(resume(waiting, {"p": {"pin": "4711"}}), CONFIG)["messages"]
    assert shop.done == ["tea", "3 4711"]
    assert [each.content for each in messages[1:]] == ['{"ordered": "tea"}', "paid 3"]
    assert [each.artifact for each in messages[1:]] == [{"ordered": "tea"}, None]


class Safe:
    @function
    def open(self, code: Annotated[str, human(secret=True)]) -> dict[str, str]:
        """Open it."""
        return {"code": code}


def test_no_artifact_has_a_value_of_a_person_or_a_fixed_secret() -> None:
    found = called(("p", "call_function", {"name": "open", "arguments": {}}))
    searched = graph(Controller.from_object(Safe()).searchable())
    waiting = searched.invoke(found, CONFIG)["__interrupt__"]
    message = searched.invoke(resume(waiting, {"p": {"code": "4711-0815"}}), CONFIG)["messages"][-1]
    assert (message.content, message.artifact) == ('{"code": "***"}', None)
    token = Controller.from_functions(
        [Function.from_schema(name="show", parameters=TOKEN, handler=lambda token: {"got": token})]
    ).configured(fixed={"token": "zq-4711"})
    (message,) = graph(token).invoke(called(("s", "show", {})), CONFIG)["messages"][1:]
    assert message.artifact == {"got": "***"}


TOKEN = {
    "type": "object",
    "properties": {"token": {"type": "string", "format": "password"}},
    "required": ["token"],
}


def test_a_found_tool_that_waits_in_its_middle_is_begun_once() -> None:
    form = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
    params = {"mode": "form", "message": "The code?", "requestedSchema": form}
    asked = {"a": {"method": "elicitation/create", "params": params}}
    begun: list[Any] = []

    def answer(method: str, params: Any) -> Any:
        if method == "tools/list":
            tool = {"name": "t", "inputSchema": {"type": "object"}}
            return {**MODERN, "tools": [tool]}
        if "requestState" not in params:
            begun.append(params)
            return {"resultType": "input_required", "requestState": "s", "inputRequests": asked}
        return {"resultType": "complete", "content": [{"type": "text", "text": "done"}]}

    async def run() -> Any:
        async with await Controller.from_mcp(raw_client(answer)) as tools_:
            made = graph(tools_.searchable())
            call = called(("c", "call_function", {"name": "t"}))
            waiting = (await made.ainvoke(call, CONFIG))["__interrupt__"]
            return await made.ainvoke(resume(waiting, {"c": {"code": "x"}}), CONFIG)

    assert asyncio.run(run())["messages"][-1].content == "done"
    assert len(begun) == 1


@pytest.mark.parametrize(
    "odd", ["yes", {"pin": "4711"}, {"human": 7}, {"approve": "yes"}, {"human": None}]
)
def test_an_answer_of_another_form_is_asked_for_again(odd: Any) -> None:
    shop = Shop()
    made = graph(Controller.from_object(shop))
    made.invoke(called(("p", "pay", {"amount": 3})), CONFIG)
    (again,) = made.invoke(Command(resume=odd), CONFIG)["__interrupt__"]
    assert "The answer must be" in again.value["text"]
    assert shop.done == []
    made.invoke(Command(resume={"human": {"pin": "4711"}}), CONFIG)
    assert shop.done == ["3 4711"]


def by_name(made: list[BaseTool], name: str) -> BaseTool:
    return next(each for each in made if each.name == name)


def test_outside_of_a_graph_a_call_that_waits_hands_out_its_ticket() -> None:
    shop = Shop()
    controller = Controller.from_object(shop)
    call: Any = {"id": "p", "name": "pay", "args": {"amount": 3}, "type": "tool_call"}
    message = by_name(tools(controller), "pay").invoke(call)
    assert (message.content[:8], message.status) == ("A person", "success")
    assert controller.resume(message.artifact["ticket"], {"pin": "4711"}).text == "paid 3"


@pytest.mark.parametrize("written", ["{'item': 'tea',", {"item": "tea"}], ids=["text", "object"])
def test_a_tool_takes_text_too(written: Any) -> None:
    made = tools(Controller.from_object(Shop()))
    assert by_name(made, "order").invoke(written) == '{"ordered": "tea"}'


@pytest.mark.parametrize(
    ("context", "told"),
    [(None, "Ada"), ("Bo", "Bo"), (lambda config: config["configurable"]["thread_id"], "1")],
    ids=["the run's", "a value", "of the run"],
)
def test_the_context_is_the_runs_or_what_was_given(context: Any, told: str) -> None:
    made = graph(Controller.from_object(Shop()), context=context)
    result = asyncio.run(made.ainvoke(called(("w", "who", {})), CONFIG, context="Ada"))
    assert result["messages"][-1].content == f"it is {told}"


def test_what_is_no_controller_is_refused() -> None:
    with pytest.raises(DefinitionError, match="must be a `Controller`"):
        tools(Shop())  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match="RepairMiddleware"):
        RepairMiddleware(Shop())  # type: ignore[arg-type]
