"""A text that a model wrote, read from its beginning to its end for the calls in it.

    <think>f(a=0)?</think>I will not call [f(a=1)], but: [f(a=2), g()] <user>more</user>[f(a=3)]

1. `speech`: somebody else speaks from `<user>` on, so the text ends there.
2. From left to right each opener (a name with a bracket, a bracket, a tag, a comment) is given to
   the reader of that habit, and the scan goes on behind what was read. `<think>` is passed as a
   whole; `python` reads `f(a=1)`, `f(a=2)` and `g()`.
3. `sequences`: calls with nothing but separators between are a run, here `f(a=1)` and
   `f(a=2), g()`. The sentence in front of the first refuses it; every call of the second is meant,
   right or not. Groups are numbered, for what is said again.
4. `calls` has each checked by its function.

No reader goes back: what each looks at is counted, and a text that costs more than four times its
length is given up.
"""

import re
from typing import Final

from pyfunctools.envelopes.blocks import MAX_CALLS
from pyfunctools.prompting.calls.code import Code
from pyfunctools.prompting.calls.found import Found
from pyfunctools.prompting.calls.json_calls import (
    calls_of,
    read_named,
    read_piece,
    unreadable_calls,
)
from pyfunctools.prompting.calls.names import FunctionNames
from pyfunctools.prompting.calls.python import CALL, Caller, read_listed
from pyfunctools.prompting.calls.sequences import meant
from pyfunctools.prompting.calls.speech import SKIPPED, Break, beginning, breaks, end_of
from pyfunctools.prompting.calls.tagged import read_actions, read_tagged

_OPENERS: Final = (
    rf"(?P<call>{CALL})|(?P<bracket>[\[{{]|\((?=\s*+[\"']))|(?P<tag>[<\u25c1](?=[^\s<>]))"
)
_ASSIGNED: Final = r"^[ \t]*(?:(?:const|let|var)[ ])?[\w.]+[ \t]*(?::[^=\n]{1,40})?=[ \t]*(?=[\"'])"
_QUIET: Final = (
    r"(?P<docstring>(?:\"\"\"|''')(?!\w*\s*\n\s*[\[{<]))"
    r"|(?P<remark>^[ \t]*>(?!>)[^\n]*|(?<![^\s;,)\]}])\#(?!\#)[^\n]*|^[ \t]*\#\#[^\n]*"
    r"|(?<![:\w/])//[^\n]*|/\*[\s\S]*?(?:\*/|\Z))"
    rf"|(?P<string>{_ASSIGNED}(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')(?=[ \t;]*$))"
)
"""Comments, blockquotes and strings, in which nothing is called."""
_OPENER: Final = re.compile(_OPENERS)
_CAREFUL: Final = re.compile(rf"{_QUIET}|{_OPENERS}", re.MULTILINE)
_LINE: Final = re.compile(rf"^[ \t]*>|{_ASSIGNED}", re.MULTILINE)
"""A line that is a blockquote, or that gives a name a string."""
_LISTED: Final = re.compile(rf"\[\s*+\\?[\"'`]?{CALL}")
_NESTED: Final = re.compile(r"\(|\[\s*+[\"']|[\"']\s*+\{")
_ANALYSIS: Final = re.compile(r"<\|channel\|>analysis(?!\s*to=)[^<]{0,40}<\|message\|>")
_ANALYSED: Final = re.compile(r"<\|(?:end|return|call|start)\|>")
_ESCAPE: Final = "<escape>"
_UNESCAPED: Final = re.compile(r"(?<!\\)_")
_NAMED: Final = re.compile(r"(?<![\w\\.])[\w\\.]++(?=\s{0,3}=(?!=)|[\"']\s{0,3}:|[\"'`*]{0,3}\()")
"""The name of a function or an argument that is written for Markdown."""
_EFFORT: Final = 4
_LEAST: Final = 400_000
"""How many characters are looked at: so many times those of the text, and so many at least."""
_FAILED: Final = 4_000
_HEAVY: Final = 8
"""What is counted for JSON that is none: so much each time, and for each character in it."""
_SEARCHED: Final = 300
"""What is counted for looking for a name in front of JSON."""


