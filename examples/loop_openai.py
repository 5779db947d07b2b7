"""A complete agent loop with OpenAI's SDK: the model makes a mistake, and corrects it.

For the real model leave out `http_client=` and the key: the SDK reads `OPENAI_API_KEY`.
The SDK is installed by `pip install openai`.
"""

from typing import Any

from openai import OpenAI
from scripted import http_client, openai_reply

from pyfunctools import Controller


def forecast(city: str, days: int = 1) -> str:
    """Return the weather of the next days."""
    return f"{city}: sun for {days} days"


script = http_client(
    openai_reply(forecast='{"city": "Oslo", "days": "three"}'),
    openai_reply(forecast='{"city": "Oslo", "days": 3}'),
    openai_reply("It will be sunny in Oslo."),
)
client = OpenAI(api_key="none", http_client=script)

tools = Controller.from_functions([forecast]).tools("openai", strict=True)
messages: list[Any] = [{"role": "user", "content": "How will the weather be in Oslo?"}]
sent: Any = tools
while True:
    response = client.chat.completions.create(model="gpt-5.6", messages=messages, tools=sent)
    turn = tools.run(response)
    messages += turn.messages
    for outcome in turn.outcomes:
        print(outcome.text)
    if turn.done:
        break
assert len(messages) == 6  # the mistake went back, was corrected, and was answered
print(turn.text if turn.ended == "stop" else f"No whole answer: {turn.ended}")
