"""Tickets: signed, limited in size and time, for one unchanged function, and used once."""

import json
import re
import threading
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import replace
from hmac import digest as hmac_digest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools import DefinitionError, Function, MemoryStore, Tickets
from pyfunctools.execution.person.tickets import LONGEST, Ticket, digest_of, ticket_refused
from pyfunctools.record.origin import Method
from pyfunctools.route import Route

KEY = b"k" * 32
PROPERTIES = {"amount": {"type": "number"}, "pin": {"type": "string", "x-human": True}}


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1_000_000.5

    def __call__(self) -> float:
        return self.now


def pay(name: str = "pay", **properties: object) -> Function:
    parameters = {"type": "object", "properties": {**PROPERTIES, **properties}}
    return Function.from_schema(name=name, parameters=parameters)  # type: ignore[arg-type]


def issued(tickets: Tickets, arguments: object = None) -> str:
    text = tickets.issue(pay(), arguments or {"amount": 2.5})  # type: ignore[arg-type]
    assert text is not None
    return text


def payload_of(ticket: str) -> dict[str, object]:
    payload = ticket.partition(".")[0]
    read: dict[str, object] = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return read


def signed(contents: object, key: bytes = KEY, prefix: bytes = b"pyfunctools ticket\n") -> str:
    def coded(data: bytes) -> str:
        return urlsafe_b64encode(data).rstrip(b"=").decode()

    payload = coded(json.dumps(contents).encode())
    return f"{payload}.{coded(hmac_digest(key, prefix + payload.encode(), 'sha256'))}"


def test_many_threads_expect_more_outcomes_than_are_kept(
    switching: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyfunctools.execution.person.tickets.EXPECTED", 3)
    tickets, failed = Tickets(), list[Exception]()
    expected = [tickets.read(issued(tickets)) for _ in range(600)]

    def expect(number: int) -> None:
        try:
            for each in expected[number::6] * 20:
                assert isinstance(each, Ticket)
                tickets.expect(each)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=expect, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_the_contents_of_a_ticket() -> None:
    tickets = Tickets(KEY, store=MemoryStore(), lifetime=60, clock=Clock())
    text = issued(tickets)
    contents = payload_of(text)
    identity = contents.pop("id")
    assert isinstance(identity, str)
    assert len(identity) >= 22
    assert contents == {
        "version": 6,
        "function": "pay",
        "digest": digest_of(pay()),
        "call": "",
        "audience": None,
        "expires": 1_000_060,
        "arguments": {"amount": 2.5},
        "filled": [],
        "state": {},
    }
    ticket = tickets.read(text)
    assert isinstance(ticket, Ticket)
    assert (ticket.id, ticket.function, ticket.arguments) == (identity, "pay", {"amount": 2.5})
    assert text not in repr(ticket)


def test_each_ticket_has_an_id_of_its_own() -> None:
    tickets = Tickets(KEY, store=MemoryStore())
    assert len({payload_of(issued(tickets))["id"] for _ in range(50)}) == 50


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
            lambda inner: st.lists(inner, max_size=3),
            max_leaves=5,
        ),
        max_size=3,
    )
)
def test_arguments_survive_a_ticket(arguments: dict[str, object]) -> None:
    tickets = Tickets(KEY, store=MemoryStore())
    text = tickets.issue(pay(), arguments)  # type: ignore[arg-type]
    if text is None:  # no JSON: an infinite number, or half of a character
        with pytest.raises(ValueError):
            json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode()
        return
    ticket = tickets.read(text)
    assert isinstance(ticket, Ticket)
    assert ticket.arguments == arguments


@given(st.data())
def test_a_changed_ticket_is_refused(data: st.DataObject) -> None:
    tickets = Tickets(KEY, store=MemoryStore())
    text = issued(tickets)
    at = data.draw(st.integers(0, len(text) - 1))
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
    other = data.draw(st.sampled_from(alphabet.replace(text[at], "")))
    changed = [text[:at] + other + text[at + 1 :], text[:at] + text[at + 1 :]]
    changed += [text[:at] + other + text[at:], text + other]
    for each in changed:
        assert tickets.read(each) in ("none", "foreign")


@pytest.mark.parametrize(
    "text",
    [
        None,
        b"",
        7,
        "",
        ".",
        "a.b",
        "null",
        "{}",
        "é" * 90,
        " ",
        "A" * 60 + "." + "A" * 44,
        "A" * LONGEST + "." + "A" * 43,
        "A=.\n" + "A" * 43,
        ["ticket"],
    ],
)
def test_other_values_are_not_tickets(text: object) -> None:
    assert Tickets(KEY, store=MemoryStore()).read(text) == "none"


