"""Tickets are valid once, for one audience, and contain nothing that a person gave."""

import asyncio
import json
import pickle
import sqlite3
import threading
from base64 import urlsafe_b64decode
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import pytest
from forks import in_a_fork
from pydantic import AfterValidator, Base64Bytes, BaseModel

from pyfunctools import (
    Approval,
    Controller,
    DefinitionError,
    Function,
    Human,
    MemoryStore,
    Outcome,
    SqliteStore,
    Tickets,
    TicketStoreError,
    function,
)

KEY = b"k" * 32
SECRET = "SECRET-7f3a"
WAYS = pytest.mark.parametrize("way", ["sync", "async"])


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now: float = 1_000_000) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Row(BaseModel):
    """A row; the model and the person each give a part."""

    name: str
    code: Human[str]


def _no_zero(value: str) -> str:
    if value.startswith("0"):
        raise ValueError("must not begin with 0")
    return value


class Bank:
    """A bank."""

    def __init__(self) -> None:
        self.ran: list[object] = []

    @function
    def pay(self, amount: int, pin: Human[str], note: Human[str] = "none") -> str:
        """Pay."""
        self.ran.append((amount, pin, note))
        return f"paid {amount}"

    @function(confirm=True)
    def close(self, why: str, account: Human[str] = "the default") -> str:
        """Close an account."""
        self.ran.append((why, account))
        return "closed"

    @function(confirm=True)
    def move(self, amount: int, pin: Human[str], account: Human[str] = "the default") -> str:
        """Move money."""
        self.ran.append((amount, pin, account))
        return "moved"

    @function
    def rows(self, rows: list[Row], key: Human[str]) -> str:
        """Write rows."""
        self.ran.append(rows)
        return f"{len(rows)} rows"

    @function
    def upload(
        self,
        name: str,
        data: Human[Base64Bytes],
        code: Annotated[Human[str], AfterValidator(_no_zero)] = "1",
    ) -> str:
        """Upload."""
        self.ran.append((name, data, code))
        return "uploaded"


class Desk:
    """A bank, and one way of calling it."""

    def __init__(self, way: str = "sync", tickets: Tickets | None = None) -> None:
        self.bank = Bank()
        self.controller = Controller.from_object(self.bank).configured(tickets=tickets)
        self.way = way

    @property
    def ran(self) -> list[object]:
        return self.bank.ran

    def call(self, *given: Any, **named: Any) -> Outcome:
        if self.way == "sync":
            return self.controller.call(*given, **named)
        return asyncio.run(self.controller.acall(*given, **named))

    def resume(self, *given: Any, **named: Any) -> Outcome:
        if self.way == "sync":
            return self.controller.resume(*given, **named)
        return asyncio.run(self.controller.aresume(*given, **named))


def ticket_of(outcome: Outcome) -> str:
    assert outcome.waiting is not None
    assert outcome.waiting.ticket is not None
    return outcome.waiting.ticket


def payload_of(ticket: str) -> str:
    payload = ticket.partition(".")[0]
    return urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode()


# A ticket is valid once, in any process.


@pytest.mark.parametrize("kept", ["default", "Tickets()", "Tickets(lifetime)", "store only"])
def test_a_ticket_without_a_key_runs_in_no_forked_worker(kept: str) -> None:
    tickets = {
        "default": None,
        "Tickets()": Tickets(),
        "Tickets(lifetime)": Tickets(lifetime=60),
        "store only": Tickets(store=MemoryStore()),
    }[kept]
    desk = Desk(tickets=tickets)
    ticket = ticket_of(desk.call("pay", {"amount": 1}))
    for _ in range(3):
        result = in_a_fork(lambda: (desk.resume(ticket, {"pin": "1"}).reason, desk.ran))
        assert result == ("ticket_foreign", [])
    assert desk.resume(ticket, {"pin": "1"}).ok
    assert desk.resume(ticket, {"pin": "1"}).replayed


def test_a_forked_worker_accepts_its_own_tickets_once() -> None:
    desk = Desk()
    ticket_of(desk.call("pay", {"amount": 1}))  # so that this process has made its key

    def works() -> list[Any]:
        ticket = ticket_of(desk.call("pay", {"amount": 1}))
        return [ticket, *(desk.resume(ticket, {"pin": "1"}).replayed for _ in range(2)), desk.ran]

    ticket, *replayed, ran = in_a_fork(works)  # type: ignore[misc]
    assert (replayed, len(ran)) == ([False, True], 1)
    assert desk.resume(ticket, {"pin": "1"}).reason == "ticket_foreign"


