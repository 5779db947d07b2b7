"""What `model.py` asks for: calls of functions of rising difficulty, each with three requests.

And tasks of five calls, each as single calls and as one program.
"""

from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from pyfunctools import function


class Shot(NamedTuple):
    """A request, and the arguments that it asks for."""

    request: str
    arguments: dict[str, Any]


class Scenario(NamedTuple):
    """A function with two requests that the model is shown answered, and one that it is asked."""

    function: Callable[..., Any]
    shown: tuple[Shot, Shot]
    asked: Shot


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Address(Closed):
    street: str
    city: str
    zip_code: Annotated[str, Field(pattern=r"^\d{5}$")]


class Item(Closed):
    name: str
    quantity: Annotated[int, Field(ge=1)]
    price: Annotated[float, Field(ge=0)]


class Card(Closed):
    kind: Literal["card"]
    number: str


class Transfer(Closed):
    kind: Literal["transfer"]
    iban: str


class Folder(Closed):
    name: str
    folders: "list[Folder]"


Payment = Annotated[Card | Transfer, Field(discriminator="kind")]


def meet(day: date, people: list[str], minutes: Annotated[int, Field(le=120)]) -> None:
    """Arrange a meeting."""


def alarm(hour: int, minute: int, label: str) -> None:
    """Set an alarm."""


def convert(amount: float, source: str, target: str) -> None:
    """Convert money between two currencies, given by their three letters."""


def light(room: Literal["kitchen", "bedroom", "office"], on: bool) -> None:
    """Switch the light in a room."""


def book(day: date, guests: int = 2, note: str | None = None) -> None:
    """Book a table."""


def message(people: list[str], text: str) -> None:
    """Send a text to some people."""


def rate(
    product: str,
    stars: Annotated[int, Field(ge=1, le=5)],
    tags: Annotated[list[str], Field(max_length=3)],
) -> None:
    """Rate a product."""


def ship(address: Address, express: bool) -> None:
    """Ship the parcel."""


def order(items: list[Item], currency: Literal["EUR", "USD"]) -> None:
    """Order everything in a shopping cart."""


def stock(counts: dict[str, int]) -> None:
    """Set how many there are of each article."""


def pay(method: Payment, amount: float) -> None:
    """Pay an amount by card or by transfer."""


def draw(points: Annotated[list[tuple[float, float]], Field(min_length=3)], color: str) -> None:
    """Draw a polygon through points, each an x and a y."""


def make(root: Folder) -> None:
    """Make a folder with all folders in it."""


def checkout(
    items: Annotated[list[Item], Field(min_length=1)],
    address: Address,
    payment: Payment,
    coupon: str | None = None,
) -> None:
    """Buy the items in a cart and have them sent."""


CORRECTED = Shot(
    "Arrange an hour with Ada and Bo on 3 March 2027.",
    {"day": "2027-03-03", "people": ["Ada", "Bo"], "minutes": 60},
)
WRONG: dict[str, Any] = {"day": "3 March 2027", "people": ["Ada", "Bo"], "minutes": "an hour"}
"""What the model is shown of `meet`: a wrong answer, the feedback to it, and the right one."""


def bought(name: str, quantity: int, price: float) -> dict[str, Any]:
    return {"name": name, "quantity": quantity, "price": price}


def at(street: str, city: str, zip_code: str) -> dict[str, Any]:
    return {"street": street, "city": city, "zip_code": zip_code}


def folder(name: str, *folders: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "folders": list(folders)}


