"""What runs a Python function: the protocol, and the one for a callable that takes keywords."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, get_type_hints

from pyfunctools._bound import BoundCall
from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.errors import DefinitionError
from pyfunctools.record.call_info import CallInfo, wants_info
from pyfunctools.record.origin import is_async
from pyfunctools.schema import Failure, Success

Bound: TypeAlias = Callable[[], object]
"""A call with everything in it; what it gives may have to be awaited or iterated over."""


class Handler(Protocol):
    """What makes a call of checked arguments, and JSON of what comes back."""

    @property
    def is_async(self) -> bool:
        """Whether the call gives something to await or an async generator."""
        ...

    @property
    def wants_context(self) -> str | None:
        """The parameter that has to be given a context, or `None` where none has to."""
        ...

    def bind(
        self, arguments: JsonObject, context: object, info: CallInfo | None = None
    ) -> Success[Bound] | Failure:
        """Return the call, its arguments as the objects the callable wants.

        What the callable's own types refuse is a `Failure`. Nothing of the callable runs yet.
        """
        ...

    def held(self, bound: Bound) -> Mapping[str, object]:
        """Return the arguments in a call that `bind` made, defaults too, by their names in JSON."""
        ...

    def dump(self, value: object) -> JsonValue:
        """Return the value that came back as JSON.

        Raises:
            Exception: whatever the value's own serialisation raises.
        """
        ...

    def calling(self, called: Callable[..., object]) -> "Handler":
        """Return a handler that makes the same calls of another callable."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What parameters declare: the `names` of all properties, and those that are always there.

    With `closed` there are no others.
    """

    names: tuple[str, ...]
    required: frozenset[str]
    closed: bool


@dataclass(frozen=True, slots=True)
class KeywordHandler:
    """A callable that takes the arguments by keyword, and `context` if it names it.

    A parameter hinted `CallInfo` gets that.

    `parameters` is the schema of the arguments. What a property's `default` says is given where the
    arguments lack the property and the callable has no default of its own.
    """

    callable: Callable[..., object]
    parameters: JsonSchema = field(default_factory=dict[str, JsonValue], repr=False)
    is_async: bool = field(init=False)
    _takes_context: bool = field(init=False)
    _info: str | None = field(init=False, repr=False)
    _in_order: bool = field(init=False, repr=False)
    _defaults: JsonObject = field(init=False, repr=False)

    def __post_init__(self) -> None:
        called = self.callable
        own = _own_parameters(called) or ()
        needed = [each.name for each in own if _is_needed(each)]
        info = next((each.name for each in own if wants_info(_hint(called, each))), None)
        properties = self.parameters.get("properties")
        places = properties if isinstance(properties, dict) else {}
        defaults = {
            name: place["default"]
            for name in needed
            if isinstance(place := places.get(name), dict) and "default" in place
        }
        object.__setattr__(self, "is_async", is_async(called))
        object.__setattr__(self, "_takes_context", "context" in _names(called))
        object.__setattr__(self, "_info", info)
        object.__setattr__(self, "_in_order", any(each.kind is _LEADING for each in own))
        object.__setattr__(self, "_defaults", defaults)

    @property
    def wants_context(self) -> None:
        """Nothing: a handler that names the context is given `None` where there is none."""
        return

    def bind(
        self, arguments: JsonObject, context: object, info: CallInfo | None = None
    ) -> Success[Bound] | Failure:
        """Return the call; plain JSON is handed over as it is."""
        missing = {name: held for name, held in self._defaults.items() if name not in arguments}
        extra: dict[str, object] = {"context": context} if self._takes_context else {}
        if self._info is not None:
            extra[self._info] = info
        given: dict[str, object] = {**deepcopy(missing), **arguments, **extra}
        leading: list[object] = []
        for each in (_own_parameters(self.callable) or ()) if self._in_order else ():
            if each.kind is not _LEADING or (each.name not in given and _is_needed(each)):
                break
            leading.append(given.pop(each.name, each.default))
        return Success(value=BoundCall(self.callable, *leading, **given))

    def held(self, bound: Bound) -> Mapping[str, object]:
        """Return the arguments in a call that `bind` made, defaults too, by their names in JSON."""
        if not isinstance(bound, BoundCall):
            return {}
        before: tuple[object, ...] = getattr(self.callable, "args", ())  # one that is partial too
        own = _own_parameters(self.callable) or ()
        leading = zip(own, bound.args[len(before) :], strict=False)
        named = {each.name: value for each, value in leading}
        held = {**_unset(self.callable), **named, **bound.keywords}
        return {name: each for name, each in held.items() if name not in self._of_the_program}

    @property
    def _of_the_program(self) -> tuple[str | None, ...]:
        return ("context", self._info)

    def dump(self, value: object) -> JsonValue:
        """Return the value that came back as JSON, by pydantic's rules."""
        from pydantic import TypeAdapter

        return TypeAdapter[object](object).dump_python(value, mode="json")

    def calling(self, called: Callable[..., object]) -> "KeywordHandler":
        """Return a handler that makes the same calls of another callable."""
        return KeywordHandler(called, self.parameters)

    def check_takes(self, where: str, declared: Declared) -> None:
        """Refuse a callable that the `declared` arguments cannot be given to.

        `where` names the function.

        Raises:
            DefinitionError: it does not take one of them, needs what is none of them or may be left
                out, or takes `context`, which is one of them.
        """
        own = _own_parameters(self.callable)
        if own is None:
            return
        taken = [each.name for each in own if each.kind in _NAMED]
        name = getattr(self.callable, "__qualname__", type(self.callable).__qualname__)
        where = f"{where}(handler)"
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
        needed = [each.name for each in own if _is_needed(each)]
        unfed = [n for n in needed if n not in (*declared.names, *self._of_the_program)]
        if unfed and declared.closed:
            raise DefinitionError(
                where,
                f"`{name}` needs {_listed(unfed)}, which the parameters do not declare.",
                "Declare the property, or give the parameter a default.",
            )
        known = (*self._defaults, *declared.required)
        optional = [n for n in needed if n in declared.names and n not in known]
        if optional:
            raise DefinitionError(
                where,
                f"`{name}` needs {_listed(optional)}, which may be left out.",
                "Make the property required, or give it or the parameter a default.",
            )