def test_a_random_key_is_in_no_pickle() -> None:
    tickets = Tickets()
    function = Controller.from_object(Bank())["pay"]
    ticket = tickets.issue(function, {"amount": 1})
    assert pickle.loads(pickle.dumps(tickets)).read(ticket) == "foreign"
    assert "key" not in repr(tickets)
    assert tickets.read(ticket) not in ("none", "foreign")


@pytest.mark.parametrize(
    "given",
    [{}, {"lifetime": 5}, {"clock": Clock()}, {"store": None}],
    ids=["nothing", "lifetime", "clock", "none"],
)
def test_a_key_without_a_store_is_refused_with_three_remedies(given: Any) -> None:
    with pytest.raises(DefinitionError) as caught:
        Tickets(KEY, **given)
    for remedy in ("SqliteStore(path)", "MemoryStore()", "leave out the key"):
        assert remedy in str(caught.value)


def _resumed(path: str, ticket: str, start: Any, results: Any) -> None:
    desk = Desk(tickets=Tickets(KEY, store=SqliteStore(path, timeout=60)))
    start.wait()
    told = [desk.resume(ticket, {"pin": "1"}) for _ in range(2)]
    results.put([(each.text, each.replayed, len(desk.ran)) for each in told])


def test_one_of_four_processes_runs_a_ticket(tmp_path: Path) -> None:
    path = str(tmp_path / "used.sqlite")
    desk = Desk(tickets=Tickets(KEY, store=SqliteStore(path)))
    ticket = ticket_of(desk.call("pay", {"amount": 1}))
    context = get_context("fork")
    start, results = context.Barrier(4), context.Queue()
    processes = [
        context.Process(target=_resumed, args=(path, ticket, start, results)) for _ in range(4)
    ]
    for process in processes:
        process.start()
    told = [each for _ in processes for each in results.get(timeout=300)]
    for process in processes:
        process.join(timeout=300)
    assert sum(ran for _, _, ran in told) == 2  # one process ran it, and was asked twice
    assert told.count(("paid 1", False, 1)) == 1
    for text, replayed, _ in told:
        assert text == "paid 1" if replayed else text == "paid 1" or "not known" in text


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@pytest.mark.parametrize("apart", [-86_400, -3600, 0, 3600, 1e9], ids="{:+.0f}s".format)
def test_no_clock_makes_a_used_ticket_valid_again(kind: str, apart: float, tmp_path: Path) -> None:
    clock = Clock(2_000_000_000 + apart)
    store = MemoryStore() if kind == "memory" else SqliteStore(tmp_path / "used.sqlite")
    desk = Desk(tickets=Tickets(KEY, store=store, clock=clock))
    ticket = ticket_of(desk.call("pay", {"amount": 1}))
    assert desk.resume(ticket, {"pin": "1"}).ok
    other = ticket_of(desk.call("pay", {"amount": 2}))
    assert desk.resume(other, {"pin": "1"}).ok  # this removes expired claims
    assert desk.resume(ticket, {"pin": "1"}).replayed
    clock.now += 901  # expired, but the store still knows what came of it
    assert desk.resume(ticket, {"pin": "1"}).replayed
    clock.now += 60
    told = desk.resume(ticket, {"pin": "1"})
    assert told.replayed or told.reason == "ticket_expired"
    assert len(desk.ran) == 2


@WAYS
@pytest.mark.parametrize("harm", ["locked", "gone", "full"])
def test_if_the_store_fails_nothing_runs_and_the_ticket_stays_valid(
    harm: str, way: str, tmp_path: Path
) -> None:
    path = tmp_path / "used.sqlite"
    store = MemoryStore(limit=0) if harm == "full" else SqliteStore(path, timeout=0.05)
    desk = Desk(way, Tickets(KEY, store=store))
    ticket = ticket_of(desk.call("pay", {"amount": 1}))
    holder = None
    if harm == "locked":
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
    elif harm == "gone":
        path.rename(tmp_path / "elsewhere")
    outcome = desk.resume(ticket, {"pin": "1"})
    assert (outcome.reason, desk.ran) == ("raised", [])
    assert isinstance(outcome.exception, TicketStoreError)
    assert "still waits" in outcome.text
    assert str(path) not in outcome.text
    if holder is not None:
        holder.close()
    elif harm == "gone":
        (tmp_path / "elsewhere").rename(path)
    else:
        store._limit = 10  # type: ignore[union-attr]
    assert desk.resume(ticket, {"pin": "1"}).ok


