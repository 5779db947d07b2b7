"""Calls as Python writes them, and whether one is meant where one stands."""

import builtins
import re
from collections.abc import Container
from typing import Final

from pyfunctools.prompting.arguments import Arguments, keyed, read_arguments
from pyfunctools.prompting.found import Found, Weight
from pyfunctools.prompting.names import Names
from pyfunctools.record import Function

CALL: Final = (
    r"(?<![\w.$@\\-])[^\W\d](?:\w|\.(?=[^\W\d])|-(?=\w)|\\_)*+"  # the name
    r"\\?[\"'`*]{0,3}(?:\]|(?<=[\"']),[ ]?[\"'])?[ \t]?\("
)
"""The name of a function and the bracket behind it; a name may stand in quotes, and `['f', '(`."""

_NAME: Final = re.compile(r"(?:\w|[.-]|\\_)*+")
_INNER: Final = re.compile(CALL)
_DEFINED: Final = re.compile(r"\b(?:def|class|function|func|fn)\s+\Z")
_SUBSCRIPT: Final = re.compile(r"[\w\])]\[[\"']?\Z")
_ANNOTATED: Final = re.compile(r"[^\W\d]\w*\s*:(?!:)")
_TAG = r"<{1,2}/?[\w|\uff5c]{1,30}>{1,2}"
_GAP: Final = re.compile(
    r"(?:[\s\[\](){},;\"'`\\*|]|\b(?:and|then|python|json|tool_code|tool_call|tool_calls|print|await)\b"
    rf"|\#[^\n]*|{_TAG}|->)*+"
)
"""What stands between calls that belong together."""
_FRONT: Final = re.compile(
    r"(?:\A|\n)(?:[ \t]*(?:[-*>•]|[0-9]{1,2}[.)]))?[\s\[({\"'`*\\]*"
    rf"(?:{_TAG}[\s\[]*|[^\W\d][\w ,.]{{0,80}}=(?!=)\s*|(?:return|await|yield)\s+"
    r"|[^\W\d][\w.]{0,80}\(\s*)*[\s\[({\"'`*\\]*\Z"
)
"""What may stand on a line before a call that stands alone."""
_LABELLED: Final = re.compile(r"(?::[ \t]*[\[\"'`*]*|\[[\"'`]?|:\s*\n\s*)\Z")
_BACK: Final = re.compile(rf"[\])}}\"'`*;,.\\ \t]*(?:\#[^\n]*|{_TAG}\s*)*(?:\n|\Z)")
_BUILTINS: Final = frozenset(dir(builtins))
_LINE: Final = 400
_BACKWARD: Final = 4_000


def read_call(text: str, at: int, end: int, names: Names) -> tuple[list[Found], int, int]:
    """Read the call whose name begins at `at` and whose bracket ends at `end`.

    Gives the calls that stand there, one inside the arguments of another first; where to go on;
    and how far was looked.
    """
    name = _written(text, at)
    front = text[max(at - 12, 0) : at]
    if _DEFINED.search(front) or (text[end - 2] == "]" and _SUBSCRIPT.search(front)):
        return [], end, end
    function = names.find(name)
    if function is None and name in _BUILTINS:
        return [], end, end
    arguments, far = read_arguments(text, end, len(text))
    if arguments is None:
        return [], end, far
    found = Found(
        name=name,
        function=function,
        arguments=arguments,
        weight=Weight.ALONE,
        start=at,
        end=arguments.end,
    )
    if function is None:
        plain = not arguments.raws and not arguments.notes and arguments.closed
        return ([found], found.end, far) if plain else ([], end, far)
    if _is_mention(text, at, arguments, function):
        return [], end, far
    inner: list[Found] = []
    for raw in arguments.raws:
        calls = _calls_in(text, raw.start, raw.end, names)
        if calls:
            found.inner |= {raw.keys}
            inner += calls
    return [*inner, found], found.end, far


def _calls_in(text: str, at: int, stop: int, names: Names) -> list[Found]:
    """Give the calls of known functions in an expression, not those inside their arguments."""
    found: list[Found] = []
    while (match := _INNER.search(text, at, stop)) is not None:
        at = match.end()
        function = names.find(_written(text, match.start()))
        if function is None:
            continue
        arguments, _ = read_arguments(text, at, stop)
        if arguments is not None and not arguments.raws:
            each = Found(
                name=_written(text, match.start()),
                function=function,
                arguments=arguments,
                weight=Weight.ALONE,
                start=match.start(),
                end=arguments.end,
            )
            found.append(each)
            at = arguments.end
    return found


def _written(text: str, at: int) -> str:
    found = _NAME.match(text, at)
    return found[0] if found else ""


