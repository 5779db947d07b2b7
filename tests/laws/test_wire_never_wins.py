"""Whatever a model writes in a free-form place, it sets no other place of the request.

Random operations have objects with additional properties in every location. A model writes the
names of human values, of the connection and of other parameters into them, in every spelling that a
server might read as this name; then the request that was sent is parsed.
"""

import json
import re
from collections.abc import Iterator
from email.parser import BytesParser
from email.policy import HTTP
from random import Random
from typing import Any
from urllib.parse import unquote, unquote_plus

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from random_operations import JSON, Entry, Location, Operation, operation_of

from pyfunctools import Controller, Outcome

EVIL, GIVEN, OWN, CONNECTION = "EVIL", "GIVEN", "OWN", "CONN"
FIXED: dict[Location, str] = {"query": "C-query", "header": "C-header", "cookie": "C-cookie"}
"""What `server=` and `headers=` of the connection set by themselves."""

Pair = tuple[str, str]


class Wire:
    """A controller of one operation, and the requests that it sent."""

    def __init__(self, operation: Operation) -> None:
        self.requests: list[httpx.Request] = []
        self.operation = operation
        keys = {f"{each}-key": CONNECTION for each, names in operation.connection.items() if names}
        self.controller = Controller.from_openapi(
            operation.document(),
            server=f"https://h.example/v1?{FIXED['query']}={CONNECTION}",
            headers={FIXED["header"]: CONNECTION, "Cookie": f"{FIXED['cookie']}={CONNECTION}"},
            auth=keys or None,
            client=httpx.Client(transport=httpx.MockTransport(self._answer)),
        )
        [self.function] = self.controller.functions

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(200, json={})

    def call(self, wrote: Any, human: Any) -> Outcome:
        self.requests.clear()
        with self.controller as controller:
            return controller.call(self.function.name, wrote, human=human)

    def pairs(self) -> dict[Location, list[Pair]]:
        [request] = self.requests
        cookies = "; ".join(request.headers.get_list("cookie"))
        return {
            "query": split_query(request.url.query.decode()),
            "header": [(name.lower(), value) for name, value in request.headers.multi_items()],
            "cookie": [(unquote(key), value) for key, _, value in split_pairs(cookies.split("; "))],
            "body": list(body_pairs(request)),
        }


def split_pairs(texts: list[str]) -> list[tuple[str, str, str]]:
    return [text.partition("=") for text in texts]


def split_query(query: str) -> list[Pair]:
    """Return the names and the values as they stand, still encoded."""
    return [(unquote_plus(key), value) for key, _, value in split_pairs(query.split("&")) if key]


def body_pairs(request: httpx.Request) -> Iterator[Pair]:
    kind = request.headers.get("content-type", "")
    if kind.startswith("multipart/"):
        head = f"Content-Type: {kind}\r\n\r\n".encode()
        for part in BytesParser(policy=HTTP).parsebytes(head + request.content).iter_parts():
            name = part.get_param("name", header="content-disposition")
            yield str(name), str(part.get_payload(decode=True).decode())
    elif kind.startswith("application/x-www-form-urlencoded"):
        yield from split_query(request.content.decode())
    elif request.content:
        yield from (
            (name, json.dumps(value)) for name, value in json.loads(request.content).items()
        )


def valid_arguments(random: Random, operation: Operation) -> dict[str, Any]:
    """Return arguments in which each value names its owner."""
    arguments: dict[str, Any] = {}
    for entry in operation.entries:
        if random.random() < 0.2:
            continue
        owned = f"{GIVEN if entry.is_human else OWN}.{entry.name}"
        value: Any = owned
        if entry.is_free:
            value = {
                name: f"{GIVEN if is_human else OWN}.{name}"
                for name, is_human in entry.inner.items()
                if random.random() < 0.8
            }
        arguments.setdefault(entry.location, {})[entry.name] = value
    return arguments


def hostile_arguments(
    random: Random, operation: Operation, value: dict[str, Any]
) -> dict[str, Any]:
    """Return arguments with names of other owners in every free-form place."""
    bad: dict[str, Any] = json.loads(json.dumps(value).replace(GIVEN, EVIL))
    names = [*spellings(operation)]
    for entry in operation.entries:
        if entry.is_free:
            inner = bad.setdefault(entry.location, {}).setdefault(entry.name, {})
            drawn = written(random, names, entry.rest)
            own = {name for name, is_human in entry.inner.items() if not is_human}
            inner |= {name: each for name, each in drawn.items() if name not in own}
    if operation.is_body_free and operation.media:
        own = {entry.name for entry in operation.at("body") if not entry.is_human}
        own |= {name for _, name, owned in owners(operation) if owned.startswith(OWN)}
        drawn = written(random, [name for name in names if base_name(name) not in own], True)
        bad.setdefault("body", {}).update(drawn)
    return bad


def written(random: Random, names: list[str], rest: Any) -> dict[str, Any]:
    drawn = random.sample(names, min(len(names), random.randint(0, 3)))
    listed = isinstance(rest, dict) and rest.get("type") == "array"
    return {name: [text(random, names)] * 2 if listed else text(random, names) for name in drawn}


def text(random: Random, names: list[str]) -> str:
    """Return a value with the delimiters of names and values, which could be read as several."""
    name = random.choice(names)
    joins = ["{0}", "{0}", "{0},{1},{0}", "{0},{1}={0}", "{0}&{1}={0}", "{0}; {1}={0}"]
    joins += ["{0} {1} {0}", "{0}\r\n{1}: {0}", '{0}", "{1}": "{0}', "{0}|{1}|{0}"]
    return random.choice(joins).format(EVIL, name)


