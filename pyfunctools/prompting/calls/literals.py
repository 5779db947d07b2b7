"""Literals of Python and JSON in a text, parsed without running anything.

A value that is not a literal (`2*pi`, `London, UK`) is kept as its text, and listed in `raws`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, NoReturn

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.parsing.scalars import NUMBER, parse_number
from pyfunctools.schema.result import Issue, Repair

_NEXT = r"(?=\s*+(?:\#[^\n]*+\s*+)?[,)\]}])"
_STRINGS = r""""([^"\\\n]*+)"|'([^'\\\n]*+)'"""
_NUMBER = r"(-?(?:0|[1-9][0-9]{0,300}+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)"
_WORD = r"(True|False|None|true|false|null)\b"
_SCALAR: Final = re.compile(rf"(?:{_STRINGS}|{_NUMBER}|{_WORD}){_NEXT}")
_KEY: Final = re.compile(rf"(?:{_STRINGS})\s*+:")
_BARE_KEY: Final = re.compile(r"([A-Za-z_$][\w$]*+)\s*+:(?!:)")
_SPACE: Final = re.compile(r"(?:\s|\#[^\n]*+|\\\n)*+")
_COMMA: Final = re.compile(r"\s*+,")
_ANY_NUMBER: Final = re.compile(rf"(?:{NUMBER.pattern})(?:{_NEXT}|(?=\s*+\Z))", NUMBER.flags)
_LAST_WORD: Final = re.compile(rf"{_WORD}\s*+\Z")
_ENDING: Final = re.compile(r"\s*+(?:\#[^\n]*+\s*+)?(?:[,)\]}]|\Z)")
_QUOTED: Final = re.compile(r"\s*+[\"'`]\s*+(?:[,)\]}]|\Z)")
_JOINED: Final = re.compile(r"\s++(?=[\"'])")
_OPERATOR: Final = re.compile(
    r"\s*+(?:[+%*/]|[=!]=)|\.[A-Za-z_]|\[|\s++(?:or|and|if)\s++[\"'\w][^\n]{0,200}?[\"'\w]\s*+[,)\]}]"
)
"""An operator behind a string: the whole is an expression, which only a program can evaluate."""
_SHORT: Final = re.compile(r"(?<!\\)(?:\\\\)*+\\u(?=[0-9a-fA-F])(?![0-9a-fA-F]{4})")
"""An incomplete `\\u` escape."""
_SWALLOWED: Final = re.compile(r"[,(]\s*+[^\W\d]\w{0,60}\s*+=\s*+\Z")
"""The text before a quote inside a string, if the quote opens the string of the next argument."""
_PREFIX: Final = re.compile(r"[rRbBuUfF]{1,2}(?=[\"'])")
_QUOTES: Final = ('"', "'", "\\", "<")
_FRAME: Final = re.compile(r"""\\+["']|<escape>|<\|"\|>""")
"""Escaped quotes, and those of FunctionGemma and of Gemma 4, around text without escapes."""
_RUNS: Final = {quote: re.compile(rf"(?:[^\\{quote}]|\\.)*+{quote}", re.DOTALL) for quote in "\"'"}
_BARE: Final = re.compile(
    r"""(?<![\w\\])(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')|[()\[\]{},\n]"""
)
_ESCAPED_QUOTE: Final = re.compile(r"\\+([\"'])")
_CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}
WORDS: Final = {
    "True": True,
    "False": False,
    "None": None,
    "true": True,
    "false": False,
    "null": None,
}
_ESCAPE: Final = re.compile(
    r"\\(?:(/)|[\n\\\"'abfnrtv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}"
    r"|U(?:000[0-9a-fA-F]|0010)[0-9a-fA-F]{4}|[0-3]?[0-7]{1,2})"
)
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_OUT_OF_RANGE: Final = "is a number out of range"
_MAX_RAW: Final = 4_000
"""The longest value that is not a literal."""
_QUOTE_COST: Final = 80
"""The cost of a quote inside a string that has no end."""


class NotALiteral(Exception):  # noqa: N818 - not an error: the caller tries another notation
    """The text here is not a value."""


class TooDeep(NotALiteral):
    """The value here is nested too deeply."""


class RawText(NamedTuple):
    """A value that is not a literal: its path in the value, and its place in the text."""

    keys: Keys
    start: int
    end: int


