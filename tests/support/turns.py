"""A shop whose tools are called, and responses of OpenAI's chat completions."""

import asyncio
from typing import Any

from pyfunctools import Controller, Human, function


class Shop:
    """A small shop that records its calls."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.together = 0
        self.most = 0

    @function
    def buy(self, item: str, count: int = 1, labels: dict[str, int] | None = None) -> str:
        """Buy something."""
        self.done.append(f"buy {item}")
        return f"{count} {item}"

    @function
    def pay(self, amount: int, pin: Human[str]) -> str:
        """Pay."""
        self.done.append(f"pay {amount}")
        return f"paid {amount}"

    @function(read_only=True)
    async def look(self, item: str) -> str:
        """Look for something."""
        self.together += 1
        self.most = max(self.most, self.together)
        await asyncio.sleep(0)
        self.together -= 1
        if item == "nothing":
            raise asyncio.CancelledError
        self.done.append(f"look {item}")
        return item


def shop() -> tuple[Shop, Controller]:
    made = Shop()
    return made, Controller.from_object(made)


def response(*calls: tuple[str | None, str, str], reason: str = "tool_calls") -> dict[str, Any]:
    """Return a completion with these calls: their ids, names and arguments."""
    made = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for call_id, name, arguments in calls
    ]
    message: dict[str, Any] = {"role": "assistant", "content": None if calls else "Done."}
    message |= {"tool_calls": made} if made else {}
    choice = {"index": 0, "finish_reason": reason, "message": message}
    return {"object": "chat.completion", "choices": [choice]}
