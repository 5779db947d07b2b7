"""How the steps of a call run: without an event loop, on the caller's, or on one in a thread.

Steps are coroutines, written once for blocking and for asynchronous calls. Where a value may be
awaitable, they pass it to `resolved`. In a blocking call that refuses it, so the steps never
suspend, and `finish` can run them.
"""

import atexit
import os
import time
import weakref
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._lazy import ProcessLock
from pyfunctools.errors import DefinitionError, wrong_type

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Runner
    from concurrent.futures import Future
    from threading import Thread

    from pyfunctools.record.function import Function
    from pyfunctools.record.outcome import Outcome, Waiting

T = TypeVar("T")


class UnsendableError(Exception):
    """A value, at these `keys` of a parameter, that no request can have. Stays in `execution`."""

    def __init__(self, expected: str, keys: tuple[str | int, ...] = ()) -> None:
        super().__init__(expected)
        self.expected = expected
        self.keys = keys


class Answered(NamedTuple):
    """A person's answer to a question of a remote server, in this state of the waiting call.

    `values` are by the paths of the questions. With `None` for `accepted` the question is repeated.
    """

    state: JsonValue
    values: Mapping[str, object]
    accepted: bool | None

    def __repr__(self) -> str:
        return "Answered(...)"


AskSteps: TypeAlias = Callable[["Waiting"], "Coroutine[object, None, Answered | Outcome | None]"]
"""Asks a person; the result is an outcome if asking fails, `None` if nobody answers now."""


class ServerDialog(NamedTuple):
    """How a remote server asks a person in one call: an earlier answer, and how to ask now.

    `ask` is `None` if nobody can be asked.
    """

    answered: Answered | None
    ask: AskSteps | None


def has_begun(state: JsonObject) -> bool:
    """Return whether a call waited in its middle, by what its ticket keeps."""
    return bool(state.get("approved")) or "program" in state


def nothing_ran(state: JsonObject) -> str:
    """Return "Nothing has run" as far as it is true of a call with this state."""
    return "Nothing more has run" if has_begun(state) else "Nothing has run"


def declined_text(state: JsonObject) -> str:
    """Return what a model is told of a call with this state that the person does not want."""
    return f"The person declined this call. {nothing_ran(state)}."


def login_path(function: "Function") -> str:
    """Return the path of the question with which a person logs in; no parameter has it."""
    is_taken = "login" in function.parameters.get("properties", {})
    return "$input.login_" if is_taken else "$input.login"


async def awaited(value: object, where: str) -> object:
    """Return a value, awaited if it is awaitable."""
    return await resolved(value, where, awaits=True)


async def resolved(value: object, where: str, *, awaits: bool) -> object:
    """Return the value of the setting `where`; an awaitable is refused in a blocking call."""
    from inspect import isawaitable, iscoroutine

    if not isawaitable(value):
        return value
    if awaits:
        return await value
    if iscoroutine(value):
        value.close()
    reason = "A function that was passed here is asynchronous."
    remedy = "Use `await controller.acall(...)`, or pass a function that is not asynchronous."
    raise DefinitionError(where, reason, remedy)


def check_callable(where: str, called: object, arguments: tuple[object, ...]) -> None:
    """Refuse an object that cannot be called with these arguments."""
    from inspect import signature

    remedy = f"Write {_WANTED[where]}."
    if not callable(called):
        raise wrong_type(where, "a function", called, remedy)
    try:
        parameters = signature(called)
    except (TypeError, ValueError):  # some built-in callables have no signature
        return
    try:
        parameters.bind(*arguments)
    except TypeError as error:
        reason = f"This function cannot be called with the arguments it will get: {error}."
        raise DefinitionError(where, reason, remedy) from None


_WANTED = {
    "approve": "a function of the pending call that returns `True`, or an `Approval`",
    "confirm": "a function of the pending call that returns whether a person has to approve it",
    "on_call": "a generator function of the pending call, with one `yield`",
    "human": "the values, or a function of the pending call that returns them",
}


def finish(steps: Coroutine[object, None, T]) -> T:
    """Run steps that never suspend, and return their result."""
    try:
        steps.send(None)
    except StopIteration as end:
        return end.value
    steps.close()
    raise RuntimeError("blocking steps waited for an event loop")


class BackgroundLoop:
    """An event loop in a separate thread, started when the first coroutine is submitted.

    It starts again after `close`, in a forked process, and after a coroutine has closed it. It ends
    when this object is garbage-collected.
    """

    def __init__(self) -> None:
        self._lock = ProcessLock()
        self._process = os.getpid()
        self._loop: AbstractEventLoop | None = None
        self._stop: Callable[[], object] | None = None

    def submit(self, steps: Coroutine[object, object, T]) -> "Future[T]":
        """Run a coroutine on the loop, after those submitted before, with the caller's context."""
        from asyncio import run_coroutine_threadsafe

        with self._lock:  # a loop that `close` stops in between would never begin it
            return run_coroutine_threadsafe(steps, self._started())

    def wait_for(self, steps: Coroutine[object, object, T]) -> T:
        """Run a coroutine on the loop and return its result; not for use in the loop's thread."""
        future = self.submit(steps)
        try:
            return future.result()
        except BaseException:  # an interrupt of the waiting thread too
            future.cancel()
            raise

    def is_mine(self) -> bool:
        """Return whether this thread is the loop's own."""
        from asyncio import get_running_loop

        return in_a_loop() and get_running_loop() is self._loop

    def close(self) -> None:
        """Stop the loop, and cancel its tasks."""
        with self._lock:
            if self._stop is not None:
                self._stop()
            self._loop = self._stop = None

    def _started(self) -> "AbstractEventLoop":
        from asyncio import Runner
        from threading import Thread

        loop, process = self._loop, os.getpid()
        if loop is None or loop.is_closed() or self._process != process:
            runner = Runner()
            loop, self._process = runner.get_loop(), process
            thread = Thread(target=_serve, args=(runner,), name="pyfunctools-loop", daemon=True)
            _THREADS[thread] = loop
            thread.start()
            self._loop, self._stop = loop, weakref.finalize(self, _stop, loop)
        return loop


def in_a_loop() -> bool:
    """Return whether an event loop runs in this thread."""
    from asyncio import get_running_loop

    try:
        get_running_loop()
    except RuntimeError:
        return False
    return True


def _serve(runner: "Runner") -> None:
    with runner:  # which cancels the tasks that are left
        while True:
            try:
                return runner.get_loop().run_forever()
            except (KeyboardInterrupt, SystemExit):  # raised by a coroutine: its future has it too
                continue


def _stop(loop: "AbstractEventLoop") -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)


_THREADS: "weakref.WeakKeyDictionary[Thread, AbstractEventLoop]" = weakref.WeakKeyDictionary()
"""The loops by their threads, which keep themselves while they run."""


def _stop_all() -> None:
    """Stop the loops at the exit of the interpreter, and let them cancel their tasks."""
    running = [(thread, loop) for thread, loop in _THREADS.items() if thread.is_alive()]
    for _, loop in running:
        with suppress(RuntimeError):  # closed just now
            _stop(loop)
    until = time.monotonic() + _PATIENCE
    for thread, _ in running:
        thread.join(max(0.0, until - time.monotonic()))


_PATIENCE = 1
"""Seconds that all loops have at the exit: a task may not end when it is cancelled."""

atexit.register(_stop_all)
