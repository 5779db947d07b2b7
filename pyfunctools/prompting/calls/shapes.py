"""The objects that say a call: those of the vendors' interfaces, and what models make of them."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.reply import OWN_ROLES
from pyfunctools.prompting.calls.names import FunctionNames, properties_of
from pyfunctools.record.function import Function, contract_of
from pyfunctools.schema.ground.path import Keys

NAME_KEYS: Final = (
    "name",
    "function",
    "function_name",
    "functionName",
    "tool_name",
    "toolName",
    "tool",
    "recipient_name",
    "action",
    "function_call",
    "functionCall",
    "tool_call",
    "func",
    "api",
    "api_name",
    "method",
)
"""Keys under which the name of a function stands."""

ARGUMENT_KEYS: Final = (
    "arguments",
    "parameters",
    "args",
    "input",
    "params",
    "action_input",
    "tool_input",
    "toolInput",
    "tool_arguments",
    "tool_args",
    "function_arguments",
    "function_args",
    "kwargs",
    "inputs",
    "partial_json",
)
"""Keys under which its arguments stand."""

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
"""Pairs of keys that nothing but a call has."""

_CALLS: Final = frozenset({"function", "function_call", "tool_use", "tool_call"})
"""What `type` is of a call."""
_FOREIGN: Final = re.compile(
    r"mcp|server|builtin|approval|result|output(?!_text)|response$|thinking|reason|document|search"
    r"|input|user|human|system"
)
"""What it holds of a block that is not the model's speech, or of a call that is not for us."""
_DATA: Final = re.compile(
    r"result|observ|example|sample|history|context|memory|user|human|system|prompt|question|query"
    r"|document|definition|schema|available|catalog|previous|error|source|comment|thought|reason"
    r"|tool_?response|function_?response|tool_?output",
    re.IGNORECASE,
)
"""What the keys of data hold, in which no call is looked for."""
_WRAPPER: Final = re.compile(
    r"(?:tool|function|action|parallel)?_?(?:call|use|invocation|request)s?|actions?|functions?|tools?",
    re.IGNORECASE,
)
"""Keys that calls stand under."""
_BESIDE: Final = frozenset({"call_id", "caller", "id", "index", "status", "type"})
_WORDS: Final = frozenset({*NAME_KEYS, *ARGUMENT_KEYS})
_DEEPEST: Final = 64


class Shape(NamedTuple):
    """A call in an object: its arguments, and the keys that lead to them.

    It is `sure` where nothing but a call looks like this. `beside` are arguments that stand beside
    the others, in the place of the call's own members.
    """

    name: str
    function: Function | None
    arguments: JsonValue
    keys: Keys
    sure: bool
    beside: JsonObject | None = None


def shapes(
    value: JsonValue, names: FunctionNames, keys: Keys = (), *, closed: bool = False
) -> Iterator[Shape]:
    """Yield the calls in a value, in the order in which they stand.

    In a `closed` one they are looked for only under keys that calls stand under.
    """
    if len(keys) > _DEEPEST:
        return
    if isinstance(value, dict):
        yield from _object(value, names, keys, closed)
    elif isinstance(value, list):
        yield from _items(value, names, keys, closed)


def _items(
    value: list[JsonValue], names: FunctionNames, keys: Keys, closed: bool
) -> Iterator[Shape]:
    """Yield the calls in an array; behind a name in it stand the arguments of its calls."""
    function: Function | None = None
    name = ""
    for index, item in enumerate(value):
        before = value[index - 1] if index else None
        if isinstance(item, dict):
            if isinstance(before, str):
                name, function = before, names.find(before)
            calls = shapes(item, names, (*keys, index), closed=closed)
            found = () if function is not None and isinstance(before, str) else tuple(calls)
            if function is not None and not found:
                yield Shape(name, function, item, (*keys, index), True)
            else:
                function = None
                yield from found
        elif isinstance(item, list):
            function = None
            yield from shapes(item, names, (*keys, index), closed=closed)


