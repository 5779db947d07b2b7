"""An application in this process instead of a server: ASGI 3.0, without a socket.

A conversation is one request and its answer, which comes in pieces as the application sends them;
a lifespan is the application's startup and shutdown. Both belong to the loop they run on.
"""

import logging
from asyncio import CancelledError, Event, Future, Queue, Task, create_task, get_running_loop
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from functools import partial
from typing import TypeAlias, cast
from urllib.parse import unquote, urlsplit

from pyfunctools._text import visible
from pyfunctools.errors import LifespanError
from pyfunctools.execution.http.exchange import Headers, OpenResponse
from pyfunctools.execution.http.transports import framed, lines_of, reader_of
from pyfunctools.execution.request.assembly import HttpRequest
from pyfunctools.execution.trace import log_raised

AsgiMessage: TypeAlias = MutableMapping[str, object]
Receive: TypeAlias = Callable[[], Awaitable[AsgiMessage]]
Send: TypeAlias = Callable[[AsgiMessage], Awaitable[None]]
AsgiApplication: TypeAlias = Callable[[AsgiMessage, Receive, Send], Awaitable[None]]
"""An ASGI application: it takes a scope, what gives it messages and what takes them."""

LOGGER = logging.getLogger("pyfunctools")

AHEAD = 16
"""Messages an application may be ahead of who reads them."""

_VERSIONS = {"version": "3.0", "spec_version": "2.4"}


class BrokenAnswerError(Exception):
    """An application that ended inside its answer. Never leaves this room."""


Keep: TypeAlias = Callable[[BaseException], object]
"""Is called with what an application raises."""


def over_application(
    application: AsgiApplication,
    where: str,
    root_path: str,
    state: MutableMapping[str, object],
    tasks: set[Task[None]],
    keep: Keep | None = None,
) -> Callable[[HttpRequest, float], Awaitable[OpenResponse]]:
    """Return a function that sends requests to an application on the running loop.

    `where` is what a log calls them: a method and a template, for a path may hold a secret. `state`
    is what the lifespan has left, of which each request gets a copy. `tasks` holds what runs, also
    after the answer: an application may have work to do in the background. `keep` is called with
    what the application raises.
    """

    async def send(request: HttpRequest, deadline: float) -> OpenResponse:
        conversation = Conversation(request, where, keep)
        scope = scope_of(request, root_path)
        scope["state"] = dict(state)
        task = create_task(conversation.hold(application, scope))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        try:
            status, headers = await conversation.head()
        except BaseException:  # a cancelled call too
            conversation.leave(task)
            raise
        return OpenResponse(
            status=status,
            headers=headers,
            read=reader_of(conversation.chunks()),
            close=partial(conversation.close, task),
        )

    return send


