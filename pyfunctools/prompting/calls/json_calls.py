"""JSON in a text: the calls in it, and a call whose name is written in front of it.

Objects that are calls have the formats of vendors, and variants that models write.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from json import JSONDecodeError, JSONDecoder
from typing import Final

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.blocks import CALL_TYPES, TEXT_TYPES, is_foreign
from pyfunctools.envelopes.plain import CALL_KEYS
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.prompting.calls.found import FoundCall, JsonInText
from pyfunctools.prompting.calls.literals import Literals, NotALiteral, WrittenArguments
from pyfunctools.prompting.calls.names import FunctionNames, properties_of
from pyfunctools.record.function import Function, contract_of
from pyfunctools.schema.ground.call_keys import ANY_ARGUMENT_KEYS, ANY_NAME_KEYS
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.parsing.scalars import OPENING
from pyfunctools.schema.parsing.strict import parse_strict

_NAMES: Final = (
    *ANY_NAME_KEYS,
    *("action", "function_call", "functionCall", "tool_call", "func", "api", "api_name", "method"),
)
"""Keys for the name of a function, in a text of a model whose functions are known."""
_SURE: Final = frozenset({"arguments", "args", "function_args", "action_input", "tool_input"})
"""Keys that only a call has beside a name."""

_WRAPPER: Final = re.compile(
    r"(?:next_?)?(?:tool|function|action|parallel)?_?(?:call|use|invocation|request)s?|(?:next_?)?actions?"
    r"|functions?|tools?|arguments|parameters|choices|message|assistant|response|answer|plan|steps?",
    re.IGNORECASE,
)
"""Keys whose value contains calls, and types of such values; other values are data."""
_OWN_TYPES: Final = CALL_TYPES | TEXT_TYPES | {"api_call", "dict", "json", "object"}
"""More types of objects that the model wrote; what has another type is not read."""
_BESIDE: Final = frozenset({"call_id", "caller", "id", "index", "status", "type"})
_WORDS: Final = frozenset({*_NAMES, *ANY_ARGUMENT_KEYS})
_MAX_DEPTH: Final = 64


def call_objects(value: JsonValue, names: FunctionNames, keys: Keys = ()) -> Iterator[FoundCall]:
    """Yield the calls in a value, in their order; only keys such as `tool_calls` are searched."""
    if len(keys) > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        yield from _object(value, names, keys)
    elif isinstance(value, list):
        yield from _items(value, names, keys)


def _items(value: list[JsonValue], names: FunctionNames, keys: Keys) -> Iterator[FoundCall]:
    """Yield the calls in an array; a string in it may be the name of a call, as in `["f", {}]`."""
    function: Function | None = None
    name = ""
    for index, item in enumerate(value):
        if isinstance(item, str):
            name, function = item, names.find(item)
            continue
        takes = function is not None and isinstance(item, dict)
        is_first = takes and isinstance(value[index - 1], str)
        calls = () if is_first else tuple(call_objects(item, names, (*keys, index)))
        if takes and not calls:
            yield FoundCall(name=name, function=function, arguments=item, keys=(*keys, index))
        else:
            function = None
            yield from calls


def _object(value: JsonObject, names: FunctionNames, keys: Keys) -> Iterator[FoundCall]:
    if len(value) == 1:  # the most common form, tested first: `{"name": {...}}`
        ((name, inner),) = value.items()
        function = None if name in _WORDS or type(name) is not str else names.find(name)
        if function is not None and _may_be_arguments(inner):
            yield FoundCall(name=name, function=function, arguments=inner, keys=(*keys, name))
            return
    call = _named(value, names, keys)
    flat = call is not None and call.keys == keys and bool(call.arguments)
    if _is_foreign(value, flat=flat):
        return
    if call is not None and (call.function is not None or call.sure):
        yield call
        return
    mine = [(key, inner, names.find(key)) for key, inner in value.items() if type(key) is str]
    known = [each for each in mine if each[2] is not None and _may_be_arguments(each[1])]
    if known:
        for key, inner, function in known:
            yield FoundCall(name=key, function=function, arguments=inner, keys=(*keys, key))
        return
    if call is not None:
        yield call
        return
    for key, inner, _ in mine:
        if isinstance(inner, dict | list) and _WRAPPER.fullmatch(key):
            yield from call_objects(inner, names, (*keys, key))


def _is_foreign(value: JsonObject, *, flat: bool) -> bool:
    """Return whether this is a block or a message that the model did not write.

    If the arguments are beside the name (`flat`), a `type` is one of them.
    """
    kind = value.get("type")
    if isinstance(kind, str) and not flat:
        kind = kind.lower().replace("-", "_")
        return kind not in _OWN_TYPES and _WRAPPER.fullmatch(kind) is None
    spoken = any(key in value for key in ("content", "parts", *CALL_KEYS))
    return spoken and is_foreign(value.get("role"))


def _named(value: JsonObject, names: FunctionNames, keys: Keys) -> FoundCall | None:
    """Return the call in an object that has a key for the name."""
    inner = value.get("function")
    if isinstance(inner, Mapping) and any(key in value for key in ANY_ARGUMENT_KEYS):
        value = {**value, "function": inner.get("name")}
    for key in _NAMES:
        name = value.get(key)
        if not isinstance(name, str) or not name:
            continue
        for where in ANY_ARGUMENT_KEYS:
            if where in value:
                arguments = value[where]
                function = names.find(name)
                if function is None and not _may_be_arguments(arguments):
                    continue
                if _is_schema(arguments, function):
                    return None
                sure = where in _SURE or key in ("tool_name", "recipient_name")
                sure = sure or value.get("type") in CALL_TYPES or keys[-1:] == ("function",)
                return FoundCall(
                    name=name,
                    function=function,
                    arguments=arguments,
                    keys=(*keys, where),
                    beside=_beside(value, arguments, function),
                    sure=sure,
                )
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
    own = {*_NAMES, *ANY_ARGUMENT_KEYS, *_BESIDE, *arguments}
    return {key: inner for key, inner in value.items() if key in known and key not in own}


def _flat(
    value: JsonObject, key: str, name: str, names: FunctionNames, keys: Keys
) -> FoundCall | None:
    """Return the call whose arguments are all beside its name, or that has no arguments."""
    function = names.find(name)
    if function is None:
        return None
    rest = {other: inner for other, inner in value.items() if other != key}
    known = properties_of(function)
    if rest and key not in known and all(other in known for other in rest):
        return FoundCall(name=name, function=function, arguments=rest, keys=keys)
    if rest.keys() <= _BESIDE and (rest or not contract_of(function).parameters.get("required")):
        return FoundCall(name=name, function=function, arguments={}, keys=keys)
    return None


def _may_be_arguments(value: JsonValue) -> bool:
    return value is None or isinstance(value, dict | str | list)


def _is_schema(arguments: JsonValue, function: Function | None) -> bool:
    """Return whether the arguments are the function's schema instead."""
    if not isinstance(arguments, Mapping):
        return False
    described = isinstance(arguments.get("properties"), Mapping)
    if not described and arguments.get("type") not in ("object", "dict"):
        return False
    key = "properties" if described else "type"
    return function is None or key not in properties_of(function)


