"""`stream` and `astream` of sequences, from a server that waits between the items."""

import asyncio
import gzip
import json
import threading
import time
import zlib
from collections.abc import AsyncIterable, Callable, Iterator
from typing import Any

import httpx
import pytest
from clock import at_most
from fastapi import FastAPI

from pyfunctools import Controller, Limits, Outcome, SchemaError
from pyfunctools.execution.http import items

from ..conftest import Connection, Server

Serve = Callable[[Callable[[Connection], None]], Server]

ITEM = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
LINES, EVENTS = "application/jsonl", "text/event-stream"
FORMS = pytest.mark.parametrize("form", ["stream", "astream"])


def document(media: str, schema: Any = None, **operation: Any) -> dict[str, Any]:
    described = {} if schema is None else {"itemSchema": schema}
    content = {"200": {"description": "", "content": {media: described}}}
    return {
        "openapi": "3.2.0",
        "info": {"title": "Numbers", "version": "1"},
        "paths": {"/numbers": {"get": {"responses": content, **operation}}},
    }


class Feed:
    """A server whose response the test sends piece by piece, and which sees its client leave."""

    def __init__(self, serve: Serve, media: str, *, head: str = "", status: int = 200) -> None:
        self.pieces: list[bytes] = []
        self.more = threading.Semaphore(0)
        self.left = threading.Event()
        self.requests: list[Connection] = []
        self._head = f"HTTP/1.1 {status} X\r\nContent-Type: {media}\r\n{head}"
        self.url = serve(self._answer).url

    def send(self, *pieces: bytes | None) -> "Feed":
        """Let the server send these pieces; `None` is the end of the body."""
        for piece in pieces:
            self.pieces.append(b"0\r\n\r\n" if piece is None else chunked(piece))
            self.more.release()
        return self

    def _answer(self, connection: Connection) -> None:
        connection.read_request()
        self.requests.append(connection)
        connection.send(f"{self._head}Transfer-Encoding: chunked\r\n\r\n".encode())
        threading.Thread(target=self._watch, args=(connection,), daemon=True).start()
        while self.more.acquire(timeout=60):
            piece = self.pieces.pop(0)
            connection.send(piece)
            if piece == b"0\r\n\r\n":
                break

    def _watch(self, connection: Connection) -> None:
        try:
            gone = not connection.sock.recv(1)
        except OSError:
            gone = True
        if gone:
            self.left.set()


def chunked(piece: bytes) -> bytes:
    return f"{len(piece):x}\r\n".encode() + piece + b"\r\n"


def numbers(feed: Feed, media: str, schema: Any = None, **settings: Any) -> Controller:
    return Controller.from_openapi(document(media, schema), server=feed.url, **settings)


def streamed(controller: Controller, form: str, **options: Any) -> list[Outcome]:
    if form == "stream":
        with controller:
            return list(controller.stream("numbers_get", {}, **options))

    async def main() -> list[Outcome]:
        async with controller:
            return [each async for each in controller.astream("numbers_get", {}, **options)]

    return asyncio.run(main())


@FORMS
@pytest.mark.parametrize("client", [None, httpx.Client, httpx.AsyncClient])
def test_the_first_item_is_there_before_the_next_is_sent(
    serve: Serve, form: str, client: Any
) -> None:
    if (form, client) == ("stream", httpx.AsyncClient):
        pytest.skip("an asynchronous client is for `astream`")
    feed = Feed(serve, LINES).send(b'{"n": 1}\n')
    own = None if client is None else client()
    found: list[object] = []

    def seen(item: Outcome) -> None:
        found.append(item.value)
        feed.send(b'{"n": 2}\n{"n":', b" 3}") if len(found) == 1 else None
        feed.send(None) if len(found) == 2 else None

    async def main(controller: Controller) -> None:
        async with controller:
            async for item in controller.astream("numbers_get"):
                seen(item)
        if client is httpx.AsyncClient:
            await own.aclose()

    controller = numbers(feed, LINES, ITEM, client=own)
    if form == "stream":
        with controller:
            for item in controller.stream("numbers_get"):
                seen(item)
    else:
        asyncio.run(main(controller))
    assert found == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert feed.requests[0].header("accept") == "application/jsonl, */*;q=0.5"
    if client is httpx.Client:
        own.close()