def test_the_last_character_has_one_spelling() -> None:
    tickets = Tickets(KEY, store=MemoryStore())
    text = issued(tickets)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    taken = [c for c in alphabet if isinstance(tickets.read(text[:-1] + c), Ticket)]
    assert taken == [text[-1]]
    assert tickets.read(text + "\n") == "none"


def test_a_ticket_of_another_key_purpose_or_version_is_foreign() -> None:
    tickets = Tickets(KEY, store=MemoryStore())
    contents = payload_of(issued(tickets))
    assert isinstance(tickets.read(signed(contents)), Ticket)
    assert tickets.read(signed(contents, key=b"o" * 32)) == "foreign"
    assert tickets.read(signed(contents, prefix=b"")) == "foreign"
    assert tickets.read(signed({**contents, "version": 1})) == "foreign"
    assert Tickets(b"o" * 32, store=MemoryStore()).read(signed(contents)) == "foreign"


def test_a_ticket_expires_at_its_second() -> None:
    clock = Clock()
    tickets = Tickets(KEY, store=MemoryStore(), lifetime=1.5, clock=clock)
    text = issued(tickets)
    ticket = tickets.read(text)
    assert isinstance(ticket, Ticket)
    assert ticket.expires == 1_000_002
    clock.now = 1_000_001.9
    assert isinstance(tickets.read(text), Ticket)
    clock.now = 1_000_002.0
    assert tickets.read(text) == "expired"


def test_a_ticket_needs_json_of_a_limited_size() -> None:
    tickets = Tickets(KEY, store=MemoryStore())
    for bad in (float("nan"), b"x", "\ud800", 10**5000, object()):
        assert tickets.issue(pay(), {"x": bad}) is None  # type: ignore[dict-item]
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    assert tickets.issue(pay(), nested) is None  # type: ignore[arg-type]
    assert tickets.issue(pay(), {"x": "x" * LONGEST}) is None
    large = tickets.issue(pay(), {"x": "x" * (LONGEST // 2)})
    assert isinstance(tickets.read(large), Ticket)


@pytest.mark.parametrize("key", [b"", b"x" * 31, "x" * 32, 0, bytearray(32)])
def test_a_short_key_is_refused_and_no_key_is_shown(key: object) -> None:
    with pytest.raises(DefinitionError, match="32 bytes") as caught:
        Tickets(key)  # type: ignore[arg-type]
    assert "xxx" not in str(caught.value)
    assert "kkk" not in repr(Tickets(KEY, store=MemoryStore()))


@pytest.mark.parametrize("lifetime", [0, -1, "60"])
def test_a_lifetime_has_to_be_positive(lifetime: float) -> None:
    with pytest.raises(DefinitionError, match="above zero"):
        Tickets(KEY, store=MemoryStore(), lifetime=lifetime)


def test_the_digest_covers_the_name_the_origin_the_parameters_and_their_sides() -> None:
    function = pay()
    same = digest_of(pay())
    turned = {"properties": dict(reversed(PROPERTIES.items())), "type": "object"}
    assert digest_of(Function.from_schema(name="pay", parameters=turned)) == same
    assert digest_of(replace(function, description="else", confirm=True)) == same
    all_the_models = Function.from_schema(
        name="pay", parameters={"type": "object", "properties": PROPERTIES}, is_human=None
    )
    others = [
        pay("pay2"),
        pay(more={"type": "string"}),
        pay(amount={"type": "integer"}),
        all_the_models,
        replace(function, origin=Method(qualname="Bank.pay")),
        replace(function, origin=Route(method="GET", path="/a")),
        replace(function, origin=Route(method="POST", path="/a")),
    ]
    assert len({same, *map(digest_of, others)}) == len(others) + 1


NEVER_RAN = ("none", "unused")


def test_each_refusal_has_its_own_text_and_only_two_say_that_nothing_has_run() -> None:
    reasons = ("none", "foreign", "audience", "expired", "unused", "used", "gone", "changed")
    outcomes = {reason: ticket_refused(reason, "pay") for reason in reasons}
    assert len({outcome.text for outcome in outcomes.values()}) == len(reasons)
    for reason, outcome in outcomes.items():
        assert outcome.is_error
        assert outcome.function == "pay"
        assert ("Nothing has run" in outcome.text) is (reason in NEVER_RAN)
        assert re.search("(?i)resume with|make |call a|can answer|find that out", outcome.text), (
            reason
        )


def fails() -> float:
    raise OSError


@pytest.mark.parametrize("clock", [lambda: float("nan"), lambda: 10**400, lambda: "x", fails])
def test_a_clock_without_a_time_is_a_clear_error(clock: Callable[[], float]) -> None:
    tickets = Tickets(KEY, store=MemoryStore(), clock=clock)
    with pytest.raises(DefinitionError, match=r"Tickets\(clock\).* as `time.time` does"):
        tickets.issue(pay(), {"amount": 1})
