"""The signature of a callable: its inputs, its injected parameters, and the hint of its output.

Injected parameters are those that the program provides: the context, the call's `CallInfo`, and the
values of `Inject(provider)`.
"""

import inspect
import sys
from collections import abc
from collections.abc import Callable, Mapping, Set
from contextlib import suppress
from functools import partial
from inspect import Parameter
from types import FunctionType, GenericAlias, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    Never,
    NoReturn,
    TypeVar,
    Union,
    Unpack,
    cast,
    get_args,
    get_origin,
)

from typing_extensions import Doc

from pyfunctools._bound import bound_keywords
from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.record.call import CallInfo, branches_of, takes_context
from pyfunctools.record.file import File
from pyfunctools.record.origin import is_async
from pyfunctools.sources.python.docstrings import class_docs
from pyfunctools.sources.python.hint_scope import (
    Namespace,
    function_behind,
    hint_text,
    keys_of,
    metadata_of,
    namespace_of,
    resolve_hints,
)
from pyfunctools.sources.python.markers import (
    FOREIGN_REMEDY,
    ContextPart,
    Inject,
    foreign_class,
    mark_in,
    marks_in,
    remedy_of,
)
from pyfunctools.sources.python.type_arguments import bound_hint

EMPTY: object = Parameter.empty
"""A missing default, or a missing hint of the output."""


class Input(NamedTuple):
    """One parameter in the schema, or one key of an unpacked `TypedDict`.

    `*args: T` has the hint `list[T]`. `**kwargs: T` has the hint `dict[str, T]`, and its name keeps
    the stars.
    """

    name: str
    kind: Literal["named", "args", "kwargs"]
    hint: object
    required: bool = True
    default: object = EMPTY


class Injected(NamedTuple):
    """One parameter that the program provides: the context, the `CallInfo`, or a provider's value.

    `required` is true for a context that cannot be `None`.
    """

    name: str
    provider: Callable[[object], object] | None
    default: object
    required: bool = False
    is_info: bool = False

    def value(self, context: object, info: CallInfo | None = None) -> object:
        """Return the value of the parameter in one call."""
        if self.is_info:
            return info
        if self.provider is None:
            return self.default if context is None and self.default is not EMPTY else context
        return self.provider(context)


class Signature(NamedTuple):
    """The signature of a callable, with its hints evaluated.

    `positional` are the names of the parameters to pass by position, in their order; `reserved` are
    names that keys of `**kwargs` must not have. `names` is the namespace of the hints.
    """

    where: str
    inputs: tuple[Input, ...]
    injected: tuple[Injected, ...]
    positional: tuple[str, ...]
    reserved: Set[str]
    output: object
    is_async: bool
    names: Namespace


def read_signature(
    called: Callable[..., object],
    where: str,
    *,
    owner: type | None = None,
    enclosing: Lazy[Namespace] | None = None,
) -> Signature:
    """Return the signature of a callable, with its hints evaluated.

    `where` is its name in errors, `owner` the class that defines it.

    Raises:
        DefinitionError: its signature cannot be read, a parameter has no hint, or a hint uses an
            unknown name.
    """
    bound = bound_keywords(called)
    try:
        found = hints_of(called, owner, enclosing)
    except Exception as error:  # most often a built-in without a signature
        raise DefinitionError(
            where, f"Its signature cannot be read: {error}.", "Write a function that calls it."
        ) from error
    inputs, injected = list[Input](), list[Injected]()
    parameters = {name: each for name, each in found.parameters.items() if name not in bound}
    for name, parameter in parameters.items():
        _check_annotation(where, parameter)
        hint = _evaluated(f"{where}({name})", name, found)
        program_part = _injected(f"{where}({name})", parameter, hint)
        if program_part is None:
            is_unpacked = parameter.kind is Parameter.VAR_KEYWORD and get_origin(hint) is Unpack
            if is_unpacked:
                inputs += _unpacked_keys(f"{where}({name})", get_args(hint)[0], found.names)
            else:
                inputs.append(_input(where, parameter, hint))
        else:
            injected.append(program_part)
    returns = _evaluated(where, "return", found)
    waits = (get_origin(returns) or returns) in (*_WAITED, *_ASYNC_STREAMS)
    return Signature(
        where=where,
        inputs=tuple(inputs),
        injected=tuple(injected),
        positional=_positional(called, parameters),
        reserved={*bound, *_name_of_self(called), *(each.name for each in injected)},
        output=_output(returns),
        is_async=waits or is_async(called),
        names=found.names,
    )


