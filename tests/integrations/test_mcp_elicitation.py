"""A person who answers through an MCP client: forms, pages, refusals, the state."""

import asyncio
import json
import secrets
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ElicitResult, InputRequiredResult
from pydantic import BaseModel
from roads import locals_of

from pyfunctools import (
    Controller,
    Function,
    Human,
    MemoryStore,
    SqliteStore,
    Tickets,
    function,
    human,
)
from pyfunctools.integrations.mcp import server

REVISIONS = ("auto", "legacy")


@dataclass
class Gift:
    paper: str
    wrapped: Human[bool]
    note: Annotated[str | None, human("What to write on the card")] = None


class Shop:
    """A shop."""

    def __init__(self) -> None:
        self.done: list[Any] = []

    @function
    def order(
        self,
        tea: str,
        count: Annotated[Human[int], "How many"],
        speed: Human[Literal["slow", "fast"]] = "slow",
        day: Human[date] = date(2026, 1, 1),
        gifts: list[Gift] | None = None,
    ) -> str:
        """Order tea."""
        self.done.append((tea, count, speed, day, gifts))
        return f"{count} {tea}"

    @function(confirm=True, title="Erase")
    def erase(self, tea: str) -> str:
        """Erase a tea for ever."""
        self.done.append(tea)
        return f"no {tea}"

    @function
    def pay(self, amount: int, pin: Human[str]) -> str:
        """Pay."""
        self.done.append((amount, pin))
        return f"paid {amount} with {pin}"


UPLOAD = Function.from_schema(
    name="upload",
    parameters={
        "type": "object",
        "properties": {"photo": {"type": "string", "format": "binary"}},
        "required": ["photo"],
    },
    handler=lambda photo: "uploaded",
)


