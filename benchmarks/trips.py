"""How far data travels through the package: `python benchmarks/trips.py`.

Each trip is taken once to warm up, then traced with `sys.setprofile`: how many calls of functions
of this package, how many different functions and files, and how often a call goes from one file to
another (hops). Fewer files and hops are fewer places to read.
"""

import itertools
import json
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import CodeType, FrameType
from typing import Annotated, Any, NamedTuple

import pyfunctools
from pyfunctools import Controller, Function, function, human, parse_calls

HOME = str(Path(pyfunctools.__file__).parent)

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Teas", "version": "1"},
    "paths": {
        "/teas/{name}": {
            "get": {
                "summary": "Find a tea",
                "parameters": [
                    {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
                ],
            }
        },
        "/teas": {
            "post": {
                "summary": "Order a tea",
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Tea"}}
                    }
                },
            }
        },
    },
    "components": {
        "schemas": {
            "Tea": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "grams": {"type": "integer"}},
                "required": ["name"],
            }
        }
    },
}


class Shop:
    @function
    def order(self, tea: str, grams: int = 100) -> str:
        """Order a tea.

        Args:
            tea: Its name.
            grams: How much of it.
        """
        return f"{grams} g of {tea}"

    @function
    def pay(self, amount: int, pin: Annotated[str, human("Your PIN")]) -> str:
        """Pay."""
        return f"{amount}"


class TeaServer(BaseHTTPRequestHandler):
    """Answers every order, on a connection that stays open."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Print nothing."""


class Trip(NamedTuple):
    calls: int
    functions: int
    files: int
    hops: int
    lines: int


def traced(work: Callable[[], object]) -> Trip:
    """Trace one run of `work`."""
    calls: list[CodeType] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(HOME):
            calls.append(frame.f_code)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    files = [code.co_filename for code in calls]
    hops = sum(a != b for a, b in itertools.pairwise(files))
    lines = sum(len(Path(file).read_text().splitlines()) for file in set(files))
    return Trip(len(calls), len(set(calls)), len(set(files)), hops, lines)


def trips() -> dict[str, Callable[[], object]]:
    """Return each trip with a fresh thing to do, where the first of its kind is what counts."""
    shop = Controller.from_object(Shop())
    server = ThreadingHTTPServer(("127.0.0.1", 0), TeaServer)
    Thread(target=server.serve_forever, daemon=True).start()
    teas = Controller.from_openapi(DOCUMENT, server=f"http://127.0.0.1:{server.server_port}")
    functions: tuple[Function, ...] = tuple(shop.functions)
    tagged = '<tool_call>{"name": "order", "arguments": {"tea": "Sencha", "grams": 5}}</tool_call>'
    native = [
        {
            "id": "1",
            "type": "function",
            "function": {"name": "order", "arguments": '{"tea": "Sencha"}'},
        }
    ]

    def document() -> object:
        return Controller.from_openapi(DOCUMENT)["teas_post"].parameters

    def ticket() -> object:
        waiting = shop.call("pay", '{"amount": 1}').waiting
        return shop.resume(waiting and waiting.ticket, {"pin": "1234"})

    def method() -> object:
        return Controller.from_object(Shop())["order"].parameters

    return {
        "call, right": lambda: shop.call("order", '{"tea": "Sencha", "grams": 5}'),
        "call, one value coerced": lambda: shop.call("order", '{"tea": "Sencha", "grams": "5"}'),
        "call, wrong": lambda: shop.call("order", '{"tee": "Sencha", "grams": 5}'),
        "call, with a human part": lambda: shop.call("pay", '{"amount": 1}', human={"pin": "1234"}),
        "a ticket, issued and resumed": ticket,
        "call, broken JSON": lambda: shop.call("order", "{tea: 'Sencha', grams: 5,}"),
        "call of an operation, sent": lambda: teas.call(
            "teas_post", '{"body": {"name": "Sencha"}}'
        ),
        "open a document": lambda: Controller.from_openapi(DOCUMENT),
        "a document's operation": document,
        "a decorated method": method,
        "what a method's model sees": lambda: Controller.from_object(Shop())["pay"].separated,
        "tagged text": lambda: parse_calls(tagged, functions),
        "native calls": lambda: parse_calls(native, functions),
    }


def main() -> None:
    rows: dict[str, Trip] = {}
    for name, work in trips().items():
        work()
        rows[name] = traced(work)
    print("| trip | calls | functions | files | hops | lines of those files |")
    print("|---|---|---|---|---|---|")
    for name, row in rows.items():
        print(f"| {name} | {' | '.join(f'{each:,}' for each in row)} |")
    if "--json" in sys.argv:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
