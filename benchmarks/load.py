"""Many calls at once over HTTP, beside the same requests by httpx alone.

    python benchmarks/load.py [calls [cancellations]]

Half of the calls come from 64 threads, half from 4 event loops, in turns with httpx; the server, a
process of its own, answers a tenth of them with 503. It counts what arrives, so that the end shows
whether a call was lost, or made twice; of cancelled calls each may arrive once. Memory is that of
this process, after the first quarter and at the end.
"""

import asyncio
import json
import random
import ssl
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import httpx

from pyfunctools import Controller, Outcome

THREADS, LOOPS, AT_ONCE = 64, 4, 16
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Orders", "version": "1"},
    "paths": {
        "/orders/{number}": {
            "post": {
                "parameters": [
                    {
                        "name": "number",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "integer"},
                    }
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {"item": {"type": "string"}},
                                "required": ["item"],
                            }
                        }
                    }
                },
                "responses": {"200": {"content": {"application/json": {"schema": {}}}}},
            }
        }
    },
}
BODY = {"item": "tea"}
NAME = "orders_postByNumber"


def is_refused(number: int) -> bool:
    """Return whether the server refuses an order: a tenth of them."""
    return number % 10 == 7


async def _serve(ready: Any) -> None:
    seen: Counter[str] = Counter()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ", 2)[1].decode()
                length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
                await reader.readexactly(int(length or 0))
                status, body = b"200 OK", b'{"ok": true}'
                if path == "/seen":
                    body = json.dumps(seen).encode()
                    seen.clear()
                else:
                    number = path.rpartition("/")[2]
                    seen[number] += 1
                    if is_refused(int(number)):
                        status = b"503 Service Unavailable"
                writer.write(
                    b"HTTP/1.1 %b\r\ncontent-type: application/json\r\n"
                    b"content-length: %d\r\n\r\n%b" % (status, len(body), body)
                )
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=512)
    ready.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def serve(ready: Any) -> None:
    """Run the server in this process."""
    asyncio.run(_serve(ready))


@contextmanager
def server() -> Iterator[str]:
    """Give the address of a server in a process of its own."""
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{here.recv()}"
    finally:
        process.kill()
        process.join()


def seen_by(url: str) -> dict[int, int]:
    """Return how often each order has arrived since this was asked."""
    seen: dict[str, int] = httpx.get(f"{url}/seen", timeout=60).json()
    return {int(number): count for number, count in seen.items()}


def from_threads(call: Callable[[int], bool], numbers: Iterable[int]) -> list[bool]:
    """Make the calls from many threads; each tells whether it was right."""
    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(call, numbers))


def from_loops(
    opened: Callable[[], Any], call: Callable[[Any, int], Any], numbers: Iterable[int]
) -> list[bool]:
    """Make the calls from several event loops, some at once on each."""

    async def loop(mine: list[int]) -> list[bool]:
        gate = asyncio.Semaphore(AT_ONCE)
        async with opened() as client:

            async def one(number: int) -> bool:
                async with gate:
                    return bool(await call(client, number))

            return await asyncio.gather(*map(one, mine))

    listed = [*numbers]
    parts = [listed[each::LOOPS] for each in range(LOOPS)]
    with ThreadPoolExecutor(LOOPS) as threads:
        return [
            each for part in threads.map(lambda p: asyncio.run(loop(p)), parts) for each in part
        ]


def is_right(outcome: Outcome, number: int) -> bool:
    """Return whether an outcome is what the server answered."""
    if is_refused(number):
        return outcome.reason == "status"
    return outcome.ok and outcome.value == {"ok": True}


def answered(response: httpx.Response, number: int) -> bool:
    """Return whether httpx got what the server answered."""
    return response.status_code == (503 if is_refused(number) else 200) and bool(response.json())


class Opened:
    """A controller as a context manager of one loop: its connections are closed, it is not."""

    def __init__(self, controller: Controller) -> None:
        self.controller = controller

    async def __aenter__(self) -> Controller:
        return self.controller

    async def __aexit__(self, *_: object) -> None:
        for _, runner in self.controller._entries.values():
            await runner.aclose()


def ours_in_threads(controller: Controller, numbers: Iterable[int]) -> list[bool]:
    """Make the calls by a controller, from threads."""

    def call(number: int) -> bool:
        return is_right(controller.call(NAME, {"number": number, "body": BODY}), number)

    return from_threads(call, numbers)


def ours_on_loops(controller: Controller, numbers: Iterable[int]) -> list[bool]:
    """Make the calls by a controller, from loops."""

    async def call(opened: Controller, number: int) -> bool:
        return is_right(await opened.acall(NAME, {"number": number, "body": BODY}), number)

    return from_loops(lambda: Opened(controller), call, numbers)


# If fewer are kept than are open, more calls are lost: it closes some that others are about to use.
KEPT = httpx.Limits(max_connections=100, max_keepalive_connections=100)


