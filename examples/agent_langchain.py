"""A complete agent with LangChain: a wrong call, feedback on it, a PIN that the model never sees.

The arguments of the second call are invalid JSON. Without `RepairMiddleware` LangChain drops it.
For a real model write `create_agent("openai:gpt-5.6", ...)` in place of the scripted one.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from pyfunctools import Controller, Human
from pyfunctools.integrations.langchain import RepairMiddleware, resume, tools


def transfer(amount: int, to: str, pin: Human[str]) -> str:
    """Send money to somebody."""
    return f"sent {amount} to {to}" if pin == "4711" else "the pin is wrong"


def calling(arguments: str) -> AIMessage:
    call = {"name": "transfer", "arguments": arguments}
    return AIMessage("", additional_kwargs={"tool_calls": [{"id": "call_1", "function": call}]})


def script() -> Iterator[AIMessage]:
    yield calling('{"amount": "a few", "to": "Ada"}')
    yield calling("{'amount': 25, to: 'Ada'")
    yield AIMessage("Ada has her money.")


seen: list[str] = []


class Model(GenericFakeChatModel):
    """A model that answers from the script and records what it is sent."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        seen.append(str([each.args_schema for each in tools]))
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **settings: Any) -> Any:
        seen.append(str(messages))
        return super()._generate(messages, *args, **settings)


bank = Controller.from_functions([transfer])
agent: Any = create_agent(
    Model(messages=script()),
    tools(bank),
    middleware=[RepairMiddleware(bank)],
    checkpointer=InMemorySaver(),
)
config: RunnableConfig = {"configurable": {"thread_id": "1"}}
result = agent.invoke({"messages": "Send Ada 25."}, config)
while interrupts := result.get("__interrupt__"):
    asked = [each.value for each in interrupts]  # plain JSON, for a page or a queue
    print("ask for the PIN of:", [each["arguments"] for each in asked])
    answers = {each["call_id"]: {"pin": "4711"} for each in asked}
    result = agent.invoke(resume(interrupts, answers), config)
print(result["messages"][-1].content)

told = "".join(seen)
assert "expected integer" in told, "the model reads the error"
assert "sent 25 to Ada" in told, "the second call ran, although its JSON is broken"
assert "4711" not in told
assert "'pin'" not in told
