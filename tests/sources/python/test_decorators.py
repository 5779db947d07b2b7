"""The decorator: it marks, and changes nothing."""

import copy
import functools
import inspect
import pickle
from typing import Any

import pytest

from pyfunctools.errors import DefinitionError
from pyfunctools.sources.python.decorators import Marks, function, marks_of


@function
def bare(x: int) -> int:
    """Double."""
    return x * 2


@function()
def empty(x: int) -> int:
    return x


@function(
    name="other",
    description="Does it.",
    title="It",
    tags=["a", "b"],
    deprecated=True,
    display_text="Doing it",
    read_only=True,
    destructive=False,
    idempotent=True,
    confirm=True,
    concurrent=False,
    strict=True,
)
def full(x: int) -> int:
    return x


def test_a_bare_mark_says_nothing() -> None:
    assert marks_of(bare) == Marks()
    assert marks_of(empty) == Marks()


def test_every_setting_is_kept() -> None:
    assert marks_of(full) == Marks(
        name="other",
        description="Does it.",
        traits={
            "title": "It",
            "tags": ("a", "b"),
            "deprecated": True,
            "display_text": "Doing it",
            "read_only": True,
            "destructive": False,
            "idempotent": True,
            "confirm": True,
            "concurrent": False,
            "strict": True,
        },
    )


def test_one_tag_may_stand_alone() -> None:
    assert marks_of(function(tags="orders")(lambda: None)) == Marks(traits={"tags": ("orders",)})


def test_what_is_marked_stays_itself() -> None:
    def plain(x: int) -> int:
        """Say."""
        return x

    before = (plain.__name__, plain.__doc__, inspect.signature(plain), plain.__annotations__)
    assert function(plain) is plain
    assert (
        plain.__name__,
        plain.__doc__,
        inspect.signature(plain),
        plain.__annotations__,
    ) == before
    assert bare(2) == 4
    assert pickle.loads(pickle.dumps(bare)) is bare
    assert copy.deepcopy(bare) is bare


def test_methods_stay_callable_as_before() -> None:
    class Shop:
        @function
        def buy(self, x: int) -> int:
            return x

        @function
        @staticmethod
        def over(x: int) -> int:
            return x

        @staticmethod
        @function
        def under(x: int) -> int:
            return x

        @function(tags=["a"])
        @classmethod
        def of(cls, x: int) -> tuple[type, int]:
            return cls, x

    assert Shop().buy(1) == Shop.over(1) == Shop().under(1) == 1
    assert Shop.of(1) == Shop().of(1) == (Shop, 1)
    assert inspect.signature(Shop().buy) == inspect.signature(Shop.over)


def test_a_mark_is_seen_through_wrappers() -> None:
    @functools.wraps(full)
    def wrapper(x: int) -> int:
        return full(x)

    class Shop:
        @classmethod
        @function(name="c")
        def under(cls) -> None: ...

    assert marks_of(wrapper) == marks_of(full)
    assert marks_of(functools.partial(full, 1)) == marks_of(full)
    assert marks_of(Shop.under) == marks_of(vars(Shop)["under"]) == Marks(name="c")


def test_the_outer_mark_counts() -> None:
    assert marks_of(function(name="a")(function(name="b")(lambda: None))) == Marks(name="a")


@pytest.mark.parametrize("target", [int, property(), len, 3, type(None)])
def test_what_cannot_be_marked_is_an_error(target: object) -> None:
    mark: Any = function
    with pytest.raises(DefinitionError, match="function"):
        mark(target)


def test_nobody_s_code_runs_when_marks_are_looked_for() -> None:
    class Proxy:
        def __getattribute__(self, name: str) -> object:
            raise AssertionError("asked")

    class Pretender:
        def __getattr__(self, name: str) -> object:
            return self

    assert marks_of(Proxy()) is None
    assert marks_of(Pretender()) is None
