"""The demo: one order, from what a model wrote to what the shop answered."""

import json
from asyncio import run
from typing import TYPE_CHECKING

from rich.console import Console
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from pyfunctools.cli import display
from pyfunctools.cli.demo_shop import DOCUMENT, TeaMaster, service
from pyfunctools.controller import Controller

if TYPE_CHECKING:
    import httpx

BROKEN = """\
Sure, here is your order:
```json
{"body": {
  "items": [{"tea": "Sencha", "grams": "100"},
            {"tea": "Assam", grams: 20,}],
  "wrapping": "Gift",
  "card_number": "4000 0000 0000 0002"
}}
```"""

CORRECTED = """\
{"body": {
  "items": [{"tea": "Sencha", "grams": "100"},
            {"tea": "Assam", "grams": 50}],
  "wrapping": "Gift"
}}"""

CARD = "5555 4444 3333 4242"


def play(console: Console) -> None:
    """Print the whole demo. Everything in it really happens, in this process."""
    run(_play(console))


async def _play(console: Console) -> None:
    import httpx

    sent: list[httpx.Request] = []

    async def remember(request: httpx.Request) -> None:
        sent.append(request)

    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(app=service), event_hooks={"request": [remember]}
    )
    shop = Controller.from_openapi(DOCUMENT, server="http://shop.example", client=client)
    master = Controller.from_object(TeaMaster())
    async with client, shop, master:
        _sources(console, shop, master)
        _two_sides(console, shop)
        await _first_try(console, shop)
        await _second_try(console, shop, sent)
        await _method(console, master)
    _goodbye(console)


def _sources(console: Console, shop: Controller, master: Controller) -> None:
    _heading(console, 1, "An OpenAPI document and a Python class become functions")
    _code(console, 'shop   = Controller.from_openapi("shop.json", server="http://shop.example")')
    _code(console, "master = Controller.from_object(TeaMaster())")
    display.show(console, Text(), display.function_table([*shop, *master]))


def _two_sides(console: Console, shop: Controller) -> None:
    _heading(console, 2, "The model never sees what only a person may give")
    display.show(console, *display.sides(shop["orders_post"]))


async def _first_try(console: Console, shop: Controller) -> None:
    _heading(console, 3, "What a model wrote: broken, wrongly typed, and with a card number")
    _panel(console, "the model", BROKEN)
    outcome = await shop.acall("orders_post", BROKEN, human=_human())
    _code(console, 'outcome = await shop.acall("orders_post", text, human=values)')
    display.show(console, display.repair_table(outcome))
    _note(console, "What cannot be repaired goes back to the model. Nothing was sent.")
    _panel(console, "outcome.text", outcome.text, "red")


async def _second_try(console: Console, shop: Controller, sent: "list[httpx.Request]") -> None:
    _heading(console, 4, "The corrected call, the human's part, the real request")
    _panel(console, "the model", CORRECTED)
    _panel(console, "the person", json.dumps(_human()))
    outcome = await shop.acall("orders_post", CORRECTED, human=_human())
    display.show(console, display.repair_table(outcome))
    request = sent[-1]
    body = display.compact(json.loads(request.content))
    address = request.url.copy_with()  # its own text hides all that a person may have given
    _panel(console, "what was sent", f"{request.method} {address}\n\n{body}", "green")
    status = None if outcome.response is None else outcome.response.status
    _panel(console, f"outcome.text (HTTP {status})", outcome.text, "green")


async def _method(console: Console, master: Controller) -> None:
    _heading(console, 5, "A method of a class works the same way")
    text = '{"kind": "Green", "cups": "3"}'
    _panel(console, "the model", text)
    outcome = await master.acall("brewing", text)
    display.show(console, display.repair_table(outcome))
    _panel(console, "outcome.text", outcome.text, "green")
    _note(console, f"outcome.value is {outcome.value!r}.")


def _goodbye(console: Console) -> None:
    _heading(console, 6, "Your turn")
    _code(console, "pyfunctools list openapi.json")
    _code(console, "pyfunctools show openapi.json NAME")
    _code(console, "pyfunctools call yourmodule:YourClass NAME --args '{...}'")


def _human() -> dict[str, dict[str, str]]:
    return {"body": {"card_number": CARD}}


def _heading(console: Console, number: int, title: str) -> None:
    display.show(
        console, Text(), Rule(f"[bold]{number}. {title}", align="left", style="cyan"), Text()
    )


def _code(console: Console, line: str) -> None:
    display.show(console, Text(f"  {line}", style="bold magenta"))


def _note(console: Console, text: str) -> None:
    display.show(console, display.plain(text, "dim"))


def _panel(console: Console, title: str, text: str, style: str = "dim") -> None:
    body = display.plain(text)
    display.show(console, Panel(body, title=title, title_align="left", border_style=style))