class Hints(NamedTuple):
    """The parameters of a callable, and their hints by name; `return` is that of the output.

    `unknown` has the errors of the hints that cannot be evaluated, which stay as they are written.
    `names` is the namespace of the hints.
    """

    parameters: Mapping[str, Parameter]
    hints: Mapping[str, object]
    unknown: Mapping[str, Exception]
    names: Namespace


def hints_of(
    called: object, owner: type | None = None, enclosing: Lazy[Namespace] | None = None
) -> Hints:
    """Return the parameters of a callable with their hints.

    Raises:
        TypeError, ValueError: it cannot be called, or is built-in and has no signature.
    """
    signature = _signature(cast("Callable[..., object]", called))
    behind = function_behind(called.__init__ if isinstance(called, type) else called)
    names = namespace_of(behind, owner, enclosing)
    raw: dict[str, object] = {each.name: each.annotation for each in signature.parameters.values()}
    if signature.return_annotation is not EMPTY:
        raw["return"] = signature.return_annotation
    with suppress(Exception):  # evaluating the text of a hint may raise anything: see which one
        resolved = resolve_hints(raw, names, behind).items()
        known = {name: bound_hint(hint, called, owner) for name, hint in resolved}
        return Hints(signature.parameters, known, {}, names)
    unknown: dict[str, Exception] = {}
    for name, hint in raw.items():
        try:
            raw[name] = bound_hint(_hint_of(name, hint, behind, names), called, owner)
        except Exception as error:  # as above
            unknown[name] = error
    return Hints(signature.parameters, raw, unknown, names)


def _signature(called: Callable[..., object]) -> inspect.Signature:
    if isinstance(called, partial):  # without the `__wrapped__` of `update_wrapper`
        bound = cast("partial[object]", called)
        called = partial(bound.func, *bound.args, **bound.keywords)
    if sys.version_info >= (3, 14):
        from annotationlib import Format

        return inspect.signature(called, annotation_format=Format.FORWARDREF)
    return inspect.signature(called)


def _evaluated(where: str, name: str, found: Hints) -> object:
    hint = found.hints.get(name, EMPTY)
    if (reason := found.unknown.get(name)) is None:
        return hint
    text = f"The hint `{hint_text(hint)}` cannot be evaluated: {reason}."
    remedy = (
        "Define or import its names where the function is defined, not under `TYPE_CHECKING` only."
    )
    raise DefinitionError(where, text, remedy) from reason


def _positional(called: object, parameters: Mapping[str, Parameter]) -> tuple[str, ...]:
    """Return the names to pass by position: all before `*args`, else the positional-only ones."""
    has_args = any(each.kind is Parameter.VAR_POSITIONAL for each in parameters.values())
    end = Parameter.VAR_POSITIONAL if has_args else Parameter.POSITIONAL_OR_KEYWORD
    found = tuple(name for name, each in parameters.items() if each.kind < end)
    while isinstance(called, partial):
        called = cast("partial[object]", called).func
    # A `functools.singledispatch` function goes by the type of its first positional argument.
    dispatches = hasattr(called, "registry") and hasattr(called, "dispatch")
    return found or tuple(parameters)[:dispatches]


def _name_of_self(called: object) -> tuple[str, ...]:
    """Return the name of the parameter that a method is bound to."""
    behind = function_behind(called)
    if behind is None or isinstance(called, FunctionType):
        return ()
    return behind.__code__.co_varnames[: min(behind.__code__.co_argcount, 1)]