@dataclass(slots=True, kw_only=True, eq=False)
class WrittenArguments:
    """The arguments between the parentheses of a call, or in the tags of one.

    `values` are the keyword arguments, `raws` the values that are not literals, `faults` mistakes
    such as a repeated key, and `numbers` the texts of numbers with a fraction. All their paths, and
    those of `repairs` and `issues`, begin with the keyword or position of an argument. What was
    read as JSON has the same parts. `typed` are the values of texts in tags that are JSON.
    """

    positional: list[JsonValue] = field(default_factory=list[JsonValue])
    values: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    raws: list[RawText] = field(default_factory=list[RawText])
    repairs: list[Repair] = field(default_factory=list[Repair])
    faults: list[tuple[Keys, str]] = field(default_factory=list[tuple[Keys, str]])
    issues: list[Issue] = field(default_factory=list[Issue])
    numbers: dict[Keys, str] = field(default_factory=dict[Keys, str])
    typed: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    end: int = 0
    closed: bool = True

    def moved(
        self, values: dict[str, JsonValue], change: Callable[[Keys], Keys | None]
    ) -> "WrittenArguments":
        """Return the arguments as keyword arguments with these values, and all paths changed.

        What has no path then, by `change`, is left out.
        """
        raws = ((raw, change(raw.keys)) for raw in self.raws)
        repairs = ((each, change(each.path.keys)) for each in self.repairs)
        faults = ((change(keys), says) for keys, says in self.faults)
        issues = ((each, change(each.path.keys)) for each in self.issues)
        numbers = ((change(keys), text) for keys, text in self.numbers.items())
        return WrittenArguments(
            values=values,
            raws=[raw._replace(keys=keys) for raw, keys in raws if keys is not None],
            repairs=[replace(e, path=Path.of(keys)) for e, keys in repairs if keys is not None],
            faults=[(keys, says) for keys, says in faults if keys is not None],
            issues=[replace(e, path=Path.of(keys)) for e, keys in issues if keys is not None],
            numbers={keys: text for keys, text in numbers if keys is not None},
            end=self.end,
            closed=self.closed,
        )


