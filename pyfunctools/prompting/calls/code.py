"""The program around a call: code fences, variables with literal values, definitions."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from pyfunctools._json import JsonValue
from pyfunctools.prompting.calls.literals import Literals, NotALiteral

_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~|'''(?=\w*\s*\n)).*$", re.MULTILINE)
_ASSIGNED: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?:(?:const|let|var)[ ])?(?P<name>[^\W\d]\w*)[ \t]*"
    r"(?::[^=\n]{1,60})?(?P<sign>[-+*/|&]?=)(?!=)[ \t]*",
    re.MULTILINE,
)
_REBOUND: Final = re.compile(
    r"\bfor\s+(?P<looped>[\w\s,()]{1,80}?)\s+in\b"
    r"|\b(?:as|import|del)[ ]+(?P<named>\w++)[ \t]*+(?=[:;\n])"
    r"|\b(?P<defined>def\s[^\n]*)"
    r"|\b(?P<inline>\w++)[ \t]*+:="
    r"|[:;=][ \t]++(?P<chained>[^\W\d]\w*+)[ \t]*+=(?!=)"
    r"|^[ \t]*+(?:(?P<several>[^\W\d]\w*+(?:[ \t]*+,[ \t]*+[^\W\d]\w*+){1,9})[ \t]*+=(?!=)"
    r"|(?P<changed>[^\W\d]\w*+)(?:\[[^\]\n]{1,60}\][ \t]*+[-+*/|&]?=(?!=)"
    r"|\.(?:append|extend|insert|update|pop|remove|clear)\())",
    re.MULTILINE,
)
"""Variables that are set or changed by anything but an assignment on its own line."""
_CONTROL: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?:if|elif|else|for|while|try|except|finally|with)\b", re.MULTILINE
)
_NAME: Final = re.compile(r"[^\W\d]\w*")
_LINE: Final = re.compile(
    r"[ \t]*(?:\#.*|//.*|import\s.*|from\s.*import\s.*"
    r"|(?:(?:const|let|var)[ ])?[\w.]+[ \t]*(?:\[.*\])?[ \t]*(?::.*)?=.*"
    r"|(?:for|while|if|else|elif|try|with)\b.*:|[\w.]+\(.*|[)\]}].*|[\"'].*|)"
)
_VALUE: Final = re.compile(r"""(?:[^#\n"']|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')*""")
_ENDS: Final = re.compile(r"[ \t]*(?:\#.*)?;?[ \t]*$", re.MULTILINE)
_PROGRAM: Final = re.compile(
    r"^[ \t]*(?:(?:async[ ]+)?def[ ]+\w+\(|class[ ]+\w+.*:[ \t]*$|assert\b"
    r"|import[ ]+\w|from[ ]+[\w.]+[ ]+import\b"
    r"|if[ ]+__name__|(?:export[ ]+)?(?:async[ ]+)?function[ ]+\w+\()",
    re.MULTILINE,
)
_PROGRAMS: Final = ("def ", "class ", "assert", "import ", "function ", "__name__")
_GUARD: Final = re.compile(
    r"^[ \t]*(?:\}[ ]*)?(?:(?:if|while)\b(?![ (]*(?:True|true|1|__name__)\b)"
    r"|(?:elif|else|except|catch|unless)\b|case\b(?=[^\n]*[:{]$))[^\n]*?[:{](?=\s|$)",
    re.MULTILINE,
)
"""The head of a block that may not run."""
_STOPS: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?:return[ \t]*;?|raise[ ]+[A-Z]\w*(?:\(.*\))?)[ \t]*$", re.MULTILINE
)
"""A statement after which the rest of its block never runs."""
_DEFINED: Final = re.compile(r"[ \t]*(?:(?:async[ ]+)?def|class)[ ]")
_INDENT: Final = re.compile(r"[ \t]*")
_BACKWARD: Final = 4_000
_MOST_VALUES: Final = 100


@dataclass(slots=True)
class Block:
    """A block of code up to `end`: its variables with a literal value (`known`), and the others.

    `base` is the indentation of its assignments.
    """

    fence: tuple[int, int] | None
    end: int
    base: str | None = None
    known: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    others: set[str] = field(default_factory=set[str])

    def forget(self, names: Iterable[str]) -> None:
        """Mark the values of these variables as unknown."""
        for name in names:
            self.known.pop(name, None)
            self.others.add(name)

    def dedent(self, indent: str) -> None:
        """Forget the variables of an inner block that ends here: it may not have run."""
        if self.base is not None and len(indent) < len(self.base):
            self.forget([*self.known])
            self.base = None


