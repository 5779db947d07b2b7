"""JSON in the middle of a text: the calls it says, and a name in front of it."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.prompting.calls.arguments import WrittenArguments, read_arguments
from pyfunctools.prompting.calls.found import Found, Piece
from pyfunctools.prompting.calls.literals import Literals, Raw, Unread
from pyfunctools.prompting.calls.names import FunctionNames, properties_of
from pyfunctools.prompting.calls.shapes import shapes
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.path import Keys, Path, value_at
from pyfunctools.schema.parsing.scalars import OPENING
from pyfunctools.schema.result import Issue, Repair

if TYPE_CHECKING:
    from pyfunctools.schema.parsing.recovery import Recovery

_BEGINS: Final = re.compile(
    rf"\{{\s*+(?:[{OPENING}\\}}]|[A-Za-z_]\w*+[\"']?\s*+:)|\[\s*+(?:[{OPENING}\[{{]|\(\s*+[{OPENING}])"
)
_UNBRACED: Final = re.compile(r"\[\s*+([\"'])(?:name|function|tool|arguments|parameters)\1\s*+:")
_SAYS: Final = re.compile(
    r"[\"'](?:name|function|tool_name|function_name)[\"']\s*+:\s*+[\"']([\w.-]{1,120})[\"']"
)
_FURTHEST: Final = 4_000
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
"""Whom a message may be for (gpt-oss, Functionary) without being a call."""
_WINDOW: Final = 300
_FENCE: Final = re.compile(r"```\w*\s*\Z")


def read_piece(text: str, at: int, stop: int) -> tuple[Piece | None, int]:
    """Read the JSON that begins with the bracket at `at`; with it, how far was looked.

    `None` where there is none: a bracket of prose.
    """
    if not _BEGINS.match(text, at, stop):
        return None, at + 1
    piece, far = _literal(text, at, stop)
    if piece is not None and not piece.issues:
        return piece, far
    end = _ENDS.search(text, at, min(far + 3, stop))
    if end is not None:
        cut, _ = _literal(text, at, end.start(), ended=True)
        if cut is not None and not cut.issues:
            return cut, far
    recovered, far = _recovered(text, at, stop, far)
    if piece is None or (recovered is not None and not recovered.issues):
        return recovered, far
    return piece, far


def read_named(text: str, at: int) -> tuple[Piece | None, int]:
    """Read an object in the brackets of an array: `['name': 'f', 'arguments': {}]`."""
    opened = _UNBRACED.match(text, at)
    if opened is None:
        return None, at
    arguments, far = read_arguments(text, at + 1, len(text), "]")
    if arguments is None or arguments.positional or arguments.raws or arguments.faults:
        return None, far
    repairs = (Repair(path=Path.of(()), kind="closer", before="[", after="{"),)
    end = arguments.end
    value = arguments.values
    return Piece(text=text[at:end], start=at, end=end, value=value, repairs=repairs), far


def _literal(text: str, at: int, stop: int, *, ended: bool = False) -> tuple[Piece | None, int]:
    """Read JSON or Python; what is no literal, or had to be repaired, is an issue here.

    Where the text was `ended` by a tag, brackets may be missing, and no number was cut off.
    """
    literals = Literals(text, at, stop)
    try:
        value = literals.whole()
    except Unread:
        return None, literals.far
    notes = literals.notes
    if ended and not any(note.before.startswith(("'", '"')) for note in notes):
        notes = [note for note in notes if note.kind == "closer"]
    if (notes and not ended) or any(note.before for note in notes):
        return None, literals.far
    issues = [_no_literal(text, raw) for raw in literals.raws]
    issues += (_fault(keys, says) for keys, says in literals.faults)
    end = literals.at
    piece = Piece(
        text=text[at:end],
        start=at,
        end=end,
        value=value,
        repairs=tuple(
            Repair(path=Path.of(keys), kind=kind, before=before, after=after)
            for keys, kind, before, after in notes
        ),
        issues=tuple(issues),
        objects=literals.objects,
    )
    return piece, end


def _no_literal(text: str, raw: Raw) -> Issue:
    path = Path.of(raw.keys)
    written = shortened(text[raw.start : raw.end], 40)
    return Issue(
        path=path,
        expected="a JSON value",
        value=text[raw.start : raw.end],
        message=f"{path} is not a JSON value: `{written}`.",
    )


def _fault(keys: Keys, says: str) -> Issue:
    path = Path.of(keys)
    return Issue(path=path, expected="a JSON value", value=None, message=f"{path} {says}.")


def _recovered(text: str, at: int, stop: int, far: int) -> tuple[Piece | None, int]:
    value, recovery = recovered(text, at, stop, sure=False)
    far = max(far, recovery.at)
    if recovery.issues and not isinstance(value, dict | list):
        return None, far
    end = max(recovery.at, at + 1)
    piece = Piece(
        text=text[at:end],
        start=at,
        end=end,
        value=value,
        repairs=tuple(recovery.repairs),
        issues=tuple(recovery.issues),
        whole=not recovery.issues,
    )
    return piece, far


def recovered(text: str, start: int, stop: int, *, sure: bool) -> "tuple[JsonValue, Recovery]":
    """Return the value that begins at `start` as far as it can be read, and how that went."""
    from pyfunctools.schema.parsing.recovery import Recovery  # few texts need it

    recovery = Recovery(text, start, stop, limits=DEFAULT_LIMITS, sure=sure)
    recovery.read()
    return readable(recovery.value, recovery.issues), recovery


def readable(value: JsonValue, issues: Iterable[Issue]) -> JsonValue:
    """Return a value without what stands for the places that could not be read.

    Where one is an item of an array, the array is left out: the others would be out of place.
    """
    for issue in issues:
        keys = issue.path.keys
        if keys and value_at(value, keys) == (None,):
            while keys and isinstance(keys[-1], int):
                keys = keys[:-1]
            value = _without(value, keys) if keys else None
    return value


def _without(value: JsonValue, keys: Keys) -> JsonValue:
    first, rest = keys[0], keys[1:]
    if isinstance(value, dict):
        others = {key: inner for key, inner in value.items() if rest or key != first}
        if rest and first in value:
            others[str(first)] = _without(value[str(first)], rest)
        return others
    if isinstance(value, list) and rest:
        return [_without(inner, rest) if n == first else inner for n, inner in enumerate(value)]
    return value


def unreadable_calls(text: str, at: int, names: FunctionNames) -> list[Found]:
    """Return the call in a tag whose JSON cannot be read, if it says the name of a function."""
    if not text[max(at - 40, 0) : at].rstrip().endswith(">"):
        return []
    ended = _ENDS.search(text, at)
    end = len(text) if ended is None else ended.start()
    named = _SAYS.search(text, at, min(end, at + _FURTHEST))
    function = None if named is None else names.find(named[1])
    if named is None or function is None:
        return []
    arguments = WrittenArguments(
        raws=[], notes=[], faults=[((), "cannot be read as JSON")], end=end
    )
    return [Found(name=named[1], function=function, arguments=arguments, start=at, end=end)]


def calls_of(piece: Piece, text: str, names: FunctionNames, after: int = -1) -> list[Found]:
    """Return the calls that a piece of JSON says; with a name in front of it, it is the arguments.

    `after` is where the call before it ended.
    """
    found: list[Found] = []
    beside = after >= 0 and text[after : piece.start].strip() in (",", ";")
    said = list(shapes(piece.value, names))
    beside = beside or any(shape.function is not None for shape in said)
    for shape in said:
        start, end = piece.place(shape.keys)
        if not (shape.function or shape.sure or beside or _likely(shape.name, piece, text, names)):
            continue
        each = Found(
            name=shape.name,
            function=shape.function,
            arguments=shape.arguments,
            start=start,
            end=end,
            piece=piece,
            keys=shape.keys,
            beside=shape.beside,
        )
        found.append(each)
    if not found and isinstance(piece.value, dict):
        named = _named(piece, piece.value, text, names)
        return [] if named is None else [named]
    return found


def _likely(name: str, piece: Piece, text: str, names: FunctionNames) -> bool:
    """Return whether what has a name and parameters is a call of a function that nobody has."""
    front = text[max(piece.start - 40, 0) : piece.start].rstrip()
    if front.endswith((">", "]")) or not (front or text[piece.end : piece.end + 40].strip()):
        return True
    return names.alike(name)


def _named(piece: Piece, value: JsonObject, text: str, names: FunctionNames) -> Found | None:
    """Return the call whose name stands in front of its arguments."""
    front = text[max(piece.start - _WINDOW, 0) : piece.start]
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
        at = marked.start("name") - window
        return _before(piece, value, marked["name"], at, function)
    if word is None:
        return None
    name, between = word.group(), front[word.end() :]
    line = front[: word.start()].rpartition("\n")[2]
    function = names.find(name)
    alone = _BULLET.fullmatch(line) is not None and _ALONE.fullmatch(between) is not None
    if function is None:
        alone = alone and names.alike(name)
    elif not alone and _BEFORE.fullmatch(between):
        # In a sentence it may be what the function gave, too.
        known = properties_of(function)
        quoted = "," in between and not value
        alone = quoted or (bool(value) and all(key in known for key in value))
    return _before(piece, value, name, word.start() - window, function) if alone else None


def _last_word(front: str) -> re.Match[str] | None:
    """Return the last word in front, if it is the name of a function as far as can be seen."""
    end = len(front.rstrip(_PARTING))
    start = end
    while start and (front[start - 1].isalnum() or front[start - 1] in "_.-\\"):
        start -= 1
    while start < end and front[start] in ".-":
        start += 1
    return _WORD.fullmatch(front, start, end)


def _before(
    piece: Piece, value: JsonObject, name: str, at: int, function: Function | None
) -> Found:
    return Found(
        name=name,
        function=function,
        arguments=value,
        start=piece.start + at,
        end=piece.end,
        piece=piece,
    )
