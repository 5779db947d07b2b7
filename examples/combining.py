"""Several sources under one name: a class, an API and a plain function, for one model."""

import httpx

from pyfunctools import Controller, DefinitionError, function

DOCUMENT = """
openapi: 3.1.0
info: {title: Warehouse, version: "1"}
paths:
  /items/{sku}:
    get: {operationId: find, tags: [stock], summary: Find an item}
    delete: {operationId: remove, tags: [stock], summary: Remove an item}
"""


class Shop:
    """A small shop."""

    @function(read_only=True)
    def find(self, text: str) -> list[str]:
        """Find offers."""
        return [f"{text}, half price"]


def rate(currency: str) -> float:
    """Return the price of one euro in a currency."""
    return {"NOK": 11.7, "USD": 1.1}[currency]


def warehouse(request: httpx.Request) -> httpx.Response:
    """Answer in place of a real service."""
    return httpx.Response(200, json={"asked": f"{request.method} {request.url.path}"})


client = httpx.Client(transport=httpx.MockTransport(warehouse))
shop = Controller.from_object(Shop())
api = Controller.from_openapi(
    DOCUMENT, server="https://warehouse.example", client=client, names="operation_id"
)
try:
    Controller.combine(shop, api)
except DefinitionError as error:  # both define `find`, and neither is dropped
    print(error)

everything = Controller.combine(
    shop.prefixed("shop_"),
    api.select(methods=["get"]).prefixed("stock_"),  # only operations that read
    Controller.from_functions([rate]),
    name="Office",
)
assert [each.name for each in everything] == ["shop_find", "stock_find", "rate"]
print([tool["function"]["name"] for tool in everything.tools("openai")])
with client, everything:
    print(everything.call("shop_find", '{"text": "tea"}').value)
    print(everything.call("stock_find", '{"sku": "t-1"}').value)
    print(everything.call("rate", {"currency": "NOK"}).value)
