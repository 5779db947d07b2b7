"""The demo: one order, from the text of a model to the request of the shop, screen by screen."""

import json
import sys
from asyncio import run
from contextlib import suppress
from inspect import getsource
from textwrap import dedent

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from pyfunctools._json import JsonSchema
from pyfunctools.cli import display
from pyfunctools.cli.demo_shop import DOCUMENT, TeaShop, service
from pyfunctools.controller import Controller
from pyfunctools.record.function import Function

BROKEN = """\
Sure! ```json
{"tea": "sencha", "grams": "one hundred", wrapping: "Gift",}
```"""

CORRECTED = '{"tea": "sencha", "grams": "100", "wrapping": "gift"}'

CARD = "5555 4444 3333 4242"


def play(console: Console, *, everything: bool = False) -> None:
    """Print the demo: real calls, in this process.

    On a terminal Enter leads to the next screen. With `everything` an OpenAPI document follows.
    """
    with Controller.from_object(TeaShop()) as shop:
        _show_class(console, shop["order"])
        _pause(console)
        _show_wrong_call(console, shop)
        _pause(console)
        _show_right_call(console, shop)
    if everything:
        _pause(console)
        run(_show_document(console))
    _show_next_commands(console)


def _show_class(console: Console, order: Function) -> None:
    _heading(console, 1, "A method becomes a function for a model")
    console.print(display.code(dedent(getsource(TeaShop.order)).rstrip(), "python"))
    separated = order.separated
    human = separated.human if separated is not None else None
    _line(console, "the model writes", ", ".join(_names(order.llm)))
    _line(console, "a person gives", ", ".join(_names(human or {})))


def _show_wrong_call(console: Console, shop: Controller) -> None:
    _heading(console, 2, "Small mistakes are repaired; wrong values go back")
    _line(console, "the model wrote", "")
    console.print(display.code(BROKEN, "text"))
    outcome = shop.call("order", BROKEN, human={"card_number": CARD})
    display.print_parts(console, display.repair_lines(outcome))
    _line(console, "outcome.text", "")
    display.print_parts(console, display.safe_text(outcome.text, "red"))


def _show_right_call(console: Console, shop: Controller) -> None:
    _heading(console, 3, "A person adds the card number; no text shows it")
    _line(console, "the model wrote", CORRECTED)
    waiting = shop.call("order", CORRECTED)
    _line(console, "without a person", waiting.text)
    _line(console, "the person types", "card_number: *******************")
    outcome = shop.call("order", CORRECTED, human={"card_number": CARD})
    _line(console, "outcome.text", outcome.text)


async def _show_document(console: Console) -> None:
    """Show a call of an OpenAPI document's operation, with the request that is sent."""
    import httpx  # slow to import

    sent: list[httpx.Request] = []

    async def remember(request: httpx.Request) -> None:
        sent.append(request)

    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(app=service), event_hooks={"request": [remember]}
    )
    shop = Controller.from_openapi(DOCUMENT, server="http://shop.example", client=client)
    _heading(console, 4, "The operations of an OpenAPI document are functions too")
    display.print_parts(console, display.function_table(list(shop)))
    written = '{"body": {"items": [{"tea": "Sencha", "grams": "100"}], "wrapping": "Gift"}}'
    async with client, shop:
        human = {"body": {"card_number": CARD}}
        outcome = await shop.acall("orders_post", written, human=human)
    _line(console, "the model wrote", written)
    body = json.loads(sent[-1].content)
    body["card_number"] = "***" if body["card_number"] == CARD else "?"
    _line(console, "was sent", f"{sent[-1].method} {sent[-1].url.copy_with()}")
    console.print(display.code(display.pretty_json(body), "json"))
    _line(console, "outcome.text", outcome.text)


def _show_next_commands(console: Console) -> None:
    display.print_parts(console, Text(), Text("Your turn:", style="bold"))
    for line in (
        "pyfunctools list demo",
        "pyfunctools show demo order",
        "pyfunctools call demo order tea=sencha grams=100",
    ):
        display.print_parts(console, Text(f"  {line}", style="bold magenta"))


def _names(schema: JsonSchema) -> list[str]:
    properties = schema.get("properties")
    return list(properties) if isinstance(properties, dict) else []


def _pause(console: Console) -> None:
    if console.is_terminal and sys.stdin.isatty():
        with suppress(EOFError):  # standard input has ended: do not wait
            console.input("[dim]Enter for more [/dim]")


def _heading(console: Console, number: int, title: str) -> None:
    rule = Rule(f"[bold]{number}. {title}", align="left", style="cyan")
    display.print_parts(console, *([Text()] if number > 1 else []), rule)


def _line(console: Console, title: str, text: str) -> None:
    label = Text.assemble((f"{title}:", "bold cyan"), " " if text else "")
    display.print_parts(console, label + display.safe_text(text))
