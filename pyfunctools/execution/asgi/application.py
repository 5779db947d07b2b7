"""`ApplicationRunner`: runs the operations of an ASGI application in this process."""

import os
import time
from asyncio import Task, create_task, current_task, shield, wait, wrap_future
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TypeVar, Unpack, cast
from urllib.parse import quote, unquote, urlsplit

from pyfunctools._lazy import ProcessLock
from pyfunctools._text import visible
from pyfunctools.errors import DefinitionError, LifespanError, LoopError, wrong_type
from pyfunctools.execution.asgi.conversation import AsgiApplication, Lifespan
from pyfunctools.execution.http.exchange import (
    DEADLINE,
    HttpTransport,
    Mover,
    Received,
    moved,
    wait_for,
)
from pyfunctools.execution.http.responses import outcome_of_response
from pyfunctools.execution.http.runner import HttpRunner, PreparedCall
from pyfunctools.execution.person.blame import whole_refused
from pyfunctools.execution.request.assembly import unsendable
from pyfunctools.execution.request.claims import argument_at
from pyfunctools.execution.request.connection import Connection
from pyfunctools.execution.request.destination import server_url
from pyfunctools.execution.runner import Run
from pyfunctools.execution.steps import BackgroundLoop, finish, in_a_loop
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.record.origin import origin_text
from pyfunctools.record.outcome import Outcome, Response
from pyfunctools.schema import Failure

T = TypeVar("T")

BASE_URL = "http://localhost"
"""The address of the application, by default."""

PATIENCE = 0.5
"""Seconds after the deadline for which a caller waits for a blocked loop."""


class ApplicationRunner(HttpRunner):
    """Runs the operations of an ASGI application in this process, without a socket.

    The application has its own event loop in its own thread. Its lifespan and all its requests run
    there, so it uses its connections on the loop that opened them. It starts before the first call.
    `close` waits for the running calls and shuts it down; a later call, also one in a forked
    process, starts it again. Deadlines do not include its startup. A request sees the context
    variables of its caller.

    `server` is the address that the application sees as its own address (`http://localhost`).
    `root_path`, or else the path of `server`, is put before every path. A request is refused that
    another route would answer: `other_route(method, template, path)` returns it, such as
    `GET /teas/{id}`, or `None`. The other settings are as in `HttpRunner`.

    Raises:
        DefinitionError: the server or the headers are invalid.
    """

    repeats = True

    def __init__(
        self,
        application: AsgiApplication,
        *,
        name: str,
        root_path: str = "",
        other_route: Callable[[str, str, str], str | None] = lambda _method, _template, _path: None,
        limits: Limits = DEFAULT_LIMITS,
        **connection: Unpack[Connection],
    ) -> None:
        address = BASE_URL if (given := connection.get("server")) is None else given
        if not isinstance(address, str):
            remedy = "An application has one address: write it, such as `http://localhost/api`."
            raise wrong_type("server", "text", address, remedy)
        url = urlsplit(server_url((), address))
        root_path = (root_path or unquote(url.path)).rstrip("/")
        self._application = application
        self._name = name
        self._root_path = root_path
        self._other_route = other_route
        connection["server"] = url._replace(path=quote(root_path)).geturl()
        super().__init__(limits=limits, **connection)
        self._lock = ProcessLock()
        self._running: dict[int, _RunningApplication] = {}  # by process, as the next
        self._ending: dict[int, Future[None]] = {}
        self._patience = 2 * limits.deadline + PATIENCE

    def __repr__(self) -> str:
        return f"ApplicationRunner({self._name!r})"

    def __reduce__(self) -> tuple[object, ...]:
        remedy = "Write `Controller.from_fastapi(app)` in the other process."
        raise DefinitionError(self._name, "A running application cannot be pickled.", remedy)

    async def run(self, run: Run) -> Outcome:
        """Send the request of a call; see `HttpRunner`."""
        if not run.awaits and in_a_loop():
            raise LoopError(run.function.name)
        return await super().run(run)

    async def _send_own(self, call: PreparedCall) -> Outcome:
        if call.run.put is not None:
            return await self._stream(call)
        called_at, awaits = time.monotonic(), call.run.awaits
        application, future = self._submit(lambda started: self._carry_out(started, call))
        try:
            while not future.done() and (left := self._time_left(application, called_at)) > 0:
                await wait_for(future, left, blocks=not awaits)
            if future.done() and not future.cancelled():
                return future.result()
            late, reason = True, f"No answer came within {self.limits.deadline:g} s"
            if future.cancelled():
                late, reason = False, "The application was shut down before it answered"
            lost = Received(lost=reason, sent="unknown", late=late)
            return outcome_of_response(lost, method=call.route.method, expose=False)
        finally:
            future.cancel()

    def close(self) -> None:
        """Shut the application down when its running calls have ended, and stop its loop.

        Raises:
            LifespanError: the shutdown fails, or does not end within twice the deadline of a call.
        """
        finish(self._close(awaits=False))

    async def aclose(self) -> None:
        """Close without blocking the event loop; see `close`."""
        await self._close(awaits=True)

    async def _close(self, *, awaits: bool) -> None:
        with self._lock:
            if (application := self._running.pop(os.getpid(), None)) is None:
                return
            ending = application.loop.submit(application.stop(self.limits.deadline))
            self._ending[os.getpid()] = ending
        ending.add_done_callback(lambda _: application.loop.close())
        if application.loop.is_mine():
            return  # The application ends itself: its loop cannot wait for itself.
        if not await wait_for(ending, self._patience, blocks=not awaits):
            raise LifespanError(self._name, "shutdown", "It does not end.")
        if not ending.cancelled():  # else the loop has ended, and the application with it
            ending.result()

    def _submit(
        self, steps: "Callable[[_RunningApplication], Coroutine[object, object, T]]"
    ) -> "tuple[_RunningApplication, Future[T]]":
        with self._lock:  # so that a call submitted before `close` is carried out before it
            if (application := self._running.get(os.getpid())) is None:
                start = partial(_start_after, self._ending.get(os.getpid()), self._patience)
                application = _RunningApplication(self._application, self._name, start)
                self._running[os.getpid()] = application
            return application, application.loop.submit(steps(application))

    async def _carry_out(
        self, application: "_RunningApplication", call: PreparedCall, moves: Mover | None = None
    ) -> Outcome:
        """Send a call on the loop of the application, or on the caller's if each step `moves`."""
        if moves is None:
            await application.start()
        raised: list[BaseException] = []
        where = visible(origin_text(call.route)).replace("\n", " ")
        send = application.lifespan.send
        transport = HttpTransport(send=lambda it: send(it, where, self._root_path, raised.append))
        if moves is not None:
            transport = moved(transport, moves, blocks=not call.run.awaits)
        outcome = await self.send(call, transport)
        if outcome.ok or not raised:
            return outcome
        return replace(outcome, exception=raised[-1])

    async def _stream(self, call: PreparedCall) -> Outcome:
        """Send a call from the caller's thread or loop, where its items are passed on."""
        application, started = self._submit(lambda application: application.start())

        async def finished(future: "Future[T]") -> T:
            try:
                if call.run.awaits:
                    return await wrap_future(future)
                left = max(0.0, DEADLINE.get() - time.monotonic()) + PATIENCE
                return future.result(None if future is started else left)
            finally:
                future.cancel()

        await finished(started)
        return await self._carry_out(
            application, call, lambda steps: finished(application.loop.submit(steps))
        )

    def _time_left(self, application: "_RunningApplication", called_at: float) -> float:
        """Return the remaining seconds to wait for a loop that the application may have blocked."""
        now = time.monotonic()
        begun_at = max(called_at, application.started_at or now)
        return begun_at + self.limits.deadline + PATIENCE - now

    def _refused(self, call: PreparedCall) -> Outcome | None:
        """Refuse arguments with which another route than the function's route would answer.

        The application cannot distinguish a `/` in a value from one in the path: ASGI decodes both.
        """
        route, arguments = call.route, call.run.arguments
        path = unquote(call.request.target.partition("?")[0])[len(self._root_path) :]
        other = self._other_route(route.method, route.path, path)
        if other is None:
            return None
        expected = f"a value with which this is not {other}"
        keys = (each.argument for each in route.parameters if each.location == "path")
        issues = tuple(unsendable(one, expected, argument_at(arguments, one)) for one in keys)
        text = f"The application answers this path by {other}. Nothing was sent."
        outcome = Outcome(text=text, reason="arguments")
        if issues:
            outcome = whole_refused(call.run.function, Failure(value=arguments, issues=issues))
        return replace(outcome, response=Response(sent="no"))