@FORMS
@pytest.mark.parametrize("own", [False, True])
def test_closed_early_the_server_sees_it(serve: Serve, form: str, own: bool) -> None:
    feed = Feed(serve, LINES).send(b'{"n": 1}\n')
    client = httpx.Client() if own else None

    async def main(controller: Controller) -> None:
        items = controller.astream("numbers_get")
        assert (await anext(items)).value == {"n": 1}
        await items.aclose()
        assert await asyncio.to_thread(feed.left.wait, 10)
        await controller.aclose()

    with numbers(feed, LINES, client=client) as controller:
        if form == "stream":
            items = controller.stream("numbers_get")
            assert next(items).value == {"n": 1}
            items.close()
            assert feed.left.wait(60)
        else:
            asyncio.run(main(controller))
    feed.send(None)
    if client is not None:
        client.close()


def body(serve: Serve, media: str, content: bytes, schema: Any = None, **settings: Any) -> Any:
    """Return the items of a response, read to its end in pieces of a few bytes."""
    feed = Feed(serve, media)
    feed.send(*(content[at : at + 7] for at in range(0, len(content), 7)), None)
    return streamed(numbers(feed, media.partition(";")[0], schema, **settings), "stream")


def values(outcomes: list[Outcome]) -> list[object]:
    return [each.value for each in outcomes]


@pytest.mark.parametrize(
    "media",
    [LINES, "application/x-ndjson", "application/json-seq", "application/geo+json-seq"],
)
def test_a_wrong_line_has_issues_and_the_next_ones_follow(serve: Serve, media: str) -> None:
    lines = b'\xef\xbb\xbf{"n": 1}\r\n\n{"n": "two"}\n{"n": 3, \n{"n": 4}'
    if media.endswith("seq"):
        lines = lines.replace(b"{", b"\x1e{")
    outcomes = body(serve, media, lines, ITEM)
    assert values(outcomes) == [{"n": 1}, {"n": "two"}, '{"n": 3,', {"n": 4}]
    assert [each.reason for each in outcomes] == [None, "output", "output", None]
    assert [str(each.issues[0].path) for each in outcomes[1:3]] == ["$input.n", "$input"]
    assert outcomes[2].issues[0].expected == "valid JSON"
    assert outcomes[0].text == '{"n":1}'
    assert outcomes[0].response.status == 200


@pytest.mark.parametrize(
    ("media", "whole", "value", "reason"),
    [
        (LINES, b'{"n": 1}', {"n": 1}, None),
        (LINES, b"", None, None),
        (EVENTS, b"data: cut off", "cut off", "output"),
    ],
)
def test_a_line_without_an_end_may_begin_with_a_byte_order_mark(
    serve: Serve, media: str, whole: bytes, value: Any, reason: str | None
) -> None:
    outcomes = body(serve, media, b"\xef\xbb\xbf" + whole)
    told = [(each.value, each.reason) for each in outcomes]
    assert told == ([(value, reason)] if whole else [])


STREAM = (
    b": a comment\n\ndata: one\ndata:two\nretry: 5\nid: 7\nother: x\n\n"
    b"event: empty\n\ndata\n\nevent: n\r\ndata: 3\r\n\rdata: last\r\rdata: cut off\n"
)


def test_the_value_of_an_event_is_its_data(serve: Serve) -> None:
    outcomes = body(serve, EVENTS, STREAM)
    assert values(outcomes) == ["one\ntwo", "", "3", "last", "cut off"]
    assert [each.reason for each in outcomes] == [None] * 4 + ["output"]


