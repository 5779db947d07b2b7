"""Gate B09: a marker in every place a person or a connection fills, and every way to fail.

Wherever a model, a log or a reader of errors looks, the marker is not. Threats T03, T04, T26, T63.
"""

import asyncio
import json
import logging
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import httpx
import pytest
from pydantic import AfterValidator, BaseModel, SecretStr, field_serializer, model_validator
from typing_extensions import Self

import pyfunctools
from pyfunctools import (
    Approval,
    Controller,
    Function,
    Human,
    Limits,
    LoopError,
    Outcome,
    Retry,
    function,
)

from ..conftest import WAYS, Connection
from .test_tickets import payload_of

SECRET = "SECRET-7f3a"
OURS = str(Path(pyfunctools.__file__).parent)
ORDINARY = {"amount": 1}


def refused(value: str) -> str:
    raise ValueError(f"{value!r} is no card")


@dataclass
class Card:
    """A card that no number is right for."""

    number: Annotated[Human[str], AfterValidator(refused)]


class Pair(BaseModel):
    """Both sides in one object, which is never right."""

    n: int
    pin: Human[str]

    @model_validator(mode="after")
    def check(self) -> Self:
        raise ValueError(f"{self.n} does not go with {self.pin}")


class Unwritable(BaseModel):
    """What cannot be written as JSON, and says why."""

    pin: str

    @field_serializer("pin")
    def write(self, pin: str) -> str:
        raise RuntimeError(f"cannot write {pin}")


class Leaky:
    """Every way for a method to tell what it was given."""

    @function
    def raises(self, amount: int, pin: Human[str]) -> str:
        raise ValueError(f"bad pin {pin}")

    @function
    def raises_its_repr(self, amount: int, pin: Human[SecretStr], rows: Human[list[str]]) -> str:
        raise KeyError({"pin": pin.get_secret_value(), "rows": rows})

    @function
    async def raises_later(self, amount: int, pin: Human[str]) -> str:
        await asyncio.sleep(0)
        raise ValueError(f"bad pin {pin}")

    @function
    def chains(self, amount: int, pin: Human[str]) -> str:
        raise RuntimeError(f"not with {pin}") from ValueError(pin)

    @function
    def asks_again(self, amount: int, pin: Human[str]) -> str:
        raise Retry(f"not with {pin}")

    @function
    def breaks_its_promise(self, amount: int, pin: Human[str]) -> list[int]:
        return [amount, pin]  # type: ignore[list-item]

    @function
    def gives_what_cannot_be_written(self, amount: int, pin: Human[str]) -> Unwritable:
        return Unwritable(pin=pin)

    @function
    def says_so_itself(self, amount: int, pin: Human[str]) -> Outcome:
        return Outcome(text=f"no money for {pin}", value=pin, reason="raised")

    @function
    def is_never_valid(self, amount: int, pin: Human[str], card: Card) -> str:
        return ""

    @function
    def is_never_valid_together(self, amount: int, pair: Pair) -> str:
        return ""

    @function
    def echoes(self, amount: int, pin: Human[SecretStr]) -> dict[str, Any]:
        return {"you gave": pin.get_secret_value(), "that is": [pin.get_secret_value()]}


GIVEN: dict[str, Any] = {
    "raises_its_repr": {"pin": SECRET, "rows": ["a", SECRET]},
    "is_never_valid": {"pin": SECRET, "card": {"number": SECRET}},
    "is_never_valid_together": {"pair": {"pin": SECRET}},
}
WROTE: dict[str, Any] = {
    "is_never_valid_together": {"amount": 1, "pair": {"n": 7}},
}
NAMES = [name for name, held in vars(Leaky).items() if callable(held) and name[0] != "_"]


def written(function: Any) -> Function:
    """Return a function from a schema, whose handler is given plain JSON."""
    return Function.from_schema(
        name="written",
        parameters={
            "type": "object",
            "properties": {
                "amount": {"type": "integer"},
                "pin": {"type": "string", "format": "password"},
            },
            "required": ["amount", "pin"],
        },
        handler=function,
    )


