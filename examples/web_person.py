"""A person completes and approves a model's call in the browser: one form, two worker processes.

    python examples/web_person.py              # plays it through once, and ends
    python examples/web_person.py serve 8000   # serves it on http://127.0.0.1:8000

A page shows the questions of one call. Its ticket resumes the call once, in any of the processes,
and only for the person it was issued to.
"""

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from datetime import date
from enum import Enum
from html import escape
from pathlib import Path
from typing import Annotated, Any, Literal

import httpx
import uvicorn
from fastapi import Cookie, FastAPI, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, SecretStr

from pyfunctools import Controller, Human, Outcome, Question, SqliteStore, Tickets, function, human


class Room(Enum):
    """The kind of room."""

    SINGLE = "single"
    DOUBLE = "double"


class Card(BaseModel):
    kind: Literal["card"] = "card"
    number: SecretStr
    expires: date


class Transfer(BaseModel):
    kind: Literal["transfer"] = "transfer"
    iban: str


class Guest(BaseModel):
    name: str
    passport: Annotated[str, human("Number of the passport", secret=True)]
    born: Human[date]


class Hotel:
    """A hotel."""

    @function(confirm=True)
    def book(
        self,
        city: str,
        nights: int,
        guests: list[Guest],
        payment: Annotated[Card | Transfer, human("How you pay")],
        room: Human[Room],
        passport_scan: Annotated[bytes, human("A scan of the first passport", widget="file")],
        wishes: Human[list[str]] = [],  # noqa: B006 - each call gets a copy
    ) -> str:
        """Book a hotel."""
        names = " and ".join(guest.name for guest in guests)
        return f"Booked: a {room.value} in {city} for {names}, {nights} nights, {payment.kind}."


# A call that a model wrote, without the values that only a person gives.
WROTE = '{"city": "Oslo", "nights": "2", "guests": [{"name": "Ada"}, {"name": "Kim"}]}'

# The key is a secret of the application, the same in all of its processes.
KEY = bytes.fromhex(os.environ.get("TICKET_KEY", "")) or secrets.token_bytes(32)
USED = Path(os.environ.get("USED_TICKETS") or Path(tempfile.gettempdir()) / "hotel-used.sqlite")
LIFETIME = float(os.environ.get("TICKET_LIFETIME", "900"))

app = FastAPI()
hotel = Controller.from_object(Hotel()).configured(
    tickets=Tickets(KEY, store=SqliteStore(USED), lifetime=LIFETIME)
)


@app.get("/")
async def ask(user: Annotated[str, Cookie()] = "ada") -> HTMLResponse:
    """Show the questions of the model's call to the person who is logged in."""
    return page(await hotel.acall("book", WROTE, audience=user), {})


@app.post("/")
async def answer(request: Request, user: Annotated[str, Cookie()] = "ada") -> HTMLResponse:
    """Resume the call with the person's values and decision."""
    form = await request.form(max_part_size=20 << 20)
    given: dict[str, Any] = {}
    for path in form:
        values = form.getlist(path)
        given[path] = values if len(values) > 1 else values[0]
    ticket, approve = given.pop("ticket", ""), given.pop("answer", "") == "yes"
    return page(await hotel.aresume(ticket, given, approve=approve, audience=user), given)


def page(outcome: Outcome, given: dict[str, Any]) -> HTMLResponse:
    """Return the form for a waiting call, or the result of the call."""
    waiting = outcome.waiting
    if waiting is None:
        body = f"<p role=status>{escape(outcome.text)}</p>"
        return HTMLResponse(
            STYLE + f"<main><h1>Hotel</h1>{body}</main>", 200 if outcome.ok else 409
        )
    wrong = sum(each.problem is not None for each in waiting.questions)
    said = f"<p role=alert>{wrong} answers are missing or not right.</p>" if wrong else ""
    fields = "".join(field(each, given.get(each.path)) for each in waiting.questions)
    return HTMLResponse(
        f"{STYLE}<main><h1>A booking waits for you</h1>"
        f"<p>The assistant wants to book <code>{escape(str(waiting.arguments))}</code>.</p>{said}"
        f'<form method=post enctype="multipart/form-data" novalidate>{fields}'
        f'<input type=hidden name=ticket value="{escape(waiting.ticket or "")}">'
        "<button name=answer value=yes>Book</button> "
        "<button name=answer value=no formnovalidate>Do not book</button></form></main>",
        422 if wrong else 200,
    )


TYPES = {"date": "date", "time": "time", "datetime": "datetime-local", "file": "file"}


