"""Running a Python function: directly, in a thread, on a loop."""

import asyncio
import contextvars
import gc
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator

from pyfunctools import (
    Controller,
    DefinitionError,
    Function,
    Human,
    Limits,
    LoopError,
    Outcome,
    Retry,
    function,
)
from pyfunctools.execution.local import LocalRunner

from .conftest import aran, ran

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("WHO", default="nobody")
ANYTHING = {"type": "object", "additionalProperties": True}


def made(
    handler: Callable[..., object] | None, output: dict[str, object] | None = None
) -> Function:
    return Function.from_schema(
        name="it",
        parameters=ANYTHING,
        output=output,  # type: ignore[arg-type]
        handler=handler,
    )


def add(a: int, b: int) -> int:
    return a + b


async def add_later(a: int, b: int) -> int:
    await asyncio.sleep(0)
    return a + b


def count(upto: int) -> Iterator[int]:
    yield from range(upto)


async def count_later(upto: int) -> AsyncIterator[int]:
    for number in range(upto):
        await asyncio.sleep(0)
        yield number


def gives_a_coroutine(a: int, b: int) -> object:
    return add_later(a, b)


def where() -> int:
    return threading.get_ident()


def who() -> str:
    return WHO.get()


async def who_later() -> str:
    return WHO.get()


@pytest.fixture
def runner() -> Iterator[LocalRunner]:
    runner = LocalRunner()
    yield runner
    runner.close()


@pytest.mark.parametrize(
    ("handler", "arguments", "value", "text"),
    [
        (add, {"a": 1, "b": 2}, 3, "3"),
        (add_later, {"a": 1, "b": 2}, 3, "3"),
        (gives_a_coroutine, {"a": 1, "b": 2}, 3, "3"),
        (count, {"upto": 3}, [0, 1, 2], "[0, 1, 2]"),
        (count_later, {"upto": 3}, [0, 1, 2], "[0, 1, 2]"),
        (lambda: None, {}, None, "null"),
        (lambda: "text\x1b[31m", {}, "text\x1b[31m", "text[31m"),
        (lambda: {"ø": (1, 2)}, {}, {"ø": (1, 2)}, '{"ø": [1, 2]}'),
        (lambda: Outcome(text="for the model", value=7), {}, 7, "for the model"),
    ],
)
def test_every_kind_of_callable_runs_under_call_and_acall(
    runner: LocalRunner,
    handler: Callable[..., object],
    arguments: dict[str, object],
    value: object,
    text: str,
) -> None:
    function = made(handler)
    outcome = ran(runner, function, arguments)
    assert (outcome.value, outcome.text, outcome.is_error) == (value, text, False)
    outcome = asyncio.run(aran(runner, function, arguments))
    assert (outcome.value, outcome.text, outcome.is_error) == (value, text, False)


def test_call_uses_the_callers_thread_and_one_loop_for_asynchronous_functions(
    runner: LocalRunner,
) -> None:
    async def loop_id() -> int:
        return id(asyncio.get_running_loop())

    async def thread_id() -> int:
        return threading.get_ident()

    assert ran(runner, made(where)).value == threading.get_ident()
    assert len({ran(runner, made(loop_id)).value for _ in range(5)}) == 1
    assert ran(runner, made(thread_id)).value != threading.get_ident()


def test_acall_runs_a_synchronous_function_in_a_thread_with_the_callers_context(
    runner: LocalRunner,
) -> None:
    async def main() -> None:
        WHO.set("Ada")
        assert (await aran(runner, made(where))).value != threading.get_ident()
        assert (await aran(runner, made(who))).value == "Ada"
        assert (await aran(runner, made(who_later))).value == "Ada"

    asyncio.run(main())


def test_the_context_reaches_a_coroutine_on_the_background_loop(runner: LocalRunner) -> None:
    token = WHO.set("Grace")
    try:
        assert ran(runner, made(who_later)).value == "Grace"
    finally:
        WHO.reset(token)


def test_call_in_a_running_loop_refuses_asynchronous_functions_and_names_acall(
    runner: LocalRunner,
) -> None:
    async def main() -> None:
        assert ran(runner, made(add), {"a": 1, "b": 1}).value == 2
        for handler in (add_later, count_later):
            with pytest.raises(LoopError, match="acall"):
                ran(runner, made(handler))

    asyncio.run(main())


