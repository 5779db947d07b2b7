"""The signature of a callable: its inputs, its injected parameters, and the hint of its output.

Injected parameters are those that the program provides: the context, the call's `CallInfo`, and the
values of `Inject(provider)`.
"""

import inspect
import sys
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
    Mapping,
)
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
    TypeAlias,
    TypeVar,
    Union,
    Unpack,
    cast,
    get_args,
    get_origin,
)

from typing_extensions import is_typeddict

from pyfunctools._bound import bound_keywords
from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.record.call import CallInfo, takes_context
from pyfunctools.record.origin import is_async
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
    Context,
    ContextPart,
    Human,
    Inject,
    foreign_class,
    mark_in,
    remedy_of,
)

InputKind: TypeAlias = Literal["named", "args", "kwargs"]
"""Whether an input is an ordinary parameter, `*args` or `**kwargs`."""

EMPTY: object = Parameter.empty
"""A missing default, or a missing hint of the output."""


class Input(NamedTuple):
    """One parameter in the schema, or one key of an unpacked `TypedDict`.

    `*args: T` has the hint `list[T]`. `**kwargs: T` has the hint `dict[str, T]`, and its name keeps
    the stars.
    """

    name: str
    kind: InputKind
    hint: object
    required: bool = True
    default: object = EMPTY


class Injected(NamedTuple):
    """One parameter that the program provides: the context, the `CallInfo`, or a provider's value.

    `required` is true for a context that cannot be `None`.
    """

    name: str
    provider: Callable[..., object] | None
    takes_context: bool
    default: object
    required: bool = False
    is_info: bool = False

    def value(self, context: object, info: CallInfo | None = None) -> object:
        """Return the value of the parameter in one call."""
        if self.is_info:
            return info
        if self.provider is None:
            return self.default if context is None and self.default is not EMPTY else context
        return self.provider(context) if self.takes_context else self.provider()


class Signature(NamedTuple):
    """The signature of a callable, with its hints evaluated.

    `positional` are the names of the parameters to pass by position, in their order; `reserved` are
    names that keys of `**kwargs` must not have. `names` is the namespace of the hints.
    """

    where: str
    inputs: tuple[Input, ...]
    injected: tuple[Injected, ...]
    positional: tuple[str, ...]
    reserved: frozenset[str]
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
    behind = function_behind(called)
    try:
        signature = _signature(called)
    except Exception as error:  # most often a built-in without a signature
        raise DefinitionError(
            where, f"Its signature cannot be read: {error}.", "Write a function that calls it."
        ) from error
    names = namespace_of(behind, owner, enclosing)
    bound = bound_keywords(called)
    parameters = [each for name, each in signature.parameters.items() if name not in bound]
    hints = _hints_of(where, parameters, signature.return_annotation, behind, names)
    inputs: list[Input] = []
    injected: list[Injected] = []
    for parameter in parameters:
        hint = hints[parameter.name]
        program_part = _injected(f"{where}({parameter.name})", parameter, hint)
        if program_part is None:
            inputs += _inputs(where, parameter, hint, names)
        else:
            injected.append(program_part)
    returns = hints.get("return", EMPTY)
    has_args = any(each.kind is Parameter.VAR_POSITIONAL for each in parameters)
    by_position = _LEADING if has_args else _LEADING[:1]
    return Signature(
        where=where,
        inputs=tuple(inputs),
        injected=tuple(injected),
        positional=tuple(each.name for each in parameters if each.kind in by_position),
        reserved=frozenset({*(each.name for each in injected), *bound})
        | _name_of_self(called, behind),
        output=_output(returns),
        is_async=(get_origin(returns) or returns) in _ASYNC or is_async(called),
        names=names,
    )


def hinted_parameters(
    called: object, owner: type | None = None
) -> Mapping[str, tuple[Parameter, object]]:
    """Return the parameters of a callable with their hints; one that is unknown stays a text."""
    try:
        parameters = inspect.signature(cast("Callable[..., object]", called)).parameters
    except (TypeError, ValueError):  # it cannot be called, or is built-in and has no signature
        return {}
    behind = function_behind(called.__init__ if isinstance(called, type) else called)
    names, found = namespace_of(behind, owner, None), dict[str, tuple[Parameter, object]]()
    for name, each in parameters.items():
        hint: object = each.annotation
        with suppress(Exception):  # evaluating the text of a hint may raise anything
            hint = resolve_hints({name: hint}, names, behind)[name]
        found[name] = each, hint
    return found


def _signature(called: Callable[..., object]) -> inspect.Signature:
    if isinstance(called, partial):  # without the `__wrapped__` of `update_wrapper`
        bound = cast("partial[object]", called)
        called = partial(bound.func, *bound.args, **bound.keywords)
    if sys.version_info >= (3, 14):
        from annotationlib import Format

        return inspect.signature(called, annotation_format=Format.FORWARDREF)
    return inspect.signature(called)