def test_or_the_object_that_item_schema_describes(serve: Serve) -> None:
    event = {"type": "object", "properties": {"event": {"type": "string"}}, "required": ["data"]}
    outcomes = body(serve, EVENTS, STREAM, event)
    first = {"data": "one\ntwo", "retry": 5, "id": "7"}
    assert values(outcomes)[:3] == [first, {"data": ""}, {"event": "n", "data": "3"}]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"properties": {"data": ITEM}}, {"data": {"n": 1}}),
        ({"oneOf": [{"properties": {"data": ITEM}, "required": ["data"]}]}, {"data": {"n": 1}}),
        (ITEM, {"n": 1}),
    ],
    ids=["event", "branch", "data"],
)
def test_the_data_of_an_event_is_checked_as_json(serve: Serve, schema: Any, value: Any) -> None:
    stream = b'data: {"n": 1}\n\ndata: {"n": "x"}\n\ndata: [DONE]\n\ndata: {"n": 1}\n\n'
    outcomes = body(serve, EVENTS, stream, schema)
    assert [each.reason for each in outcomes] == [None, "output", "output", None]
    assert values(outcomes)[::3] == [value, value]
    assert all(each.issues for each in outcomes[1:3])


def test_events_of_several_kinds(serve: Serve) -> None:
    kinds = [
        {"properties": {"event": {"const": "text"}, "data": {"type": "string"}}},
        {"properties": {"event": {"const": "json"}, "data": ITEM}},
    ]
    event = {"type": "object", "required": ["event"], "oneOf": kinds}
    stream = b"event: text\ndata: 12\n\nevent: json\ndata: 12\n\n"
    outcomes = body(serve, EVENTS, stream, event)
    assert [each.reason for each in outcomes] == [None, "output"]


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_compressed_stream_is_read_as_it_comes(serve: Serve, encoding: str) -> None:
    feed = Feed(serve, LINES, head=f"Content-Encoding: {encoding}\r\n")
    packer = zlib.compressobj(wbits=31 if encoding == "gzip" else 15)
    with numbers(feed, LINES) as controller:
        items = controller.stream("numbers_get")
        for n in range(3):
            feed.send(packer.compress(b"%d\n" % n) + packer.flush(zlib.Z_SYNC_FLUSH))
            assert next(items).value == n
        feed.send(packer.flush(), None)
        assert list(items) == []


def test_an_item_has_a_size_and_a_stream_has_not(serve: Serve) -> None:
    limits = Limits(response=20)
    assert len(body(serve, LINES, b'{"n": 1234567890123}\n' * 50, limits=limits)) == 50
    outcomes = body(serve, LINES, b'1\n{"n": 12345678901234}\n2\n', limits=limits)
    assert (outcomes[0].value, outcomes[1].reason) == (1, "transport")
    assert "has an item larger than 20 bytes" in outcomes[1].text
    packed = gzip.compress(b"1\n" + b"0" * 100)
    feed = Feed(serve, LINES, head="Content-Encoding: gzip\r\n").send(packed, None)
    (lost,) = streamed(numbers(feed, LINES, limits=limits), "stream")
    assert "is larger than 20 bytes" in lost.text


