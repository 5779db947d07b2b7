"""T02 to T06: what the laws of the owners do not draw: look-alike names, repeated keys, texts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Annotated, Any

import pytest

from pyfunctools import Controller, Function, Human, Outcome, function, human

MARK = "SECRET-7f3a"


@dataclass
class Auth:
    scope: str
    token: Annotated[str | None, human("The token")] = None


@dataclass
class Card:
    kind: str
    number: Human[str]


class Bank:
    """A bank that records its calls."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    @function
    def pay(self, amount: int, account: Human[str]) -> str:
        """Pay.

        Args:
            amount: How much.
            account: Where SECRET-7f3a stands.
        """
        self.calls.append({"amount": amount, "account": account})
        return "paid"

    @function
    def login(self, auth: Auth, more: list[Auth] | None = None) -> str:
        """Log in."""
        self.calls.append({"auth": auth, "more": more})
        return "in"

    @function
    def store(self, cards: list[Card]) -> str:
        """Store cards."""
        self.calls.append({"cards": cards})
        return "stored"


def call(name: str, wrote: Any, gave: Any) -> tuple[Outcome, list[dict[str, Any]]]:
    bank = Bank()
    with Controller.from_object(bank) as controller:
        return controller.call(name, wrote, human=gave), bank.calls


def issues(outcome: Outcome) -> list[tuple[str, str]]:
    assert outcome.issues
    return sorted({(str(issue.path), issue.side) for issue in outcome.issues})


@pytest.mark.parametrize("name", ["Token", "token ", "to\u200bken", "TOKEN", "tokеn"])
def test_T02_a_name_that_looks_like_a_human_one_is_another_name(name: str) -> None:
    outcome, calls = call("login", {"auth": {"scope": "a", name: "x"}}, {"auth": {"token": "mine"}})
    assert not outcome.is_error  # the class accepts unknown names, and drops them
    assert calls == [{"auth": Auth("a", "mine"), "more": None}]


class EqualText(str):
    """A `str` that equals a name and is another object."""

    __slots__ = ()


def test_T02_a_key_that_only_equals_a_human_name_is_an_issue() -> None:
    pattern = {"type": "object", "patternProperties": {"^p": {"type": "string", "x-human": True}}}
    parameters = {"type": "object", "properties": {"amount": {"type": "integer"}, "map": pattern}}
    ran: list[Any] = []
    made = Function.from_schema(
        name="f", parameters=parameters, handler=lambda **given: ran.append(given)
    )
    with Controller.from_functions([made]) as controller:
        for wrote in ({"map": {EqualText("pin"): "x"}}, {EqualText("map"): {"pin": "x"}}):
            assert controller.call("f", wrote).is_error
    assert ran == []


def test_T02_a_list_longer_than_the_human_one_is_an_issue() -> None:
    wrote = {"cards": [{"kind": "a"}, {"kind": "b"}]}
    for gave in ({"cards": [{"number": "1"}]}, {"cards": [{"number": "1"}] * 3}):
        outcome, calls = call("store", wrote, gave)
        assert (outcome.ok, calls) == (False, [])
    outcome, calls = call("store", wrote, {"cards": [{"number": "1"}, {"number": "2"}]})
    assert calls == [{"cards": [Card("a", "1"), Card("b", "2")]}]


class Shy(Bank):
    """A bank with a mark in every text about the human part."""

    @function
    def send(
        self,
        amount: int,
        secret_account: Annotated[str, human(f"Ask for {MARK}", widget=MARK)] = MARK,
    ) -> str:
        """Send.

        Args:
            amount: How much.
            secret_account: Where SECRET-7f3a stands.
        """
        return "sent"


SHY_DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "T", "version": "1"},
    "paths": {
        "/send": {
            "post": {
                "summary": "Send",
                "parameters": [
                    {
                        "name": "secret_account",
                        "in": "query",
                        "description": f"Where {MARK} stands.",
                        "example": MARK,
                        "schema": {"type": "string", "x-human": True, "default": MARK},
                    },
                    {
                        "name": "secret_key",
                        "in": "header",
                        "description": f"Where {MARK} stands.",
                        "schema": {"type": "string", "format": "password", "enum": [MARK]},
                    },
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "amount": {"type": "integer"},
                                    "secret_pin": {"type": "string", "x-human": True},
                                },
                                "default": {"amount": 1, "secret_pin": MARK},
                                "examples": [{"amount": 1, "secret_pin": MARK}],
                            },
                            "example": {"amount": 1, "secret_pin": MARK},
                        }
                    }
                },
            }
        }
    },
}