def _name_of_self(called: object, behind: FunctionType | None) -> frozenset[str]:
    """Return the name of the parameter that a method is bound to."""
    while isinstance(called, partial):
        called = called.func  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if behind is None or isinstance(called, FunctionType):
        return frozenset()
    return frozenset(behind.__code__.co_varnames[: min(behind.__code__.co_argcount, 1)])


def _hints_of(
    where: str,
    parameters: Iterable[Parameter],
    returns: object,
    behind: FunctionType | None,
    names: Namespace,
) -> dict[str, object]:
    raw: dict[str, object] = {}
    for each in parameters:
        _check_annotation(where, each)
        raw[each.name] = each.annotation
    if returns is not EMPTY:
        raw["return"] = returns
    with suppress(Exception):  # raised again below, with the parameter's name
        return resolve_hints(raw, names, behind)
    return {name: _hint_of(where, name, hint, behind, names) for name, hint in raw.items()}


def _check_annotation(where: str, parameter: Parameter) -> None:
    """Refuse a parameter without a hint, and a mark as default or outside of `Annotated`."""
    hint = parameter.annotation
    if (foreign := foreign_class(parameter.default)) is not None:
        reason = f"Its default is a `{foreign}`, which only its own library fills in."
        raise DefinitionError(f"{where}({parameter.name})", reason, FOREIGN_REMEDY)
    if parameter.default is not EMPTY:
        check_default(f"{where}({parameter.name})", parameter.default)
    if get_origin(hint) is not Annotated and (mark := mark_in(hint)):
        reason = f"Its hint is `{mark}`, a mark, and not a type."
        raise DefinitionError(f"{where}({parameter.name})", reason, remedy_of(mark))
    if hint is EMPTY:
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        raise DefinitionError(
            f"{where}({stars}{parameter.name})",
            "The parameter has no type hint.",
            f"Write one, such as `{stars}{parameter.name}: str`: the model needs it."
            + (" A decorator keeps the hints with `@functools.wraps`." if stars else ""),
        )


def check_default(where: str, default: object) -> None:
    """Refuse a mark as a default.

    Raises:
        DefinitionError: the default is a mark.
    """
    if mark := mark_in(default):
        reason = f"Its default is `{mark}`, a mark, which has no effect there."
        raise DefinitionError(where, reason, remedy_of(mark))


def _hint_of(
    where: str, name: str, hint: object, behind: FunctionType | None, names: Namespace
) -> object:
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
                break
            stand_ins[missing] = object
        else:
            if reason is None or injection_mark(found) is not None:
                return found
            break
    raise DefinitionError(
        where if name == "return" else f"{where}({name})",
        f"The hint `{hint_text(hint)}` cannot be evaluated: {reason}.",
        "Define or import its names where the function is defined, not under `TYPE_CHECKING` only.",
    ) from reason


def _inputs(where: str, parameter: Parameter, hint: object, names: Namespace) -> Iterator[Input]:
    from pydantic.fields import FieldInfo

    name, default = parameter.name, parameter.default
    if parameter.kind is Parameter.VAR_POSITIONAL:
        yield Input(name=name, kind="args", hint=GenericAlias(list, (hint,)), required=False)
    elif parameter.kind is Parameter.VAR_KEYWORD and get_origin(hint) is Unpack:
        yield from _unpacked_keys(f"{where}({name})", get_args(hint)[0], names)
    elif parameter.kind is Parameter.VAR_KEYWORD:
        kwargs = GenericAlias(dict, (str, hint))
        # No parameter can have this name, and no alias needs it.
        yield Input(name=f"**{name}", kind="kwargs", hint=kwargs, required=False)
    elif isinstance(default, FieldInfo):
        check_default(f"{where}({name})", default.default)
        field = Annotated[hint, default]  # pyright: ignore[reportInvalidTypeForm] - made at run time
        yield Input(name=name, kind="named", hint=field, required=default.is_required())
    else:
        required = default is EMPTY and all(
            each.is_required() for each in metadata_of(hint) if isinstance(each, FieldInfo)
        )
        yield Input(name=name, kind="named", hint=hint, required=required, default=default)


def _unpacked_keys(where: str, packed: object, names: Namespace) -> Iterator[Input]:
    """Yield the keys of the `TypedDict` in `**kwargs: Unpack[...]`."""
    if not isinstance(packed, type) or not is_typeddict(packed):
        reason = f"`{hint_text(packed)}` is unpacked and is not a TypedDict."
        raise DefinitionError(where, reason, "Unpack a `TypedDict`.")
    try:
        keys = keys_of(packed, names)
    except Exception as error:  # a hint's text may raise anything
        reason = f"The hints of `{hint_text(packed)}` cannot be evaluated: {error}."
        raise DefinitionError(where, reason, "Define the names they use.") from error
    for name, (hint, required) in keys.items():
        yield Input(name=name, kind="named", hint=hint, required=required)