@pytest.mark.parametrize(
    ("kind", "line"), [("lines", b"\n"), ("lines", b" \r\n"), ("events", b"\n"), ("events", b"\r")]
)
def test_empty_lines_cost_next_to_nothing(kind: str, line: bytes) -> None:
    reader = items.READERS[kind](None, 1000)
    with at_most(1):
        found = list(reader.items(line * (10_000_000 // len(line)) + b"data: 1\n\n", is_end=True))
    assert len(found) == 1


@pytest.mark.slow
@FORMS
def test_the_deadline_is_from_item_to_item(serve: Serve, form: str) -> None:
    feed = Feed(serve, LINES).send(b"1\n")

    def more(item: Outcome) -> str | None:
        time.sleep(0.8)  # the reader's own time does not count
        if item.value in (1, 2):
            feed.send(b"%d\n" % (item.value + 1))
        return item.reason

    async def main(controller: Controller) -> list[str | None]:
        async with controller:
            return [more(item) async for item in controller.astream("numbers_get")]

    with numbers(feed, LINES, limits=Limits(deadline=1.5)) as controller:
        if form == "stream":
            reasons = [more(item) for item in controller.stream("numbers_get")]
        else:
            reasons = asyncio.run(main(controller))
    feed.send(None)
    assert reasons == [None, None, None, "deadline"]


@FORMS
def test_a_stream_that_breaks_ends_with_an_error_and_is_not_repeated(
    serve: Serve, form: str
) -> None:
    requests: list[bytes] = []

    def answer(connection: Connection) -> None:
        connection.read_request()
        requests.append(connection.head)
        connection.send(f"HTTP/1.1 200 X\r\nContent-Type: {LINES}\r\n".encode())
        connection.send(b"Transfer-Encoding: chunked\r\n\r\n" + chunked(b"1\n"))

    server = serve(answer)
    controller = Controller.from_openapi(
        document(LINES), server=server.url, limits=Limits(retries=2)
    )
    outcomes = streamed(controller, form)
    assert [each.reason for each in outcomes] == [None, "transport"]
    assert outcomes[1].text.startswith("200 OK, but: The connection broke inside the answer")
    assert len(requests) == 1


@FORMS
def test_anything_else_than_a_sequence_is_one_outcome(serve: Serve, form: str) -> None:
    for status, media, sent in [(200, "application/json", b"[1]"), (404, EVENTS, b"data: 1\n\n")]:
        feed = Feed(serve, media, status=status).send(sent, None)
        (outcome,) = streamed(numbers(feed, EVENTS), form)
        assert outcome.response is not None
        assert (outcome.response.status, outcome.ok) == (status, status == 200)


@FORMS
def test_credentials_and_a_persons_values_are_in_no_item(serve: Serve, form: str) -> None:
    parameter = {"name": "pin", "in": "query", "schema": {"type": "string", "format": "password"}}
    described = document(LINES, ITEM, parameters=[parameter])
    lines = b'{"n": 1, "said": "the-pin-1 the-key-1"}\n{"n": "the-pin-1"}\n'
    feed = Feed(serve, LINES).send(lines, None)
    controller = Controller.from_openapi(
        described, server=feed.url, auth={"header:X-Key": "the-key-1"}
    ).configured(confirm=True)
    asked: list[Any] = []

    def approve(pending: Any) -> bool:
        asked.append(pending.request)
        return True

    options = {"human": {"$input.query.pin": "the-pin-1"}, "approve": approve}
    right, wrong = streamed(controller, form, **options)
    assert json.loads(right.text) == {"n": 1, "said": "*** ***"}
    assert right.value == {"n": 1, "said": "the-pin-1 the-key-1"}
    assert wrong.reason == "output"
    assert "the-" not in wrong.text + repr(wrong.issues) + asked[0].url
    assert asked[0].headers["accept"].startswith(LINES)
    fixed = controller.configured(fixed={"$input.query.pin": "the-pin-1"})
    feed = Feed(serve, LINES).send(lines, None)
    outcomes = streamed(fixed.configured(), form)
    assert [each.reason for each in outcomes] == ["needs_approval"]


def application(closed: threading.Event) -> FastAPI:
    app = FastAPI()

    @app.get("/numbers")
    async def numbers(most: int = 3) -> AsyncIterable[dict[str, int]]:
        try:
            for n in range(most):
                yield {"n": n}
                await asyncio.sleep(0)
        finally:
            closed.set()

    return app


@FORMS
def test_an_application_in_this_process_streams_too(form: str) -> None:
    closed = threading.Event()
    with Controller.from_fastapi(application(closed)) as controller:
        assert values(streamed(controller, form)) == [{"n": n} for n in range(3)]


@FORMS
def test_an_application_sees_that_a_stream_is_closed(form: str) -> None:
    closed = threading.Event()

    async def main(controller: Controller) -> None:
        items = controller.astream("numbers_get", {"query": {"most": 10_000}})
        assert (await anext(items)).value == {"n": 0}
        await items.aclose()

    with Controller.from_fastapi(application(closed)) as controller:
        if form == "stream":
            items = controller.stream("numbers_get", {"query": {"most": 10_000}})
            assert next(items).value == {"n": 0}
            items.close()
        else:
            asyncio.run(main(controller))
        assert closed.wait(60)


def test_an_application_that_raises_ends_its_stream() -> None:
    app = FastAPI()

    @app.get("/numbers")
    def numbers() -> Iterator[dict[str, int]]:
        yield {"n": 1}
        raise ValueError("no more")

    with Controller.from_fastapi(app) as controller:
        first, last = controller.stream("numbers_get")
    assert (first.value, last.reason) == ({"n": 1}, "transport")
    assert isinstance(last.exception, ValueError)


@pytest.mark.parametrize(
    ("media", "body"), [(LINES, b"1\n" * 600_000), (EVENTS, b"data:1\n\n" * 300_000)]
)
def test_items_of_a_small_compressed_chunk_are_read_as_they_are_wanted(
    media: str, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[bytes] = []
    line = items.LineReader._line
    monkeypatch.setattr(
        items.LineReader, "_line", lambda self, text: read.append(text) or line(self, text)
    )
    line_of_event = items.EventReader._line
    monkeypatch.setattr(
        items.EventReader,
        "_line",
        lambda self, text: read.append(text) or line_of_event(self, text),
    )
    answer = httpx.Response(
        200,
        content=gzip.compress(body),
        headers={"content-type": media, "content-encoding": "gzip"},
    )
    client = httpx.Client(transport=httpx.MockTransport(lambda request: answer))
    controller = Controller.from_openapi(document(media), server="https://a.example", client=client)
    got = controller.stream("numbers_get")
    assert [next(got).text for _ in range(3)] == ["1", "1", "1"]
    assert len(read) < 10
    got.close()


def test_kinds_of_events_that_refer_to_each_other_are_read_once_each() -> None:
    def kind(number: int) -> dict[str, Any]:
        others = [{"$ref": f"#/components/schemas/K{n}"} for n in range(6) if n != number]
        data = {"data": {"type": "string"}, "event": {"type": "string"}}
        return {"type": "object", "properties": data, "anyOf": others}

    written = document(EVENTS, {"$ref": "#/components/schemas/K0"})
    written["components"] = {"schemas": {f"K{n}": kind(n) for n in range(6)}}
    answer = httpx.Response(200, content=b"data: {}\n\n", headers={"content-type": EVENTS})
    client = httpx.Client(transport=httpx.MockTransport(lambda request: answer))
    controller = Controller.from_openapi(
        written, server="https://a.example", client=client, limits=Limits(deadline=2)
    )
    assert [each.value for each in controller.stream("numbers_get")] == [{"data": "{}"}]


@FORMS
def test_an_item_schema_that_cannot_be_used_is_told_before_anything_is_sent(form: str) -> None:
    schemas: dict[str, Any] = {"S0": {"type": "integer"}}
    for n in range(40):
        schemas[f"S{n + 1}"] = {"anyOf": [{"$ref": f"#/components/schemas/S{n}"}, ITEM]}
    described = document(EVENTS, {"$ref": "#/components/schemas/S40"})
    described["components"] = {"schemas": schemas}
    controller = Controller.from_openapi(described, server="http://127.0.0.1:9")

    async def gathered() -> list[Outcome]:
        return [each async for each in controller.astream("numbers_get", {})]

    with pytest.raises(SchemaError, match="more than 64 schemas apply to one value"):
        _ = asyncio.run(gathered()) if form == "astream" else [*controller.stream("numbers_get")]
