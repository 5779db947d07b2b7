"""JSON objects that are calls, in the formats of vendors and in variants that models write."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.blocks import ARGUMENT_KEYS, CALL_KEYS, NAME_KEYS, is_foreign
from pyfunctools.prompting.calls.names import FunctionNames, properties_of
from pyfunctools.record.function import Function, contract_of
from pyfunctools.schema.ground.path import Keys

_NAMES: Final = (
    *NAME_KEYS,
    *("function", "function_name", "functionName", "tool", "recipient_name", "action"),
    *("function_call", "functionCall", "tool_call", "func", "api", "api_name", "method"),
)
"""Keys for the name of a function: those of vendors, and those that models write instead."""
_ARGUMENTS: Final = (
    *ARGUMENT_KEYS,
    *("params", "action_input", "tool_input", "toolInput", "tool_arguments", "tool_args"),
    *("function_arguments", "function_args", "kwargs", "inputs"),
)
"""Keys for the arguments."""

_SURE: Final = frozenset(
    {
        ("name", "arguments"),
        ("function", "arguments"),
        ("name", "args"),
        ("function_name", "arguments"),
        ("function_name", "function_args"),
        ("tool_name", "parameters"),
        ("tool_name", "arguments"),
        ("toolName", "args"),
        ("tool", "tool_input"),
        ("tool", "arguments"),
        ("action", "action_input"),
        ("recipient_name", "parameters"),
    }
)
"""Pairs of keys that only a call has."""

_CALL_TYPES: Final = frozenset({"function", "function_call", "tool_use", "tool_call"})
"""The `type` of a call."""
_FOREIGN: Final = re.compile(
    r"mcp|server|builtin|approval|result|output(?!_text)|response$|thinking|reason|document|search"
    r"|input|user|human|system"
)
"""Parts of the `type` of a block that the model did not write, or of a call of a server tool."""
_WRAPPER: Final = re.compile(
    r"(?:next_?)?(?:tool|function|action|parallel)?_?(?:call|use|invocation|request)s?|(?:next_?)?actions?"
    r"|functions?|tools?|arguments|parameters|choices|message|assistant|response|answer|plan|steps?",
    re.IGNORECASE,
)
"""Keys whose value contains calls; the values of other keys are data."""
_BESIDE: Final = frozenset({"call_id", "caller", "id", "index", "status", "type"})
_WORDS: Final = frozenset({*_NAMES, *_ARGUMENTS})
_MAX_DEPTH: Final = 64


class CallObject(NamedTuple):
    """A call in a JSON value: its arguments and their path.

    It is `sure` if only a call looks like this. `beside` are arguments that are written beside the
    name instead of among the other arguments.
    """

    name: str
    function: Function | None
    arguments: JsonValue
    keys: Keys
    sure: bool
    beside: JsonObject | None = None


def call_objects(value: JsonValue, names: FunctionNames, keys: Keys = ()) -> Iterator[CallObject]:
    """Yield the calls in a value, in their order; only keys such as `tool_calls` are searched."""
    if len(keys) > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        yield from _object(value, names, keys)
    elif isinstance(value, list):
        yield from _items(value, names, keys)


def _items(value: list[JsonValue], names: FunctionNames, keys: Keys) -> Iterator[CallObject]:
    """Yield the calls in an array; a string in it may be the name of a call, as in `["f", {}]`."""
    function: Function | None = None
    name = ""
    for index, item in enumerate(value):
        before = value[index - 1] if index else None
        if isinstance(item, dict):
            if isinstance(before, str):
                name, function = before, names.find(before)
            found: tuple[CallObject, ...] = ()
            if function is None or not isinstance(before, str):
                found = tuple(call_objects(item, names, (*keys, index)))
            if function is not None and not found:
                yield CallObject(name, function, item, (*keys, index), True)
            else:
                function = None
                yield from found
        elif isinstance(item, list):
            function = None
            yield from call_objects(item, names, (*keys, index))


def _object(value: JsonObject, names: FunctionNames, keys: Keys) -> Iterator[CallObject]:
    if len(value) == 1:  # the most common form, tested first: `{"name": {...}}`
        ((name, inner),) = value.items()
        function = None if name in _WORDS or type(name) is not str else names.find(name)
        if function is not None and _may_be_arguments(inner):
            yield CallObject(name, function, inner, (*keys, name), True)
            return
    if _is_foreign(value):
        return
    call = _named(value, names, keys)
    if call is not None and (call.function is not None or call.sure):
        yield call
        return
    if _is_definition(value):
        return
    mine = [(key, inner, names.find(key)) for key, inner in value.items() if type(key) is str]
    known = [each for each in mine if each[2] is not None and _may_be_arguments(each[1])]
    if known:
        for key, inner, function in known:
            yield CallObject(key, function, inner, (*keys, key), True)
        return
    if call is not None:
        yield call
        return
    for key, inner, _ in mine:
        if isinstance(inner, dict | list) and _WRAPPER.fullmatch(key):
            yield from call_objects(inner, names, (*keys, key))


def _is_foreign(value: JsonObject) -> bool:
    """Return whether this is a block or a message that the model did not write."""
    kind = value.get("type")
    if isinstance(kind, str) and kind not in _CALL_TYPES and _FOREIGN.search(kind.lower()):
        return True
    spoken = any(key in value for key in ("content", "parts", *CALL_KEYS))
    return spoken and is_foreign(value.get("role"))


def _named(value: JsonObject, names: FunctionNames, keys: Keys) -> CallObject | None:
    """Return the call in an object that has a key for the name."""
    inner = value.get("function")
    if isinstance(inner, Mapping):
        if isinstance(inner.get("name"), str) and any(key in value for key in _ARGUMENTS):
            return _named({**value, "function": inner["name"]}, names, keys)
        found = _named(inner, names, (*keys, "function"))
        return None if found is None else found._replace(sure=True)
    for key in _NAMES:
        name = value.get(key)
        if not isinstance(name, str) or not name:
            continue
        for where in _ARGUMENTS:
            if where in value:
                arguments = value[where]
                function = names.find(name)
                if function is None and not _may_be_arguments(arguments):
                    continue
                if _is_schema(arguments, function):
                    return None
                sure = (key, where) in _SURE or value.get("type") in _CALL_TYPES
                beside = _beside(value, arguments, function)
                return CallObject(name, function, arguments, (*keys, where), sure, beside)
        if (call := _flat(value, key, name, names, keys)) is not None:
            return call
    return None


def _beside(
    value: JsonObject, arguments: JsonValue, function: Function | None
) -> JsonObject | None:
    """Return the arguments that are written beside the name, not among the other arguments."""
    if function is None or len(value) < 3 or not isinstance(arguments, Mapping):
        return None
    known = properties_of(function)
    own = {*_NAMES, *_ARGUMENTS, *_BESIDE, *arguments}
    return {key: inner for key, inner in value.items() if key in known and key not in own}


def _flat(
    value: JsonObject, key: str, name: str, names: FunctionNames, keys: Keys
) -> CallObject | None:
    """Return the call whose arguments are all beside its name, or that has no arguments."""
    function = names.find(name)
    if function is None:
        return None
    rest = {other: inner for other, inner in value.items() if other != key}
    known = properties_of(function)
    if rest and key not in known and all(other in known for other in rest):
        return CallObject(name, function, rest, keys, True)
    if rest.keys() <= _BESIDE and (rest or not contract_of(function).parameters.get("required")):
        return CallObject(name, function, {}, keys, True)
    return None


def _may_be_arguments(value: JsonValue) -> bool:
    return value is None or isinstance(value, dict | str | list)


def _is_definition(value: JsonObject) -> bool:
    """Return whether this is the description of a function."""
    return "description" in value and ("parameters" in value or "input_schema" in value)


def _is_schema(arguments: JsonValue, function: Function | None) -> bool:
    """Return whether the arguments are the function's schema instead."""
    if not isinstance(arguments, Mapping):
        return False
    described = isinstance(arguments.get("properties"), Mapping)
    if not described and arguments.get("type") not in ("object", "dict"):
        return False
    key = "properties" if described else "type"
    return function is None or key not in properties_of(function)
