"""Runs a Python function in this process: at once, in a thread, or on an event loop."""

import inspect
import io
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextvars import copy_context
from copy import copy
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from pyfunctools._json import JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools._text import shortened, visible
from pyfunctools.errors import DefinitionError, LoopError, PyfunctoolsError, Retry
from pyfunctools.execution.loop import BackgroundLoop, in_a_loop
from pyfunctools.execution.trace import log_raised
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.record.function import contract_of, handler_of
from pyfunctools.schema.result import Failure, Success

if TYPE_CHECKING:  # loaded by the first call, or by the first that needs a thread
    from concurrent.futures import Executor, ThreadPoolExecutor

    from pyfunctools.execution.runner import Run
    from pyfunctools.record.file import File
    from pyfunctools.record.function import Function
    from pyfunctools.record.handler import Bound, Handler
    from pyfunctools.record.outcome import Outcome

THREADS = 64
"""How many synchronous methods run at once where calls await, without an executor."""


class LocalRunner:
    """Runs the functions that have a handler.

    Without `awaits` a synchronous function is called in this thread and an asynchronous one on a
    loop of the runner's own, one for all calls; with it an asynchronous one is awaited on the
    caller's loop, and a synchronous one gets a thread with the caller's context variables. With an
    `executor` the synchronous ones run there either way.
    """

    def __init__(
        self, executor: "Executor | None" = None, *, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self.limits = limits
        self._executor = executor
        self._threads = Lazy(_threads)
        self._loop = BackgroundLoop()

    async def run(self, run: "Run") -> "Outcome":
        """Call the function.

        Raises:
            LoopError: the function is asynchronous and this thread runs an event loop.
            DefinitionError: the function has no handler.
        """
        function = run.function
        handler = _handler_of(function)
        if handler.is_async and not run.awaits and in_a_loop():
            raise LoopError(function.name)
        bound = _bound(run, handler)
        if not isinstance(bound, Success):
            return bound
        if run.begin is not None:
            forbidden = await run.begin(handler.held(bound.value))
            if forbidden is not None:
                return forbidden
        try:
            if handler.is_async:
                value = bound.value()
            elif run.awaits or self._executor is not None:
                value, raised = await self._elsewhere(bound.value, run.awaits)
                if raised is not None:
                    raise raised
            else:
                value = _complete(bound.value)
            if _is_pending(value):
                if run.awaits:
                    value = await _settled(value)
                elif in_a_loop():
                    raise LoopError(function.name)
                else:
                    value = self._loop.wait_for(_settled(value))
        except LoopError:
            raise
        except _ExecutorError as error:
            return _not_executed(function, error.error)
        except Exception as error:  # the function is somebody else's code and may raise anything
            return _raised(function, error)
        return _returned(function, handler, value)

    async def _elsewhere(self, bound: "Bound", awaits: bool) -> tuple[object, Exception | None]:
        """Return what a call gives or raises in a thread, or on the executor.

        Raises:
            _ExecutorError: it could not go there, or nothing came back.
        """
        from asyncio import get_running_loop, wrap_future
        from concurrent.futures import ThreadPoolExecutor

        executor = self._executor or self._threads.value
        try:
            if isinstance(executor, ThreadPoolExecutor):
                future = executor.submit(copy_context().run, _caught, bound)
            else:  # a context cannot be sent to another process
                future = executor.submit(_caught_there, bound)
            if awaits:
                return await wrap_future(future, loop=get_running_loop())
            return future.result()
        except Exception as error:  # what cannot be pickled raises what it likes
            raise _ExecutorError(error) from None

    def close(self) -> None:
        """Stop the runner's own loop and threads; a later call starts them again."""
        self._loop.close()
        if self._threads.made:
            self._threads.value.shutdown(wait=False)
            self._threads = Lazy(_threads)

    async def aclose(self) -> None:
        """Stop the runner's own loop and threads; a later call starts them again."""
        self.close()


class _ExecutorError(Exception):
    """What an executor raised, and not the function. Never leaves this file."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


def _threads() -> "ThreadPoolExecutor":
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(THREADS, "pyfunctools")


def _handler_of(function: "Function") -> "Handler":
    handler = handler_of(function)
    if handler is None:
        raise DefinitionError(
            function.name,
            "This function has nothing that could run it.",
            "Pass `handler=` to `Function.from_schema`.",
        )
    return handler


def _complete(bound: "Bound") -> object:
    """Call, and collect the items of an iterator."""
    value = bound()
    if isinstance(value, Iterator) and not isinstance(value, io.IOBase):
        return list(cast("Iterator[object]", value))
    return value


def _caught(bound: "Bound") -> tuple[object, Exception | None]:
    """Call, and return the value, or what the function raised: all else is the executor's."""
    try:
        return _complete(bound), None
    except Exception as error:  # as the docstring says
        return None, error


def _caught_there(bound: "Bound") -> tuple[object, Exception | None]:
    """Call in another process, to which what was raised is sent back.

    An exception that cannot be made again from its `args` would break the pool of processes.
    """
    value, error = _caught(bound)
    try:
        copy(error)
    except Exception:  # it is somebody else's class
        error = RuntimeError(f"{type(error).__name__}: {_words(error)}")
    return value, error


def _is_pending(value: object) -> bool:
    return inspect.isawaitable(value) or isinstance(value, AsyncIterator)


async def _settled(pending: object) -> object:
    if isinstance(pending, AsyncIterator):
        return [item async for item in cast("AsyncIterator[object]", pending)]
    return await cast("Awaitable[object]", pending)


def _bound(run: "Run", handler: "Handler") -> "Success[Bound] | Outcome":
    try:
        bound = handler.bind(run.arguments, run.context, run.info)
    except PyfunctoolsError:
        raise
    except Exception as error:  # so may a validator of the hints, which refuses with a ValueError
        return _raised(run.function, error)
    if bound:
        return bound
    from pyfunctools.execution.person.blame import refused

    return refused(run.function, bound)


@lru_cache(maxsize=1)
def _outcome() -> "type[Outcome]":
    from pyfunctools.record.outcome import Outcome

    return Outcome


def _raised(function: "Function", error: Exception) -> "Outcome":
    said = _words(error.text if isinstance(error, Retry) else error)
    if isinstance(error, Retry):
        return _outcome()(text=said, reason="raised", exception=error, function=function.name)
    log_raised(function.name, "the function", error)
    name = type(error).__name__
    text = f"{name}: {said}" if said else name
    return _outcome()(text=text, reason="raised", exception=error, function=function.name)


def _not_executed(function: "Function", error: Exception) -> "Outcome":
    log_raised(function.name, "the executor", error)
    said = f"{type(error).__name__}: {_words(error)}".rstrip(". ")
    text = f"The executor could not run this call, or could not return its value ({said})."
    return _outcome()(text=text, reason="raised", exception=error, function=function.name)


def _words(said: object) -> str:
    """Return a message as text; it may be any object, and its `str` may raise."""
    try:
        return visible(str(said))
    except Exception:  # it is somebody else's code
        return ""


def _returned(function: "Function", handler: "Handler", value: object) -> "Outcome":
    outcome = _outcome()
    if isinstance(value, outcome):
        return replace(value, text=_words(value.text))
    content, beside = _parted(value)
    if content and beside is None:
        text = "\n".join(map(_described, content))
        return outcome(text=text, value=value, content=content)
    try:
        plain = handler.dump(beside)
    except Exception as error:  # so may the serialisation of somebody else's objects
        log_raised(function.name, "what the function returned", error)
        said = _words(error)
        return outcome(
            text=f"The function ran, but what it returned cannot be written as JSON: {said}",
            value=value,
            reason="output",
            exception=error,
        )
    promised = contract_of(function).output_validator
    checked = None if promised is None else promised.validate(plain)
    if isinstance(checked, Failure):
        complaints = " ".join(issue.message for issue in checked.issues[:3])
        return outcome(
            text=f"The function ran, but returned what it does not promise. {complaints}",
            value=value,
            reason="output",
            issues=checked.issues,
        )
    text = _text_of(plain)
    return outcome(text=text, value=value, content=content, function=function.name, _json=(plain,))


_NO_FILES = frozenset({bool, dict, float, int, str, type(None)})


def _parted(value: object) -> "tuple[tuple[File, ...], object]":
    """Return the returned files, alone or in a list or tuple, and the rest.

    Beside them stands `None` where they are all there is, and the thing itself where it is one.
    """
    if type(value) in _NO_FILES:
        return (), value
    from pyfunctools.record.file import File

    if isinstance(value, File):
        return (value,), None
    if not isinstance(value, list | tuple):
        return (), value
    items = cast("list[object] | tuple[object, ...]", value)
    files = tuple(item for item in items if isinstance(item, File))
    if not files:
        return (), items
    others = [item for item in items if not isinstance(item, File)]
    return files, others[0] if len(others) == 1 else others or None


def _described(file: "File") -> str:
    name = shortened(visible(file.filename or "a file"), 100)
    kind = shortened(visible(file.content_type or "no media type"), 100)
    return f"{name} ({kind}, {len(file.content):,} bytes)"


def _text_of(plain: JsonValue) -> str:
    return visible(plain if isinstance(plain, str) else _encoder()(plain))


@lru_cache(maxsize=1)
def _encoder() -> Callable[[object], str]:
    from json import JSONEncoder

    return JSONEncoder(ensure_ascii=False).encode