def raise_plain() -> None:
    raise ValueError("no such tea\x1b[31m")


def raise_bare() -> None:
    raise RuntimeError


def raise_retry() -> None:
    raise Retry("Give a date in the future.")


async def raise_later() -> None:
    raise KeyError("x")


def raise_midway() -> Iterator[int]:
    yield 1
    raise OSError("disk")


class MuteError(Exception):
    """An exception that fails to tell itself."""

    def __str__(self) -> str:
        raise ValueError


def raise_the_end() -> object:
    return next(iter(()))


def raise_mute() -> None:
    raise MuteError


def raise_retry_of_an_error() -> None:
    reason: Any = ValueError("Give a date in the future.")
    raise Retry(reason)


@pytest.mark.parametrize(
    ("handler", "text"),
    [
        (raise_mute, "MuteError"),
        (raise_the_end, "StopIteration"),
        (raise_retry_of_an_error, "Give a date in the future."),
        (raise_plain, "ValueError: no such tea[31m"),
        (raise_bare, "RuntimeError"),
        (raise_retry, "Give a date in the future."),
        (raise_later, "KeyError: 'x'"),
        (raise_midway, "OSError: disk"),
    ],
)
def test_an_exception_is_an_error_outcome_without_a_traceback(
    runner: LocalRunner, handler: Callable[..., object], text: str
) -> None:
    for outcome in (
        ran(runner, made(handler)),
        asyncio.run(aran(runner, made(handler))),
    ):
        assert outcome.is_error
        assert outcome.text == text


def test_an_outcome_with_another_text_becomes_one_with_a_string(runner: LocalRunner) -> None:
    count: Any = 3
    outcome = ran(runner, made(lambda: Outcome(text=count, value=4)))
    assert (outcome.text, outcome.value) == ("3", 4)


def test_a_result_that_does_not_match_the_output_schema_is_an_error(runner: LocalRunner) -> None:
    function = made(
        lambda: {"n": "x"}, {"type": "object", "properties": {"n": {"type": "integer"}}}
    )
    outcome = ran(runner, function)
    assert outcome.is_error
    assert outcome.value == {"n": "x"}
    assert outcome.issues
    assert [issue.path for issue in outcome.issues] == ["$output.n"]
    assert "does not match its output schema" in outcome.text


@pytest.mark.parametrize("value", [threading.Lock(), 10**5_000, [10**5_000]], ids=type)
def test_a_result_that_cannot_be_written_as_json_is_an_error(
    runner: LocalRunner, value: object
) -> None:
    outcome = ran(runner, made(lambda: value))
    assert outcome.is_error
    assert "cannot be written as JSON" in outcome.text


def test_a_function_without_a_handler_is_a_definition_error(runner: LocalRunner) -> None:
    with pytest.raises(DefinitionError, match="handler="):
        ran(runner, made(None))
    with pytest.raises(DefinitionError, match="handler="):
        asyncio.run(aran(runner, made(None)))