_LEADING = inspect.Parameter.POSITIONAL_ONLY
_NAMED = (_LEADING, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _own_parameters(called: Callable[..., object]) -> tuple[inspect.Parameter, ...] | None:
    """Return the parameters of a callable itself, `None` where it does not tell them.

    What a decorator wraps is not looked at: it may be called with other arguments.
    """
    try:
        signature = inspect.signature(called, follow_wrapped=False)
    except (TypeError, ValueError):  # some built-in callables have no signature
        return None
    return tuple(signature.parameters.values())


def _hint(called: Callable[..., object], parameter: inspect.Parameter) -> object:
    """Return the hint of a parameter, read where it is a text; the text where it cannot be."""
    if not isinstance(parameter.annotation, str):
        return parameter.annotation
    names = getattr(inspect.unwrap(called), "__globals__", {})
    try:
        return get_type_hints(called, names).get(parameter.name)
    except Exception:  # a hint's text may raise anything, and need not be read here
        return parameter.annotation


def _names(called: Callable[..., object]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(called).parameters
    except (TypeError, ValueError):  # as above
        return {}


def _unset(called: Callable[..., object]) -> dict[str, object]:
    """Return the default of each parameter that has one."""
    found = _names(called).items()
    empty = inspect.Parameter.empty
    return {name: each.default for name, each in found if each.default is not empty}


def _is_needed(parameter: inspect.Parameter) -> bool:
    return parameter.kind in _NAMED and parameter.default is inspect.Parameter.empty


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
