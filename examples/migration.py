"""Functions that were written for other libraries, moved to this one."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from pyfunctools import Controller, Function, Human


def search(
    query: Annotated[str, Field(description="What to look for.")],  # as FastMCP and others read it
    limit: Annotated[int, Field(ge=1, le=50)] = 10,
) -> list[str]:
    """Search the catalogue.

    Args:
        limit: The most results.
    """
    return [f"{query} {number}" for number in range(1, limit + 1)]


class OrderArgs(BaseModel):  # LangChain's `args_schema`
    sku: str
    count: int = 1


def order(values: dict[str, Any]) -> str:
    """Order something: the body of a tool that got a dictionary."""
    return f"{values['count']} of {values['sku']}"


def order_handler(**arguments: Any) -> str:
    return order({"count": 1, **arguments})


def pay(amount: float, card: Human[str]) -> str:  # `card` was written by the model before
    """Pay an amount."""
    return f"{amount} by card {card[-4:]}"


SENT: Any = {  # the tool as it was sent to OpenAI; `forecast` ran its calls
    "name": "weather",
    "description": "Forecast the weather.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}


def forecast(city: str = "Oslo") -> str:
    return f"sun in {city}"


weather = Function.from_schema(**SENT, handler=forecast)
ordered = Function.from_schema(
    name="order", parameters=OrderArgs.model_json_schema(), handler=order_handler
)

taken_over = Controller.from_functions([search, ordered, pay, weather])
assert taken_over.call("search", '{query: "tea", "limit": "2"}').value == ["tea 1", "tea 2"]
assert taken_over.call("order", {"sku": "t-1", "count": "3"}).text == "3 of t-1"
assert taken_over.call("weather", "{}").text == "sun in Oslo"
assert taken_over.call("pay", {"amount": 5}).reason == "needs_human"  # not the model
print(taken_over.call("pay", {"amount": 5}, human={"card": "5555444433334242"}).text)