@cache
def trusted() -> ssl.SSLContext:
    """Return what httpx makes for each client, made once."""
    return httpx.create_ssl_context()


def alone_in_threads(url: str, numbers: Iterable[int]) -> list[bool]:
    """Make the same requests by httpx, from threads."""
    with httpx.Client(timeout=30, verify=trusted(), limits=KEPT) as client:

        def call(number: int) -> bool:
            with suppress(httpx.TransportError):  # its pool is not quite safe for threads
                return answered(client.post(f"{url}/orders/{number}", json=BODY), number)
            return False

        return from_threads(call, numbers)


def alone_on_loops(url: str, numbers: Iterable[int]) -> list[bool]:
    """Make the same requests by httpx, from loops."""

    def opened() -> httpx.AsyncClient:
        return httpx.AsyncClient(timeout=30, verify=trusted(), limits=KEPT)

    async def call(client: httpx.AsyncClient, number: int) -> bool:
        return answered(await client.post(f"{url}/orders/{number}", json=BODY), number)

    return from_loops(
        lambda: httpx.AsyncClient(timeout=30, verify=trusted(), limits=KEPT), call, numbers
    )


def cancelled_on_loops(controller: Controller, numbers: Iterable[int]) -> int:
    """Begin calls and cancel each at some moment; return how many ended with a cancellation."""
    chance = random.Random(0)

    async def call(opened: Controller, number: int) -> bool:
        task = asyncio.ensure_future(opened.acall(NAME, {"number": number, "body": BODY}))
        await asyncio.sleep(chance.choice((0, 0.001, 0.003, 0.03, 0.1)))
        task.cancel()
        with suppress(asyncio.CancelledError):
            assert is_right(await task, number)
            return False
        return True

    return sum(from_loops(lambda: Opened(controller), call, numbers))


def memory() -> float:
    """Return the memory of this process, in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def load(calls: int, cancellations: int, rounds: int = 4) -> dict[str, float]:
    """Run everything, check that nothing is lost or made twice, and return the figures."""
    seconds: Counter[str] = Counter()
    busy: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    grown: list[float] = []
    each = calls // rounds // 2
    with server() as url, Controller.from_openapi(DOCUMENT, server=url) as controller:
        ways: dict[str, Callable[[Iterable[int]], list[bool]]] = {
            "threads": lambda numbers: ours_in_threads(controller, numbers),
            "threads alone": lambda numbers: alone_in_threads(url, numbers),
            "loops": lambda numbers: ours_on_loops(controller, numbers),
            "loops alone": lambda numbers: alone_on_loops(url, numbers),
        }
        for turn in range(rounds):
            for way, run in ways.items():
                numbers = range(turn * each, (turn + 1) * each)
                began, worked = time.perf_counter(), time.process_time()
                right = run(numbers)
                seconds[way] += time.perf_counter() - began
                busy[way] += time.process_time() - worked
                lost[way] += right.count(False)
                seen = seen_by(url)
                if not way.endswith("alone"):
                    assert right == [True] * each, f"{way}: lost or wrong"
                    assert seen == dict.fromkeys(numbers, 1), f"{way}: lost or twice"
            grown.append(memory())
        cancelled = cancelled_on_loops(controller, range(cancellations))
        assert max(seen_by(url).values(), default=0) <= 1, "cancelled, and made twice"
        assert ours_on_loops(controller, range(100)) == [True] * 100
        grown.append(memory())
    return {
        **{way: calls / 2 / spent for way, spent in seconds.items()},
        **{f"{way}, busy": spent * 2e6 / calls for way, spent in busy.items()},
        "lost alone": lost["threads alone"] + lost["loops alone"],
        "cancelled": cancelled,
        "memory first": grown[0],
        "memory last": grown[-2],
        "memory after cancelling": grown[-1],
    }


def main() -> None:
    calls, cancellations = [*map(int, sys.argv[1:]), *(36_000, 10_000)[len(sys.argv) - 1 :]]
    found = load(calls, cancellations)
    print("| from | calls a second | httpx | ratio | processor a call, us | httpx |")
    print("|---|---|---|---|---|---|")
    for way in ("threads", "loops"):
        own, alone = found[way], found[f"{way} alone"]
        work = f"{found[f'{way}, busy']:.0f} | {found[f'{way} alone, busy']:.0f}"
        print(f"| {way} | {own:.0f} | {alone:.0f} | {own / alone:.2f} | {work} |")
    print(f"\n{calls:,} calls: none lost, none twice; {found['lost alone']:.0f} lost by httpx.")
    print(f"{found['cancelled']:,.0f} of {cancellations:,} cancelled: none twice.")
    sizes = (found[f"memory {each}"] for each in ("first", "last", "after cancelling"))
    print("Memory: " + ", ".join(f"{each:.0f} MiB" for each in sizes))


if __name__ == "__main__":
    main()
