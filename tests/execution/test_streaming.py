"""`stream` and `astream` of functions in this process: one outcome an item, as it comes."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import pytest
from sums import count_up, pool_of_processes

from pyfunctools import (
    Approval,
    CallError,
    Controller,
    File,
    Function,
    Human,
    Limits,
    LoopError,
    Outcome,
    Param,
    Retry,
)

WHO: ContextVar[str] = ContextVar("WHO", default="nobody")


class Counter:
    """Generators that say when they began an item, and when they were closed."""

    def __init__(self) -> None:
        self.made: list[int] = []
        self.closed = threading.Event()

    def count(self, n: int) -> Iterator[int]:
        """Count."""
        try:
            for each in range(n):
                self.made.append(each)
                yield each
        finally:
            self.closed.set()

    async def acount(self, n: int) -> AsyncIterator[int]:
        """Count."""
        try:
            for each in range(n):
                self.made.append(each)
                yield each
        finally:
            self.closed.set()


def streamed(controller: Controller, form: str, *given: Any, **options: Any) -> list[Outcome]:
    if form == "stream":
        return list(controller.stream(*given, **options))

    async def main() -> list[Outcome]:
        return [each async for each in controller.astream(*given, **options)]

    return asyncio.run(main())


def values(outcomes: list[Outcome]) -> list[object]:
    return [each.value for each in outcomes]


FORMS = pytest.mark.parametrize("form", ["stream", "astream"])
COUNTERS = pytest.mark.parametrize("name", ["count", "acount"])


@FORMS
@COUNTERS
def test_each_item_is_an_outcome_before_the_next_is_made(form: str, name: str) -> None:
    counter = Counter()
    made: list[int] = []
    with Controller.from_object(counter, all=True) as controller:
        if form == "stream":
            for item in controller.stream(name, '{"n": "3"}'):
                made.append(len(counter.made))
                assert (item.function, [str(each.path) for each in item.repairs]) == (
                    name,
                    ["$input.n"],
                )
        else:

            async def main() -> None:
                async for _ in controller.astream(name, {"n": 3}):
                    made.append(len(counter.made))  # noqa: PERF401 - while it is read

            asyncio.run(main())
    assert made == [1, 2, 3]


@FORMS
@COUNTERS
def test_closed_early_the_generator_is_closed(form: str, name: str) -> None:
    counter = Counter()
    with Controller.from_object(counter, all=True) as controller:
        if form == "stream":
            items = controller.stream(name, {"n": 10})
            assert next(items).value == 0
            items.close()
        else:

            async def main() -> None:
                items = controller.astream(name, {"n": 10})
                assert (await anext(items)).value == 0
                await items.aclose()

            asyncio.run(main())
        assert counter.closed.is_set()
        assert counter.made == [0]


@COUNTERS
def test_a_cancelled_reader_closes_the_generator(name: str) -> None:
    counter = Counter()

    async def main(controller: Controller) -> None:
        first = asyncio.Event()

        async def read() -> None:
            async for _ in controller.astream(name, {"n": 10}):
                first.set()
                await asyncio.Event().wait()

        task = asyncio.ensure_future(read())
        await first.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with Controller.from_object(counter, all=True) as controller:
        asyncio.run(main(controller))
        assert counter.closed.wait(60)
    assert counter.made == [0]


def test_nothing_runs_before_the_first_item_is_wanted() -> None:
    counter = Counter()
    with Controller.from_object(counter, all=True) as controller:
        items = controller.stream("count", {"n": 3})
        assert counter.made == []
        items.close()
        with pytest.raises(TypeError, match="unexpected keyword"):
            controller.stream("count", {"n": 3}, strange=1)  # type: ignore[call-arg]
    assert counter.made == []


def mixed() -> Iterator[int]:
    """Give what does not fit, too."""
    yield 1
    yield "two"  # type: ignore[misc]
    yield 3


def failing() -> Iterator[int]:
    """Fail after an item."""
    yield 1
    raise ValueError("no more")


def told() -> Iterator[object]:
    """Give other things than values."""
    yield Outcome(text="for the model", value={"for": "the program"})
    yield File(b"png", "a.png", "image/png")
    yield iter([1, 2])
    raise Retry("ask for less")


@FORMS
def test_a_wrong_item_has_issues_and_the_next_ones_follow(form: str) -> None:
    with Controller.from_functions([mixed]) as controller:
        first, wrong, last = streamed(controller, form, "mixed")
    assert (first.value, last.value, wrong.reason) == (1, 3, "output")
    assert (wrong.value, wrong.issues[0].expected) == ("two", "integer")
    with pytest.raises(CallError):
        wrong.unwrap()


@FORMS
def test_an_error_is_the_last_outcome(form: str) -> None:
    with Controller.from_functions([failing, told]) as controller:
        outcomes = streamed(controller, form, "failing")
        assert [each.reason for each in outcomes] == [None, "raised"]
        assert outcomes[1].text == "ValueError: no more"
        text, file, _, last = streamed(controller, form, "told")
    assert (text.text, text.value) == ("for the model", {"for": "the program"})
    assert file.content[0].filename == "a.png"
    assert last.text == "ask for less"


@FORMS
def test_anything_else_is_one_outcome(form: str) -> None:
    def whole(n: int) -> list[int]:
        """Return all at once."""
        return [n, n]

    def none() -> Iterator[int]:
        """Give nothing."""
        return iter(())

    with Controller.from_functions([whole, none]) as controller:
        assert values(streamed(controller, form, "whole", {"n": 1})) == [[1, 1]]
        assert streamed(controller, form, "none") == []
        assert [each.reason for each in streamed(controller, form, "whole", {})] == ["arguments"]
        assert [each.reason for each in streamed(controller, form, "nobody")] == ["unknown"]
        controller.close()
        assert [each.reason for each in streamed(controller, form, "none")] == ["transport"]


def tell(lines: int, pin: Human[str]) -> Iterator[str]:
    """Tell a secret."""
    for _ in range(lines):
        yield f"the pin is {pin}"
    raise ValueError(f"wrong pin: {pin}")


@FORMS
def test_a_persons_values_are_masked_in_each_item(form: str) -> None:
    with Controller.from_functions([tell]) as controller:
        (waiting,) = streamed(controller, form, "tell", {"lines": 1})
        assert waiting.reason == "needs_human"
        for given in ({"pin": "secret-1"}, lambda _: {"pin": "secret-1"}):
            *items, last = streamed(controller, form, "tell", {"lines": 2}, human=given)
            assert [each.text for each in items] == ["the pin is ***"] * 2
            assert last.text.startswith("ValueError. Its message is withheld")
            assert "secret-1" not in repr([*items, last])
        assert waiting.waiting is not None
        resumed = controller.resume(waiting.waiting.ticket, {"pin": "secret-1"})
        assert resumed.reason == "raised"


@FORMS
def test_approvals_edits_fixed_values_and_the_context_take_the_same_road(form: str) -> None:
    counter = Counter()
    with Controller.from_object(counter, all=True) as plain:
        controller = plain.configured(confirm=True)
        assert [e.reason for e in streamed(controller, form, "count", {"n": 2})] == [
            "needs_approval"
        ]
        denied = streamed(controller, form, "count", {"n": 2}, approve=False)
        assert [each.reason for each in denied] == ["denied"]
        assert counter.made == []
        edit = Approval(arguments={"n": 1})
        assert values(streamed(controller, form, "count", {"n": 2}, approve=edit)) == [0]
        fixed = plain.configured(fixed={"n": lambda context: context})
        assert values(streamed(fixed, form, "count", {}, context=2)) == [0, 1]


@FORMS
def test_each_text_is_bounded(form: str) -> None:
    def long(n: int) -> Iterator[str]:
        """Give long texts."""
        yield "x" * n
        yield "short"

    with Controller.from_functions([long], limits=Limits(outcome=100)) as controller:
        first, second = streamed(controller, form, "long", {"n": 1000})
    assert len(first.text) <= 100
    assert (len(str(first.value)), second.text) == (1000, "short")


@FORMS
@COUNTERS
def test_the_limit_of_a_call_is_from_item_to_item(form: str, name: str) -> None:
    gate = threading.Event()

    def count() -> Iterator[int]:
        """Wait for the second item."""
        yield 1
        gate.wait(60)
        yield 2

    async def acount() -> AsyncIterator[int]:
        """Wait for the second item."""
        yield 1
        await asyncio.Event().wait()
        yield 2

    with Controller.from_functions([count, acount], limits=Limits(call=0.5)) as controller:
        if form == "stream":
            items = controller.stream(name)
            assert next(items).value == 1
            time.sleep(0.6)  # the reader's own time does not count
            assert [each.reason for each in items] == ["deadline"]
        else:
            outcomes = streamed(controller, form, name)
            assert [each.reason for each in outcomes] == [None, "deadline"]
        gate.set()


@FORMS
def test_items_see_the_callers_context_variables_and_keep_their_own(form: str) -> None:
    def who() -> Iterator[str]:
        """Tell the context."""
        yield WHO.get()
        WHO.set("mine")
        yield WHO.get()

    token = WHO.set("caller")
    with Controller.from_functions([who]) as controller:
        assert values(streamed(controller, form, "who")) == ["caller", "mine"]
    assert WHO.get() == "caller"
    WHO.reset(token)


def test_a_blocking_stream_of_an_asynchronous_generator_is_refused_on_a_loop() -> None:
    async def main(controller: Controller) -> None:
        with pytest.raises(LoopError):
            next(controller.stream("acount", {"n": 1}))
        assert [each.value for each in controller.stream("count", {"n": 1})] == [0]

    with Controller.from_object(Counter(), all=True) as controller:
        asyncio.run(main(controller))


@FORMS
def test_a_generator_on_an_executor(form: str) -> None:
    controller = Controller.from_functions([count_up])
    with ThreadPoolExecutor(1, "mine") as threads:
        here = controller.configured(executor=threads)
        names = values(streamed(here, form, "count_up", {"n": 2}))
    assert all(str(each).startswith("mine") for each in names)
    with pool_of_processes() as processes:
        there = controller.configured(executor=processes)
        assert len(streamed(there, form, "count_up", {"n": 3})) == 3
        assert len(there.call("count_up", {"n": 3}).value) == 3  # type: ignore[arg-type]


@FORMS
def test_a_written_schema_and_a_searchable_controller_stream_too(form: str) -> None:
    def handler(n: int) -> Iterator[int]:
        yield from (n, -n)

    output = {"type": "array", "items": {"type": "integer", "minimum": 0}}
    written = Function.from_schema(
        name="written",
        parameters=[Param("n", "integer")],
        output=output,
        handler=handler,
    )
    with Controller.from_functions([written]) as controller:
        outcomes = streamed(controller, form, "written", {"n": 1})
        assert [each.reason for each in outcomes] == [None, "output"]
        found = controller.searchable()
        given = {"name": "written", "arguments": {"n": 1}}
        outcomes = streamed(found, form, "call_function", given)
        assert [each.function for each in outcomes] == ["written"] * 2


def test_an_error_while_closing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def stubborn() -> Iterator[int]:
        """Fail at the end."""
        try:
            yield 1
        finally:
            raise OSError("not closed")

    with Controller.from_functions([stubborn]) as controller:
        items = controller.stream("stubborn")
        next(items)
        items.close()
    assert "the end of the stream raised OSError" in caplog.text


def test_a_stream_read_from_several_threads_one_after_the_other() -> None:
    with Controller.from_functions([tell]) as controller:
        items = controller.stream("tell", {"lines": 2}, human={"pin": "secret-1"})
        found: list[str] = []

        def read(step: Callable[[Any], Outcome]) -> None:
            found.append(step(items).text)

        for _ in range(2):
            thread = threading.Thread(target=read, args=(next,))
            thread.start()
            thread.join()
        items.close()
    assert found == ["the pin is ***"] * 2
