"""`@function`: the mark of a method or a function that a model may call."""

import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar, Unpack, cast, overload

from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError
from pyfunctools.record.traits import Traits, checked_traits
from pyfunctools.sources.python.hint_scope import Namespace, is_a, names_around, wrapped_by

_MARK = "__pyfunctools__"


F = TypeVar(
    "F", bound="Callable[..., object] | staticmethod[..., Any] | classmethod[Any, ..., Any]"
)


class Marks(NamedTuple):
    """The settings of `@function`; `traits` has the other fields of a `Function` that were set.

    A named tuple, because importing `dataclasses` costs more than everything else here. `enclosing`
    holds the local names of surrounding functions that the hints use.
    """

    name: str | None = None
    description: str | None = None
    traits: Mapping[str, object] = MappingProxyType({})
    enclosing: Lazy[Namespace] | None = None


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
    """Mark a method or a function that a model may call, and return it unchanged.

    Use it alone (`@function`) or with settings (`@function(tags=["orders"])`), over or under
    `@staticmethod` and `@classmethod`. Nothing is built here: hints and names are checked when a
    controller is created.

    Args:
        name: The name for the model, instead of the function's name.
        description: The description for the model, instead of the docstring.
        title: A short name for people.
        tags: Tags for `controller.select(tags=...)`.
        deprecated: Whether it should no longer be used.
        display_text: The text a user sees while it runs.
        read_only: Whether it changes nothing.
        destructive: Whether it may destroy something.
        idempotent: Whether calling it twice has the same effect as calling it once.
        confirm: Whether a person has to approve each call.
        concurrent: Whether it may run at the same time as other calls.
        strict: Whether it is rendered strictly by default.

    Raises:
        DefinitionError: the marked object is not a function or method (a class, a property), or
            takes no attributes; or a setting is of the wrong type.
    """
    traits = checked_traits("function", settings) if settings else {}
    name = cast("str | None", traits.pop("name", None))
    description = cast("str | None", traits.pop("description", None))
    marks = Marks(name, description, traits)
    if marked is not None:
        return _attached(marked, marks)

    def mark(target: F) -> F:
        return _attached(target, marks)

    return mark


def marks_of(target: object) -> Marks | None:
    """Return the settings that `@function` attached, or `None`; no user code runs."""
    while target is not None:
        try:
            attributes: object = object.__getattribute__(target, "__dict__")
        except AttributeError:
            attributes = None
        if type(attributes) is dict:
            found = cast("dict[str, object]", attributes).get(_MARK)
            if isinstance(found, Marks):
                return found
        target = wrapped_by(target)
    return None


def _attached(target: F, marks: Marks) -> F:
    if is_a(target, str):
        remedy = f"Write `@function(name={target!r})`."
        raise DefinitionError(f"function({target!r})", "The name is a setting.", remedy)
    if is_a(target, type, property):
        where = getattr(target, "__name__", "property")
        reason = "`@function` marks a function or a method, and this is neither."
        remedy = "Mark the method itself; of a class, pass an instance to `Controller.from_object`."
        raise DefinitionError(where, reason, remedy)
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage] - the one that decorates
    enclosing = names_around(target, frame)
    try:
        setattr(target, _MARK, marks if enclosing is None else marks._replace(enclosing=enclosing))
    except AttributeError:
        reason = "`@function` cannot mark this: it takes no attributes."
        remedy = "Write a function that calls it, and mark that."
        raise DefinitionError(repr(target), reason, remedy) from None
    return target