def _check_annotation(where: str, parameter: Parameter) -> None:
    """Refuse a parameter without a hint, and a mark as default or outside of `Annotated`."""
    hint, default, stars = parameter.annotation, parameter.default, _STARS.get(parameter.kind, "")
    place = f"{where}({parameter.name})"
    if default is not EMPTY:
        if (foreign := foreign_class(default)) is not None:
            reason = f"Its default is a `{foreign}`, which only its own library fills in."
            raise DefinitionError(place, reason, FOREIGN_REMEDY)
        check_default(place, default)
    if get_origin(hint) is not Annotated and (mark := mark_in(hint)):
        reason = f"Its hint is `{mark.word}`, a mark, and not a type."
        raise DefinitionError(place, reason, remedy_of(mark))
    if hint is EMPTY:
        remedy = f"Write one, such as `{stars}{parameter.name}: str`: the model needs it."
        if stars:
            remedy += " A decorator keeps the hints with `@functools.wraps`."
        reason = "The parameter has no type hint."
        raise DefinitionError(f"{where}({stars}{parameter.name})", reason, remedy)


def check_default(where: str, default: object) -> None:
    """Refuse a mark as a default.

    Raises:
        DefinitionError: the default is a mark.
    """
    if mark := mark_in(default):
        reason = f"Its default is `{mark.word}`, a mark, which has no effect there."
        raise DefinitionError(where, reason, remedy_of(mark))


def _hint_of(name: str, hint: object, behind: FunctionType | None, names: Namespace) -> object:
    """Return one evaluated hint; the type of an injected parameter may be unknown at run time."""
    stand_ins: dict[str, object] = {}
    reason: Exception | None = None
    while True:
        try:
            found = resolve_hints({name: hint}, {**names, **stand_ins}, behind)[name]
        except Exception as error:  # a hint's text may raise anything
            reason = reason or error
            missing = error.name if isinstance(error, NameError) else None
            if missing is None or missing in stand_ins:
                raise reason from None
            stand_ins[missing] = object
        else:
            if reason is not None and injection_mark(found) is None:
                raise reason
            return found


def _input(where: str, parameter: Parameter, hint: object) -> Input:
    from pydantic.fields import FieldInfo

    name, default = parameter.name, parameter.default
    if parameter.kind is Parameter.VAR_POSITIONAL:
        return Input(name, "args", GenericAlias(list, (hint,)), required=False)
    if parameter.kind is Parameter.VAR_KEYWORD:
        # No parameter can have this name, and no alias needs it.
        return Input(f"**{name}", "kwargs", GenericAlias(dict, (str, hint)), required=False)
    if isinstance(default, FieldInfo):
        check_default(f"{where}({name})", default.default)
        field = Annotated[hint, default]  # pyright: ignore[reportInvalidTypeForm] - made at run time
        return Input(name, "named", field, default.is_required())
    settings = [each for each in metadata_of(hint) if isinstance(each, FieldInfo)]
    required = default is EMPTY and all(each.is_required() for each in settings)
    return Input(name, "named", hint, required, default)


def _unpacked_keys(where: str, packed: object, names: Namespace) -> list[Input]:
    """Return the keys of the `TypedDict` in `**kwargs: Unpack[...]`."""
    try:
        keys = keys_of(cast("type", packed), names)
    except Exception as error:  # a hint's text may raise anything
        reason = f"The hints of `{hint_text(packed)}` cannot be evaluated: {error}."
        raise DefinitionError(where, reason, "Unpack a `TypedDict` of known names.") from error
    texts = class_docs(cast("type", packed), names).attributes
    return [
        Input(name, "named", Annotated[hint, Doc(texts[name])] if name in texts else hint, required)
        for name, (hint, required) in keys.items()
    ]


_WAITED = (abc.Awaitable, abc.Coroutine)
_ASYNC_STREAMS = (abc.AsyncGenerator, abc.AsyncIterable, abc.AsyncIterator)
_UNIONS = (Union, UnionType)
_FILES_TAKEN_OUT = (list, dict, abc.Sequence, abc.Mapping)
"""Containers of which what is no file has an output schema."""
_COLLECTED = (
    *(*_ASYNC_STREAMS, abc.Generator, abc.Iterable, abc.Iterator),
    *(abc.Collection, abc.KeysView, abc.ValuesView),
)


