"""What `Self` and type variables stand for in the hints of a method."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from inspect import getattr_static
from types import FunctionType, MethodType, UnionType
from typing import Annotated, Any, Literal, Self, TypeVar, Union, cast, get_args, get_origin

from pyfunctools.sources.python.hint_scope import class_of, is_a

_Change = Callable[[object], object]


def bound_hint(hint: object, called: object, owner: type | None) -> object:
    """Return the hint of a method without `Self`, and without type variables that have a value.

    Example: in `class Users(Store[User])`, a method of `Store` with `list[T]` has `list[User]`.

    Raises:
        TypeError: there is a `Self`, and no class.
    """
    if hint is not Self and not isinstance(hint, TypeVar):
        return with_inner(hint, lambda inner: bound_hint(inner, called, owner))
    while is_a(called, partial):
        called = cast("partial[object]", called).func
    bound = called.__self__ if is_a(called, MethodType) else called
    cls = owner if is_a(bound, FunctionType) else class_of(bound)
    if hint is not Self:
        return _values(bound, cls).get(owner, {}).get(hint, hint)
    if cls is None:
        raise TypeError("it is used outside of a class")
    return cls


def _values(bound: object, cls: type | None) -> Mapping[object, Mapping[object, object]]:
    """Return the values of the type variables of a generic class and of its bases, by class."""
    whole: object = getattr_static(bound, "__orig_class__", None)  # of `Store[User]()`
    found: dict[object, Mapping[object, object]] = {}
    for each in (None, *(cls.__mro__ if cls is not None else ())):
        own = found.get(each, {})

        def value(hint: object, own: Mapping[object, object] = own) -> object:
            return own.get(hint, hint) if isinstance(hint, TypeVar) else with_inner(hint, value)

        bases: Iterable[object] = vars(each).get("__orig_bases__", ()) if each else (whole,)
        for origin, inner in map(_split, (*bases, each)):
            names: Iterable[object] = getattr(origin, "__parameters__", ())
            found.setdefault(origin, dict(zip(names, map(value, inner), strict=False)))
    return found


def with_inner(hint: object, change: _Change) -> object:
    """Return a hint with a change made to each hint directly inside it."""
    origin, inner = _split(hint)
    if origin in (None, Literal, Callable):
        return hint
    hints = inner[:1] if origin is Annotated else inner
    changed = tuple(map(change, hints))
    if all(new is old for new, old in zip(changed, hints, strict=True)):
        return hint
    return subscripted(origin, (*changed, *inner[len(hints) :]))


def _split(hint: object) -> tuple[object, tuple[object, ...]]:
    """Return the generic type of a hint, a model of pydantic too, and its arguments."""
    generic: Mapping[str, Any] = getattr(hint, "__pydantic_generic_metadata__", None) or {}
    return get_origin(hint) or generic.get("origin"), get_args(hint) or generic.get("args", ())


def subscripted(origin: object, inner: tuple[object, ...]) -> object:
    """Return a generic type with these arguments."""
    generic: Any = Union if origin is UnionType else origin
    only, *more = inner
    return generic[inner if more else only]
