"""A complete agent with Pydantic AI: a wrong call, feedback on it, a PIN that the model never sees.

For a real model write `Agent("openai:gpt-5.6", ...)` in place of the scripted one.
"""

from pydantic_ai import Agent, DeferredToolRequests, ModelMessage, ModelResponse, TextPart
from pydantic_ai.messages import ModelMessagesTypeAdapter, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from pyfunctools import Controller, Human
from pyfunctools.integrations.pydantic_ai import toolset


def transfer(amount: int, to: str, pin: Human[str]) -> str:
    """Send money to somebody."""
    return f"sent {amount} to {to}" if pin == "4711" else "the pin is wrong"


script = iter(
    [
        ModelResponse([ToolCallPart("transfer", '{"amount": "a few", "to": "Ada"}')]),
        ModelResponse([ToolCallPart("transfer", "{'amount': 25, to: 'Ada'")]),
        ModelResponse([TextPart("Ada has her money.")]),
    ]
)
seen: list[str] = []


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    seen.append(f"{ModelMessagesTypeAdapter.dump_json(messages).decode()} {info.function_tools}")
    return next(script)


bank = toolset(Controller.from_functions([transfer]))
agent = Agent(FunctionModel(model), toolsets=[bank], output_type=[str, DeferredToolRequests])
result = agent.run_sync("Send Ada 25.")
while isinstance(result.output, DeferredToolRequests):
    asked = result.output.metadata  # plain JSON, for a page or a queue; so is the history
    print("ask for the PIN of:", [each["arguments"] for each in asked.values()])
    answers = bank.results(result.output, {call_id: {"pin": "4711"} for call_id in asked})
    result = agent.run_sync(message_history=result.all_messages(), deferred_tool_results=answers)
print(result.output)

assert "expected integer" in seen[1], "the model reads the error"
assert "sent 25 to Ada" in seen[2], "the second call ran, although its JSON is broken"
assert not [text for text in seen if "4711" in text or '"pin"' in text or "'pin'" in text]
