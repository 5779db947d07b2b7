"""Calls as Python writes them."""

import builtins
import re
from collections.abc import Container
from typing import Final

from pyfunctools.prompting.calls.arguments import (
    WrittenArguments,
    keyed,
    read_arguments,
    unreadable,
)
from pyfunctools.prompting.calls.check import judged
from pyfunctools.prompting.calls.code import Code
from pyfunctools.prompting.calls.found import Found, Weight
from pyfunctools.prompting.calls.names import FunctionNames, properties_of
from pyfunctools.record.function import Function

CALL: Final = (
    r"(?<![\w.$@\\-])[^\W\d](?:\w|(?=\.[^\W\d]|-\w)[.-]|(?=\\_)..)*+"  # the name
    r"\\?[\"'`*]{0,3}(?:\]|(?<=[\"']),[ ]?[\"'])?[ \t]?\("
)
"""The name of a function and the bracket behind it; a name may stand in quotes, and `['f', '(`."""

_NAME: Final = re.compile(r"(?:\w|[.-]|\\_)*+")
_DEFINED: Final = re.compile(r"\b(?:def|class|function|func|fn)\s+\Z")
_SUBSCRIPT: Final = re.compile(r"[\w\])]\[[\"']?\Z")
_ANNOTATED: Final = re.compile(r"[^\W\d]\w*\s*:(?!:)")
_NEXT: Final = re.compile(rf"\)[\"']?\s*+(?:[,;]\s*+|\n\s*+)[\"']?(?={CALL})")
"""Where a call ends and another begins."""
_CLEAR: Final = frozenset(
    {*dir(builtins), "asyncio.gather", "asyncio.run", "console.log", "json.dumps"}
)
"""What shows or gathers the outcome of calls, which stand between its brackets."""


class Caller:
    """Reads calls as Python writes them from one text."""

    def __init__(self, text: str, names: FunctionNames, code: Code) -> None:
        self._text = text
        self._names = names
        self._code = code

    def read(self, at: int, end: int, stop: int) -> tuple[Found | None, int, int]:
        """Read the call whose name begins at `at` and whose bracket ends at `end`.

        Return it, where to go on, and how far was looked. What stands behind `stop` is somebody
        else's; a call may go on there only if nothing in it had to be repaired.
        """
        text = self._text
        name = _written(text, at)
        front = text[max(at - 12, 0) : at]
        if front[-1:].isspace() and _DEFINED.search(front):
            return None, end, end
        if text[end - 2] == "]" and _SUBSCRIPT.search(front):
            return None, end, end
        function = self._names.find(name)
        if function is None and name in _CLEAR:
            return None, end, end
        arguments, far = read_arguments(text, end, len(text))
        if stop < far and (arguments is None or arguments.notes or arguments.raws):
            arguments, far = read_arguments(text, end, stop)
        found = Found(
            name=name, function=function, arguments=None, weight=Weight.ALONE, start=at, end=end
        )
        if function is None:
            return self._unknown(found, end, arguments, far)
        doubtful = False
        if arguments is None or arguments.raws:
            bound, others = self._code.values(at)
            if bound:
                again, far = read_arguments(text, end, len(text), bound=bound)
                arguments = again or arguments
            doubtful = arguments is not None and _is_mention(text, arguments, function, others)
        arguments = self._parted(end, arguments)
        if arguments is None:
            doubtful, arguments = True, unreadable(text, end, min(stop, len(text)))
        if arguments is None:
            return None, end, far
        found.arguments, found.end, found.doubtful = arguments, arguments.end, doubtful
        return found, found.end, max(far, found.end)

    def _parted(self, end: int, arguments: WrittenArguments | None) -> WrittenArguments | None:
        """Return arguments without another call that a string without its end ran into."""
        if arguments is None or not arguments.notes:
            return arguments
        if not any(note.kind in ("quote", "truncated") for note in arguments.notes):
            return arguments
        for another in _NEXT.finditer(self._text, end, arguments.end):
            if self._names.find(_written(self._text, another.end())) is not None:
                mine, _ = read_arguments(self._text, end, another.start())
                if mine is not None:
                    mine.faults.append(((), "ends in the middle of a string"))
                    mine.end = another.start() + 1
                return mine
        return arguments

    def _unknown(
        self, found: Found, end: int, arguments: WrittenArguments | None, far: int
    ) -> tuple[Found | None, int, int]:
        """Read the call of a function nobody has, between whose brackets nothing is a call."""
        plain = arguments is not None and not arguments.raws and not arguments.notes
        if arguments is None or not (plain and arguments.closed):
            if self._text[end - 2].isspace():
                return None, end, far  # a word of a sentence, and a bracket
            closed = arguments is not None and arguments.closed
            arguments = arguments if closed else unreadable(self._text, end, len(self._text))
            if arguments is None:
                return None, end, far
            found.doubtful = True
        found.arguments, found.end = arguments, arguments.end
        return found, found.end, max(far, found.end)


def _written(text: str, at: int) -> str:
    found = _NAME.match(text, at)
    return found[0] if found else ""


def _is_mention(
    text: str, arguments: WrittenArguments, function: Function, variables: Container[str]
) -> bool:
    """Return whether this is the form of a call and not one.

    That is `f(city)`, `f(city: str)`, `f(...)`, `f(city=city)`, or what has a variable in it.
    """
    known = properties_of(function)
    for raw in arguments.raws:
        value = text[raw.start : raw.end]
        if value == raw.keys[-1] or value in variables:
            return True
        first = isinstance(raw.keys[0], int) and len(raw.keys) == 1
        if first and (value in known or value == "..." or _ANNOTATED.match(value)):
            return True
    return False


_LISTED: Final = re.compile(
    r"[\[(]\s*+(?:([\"'`])(?P<quoted>[^\W\d](?:[\w.-]|\\_){0,200})\1\s*+,(?!\s*+\{)"
    r"|(?P<bare>[^\W\d][\w.]{0,200}+)\s*+,(?=\s*+[^\W\d]\w{0,100}+\s*+=(?!=)))"
)

_APART: Final = re.compile(r"(?:\A|[\n\[(,])[ \t]*\Z")


def read_listed(text: str, at: int, names: FunctionNames) -> tuple[Found | None, int]:
    """Read a call that is written as a list: `["f", "a=1"]`, `("f", "a": 1)`, `[f, a=1]`.

    `["f", 1, "x"]` is one where it stands apart and these are right for the function.
    """
    opened = _LISTED.match(text, at)
    name = "" if opened is None else opened["quoted"] or opened["bare"]
    function = names.find(name)
    if opened is None or function is None:
        return None, at
    closer = ")" if text[at] == "(" else "]"
    arguments, far = read_arguments(text, opened.end(), len(text), closer)
    if arguments is None:
        return None, far
    keyed(arguments)
    found = Found(name=name, function=function, arguments=arguments, start=at, end=arguments.end)
    if not arguments.positional:
        return (found if arguments.values else None), far
    found.weight = Weight.ALONE
    texts = [each for each in arguments.positional if isinstance(each, str)]
    plain = not (arguments.values or arguments.raws or arguments.notes) and arguments.closed
    apart = _APART.search(text[max(at - 20, 0) : at]) is not None
    listed = plain and apart and len(arguments.positional) > 1
    listed = listed and not any(map(names.find, texts)) and bool(judged(found, names))
    return (found if listed else None), far
