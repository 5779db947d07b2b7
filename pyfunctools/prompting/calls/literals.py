"""Literals of Python and JSON in a text: what a model wrote for a value, read without running it.

A value that is no literal (`2*pi`, `London, UK`) is kept as it is written, and noted as such.
"""

import re
from collections.abc import Mapping
from copy import deepcopy
from json import dumps
from typing import Final, NamedTuple, NoReturn

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.parsing.scalars import NUMBER, parse_number

_NEXT = r"(?=\s*+(?:\#[^\n]*+\s*+)?[,)\]}])"
_STRINGS = r""""([^"\\\n]*+)"|'([^'\\\n]*+)'"""
_NUMBER = r"(-?(?:0|[1-9][0-9]{0,300}+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)"
_WORD = r"(True|False|None|true|false|null)\b"
_SCALAR: Final = re.compile(rf"(?:{_STRINGS}|{_NUMBER}|{_WORD}){_NEXT}")
_KEY: Final = re.compile(rf"(?:{_STRINGS})\s*+:")
_BARE_KEY: Final = re.compile(r"([A-Za-z_$][\w$]*+)\s*+:(?!:)")
_SPACE: Final = re.compile(r"(?:\s|\#[^\n]*+|\\\n)*+")
_COMMA: Final = re.compile(r"\s*+,")
_WRITTEN_NUMBER: Final = re.compile(rf"(?:{NUMBER.pattern}){_NEXT}", NUMBER.flags)
_ENDING: Final = re.compile(r"\s*+(?:\#[^\n]*+\s*+)?(?:[,)\]}]|\Z)")
_QUOTED: Final = re.compile(r"\s*+[\"'`]\s*+(?:[,)\]}]|\Z)")
_JOINED: Final = re.compile(r"\s++(?=[\"'])")
_OPERATOR: Final = re.compile(
    r"\s*+(?:[+%*/]|[=!]=)|\.[A-Za-z_]|\[|\s++(?:or|and|if)\s++[\"'\w][^\n]{0,200}?[\"'\w]\s*+[,)\]}]"
)
"""What behind a string says that a program has to evaluate the rest."""
_SHORT: Final = re.compile(r"(?<!\\)(?:\\\\)*+\\u(?=[0-9a-fA-F])(?![0-9a-fA-F]{4})")
"""An escape that says no character."""
_SWALLOWED: Final = re.compile(r"[,(]\s*+[^\W\d]\w{0,60}\s*+=\s*+\Z")
"""What stands before a quote inside a string, if that begins the string of another argument."""
_DICT: Final = re.compile(r"dict\(\s*+")
_DICT_KEY: Final = re.compile(r"([^\W\d]\w*+)\s*+=(?!=)\s*+")
_NAMED: Final = re.compile(rf"([^\W\d]\w*+){_NEXT}")
_PREFIX: Final = re.compile(r"[rRbBuUfF]{1,2}(?=[\"'])")
_RUNS: Final = {quote: re.compile(rf"(?:[^\\{quote}]|\\.)*+{quote}", re.DOTALL) for quote in "\"'"}
_BARE: Final = re.compile(
    r"""(?<![\w\\])(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')|[()\[\]{},\n]"""
)
_ESCAPED_QUOTE: Final = re.compile(r"\\+([\"'])")
_CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}
_WORDS: Final = {
    "True": True,
    "False": False,
    "None": None,
    "true": True,
    "false": False,
    "null": None,
}
_ESCAPE: Final = re.compile(
    r"\\(?:(\n)|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(.))", re.DOTALL
)
_ESCAPES: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    **{char: char for char in "\\\"'/"},
}
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_OUT_OF_RANGE: Final = "is a number out of range"
_MOST_BARE: Final = 4_000
"""Characters of a value that is no literal."""


class Unread(Exception):  # noqa: N818 - it says that something is no literal, which is no fault
    """Here stands nothing that can be read as a value."""


class TooDeep(Unread):
    """Here stands something that is nested more deeply than is read."""


class Raw(NamedTuple):
    """A value that is no literal: where it stands, in the value and in the text."""

    keys: Keys
    start: int
    end: int


class PendingRepair(NamedTuple):
    """A repair, before anybody has asked for it."""

    keys: Keys
    kind: str
    before: str
    after: str


