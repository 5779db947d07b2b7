"""The handler of a callable: arguments from JSON become objects, and make a call."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast, get_args

from pyfunctools._bound import BoundCall
from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools._text import visible
from pyfunctools.record.file import files_in
from pyfunctools.record.handler import plain_collection
from pyfunctools.schema.ground.path import Keys, Path, value_at
from pyfunctools.schema.result import Failure, Issue, Success
from pyfunctools.sources.python.callable_schemas import (
    CallableOutput,
    CallableParameters,
    WrittenParameters,
    read_output,
)
from pyfunctools.sources.python.callable_signature import EMPTY, Injected, read_signature
from pyfunctools.sources.python.core_schema import CoreSchema
from pyfunctools.sources.python.docstrings import Docs
from pyfunctools.sources.python.hint_scope import Namespace
from pyfunctools.sources.python.hints import plain_types
from pyfunctools.sources.python.unlisted_names import with_declared_names

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from pyfunctools.record.call import CallInfo
    from pyfunctools.record.handler import ReadyCall
    from pyfunctools.schema.outline.outline import Outline

Objects: TypeAlias = dict[str, object]
"""Arguments as objects of the hinted types, by the names of the parameters."""


class MethodHandler(NamedTuple):
    """The handler of one Python callable.

    `where` is its name in errors, `owner` the class that defines it. A copy is the handler itself;
    it can be pickled if the callable can. `hinted` is the callable whose hints were read, where
    another is `called`.

    From JSON: `read_json` validates with pydantic. `keys` are the names in JSON by parameter name.
    `plain` has, by name, the types of values that do not need pydantic, or is `None` if pydantic
    has to rename them or to fill in a default. `kwargs` is the name of `**kwargs`, `reserved` are
    names that its keys must not have. `has_human` tells whether a person gives a part. `unlisted`
    has the outline of the schema with `UNLISTED`, or `None`; `renames` tells whether these names,
    which pydantic reads and the schema does not list, are accepted.

    To the call: `positional` are the names of parameters to pass by position, `args` is the name of
    `*args`. `defaults` are the defaults of parameters by name; `passed` are the names of defaults
    that every call passes. `wants_context` is the parameter that needs a context, or `None`.
    """

    called: Callable[..., object]
    where: str
    owner: type | None
    is_async: bool
    read_json: Callable[..., Objects]
    keys: Mapping[str, str]
    required: tuple[str, ...]
    plain: Mapping[str, frozenset[type]] | None
    kwargs: str | None
    reserved: Set[str]
    has_human: bool
    unlisted: "Lazy[Outline | None]"
    renames: bool
    output: Lazy[CallableOutput]
    positional: tuple[str, ...]
    args: str | None
    defaults: Mapping[str, object]
    passed: tuple[str, ...]
    context: tuple[Injected, ...]
    provided: tuple[Injected, ...]
    wants_context: str | None
    hinted: Callable[..., object]

    def __repr__(self) -> str:
        return f"<MethodHandler of {self.where}>"  # a default may be a secret

    def bind(
        self, arguments: JsonObject, context: object, info: "CallInfo | None" = None
    ) -> "Success[ReadyCall] | Failure":
        """Return the call with its arguments as objects; the callable does not run yet."""
        objects = self.read(arguments)
        if not isinstance(objects, dict):
            return objects
        for name in self.passed:
            if self.keys[name] not in arguments:
                objects[name] = _fresh(self.defaults[name])
        for each in self.context:
            objects[each.name] = each.value(context, info)
        if self.positional or self.args or self.kwargs or self.provided:
            return Success(value=BoundCall(self._call, objects, context))
        return Success(value=BoundCall(self.called, **objects))

    def read(self, arguments: JsonObject) -> Objects | Failure:
        """Return the objects, or the issues found by the hints or a user-written validator.

        The objects share no list or dictionary with `arguments`.
        """
        if not all(map(arguments.__contains__, self.required)):
            missing = [(key,) for key in sorted({*self.required} - arguments.keys())]
            return _failure_at(arguments, missing, "a value: it is required")
        if (unlisted := self.unlisted.value) is not None:
            value, refused = with_declared_names(unlisted, arguments, renames=self.renames)
            if refused:
                expected = "no property of this name: the schema has none"
                return _failure_at(arguments, refused, expected)
            arguments = cast("JsonObject", value)
        if self.kwargs is not None:
            return self._with_kwargs(arguments, self.kwargs)
        if (plain := self.plain) is None:
            return self._by_pydantic(arguments)
        for key, value in arguments.items():
            if type(value) not in plain.get(key, ()):
                del value  # in a traceback with locals
                return self._by_pydantic(arguments)
        return dict(arguments)

    def _with_kwargs(self, arguments: JsonObject, kwargs: str) -> Objects | Failure:
        declared = {key for name, key in self.keys.items() if name != kwargs}
        rest = {key: value for key, value in arguments.items() if key not in declared}
        if not self.reserved.isdisjoint(rest):
            reserved = [(key,) for key in sorted(self.reserved & rest.keys())]
            return _failure_at(arguments, reserved, "no property of this name: it is reserved")
        named = {key: value for key, value in arguments.items() if key in declared}
        objects = self._by_pydantic({**named, self.keys[kwargs]: rest})
        if isinstance(objects, dict):
            return objects
        issues = tuple(_lifted(each, self.keys[kwargs]) for each in objects.issues)
        return Failure(value=arguments, issues=issues)

    def _by_pydantic(self, arguments: JsonObject) -> Objects | Failure:
        from pydantic_core import to_json  # twice as fast as `json.dumps`

        try:
            files = {str(each): each for each in files_in(arguments)} if self.has_human else None
            return self.read_json(to_json(arguments), context=files or None)
        except Exception as error:  # user-written validators may raise anything
            return failure_of(error, arguments)

    def filled(self, bound: "ReadyCall") -> "ReadyCall":
        """Return a call from `bind` with new values of its providers, which run now."""
        if not self.provided:
            return bound
        objects, context = cast("BoundCall", bound).args
        return BoundCall(self._call, {**objects, **self._provided(context)})

    def _provided(self, context: object) -> Objects:
        return {each.name: each.value(context) for each in self.provided}

    def _call(self, objects: Objects, *context: object) -> object:
        """Call with these objects, and with a context also with new values of the providers."""
        named = {**objects, **(self._provided(*context) if context else {})}
        positional = [named.pop(name) for name in self.positional]
        if self.args is not None:
            positional.extend(cast("Iterable[object]", named.pop(self.args, ())))
        if self.kwargs is not None:
            named.update(cast("Mapping[str, object]", named.pop(self.kwargs, {})))
        bound = BoundCall(self.called, *positional, **named)
        del objects, context, named, positional  # in a traceback with locals
        return bound()

    def arguments_of(self, bound: "ReadyCall") -> Objects:
        """Return the arguments of a call from `bind`, defaults too, by their names in JSON."""
        call = cast("BoundCall", bound)
        is_own = call.func == self._call  # else `called`, whose own arguments may stand before
        objects = cast("Objects", call.args[0] if is_own else call.keywords)
        named = {**self.defaults, **objects}
        held = {key: named[name] for name, key in self.keys.items() if name in named}
        kwargs = held.pop(self.keys.get(self.kwargs or "", ""), {})
        return {**cast("Objects", kwargs), **held}

    def dump(self, value: object) -> JsonValue:
        """Return an output as JSON, by pydantic's rules; any mapping or sequence is JSON.

        A value that does not match its hint is serialized by its type: the mistake is visible.

        Raises:
            Exception: whatever serializing the value raises.
        """
        serializer, held = self.output.value.serializer, {"output": (value,)}
        return serializer.to_python(
            held, mode="json", by_alias=True, warnings=False, fallback=plain_collection
        )["output"][0]

    def calling(self, called: Callable[..., object]) -> "MethodHandler":
        """Return a handler that makes the same calls to another callable, with these defaults."""
        from pyfunctools.record.origin import is_async  # only `Controller.replaced` needs it

        passed = tuple(name for name in self.defaults if name in self.keys)
        return self._replace(called=called, is_async=is_async(called), passed=passed)

    def __deepcopy__(self, memo: object) -> "MethodHandler":
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (_handler_of, (self.called, self.hinted, self.where, self.owner, self.renames))


def read_handler(
    called: Callable[..., object],
    where: str,
    docs: Docs,
    *,
    owner: type | None = None,
    enclosing: Lazy[Namespace] | None = None,
    renames: bool = True,
) -> tuple[MethodHandler, Lazy[WrittenParameters]]:
    """Return the handler of a callable, and the schema of its parameters.

    Raises:
        DefinitionError: the signature cannot be read, a hint has no schema, or a mark in it would
            have no effect.
    """
    signature = read_signature(called, where, owner=owner, enclosing=enclosing)
    inputs, injected, positional = signature.inputs, signature.injected, signature.positional
    parameters = CallableParameters(signature, docs)
    reading, keys, written = parameters.reading, parameters.keys, parameters.written
    cores = {name: cast("CoreSchema", each["schema"]) for name, each in reading.fields.items()}
    fills_defaults = any(core["type"] == "default" for core in cores.values())
    plain = {keys[name]: plain_types(core) for name, core in cores.items()}
    stars = {each.kind: each.name for each in inputs if each.kind != "named"}
    defaults = {each.name: each.default for each in inputs if each.default is not EMPTY}
    passed = [n for n, each in defaults.items() if n in positional or _is_mutable(each)]
    handler = MethodHandler(
        called=called,
        where=where,
        owner=owner,
        is_async=signature.is_async,
        read_json=reading.read,
        keys=keys,
        required=tuple([keys[each.name] for each in inputs if each.required]),
        plain=None if fills_defaults or [*keys] != [*keys.values()] else plain,
        kwargs=stars.get("kwargs"),
        reserved=signature.reserved | (keys.keys() - {*keys.values()}),
        has_human=bool(reading.marked_in),
        unlisted=Lazy(lambda: written.value.unlisted),
        renames=renames,
        output=read_output(signature, docs),
        positional=positional,
        args=stars.get("args"),
        defaults=defaults,
        passed=tuple(defaults if fills_defaults else passed),
        context=tuple([each for each in injected if each.provider is None]),
        provided=tuple([each for each in injected if each.provider is not None]),
        wants_context=next((each.name for each in injected if each.required), None),
        hinted=called,
    )
    return handler, written


def _handler_of(
    called: Callable[..., object],
    hinted: Callable[..., object],
    where: str,
    owner: type | None,
    renames: bool,
) -> MethodHandler:
    handler = read_handler(hinted, where, Docs(), owner=owner, renames=renames)[0]
    return handler if called is hinted else handler.calling(called)


def _fresh(default: object) -> object:
    """Return a copy of a mutable default, or the default itself if it cannot be copied."""
    if _is_mutable(default):
        with suppress(Exception):  # copying runs user code, which may raise anything
            return deepcopy(default)
    return default


def _is_mutable(default: object) -> bool:
    """Return whether a call could change a default; hashable objects are left alone."""
    return type(default).__hash__ is None or isinstance(default, tuple)  # pyright: ignore[reportUnnecessaryComparison]


def failure_of(error: Exception, arguments: JsonObject) -> Failure:
    """Return the failure for pydantic's error, or for arguments that are not JSON.

    If a user-written validator raised, only its errors are used: the schema has been checked
    before, so the other errors are about other branches of a union.

    Raises:
        Exception: the error itself, if a validator raised anything but a `ValueError`.
    """
    from pydantic_core import ValidationError, to_json

    if isinstance(error, ValidationError):
        details = error.errors(include_url=False, include_input=False)
        users = [each for each in details if each["type"] not in _built_in()]
        issues = tuple(_issue(each, arguments) for each in users or details)
        return Failure(value=arguments, issues=issues)
    try:
        to_json(arguments)
    except Exception as reason:  # not JSON, too deep or too large
        return _failure_at(arguments, [()], f"{type(reason).__name__}: {reason}")
    raise error


def _failure_at(arguments: JsonObject, places: Iterable[Keys], expected: str) -> Failure:
    issues = tuple(_issue_at(keys, arguments, expected) for keys in places)
    return Failure(value=arguments, issues=issues)


def _issue_at(keys: Keys, arguments: JsonValue, message: str) -> Issue:
    path, found = Path.of(keys), value_at(arguments, keys)
    expected = " ".join(visible(message).split()) or "another value"
    value = found[0] if found else None
    return Issue(path=path, expected=expected, value=value, message=f"{path}: {expected}")


def _lifted(issue: Issue, step: str) -> Issue:
    """Return the issue with `step` removed from the beginning of its path."""
    keys = issue.path.keys[1:] if issue.path.keys[:1] == (step,) else issue.path.keys
    path = Path.of(keys)
    return replace(issue, path=path, message=issue.message.replace(issue.path, path, 1))


@lru_cache(maxsize=1)
def _built_in() -> frozenset[str]:
    from pydantic_core.core_schema import ErrorType

    return frozenset[str](get_args(ErrorType)) - {"value_error", "assertion_error"}


def _issue(detail: "ErrorDetails", value: JsonValue) -> Issue:
    keys = tuple(_steps(detail, value))
    context = detail.get("ctx", {})
    raised = context.get("error")
    message = str(raised) if isinstance(raised, Exception) else detail["msg"]
    if detail["type"] == "bytes_invalid_encoding":
        # pydantic quotes the first invalid character, which may be from a person's file.
        message = f"text in {context.get('encoding', 'base64')}"
    message = _MESSAGES.get(detail["type"], message)
    if detail["type"] == "union_tag_not_found":
        tag = str(context.get("discriminator"))
        keys = (*keys, tag.strip("'")) if tag.startswith("'") else keys
    return _issue_at(keys, value, message.removeprefix("Input should be "))


_MESSAGES = {
    "missing": "a value: it is required",
    "union_tag_not_found": "a value that tells which of the alternatives is meant",
    "json_invalid": 'text that is JSON, such as {"a": [1, "b"]}',
    "timezone_aware": "a time with an offset from UTC, such as 2025-01-31T09:30:00Z",
    "timezone_naive": "a time without an offset from UTC, such as 2025-01-31T09:30:00",
}
"""Messages that are clearer than those of pydantic, by the type of the error."""


def _steps(detail: "ErrorDetails", value: JsonValue) -> Iterator[str | int]:
    """Yield the steps through the value, without pydantic's names for branches of unions."""
    location = detail["loc"]
    for index, step in enumerate(location):
        if below := value_at(value, (step,)):
            value = below[0]
        elif detail["type"] != "missing" or index < len(location) - 1:
            continue
        yield step
