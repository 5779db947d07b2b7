"""What `broken.py` runs in a peer's own environment: `python benchmarks/readers.py NAME`.

pyfunctools need not be there. A library that calls functions reads a list of `[function, text]`
from standard input and writes, for each, what the function was called with or what the model is
told; `json-repair` reads a list of texts and writes the values.
"""

import asyncio
import json
import logging
import sys
import warnings
from collections.abc import Awaitable, Callable
from datetime import date
from importlib.metadata import version
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Call = Callable[[Callable[..., Any], str], Awaitable[str]]
"""Calls a function with what a model wrote, and gives the text that the model gets back."""

RECEIVED: list[dict[str, Any]] = []
"""What the function was called with, if it was."""


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Item(Closed):
    sku: str
    quantity: Annotated[int, Field(ge=1)]
    price: float = 0.0


class Card(Closed):
    kind: Literal["card"]
    number: str
    cvc: str


class Transfer(Closed):
    kind: Literal["transfer"]
    iban: str


def book(day: date, guests: int = 2, window: bool = False) -> str:
    """Book a table."""
    return received(day=day, guests=guests, window=window)


def order(items: list[Item], note: str = "") -> str:
    """Order items."""
    return received(items=items, note=note)


def pay(method: Annotated[Card | Transfer, Field(discriminator="kind")], amount: float) -> str:
    """Pay an amount."""
    return received(method=method, amount=amount)


def paint(color: Literal["red", "green", "blue"], coats: int | None = 1) -> str:
    """Paint the wall."""
    return received(color=color, coats=coats)


def find(id: int | str) -> str:  # noqa: A002 - what models are often asked for
    """Find a record."""
    return received(id=id)


def stock(counts: dict[str, int]) -> str:
    """Set how many there are of each."""
    return received(counts=counts)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (book, order, pay, paint, find, stock)
}


def received(**arguments: Any) -> str:
    RECEIVED.append(TypeAdapter(dict[str, Any]).dump_python(arguments, mode="json"))
    return "ok"


async def with_pyfunctools(function: Callable[..., Any], text: str) -> str:
    from pyfunctools import Controller

    with Controller.from_functions([function]) as controller:
        return (await controller.acall(function.__name__, text)).text


async def with_pydantic_ai(function: Callable[..., Any], text: str) -> str:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    told: list[str] = []

    def model(messages: list[Any], _: Any) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart(function.__name__, text)])
        told.append(messages[-1].parts[0].model_response_str())
        return ModelResponse(parts=[TextPart("done")])

    await Agent(FunctionModel(model), tools=[function]).run("do it")
    return told[0]


async def with_fastmcp(function: Callable[..., Any], text: str) -> str:
    from fastmcp import Client, FastMCP

    try:  # the protocol carries an object: the host reads the text
        arguments = json.loads(text)
    except ValueError as error:
        return str(error)
    if not isinstance(arguments, dict):
        return "The arguments are no object."
    server = FastMCP("shop")
    server.tool(function)
    async with Client(server) as client:
        result = await client.call_tool(function.__name__, arguments, raise_on_error=False)
    return "".join(block.text for block in result.content)


async def with_openai_agents(function: Callable[..., Any], text: str) -> str:
    from agents import function_tool
    from agents.tool_context import ToolContext

    tool = function_tool(function, strict_mode=False)
    context = ToolContext(context=None, tool_name=tool.name, tool_call_id="1", tool_arguments=text)
    return str(await tool.on_invoke_tool(context, text))


async def with_langchain(function: Callable[..., Any], text: str) -> str:
    from langchain_core.exceptions import OutputParserException
    from langchain_core.output_parsers.openai_tools import parse_tool_call
    from langchain_core.tools import StructuredTool

    tool = StructuredTool.from_function(function)
    raw = {"id": "1", "function": {"name": tool.name, "arguments": text}}
    try:
        call = parse_tool_call(raw, return_id=True)
        return str(await tool.ainvoke(call["args"] if call else {}))
    except (OutputParserException, ValueError, TypeError, AttributeError) as error:
        return str(error)


READERS: dict[str, tuple[Call, str]] = {
    "pyfunctools": (with_pyfunctools, "pyfunctools"),
    "pydantic-ai": (with_pydantic_ai, "pydantic-ai-slim"),
    "fastmcp": (with_fastmcp, "fastmcp"),
    "openai-agents": (with_openai_agents, "openai-agents"),
    "langchain": (with_langchain, "langchain-core"),
}
"""How each library calls a function, and the package it comes in."""


async def called(call: Call, inputs: list[tuple[str, str]]) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    for name, text in inputs:
        RECEIVED.clear()
        try:
            told = await call(FUNCTIONS[name], text)
        except Exception as error:  # whatever a library lets through is what its user gets
            told = f"{type(error).__name__}: {error}"
        results.append({"value": RECEIVED[0]} if RECEIVED else {"told": told})
    return results


def repaired(texts: list[str], *, strict: bool) -> list[dict[str, Any]]:
    """Read texts with json-repair, which gives an empty text for what it finds nothing in."""
    from json_repair import loads

    results: list[dict[str, Any]] = []
    for text in texts:
        try:
            value = loads(text, strict=strict)
        except (ValueError, RecursionError) as error:
            results.append({"told": str(error)})
        else:
            results.append({"told": ""} if value == "" else {"value": value})
    return results


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    name, inputs = sys.argv[1], json.load(sys.stdin)
    if name in READERS:
        call, package = READERS[name]
        results = asyncio.run(called(call, inputs))
    else:
        package = "json-repair"
        results = repaired(inputs, strict=name == "json-repair, strict")
    print(json.dumps({"version": version(package), "results": results}))


if __name__ == "__main__":
    main()
