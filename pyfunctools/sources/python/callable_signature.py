"""What a callable takes and gives: its inputs, what the program gives, and what comes back.

The program gives the context, the call's `CallInfo`, and what a provider makes.
"""

import inspect
import sys
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
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
    get_args,
    get_origin,
)

from typing_extensions import is_typeddict

from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.record.call_info import CallInfo, wants_info
from pyfunctools.record.origin import is_async
from pyfunctools.sources.python.hint_scope import (
    Enclosing,
    Namespace,
    function_behind,
    keys_of,
    marks_of_hint,
    namespace_of,
    resolved,
    shown,
)
from pyfunctools.sources.python.markers import (
    Context,
    ContextPart,
    Human,
    Inject,
    mark_in,
    remedy_of,
)

InputKind: TypeAlias = Literal["named", "many", "others"]
"""What an input is: a parameter of that name, `*args`, or `**kwargs`."""

EMPTY: object = Parameter.empty
"""Stands where there is no default, or no hint of what comes back."""


class Input(NamedTuple):
    """One parameter a schema shows, or one key of an unpacked `TypedDict`.

    The hint of `*args: T` is `list[T]`, that of `**kwargs: T` is `dict[str, T]`; the latter's name
    keeps its stars.
    """

    name: str
    kind: InputKind
    hint: object
    required: bool = True
    default: object = EMPTY


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
        """Return the value of the parameter in one call."""
        if self.is_info:
            return info
        if self.provider is None:
            no_context = context is None and self.default is not Parameter.empty
            return self.default if no_context else context
        return self.provider(context) if self.takes_context else self.provider()


class Signature(NamedTuple):
    """Everything about a callable that its hints say.

    `order` are the parameters that are handed over by place, in their order; `taken` are names that
    no key of `**kwargs` may have. `names` is what the hints' texts were read with.
    """

    where: str
    inputs: tuple[Input, ...]
    injected: tuple[Injected, ...]
    order: tuple[str, ...]
    taken: frozenset[str]
    output: object
    is_async: bool
    names: Namespace


def read_signature(
    called: Callable[..., object],
    where: str,
    *,
    owner: type | None = None,
    enclosing: Enclosing | None = None,
) -> Signature:
    """Return the signature of a callable, its hints read.

    `where` is what it is called in errors, `owner` the class it is defined in.

    Raises:
        DefinitionError: it has no signature that can be read, a parameter has no hint, or a hint
            names what is not to be found.
    """
    behind = function_behind(called)
    try:
        signature = _signature(called)
    except Exception as error:  # most often it is a built-in's, which has none
        raise DefinitionError(
            where, f"Its signature cannot be read: {error}.", "Write a function that calls it."
        ) from error
    names = namespace_of(behind, owner, enclosing)
    parameters = signature.parameters.values()
    hints = _hints_of(where, parameters, signature.return_annotation, behind, names)
    found = [(each, read_injected(where, each, hints[each.name])) for each in parameters]
    injected = tuple(given for _, given in found if given is not None)
    inputs = (_inputs(where, each, hints[each.name], names) for each, given in found if not given)
    returns = hints.get("return", EMPTY)
    return Signature(
        where=where,
        inputs=tuple(each for some in inputs for each in some),
        injected=injected,
        order=tuple(_order(parameters)),
        taken=frozenset(each.name for each in injected) | _bound_names(called, behind),
        output=_output(returns),
        is_async=(get_origin(returns) or returns) in _ASYNC or is_async(called),
        names=names,
    )


def _signature(called: Callable[..., object]) -> inspect.Signature:
    if sys.version_info >= (3, 14):
        from annotationlib import Format

        return inspect.signature(called, annotation_format=Format.FORWARDREF)
    return inspect.signature(called)


def _order(parameters: Collection[Parameter]) -> Iterator[str]:
    """Yield the names of what has to go by place: with `*args` all that comes before them."""
    many = any(each.kind is Parameter.VAR_POSITIONAL for each in parameters)
    for each in parameters:
        before = many and each.kind is Parameter.POSITIONAL_OR_KEYWORD
        if before or each.kind is Parameter.POSITIONAL_ONLY:
            yield each.name


def _hints_of(
    where: str,
    parameters: Iterable[Parameter],
    returns: object,
    behind: FunctionType | None,
    names: Namespace,
) -> dict[str, object]:
    raw: dict[str, object] = {}
    for each in parameters:
        raw[each.name] = each.annotation
        _check_default(f"{where}({each.name})", each.default)
        if get_origin(each.annotation) is not Annotated and (mark := mark_in(each.annotation)):
            said = f"Its hint is `{mark}`, a mark, and not what kind of value it is."
            raise DefinitionError(f"{where}({each.name})", said, remedy_of(mark))
        if each.annotation is EMPTY:
            stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
            raise DefinitionError(
                f"{where}({stars}{each.name})",
                "The parameter has no type hint.",
                f"Write one, such as `{stars}{each.name}: str`: the model is told what it says."
                + (" A decorator keeps the hints with `@functools.wraps`." if stars else ""),
            )
    if returns is not EMPTY:
        raw["return"] = returns
    with suppress(Exception):  # raised again below, with the parameter's name
        return resolved(raw, names, behind)
    return {name: _hint_of(where, name, hint, behind, names) for name, hint in raw.items()}


