"""A secret is `***` in every text, in each of its forms: as given, as parsed, as an object."""

import asyncio
import dataclasses
import json
import logging
import textwrap
import time
import traceback
import tracemalloc
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Annotated, Any, NamedTuple, TypedDict
from uuid import UUID

import httpx
import pytest
from pydantic import (
    AfterValidator,
    Base64Bytes,
    BaseModel,
    BeforeValidator,
    Field,
    RootModel,
    SecretBytes,
    SecretStr,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    field_validator,
)

import pyfunctools
from pyfunctools import (
    Controller,
    DefinitionError,
    File,
    Function,
    Human,
    Outcome,
    Tickets,
    human,
)
from pyfunctools.execution.person.masking import Masker

WAYS = pytest.mark.parametrize("way", ["sync", "async"])
OURS = str(Path(pyfunctools.__file__).parent)
SECRET = "Hunter-2-secret-7f3a"
PLAIN = "Qz7Kx0Wv3Jb9Lm2Np5Rt8Yc1Fd4Gh6Sj" * 2


def call_by(way: str, controller: Controller, *given: Any, **named: Any) -> Outcome:
    if way == "sync":
        return controller.call(*given, **named)
    return asyncio.run(controller.acall(*given, **named))


def texts_of_call(outcome: Outcome, caplog: pytest.LogCaptureFixture) -> str:
    """Return all texts about a call: its outcome and the log."""
    texts = [outcome.text, repr(outcome), str(outcome), repr(outcome.issues), str(outcome.repairs)]
    texts += [f"{each.getMessage()} {each.args!r} {each.exc_text}" for each in caplog.records]
    return "\n".join(texts)


