"""Servers on 127.0.0.1 that do what they are told, and a way to call them both ways."""

import asyncio
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from pyfunctools import CallInfo, Function, Outcome
from pyfunctools.execution.runner import Run, Runner
from pyfunctools.execution.steps import finish
from pyfunctools.route import Body, Parameter, Route

Script = Callable[["Connection"], None]


class Connection:
    """One accepted connection: its request, and ways to respond."""

    def __init__(self, sock: socket.socket, closing: threading.Event) -> None:
        self.sock = sock
        self.closing = closing
        self.head = b""
        self.body = b""

    def read_request(self) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            if not (chunk := self.sock.recv(65536)):
                raise ConnectionError
            data += chunk
        self.head, _, self.body = data.partition(b"\r\n\r\n")
        while len(self.body) < int(self.header("content-length") or 0):
            self.body += self.sock.recv(65536)

    def header(self, name: str) -> str | None:
        for line in self.head.decode("latin-1").split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.lower() == name:
                return value.strip()
        return None

    @property
    def line(self) -> str:
        return self.head.decode("latin-1").split("\r\n")[0]

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def answer(self, status: int = 200, body: bytes = b"{}", **headers: str) -> None:
        lines = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        lines |= {key.replace("_", "-"): value for key, value in headers.items()}
        head = "".join(f"{key}: {value}\r\n" for key, value in lines.items() if value)
        self.send(f"HTTP/1.1 {status} X\r\n{head}\r\n".encode("latin-1") + body)

    def reset(self) -> None:
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def drip(self, data: bytes, seconds: float = 0.1) -> None:
        for byte in data:
            self.send(bytes((byte,)))
            if self.closing.wait(seconds):
                return

    def stall(self) -> None:
        self.closing.wait(30)


class Server:
    """A server that gives each connection to a script, or accepts none at all."""

    def __init__(self, script: Script | None) -> None:
        self.script = script
        self.requests: list[Connection] = []
        self.connections = 0
        self._closing = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        if script is not None:
            self._start(self._accept)

    def stop_accepting(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def close(self) -> None:
        self._closing.set()
        self.stop_accepting()
        for thread in self._threads:
            thread.join(5)

    def _start(self, target: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                sock, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            self._start(self._serve, sock)

    def _serve(self, sock: socket.socket) -> None:
        assert self.script is not None
        with sock:
            sock.settimeout(30)
            connection = Connection(sock, self._closing)
            with suppress(OSError):
                self.script(connection)


@pytest.fixture
def serve() -> Iterator[Callable[[Script | None], Server]]:
    """Start a server; it is closed at the end of the test."""
    servers: list[Server] = []

    def start(script: Script | None) -> Server:
        servers.append(Server(script))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def answering(
    serve: Callable[[Script | None], Server],
) -> Callable[[Callable[[Connection], None]], Server]:
    """Start a server that records requests, and responds to each through a function."""

    def start(answer: Callable[[Connection], None]) -> Server:
        def script(connection: Connection) -> None:
            while True:
                connection.read_request()
                asked = Connection(connection.sock, connection.closing)
                asked.head, asked.body = connection.head, connection.body
                server.requests.append(asked)
                answer(asked)

        server = serve(script)
        return server

    return start


def operation(
    method: str = "GET", path: str = "/things/{id}", *, human: bool = False, **route: Any
) -> Function:
    """Return a function with an id in its path, a query, a header and a body."""
    text = {"type": "string"}
    shown = {**text, "x-human": True} if human else text
    function = Function.from_schema(
        name="operation",
        parameters={
            "type": "object",
            "properties": {
                "id": text,
                "query": {"type": "object", "properties": {"q": shown}},
                "header": {"type": "object", "properties": {"X-T": shown}},
                "body": {"type": "object", "properties": {"a": text, "secret": shown}},
            },
        },
        is_human=(lambda _, schema: isinstance(schema, dict) and "x-human" in schema)
        if human
        else None,
    )
    settings: dict[str, Any] = {
        "parameters": (
            Parameter(name="id", location="path", argument=("id",), required=True),
            Parameter(
                name="q", location="query", argument=("query", "q"), style="form", explode=True
            ),
            Parameter(name="X-T", location="header", argument=("header", "X-T")),
        ),
        "body": Body(content_type="application/json"),
        **route,
    }
    return replace(function, origin=Route(method=method, path=path, **settings))


WAYS = ("run", "arun")
NOTHING: dict[str, Any] = {}


def info_of(function: Function) -> CallInfo:
    return CallInfo(id="c", function=function.name, attempt=1, audience=None)


def ran(
    runner: Runner, function: Function, arguments: Any = NOTHING, context: object = None
) -> Outcome:
    """Run a function in this thread."""
    return finish(runner.run(Run(function, arguments, info_of(function), context)))


async def aran(
    runner: Runner, function: Function, arguments: Any = NOTHING, context: object = None
) -> Outcome:
    """Run a function on this loop."""
    return await runner.run(Run(function, arguments, info_of(function), context, awaits=True))


def called(
    runner: Runner, function: Function, arguments: Any, way: str = "run", context: object = None
) -> Outcome:
    """Run a function one way or the other, and close the runner."""
    if way == "run":
        try:
            return ran(runner, function, arguments, context)
        finally:
            runner.close()

    async def call() -> Outcome:
        try:
            return await aran(runner, function, arguments, context)
        finally:
            await runner.aclose()

    return asyncio.run(call())


@pytest.fixture
def switching() -> Iterator[None]:
    """Let the threads of a test take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