class Scan:
    """One pass through a text."""

    def __init__(self, text: str, names: FunctionNames) -> None:
        self._text = _quoted(text) if _ESCAPE in text else text
        self._names = names
        self._code = Code(self._text)
        self._caller = Caller(self._text, names, self._code)
        self._breaks = breaks(text)
        self._left = _EFFORT * len(text) + _LEAST
        self._at = beginning(text)
        self._found: list[Found] = []

    def calls(self) -> list[Found]:
        """Return the calls in the order in which they stand, at most one more than are read."""
        text = self._text
        openers = _CAREFUL if _needs_care(text) else _OPENER
        last = len(text)
        opener = openers.search(text, self._at)
        while len(self._found) <= MAX_CALLS and self._left > 0:
            place = last if opener is None else opener.start()
            ended = self._broken(place) if self._breaks else None
            if ended is not None and (ended.end is None or self._found):
                last = ended.start
                break
            if ended is not None and ended.end is not None:
                self._at = ended.end
            elif opener is None:
                break
            else:
                self._open(opener)
            if opener is not None and opener.start() < self._at:
                opener = openers.search(text, self._at)
        if "Action" in text:
            self._found += read_actions(text[:last], self._names)
        found = self._found
        if len(found) > 1:
            found = sorted(found, key=_place)
        if "\\_" in text:
            for each in found:
                each.escaped = _is_escaped(text[each.start : each.end])
        if not found:
            return []
        return meant(text, found, self._names, self._code)[: MAX_CALLS + 1]

    def _broken(self, at: int) -> Break | None:
        """Return where somebody else speaks before `at` and behind what was read, if they do."""
        while self._breaks and self._breaks[0].start < self._at:
            self._breaks.popleft()
        return self._breaks.popleft() if self._breaks and self._breaks[0].start <= at else None

    def _open(self, opener: re.Match[str]) -> None:
        kind = opener.lastgroup
        if kind == "call":
            stop = self._breaks[0].start if self._breaks else len(self._text)
            found, self._at, far = self._caller.read(opener.start(), opener.end(), stop)
            self._left -= far - opener.start()
            if found is not None:
                self._found.append(found)
        elif kind == "bracket":
            self._bracket(opener.start())
        elif kind == "tag":
            self._tag(opener.start())
        elif kind == "docstring":
            end = self._text.find(opener[0], opener.end())
            self._at = opener.end() if end < 0 else end + 3
        elif opener[0].lstrip().startswith("##") and self._code.fence(opener.start()) is None:
            self._at = opener.end() - len(opener[0].lstrip(" \t#"))  # a heading
        else:
            self._at = opener.end()

    def _bracket(self, at: int) -> None:
        text = self._text
        if text.startswith("[THINK]", at) and (thought := SKIPPED.match(text, at)):
            self._at = end_of(text, thought)
            return
        if text[at] == "[" and _LISTED.match(text, at):
            self._at = at + 1
            return
        listed, far = read_listed(text, at, self._names)
        self._left -= far - at
        if listed is not None:
            self._found.append(listed)
            self._at = listed.end
            return
        if text[at] == "(":
            self._at = at + 1
            return
        named, far = read_named(text, at)
        self._left -= far - at
        if named is not None:
            self._found += calls_of(named, text, self._names)
            self._at = named.end
            return
        piece, far = read_piece(text, at, len(text))
        self._left -= far - at
        if (piece is None and far > at + 1) or (piece is not None and not piece.whole):
            self._left -= _FAILED + _HEAVY * (far - at)
        self._at = at + 1
        broken = piece is None or bool(piece.issues)
        if broken and text[at] == "[":
            return  # of a list that cannot be read each item may still be read
        after = self._found[-1].end if self._found else -1
        calls = [] if piece is None else calls_of(piece, text, self._names, after)
        if broken and not calls:
            calls = unreadable_calls(text, at, self._names)
            self._at = calls[0].end if calls else self._at
        elif piece is not None:
            nested = text[at] == "[" and _NESTED.search(piece.text, 1) is not None
            if calls or (piece.whole and not nested):
                self._at = piece.end
        self._found += calls
        if not calls:
            self._left -= _SEARCHED

    def _tag(self, at: int) -> None:
        text = self._text
        skipped = SKIPPED.match(text, at)
        named = None if skipped is None else self._names.find(skipped["tag"] or "")
        if skipped is not None and named is None:
            self._at = end_of(text, skipped)
            return
        analysis = _ANALYSIS.match(text, at)
        if analysis is not None:
            ended = _ANALYSED.search(text, analysis.end())
            self._at = len(text) if ended is None else ended.end()
            return
        found, far = read_tagged(text, at, self._names)
        self._left -= far - at
        self._at = at + 1 if found is None else found.end
        if found is not None:
            self._found.append(found)


def _needs_care(text: str) -> bool:
    """Return whether there may be comments, blockquotes or strings; most texts have none."""
    if "#" in text or "//" in text or "/*" in text or '"""' in text or "'''" in text:
        return True
    # Without a line end a line can only begin where the text does: that is seen much sooner.
    return (_LINE.search(text) if "\n" in text else _LINE.match(text)) is not None


def _place(found: Found) -> int:
    """Return where a call stands; those of one piece of JSON stay in their order."""
    return found.start if found.piece is None else found.piece.start


def _is_escaped(call: str) -> bool:
    r"""Return whether a call is written for Markdown, in which `_` is `\_`."""
    if "\\_" not in call or _UNESCAPED.search(call) is None:
        return "\\_" in call
    return any("\\_" in name for name in _NAMED.findall(call))


def _quoted(text: str) -> str:
    """Return a text in which FunctionGemma's marks of strings are quotes, at the same places."""
    front, *parts = text.split(_ESCAPE)
    gap = " " * (len(_ESCAPE) - 1)
    marks = (gap + '"', '"' + gap)
    return front + "".join(marks[n % 2] + part for n, part in enumerate(parts))
