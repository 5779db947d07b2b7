"""An agent loop with streaming: output is printed as it arrives, then the calls are run.

For the real model leave out `http_client=` and the key: the SDK reads `OPENAI_API_KEY`.
The SDK is installed by `pip install openai`.
"""

from typing import Any

from openai import OpenAI
from scripted import http_client, openai_reply, streamed

from pyfunctools import Controller


def forecast(city: str, days: int = 1) -> str:
    """Return the weather of the next days."""
    return f"{city}: sun for {days} days"


script = http_client(
    streamed(openai_reply(forecast='{"city": "Oslo", "days": 3}')),
    streamed(openai_reply("It will be sunny in Oslo.")),
)
client = OpenAI(api_key="none", http_client=script)

tools = Controller.from_functions([forecast]).tools("openai")
messages: list[Any] = [{"role": "user", "content": "How will the weather be in Oslo?"}]
sent: Any = tools
while True:
    reading = tools.reading()
    for event in client.chat.completions.create(
        model="gpt-5.6", messages=messages, tools=sent, stream=True
    ):
        delta = reading.feed(event)
        print(delta.text or delta.arguments or "", end="\n" if delta.call else "")
    turn = tools.run(reading.response)
    messages += turn.messages
    if turn.done:
        break
assert (turn.ended, turn.text) == ("stop", "It will be sunny in Oslo.")
