"""What a call over HTTP costs beside bare httpx: `python benchmarks/over_http.py`.

A server on 127.0.0.1, in a process of its own, answers every request with `{}`; `mock` has no
server, so that what is left is our own work. Microseconds, the median of each, all in one run, turn
by turn.
"""

import asyncio
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from rounds import rounds

from pyfunctools import Controller

CALLS = 1_000
ROUNDS = rounds(3)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Things", "version": "1"},
    "paths": {"/things/{id}": {"get": {"operationId": "thing"}}},
}


def serve() -> None:
    """Answer on a free port, which is printed, until the process is ended."""

    def answer(connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection:
            while connection.recv(65536):
                connection.sendall(ANSWER)

    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    while True:
        connection, _ = listening.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


def waited(call: Callable[[], object]) -> float:
    times = []
    for _ in range(CALLS):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return statistics.median(times) * 1e6


def awaited(call: Callable[[], Awaitable[object]]) -> float:
    async def run() -> float:
        times = []
        for _ in range(CALLS):
            begun = time.perf_counter()
            await call()
            times.append(time.perf_counter() - begun)
        return statistics.median(times) * 1e6

    return asyncio.run(run())


def things(url: str, client: object = None) -> Controller:
    return Controller.from_openapi(DOCUMENT, server=url, client=client, names="operation_id")


def measured(url: str) -> dict[str, float]:
    """Return the microseconds of a call in each way."""
    mock = httpx.MockTransport(lambda _: httpx.Response(200, json={}))
    bare, bare_mock = httpx.Client(), httpx.Client(transport=mock)
    own, clients, mocked = things(url), things(url, bare), things(url, bare_mock)
    asked = {"id": "1"}
    return {
        "mock: httpx": waited(lambda: bare_mock.get(f"{url}/things/1").json()),
        "mock: call": waited(lambda: mocked.call("thing", asked)),
        "httpx": waited(lambda: bare.get(f"{url}/things/1").json()),
        "call": waited(lambda: own.call("thing", asked)),
        "call, with a client": waited(lambda: clients.call("thing", asked)),
        "acall": awaited(lambda: own.acall("thing", asked)),
    }


def main() -> None:
    server = subprocess.Popen([sys.executable, __file__, "serve"], stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{int(server.stdout.readline())}"
        rounds = [measured(url) for _ in range(ROUNDS)]
    finally:
        server.kill()
    print("| | us a call |\n|---|---|")
    for way in rounds[0]:
        print(f"| {way} | {statistics.median(each[way] for each in rounds):.0f} |")


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else main()
