"""The demo's shop: an HTTP service in process, its OpenAPI document, and a Python class."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Annotated, Literal, TypeAlias
from urllib.parse import parse_qs

from pydantic import Field

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.sources.python.decorators import function
from pyfunctools.sources.python.markers import Human

Message: TypeAlias = MutableMapping[str, object]

DOCUMENT: JsonObject = {
    "openapi": "3.1.0",
    "info": {"title": "Tea shop", "version": "1", "description": "Teas by the gram."},
    "paths": {
        "/teas": {
            "get": {
                "summary": "List the teas",
                "tags": ["teas"],
                "parameters": [
                    {
                        "name": "kind",
                        "in": "query",
                        "description": "Only teas of this kind.",
                        "schema": {"enum": ["green", "black", "oolong"]},
                    },
                    {
                        "name": "max_price",
                        "in": "query",
                        "description": "Euros for 100 g, at the most.",
                        "schema": {"type": "number", "minimum": 0},
                    },
                ],
                "responses": {
                    "200": {
                        "description": "The teas.",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "array",
                                    "items": {"$ref": "#/components/schemas/Tea"},
                                }
                            }
                        },
                    }
                },
            }
        },
        "/orders": {
            "post": {
                "summary": "Place an order",
                "tags": ["orders"],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                    },
                },
                "responses": {
                    "201": {
                        "description": "What was ordered.",
                        "content": {"application/json": {"schema": {"type": "object"}}},
                    }
                },
            }
        },
    },
    "components": {
        "schemas": {
            "Tea": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "kind": {"enum": ["green", "black", "oolong"]},
                    "price": {"type": "number"},
                },
                "required": ["name", "kind", "price"],
            },
            "Order": {
                "type": "object",
                "properties": {
                    "items": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "properties": {
                                "tea": {"type": "string", "description": "Its name."},
                                "grams": {"type": "integer", "minimum": 25, "maximum": 1000},
                            },
                            "required": ["tea", "grams"],
                            "additionalProperties": False,
                        },
                    },
                    "wrapping": {"enum": ["plain", "gift"]},
                    "card_number": {
                        "type": "string",
                        "format": "password",
                        "description": "The card to charge.",
                    },
                },
                "required": ["items", "card_number"],
                "additionalProperties": False,
            },
        }
    },
}

TEAS: tuple[JsonObject, ...] = (
    {"name": "Sencha", "kind": "green", "price": 9.5},
    {"name": "Gyokuro", "kind": "green", "price": 32.0},
    {"name": "Assam", "kind": "black", "price": 6.9},
    {"name": "Tieguanyin", "kind": "oolong", "price": 18.0},
)


async def service(
    scope: Message,
    receive: Callable[[], Awaitable[Message]],
    send: Callable[[Message], Awaitable[None]],
) -> None:
    """Answer one request, as an ASGI application does."""
    body = b""
    more: object = True
    while more:
        message = await receive()
        piece = message.get("body")
        body += piece if isinstance(piece, bytes) else b""
        more = message.get("more_body", False)
    status, answer = _answer(str(scope["path"]), scope.get("query_string"), body)
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(answer).encode()})


def _answer(path: str, query: object, body: bytes) -> tuple[int, JsonValue]:
    if path == "/teas":
        filters = parse_qs(query.decode() if isinstance(query, bytes) else "")
        kinds = filters.get("kind")
        highest = float(filters["max_price"][0]) if "max_price" in filters else float("inf")
        return 200, [
            tea
            for tea in TEAS
            if (kinds is None or tea["kind"] in kinds) and _price(tea) <= highest
        ]
    order = json.loads(body)
    prices = {str(tea["name"]): _price(tea) for tea in TEAS}
    total = sum(prices[item["tea"]] * item["grams"] / 100 for item in order["items"])
    card = str(order["card_number"])
    return 201, {"order": "T-1", "total": round(total, 2), "charged": f"card ending in {card[-4:]}"}


def _price(tea: JsonObject) -> float:
    price = tea["price"]
    return price if isinstance(price, float) else 0.0


class TeaShop:
    """A small shop of teas."""

    @function(tags=["orders"])
    def order(
        self,
        tea: Literal["Sencha", "Gyokuro", "Assam", "Tieguanyin"],
        grams: Annotated[int, Field(ge=25, le=1000)],
        card_number: Human[str],
        wrapping: Literal["plain", "gift"] = "plain",
    ) -> dict[str, str]:
        """Order a tea by the gram.

        Args:
            grams: The weight in grams.
        """
        parcel = f"{grams} g of {tea}, {wrapping}"
        return {"parcel": parcel, "charged": card_number}

    @function(tags=["advice"], read_only=True)
    def brewing(self, kind: Literal["green", "black", "oolong"], cups: int = 1) -> str:
        """Return how to brew a kind of tea.

        Args:
            kind: The kind of tea.
            cups: How many cups at once.
        """
        celsius = {"green": 70, "black": 95, "oolong": 88}[kind]
        return f"{celsius} degrees for {2.0 + 0.5 * min(cups, 4)} minutes"
