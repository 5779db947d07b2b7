"""An application in this process instead of a server: ASGI 3.0, without a socket.

A conversation is one request and its response, which the application sends in pieces. A lifespan is
the startup and shutdown of the application. Both belong to the event loop on which they run.
"""

import logging
from asyncio import (
    CancelledError,
    Event,
    Future,
    Queue,
    Semaphore,
    Task,
    create_task,
    get_running_loop,
)
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from functools import partial
from typing import TypeAlias, cast
from urllib.parse import unquote, urlsplit

from pyfunctools._text import visible
from pyfunctools.errors import LifespanError
from pyfunctools.execution.http.exchange import OpenResponse
from pyfunctools.execution.http.transports import complete_message, opened
from pyfunctools.execution.request.assembly import HttpRequest
from pyfunctools.execution.trace import log_raised

AsgiMessage: TypeAlias = MutableMapping[str, object]
Receive: TypeAlias = Callable[[], Awaitable[AsgiMessage]]
Send: TypeAlias = Callable[[AsgiMessage], Awaitable[None]]
AsgiApplication: TypeAlias = Callable[[AsgiMessage, Receive, Send], Awaitable[None]]
"""An ASGI application: a function of a scope, and of functions that receive and send messages."""
OnError: TypeAlias = Callable[[BaseException], object]

LOGGER = logging.getLogger("pyfunctools")

AHEAD = 16
"""Messages that an application may send before they are read."""

_VERSIONS = {"version": "3.0", "spec_version": "2.4"}


class BrokenResponseError(Exception):
    """An application ended inside its response. Never leaves `execution`."""


def scope_of(request: HttpRequest, root_path: str) -> AsgiMessage:
    """Return the HTTP scope of a request, whose path begins with `root_path`."""
    parts = urlsplit(request.origin)
    path, _, query = request.target.partition("?")
    headers = complete_message(request)[1] | {"accept-encoding": "identity"}
    return {
        "type": "http",
        "asgi": dict(_VERSIONS),
        "http_version": "1.1",
        "method": request.method,
        "scheme": parts.scheme,
        "path": unquote(path) or "/",
        "raw_path": path.encode("ascii"),
        "query_string": query.encode("ascii"),
        "root_path": root_path,
        "headers": [
            (name.encode("ascii"), text.encode("latin-1")) for name, text in headers.items()
        ],
        "client": ("127.0.0.1", 0),
        "server": (parts.hostname, parts.port or {"https": 443}.get(parts.scheme, 80)),
    }