def field(question: Question, given: Any) -> str:
    """Return one question as HTML; secrets and files have to be entered again."""
    name, kind = escape(question.path), question.kind
    held = given if isinstance(given, str) and not question.secret else question.default
    value = escape("" if held is None or isinstance(held, list) else str(held))
    attributes = f'id="{name}" name="{name}" aria-describedby="{name}-help"'
    options = [str(each) for each in question.options] or ["yes", "no"] * (kind == "boolean")
    if options:
        listed = "".join(
            f"<option{' selected' if each == held else ''}>{escape(each)}</option>"
            for each in (options if kind == "choices" else ["", *options])
        )
        control = (
            f"<select {attributes}{' multiple' if kind == 'choices' else ''}>{listed}</select>"
        )
    elif kind == "json":
        control = f"<textarea {attributes} rows=3>{value}</textarea>"
    else:
        typed = "password" if question.secret else TYPES.get(kind, "text")
        number = " inputmode=decimal" if kind in ("integer", "number") else ""
        control = f'<input type={typed} {attributes}{number} value="{value}" autocomplete=off>'
    problem = f"<em>{escape(question.problem)}</em>" if question.problem else ""
    optional = "" if question.required else " <small>(if you like)</small>"
    return (
        f'<p><label for="{name}">{escape(question.label)}{optional}</label>{control}'
        f'<span id="{name}-help">{problem} {escape(question.help)}</span></p>'
    )


STYLE = """<!doctype html><html lang=en><meta charset=utf-8><title>Hotel</title>
<meta name=viewport content="width=device-width,initial-scale=1"><style>
body{font:16px/1.5 system-ui,sans-serif;margin:0;background:#f5f5f2;color:#1c1c1a}
main{max-width:34rem;margin:auto;padding:1.5rem;box-sizing:border-box}
label{display:block;font-weight:600}code{overflow-wrap:anywhere}
input,select,textarea{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;
border:1px solid #8a8a80;border-radius:.25rem;background:#fff;color:inherit}
button{font:inherit;padding:.6rem 1.2rem;border:1px solid #1c1c1a;border-radius:.25rem;
background:#fff}button[value=yes]{background:#1c1c1a;color:#fff}
em,[role=alert]{color:#a3150c;font-style:normal}span,small{color:#55554e}</style>"""


def serve(port: int, workers: int = 2) -> None:
    """Serve the application from several processes, which share the key and the store."""
    folder = str(Path(__file__).parent)
    os.environ.setdefault("TICKET_KEY", KEY.hex())
    uvicorn.run(
        "web_person:app",
        host="127.0.0.1",
        port=port,
        workers=workers,
        app_dir=folder,
        log_level="warning",
    )


def play(url: str) -> None:
    """Do what a person does in the browser: answer, correct, click twice."""
    answers = {
        "$input.guests[0].passport": "P-100",
        "$input.guests[0].born": "1815-12-10",
        "$input.guests[1].passport": "P-200",
        "$input.guests[1].born": "1990-02-30",  # not a valid date
        "$input.payment": "Card",
        "$input.room": "double",
    }
    with httpx.Client(base_url=url, cookies={"user": "ada"}, trust_env=False) as browser:
        shown = browser.get("/").text

        def send() -> str:
            ticket = shown.partition("name=ticket value=")[2].split('"')[1]
            data = {**answers, "ticket": ticket, "answer": "yes"}
            files = {"$input.passport_scan": ("scan.png", b"\x89PNG", "image/png")}
            return browser.post("/", data=data, files=files).text

        shown = send()
        print(shown.partition("role=alert>")[2].partition("<")[0])
        answers |= {
            "$input.guests[1].born": "1990-02-28",
            "$input.payment.number": "4000 0000 0000 0002",
            "$input.payment.expires": "2030-01-31",
        }
        for _ in range(2):  # the second click does not run the call again
            print(send().partition("role=status>")[2].partition("<")[0])


def main() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        setting = {**os.environ, "TICKET_KEY": KEY.hex(), "USED_TICKETS": f"{folder}/used.sqlite"}
        command = [sys.executable, __file__, "serve", str(port)]
        server = subprocess.Popen(command, env=setting)  # noqa: S603
        try:
            until = time.monotonic() + 90
            while time.monotonic() < until:
                try:
                    httpx.get(url, trust_env=False)
                    break
                except httpx.TransportError:
                    time.sleep(0.1)
            play(url)
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(int(sys.argv[2]))
    else:
        main()
