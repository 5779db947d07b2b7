"""The names that type hints use, for classes inside functions and names defined later too.

A hint that is text (`from __future__ import annotations`, or quotes) is evaluated in the globals of
its function. Local variables of enclosing functions are in no closure if only hints use them, so
`@function` keeps only those. Hints are evaluated only if they are in the user's code.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial, partialmethod, singledispatchmethod
from itertools import chain
from types import FrameType, FunctionType, MethodType, SimpleNamespace
from typing import (
    Annotated,
    Any,
    ForwardRef,
    NotRequired,
    Required,
    TypeGuard,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from pyfunctools._lazy import Lazy
from pyfunctools._text import shortened

Namespace = Mapping[str, object]
"""The values of names."""

K = TypeVar("K")

MAX_WRAPPINGS = 100
"""The most nested decorators that are unwrapped."""


def names_around(target: object, frame: FrameType) -> Lazy[Namespace] | None:
    """Return the local names of enclosing functions that a definition uses, `None` if it uses none.

    `frame` is the one that executes the definition. The names are looked up when they are first
    read, since those functions may define them later; until then their frames are kept.
    """
    function = function_behind(target)
    if function is None or "<locals>" not in function.__qualname__ or not [*_names_of(function)]:
        return None
    return Lazy(partial(_local_names, function, tuple(_enclosing_frames(function, frame))))


def _local_names(function: FunctionType, frames: tuple[FrameType, ...]) -> Namespace:
    found: dict[str, object] = {}
    todo = [*_names_of(function)]
    for name in todo:  # grows while it is read
        frame = next((each for each in frames if name in each.f_locals), None)
        if frame is not None and name not in found:
            found[name] = frame.f_locals[name]
            todo += _names_of(found[name])
    return found


def is_a(value: object, *kinds: type[K]) -> TypeGuard[K]:
    """Return whether the type of a value is one of these, or a subclass.

    `isinstance` also reads `__class__`, and a lazy proxy would create its object to answer.
    """
    return issubclass(type(value), kinds)


def class_of(obj: object) -> type:
    """Return the class of an object, or the object itself if it is a class."""
    return obj if is_a(obj, type) else type(obj)


def function_behind(target: object) -> FunctionType | None:
    """Return the plain function under decorators, methods, partials and callable objects."""
    for _ in range(MAX_WRAPPINGS):
        if type(target) is FunctionType:
            inner: object = target.__dict__.get("__wrapped__")
            if inner is None or "__signature__" in target.__dict__:
                return target
        elif (inner := wrapped_by(target)) is None:
            from inspect import getattr_static

            inner = getattr_static(target, "__wrapped__", None)
            if inner is None:
                called = getattr_static(type(target), "__call__", None)
                return function_behind(called) if type(called) is FunctionType else None
        target = inner
    return None


def wrapped_by(target: object) -> object:
    """Return the callable that a method, a partial or a property wraps, else `None`."""
    kind = type(target)
    if issubclass(kind, (MethodType, staticmethod, classmethod)):
        return cast("MethodType", target).__func__
    if issubclass(kind, (partial, partialmethod, cached_property, singledispatchmethod)):
        return cast("partial[object]", target).func
    return cast("property", target).fget if issubclass(kind, property) else None


def namespace_of(
    function: FunctionType | None, owner: type | None, enclosing: Lazy[Namespace] | None
) -> Namespace:
    """Return the names that a function's hints can use, without its globals.

    `owner` is the class that defines it. As in Python the class comes before the enclosing
    functions, innermost first; their frames are searched where the decorator ran and on the stack.
    """
    names: dict[str, object] = {}  # from the last to the first
    if owner is not None:
        names[owner.__name__] = owner
    if function is not None and "<locals>" in function.__qualname__:
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage] - documented by Python
        names |= dict(_closure(function))
        for found in reversed([*_enclosing_frames(function, frame)]):
            names |= found.f_locals
    names |= {} if enclosing is None else enclosing.value
    names |= {str(each): each for each in getattr(function, "__type_params__", ())}
    for name, value in vars(owner).items() if owner is not None else ():
        if issubclass(type(value), type) or type(value).__module__ in _TYPING:
            names[name] = value  # not methods, defaults and properties
    return names


def resolve_hints(
    hints: Namespace, names: Namespace, behind: FunctionType | None
) -> dict[str, object]:
    """Return the hints with every text in them evaluated; `Annotated` is kept.

    Raises:
        Exception: whatever evaluating the text raises, above all `NameError`.
    """
    holder = SimpleNamespace(__annotations__=dict(hints))
    known = {} if behind is None else behind.__globals__
    return get_type_hints(holder, globalns=known, localns=dict(names), include_extras=True)


def hint_text(hint: object) -> str:
    """Return the text of a hint for an error message."""
    if is_a(hint, type):
        return f"{hint.__module__}.{hint.__qualname__}"
    try:
        return shortened(str(hint), 200)
    except Exception:  # a user-written `__repr__`, or nested too deep
        return type(hint).__name__


def _enclosing_frames(function: FunctionType, frame: FrameType | None) -> Iterator[FrameType]:
    around = function.__qualname__.rpartition(".<locals>.")[0]
    while frame is not None and around:
        code = frame.f_code
        if code.co_qualname == around and frame.f_globals is function.__globals__:
            yield frame
            around = around.rpartition(".<locals>.")[0]
        frame = frame.f_back


def _closure(function: FunctionType) -> Iterator[tuple[str, object]]:
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        with suppress(ValueError):  # an empty cell: the name is not defined yet
            yield name, cell.cell_contents


def _raw_hints(definition: FunctionType | type) -> Iterable[object]:
    if sys.version_info >= (3, 14):
        from annotationlib import Format, get_annotations

        return get_annotations(definition, format=Format.STRING).values()
    if isinstance(definition, FunctionType):
        return definition.__annotations__.values()
    return vars(definition).get("__annotations__", {}).values()


def _names_of(definition: object) -> Iterator[str]:
    """Yield the names that the hints of a function, or of the fields of a class, use."""
    bases = definition.__mro__ if is_a(definition, type) else ()
    for each in (definition,) if isinstance(definition, FunctionType) else bases:
        yield from chain.from_iterable(map(_names_in, _raw_hints(each)))


def _names_in(hint: object) -> Iterator[str]:
    """Yield the words in the texts of a hint: `list` and `Item` for `"list['Item']"`."""
    if isinstance(hint, ForwardRef):
        hint = hint.__forward_arg__
    if isinstance(hint, str):
        yield from re.findall(r"\w+", hint)
    inner = cast("list[object]", hint) if isinstance(hint, list) else get_args(hint)
    for each in inner:
        yield from _names_in(each)


_TYPING = frozenset({"types", "typing", "typing_extensions"})


def metadata_of(hint: object) -> tuple[object, ...]:
    """Return the metadata in `Annotated[...]`, `()` for any other hint."""
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def keys_of(cls: type, names: Namespace) -> Mapping[str, tuple[object, bool]]:
    """Return the hint of each key of a `TypedDict`, and whether the key is required.

    Raises:
        Exception: it is no `TypedDict`, or whatever evaluating the text of a hint raises.
    """
    required: frozenset[str] = cast("Any", cls).__required_keys__
    keys: dict[str, tuple[object, bool]] = {}
    for name, hint in get_type_hints(cls, localns=dict(names), include_extras=True).items():
        origin = get_origin(hint)
        bare = get_args(hint)[0] if origin in (Required, NotRequired) else hint
        keys[name] = bare, origin is Required or (name in required and origin is not NotRequired)
    return keys
