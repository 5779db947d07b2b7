"""A text that a model wrote, read from its beginning to its end for the calls in it."""

import re
from typing import Final

from pyfunctools.prompting.found import MAX_CALLS, Found, Weight
from pyfunctools.prompting.names import Names
from pyfunctools.prompting.objects import calls_of, read_piece
from pyfunctools.prompting.python import CALL, read_call, read_listed, weighed
from pyfunctools.prompting.react import read_actions
from pyfunctools.prompting.tagged import read_tagged

_OPENER: Final = re.compile(
    rf"(?P<call>{CALL})|(?P<bracket>[\[{{]|\((?=\s*+[\"']))|(?P<tag><(?=[^\s<>]))"
)
_LISTED: Final = re.compile(rf"\[\s*+\\?[\"'`]?{CALL}")
_NESTED: Final = re.compile(r"\(|\[\s*+[\"']")
_THOUGHT: Final = re.compile(
    r"<(think|thinking|thought|reasoning|scratch_?pad|observation"
    r"|tool_(?:response|result|output)|function_(?:response|results?))>",
    re.IGNORECASE,
)
"""What begins thoughts, or the result that a model imagines."""
_ANALYSIS: Final = re.compile(r"<\|channel\|>analysis(?!\s*to=)[^<]{0,40}<\|message\|>")
_ANALYSED: Final = re.compile(r"<\|(?:end|return|call|start)\|>")
_ESCAPE: Final = "<escape>"
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

    def __init__(self, text: str, names: Names) -> None:
        self._text = _quoted(text) if _ESCAPE in text else text
        self._names = names
        self._left = _EFFORT * len(text) + _LEAST
        self._at = _start(text)
        self._marked: list[Found] = []
        self._written: list[Found] = []

    def calls(self) -> list[Found]:
        """Give the calls in the order in which they stand, at most one more than are read."""
        text = self._text
        while len(self._marked) + len(self._written) <= MAX_CALLS and self._left > 0:
            opener = _OPENER.search(text, self._at)
            if opener is None:
                break
            if opener.lastgroup == "call":
                self._call(opener)
            elif opener.lastgroup == "bracket":
                self._bracket(opener.start())
            else:
                self._tag(opener.start())
        written = self._weighed() if self._written else []
        if "Action" in text:
            self._marked += read_actions(text, self._names)
        found = sorted([*self._marked, *written], key=lambda each: each.end)
        if any(each.weight is not Weight.QUOTED for each in found):
            found = [each for each in found if each.weight is not Weight.QUOTED]
        return found[: MAX_CALLS + 1]

    def _weighed(self) -> list[Found]:
        return weighed(self._text, self._written, self._marked, self._names)

    def _call(self, opener: re.Match[str]) -> None:
        calls, self._at, far = read_call(self._text, opener.start(), opener.end(), self._names)
        self._left -= far - opener.start()
        self._written += calls

    def _bracket(self, at: int) -> None:
        text = self._text
        if text.startswith("[THINK]", at):
            end = text.find("[/THINK]", at)
            self._at = len(text) if end < 0 else end + 1
            return
        if text[at] == "[" and _LISTED.match(text, at):
            self._at = at + 1
            return
        listed, far = read_listed(text, at, self._names)
        self._left -= far - at
        if listed is not None:
            self._marked.append(listed)
            self._at = listed.end
            return
        if text[at] == "(":
            self._at = at + 1
            return
        piece, far = read_piece(text, at, len(text))
        self._left -= far - at
        if (piece is None and far > at + 1) or (piece is not None and not piece.whole):
            self._left -= _FAILED + _HEAVY * (far - at)
        self._at = at + 1
        if piece is None or (piece.issues and text[at] == "["):
            return  # of a list that cannot be read each item may still be read
        after = self._marked[-1].end if self._marked else -1
        calls = calls_of(piece, text, self._names, after)
        self._marked += calls
        nested = text[at] == "[" and _NESTED.search(piece.text, 1) is not None
        if calls or (piece.whole and not nested):
            self._at = piece.end
        if not calls:
            self._left -= _SEARCHED

    def _tag(self, at: int) -> None:
        text = self._text
        thought = _THOUGHT.match(text, at)
        if thought is not None:
            end = text.find(f"</{thought[1]}>", at)
            self._at = len(text) if end < 0 else end + len(thought[0]) + 1
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
            self._marked.append(found)


def _quoted(text: str) -> str:
    """Give a text in which FunctionGemma's marks of strings are quotes, at the same places."""
    front, *parts = text.split(_ESCAPE)
    gap = " " * (len(_ESCAPE) - 1)
    marks = (gap + '"', '"' + gap)
    return front + "".join(marks[n % 2] + part for n, part in enumerate(parts))


def _start(text: str) -> int:
    """Give where the answer begins, behind thoughts whose first tag was in the prompt."""
    start = 1 if text.startswith("\ufeff") else 0
    end = text.find("</think>")
    if end >= 0 and text.find("<think>", 0, end) < 0:
        return end + len("</think>")
    return start
