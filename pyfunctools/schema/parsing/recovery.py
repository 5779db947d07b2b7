"""A reader of broken JSON that repairs spelling and never invents a value."""

import re
from dataclasses import KW_ONLY, dataclass, field
from json import dumps
from typing import Final

from pyfunctools._json import JsonValue
from pyfunctools._text import shortened
from pyfunctools.limits import Limits
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.outline.outline import Place
from pyfunctools.schema.parsing.scalars import (
    BLANK,
    CLOSERS,
    COLONS,
    COMMAS,
    COMMENT,
    HIDDEN,
    QUOTES,
    read_bare,
)
from pyfunctools.schema.parsing.strings import (
    KEY_AHEAD,
    Quoted,
    Where,
    open_brackets,
    read_quoted,
)
from pyfunctools.schema.result import Issue, Repair

MAX_REPAIRS: Final = 100_000
"""Most repairs of one text."""
MAX_PATHS: Final = 16 << 20
"""Most characters in the paths of all repairs of one text."""


@dataclass(slots=True)
class Frame:
    """An object or array whose closing bracket has not been read.

    `filled` is whether an element was read since the last comma, `comma` whether the last separator
    was a comma, `doubled` whether the opening brace was written twice.
    """

    value: dict[str, JsonValue] | list[JsonValue]
    closer: str
    filled: bool = False
    comma: bool = False
    doubled: bool = False


MAX_WRONG: Final = 32
"""Most brackets of the wrong kind; each costs a search through the rest of the text."""

_SPACE = re.compile(r"[ \t\n\r]*+")
_BARE_KEY = re.compile(rf"([^\s=,;{{}}\[\]{COLONS}{COMMAS}{QUOTES}]++)[\"']?")
"""A key without quotes, or without the opening quote."""
_COLON = re.compile(rf":=|=>|[{COLONS}=]")
_NO_VALUE = f"}}]{COMMAS}"
_CLOSING = {"{": "}", "[": "]"}
_TRAILING = re.compile(rf"[\s{COMMAS}]++(?=[\]}}]|\Z)")
_BRACE = re.compile(r"\s*+\}")
_AROUND = frozenset({"brace", "closer", "comma"})
"""The repairs of an object or array, and not of the member or item that was read last."""


