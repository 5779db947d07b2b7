"""`@function` marks a callable and changes nothing else."""

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


def test_a_bare_mark_has_no_settings() -> None:
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


def test_one_tag_may_be_a_text() -> None:
    assert marks_of(function(tags="orders")(lambda: None)) == Marks(traits={"tags": ("orders",)})


def test_a_marked_function_is_unchanged() -> None:
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


def test_marks_are_found_through_wrappers() -> None:
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


def test_the_outer_mark_wins() -> None:
    assert marks_of(function(name="a")(function(name="b")(lambda: None))) == Marks(name="a")


@pytest.mark.parametrize("target", [int, property(), len, 3, type(None)])
def test_an_object_that_cannot_be_marked_is_an_error(target: object) -> None:
    mark: Any = function
    with pytest.raises(DefinitionError, match="function"):
        mark(target)


def test_looking_for_marks_runs_no_user_code() -> None:
    class Proxy:
        def __getattribute__(self, name: str) -> object:
            raise AssertionError("asked")

    class Pretender:
        def __getattr__(self, name: str) -> object:
            return self

    assert marks_of(Proxy()) is None
    assert marks_of(Pretender()) is None
