"""`@function`: the mark that makes a method or a function one a model may call."""

import sys
from collections.abc import Callable, Mapping
from types import FrameType, MappingProxyType
from typing import NamedTuple, Protocol, TypeVar, Unpack, cast, overload

from pyfunctools.errors import DefinitionError
from pyfunctools.record.traits import Traits, checked_traits
from pyfunctools.sources.python.hint_scope import Enclosing, inside, is_a

_MARK = "__pyfunctools__"
_OWN = ("name", "description")


class _Wrapping(Protocol):
    """A `staticmethod` or a `classmethod` object."""

    @property
    def __func__(self) -> Callable[..., object]: ...


F = TypeVar("F", bound="Callable[..., object] | _Wrapping")


class Marks(NamedTuple):
    """The settings of `@function`; what was not said is as a `Function` has it by default.

    A named tuple, and no dataclass, because `dataclasses` costs more to import than all the rest.

    `enclosing` are the names of the functions around the definition that its hints may mean.
    """

    name: str | None = None
    description: str | None = None
    traits: Mapping[str, object] = MappingProxyType({})
    enclosing: Enclosing | None = None


@overload
def function(marked: F, /) -> F: ...


@overload
def function(
    *,
    name: str | None = None,
    description: str | None = None,
    **traits: Unpack[Traits],
) -> Callable[[F], F]: ...


def function(marked: F | None = None, /, **settings: object) -> F | Callable[[F], F]:
    """Mark a method or a function as one a model may call; it stays exactly what it was.

    Stands alone (`@function`) or with settings (`@function(tags=["orders"])`), over or under
    `@staticmethod` and `@classmethod`. Nothing is built here: a hint or a name that cannot be used
    is an error of the controller.

    Args:
        name: What the model calls it, instead of its own name.
        description: What the model reads, instead of the docstring.
        title: A short name for people.
        tags: What `controller.select(tags=...)` finds it by.
        deprecated: Whether better not to use it any more.
        display_text: What a user is shown while it runs.
        read_only: Whether it changes nothing.
        destructive: Whether it may destroy something.
        idempotent: Whether doing it twice is as doing it once.
        confirm: Whether a person has to approve each call.
        concurrent: Whether it may run beside other calls.
        strict: Whether it is rendered strictly by default.

    Raises:
        DefinitionError: what is marked is no function or method (a class, a property), or cannot
            carry a mark; or a setting is of the wrong type.
    """
    traits = checked_traits("function", settings) if settings else {}
    name, description = (cast("str | None", traits.pop(each, None)) for each in _OWN)
    marks = Marks(name, description, traits)
    if marked is not None:
        return _attached(marked, marks, _caller(1))

    def mark(target: F) -> F:
        return _attached(target, marks, _caller(1))

    return mark


def marks_of(target: object) -> Marks | None:
    """Return the marks that `@function` left, or `None`; runs nobody's code."""
    while target is not None:
        try:
            attributes: object = object.__getattribute__(target, "__dict__")
        except AttributeError:
            attributes = None
        if is_a(attributes, dict):
            found = cast("Mapping[str, object]", attributes).get(_MARK)
            if isinstance(found, Marks):
                return found
        target = inside(target)
    return None


def _attached(target: F, marks: Marks, frame: FrameType) -> F:
    if is_a(target, str):
        raise DefinitionError(
            f"function({target!r})",
            "The name is a setting.",
            f"Write `@function(name={target!r})`.",
        )
    if is_a(target, type) or is_a(target, property):
        raise DefinitionError(
            getattr(target, "__name__", "property"),
            "`@function` stands over what is neither a function nor a method.",
            "Mark the method itself; of a class, pass an instance to `Controller.from_object`.",
        )
    enclosing = Enclosing.around(target, frame)
    try:
        setattr(target, _MARK, marks if enclosing is None else marks._replace(enclosing=enclosing))
    except AttributeError:
        raise DefinitionError(
            repr(target),
            "`@function` cannot mark this: it takes no attributes.",
            "Write a function that calls it, and mark that.",
        ) from None
    return target


def _caller(above: int) -> FrameType:
    return sys._getframe(above + 1)  # pyright: ignore[reportPrivateUsage] - documented by Python
