"""A complete agent with the OpenAI Agents SDK: a wrong call, feedback, a PIN the model never sees.

For a real model leave out `model=`: the SDK reads `OPENAI_API_KEY`.
"""

import asyncio
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from pyfunctools import Controller, Human
from pyfunctools.integrations.openai_agents import tools


def transfer(amount: int, to: str, pin: Human[str]) -> str:
    """Send money to somebody."""
    return f"sent {amount} to {to}" if pin == "4711" else "the pin is wrong"


def calling(call_id: str, arguments: str) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        type="function_call", name="transfer", arguments=arguments, call_id=call_id
    )


def saying(text: str) -> ResponseOutputMessage:
    said = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(
        id="message", type="message", role="assistant", status="completed", content=[said]
    )


script = iter(
    [
        calling("call_1", '{"amount": "a few", "to": "Ada"}'),
        calling("call_2", "{'amount': 25, to: 'Ada'"),
        saying("Ada has her money."),
    ]
)
seen: list[str] = []


class Scripted(Model):
    """A model that answers from the script and records what it is sent."""

    async def get_response(self, *args: Any, **given: Any) -> ModelResponse:
        seen.append(f"{given['input']} {[each.params_json_schema for each in given['tools']]}")
        return ModelResponse(output=[next(script)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **given: Any) -> Any:
        raise AssertionError("nothing is streamed here")


async def main() -> None:
    """Run the agent until no call waits for a person."""
    set_tracing_disabled(True)
    bank = tools(Controller.from_functions([transfer]))
    agent = Agent(name="Bank", model=Scripted(), tools=bank)
    result = await Runner.run(agent, "Send Ada 25.")
    while result.interruptions:
        state = result.to_state()  # `state.to_json()` saves it for another process
        asked = bank.waiting(state)
        print("ask for the PIN of:", [each.arguments for each in asked.values()])
        with bank.answered(state, {call_id: {"pin": "4711"} for call_id in asked}):
            result = await Runner.run(agent, state)
    print(result.final_output)


asyncio.run(main())
assert "expected integer" in seen[1], "the model reads the error"
assert "sent 25 to Ada" in seen[2], "the second call ran, although its JSON is broken"
assert not [text for text in seen if "4711" in text or "'pin'" in text]
