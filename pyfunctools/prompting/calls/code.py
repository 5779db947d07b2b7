"""The code in a text: its fences, and the places in it that may not run."""

import re
from bisect import bisect_right
from collections.abc import Set
from functools import cached_property
from typing import Final, NamedTuple

_NAMED: Final = r"(?:[ \t]*\{?(?P<name>[\w+#.-]+)(?=[\s{}\[<:]|\Z))?"
_MARK: Final = re.compile(rf"(?P<mark>[`~](?:(?<=`)``+|(?<=~)~~+)){_NAMED}")
_ANY_MARK: Final = re.compile(
    rf"(?P<mark>`{{3,}}|~{{3,}}|^[ \t]*'''(?=\w*\s*\n)){_NAMED}", re.MULTILINE
)
_READ: Final = frozenset(
    {
        *("", "json", "json5", "jsonc", "jsonl", "ndjson", "xml"),
        *("python", "python3", "py", "py3", "javascript", "js", "typescript", "ts"),
        *("tool", "tools", "tool_code", "tool_call", "tool_calls", "tool_use", "action", "actions"),
        *("function", "functions", "function_call", "function_calls", "call", "calls"),
    }
)
"""The names of fences that are read; any other fence is a quotation."""
_PROGRAM: Final = re.compile(
    r"^[ \t]*(?:(?:async[ ]+)?def[ ]+\w+\(|class[ ]+\w+.*:[ \t]*$|assert\b"
    r"|import[ ]+\w|from[ ]+[\w.]+[ ]+import\b"
    r"|if[ ]+__name__|(?:export[ ]+)?(?:async[ ]+)?function[ ]+\w+\()",
    re.MULTILINE,
)
_HEADS: Final = frozenset(
    {
        *("if", "if ", "if(", "whi", "for", "els", "eli", "exc", "cat", "unl", "cas", "ret", "rai"),
        *("asy", "def", "cla", "ass", "imp", "fro", "exp", "fun"),
    }
)
"""The first letters of the lines that `Code` looks for."""
_GUARD: Final = re.compile(
    r"^[ \t]*(?:\}[ ]*)?(?:(?:if|while)\b(?![ (]*(?:True|true|1|__name__)\b)"
    r"|(?:async[ ]+)?for\b[^\n]{1,80}?\b(?:in|of)[ ]+"
    r"(?!range\(\s*[1-9]\d*\s*\)|\[\s*[^\]\s]|\(\s*[^)\s]|\{\s*[^}\s])"
    r"|(?:elif|else|except|catch|unless)\b|case\b(?=[^\n]*[:{]$))[^\n]*?[:{](?=\s|$)",
    re.MULTILINE,
)
"""The head of a block that may not run: a condition, a loop over nothing or over a variable."""
_STOPS: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?:return[ \t]*;?|raise[ ]+[A-Z]\w*(?:\(.*\))?)[ \t]*$", re.MULTILINE
)
"""A statement after which the rest of its block never runs."""
_DEFINED: Final = re.compile(r"[ \t]*(?:export[ ]+)?(?:(?:async[ ]+)?(?:def|function)|class)[ ]")
_INDENT: Final = re.compile(r"[ \t]*")
_MOST_BLOCKS: Final = 100


def heads_of(text: str) -> set[str]:
    """Return the first three letters of all lines: most lines need no closer look."""
    return {line.lstrip(" \t*_#>}")[:3].lower() for line in text.split("\n")}


class Fence(NamedTuple):
    """A fence: the `start` and `end` of its content, and whether it is read for calls."""

    start: int
    end: int
    is_read: bool


def _fence(opened: re.Match[str], end: int) -> Fence:
    start = opened.end()
    return Fence(start, max(start, end), (opened["name"] or "").lower() in _READ)


class Code:
    """The code in a text: its fences, and which parts of it may not run."""

    def __init__(self, text: str, heads: Set[str]) -> None:
        self._text = text
        self._heads = heads

    @cached_property
    def fences(self) -> list[Fence]:
        """The fences in their order. One without an end reaches to the end of the text."""
        text = self._text
        triple = "'''" in text
        if not (triple or "```" in text or "~~~" in text):
            return []
        fences: list[Fence] = []
        opened = None
        for each in (_ANY_MARK if triple else _MARK).finditer(text):
            if opened is None:
                opened = each
            elif not each["name"] and each["mark"].lstrip().startswith(opened["mark"].lstrip()):
                fences.append(_fence(opened, each.start()))
                opened = None
        if opened is not None:
            fences.append(_fence(opened, len(text)))
        return fences

    def fence(self, at: int) -> Fence | None:
        """Return the fence around a place, or `None`."""
        place = bisect_right(self.fences, (at, len(self._text), True)) - 1
        return self.fences[place] if place >= 0 and at < self.fences[place].end else None

    def may_not_run(self, at: int) -> bool:
        """Return whether a place is in a definition, under a condition, or behind `return`."""
        return any(start <= at < end for start, end in self._survey[1])

    def program(self, at: int) -> int | None:
        """Return the start of the program around a place: code with definitions or imports."""
        return next((start for start, end in self._survey[0] if start <= at < end), None)

    @cached_property
    def _survey(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """The places of all programs, and of the blocks in them that may not run."""
        programs: list[tuple[int, int]] = []
        bodies: list[tuple[int, int]] = []
        if self._heads.isdisjoint(_HEADS):
            return programs, bodies
        for each in _PROGRAM.finditer(self._text):
            start = each.start()
            if len(bodies) + len(programs) > _MOST_BLOCKS:
                break
            if not programs or start >= programs[-1][1]:
                fence = self.fence(start)
                later = (other.start for other in self.fences if other.start > start)
                end = next(later, len(self._text))
                programs.append((start, end) if fence is None else fence[:2])
            outside = not bodies or start >= bodies[-1][1]
            if outside and _DEFINED.match(self._text, start):
                bodies.append((start, self._end_of_body(start)))
        guards = _GUARD.finditer(self._text)
        bodies += [(each.end(), self._end_of_body(each.start())) for each in guards]
        for each in _STOPS.finditer(self._text):
            fence = self.fence(each.start())
            end = len(self._text) if fence is None else fence.end
            indented = each["indent"] and self._end_of_body(each.start(), -1)
            bodies.append((each.end(), min(end, indented or end)))
        return programs, bodies

    def _end_of_body(self, at: int, more: int = 0) -> int:
        """Return the end of a block: the next line indented at most as this one plus `more`."""
        text = self._text
        line = text.find("\n", at)
        first = _INDENT.match(text, at)
        indent = len(first[0]) + more if first else 0
        less = re.compile(rf"\n(?=[ \t]{{0,{min(indent, 80)}}}[^\s)])")
        found = less.search(text, line) if line >= 0 else None
        return len(text) if found is None else found.start()
