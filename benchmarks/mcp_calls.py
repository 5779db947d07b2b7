"""What a call over MCP costs here, beside the SDK's own server and fastmcp's, in memory.

    python benchmarks/mcp_calls.py [calls]

One tool each, the same function, arguments and client of the official SDK; the median of seven
rounds that take turns. Without fastmcp installed its column is left out.
"""

import asyncio
import logging
import statistics
import sys
import time
from typing import Any

from mcp import Client
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

from pyfunctools import Controller
from pyfunctools.integrations.mcp import server

ROUNDS = 7


class Line(BaseModel):
    sku: str
    count: int = 1


class Order(BaseModel):
    lines: list[Line]
    note: str | None = None


def order(lines: list[Line], note: str | None = None) -> Order:
    """Order some things."""
    return Order(lines=lines, note=note)


async def order_soon(lines: list[Line], note: str | None = None) -> Order:
    """Order some things."""
    return Order(lines=lines, note=note)


ARGUMENTS: dict[str, Any] = {"lines": [{"sku": "tea", "count": 2}, {"sku": "pot"}], "note": "soon"}


def servers(function: Any) -> dict[str, Any]:
    """Return the servers to compare, each with the one tool."""
    own = MCPServer("sdk")
    own.tool(name="order")(function)
    made: dict[str, Any] = {"sdk": own}
    controller = Controller.from_functions([function])
    made["pyfunctools"] = server(controller)
    try:
        from fastmcp import FastMCP
    except ImportError:
        return made
    theirs = FastMCP("fastmcp")
    theirs.tool(name="order")(function)
    made["fastmcp"] = theirs
    return made


async def seconds(made: Any, name: str, calls: int) -> float:
    """Return the seconds of one call, as a mean of many over one client."""
    if type(made).__name__ == "FastMCP":
        from fastmcp import Client as FastClient

        client: Any = FastClient(made)
    else:
        client = Client(made)
    async with client:
        await client.list_tools()
        await client.call_tool(name, ARGUMENTS)
        started = time.perf_counter()
        for _ in range(calls):
            await client.call_tool(name, ARGUMENTS)
        return (time.perf_counter() - started) / calls


async def compare(function: Any, calls: int) -> dict[str, float]:
    """Return the median of the rounds of each server."""
    made = servers(function)
    rounds: dict[str, list[float]] = {each: [] for each in made}
    for _ in range(ROUNDS):
        for each, one in made.items():
            name = function.__name__ if each == "pyfunctools" else "order"
            rounds[each].append(await seconds(one, name, calls))
    return {each: statistics.median(taken) for each, taken in rounds.items()}


async def main() -> None:
    logging.getLogger("pyfunctools").setLevel(logging.WARNING)  # the SDK's server shows every line
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    for function in (order, order_soon):
        found = await compare(function, calls)
        told = ", ".join(f"{each} {taken * 1e6:.0f} us" for each, taken in found.items())
        ratio = found["pyfunctools"] / found["sdk"]
        print(f"{function.__name__}: {told}; {ratio:.2f} times the SDK's")


if __name__ == "__main__":
    asyncio.run(main())
