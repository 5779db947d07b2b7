"""JSON in a text: the calls in it, and a call whose name is written in front of it."""

import re
from collections.abc import Iterable
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING, Final

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.prompting.calls.arguments import WrittenArguments
from pyfunctools.prompting.calls.call_objects import call_objects
from pyfunctools.prompting.calls.found import FoundCall, JsonInText
from pyfunctools.prompting.calls.literals import Literals, NotALiteral, RawText
from pyfunctools.prompting.calls.names import FunctionNames, properties_of
from pyfunctools.schema.ground.path import Keys, Path, value_at
from pyfunctools.schema.parsing.scalars import OPENING
from pyfunctools.schema.parsing.strict import parse_strict
from pyfunctools.schema.result import Issue

if TYPE_CHECKING:
    from pyfunctools.schema.parsing.recovery import Recovery

_BEGINS: Final = re.compile(
    rf"\{{\s*+(?:[{OPENING}\\}}]|[A-Za-z_]\w*+[\"']?\s*+:)|\[\s*+(?:[{OPENING}\[{{]|\(\s*+[{OPENING}])"
)
_NAME_MEMBER: Final = re.compile(
    r"[\"'](?:name|function|tool_name|function_name)[\"']\s*+:\s*+[\"']([\w.-]{1,120})[\"']"
)
_MAX_LENGTH: Final = 4_000
_DECODER: Final = JSONDecoder()
_BROKEN_COST: Final = 4_000
_ENDS: Final = re.compile(r"</|<[|\uff5c]|\[/")

_MARKER = r"<[/]?[|\uff5c][^<>\n]{1,40}[|\uff5c]>"
_NAME = r"(?P<name>[^\W\d](?:[\w.-]|\\_){0,120})"
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
_WORD: Final = re.compile(r"[^\W\d](?:[\w.-]|\\_){0,120}")
_PARTING: Final = " \t\r\n\"'`*:=(,"
_RECIPIENTS: Final = frozenset({"all", "assistant", "system", "user"})
"""Recipients of a message that is not a call (gpt-oss, Functionary)."""
_WINDOW: Final = 300
_FENCE: Final = re.compile(r"```\w*\s*\Z")


def read_json(text: str, at: int, stop: int) -> tuple[JsonInText | None, int]:
    """Parse the JSON that begins with the bracket at `at`; return also the end of the search.

    The JSON is `None` for a bracket in prose.
    """
    if not _BEGINS.match(text, at, stop):
        return None, at + 1
    value, end = _strict(text, at)
    if value is not None and end <= stop:
        return JsonInText(text=text[at:end], start=at, end=end, value=value), end
    tried = end - at
    found, searched = _literal(text, at, stop)
    searched += tried
    if found is not None and not found.issues:
        return found, searched
    if ended := _ENDS.search(text, at, min(searched + 3, stop)):
        cut, _ = _literal(text, at, ended.start(), ended=True)
        if cut is not None and not cut.issues:
            return cut, searched
    value, recovery = recover(text, at, stop, sure=False)
    searched = max(searched, recovery.at)
    unread = bool(recovery.issues) and not isinstance(value, dict | list)
    if unread or (found is not None and recovery.issues):
        return found, searched
    end = max(recovery.at, at + 1)
    recovered = JsonInText(
        text=text[at:end],
        start=at,
        end=end,
        value=value,
        repairs=tuple(recovery.repairs),
        issues=tuple(recovery.issues),
        whole=not recovery.issues,
        objects={},
    )
    return recovered, searched


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


def _literal(
    text: str, at: int, stop: int, *, ended: bool = False
) -> tuple[JsonInText | None, int]:
    """Parse JSON or Python literals without repairs; other values are issues.

    If a tag `ended` the text, brackets may be missing, but no number was cut off.
    """
    literals = Literals(text, at, stop)
    try:
        value = literals.container()
    except NotALiteral:
        return None, literals.end_of_search
    repairs = literals.repairs
    if ended and not any(each.before.startswith(("'", '"')) for each in repairs):
        repairs = [each for each in repairs if each.kind == "closer"]
    if (repairs and not ended) or any(each.before for each in repairs):
        return None, literals.end_of_search
    issues = [_not_a_literal(text, raw) for raw in literals.raws]
    issues += (_fault(keys, fault) for keys, fault in literals.faults)
    end = literals.at
    found = JsonInText(
        text=text[at:end],
        start=at,
        end=end,
        value=value,
        repairs=tuple(each.repair for each in repairs),
        issues=tuple(issues),
        objects=literals.objects,
    )
    return found, end


def _not_a_literal(text: str, raw: RawText) -> Issue:
    value = text[raw.start : raw.end]
    return _fault(raw.keys, f"is not a JSON value: `{shortened(value, 40)}`", value)


