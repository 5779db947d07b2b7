"""Injected parameters."""

from collections.abc import Callable
from typing import Annotated, Any, Optional, cast

import pytest

from pyfunctools import function_of
from pyfunctools.errors import DefinitionError
from pyfunctools.sources.python.callable_signature import Injected, injection_mark, read_signature
from pyfunctools.sources.python.markers import Context, ContextPart, Human, Inject


def injected(hint: object, **default: object) -> Injected:
    def f(x: object = default.get("default")) -> None: ...

    f.__annotations__["x"] = hint
    if not default:
        f.__defaults__ = None
    [found] = read_signature(f, "f").injected
    return found


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (Context[int], ContextPart()),
        (Context[int] | None, ContextPart()),
        (Optional[Context[int]], ContextPart()),
        (Annotated[Context[int], "more"], ContextPart()),
        (Annotated[int, Inject(dict)], Inject(dict)),
        (Annotated[int, "a", Inject(dict)] | None, Inject(dict)),
        (int, None),
        (Human[int], None),
        (list[Context[int]], None),
    ],
)
def test_the_injection_mark_of_a_hint(hint: object, expected: object) -> None:
    assert repr(injection_mark(hint)) == repr(expected)


def with_default(size: int = 3) -> int:
    return size


def with_context(context: str) -> str:
    return context.upper()


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        (lambda: 1, 1),
        (with_default, 3),
        (with_context, "ME"),
        (lambda *args, **kwargs: (args, kwargs), ((), {})),
        (dict, {}),
        (str.upper, "ME"),
    ],
)
def test_a_provider_takes_nothing_or_the_context(
    provider: Callable[..., object], expected: object
) -> None:
    assert injected(Annotated[object, Inject(provider)]).value("me") == expected


async def later() -> int:
    return 1


async def streamed() -> Any:
    yield 1


@pytest.mark.parametrize("provider", [later, streamed, lambda a, b: 1, lambda *, a: 1])
def test_a_provider_with_other_parameters_is_an_error(provider: Any) -> None:
    with pytest.raises(DefinitionError, match=r"f\(x\): (The provider|This function)"):
        injected(Annotated[int, Inject(provider)])


def test_an_injected_parameter_is_not_starred() -> None:
    def f(*users: Context[str]) -> None: ...

    with pytest.raises(DefinitionError, match=r"f\(users\)"):
        read_signature(f, "f")


def test_an_unfinished_mark_works_or_is_an_error() -> None:
    assert injected(Annotated[str, Context]).required
    with pytest.raises(DefinitionError, match=r"f\(x\).*Write `Inject\(f\)` with a function"):
        injected(Annotated[str, Inject])

    def f(pin: Annotated[str, Human], pins: list[Annotated[str, Human]], note: str) -> None: ...

    assert [*function_of(f).llm["properties"]] == ["note"]

    def g(users: list[Annotated[str, Context]]) -> None: ...

    with pytest.raises(DefinitionError, match=r"g\(users\).*parameter of its own"):
        function_of(g)


def test_a_provider_that_is_not_callable_is_an_error_at_once() -> None:
    with pytest.raises(
        DefinitionError, match=r"f\(x\): This must be a provider that can be called, not `int`"
    ):
        injected(Annotated[str, Inject(cast("Callable[[], object]", 3))])
