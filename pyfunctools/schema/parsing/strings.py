"""Strings as models write them: any quotes, and some inside that should have been escaped.

Each quote of the kind that opened a string may end it, or stand inside. What follows decides, by
where the string stands (`Where`); see `_end`:

    {"say": "he said "hi" to me", "n": 1}
                     ^  ^      ^
                     1  2      3

1. Nothing like an end follows, and it opens a quotation (space before, none behind): inside.
2. ` to` is no end either: inside, and the quotation is closed.
3. A comma, a key and a colon follow: surely the end (`_SURE`).

What only looks like an end (`_LIKELY`: a bracket, a comma and a value) is one unless a quotation is
open. Before a colon, a `+`, or a quote that would open the next string, nobody can say: a fault.
JSON that stands in a string without its quotes being escaped is passed over whole (`_embedded`).

The invariant: a string that JSON itself could read is read as JSON reads it, whatever it holds; any
other is what stands between its quotes, or a fault. Looking ahead is bounded.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pyfunctools.schema.parsing.scalars import CLOSERS, COLONS, COMMAS, OPENING, QUOTES

Where: TypeAlias = Literal["root", "key", "member", "item"]
"""Where a string stands: alone, as the key or the value of a member, or in an array."""

# No quantifier here gives back what it took, and a key is looked for no further than 200
# characters: that keeps looking ahead cheap for any text.
_COLON = rf"\s*+[{COLONS}]"
_COMMA = rf"[{COMMAS}]\s*+"
_QUOTED_KEY = (
    r"(?:\"(?:[^\"\\\n]|\\.){0,200}+\"|'(?:[^'\\\n]|\\.){0,200}+'"
    rf"|[{OPENING[3:]}][^{QUOTES}\n]{{0,200}}+[{QUOTES}]){_COLON}"
)
_BARE_KEY = rf"[^\s=,;{{}}\[\]{COLONS}{QUOTES}]{{1,100}}+{_COLON}"
_COMMENT = r"//|\#|/\*"

KEY_AHEAD: Final = re.compile(rf"\s*+(?:{_COMMA})?{_QUOTED_KEY}", re.DOTALL)
"""The key of a next member, in quotes, with or without a comma."""
MEMBER: Final = re.compile(r'"[^"\\\n]{1,200}+"\s*+:')
"""A key in double quotes and its colon."""

_SURE = {
    "member": re.compile(rf"\s*+(?:{_COMMA})?{_QUOTED_KEY}|[^\S\n]*+\n\s*+{_BARE_KEY}", re.DOTALL),
    "item": re.compile(r"(?!)"),
    "root": re.compile(r"\s*+;?\s*+(?:```|~~~|</|\Z)"),
}
"""What follows the end of a string, and hardly a quote inside it."""
_CLOSED = re.compile(r"[\s}\]]*+(?:```|~~~|</|\Z)")
"""Brackets that close, and then nothing more."""
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
"""What follows the end of a string, unless the quote closes a quotation inside it."""

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
    """A string that was read: its value, where the text goes on, and the kinds of its repairs.

    With a `fault` it could not be read; the text cannot be followed then if it ends there.
    """

    value: str = ""
    end: int
    kinds: tuple[str, ...] = ()
    fault: str | None = None


def read_quoted(text: str, start: int, stop: int, where: Where) -> Quoted:
    """Read the string whose opening quote stands at `start`, of a text that ends at `stop`.

    A quote inside that is not escaped is told from the end by what follows it. Where both are as
    likely, that is a fault.
    """
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
    """Find the closing quote, or `stop`, and say whether there are quotes inside."""
    embedded = closers == '"' and where != "key" and _EMBEDDED.match(text, at, stop)
    if embedded and not _ends(text, text.index('"', at) + 1, stop, where):
        end = _embedded(text, at, stop)
        sure = end is not None and text[end : end + 1] == '"' and _ends(text, end + 1, stop, where)
        return (end, True) if end is not None and sure else None
    begin = at
    inside = 0
    quoting = passed = False
    run = _RUNS[closers]
    while (at := _run_end(run, text, at, stop)) < stop:
        if text[at] == "\\":
            at += 2
            continue
        if where == "key":
            return at, False
        ends = _ends(text, at + 1, stop, where)
        if ends == 2 or (ends and not quoting):
            # A quote too many, right at either end, is not part of the string.
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
    """Return whether a comma stands beside this quote, so that it may be that of another item."""
    if _COMMA_HERE.match(text, at + 1, stop):
        return True
    while at > begin and text[at - 1] == " ":
        at -= 1
    return at > begin and text[at - 1] == ","


def _run_end(run: re.Pattern[str], text: str, at: int, stop: int) -> int:
    found = run.match(text, at, stop)
    return found.end() if found else stop


def _ends(text: str, after: int, stop: int, where: Where) -> int:
    """Return how surely a string ends before `after`: 2 surely, 1 likely, 0 not at all."""
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
    """Return how many more brackets close than open from here on, those in strings left aside."""
    found = (piece[0] for piece in _TOKENS.finditer(text, at, stop))
    return sum((bracket in "]}") - (bracket in "[{") for bracket in found)


def _embedded(text: str, at: int, stop: int) -> int | None:
    """Find the end of JSON that stands in a string without its quotes being escaped."""
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
        return Quoted(end=end, fault="holds half of a surrogate pair (`\\uD800` to `\\uDFFF`)")
    if short:
        return Quoted(end=end, fault="holds `\\u` without the four digits of a character")
    if unknown:
        kinds = kinds | {"escape"}
    return Quoted(value=value, end=end, kinds=tuple(sorted(kinds)))