def test_aresume_does_not_block_the_loop_while_a_file_is_locked(tmp_path: Path) -> None:
    path = tmp_path / "used.sqlite"
    desk = Desk(tickets=Tickets(KEY, store=SqliteStore(path, timeout=60)))
    ticket = ticket_of(desk.call("pay", {"amount": 1}))
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")

    async def main() -> Outcome:
        resuming = asyncio.create_task(desk.controller.aresume(ticket, {"pin": "1"}))
        for _ in range(50):  # the loop goes on while the claim waits
            await asyncio.sleep(0)
        assert not resuming.done()
        holder.execute("ROLLBACK")
        return await resuming

    assert asyncio.run(main()).ok
    holder.close()


# The content of a ticket, and when it is used up.


@WAYS
def test_a_ticket_contains_the_models_arguments_and_no_value_of_the_person(way: str) -> None:
    desk = Desk(way)
    outcomes = [
        desk.call("move", {"amount": 7}, human={"pin": SECRET, "account": SECRET}),
        desk.call("move", {"amount": 7}, human={"pin": SECRET, SECRET: SECRET}),
        desk.call("move", {"amount": 7}, human={"account": SECRET}, audience=f"{SECRET}@x.org"),
        desk.call("rows", {"rows": [{"name": "a"}]}, human={"rows": [{"code": SECRET}] * 2}),
        desk.call("upload", {"name": "a"}, human={"data": f"{SECRET}!"}),
    ]
    for outcome in outcomes:
        payload = payload_of(ticket_of(outcome))
        assert SECRET not in payload
        assert json.loads(payload)["arguments"] == outcome.waiting.arguments  # type: ignore[union-attr]


def test_a_ticket_stays_valid_for_new_texts_but_not_for_a_new_schema() -> None:
    def of(**changed: Any) -> Function:
        place = {"type": "string", "x-human": True, "x-human-ask": "Your pin?", **changed}
        return Function.from_schema(
            name="pay",
            description=str(changed),
            parameters={
                "type": "object",
                "properties": {"n": {"type": "integer"}, "description": place},
            },
            handler=lambda **given: "ran",
        )

    tickets = Tickets()

    def resumed(changed: Function) -> str | None:
        before = Controller.from_functions([of()]).configured(
            tickets=tickets, confirm=lambda _: True
        )
        after = Controller.from_functions([changed]).configured(
            tickets=tickets, confirm=lambda _: True
        )
        ticket = ticket_of(before.call("pay", {"n": 1}))
        return after.resume(ticket, {"description": "x"}, approve=True).reason

    for words in ("description", "title", "$comment", "x-human-ask"):
        assert resumed(of(**{words: "New words."})) is None
    assert resumed(of(examples=["x"])) is None
    for kept in ({"minLength": 1}, {"default": "x"}, {"x-human": False}, {"enum": ["x"]}):
        assert resumed(of(**kept)) == "ticket_changed"


@WAYS
@pytest.mark.parametrize("forged", range(8))
def test_a_forged_ticket_is_refused(forged: int, way: str) -> None:
    desk = Desk(way)
    ticket = ticket_of(desk.call("pay", {"amount": 1}))
    payload, _, signature = ticket.partition(".")
    claims = json.loads(payload_of(ticket))
    longer = json.dumps({**claims, "a": {"amount": 10**6}}).encode()
    other = ticket_of(desk.call("pay", {"amount": 2}))
    tickets: list[Any] = [
        payload,
        f"{payload}.{'A' * 43}",
        f"{payload}.{other.partition('.')[2]}",
        f"{longer.hex()}.{signature}",
        ticket.swapcase(),
        ticket + "=",
        ticket_of(Desk().call("pay", {"amount": 1})),
        None,
    ]
    outcome = desk.resume(tickets[forged], {"pin": "1"})
    assert (outcome.reason, desk.ran) == ("ticket_foreign", [])


