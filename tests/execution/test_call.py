"""The way of a call: check, ask, merge, approve, use up the ticket, run, mask."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from pyfunctools import (
    Approval,
    DefinitionError,
    Function,
    MemoryStore,
    Outcome,
    PendingCall,
    Retry,
    Tickets,
    UnknownFunctionError,
)
from pyfunctools._lazy import Lazy
from pyfunctools.execution.pipeline import Invocation
from pyfunctools.execution.runner import Run
from pyfunctools.execution.steps import finish
from pyfunctools.limits import DEFAULT_LIMITS

SECRET = "SECRET-7f3a"
PARAMETERS = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "pin": {"type": "string", "x-human": True},
        "note": {"type": "string", "x-human": True},
    },
    "required": ["amount", "pin"],
}
WAYS = ("call", "acall")


class Recorder:
    """Records each run."""

    limits = DEFAULT_LIMITS
    preview = None

    def __init__(self) -> None:
        self.ran: list[Mapping[str, object]] = []

    async def run(self, run: Run) -> Outcome:
        refused = None if run.begin is None else await run.begin()
        if refused is not None:
            return refused
        self.ran.append(run.arguments)
        text = f"ran {run.function.name} with {run.context}"
        return Outcome(text=text, value=run.arguments)

    def may_ask(self, function: Function) -> bool:
        return False

    def close(self) -> None: ...

    async def aclose(self) -> None: ...


class Desk:
    """One function and what it takes to call it both ways."""

    def __init__(self, tickets: Tickets | None = None, *, confirm: bool = False) -> None:
        self.function = Function.from_schema(name="pay", parameters=PARAMETERS, confirm=confirm)
        self.runner = Recorder()
        self.tickets = tickets or Tickets(b"k" * 32, store=MemoryStore())

    def call(self, way: str, arguments: object, **given: Any) -> Outcome:
        steps = self._call(way, given).run("pay", arguments)  # type: ignore[arg-type]
        return finish(steps) if way == "call" else asyncio.run(steps)

    def resume(self, way: str, ticket: object, human: Any = None, **given: Any) -> Outcome:
        steps = self._call(way, {"human": human, **given}).resume(ticket)
        return finish(steps) if way == "call" else asyncio.run(steps)

    @property
    def ran(self) -> list[Mapping[str, object]]:
        return self.runner.ran

    def _call(self, way: str, given: dict[str, Any]) -> Invocation:
        return Invocation(self._entry, Lazy.of(self.tickets), awaits=way == "acall", **given)

    def _entry(self, name: str) -> tuple[Function, Recorder]:
        if name != self.function.name:
            raise UnknownFunctionError(name)
        return self.function, self.runner


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    """One way of calling, then the other."""
    return str(request.param)


def test_a_call_runs_with_the_values_of_both_sides(way: str) -> None:
    desk = Desk()
    outcome = desk.call(way, '{"amount": "2"}', human={"pin": "1"}, context="me")
    assert desk.ran == [{"amount": 2.0, "pin": "1"}]
    assert (outcome.text, outcome.function) == ("ran pay with me", "pay")
    assert [str(repair.path) for repair in outcome.repairs] == ["$input.amount"]
    assert (outcome.ok, outcome.reason, outcome.waiting) == (True, None, None)


@pytest.mark.parametrize(
    ("arguments", "human", "said", "waits"),
    [
        ("{", {"pin": "1"}, "amount", False),
        ({"amount": "x"}, {"pin": "1"}, "number", False),
        ({"amount": 1, "pin": "0"}, {"pin": "1"}, "pin", False),
        ({"amount": 1}, {}, "not yours to correct", True),
        ({"amount": 1}, {"pin": 7}, "not yours to correct", True),
        ({"amount": 1}, {"pin": None}, "not yours to correct", True),
        ({"amount": 1}, {"amount": 2, "pin": "1"}, "not yours to correct", True),
        ({"amount": 1}, [SECRET], "not yours to correct", True),
        ({"amount": 1}, SECRET, "not yours to correct", True),
        ({"amount": 1}, 7, "not yours to correct", True),
    ],
)
def test_t04_a_mistake_in_either_part_is_an_error_and_nothing_runs(
    way: str, arguments: object, human: object, said: str, waits: bool
) -> None:
    desk = Desk()
    outcome = desk.call(way, arguments, human=human)
    assert desk.ran == []
    assert (outcome.ok, outcome.is_error) == (False, not waits)
    assert outcome.reason == ("needs_human" if waits else "arguments")
    assert said in outcome.text
    assert outcome.function == "pay"
    assert outcome.issues
    assert {issue.side == "human" for issue in outcome.issues} == {waits}
    assert (outcome.waiting is not None) is waits
    assert not waits or outcome.waiting.ticket is not None
    assert SECRET not in repr(outcome) + outcome.text


def test_without_the_persons_part_the_call_waits_with_a_ticket(way: str) -> None:
    desk = Desk()
    outcome = desk.call(way, '{"amount": "1"}')
    assert (outcome.ok, outcome.is_error, outcome.reason) == (False, False, "needs_human")
    assert desk.ran == []
    waiting = outcome.waiting
    assert waiting is not None
    assert (waiting.function, waiting.arguments) == ("pay", {"amount": 1})
    asked = [(each.path, each.required) for each in waiting.questions]
    assert asked == [("$input.pin", True), ("$input.note", False)]
    assert waiting.approval is False
    assert waiting.call_id
    assert [str(repair.path) for repair in outcome.repairs] == ["$input.amount"]
    done = desk.resume(way, outcome.waiting.ticket, {"pin": "1"}, context="me")
    assert done.text == "ran pay with me"
    assert desk.ran == [{"amount": 1, "pin": "1"}]


# A person who is asked.


def asking(answer: object, asked: list[object]) -> Callable[..., object]:
    def ask(pending: PendingCall) -> object:
        asked.append((pending.function.name, pending.arguments))
        return answer

    return ask


def later(ask: Callable[..., object]) -> Callable[..., Awaitable[object]]:
    async def ask_later(*about: object) -> object:
        await asyncio.sleep(0)
        return ask(*about)

    return ask_later


def test_a_callable_is_called_for_missing_values(way: str) -> None:
    asked: list[object] = []
    desk = Desk()
    desk.call(way, {"amount": 1}, human=asking({"pin": "1"}, asked))
    assert asked == [("pay", {"amount": 1})]
    assert desk.ran == [{"amount": 1, "pin": "1"}]


def test_a_callable_may_be_asynchronous_under_acall() -> None:
    desk = Desk(confirm=True)
    given = {"human": later(asking({"pin": "1"}, [])), "approve": later(lambda call: True)}
    desk.call("acall", {"amount": 1}, **given)
    assert desk.ran == [{"amount": 1, "pin": "1"}]
    for name, asked in given.items():
        others = {"human": {"pin": "1"}, name: asked}
        with pytest.raises(DefinitionError, match=f"{name}: .*acall"):
            desk.call("call", {"amount": 1}, **others)
    assert len(desk.ran) == 1


def test_nobody_is_asked_without_need(way: str) -> None:
    asked: list[object] = []
    desk = Desk()
    wrong = desk.call(way, {"amount": "x"}, human=asking({"pin": "1"}, asked))
    assert wrong.is_error
    desk.function = Function.from_schema(
        name="pay", parameters={**PARAMETERS, "required": ["amount"]}
    )
    assert not desk.call(way, {"amount": 1}, human=asking({"pin": "1"}, asked)).is_error
    assert asked == []
    assert desk.ran == [{"amount": 1}]


def test_a_person_who_gives_nothing_yet_leaves_the_call_waiting(way: str) -> None:
    desk = Desk()
    outcome = desk.call(way, {"amount": 1}, human=asking(None, []))
    assert (outcome.reason, desk.ran) == ("needs_human", [])
    assert "has not given it yet" in outcome.text
    again = desk.resume(way, outcome.waiting.ticket, asking(None, []))
    assert again.reason == "needs_human"
    assert desk.resume(way, again.waiting.ticket, {"pin": "1"}).ok


@pytest.mark.parametrize("given", ["human", "approve"])
def test_a_person_who_declines_ends_the_call_and_its_ticket(way: str, given: str) -> None:
    desk = Desk(confirm=given == "approve")
    values = {} if given == "human" else {"human": {"pin": "1"}}
    waits = desk.call(way, {"amount": 1}, **values)
    outcome = desk.resume(way, waits.waiting.ticket, **{**values, given: asking(False, [])})
    assert (outcome.is_error, outcome.waiting, desk.ran) == (True, None, [])
    assert "declined" in outcome.text
    again = desk.resume(way, waits.waiting.ticket, {"pin": "1"}, approve=True)
    assert (again.text, again.reason, again.replayed) == (outcome.text, outcome.reason, True)
    assert desk.ran == []


@pytest.mark.parametrize("answer", [{}, {"pin": 7}, SECRET, [SECRET], 7, {"pin": "1", "x": 1}])
def test_the_result_of_a_callable_is_validated(way: str, answer: object) -> None:
    desk = Desk()
    outcome = desk.call(way, {"amount": 1}, human=asking(answer, []))
    assert outcome.reason == "needs_human"
    assert "not yours to correct" in outcome.text
    assert outcome.waiting.ticket is not None
    assert desk.ran == []
    assert SECRET not in repr(outcome)


def test_values_may_be_any_mapping_and_no_side_can_change_the_other(way: str) -> None:
    given = {"pin": "1"}

    def ask(pending: Any) -> Mapping[str, object]:
        pending.arguments["amount"] = 1_000_000
        return MappingProxyType(given)

    desk = Desk()
    desk.call(way, {"amount": 1}, human=MappingProxyType(given))
    desk.call(way, {"amount": 1}, human=ask)
    assert desk.ran == [{"amount": 1, "pin": "1"}] * 2
    assert given == {"pin": "1"}


@pytest.mark.parametrize("error", [ValueError(SECRET), StopIteration(SECRET), KeyError(SECRET)])
@pytest.mark.parametrize("name", ["human", "approve"])
def test_a_callable_that_fails_is_an_error_outcome_without_its_message(
    way: str, name: str, error: Exception
) -> None:
    def fail(*_: object) -> bool:
        raise error

    desk = Desk(confirm=True)
    outcome = desk.call(way, {"amount": 1}, **{"human": {"pin": "1"}, name: fail})
    assert outcome.is_error
    assert type(error).__name__ in outcome.text
    assert "Nothing has run" in outcome.text
    assert SECRET not in repr(outcome)
    assert desk.ran == []


def test_errors_of_the_library_pass_through_a_callable(way: str) -> None:
    def fail(*_: object) -> bool:
        raise Retry("no")

    with pytest.raises(Retry):
        Desk().call(way, {"amount": 1}, human=fail)


# A person who approves.


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (True, None),
        (False, "denied"),
        (None, "needs_approval"),
    ],
)
def test_only_true_approves(way: str, answer: object, reason: str | None) -> None:
    asked: list[PendingCall] = []
    desk = Desk(confirm=True)

    def approve(call: PendingCall) -> object:
        asked.append(call)
        return answer

    outcome = desk.call(way, {"amount": 1}, human={"pin": "1"}, approve=approve)
    assert desk.ran == [{"amount": 1, "pin": "1"}] * (reason is None)
    assert outcome.reason == reason
    assert (outcome.waiting is not None) is (reason == "needs_approval")
    assert [call.arguments for call in asked] == [{"amount": 1, "pin": "***"}]
    assert asked[0].function is desk.function


@pytest.mark.parametrize("answer", ["yes", 1, {"amount": 1}])
def test_what_is_no_answer_is_a_mistake_of_the_program(way: str, answer: object) -> None:
    desk = Desk(confirm=True)
    waiting = desk.call(way, {"amount": 1}, human={"pin": "1"}).waiting
    assert waiting is not None
    for refused in (
        lambda: desk.call(way, {"amount": 1}, human={"pin": "1"}, approve=lambda _: answer),
        lambda: desk.resume(way, waiting.ticket, {"pin": "1"}, approve=lambda _: answer),
    ):
        with pytest.raises(
            DefinitionError, match=r"approve\(pending\): This must be `True`, .*, not"
        ):
            refused()
    assert desk.resume(way, waiting.ticket, {"pin": "1"}, approve=True).ok  # it is not used up


def test_an_unapproved_call_waits_with_a_ticket(way: str) -> None:
    desk = Desk(confirm=True)
    waiting = desk.call(way, {"amount": 1}, human={"pin": SECRET})
    assert (waiting.ok, waiting.is_error, waiting.reason) == (False, False, "needs_approval")
    assert waiting.waiting is not None
    assert waiting.waiting.approval
    assert waiting.waiting.arguments == {"amount": 1}
    assert SECRET not in repr(waiting) + str(waiting.waiting.ticket)
    first = desk.resume(way, waiting.waiting.ticket, {"pin": "1"})
    assert first.reason == "needs_approval"
    assert first.waiting.ticket == waiting.waiting.ticket
    second = desk.resume(way, waiting.waiting.ticket, approve=lambda _: True)
    assert second.reason == "needs_human"
    assert second.waiting.ticket == waiting.waiting.ticket
    assert desk.ran == []
    desk.resume(way, waiting.waiting.ticket, {"pin": "1"}, approve=lambda _: True)
    assert desk.ran == [{"amount": 1, "pin": "1"}]


@pytest.mark.parametrize("edit", [{"amount": 5}, {"pin": "other"}])
def test_an_edit_runs_in_place_of_what_was_shown(way: str, edit: dict[str, object]) -> None:
    desk = Desk(confirm=True)
    outcome = desk.call(
        way,
        '{"amount": "9"}',
        human={"pin": SECRET},
        approve=lambda call: Approval({**call.arguments, **edit}),
    )
    assert desk.ran == [{"amount": 9, "pin": SECRET, **edit}]
    assert [str(each.path) for each in outcome.repairs] == ["$input.amount"]


class Echoing(Recorder):
    """Returns the arguments as a text, or as an error, like a server that repeats them."""

    async def run(self, run: Run) -> Outcome:
        await super().run(run)
        reason = "raised" if run.arguments["amount"] == 9 else None
        return Outcome(text=f"got {dict(run.arguments)}", value=None, reason=reason)


@pytest.mark.parametrize("amount", [1, 9], ids=["result", "error"])
@pytest.mark.parametrize("by", ["human", "arguments"])
def test_what_a_person_gives_with_an_answer_to_an_approval_is_masked(
    way: str, by: str, amount: int
) -> None:
    desk = Desk(confirm=True)
    desk.runner = Echoing()
    gave = {"pin": SECRET, "note": "Green Street"}

    def approve(call: PendingCall) -> Approval:
        if by == "human":
            return Approval(human=gave)
        return Approval({**call.arguments, **gave})

    outcome = desk.call(way, {"amount": amount}, human={"pin": "4711-x"}, approve=approve)
    assert desk.ran == [{"amount": amount, **gave}]
    assert SECRET not in outcome.text
    assert ("Green Street" in outcome.text) == (amount == 1)


@pytest.mark.parametrize(
    "edit",
    [{"amount": "x", "pin": SECRET}, {"amount": 1}, {}, 7, {"amount": 1, "pin": [SECRET]}],
)
def test_an_invalid_edit_runs_nothing_and_may_be_repeated(way: str, edit: object) -> None:
    desk = Desk(confirm=True)
    human = {"pin": "1"}
    outcome = desk.call(
        way,
        {"amount": 1},
        human=human,
        approve=lambda _: Approval(edit),  # type: ignore[arg-type]
    )
    assert desk.ran == []
    assert outcome.reason == "needs_approval"
    assert outcome.issues
    assert {issue.side for issue in outcome.issues} == {"human"}
    assert SECRET not in repr(outcome)
    assert not desk.resume(way, outcome.waiting.ticket, human, approve=lambda _: True).is_error


def test_the_arguments_cannot_be_changed_during_an_approval(way: str) -> None:
    plain = {"type": "object", "properties": {"x": {"type": "array"}}}
    desk = Desk()
    desk.function = Function.from_schema(name="pay", parameters=plain, confirm=True)
    arguments: dict[str, Any] = {"x": [1]}

    def approve(_: PendingCall) -> bool:
        arguments["x"].append("DROP TABLE")
        return True

    desk.call(way, arguments, approve=approve)
    assert desk.ran == [{"x": [1]}]


# A ticket.


def waiting_ticket(desk: Desk) -> str:
    ticket = desk.call("call", {"amount": 1}).waiting.ticket
    assert ticket is not None
    return ticket


def test_a_ticket_can_be_used_once(way: str) -> None:
    desk = Desk()
    ticket = waiting_ticket(desk)
    first = desk.resume(way, ticket, {"pin": "1"})
    again = desk.resume(way, ticket, {"pin": "2"})
    assert (first.ok, first.replayed, again.ok, again.replayed) == (True, False, True, True)
    assert (again.text, again.function, again.value) == (first.text, "pay", None)
    assert len(desk.ran) == 1


def test_without_a_recorded_answer_it_is_not_known_whether_the_call_ran(way: str) -> None:
    desk = Desk(Tickets(b"k" * 32, store=Store(iter([True, False]).__next__)))
    ticket = waiting_ticket(desk)
    assert desk.resume(way, ticket, {"pin": "1"}).ok
    again = desk.resume(way, ticket, {"pin": "1"})
    assert (again.reason, again.replayed) == ("ticket_used", False)
    assert "started before" in again.text
    assert "not known" in again.text
    assert "Nothing has run" not in again.text


WAITS = json.dumps(
    {"call_id": 5, "function": "pay", "arguments": {}, "ticket": [], "server": None}
    | {"request": None, "questions": [], "pending": [], "approval": True}
)


@pytest.mark.parametrize(
    "row",
    [
        "[" * 50_000,
        "{",
        "[]",
        "7",
        None,
        7,
        '{"text": null, "reason": null}',
        '{"text": "x", "reason": "bogus"}',
        '{"text": "x", "reason": null, "waiting": {"a": 1}}',
        f'{{"text": "x", "reason": null, "waiting": {WAITS}}}',
    ],
    ids=lambda row: str(row)[:12],
)
def test_a_damaged_answer_of_a_store_is_none(way: str, row: Any) -> None:
    store = MemoryStore()
    desk = Desk(Tickets(b"k" * 32, store=store))
    ticket = waiting_ticket(desk)
    assert desk.resume(way, ticket, {"pin": "1"}).ok
    store.answer = lambda _, /: row  # type: ignore[method-assign]
    assert desk.resume(way, ticket, {"pin": "1"}).reason == "ticket_used"
    assert len(desk.ran) == 1


def test_a_denial_uses_up_the_ticket(way: str) -> None:
    desk = Desk(confirm=True)
    ticket = waiting_ticket(desk)
    denied, later = (desk.resume(way, ticket, {"pin": "1"}, approve=yes) for yes in (False, True))
    assert (denied.reason, later.reason, desk.ran) == ("denied", "denied", [])
    assert (denied.replayed, later.replayed) == (False, True)


def test_a_resumed_call_may_ask_the_person(way: str) -> None:
    desk = Desk()
    asked: list[object] = []
    assert not desk.resume(way, waiting_ticket(desk), asking({"pin": "1"}, asked)).is_error
    assert asked == [("pay", {"amount": 1})]


def test_false_for_the_values_declines_the_call(way: str) -> None:
    desk = Desk()
    ticket = waiting_ticket(desk)
    assert desk.resume(way, ticket, False).reason == "declined"  # type: ignore[arg-type]
    assert desk.resume(way, ticket, {"pin": "1"}).replayed
    assert desk.ran == []


def test_each_refused_ticket_has_its_reason_and_nothing_runs(way: str) -> None:
    now = [1_000_000.0]
    desk = Desk(Tickets(b"k" * 32, store=MemoryStore(), clock=lambda: now[0]))
    good = waiting_ticket(desk)
    told = {
        "garbage": desk.resume(way, "garbage", {"pin": "1"}).text,
        "none": desk.resume(way, None, {"pin": "1"}).text,
        "changed": desk.resume(way, "A" + good, {"pin": "1"}).text,
        "key": Desk(Tickets(b"o" * 32, store=MemoryStore())).resume(way, good, {"pin": "1"}).text,
    }
    original = desk.function
    desk.function = replace(original, name="pay_out")
    told["gone"] = desk.resume(way, good, {"pin": "1"}).text
    more = {**PARAMETERS, "properties": {**PARAMETERS["properties"], "x": {}}}  # type: ignore[dict-item]
    desk.function = Function.from_schema(name="pay", parameters=more)
    told["other"] = desk.resume(way, good, {"pin": "1"}).text
    desk.function = original
    now[0] += 900
    told["expired"] = desk.resume(way, good, {"pin": "1"}).text
    assert desk.ran == []
    never = {name for name, text in told.items() if text.endswith("Nothing has run.")}
    assert never == {"garbage", "none", "expired"}
    assert told["garbage"] == told["none"]
    assert told["changed"] == told["key"]
    assert len(set(told.values())) == 5


def test_what_came_of_a_ticket_is_told_after_its_expiry_too(way: str) -> None:
    now = [1_000_000.0]
    desk = Desk(Tickets(b"k" * 32, store=MemoryStore(), clock=lambda: now[0]))
    ticket = waiting_ticket(desk)
    first = desk.resume(way, ticket, {"pin": "1"})
    for seconds in (901, 100):
        now[0] += seconds
        again = desk.resume(way, ticket, {"pin": "1"})
        assert (again.text, again.reason, again.replayed) == (first.text, None, True)
    assert len(desk.ran) == 1


def test_a_ticket_that_expires_during_an_approval_is_refused(way: str) -> None:
    now = [1_000_000.0]
    desk = Desk(Tickets(b"k" * 32, store=MemoryStore(), clock=lambda: now[0]), confirm=True)

    def approve(_: PendingCall) -> bool:
        now[0] += 1000
        return True

    outcome = desk.resume(way, waiting_ticket(desk), {"pin": "1"}, approve=approve)
    assert "expired" in outcome.text
    assert desk.ran == []


class Store:
    """A store with a given answer."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer = answer
        self.claimed: list[tuple[str, int]] = []

    def claim(self, ticket_id: str, expires: int, /) -> Any:
        self.claimed.append((ticket_id, expires))
        return self.answer()