def _check_default(where: str, default: object) -> None:
    if mark := mark_in(default):
        reason = f"Its default is `{mark}`, a mark, which marks nothing there."
        raise DefinitionError(where, reason, remedy_of(mark))


def _hint_of(
    where: str, name: str, hint: object, behind: FunctionType | None, names: Namespace
) -> object:
    stand_ins: dict[str, object] = {}
    reason: Exception | None = None
    while True:
        try:
            found = resolved({name: hint}, {**names, **stand_ins}, behind)[name]
        except Exception as error:  # a hint's text may raise anything
            reason = reason or error
            missing = error.name if isinstance(error, NameError) else None
            if missing is None or missing in stand_ins:
                break
            # What the program gives needs no schema, so its type may be one for checkers only.
            stand_ins[missing] = object
        else:
            if reason is None or program_part(found) is not None:
                return found
            break
    raise DefinitionError(
        where if name == "return" else f"{where}({name})",
        f"The hint `{shown(hint)}` cannot be read: {reason}.",
        "Define or import what it names where the function is defined, not for checkers only.",
    ) from reason


def _inputs(where: str, parameter: Parameter, hint: object, names: Namespace) -> Iterator[Input]:
    from pydantic.fields import FieldInfo

    name, default = parameter.name, parameter.default
    if parameter.kind is Parameter.VAR_POSITIONAL:
        fixed = _fixed(hint)
        many = GenericAlias(list, (hint,)) if fixed is None else fixed
        yield Input(name=name, kind="many", hint=many, required=fixed is not None)
    elif parameter.kind is Parameter.VAR_KEYWORD and get_origin(hint) is Unpack:
        yield from _unpacked(f"{where}({name})", get_args(hint)[0], names)
    elif parameter.kind is Parameter.VAR_KEYWORD:
        others = GenericAlias(dict, (str, hint))
        # No parameter is called so, and no alias has to be.
        yield Input(name=f"**{name}", kind="others", hint=others, required=False)
    elif isinstance(default, FieldInfo):
        _check_default(f"{where}({name})", default.default)
        said = Annotated[hint, default]  # pyright: ignore[reportInvalidTypeForm] - made at run time
        yield Input(name=name, kind="named", hint=said, required=default.is_required())
    else:
        fields = [mark for mark in marks_of_hint(hint) if isinstance(mark, FieldInfo)]
        required = default is EMPTY and all(field.is_required() for field in fields)
        yield Input(name=name, kind="named", hint=hint, required=required, default=default)


def _fixed(hint: object) -> object:
    """Return the tuple behind `*args: *tuple[...]`, or `None`."""
    if get_origin(hint) is Unpack:
        return get_args(hint)[0]
    unpacked = getattr(hint, "__unpacked__", False) is True
    return GenericAlias(tuple, get_args(hint)) if unpacked else None


def _unpacked(where: str, packed: object, names: Namespace) -> Iterator[Input]:
    """Yield each key of the `TypedDict` behind `**kwargs: Unpack[...]`."""
    if not isinstance(packed, type) or not is_typeddict(packed):
        raise DefinitionError(
            where, f"`{shown(packed)}` is unpacked and is no TypedDict.", "Unpack a `TypedDict`."
        )
    try:
        keys = keys_of(packed, names)
    except Exception as error:  # a hint's text may raise anything
        raise DefinitionError(
            where,
            f"The hints of `{shown(packed)}` cannot be read: {error}.",
            "Define what they name.",
        ) from error
    for name, (hint, required) in keys.items():
        yield Input(name=name, kind="named", hint=hint, required=required)


def _bound_names(called: object, behind: FunctionType | None) -> frozenset[str]:
    """Return the name of what a method is bound to: `self`, mostly."""
    while isinstance(called, partial):
        called = called.func  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if behind is None or isinstance(called, FunctionType):
        return frozenset()
    code = behind.__code__
    return frozenset(code.co_varnames[: min(code.co_argcount, 1)])


_STREAMS = (AsyncGenerator, AsyncIterable, AsyncIterator, Generator, Iterable, Iterator)
_ASYNC = (AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Coroutine)


def _output(hint: object) -> object:
    """Return the hint of what a call comes to in the end, or `EMPTY` where nobody says."""
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    origin, inner = get_origin(bare) or bare, get_args(bare)
    if bare in (EMPTY, Any, object, NoReturn, Never) or _is_own(bare):
        return EMPTY
    if origin in (Awaitable, Coroutine):
        return _output(inner[-1]) if inner else EMPTY
    if origin in _STREAMS:
        return _output(GenericAlias(list, inner[:1] or (Any,)))
    if origin in (Union, UnionType) and any(map(_is_own, inner)):
        left = tuple(each for each in inner if not _is_own(each))
        return Union[left] if left else EMPTY  # noqa: UP007 - at run time
    return hint


def _is_own(hint: object) -> bool:
    """Return whether a hint is `Outcome`, `File` or a list or tuple that holds files.

    No schema says what the model gets of these.
    """
    if get_origin(hint) in (list, tuple):
        return any(map(_is_own, get_args(hint)))
    module, name = getattr(hint, "__module__", None), getattr(hint, "__qualname__", None)
    return (module, name) in _OWN


_OWN = {("pyfunctools.record.outcome", "Outcome"), ("pyfunctools.record.file", "File")}


_STARS = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


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
    """Return the parameter as one that the program gives, or `None` where it is another's.

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
