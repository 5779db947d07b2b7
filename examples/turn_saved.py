"""A person answers in another process: the turn is kept as JSON, and goes on from it."""

import json
import tempfile
from pathlib import Path
from typing import Any

from scripted import openai_reply

from pyfunctools import Controller, Human, SqliteStore, Tickets, Tools

KEY = b"an example of 32 bytes or more, not a key"  # a secret of the application's


def transfer(amount: float, to: str, pin: Human[str]) -> str:
    """Send money to somebody."""
    return f"sent {amount:.2f} to {to}" if pin == "4711" else "the pin is wrong"


def tools_of(folder: str) -> Tools:
    """Return the tools as every process makes them: with the same key and the same store."""
    tickets = Tickets(KEY, store=SqliteStore(Path(folder) / "used.sqlite"))
    return Controller.from_functions([transfer]).configured(tickets=tickets).tools("openai")


def first_process(folder: str) -> str:
    """Run what can run, and keep the rest until somebody has asked the person."""
    response = openai_reply(transfer='{"amount": 25, "to": "Ada"}')
    turn = tools_of(folder).run(response)
    print("ask for:", [waiting.schema for waiting in turn.waiting])
    return json.dumps(turn.save())


def second_process(folder: str, saved: str) -> list[dict[str, Any]]:
    """Go on with what the person answered, and return the messages for the model."""
    return tools_of(folder).resume(json.loads(saved), {"call_0": {"pin": "4711"}}).messages


with tempfile.TemporaryDirectory() as folder:
    for message in second_process(folder, first_process(folder)):
        print(message["role"], message["content"])