class Person:
    """Somebody who answers what a client asks, in the order of the answers."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.asked.append(params)
        answer = self.answers.pop(0)
        if callable(answer):
            answer = answer(params)
        if isinstance(answer, str):
            return ElicitResult(action=answer)  # type: ignore[arg-type]
        return ElicitResult(action="accept", content=answer)


def asked(
    shop: Controller,
    steps: Callable[[Client], Awaitable[Any]],
    person: Person | None,
    revision: str,
    **settings: Any,
) -> Any:
    async def run() -> Any:
        made = server(shop, **settings)
        async with Client(made, mode=revision, elicitation_callback=person) as client:
            return await steps(client)

    return asyncio.run(run())


def told(
    shop: Any, person: Person | None, revision: str, tool: str, arguments: Any, **more: Any
) -> Any:
    """Return whether a call failed, and its text."""
    controller = Controller.combine(
        Controller.from_object(shop), Controller.from_functions([UPLOAD])
    )
    call = lambda client: client.call_tool(tool, arguments)  # noqa: E731
    result = asked(controller, call, person, revision, **more)
    assert isinstance(result, CallToolResult)
    return result.is_error, result.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_form_asks_for_the_persons_part_of_this_call(revision: str) -> None:
    shop = Shop()
    person = Person({"count": "3", "speed": "fast", "$input.gifts[0].wrapped": True})
    arguments = {"tea": "green", "gifts": [{"paper": "red"}]}
    assert told(shop, person, revision, "order", arguments) == (False, "3 green")
    assert shop.done == [("green", 3, "fast", date(2026, 1, 1), [Gift(paper="red", wrapped=True)])]
    form = person.asked[0].requested_schema
    assert form["type"] == "object"
    assert list(form["properties"]) == [
        "count",
        "speed",
        "day",
        "$input.gifts[0].wrapped",
        "$input.gifts[0].note",
    ]
    fields = form["properties"]
    assert fields["count"]["type"] == "integer"
    assert fields["speed"]["enum"] == ["slow", "fast"]
    assert fields["day"]["format"] == "date"
    assert fields["$input.gifts[0].wrapped"]["type"] == "boolean"
    assert form["required"] == ["count", "$input.gifts[0].wrapped"]
    assert "green" in person.asked[0].message


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_mistake_of_the_persons_is_asked_again(revision: str) -> None:
    shop = Shop()
    person = Person({"count": "many"}, {"count": 2})
    assert told(shop, person, revision, "order", {"tea": "x"}) == (False, "2 x")
    assert "many" not in person.asked[0].message
    again = person.asked[1].requested_schema["properties"]["count"]
    assert "Not accepted" in again["description"]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("answer", "failed", "said", "done"),
    [
        ({}, False, "no green", ["green"]),
        ("decline", True, "declined", []),
        ("cancel", True, "declined", []),
    ],
)
def test_an_approval_is_an_answer_to_an_empty_form(
    answer: Any, failed: bool, said: str, done: list[Any], revision: str
) -> None:
    shop, person = Shop(), Person(answer)
    is_error, text = told(shop, person, revision, "erase", {"tea": "green"})
    assert (is_error, shop.done) == (failed, done)
    assert said in text
    assert person.asked[0].requested_schema == {"type": "object", "properties": {}}
    assert "Accept to approve" in person.asked[0].message
    assert '"tea": "green"' in person.asked[0].message


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [("pay", {"amount": 5}, "Pin"), ("upload", {}, "Photo")],
)
def test_a_secret_or_a_file_is_never_asked_for_in_a_form(
    tool: str, arguments: Any, said: str, revision: str
) -> None:
    shop, person = Shop(), Person()
    is_error, text = told(shop, person, revision, tool, arguments)
    assert is_error
    assert "may not be asked for in a form" in text
    assert said.lower() in text.lower()
    assert "Tell the person" in text
    assert (person.asked, shop.done) == ([], [])


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("order", {"tea": "x"}), ("erase", {"tea": "x"}), ("pay", {"amount": 1})],
)
def test_a_client_that_cannot_ask_is_told_so(tool: str, arguments: Any, revision: str) -> None:
    shop = Shop()
    is_error, text = told(
        shop, None, revision, tool, arguments, url=lambda ticket: "https://x.example"
    )
    assert is_error
    assert "this client has no elicitation" in text
    assert "Nothing has run." in text
    assert shop.done == []


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_page_of_the_application_takes_the_secret(revision: str) -> None:
    shop = Shop()
    controller = Controller.from_object(shop)
    tickets: list[str] = []

    def page(ticket: str) -> str:
        tickets.append(ticket)
        return "https://shop.example/complete/1"

    def opens(params: Any) -> str:
        assert params.url == "https://shop.example/complete/1"

        def fill() -> None:  # the page is served in another thread
            wrong = controller.resume(tickets[0], {"pin": 5.5})
            assert wrong.waiting is not None
            controller.resume(tickets[0], {"pin": "12345"})

        threading.Thread(target=fill).start()
        return "accept"

    person = Person(opens)
    call = lambda client: client.call_tool("pay", {"amount": 7})  # noqa: E731
    result = asked(controller, call, person, revision, url=page)
    assert result.content[0].text == "paid 7 with ***"
    assert "12345" not in result.model_dump_json()
    assert shop.done == [(7, "12345")]
    assert person.asked[0].mode == "url"


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_page_that_is_done_before_its_address_is_known_is_heard(revision: str) -> None:
    shop = Shop()
    controller = Controller.from_object(shop)

    def page(ticket: str) -> str:
        controller.resume(ticket, {"pin": "12345"})
        assert controller.resume(ticket, {"pin": "12345"}).replayed  # the page is sent twice
        return "https://shop.example/complete/1"

    call = lambda client: client.call_tool("pay", {"amount": 7})  # noqa: E731
    result = asked(controller, call, Person(lambda params: "accept"), revision, url=page)
    assert (result.is_error, result.content[0].text) == (False, "paid 7 with ***")
    assert shop.done == [(7, "12345")]


class SlowStore(MemoryStore):
    """A store that has kept an answer long before it says so."""

    def record(self, ticket_id: str, answer: str) -> None:
        super().record(ticket_id, answer)
        time.sleep(1.5)


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_page_of_this_process_is_heard_before_the_store(revision: str) -> None:
    tickets = Tickets(secrets.token_bytes(32), store=SlowStore())
    controller = Controller.from_object(Shop()).configured(tickets=tickets)
    waiting: list[str] = []

    def opens(params: Any) -> str:
        given = {"pin": "12345"}
        threading.Thread(target=controller.resume, args=(waiting[0], given)).start()
        return "accept"

    def page(ticket: str) -> str:
        waiting.append(ticket)
        return "https://shop.example/complete/1"

    call = lambda client: client.call_tool("pay", {"amount": 7})  # noqa: E731
    result = asked(controller, call, Person(opens), revision, url=page)
    assert (result.is_error, result.content[0].text) == (False, "paid 7 with ***")


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_page_of_another_process_is_heard_by_the_store(revision: str, tmp_path: Path) -> None:
    """A program waits twice, with two tickets; the page has controllers of its own."""
    shop = Shop()
    pages = iter(range(9))

    def made() -> Controller:
        tickets = Tickets(b"k" * 32, store=SqliteStore(tmp_path / "used"))
        return Controller.from_object(shop).programs().configured(tickets=tickets)

    def page(ticket: str) -> str:
        controller = made()
        (call,) = controller.resume(ticket).waiting.pending  # type: ignore[union-attr]
        controller.resume(ticket, {call.call_id: {"pin": "12345"}})
        return f"https://shop.example/{next(pages)}"

    code = "[await pay(amount=7), await pay(amount=8)]"
    call = lambda client: client.call_tool("run_program", {"code": code})  # noqa: E731
    result = asked(made(), call, Person(*["accept"] * 2), revision, url=page)
    assert '"paid 8 with ***"' in result.content[0].text
    assert shop.done == [(7, "12345"), (8, "12345")]


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_mistake_of_the_program_shows_no_answer_in_our_frames(
    revision: str, caplog: pytest.LogCaptureFixture
) -> None:
    person = Person({"count": 471_108_154_711})

    def broken(_: object) -> Any:
        if person.asked:
            return "no outcome"
        yield

    async def steps(client: Client) -> Any:
        with pytest.raises(MCPError):
            await client.call_tool("order", {"tea": "green"})

    asked(Controller.from_object(Shop()).configured(on_call=broken), steps, person, revision)
    errors = [each.exc_info[1] for each in caplog.records if each.exc_info]
    locals_ = [text for error in errors for text in locals_of(error)]
    assert "no outcome" in str(locals_)
    assert "471108154711" not in str(locals_)


def test_an_address_that_is_none_is_a_mistake_of_the_program() -> None:
    async def steps(client: Client) -> Any:
        with pytest.raises(MCPError):
            await client.call_tool("pay", {"amount": 7})

    asked(Controller.from_object(Shop()), steps, Person(), "auto", url=lambda ticket: "page")


def first(client: Client, tool: str, arguments: Any, **more: Any) -> Any:
    return client.session.call_tool(tool, arguments, allow_input_required=True, **more)


ACCEPTED = {"person": ElicitResult(action="accept", content={})}


def test_the_state_is_good_for_one_run_of_one_call() -> None:
    shop = Shop()

    async def steps(client: Client) -> None:
        waiting = await first(client, "erase", {"tea": "x"})
        assert isinstance(waiting, InputRequiredResult)
        state = waiting.request_state or ""
        assert "erase" not in state  # it is encrypted
        for tool, arguments, given in (
            ("erase", {"tea": "y"}, state),
            ("order", {"tea": "x"}, state),
            ("erase", {"tea": "x"}, state[:-2] + "AA"),
            ("erase", {"tea": "x"}, "forged"),
        ):
            with pytest.raises(MCPError, match="Invalid or expired requestState"):
                await first(client, tool, arguments, request_state=given, input_responses=ACCEPTED)
        assert shop.done == []
        more: Any = {"request_state": state, "input_responses": ACCEPTED}
        assert (await first(client, "erase", {"tea": "x"}, **more)).is_error is False
        used = await first(client, "erase", {"tea": "x"}, **more)
        assert "carried out before" in used.content[0].text
        assert shop.done == ["x"]

    asked(Controller.from_object(shop), steps, Person(), "auto")


def test_answers_without_a_state_are_nobodys() -> None:
    shop = Shop()

    async def steps(client: Client) -> None:
        again = await first(client, "erase", {"tea": "x"}, input_responses=ACCEPTED)
        assert isinstance(again, InputRequiredResult)
        state = again.request_state
        for answers in (None, {"other": ElicitResult(action="accept", content={})}):
            more: Any = {"request_state": state, "input_responses": answers}
            again = await first(client, "erase", {"tea": "x"}, **more)
            assert isinstance(again, InputRequiredResult)  # it is asked again

    asked(Controller.from_object(shop), steps, Person(), "auto")
    assert shop.done == []


def test_more_processes_go_on_with_the_same_keys() -> None:
    from pyfunctools import MemoryStore, Tickets

    shop = Shop()
    tickets = Tickets(b"k" * 32, store=MemoryStore())
    controller = Controller.from_object(shop).configured(tickets=tickets)
    keys = ["s" * 32]

    async def begin(client: Client) -> Any:
        return (await first(client, "erase", {"tea": "x"})).request_state

    async def end(client: Client) -> Any:
        more: Any = {"request_state": state, "input_responses": ACCEPTED}
        return await first(client, "erase", {"tea": "x"}, **more)

    state = asked(controller, begin, Person(), "auto", keys=keys)
    assert asked(controller, end, Person(), "auto", keys=keys).is_error is False
    assert shop.done == ["x"]


def test_no_model_sees_a_name_of_the_persons() -> None:
    async def steps(client: Client) -> str:
        return json.dumps([each.model_dump() for each in (await client.list_tools()).tools])

    listed = asked(Controller.from_object(Shop()), steps, None, "auto")
    assert all(name not in listed for name in ('"pin"', '"count"', '"wrapped"'))


class Card(BaseModel):
    number: Annotated[str, human(secret=True)] = ""


@pytest.mark.parametrize("revision", ["auto", "legacy"])
def test_a_person_is_asked_at_most_ten_times_in_a_call(revision: str) -> None:
    shop, times = Shop(), 0

    async def nonsense(context: Any, params: Any) -> ElicitResult:
        nonlocal times
        times += 1
        field = next(iter(params.requested_schema["properties"]))
        return ElicitResult(action="accept", content={field: "nonsense"})

    async def run() -> Any:
        client = Client(
            server(Controller.from_object(shop)),
            mode=revision,
            elicitation_callback=nonsense,
            input_required_max_rounds=20,
        )
        async with client:
            return await client.call_tool("order", {"tea": "x"})

    result = asyncio.run(run())
    assert times == 10
    assert result.is_error
    assert "several times" in result.content[0].text
    assert shop.done == []


def test_an_answer_with_a_secret_that_the_form_did_not_ask_for_is_not_used() -> None:
    ran: list[str] = []

    def note(n: int, memo: Human[str], pin: Human[str] = "", card: Card | None = None) -> str:
        """Write a note."""
        ran.append(f"{pin} {card}")
        return memo

    async def steps(client: Client) -> None:
        for evil in ("pin", "$input.pin", "card", "$input.card.number", "n", "other"):
            waiting = await first(client, "note", {"n": 1})
            content: Any = {"memo": "m", evil: "EVIL"}
            answer = {"person": ElicitResult(action="accept", content=content)}
            more: Any = {"request_state": waiting.request_state, "input_responses": answer}
            told = (await first(client, "note", {"n": 1}, **more)).content[0].text
            assert "a field which the form does not ask for" in told
            right = {"person": ElicitResult(action="accept", content={"memo": "m"})}
            again = await first(client, "note", {"n": 1}, **{**more, "input_responses": right})
            assert "Nothing has run." in again.content[0].text
        assert ran == []

    asked(Controller.from_functions([note]), steps, Person(), "auto")