def scope_of(request: HttpRequest, root_path: str) -> AsgiMessage:
    """Return the HTTP scope of a request, whose path begins with `root_path`."""
    parts = urlsplit(request.origin)
    path, _, query = request.target.partition("?")
    headers = framed(request)[1] | {"accept-encoding": "identity"}  # nothing travels far
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
    """One request and its answer, between an application and who reads what it sends."""

    def __init__(self, request: HttpRequest, where: str, keep: Keep | None) -> None:
        self._keep = keep
        self._request = request
        self._where = where
        self._messages: deque[AsgiMessage] = deque()
        self._news = Event()
        self._room = Event()
        self._over = Event()  # nobody reads any more: all is read, or the reader has left
        self._is_asked = self._is_answered = self._has_ended = False
        self._error: BaseException | None = None

    async def hold(self, application: AsgiApplication, scope: AsgiMessage) -> None:
        """Run the application to its end. What it raises is kept, and logged without its message.

        That also keeps `SystemExit` and its like from ending the loop.
        """
        try:
            await application(scope, self._receive, self._send)
        except CancelledError:
            raise
        except BaseException as error:  # as the docstring says
            self._error = error
            if self._keep is not None:
                self._keep(error)
            if not self._over.is_set() or self._is_answered:
                log_raised(self._where, "the application", error)
        finally:
            self._has_ended = True
            self._news.set()

    async def head(self) -> tuple[int, Headers]:
        """Return the status and the headers; 500, as servers do, if the application sends none."""
        while (message := await self._next()) is not None:
            if message["type"] == "http.response.start":
                lines = cast("Iterable[tuple[bytes, bytes]]", message.get("headers") or ())
                return int(cast("int", message["status"])), lines_of(lines)
        self._is_answered = True
        return 500, ()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes.

        Raises:
            BrokenAnswerError: the application ended inside it.
        """
        while not self._is_answered:
            message = await self._next()
            if message is None:
                raise BrokenAnswerError from self._error
            if message["type"] == "http.response.body":
                self._is_answered = not message.get("more_body", False)
                if self._is_answered:
                    self._over.set()
                if self._request.method != "HEAD":
                    yield cast("bytes", message.get("body", b""))

    async def close(self, task: "Task[None]") -> None:
        """End it; an application that is still sending is told, and cancelled."""
        if not self._is_answered:
            self.leave(task)
        self._over.set()

    def leave(self, task: "Task[None]") -> None:
        """Leave without having read all there is."""
        self._over.set()
        self._messages.clear()
        self._room.set()
        task.cancel()

    async def _receive(self) -> AsgiMessage:
        if not self._is_asked:
            self._is_asked = True
            body = self._request.content or b""
            return {"type": "http.request", "body": body, "more_body": False}
        await self._over.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: AsgiMessage) -> None:
        while len(self._messages) >= AHEAD and not self._over.is_set():
            self._room.clear()
            await self._room.wait()
        if self._over.is_set():
            raise OSError("Nobody reads this answer any more.")  # as ASGI 2.4 wants it
        self._messages.append(message)
        self._news.set()

    async def _next(self) -> AsgiMessage | None:
        while not self._messages:
            if self._has_ended:
                return None
            self._news.clear()
            await self._news.wait()
        self._room.set()
        return self._messages.popleft()


class Lifespan:
    """The startup and the shutdown of an application, in one task, as its contexts need it.

    `state` is what the application leaves for its requests. One that takes no lifespan, which ASGI
    lets it say by raising or returning at once, has none.
    """

    def __init__(self, application: AsgiApplication, name: str) -> None:
        self.state: dict[str, object] = {}
        self._application = application
        self._name = name
        self._inbox: Queue[AsgiMessage] = Queue()
        self._answers: dict[str, Future[str | None]] = {}
        self._error: BaseException | None = None
        self._task: Task[None] | None = None

    async def start(self) -> None:
        """Start the application.

        Raises:
            LifespanError: it says that it has failed.
        """
        loop = get_running_loop()
        self.state.clear()
        self._inbox, self._error = Queue(), None
        self._answers = {phase: loop.create_future() for phase in ("startup", "shutdown")}
        self._task = create_task(self._run())
        _RUNNING.add(self._task)
        self._task.add_done_callback(_RUNNING.discard)
        await self._phase("startup")

    async def stop(self) -> None:
        """Shut the application down, if it is up.

        Raises:
            LifespanError: it says that it has failed, or raises.
        """
        if self._task is not None and not self._task.done():
            await self._phase("shutdown")
            if self._error is not None:
                raise LifespanError(self._name, "shutdown", _said(self._error)) from self._error

    async def _phase(self, phase: str) -> None:
        self._inbox.put_nowait({"type": f"lifespan.{phase}"})
        failed = await self._answers[phase]
        if failed is not None and self._task is not None:
            await self._task  # which raises nothing, and has kept what the application raised
            said = failed.strip().rpartition("\n")[2] if self._error is None else _said(self._error)
            raise LifespanError(self._name, phase, said) from self._error

    async def _run(self) -> None:
        scope: AsgiMessage = {"type": "lifespan", "asgi": dict(_VERSIONS), "state": self.state}
        try:
            await self._application(scope, self._inbox.get, self._send)
        except CancelledError:
            raise
        except BaseException as error:  # nor may this end the loop
            self._error = error
            if not self._answers["startup"].done():
                kind = type(error).__name__
                LOGGER.info("%s takes no lifespan: it raised %s", self._name, kind)
        finally:
            self._settle("startup", None)
            self._settle("shutdown", None)

    async def _send(self, message: AsgiMessage) -> None:
        _, phase, result = str(message["type"]).split(".")
        said = str(message.get("message", ""))
        self._settle(phase, said if result == "failed" else None)

    def _settle(self, phase: str, failed: str | None) -> None:
        answer = self._answers[phase]
        if not answer.done():
            answer.set_result(failed)


_RUNNING: set["Task[None]"] = set()
"""Lifespans that are up: a loop holds its tasks but weakly."""


def _said(error: BaseException) -> str:
    text = visible(str(error)).strip()
    return f"{type(error).__name__}: {text}" if text else f"{type(error).__name__}."
