"""A complete agent loop with Google's SDK: the model makes a mistake, and corrects it.

For the real model leave out `http_options=` and the key: the SDK reads `GEMINI_API_KEY`.
The SDK is installed by `pip install google-genai`.
"""

from typing import Any

from google import genai
from scripted import gemini_reply, http_client

from pyfunctools import Controller


def forecast(city: str, days: int = 1) -> str:
    """Return the weather of the next days."""
    return f"{city}: sun for {days} days"


script = http_client(
    gemini_reply({"functionCall": {"name": "forecast", "args": {"town": "Oslo", "days": "3"}}}),
    gemini_reply({"functionCall": {"name": "forecast", "args": {"city": "Oslo", "days": "3"}}}),
    gemini_reply({"text": "It will be sunny in Oslo."}),
)
options: Any = {"httpx_client": script}
client: Any = genai.Client(api_key="none", http_options=options)

tools = Controller.from_functions([forecast]).tools("gemini")
contents: list[Any] = [{"role": "user", "parts": [{"text": "How will the weather be in Oslo?"}]}]
config: Any = {"tools": tools, "automatic_function_calling": {"disable": True}}
while True:
    response = client.models.generate_content(
        model="gemini-3-pro", contents=contents, config=config
    )
    turn = tools.run(response)
    contents += turn.messages
    for outcome in turn.outcomes:
        print(outcome.text)
    if turn.done:
        break
assert len(contents) == 6  # the mistake went back, was corrected, and was answered
print(turn.text if turn.ended == "stop" else f"No whole answer: {turn.ended}")
