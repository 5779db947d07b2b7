"""Calls in the notation of Python: `f(1, b="x", **{"c": 2})`, and as lists: `["f", "a=1"]`."""

import builtins
import re
from typing import Final

from pyfunctools._json import JsonValue
from pyfunctools.prompting.calls.found import FoundCall
from pyfunctools.prompting.calls.literals import Literals, NotALiteral, WrittenArguments
from pyfunctools.prompting.calls.names import FunctionNames, properties_of
from pyfunctools.prompting.calls.speech import Code
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.result import Repair

_NAMED: Final = re.compile(r"""(["'`]?)((?:[^\W\d]|\\_)(?:[\w$-]|\\_)*+)\1\s*+(?:=>|=(?!=))\s*+""")
_QUOTED: Final = re.compile(r"""(["'])([^"'\\\n]{1,200}+)\1\s*+:\s*+""")
_COLONED: Final = re.compile(
    r"()([^\W\d][\w$-]*+)\s*+:(?!:)\s*+(?=[\"'0-9\[{+-]|(?:[Tt]rue|[Ff]alse|None|null)\b)"
)
_ENDS_VALUE: Final = re.compile(
    r"""\s*+(?:(["'`]?)(?:[^\W\d]|\\_)(?:[\w$-]|\\_)*+\1\s*+(?:=(?!=)|:(?!:))|\*\*|[)\]]|\Z)"""
)
"""The text behind a comma that ends a value which is not a literal."""
_CLOSED: Final = re.compile(r"\s*+(?:\Z|[\]};`\"']|\n)")


def read_arguments(
    text: str, at: int, stop: int, closer: str = ")"
) -> tuple[WrittenArguments | None, int]:
    """Parse the arguments behind the opening bracket of a call; return also the end of the search.

    `closer` is the bracket that ends the arguments. These are `None` if they cannot be parsed:
    prose in parentheses, or code that is more than a call.
    """
    literals = Literals(text, at, stop)
    found = literals.found
    try:
        while _argument(literals, found, closer):
            pass
    except NotALiteral:
        return None, literals.end_of_search
    found.end = literals.at
    return found, literals.end_of_search


def _argument(literals: Literals, found: WrittenArguments, closer: str) -> bool:
    """Parse one argument and the comma behind it; return whether another may follow."""
    text, stop = literals.text, literals.stop
    char = literals.space()
    if char == closer:
        literals.at += 1
        return False
    if not char:
        return _unclosed(found, closer)
    named = (
        _NAMED.match(text, literals.at, stop)
        or _QUOTED.match(text, literals.at, stop)
        or _COLONED.match(text, literals.at, stop)
    )
    if named is not None:
        name = named[2].replace("\\_", "_")
        literals.at = start = named.end()
        if start >= stop or text[start] in ",)":
            raise NotALiteral
        _keep(found, name, literals.value((name,), _ENDS_VALUE))
    elif char == "*":
        literals.at += 2
        unpacked = literals.value(()) if text.startswith("**", literals.at - 2) else None
        if not isinstance(unpacked, dict):
            raise NotALiteral
        for name, value in unpacked.items():
            _keep(found, name, value)
    else:
        found.positional.append(literals.value((len(found.positional),)))
    char = literals.space()
    if char in (",", closer):
        literals.at += 1
        return char == ","
    if _CLOSED.match(text, literals.at, stop):
        return _unclosed(found, closer)
    raise NotALiteral


def _keep(found: WrittenArguments, name: str, value: JsonValue) -> None:
    if name in found.values:
        found.faults.append(((name,), "is given twice"))
    else:
        found.values[name] = value


def _unclosed(found: WrittenArguments, closer: str) -> bool:
    found.closed = False
    found.repairs.append(Repair(path=Path.of(()), kind="closer", before="", after=closer))
    return False


_PIECE: Final = re.compile(r"""(?:"(?:[^"\\\n]|\\.)*+")|'(?:[^'\\\n]|\\.)*+'|[()\[\]{}]""")
_ENDED: Final = re.compile(r"\)(?=\s*+(?:[,;\]\n]|\Z))")
_MAX_LENGTH: Final = 4_000


def unreadable_arguments(text: str, at: int, stop: int) -> WrittenArguments | None:
    """Return a record of arguments that cannot be parsed, up to the closing parenthesis.

    A parenthesis also closes the brackets in it that are still open: `f(a=[1, b=2)`. Returns `None`
    if the parentheses are not closed.
    """
    stop = min(stop, at + _MAX_LENGTH)
    opened = "("
    ended = None
    for piece in _PIECE.finditer(text, at, stop):
        char = piece[0]
        if char in "([{":
            opened += char
        elif char == ")":
            opened = opened.rpartition("(")[0]
        elif char in "]}" and opened.endswith("[" if char == "]" else "{"):
            opened = opened[:-1]
        if not opened:
            ended = piece
            break
    ended = ended or _ENDED.search(text, at, stop)
    if ended is None:
        return None
    faults: list[tuple[Keys, str]] = [((), "cannot be read as arguments")]
    return WrittenArguments(faults=faults, end=ended.end())


