"""The whole loop with the SDKs of Cohere and Ollama, against a scripted server on 127.0.0.1."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from vendor_streams import EVENTS

from pyfunctools import Controller, Human, MemoryStore, Tickets, Turn, function
from pyfunctools.testing.replies import REPLIES

VENDORS = pytest.mark.parametrize("vendor", ["cohere", "ollama"])
Ask = Callable[..., Any]


class Desk:
    """A desk that records what it did."""

    def __init__(self) -> None:
        self.done: list[str] = []

    @function
    def weather(self, city: str, days: int = 1) -> str:
        """Tell the weather."""
        self.done.append(city)
        return f"{days} sunny in {city}"

    @function
    def clear(self) -> None:
        """Clear the desk."""
        self.done.append("clear")

    @function
    def note(self, text: str = "") -> str:
        """Return a note."""
        return text

    @function
    def fail(self) -> str:
        """Fail."""
        raise ValueError("no paper")

    @function
    def pay(self, amount: int, pin: Human[str]) -> str:
        """Pay."""
        self.done.append(f"pay {amount}")
        return f"paid {amount}"


class Served:
    """A server that answers with the replies of a script; a list is a stream of events."""

    def __init__(self, vendor: str) -> None:
        self.vendor = vendor
        self.replies: list[Any] = []
        self.sent: list[Any] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                outer.sent.append(json.loads(self.rfile.read(length)))
                reply = outer.replies.pop(0)
                kind = "application/json"
                text = json.dumps(reply)
                if isinstance(reply, list) and vendor == "ollama":
                    kind = "application/x-ndjson"
                    text = "".join(f"{json.dumps(each)}\n" for each in reply)
                elif isinstance(reply, list):
                    kind = "text/event-stream"
                    pairs = ((each["type"], json.dumps(each)) for each in reply)
                    text = "".join(f"event: {name}\ndata: {data}\n\n" for name, data in pairs)
                self.send_response(200)
                self.send_header("content-type", kind)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def client(self) -> Ask:
        """Return a function that asks through the vendor's SDK."""
        if self.vendor == "ollama":
            ollama = pytest.importorskip("ollama").Client(host=self.url)
            return lambda **given: ollama.chat(model="qwen3", **given)
        cohere = pytest.importorskip("cohere").ClientV2(api_key="none", base_url=self.url)

        def ask(*, stream: bool = False, **given: Any) -> Any:
            return (cohere.chat_stream if stream else cohere.chat)(model="command-a", **given)

        return ask


@pytest.fixture
def served(vendor: str) -> Iterator[Served]:
    made = Served(vendor)
    yield made
    made.server.shutdown()
    made.server.server_close()


def loop(
    served: Served,
    desk: Desk,
    *turns: Any,
    stream: bool = False,
    tickets: Tickets | None = None,
) -> Turn:
    """Run the loop of the documentation until the model is done, or waits for a person."""
    served.replies = list(turns)
    ask = served.client()
    tools = Controller.from_object(desk).configured(tickets=tickets).tools(served.vendor)
    messages: list[Any] = [{"role": "user", "content": "go"}]
    while True:
        response = ask(messages=messages, tools=tools, **({"stream": True} if stream else {}))
        if stream:
            reading = tools.reading()
            for event in response:
                reading.feed(event)
            response = reading.response
        turn = tools.run(response)
        if turn.waiting:
            return turn
        messages += turn.messages
        if turn.done:
            return turn


def said(vendor: str, text: str, *calls: tuple[str, Any]) -> Any:
    made = [
        (f"call_{n}", name, each if isinstance(each, str) else json.dumps(each))
        for n, (name, each) in enumerate(calls)
    ]
    return REPLIES[vendor](text, made)


def results(served: Served) -> list[str]:
    """Return the results of calls in the last request."""
    return [each["content"] for each in served.sent[-1]["messages"] if each["role"] == "tool"]


CASES: dict[str, tuple[list[tuple[str, Any]], list[str], list[str]]] = {
    "one call": ([("weather", {"city": "Oslo"})], ["1 sunny in Oslo"], ["Oslo"]),
    "three calls": (
        [("weather", {"city": city}) for city in "ABA"],
        ["1 sunny in A", "1 sunny in B", "1 sunny in A"],
        ["A", "B", "A"],
    ),
    "no arguments": ([("clear", {})], ["null"], ["clear"]),
    "a repair": ([("weather", {"city": "Oslo", "days": "3"})], ["3 sunny in Oslo"], ["Oslo"]),
    "an unknown function": ([("wether", {})], ["Error: There is no function 'wether'."], []),
    "wrong arguments": ([("weather", {"days": "many"})], ["Error: The arguments have 2"], []),
    "an exception": ([("fail", {})], ["Error: ValueError: no paper"], []),
    "good and bad": (
        [("weather", {"city": "A"}), ("fail", {}), ("weather", {"city": "B"})],
        ["1 sunny in A", "Error: ", "1 sunny in B"],
        ["A", "B"],
    ),
}


