"""`Handler`: calls a Python function; `KeywordHandler` calls it with keyword arguments."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Protocol, TypeAlias, get_type_hints

from pyfunctools._bound import BoundCall, bound_keywords
from pyfunctools._json import JsonObject, JsonSchema, JsonValue, members_of
from pyfunctools.errors import DefinitionError
from pyfunctools.record.call import CallInfo, wants_info
from pyfunctools.record.origin import is_async
from pyfunctools.schema import Failure, Success

_Parameters: TypeAlias = Mapping[str, inspect.Parameter]
ReadyCall: TypeAlias = Callable[[], object]
"""A call with its arguments bound; its result may have to be awaited or iterated over."""


class Handler(Protocol):
    """Binds checked arguments to a callable, and converts its result to JSON."""

    @property
    def is_async(self) -> bool:
        """Whether the call returns an awaitable or an async generator."""
        ...

    @property
    def wants_context(self) -> str | None:
        """The parameter that must be given a context, `None` if there is no such parameter."""
        ...

    def bind(
        self, arguments: JsonObject, context: object, info: CallInfo | None = None
    ) -> Success[ReadyCall] | Failure:
        """Return the call, its arguments converted to the callable's types; nothing runs yet.

        Arguments that these types reject are a `Failure`.
        """
        ...

    def arguments_of(self, bound: ReadyCall) -> Mapping[str, object]:
        """Return the arguments of a call that `bind` returned, with defaults, by JSON name."""
        ...

    def dump(self, value: object) -> JsonValue:
        """Return the result of a call as JSON.

        Raises:
            Exception: any that the value's own serialization raises.
        """
        ...

    def calling(self, called: Callable[..., object]) -> "Handler":
        """Return a handler that calls another callable with the same arguments."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredProperties:
    """The `names` of all declared properties, and those that are always `required`.

    If the schema is `closed`, other properties are not allowed.
    """

    names: tuple[str, ...]
    required: frozenset[str]
    closed: bool


