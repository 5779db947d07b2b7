"""The one value in a text: where it begins, and what around it is left out."""

import re
from collections.abc import Iterable
from json import JSONDecoder
from typing import Final

from pyfunctools._json import JsonValue
from pyfunctools.limits import Limits
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.outline.json_types import ALL_TYPES
from pyfunctools.schema.outline.outline import Place
from pyfunctools.schema.parsing.glyphs import OPENING
from pyfunctools.schema.parsing.recovery import Recovery
from pyfunctools.schema.parsing.strict import strict
from pyfunctools.schema.parsing.surroundings import Piece, after, before, beginning, framed
from pyfunctools.schema.result import Failure, Issue, Repair, Result, Success

_ROOT: Final = Path.of(())
_BOM = "\ufeff"
_ESCAPED = re.compile(r'[\[{]\s*+\\++"')
_UNESCAPE = JSONDecoder(strict=False)
_HARMLESS = frozenset({"comment", "fence", "space", "tag"})
_IN_OBJECT = rf"\{{\s*+(?:[{OPENING}}}{{]|[A-Za-z_$][\w$-]*+\s*+:)"
_IN_ARRAY = rf"\[\s*+(?:[{OPENING}\]\[{{+\-.0-9]|[A-Za-z]++\s*+[,\]])"
_OBJECT, _ARRAY = re.compile(_IN_OBJECT), re.compile(_IN_ARRAY)
_EITHER = re.compile(f"{_IN_OBJECT}|{_IN_ARRAY}")
_CALLED = re.compile(r"\s*+\)")
_PLACEHOLDER = re.compile(r"[\[{][^\[\]{}\"'\n:]*+[\]}]")
"""Brackets that prose has too: `{name}`, `[1]`, `[see below]`."""
_MOST = 1000
"""Brackets in prose that are tried before there is taken to be no value."""


def extract(text: str, limits: Limits, place: Place | None = None) -> Result[JsonValue]:
    """Return the first value that is written in a text which is no strict JSON as a whole.

    `place` says what is wanted.
    """
    return _Extraction(text, limits, place).value()


class _Extraction:
    """The search for the value of one text."""

    def __init__(self, text: str, limits: Limits, place: Place | None) -> None:
        self._text = text
        self._limits = limits
        self._place = place
        self._start = len(text) - len(text.lstrip(_BOM))
        self._frame, self._framed = framed(text)

    def value(self) -> Result[JsonValue]:
        """Return the value that the text begins with, else the first in the middle of its prose."""
        at = beginning(self._text, self._start)
        if at >= len(self._text):
            found = self._in_prose(self._start)
            return self._nothing() if found is None else found
        if (inner := _unescaped(self._text, at)) is not None:
            return self._again(inner, at)
        recovery = self._recovery(at, sure=True)
        bracket = self._text[at] in "[{"
        members = not bracket and recovery.read_members()
        if not members:
            recovery.read()
        if not recovery.issues and (bracket or members or _alone(self._text, recovery)):
            return self._result(recovery, at)
        meant = members or (bracket and not _PLACEHOLDER.match(self._text, at))
        found = None if meant else self._in_prose(recovery.at if bracket else at)
        if found is not None:
            return found
        if meant or (recovery.issues and len(self._text[at:].split()) == 1):
            return self._result(recovery, at)
        return self._nothing()

    def _in_prose(self, at: int) -> Result[JsonValue] | None:
        brackets = self._brackets()
        for _ in range(_MOST):
            found = brackets.search(self._text, at)
            if found is None:
                return None
            recovery = self._recovery(found.start(), sure=False)
            recovery.read()
            at = max(recovery.at, found.end())
            if self._in_call(found.start(), recovery.at):
                continue
            if not recovery.issues or not _PLACEHOLDER.match(self._text, found.start()):
                return self._result(recovery, found.start())
        return None

    def _recovery(self, at: int, *, sure: bool) -> Recovery:
        return Recovery(
            self._text,
            at,
            self._stop(at),
            limits=self._limits,
            place=self._place,
            fenced=self._is_framed(at),
            sure=sure,
        )

    def _is_framed(self, at: int) -> bool:
        return self._frame < at < self._framed

    def _stop(self, at: int) -> int:
        return self._framed if self._is_framed(at) else len(self._text)

    def _brackets(self) -> re.Pattern[str]:
        """Return what may begin a value in the middle of prose."""
        types = ALL_TYPES if self._place is None else self._place.types
        if "object" in types and "array" not in types:
            return _OBJECT
        return _ARRAY if "array" in types and "object" not in types else _EITHER

    def _in_call(self, at: int, end: int) -> bool:
        """Return whether this is one argument of several in a call such as `f(a=1, b=[2])`."""
        front = self._text[max(at - 500, self._start) : at]
        if re.search(r"\w=\Z", front):
            return True
        opened = front.rfind("(")
        called = opened > front.rfind(")") and re.search(r"\w\Z", front[:opened]) is not None
        alone = not front[opened + 1 :].strip() and _CALLED.match(self._text, end) is not None
        return called and not alone

    def _again(self, inner: str, at: int) -> Result[JsonValue]:
        read = strict(inner, self._limits.depth)
        result = extract(inner, self._limits, self._place) if read is None else None
        if isinstance(result, Failure):
            return Failure(value=self._text, issues=result.issues)
        escape = Repair(path=_ROOT, kind="escape", before=self._text[at:], after=inner)
        repairs = (*self._before(at), escape, *(result.repairs if result else ()))
        value = result.value if result else read[0] if read else None
        return Success(value=value, repairs=repairs)

    def _result(self, recovery: Recovery, at: int) -> Result[JsonValue]:
        if recovery.issues:
            return Failure(value=self._text, issues=tuple(recovery.issues))
        return self._success(recovery, at)

    def _success(self, recovery: Recovery, at: int) -> Success[JsonValue]:
        left = _left_out(after(self._text, recovery.at))
        repairs = (*self._before(at), *recovery.repairs, *left)
        return Success(value=recovery.value, repairs=repairs)

    def _before(self, at: int) -> list[Repair]:
        bom = [Piece("bom", self._text[: self._start])] if self._start else []
        return _left_out([*bom, *before(self._text, self._start, at)])

    def _nothing(self) -> Failure:
        message = "There is no JSON value in the text."
        expected = "object" if self._brackets() is _OBJECT else "a JSON value"
        issue = Issue(path=_ROOT, expected=expected, value=None, message=message)
        return Failure(value=self._text, issues=(issue,))


def _unescaped(text: str, at: int) -> str | None:
    """Return JSON all of whose quotes were escaped, as it was before."""
    if not _ESCAPED.match(text, at):
        return None
    try:
        inner: object = _UNESCAPE.decode(f'"{text[at:].rstrip()}"')
        return inner if isinstance(inner, str) and inner.encode() else None
    except ValueError:
        return None


def _alone(text: str, recovery: Recovery) -> bool:
    """Return whether a scalar is all there is, so that it is no part of a sentence."""
    if any(repair.kind == "truncated" for repair in recovery.repairs) and _EITHER.search(text):
        return False
    return all(piece.kind in _HARMLESS or piece.text == ";" for piece in after(text, recovery.at))


def _left_out(pieces: Iterable[Piece]) -> list[Repair]:
    return [Repair(path=_ROOT, kind=kind, before=left, after="") for kind, left in pieces]