@pytest.fixture
def debug(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Capture everything that is logged."""
    caplog.set_level(logging.DEBUG)
    return caplog


# Each row: a hint, the person's value, and texts that must be in no text of a call.


class Colour(Enum):
    """An enum; a person chooses a member."""

    DEEP_RED = "deep-red"


class Card(BaseModel):
    """A card with its own `__str__`."""

    number: str
    holder: Annotated[str, StringConstraints(to_upper=True)] = "nobody at all"

    @field_validator("number")
    @classmethod
    def _digits(cls, number: str) -> str:
        return number.replace(" ", "")

    def __str__(self) -> str:
        return f"card {self.number[:4]}-{self.number[4:8]}-{self.number[8:]} of {self.holder}"


@dataclasses.dataclass
class Login:
    """A dataclass with an alias and a default."""

    user: Annotated[str, Field(alias="userName"), StringConstraints(to_upper=True)]
    code: str = "default-code-1"


class Keys(TypedDict):
    """A TypedDict."""

    first: Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True)]


class Pair(NamedTuple):
    """A NamedTuple."""

    one: str
    two: Decimal


class Whole(RootModel[list[Annotated[str, StringConstraints(to_upper=True)]]]):
    """A root model."""


class Own:
    """A class of the user's that a validator builds."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"Own<{self.text[::-1]}>"


def _own(text: str) -> Any:
    return Own(text)


Upper = Annotated[str, StringConstraints(to_upper=True)]
Stripped = Annotated[str, StringConstraints(strip_whitespace=True)]
Reversed = Annotated[str, AfterValidator(lambda text: text[::-1])]
Digits = Annotated[str, BeforeValidator(lambda text: str(text).replace("-", ""))]

UTF_8 = "äöü-secret-ß"
UPPER_UUID = "ABCDEF78-1234-5678-1234-567812345678"

BUILT: dict[str, tuple[Any, Any, tuple[str, ...]]] = {
    "typed": (str, SECRET, (SECRET,)),
    "stripped": (Stripped, f"  {SECRET}\n", (SECRET,)),
    "upper": (Upper, SECRET, (SECRET, SECRET.upper())),
    "reversed": (Reversed, SECRET, (SECRET, SECRET[::-1])),
    "dashes": (Digits, "4111-1111-2222", ("4111-1111-2222", "411111112222")),
    "SecretStr": (SecretStr, SECRET, (SECRET,)),
    "SecretBytes": (SecretBytes, SECRET, (SECRET,)),
    "base64": (Base64Bytes, b64encode(SECRET.encode()).decode(), (SECRET,)),
    "bytes": (bytes, SECRET.encode(), (SECRET, SECRET.encode().hex())),
    "binary": (bytes, UTF_8.encode(), (UTF_8, repr(UTF_8.encode())[2:-1])),
    "date": (date, "2031-07-09", ("2031-07-09", "datetime.date(2031, 7, 9)")),
    "datetime": (datetime, "2031-07-09T10:11:12Z", ("2031-07-09T10:11:12", "2031-07-09 10:11:12")),
    "Decimal": (Decimal, "12345.670", ("12345.670",)),
    "float": (float, 98765.5, ("98765.5",)),
    "int": (int, 987654, ("987654",)),
    "UUID": (UUID, UPPER_UUID, (UPPER_UUID, UPPER_UUID.lower())),
    "Path": (Path, "/secret//vault/../x", ("/secret/vault/../x",)),
    "enum": (Colour, "deep-red", ("deep-red", "DEEP_RED")),
    "model": (
        Card,
        {"number": "4111 1111 2222", "holder": "Ada Lovelace"},
        ("4111 1111 2222", "411111112222", "1111-2222", "ADA LOVELACE", "Ada Lovelace"),
    ),
    "default": (Card, {"number": "4111 1111 2222"}, ("411111112222", "nobody at all")),
    "dataclass": (Login, {"userName": "ada-l-77"}, ("ada-l-77", "ADA-L-77", "default-code-1")),
    "TypedDict": (Keys, {"first": " ADA-77 "}, ("ada-77", "ADA-77")),
    "NamedTuple": (Pair, ["ada-77", "1234.50"], ("ada-77", "1234.50")),
    "root": (Whole, ["ada-77"], ("ada-77", "ADA-77")),
    "map": (dict[str, int], {SECRET: 771177}, (SECRET, "771177")),
    "map of dates": (dict[date, Upper], {"2031-07-09": "ada-77"}, ("2031-07-09", "ADA-77")),
    "list": (list[Upper], ["ada-77", "bob-88"], ("ada-77", "ADA-77", "bob-88", "BOB-88")),
    "set": (set[Upper], ["ada-77"], ("ada-77", "ADA-77")),
    "tuple": (tuple[Upper, int], ["ada-77", 771177], ("ada-77", "ADA-77", "771177")),
    "own class": (
        Annotated[Any, BeforeValidator(_own), Field(json_schema_extra={"type": "string"})],
        SECRET,
        (SECRET, SECRET[::-1]),
    ),
}


def forms_of(value: object) -> Iterator[str]:
    """Yield a value in the ways in which a function may write it."""
    yield from (str(value), repr(value), f"{[value]}", f"{ {'k': value} }")
    if isinstance(value, SecretStr | SecretBytes):
        yield from forms_of(value.get_secret_value())
    elif isinstance(value, bytes):
        yield from (value.decode("utf-8", "replace"), value.hex(), b64encode(value).decode())
        yield urlsafe_b64encode(value).decode()
    elif isinstance(value, date):
        yield value.isoformat()
    elif isinstance(value, Enum):
        yield from (str(value.value), value.name)
    elif not isinstance(value, str):
        yield json.dumps(TypeAdapter(Any).dump_python(value, mode="json", fallback=str))


def controller_of(hint: Any, how: str) -> Controller:
    """Return a controller of a function that returns its argument, or fails with it."""

    def f(n, gave):  # type: ignore[no-untyped-def]
        text = " | ".join(forms_of(gave))
        if how == "returns":
            return text
        if how == "fails":
            return Outcome(text=text, value=gave, reason="raised")
        raise ValueError(text)

    f.__annotations__ = {"n": int, "gave": hint}
    return Controller.from_functions([f])


@WAYS
@pytest.mark.parametrize("how", ["raises", "returns", "fails"])
@pytest.mark.parametrize("row", BUILT)
def test_a_secret_is_masked_in_every_form_that_the_call_has(
    row: str, how: str, way: str, debug: pytest.LogCaptureFixture
) -> None:
    hint, typed, parts = BUILT[row]
    controller = controller_of(Annotated[hint, human("?", secret=True)], how)
    outcome = call_by(way, controller, "f", {"n": 1}, human={"gave": typed})
    assert outcome.ok is (how == "returns")
    assert "***" in outcome.text
    assert [part for part in parts if part in texts_of_call(outcome, debug)] == []


OPEN = [row for row in BUILT if not row.startswith("Secret")]


@pytest.mark.parametrize("how", ["raises", "fails"])
@pytest.mark.parametrize("row", OPEN)
def test_values_of_the_person_are_in_no_error(
    row: str, how: str, debug: pytest.LogCaptureFixture
) -> None:
    hint, typed, parts = BUILT[row]
    outcome = controller_of(Human[hint], how).call("f", {"n": 1}, human={"gave": typed})
    assert [part for part in parts if part in texts_of_call(outcome, debug)] == []


@pytest.mark.parametrize("row", OPEN)
def test_a_success_may_contain_values_of_the_person(row: str) -> None:
    hint, typed, _ = BUILT[row]
    outcome = controller_of(Human[hint], "returns").call("f", {"n": 1}, human={"gave": typed})
    assert outcome.ok
    assert "***" not in outcome.text


@pytest.mark.parametrize("gave", [{"p": {SECRET: "x"}}, {"p": {}, SECRET: "x"}])
def test_a_refused_key_is_in_no_repr(gave: Any) -> None:
    def f(n: int, p: Human[dict[str, int]]) -> None:
        """Take a map that a person gives."""

    outcome = Controller.from_functions([f]).call("f", {"n": 1}, human=gave)
    assert outcome.reason == "needs_human"
    assert outcome.issues
    assert SECRET not in repr(outcome) + outcome.text


# Both sides in one object.


class Order(BaseModel):
    """An order; the model writes a part of it."""

    item: Annotated[str, StringConstraints(to_upper=True)]
    pin: Annotated[Human[str], StringConstraints(to_lower=True), Field(alias="thePin")]
    inner: list[dict[str, "Part"]] = []


class Part(BaseModel):
    """A part of an order."""

    size: Decimal
    token: Annotated[Human[Decimal], Field(validation_alias="tokenNumber")]
    kept: Human[SecretStr] = SecretStr("kept-for-you-1")


@WAYS
def test_in_a_shared_object_only_the_persons_part_is_masked(way: str) -> None:
    def f(order: Order) -> str:
        """Order."""
        said = f"{order.item} {order.pin} {order.inner[0]['a'].size} {order.inner[0]['a'].token:f}"
        return f"{said} {order.inner[0]['a'].kept.get_secret_value()}"

    wrote = {"order": {"item": "coffee", "inner": [{"a": {"size": "12.50"}}]}}
    gave = {"order": {"thePin": "ABC-123", "inner": [{"a": {"tokenNumber": "7654321.0"}}]}}
    outcome = call_by(way, Controller.from_functions([f]), "f", wrote, human=gave)
    assert outcome.text == "COFFEE *** 12.50 *** ***"
    assert outcome.value == "COFFEE abc-123 12.50 7654321.0 kept-for-you-1"


# Defaults.


def defaults() -> list[Callable[..., str]]:
    """Return functions that return the default of a person's part."""
    hidden = SecretStr("default-4711")

    def of_text(n: int, pin: Human[str] = "default-4711") -> str:
        raise ValueError(f"bad {pin}")

    def of_secret(n: int, gave: Human[SecretStr] = hidden) -> str:
        return f"have {gave.get_secret_value()}"

    def of_keyword(n: int, *, token: Human[str] = "default-4711") -> str:
        return f"have {token}"

    def of_field(n: int, pin: Annotated[Human[str], Field(default="default-4711")]) -> str:
        return f"have {pin}"

    def of_factory(
        n: int, pin: Annotated[Human[str], Field(default_factory=lambda: "default-4711")]
    ) -> str:
        return f"have {pin}"

    def of_place(n: int, pin: Human[str] = "default-4711", /) -> str:
        return f"have {pin}"

    def of_model(n: int, held: "Held") -> str:
        return f"have {held.pin} {held.more}"

    def of_others(n: int, other: Human[str] = "default-4711") -> str:
        raise ValueError(f"bad {other}")

    return [of_text, of_secret, of_keyword, of_field, of_factory, of_place, of_model, of_others]


class Held(BaseModel):
    """A model with defaults for a person's part."""

    name: str = "model's"
    pin: Human[str] = "default-4711"
    more: Annotated[str, human("?", secret=True)] = Field(default_factory=lambda: "default-4711")


@WAYS
@pytest.mark.parametrize("given", [None, {}], ids=["nobody", "nothing"])
@pytest.mark.parametrize("f", defaults(), ids=lambda f: f.__name__)
def test_a_default_of_the_persons_part_is_masked(
    f: Callable[..., str], given: Any, way: str, debug: pytest.LogCaptureFixture
) -> None:
    wrote = {"n": 1, "held": {}} if f.__name__ == "of_model" else {"n": 1}
    outcome = call_by(way, Controller.from_functions([f]), f.__name__, wrote, human=given)
    assert "***" in outcome.text
    assert "4711" not in texts_of_call(outcome, debug)


@WAYS
def test_a_default_of_a_handler_is_masked(way: str, debug: pytest.LogCaptureFixture) -> None:
    def handler(n: int, pin: str = "default-4711") -> str:
        return f"have {pin}"

    properties = {"n": {"type": "integer"}, "pin": {"x-human": True}}
    schema = {"type": "object", "properties": properties, "required": ["n"]}
    written = Function.from_schema(name="f", parameters=schema, handler=handler)
    outcome = call_by(way, Controller.from_functions([written]), "f", {"n": 1})
    assert outcome.text == "have ***"
    assert "4711" not in texts_of_call(outcome, debug)


# Shortened with an ellipsis.


def cut_by_pydantic(value: str) -> str:
    try:
        TypeAdapter(int).validate_python(value)
    except ValidationError as error:
        return str(error)
    raise AssertionError


def cut_in_a_dict(value: str) -> str:
    try:
        TypeAdapter(int).validate_python({"a": 1, "pin": value, "n": 2})
    except ValidationError as error:
        return str(error)
    raise AssertionError


CUTS: dict[str, Callable[[str], str]] = {
    "pydantic": cut_by_pydantic,
    "pydantic, in a dict": cut_in_a_dict,
    "repr": lambda value: repr(value)[:20] + "...",
    "the middle": lambda value: f"{value[:12]}...{value[-9:]}",
    "one character": lambda value: f"{value[:12]}…{value[-9:]}",
    "brackets": lambda value: f"{value[:12]} [...] {value[-9:]}",
    "textwrap": lambda value: textwrap.shorten(f"{value[:30]} {value[30:]} a b c", 40),
    "two ends": lambda value: f"{value[:12]}......{value[-9:]}",
    "JSON": lambda value: json.dumps({"k": value})[:30] + "...",
    "two of them": lambda value: f"{value[:12]}... and {value[:15]}...",
    "short": lambda value: f"'{value[:3]}...{value[-3:]}'",
}


def longest_common(text: str, value: str) -> int:
    return max(
        n
        for n in range(len(value) + 1)
        if any(value[at : at + n] in text for at in range(len(value) - n + 1))
    )


@pytest.mark.parametrize("cut", CUTS)
def test_the_ends_of_a_secret_beside_an_ellipsis_are_masked(cut: str) -> None:
    def f(n: int, pin: Human[str]) -> str:
        raise ValueError(CUTS[cut](pin))

    outcome = Controller.from_functions([f]).call("f", {"n": 1}, human={"pin": PLAIN})
    assert outcome.reason == "raised"
    assert "***" in outcome.text
    assert longest_common(outcome.text, PLAIN) < 4


def test_pydantic_shortens_in_the_middle_as_the_table_does() -> None:
    text = cut_by_pydantic(PLAIN)
    assert PLAIN not in text
    assert f"'{PLAIN[:20]}" in text
    assert "..." in text


# What is a secret, and what is not masked.


NAMES = (
    *("password", "pass_word_token", "token", "apiKey", "api_key", "APIKey", "pin", "otp", "cvv"),
    *("cvc", "card_number", "cardNumber", "creditCardNumber", "iban", "IBAN", "access_token"),
    *("client_secret", "passphrase", "credentials", "pinCode", "security_code", "userPin"),
)
WORDS = ("city", "note", "address", "keyboard", "monkey", "pinboard", "tokyo", "card")


@pytest.mark.parametrize("name", NAMES)
def test_a_human_part_with_the_name_of_a_secret_is_a_secret(name: str) -> None:
    schema = {"type": "object", "properties": {"n": {}, name: {"type": "string", "x-human": True}}}
    echo = Function.from_schema(name="f", parameters=schema, handler=lambda **given: given[name])
    controller = Controller.from_functions([echo])
    assert controller.call("f", {"n": 1}, human={name: SECRET}).text == "***"


@pytest.mark.parametrize(
    "name", ["city", "note", "address", "keyboard", "monkey", "pinboard", "tokyo", "card"]
)
def test_a_human_part_with_another_name_is_no_secret(name: str) -> None:
    schema = {"type": "object", "properties": {"n": {}, name: {"type": "string", "x-human": True}}}
    echo = Function.from_schema(name="f", parameters=schema, handler=lambda **given: given[name])
    controller = Controller.from_functions([echo])
    assert controller.call("f", {"n": 1}, human={name: "Berlin"}).text == "Berlin"


def test_a_name_alone_does_not_make_a_hint_human() -> None:
    def f(token: str, card_number: str, password: str) -> str:
        return f"{token} {card_number} {password}"

    controller = Controller.from_functions([f])
    assert controller["f"].separated is None
    wrote = {"token": "abcd", "card_number": "4111", "password": "hunter22"}
    assert controller.call("f", wrote).text == "abcd 4111 hunter22"


@pytest.mark.parametrize("secret", [False, True])
@pytest.mark.parametrize(
    ("value", "text", "error", "hidden"),
    [
        (True, "true True yes", "true True yes", "true True yes"),
        (None, "null None", "null None", "null None"),
        ("", "nothing '' here", "nothing '' here", "nothing '' here"),
        (7, "7 of 17 and 7", "7 of 17 and 7", "*** of 17 and ***"),
        ("abc", "abc abcd", "abc abcd", "*** abcd"),
        ("abcd", "abcd xabcdx", "*** x***x", "*** x***x"),
        (1234, "1234 x1234", "*** x***", "*** x***"),
    ],
)
def test_short_values_are_masked_only_if_secret_and_only_as_whole_words(
    value: Any, text: str, error: str, hidden: str, secret: bool
) -> None:
    def f(n: int, gave: Any) -> str:
        raise ValueError(text)

    f.__annotations__["gave"] = Annotated[
        type(value) if value is not None else Any, human(secret=secret)
    ]
    outcome = Controller.from_functions([f]).call("f", {"n": 1}, human={"gave": value})
    assert outcome.text == "ValueError: " + (hidden if secret else error)


@WAYS
def test_a_value_that_the_model_wrote_too_is_masked_only_if_it_is_secret(way: str) -> None:
    def f(to: str, origin: Human[str], pin: Human[str]) -> str:
        raise ValueError(f"{to} {origin} {pin}")

    controller = Controller.from_functions([f])
    first = call_by(way, controller, "f", {"to": "Rome"}, human={"origin": "Rome", "pin": "Rome2"})
    assert first.text == "ValueError: Rome Rome ***"
    other = call_by(way, controller, "f", {"to": "Rome2"}, human={"origin": "Rome", "pin": "Rome2"})
    assert other.text == "ValueError: *** *** ***"


class Later:
    """A store that only `aresume` can use."""

    async def claim(self, ticket_id: str, expires: int, /) -> bool:
        return True


def test_a_traceback_with_locals_shows_no_value() -> None:
    def f(n: int, gave: Annotated[str, StringConstraints(to_upper=True), human()]) -> str:
        """Do."""
        return gave

    tickets = Tickets(b"k" * 32, store=Later())
    controller = Controller.from_functions([f]).configured(tickets=tickets)
    waiting = controller.call("f", {"n": 1}).waiting
    assert waiting is not None
    with pytest.raises(DefinitionError) as caught:
        controller.resume(waiting.ticket or "", {"gave": SECRET})
    trace = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    ours = [frame for frame in trace.stack if frame.filename.startswith(OURS)]
    assert len(ours) > 5
    shown = str([(frame.line, frame.locals) for frame in ours])
    assert SECRET not in shown
    assert SECRET.upper() not in shown


# Files.


@pytest.mark.parametrize("size", [10, 10 << 20], ids=["small", "10 MB"])
def test_the_content_of_a_file_is_in_no_error_and_needs_bounded_memory(size: int) -> None:
    content = ("abcdefghij" * (size // 10)).encode()

    def handler(n: int, document: File) -> str:
        raise ValueError(
            f"bad {document.content.decode()} {document.content[:300]!r}... {document}"
        )

    schema = {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "document": {"type": "string", "contentMediaType": "application/pdf"},
        },
        "required": ["n", "document"],
    }
    written = Function.from_schema(name="f", parameters=schema, handler=handler)
    controller = Controller.from_functions([written])
    given = {"document": File(content, filename="my-private-name.pdf")}
    controller.call("f", {"n": 1}, human={"document": File(b"1")})
    tracemalloc.start()
    started = time.monotonic()
    outcome = controller.call("f", {"n": 1}, human=given)
    took, (_, peak) = time.monotonic() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "abcdefghij" not in outcome.text
    assert b64encode(content[:30]).decode() not in outcome.text
    assert took < 10
    assert peak < 20 * size + (4 << 20)


def test_masking_takes_linear_time() -> None:
    values = [f"value-{n}-of-many" for n in range(50)] + ["ab" * 5000, "x" * 100_000]
    masker = Masker(values)

    def cost(count: int) -> float:
        text = ("ab" * 4000 + "…" + "ba" * 100 + "... " + values[7] + " " * 500) * count
        started = time.process_time()
        assert values[7] not in masker.text(text)
        return time.process_time() - started

    cost(1)
    one, ten = min(cost(10) for _ in range(3)), min(cost(100) for _ in range(3))
    assert ten < one * 30


# Credentials of the connection.

KEY = "k3y-of-mine-7f3a9c"
BASIC = "Basic " + b64encode(b"ada:pass-of-ada-1").decode()
CREDENTIALS: dict[str, tuple[dict[str, Any], str, str]] = {
    "bearer": ({"headers": {"Authorization": f"Bearer {KEY}"}}, "", KEY),
    "lower": ({"headers": {"authorization": f"bearer {KEY}"}}, "", KEY),
    "basic": ({"headers": {"Authorization": BASIC}}, "", "pass-of-ada-1"),
    "key": ({"headers": {"X-Api-Key": "justwords"}}, "", "justwords"),
    "auth": ({"headers": {"X-Auth": "justwords"}}, "", "justwords"),
    "hidden": ({"headers": {"X-Anything": SecretStr("justwords")}}, "", "justwords"),
    "function": ({"headers": lambda: {"X-Api-Key": KEY}}, "", KEY),
    "of the context": ({"headers": lambda context: {"X-Own": KEY}}, "", KEY),
    "custom": ({"headers": {"X-Own": KEY}}, "", KEY),
    "declared": ({"headers": {"X-Declared": "justwords"}}, "", "justwords"),
    "cookie": ({"headers": {"Cookie": f"lang=en; sid={KEY}"}}, "", KEY),
    "session": ({"headers": {"Cookie": "lang=en; session=justwords"}}, "", "justwords"),
    "query": ({}, f"?api_key={KEY}", KEY),
    "words": ({}, "?token=justwords&v=2", "justwords"),
    "encoded": ({}, "?key=a%2Fb%26justwords", "a/b&justwords"),
    "auth=": ({"auth": {"declared": KEY}}, "", KEY),
    "auth= short": ({"auth": {"declared": "k9"}}, "", "k9"),
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/look": {
            "get": {
                "operationId": "look",
                "parameters": [
                    {"name": "status", "in": "query", "schema": {"type": "integer"}},
                ],
                "responses": {"200": {"description": "Done."}},
                "security": [{"declared": []}, {}],
            }
        }
    },
    "components": {
        "securitySchemes": {"declared": {"type": "apiKey", "in": "header", "name": "X-Declared"}}
    },
}


