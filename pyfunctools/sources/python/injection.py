"""What the program gives to a call: the context, its `CallInfo`, and what a provider makes."""

import inspect
from collections.abc import Callable
from inspect import Parameter
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin

from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.record.call_info import CallInfo, wants_info
from pyfunctools.sources.python.markers import Context, ContextPart, Human, Inject

_STARS = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


class Injected(NamedTuple):
    """One parameter the program gives: the context, the `CallInfo`, or what `provider` makes."""

    name: str
    provider: Callable[..., object] | None
    takes_context: bool
    default: object
    required: bool = False
    """Whether it is the context, and `None` is not allowed."""
    is_info: bool = False

    def value(self, context: object, info: CallInfo | None = None) -> object:
        """Return what the parameter is in one call."""
        if self.is_info:
            return info
        if self.provider is None:
            no_context = context is None and self.default is not Parameter.empty
            return self.default if no_context else context
        return self.provider(context) if self.takes_context else self.provider()


def program_part(hint: object) -> ContextPart | Inject | type[CallInfo] | None:
    """Return the mark of what the program gives, where a hint carries one, a union's too."""
    if wants_info(hint):
        return CallInfo
    if get_origin(hint) is Annotated:
        hint, *marks = get_args(hint)
        for mark in marks:
            if isinstance(mark, ContextPart | Inject):
                return mark
        return program_part(hint)
    if get_origin(hint) in (Union, UnionType):
        return next(filter(None, map(program_part, get_args(hint))), None)
    return None


def read_injected(where: str, parameter: Parameter, hint: object) -> Injected | None:
    """Return what the program has to give for a parameter, or `None` where it is not the program's.

    Raises:
        DefinitionError: the parameter is `*` or `**`, the provider cannot be called so, or what is
            to mark the hint is no mark yet (`Annotated[str, Human]`).
    """
    where = f"{where}({parameter.name})"
    _check_marks(where, hint)
    mark = program_part(hint)
    if mark is None:
        return None
    if parameter.kind in _STARS:
        raise DefinitionError(
            where,
            "What the program gives stands on `*` or `**`.",
            "Give it a parameter of its own.",
        )
    provider = mark.provider if isinstance(mark, Inject) else None
    return Injected(
        name=parameter.name,
        provider=provider,
        takes_context=provider is not None and _takes_context(where, provider),
        default=parameter.default,
        required=isinstance(mark, ContextPart)
        and parameter.default is Parameter.empty
        and not _takes_none(hint),
        is_info=mark is CallInfo,
    )


def _takes_none(hint: object) -> bool:
    """Return whether `None` is a context too: by the hint, or because it says nothing."""
    if get_origin(hint) is Annotated:
        return _takes_none(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        return any(map(_takes_none, get_args(hint)))
    return hint in (None, NoneType, Any, object) or isinstance(hint, TypeVar)


def _check_marks(where: str, hint: object) -> None:
    """Refuse what would mark nothing, so that the model would be asked for it."""
    inside: tuple[object, ...] = get_args(hint)
    if get_origin(hint) is Annotated:
        for mark in inside[1:]:
            for unready, name, remedy in _UNREADY:
                if mark is unready:
                    reason = f"`{name}` inside `Annotated` marks nothing."
                    raise DefinitionError(where, reason, f"Write {remedy}.")
    for each in inside:
        _check_marks(where, each)


_UNREADY = (
    (Context, "Context", "`Context[...]`"),
    (Human, "Human", "`Human[...]`, or `Annotated[..., human()]`"),
    (Inject, "Inject", "`Annotated[..., Inject(provider)]`"),
)


def _takes_context(where: str, provider: object) -> bool:
    if not callable(provider):
        raise wrong_type(
            where,
            "a provider that can be called",
            provider,
            "Write `Inject(f)` with a function of nothing or of the context.",
        )
    if inspect.iscoroutinefunction(provider) or inspect.isasyncgenfunction(provider):
        raise DefinitionError(
            where,
            "The provider is asynchronous.",
            "Make it a plain function; what it gives may be awaited by the method.",
        )
    try:
        parameters = inspect.signature(provider).parameters.values()
    except (TypeError, ValueError):  # some built-in callables have no signature
        return False
    needed = [
        each for each in parameters if each.default is Parameter.empty and each.kind not in _STARS
    ]
    if len(needed) > 1 or any(each.kind is Parameter.KEYWORD_ONLY for each in needed):
        raise DefinitionError(
            where, "The provider takes more than the context.", "Let it take nothing or one."
        )
    return bool(needed)