_STREAMS = (AsyncGenerator, AsyncIterable, AsyncIterator, Generator, Iterable, Iterator)
_ASYNC = (AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Coroutine)


def _output(hint: object) -> object:
    """Return the hint of the final value of a call, awaited and collected.

    `EMPTY` if it is unknown, or if there is no value (`None`).
    """
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    origin, inner = get_origin(bare) or bare, get_args(bare)
    if bare in (EMPTY, None, NoneType, Any, object, NoReturn, Never):
        return EMPTY
    if origin in (Awaitable, Coroutine):
        return _output(inner[-1]) if inner else EMPTY
    if origin in _STREAMS:
        return _output(GenericAlias(list, inner[:1] or (Any,)))
    if _is_union(bare) and any(map(_is_result_type, inner)):
        left = tuple(each for each in inner if not _is_result_type(each))
        return Union[left] if {*left} - {NoneType} else EMPTY  # noqa: UP007 - at run time
    return EMPTY if _is_result_type(bare) else hint


def _is_union(hint: object) -> bool:
    return get_origin(hint) in (Union, UnionType)


def _is_result_type(hint: object) -> bool:
    """Return whether a hint is `Outcome` or `File`, or a container of them: without a schema."""
    if (inner := get_args(hint)) and get_origin(hint) is not Literal:
        return any(map(_is_result_type, inner))
    module, name = getattr(hint, "__module__", None), getattr(hint, "__qualname__", None)
    return (module, name) in _RESULT_TYPES


_RESULT_TYPES = {("pyfunctools.record.outcome", "Outcome"), ("pyfunctools.record.file", "File")}


def injection_mark(hint: object) -> ContextPart | Inject | type[CallInfo] | None:
    """Return the mark of an injected parameter in a hint or in a branch of its union."""
    for branch in _branches(hint):
        if branch is CallInfo:
            return CallInfo
        for mark in metadata_of(branch):
            if isinstance(mark, ContextPart | Inject):
                return mark
    return None


def _branches(hint: object) -> Iterator[object]:
    """Yield a hint, and the parts of its unions and `Annotated`."""
    yield hint
    origin = get_origin(hint)
    if origin in (Annotated, Union, UnionType):
        for inner in get_args(hint)[: 1 if origin is Annotated else None]:
            yield from _branches(inner)


def _injected(where: str, parameter: Parameter, hint: object) -> Injected | None:
    """Return an injected parameter, or `None` for an input."""
    if (foreign := foreign_class(hint)) is not None:
        reason = f"Its hint has `{foreign}`, which only its own library fills in."
        raise DefinitionError(where, reason, FOREIGN_REMEDY)
    if not get_args(hint) and hint is not CallInfo:
        return None
    check_unfinished_marks(where, hint)
    mark = injection_mark(hint)
    if mark is None:
        return None
    if parameter.kind in _STARS:
        raise DefinitionError(
            where,
            "An injected parameter cannot be `*` or `**`.",
            "Give it a parameter of its own.",
        )
    provider = mark.provider if isinstance(mark, Inject) else None
    return Injected(
        name=parameter.name,
        provider=provider,
        takes_context=provider is not None and _takes_context(where, provider),
        default=parameter.default,
        required=isinstance(mark, ContextPart)
        and parameter.default is EMPTY
        and not any(map(_takes_none, _branches(hint))),
        is_info=mark is CallInfo,
    )


_LEADING = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_STARS = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def _takes_none(hint: object) -> bool:
    return hint in (None, NoneType, Any, object) or isinstance(hint, TypeVar)


def check_unfinished_marks(where: str, hint: object) -> None:
    """Refuse metadata such as `Human`, which has no effect: the model would set the value.

    Raises:
        DefinitionError: the metadata has an unfinished mark.
    """
    for mark in metadata_of(hint):
        if mark is Context or mark is Human or mark is Inject:
            name = mark_in(mark) or ""
            reason = f"`{name}` inside `Annotated` has no effect."
            raise DefinitionError(where, reason, remedy_of(name))
    for inner in get_args(hint):
        check_unfinished_marks(where, inner)


def _takes_context(where: str, provider: object) -> bool:
    if not callable(provider):
        raise wrong_type(
            where,
            "a provider that can be called",
            provider,
            "Write `Inject(f)` with a function of no arguments, or of the context.",
        )
    if inspect.iscoroutinefunction(provider) or inspect.isasyncgenfunction(provider):
        raise DefinitionError(
            where,
            "The provider is asynchronous.",
            "Make it a plain function; the method may await the value it returns.",
        )
    return takes_context(where, provider)
