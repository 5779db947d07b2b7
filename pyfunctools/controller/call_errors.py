"""Errors of methods that are called with the wrong arguments, which say how to call them."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from types import FunctionType
from typing import Any, Final, TypeVar

from pyfunctools.errors import DefinitionError

T = TypeVar("T")

_VALUES: Final = frozenset({"human", "options", "settings"})
"""Parameters with values of a person or credentials, which no frame around a method may hold."""

_COROUTINE: Final = 0x80
"""`inspect.CO_COROUTINE`: to import `inspect` takes a third of the time of our own modules."""


def says_its_form(cls: type[T]) -> type[T]:
    """Return a class whose public methods say in a `TypeError` how they are called."""
    for name, member in list(vars(cls).items()):
        method: object = getattr(member, "__func__", member)
        if name.startswith("_") or not isinstance(method, FunctionType):
            continue
        code = method.__code__
        if _VALUES.isdisjoint(code.co_varnames) and not code.co_flags & _COROUTINE:
            explained = _explained(method)
            setattr(cls, name, classmethod(explained) if method is not member else explained)
    return cls


def _explained(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def called(*args: Any, **options: Any) -> Any:
        try:
            return method(*args, **options)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # by the method itself
            reason = str(error).replace(method.__qualname__, method.__name__).rstrip(".?")
            raise TypeError(f"{reason}. {_remedy(method, options)}") from None

    return called


def _remedy(method: Callable[..., Any], options: Iterable[str]) -> str:
    from inspect import Parameter, signature

    from pyfunctools.schema.ground.did_you_mean import meant_option

    all_of_them = signature(method).parameters.values()
    given = [each for each in all_of_them if each.name not in ("self", "cls")]
    names = [each.name for each in given]
    for option in options:
        if option not in names and (meant := meant_option(option, names)):
            return meant
    by_name = (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)
    form = ", ".join(f"{each.name}=..." if each.kind in by_name else each.name for each in given)
    return f"Write `{method.__name__}({form})`."


_ONE_VALUE = {
    "call": "The arguments of a function are one value: `call(name, {})`.",
    "resume": "The values of a person are one value: `resume(ticket, {})`.",
}


def check_options(name: str, options: Mapping[str, object], known: Collection[str]) -> None:
    """Raise a `TypeError` for an unknown keyword argument of a method that calls functions."""
    if strange := sorted(options.keys() - set(known)):
        from pyfunctools.schema.ground.did_you_mean import meant_option

        remedy = meant_option(strange[0], known)
        if remedy is None:
            given = "{" + ", ".join(f'"{each}": ...' for each in strange) + "}"
            form = f"{_ONE_VALUE[name].format(given)} " if name in _ONE_VALUE else ""
            remedy = f"{form}The options are {', '.join(sorted(known))}."
        raise TypeError(f"{name}() got an unexpected keyword argument {strange[0]!r}. {remedy}")


def listed(where: str, name: str, texts: Iterable[str]) -> list[str]:
    """Return the texts of an argument as a list; a single text becomes a list of one.

    Raises:
        DefinitionError: they are no texts.
    """
    found = [texts] if isinstance(texts, str) or not isinstance(texts, Iterable) else [*texts]  # pyright: ignore[reportUnnecessaryIsInstance]
    if not all(isinstance(each, str) for each in found):  # pyright: ignore[reportUnnecessaryIsInstance]
        reason, remedy = f"{texts!r} is not a list of texts.", f'Write `{name}=["..."]`.'
        raise DefinitionError(f"{where}({name})", reason, remedy)
    return found
