"""The parts of a text that are not the model's answer: other turns, quotations, code in fences.

A model that does not stop writes the other turns too: the next message of the user, the result of a
tool, its own answer to that. All of this is invented and ignored. A token that ends a turn counts
only if no call follows at once: some models write it between parallel calls.
"""

import re
from bisect import bisect_left, bisect_right
from collections import deque
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from pyfunctools.prompting.calls.names import FunctionNames

_WHO: Final = (
    r"(?:user|human|customer|system|developer|observations?|environment|ipython"
    r"|(?:tool|function)s?(?:[ _\u2581]?(?:response|result|output|message)s?)?)"
)
_BAR: Final = r"[|\uff5c]"
_HEADER: Final = (
    rf"(?:<{_BAR}(?:im_start|start_header_id|header_start|start_of_role|turn|bom){_BAR}?>"
    r"|<start_of_turn>|<seed:bos>|<extra_id_1>|\]~b\])\s*+"
)
_TOKEN: Final = (
    rf"<{_BAR}[^<>\s|\uff5c]{{0,24}}?(?<![a-z]){_WHO}(?![a-z])(?:[_\u2581](?:token|start|begin))?"
    rf"{_BAR}?>"
)
_TURN_TOKEN: Final = (
    rf"{_HEADER}{_WHO}\b|<{_BAR}start{_BAR}>(?!\s*assistant)|{_TOKEN}|\[INST\]|<<SYS>>"
    r"|\[TOOL_RESULTS\]|\[AVAILABLE_TOOLS\]|\[\|(?:user|system|tool)\|\]|<start_function_response>"
)
_LABEL: Final = (
    r"^[ \t*_#>]*+(?:(?:Observation[ ]?[0-9]{0,3}"
    r"|(?:Tool|Function)[ _](?:response|result|output)s?)[ ]*+\**:"
    r"|(?-i:tool|function):[ \t]*+(?=[\[(\"']))"
)
_PERSON: Final = r"user|human|customer|system|instructions?|question|prompt"
_TURN: Final = (
    rf"<(?P<who>(?:{_PERSON})(?:_(?:query|message|input|request|turn|prompt))?)(?:\s[^<>\n]{{0,200}})?>"
    r"[\s\S]*?(?=</(?P=who)|<(?:assistant|model|ai)\b|\Z)"
    r"|<(?P<turn>message|turn)\s[^<>\n]{0,80}?role\s?=\s?[\"']?(?:user|human|system|tool)\b"
    r"[\s\S]*?(?=</(?P=turn)|\Z)"
)
_LABELLED: Final = (
    rf"(?P<tagged>{_TURN})"
    r"|^[ \t*_]*+(?P<labelled>(?:Human|User|System|Question|Customer|Q)[ ]*+\**:[^\n]*+"
    r"|#{1,6}[ ]*+(?:Instruction|Human|User|System|Question)[ ]*+\**(?::|$)"
    r"[\s\S]*?(?=\n\s*\n|\n#|\Z))"
)
_END: Final = (
    rf"(?P<end><{_BAR}(?:im_end|eot_id|eot|eom_id|endoftext|end_of_text|end_of_turn|end_of_role|return"
    rf"|END_OF_TURN_TOKEN|end\u2581of\u2581sentence){_BAR}>|<end_of_turn>|<turn{_BAR}>|</s>|<eos>)"
)
_BREAK: Final = re.compile(
    rf"(?:{_TURN_TOKEN})|{_END}|{_LABEL}|{_LABELLED}", re.IGNORECASE | re.MULTILINE
)
_MARKED: Final = re.compile(
    r"<(?:[|\uff5c]|/s>|<SYS>>|turn\|>|eos>|seed:|extra_id_1>"
    rf"|(?i:(?:start|end)_|{_PERSON}|(?:message|turn)\s))"
    r"|\[(?:INST\]|TOOL_RESULTS\]|AVAILABLE_TOOLS\]|\|)|\]~b\]"
)
"""The beginning of most tags and tokens of turns."""
_LABELS: Final = re.compile(
    r"^[ \t*_#>]*+(?:obs|too|fun|hum|use|que|cus|q\b|ins|sys)", re.IGNORECASE | re.MULTILINE
)
"""The first letters of the labels of other roles."""
_CONTINUES: Final = re.compile(
    rf"(?:\s++|<{_BAR}[^<>|\uff5c\n]{{1,40}}{_BAR}>|<(?:start|end)_of_turn>|<bos>|<s>|</s>"
    r"|\b(?:assistant|model)\b){0,40}+(?:[\[{<(`\"']|[^\W\d][\w.]*+\(|[^\W\d][\w.]*+\s*+\{|\Z)"
)
"""The text behind a token that ends a turn, if the model continues with a call."""
_ASSISTANT: Final = re.compile(
    rf"\s*+(?:{_HEADER}|<{_BAR}start{_BAR}>)(?:assistant|model|ai)\b|\s*+<{_BAR}assistant",
    re.IGNORECASE,
)


