"""Numbers, booleans, null and words without quotes, in the spellings of people and models."""

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Final, NamedTuple

from pyfunctools._json import JsonValue
from pyfunctools._text import shortened
from pyfunctools.schema.vocabulary import NUMBERS

COMMAS: Final = ",;\uff0c\uff1b"
"""Separators of members: comma and semicolon, of normal and full width."""

COLONS: Final = ":\uff1a"
"""The colon after a key, of normal and full width."""

CLOSERS: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": '\u201d\u201c"',
    "\u201d": '\u201d"',
    "\u201e": '\u201d\u201c"',
    "\u201f": '\u201d"',
    "\u2018": "\u2019\u2018'",
    "\u2019": "\u2019'",
    "\u201a": "\u2019\u2018'",
    "\u00ab": "\u00bb",
}
"""For each opening quote (straight, curly, low, angled), the quotes that may close it."""

OPENING: Final = "".join(CLOSERS)
"""Opening quotes."""

QUOTES: Final = OPENING + "\u00bb"
"""Opening and closing quotes."""

HIDDEN: Final = "\ufeff\u200b\u2060"
"""Characters without width, read as space."""

SPACE: Final = " \t\n\r"
"""The space of JSON (RFC 8259, section 2)."""

BLANK: Final = re.compile(rf"[\s{HIDDEN}]*+")
COMMENT: Final = re.compile(r"//[^\n]*+|\#[^\n]*+|/\*[\s\S]*?(?:\*/|\Z)")


_MAX_DIGITS = 4300
"""Most digits of an integer that Python reads and writes (`sys.int_info`)."""

_DIGITS = r"(?:0|[1-9][0-9]*(?:_[0-9]+)*)"
_FRACTION = r"[0-9]+(?:_[0-9]+)*"
NUMBER = re.compile(
    rf"[+-]?(?:0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[oO][0-7]+|0[bB][01]+"
    rf"|(?:{_DIGITS}(?:\.(?:{_FRACTION})?)?|\.{_FRACTION})(?:[eE][+-]?[0-9]+)?)",
    re.ASCII,
)
"""A number of JSON, JavaScript or Python; not one with a leading zero (`007`)."""

_STRICT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?(?:0|[1-9][0-9]*)", re.ASCII)
_WHOLE = re.compile(rf"({_INTEGER.pattern})\.0+", re.ASCII)
_NUMBER = re.compile(
    r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?", re.ASCII
)
WORDS: Final[Mapping[str, tuple[str, bool | None]]] = {
    "null": ("null", None),
    **dict.fromkeys(("true", "yes", "on"), ("boolean", True)),
    **dict.fromkeys(("false", "no", "off"), ("boolean", False)),
}
"""The type and the value that a string means, in lower case."""


def parse_number(token: str) -> int | float | None:
    """Return the number in a text that `NUMBER` matched, or `None` if it is out of range."""
    digits = token.replace("_", "")
    if digits.lstrip("+-")[:2].lower() in ("0x", "0o", "0b"):
        number = int(digits, 0)
        return number if number.bit_length() <= _MAX_DIGITS * 3 else None
    if _INTEGER.fullmatch(digits):
        return integer_from(digits)
    fraction = float(digits)
    return fraction if isfinite(fraction) else None


def integer_from(text: str) -> int | None:
    """Return the integer in a text (`42`, `+42`, ` 42 ` or `42.0`, in ASCII digits), or `None`."""
    text = text.strip(SPACE)
    whole = _WHOLE.fullmatch(text)
    digits = whole[1] if whole else text
    if len(digits) > _MAX_DIGITS + 1 or not _INTEGER.fullmatch(digits):
        return None
    try:
        return int(digits)
    except ValueError:
        return None


def number_from(text: str) -> float | None:
    """Return the number in a text, or `None` if a float cannot represent it exactly."""
    text = text.strip(SPACE)
    if len(text) > 400 or not _NUMBER.fullmatch(text):
        return None
    from decimal import Decimal

    number = float(text)
    return number if isfinite(number) and Decimal(text) == Decimal(repr(number)) else None


def digits_of(number: int) -> str | None:
    """Return the digits of an integer, or `None` if it is too long for Python to write."""
    try:
        return str(number)
    except ValueError:
        return None


