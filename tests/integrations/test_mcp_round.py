"""A controller that is served and read back is the same controller."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from mcp import Client
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult
from pydantic import BaseModel

from pyfunctools import Approval, Controller, File, Human, MemoryStore, Tickets, function
from pyfunctools.integrations.mcp import server

REVISIONS = ("auto", "legacy")


class Line(BaseModel):
    sku: str
    count: int = 1
    inner: "list[Line] | None" = None


class Mixed:
    """Functions of every form."""

    def __init__(self) -> None:
        self.done: list[Any] = []

    @function(read_only=True, title="Echo")
    def echo(self, line: Line, rest: dict[str, float], kind: Literal["a", 2]) -> Line:
        """Echo a line.

        Args:
            line: What to echo.
        """
        return line

    @function(idempotent=True)
    def listed(self, day: date, count: int | None = None) -> list[date]:
        """Return days."""
        return [day]

    @function
    def nothing(self) -> None:
        """Return nothing."""

    @function
    def maybe(self, give: bool) -> Line | None:
        """Return one, or none."""
        return Line(sku="x") if give else None

    @function
    def words(self) -> str:
        """Return words."""
        return "two\nlines"

    @function
    def breaks(self) -> int:
        """Raise."""
        raise ValueError("no")

    @function
    def picture(self) -> File:
        """Return a picture."""
        return File(content=b"png", filename="a.png", content_type="image/png")

    @function(confirm=True, destructive=True)
    def erase(self, sku: str) -> str:
        """Erase."""
        self.done.append(sku)
        return f"no {sku}"

    @function
    def order(self, sku: str, count: Annotated[Human[int], "How many"], day: Human[date]) -> str:
        """Order."""
        self.done.append((sku, count, day))
        return f"{count} {sku}"


def read_back(
    controller: Controller, steps: Callable[[Controller], Awaitable[Any]], revision: str = "auto"
) -> Any:
    """Return what the steps return, given the controller of a server of the controller."""

    async def run() -> Any:
        client = Client(server(controller), mode=revision)
        async with await Controller.from_mcp(client, trust=True) as remote:
            return await steps(remote)

    return asyncio.run(run())


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_functions_are_the_same(revision: str) -> None:
    local = Controller.from_object(Mixed())

    async def steps(remote: Controller) -> Any:
        assert remote.skipped == ()
        return remote.functions

    for here, there in zip(local, read_back(local, steps, revision), strict=True):
        assert (here.name, here.description, here.title) == (
            there.name,
            there.description,
            there.title,
        )
        assert (here.read_only, here.destructive, here.idempotent) == (
            there.read_only,
            there.destructive,
            there.idempotent,
        )
        assert there.separated is None  # a person's part stays with the server
        sent, again = (each.render("mcp", inline=True).schema for each in (here, there))
        assert sent == again
        assert (here.output is None) == (there.output is None)


CALLS = [
    ("echo", {"line": {"sku": "a", "inner": [{"sku": "b"}]}, "rest": {"x": "1.5"}, "kind": 2}),
    ("echo", {"line": {"sku": 3}}),
    ("listed", {"day": "2026-01-02"}),
    ("nothing", {}),
    ("maybe", {"give": "yes"}),
    ("maybe", {"give": False}),
    ("words", {}),
    ("breaks", {}),
    ("picture", {}),
]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_the_outcomes_are_the_same(name: str, arguments: Any, revision: str) -> None:
    local = Controller.from_object(Mixed())
    here = local.call(name, arguments)
    there = read_back(local, lambda remote: remote.acall(name, arguments), revision)
    assert (here.reason, here.text) == (there.reason, there.text)
    assert [(each.content, each.content_type) for each in here.content] == [
        (each.content, each.content_type) for each in there.content
    ]
    if here.ok and not here.content and here.value is not None:  # of `None` MCP has only text
        from pyfunctools.record.outcome import outcome_json

        assert outcome_json(here) == outcome_json(there)


def test_a_persons_part_is_asked_for_here() -> None:
    shop = Mixed()
    values = {"count": "3", "day": date(2026, 1, 2)}

    async def ask(pending: Any) -> Any:
        assert [each.path for each in pending.questions] == ["$input.count", "$input.day"]
        assert [each.kind for each in pending.questions] == ["integer", "date"]
        assert pending.questions[0].help == "How many"
        assert pending.arguments == {"sku": "x"}
        return {each.path: values[each.path[7:]] for each in pending.questions}

    async def steps(remote: Controller) -> Any:
        given = await remote.acall("order", {"sku": "x"}, human=values)
        asked = await remote.acall("order", {"sku": "x"}, human=ask)
        refused = await remote.acall("order", {"sku": "x"}, human=lambda pending: False)
        waits = await remote.acall("order", {"sku": "x"})
        wrong = await remote.acall(
            "order", {"sku": "x"}, human={"count": "many", "day": "2026-1-1"}
        )
        return given, asked, refused, waits, wrong

    given, asked, refused, waits, wrong = read_back(Controller.from_object(shop), steps)
    assert (given.text, asked.text) == ("3 x", "3 x")
    assert shop.done == [("x", 3, date(2026, 1, 2))] * 2
    assert refused.is_error
    assert "declined" in refused.text
    assert waits.reason == "needs_human"
    assert waits.waiting is not None
    assert (waits.waiting.arguments, waits.waiting.approval) == ({"sku": "x"}, False)
    assert [bool(each.problem) for each in wrong.waiting.questions] == [True, True]


def test_a_persons_part_comes_round_in_the_older_revision_too() -> None:
    shop = Mixed()
    values = {"count": "3", "day": date(2026, 1, 2)}

    async def steps(remote: Controller) -> Any:
        given = await remote.acall("order", {"sku": "x"}, human=values)
        asked = await remote.acall("order", {"sku": "y"}, human=lambda pending: values)
        return given, asked, await remote.acall("order", {"sku": "z"})

    given, asked, nobody = read_back(Controller.from_object(shop), steps, "legacy")
    assert (given.text, asked.text) == ("3 x", "3 y")
    assert (nobody.reason, nobody.waiting) == ("declined", None)
    assert shop.done == [(each, 3, date(2026, 1, 2)) for each in "xy"]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("approve", "done"),
    [
        (True, []),
        (Approval(), []),
        (lambda pending: True, ["x"]),
        (lambda pending: Approval(), ["x"]),
        (False, []),
        (lambda pending: False, []),
    ],
    ids=["unseen", "unseen approval", "asked yes", "asked approval", "no", "asked no"],
)
def test_an_approval_is_given_here(approve: Any, done: list[str], revision: str) -> None:
    shop = Mixed()
    local = Controller.from_object(shop)
    call = lambda remote: remote.acall("erase", {"sku": "x"}, approve=approve)  # noqa: E731
    outcome = read_back(local, call, revision)
    assert (outcome.ok, shop.done) == (bool(done), done)


def test_a_call_that_waits_there_goes_on_here_by_our_ticket() -> None:
    shop = Mixed()

    async def steps(remote: Controller) -> Any:
        waits = await remote.acall("order", {"sku": "x"}, audience="ada")
        assert waits.waiting is not None
        ticket = waits.waiting.ticket
        other = await remote.aresume(ticket, {"count": 1, "day": "2026-01-01"}, audience="bob")
        assert other.reason == "ticket_foreign"
        again = await remote.aresume(ticket, {"count": "many"}, audience="ada")
        assert again.reason == "needs_human"
        assert shop.done == []
        values = {"$input.count": 2, "$input.day": "2026-01-01"}
        done = await remote.aresume(again.waiting.ticket, values, audience="ada")
        assert done.text == "2 x"
        used = await remote.aresume(ticket, values, audience="ada")
        assert used.replayed
        approved = await remote.acall("erase", {"sku": "y"})
        assert (approved.reason, approved.waiting.approval) == ("needs_approval", True)
        assert (await remote.aresume(approved.waiting.ticket, approve=True)).text == "no y"
        denied = await remote.acall("erase", {"sku": "z"})
        assert (await remote.aresume(denied.waiting.ticket, approve=False)).is_error

    read_back(Controller.from_object(shop), steps)
    assert shop.done == [("x", 2, date(2026, 1, 1)), "y"]


def test_another_process_goes_on_by_the_ticket() -> None:
    shop = Mixed()
    here = Tickets(b"h" * 32, store=MemoryStore())
    local = Controller.from_object(shop).configured(tickets=Tickets(b"s" * 32, store=MemoryStore()))
    served = server(local, keys=["k" * 32])

    async def opened(steps: Callable[[Controller], Awaitable[Any]]) -> Any:
        async with await Controller.from_mcp(Client(served)) as remote:
            return await steps(remote.configured(tickets=here))

    waits = asyncio.run(opened(lambda remote: remote.acall("erase", {"sku": "x"})))
    ticket = waits.waiting.ticket
    assert asyncio.run(opened(lambda remote: remote.aresume(ticket, approve=True))).text == "no x"


def test_a_server_that_asks_for_something_else_is_refused() -> None:
    from raw_mcp import raw_client

    tool = {"name": "f", "inputSchema": {"type": "object"}}
    sampling = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}

    def answer(method: str, params: Any) -> Any:
        if method == "tools/list":
            return {"tools": [tool], "resultType": "complete"}
        return {"resultType": "input_required", "inputRequests": {"a": sampling}}

    async def run() -> Any:
        async with await Controller.from_mcp(raw_client(answer)) as remote:
            return await remote.acall("f", human=lambda pending: {})

    outcome = asyncio.run(run())
    assert (outcome.reason, "sampling/createMessage" in outcome.text) == ("declined", True)


def test_a_server_that_asks_for_ever_is_left() -> None:
    from raw_mcp import raw_client

    form = ElicitRequestFormParams(
        message="More?",
        requested_schema={"type": "object", "properties": {"x": {"type": "string"}}},
    )
    asked = InputRequiredResult(input_requests={"a": ElicitRequest(params=form)}, request_state="s")
    seen: list[Any] = []

    def answer(method: str, params: Any) -> Any:
        if method == "tools/list":
            listed = {"name": "f", "inputSchema": {"type": "object"}}
            return {"tools": [listed], "resultType": "complete"}
        seen.append((params.get("requestState"), params.get("inputResponses")))
        return asked.model_dump(by_alias=True, mode="json", exclude_none=True)

    async def run() -> Any:
        async with await Controller.from_mcp(raw_client(answer)) as remote:
            return await remote.acall("f", human=lambda pending: {"x": "y"})

    assert asyncio.run(run()).reason == "declined"
    assert seen[0] == (None, None)
    assert seen[1:] == [("s", {"a": {"action": "accept", "content": {"x": "y"}}})] * 10


def asking(params: dict[str, Any], seen: list[Any]) -> Any:
    """Return the answers of a server that asks once, without a state."""

    def answer(method: str, given: Any) -> Any:
        if method == "tools/list":
            listed = {"name": "f", "inputSchema": {"type": "object"}}
            return {"tools": [listed], "resultType": "complete"}
        if "inputResponses" in given:
            seen.append((given.get("requestState"), given["inputResponses"]))
            return {"resultType": "complete", "content": [{"type": "text", "text": "done"}]}
        request = {"method": "elicitation/create", "params": params}
        return {"resultType": "input_required", "inputRequests": {"k": request}}

    return answer


def test_a_form_without_a_mode_is_a_form() -> None:
    from raw_mcp import raw_client

    seen: list[Any] = []
    form = {"type": "object", "properties": {"x": {"type": "integer"}}}

    async def run() -> Any:
        client = raw_client(asking({"message": "?", "requestedSchema": form}, seen))
        async with await Controller.from_mcp(client) as remote:
            return await remote.acall("f", human={"x": "3"})

    assert asyncio.run(run()).text == "done"
    assert seen == [(None, {"k": {"action": "accept", "content": {"x": 3}}})]


@pytest.mark.parametrize(("said", "action"), [(True, "accept"), (False, "decline")])
def test_an_address_is_shown_whole_and_not_opened(said: bool, action: str) -> None:
    from raw_mcp import raw_client

    seen: list[Any] = []
    address = "https://x.example/" + "a" * 500

    async def ask(pending: Any) -> Any:
        (question,) = pending.questions
        assert (question.kind, address in question.label) == ("boolean", True)
        return {question.path: said}

    async def run() -> Any:
        client = raw_client(asking({"mode": "url", "message": "Sign in.", "url": address}, seen))
        async with await Controller.from_mcp(client) as remote:
            return await remote.acall("f", human=ask)

    assert asyncio.run(run()).text == "done"
    assert seen == [(None, {"k": {"action": action}})]


def refusing(elicitations: Any, seen: list[Any]) -> Any:
    """Return the answers of a server that refuses a call until a person was somewhere."""
    from mcp_types import URL_ELICITATION_REQUIRED, ErrorData

    def answer(method: str, given: Any) -> Any:
        if method == "tools/list":
            return {"tools": [{"name": "f", "inputSchema": {"type": "object"}}]}
        seen.append({key: given[key] for key in given if key != "_meta"})
        if len(seen) > 1:
            return {"content": [{"type": "text", "text": "done"}]}
        data = {"elicitations": elicitations}
        return ErrorData(code=URL_ELICITATION_REQUIRED, message="Sign in.", data=data)

    return answer


SIGN_IN = {"mode": "url", "message": "Sign in.", "url": "https://x.example/s", "elicitationId": "e"}


@pytest.mark.parametrize(
    ("asked", "given", "reason", "calls"),
    [
        ([SIGN_IN], {"human": {"url": True}}, None, 2),
        ([SIGN_IN], {"human": {"url": False}}, "declined", 1),
        ([SIGN_IN], {"human": lambda pending: {pending.questions[0].path: True}}, None, 2),
        ([SIGN_IN], {}, "needs_human", 1),
        ([SIGN_IN, SIGN_IN], {"human": {"url": True}}, "needs_human", 1),
        ([SIGN_IN, SIGN_IN], {"human": {"url": True, "url1": True}}, None, 2),
        *((wrong, {"human": {"url": True}}, "raised", 1) for wrong in (None, [], [1], [{}], {})),
    ],
    ids=range(11),
)
def test_a_refused_call_is_made_again_after_the_person_was_at_the_address(
    asked: Any, given: Any, reason: str | None, calls: int
) -> None:
    from raw_mcp import raw_client

    seen: list[Any] = []

    async def run() -> Any:
        client = raw_client(refusing(asked, seen), "legacy")
        async with await Controller.from_mcp(client) as remote:
            outcome = await remote.acall("f", **given)
            if outcome.waiting is not None:
                assert "https://x.example/s" in outcome.waiting.questions[0].label
                resumed = await remote.aresume(outcome.waiting.ticket, {"url": True, "url1": True})
                assert resumed.text == "done"
                seen.pop()
            return outcome

    assert (asyncio.run(run()).reason, len(seen)) == (reason, calls)
    assert all(each == {"name": "f", "arguments": {}} for each in seen)