SCENARIOS = (
    Scenario(
        alarm,
        (
            Shot('Wake me at 6:15, "train".', {"hour": 6, "minute": 15, "label": "train"}),
            Shot('Ring at 22:05 for "tea".', {"hour": 22, "minute": 5, "label": "tea"}),
        ),
        Shot('Set an alarm for 7:30, call it "run".', {"hour": 7, "minute": 30, "label": "run"}),
    ),
    Scenario(
        convert,
        (
            Shot("What is 200 JPY in CHF?", {"amount": 200, "source": "JPY", "target": "CHF"}),
            Shot("7.25 SEK in NOK, please.", {"amount": 7.25, "source": "SEK", "target": "NOK"}),
        ),
        Shot("How much are 12.5 EUR in USD?", {"amount": 12.5, "source": "EUR", "target": "USD"}),
    ),
    Scenario(
        light,
        (
            Shot("Light in the office, please.", {"room": "office", "on": True}),
            Shot("It is too bright in the bedroom.", {"room": "bedroom", "on": False}),
        ),
        Shot("Turn off the light in the kitchen.", {"room": "kitchen", "on": False}),
    ),
    Scenario(
        book,
        (
            Shot("A table for three on 2 May 2027.", {"day": "2027-05-02", "guests": 3}),
            Shot(
                'We are eight on 30 January 2027, note "birthday".',
                {"day": "2027-01-30", "guests": 8, "note": "birthday"},
            ),
        ),
        Shot(
            'A table for five on 24 December 2026, with the note "by the window".',
            {"day": "2026-12-24", "guests": 5, "note": "by the window"},
        ),
    ),
    Scenario(
        message,
        (
            Shot('Write "I am late" to Dora.', {"people": ["Dora"], "text": "I am late"}),
            Shot(
                'Text Eli and Fay "bring salt".', {"people": ["Eli", "Fay"], "text": "bring salt"}
            ),
        ),
        Shot(
            'Tell Ada, Bo and Cy "see you at eight".',
            {"people": ["Ada", "Bo", "Cy"], "text": "see you at eight"},
        ),
    ),
    Scenario(
        rate,
        (
            Shot("One star for the mop: weak.", {"product": "mop", "stars": 1, "tags": ["weak"]}),
            Shot(
                "The pan is great, five stars, light and even.",
                {"product": "pan", "stars": 5, "tags": ["light", "even"]},
            ),
        ),
        Shot(
            "Give the kettle four stars, with the tags quiet and fast.",
            {"product": "kettle", "stars": 4, "tags": ["quiet", "fast"]},
        ),
    ),
    Scenario(
        ship,
        (
            Shot(
                "Send it to 3 Oak Road, Salem, 97301. There is no hurry.",
                {"address": at("3 Oak Road", "Salem", "97301"), "express": False},
            ),
            Shot(
                "To 88 Hill Lane, Austin, 73301, express.",
                {"address": at("88 Hill Lane", "Austin", "73301"), "express": True},
            ),
        ),
        Shot(
            "Send it to 12 Elm Street, Springfield, 62704, as fast as you can.",
            {"address": at("12 Elm Street", "Springfield", "62704"), "express": True},
        ),
    ),
    Scenario(
        order,
        (
            Shot(
                "Three pens at 1.20 dollars each.",
                {"items": [bought("pen", 3, 1.2)], "currency": "USD"},
            ),
            Shot(
                "A rug at 80 euros and four mugs at 6.50 euros each.",
                {"items": [bought("rug", 1, 80), bought("mug", 4, 6.5)], "currency": "EUR"},
            ),
        ),
        Shot(
            "Order two lamps at 19.50 euros each and a desk at 240 euros.",
            {"items": [bought("lamp", 2, 19.5), bought("desk", 1, 240)], "currency": "EUR"},
        ),
    ),
    Scenario(
        stock,
        (
            Shot("We have 2 rugs and 31 mugs.", {"counts": {"rugs": 2, "mugs": 31}}),
            Shot("No pens left, 5 pans.", {"counts": {"pens": 0, "pans": 5}}),
        ),
        Shot(
            "There are 14 lamps, 3 desks and 20 chairs.",
            {"counts": {"lamps": 14, "desks": 3, "chairs": 20}},
        ),
    ),
    Scenario(
        pay,
        (
            Shot(
                "Pay 15 with the card 4916338506082832.",
                {"method": {"kind": "card", "number": "4916338506082832"}, "amount": 15},
            ),
            Shot(
                "Transfer 7.50 to the account SE4550000000058398257466.",
                {"method": {"kind": "transfer", "iban": "SE4550000000058398257466"}, "amount": 7.5},
            ),
        ),
        Shot(
            "Pay 99.90 by transfer to the account NO9386011117947.",
            {"method": {"kind": "transfer", "iban": "NO9386011117947"}, "amount": 99.9},
        ),
    ),
    Scenario(
        draw,
        (
            Shot(
                "A blue one through (1, 1), (5, 1) and (3, 4).",
                {"points": [[1, 1], [5, 1], [3, 4]], "color": "blue"},
            ),
            Shot(
                "Draw a green square from (0, 0) to (2, 2).",
                {"points": [[0, 0], [2, 0], [2, 2], [0, 2]], "color": "green"},
            ),
        ),
        Shot(
            "Draw a red triangle through (0, 0), (4, 0) and (2, 3.5).",
            {"points": [[0, 0], [4, 0], [2, 3.5]], "color": "red"},
        ),
    ),
    Scenario(
        make,
        (
            Shot('Make an empty folder "tmp".', {"root": folder("tmp")}),
            Shot(
                'Make "music" with "jazz" in it, and "bebop" in that.',
                {"root": folder("music", folder("jazz", folder("bebop")))},
            ),
        ),
        Shot(
            'Make "photos" with "2025" and "2026" in it, and "May" in the latter.',
            {"root": folder("photos", folder("2025"), folder("2026", folder("May")))},
        ),
    ),
    Scenario(
        checkout,
        (
            Shot(
                "One rug at 80 to 3 Oak Road, Salem, 97301, by transfer to DE89370400440532013000.",
                {
                    "items": [bought("rug", 1, 80)],
                    "address": at("3 Oak Road", "Salem", "97301"),
                    "payment": {"kind": "transfer", "iban": "DE89370400440532013000"},
                },
            ),
            Shot(
                "Four mugs at 6.50 and a pan at 30, coupon TEN, to 88 Hill Lane, Austin, 73301. "
                "My card is 4916338506082832.",
                {
                    "items": [bought("mug", 4, 6.5), bought("pan", 1, 30)],
                    "address": at("88 Hill Lane", "Austin", "73301"),
                    "payment": {"kind": "card", "number": "4916338506082832"},
                    "coupon": "TEN",
                },
            ),
        ),
        Shot(
            "Two lamps at 19.50 and a desk at 240, coupon SPRING, to 12 Elm Street, Springfield, "
            "62704. I pay with the card 5425233430109903.",
            {
                "items": [bought("lamp", 2, 19.5), bought("desk", 1, 240)],
                "address": at("12 Elm Street", "Springfield", "62704"),
                "payment": {"kind": "card", "number": "5425233430109903"},
                "coupon": "SPRING",
            },
        ),
    ),
)


