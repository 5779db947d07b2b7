"""Runs operations in this process: their application is called through ASGI, without a socket."""

import time
from asyncio import Task, create_task, current_task, shield, wait, wrap_future
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Future
from concurrent.futures import wait as wait_in_thread
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from typing import Any, TypeAlias, Unpack, cast
from urllib.parse import quote, unquote

from pyfunctools._text import visible
from pyfunctools.errors import LifespanError, LoopError, wrong_type
from pyfunctools.execution.asgi.conversation import AsgiApplication, Lifespan, over_application
from pyfunctools.execution.http.exchange import Lost, Wire
from pyfunctools.execution.http.responses import outcome_of
from pyfunctools.execution.http.runner import HttpRunner, PreparedCall
from pyfunctools.execution.loop import BackgroundLoop, in_a_loop
from pyfunctools.execution.person.blame import whole_refused
from pyfunctools.execution.request.assembly import unsendable
from pyfunctools.execution.request.connection import Connection, server_url
from pyfunctools.execution.runner import Run
from pyfunctools.execution.steps import finish
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.record.origin import origin_text
from pyfunctools.record.outcome import Outcome, Response
from pyfunctools.schema import Failure
from pyfunctools.schema.ground.path import value_at

Elsewhere: TypeAlias = Callable[[str, str, str], str | None]
"""A function that returns the other route a method and a path lead to, such as `GET /teas/{id}`."""

BASE_URL = "http://localhost"
"""Where requests are said to go, when nobody says otherwise."""

PATIENCE = 0.5
"""Seconds after the deadline until a caller no longer waits for a loop that does not answer."""


class ApplicationRunner:
    """Runs the operations of an ASGI application, in this process.

    The application has one event loop, in a thread of its own: its lifespan and all its requests
    run there, from whatever thread or loop they are called, so what it opens at its startup is used
    where it was opened. It starts before the first call, once, and is shut down by `close`, which
    waits for the calls that are under way; a later call starts it again. The time its startup takes
    counts towards no deadline. Requests have their caller's context variables.

    `server` is what the application is told of its own address (`http://localhost`); a path in it,
    or else `root_path`, stands before every path. `elsewhere` says which other route would take a
    request: that is refused, and nothing is sent. The other settings are as in `HttpRunner`;
    headers and credentials are made where the caller is.

    Raises:
        DefinitionError: the server or the headers are none.
    """

    def __init__(
        self,
        application: AsgiApplication,
        *,
        name: str,
        root_path: str = "",
        elsewhere: Elsewhere = lambda _method, _template, _path: None,
        limits: Limits = DEFAULT_LIMITS,
        **connection: Unpack[Connection],
    ) -> None:
        base, mark, query = server_url((), _text(connection.get("server"))).partition("?")
        scheme, _, rest = base.partition("://")
        host, slash, path = rest.partition("/")
        root_path = (root_path or unquote(slash + path)).rstrip("/")
        self._application = application
        self._name = name
        self._root_path = root_path
        self._elsewhere = elsewhere
        self.limits = limits
        connection["server"] = f"{scheme}://{host}{quote(root_path)}{mark}{query}"
        self._http = HttpRunner(limits=limits, **connection)
        self._lock = Lock()
        self._hosted: _Hosted | None = None

    def __repr__(self) -> str:
        return f"ApplicationRunner({self._name!r})"

    async def run(self, run: Run) -> Outcome:
        """Send the request that the arguments make.

        Raises:
            LoopError: this thread runs an event loop, which may not wait for another.
            LifespanError: the application does not start.
            DefinitionError: the function is no operation, or something has to be awaited.
            DocumentError: the path cannot be used.
        """
        if not run.awaits and in_a_loop():
            raise LoopError(run.function.name)
        call = await self._http.prepared(run, self._misled)
        if isinstance(call, Outcome):
            return call
        since = time.monotonic()
        hosted, future = self._submitted(call)
        wait_for = _await if run.awaits else _block
        try:
            while not future.done() and (left := self._left(hosted, since)) > 0:
                await wait_for(future, left)
            if future.done() and not future.cancelled():
                return future.result()
            return self._lost(call, stopped=future.cancelled())
        finally:
            future.cancel()

    def close(self) -> None:
        """Shut the application down, once its calls are over, and stop its loop.

        Raises:
            LifespanError: its shutdown fails, or does not end within the deadline of a call.
        """
        finish(self._closed(_block))

    async def aclose(self) -> None:
        """Do what `close` does, without blocking the event loop.

        Raises:
            LifespanError: its shutdown fails, or does not end within the deadline of a call.
        """
        await self._closed(_await)

    async def _closed(self, wait_for: "_Wait") -> None:
        ending = self._ending()
        if ending is None:
            return
        await wait_for(ending, 2 * self.limits.deadline + PATIENCE)
        if not ending.done():
            raise LifespanError(self._name, "shutdown", "It does not end.")
        if not ending.cancelled():  # else its loop has ended, and the application with it
            ending.result()

    def _submitted(self, call: PreparedCall) -> "tuple[_Hosted, Future[Outcome]]":
        with self._lock:  # so that what is submitted before `close` is carried out before it
            if self._hosted is None:
                self._hosted = _Hosted(self._application, self._name)
            hosted = self._hosted
            return hosted, hosted.loop.submit(self._carried(hosted, call))

    async def _carried(self, hosted: "_Hosted", call: PreparedCall) -> Outcome:
        with hosted.busy():
            await hosted.start()
            where = visible(origin_text(call.route)).replace("\n", " ")
            state, tasks = hosted.lifespan.state, hosted.tasks
            raised: list[BaseException] = []
            send = over_application(
                self._application, where, self._root_path, state, tasks, raised.append
            )
            deadline = time.monotonic() + self.limits.deadline
            outcome = await self._http.exchanged(call, Wire(send=send), deadline)
            if outcome.ok or not raised:
                return outcome
            return replace(outcome, exception=raised[-1])

    def _left(self, hosted: "_Hosted", since: float) -> float:
        """Return the seconds to wait for a loop that may have been blocked by what runs on it."""
        patience = self.limits.deadline + PATIENCE
        if hosted.started_at is None:
            return patience
        return max(since, hosted.started_at) + patience - time.monotonic()

    def _lost(self, call: PreparedCall, *, stopped: bool) -> Outcome:
        late = f"No answer came within {self.limits.deadline:g} s"
        reason = "The application was shut down before it answered" if stopped else late
        lost = Lost(reason=reason, sent="unknown", late=not stopped)
        return outcome_of(lost, method=call.route.method, name=call.run.function.name, expose=False)

    def _misled(self, call: PreparedCall) -> Outcome | None:
        """Refuse arguments that would lead to another route than the function's.

        A server cannot tell `/` in a value from one in the path: ASGI has decoded it by then.
        """
        route, arguments = call.route, call.run.arguments
        path = unquote(call.request.target.partition("?")[0])[len(self._root_path) :]
        other = self._elsewhere(route.method, route.path, path)
        if other is None:
            return None
        expected = f"a value with which this is not {other}"
        issues = tuple(
            unsendable(
                parameter.argument,
                expected,
                (value_at(arguments, parameter.argument) or (None,))[0],
            )
            for parameter in route.parameters
            if parameter.location == "path"
        )
        if issues:
            outcome = whole_refused(call.run.function, Failure(value=arguments, issues=issues))
            return replace(outcome, response=Response(sent="no"))
        text = f"The application answers this path by {other}. Nothing was sent."
        response = Response(sent="no")
        return Outcome(
            text=text, reason="arguments", response=response, function=call.run.function.name
        )

    def _ending(self) -> "Future[None] | None":
        with self._lock:
            hosted, self._hosted = self._hosted, None
            if hosted is None:
                return None
            ending = hosted.loop.submit(hosted.stop(self.limits.deadline))
        ending.add_done_callback(lambda _: hosted.loop.close())
        # The loop cannot wait for itself: where the application ends itself, it goes on ending.
        return None if hosted.loop.is_mine() else ending