class _RunningApplication:
    """An application from its startup to its shutdown, with its loop.

    Its lifespan does not know the loop: the loop ends when nobody else holds it.
    """

    def __init__(
        self,
        application: AsgiApplication,
        name: str,
        start: Callable[[Lifespan], Coroutine[object, object, None]],
    ) -> None:
        self._start = start
        self.loop = BackgroundLoop()
        self.lifespan = Lifespan(application, name)
        self.started_at: float | None = None
        self._calls: set[Task[object]] = set()
        self._starting: Task[None] | None = None

    async def start(self) -> None:
        """Count this task as a running call, and start the application if it is not started."""
        call = cast("Task[object]", current_task())
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        if self.started_at is None:
            if self._starting is None:
                self._starting = create_task(self._start(self.lifespan))
                self._starting.add_done_callback(self._tried)
            await shield(self._starting)

    def _tried(self, starting: "Task[None]") -> None:
        """Note when the application started; after a failure the next call starts it again."""
        self._starting = None
        if not starting.cancelled() and starting.exception() is None:
            self.started_at = time.monotonic()

    async def stop(self, patience: float) -> None:
        """Wait for the calls and for the tasks that they left running, then shut down."""
        while self._calls:
            await wait(tuple(self._calls))
        if self._starting is not None:
            await wait((self._starting,))
        if tasks := tuple(self.lifespan.tasks):
            _, running = await wait(tasks, timeout=patience)
            for task in running:
                task.cancel()
        await self.lifespan.stop()


async def _start_after(ending: "Future[None] | None", seconds: float, lifespan: Lifespan) -> None:
    """Start the application when it has been shut down, or these seconds are over."""
    if ending is not None:
        await wait_for(ending, seconds, blocks=False)
    await lifespan.start()
