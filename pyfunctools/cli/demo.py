"""The demo: one order, from the text of a model to the request of the shop, screen by screen."""

from inspect import getsource
from textwrap import dedent
from typing import Annotated, Literal

from pydantic import Field
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from pyfunctools._json import members_of
from pyfunctools.cli import display
from pyfunctools.controller import Controller
from pyfunctools.sources.python.decorators import function
from pyfunctools.sources.python.markers import Human


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


BROKEN = """\
Sure! ```json
{"tea": "sencha", "grams": "one hundred", wrapping: "Gift",}
```"""

CORRECTED = '{"tea": "sencha", "grams": "100", "wrapping": "gift"}'

CARD = "5555 4444 3333 4242"


def play(console: Console) -> None:
    """Print the demo: real calls, in this process."""
    screens = {
        "A method becomes a function for a model": _show_class,
        "Small mistakes are repaired; wrong values go back": _show_wrong_call,
        "A person adds the card number; no text shows it": _show_right_call,
    }
    with Controller.from_object(TeaShop()) as shop:
        for number, (title, show) in enumerate(screens.items(), 1):
            if number > 1:
                console.print()
            console.print(Rule(f"[bold]{number}. {title}", align="left", style="cyan"))
            show(console, shop)
    display.print_parts(console, Text(), Text("Your turn:", style="bold"))
    for command in ("list demo", "show demo order", "call demo order tea=sencha grams=100"):
        display.print_parts(console, Text(f"  pyfunctools {command}", style="bold magenta"))


def _show_class(console: Console, shop: Controller) -> None:
    order = shop["order"]
    console.print(display.code(dedent(getsource(TeaShop.order)).rstrip(), "python"))
    separated = order.separated
    human = (separated and separated.human) or {}
    _line(console, "the model writes", ", ".join(members_of(order.llm.get("properties"))))
    _line(console, "a person gives", ", ".join(members_of(human.get("properties"))))


def _show_wrong_call(console: Console, shop: Controller) -> None:
    _line(console, "the model wrote", "")
    console.print(display.code(BROKEN, "text"))
    outcome = shop.call("order", BROKEN, human={"card_number": CARD})
    display.print_parts(console, display.repair_lines(outcome))
    _line(console, "outcome.text", "")
    display.print_parts(console, display.safe_text(outcome.text, "red"))


def _show_right_call(console: Console, shop: Controller) -> None:
    _line(console, "the model wrote", CORRECTED)
    waiting = shop.call("order", CORRECTED)
    _line(console, "without a person", waiting.text)
    _line(console, "the person types", "card_number: *******************")
    outcome = shop.call("order", CORRECTED, human={"card_number": CARD})
    _line(console, "outcome.text", outcome.text)


def _line(console: Console, title: str, text: str) -> None:
    label = Text.assemble((f"{title}:", "bold cyan"), " " if text else "")
    display.print_parts(console, label + display.safe_text(text))