def told(outcome: Outcome, caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    """Return everything that is told of a call."""
    yield from (outcome.text, str(outcome), repr(outcome), repr(outcome.repairs))
    yield from (str(outcome.issues), *map(repr, outcome.issues))
    if outcome.waiting is not None:
        yield from (repr(outcome.waiting), str(outcome.waiting.arguments))
        yield str(outcome.waiting.questions)
    if outcome.waiting is not None and outcome.waiting.ticket is not None:
        yield json.dumps(payload_of(outcome.waiting.ticket))
    for record in caplog.records:
        yield f"{record.getMessage()} {record.args!r} {record.exc_text}"


def leaks(outcome: Outcome, caplog: pytest.LogCaptureFixture) -> list[str]:
    return [text for text in told(outcome, caplog) if SECRET in text]


def call(controller: Controller, way: str, name: str, wrote: object, **given: Any) -> Outcome:
    if way == "run":
        return controller.call(name, wrote, **given)  # type: ignore[arg-type]

    async def main() -> Outcome:
        async with controller:
            return await controller.acall(name, wrote, **given)  # type: ignore[arg-type]

    return asyncio.run(main())


@pytest.fixture
def debug(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Hear everything that is logged."""
    caplog.set_level(logging.DEBUG)
    return caplog


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_b09_t63_a_method_that_tells_what_a_person_gave_tells_nobody(
    name: str, way: str, debug: pytest.LogCaptureFixture
) -> None:
    human = GIVEN.get(name, {"pin": SECRET})
    wrote = WROTE.get(name, ORDINARY)
    outcome = call(Controller.from_object(Leaky()), way, name, wrote, human=human)
    assert outcome.ok is (name == "echoes")
    assert leaks(outcome, debug) == []
    assert "***" in outcome.text or "not yours to correct" in outcome.text


@pytest.mark.parametrize("way", WAYS)
def test_b09_a_handler_is_given_plain_text_and_what_it_says_of_it_is_not_told(
    way: str, debug: pytest.LogCaptureFixture
) -> None:
    def handler(**given: Any) -> str:
        assert (type(given["pin"]), given["pin"]) == (str, SECRET)
        raise ValueError(f"{given['pin']} of {given}")

    controller = Controller.from_functions([written(handler)])
    outcome = call(controller, way, "written", ORDINARY, human={"pin": SECRET})
    assert outcome.text == "ValueError: *** of {'amount': 1, 'pin': '***'}"
    assert leaks(outcome, debug) == []


WRONG: list[Any] = [
    {"pin": [SECRET]},
    {"pin": {"a": SECRET}},
    {"pin": SECRET, "other": SECRET},
    {"pin": SECRET, "amount": SECRET},
    {"other": SECRET},
    [SECRET],
    SECRET,
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("human", WRONG, ids=str)
def test_b09_t04_what_a_person_gave_wrong_runs_nothing_and_is_told_nobody(
    way: str, human: Any, debug: pytest.LogCaptureFixture
) -> None:
    ran: list[object] = []
    controller = Controller.from_functions([written(lambda **given: ran.append(given) or "")])
    for given in (human, lambda *_: human):
        outcome = call(controller, way, "written", ORDINARY, human=given)
        assert outcome.reason == "needs_human"
        assert "not yours to correct" in outcome.text
        assert ran == []
        assert leaks(outcome, debug) == []


@pytest.mark.parametrize("way", WAYS)
def test_b09_t03_what_a_model_smuggles_meets_nothing_of_the_persons(
    way: str, debug: pytest.LogCaptureFixture
) -> None:
    controller = Controller.from_functions([written(lambda **given: "")])
    wrote = '{"amount": "x", "pin": "mine", "more": 1}'
    outcome = call(controller, way, "written", wrote, human={"pin": SECRET})
    assert outcome.reason in ("needs_human", "arguments")
    assert leaks(outcome, debug) == []


def fails(*_: object) -> Any:
    raise ValueError(SECRET)


ASKED: list[dict[str, Any]] = [
    {},
    {"human": {"pin": SECRET}},
    {"human": fails},
    {"human": {"pin": SECRET}, "approve": fails},
    {"human": {"pin": SECRET}, "approve": lambda _: False},
    {"human": {"pin": SECRET}, "approve": lambda _: Approval({"pin": [SECRET]})},
    {"human": {"pin": SECRET}, "approve": lambda _: Approval({"amount": SECRET, "pin": SECRET})},
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("given", ASKED, ids=lambda given: "-".join(given) or "nobody")
def test_b09_a_call_that_waits_or_was_refused_tells_nothing(
    way: str, given: dict[str, Any], debug: pytest.LogCaptureFixture
) -> None:
    controller = Controller.from_functions([written(lambda **given: "ran")])
    asking = controller.configured(confirm=lambda _: True)
    outcome = call(asking, way, "written", ORDINARY, **given)
    assert outcome.text != "ran"
    assert leaks(outcome, debug) == []


@pytest.mark.parametrize("way", WAYS)
def test_b09_what_a_person_edited_is_told_as_little(
    way: str, debug: pytest.LogCaptureFixture
) -> None:
    controller = Controller.from_object(Leaky()).configured(confirm=lambda _: True)
    edit = Approval({"amount": 2, "pin": SECRET})
    given: dict[str, Any] = {"human": {"pin": "other"}, "approve": lambda _: edit}
    outcome = call(controller, way, "raises", ORDINARY, **given)
    assert outcome.text == "ValueError: bad pin ***"
    assert leaks(outcome, debug) == []


@pytest.mark.parametrize("edit", [True, Approval({"amount": 2, "pin": SECRET})], ids=str)
def test_b09_t63_our_frames_of_a_traceback_show_no_value_not_even_with_their_locals(
    edit: bool | Approval,
) -> None:
    async def later(amount: int, pin: Human[str]) -> str:
        """Wait."""
        return ""

    async def main() -> None:
        controller = Controller.from_functions([later]).configured(confirm=lambda _: True)
        with pytest.raises(LoopError) as caught:
            controller.call("later", ORDINARY, human={"pin": SECRET}, approve=lambda _: edit)
        error: BaseException | None = caught.value
        while error is not None:
            assert SECRET not in f"{error} {error!r} {error.args}"
            told = traceback.TracebackException.from_exception(error, capture_locals=True)
            frames = [frame for frame in told.stack if frame.filename.startswith(OURS)]
            assert len(frames) > 3
            assert SECRET not in str([(frame.line, frame.locals) for frame in frames])
            error = error.__cause__ or error.__context__

    asyncio.run(main())


# Over HTTP.

TEXT = {"type": "string"}
PASSWORD = {"type": "string", "format": "password"}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/pay/{key}": {
            "post": {
                "operationId": "pay",
                "parameters": [
                    {"name": "key", "in": "path", "required": True, "schema": PASSWORD},
                    {"name": "q", "in": "query", "schema": PASSWORD},
                    {"name": "X-T", "in": "header", "schema": PASSWORD},
                    {"name": "c", "in": "cookie", "schema": PASSWORD},
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"type": "object", "properties": {"a": TEXT, "pin": PASSWORD}}
                        }
                    }
                },
                "responses": {"200": {"description": "Done."}},
                "security": [{"key": [], "query": [], "basic": []}],
            }
        }
    },
    "components": {
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "query": {"type": "apiKey", "in": "query", "name": "api_key"},
            "basic": {"type": "http", "scheme": "basic"},
        }
    },
}
HUMAN = {
    "key": SECRET,
    "query": {"q": SECRET},
    "header": {"X-T": SECRET},
    "cookie": {"c": SECRET},
    "body": {"pin": SECRET},
}
AUTH = {"key": SECRET, "query": SecretStr(SECRET), "basic": ("user", SECRET)}


def repeated(connection: Connection) -> bytes:
    return json.dumps([connection.head.decode(), connection.body.decode()]).encode()


def cut(connection: Connection) -> None:
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + SECRET.encode())
    raise ConnectionError


ROWS: dict[str, Callable[[Connection], None]] = {
    "done": lambda connection: connection.answer(body=repeated(connection)),
    "refused": lambda connection: connection.answer(401, body=repeated(connection)),
    "failed": lambda connection: connection.answer(
        500, body=repeated(connection), Content_Type="text/plain"
    ),
    "redirect": lambda connection: connection.answer(302, Location=f"http://h/{SECRET}?{SECRET}"),
    "no JSON": lambda connection: connection.answer(body=b'{"' + SECRET.encode()),
    "headers": lambda connection: connection.answer(
        503, Set_Cookie=SECRET, X_Echo=SECRET, Retry_After=SECRET
    ),
    "garbage": lambda connection: connection.send(SECRET.encode() + b"\r\n\r\n"),
    "cut": cut,
    "late": lambda connection: connection.stall(),
}


ECHOED_IN_THE_HEAD = ("redirect", "headers", "garbage")
"""Rows in which the server's own head holds the marker, which httpcore logs at DEBUG."""


def over_http(way: str, client: bool, url: str) -> Outcome:
    """Call both ways, over the controller's own connections or a client's."""

    def opened(made: Any) -> Controller:
        return Controller.from_openapi(
            DOCUMENT,
            server=url,
            names="operation_id",
            headers={"X-Own": SECRET},
            auth=AUTH,
            expose_error_body=True,
            limits=Limits(deadline=0.5),
            client=made if client else None,
        )

    async def main() -> Outcome:
        async with httpx.AsyncClient(trust_env=False) as made, opened(made) as controller:
            return await controller.acall("pay", {"body": {"a": "b"}}, human=HUMAN)

    if way == "arun":
        return asyncio.run(main())
    with httpx.Client(trust_env=False) as made, opened(made) as controller:
        assert SECRET not in repr(controller)
        return controller.call("pay", {"body": {"a": "b"}}, human=HUMAN)


SENDS = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/things": {
            "get": {
                "operationId": "look",
                "parameters": [
                    {
                        "name": "X-T",
                        "in": "header",
                        "schema": {"type": "string", "default": "document", "x-human": True},
                    },
                    {"name": "Authorization", "in": "header", "schema": TEXT},
                ],
                "responses": {"200": {"description": "Done."}},
                "security": [{"bearer": []}],
            }
        }
    },
    "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("human", "headers", "sent"),
    [
        ({"header": {"X-T": "person"}}, {"X-T": "connection"}, None),
        ({"header": {"X-T": "person"}}, {}, "person"),
        (None, {"X-T": "connection"}, "connection"),
        ({}, {"X-T": "connection"}, "connection"),
        ({"header": {"X-T": None}}, {"X-T": "connection"}, None),
    ],
)
def test_t21_the_connection_comes_before_a_person_and_they_before_the_document(
    answering: Any, way: str, human: Any, headers: dict[str, str], sent: str | None
) -> None:
    server = answering(lambda connection: connection.answer())
    controller = Controller.from_openapi(
        SENDS,  # type: ignore[arg-type]
        server=server.url,
        names="operation_id",
        headers=headers,
        auth={"bearer": "connection"},
    )
    with controller:
        given = {"human": human, "context": {"authorization": "Bearer inbound"}}
        outcome = call(controller, way, "look", {}, **given)
        smuggled = call(controller, way, "look", {"header": {"X-T": "model"}}, **given)
        inbound = call(controller, way, "look", {"header": {"Authorization": "model"}}, **given)
    assert (smuggled.is_error, inbound.is_error) == (True, True)
    if sent is None:
        assert (outcome.ok, server.requests) == (False, [])
        return
    (request,) = server.requests
    assert request.header("x-t") == sent
    assert request.header("authorization") == "Bearer connection"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "row", [pytest.param(row, marks=pytest.mark.slow if row == "late" else ()) for row in ROWS]
)
@pytest.mark.parametrize("client", [False, True], ids=["own", "client"])
def test_b09_t26_t63_whatever_a_server_does_nothing_secret_is_told(
    answering: Any, row: str, way: str, client: bool, debug: pytest.LogCaptureFixture
) -> None:
    server = answering(ROWS[row])
    outcome = over_http(way, client, server.url)
    sent = server.requests[0]
    assert sent.head.decode().count(SECRET) == 7  # but for the base64 of basic
    assert json.loads(sent.body) == {"a": "b", "pin": SECRET}
    assert outcome.is_error is (row != "done")
    if row in ECHOED_IN_THE_HEAD:
        debug.records[:] = [each for each in debug.records if each.name == "pyfunctools"]
    assert debug.records
    assert leaks(outcome, debug) == []