def _output(hint: object) -> object:
    """Return the hint of the final value of a call, awaited and collected.

    `EMPTY` if it is unknown, or if there is no value (`None`).
    """
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    origin, inner = get_origin(bare) or bare, get_args(bare)
    if bare in (EMPTY, None, NoneType, Any, object, NoReturn, Never):
        return EMPTY
    if origin in _WAITED:
        return _output(inner[-1]) if inner else EMPTY
    if origin in _COLLECTED:
        return _output(GenericAlias(list, inner[:1] or (Any,)))
    if origin in _UNIONS and any(map(_is_result_type, inner)):
        left = tuple(each for each in inner if not _is_result_type(each))
        has_value = {*left} - {NoneType} and File not in inner
        return Union[left] if has_value else EMPTY  # noqa: UP007 - at run time
    if origin in _FILES_TAKEN_OUT and inner and get_origin(inner[-1]) in _UNIONS:
        left = tuple(each for each in get_args(inner[-1]) if each is not File)
        if {*left} - {NoneType} and not any(map(_is_result_type, left)):
            return GenericAlias(origin, (*inner[:-1], Union[left]))  # noqa: UP007 - at run time
    return EMPTY if _is_result_type(bare) else hint


def _is_result_type(hint: object) -> bool:
    """Return whether a hint is `Outcome` or `File`, or a container of them: without a schema."""
    if (inner := get_args(hint)) and get_origin(hint) is not Literal:
        return any(map(_is_result_type, inner))
    named = getattr(hint, "__module__", None), getattr(hint, "__qualname__", None)
    return hint is File or named == ("pyfunctools.record.outcome", "Outcome")  # loaded by calls


def injection_mark(hint: object) -> ContextPart | Inject | type[CallInfo] | None:
    """Return the mark of an injected parameter in a hint or in a branch of its union."""
    for branch in branches_of(hint):
        if branch is CallInfo:
            return CallInfo
        for mark in marks_in(metadata_of(branch)):
            if isinstance(mark, ContextPart | Inject):
                return mark
    return None


def _injected(where: str, parameter: Parameter, hint: object) -> Injected | None:
    """Return an injected parameter, or `None` for an input."""
    if (foreign := foreign_class(hint)) is not None:
        reason = f"Its hint has `{foreign}`, which only its own library fills in."
        raise DefinitionError(where, reason, FOREIGN_REMEDY)
    mark = injection_mark(hint)
    if mark is None:
        return None
    if parameter.kind in _STARS:
        reason = "An injected parameter cannot be `*` or `**`."
        raise DefinitionError(where, reason, "Give it a parameter of its own.")
    is_optional = parameter.default is not EMPTY or any(map(_takes_none, branches_of(hint)))
    return Injected(
        name=parameter.name,
        provider=_provider(where, mark.provider) if isinstance(mark, Inject) else None,
        default=parameter.default,
        required=isinstance(mark, ContextPart) and not is_optional,
        is_info=mark is CallInfo,
    )


_STARS: Mapping[object, str] = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}


def _takes_none(hint: object) -> bool:
    return hint in (None, NoneType, Any, object) or isinstance(hint, TypeVar)


def _provider(where: str, provider: Callable[..., object]) -> Callable[[object], object]:
    """Return a provider as a function of the context."""
    if not callable(provider):
        remedy = "Write `Inject(f)` with a function of no arguments, or of the context."
        raise wrong_type(where, "a provider that can be called", provider, remedy)
    if inspect.iscoroutinefunction(provider) or inspect.isasyncgenfunction(provider):
        remedy = "Make it a plain function; the method may await the value it returns."
        raise DefinitionError(where, "The provider is asynchronous.", remedy)
    return provider if takes_context(where, provider) else lambda _: provider()
