"""The tools of an MCP server as functions: `mcp_server.py` is started as a process."""

import asyncio
import os
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters

from pyfunctools import Controller

SERVER = Path(__file__).with_name("mcp_server.py")


async def main() -> None:
    """List the tools, call one, and print the name that a model would see."""
    started = StdioServerParameters(
        command=sys.executable, args=[str(SERVER), "serve"], env=dict(os.environ)
    )
    async with await Controller.from_mcp(Client(started)) as tools:
        print([each.name for each in tools])
        wrong = await tools.acall("price", '{"tea": 5, "grams": "a lot"}')
        assert wrong.reason == "arguments"
        print(wrong.text)  # the mistakes are found here, before anything is sent
        right = await tools.acall("price", '{"tea": "Sencha", "grams": "250"}')
        assert right.value == 15.0
        print("the price:", right.value)
        print(tools.tools("openai")[0]["function"]["name"], "goes to any vendor")


asyncio.run(main())