class Echo(BaseHTTPRequestHandler):
    """A server that returns everything it was sent."""

    def do_GET(self) -> None:
        from urllib.parse import parse_qs, unquote, urlsplit

        asked = parse_qs(urlsplit(self.path).query)
        sent = self.headers.get("authorization", "").partition(" ")[2]
        request = {"path": self.path, "headers": dict(self.headers), "query": asked, "sent": sent}
        body = json.dumps([request, unquote(self.path), _decoded(sent)]).encode()
        self.send_response(int(asked.get("status", ["200"])[0]))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _decoded(text: str) -> str:
    from base64 import b64decode

    try:
        return b64decode(text, validate=True).decode()
    except ValueError:
        return ""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a server that returns everything it was sent."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@WAYS
@pytest.mark.parametrize("status", [200, 401, 500])
@pytest.mark.parametrize("row", CREDENTIALS)
def test_a_credential_that_a_server_repeats_is_masked(
    row: str, status: int, way: str, url: str, debug: pytest.LogCaptureFixture
) -> None:
    settings, query, secret = CREDENTIALS[row]
    with Controller.from_openapi(
        DOCUMENT, server=url + query, names="operation_id", expose_error_body=True, **settings
    ) as controller:
        outcome = call_by(way, controller, "look", {"query": {"status": status}})
    assert outcome.ok is (status == 200)
    assert "***" in outcome.text
    assert secret not in texts_of_call(outcome, debug)
    assert secret not in repr(controller)