@VENDORS
@pytest.mark.parametrize("case", CASES)
def test_the_results_reach_the_server(served: Served, vendor: str, case: str) -> None:
    calls, wanted, done = CASES[case]
    desk = Desk()
    turn = loop(served, desk, said(vendor, "Let me see.", *calls), said(vendor, "Done."))
    assert (turn.ended, turn.text) == ("stop", "Done.")
    assert desk.done == done
    for found, start in zip(results(served), wanted, strict=True):
        assert found.startswith(start)
    spoken = served.sent[-1]["messages"][1]
    assert [each["function"]["name"] for each in spoken["tool_calls"]] == [n for n, _ in calls]
    answers = [each for each in served.sent[-1]["messages"] if each["role"] == "tool"]
    if vendor == "cohere":
        ids = [each["id"] for each in spoken["tool_calls"]]
        assert [each["tool_call_id"] for each in answers] == ids
        assert len(set(ids)) == len(ids)
    else:
        assert [each["tool_name"] for each in answers] == [name for name, _ in calls]


@VENDORS
def test_an_empty_result_is_sent(served: Served, vendor: str) -> None:
    loop(served, Desk(), said(vendor, "", ("note", {})), said(vendor, "Done."))
    answers = [each for each in served.sent[-1]["messages"] if each["role"] == "tool"]
    assert len(answers) == 1
    assert answers[0].get("content", "") == ("(empty)" if vendor == "cohere" else "")


@VENDORS
def test_a_cut_call_is_not_run(served: Served, vendor: str) -> None:
    cut = said(vendor, "", ("weather", {"city": "A"}), ("weather", {"city": "B"}))
    cut["finish_reason" if vendor == "cohere" else "done_reason"] = (
        "MAX_TOKENS" if vendor == "cohere" else "length"
    )
    desk = Desk()
    loop(served, desk, cut, said(vendor, "Done."))
    assert desk.done == ["A"]
    assert "cut off" in results(served)[1]


@VENDORS
def test_a_stream_is_run(served: Served, vendor: str) -> None:
    desk = Desk()
    first, last = said(vendor, "Well.", ("weather", {"city": "A"})), said(vendor, "Done.")
    turn = loop(served, desk, [*EVENTS[vendor](first)], [*EVENTS[vendor](last)], stream=True)
    assert (turn.ended, turn.text, desk.done) == ("stop", "Done.", ["A"])
    assert results(served) == ["1 sunny in A"]


@VENDORS
def test_the_call_of_a_broken_stream_is_not_run(served: Served, vendor: str) -> None:
    desk = Desk()
    events = [*EVENTS[vendor](said(vendor, "", ("weather", {"city": "A"})))][:-1]
    loop(served, desk, events, [*EVENTS[vendor](said(vendor, "Done."))], stream=True)
    assert desk.done == []


@VENDORS
def test_a_call_that_waits_is_saved_and_resumed(served: Served, vendor: str) -> None:
    desk, tickets = Desk(), Tickets(bytes(32), store=MemoryStore())
    calls = [("weather", {"city": "A"}), ("pay", {"amount": 3})]
    turn = loop(served, desk, said(vendor, "", *calls), tickets=tickets)
    (waiting,) = turn.waiting
    assert (waiting.questions[0].path, desk.done) == ("$input.pin", ["A"])
    saved = json.loads(json.dumps(turn.save()))
    tools = Controller.from_object(desk).configured(tickets=tickets).tools(vendor)
    turn = tools.resume(saved, {waiting.call_id: {"pin": "1234"}})
    assert desk.done == ["A", "pay 3"]
    served.replies = [said(vendor, "Done.")]
    messages: list[Any] = [{"role": "user", "content": "go"}, *turn.messages]
    turn = tools.run(served.client()(messages=messages, tools=tools))
    assert (turn.text, turn.done) == ("Done.", True)
    assert results(served) == ["1 sunny in A", "paid 3"]