def spellings(operation: Operation) -> Iterator[str]:
    for entry in operation.entries:
        names = [entry.name, *entry.inner]
        names += [f"{entry.name}[{inner}]" for inner in entry.inner]
        names += [f"{entry.name}.{inner}" for inner in entry.inner]
        names += [f"{inner}][x" for inner in entry.inner]
        for name in names:
            yield from (name, name.lower(), f"{name}[]", f"{name}[0]", f"[{name}]", f"{name}=x&y")
    for owned in [*operation.connection.values(), [*FIXED.values()]]:
        for name in owned:
            yield from (name, name.lower(), name.upper(), f"{name}[]")
    yield from ("Cookie", "cookie", "Authorization", "authorization", "Host", "Content-Type", "x")


def owners(operation: Operation) -> Iterator[tuple[Location, str, str]]:
    """Yield each place with one owner: its location, its name, and its owner's text."""
    for entry in operation.entries:
        prefix = GIVEN if entry.is_human else OWN
        if not entry.is_free:
            yield entry.location, entry.name, f"{prefix}.{entry.name}"
        elif entry.style == "deepObject" and operation.media_of(entry) != JSON:
            for inner, is_human in entry.inner.items():
                own = GIVEN if is_human else OWN
                yield entry.location, f"{entry.name}[{inner}]", f"{own}.{inner}"
        elif entry.explode and entry.style == "form" and operation.media_of(entry) != JSON:
            for inner, is_human in entry.inner.items():
                if is_human:
                    yield entry.location, inner, f"{GIVEN}.{inner}"
    for location, names in operation.connection.items():
        for name in names:
            yield location, name, CONNECTION
    for location, name in FIXED.items():
        yield location, name, CONNECTION


def values_of(wire: dict[Location, list[Pair]], location: Location, name: str) -> list[str]:
    """Return the texts that a server could read as the value of a name."""
    read = name.lower() if location == "header" else name
    return [value for key, value in wire[location] if base_name(key) == read]


def base_name(name: str) -> str:
    """Return the name that a server reads where items of an array are written: `a[]`, `a[0]`."""
    return re.sub(r"\[\d*\]$", "", name)


def inside(wire: dict[Location, list[Pair]], entry: Entry, name: str) -> list[str]:
    """Return the texts that a server could read for a part of an object written as one value."""
    found: list[str] = []
    for raw in values_of(wire, entry.location, entry.name):
        text = unquote_plus(raw) if entry.location in ("query", "body") else unquote(raw)
        if text.startswith("{"):
            members = json.loads(text)
            found += [str(members[name])] if name in members else []
        elif entry.style == "spaceDelimited":
            found += values_after(text.split(" "), name)
        elif entry.style == "simple" and entry.explode:
            found += [value for key, _, value in split_pairs(raw.split(",")) if key == name]
        else:
            found += values_after([unquote(each) for each in raw.split(",")], name)
    return found


def values_after(items: list[str], name: str) -> list[str]:
    """Return the values after a name in a list of names and values."""
    return [items[at + 1] for at in range(0, len(items) - 1, 2) if items[at] == name]


def check_owners(operation: Operation, wire: dict[Location, list[Pair]]) -> None:
    """Check that each place has the value of its owner, or none."""
    for location, name, owned in owners(operation):
        for value in values_of(wire, location, name):
            text = unquote(value).strip('"')
            assert text == owned, (location, name, value, wire[location])
    for entry in operation.entries:
        for name, is_human in entry.inner.items():
            if entry.is_free and is_human:
                found = inside(wire, entry, name)
                assert found in ([], [f"{GIVEN}.{name}"]), (entry, name, wire[entry.location])


def check_arrived(
    operation: Operation, wire: dict[Location, list[Pair]], value: dict[str, Any]
) -> None:
    """Check that each argument is somewhere in its location."""
    for location, entries in value.items():
        there = unquote(json.dumps(wire[location]))  # type: ignore[index]
        texts = re.findall(rf"(?:{GIVEN}|{OWN})\.[\w-]+", json.dumps(entries))
        assert [text for text in texts if text not in there] == []
    for location, name, owned in owners(operation):
        if owned == CONNECTION:
            assert values_of(wire, location, name) == [owned]


@law(150)
@given(seed=st.integers(0, 2**48))
def test_no_name_in_a_free_form_place_sets_another_place_of_the_request(seed: int) -> None:
    random = Random(seed)
    operation = operation_of(random)
    wire = Wire(operation)
    for _ in range(2):
        value = valid_arguments(random, operation)
        separated = wire.function.separated
        llm, human = separated.split(value) if separated else (value, {})
        outcome = wire.call(llm, human)
        assert outcome.ok, outcome.text
        check_owners(operation, wire.pairs())
        check_arrived(operation, wire.pairs(), value)
        bad = hostile_arguments(random, operation, llm if random.random() < 0.7 else value)
        for gave in (human, None):
            outcome = wire.call(bad, gave)
            assert GIVEN not in outcome.text
            if wire.requests:
                check_owners(operation, wire.pairs())


@pytest.mark.parametrize("seed", range(3))
def test_the_random_operations_send_their_free_form_places(seed: int) -> None:
    random = Random(seed)
    sent = attacked = 0
    for _ in range(60):
        operation = operation_of(random)
        wire = Wire(operation)
        value = valid_arguments(random, operation)
        free = [entry for entry in operation.entries if entry.is_free]
        for entry in free:
            value.setdefault(entry.location, {}).setdefault(entry.name, {})
        llm, human = (
            wire.function.separated.split(value) if wire.function.separated else (value, {})
        )
        sent += wire.call(llm, human).ok
        attacked += wire.call(hostile_arguments(random, operation, llm), human).ok
    assert sent == 60
    assert attacked > 5
