"""The demo's shop: a real service with a real document."""

import asyncio

import httpx

from pyfunctools import Controller
from pyfunctools.cli.demo_shop import DOCUMENT, TeaShop, service


def test_the_service_answers_as_its_document_says() -> None:
    async def main() -> None:
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app=service))
        shop = Controller.from_openapi(DOCUMENT, server="http://shop.example", client=client)
        assert shop.skipped == ()
        async with client, shop:
            teas = await shop.acall("teas_get", {"query": {"kind": "green", "max_price": "10"}})
            assert teas.value == [{"name": "Sencha", "kind": "green", "price": 9.5}]
            assert len((await shop.acall("teas_get", {})).value) == 4  # type: ignore[arg-type]
            order = await shop.acall(
                "orders_post",
                {"body": {"items": [{"tea": "Sencha", "grams": 100}]}},
                human={"body": {"card_number": "1234 4242"}},
            )
            assert order.response.status == 201
            assert order.value == {"order": "T-1", "total": 9.5, "charged": "card ending in 4242"}

    asyncio.run(main())


def test_the_shop_sells_and_knows_how_to_brew() -> None:
    shop = Controller.from_object(TeaShop())
    assert shop.call("brewing", {"kind": "green"}).text == "70 degrees for 2.5 minutes"
    order = {"tea": "Assam", "grams": 50}
    outcome = shop.call("order", order, human={"card_number": "1234 4242"})
    assert outcome.value == {"parcel": "50 g of Assam, plain", "charged": "1234 4242"}
