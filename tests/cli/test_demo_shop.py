"""The demo's shop."""

from pyfunctools import Controller
from pyfunctools.cli.demo import TeaShop


def test_the_shop_sells_and_knows_how_to_brew() -> None:
    shop = Controller.from_object(TeaShop())
    assert shop.call("brewing", {"kind": "green"}).text == "70 degrees for 2.5 minutes"
    order = {"tea": "Assam", "grams": 50}
    outcome = shop.call("order", order, human={"card_number": "1234 4242"})
    assert outcome.value == {"parcel": "50 g of Assam, plain", "charged": "1234 4242"}
