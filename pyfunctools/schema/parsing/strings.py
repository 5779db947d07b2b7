"""Strings as models write them: with any quotes, and with quotes inside that are not escaped.

Each quote may end the string or be a part of it. The text after it decides, depending on where the
string stands (`Where`); see `_end`:

    {"say": "he said "hi" to me", "n": 1}
                     ^  ^      ^
                     1  2      3

1. Not followed by an end, and it opens a quotation (space before, no space after): inside.
2. ` to` is not an end either: inside, and the quotation is closed.
3. A comma, a key and a colon follow: surely the end (`_SURE`).

A likely end (`_LIKELY`: a bracket, a comma and a value) ends the string unless a quotation is open.
Before a colon, a `+`, or a quote that would open the next string, the quote is ambiguous: a fault.
JSON inside a string, with quotes that are not escaped, is skipped as a whole (`_embedded`).

The invariant: a valid JSON string is read as JSON reads it; any other one is the text between its
quotes, or a fault. Lookahead is bounded.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pyfunctools.schema.parsing.scalars import CLOSERS, COLONS, COMMAS, OPENING, QUOTES

Where: TypeAlias = Literal["root", "key", "member", "item"]
"""The place of a string: alone, the key or the value of a member, or an item of an array."""

# Possessive quantifiers and keys of at most 200 characters keep lookahead cheap for any text.
_COLON = rf"\s*+[{COLONS}]"
_COMMA = rf"[{COMMAS}]\s*+"
_QUOTED_KEY = (
    r"(?:\"(?:[^\"\\\n]|\\.){0,200}+\"|'(?:[^'\\\n]|\\.){0,200}+'"
    rf"|[{OPENING[3:]}][^{QUOTES}\n]{{0,200}}+[{QUOTES}]){_COLON}"
)
_BARE_KEY = rf"[^\s=,;{{}}\[\]{COLONS}{QUOTES}]{{1,100}}+{_COLON}"
_COMMENT = r"//|\#|/\*"

KEY_AHEAD: Final = re.compile(rf"\s*+(?:{_COMMA})?{_QUOTED_KEY}", re.DOTALL)
"""The key of the next member, in quotes, with or without a comma before it."""
MEMBER: Final = re.compile(r'"[^"\\\n]{1,200}+"\s*+:')
"""A key in double quotes and its colon."""

_SURE = {
    "member": re.compile(rf"\s*+(?:{_COMMA})?{_QUOTED_KEY}|[^\S\n]*+\n\s*+{_BARE_KEY}", re.DOTALL),
    "item": re.compile(r"(?!)"),
    "root": re.compile(r"\s*+;?\s*+(?:```|~~~|</|\Z)"),
}
"""Text that follows the end of a string, and rarely a quote inside it."""
_CLOSED = re.compile(r"[\s}\]]*+(?:```|~~~|</|\Z)")
"""Closing brackets, then the end of the text, a fence or a closing tag."""
_LIKELY = {
    "member": re.compile(
        rf"\s*+(?:{_COMMA}(?:[{OPENING}}}\]]|{_BARE_KEY}|{_COMMENT}|\Z)|[}}\]]|{_COMMENT})"
    ),
    "item": re.compile(
        rf"\s*+(?:{_COMMA}(?:[{OPENING}\[{{\]}}+\-.0-9]|[A-Za-z_]++\s*+[,\]]|{_COMMENT}|\Z)"
        rf"|[}}\]]|{_COMMENT}|[{OPENING}\[{{])"
    ),
    "root": re.compile(r"(?!)"),
}
"""Text that follows the end of a string, unless the quote closes a quotation inside it."""

_MEMBER_HERE = re.compile(_COLON)
_JOINED = re.compile(r"""\s*+\+\s*+["']""")
_COMMA_HERE = re.compile(r"\s*+,")
_QUOTE = re.compile(r"\s++[\"']")
_EMBEDDED = re.compile(r"\s*+[\[{]\s*+\"(?:[^\"\\\n]|\\.){0,200}+\"\s*+[:,\]]", re.DOTALL)
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)
_RUNS = {closers: re.compile(rf"[^\\{closers}]*+") for closers in CLOSERS.values()}
_BEFORE_QUOTATION = frozenset("([{<=:,;-\u2013\u2014/")

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?|(.))", re.DOTALL)
_CUT_ESCAPE = re.compile(
    r"(?<!\\)(?:\\\\)*+(\\(?:u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?"
    r"|u[0-9a-fA-F]{0,3})?)\Z"
)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", **{c: c for c in "\"'\\/`"}}
_HEX = frozenset("0123456789abcdefABCDEF")
_CONTROL = re.compile(r"[\x00-\x1f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A string in quotes: its value, its end in the text and the kinds of its repairs.

    `fault` is the reason if it cannot be read.
    """

    value: str = ""
    end: int
    kinds: tuple[str, ...] = ()
    fault: str | None = None


def read_quoted(text: str, start: int, stop: int, where: Where) -> Quoted:
    """Read the string with its opening quote at `start`, in a text that ends at `stop`."""
    opener = text[start]
    if opener in "\"'" and text.startswith(opener * 3, start):
        end = text.find(opener * 3, start + 3, stop)
        if end >= 0:
            return _decoded(text[start + 3 : end], end + 3, {"quote"})
    found = _end(text, start + 1, stop, CLOSERS[opener], where)
    if found is None:
        return Quoted(end=stop, fault='has a quote inside that is not written as `\\"`')
    end, inner = found
    kinds = {"quote"} if inner or opener != '"' else set[str]()
    if where == "key" and _CONTROL.search(text, start + 1, end):
        return Quoted(end=end, fault="is broken by a line end or another control character")
    if end < stop:
        return _decoded(text[start + 1 : end], end + 1, kinds)
    raw = text[start + 1 : stop]
    cut = _CUT_ESCAPE.search(raw)
    return _decoded(raw[: cut.start(1)] if cut else raw, stop, kinds | {"truncated"})


def _end(text: str, at: int, stop: int, closers: str, where: Where) -> tuple[int, bool] | None:
    """Return the place of the closing quote, or `stop`, and whether there are quotes inside.

    `None` if the end is ambiguous.
    """
    embedded = closers == '"' and where != "key" and _EMBEDDED.match(text, at, stop)
    if embedded and not _ends(text, text.index('"', at) + 1, stop, where):
        end = _embedded(text, at, stop)
        sure = end is not None and text[end : end + 1] == '"' and _ends(text, end + 1, stop, where)
        return (end, True) if end is not None and sure else None
    begin = at
    inside = 0
    quoting = passed = False
    run = _RUNS[closers]
    while (at := found.end() if (found := run.match(text, at, stop)) else stop) < stop:
        if text[at] == "\\":
            at += 2
            continue
        if where == "key":
            return at, False
        ends = _ends(text, at + 1, stop, where)
        if ends == 2 or (ends and not quoting):
            # An odd quote at either end of the string is one too many, and not part of it.
            odd = inside % 2 == 1 and (text[begin] in closers or text[at - 1] in closers)
            return None if odd or (ends == 2 and quoting and passed) else (at, inside > 0)
        if _MEMBER_HERE.match(text, at + 1, stop) or _JOINED.match(text, at + 1, stop):
            return None
        if not quoting and (
            _QUOTE.match(text, at + 1, stop)
            or (where == "item" and _is_between_items(text, begin, at, stop))
        ):
            return None
        passed = passed or ends > 0
        quoting = not quoting and _begins_quotation(text, begin, at, stop)
        inside += 1
        at += 1
    return None if inside else (stop, False)


def _is_between_items(text: str, begin: int, at: int, stop: int) -> bool:
    """Return whether a comma is beside this quote, so that it may belong to another item."""
    if _COMMA_HERE.match(text, at + 1, stop):
        return True
    while at > begin and text[at - 1] == " ":
        at -= 1
    return at > begin and text[at - 1] == ","


def _ends(text: str, after: int, stop: int, where: Where) -> int:
    """Return whether a string ends before `after`: 2 surely, 1 likely, 0 no."""
    if _SURE[where].match(text, after, stop):
        return 2
    if where != "root" and _CLOSED.match(text, after, stop):
        return 2
    return 1 if _LIKELY[where].match(text, after, stop) else 0


def _begins_quotation(text: str, begin: int, at: int, stop: int) -> bool:
    before = text[at - 1] if at > begin else " "
    after = text[at + 1] if at + 1 < stop else " "
    return not after.isspace() and (before.isspace() or before in _BEFORE_QUOTATION)


def open_brackets(text: str, at: int, stop: int) -> int:
    """Return how many more brackets close than open after `at`, outside strings."""
    found = (piece[0] for piece in _TOKENS.finditer(text, at, stop))
    return sum((bracket in "]}") - (bracket in "[{") for bracket in found)


def _embedded(text: str, at: int, stop: int) -> int | None:
    """Return the end of JSON inside a string, whose quotes are not escaped, or `None`."""
    depth = 0
    for token in _TOKENS.finditer(text, at, stop):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
            if depth == 0:
                return token.end()
    return None


def _decoded(raw: str, end: int, kinds: set[str]) -> Quoted:
    if _CONTROL.search(raw):
        kinds = kinds | {"control"}
    if "\\" not in raw:
        return Quoted(value=raw, end=end, kinds=tuple(sorted(kinds)))
    unknown = broken = short = False

    def character(escape: re.Match[str]) -> str:
        nonlocal unknown, broken, short
        code, low, other = escape.groups()
        if code is None:
            short = short or (other == "u" and raw[escape.end() : escape.end() + 1] in _HEX)
            unknown = unknown or other not in ('"\\/bfnrt' if "quote" not in kinds else _ESCAPED)
            return _ESCAPED.get(other, escape[0])
        number = int(code, 16)
        high = 0xD800 <= number < 0xDC00
        if high and low is not None:
            return chr(0x10000 + ((number - 0xD800) << 10) + (int(low, 16) - 0xDC00))
        broken = broken or high or low is not None or 0xDC00 <= number < 0xE000
        return chr(number)

    value = _ESCAPE.sub(character, raw)
    if broken:
        return Quoted(end=end, fault="contains half of a surrogate pair (`\\uD800` to `\\uDFFF`)")
    if short:
        return Quoted(end=end, fault="contains `\\u` without four hexadecimal digits")
    if unknown:
        kinds = kinds | {"escape"}
    return Quoted(value=value, end=end, kinds=tuple(sorted(kinds)))