class Break(NamedTuple):
    """The `start` of a turn of another role.

    If only a label on a line marks it, it may be a question that the model repeats before its
    answer: before the first call it reaches only to `end`.
    """

    start: int
    end: int | None = None


def breaks(text: str) -> deque[Break]:
    """Return the turns of other roles in a text, in order."""
    marked = ("<" in text or "[" in text) and _MARKED.search(text)
    if not marked and not (":" in text and _LABELS.search(text)):
        return deque()
    found: deque[Break] = deque()
    for each in _BREAK.finditer(text):
        if each.lastgroup in ("labelled", "tagged"):
            found.append(Break(each.start(), each.end()))
        elif each.lastgroup != "end" or not (
            _CONTINUES.match(text, each.end()) or _ASSISTANT.match(text, each.end())
        ):
            found.append(Break(each.start()))
    return found


_NAME: Final = r"[^\W\d][\w:.\uff5c|-]{0,60}?"
_ELEMENT: Final = re.compile(
    rf"(?:<|\u25c1|(?P<box>\[))(?P<front>[/|\uff5c]{{0,2}})(?P<name>{_NAME})"
    rf"(?(box)|(?:[\s=][^<>\n]{{0,200}})?)(?P<back>/|{_BAR})?(?(box)\]|[>\u25b7])"
)
"""The tag of an element, or a token that is used as one: `<a>`, `</a>`, `<|a|>`, `[a]`, `<a|>`."""
_EDGES: Final = re.compile(
    r"(?:(?P<first>start|begin|end)_(?:of_)?)?(?P<name>.+?)(?:_(?P<last>start|begin|end))?"
)
_THOUGHTS: Final = (
    r"[\w:]{0,20}?(?:think|thought|reasoning|reflection|scratch_?pad|monologue|rationale)\w{0,20}"
)
_THOUGHT: Final = re.compile(_THOUGHTS)
_READ: Final = re.compile(
    r"(?:\w{1,20}[:|\uff5c])?(?:(?:parallel_)?(?:tool|function|action)s?_?(?:call|use|code)s?|tool"
    r"|function|invoke|calls?|actions?|(?:tool_|function_)?name|arguments|args|param(?:eter)?s?)"
    r"|assistant|model|ai|answer"
)
"""The tags of calls in the formats of model families, and those around the model's own answer."""
_is_read: Final = lru_cache(maxsize=256)(_READ.fullmatch)
_FRAMES: Final = re.compile(
    r"(?:tool|function|action)_?calls?_\w+|python|plugin|channel|message|im|header(?:_id)?|turn"
    r"|start|end|dsml.*"
)
"""Tokens that frame a turn or a call."""
_SKIPPED: Final = re.compile(
    r"<!--[\s\S]*?(?:-->|\Z)"
    r"|<\|channel\|>analysis(?!\s*to=)[^<]{0,40}<\|message\|>"
    r"[\s\S]*?(?:<\|(?:end|return|call|start)\|>|\Z)"
)
"""A comment of HTML, or thoughts of gpt-oss."""
_NEEDS_NO_END: Final = re.compile(r"s|bos|br|hr|img|wbr|(?:begin|start|end)_of_\w+")


