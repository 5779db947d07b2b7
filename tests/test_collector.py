"""The garbage collector is paused while documents are opened, and is then as it was before."""

import gc
import json
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator

import pytest

from pyfunctools import Controller, DocumentError, function
from pyfunctools._collector import collector_paused
from pyfunctools.record.function import contract_of

DOCUMENT = {"openapi": "3.1.0", "info": {"title": "Teas", "version": "1"}, "paths": {"/a": {}}}


@pytest.fixture(params=[True, False], ids=["enabled", "disabled"], autouse=True)
def was_enabled(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Do everything with the collector enabled, and again with it disabled by the program."""
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_it_is_paused_while_a_document_is_opened(was_enabled: bool) -> None:
    seen: list[bool] = []

    def name(_: object) -> str:
        seen.append(gc.isenabled())
        return "get"

    paths = {"/a": {"get": {}}}
    assert len(Controller.from_openapi({**DOCUMENT, "paths": paths}, names=name)) == 1
    assert seen == [False]
    assert gc.isenabled() is was_enabled


@pytest.mark.parametrize("wrong", ["{", '{"openapi": "9.9"}', json.dumps({**DOCUMENT, "paths": 1})])
def test_it_is_restored_if_a_document_cannot_be_opened(wrong: str, was_enabled: bool) -> None:
    with pytest.raises(DocumentError):
        Controller.from_openapi(wrong)
    assert gc.isenabled() is was_enabled


def test_it_is_restored_after_the_last_of_many_threads(was_enabled: bool) -> None:
    paused, go_on = threading.Barrier(9), threading.Event()

    def pause() -> None:
        with collector_paused():
            paused.wait()
            go_on.wait()

    threads = [threading.Thread(target=pause) for _ in range(8)]
    for thread in threads:
        thread.start()
    paused.wait()
    with collector_paused():
        go_on.set()
        for thread in threads:
            thread.join()
        assert not gc.isenabled()
    assert gc.isenabled() is was_enabled


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")
def test_a_process_forked_in_a_pause_has_its_collector(was_enabled: bool) -> None:
    with collector_paused():
        child = os.fork()
        if not child:
            os._exit(gc.isenabled() is not was_enabled)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert gc.isenabled() is was_enabled


class Shop:
    @function
    def buy(self, item: str, token: str) -> dict[str, int]:
        """Buy something."""
        return {item: len(token)}


@pytest.mark.parametrize(
    "opened",
    [
        lambda: Controller.from_object(Shop()),
        lambda: Controller.from_openapi({**DOCUMENT, "paths": {"/a": {"get": {}}}}),
    ],
    ids=["an object", "a document"],
)
def test_a_controller_and_its_schemas_are_freed_without_it(
    opened: Callable[[], Controller],
) -> None:
    def contract_of_one() -> weakref.ref[object]:
        (one,) = opened().functions
        assert one.parameters["type"] == "object"
        assert isinstance(one.notes, tuple)
        return weakref.ref(contract_of(one))

    contract_of_one()  # what is imported and cached
    gc.disable()
    assert contract_of_one()() is None


@pytest.fixture
def unfrozen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take back that `conftest.py` has frozen what there was before the tests."""
    gc.unfreeze()
    monkeypatch.setattr("pyfunctools._collector._unseen", 0)  # as where nothing was ever frozen
    yield
    gc.freeze()


@pytest.mark.usefixtures("unfrozen")
def test_what_a_pause_keeps_is_not_walked(was_enabled: bool) -> None:
    walks: list[object] = []

    def note(*about: object) -> None:
        walks.append(about)

    gc.collect()
    gc.callbacks.append(note)
    try:
        with collector_paused():
            kept = [[each] for each in range(50_000)]
        assert (gc.get_count()[0] < len(kept)) is was_enabled  # none is due either
        assert walks == []
    finally:
        gc.callbacks.remove(note)


def test_what_the_program_has_frozen_stays_so() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    with collector_paused():
        _ = [[each] for each in range(1_000)]
    assert gc.get_freeze_count() == frozen


def test_many_pauses_do_not_count_what_is_frozen_each_time() -> None:
    kept = [[each] for each in range(200_000)]
    gc.freeze()
    calls = 0

    def count(_: object, event: str, called: object) -> None:
        nonlocal calls
        calls += event == "c_call" and called is gc.get_freeze_count

    sys.setprofile(count)
    try:
        for _ in range(100):
            with collector_paused():
                kept.append([0])
    finally:
        sys.setprofile(None)
    assert calls <= 1


@pytest.mark.usefixtures("unfrozen")
def test_garbage_of_many_pauses_is_freed(was_enabled: bool) -> None:
    class Knot:
        """Garbage that only the collector frees."""

        def __init__(self) -> None:
            self.itself = self
            self.kept = [[each] for each in range(100_000)]

    knots: list[weakref.ref[Knot]] = []
    for _ in range(25):
        with collector_paused():
            knots.append(weakref.ref(Knot()))
    assert any(each() is None for each in knots) is was_enabled
