"""The signature of a callable, by its hints."""

import functools
import inspect
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
)
from typing import Annotated, Any, Never, NoReturn, Optional, TypedDict, Union, Unpack

import pytest

from pyfunctools.errors import DefinitionError
from pyfunctools.record.file import File
from pyfunctools.record.outcome import Outcome
from pyfunctools.sources.python.callable_signature import EMPTY, Signature, read_signature


def read(called: Any) -> Signature:
    return read_signature(called, "f")


def shown(called: Any) -> list[tuple[str, str, object, bool]]:
    return [(each.name, each.kind, each.hint, each.required) for each in read(called).inputs]


def test_every_kind_of_parameter_is_read() -> None:
    def f(a: int, /, b: str, *rest: int, c: float = 1, **others: bool) -> None: ...

    assert shown(f) == [
        ("a", "named", int, True),
        ("b", "named", str, True),
        ("rest", "args", list[int], False),
        ("c", "named", float, False),
        ("**others", "kwargs", dict[str, bool], False),
    ]


@pytest.mark.parametrize(
    ("called", "order"),
    [
        (lambda: None, ()),
        (lambda a, b, /, c: None, ("a", "b")),
        (lambda a, b, *c: None, ("a", "b")),
        (lambda a, b, *, c: None, ()),
    ],
)
def test_positional_parameters_are_known(called: Any, order: tuple[str, ...]) -> None:
    called.__annotations__ = dict.fromkeys(inspect.signature(called).parameters, int)
    assert read(called).positional == order


def test_a_bound_method_has_no_self() -> None:
    class Shop:
        def buy(self, a: int) -> None: ...

        @classmethod
        def of(cls, a: int) -> None: ...

        @staticmethod
        def at(self: int) -> None: ...  # noqa: PLW0211

    assert [each[0] for each in shown(Shop().buy)] == ["a"]
    assert [each[0] for each in shown(Shop.of)] == ["a"]
    assert [each[0] for each in shown(Shop.at)] == ["self"]
    assert read(Shop().buy).reserved == {"self"}
    assert read(Shop.at).reserved == set()


def test_a_partial_has_the_remaining_parameters() -> None:
    def f(a: int, b: str, c: float) -> None: ...

    assert shown(functools.partial(f, 1)) == [
        ("b", "named", str, True),
        ("c", "named", float, True),
    ]
    assert shown(functools.partial(f, c=1.5)) == [
        ("a", "named", int, True),
        ("b", "named", str, True),
    ]


def test_an_explicit_signature_is_used() -> None:
    def f(*args: object, **kwargs: object) -> None: ...

    parameter = inspect.Parameter("a", inspect.Parameter.KEYWORD_ONLY, annotation="int")
    f.__signature__ = inspect.Signature([parameter])
    assert shown(f) == [("a", "named", int, True)]


OUTPUTS: list[tuple[object, object]] = [
    (int, int),
    (None, EMPTY),
    (Any, EMPTY),
    (object, EMPTY),
    (NoReturn, EMPTY),
    (Never, EMPTY),
    (Outcome, EMPTY),
    (Outcome | int, int),
    (File | int, EMPTY),
    (list[str | File], list[str]),
    (dict[str, File | int | None], dict[str, int | None]),
    (list[File | None], EMPTY),
    (list[str | list[File]], EMPTY),
    (Union[int, str, Outcome], int | str),
    (Optional[Outcome], EMPTY),
    (Iterator[int], list[int]),
    (Iterable[str], list[str]),
    (Generator[int, None, str], list[int]),
    (AsyncIterator[int], list[int]),
    (AsyncIterable[int], list[int]),
    (AsyncGenerator[int, None], list[int]),
    (Iterator, list[Any]),
    (Awaitable[int], int),
    (Coroutine[Any, Any, int], int),
    (Coroutine[Any, Any, Iterator[int]], list[int]),
    (Awaitable, EMPTY),
    (Annotated[int, "how many"], Annotated[int, "how many"]),
    ("list[int]", list[int]),
]


@pytest.mark.parametrize(("hint", "expected"), OUTPUTS, ids=str)
def test_the_output_is_awaited_and_collected(hint: object, expected: object) -> None:
    def f() -> object: ...

    f.__annotations__["return"] = hint
    assert read(f).output == expected


async def coroutine() -> None: ...


async def stream() -> AsyncIterator[int]:
    yield 1


def generator() -> Iterator[int]:
    yield 1


def promised() -> Awaitable[int]: ...


def streaming() -> AsyncIterator[int]: ...


def plain() -> int: ...


class Called:
    async def __call__(self) -> None: ...

    async def method(self) -> None: ...


@pytest.mark.parametrize(
    ("called", "expected"),
    [
        (coroutine, True),
        (stream, True),
        (promised, True),
        (streaming, True),
        (Called(), True),
        (Called().method, True),
        (functools.partial(coroutine), True),
        (generator, False),
        (plain, False),
    ],
)
def test_asynchronous_callables_are_known(called: Callable[..., object], expected: bool) -> None:
    assert read(called).is_async is expected


@pytest.mark.parametrize("called", [print, dict.get, type, 3], ids=str)
def test_a_callable_without_hints_is_an_error(called: Any) -> None:
    with pytest.raises(DefinitionError):
        read(called)


def test_a_method_without_self_is_an_error() -> None:
    class Shop:
        def buy() -> None: ...

    with pytest.raises(DefinitionError, match="cannot be read"):
        read(Shop().buy)


def test_unpacking_another_type_is_an_error() -> None:
    def f(**options: int) -> None: ...

    f.__annotations__["options"] = Unpack[int]
    with pytest.raises(DefinitionError, match=r"f\(options\).*Unpack a `TypedDict`"):
        read(f)


def test_unpacking_a_typed_dict_with_unknown_names_is_an_error() -> None:
    class Options(TypedDict):
        size: "Nowhere"  # noqa: F821

    def f(**options: Unpack[Options]) -> None: ...

    with pytest.raises(DefinitionError, match="Nowhere"):
        read(f)