_BARE = re.compile(rf"(?=([^\s{{}}\[\]\"{COMMAS}]++)?)(?=([A-Za-z]++)?)({NUMBER.pattern})?")
"""A token, a word and a number, each of which may be missing."""
_PHRASE = re.compile(rf"[^{{}}\[\]\"\n{COMMAS}]++")
_PARTING = frozenset(f"{SPACE}{COMMAS}}}]\"'#")
_REMARK = re.compile(r"\s(?://|\#|/\*)")
_MEMBER = re.compile(r":(?:\s|\Z)")
_NUMERIC = re.compile(r"[+-]?\.?[0-9]|[+-]")

_LITERALS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_EXACT: dict[str, bool | None] = {**_LITERALS, "True": True, "False": False, "None": None}
_LOOSE: dict[str, bool | None] = {**_LITERALS, "none": None}
_NOTHING = frozenset({"NaN", "Infinity", "+Infinity", "-Infinity", "undefined"})

_IN_RANGE = "a number in the range of a double, or an integer of up to 4300 digits"


class Bare(NamedTuple):
    """A scalar without quotes: its end in the text, its value and the kinds of its repairs.

    `fault` is the reason if the text, quoted in `subject`, cannot be read; `expected` the remedy.
    """

    end: int
    value: JsonValue = None
    kinds: tuple[str, ...] = ()
    subject: str = ""
    fault: str | None = None
    expected: str = ""


def read_bare(text: str, at: int, stop: int, wanted: Callable[[], frozenset[str]]) -> Bare:
    """Read the scalar at `at`, in a text that ends at `stop`.

    `wanted` returns the types that the schema names here. If they include `string`, a word is a
    string; so is a number, as it was written, if they include no numeric type.
    """
    found = _BARE.match(text, at, stop)
    token, word, number = found.groups("") if found else ("", "", "")
    if word in _EXACT and _may_end(text, at + len(word), stop):
        return Bare(at + len(word), _EXACT[word], () if word in _LITERALS else ("literal",))
    types = wanted()
    if number and not _may_end(text, at + len(number), stop):
        number = ""
    if "string" in types and token not in _NOTHING:
        found = _PHRASE.match(text, at, stop)
        phrase = _REMARK.split(found[0], 1)[0].rstrip() if found else ""
        if phrase and not (phrase == number and types & NUMBERS):
            if _MEMBER.search(phrase):
                return _fault(text, at, stop, phrase, types)
            return Bare(at + len(phrase), phrase, ("word",))
    if number:
        value = parse_number(number)
        if value is None:
            fault = _fault(text, at, stop, number, types)
            return fault._replace(fault="is out of range", expected=_IN_RANGE)
        return Bare(at + len(number), value, () if _STRICT.fullmatch(number) else ("number",))
    if word and word.lower() in _LOOSE and _may_end(text, at + len(word), stop):
        return Bare(at + len(word), _LOOSE[word.lower()], ("literal",))
    if len(word) > 1 and word != "No" and BLANK.fullmatch(text, at + len(word), stop):
        whole = [name for name in _EXACT if name.startswith(word)]
        if len(whole) == 1:
            return Bare(at + len(word), _EXACT[whole[0]], ("literal",))
    return _fault(text, at, stop, token or text[at], types)


def _fault(text: str, at: int, stop: int, token: str, types: frozenset[str]) -> Bare:
    phrase = _PHRASE.match(text, at, stop)
    end = at + max(len(phrase[0].rstrip()) if phrase else 0, 1)
    subject = f"`{shortened(token, 40)}`"
    if token not in _NOTHING and _NUMERIC.match(token):
        return Bare(end, subject=subject, fault="is not a number", expected="a number")
    if token in _NOTHING or not token[0].isalpha():
        return Bare(end, subject=subject, fault="is not a JSON value", expected="a JSON value")
    if types and "string" not in types:
        named = types - {"integer"} if "number" in types else types
        wanted = " or ".join(sorted(named))
        fault = f"is not a JSON value: expected {wanted}"
        return Bare(end, subject=subject, fault=fault, expected=wanted)
    fault = "is not a JSON value: a string stands in double quotes"
    return Bare(end, subject=subject, fault=fault, expected="a string in double quotes")


def _may_end(text: str, at: int, stop: int) -> bool:
    """Return whether a number or word may end here."""
    if at >= stop:
        return True
    char = text[at]
    return char in _PARTING or char.isspace() or text.startswith(("//", "/*"), at)
