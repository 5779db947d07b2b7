"""Runs Python functions in this process: directly, in a thread, or on an event loop."""

import io
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextvars import copy_context
from copy import copy
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from pyfunctools._lazy import Lazy
from pyfunctools._text import shortened, visible
from pyfunctools.errors import DefinitionError, LoopError, PyfunctoolsError, Retry
from pyfunctools.execution.loop import BackgroundLoop, in_a_loop
from pyfunctools.execution.trace import log_raised
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.record.function import contract_of, handler_of
from pyfunctools.record.outcome import Outcome
from pyfunctools.schema.result import Failure, Success

if TYPE_CHECKING:  # loaded by the first call, or by the first that needs a thread
    from concurrent.futures import Executor, ThreadPoolExecutor

    from pyfunctools.execution.runner import Run
    from pyfunctools.record.file import File
    from pyfunctools.record.function import Function
    from pyfunctools.record.handler import Handler, ReadyCall

THREADS = 64
"""Synchronous functions that run at the same time under `acall`, without an executor."""


class LocalRunner:
    """Runs functions that have a handler.

    Under `call` a synchronous function runs in this thread, and an asynchronous one on an event
    loop of the runner, shared by all calls. Under `acall` an asynchronous function is awaited on
    the caller's loop, and a synchronous one runs in a thread with the caller's context variables.
    With an `executor` synchronous functions always run there.
    """

    def __init__(
        self, executor: "Executor | None" = None, *, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self.limits = limits
        self._executor = executor
        self._threads = Lazy(_threads)
        self._loop = BackgroundLoop()

    async def run(self, run: "Run") -> Outcome:
        """Call the function.

        Raises:
            LoopError: the function is asynchronous and this thread runs an event loop.
            DefinitionError: the function has no handler, or needs a context that was not given.
        """
        function = run.function
        handler = handler_of(function)
        if handler is None:
            reason = "This function has no handler, so it cannot be called."
            remedy = "Pass `handler=` to `Function.from_schema`."
            raise DefinitionError(function.name, reason, remedy)
        run.check_context(handler)
        if handler.is_async and not run.awaits and in_a_loop():
            raise LoopError(function.name)
        bound = _bound(run, handler)
        if not isinstance(bound, Success):
            return bound
        if run.begin is not None:
            refused = await run.begin(handler.arguments_of(bound.value))
            if refused is not None:
                return refused
        try:
            if handler.is_async:
                value = bound.value()
            elif run.awaits or self._executor is not None:
                value, raised = await self._in_executor(bound.value, run.awaits)
                if raised is not None:
                    raise raised
            else:
                value = _called(bound.value)
            if isinstance(value, _PENDING):
                if run.awaits:
                    value = await _awaited(value)
                elif in_a_loop():
                    raise LoopError(function.name)
                else:
                    value = self._loop.wait_for(_awaited(value))
        except LoopError:
            raise
        except _ExecutorError as error:
            return _executor_failed(function, error.error)
        except Exception as error:  # the function may raise anything
            return _raised(function, error)
        return _returned(function, handler, value)

    async def _in_executor(
        self, bound: "ReadyCall", awaits: bool
    ) -> tuple[object, Exception | None]:
        """Return the value or the exception of a call in a thread or on the executor.

        Raises:
            _ExecutorError: the executor failed, not the function.
        """
        from asyncio import get_running_loop, wrap_future
        from concurrent.futures import ThreadPoolExecutor

        executor = self._executor or self._threads.value
        try:
            if isinstance(executor, ThreadPoolExecutor):
                future = executor.submit(copy_context().run, _caught, bound)
            else:  # a context cannot be sent to another process
                future = executor.submit(_caught_remotely, bound)
            if awaits:
                return await wrap_future(future, loop=get_running_loop())
            return future.result()
        except Exception as error:  # pickling may raise anything
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
    """An exception of the executor, not of the function. Never leaves this file."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


def _threads() -> "ThreadPoolExecutor":
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(THREADS, "pyfunctools")


def _called(bound: "ReadyCall") -> object:
    """Return the result of a call; an iterator becomes a list."""
    value = bound()
    if isinstance(value, Iterator) and not isinstance(value, io.IOBase):
        return list(cast("Iterator[object]", value))
    return value


def _caught(bound: "ReadyCall") -> tuple[object, Exception | None]:
    """Return the value or the exception of a call: other exceptions are the executor's fault."""
    try:
        return _called(bound), None
    except Exception as error:  # the function may raise anything
        return None, error


def _caught_remotely(bound: "ReadyCall") -> tuple[object, Exception | None]:
    """Return the value or the exception of a call in another process.

    An exception that cannot be copied (pickled) would break the pool, and becomes a `RuntimeError`.
    """
    value, error = _caught(bound)
    try:
        copy(error)
    except Exception:  # its class may raise anything
        error = RuntimeError(f"{type(error).__name__}: {_message(error)}")
    return value, error


_PENDING: tuple[type, ...] = (Awaitable, AsyncIterator)


async def _awaited(value: object) -> object:
    if isinstance(value, AsyncIterator):
        return [item async for item in cast("AsyncIterator[object]", value)]
    return await cast("Awaitable[object]", value)


def _bound(run: "Run", handler: "Handler") -> "Success[ReadyCall] | Outcome":
    try:
        bound = handler.bind(run.arguments, run.context, run.info)
    except PyfunctoolsError:
        raise
    except Exception as error:  # a pydantic validator may raise anything
        return _raised(run.function, error)
    if bound:
        return bound
    from pyfunctools.execution.person.blame import whole_refused

    return whole_refused(run.function, bound)


def _raised(function: "Function", error: Exception) -> Outcome:
    message = _message(error.text if isinstance(error, Retry) else error)
    if isinstance(error, Retry):
        return Outcome(text=message, reason="raised", exception=error, function=function.name)
    log_raised(function.name, "the function", error)
    name = type(error).__name__
    text = f"{name}: {message}" if message else name
    return Outcome(text=text, reason="raised", exception=error, function=function.name)


def _executor_failed(function: "Function", error: Exception) -> Outcome:
    log_raised(function.name, "the executor", error)
    message = f"{type(error).__name__}: {_message(error)}".rstrip(". ")
    text = f"The executor could not run this call, or could not return its value ({message})."
    return Outcome(text=text, reason="raised", exception=error, function=function.name)


def _message(error: object) -> str:
    """Return the text of an exception or of any other object; its `str` may raise."""
    try:
        return visible(str(error))
    except Exception:  # the application's code may raise anything
        return ""


def _returned(function: "Function", handler: "Handler", value: object) -> Outcome:
    if isinstance(value, Outcome):
        return replace(value, text=_message(value.text))
    files, rest = ((), value) if type(value) in _NO_FILES else _files_and_rest(value)
    if files and rest is None:
        text = "\n".join(map(_described, files))
        return Outcome(text=text, value=value, content=files)
    try:
        json = handler.dump(rest)
    except Exception as error:  # serialisation runs code of the application
        log_raised(function.name, "writing the result as JSON", error)
        return Outcome(
            text=f"The function ran, but its result cannot be written as JSON: {_message(error)}",
            value=value,
            reason="output",
            exception=error,
        )
    validator = contract_of(function).output_validator
    checked = None if validator is None else validator.validate(json)
    if isinstance(checked, Failure):
        complaints = " ".join(issue.message for issue in checked.issues[:3])
        return Outcome(
            text=f"The function ran, but its result does not match its output schema. {complaints}",
            value=value,
            reason="output",
            issues=checked.issues,
        )
    text = visible(json if isinstance(json, str) else _encoder()(json))
    return Outcome(text=text, value=value, content=files, function=function.name, _json=(json,))


_NO_FILES = frozenset({bool, dict, float, int, str, type(None)})


def _files_and_rest(value: object) -> "tuple[tuple[File, ...], object]":
    """Separate the files in a returned value from the rest: `(file, 1)` becomes `((file,), 1)`.

    The rest is `None` if there are only files, and a single item is unpacked.
    """
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


@lru_cache(maxsize=1)
def _encoder() -> Callable[[object], str]:
    from json import JSONEncoder

    return JSONEncoder(ensure_ascii=False).encode