class Code:
    """The code in a text: which calls in it run, and with which values of variables."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last: Block | None = None
        self._fences: list[tuple[int, int]] | None = None
        self._programs: tuple[list[tuple[int, int]], list[tuple[int, int]]] | None = None
        self._assigns: bool | None = None

    def fence(self, at: int) -> tuple[int, int] | None:
        """Return the start and end of the code fence around a place, or `None`."""
        if self._fences is None:
            text = self._text
            fenced = "```" in text or "~~~" in text or "'''" in text
            marks = [each.span() for each in _FENCE.finditer(text)] if fenced else []
            closing = [start for start, _ in marks[1::2]] + [len(self._text)]
            self._fences = [(mark[1], end) for mark, end in zip(marks[::2], closing, strict=False)]
        place = bisect_right(self._fences, (at, len(self._text))) - 1
        return self._fences[place] if place >= 0 and at < self._fences[place][1] else None

    def variables(self, at: int) -> tuple[dict[str, JsonValue], set[str]]:
        """Return the variables with a literal value in the code before `at`, and the others."""
        if self._assigns is None:
            self._assigns = _ASSIGNED.search(self._text) is not None or " in " in self._text
        if not self._assigns:
            return {}, set()
        text = self._text
        stop = text.rfind("\n", 0, at) + 1
        block = self._last
        if block is None or not self._continues(block, at, stop):
            block = self._last = Block(self.fence(at), self._start_of_block(at, stop))
        found = [
            *_REBOUND.finditer(text, block.end, at),
            *_CONTROL.finditer(text, block.end, stop),
            *_ASSIGNED.finditer(text, block.end, stop),
        ]
        for each in sorted(found, key=lambda each: each.start()):
            if each.re is _REBOUND:
                block.forget(_NAME.findall(next(filter(None, each.groups()))))
                continue
            block.dedent(each["indent"])
            if each.re is _ASSIGNED:
                self._assign(block, each, stop)
        indent = _INDENT.match(text, stop)
        block.dedent(indent[0] if indent else "")
        block.end = max(block.end, stop)
        return block.known, block.others

    def _continues(self, block: "Block", at: int, stop: int) -> bool:
        """Return whether the last block continues to this line."""
        if block.fence is not None or stop < block.end:
            return stop >= block.end and self.fence(at) == block.fence
        line = block.end
        while line < stop:
            end = self._text.find("\n", line)
            if _FENCE.match(self._text, line) or not _LINE.fullmatch(self._text, line, end):
                return False
            line = end + 1
        return True

    def _assign(self, block: "Block", each: re.Match[str], stop: int) -> None:
        name = each["name"]
        block.base = each["indent"] if block.base is None else block.base
        is_set = each["sign"] == "=" and each["indent"] == block.base
        room = is_set and len(block.known) < _MOST_VALUES
        value = self._literal(each.end(), stop, block.known) if room else None
        block.forget([name])
        if value is not None:
            block.others.discard(name)
            block.known[name] = value[0]

    def _literal(self, at: int, stop: int, known: dict[str, JsonValue]) -> tuple[JsonValue] | None:
        """Return the literal on the rest of a line, which may continue on the next lines."""
        line = _VALUE.match(self._text, at, stop)
        text = line[0].rstrip(" \t;") + "," if line is not None else ""
        found = _read(text, 0, len(text), known)
        if found is not None and found[1] == len(text) - 1:
            return found[0]
        found = _read(self._text, at, stop, known)
        return found[0] if found is not None and _ENDS.match(self._text, found[1]) else None

    def _start_of_block(self, at: int, stop: int) -> int:
        """Return the start of the block of code that ends with the line before `stop`."""
        fence = self.fence(at)
        first = max(stop - _BACKWARD, 0)
        if fence is not None:
            return max(fence[0], first)
        text, start = self._text, stop
        while start > first:
            line = text.rfind("\n", first, start - 1) + 1 or first
            if _FENCE.match(text, line) or not _LINE.fullmatch(text, line, start - 1):
                break
            start = line
        return start

    def may_not_run(self, at: int) -> bool:
        """Return whether a place is in a definition, under a condition, or behind `return`."""
        return any(start <= at < end for start, end in self._survey()[1])

    def program(self, at: int) -> int | None:
        """Return the start of the program around a place: code with definitions or imports."""
        return next((start for start, end in self._survey()[0] if start <= at < end), None)

    def _survey(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return the places of all programs, and of the blocks in them that may not run."""
        if self._programs is None:
            programs: list[tuple[int, int]] = []
            bodies: list[tuple[int, int]] = []
            likely = any(word in self._text for word in _PROGRAMS)
            for each in _PROGRAM.finditer(self._text) if likely else ():
                start = each.start()
                if len(bodies) + len(programs) > _MOST_VALUES:
                    break
                if not programs or start >= programs[-1][1]:
                    mark = _FENCE.search(self._text, start)
                    end = len(self._text) if mark is None else mark.start()
                    programs.append(self.fence(start) or (start, end))
                outside = not bodies or start >= bodies[-1][1]
                if outside and _DEFINED.match(self._text, start):
                    bodies.append((start, self._end_of_body(start)))
            guards = _GUARD.finditer(self._text)
            bodies += [(each.end(), self._end_of_body(each.start())) for each in guards]
            for each in _STOPS.finditer(self._text):
                fence = self.fence(each.start())
                end = len(self._text) if fence is None else fence[1]
                indented = each["indent"] and self._end_of_body(each.start(), -1)
                bodies.append((each.end(), min(end, indented or end)))
            self._programs = programs, bodies
        return self._programs

    def _end_of_body(self, at: int, more: int = 0) -> int:
        """Return the end of a block: the next line indented at most as this one plus `more`."""
        text = self._text
        line = text.find("\n", at)
        first = _INDENT.match(text, at)
        indent = len(first[0]) + more if first else 0
        less = re.compile(rf"\n(?=[ \t]{{0,{min(indent, 80)}}}[^\s)])")
        found = less.search(text, line) if line >= 0 else None
        return len(text) if found is None else found.start()


def _read(
    text: str, at: int, stop: int, known: dict[str, JsonValue]
) -> tuple[tuple[JsonValue], int] | None:
    """Return the literal at a place, and its end."""
    literals = Literals(text, at, stop, known)
    try:
        value = literals.value(())
    except (NotALiteral, IndexError):
        return None
    broken = any(each.kind not in ("name", "dict", "key") for each in literals.repairs)
    return None if broken or literals.raws or literals.faults else ((value,), literals.at)