class Literals:
    """Reads literals from a text, from `at` on; afterwards `at` says where they ended.

    `raws` are the values that are none, `notes` what was repaired, `faults` what is wrong: a key
    twice, a number out of range. `objects` are the places of all objects in the text. A name that
    is `bound` to a literal stands for it.
    """

    __slots__ = (
        *("_bound", "_depth", "_effort", "at", "faults", "notes", "objects", "raws"),
        *("stop", "text"),
    )

    def __init__(
        self, text: str, at: int, stop: int, bound: Mapping[str, JsonValue] | None = None
    ) -> None:
        self._bound = bound
        self.text: str = text
        self.at: int = at
        self.stop: int = stop
        self.raws: list[Raw] = []
        self.notes: list[PendingRepair] = []
        self.faults: list[tuple[Keys, str]] = []
        self.objects: dict[Keys, tuple[int, int]] = {}
        self._depth = 0
        self._effort = 0

    @property
    def far(self) -> int:
        """How far was looked, what was looked at again counted each time."""
        return self.at + self._effort

    def space(self) -> str:
        """Pass over space and comments; return the character behind them, `""` at the end."""
        char = self.text[self.at] if self.at < self.stop else ""
        if "#" < char < "\\" or char == "}":
            return char
        found = _SPACE.match(self.text, self.at, self.stop)
        if found is not None:
            self.at = found.end()
        return self.text[self.at] if self.at < self.stop else ""

    def whole(self) -> JsonValue:
        """Read the object or array that stands here, of literals only; what follows is free.

        Raises:
            Unread: it is neither, or not of literals.
        """
        return self._items("]", ()) if self.text[self.at] == "[" else self._members(())

    def value(self, keys: Keys, bare: re.Pattern[str] | None = None) -> JsonValue:
        """Read the value that stands here; `at` is at its first character.

        With `bare` a value that is no literal may hold commas; one before what this matches ends
        it.

        Raises:
            Unread: nothing here can be read, not even as text.
        """
        text, start = self.text, self.at
        found = _SCALAR.match(text, start, self.stop)
        if found is not None:
            self.at = found.end()
            return self._scalar(found, keys)
        char = text[start : start + 1]
        marks = len(self.raws), len(self.notes), len(self.faults)
        depth = self._depth
        name = _NAMED.match(text, start, self.stop) if self._bound else None
        if self._bound and name is not None and name[1] in self._bound:
            value = deepcopy(self._bound[name[1]])
            self.at = name.end(1)
            self.notes.append(
                PendingRepair(keys, "name", name[1], dumps(value, ensure_ascii=False))
            )
            return value
        try:
            value = self._other(char, keys)
            if _ENDING.match(text, self.at, self.stop):
                return value
            if char in ("[", "{") and _QUOTED.match(text, self.at, self.stop):
                return value  # of a call that stands in quotes itself
        except TooDeep:
            if depth:
                raise
        except Unread:
            pass
        del self.raws[marks[0] :], self.notes[marks[1] :], self.faults[marks[2] :]
        self.at, self._depth = start, depth
        return self._bare(keys, bare)

    def _scalar(self, found: re.Match[str], keys: Keys) -> JsonValue:
        group = found.lastindex or 0
        token = found[group]
        if group <= 2:
            return token
        if group == 4:
            return _WORDS[token]
        number = parse_number(token)
        if number is None:
            self.faults.append((keys, _OUT_OF_RANGE))
        return number

    def _other(self, char: str, keys: Keys) -> JsonValue:
        if char == "[":
            return self._items("]", keys)
        if char == "{":
            return self._members(keys)
        if char == "(":
            return self._group(keys)
        if char in ('"', "'", "\\"):
            return self._strings(keys)
        if char == "d" and (opened := _DICT.match(self.text, self.at, self.stop)):
            return self._dict(opened.end(), keys)
        if prefix := _PREFIX.match(self.text, self.at, self.stop):
            self.at = prefix.end()
            value = self._strings(keys, raw="r" in prefix[0].lower())
            if "f" in prefix[0].lower() and "{" in value:
                raise Unread  # a text with gaps that only a program can fill
            return value
        found = _WRITTEN_NUMBER.match(self.text, self.at, self.stop)
        if found is None:
            return self._last(keys)
        return self._numeral(found, keys)

    def _last(self, keys: Keys) -> JsonValue:
        """Read a number or a word that the text ends in: there may have been more of it."""
        found = NUMBER.match(self.text, self.at, self.stop)
        if found is not None and not self.text[found.end() : self.stop].strip():
            value = self._numeral(found, keys)
            self.notes.append(PendingRepair(keys, "truncated", found[0], found[0]))
            return value
        word = self.text[self.at : self.at + 8].rstrip()
        if self.stop - self.at <= 8 and word in _WORDS:
            self.at += len(word)
            return _WORDS[word]
        raise Unread

    def _numeral(self, found: re.Match[str], keys: Keys) -> JsonValue:
        self.at = found.end()
        number = parse_number(found[0])
        if number is None:
            self.faults.append((keys, _OUT_OF_RANGE))
        return number

    def _deeper(self) -> None:
        self.at += 1
        self._depth += 1
        if self._depth > DEFAULT_LIMITS.depth:
            raise TooDeep

    def _items(self, closer: str, keys: Keys) -> list[JsonValue]:
        self._deeper()
        items: list[JsonValue] = []
        text, stop = self.text, self.stop
        while True:
            char = self.space()
            if char == closer:
                self.at += 1
                break
            if not char:
                self.notes.append(PendingRepair(keys, "closer", "", closer))
                break
            items.append(self.value((*keys, len(items))))
            comma = _COMMA.match(text, self.at, stop)
            if comma is not None:
                self.at = comma.end()
            elif self.space() not in ("", closer):
                raise Unread
        self._depth -= 1
        return items

    def _group(self, keys: Keys) -> JsonValue:
        """Read a tuple, which JSON has as an array, or a value in brackets."""
        start = self.at
        items = self._items(")", keys)
        text = self.text[start : self.at]
        if len(items) != 1 or text[:-1].rstrip().endswith(","):
            return items
        self.raws[:] = [
            Raw((*keys, *raw.keys[len(keys) + 1 :]), raw.start, raw.end)
            if raw.keys[: len(keys) + 1] == (*keys, 0)
            else raw
            for raw in self.raws
        ]
        return items[0]

    def _members(self, keys: Keys) -> dict[str, JsonValue]:
        start = self.at
        self._deeper()
        members: dict[str, JsonValue] = {}
        text, stop = self.text, self.stop
        while True:
            char = self.space()
            if char == "}":
                self.at += 1
                break
            if not char:
                self.notes.append(PendingRepair(keys, "closer", "", "}"))
                break
            key = self._key(keys)
            self.space()
            value = self.value((*keys, key))
            if key in members:
                self.faults.append(((*keys, key), "stands in the same object twice"))
            else:
                members[key] = value
            comma = _COMMA.match(text, self.at, stop)
            if comma is not None:
                self.at = comma.end()
            elif self.space() not in ("", "}"):
                raise Unread
        self._depth -= 1
        self.objects[keys] = (start, self.at)
        return members

    def _dict(self, at: int, keys: Keys) -> dict[str, JsonValue]:
        """Read `dict(a=1)` of literals, which is an object."""
        start = self.at
        self.at = at - 1
        self._deeper()
        members: dict[str, JsonValue] = {}
        while self.space() not in (")", ""):
            key = _DICT_KEY.match(self.text, self.at, self.stop)
            if key is None or key[1] in members:
                raise Unread
            self.at = key.end()
            members[key[1]] = self.value((*keys, key[1]))
            if self.space() not in (",", ")"):
                raise Unread
            self.at += self.text[self.at] == ","
        if self.at >= self.stop:
            raise Unread
        self.at += 1
        self._depth -= 1
        self.notes.append(PendingRepair(keys, "dict", self.text[start : self.at], dumps(members)))
        return members

    def _key(self, keys: Keys) -> str:
        found = _KEY.match(self.text, self.at, self.stop)
        if found is not None:
            self.at = found.end()
            return found[found.lastindex or 1]
        if self.text[self.at] not in "\"'\\":
            return self._bare_key(keys)
        key = self._string(keys, raw=False)
        if self.space() != ":":
            raise Unread
        self.at += 1
        return key

    def _bare_key(self, keys: Keys) -> str:
        """Read a key without quotes, as JavaScript has them."""
        found = _BARE_KEY.match(self.text, self.at, self.stop)
        if found is None:
            raise Unread
        self.at = found.end()
        self.notes.append(PendingRepair(keys, "key", found[1], f'"{found[1]}"'))
        return found[1]

    def _strings(self, keys: Keys, *, raw: bool = False) -> str:
        """Read a string, and those that stand right behind it and belong to it."""
        value = self._string(keys, raw=raw)
        while (more := _JOINED.match(self.text, self.at, self.stop)) is not None:
            self.at = more.end()
            value += self._string(keys, raw=False)
        return value

    def _string(self, keys: Keys, *, raw: bool) -> str:
        text, start = self.text, self.at
        quote = text[start]
        if quote == "\\":
            return self._escaped_string()
        triple = quote * 3
        if text.startswith(triple, start):
            end = text.find(triple, start + 3, self.stop)
            if end < 0:
                self._effort += self.stop - start
                raise Unread
            self.at = end + 3
            return unescaped(text[start + 3 : end], raw)
        end = start + 1
        inside = False
        while (found := _RUNS[quote].match(text, end, self.stop)) is not None:
            end = found.end()
            if _ends(text, end, self.stop):
                if inside:
                    written = text[start:end]
                    self.notes.append(PendingRepair(keys, "quote", written, written))
                self.at = end
                if (
                    not raw
                    and text.find("\\u", start, end) >= 0
                    and _SHORT.search(text, start, end)
                ):
                    self.faults.append((keys, "holds `\\u` without the four digits of a character"))
                return unescaped(text[start + 1 : end - 1], raw)
            if not inside and _OPERATOR.match(text, end, self.stop):
                raise Unread
            before = text[max(start + 1, end - 80) : end - 1]
            if before[-8:].rstrip().endswith(",") or _SWALLOWED.search(before):
                self.faults.append((keys, "has a quote inside that may begin another string"))
            inside = True
        if inside:
            self._effort += self.stop - start
            raise Unread
        self.at = self.stop
        written = text[start : self.stop]
        self.notes.append(PendingRepair(keys, "truncated", written, written))
        return unescaped(written[1:].rstrip("\\"), raw)

    def _escaped_string(self) -> str:
        r"""Read a string in `\"`, as it stands in a text that is itself a string."""
        opened = _ESCAPED_QUOTE.match(self.text, self.at, self.stop)
        if opened is None:
            raise Unread
        end = self.text.find(opened[0], opened.end(), self.stop)
        if end < 0:
            self._effort += self.stop - self.at
            raise Unread
        value = self.text[opened.end() : end]
        self.at = end + len(opened[0])
        for _ in range(len(opened[0]).bit_length()):  # in a text in a text: `\\\"`
            value = unescaped(value)
        return value

    def _bare(self, keys: Keys, ending: re.Pattern[str] | None) -> str:
        """Read what is no literal as text, up to the comma or the bracket that ends it."""
        text, start = self.text, self.at
        stop = min(self.stop, start + _MOST_BARE)
        opened: list[str] = []
        at = start
        while True:
            found = _BARE.search(text, at, stop)
            if found is None:
                if stop < self.stop or opened:
                    self._far(stop)
                self.at = stop
                self.notes.append(
                    PendingRepair(keys, "truncated", text[start:stop], text[start:stop])
                )
                break
            char, at = found[0], found.end()
            if char in _CLOSERS:
                opened.append(_CLOSERS[char])
            elif char in (")", "]", "}"):
                if not opened:
                    self.at = found.start()
                    break
                if opened.pop() != char:
                    self._far(at)
            elif char == "," and not opened and (not ending or ending.match(text, at, stop)):
                self.at = found.start()
                break
            elif char == "\n" and text[at : at + 1] == "\n":
                self._far(at)
        end = start + len(text[start : self.at].rstrip())
        self._effort += end - start
        if end == start:
            self._far(end)
        self.raws.append(Raw(keys, start, end))
        # Outside of quotes an escaped one is that of a text that holds the whole call.
        return _ESCAPED_QUOTE.sub(r"\1", text[start:end])

    def _far(self, at: int) -> NoReturn:
        self._effort += at - self.at
        raise Unread


def _ends(text: str, at: int, stop: int) -> bool:
    """Return whether a quote before `at` ends its string, by what follows it."""
    if at >= stop or _ENDING.match(text, at, stop):
        return True
    follows = text[at]
    if follows == ":":
        return True
    return follows.isspace() and _JOINED.match(text, at, stop) is not None


def unescaped(text: str, raw: bool = False) -> str:
    """Return the text that stands between the quotes of a string, its escapes read.

    An escape that neither Python nor JSON knows stays as it is written.
    """
    if raw or "\\" not in text:
        return text
    value = _ESCAPE.sub(_character, text)
    if "\\u" in text or "\\U" in text:
        value = _PAIR.sub(
            lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), value
        )
    return value


def _character(found: re.Match[str]) -> str:
    line, pair, four, eight, octal, other = found.groups()
    if line is not None:
        return ""
    if other is not None:
        return _ESCAPES.get(other, found[0])
    if octal is not None:
        return chr(int(octal, 8))
    code = int(pair or four or eight, 16)
    return chr(code) if code < 0x110000 else found[0]
