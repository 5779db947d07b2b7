"""The form of a call, in the error for one that has another form: `select(tag="x")`."""

from collections.abc import Callable, Iterable
from functools import wraps
from types import FunctionType
from typing import Any, Final, TypeVar

T = TypeVar("T")

_VALUES: Final = frozenset({"human", "options", "settings"})
"""Parameters with values of a person or credentials, which no frame around a method may hold."""


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
    from inspect import Parameter, signature  # an import of the package does without these

    from pyfunctools.schema.ground.did_you_mean import meant_option

    given = [each for each in signature(method).parameters.values() if each.name not in _OWN]
    names = [each.name for each in given]
    for option in options:
        if option not in names and (meant := meant_option(option, names)):
            return meant
    by_name = (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)
    form = ", ".join(f"{each.name}=..." if each.kind in by_name else each.name for each in given)
    return f"Write `{method.__name__}({form})`."


_COROUTINE: Final = 0x80
"""`inspect.CO_COROUTINE`."""

_OWN: Final = frozenset({"self", "cls"})