@dataclass(slots=True)
class Recovery:
    """Reads one value of a text, from `at` to `stop`, without recursion and in linear time.

    Afterwards `value` is the value and `at` its end; with `issues` there is no value. `place` is
    the place of the value in the schema. A number at the end of a `fenced` text was not cut off.
    If it is not `sure` that JSON begins there, an issue before the first member or item ends the
    reading.
    """

    text: str
    at: int
    stop: int
    _: KW_ONLY
    limits: Limits
    place: Place | None = None
    fenced: bool = False
    sure: bool = True
    value: JsonValue = None
    issues: list[Issue] = field(default_factory=list[Issue])
    repairs: list[Repair] = field(default_factory=list[Repair])
    _stack: list[Frame] = field(default_factory=list[Frame])
    _keys: list[str | int] = field(default_factory=list[str | int])
    _wrong: int = 0
    _paths: int = MAX_PATHS
    _swallowed: int | None = None
    _begun: bool = False
    _done: bool = False

    def _wanted(self) -> frozenset[str]:
        """Return the types that the schema names for the current element."""
        place = self.place
        if place is None:
            return frozenset()
        for key in self._keys:
            place = place.possible.inside(key)
        return place.named_types

    def read(self) -> None:
        """Read the value."""
        self._value("root")
        while self._stack and not self._done:
            self._blanks()
            if self.at >= self.stop:
                self._end()
            else:
                self._step(self._stack[-1])

    def _step(self, frame: Frame) -> None:
        char = self.text[self.at]
        if char in "}]":
            self._close(frame, char)
        elif char in COMMAS:
            self._comma(frame, char)
        elif isinstance(frame.value, list):
            self._missing_comma(frame)
            self._keys[-1] = len(frame.value)
            self._value("item")
        elif char == "{" and not frame.value and not frame.doubled:
            frame.doubled = True
            self.at += 1
            self._repair("brace", "{{", "{")
        else:
            follows = frame.filled
            self._missing_comma(frame)
            self._member(frame, follows)

    def _comma(self, frame: Frame, char: str) -> None:
        if frame.filled or isinstance(frame.value, dict):
            if char != "," or not frame.filled:
                self._repair("comma", char, "," if frame.filled else "")
            frame.comma, frame.filled = True, False
            self.at += 1
        elif more := _TRAILING.match(self.text, self.at, self.stop):
            self._repair("comma", more[0], "")
            self.at = more.end()
        else:
            # An item may be missing, and all after it would have the wrong index.
            self._keys[-1] = len(frame.value)
            self._fail(self.at, "The comma", "has no value before it", "a value between commas")

    def _missing_comma(self, frame: Frame) -> None:
        if frame.filled:
            self._repair("comma", "", ",")
        frame.filled, frame.comma = True, False

    def _member(self, frame: Frame, follows: bool) -> None:
        start = self.at
        key = self._read_key(follows)
        if key is None:
            return
        self._blanks()
        colon = _COLON.match(self.text, self.at, self.stop)
        if colon is None:
            self._fail(start, f"The key {_quoted(key)}", "has no value", "a colon and a value")
            return
        if colon[0] != ":":
            self._repair("colon", colon[0], ":")
        self._begun = True
        self.at = colon.end()
        if isinstance(frame.value, dict) and key in frame.value:
            fault = "stands in the same object already"
            self._complain(start, f"The duplicate key {key!r}", fault, "each key once", key)
        self._blanks()
        if self.at >= self.stop or self.text[self.at] in _NO_VALUE:
            self._complain(start, f"The key {_quoted(key)}", "has no value", "a JSON value")
            self._put(None)
            self._done |= self.at >= self.stop
            return
        self._value("member")

    def _read_key(self, follows: bool) -> str | None:
        start = self.at
        if self.text[start] in CLOSERS:
            quoted = read_quoted(self.text, start, self.stop, "key")
            self.at = quoted.end
            if quoted.fault is not None:
                self._keys.pop()
                self._fail(start, "The key", quoted.fault, "a key as JSON writes it")
                return None
            self._keys[-1] = quoted.value
            self._note(quoted, start)
            return quoted.value
        found = _BARE_KEY.match(self.text, start, self.stop)
        ahead = found and BLANK.match(self.text, found.end(), self.stop)
        if not found or not ahead or not _COLON.match(self.text, ahead.end(), self.stop):
            self._begun = self._begun or not found
            shown = f"`{shortened(found[0] if found else self.text[start], 40)}`"
            fault = "is neither a comma nor a bracket" if follows else "is not a key with a value"
            expected = "a key in double quotes, a colon and a value"
            if not follows:
                self._keys.pop()
            self._fail(start, shown, fault, expected)
            return None
        self.at = found.end()
        self._keys[-1] = found[1]
        self._repair("key", found[0], dumps(found[1], ensure_ascii=False))
        return found[1]

    def _value(self, where: Where) -> None:
        char = self.text[self.at]
        if char in "{[":
            self._open(char)
        elif char in CLOSERS:
            self._string(where)
        else:
            self._bare()

    def _open(self, char: str) -> None:
        if len(self._stack) >= self.limits.depth:
            deep = self.limits.depth
            self._begun = True
            expected = f"at most {deep} levels of objects and arrays"
            self._fail(self.at, "The value", f"is nested more than {deep} levels deep", expected)
            return
        value: dict[str, JsonValue] | list[JsonValue] = {} if char == "{" else []
        self._put(value)
        self._stack.append(Frame(value, _CLOSING[char]))
        self._keys.append(0)
        self.at += 1

    def _string(self, where: Where) -> None:
        start = self.at
        quoted = read_quoted(self.text, start, self.stop, where)
        self.at = quoted.end
        if quoted.fault is None:
            self._begun = self._begun or where == "item"
            self._note(quoted, start)
            self._put(quoted.value)
            return
        shown = self.text[start : min(quoted.end, start + 40)]
        self._complain(start, "The string", quoted.fault, "a string as JSON writes it", shown)
        self._put(None)
        self._done |= quoted.end >= self.stop

    def _note(self, quoted: Quoted, start: int) -> None:
        if quoted.kinds:
            written, meant = self.text[start : quoted.end], dumps(quoted.value, ensure_ascii=False)
            for kind in quoted.kinds:
                self._repair(kind, written, meant)

    def _bare(self) -> None:
        start = self.at
        bare = read_bare(self.text, start, self.stop, self._wanted)
        token = self.text[start : bare.end]
        self.at = bare.end
        self._put(bare.value)
        if bare.fault is not None:
            self._complain(start, bare.subject, bare.fault, bare.expected, token)
            self._blanks()
            followed = self.at < self.stop and self.text[self.at] not in _NO_VALUE
            self._done |= followed
            return
        self._begun = True
        meant = dumps(bare.value, ensure_ascii=False) if bare.kinds else token
        for kind in bare.kinds:
            self._repair(kind, token, meant)
        cut = not isinstance(bare.value, bool | None) and bool(self._stack) and not self.fenced
        if cut and BLANK.fullmatch(self.text, bare.end, self.stop):
            self._repair("truncated", token, meant)

    def _put(self, value: JsonValue) -> None:
        frame = self._stack[-1] if self._stack else None
        if frame is None:
            self.value = value
        elif isinstance(frame.value, list):
            frame.value.append(value)
        else:
            frame.value[str(self._keys[-1])] = value

    def _close(self, frame: Frame, char: str) -> None:
        self.at += 1
        if frame.closer != char:
            self._mismatched(frame, char)
        elif (
            len(self._stack) == 1 and char == "}" and KEY_AHEAD.match(self.text, self.at, self.stop)
        ):
            self._repair("closer", char, "")
        else:
            self._pop()

    def _mismatched(self, frame: Frame, char: str) -> None:
        """Read a wrong bracket so that the rest of the text closes all open frames.

        Closing brackets are missing before it, or it replaces another one, or it is one too many.
        """
        self._wrong += 1
        if self._wrong > MAX_WRONG:
            self._fail(self.at - 1, f"`{char}`", "is one wrong bracket too many", "JSON")
            return
        fitting = [index for index, each in enumerate(self._stack) if each.closer == char]
        depth = len(self._stack)
        rest = open_brackets(self.text, self.at, self.stop)
        if rest == depth:
            self._repair("closer", char, "")
        elif not fitting or rest == depth - 1:
            self._repair("closer", char, frame.closer)
            self._pop()
        else:
            while len(self._stack) > fitting[-1] + 1:
                self._repair("closer", "", self._stack[-1].closer)
                self._pop()
            self._pop()

    def _pop(self) -> None:
        frame = self._stack[-1]
        if frame.comma and not frame.filled:
            self._repair("comma", ",", "")
        if frame.doubled and (second := _BRACE.match(self.text, self.at, self.stop)):
            self.at = second.end()
        self._stack.pop()
        self._keys.pop()

    def _end(self) -> None:
        if self._swallowed is not None:
            rest = "holds brackets and goes on to the end of the text"
            self._fail(self._swallowed, "The comment", rest, "a comment that ends, or no comment")
            return
        while self._stack:
            self._repair("closer", "", self._stack[-1].closer)
            self._pop()

    def _blanks(self) -> None:
        """Skip space and comments, with a repair for each that JSON does not allow."""
        while True:
            found = _SPACE.match(self.text, self.at, self.stop)
            self.at = found.end() if found else self.at
            char = self.text[self.at] if self.at < self.stop else "x"
            kind, odd = "space", None
            if char.isspace() or char in HIDDEN:
                odd = BLANK.match(self.text, self.at, self.stop)
            elif char in "/#":
                kind, odd = "comment", COMMENT.match(self.text, self.at, self.stop)
            if odd is None:
                return
            open_ended = kind == "comment" and odd.end() >= self.stop and odd[0][-2:] != "*/"
            if open_ended and ("}" in odd[0] or "]" in odd[0]):
                self._swallowed = self.at
            self._repair(kind, odd[0], " " if kind == "space" else "")
            self.at = odd.end()

    def _repair(self, kind: str, before: str, after: str) -> None:
        path = Path.of(self._keys[:-1] if kind in _AROUND else self._keys)
        self._paths -= len(path)
        if self._paths >= 0 and len(self.repairs) < MAX_REPAIRS:
            self.repairs.append(Repair(path=path, kind=kind, before=before, after=after))
        elif not self._done:
            self._fail(self.at, "The text", "needs more repairs than are made", "JSON")

    def _complain(
        self, at: int, subject: str, fault: str, expected: str, value: JsonValue = None
    ) -> None:
        line, column = self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at)
        message = f"{subject} at line {line} column {column} {fault}."
        path = Path.of(self._keys)
        self.issues.append(Issue(path=path, expected=expected, value=value, message=message))
        self._done |= len(self.issues) >= self.limits.issues or not (self._begun or self.sure)

    def _fail(self, at: int, subject: str, fault: str, expected: str) -> None:
        self._complain(at, subject, fault, expected)
        self._done = True


def _quoted(key: str) -> str:
    return dumps(shortened(key, 40), ensure_ascii=False)