def _fault(keys: Keys, fault: str, value: JsonValue = None) -> Issue:
    path = Path.of(keys)
    return Issue(path=path, expected="a JSON value", value=value, message=f"{path} {fault}.")


def recover(text: str, start: int, stop: int, *, sure: bool) -> "tuple[JsonValue, Recovery]":
    """Return the part of a broken JSON value that could be parsed, and the parser."""
    from pyfunctools.schema.parsing.recovery import Recovery  # few texts need it

    recovery = Recovery(text, start, stop, limits=DEFAULT_LIMITS, sure=sure)
    recovery.read()
    return _without_faults(recovery.value, recovery.issues), recovery


def _without_faults(value: JsonValue, issues: Iterable[Issue]) -> JsonValue:
    """Remove the places that could not be parsed from a value, and return it.

    If an item of an array could not be parsed, the array is removed: other items would move.
    """
    for issue in issues:
        keys = issue.path.keys
        if not keys or value_at(value, keys) != (None,):
            continue
        while keys and isinstance(keys[-1], int):
            keys = keys[:-1]
        holder = value_at(value, keys[:-1]) if keys else None
        if holder is None or not isinstance(holder[0], dict):
            return None
        del holder[0][str(keys[-1])]
    return value


def unreadable_calls(text: str, at: int, names: FunctionNames) -> list[FoundCall]:
    """Return the call in a tag whose JSON cannot be parsed, if it has the name of a function."""
    if not text[max(at - 40, 0) : at].rstrip().endswith(">"):
        return []
    ended = _ENDS.search(text, at)
    end = len(text) if ended is None else ended.start()
    named = _NAME_MEMBER.search(text, at, min(end, at + _MAX_LENGTH))
    function = None if named is None else names.find(named[1])
    if named is None or function is None:
        return []
    arguments = WrittenArguments(faults=[((), "cannot be read as JSON")], end=end)
    return [FoundCall(name=named[1], function=function, arguments=arguments, start=at, end=end)]


def calls_in_json(
    source: JsonInText, text: str, names: FunctionNames, after: int = -1
) -> list[FoundCall]:
    """Return the calls in JSON, or the call whose name is written in front of it.

    `after` is the end of the previous call.
    """
    found: list[FoundCall] = []
    calls = list(call_objects(source.value, names))
    beside = after >= 0 and text[after : source.start].strip() in (",", ";")
    beside = beside or any(call.function is not None for call in calls)
    for call in calls:
        start, end = source.place(call.keys)
        if not (call.function or call.sure or beside or _is_likely(call.name, source, text, names)):
            continue
        each = FoundCall(
            name=call.name,
            function=call.function,
            arguments=call.arguments,
            start=start,
            end=end,
            source=source,
            keys=call.keys,
            beside=call.beside,
        )
        found.append(each)
    if not found and isinstance(source.value, dict):
        named = _call_of_name(source, source.value, text, names)
        return [] if named is None else [named]
    return found


def _is_likely(name: str, source: JsonInText, text: str, names: FunctionNames) -> bool:
    """Return whether an object with an unknown name is meant as a call."""
    front = text[max(source.start - 40, 0) : source.start].rstrip()
    if front.endswith((">", "]")) or not (front or text[source.end : source.end + 40].strip()):
        return True
    return names.is_near(name)


def _call_of_name(
    source: JsonInText, value: JsonObject, text: str, names: FunctionNames
) -> FoundCall | None:
    """Return the call whose name is written in front of its arguments."""
    front = text[max(source.start - _WINDOW, 0) : source.start]
    window = len(front)
    fence = _FENCE.search(front)
    front = front if fence is None else front[: fence.start()]
    word = _last_word(front)
    if word is None and not _MARKISH.search(front):
        return None
    marked = _MARKED.search(front) if _MARKISH.search(front) else None
    if marked is not None:
        function = names.find(marked["name"])
        if function is None and marked["name"] in _RECIPIENTS:
            return None
        name, at = marked["name"], marked.start("name")
    elif word is None:
        return None
    else:
        name, at, between = word.group(), word.start(), front[word.end() :]
        line = front[:at].rpartition("\n")[2]
        function = names.find(name)
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
        arguments=value,
        start=source.start + at - window,
        end=source.end,
        source=source,
    )


def _last_word(front: str) -> re.Match[str] | None:
    """Return the last word of a text, if it may be the name of a function."""
    end = len(front.rstrip(_PARTING))
    start = end
    while start and (front[start - 1].isalnum() or front[start - 1] in "_.-\\"):
        start -= 1
    while start < end and front[start] in ".-":
        start += 1
    return _WORD.fullmatch(front, start, end)
