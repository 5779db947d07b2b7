"""A complete agent loop for a model without function calling, behind a server on this machine.

For the real model write the address of llama.cpp, Ollama or vLLM in place of `script.url`.
"""

from typing import Any

import httpx
from scripted import LocalServer

from pyfunctools import Controller


def forecast(city: str, days: int = 1) -> str:
    """Return the weather of the next days."""
    return f"{city}: sun for {days} days"


script = LocalServer(
    '{"functionCall": {"name": "forecast", "args": {"city": "Oslo", "days": "three"}}}',
    '{"functionCall": {"name": "forecast", "args": {"city": "Oslo", "days": 3}}}',
    '{"answer": "It will be sunny in Oslo."}',
)

prompt = Controller.from_functions([forecast]).prompt()
held = {"type": "json_schema", "json_schema": {"name": "x", "schema": prompt.response_schema}}
question = {"role": "user", "content": "How will the weather be in Oslo?"}
messages: list[Any] = [{"role": "system", "content": prompt.system}, question]
while True:
    body = {"messages": messages, "response_format": held}
    answer = httpx.post(f"{script.url}/v1/chat/completions", json=body, timeout=60).json()
    turn = prompt.run(answer["choices"][0]["message"]["content"])
    messages += turn.messages
    for outcome in turn.outcomes:
        print(outcome.text)
    if turn.done:
        break
assert len(messages) == 7  # the mistake went back, was corrected, and was answered
print(turn.text if turn.ended == "stop" else f"No whole answer: {turn.ended}")
