"""Responses and events with random changes can be read without an exception."""

import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from vendor_replies import REPLIES
from vendor_streams import EVENTS

from pyfunctools.envelopes.envelope import ModelTurn
from pyfunctools.envelopes.vendors import ENVELOPES, envelope_of

OTHERS: list[Any] = [
    *(None, "", 0, 1.5, True, [], {}, "x", b"x", [1], [{}], [None], [[]], {"a": 1}, {"text": 5}),
    *({"type": "text"}, {"type": []}, {"id": []}, {"function": {"name": 1}}),
]
CASES = [(vendor, case) for vendor, replies in REPLIES.items() for case in replies]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    listed = value if isinstance(value, list) else []
    for key, inner in value.items() if isinstance(value, dict) else enumerate(listed):
        yield (*path, key)
        yield from places(inner, (*path, key))


def mutated(value: Any, rng: random.Random) -> Any:
    """Return a copy in which something else stands in up to three places, or nothing."""
    value = deepcopy(value)
    for _ in range(rng.randint(1, 3)):
        found = list(places(value))
        if not found:
            break
        *way, last = rng.choice(found)
        place = value
        for key in way:
            place = place[key]
        if isinstance(place, dict) and rng.random() < 0.2:
            place.pop(last, None)
        else:
            place[last] = deepcopy(rng.choice(OTHERS))
    return value


def judged(turn: ModelTurn) -> None:
    assert isinstance(turn.text, str)
    for call in turn.calls:
        assert isinstance(call.name, str)
        assert isinstance(call.id, str | None)


@pytest.mark.parametrize(("vendor", "case"), CASES)
def test_a_response_may_be_anything(vendor: str, case: str) -> None:
    rng = random.Random(vendor + case)
    for _ in range(40):
        reply = mutated(REPLIES[vendor][case], rng)
        for envelope in ENVELOPES.values():
            envelope.is_response(reply)
            judged(envelope.read_turn(reply))


@pytest.mark.parametrize(("vendor", "case"), CASES)
def test_a_stream_may_be_anything(vendor: str, case: str) -> None:
    rng = random.Random(vendor + case)
    envelope = envelope_of(vendor)
    for _ in range(40):
        reading = envelope.stream_reader()
        for event in EVENTS[vendor](REPLIES[vendor][case]):
            delta = reading.feed(mutated(event, rng) if rng.random() < 0.2 else event)
            assert isinstance(delta.text, str)
            assert delta.call is None or delta.arguments == delta.arguments
        judged(envelope.read_turn(reading.response))