def test_cancelling_acall_cancels_the_coroutine_and_raises(runner: LocalRunner) -> None:
    seen: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def main() -> None:
        task = asyncio.create_task(aran(runner, made(wait)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert seen == ["cancelled"]


def test_many_synchronous_functions_run_at_once_without_blocking_the_loop(
    runner: LocalRunner,
) -> None:
    barrier = threading.Barrier(50)

    def meet() -> int:
        return barrier.wait(timeout=60)  # passes only when all fifty are here at once

    async def main() -> list[Outcome]:
        return await asyncio.gather(*(aran(runner, made(meet)) for _ in range(50)))

    outcomes = asyncio.run(main())
    assert sorted(outcome.value for outcome in outcomes) == list(range(50))  # type: ignore[type-var]


def test_a_closed_runner_leaves_no_thread_and_starts_again_when_used() -> None:
    before = set(threading.enumerate())
    runner = LocalRunner()
    ran(runner, made(add_later), {"a": 1, "b": 2})
    asyncio.run(aran(runner, made(add), {"a": 1, "b": 2}))
    assert set(threading.enumerate()) - before
    asyncio.run(runner.aclose())
    wait_for_threads(before)
    assert ran(runner, made(add_later), {"a": 2, "b": 2}).value == 4
    runner.close()
    wait_for_threads(before)


def test_a_call_in_a_thread_runs_though_the_runner_is_closed_beside_it(switching: None) -> None:
    runner, function, running = LocalRunner(), made(add), threading.Event()

    def closes() -> None:
        while not running.is_set():
            runner.close()

    async def main() -> list[Outcome]:
        return [await aran(runner, function, {"a": 1, "b": 2}) for _ in range(100)]

    closing = threading.Thread(target=closes)
    closing.start()
    try:
        assert {outcome.text for outcome in asyncio.run(main())} == {"3"}
    finally:
        running.set()
        closing.join()


def test_a_garbage_collected_runner_stops_its_loop() -> None:
    before = set(threading.enumerate())
    runner = LocalRunner()
    ran(runner, made(add_later), {"a": 1, "b": 2})
    del runner
    gc.collect()
    wait_for_threads(before)


def wait_for_threads(before: set[threading.Thread]) -> None:
    deadline = time.monotonic() + 60
    for thread in set(threading.enumerate()) - before:
        thread.join(max(deadline - time.monotonic(), 0))
    assert set(threading.enumerate()) <= before


def test_nan_and_infinity_are_null_in_the_text(runner: LocalRunner) -> None:
    outcome = ran(runner, made(lambda: [float("nan"), 1.5]))
    assert outcome.text == "[null, 1.5]"


def test_a_persons_value_that_the_hints_refuse_is_not_shown() -> None:
    class Account:
        @function
        def open(self, name: str, pin: Annotated[Human[str], AfterValidator(_no_zero)]) -> str:
            """Open."""
            return name

    controller = Controller.from_object(Account())
    outcome = controller.call("open", {"name": "Ada"}, human={"pin": "0SECRET-7f3a"})
    assert outcome.reason == "needs_human"
    assert [issue.side for issue in outcome.issues] == ["human"]
    assert "SECRET-7f3a" not in outcome.text + str(outcome.issues) + repr(outcome)


def _no_zero(pin: str) -> str:
    if pin.startswith("0"):
        raise ValueError("must not begin with 0")
    return pin


@pytest.mark.parametrize("way", ["call", "acall"])
@pytest.mark.parametrize("kind", ["async", "sync", "generator"])
def test_a_call_that_takes_too_long_is_an_outcome(way: str, kind: str) -> None:
    ended: list[str] = []
    leave = threading.Event()

    async def slow() -> str:
        """Wait."""
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("stopped")
        return "late"

    def blocks() -> str:
        """Wait."""
        leave.wait(60)
        ended.append("ran on")
        return "late"

    async def items() -> AsyncIterator[int]:
        """Wait."""
        yield 1
        await asyncio.sleep(60)

    function = {"async": slow, "sync": blocks, "generator": items}[kind]
    limits = Limits(call=0.05)
    with Controller.from_functions([function], limits=limits) as shop:
        name = function.__name__
        outcome = shop.call(name) if way == "call" else asyncio.run(late(shop, name, leave))
        leave.set()
        assert (outcome.reason, outcome.is_error) == ("deadline", True)
        assert ("may still run" in outcome.text) is (kind == "sync")
        assert ("was stopped" in outcome.text) is (kind != "sync")
        assert kind != "async" or ended == ["stopped"]


async def late(shop: Controller, name: str, leave: threading.Event) -> Outcome:
    outcome = await shop.acall(name)
    leave.set()  # else the end of the loop would wait for the thread
    return outcome


def test_a_call_within_its_time_and_the_functions_own_timeout_are_as_ever() -> None:
    async def quick() -> str:
        """Return."""
        return "done"

    def own() -> str:
        """Raise."""
        raise TimeoutError("its own")

    async def later() -> str:
        """Raise."""
        raise TimeoutError("its own")

    with Controller.from_functions([quick, own, later], limits=Limits(call=30)) as shop:
        assert shop.call("quick").text == "done"
        for name in ("own", "later"):
            outcome = shop.call(name)
            assert (outcome.reason, outcome.text) == ("raised", "TimeoutError: its own")
    with pytest.raises(DefinitionError, match="call"):
        Limits(call=-1)