class Conversation:
    """One request and its response, between an application and its caller."""

    def __init__(self, request: HttpRequest, where: str, on_error: OnError) -> None:
        self._on_error = on_error
        self._request = request
        self._where = where
        self._messages: Queue[AsgiMessage | None] = Queue()  # `None` is the end
        self._room = Semaphore(AHEAD)
        self._is_over = Event()  # all is read, or the caller has left
        self._is_sent = self._is_answered = False
        self._error: BaseException | None = None

    async def run(self, application: AsgiApplication, scope: AsgiMessage) -> None:
        """Run the application to its end; store its exception, and log it without its message.

        No exception but cancellation is raised, so even `SystemExit` does not end the loop. An
        exception after the caller left is not logged.
        """
        try:
            await application(scope, self._receive, self._send)
        except CancelledError:
            raise
        except BaseException as error:  # `SystemExit` too
            self._error = error
            self._on_error(error)
            if not self._is_over.is_set() or self._is_answered:
                log_raised(self._where, "the application", error)
        finally:
            self._messages.put_nowait(None)

    async def head(self) -> tuple[int, Iterable[tuple[bytes, bytes]]]:
        """Return the status and the headers; status 500 if the application sends no response."""
        while (message := await self._next()) is not None:
            if message["type"] == "http.response.start":
                lines = cast("Iterable[tuple[bytes, bytes]]", message.get("headers") or ())
                return int(cast("int", message["status"])), lines
        self._is_answered = True
        return 500, ()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body in the pieces that the application sends."""
        while not self._is_answered:
            message = await self._next()
            if message is None:
                raise BrokenResponseError from self._error
            if message["type"] == "http.response.body":
                self._is_answered = not message.get("more_body", False)
                if self._is_answered:
                    self._stop_reading()
                if self._request.method != "HEAD":
                    yield cast("bytes", message.get("body", b""))

    async def close(self, task: "Task[None]") -> None:
        """End the conversation; an application that is still sending is cancelled."""
        if not self._is_answered:
            task.cancel()
        self._stop_reading()

    def _stop_reading(self) -> None:
        self._is_over.set()
        self._room.release()  # for a sender that waits

    async def _receive(self) -> AsgiMessage:
        if not self._is_sent:
            self._is_sent = True
            body = self._request.content or b""
            return {"type": "http.request", "body": body, "more_body": False}
        await self._is_over.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: AsgiMessage) -> None:
        await self._room.acquire()
        if self._is_over.is_set():
            self._room.release()  # for the next sender
            raise OSError("Nobody reads this answer any more.")  # as ASGI 2.4 specifies
        self._messages.put_nowait(message)

    async def _next(self) -> AsgiMessage | None:
        message = await self._messages.get()
        self._room.release()
        return message


class Lifespan:
    """The startup and the shutdown of an application, in one task, as its context managers need.

    `state` is filled by the application for its requests, each of which gets a copy. `tasks` are
    those that answer requests: they may work in the background after the response. An application
    that does not support lifespans raises or returns at once, as ASGI allows; then there is no
    startup or shutdown.
    """

    def __init__(self, application: AsgiApplication, name: str) -> None:
        self.state: dict[str, object] = {}
        self.tasks: set[Task[None]] = set()
        self._application = application
        self._name = name
        self._inbox: Queue[AsgiMessage] = Queue()
        self._answers: dict[str, Future[str | None]] = {}
        self._error: BaseException | None = None
        self._task: Task[None] | None = None

    async def start(self) -> None:
        """Start the application."""
        loop = get_running_loop()
        self.state.clear()
        self._inbox, self._error = Queue(), None
        self._answers = {phase: loop.create_future() for phase in ("startup", "shutdown")}
        self._task = create_task(self._run())
        _RUNNING.add(self._task)
        self._task.add_done_callback(_RUNNING.discard)
        await self._phase("startup")

    async def stop(self) -> None:
        """Shut the application down, if it runs."""
        if self._task is not None and not self._task.done():
            await self._phase("shutdown")

    async def send(
        self, request: HttpRequest, where: str, root_path: str, on_error: OnError = lambda _: None
    ) -> OpenResponse:
        """Send a request to the application, on the running loop.

        `where` names it in the log: a method and a template, because a path may hold a secret.
        `on_error` is called with an exception of the application.
        """
        conversation = Conversation(request, where, on_error)
        scope = {**scope_of(request, root_path), "state": dict(self.state)}
        task = create_task(conversation.run(self._application, scope))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        try:
            status, lines = await conversation.head()
        except BaseException:  # a cancelled call too
            await conversation.close(task)
            raise
        return opened(status, lines, conversation.chunks(), partial(conversation.close, task))

    async def _phase(self, phase: str) -> None:
        self._inbox.put_nowait({"type": f"lifespan.{phase}"})
        failed = await self._answers[phase]
        if failed is not None and self._task is not None:
            await self._task  # which raises nothing, and stores the application's exception
            last_line = failed.strip().rpartition("\n")[2]
            reason = last_line if self._error is None else _described(self._error)
            raise LifespanError(self._name, phase, reason) from self._error

    async def _run(self) -> None:
        scope: AsgiMessage = {"type": "lifespan", "asgi": dict(_VERSIONS), "state": self.state}
        try:
            await self._application(scope, self._inbox.get, self._send)
        except CancelledError:
            raise
        except BaseException as error:  # it must not end the loop
            self._error = error
            if self._answers["startup"].done():
                self._settle("shutdown", "")
            else:
                kind = type(error).__name__
                LOGGER.info("%s does not support lifespans: it raised %s", self._name, kind)
        finally:
            self._settle("startup", None)
            self._settle("shutdown", None)

    async def _send(self, message: AsgiMessage) -> None:
        _, phase, result = str(message["type"]).split(".")
        text = str(message.get("message", ""))
        self._settle(phase, text if result == "failed" else None)

    def _settle(self, phase: str, failed: str | None) -> None:
        answer = self._answers[phase]
        if not answer.done():
            answer.set_result(failed)


_RUNNING: set["Task[None]"] = set()
"""Running lifespans: a loop holds only weak references to its tasks."""


def _described(error: BaseException) -> str:
    text = visible(str(error)).strip()
    return f"{type(error).__name__}: {text}" if text else f"{type(error).__name__}."