def _is_mention(text: str, at: int, arguments: Arguments, function: Function) -> bool:
    """Say whether this is the form of a call and not one.

    That is `f(city)`, `f(city: str)`, `f(...)`, `f(city=city)`, or what has a variable in it.
    """
    known = _properties(function)
    for raw in arguments.raws:
        value = text[raw.start : raw.end]
        if value == raw.keys[-1]:
            return True
        first = isinstance(raw.keys[0], int) and len(raw.keys) == 1
        if first and (value in known or value == "..." or _ANNOTATED.match(value)):
            return True
        if value.isidentifier() and _is_variable(text, at, value):
            return True
    return False


def _is_variable(text: str, at: int, name: str) -> bool:
    """Say whether a word was given a value before."""
    given = rf"(?:^|\n)[ \t]*{name}[ \t]*=[^=]|\bfor {name} in\b"
    return re.search(given, text[max(at - _BACKWARD, 0) : at]) is not None


def weighed(text: str, calls: list[Found], marked: list[Found], names: Names) -> list[Found]:
    """Give the calls that are meant as such, with the weight of each.

    Those that are `marked` are meant anyway, and not given.

    One of an unknown function is meant where it stands beside one of a known function, where there
    is nothing else in the text, or where it stands alone and has nearly the name of one. One that
    stood in the text before, with other text between, is a repetition.
    """
    kept: list[Found] = []
    said: set[str] = set()
    runs = _runs(text, sorted([*calls, *marked], key=lambda each: each.start))
    for run in runs:
        start, end = run[0].start, max(each.end for each in run)
        alone = _is_alone(text, start, end)
        whole = len(runs) == 1 and _is_gap(text, 0, start) and _is_gap(text, end, len(text))
        known = any(each.function is not None for each in run)
        beside = any(each.weight is Weight.MARKED for each in run)
        alone = alone or beside
        meant: list[Found] = []
        for each in run:
            if each.weight is Weight.MARKED:
                continue
            each.weight = Weight.ALONE if alone or whole else Weight.QUOTED
            near = each.function is not None or known or whole
            near = near or (alone and names.alike(each.name))
            if near and (each.weight is Weight.ALONE or _is_full(each)):
                meant.append(each)
        kept += _news(text, meant, said)
    return kept


def _news(text: str, meant: list[Found], said: set[str]) -> list[Found]:
    """Give the calls of a run that were not said before, and note them.

    In one run a call may stand twice, but for its outcome standing in another's arguments.
    """
    news: list[Found] = []
    written: set[str] = set()
    end = 0
    for each in meant:
        what = text[each.start : each.end]
        if what not in said and not (each.end <= end and what in written):
            news.append(each)
        written.add(what)
        end = max(end, each.end)
    said |= written
    return news


def _is_full(found: Found) -> bool:
    """Say whether a call in the middle of a sentence has arguments, and literals only."""
    arguments = found.arguments
    if not isinstance(arguments, Arguments):
        return True
    given = arguments.values or arguments.positional
    return bool(given) and not arguments.raws and arguments.closed


def _runs(text: str, calls: list[Found]) -> list[list[Found]]:
    runs: list[list[Found]] = []
    end = 0
    for each in calls:
        if runs and (each.start < end or _is_gap(text, end, each.start)):
            runs[-1].append(each)
        else:
            runs.append([each])
            end = 0
        end = max(end, each.end)
    return runs


def _is_gap(text: str, start: int, end: int) -> bool:
    return _GAP.fullmatch(text, start, end) is not None


def _is_alone(text: str, start: int, end: int) -> bool:
    """Say whether nothing else stands on the lines of some calls, but for a label in front."""
    if not _BACK.match(text, end):
        return False
    line = text.rfind("\n", max(start - _LINE, 0), start)
    front = text[max(line, start - _LINE, 0) : start]
    return _FRONT.search(front) is not None or _LABELLED.search(front) is not None


_LISTED: Final = re.compile(
    r"[\[(]\s*+([\"'`])(?P<name>[^\W\d](?:[\w.-]|\\_){0,200})\1\s*+,(?!\s*+\{)"
)


def read_listed(text: str, at: int, names: Names) -> tuple[Found | None, int]:
    """Read a call that is written as a list: `["f", "a=1", "b='x'"]` or `("f", "a": 1)`."""
    opened = _LISTED.match(text, at)
    function = None if opened is None else names.find(opened["name"])
    if opened is None or function is None:
        return None, at
    closer = ")" if text[at] == "(" else "]"
    arguments, far = read_arguments(text, opened.end(), len(text), closer)
    if arguments is None:
        return None, far
    keyed(arguments, _properties(function))
    if arguments.positional or not arguments.values:
        return None, far
    found = Found(
        name=opened["name"], function=function, arguments=arguments, start=at, end=arguments.end
    )
    return found, far


def _properties(function: Function) -> Container[str]:
    properties = function.parameters.get("properties")
    return properties if isinstance(properties, dict) else ()