def _object(value: JsonObject, names: FunctionNames, keys: Keys, closed: bool) -> Iterator[Shape]:
    if len(value) == 1:  # as most are, and seen sooner than the rest: `{"name": {...}}`
        ((name, inner),) = value.items()
        function = None if name in _WORDS or type(name) is not str else names.find(name)
        if function is not None and _may_be_arguments(inner):
            yield Shape(name, function, inner, (*keys, name), True)
            return
    if _is_foreign(value):
        return
    shape = _named(value, names, keys)
    if shape is not None and (shape.function is not None or shape.sure):
        yield shape
        return
    if _is_definition(value):
        return
    mine = [(key, inner, names.find(key)) for key, inner in value.items() if type(key) is str]
    known = [each for each in mine if each[2] is not None and _may_be_arguments(each[1])]
    if known:
        for key, inner, function in known:
            yield Shape(key, function, inner, (*keys, key), True)
        return
    if shape is not None:
        yield shape
        return
    for key, inner, _ in mine:
        hidden = not _WRAPPER.fullmatch(key) if closed else _DATA.search(key)
        if isinstance(inner, dict | list) and not hidden:
            yield from shapes(inner, names, (*keys, key), closed=closed)


def _is_foreign(value: JsonObject) -> bool:
    """Return whether this is a block or a message of somebody else."""
    kind, role = value.get("type"), value.get("role")
    if isinstance(kind, str) and kind not in _CALLS and _FOREIGN.search(kind.lower()):
        return True
    return isinstance(role, str) and role.lower() not in OWN_ROLES and "content" in value


_BUNDLES: Final = re.compile(r"(?:functions[._])?(?:multi_tool_use[._])?parallel")


def bundled(name: str, arguments: JsonValue, names: FunctionNames) -> list[Shape]:
    """Return the calls of one that only bundles others: OpenAI's `multi_tool_use.parallel`."""
    uses = arguments.get("tool_uses") if isinstance(arguments, Mapping) else None
    if not isinstance(uses, list) or not uses or not _BUNDLES.fullmatch(name):
        return []
    found: list[Shape] = []
    for index, use in enumerate(uses):
        keys: Keys = ("tool_uses", index)
        shape = _named(use, names, keys) if isinstance(use, dict) else None
        found.append(shape or Shape("", None, use, keys, True))
    return found


def _named(value: JsonObject, names: FunctionNames, keys: Keys) -> Shape | None:
    """Return the call that an object with a name is."""
    inner = value.get("function")
    if isinstance(inner, Mapping):
        if isinstance(inner.get("name"), str) and any(key in value for key in ARGUMENT_KEYS):
            return _named({**value, "function": inner["name"]}, names, keys)
        found = _named(inner, names, (*keys, "function"))
        return None if found is None else found._replace(sure=True)
    for key in NAME_KEYS:
        name = value.get(key)
        if not isinstance(name, str) or not name:
            continue
        for where in ARGUMENT_KEYS:
            if where in value:
                arguments = value[where]
                function = names.find(name)
                if function is None and not _may_be_arguments(arguments):
                    continue
                if _is_schema(arguments, function):
                    return None
                sure = (key, where) in _SURE or value.get("type") in _CALLS
                beside = _beside(value, arguments, function)
                return Shape(name, function, arguments, (*keys, where), sure, beside)
        if (shape := _flat(value, key, name, names, keys)) is not None:
            return shape
    return None


def _beside(
    value: JsonObject, arguments: JsonValue, function: Function | None
) -> JsonObject | None:
    """Return the arguments that stand beside the others instead of among them."""
    if function is None or len(value) < 3 or not isinstance(arguments, Mapping):
        return None
    known = properties_of(function)
    own = {*NAME_KEYS, *ARGUMENT_KEYS, *_BESIDE, *arguments}
    return {key: inner for key, inner in value.items() if key in known and key not in own}


def _flat(value: JsonObject, key: str, name: str, names: FunctionNames, keys: Keys) -> Shape | None:
    """Return the call whose arguments stand beside its name, or that has none."""
    function = names.find(name)
    if function is None:
        return None
    rest = {other: inner for other, inner in value.items() if other != key}
    known = properties_of(function)
    if rest and key not in known and all(other in known for other in rest):
        return Shape(name, function, rest, keys, True)
    if rest.keys() <= _BESIDE and (rest or not contract_of(function).parameters.get("required")):
        return Shape(name, function, {}, keys, True)
    return None


def _may_be_arguments(value: JsonValue) -> bool:
    return value is None or isinstance(value, dict | str | list)


def _is_definition(value: JsonObject) -> bool:
    """Return whether this describes a function, as those who offer one write it."""
    return "description" in value and ("parameters" in value or "input_schema" in value)


def _is_schema(arguments: JsonValue, function: Function | None) -> bool:
    """Return whether what stands for the arguments is the schema of the function instead."""
    if not isinstance(arguments, Mapping):
        return False
    described = isinstance(arguments.get("properties"), Mapping)
    if not described and arguments.get("type") not in ("object", "dict"):
        return False
    key = "properties" if described else "type"
    return function is None or key not in properties_of(function)
