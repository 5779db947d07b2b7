"""`map` and `amap`: outcomes in order, a bounded number at once, one failure alone."""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest

from pyfunctools import Call, Context, Controller, DefinitionError, Human, Success, function
from pyfunctools.execution.local import LocalRunner


class Work:
    """Functions that tell how many of them run at once."""

    def __init__(self, together: int = 1) -> None:
        self.barrier = threading.Barrier(together)
        self.lock = threading.Lock()
        self.running = self.most = 0
        self.ran: list[int] = []

    def _enter(self, n: int) -> None:
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
            self.ran.append(n)

    def _leave(self) -> None:
        with self.lock:
            self.running -= 1

    @function
    def double(self, n: int) -> int:
        """Double."""
        self._enter(n)
        try:
            if n % 5 == 3:
                raise ValueError("three")
            return 2 * n
        finally:
            self._leave()

    @function
    def meet(self, n: int) -> int:
        """Wait for the others."""
        self._enter(n)
        self.barrier.wait(timeout=60)
        self._leave()
        return n

    @function(concurrent=False)
    def alone(self, n: int) -> int:
        """Run alone."""
        self._enter(n)
        assert self.running == 1
        self._leave()
        return n

    @function
    def pay(self, amount: int, pin: Human[str]) -> str:
        """Pay."""
        return f"paid {amount}"


def collected(controller: Controller, calls: object, form: str, **options: object) -> list[object]:
    if form == "map":
        return list(controller.map(calls, **options))  # type: ignore[arg-type]

    async def main() -> list[object]:
        return [each async for each in controller.amap(calls, **options)]  # type: ignore[arg-type]

    return asyncio.run(main())


FORMS = pytest.mark.parametrize("form", ["map", "amap"])


@FORMS
def test_outcomes_are_in_order_and_a_failure_is_in_its_place(form: str) -> None:
    with Controller.from_object(Work()) as work:
        outcomes = collected(work, (("double", {"n": n}) for n in range(50)), form)
    assert [each.value for each in outcomes if each.ok] == [2 * n for n in range(50) if n % 5 != 3]
    assert [n for n, each in enumerate(outcomes) if each.reason == "raised"] == list(
        range(3, 50, 5)
    )


@FORMS
def test_calls_unknown_names_and_wrong_arguments_are_taken_as_call_takes_them(form: str) -> None:
    call = Call(id="c", name="double", arguments={"n": 1}, result=Success(value={"n": 1}))
    calls = [call, ("nothing", {}), ("double", '{"n": "2"}'), ("double", {"n": "x"})]
    with Controller.from_object(Work()) as work:
        outcomes = collected(work, calls, form)
    assert [each.reason for each in outcomes] == [None, "unknown", None, "arguments"]


@FORMS
def test_waiting_calls_are_in_their_place_with_their_tickets(form: str) -> None:
    with Controller.from_object(Work()) as work:
        outcomes = collected(work, [("pay", {"amount": n}) for n in range(3)], form)
        assert [each.waiting.arguments["amount"] for each in outcomes] == [0, 1, 2]
        done = work.resume(outcomes[1].waiting.ticket, {"pin": "1"})
        assert done.value == "paid 1"
        given = collected(work, [("pay", {"amount": 7})], form, human={"pin": "1"})
    assert given[0].value == "paid 7"


@FORMS
def test_as_many_as_asked_for_run_at_once_and_no_more(form: str) -> None:
    work = Work(together=4)
    with Controller.from_object(work) as controller:
        calls = [("meet", {"n": n}) for n in range(16)]
        assert len(collected(controller, calls, form, concurrency=4)) == 16
    assert work.most == 4


@FORMS
def test_a_function_that_is_not_concurrent_runs_alone(form: str) -> None:
    names = itertools.cycle(["double", "double", "alone"])
    calls = [(next(names), {"n": 0}) for _ in range(30)]
    with Controller.from_object(Work()) as controller:
        assert all(each.ok for each in collected(controller, calls, form))


@FORMS
def test_a_function_behind_a_search_that_is_not_concurrent_runs_alone(form: str) -> None:
    calls = [("call_function", {"name": "alone", "arguments": {"n": n}}) for n in range(20)]
    with Controller.from_object(Work()).searchable() as controller:
        assert all(each.ok for each in collected(controller, calls, form))