def parse_assignments(arguments: WrittenArguments) -> WrittenArguments | None:
    """Return keyword arguments for positional strings such as `"days=3"`, `None` for others."""
    if arguments.raws:
        return None
    found = WrittenArguments(end=arguments.end)
    for each in arguments.positional:
        if not isinstance(each, str) or "=" not in each:
            return None
        # One by one: a quote without an end reaches into no other text.
        read, _ = read_arguments(each, 0, len(each))
        if read is None or read.positional or read.faults or read.end < len(each):
            return None
        if any(repair.before.startswith(("'", '"')) for repair in read.repairs):
            return None  # a string without an end, or with a quote inside
        found.values |= read.values
        found.raws += read.raws
    found.values |= arguments.values
    found.repairs = arguments.repairs
    return found


CALL: Final = (
    r"(?<![\w.$@\\-])[^\W\d](?:\w|(?=\.[^\W\d]|-\w)[.-]|(?=\\_)..)*+"  # the name
    r"\\?[\"'`*]{0,3}(?:\]|(?<=[\"']),[ ]?[\"'])?[ \t]?\("
)
"""The name of a function and a parenthesis; the name may be in quotes, as in `['f', '(`."""

_NAME: Final = re.compile(r"(?:\w|[.-]|\\_)*+")
_DEFINED: Final = re.compile(r"\b(?:def|class|function|func|fn)\s+\Z")
_SUBSCRIPT: Final = re.compile(r"[\w\])]\[[\"']?\Z")
ANNOTATED: Final = re.compile(r"[^\W\d]\w*\s*:(?!:)")
_NEXT: Final = re.compile(rf"(?:(\)[\"']?\s*+(?:[,;]|\n))|,)\s*+[\"']?(?={CALL})")
"""The end of a call, with or without its parenthesis, and the beginning of the next."""
_WRAPPERS: Final = frozenset(
    {*dir(builtins), "asyncio.gather", "asyncio.run", "console.log", "json.dumps"}
)
"""Functions of Python or JavaScript that print or gather the results of calls."""


_INVALID: Final = re.compile(r"[^A-Za-z0-9_-]")
_MODULE: Final = re.compile(
    r"(?:\w+_)?(?:apis?|functions?|tools?|toolkit|module|client|agent|assistant|mcp|server|service"
    r"|plugins?|utils?|lib|library|sdk|namespace|controller)|\w+(?:api|client|service|tools)"
    r"|self|this|env|app"
)
"""Names that models write for the module of the functions."""
_BACKWARD: Final = 4_000


