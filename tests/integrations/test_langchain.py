"""LangChain's own ways to call a tool: by hand, in a node of many calls, with odd answers."""

import asyncio
from typing import Annotated, Any, TypedDict

import pytest

from pyfunctools import Context, Controller, DefinitionError, Human, function

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