class Literals:
    """A parser of literals; `at` is its position in the text.

    `found` has what is to be told of them, and `objects` are the places of all objects in the text.
    """

    def __init__(self, text: str, at: int, stop: int) -> None:
        self.text: str = text
        self.at: int = at
        self.stop: int = stop
        self.found = WrittenArguments()
        self.objects: dict[Keys, tuple[int, int]] = {}
        self._depth = 0
        self._effort = 0

    @property
    def end_of_search(self) -> int:
        """The position plus the number of characters that were examined more than once."""
        return self.at + self._effort

    def space(self) -> str:
        """Skip space and comments; return the next character, `""` at the end."""
        char = self.text[self.at] if self.at < self.stop else ""
        if "#" < char < "\\" or char == "}":
            return char
        found = _SPACE.match(self.text, self.at, self.stop)
        if found is not None:
            self.at = found.end()
        return self.text[self.at] if self.at < self.stop else ""

    def container(self) -> JsonValue:
        """Parse the object or array here; anything may follow it.

        Raises:
            NotALiteral: it cannot be parsed.
        """
        return self._items("]", ()) if self.text[self.at] == "[" else self._members(())

    def value(self, keys: Keys, after_comma: re.Pattern[str] | None = None) -> JsonValue:
        """Parse the value that begins here.

        A value that is not a literal ends before a comma; with `after_comma`, only before a comma
        that this pattern follows.

        Raises:
            NotALiteral: it cannot be parsed, not even as text.
        """
        text, start = self.text, self.at
        found = _SCALAR.match(text, start, self.stop)
        if found is not None:
            self.at = found.end()
            group = found.lastindex or 0
            if group <= 2:
                return found[group]
            return WORDS[found[4]] if group == 4 else self._number(found[3], keys)
        char = text[start : start + 1]
        counts = len(self.found.raws), len(self.found.repairs), len(self.found.faults)
        depth = self._depth
        try:
            value = self._other(char, keys)
            if _ENDING.match(text, self.at, self.stop):
                return value
            if char in ("[", "{") and _QUOTED.match(text, self.at, self.stop):
                return value  # the whole call is in quotes
        except TooDeep:
            if depth:
                raise
        except NotALiteral:
            pass
        parts = self.found
        del parts.raws[counts[0] :], parts.repairs[counts[1] :], parts.faults[counts[2] :]
        self.at, self._depth = start, depth
        return self._raw_text(keys, after_comma)

    def _number(self, token: str, keys: Keys) -> JsonValue:
        number = parse_number(token)
        if number is None:
            self.found.faults.append((keys, _OUT_OF_RANGE))
        elif isinstance(number, float):
            self.found.numbers[keys] = token
        return number

    def _repair(self, keys: Keys, kind: str, before: str, after: str) -> None:
        self.found.repairs.append(Repair(path=Path.of(keys), kind=kind, before=before, after=after))

    def _other(self, char: str, keys: Keys) -> JsonValue:
        if char == "[":
            return self._items("]", keys)
        if char == "{":
            return self._members(keys)
        if char == "(":
            return self._tuple(keys)
        if char in _QUOTES:
            return self._strings(keys)
        if prefix := _PREFIX.match(self.text, self.at, self.stop):
            self.at = prefix.end()
            value = self._strings(keys, raw="r" in prefix[0].lower())
            if "f" in prefix[0].lower() and "{" in value:
                raise NotALiteral  # only a program can fill in its placeholders
            return value
        if found := _ANY_NUMBER.match(self.text, self.at, self.stop):
            self.at = found.end()
            if not self.text[self.at : self.stop].strip():  # there may have been more digits
                self._repair(keys, "truncated", found[0], found[0])
            return self._number(found[0], keys)
        if found := _LAST_WORD.match(self.text, self.at, self.stop):
            self.at = found.end(1)
            return WORDS[found[1]]
        raise NotALiteral

    def _elements(self, closer: str, keys: Keys) -> Iterator[None]:
        """Skip an opening bracket, commas and the closing one; yield where an element begins."""
        self.at += 1
        self._depth += 1
        if self._depth > DEFAULT_LIMITS.depth:
            raise TooDeep
        while (char := self.space()) != closer:
            if not char:
                self._repair(keys, "closer", "", closer)
                break
            yield
            comma = _COMMA.match(self.text, self.at, self.stop)
            if comma is not None:
                self.at = comma.end()
            elif self.space() not in ("", closer):
                raise NotALiteral
        else:
            self.at += 1
        self._depth -= 1

    def _items(self, closer: str, keys: Keys) -> list[JsonValue]:
        items: list[JsonValue] = []
        for _ in self._elements(closer, keys):
            items.append(self.value((*keys, len(items))))
        return items

    def _tuple(self, keys: Keys) -> JsonValue:
        """Parse a tuple, which becomes an array, or a single value in parentheses."""
        start, known = self.at, len(self.found.raws)
        items = self._items(")", keys)
        if len(items) != 1 or self.text[start : self.at - 1].rstrip().endswith(","):
            return items
        if len(self.found.raws) > known:
            raise NotALiteral  # the whole is no literal
        return items[0]

    def _members(self, keys: Keys) -> dict[str, JsonValue]:
        start = self.at
        members: dict[str, JsonValue] = {}
        for _ in self._elements("}", keys):
            key = self._key(keys)
            self.space()
            value = self.value((*keys, key))
            if key in members:
                self.found.faults.append(((*keys, key), "stands in the same object twice"))
            else:
                members[key] = value
        self.objects[keys] = (start, self.at)
        return members

    def _key(self, keys: Keys) -> str:
        found = _KEY.match(self.text, self.at, self.stop)
        if found is not None:
            self.at = found.end()
            return found[found.lastindex or 1]
        if found := _BARE_KEY.match(self.text, self.at, self.stop):
            self.at = found.end()
            self._repair((*keys, found[1]), "key", found[1], f'"{found[1]}"')
            return found[1]
        if self.text[self.at] not in _QUOTES:
            raise NotALiteral
        key = self._string(keys, raw=False)
        if self.space() != ":":
            raise NotALiteral
        self.at += 1
        return key

    def _strings(self, keys: Keys, *, raw: bool = False) -> str:
        """Parse a string, and the strings behind it that Python joins with it."""
        value = self._string(keys, raw=raw)
        while (more := _JOINED.match(self.text, self.at, self.stop)) is not None:
            self.at = more.end()
            value += self._string(keys, raw=False)
        return value

    def _string(self, keys: Keys, *, raw: bool) -> str:
        text, start = self.text, self.at
        quote = text[start]
        if quote in ("\\", "<"):
            return self._framed_string()
        triple = quote * 3
        if text.startswith(triple, start):
            end = text.find(triple, start + 3, self.stop)
            if end < 0:
                self._effort += self.stop - start
                raise NotALiteral
            self.at = end + 3
            return unescaped(text[start + 3 : end], raw)
        end = start + 1
        inside = 0
        while (found := _RUNS[quote].match(text, end, self.stop)) is not None:
            end = found.end()
            if _ends(text, end, self.stop):
                if inside:
                    self._repair(keys, "quote", text[start:end], text[start:end])
                self.at = end
                has_code = not raw and text.find("\\u", start, end) >= 0
                if has_code and _SHORT.search(text, start, end):
                    fault = "holds `\\u` without the four digits of a character"
                    self.found.faults.append((keys, fault))
                return unescaped(text[start + 1 : end - 1], raw)
            if not inside and _OPERATOR.match(text, end, self.stop):
                raise NotALiteral
            before = text[max(start + 1, end - 80) : end - 1]
            if before[-8:].rstrip().endswith(",") or _SWALLOWED.search(before):
                self.found.faults.append((keys, "has a quote inside that may begin another string"))
            inside += 1
        if inside:
            self._effort += self.stop - start + _QUOTE_COST * inside
            raise NotALiteral
        self.at = self.stop
        written = text[start : self.stop]
        self._repair(keys, "truncated", written, written)
        return unescaped(written[1:].rstrip("\\"), raw)

    def _framed_string(self) -> str:
        r"""Parse a string in `\"`, in a text that is a string itself, or in the marks of Gemma."""
        opened = _FRAME.match(self.text, self.at, self.stop)
        if opened is None:
            raise NotALiteral
        end = self.text.find(opened[0], opened.end(), self.stop)
        if end < 0:
            self._effort += self.stop - self.at
            raise NotALiteral
        value = self.text[opened.end() : end]
        self.at = end + len(opened[0])
        escapes = opened[0].count("\\") + 1 if opened[0][0] == "\\" else 0
        for _ in range(escapes.bit_length()):  # more often for a string in a string: `\\\"`
            value = unescaped(value)
        return value

    def _raw_text(self, keys: Keys, after_comma: re.Pattern[str] | None) -> str:
        """Return the text of a value that is not a literal, up to the next comma or bracket."""
        text, start = self.text, self.at
        stop = min(self.stop, start + _MAX_RAW)
        closers: list[str] = []
        for found in _BARE.finditer(text, start, stop):
            char, end = found[0], found.end()
            if char in _CLOSERS:
                closers.append(_CLOSERS[char])
            elif char in (")", "]", "}") and closers:
                if closers.pop() != char:
                    self._fail(end)
            elif char == "\n" and text[end : end + 1] == "\n":
                self._fail(end)
            elif char in (")", "]", "}") or (
                char == ","
                and not closers
                and (not after_comma or after_comma.match(text, end, stop))
            ):
                self.at = found.start()
                break
        else:
            if stop < self.stop or closers:
                self._fail(stop)
            self.at = stop
            self._repair(keys, "truncated", text[start:stop], text[start:stop])
        end = start + len(text[start : self.at].rstrip())
        self._effort += end - start
        if end == start:
            self._fail(end)
        self.found.raws.append(RawText(keys, start, end))
        # A quote that is escaped outside of a string belongs to a string around the whole call.
        return _ESCAPED_QUOTE.sub(r"\1", text[start:end])

    def _fail(self, at: int) -> NoReturn:
        self._effort += at - self.at
        raise NotALiteral


def _ends(text: str, at: int, stop: int) -> bool:
    """Return whether a quote before `at` ends its string, judged by what follows."""
    if at >= stop or _ENDING.match(text, at, stop):
        return True
    follows = text[at]
    if follows == ":":
        return True
    return follows.isspace() and _JOINED.match(text, at, stop) is not None


def unescaped(text: str, raw: bool = False) -> str:
    """Return the content of a string with its escapes decoded.

    An escape that is unknown in Python and in JSON stays unchanged.
    """
    if raw or "\\" not in text:
        return text
    value = _ESCAPE.sub(lambda found: found[1] or found[0].encode().decode("unicode_escape"), text)
    if "\\u" in text or "\\U" in text:
        value = _PAIR.sub(
            lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), value
        )
    return value
