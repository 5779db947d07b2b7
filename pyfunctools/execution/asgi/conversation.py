"""An application in this process instead of a server: ASGI 3.0, without a socket.

A conversation is one run of the application: for a request and its response, which it sends in
pieces, or for its startup and shutdown. It belongs to the event loop on which it runs.
"""

import logging
from asyncio import CancelledError, Queue, Semaphore, Task, create_task
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
            (name.encode("ascii"), line.encode("latin-1"))
            for name, text in headers.items()
            for line in text.split("\n")
        ],
        "client": ("127.0.0.1", 0),
        "server": (parts.hostname, parts.port or {"https": 443}.get(parts.scheme, 80)),
    }


class Conversation:
    """One run of an application, and the messages to it and from it."""

    def __init__(self, on_error: OnError = lambda _: None) -> None:
        self.error: BaseException | None = None
        self._on_error = on_error
        self._inbox: Queue[AsgiMessage] = Queue()
        self._messages: Queue[AsgiMessage | None] = Queue()  # `None` is the end
        self._room = Semaphore(AHEAD)
        self._is_over = False  # all is read, or the caller has left
        self._is_answered = False

    async def run(self, application: AsgiApplication, scope: AsgiMessage) -> None:
        """Run the application to its end, and keep its exception.

        No exception but cancellation is raised, so even `SystemExit` does not end the loop.
        `on_error` is called with it, but not after the caller left.
        """
        try:
            await application(scope, self._receive, self._send)
        except CancelledError:
            raise
        except BaseException as error:  # `SystemExit` too
            self.error = error
            if not self._is_over or self._is_answered:
                self._on_error(error)
        finally:
            self._messages.put_nowait(None)

    def tell(self, message: AsgiMessage) -> None:
        """Send a message to the application."""
        self._inbox.put_nowait(message)

    async def next(self) -> AsgiMessage | None:
        """Return the application's next message, `None` when it has ended."""
        message = await self._messages.get()
        self._room.release()
        return message

    async def head(self) -> tuple[int, Iterable[tuple[bytes, bytes]]]:
        """Return the status and the headers; status 500 if the application sends no response."""
        while (message := await self.next()) is not None:
            if message["type"] == "http.response.start":
                lines = cast("Iterable[tuple[bytes, bytes]]", message.get("headers") or ())
                return int(cast("int", message["status"])), lines
        self._is_answered = True
        return 500, ()

    async def chunks(self, method: str) -> AsyncIterator[bytes]:
        """Yield the body in the pieces that the application sends."""
        while not self._is_answered:
            message = await self.next()
            if message is None:
                raise BrokenResponseError from self.error
            if message["type"] == "http.response.body":
                self._is_answered = not message.get("more_body", False)
                if self._is_answered:
                    self._stop_reading()
                if method != "HEAD":
                    yield cast("bytes", message.get("body", b""))

    async def close(self, task: "Task[None]") -> None:
        """End the conversation; an application that is still sending is cancelled."""
        if not self._is_answered:
            task.cancel()
        self._stop_reading()

    def _stop_reading(self) -> None:
        self._is_over = True
        self._room.release()  # for a sender that waits
        self.tell({"type": "http.disconnect"})

    async def _receive(self) -> AsgiMessage:
        message = await self._inbox.get()
        if message["type"] == "http.disconnect":
            self.tell(message)  # for whoever asks again
        return message

    async def _send(self, message: AsgiMessage) -> None:
        await self._room.acquire()
        if self._is_over:
            self._room.release()  # for the next sender
            raise OSError("Nobody reads this answer any more.")  # as ASGI 2.4 specifies
        self._messages.put_nowait(message)


class Lifespan:
    """The startup and the shutdown of an application, in one task, as its context managers need.

    `state` is filled by the application for its requests, each of which gets a copy. `tasks` answer
    requests: they may work in the background after the response. An application that does not
    support lifespans raises or returns at once, as ASGI allows.
    """

    def __init__(self, application: AsgiApplication, name: str) -> None:
        self.state: dict[str, object] = {}
        self.tasks: set[Task[None]] = set()
        self._application = application
        self._name = name
        self._life = Conversation()
        self._task: Task[None] | None = None

    async def start(self) -> None:
        """Start the application."""
        self.state.clear()
        self._life = Conversation()
        scope: AsgiMessage = {"type": "lifespan", "asgi": dict(_VERSIONS), "state": self.state}
        self._task = create_task(self._life.run(self._application, scope))
        _RUNNING.add(self._task)
        self._task.add_done_callback(_RUNNING.discard)
        if not await self._has_reached("startup", self._task) and self._life.error is not None:
            kind = type(self._life.error).__name__
            LOGGER.info("%s does not support lifespans: it raised %s", self._name, kind)

    async def stop(self) -> None:
        """Shut the application down, if it runs."""
        if self._task is None or self._task.done():
            return
        if not await self._has_reached("shutdown", self._task) and self._life.error is not None:
            raise self._failed("shutdown", "")

    async def send(
        self, request: HttpRequest, where: str, root_path: str, on_error: OnError = lambda _: None
    ) -> OpenResponse:
        """Send a request to the application, on the running loop.

        `where` names it in the log: a method and a template, because a path may hold a secret.
        `on_error` is called with an exception of the application.
        """

        def raised(error: BaseException) -> None:
            on_error(error)
            log_raised(where, "the application", error)

        conversation = Conversation(raised)
        body = request.content or b""
        conversation.tell({"type": "http.request", "body": body, "more_body": False})
        scope = {**scope_of(request, root_path), "state": dict(self.state)}
        task = create_task(conversation.run(self._application, scope))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        close = partial(conversation.close, task)
        try:
            status, lines = await conversation.head()
        except BaseException:  # a cancelled call too
            await close()
            raise
        return opened(status, lines, conversation.chunks(request.method), close)

    async def _has_reached(self, phase: str, task: "Task[None]") -> bool:
        """Return whether the application has completed a phase; false if it has ended instead."""
        self._life.tell({"type": f"lifespan.{phase}"})
        message = await self._life.next()
        if message is None or message["type"] == f"lifespan.{phase}.complete":
            return message is not None
        await task  # which raises nothing, and keeps the application's exception
        raise self._failed(phase, str(message.get("message", "")))

    def _failed(self, phase: str, message: str) -> LifespanError:
        """Return the error of a phase, for the application's exception or the message it sent."""
        error = self._life.error
        reason = message.strip().rpartition("\n")[2]
        if error is not None:
            text = visible(str(error)).strip()
            reason = f"{type(error).__name__}: {text}" if text else f"{type(error).__name__}."
        failed = LifespanError(self._name, phase, reason)
        failed.__cause__ = error
        return failed


_RUNNING: set["Task[None]"] = set()
"""Running lifespans: a loop holds only weak references to its tasks."""
