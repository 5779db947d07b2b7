"""The value in a text, between prose, fences, tags and comments."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from json import JSONDecoder
from typing import Final, NamedTuple

from pyfunctools._json import JsonValue
from pyfunctools.limits import Limits
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.outline.expected import expected
from pyfunctools.schema.outline.json_types import ALL_TYPES
from pyfunctools.schema.outline.outline import Place
from pyfunctools.schema.parsing.recovery import Recovery
from pyfunctools.schema.parsing.scalars import BLANK, COMMAS, COMMENT, HIDDEN, OPENING, SPACE
from pyfunctools.schema.parsing.strict import parse_strict
from pyfunctools.schema.parsing.strings import MEMBER
from pyfunctools.schema.result import Failure, Issue, Repair, Result, Success

_ROOT: Final = Path.of(())
_OPENING_FENCE = re.compile(r"(?:`{3,}+|~{3,}+)[ \t]*+[A-Za-z0-9_+.-]*+\s|`++(?=\s*+[\[{])")
_TAG = re.compile(r"</?[A-Za-z_|\uff5c][^<>\n]{0,100}+>|\[/?[A-Z]++(?:_[A-Z]++)++\]")
_CLOSING_TAG = re.compile(r"</([A-Za-z_|\uff5c][^<>\n]{0,100}+)>")
_FRAME = re.compile(
    rf"(?:[\s{HIDDEN}]|(?:`{{3,}}+|~{{3,}}+)[ \t]*+[A-Za-z0-9_+.-]*+|`"
    rf"|{_TAG.pattern}|{COMMENT.pattern})++"
)
"""Fences, tags, comments and space."""
_AFTER = re.compile(
    rf"(?P<frame>{_FRAME.pattern})|(?P<closer>[}}\])](?:\s*+[}}\])])*+)|(?P<comma>[{COMMAS}])"
)

_MOST_PIECES = 16
"""Most pieces behind the value, and most frames around it; the rest is one piece."""

_THINKING = re.compile(r"\s*+<(?:think(?:ing)?|thoughts?|reasoning)>", re.IGNORECASE)
_THOUGHT = re.compile(r"</(?:think(?:ing)?|thoughts?|reasoning)>(?![\"'\\])", re.IGNORECASE)
_BEGINS = re.compile(r"\s*+[\[{\"'`]")
_BOM = "\ufeff"
_ESCAPED = re.compile(r'[\[{]\s*+\\++"')
_UNESCAPE = JSONDecoder(strict=False)
_IN_OBJECT = rf"\{{\s*+(?:[{OPENING}}}{{]|[A-Za-z_$][\w$-]*+\s*+:)"
_IN_ARRAY = rf"\[\s*+(?:[{OPENING}\]\[{{+\-.0-9]|[A-Za-z]++\s*+[,\]])"
_OBJECT, _ARRAY = re.compile(_IN_OBJECT), re.compile(_IN_ARRAY)
_EITHER = re.compile(f"{_IN_OBJECT}|{_IN_ARRAY}")
_CALLED = re.compile(r"\s*+\)")
_PLACEHOLDER = re.compile(r"[\[{][^\[\]{}\"'\n:]*+[\]}]")
"""Brackets that are usual in prose: `{name}`, `[1]`, `[see below]`."""
_MOST = 1000
"""Most brackets in prose that are tried as the beginning of a value."""


def extract(text: str, limits: Limits, place: Place | None = None) -> Result[JsonValue]:
    """Return the first value in a text that is not strict JSON, for a place of the schema."""
    if (other := _rewritten(text)) is None:
        return _Extraction(text, limits, place).value()
    meant, repair = other
    result = extract(meant, limits, place)
    if not result:
        return replace(result, value=text)
    return replace(result, repairs=(repair, *result.repairs))


def _rewritten(text: str) -> tuple[str, Repair] | None:
    """Return a text with the opening brace that it lacks, or without the escapes of all quotes."""
    at = _value_start(text, _answer_start(text))
    if MEMBER.match(text, at):
        return f"{text[:at]}{{{text[at:]}", Repair(path=_ROOT, kind="closer", before="", after="{")
    if not _ESCAPED.match(text, at):
        return None
    try:
        inner = str(_UNESCAPE.decode(f'"{text[at:].rstrip()}"'))
        inner.encode()
    except ValueError:
        return None
    return text[:at] + inner, Repair(path=_ROOT, kind="escape", before=text[at:], after=inner)


class _Read(NamedTuple):
    """A value and its end in the text; with `issues` there is no value."""

    value: JsonValue
    at: int
    issues: Sequence[Issue] = ()
    repairs: Sequence[Repair] = ()


class _Extraction:
    def __init__(self, text: str, limits: Limits, place: Place | None) -> None:
        self._text = text
        self._limits = limits
        self._place = place
        self._frame_start, self._frame_end = _closing_frame(text)

    def value(self) -> Result[JsonValue]:
        """Return the value at the beginning of the text, or else the first one in its prose."""
        start = _answer_start(self._text)
        at = _value_start(self._text, start)
        if at >= len(self._text):
            found = self._in_prose(start)
            return self._nothing() if found is None else found
        bracket = self._text[at] in "[{"
        read = self._read(at, sure=True)
        if not read.issues and (bracket or _is_alone(self._text, read)):
            return self._result(read, at)
        meant = bracket and not _PLACEHOLDER.match(self._text, at)
        found = None if meant else self._in_prose(read.at if bracket else at)
        if found is not None:
            return found
        is_word = read.issues and len(self._text[at:].split()) == 1
        if meant or (is_word and self._brackets() is not _OBJECT):
            return self._result(read, at)
        return self._nothing()

    def _in_prose(self, at: int) -> Result[JsonValue] | None:
        brackets = self._brackets()
        for _ in range(_MOST):
            found = brackets.search(self._text, at)
            if found is None:
                return None
            begin = found.start()
            read = self._read(begin, sure=False)
            at = max(read.at, found.end())
            is_prose = read.issues and _PLACEHOLDER.match(self._text, begin)
            if not is_prose and not self._in_call(begin, read.at):
                return self._result(read, begin)
        return None

    def _read(self, at: int, *, sure: bool) -> _Read:
        """Read the value that begins at `at`; fast, if it is strict JSON up to the last bracket."""
        text, limits, place = self._text, self._limits, self._place
        framed = self._frame_start < at < self._frame_end
        stop = self._frame_end if framed else len(text)
        end = text.rfind("}" if text[at] == "{" else "]", at, stop) + 1
        is_part = end - at < len(text)  # the whole text has been read already
        strict = parse_strict(text[at:end], limits.depth) if is_part else None
        if strict is not None and not (
            strict.fractions and place is not None and place.misplaced_floats(strict.value)[1]
        ):
            return _Read(strict.value, end)
        it = Recovery(text, at, stop, limits=limits, place=place, fenced=framed, sure=sure)
        it.read()
        return _Read(it.value, it.at, it.issues, it.repairs)

    def _brackets(self) -> re.Pattern[str]:
        """Return the pattern of a bracket in prose that may begin a value."""
        types = ALL_TYPES if self._place is None else self._place.types
        if "object" in types and "array" not in types:
            return _OBJECT
        return _ARRAY if "array" in types and "object" not in types else _EITHER

    def _in_call(self, at: int, end: int) -> bool:
        """Return whether the value from `at` to `end` is an argument in a call: `f(a=1, b=[2])`."""
        front = self._text[max(at - 500, 0) : at]
        if re.search(r"\w=\Z", front):
            return True
        bracket = front.rfind("(")
        called = bracket > front.rfind(")") and re.search(r"\w\Z", front[:bracket]) is not None
        alone = not front[bracket + 1 :].strip() and _CALLED.match(self._text, end) is not None
        return called and not alone

    def _result(self, read: _Read, at: int) -> Result[JsonValue]:
        text = self._text
        if read.issues:
            return Failure(value=text, issues=tuple(read.issues))
        repairs = (*_repairs_before(text, at), *read.repairs, *_repairs_after(text, read.at))
        return Success(value=read.value, repairs=repairs)

    def _nothing(self) -> Failure:
        line = "a JSON value" if self._place is None else expected(self._place.roots[0])
        message = f"There is no JSON value in the text: expected {line}."
        issue = Issue(path=_ROOT, expected=line, value=None, message=message)
        return Failure(value=self._text, issues=(issue,))


def _is_alone(text: str, read: _Read) -> bool:
    """Return whether a scalar is the whole text, and not a word of a sentence."""
    if any(repair.kind == "truncated" for repair in read.repairs) and _EITHER.search(text):
        return False
    pieces = _repairs_after(text, read.at)
    return all(each.kind in ("frame", "space") or each.before == ";" for each in pieces)


def _removed(kind: str, text: str) -> Repair:
    return Repair(path=_ROOT, kind=kind, before=text, after="")


def _answer_start(text: str) -> int:
    """Return the place behind the thoughts of a model, whose opening tag may be in the prompt."""
    start = _after_bom(text)
    opened = _THINKING.match(text, start)
    if opened is None and _BEGINS.match(text, start):
        return start
    closed = _THOUGHT.search(text, start)
    return closed.end() if closed is not None else start if opened is None else len(text)


def _value_start(text: str, start: int) -> int:
    """Return the place after the fences, tags and comments at the beginning of a text."""
    at = _blank(text, start)
    while found := (
        _OPENING_FENCE.match(text, at) or _TAG.match(text, at) or COMMENT.match(text, at)
    ):
        at = _blank(text, found.end())
    return at


def _repairs_before(text: str, end: int) -> list[Repair]:
    """Return the repairs that remove a byte order mark and other text before a value."""
    start = _after_bom(text)
    found = [_removed("bom", text[:start])] if start else []
    if before := text[start:end].strip(SPACE):
        is_frame = _FRAME.fullmatch(before)
        kind = "space" if BLANK.fullmatch(before) else "frame" if is_frame else "prose"
        found.append(_removed(kind, before))
    return found


def _after_bom(text: str) -> int:
    return len(text) - len(text.lstrip(_BOM))


def _closing_frame(text: str) -> tuple[int, int]:
    """Return the beginning and the end of the innermost frame that ends a text.

    A frame is a fence or tags (`<a>...</a>`). Without one, both are the length of the text.
    """
    begin, end = None, len(text.rstrip())
    for _ in range(_MOST_PIECES):
        start = text.rfind("</", 0, end) if text.endswith(">", 0, end) else -1
        closing = None if start < 0 else _CLOSING_TAG.fullmatch(text, start, end)
        start = -1 if closing is None else text.find(f"<{closing[1]}", 0, closing.start())
        if closing is None or start < 0:
            break
        begin, end = start, len(text[: closing.start()].rstrip())
    mark = text[end - 1 : end]
    if mark in ("`", "~") and text.endswith(mark * 3, 0, end):
        begin, end = text.find(mark * 3), len(text[:end].rstrip(mark).rstrip())
    return (len(text), len(text)) if begin is None else (begin, end)


def _repairs_after(text: str, start: int) -> Iterator[Repair]:
    """Yield the repairs that remove the text after a value.

    From another value (`rest`) or the first word (`prose`) on, the text is one piece.
    """
    at = _blank(text, start)
    if odd := text[start:at].strip(SPACE):
        yield _removed("space", odd)
    for _ in range(_MOST_PIECES):
        found = _AFTER.match(text, at)
        if found is None:
            break
        yield _removed(str(found.lastgroup), found[0].rstrip(SPACE))
        at = _blank(text, found.end())
    if at < len(text):
        yield _removed("rest" if text[at] in "[{" else "prose", text[at:])


def _blank(text: str, at: int) -> int:
    found = BLANK.match(text, at)
    return found.end() if found else at