OBJECT: Final = rf"\{{(?=\s*+(?:[{OPENING}\\}}]|[A-Za-z_]\w*+[\"']?\s*+:|<(?:escape|\|\"\|)>))"
"""The bracket of an object, which is not a bracket in prose."""
_BEGINS: Final = re.compile(rf"{OBJECT}|\[\s*+(?:[{OPENING}\[{{]|\(\s*+[{OPENING}])")
_NAME_MEMBER: Final = re.compile(
    r"[\"'](?:name|function|tool_name|function_name)[\"']\s*+:\s*+[\"']([\w.-]{1,120})[\"']"
    r"|[\"']([\w.-]{1,120})[\"']\s*+:\s*+\{"
)
_MAX_LENGTH: Final = 4_000
_DECODER: Final = JSONDecoder()
_BROKEN_COST: Final = 4_000
_ENDS: Final = re.compile(r"</|<[|\uff5c]|\[/|\n[ \t]*```")
_MAX_ENDS: Final = 4
"""The most places where broken JSON may end before the text does: the first may be in a string."""

_MARKER = r"<[/]?[|\uff5c][^<>\n]{1,40}[|\uff5c]>"
_NAME = r"(?P<name>[^\W\d](?:[\w.-]|\\(?=_)){0,120}+)"
_LABEL = r"\b(?:[Tt]ool|[Ff]unction)(?:[ _](?:[Nn]ame|[Cc]all))?\s?:|\b[Aa]ction\s?:|\bcall:"
_MARK = (
    r"(?P<mark>>>>|<function[=(]|name=[\"']?|\bto=|\[TOOL_CALLS\]|<\w{0,20}[_:]?tool_call>"
    rf"|{_MARKER}|{_LABEL}|<function_call>)"
)
_BETWEEN = (
    rf"(?:\s|{_MARKER}|\b(?:json|commentary|analysis|code)\b|\[ARGS\]|\[CALL_ID\]\w*|[\"')]?>|:\d+"
    r"|\b(?:Action\s)?(?:[Ii]nput|[Aa]rguments|[Pp]arameters|[Aa]rgs)\s?:|```\w*|[:=`*])*"
)
_MARKED: Final = re.compile(rf"{_MARK}[\s`\"'*]*(?:function{_MARKER})?{_NAME}{_BETWEEN}\Z")
_MARKISH: Final = re.compile(r"[<>\[]|to=|ction|ool|call:")
_BULLET: Final = re.compile(r"[ \t>*`#-]*(?:[0-9]{1,2}[.)][ \t*`]*)?")
_ALONE: Final = re.compile(r"[\"'`*]*[ \t]*:?\s*")
_BEFORE: Final = re.compile(r"[\"'`*]*\s*[:=(]?\s*|[\"'`]\s*,\s*")
_LAST_WORD: Final = re.compile(rf"(?<![\w\\]){_NAME}[\s\"'`*:=(,]*\Z")
_RECIPIENTS: Final = frozenset({"all", "assistant", "system", "user"})
"""Recipients of a message that is not a call (gpt-oss, Functionary)."""
_WINDOW: Final = 300
_FENCE: Final = re.compile(r"```\w*\s*\Z")