def test_nothing_runs_if_the_store_fails(way: str) -> None:
    def fail() -> bool:
        raise ConnectionError(SECRET)

    desk = Desk(Tickets(b"k" * 32, store=Store(fail)))
    outcome = desk.resume(way, waiting_ticket(desk), {"pin": "1"})
    assert outcome.is_error
    assert "ConnectionError" in outcome.text
    assert SECRET not in repr(outcome)
    assert desk.ran == []


def test_a_store_may_be_asynchronous_under_acall() -> None:
    async def first() -> bool:
        await asyncio.sleep(0)
        return True

    desk = Desk(Tickets(b"k" * 32, store=Store(first)))
    with pytest.raises(DefinitionError, match="store"):
        desk.resume("call", waiting_ticket(desk), {"pin": "1"})
    assert desk.ran == []
    assert not desk.resume("acall", waiting_ticket(desk), {"pin": "1"}).is_error


def test_concurrent_resumes_run_a_ticket_once() -> None:
    desk = Desk()
    ticket = waiting_ticket(desk)

    async def main() -> list[Outcome]:
        calls = [desk._call("acall", {"human": {"pin": "1"}}).resume(ticket) for _ in range(50)]
        return await asyncio.gather(*calls)

    outcomes = asyncio.run(main())
    first = [outcome for outcome in outcomes if outcome.ok and not outcome.replayed]
    assert len(first) == len(desk.ran) == 1
    others = [outcome for outcome in outcomes if outcome is not first[0]]
    assert all(outcome.replayed or outcome.reason == "ticket_used" for outcome in others)