class PythonCalls:
    """A parser of the calls in the notation of Python in one text."""

    def __init__(self, text: str, names: FunctionNames, code: Code) -> None:
        self._text = text
        self._names = names
        self._code = code

    def read(self, at: int, end: int, stop: int) -> tuple[FoundCall | None, int]:
        """Parse the call whose name begins at `at` and whose arguments begin at `end`.

        Return also the end of the search. The text behind `stop` is not part of the model's answer;
        a call may extend into it only if it needs no repair.
        """
        text = self._text
        name = _name_at(text, at)
        function = self._names.find(name)
        if function is not None and "." in name and not self._is_module(name, function, at):
            function = None
        front = text[max(at - 12, 0) : at]
        is_defined = front[-1:].isspace() and _DEFINED.search(front)
        is_item = text[end - 2] == "]" and _SUBSCRIPT.search(front)  # `x["name"](`
        if is_defined or is_item or (function is None and name in _WRAPPERS):
            return None, end
        arguments, searched = read_arguments(text, end, len(text))
        if stop < searched and (arguments is None or arguments.repairs or arguments.raws):
            arguments, searched = read_arguments(text, end, stop)
        doubtful = False
        if function is None:
            if arguments is not None and not arguments.closed:
                arguments = None
            doubtful = arguments is None or bool(arguments.raws or arguments.repairs)
            if doubtful and text[end - 2].isspace():
                return None, searched  # a word of a sentence, and a parenthesis
        else:
            if arguments is not None and arguments.raws:
                doubtful = _is_mention(text, arguments, function)
                searched += self._without_variables(at, arguments)
            arguments = self._without_next_call(end, arguments)
        if arguments is None:
            doubtful, arguments = True, unreadable_arguments(text, end, stop)
        if arguments is None:
            return None, searched
        found = FoundCall(
            name=name,
            function=function,
            arguments=arguments,
            is_marked=False,
            start=at,
            end=arguments.end,
            doubtful=doubtful,
        )
        return found, max(searched, found.end)

    def _is_module(self, name: str, function: Function, at: int) -> bool:
        """Return whether the part before the last dot is a module, not an object of the code."""
        if _INVALID.sub("_", name) == function.name:
            return True
        root = name.partition(".")[0]
        front = self._text[max(at - _BACKWARD, 0) : at]
        if re.search(rf"\bimport\b[^\n]*\b{root}\b", front):
            return True
        owner = name.rpartition(".")[0]
        if _is_bound(root, front) or _is_bound(owner, front):
            return False
        words = owner.lower().split(".")
        known = all(map(_MODULE.fullmatch, words))
        kin = any(word in function.name.lower() for each in words for word in each.split("_"))
        return known or kin or self._code.fence(at) is None

    def _without_variables(self, at: int, arguments: WrittenArguments) -> int:
        """Mark values that are names of variables; return the count of examined characters."""
        names = [raw for raw in arguments.raws if self._text[raw.start : raw.end].isidentifier()]
        front = self._text[max(at - _BACKWARD, 0) : at] if names else ""
        if "=" not in front and " in " not in front and " as " not in front:
            return 0
        for raw in names:
            if _is_bound(self._text[raw.start : raw.end], front):
                arguments.faults.append((raw.keys, "is the name of a variable: write its value"))
        return len(front) * len(names)

    def _without_next_call(
        self, end: int, arguments: WrittenArguments | None
    ) -> WrittenArguments | None:
        """Return arguments without the next call, if they include it because they have no end.

        A call without a name behind named arguments is the next one: `[f(a=1, g(b=2)]`.
        """
        if arguments is None or not any(
            repair.kind in ("quote", "truncated", "closer") for repair in arguments.repairs
        ):
            return arguments
        values = {raw.start for raw in arguments.raws if isinstance(raw.keys[0], int)}
        for another in _NEXT.finditer(self._text, end, arguments.end):
            if self._names.find(_name_at(self._text, another.end())) is None:
                continue
            if another[1]:
                mine, _ = read_arguments(self._text, end, another.start())
                if mine is not None:
                    mine.faults.append(((), "ends in the middle of a value"))
                    mine.end = another.start() + 1
                return mine
            if another.end() in values:
                mine, _ = read_arguments(self._text, end, another.start() + 1)
                if mine is not None and mine.values:
                    return mine
        return arguments


def _name_at(text: str, at: int) -> str:
    found = _NAME.match(text, at)
    return found[0] if found else ""


def _is_bound(name: str, code: str) -> bool:
    """Return whether the code sets a variable of this name."""
    name = re.escape(name)
    bound = (
        r"(?:^[ \t]*(?:(?:const|let|var)[ ])?(?:\w+[ \t]*[,=][ \t]*)*|[;:][ \t]+"
        rf"|\((?={name}[ \t]*:=)){name}[ \t]*(?:,[ \t\w,]*)?(?::[^=\n(]{{1,40}})?"
        r"(?:[-+*/|&:]?=(?!=)|\[[^\]\n]*\][ \t]*=)"
        rf"|\b(?:for|as|import)\s+[\w \t,()]{{0,60}}?\b{name}\b"
    )
    return re.search(bound, code, re.MULTILINE) is not None


def _is_mention(text: str, arguments: WrittenArguments, function: Function) -> bool:
    """Return whether this only describes a call.

    Examples: `f(city)`, `f(city: str)`, `f(...)`, `f(city=city)`.
    """
    known = properties_of(function)
    for raw in arguments.raws:
        value = text[raw.start : raw.end]
        if value == raw.keys[-1]:
            return True
        first = isinstance(raw.keys[0], int) and len(raw.keys) == 1
        if first and (value in known or value == "..." or ANNOTATED.match(value)):
            return True
    return False


_LISTED: Final = re.compile(
    r"[\[(]\s*+(?:([\"'`])(?P<quoted>[^\W\d](?:[\w.-]|\\_){0,200})\1\s*+,(?!\s*+\{)"
    r"|(?P<bare>[^\W\d][\w.]{0,200}+)\s*+,(?=\s*+[^\W\d]\w{0,100}+\s*+=(?!=)))"
)


def read_listed(text: str, at: int, names: FunctionNames) -> tuple[FoundCall | None, int]:
    """Parse a call that is written as a list: `["f", "a=1"]`, `("f", "a": 1)`, `[f, a=1]`."""
    opened = _LISTED.match(text, at)
    name = "" if opened is None else opened["quoted"] or opened["bare"]
    function = names.find(name)
    if opened is None or function is None:
        return None, at
    closer = ")" if text[at] == "(" else "]"
    arguments, searched = read_arguments(text, opened.end(), len(text), closer)
    if arguments is None:
        return None, searched
    found = parse_assignments(arguments) if arguments.positional else arguments
    if found is None or not found.values:
        return None, searched
    end = found.end
    return FoundCall(name=name, function=function, arguments=found, start=at, end=end), searched