class _Hosted:
    """An application from a startup to the shutdown, and its loop."""

    def __init__(self, application: AsgiApplication, name: str) -> None:
        self.loop = BackgroundLoop()
        self.lifespan = Lifespan(application, name)
        self.tasks: set[Task[None]] = set()
        self.started_at: float | None = None
        self._calls: set[Task[object]] = set()
        self._starting: Task[None] | None = None

    @contextmanager
    def busy(self) -> Generator[None]:
        """Count a call as running meanwhile."""
        task = cast("Task[object]", current_task())
        self._calls.add(task)
        try:
            yield
        finally:
            self._calls.discard(task)

    async def start(self) -> None:
        """Start the application unless it is up; the next call retries a start that failed.

        Raises:
            LifespanError: it does not start.
        """
        if self.started_at is None:
            if self._starting is None:
                self._starting = create_task(self.lifespan.start())
                # Whoever waits for it may be gone when it fails.
                self._starting.add_done_callback(lambda task: task.cancelled() or task.exception())
            starting = self._starting
            try:
                await shield(starting)
            except LifespanError:
                self._starting = None if self._starting is starting else self._starting
                raise
            self.started_at = self.started_at or time.monotonic()

    async def stop(self, patience: float) -> None:
        """Wait for the calls and the tasks they left running, then shut down.

        Raises:
            LifespanError: the shutdown fails.
        """
        while self._calls:
            await wait(tuple(self._calls))
        if self._starting is not None:
            await wait((self._starting,))
        if self.tasks:
            _, running = await wait(tuple(self.tasks), timeout=patience)
            for task in running:
                task.cancel()
        await self.lifespan.stop()


_Wait: TypeAlias = Callable[["Future[Any]", float], Awaitable[None]]
"""Waits for a future, for as many seconds at most."""


async def _block(future: "Future[Any]", seconds: float) -> None:
    wait_in_thread((future,), seconds)


async def _await(future: "Future[Any]", seconds: float) -> None:
    waiting = wrap_future(future)
    await wait((waiting,), timeout=seconds)
    if waiting.done() and not waiting.cancelled():
        waiting.exception()  # the caller looks at the future itself


def _text(server: object) -> str:
    if server is None:
        return BASE_URL
    if not isinstance(server, str):
        remedy = "Leave it out, or pass the base URL that the application is to be told of."
        raise wrong_type("server", "text", server, remedy)
    return server
