"""`configured(executor=)` over threads, processes, loky and Dask: one task for each call."""

import asyncio
import os
import pickle
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from workers import KINDS, breaks, die, executor_of, fields, note, pay

from pyfunctools import Controller, Outcome

SLOW = [pytest.param(each, marks=() if each == "threads" else pytest.mark.slow) for each in KINDS]
FORMS = pytest.mark.parametrize("form", ["map", "amap"])


@pytest.fixture(scope="module", params=SLOW)
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    with executor_of(request.param) as made:
        yield made


def controller_on(executor: Executor) -> Controller:
    functions = [note, die, pay, fields, breaks]
    return Controller.from_functions(functions).configured(executor=executor)


def mapped(controller: Controller, form: str, calls: list[tuple[str, object]]) -> list[Outcome]:
    if form == "map":
        return list(controller.map(calls, concurrency=8))

    async def main() -> list[Outcome]:
        return [each async for each in controller.amap(calls, concurrency=8)]

    return asyncio.run(main())


@FORMS
def test_equal_calls_are_tasks_of_their_own(executor: Executor, form: str, tmp_path: Path) -> None:
    file = str(tmp_path / "ran")
    outcomes = mapped(controller_on(executor), form, [("note", {"file": file, "n": 1})] * 40)
    assert all(each.ok for each in outcomes), outcomes
    assert Counter(Path(file).read_text().split()) == {"1": 40}
    is_here = isinstance(executor, ThreadPoolExecutor)
    assert all((each.value == os.getpid()) == is_here for each in outcomes)


def test_a_persons_value_stays_here_unless_the_program_says_so(
    executor: Executor, tmp_path: Path
) -> None:
    given = {"file": str(tmp_path / "ran")}
    controller = controller_on(executor)
    assert controller.call("pay", given, human={"pin": "1234"}).value == os.getpid()
    is_here = isinstance(executor, ThreadPoolExecutor)
    assert [("pay" in each.text) for each in controller.notes] == ([] if is_here else [True])
    away = controller.configured(executor_values=True)
    assert away.notes == ()
    outcome = away.call("pay", given, human={"pin": "1234"})
    assert (outcome.value == os.getpid()) == is_here


def test_the_items_of_a_generator_come_back(executor: Executor) -> None:
    controller = controller_on(executor)
    assert controller.call("fields", {"n": 3}).value == [0, 1, 2]
    assert [each.value for each in controller.stream("fields", {"n": 3})] == [0, 1, 2]


def test_the_items_before_an_exception_come_back_too(executor: Executor) -> None:
    controller = controller_on(executor).configured(executor_values=True)
    streamed = list(controller.stream("breaks", {"n": 2}, human={"pin": "CANARY-1"}))
    assert [each.value for each in streamed[:2]] == ["0 CANARY-1", "1 CANARY-1"]
    assert [each.text for each in streamed[:2]] == ["0 ***", "1 ***"]
    assert [each.reason for each in streamed] == [None, None, "raised"]
    assert isinstance(streamed[2].exception, ValueError)
    assert "CANARY" not in streamed[2].text
    whole = controller.call("breaks", {"n": 2}, human={"pin": "CANARY-1"})
    assert (whole.reason, "CANARY" in whole.text) == ("raised", False)


# The pool's own thread may raise when a task starts a worker while the broken pool is ended.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS[1:], "renewed"])
@FORMS
def test_a_worker_that_dies_is_an_outcome_and_the_others_have_theirs(
    kind: str, form: str, tmp_path: Path
) -> None:
    file = str(tmp_path / "ran")
    with executor_of(kind) as executor:
        controller = controller_on(executor)
        assert controller.call("die", {"file": file, "n": -1}).ok
        outcomes = mapped(controller, form, [("die", {"file": file, "n": n}) for n in range(12)])
        again = controller.call("note", {"file": file, "n": 99})
    assert len(outcomes) == 12
    assert outcomes[3].reason == "raised"
    assert outcomes[3].text.endswith("Whether the function ran is not known.")
    ran = Counter(Path(file).read_text().split())
    assert ran["3"] == 1
    # Dask runs again what had ended, if the value was still in the memory of the dead worker.
    assert max(ran.values()) == 1 or kind == "dask"
    for n, each in enumerate(outcomes):
        assert each.ok or each.reason == "raised"
        assert not ("Nothing has run" in each.text and str(n) in ran)
    assert [each.reason for each in pickle.loads(pickle.dumps(outcomes))] == [
        each.reason for each in outcomes
    ]
    if kind in ("dask", "renewed"):  # another worker is started
        assert again.ok
        assert kind == "renewed" or sum(each.ok for each in outcomes) >= 10
    else:  # such a pool is broken as a whole
        assert again.text.startswith("The executor did not take this call")
        assert again.text.endswith("Nothing has run.")


class Cancelling(Executor):
    """An executor that cancels what it takes."""

    def submit(self, *_: Any, **__: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


@FORMS
def test_a_task_that_the_executor_cancels_is_an_outcome(form: str) -> None:
    (outcome,) = mapped(controller_on(Cancelling()), form, [("fields", {"n": 1})])
    assert outcome.reason == "raised"
    assert outcome.text.startswith("The executor could not run this call")