def read_json(text: str, at: int) -> tuple[JsonInText | None, int]:
    """Parse the JSON that begins with the bracket at `at`; return also the end of the search.

    The JSON is `None` for a bracket in prose.
    """
    if not _BEGINS.match(text, at):
        return None, at + 1
    value, end = _strict(text, at)
    if value is not None:
        return JsonInText(text=text[at:end], start=at, end=end, value=value), end
    found, searched = _literal(text, at)
    searched += end - at
    if found is not None and not found.is_broken:
        return found, searched
    cut = None
    for ended in islice(_ENDS.finditer(text, at, searched + 3), _MAX_ENDS):
        read = _recovered(text, at, ended.start(), fenced=True)
        if read.repaired_without("truncated"):
            return read, searched
        cut = cut or read
        searched += read.end - at
    recovered = _recovered(text, at, len(text), fenced=False)
    found = recovered if found is None or not recovered.is_broken else found
    if cut and not cut.is_broken and not found.repaired_without("truncated", "quote"):
        found = cut
    return found, max(searched, recovered.end)


def _strict(text: str, at: int) -> tuple[JsonValue, int]:
    """Return the object or array that begins here if it is strict JSON, and the end of the search.

    The value is `None` for anything else.
    """
    try:
        _, end = _DECODER.raw_decode(text, at)
    except JSONDecodeError as error:
        return None, max(error.pos, at)
    except (ValueError, RecursionError):  # an integer of too many digits, or too many levels
        return None, at + _BROKEN_COST
    read = parse_strict(text[at:end], DEFAULT_LIMITS.depth)
    return (None if read is None else read.value), end


def _literal(text: str, at: int) -> tuple[JsonInText | None, int]:
    """Parse JSON or Python literals without repairs; other values are issues."""
    literals = Literals(text, at, len(text))
    try:
        value = literals.container()
    except NotALiteral:
        return None, literals.end_of_search
    end = literals.at
    if any(repair.kind != "key" for repair in literals.found.repairs):
        return None, literals.end_of_search
    parts, objects = literals.found, literals.objects
    found = JsonInText(
        text=text[at:end], start=at, end=end, value=value, parts=parts, objects=objects
    )
    return found, end


