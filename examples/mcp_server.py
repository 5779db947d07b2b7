"""A class as an MCP server: calls are checked, and a person is asked through the client.

`python examples/mcp_server.py serve` serves over standard input and output, as clients such as
Claude Code start it; without `serve` a client in this program calls it.
"""

import asyncio
import sys
from typing import Any

from mcp import Client
from mcp_types import ElicitRequestParams, ElicitResult

from pyfunctools import Controller, Human, function
from pyfunctools.integrations.mcp import serve, server


class Shop:
    """A small shop."""

    @function(read_only=True)
    def price(self, tea: str, grams: int = 100) -> float:
        """Return the price of a tea.

        Args:
            tea: Its name.
            grams: The weight in grams.
        """
        return len(tea) * grams / 100

    @function
    def order(self, tea: str, gift_wrap: Human[bool], note: Human[str] = "") -> str:
        """Order a tea."""
        return f"{tea}, {'wrapped' if gift_wrap else 'as it is'}: {note}"


shop = Controller.from_object(Shop())


async def person(context: Any, params: ElicitRequestParams) -> ElicitResult:
    """Answer the form that the client shows."""
    print("the person is asked:", params.message.splitlines()[0])
    return ElicitResult(
        action="accept", content={"$input.gift_wrap": True, "$input.note": "For Ada"}
    )


async def show() -> None:
    """Call the server from a client in this process."""
    async with Client(server(shop), elicitation_callback=person) as client:
        wrong = await client.call_tool("price", {"tea": "Sencha", "grams": "a lot"})
        assert wrong.is_error  # its text is the feedback
        right = await client.call_tool("price", {"tea": "Sencha", "grams": "250"})
        print("the price:", right.structured_content)
        ordered = await client.call_tool("order", {"tea": "Sencha"})
        print("ordered:", ordered.structured_content)


if __name__ == "__main__":
    if "serve" in sys.argv:
        serve(shop)
    else:
        asyncio.run(show())
