"""A FastAPI application as functions, called in this process without a socket."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.security import APIKeyHeader
from pydantic import BaseModel

from pyfunctools import Controller


class Tea(BaseModel):
    name: str
    grams: int = 50


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncGenerator[dict[str, dict[str, Tea]]]:
    print("the application starts")
    yield {"stock": {}}
    print("the application is shut down")


app = FastAPI(title="Tea shop", lifespan=lifespan)
key = APIKeyHeader(name="X-Key")


@app.post("/teas", status_code=201)
def add_tea(tea: Tea, request: Request, user: Annotated[str, Depends(key)]) -> Tea:
    """Put a tea in stock."""
    request.state.stock[tea.name] = tea
    return tea


@app.get("/teas/{name}")
def read_tea(name: str, request: Request) -> Tea:
    """Look up a tea."""
    if name not in request.state.stock:
        raise HTTPException(404)
    return request.state.stock[name]


async def later(shop: Controller) -> None:
    # In an event loop, await `acall`; the application runs on a loop of its own.
    found = await shop.acall("teas_getByName", {"name": "Sencha"})
    print(found.unwrap())


def main() -> None:
    # Functions are named by their paths. The connection sends the key; it is not a parameter.
    with Controller.from_fastapi(app, auth={"APIKeyHeader": "open sesame"}) as shop:
        print([function.name for function in shop])
        print(shop["teas_post"].parameters["required"])

        added = shop.call("teas_post", '{"body": {"name": "Sencha", "grams": "100"}}')
        assert added.ok
        print(added.text)
        asyncio.run(later(shop))

        missing = shop.call("teas_getByName", {"name": "Coffee"})
        assert missing.reason == "status"
        print(missing.text)


if __name__ == "__main__":
    main()