PLAIN_HEADERS = {
    "Accept-Language": "en-GB",
    "X-Tenant": "acme-corp",
    "X-GitHub-Api-Version": "2022-11-28",
    "X-Version": "1.2.3-beta4",
    "Accept": "application/vnd.github.v3+json",
    "User-Agent": "my-agent/1.0.0",
    "X-Request-Id": "6f1c2a4e9b7d4a1f",
    "X-Region": "eu-central",
    "Cookie": "lang=en",
}


@pytest.mark.parametrize("name", PLAIN_HEADERS)
def test_a_setting_that_is_no_credential_is_not_masked(name: str, url: str) -> None:
    headers = {name: PLAIN_HEADERS[name]}
    with Controller.from_openapi(
        DOCUMENT, server=url, names="operation_id", headers=headers
    ) as controller:
        outcome = controller.call("look", {})
    assert PLAIN_HEADERS[name] in outcome.text


def test_credentials_of_a_client_are_masked(url: str) -> None:
    client = httpx.Client(
        headers={"X-Api-Key": KEY}, cookies={"sid": "cookie-77-x"}, params={"token": "query-77-x"},
        trust_env=False,
    )  # fmt: skip
    with (
        client,
        Controller.from_openapi(
            DOCUMENT, server=url, names="operation_id", client=client
        ) as controller,
    ):
        outcome = controller.call("look", {})
    assert outcome.ok
    for secret in (KEY, "cookie-77-x", "query-77-x"):
        assert secret not in outcome.text


def test_a_type_named_by_a_value_of_the_person_is_masked_in_the_log(
    debug: pytest.LogCaptureFixture,
) -> None:
    def pay(amount: int, pin: Annotated[str, human("PIN", secret=True)]) -> str:
        raise type(f"Refused{pin}", (RuntimeError,), {})(f"not {pin}")

    controller = Controller.from_functions([pay])
    outcome = controller.call("pay", {"amount": 1}, human={"pin": "7f3a91"})
    assert outcome.reason == "raised"
    assert "7f3a91" not in texts_of_call(outcome, debug)
    assert "Refused***" in debug.text
    asks = controller.configured(confirm=True)

    def approve(pending: object) -> bool:
        raise type("Refused7f3a91", (RuntimeError,), {})

    outcome = asks.call("pay", {"amount": 1}, human={"pin": "7f3a91"}, approve=approve)
    assert "7f3a91" not in texts_of_call(outcome, debug)
