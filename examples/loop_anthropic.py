"""A complete agent loop with Anthropic's SDK, with two calls in one turn.

For the real model leave out `http_client=` and the key: the SDK reads `ANTHROPIC_API_KEY`.
The SDK is installed by `pip install anthropic`.
"""

from typing import Any

from anthropic import Anthropic
from scripted import anthropic_reply, http_client

from pyfunctools import Controller


def forecast(city: str, days: int = 1) -> str:
    """Return the weather of the next days."""
    return f"{city}: sun for {days} days"


script = http_client(
    anthropic_reply(
        {"type": "tool_use", "id": "toolu_1", "name": "forecast", "input": {"city": "Oslo"}},
        {"type": "tool_use", "id": "toolu_2", "name": "forecast", "input": {"city": "Rome"}},
    ),
    anthropic_reply({"type": "text", "text": "It will be sunny in both."}),
)
client = Anthropic(api_key="none", http_client=script)

tools = Controller.from_functions([forecast]).tools("anthropic")
messages: list[Any] = [{"role": "user", "content": "Oslo or Rome?"}]
sent: Any = tools
while True:
    response = client.messages.create(
        model="claude-opus-5", max_tokens=1024, messages=messages, tools=sent
    )
    turn = tools.run(response)
    messages += turn.messages
    for outcome in turn.outcomes:
        print(outcome.text)
    if turn.done:
        break
assert len(messages) == 4  # both results went back in one message
print(turn.text if turn.ended == "stop" else f"No whole answer: {turn.ended}")
