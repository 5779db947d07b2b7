"""Runs Python functions in this process: directly, in a thread, or on an event loop."""

import io
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from copy import copy
from dataclasses import replace
from functools import partial
from json import JSONEncoder
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pyfunctools._json import JsonValue
from pyfunctools._text import shortened, visible
from pyfunctools.errors import DefinitionError, LoopError, PyfunctoolsError, Retry
from pyfunctools.execution.steps import BackgroundLoop, in_a_loop
from pyfunctools.execution.trace import log_raised
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.record.function import contract_of, handler_of
from pyfunctools.record.outcome import Outcome, end_of_stream, picklable
from pyfunctools.schema.result import Failure, Success
from pyfunctools.schema.validation.validator import validate_output

if TYPE_CHECKING:  # loaded by the first call, or by the first that needs a thread
    from concurrent.futures import Executor, ThreadPoolExecutor

    from pyfunctools.execution.runner import Run
    from pyfunctools.record.file import File
    from pyfunctools.record.handler import Handler, ReadyCall
    from pyfunctools.schema.validation.validator import Validator

THREADS = 64
"""Synchronous functions that run at the same time under `acall`, without an executor."""


class LocalRunner:
    """Runs functions that have a handler.

    Under `call` a synchronous function runs in this thread, and an asynchronous one on an event
    loop of the runner. Under `acall` an asynchronous function is awaited on the caller's loop, and
    a synchronous one runs in a thread with the caller's context variables, or on its `executor`.
    """

    preview = may_ask = None

    def __init__(self, *, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self._threads: dict[int, ThreadPoolExecutor] = {}  # by process: a fork copies no thread
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
        if run.context is None and handler.wants_context is not None:
            run.check_context()
        if handler.is_async and not run.awaits and in_a_loop():
            raise LoopError(function.name)
        bound = _bound(run, handler)
        if not isinstance(bound, Success):
            return bound
        call, has_begun = bound.value, False
        try:
            if run.begin is not None:
                if run.begin.ticket is not None and run.executor is None:  # good if this fails
                    call = await self._value(run, partial(handler.filled, call), False, None)
                if refusal := await run.begin():
                    return refusal
            has_begun = True
            value = await self._value(run, cast("ReadyCall", call), handler.is_async, run.executor)
            if run.put and isinstance(value, _STREAMS) and not isinstance(value, io.IOBase):
                return await self._streamed(run, handler, value)
        except _EndedError as ended:
            return ended.outcome
        except Exception as error:  # the function may raise anything
            if isinstance(error, LoopError) or (
                isinstance(error, PyfunctoolsError) and not has_begun
            ):
                raise
            return _raised(run, error)
        validator = contract_of(function).output_validator
        return _returned(run, value, handler.dump, validator, "The function ran, but its result")

    async def _value(
        self, run: "Run", call: "ReadyCall", is_async: bool, executor: "Executor | None"
    ) -> object:
        """Return what a call returns; an iterator is read if its items are not passed on."""
        limit, into = self.limits.call, list if run.put is None else None
        raised: BaseException | None = None
        if is_async:
            value = call()
        elif run.awaits or executor is not None or limit is not None:
            pool = executor or self._threads.get(os.getpid()) or self._own_threads()
            value, raised = await _in_executor(run, call, pool, limit, into)
        else:
            value, raised = _caught(call, into)
        if isinstance(raised, StopIteration):  # no coroutine may raise it
            raise _EndedError(_raised(run, raised))
        if raised is not None:
            raise raised
        if type(value) in _READY or not isinstance(value, _PENDING):
            return value
        if into is None and isinstance(value, AsyncIterator):
            return cast("object", value)
        if not run.awaits and in_a_loop():
            raise LoopError(run.function.name)
        steps = _awaited(value) if limit is None else _in_time(run, value, limit)
        return await steps if run.awaits else self._loop.wait_for(steps)

    def _own_threads(self) -> "ThreadPoolExecutor":
        from concurrent.futures import ThreadPoolExecutor

        return self._threads.setdefault(os.getpid(), ThreadPoolExecutor(THREADS, "pyfunctools"))

    async def _streamed(self, run: "Run", handler: "Handler", items: Any) -> Outcome:
        """Pass on the items of an iterator, each checked, and return the outcome of its end."""
        is_async, context, count = isinstance(items, AsyncIterator), copy_context(), 0
        executor = None if isinstance(items, CollectedItems) else run.executor
        items = iter(items) if isinstance(items, CollectedItems) else items
        validator = contract_of(run.function).item_validator

        def dumped(item: object) -> JsonValue:
            return cast("list[JsonValue]", handler.dump([item]))[0]  # by the hint of all items

        def step() -> object:
            return anext(items, _END) if is_async else context.run(next, items, _END)

        assert run.put is not None  # noqa: S101 - as `run` checks
        try:
            while (item := await self._value(run, step, is_async, executor)) is not _END:
                await run.put(_returned(run, item, dumped, validator, "This item"))
                count += 1
        except _EndedError:  # it was cancelled, or may still run
            raise
        except BaseException:  # its own, or nobody reads it any more
            close = getattr(items, "aclose" if is_async else "close", None)
            try:
                _ = close and await self._value(run, close, is_async, executor)
            except Exception as error:  # the function may raise anything
                log_raised(run.function.name, "the end of the stream", error)
            raise
        return end_of_stream(run.function.name, count)

    def __reduce__(self) -> tuple[object, ...]:
        return (partial(LocalRunner, limits=self.limits), ())

    def close(self) -> None:
        """Stop the runner's own loop and threads; a later call starts them again."""
        self._loop.close()
        self._threads.pop(os.getpid(), None)  # its threads end after the calls that have it

    async def aclose(self) -> None:
        """Stop the runner's own loop and threads; a later call starts them again."""
        self.close()


async def _in_executor(
    run: "Run", bound: "ReadyCall", executor: "Executor", limit: float | None, into: "_Into"
) -> tuple[object, BaseException | None]:
    """Return the value or the exception of a call in a thread or on the executor."""
    from asyncio import CancelledError, current_task, get_running_loop, wait_for, wrap_future
    from concurrent.futures import Future, ThreadPoolExecutor

    future: Future[tuple[object, BaseException | None]]
    try:
        if isinstance(executor, ThreadPoolExecutor):
            future = executor.submit(copy_context().run, _caught, bound, into)
        else:  # a context cannot be sent to another process
            # Dask takes equal tasks for one: the id makes each call a task of its own.
            future = executor.submit(_caught_remotely, bound, into is None, os.urandom(16))
    except Exception as error:  # it may be shut down
        raise _executor_failed(run, error, is_taken=False) from None
    try:
        if run.awaits:
            waiting = wrap_future(future, loop=get_running_loop())
            return await (waiting if limit is None else wait_for(waiting, limit))
        return future.result(limit)
    except TimeoutError as error:  # that of the function is in the result
        if limit is None:
            raise _executor_failed(run, error) from None
        future.cancel()
        raise _late(run, limit, "It may still run.") from None
    except (Exception, CancelledError) as error:  # pickling may raise anything
        task = current_task() if isinstance(error, CancelledError) else None
        if task is not None and task.cancelling():  # the caller's, not one of the executor's
            raise
        raise _executor_failed(run, error) from None


class _EndedError(Exception):
    """The end of a call that its function has not ended. Never leaves this file."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome


class CollectedItems:
    """The items of an iterator that has ended in another process, and the exception it raised."""

    def __init__(self, items: Iterable[object]) -> None:
        self._items: list[object] = []
        self._error: BaseException | None = None
        try:
            for item in items:
                self._items.append(item)
        except Exception as error:  # the function may raise anything
            self._error = picklable(error)

    def __iter__(self) -> Iterator[object]:
        yield from self._items
        if self._error is not None:
            raise self._error


_Into: TypeAlias = Callable[["Iterator[object]"], object] | None


def _caught(bound: "ReadyCall", into: "_Into") -> tuple[object, BaseException | None]:
    """Return what a call returned, items of an iterator put `into` a list, or what it raised."""
    try:
        value = bound()
        if into is None or type(value) in _READY or not isinstance(value, Iterator):
            return value, None
        is_file = isinstance(value, io.IOBase)
        return value if is_file else into(cast("Iterator[object]", value)), None
    except Exception as error:  # the function may raise anything
        return None, error


def _caught_remotely(
    bound: "ReadyCall", passes_on: bool, _: bytes
) -> tuple[object, BaseException | None]:
    """Do the same in another process: an exception that cannot be pickled would break a pool."""
    value, error = _caught(bound, CollectedItems if passes_on else list)
    return value, error if error is None else picklable(error)


_STREAMS: tuple[type, ...] = (Iterator, AsyncIterator, CollectedItems)
_PENDING: tuple[type, ...] = (Awaitable, AsyncIterator)
_END = object()
"""What is read of an iterator that has ended."""


async def _awaited(value: object) -> object:
    if isinstance(value, AsyncIterator):
        return [item async for item in cast("AsyncIterator[object]", value)]
    return await cast("Awaitable[object]", value)


async def _in_time(run: "Run", value: object, limit: float) -> object:
    """Return what an awaitable or an asynchronous iterator gives, cancelled after the limit."""
    from asyncio import timeout

    clock = timeout(limit)
    try:
        async with clock:
            return await _awaited(value)
    except TimeoutError:
        if not clock.expired():  # the function's own
            raise
        raise _late(run, limit, "It was stopped; what it did until then is not known.") from None


def _bound(run: "Run", handler: "Handler") -> "Success[ReadyCall] | Outcome":
    try:
        bound = handler.bind(run.arguments, run.context, run.info)
    except PyfunctoolsError:
        raise
    except Exception as error:  # a pydantic validator may raise anything
        return _raised(run, error)
    if bound:
        if run.person is not None:
            run.person.private.add_objects(handler.arguments_of(bound.value))
        return bound
    from pyfunctools.execution.person.blame import whole_refused

    return whole_refused(run.function, bound)


def _raised(run: "Run", error: Exception) -> Outcome:
    name = run.function.name
    if isinstance(error, Retry):
        text = _message(error.text)
    else:
        log_raised(name, "the function", error)
        message = "" if run.withholds else _message(error)
        text = f"{type(error).__name__}: {message}" if message else type(error).__name__
        text += f". {_WITHHELD}" if run.withholds else ""
    return Outcome(text=text, reason="raised", exception=error, function=name)


_WITHHELD = (
    "Its message is withheld, since a person takes part in this call; the application can tell "
    "more by raising `Retry` or returning an `Outcome`."
)


def _late(run: "Run", limit: float, state: str) -> _EndedError:
    text = f"The function has not ended within {limit:g} seconds. {state}"
    return _EndedError(Outcome(text=text, reason="deadline", function=run.function.name))


def _executor_failed(run: "Run", error: BaseException, *, is_taken: bool = True) -> _EndedError:
    name, message = run.function.name, type(error).__name__
    log_raised(name, "the executor", error)
    if not run.withholds:
        line = _message(error).partition("\n")[0]
        message += f": {shortened(line, 160)}".rstrip(": .")
    text = f"The executor did not take this call ({message}). Nothing has run."
    if is_taken:
        text = f"The executor could not run this call, or could not return its value ({message}). "
        text += "Whether the function ran is not known."
    return _EndedError(Outcome(text=text, reason="raised", exception=error, function=name))


def _message(error: object) -> str:
    """Return the text of an exception or of any other object; its `str` may raise."""
    try:
        return visible(str(error))
    except Exception:  # the application's code may raise anything
        return ""


def _returned(
    run: "Run",
    value: object,
    dump: Callable[[object], JsonValue],
    validator: "Validator | None",
    what: str,
) -> Outcome:
    """Return the outcome of a value or an item; `what` it is begins a sentence."""
    function = run.function
    if isinstance(value, Outcome):
        return replace(value, text=_message(value.text))
    files, rest = ((), value) if type(value) in _SCALARS else _files_and_rest(value, validator)
    if files and rest is None:
        return Outcome(text=_described_all(files), value=value, content=files)
    try:
        json = dump(rest)
        text = _described_all(files) if files and json in ([], {}) else _told(json, value)
    except Exception as error:  # serialisation runs code of the application
        log_raised(function.name, "writing the result as JSON", error)
        message = type(error).__name__ if run.withholds else _message(error)
        text = f"{what} cannot be written as JSON: {message}"
        return Outcome(text=text, value=value, reason="output", exception=error)
    is_right = validator is None or validator.is_valid(json)
    checked = None if is_right or validator is None else validate_output(validator, json)
    if isinstance(checked, Failure):
        complaints = " ".join(issue.message for issue in checked.issues[:3])
        text = f"{what} does not match its output schema. {complaints}"
        return Outcome(text=text, value=value, reason="output", issues=checked.issues)
    return Outcome(
        text=text, value=value, content=files, function=function.name, _json=(json, value)
    )


def _told(json: JsonValue, value: object) -> str:
    """Return the text of a returned value, whose `json` may lack files; one item is told bare."""
    if type(json) is int:
        return str(json)
    count = len(cast("Sequence[object]", value)) if isinstance(value, list | tuple) else 0
    if isinstance(json, list) and len(json) == 1 < count:
        return _told(json[0], None)
    return visible(json if isinstance(json, str) else _AS_JSON(json))


_AS_JSON = JSONEncoder(ensure_ascii=False).encode
_SCALARS = frozenset({bool, float, int, str, type(None)})
_READY = _SCALARS | {dict}
"""Types of values that are neither awaited nor iterated."""


def _files_and_rest(
    value: object, validator: "Validator | None"
) -> "tuple[tuple[File, ...], object]":
    """Separate the files in a returned value from the rest: `(file, 1)` becomes `((file,), 1)`.

    The rest is `None` if there are only files; without an output schema a single item of an array
    is unpacked. A file further inside, and one that the output schema requires, becomes its name,
    type and size.
    """
    from pyfunctools.record.file import File

    files: list[File] = []
    try:
        named = _with_names(value, File, files)
    except RecursionError:  # it contains itself, or is too deep to be written as JSON
        return (), value
    if not files:
        return (), value
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value).items()
        kept = cast("dict[object, object]", named)
        parts = () if validator is None else validator.outline.place.parts
        wanted = {name for part in parts for name in part.required}
        rest = {k: kept[k] for k, v in pairs if k in wanted or not isinstance(v, File)}
        return tuple(files), None if validator is None and not rest else rest
    if isinstance(value, list | tuple):
        listed = cast("Sequence[object]", value)
        items = zip(listed, cast("list[object]", named), strict=True)
        others = [name for item, name in items if not isinstance(item, File)]
        if validator is None and len(others) == 1 < len(listed):
            return tuple(files), others[0]
        return tuple(files), None if validator is None and not others else others
    return tuple(files), None if isinstance(value, File) else named


def _with_names(value: object, kind: "type[File]", files: "list[File]") -> object:
    """Return a value with a text for each of its files, which are added to `files`."""
    if isinstance(value, kind):
        files.append(value)
        return _described(value)
    count = len(files)
    if isinstance(value, dict | list | tuple):
        held = cast("dict[object, object] | list[object]", value)
        pairs = held.items() if isinstance(held, dict) else enumerate(held)
        made = {
            key: inner if type(inner) in _SCALARS else _with_names(inner, kind, files)
            for key, inner in pairs
        }
        if len(files) == count:
            return held
        return made if isinstance(held, dict) else list(made.values())
    if hasattr(type(value), "__dataclass_fields__") or hasattr(type(value), "__pydantic_fields__"):
        fields: dict[str, object] = getattr(value, "__dict__", {})
        named = {key: _with_names(inner, kind, files) for key, inner in fields.items()}
        if len(files) > count:
            made = copy(value)
            vars(made).update(named)
            return made
    return value


def _described_all(files: "tuple[File, ...]") -> str:
    return "\n".join(map(_described, files))


def _described(file: "File") -> str:
    name = shortened(visible(file.filename or "a file"), 100)
    kind = shortened(visible(file.content_type or "no media type"), 100)
    return f"{name} ({kind}, {len(file.content):,} bytes)"