@pytest.mark.parametrize("describe", ["model", "full", "brief"])
def test_T03_the_model_sees_no_human_part_of_a_document(describe: Any) -> None:
    (send,) = Controller.from_openapi(SHY_DOCUMENT, describe=describe)
    assert_hidden(send)
    assert set(json.loads(json.dumps(send.separated.human))["properties"]) == {  # type: ignore[union-attr]
        "query",
        "header",
        "body",
    }


def test_T03_the_model_sees_no_human_part_of_a_class() -> None:
    assert_hidden(Controller.from_object(Shy())["send"])


def assert_hidden(shy: Function) -> None:
    assert shy.separated is not None
    for text in (shy.description, json.dumps(shy.separated.llm), shy.title or ""):
        assert MARK not in text
        assert "secret" not in text
    assert MARK in json.dumps(shy.separated.human)


def test_T04_the_whole_is_checked_before_anything_runs() -> None:
    for wrong in (7, ["x"], {"account": "x"}, True):
        outcome, calls = call("pay", {"amount": 1}, {"account": wrong})
        assert (outcome.ok, calls) == (False, [])
        assert issues(outcome) == [("$input.account", "human")]
    outcome, calls = call("pay", {"amount": 1}, {"account": "x", "amount": 2})
    assert (outcome.ok, calls, issues(outcome)) == (False, [], [("$input.amount", "human")])


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        thread = Thread(target=served.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{served.server_port}", seen
        served.shutdown()
        thread.join()


def test_T04_an_invalid_value_of_the_person_is_not_sent(server: tuple[str, list[str]]) -> None:
    url, seen = server
    with Controller.from_openapi(SHY_DOCUMENT, server=url) as shy:
        for gave in (
            {"query": {"secret_account": 7}},
            {"body": {"secret_pin": ["VALUE"]}},
            {"header": {"secret_key": "other"}},
            {"header": {"secret_key": "VALUE\r\nx: y"}},
            {"body": {"amount": 2}},
        ):
            outcome = shy.call("send_post", {"body": {"amount": 1}}, human=gave)
            assert (outcome.ok, seen) == (False, [])
            assert MARK not in outcome.text
            assert "VALUE" not in repr(outcome)
        done = shy.call("send_post", {"body": {"amount": 1}}, human={"body": {"secret_pin": "x"}})
        assert (done.response.status, len(seen)) == (204, 1)


@pytest.mark.parametrize(
    "text",
    [
        '{"amount": 1, "amount": 2}',
        '{"amount": 1, "account": 1, "account": 2}',
        '{"amount": 1, "\\u0061mount": 2}',
        '{"amount": {"a": 1, "a": 2}}',
        '[{"amount": 1, "amount": 2}]',
    ],
)
def test_T05_a_repeated_key_is_refused(text: str) -> None:
    outcome, calls = call("pay", text, {"account": "mine"})
    assert (outcome.ok, calls) == (False, [])
    assert outcome.issues
    assert "a" in str(outcome.issues[0].message)
    assert any("duplicate" in issue.message.lower() for issue in outcome.issues)


NAMES = ["self", "cls", "__class__", "_handler", "__proto__", "constructor", "lc", "context"]


@pytest.mark.parametrize("name", NAMES)
def test_T06_reserved_names_are_unknown_arguments(name: str) -> None:
    outcome, calls = call("pay", {"amount": 1, name: "delete_all"}, {"account": "mine"})
    assert (outcome.ok, calls, issues(outcome)) == (False, [], [(f"$input.{name}", "llm")])
    outcome, calls = call("pay", {"amount": 1}, {"account": "mine", name: "delete_all"})
    assert (outcome.ok, calls) == (False, [])


def test_T06_a_document_may_declare_reserved_names(server: tuple[str, list[str]]) -> None:
    url, seen = server
    names = [*NAMES, "class", "return"]
    parameters = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in names]
    document = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"post": {"parameters": parameters}}},
    }
    with Controller.from_openapi(document, server=url) as controller:
        done = controller.call("a_post", {"query": dict.fromkeys(names, "x")})
    assert (done.response.status, seen) == (204, ["/a?" + "&".join(f"{name}=x" for name in names)])
