"""`Batch`: many calls, a bounded number at once, their outcomes in order (`map` and `amap`).

A window holds the calls that were passed on and whose outcomes the caller has not read, so that
one slow call does not stop the others. A function with `concurrent=False` waits until it is empty,
and the next call waits for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Sized,
)
from contextlib import contextmanager, nullcontext
from itertools import count
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from pyfunctools.controller.call_errors import check_options
from pyfunctools.controller.calling import CallOptions, called_function
from pyfunctools.errors import check_count, missing_extra, wrong_type
from pyfunctools.execution.person.masking import UnshownArguments
from pyfunctools.record.call import Call

if TYPE_CHECKING:
    from asyncio import Task
    from concurrent.futures import Future

    from pyfunctools.controller.calling import Calling
    from pyfunctools.record.outcome import Outcome

ToCall: TypeAlias = Call | tuple[str, Any]
Item: TypeAlias = tuple[str | Call, Any]
"""What to call, and its arguments, as in `Controller.call`."""
Progress: TypeAlias = bool | Callable[[int, int | None], object] | None

AHEAD: Final = 2
"""The most calls in the window, as a multiple of the concurrency."""


class Batch:
    """Many calls of a controller with the same options, which no traceback shows."""

    def __init__(
        self, controller: Calling, concurrency: int, progress: Progress, options: CallOptions
    ) -> None:
        self._options = cast("CallOptions", UnshownArguments(cast("dict[str, Any]", options)))
        cast("dict[str, object]", options).clear()  # no frame around this one may hold them
        check_count("map(concurrency)", concurrency)
        if progress and progress is not True and not callable(progress):
            raise wrong_type("map(progress)", "`True` or a function of (done, total)", progress)
        check_options("map", self._options, CallOptions.__annotations__)
        self._controller = controller
        self._concurrency = concurrency
        self._progress = progress

    def in_threads(self, calls: Iterable[ToCall]) -> Generator[Outcome]:
        """Yield the outcomes of calls that run in threads."""
        from concurrent.futures import ThreadPoolExecutor
        from contextvars import copy_context

        pool = ThreadPoolExecutor(self._concurrency, "pyfunctools-map")
        window: deque[Future[Outcome]] = deque()
        with self._counting(calls) as counted:
            try:
                for item in _items(calls):
                    is_alone = self._is_alone(item)
                    while self._is_full(window, is_alone):
                        yield counted(window.popleft().result())
                    if item is None:
                        continue
                    window.append(pool.submit(copy_context().run, self._call, item))
                    if is_alone:
                        window[0].exception()  # waits for it
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    async def on_loop(
        self, calls: Iterable[ToCall] | AsyncIterable[ToCall]
    ) -> AsyncGenerator[Outcome]:
        """Yield the outcomes of calls that run on this event loop."""
        from asyncio import CancelledError, Semaphore, create_task, gather, wait

        gate = Semaphore(self._concurrency)
        window: deque[Task[Outcome]] = deque()
        is_closed = False

        async def run(item: Item) -> Outcome:
            async with gate:
                if is_closed:  # what has not started does not start
                    raise CancelledError
                return await self._controller.acall(*item, **self._options)

        with self._counting(calls) as counted:
            try:
                async for item in _aitems(calls):
                    is_alone = self._is_alone(item)
                    while self._is_full(window, is_alone):
                        outcome = await window[0]  # which stays in the window until it has ended
                        window.popleft()
                        yield counted(outcome)
                    if item is None:
                        continue
                    window.append(create_task(run(item)))
                    if is_alone:
                        await wait(window)
            except CancelledError:  # the caller is cancelled, and its calls with it
                for task in window:
                    task.cancel()
                raise
            finally:
                is_closed = True
                await gather(*window, return_exceptions=True)

    def _call(self, item: Item) -> Outcome:
        return self._controller.call(*item, **self._options)

    def _is_alone(self, item: Item | None) -> bool:
        """Return whether a call runs alone; its function may be called by any of its names."""
        if item is None:
            return True
        function = called_function(self._controller, *item)
        return function is not None and function.concurrent is False

    def _is_full(self, window: Sized, is_alone: bool) -> bool:
        """Return whether the first outcome of the window has to be read before the next call."""
        return len(window) >= (1 if is_alone else self._concurrency * AHEAD)

    @contextmanager
    def _counting(self, calls: object) -> Generator[Callable[[Outcome], Outcome]]:
        """Yield a function that counts the outcomes it returns, and tells the progress."""
        total, numbers = len(calls) if isinstance(calls, Sized) else None, count(1)
        with _bar(total) if self._progress is True else nullcontext(self._progress) as tell:

            def counted(outcome: Outcome) -> Outcome:
                done = next(numbers)
                if callable(tell):
                    tell(done, total)
                return outcome

            yield counted


def _item(call: object) -> Item:
    given: object = call
    if isinstance(call, Call):
        return call, None
    if isinstance(call, tuple | list) and len(cast("tuple[object, ...]", call)) == 2:
        name, arguments = cast("tuple[str, Any]", call)
        return name, arguments
    remedy = "Write `controller.map([(name, arguments), ...])`."
    raise wrong_type("map(calls)", "a `Call` or a pair of name and arguments", given, remedy)


def _items(calls: Iterable[object]) -> Iterator[Item | None]:
    """Yield the calls, then `None`, and raise what ended them: the outcomes before come first."""
    if not isinstance(calls, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        remedy = "For an asynchronous one write `async for outcome in controller.amap(...)`."
        raise wrong_type("map(calls)", "an iterable of calls", calls, remedy)
    try:
        for call in calls:
            yield _item(call)
    except Exception:  # the caller's iterable may raise anything
        yield None
        raise
    yield None


async def _aitems(calls: Iterable[object] | AsyncIterable[object]) -> AsyncIterator[Item | None]:
    if not isinstance(calls, AsyncIterable):
        for item in _items(calls):
            yield item
        return
    try:
        async for call in calls:
            yield _item(call)
    except Exception:  # as above
        yield None
        raise
    yield None


@contextmanager
def _bar(total: int | None) -> Generator[Callable[[int, int | None], object]]:
    """Show a bar on standard error if it is a terminal."""
    try:
        from rich.console import Console
        from rich.progress import Progress as Bar
    except ImportError as error:
        raise missing_extra("map(progress)", "rich", "rich", "cli", error) from None
    console = Console(stderr=True)
    with Bar(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("calls", total=total)
        yield lambda done, total: bar.update(task, completed=done, total=total)