class Elements:
    """The elements in a text, as `<page>...</page>`: whether they are the model's own speech."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._unclosed: set[str] = set()

    def end_of_quoted(self, at: int, names: FunctionNames) -> int | None:
        """Return the end of the element that begins at a place, if its content is not read.

        Only the tags of calls, of the model's answer and of a function's name are read. An element
        without an end reaches to the end of the text, if it begins a line or has thoughts.
        """
        text = self._text
        if skipped := _SKIPPED.match(text, at):
            return skipped.end()
        opened = _ELEMENT.match(text, at)
        if opened is None or opened["back"] == "/":
            return None
        name, opens = _read_tag(opened)
        is_token = opened["front"] != ""
        if not opens or _is_read(name) or names.find(opened["name"]) is not None:
            return None
        if is_token and _FRAMES.fullmatch(name):
            return None
        if _NEEDS_NO_END.fullmatch(opened["name"].lower().replace("\u2581", "_")):
            return None
        if (end := self._end(name, at)) is not None:
            return end
        line = text[text.rfind("\n", 0, at) + 1 : at]
        begins = not is_token and text[at] != "[" and not line.strip()
        return len(text) if begins or _THOUGHT.fullmatch(name) else None

    def _end(self, name: str, at: int) -> int | None:
        """Return the end of the closing tag, `None` if there is none."""
        if name in self._unclosed:
            return None
        tags = self._tags.get(name, [])
        depth = 0
        for start, end, opens in tags[bisect_left(tags, (at, at, False)) :]:
            depth += 1 if opens else -1
            if depth <= 0:
                return end if not opens and start > at else None
        closings = [end for start, end, opens in tags if not opens and start > at]
        if closings:  # an inner tag is not closed
            return closings[-1]
        self._unclosed.add(name)
        return None

    @cached_property
    def _tags(self) -> dict[str, list[tuple[int, int, bool]]]:
        """The start and end of all tags by their names, and whether each one opens an element."""
        tags: dict[str, list[tuple[int, int, bool]]] = {}
        for each in _ELEMENT.finditer(self._text):
            if each["back"] != "/":
                name, opens = _read_tag(each)
                tags.setdefault(name, []).append((each.start(), each.end(), opens))
        return tags


def _read_tag(tag: re.Match[str]) -> tuple[str, bool]:
    """Return the name of a tag, and whether it opens an element."""
    name, is_end = _plain_name(tag["name"])
    closes = "/" in tag["front"] or bool(tag["back"] and not tag["front"])
    return name, not (closes or is_end)


@lru_cache(maxsize=256)
def _plain_name(written: str) -> tuple[str, bool]:
    """Return the name of a tag without `start_` or `_end`, and whether it is the end."""
    named = _EDGES.fullmatch(written.lower().replace("\u2581", "_"))
    return (written, False) if named is None else (named["name"], "end" in named.groups())


_END_OF_THOUGHTS: Final = re.compile(
    rf"(?:</|\u25c1/)(?P<tag>{_THOUGHTS})[>\u25b7]|\[/(?P<boxed>THINK)\]", re.IGNORECASE
)
_THOUGHTS_BEGIN: Final = re.compile(rf"(?:<{_BAR}?|\u25c1|\[){_THOUGHTS}", re.IGNORECASE)


def is_thought(text: str, at: int) -> bool:
    """Return whether the element at a place has thoughts."""
    return bool(_THOUGHTS_BEGIN.match(text, at)) or text.startswith("<|channel|>", at)


def start_of_answer(text: str) -> int:
    """Return the start of the answer: behind thoughts whose opening tag was in the prompt."""
    start = 1 if text.startswith("\ufeff") else 0
    marked = "</" in text or "[/" in text or "\u25c1/" in text
    closed = _END_OF_THOUGHTS.search(text) if marked else None
    if closed is None or _THOUGHTS_BEGIN.search(text, 0, closed.start()):
        return start
    return closed.end()


_NAMED: Final = r"(?:[ \t]*\{?(?P<name>[\w+#.-]+)(?=[\s{}\[<:]|\Z))?"
_MARK: Final = re.compile(rf"(?P<mark>[`~](?:(?<=`)``+|(?<=~)~~+)){_NAMED}")
_READ_FENCES: Final = frozenset(
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
_HEAD: Final = re.compile(
    r"^[ \t]*(?:\}[ ]*)?(?:(?:export[ ]+)?(?:async[ ]+)?(?:def|function|class)[ ]"
    r"|(?:if|while)\b(?![ (]*(?:True|true|1|__name__)\b)"
    r"|(?:async[ ]+)?for\b[^\n]{1,80}?\b(?:in|of)[ ]+"
    r"(?!range\(\s*[1-9]\d*\s*\)|\[\s*[^\]\s]|\(\s*[^)\s]|\{\s*[^}\s])"
    r"|(?:elif|else|except|catch|unless)\b|case\b(?=[^\n]*[:{]$))[^\n]*?[:{](?=\s|$)",
    re.MULTILINE,
)
"""The head of a block that may not run: a definition, a condition, a loop over a variable."""
_FAR: Final = 4_000
"""The most characters before a call that are searched for a program."""


class Fence(NamedTuple):
    """A fence: the `start` and `end` of its content, and whether it is read for calls."""

    start: int
    end: int
    is_read: bool


class Code:
    """The code in a text: its fences, and which parts of it may not run."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def fences(self) -> list[Fence]:
        """The fences in their order. One without an end reaches to the end of the text."""
        text = self._text
        if not ("```" in text or "~~~" in text):
            return []
        fences: list[Fence] = []
        marks = _MARK.finditer(text)
        for opened in marks:
            start, mark, name = opened.end(), opened["mark"], (opened["name"] or "").lower()
            ends = (each for each in marks if not each["name"] and each["mark"].startswith(mark))
            closed = next(ends, None)
            end = len(text) if closed is None else max(start, closed.start())
            fences.append(Fence(start, end, name in _READ_FENCES))
        return fences

    def fence(self, at: int) -> Fence | None:
        """Return the fence around a place, or `None`."""
        place = bisect_right(self.fences, (at, len(self._text), True)) - 1
        return self.fences[place] if place >= 0 and at < self.fences[place].end else None

    def may_not_run(self, at: int) -> bool:
        """Return whether a place is in a definition, or under a condition."""
        place = bisect_right(self._bodies, (at, len(self._text))) - 1
        return place >= 0 and at < self._bodies[place][1]

    def in_program(self, at: int) -> bool:
        """Return whether code with definitions or imports is before a place, or begins here."""
        place = bisect_right(self.fences, (at, len(self._text), True)) - 1
        last = self.fences[place] if place >= 0 else Fence(0, 0, True)
        start = max(last.start if at < last.end else last.end, at - _FAR)
        end = self._text.find("\n", at)
        end = min(len(self._text) if end < 0 else end, at + _FAR)
        return _PROGRAM.search(self._text, start, end) is not None

    @cached_property
    def _bodies(self) -> list[tuple[int, int]]:
        """The outermost blocks that may not run."""
        bodies: list[tuple[int, int]] = []
        for each in _HEAD.finditer(self._text):
            if not bodies or each.start() >= bodies[-1][1]:
                bodies.append((each.end(), self._end_of_body(each.start())))
        return bodies

    def _end_of_body(self, at: int) -> int:
        """Return the end of a block: the next line that is indented at most as this one."""
        line = self._text.find("\n", at)
        head = self._text[at : at + 80]
        indent = len(head) - len(head.lstrip(" \t"))
        less = re.compile(rf"\n(?=[ \t]{{0,{indent}}}[^\s)])")
        found = less.search(self._text, line) if line >= 0 else None
        return len(self._text) if found is None else found.start()
