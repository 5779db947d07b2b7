"""A call with checked arguments: objects, copied defaults, injected parameters."""

import functools
import pickle
import threading
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

import pytest

from pyfunctools.sources.python.binding import MethodHandler, read_handler
from pyfunctools.sources.python.docstrings import Docs
from pyfunctools.sources.python.markers import Context, Inject


def handler(called: Any) -> MethodHandler:
    return read_handler(called, "f", Docs())[0]


def call(called: Any, arguments: dict[str, Any], context: object = None) -> Any:
    bound = handler(called).bind(arguments, context)
    assert bound, bound
    return bound.value()


@dataclass
class Item:
    name: str
    made: date = date(2026, 1, 2)


class Shop:
    def __init__(self, name: str = "corner") -> None:
        self.name = name

    def buy(self, item: Item, count: int = 1) -> str:
        return f"{self.name}: {count} {item.name}"

    def who(self, user: Context[str]) -> str:
        return user

    @classmethod
    def of(cls, name: str) -> str:
        return cls(name).name


def test_every_kind_of_parameter_arrives() -> None:
    def f(a: int, /, b: int, *rest: int, c: int, **others: int) -> Any:
        return a, b, rest, c, others

    assert call(f, {"a": 1, "b": 2, "rest": [3, 4], "c": 5, "d": 6, "others": 7}) == (
        1,
        2,
        (3, 4),
        5,
        {"d": 6, "others": 7},
    )
    assert call(f, {"a": 1, "b": 2, "c": 5}) == (1, 2, (), 5, {})


def test_a_function_that_goes_by_a_type_gets_what_it_goes_by() -> None:
    @functools.singledispatch
    def told(item: int | str, size: int = 1) -> str:
        return f"number {item} {size}"

    @told.register
    def _(item: str, size: int = 1) -> str:
        return f"text {item} {size}"

    for called in (told, functools.partial(told, size=2)):
        size = 1 if called is told else 2
        for item, kind in ((3, "number"), ("a", "text")):
            assert call(called, {"item": item}) == f"{kind} {item} {size}"


def test_a_default_before_another_positional_is_filled_in() -> None:
    def f(a: int = 1, b: list[int] = [], /, c: int = 3, *rest: int) -> Any:  # noqa: B006
        return a, b, c, rest

    assert call(f, {}) == (1, [], 3, ())
    assert call(f, {"b": [2]}) == (1, [2], 3, ())
    assert call(f, {"rest": [4]}) == (1, [], 3, (4,))


def test_a_mutable_default_is_copied_for_each_call() -> None:
    shared = [1]

    a = Item("a")

    def f(
        xs: list[int] = [],  # noqa: B006
        items: tuple[list[int], ...] = ([],),
        i: Item = a,
        d: dict[str, list[int]] = {"a": shared},  # noqa: B006
    ) -> Any:
        xs.append(1)
        items[0].append(1)
        i.name += "!"
        d["a"].append(2)
        return xs, items, i.name, d

    made = handler(f)
    for _ in range(2):
        bound = made.bind({}, None)
        assert bound
        assert bound.value() == ([1], ([1],), "a!", {"a": [1, 2]})
    assert shared == [1]
    assert f.__defaults__ == ([], ([],), Item("a"), {"a": [1]})


def test_a_hashable_default_is_not_copied() -> None:
    missing = object()

    def f(x: Any = missing, lock: Any = threading.Lock()) -> Any:  # noqa: B008
        return x is missing, lock

    assert call(f, {}) == (True, f.__defaults__[1])


def test_a_default_that_cannot_be_copied_is_passed_itself() -> None:
    lock = threading.Lock()

    def f(x: Any = [lock]) -> Any:  # noqa: B006
        return x

    assert call(f, {}) == [lock]


def test_a_python_default_wins_over_a_field_s() -> None:
    from pydantic import Field

    def f(x: Annotated[list[int], Field(default_factory=lambda: [3])] = [5]) -> Any:  # noqa: B006
        return x

    assert call(f, {}) == [5]


def test_a_field_s_default_is_filled_in() -> None:
    from pydantic import Field

    def f(x: list[int] = Field(default_factory=list), y: int = Field(3)) -> Any:  # noqa: B008
        return x, y

    assert call(f, {}) == ([], 3)
    assert call(f, {"y": 4}) == ([], 4)


def test_the_context_is_passed() -> None:
    assert call(Shop().who, {}, "me") == "me"
    assert call(Shop().who, {}) is None


def test_a_provider_is_called_when_the_call_runs_and_each_time() -> None:
    made: list[object] = []

    def provide(context: object) -> object:
        made.append(context)
        return len(made)

    def f(a: int, db: Annotated[int, Inject(provide)]) -> Any:
        return a, db

    bound = handler(f).bind({"a": 1}, "me")
    assert bound
    assert made == []
    assert bound.value() == (1, 1)
    assert bound.value() == (1, 2)
    assert made == ["me", "me"]


def test_injected_parameters_may_be_positional() -> None:
    def f(user: Context[str], db: Annotated[int, Inject(lambda: 7)], a: int, /, *rest: int) -> Any:
        return user, db, a, rest

    assert call(f, {"a": 1, "rest": [2]}, "me") == ("me", 7, 1, (2,))


def test_arguments_are_not_changed() -> None:
    def f(xs: list[int], m: dict[str, list[int]]) -> None:
        xs.append(1)
        m["a"].append(1)

    given: dict[str, Any] = {"xs": [1], "m": {"a": [1]}}
    call(f, given)
    assert given == {"xs": [1], "m": {"a": [1]}}


def test_an_asynchronous_method_returns_an_awaitable() -> None:
    async def f(a: int) -> int:
        return a

    made = handler(f)
    assert made.is_async
    bound = made.bind({"a": 1}, None)
    assert bound
    with pytest.raises(StopIteration) as stopped:
        bound.value().send(None)
    assert stopped.value.value == 1


def test_a_call_can_be_sent_to_another_process() -> None:
    bound = handler(Shop("far").buy).bind({"item": {"name": "tea"}}, None)
    assert bound
    again = pickle.loads(pickle.dumps(bound.value))
    assert again() == "far: 1 tea"