def _recovered(text: str, at: int, stop: int, *, fenced: bool) -> JsonInText:
    """Parse broken JSON; the value is `None` if that is not possible."""
    from pyfunctools.schema.parsing.recovery import Recovery  # few texts need it

    recovery = Recovery(text, at, stop, limits=DEFAULT_LIMITS, fenced=fenced, sure=False)
    recovery.read()
    end = max(recovery.at, at + 1)
    return JsonInText(
        text=text[at:end],
        start=at,
        end=end,
        value=None if recovery.issues else recovery.value,
        parts=WrittenArguments(repairs=recovery.repairs, issues=recovery.issues),
        objects={},
    )


def unreadable_calls(source: JsonInText, text: str, names: FunctionNames) -> list[FoundCall]:
    """Return a call for each name of a function in JSON that cannot be parsed."""
    at, end = source.start, source.end
    if text[max(at - 40, 0) : at].rstrip().endswith(">"):
        ended = _ENDS.search(text, at)
        end = len(text) if ended is None else ended.start()
    named = _NAME_MEMBER.finditer(text, at, min(end, at + _MAX_LENGTH))
    known = ((name, names.find(name)) for name in (each[1] or each[2] for each in named))
    return [
        FoundCall(name=name, function=function, arguments=text[at:end], start=at, end=end)
        for name, function in known
        if function is not None
    ]


def calls_in_json(
    source: JsonInText, text: str, names: FunctionNames, after: int = -1
) -> list[FoundCall]:
    """Return the calls in JSON, or the call whose name is written in front of it.

    `after` is the end of the previous call.
    """
    found: list[FoundCall] = []
    plain = source.is_plain
    calls = list(call_objects(source.value, names))
    value: JsonValue = {} if source.value is None else source.value
    named = None
    unsure = not calls or calls[0].function is None or calls[0].keys == (calls[0].name,)
    if unsure and isinstance(value, dict):
        named = _call_of_name(source, value, text, names)
        if named and named.function and value.keys() <= properties_of(named.function).keys():
            return [named]  # whose arguments may look like another call
    listed = after >= 0 and text[after : source.start].strip() in (",", ";")
    listed = listed or any(call.function is not None for call in calls)
    for call in calls:
        if call.function or call.sure or listed or _is_likely(call.name, source, text, names):
            call.source = source
            call.start, call.end = source.place(call.keys)
            if isinstance(call.arguments, dict) and (call.beside or not plain):
                call.arguments = source.arguments(call.keys, call.arguments, call.beside or {})
            found.append(call)
    return found or ([] if named is None else [named])


def _is_likely(name: str, source: JsonInText, text: str, names: FunctionNames) -> bool:
    """Return whether an object with an unknown name is meant as a call."""
    front = text[max(source.start - 40, 0) : source.start].rstrip()
    if front.endswith((">", "]")) or not (front or text[source.end : source.end + 40].strip()):
        return True
    return names.is_near(name)


def _call_of_name(
    source: JsonInText, value: dict[str, JsonValue], text: str, names: FunctionNames
) -> FoundCall | None:
    """Return the call whose name is written in front of its arguments."""
    before = max(source.start - _WINDOW, 0)
    front = _FENCE.sub("", text[before : source.start])
    marked = _MARKED.search(front) if _MARKISH.search(front) else None
    found = marked or _LAST_WORD.search(front)
    if found is None:
        return None
    name, at, between = found["name"], found.start("name"), front[found.end("name") :]
    begin = at if marked is None or marked["mark"][0].islower() else marked.start()
    function = names.find(name)
    if marked is not None:
        alone = function is not None or name not in _RECIPIENTS
    else:
        line = front[:at].rpartition("\n")[2]
        alone = _BULLET.fullmatch(line) is not None and _ALONE.fullmatch(between) is not None
        if function is None:
            alone = alone and names.is_near(name)
        elif not alone and _BEFORE.fullmatch(between):
            # In a sentence the object may be the result of the function, too.
            known = properties_of(function)
            quoted = "," in between and not value
            alone = quoted or (bool(value) and all(key in known for key in value))
    if not alone:
        return None
    return FoundCall(
        name=name,
        function=function,
        arguments=value if source.is_plain else source.arguments((), value, {}),
        start=before + begin,
        end=source.end,
        source=source,
    )
