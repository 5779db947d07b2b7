"""A person answers in another process: the turn is saved as JSON, and resumed there.

For the real model leave out `http_client=` and the key: the SDK reads `OPENAI_API_KEY`.
The SDK is installed by `pip install openai`.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from openai import OpenAI
from scripted import http_client, openai_reply

from pyfunctools import Controller, Human, SqliteStore, Tickets, Tools

KEY = b"an example of 32 bytes or more, not a key"  # a secret of the application


def transfer(amount: float, to: str, pin: Human[str]) -> str:
    """Send money to somebody."""
    return f"sent {amount:.2f} to {to}" if pin == "4711" else "the pin is wrong"


def tools_of(folder: Path) -> Tools:
    """Return the tools as every process makes them: with the same key and the same store."""
    tickets = Tickets(KEY, store=SqliteStore(folder / "used.sqlite"))
    return Controller.from_functions([transfer]).configured(tickets=tickets).tools("openai")


def said(messages: list[Any], tools: Any, script: dict[str, Any]) -> Any:
    """Return the model's response."""
    client = OpenAI(api_key="none", http_client=http_client(script))
    return client.chat.completions.create(model="gpt-5.6", messages=messages, tools=tools)


def ask(folder: Path) -> None:
    """Run the calls that can run, and save the turn until the person has answered."""
    messages = [{"role": "user", "content": "Send Ada 25 euros."}]
    tools = tools_of(folder)
    turn = tools.run(said(messages, tools, openai_reply(transfer='{"amount": 25, "to": "Ada"}')))
    print(
        "process 1 asks for:",
        *(each.label for waiting in turn.waiting for each in waiting.questions),
    )
    kept = {"process": os.getpid(), "messages": messages, "turn": turn.save()}
    (folder / "turn.json").write_text(json.dumps(kept))


def answer(folder: Path) -> None:
    """Resume the turn with the person's answer, and send the results to the model."""
    kept = json.loads((folder / "turn.json").read_text())
    assert kept["process"] != os.getpid()
    tools = tools_of(folder)
    turn = tools.resume(kept["turn"], {"call_0": {"pin": "4711"}})
    print("process 2:", *(outcome.text for outcome in turn.outcomes))
    messages = [*kept["messages"], *turn.messages]
    turn = tools.run(said(messages, tools, openai_reply("Ada has her 25 euros.")))
    print(turn.text)


if sys.argv[1:]:
    {"ask": ask, "answer": answer}[sys.argv[1]](Path(sys.argv[2]))
else:
    with tempfile.TemporaryDirectory() as folder:
        for process in ("ask", "answer"):
            subprocess.run([sys.executable, __file__, process, folder], check=True)  # noqa: S603