PRICES = {"rug": 80, "mug": 6, "pan": 30, "pen": 2, "lamp": 20, "desk": 240, "vase": 15}


class Shop:
    """A shop, and what was done in it."""

    def __init__(self) -> None:
        self.did: list[int] = []

    @function(read_only=True)
    def orders(self, customer: str) -> list[int]:
        """List the numbers of a customer's orders."""
        return [sum(map(ord, customer)) * n % 997 for n in (1, 5, 3, 8)]

    @function
    def refund(self, order: int) -> str:
        """Refund an order."""
        self.did.append(order)
        return f"refunded {order}"

    @function(read_only=True)
    def price(self, article: str) -> int | None:
        """Return the price of an article."""
        return PRICES.get(article)

    @function
    def pay(self, amount: int) -> str:
        """Pay an amount."""
        self.did.append(amount)
        return f"paid {amount}"


class Task(NamedTuple):
    """A request, the five calls that do what it asks for, and the program that makes them."""

    request: str
    calls: list[tuple[str, dict[str, Any]]]
    program: str


TASKS = {
    "refund all": [
        Task(
            f"Refund all orders of {who}.",
            [
                ("orders", {"customer": who}),
                *(("refund", {"order": n}) for n in Shop().orders(who)),
            ],
            f'for n in await orders(customer="{who}"):\n    print(await refund(order=n))',
        )
        for who in ("Ada", "Bo", "Cy", "Dora", "Eli", "Fay")
    ],
    "pay for": [
        Task(
            f"Pay for {', '.join(four)}.",
            [
                *(("price", {"article": each}) for each in four),
                ("pay", {"amount": sum(PRICES[each] for each in four)}),
            ],
            f"total = 0\nfor article in {four}:\n    total += await price(article=article)\n"
            "print(await pay(amount=total))",
        )
        for four in ([*PRICES, *PRICES, *PRICES][n : n + 4] for n in range(0, 18, 3))
    ],
}
"""The first two of a kind are shown to the model as done, the others are asked."""
