import threading
from contextvars import ContextVar

import pytest

from pyfunctools.schema.validation.compiled import with_stack

speaker: ContextVar[str] = ContextVar("speaker", default="nobody")


def test_the_result_and_the_exception_are_those_of_the_call():
    assert with_stack(lambda: 42) == 42
    with pytest.raises(ZeroDivisionError):
        with_stack(lambda: 1 // 0)


def test_the_call_sees_the_context_of_the_thread_that_asks():
    token = speaker.set("somebody")
    try:
        assert with_stack(speaker.get) == "somebody"
    finally:
        speaker.reset(token)


def test_other_threads_keep_the_stack_they_would_have_had():
    before = threading.stack_size()
    with_stack(lambda: None)
    assert threading.stack_size() == before


def test_many_threads_may_ask_at_once():
    before = threading.stack_size()
    told: list[int] = []
    threads = [
        threading.Thread(target=lambda n=n: told.append(with_stack(lambda: n))) for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == list(range(20))
    assert threading.stack_size() == before
