"""The handler of a callable, which makes calls from checked arguments."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from pyfunctools._bound import BoundCall
from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.sources.python.callable_schemas import (
    ArgumentsReader,
    CallableOutput,
    Objects,
    WrittenParameters,
    output_as_json,
    read_output,
    read_parameters,
)
from pyfunctools.sources.python.callable_signature import EMPTY, Injected, Signature, read_signature
from pyfunctools.sources.python.docstrings import Docs
from pyfunctools.sources.python.hint_scope import EnclosingScope

if TYPE_CHECKING:
    from pyfunctools.record.call_info import CallInfo
    from pyfunctools.record.handler import ReadyCall
    from pyfunctools.schema.result import Failure, Success


class MethodHandler(NamedTuple):
    """The handler of one Python callable.

    `where` is its name in errors, `owner` the class that defines it. `positional` are the names of
    parameters to pass by position, `args` is the name of `*args`. `defaults` are the defaults of
    parameters by name; `passed` are the names of defaults that every call passes. `wants_context`
    is the parameter that needs a context, or `None`. A copy is the handler itself; it can be
    pickled if the callable can.
    """

    called: Callable[..., object]
    where: str
    owner: type | None
    is_async: bool
    arguments: ArgumentsReader
    output: Lazy[CallableOutput]
    positional: tuple[str, ...]
    args: str | None
    defaults: Mapping[str, object]
    passed: tuple[str, ...]
    context: tuple[Injected, ...]
    provided: tuple[Injected, ...]
    wants_context: str | None

    def __repr__(self) -> str:
        return f"<MethodHandler of {self.where}>"  # a default may be a secret

    def bind(
        self, arguments: JsonObject, context: object, info: "CallInfo | None" = None
    ) -> "Success[ReadyCall] | Failure":
        """Return the call with its arguments as objects; the callable does not run yet."""
        objects = self.arguments.read(arguments)
        if not isinstance(objects, dict):
            return objects
        for name in self.passed:
            if self.arguments.keys[name] not in arguments:
                objects[name] = _fresh(self.defaults[name])
        for each in self.context:
            objects[each.name] = each.value(context, info)
        if self.positional or self.args or self.arguments.kwargs or self.provided:
            return _success()(value=BoundCall(self._call, objects, context))
        return _success()(value=BoundCall(self.called, **objects))

    def _call(self, objects: Objects, context: object) -> object:
        """Call with these objects and with new values of the providers."""
        named = {**objects, **{each.name: each.value(context) for each in self.provided}}
        positional = [named.pop(name) for name in self.positional]
        if self.args is not None:
            positional.extend(cast("Iterable[object]", named.pop(self.args, ())))
        if self.arguments.kwargs is not None:
            named.update(cast("Mapping[str, object]", named.pop(self.arguments.kwargs, {})))
        return self.called(*positional, **named)

    def arguments_of(self, bound: "ReadyCall") -> Objects:
        """Return the arguments of a call from `bind`, defaults too, by their names in JSON."""
        call = cast("BoundCall", bound)
        objects = cast("Objects", call.args[0] if call.args else call.keywords)
        named = {**self.defaults, **objects}
        held = {key: named[name] for name, key in self.arguments.keys.items() if name in named}
        kwargs = held.pop(self.arguments.keys.get(self.arguments.kwargs or "", ""), {})
        return {**cast("Objects", kwargs), **held}

    def dump(self, value: object) -> JsonValue:
        """Return an output as JSON, according to its hint.

        Raises:
            Exception: whatever serializing the value raises.
        """
        return output_as_json(value, self.output.value)

    def calling(self, called: Callable[..., object]) -> "MethodHandler":
        """Return a handler that makes the same calls to another callable, with these defaults."""
        from pyfunctools.record.origin import is_async  # only `Controller.replaced` needs it

        passed = tuple(name for name in self.defaults if name in self.arguments.keys)
        return self._replace(called=called, is_async=is_async(called), passed=passed)

    def __deepcopy__(self, memo: object) -> "MethodHandler":
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (_handler_of, (self.called, self.where, self.owner, self.arguments.renames))


@lru_cache(maxsize=1)
def _success() -> "type[Success[ReadyCall]]":
    from pyfunctools.schema.result import Success  # the first call needs it, not the start

    return Success


def read_handler(
    called: Callable[..., object],
    where: str,
    docs: Docs,
    *,
    owner: type | None = None,
    enclosing: EnclosingScope | None = None,
    renames: bool = True,
) -> tuple[MethodHandler, Lazy[WrittenParameters]]:
    """Return the handler of a callable, and the schema of its parameters.

    Raises:
        DefinitionError: the signature cannot be read, or a hint has no schema.
    """
    signature = read_signature(called, where, owner=owner, enclosing=enclosing)
    parameters, arguments = read_parameters(signature, docs, renames=renames)
    context = tuple(each for each in signature.injected if each.provider is None)
    handler = MethodHandler(
        called=called,
        where=where,
        owner=owner,
        is_async=signature.is_async,
        arguments=arguments,
        output=read_output(signature, docs),
        positional=signature.positional,
        args=next((each.name for each in signature.inputs if each.kind == "args"), None),
        defaults={
            each.name: each.default for each in signature.inputs if each.default is not EMPTY
        },
        passed=tuple(_passed_defaults(signature, arguments)),
        context=context,
        provided=tuple(each for each in signature.injected if each.provider is not None),
        wants_context=next((each.name for each in context if each.required), None),
    )
    return handler, parameters


def _handler_of(
    called: Callable[..., object], where: str, owner: type | None, renames: bool
) -> MethodHandler:
    return read_handler(called, where, Docs(), owner=owner, renames=renames)[0]


def _passed_defaults(signature: Signature, arguments: ArgumentsReader) -> Iterator[str]:
    """Yield the names of defaults to pass with every call.

    These are positional and mutable defaults, or all defaults if pydantic has one to fill in.
    """
    for each in signature.inputs:
        always = arguments.fills_defaults or each.name in signature.positional
        if each.default is not EMPTY and (always or _is_mutable(each.default)):
            yield each.name


def _fresh(default: object) -> object:
    """Return a copy of a mutable default, or the default itself if it cannot be copied."""
    if not _is_mutable(default):
        return default
    try:
        return deepcopy(default)
    except Exception:  # copying runs user code, which may raise anything
        return default


def _is_mutable(default: object) -> bool:
    """Return whether a call could change a default; hashable objects are left alone."""
    return type(default).__hash__ is None or isinstance(default, tuple)  # pyright: ignore[reportUnnecessaryComparison]