def test_twenty_thousand_changed_tickets_are_refused() -> None:
    import random

    chance = random.Random(9)
    desk = Desk()
    ticket = ticket_of(desk.call("pay", {"amount": 1}))
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
    reasons: set[str | None] = set()
    for _ in range(20_000):
        at, other = chance.randrange(len(ticket)), chance.choice(alphabet)
        cut = ticket[at + chance.randrange(2) :]
        forged = ticket[:at] + other * chance.randrange(3) + cut
        if forged != ticket:
            reasons.add(desk.resume(forged, {"pin": "1"}).reason)
    assert (reasons, desk.ran) == ({"ticket_foreign"}, [])


@WAYS
def test_a_ticket_is_used_up_if_the_function_raises(way: str) -> None:
    def fail(**_: object) -> str:
        raise RuntimeError("dead")

    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "pin": {"x-human": True}}}
    dying = Function.from_schema(
        name="f",
        parameters={**schema, "required": ["pin"]},
        handler=fail,
    )
    desk = Desk(way)
    desk.controller = Controller.from_functions([dying])
    ticket = ticket_of(desk.call("f", {"n": 1}))
    assert desk.resume(ticket, {"pin": 1}).reason == "raised"
    again = desk.resume(ticket, {"pin": 1})
    assert (again.reason, again.replayed) == ("raised", True)


# After a mistake of the person the ticket stays valid.

TWO = {"rows": [{"name": "a"}, {"name": "b"}]}
MISTAKES: dict[str, tuple[str, Any, Any, Any]] = {
    "short list": ("rows", TWO, {"rows": [{"code": "1"}], "key": "k"}, "$input.rows"),
    "long list": ("rows", TWO, {"rows": [{"code": "1"}] * 3, "key": "k"}, "$input.rows"),
    "empty list": ("rows", TWO, {"rows": [], "key": "k"}, "$input.rows"),
    "items for none": (
        "rows",
        {"rows": []},
        {"rows": [{"code": "1"}], "key": "k"},
        "$input.rows",
    ),
    "no item": ("rows", TWO, {"rows": [{"code": "1"}, None], "key": "k"}, "$input.rows[1].code"),
    "an object": ("rows", TWO, {"rows": {"code": "1"}, "key": "k"}, "$input.rows.code"),
    "a wrong type": (
        "rows",
        TWO,
        {"rows": [{"code": ["1"]}] * 2, "key": "k"},
        "$input.rows[0].code",
    ),
    "bad base64": ("upload", {"name": "a"}, {"data": "YQ=!"}, "$input.data"),
    "a validator": ("upload", {"name": "a"}, {"data": "YQ==", "code": "01"}, "$input.code"),
    "unknown": ("pay", {"amount": 1}, {"pin": "1", "pinn": "2"}, '$input["***"]'),
    "nothing": ("pay", {"amount": 1}, {}, "$input.pin"),
    "null": ("pay", {"amount": 1}, {"pin": None}, "$input.pin"),
    "text": ("pay", {"amount": 1}, "1234", "$input"),
}
RIGHT: dict[str, Any] = {
    "rows": {"rows": [{"code": "1"}, {"code": "2"}], "key": "k"},
    "upload": {"data": "YQ==", "code": "1"},
    "pay": {"pin": "1"},
}