def test_an_endless_iterable_is_read_as_far_as_needed() -> None:
    read: list[int] = []

    def endless() -> Iterator[tuple[str, object]]:
        for n in itertools.count():
            read.append(n)
            yield "double", {"n": n}

    with Controller.from_object(Work()) as work:
        outcomes = work.map(endless(), concurrency=2)
        first = [next(outcomes).value for _ in range(3)]
        outcomes.close()
    assert first == [0, 2, 4]
    assert len(read) <= 3 + 2 * 2 + 1


def test_an_asynchronous_iterable_is_read_by_amap_only() -> None:
    async def calls() -> AsyncIterator[tuple[str, object]]:
        for n in range(3):
            yield "double", {"n": n}

    with Controller.from_object(Work()) as work:
        assert [each.value for each in collected(work, calls(), "amap")] == [0, 2, 4]
        with pytest.raises(DefinitionError, match=r"controller\.amap"):
            next(work.map(calls()))  # type: ignore[arg-type]


@FORMS
def test_an_error_of_the_iterable_comes_after_the_outcomes_before_it(form: str) -> None:
    def broken() -> Iterator[tuple[str, object]]:
        yield "double", {"n": 1}
        raise OSError("the file ended")

    seen: list[object] = []
    with Controller.from_object(Work()) as work:
        with pytest.raises(OSError, match="the file ended"):
            collected(work, broken(), form, progress=lambda *counts: seen.append(counts))
        with pytest.raises(DefinitionError, match="a `Call` or a pair"):
            collected(work, [("double", {"n": 1}), "double"], form)
    assert seen == [(1, None)]


@FORMS
def test_progress_is_told_after_each_outcome(form: str) -> None:
    seen: list[object] = []
    calls = [("double", {"n": n}) for n in range(3)]
    with Controller.from_object(Work()) as work:
        collected(work, calls, form, progress=lambda *counts: seen.append(counts))
        assert len(collected(work, calls, form, progress=True)) == 3
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    "options", [{"concurrency": 0}, {"concurrency": "8"}, {"progress": "yes"}], ids=str
)
@FORMS
def test_wrong_settings_are_refused_at_once(form: str, options: dict[str, object]) -> None:
    with Controller.from_object(Work()) as work, pytest.raises(DefinitionError, match=r"map\("):
        getattr(work, form)([], **options)


def test_closing_cancels_what_has_not_started() -> None:
    async def main() -> int:
        started: list[int] = []
        gate = asyncio.Event()

        async def wait(n: int) -> int:
            """Wait."""
            started.append(n)
            if n:
                await gate.wait()
            return n

        with Controller.from_functions([wait]) as controller:
            outcomes = controller.amap([("wait", {"n": n}) for n in range(100)], concurrency=2)
            async for _ in outcomes:
                break
            closing = asyncio.ensure_future(outcomes.aclose())
            await asyncio.sleep(0)
            gate.set()
            await closing
            return len(started)

    assert asyncio.run(main()) <= 4


def test_cancelling_the_caller_cancels_its_calls() -> None:
    async def main() -> list[str]:
        said: list[str] = []

        async def wait() -> None:
            """Wait."""
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                said.append("cancelled")
                raise

        async def use(controller: Controller) -> None:
            async for _ in controller.amap([("wait", {})] * 3):
                pass

        with Controller.from_functions([wait]) as controller:
            task = asyncio.ensure_future(use(controller))
            for _ in range(50):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        return said

    assert asyncio.run(main()) == ["cancelled"] * 3


@FORMS
def test_a_function_runs_alone_by_any_of_its_names(form: str) -> None:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/items": {"delete": {"operationId": "items/delete-all"}}},
    }
    most = running = 0
    lock = threading.Lock()

    def delete() -> None:
        nonlocal most, running
        with lock:
            running += 1
            most = max(most, running)
        with lock:
            running -= 1

    found = Controller.from_openapi(document, server="http://127.0.0.1:9")
    alone = replace(found["items_erase"], concurrent=False)
    controller = Controller([(alone, LocalRunner())]).replaced({"items_erase": delete})
    assert len(collected(controller, [("items/delete-all", {})] * 30, form)) == 30
    assert most == 1


@FORMS
def test_a_mistake_of_the_program_ends_the_batch_and_what_has_not_started(form: str) -> None:
    ran: list[int] = []

    def run(n: int, user: Context[str]) -> int:
        """Run."""
        ran.append(n)
        return n

    calls = (("run", {"n": n}) for n in range(1000))
    with Controller.from_functions([run]) as controller, pytest.raises(DefinitionError):
        collected(controller, calls, form)
    assert ran == []
