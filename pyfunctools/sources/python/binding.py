"""Makes a call of checked arguments: hinted objects, fresh defaults, and the program's part."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from pyfunctools._bound import BoundCall
from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.sources.python.callable_schemas import (
    ArgumentsReader,
    Objects,
    arguments_of,
    dumped,
    output_of,
)
from pyfunctools.sources.python.callable_signature import EMPTY, Injected, Signature, read_signature
from pyfunctools.sources.python.docstrings import Docs
from pyfunctools.sources.python.hint_scope import Enclosing

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from pyfunctools.record.call_info import CallInfo
    from pyfunctools.record.handler import ReadyCall
    from pyfunctools.schema.result import Failure, Success


class MethodHandler(NamedTuple):
    """Runs one Python callable.

    `where` is what it is called in errors, `owner` the class it is defined in. Those in `order` go
    by place, `many` and `others` are the names of `*args` and `**kwargs`. `defaults` are those of
    the parameters, of which Python does not know the `handed` ones by itself. A copy is the handler
    itself; it can be sent to another process where the callable can.
    """

    called: Callable[..., object]
    where: str
    owner: type | None
    is_async: bool
    arguments: ArgumentsReader
    output: "TypeAdapter[tuple[object]] | None"
    order: tuple[str, ...]
    many: str | None
    others: str | None
    defaults: Mapping[str, object]
    handed: tuple[str, ...]
    context: tuple[Injected, ...]
    provided: tuple[Injected, ...]

    @property
    def wants_context(self) -> str | None:
        """The parameter that has to be given a context, or `None` where none has to."""
        return next((each.name for each in self.context if each.required), None)

    def bind(
        self, arguments: JsonObject, context: object, info: "CallInfo | None" = None
    ) -> "Success[ReadyCall] | Failure":
        """Return the call, its arguments as the objects the hints name; nothing of it runs yet."""
        objects = self.arguments.read(arguments)
        if not isinstance(objects, dict):
            return objects
        for name in self.handed:
            if self.arguments.keys[name] not in arguments:
                objects[name] = _fresh(self.defaults[name])
        for each in self.context:
            objects[each.name] = each.value(context, info)
        by_name = not (self.order or self.many or self.others or self.provided)
        if by_name:
            return _success()(value=BoundCall(self.called, **objects))
        return _success()(value=BoundCall(self._call, objects, context))

    def _call(self, objects: Objects, context: object) -> object:
        """Call with these objects and what the providers make now."""
        named = {**objects, **{each.name: each.value(context) for each in self.provided}}
        by_place = [named.pop(name) for name in self.order]
        if self.many is not None:
            by_place.extend(cast("Iterable[object]", named.pop(self.many, ())))
        if self.others is not None:
            named.update(cast("Mapping[str, object]", named.pop(self.others, {})))
        return self.called(*by_place, **named)

    def arguments_of(self, bound: "ReadyCall") -> Objects:
        """Return the arguments in a call that `bind` made, defaults too, by their names in JSON."""
        call = cast("BoundCall", bound)
        objects = cast("Objects", call.args[0] if call.args else call.keywords)
        named = {**self.defaults, **objects}
        held = {key: named[name] for name, key in self.arguments.keys.items() if name in named}
        others = held.pop(self.arguments.keys.get(self.others or "", ""), {})
        return {**cast("Objects", others), **held}

    def dump(self, value: object) -> JsonValue:
        """Return the value that came back as JSON, by the hint of the return.

        Raises:
            Exception: whatever the value's own serialisation raises.
        """
        return dumped(value, self.output)

    def calling(self, called: Callable[..., object]) -> "MethodHandler":
        """Return a handler that makes the same calls of another callable, defaults and all."""
        from pyfunctools.record.origin import is_async  # only tests come here

        handed = tuple(name for name in self.defaults if name in self.arguments.keys)
        return self._replace(called=called, is_async=is_async(called), handed=handed)

    def __deepcopy__(self, memo: object) -> "MethodHandler":
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (_handler_again, (self.called, self.where, self.owner, self.arguments.renames))


@lru_cache(maxsize=1)
def _success() -> "type[Success[ReadyCall]]":
    from pyfunctools.schema.result import Success  # needed by the first call, and by none before

    return Success


def read_handler(
    called: Callable[..., object],
    where: str,
    docs: Docs,
    *,
    owner: type | None = None,
    enclosing: Enclosing | None = None,
    renames: bool = True,
) -> tuple[MethodHandler, JsonSchema, JsonSchema | None]:
    """Return the handler of a callable, the schema of its parameters and that of its output.

    Raises:
        DefinitionError: the signature cannot be read, or a hint has no schema.
    """
    signature = read_signature(called, where, owner=owner, enclosing=enclosing)
    parameters, arguments = arguments_of(signature, docs, renames=renames)
    returned, output = output_of(signature, docs)
    handler = MethodHandler(
        called=called,
        where=where,
        owner=owner,
        is_async=signature.is_async,
        arguments=arguments,
        output=output,
        order=signature.order,
        many=next((each.name for each in signature.inputs if each.kind == "many"), None),
        others=arguments.others,
        defaults={
            each.name: each.default for each in signature.inputs if each.default is not EMPTY
        },
        handed=tuple(_handed(signature, arguments)),
        context=tuple(each for each in signature.injected if each.provider is None),
        provided=tuple(each for each in signature.injected if each.provider is not None),
    )
    return handler, parameters, returned


def _handler_again(
    called: Callable[..., object], where: str, owner: type | None, renames: bool
) -> MethodHandler:
    return read_handler(called, where, Docs(), owner=owner, renames=renames)[0]


def _handed(signature: Signature, arguments: ArgumentsReader) -> Iterator[str]:
    """Yield the names of the defaults that have to be handed over.

    Those by place, those that are copied, and all where pydantic fills in defaults of its own.
    """
    for each in signature.inputs:
        by_place = arguments.filled or each.name in signature.order
        if each.default is not EMPTY and (by_place or _is_changeable(each.default)):
            yield each.name


def _fresh(default: object) -> object:
    """Return a default for one call; what cannot be copied is given as it is."""
    if not _is_changeable(default):
        return default
    try:
        return deepcopy(default)
    except Exception:  # somebody else's object, which may refuse in any way
        return default


def _is_changeable(default: object) -> bool:
    """Return whether a default could be changed by a call; what has an identity is left alone."""
    return type(default).__hash__ is None or isinstance(default, tuple)  # pyright: ignore[reportUnnecessaryComparison]
