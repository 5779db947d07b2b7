"""The demo's shop is a real service with a real document."""

import asyncio

import httpx
import pytest

from pyfunctools import Controller
from pyfunctools.cli.demo_shop import DOCUMENT, Brewing, TeaMaster, service


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


@pytest.mark.parametrize(("cups", "minutes"), [(1, 2.5), (9, 4.0)])
def test_the_tea_master_knows_how_to_brew(cups: int, minutes: float) -> None:
    master = Controller.from_object(TeaMaster())
    outcome = master.call("brewing", {"kind": "green", "cups": cups})
    assert outcome.value == Brewing(celsius=70, minutes=minutes)
    reserved = master.call("reserve", {"tea": "Gyokuro"}, human={"phone": "555 17"})
    assert reserved.text == "Gyokuro is reserved; we call the number ending in 17."
