"""`Handler`: calls a Python function; `KeywordHandler` calls it with keyword arguments."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set, ValuesView
from copy import deepcopy
from typing import Protocol, TypeAlias, cast

from pyfunctools._bound import BoundCall, bound_keywords
from pyfunctools._json import JsonObject, JsonSchema, JsonValue, members_of
from pyfunctools.errors import DefinitionError
from pyfunctools.record.call import CallInfo, branches_of
from pyfunctools.record.origin import is_async
from pyfunctools.schema import Failure, Success

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

    def filled(self, bound: ReadyCall) -> ReadyCall:
        """Return a call that `bind` returned with new values of its providers, which run now."""
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


class KeywordHandler:
    """Calls a callable with keyword arguments, without converting them.

    The context is passed to a parameter named `context`, the facts about the call to one with the
    hint `CallInfo`. If an argument is missing and the callable has no default for it, the `default`
    of the property in the schema `parameters` is used.
    """

    __slots__ = ("_defaults", "_given", "_info", "callable", "is_async", "parameters")

    wants_context = None

    def __init__(self, called: Callable[..., object], parameters: JsonSchema | None = None) -> None:
        own = _parameters(called).values()
        schemas = members_of((parameters or {}).get("properties"))
        takes_context = "context" in _parameters(called, wrapped=True)
        self.callable = called
        self.parameters = parameters or {}
        self.is_async = is_async(called)
        self._info = next((each.name for each in own if _wants_info(each)), None)
        named = ("context" if takes_context else None, self._info)
        self._given = frozenset(filter(None, named))
        """The parameters that the program gives in each call."""
        self._defaults: JsonObject = {
            each.name: schema["default"]
            for each in own
            if each.default is each.empty
            and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
            and isinstance(schema := schemas.get(each.name), dict)
            and "default" in schema
        }

    def bind(
        self, arguments: JsonObject, context: object, info: CallInfo | None = None
    ) -> Success[ReadyCall] | Failure:
        """Return the call with its arguments, which are not converted."""
        missing = {name: value for name, value in self._defaults.items() if name not in arguments}
        given = {name: info if name == self._info else context for name in self._given}
        named = {**deepcopy(missing), **arguments, **given, **bound_keywords(self.callable)}
        return Success(value=BoundCall(self.callable, **named))

    def filled(self, bound: ReadyCall) -> ReadyCall:
        """Return the call: it has no providers."""
        return bound

    def arguments_of(self, bound: ReadyCall) -> Mapping[str, object]:
        """Return the arguments of a call that `bind` returned, with defaults, by JSON name."""
        own = _parameters(self.callable, wrapped=True).items()
        empty = inspect.Parameter.empty
        defaults = {name: each.default for name, each in own if each.default is not empty}
        found = {**defaults, **cast("BoundCall", bound).keywords}
        return {name: value for name, value in found.items() if name not in self._given}

    def dump(self, value: object) -> JsonValue:
        """Return the result as JSON, by pydantic's rules."""
        from pydantic import TypeAdapter

        adapter = TypeAdapter[object](object)
        return adapter.dump_python(value, mode="json", fallback=plain_collection)

    def calling(self, called: Callable[..., object]) -> "KeywordHandler":
        """Return a handler that calls another callable with the same arguments."""
        return KeywordHandler(called, self.parameters)

    def check_takes(
        self, where: str, names: Iterable[str], required: Iterable[str], closed: bool
    ) -> None:
        """Check that the callable can be called with all properties, and with the `required` ones.

        `where` is the name of the function. Unless they are `closed`, it may need others.

        Raises:
            DefinitionError: it cannot, or a parameter that the program gives is a property.
        """
        where = f"{where}(handler)"
        names, given = tuple(names), self._given | bound_keywords(self.callable).keys()
        if taken := given.intersection(names):
            listed = ", ".join(f"`{name}`" for name in sorted(taken))
            raise DefinitionError(
                where,
                f"The program gives {listed}, which the parameters declare too.",
                "Take the property out of the schema, or give it another name.",
            )
        if (own := _signature(self.callable)) is None:
            return
        bind = own.bind if closed else own.bind_partial
        always = {*self._defaults, *required}
        for several, which in ((names, "all properties"), (always, "only what is required")):
            try:
                _ = bind(**dict.fromkeys((*several, *given)))
            except TypeError as error:
                called = getattr(self.callable, "__qualname__", type(self.callable).__qualname__)
                raise DefinitionError(
                    where,
                    f"`{called}` cannot be called with {which} of the parameters: {error}.",
                    "Let it take each property by its name, with a default if it may be left out.",
                ) from error


def plain_collection(value: object) -> object:
    """Return a mapping or a collection that pydantic does not know as a `dict` or a `list`.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    if isinstance(value, Sequence | Set | ValuesView):
        return list(cast("Iterable[object]", value))
    raise TypeError(f"Unable to serialize unknown type: {type(value)}")


def _signature(called: Callable[..., object], *, wrapped: bool = False) -> inspect.Signature | None:
    """Return the signature of a callable itself, or of the function that it wraps.

    The wrapper that a decorator returns may have another one. `None` if there is none.
    """
    try:
        return inspect.signature(called, follow_wrapped=wrapped)
    except (TypeError, ValueError):  # some built-in callables have no signature
        return None


def _parameters(
    called: Callable[..., object], *, wrapped: bool = False
) -> Mapping[str, inspect.Parameter]:
    signature = _signature(called, wrapped=wrapped)
    return {} if signature is None else signature.parameters


def _wants_info(parameter: inspect.Parameter) -> bool:
    hint = parameter.annotation
    named = re.findall(r"\w+", hint) if isinstance(hint, str) else ()
    return "CallInfo" in named or any(each is CallInfo for each in branches_of(hint))
