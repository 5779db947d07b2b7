"""`Lazy`: one value, made once."""

import copy
import pickle
from threading import Barrier, Thread

import pytest

from pyfunctools._lazy import Lazy


def test_a_value_is_made_when_it_is_first_read_and_only_once() -> None:
    made: list[int] = []

    def make() -> str:
        made.append(1)
        return "value"

    cell = Lazy(make)
    assert not cell.made
    assert repr(cell) == "Lazy(...)"
    assert (cell.value, cell.value) == ("value", "value")
    assert cell.made
    assert repr(cell) == "Lazy('value')"
    assert made == [1]


def test_threads_that_read_at_once_get_the_same_value() -> None:
    barrier = Barrier(8)
    cell = Lazy(object)
    got: list[object] = []

    def ask() -> None:
        barrier.wait()
        got.append(cell.value)

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 8
    assert len({id(value) for value in got}) == 1


def test_an_exception_is_not_kept() -> None:
    tries = iter([ValueError("first"), None])

    def make() -> int:
        if error := next(tries):
            raise error
        return 7

    cell = Lazy(make)
    with pytest.raises(ValueError, match="first"):
        _ = cell.value
    assert cell.value == 7


def test_equality_copies_and_pickles_are_those_of_the_value() -> None:
    cell = Lazy(lambda: {"a": [1]})
    assert cell == Lazy.of({"a": [1]})
    assert cell != Lazy.of({"a": [2]})
    assert cell != {"a": [1]}
    assert pickle.loads(pickle.dumps(cell)) == cell
    copied = copy.deepcopy(cell)
    assert copied == cell
    assert copied.value is not cell.value
    with pytest.raises(TypeError):
        hash(cell)