@WAYS
@pytest.mark.parametrize("resumed", [False, True], ids=["call", "resume"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_after_a_mistake_of_the_person_the_ticket_stays_valid(
    mistake: str, resumed: bool, way: str
) -> None:
    name, arguments, wrong, path = MISTAKES[mistake]
    desk = Desk(way)
    if resumed:
        outcome = desk.resume(ticket_of(desk.call(name, arguments)), wrong)
    else:
        outcome = desk.call(name, arguments, human=wrong)
    assert (outcome.reason, desk.ran) == ("needs_human", [])
    assert {issue.side for issue in outcome.issues} == {"human"}
    assert path in {str(issue.path) for issue in outcome.issues}
    assert all(issue.value is None for issue in outcome.issues)
    assert "not yours to correct" in outcome.text
    right = RIGHT[name]
    if mistake == "items for none":
        right = {"rows": [], "key": "k"}
    assert desk.resume(ticket_of(outcome), right).ok
    assert len(desk.ran) == 1


@WAYS
def test_a_mistake_of_the_model_is_reported_to_the_model(way: str) -> None:
    outcome = Desk(way).call("rows", {"rows": [{}]}, human=RIGHT["rows"])
    assert outcome.reason == "arguments"
    assert {issue.side for issue in outcome.issues} == {"llm"}


# What the person gave first is never replaced by a default.


@WAYS
@pytest.mark.parametrize("again", [None, {}, {"pin": None}], ids=str)
def test_an_approval_without_the_persons_values_waits_for_them_again(again: Any, way: str) -> None:
    desk = Desk(way)
    first = desk.call("close", {"why": "x"}, human={"account": "mine"})
    assert first.reason == "needs_approval"
    for _ in range(2):
        outcome = desk.resume(ticket_of(first), again, approve=True)
        assert (outcome.reason, desk.ran) == ("needs_human", [])
        assert outcome.waiting is not None
        assert outcome.waiting.approval
    done = desk.resume(ticket_of(outcome), {"account": "mine"}, approve=True)
    assert (done.text, desk.ran) == ("closed", [("x", "mine")])


@WAYS
def test_resume_accepts_values_and_an_approval_together(way: str) -> None:
    values = {"pin": "1", "account": "mine"}
    for steps in (
        [{"human": values, "approve": True}],
        [{"human": values}, {"human": values, "approve": True}],
        [{"approve": True}, {"human": values, "approve": True}],
        [
            {"human": {"account": "mine"}},
            {"human": {"pin": "1"}},
            {"human": values, "approve": True},
        ],
        [{"approve": Approval(human=values)}],
        [
            {"human": values, "approve": lambda _: None},
            {"human": values, "approve": lambda _: True},
        ],
    ):
        desk = Desk(way)
        ticket = ticket_of(desk.call("move", {"amount": 1}))
        for step in steps[:-1]:
            waiting = desk.resume(ticket, **step)
            assert (waiting.ok, waiting.is_error, desk.ran) == (False, False, [])
            ticket = ticket_of(waiting)
        assert desk.resume(ticket, **steps[-1]).ok
        assert desk.ran == [(1, "1", "mine")]


@WAYS
def test_all_values_that_were_given_before_are_required_again(way: str) -> None:
    desk = Desk(way)
    first = desk.call("move", {"amount": 1}, human={"pin": "1", "account": "mine"})
    outcome = desk.resume(ticket_of(first), {"pin": "1"}, approve=True)
    assert [str(issue.path) for issue in outcome.issues] == ["$input.account"]
    assert (outcome.reason, desk.ran) == ("needs_human", [])


@WAYS
def test_a_value_that_was_never_given_has_its_default(way: str) -> None:
    desk = Desk(way)
    ticket = ticket_of(desk.call("close", {"why": "x"}))
    assert desk.resume(ticket, approve=True).ok
    assert desk.ran == [("x", "the default")]


@WAYS
@pytest.mark.parametrize("answer", [False, Approval({"amount": 1, "pin": "9"}), "asks"], ids=str)
def test_an_approval_counts_where_only_values_were_missing(answer: Any, way: str) -> None:
    desk = Desk(way)
    ticket = ticket_of(desk.call("pay", {"amount": 5}))
    given = (lambda _: False) if answer == "asks" else answer
    outcome = desk.resume(ticket, {"pin": "1"}, approve=given)
    if answer is False:
        assert (outcome.reason, desk.ran) == ("denied", [])
        assert desk.resume(ticket, {"pin": "1"}).reason == "denied"
    else:
        assert desk.ran == [(5, "1", "none") if answer == "asks" else (1, "9", "none")]


# Audiences.

ONE, OTHER = "ada@example.org", "bob@example.org"


@WAYS
@pytest.mark.parametrize(
    ("issued", "taken", "runs"),
    [
        (ONE, ONE, True),
        (None, None, True),
        (ONE, OTHER, False),
        (ONE, None, False),
        (None, ONE, False),
        (ONE, ONE + " ", False),
        (ONE, ONE.upper(), False),
    ],
)
def test_a_ticket_is_valid_only_for_its_audience(
    issued: str | None, taken: str | None, runs: bool, way: str
) -> None:
    desk = Desk(way)
    ticket = ticket_of(desk.call("pay", {"amount": 1}, audience=issued))
    outcome = desk.resume(ticket, {"pin": "1"}, audience=taken)
    assert outcome.reason == (None if runs else "ticket_foreign")
    assert len(desk.ran) == runs
    again = desk.resume(ticket, {"pin": "1"}, audience=issued)
    assert (again.ok, again.replayed, len(desk.ran)) == (True, runs, 1)


@WAYS
def test_the_audience_is_the_same_in_every_step(way: str) -> None:
    desk = Desk(way)
    first = ticket_of(desk.call("move", {"amount": 1}, audience=ONE))
    second = ticket_of(desk.resume(first, {"pin": "1"}, audience=ONE))
    assert ONE not in payload_of(second)
    assert desk.resume(second, {"pin": "1"}, approve=True).reason == "ticket_foreign"
    assert desk.resume(second, {"pin": "1"}, approve=True, audience=ONE).ok
    assert desk.resume(first, {"pin": "1"}, approve=True).reason == "ticket_foreign"
    assert desk.resume(first, {"pin": "1"}, approve=True, audience=ONE).replayed


@pytest.mark.parametrize("audience", ["", 7, b"ada", ["ada"], True], ids=repr)
def test_an_audience_must_be_a_text_and_not_empty(audience: Any) -> None:
    controller = Controller.from_object(Bank())
    with pytest.raises(DefinitionError, match="audience"):
        controller.call("pay", {"amount": 1}, audience=audience)
    with pytest.raises(DefinitionError, match="audience"):
        controller.resume("x", audience=audience)


# Withdrawn tickets.


class AsyncStore:
    """An asynchronous store."""

    def __init__(self) -> None:
        self.used = MemoryStore()

    async def claim(self, ticket_id: str, expires: int, /) -> bool:
        return self.used.claim(ticket_id, expires)


@pytest.mark.parametrize("key", [None, KEY], ids=["random key", "own key"])
def test_a_withdrawn_ticket_is_used_up(key: bytes | None) -> None:
    clock = Clock()
    tickets = Tickets(key, store=MemoryStore(), clock=clock)
    desk = Desk(tickets=tickets)
    ticket = ticket_of(desk.call("pay", {"amount": 1}))
    assert [tickets.withdraw(ticket), tickets.withdraw(ticket)] == [True, False]
    told = desk.resume(ticket, {"pin": "1"})
    assert (told.reason, told.replayed, desk.ran) == ("declined", True, [])
    assert "withdrawn" in told.text
    late = ticket_of(desk.call("pay", {"amount": 1}))
    clock.now += 1000
    assert [tickets.withdraw(late), tickets.withdraw("x"), tickets.withdraw(None)] == [False] * 3  # type: ignore[arg-type]


def test_a_ticket_of_an_asynchronous_store_is_withdrawn_too() -> None:
    tickets = Tickets(KEY, store=AsyncStore())
    desk = Desk("async", tickets)
    ticket = ticket_of(desk.call("pay", {"amount": 1}))

    async def main() -> list[bool]:
        return [await tickets.withdraw(each) for each in (ticket, ticket, "x")]  # type: ignore[misc]

    assert asyncio.run(main()) == [True, False, False]
    assert desk.resume(ticket, {"pin": "1"}).reason == "ticket_used"


def test_a_store_that_cannot_record_a_withdrawal_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Forgetful(MemoryStore):
        def record(self, ticket_id: str, answer: str, /) -> None:
            raise OSError("SECRET-7f3a")

    tickets = Tickets(KEY, store=Forgetful())
    ticket = ticket_of(Desk(tickets=tickets).call("pay", {"amount": 1}))
    assert tickets.withdraw(ticket) is True
    assert "pay: `store` raised OSError" in caplog.text
    assert "SECRET-7f3a" not in caplog.text


def test_of_many_threads_one_runs_a_ticket(tmp_path: Path) -> None:
    desk = Desk(tickets=Tickets(KEY, store=SqliteStore(tmp_path / "used.sqlite", timeout=60)))
    ticket = ticket_of(desk.call("pay", {"amount": 1}))
    start, told = threading.Barrier(8), list[Outcome]()

    def resume() -> None:
        start.wait()
        told.append(desk.resume(ticket, {"pin": "1"}))

    threads = [threading.Thread(target=resume) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(each.ok and not each.replayed for each in told) == len(desk.ran) == 1
    assert {each.reason for each in told} <= {None, "ticket_used"}