class KeywordHandler:
    """Calls a callable with keyword arguments, without converting them.

    The context is passed to a parameter named `context`, the facts about the call to one with the
    hint `CallInfo`. If an argument is missing and the callable has no default for it, the `default`
    of the property in the schema `parameters` is used.
    """

    __slots__ = (
        "_defaults",
        "_has_positional_only",
        "_info",
        "_takes_context",
        "callable",
        "is_async",
        "parameters",
    )

    wants_context = None

    def __init__(self, called: Callable[..., object], parameters: JsonSchema | None = None) -> None:
        own = (_parameters(called) or {}).values()
        schemas = members_of((parameters or {}).get("properties"))
        self.callable = called
        self.parameters = parameters or {}
        self.is_async = is_async(called)
        self._takes_context = "context" in (_parameters(called, wrapped=True) or {})
        self._info = next((each.name for each in own if wants_info(_hint(called, each))), None)
        self._has_positional_only = any(each.kind is _NAMED[0] for each in own)
        self._defaults: JsonObject = {
            each.name: schema["default"]
            for each in own
            if _is_required(each)
            and isinstance(schema := schemas.get(each.name), dict)
            and "default" in schema
        }

    def bind(
        self, arguments: JsonObject, context: object, info: CallInfo | None = None
    ) -> Success[ReadyCall] | Failure:
        """Return the call with its arguments, which are not converted."""
        missing = {name: value for name, value in self._defaults.items() if name not in arguments}
        extra: dict[str, object] = {"context": context} if self._takes_context else {}
        extra |= bound_keywords(self.callable)
        if self._info is not None:
            extra[self._info] = info
        named: dict[str, object] = {**deepcopy(missing), **arguments, **extra}
        leading: list[object] = []
        own = (_parameters(self.callable) or {}).values() if self._has_positional_only else ()
        for each in own:
            if each.kind is not _NAMED[0] or (each.name not in named and _is_required(each)):
                break
            leading.append(named.pop(each.name, each.default))
        return Success(value=BoundCall(self.callable, *leading, **named))

    def arguments_of(self, bound: ReadyCall) -> Mapping[str, object]:
        """Return the arguments of a call that `bind` returned, with defaults, by JSON name."""
        if not isinstance(bound, BoundCall):
            return {}
        own = (_parameters(self.callable, wrapped=True) or {}).items()
        empty = inspect.Parameter.empty
        defaults = {name: each.default for name, each in own if each.default is not empty}
        before: tuple[object, ...] = getattr(self.callable, "args", ())  # of a `functools.partial`
        names = _parameters(self.callable) or {}
        leading = zip(names, bound.args[len(before) :], strict=False)
        found = {**defaults, **dict(leading), **bound.keywords}
        return {name: value for name, value in found.items() if name not in self._program_names}

    @property
    def _program_names(self) -> tuple[str | None, ...]:
        return ("context", self._info)

    def dump(self, value: object) -> JsonValue:
        """Return the result as JSON, by pydantic's rules."""
        from pydantic import TypeAdapter

        return TypeAdapter[object](object).dump_python(value, mode="json")

    def calling(self, called: Callable[..., object]) -> "KeywordHandler":
        """Return a handler that calls another callable with the same arguments."""
        return KeywordHandler(called, self.parameters)

    def check_takes(self, where: str, declared: DeclaredProperties) -> None:
        """Check that the callable can be called with the `declared` arguments.

        `where` is the name of the function.

        Raises:
            DefinitionError: the callable does not accept one of them, or a partial sets it; it
                requires a parameter that is not declared or may be missing; or a property has the
                name of the parameter for the context or the `CallInfo`.
        """
        parameters = _parameters(self.callable)
        if parameters is None:
            return
        own = parameters.values()
        taken = [each.name for each in own if each.kind in _NAMED]
        name = getattr(self.callable, "__qualname__", type(self.callable).__qualname__)
        where = f"{where}(handler)"
        _check_bound(where, declared, bound_keywords(self.callable))
        for given in {"context" if self._takes_context else None, self._info}.intersection(
            declared.names
        ):
            raise DefinitionError(
                where,
                f"`{name}` takes `{given}` from the program, and a property has this name too.",
                "Give the property another name.",
            )
        lost = [each for each in declared.names if each not in taken]
        if lost and not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in own):
            raise DefinitionError(
                where,
                f"`{name}` does not take {_listed(lost)}, which the parameters declare.",
                f"Add {'a parameter' if len(lost) == 1 else 'parameters'} of that name or "
                "`**rest` to it, or take the property out of the schema.",
            )
        required = [each.name for each in own if _is_required(each)]
        unfed = [n for n in required if n not in (*declared.names, *self._program_names)]
        if unfed and declared.closed:
            raise DefinitionError(
                where,
                f"`{name}` needs {_listed(unfed)}, which the parameters do not declare.",
                "Declare the property, or give the parameter a default.",
            )
        always = (*self._defaults, *declared.required)
        optional = [n for n in required if n in declared.names and n not in always]
        if optional:
            raise DefinitionError(
                where,
                f"`{name}` needs {_listed(optional)}, which may be left out.",
                "Make the property required, or give it or the parameter a default.",
            )


def _check_bound(where: str, declared: DeclaredProperties, bound: Mapping[str, object]) -> None:
    if names := [each for each in declared.names if each in bound]:
        raise DefinitionError(
            where,
            f"A `functools.partial` sets {_listed(names)}, which the parameters declare.",
            "Take it out of the schema: it is the program's.",
        )


_NAMED = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.KEYWORD_ONLY,
)


def _parameters(called: Callable[..., object], *, wrapped: bool = False) -> _Parameters | None:
    """Return the parameters of a callable itself, or of the function that it wraps.

    The wrapper that a decorator returns may have others. `None` if there is no signature.
    """
    try:
        return inspect.signature(called, follow_wrapped=wrapped).parameters
    except (TypeError, ValueError):  # some built-in callables have no signature
        return None


def _hint(called: Callable[..., object], parameter: inspect.Parameter) -> object:
    """Return the hint of a parameter, evaluated if it is a string and that is possible."""
    if not isinstance(parameter.annotation, str):
        return parameter.annotation
    names = getattr(inspect.unwrap(called), "__globals__", {})
    try:
        return get_type_hints(called, names).get(parameter.name)
    except Exception:  # evaluating a hint may raise anything, and other hints do not matter here
        return parameter.annotation


def _is_required(parameter: inspect.Parameter) -> bool:
    return parameter.kind in _NAMED and parameter.default is inspect.Parameter.empty


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
