"""Scalars without quotes: numbers, literals, and words where the schema wants a string."""

import re
from collections.abc import Callable
from typing import NamedTuple

from pyfunctools._json import JsonValue
from pyfunctools._text import shortened
from pyfunctools.schema.outline.outline import NUMBERS
from pyfunctools.schema.parsing.glyphs import COMMAS, SPACE
from pyfunctools.schema.parsing.scalars import WRITTEN, is_strict_number, written_number
from pyfunctools.schema.parsing.surroundings import BLANK

_TOKEN = re.compile(rf"[^\s{{}}\[\]\"{COMMAS}]++")
_PHRASE = re.compile(rf"[^{{}}\[\]\"\n{COMMAS}]++")
_PARTING = frozenset(f"{SPACE}{COMMAS}}}]\"'#")
_REMARK = re.compile(r"\s(?://|\#|/\*)")
_WORD = re.compile(r"[A-Za-z]++")
_MEMBER = re.compile(r":(?:\s|\Z)")
_NUMERIC = re.compile(r"[+-]?\.?[0-9]|[+-]")

_LITERALS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_PYTHON: dict[str, bool | None] = {"True": True, "False": False, "None": None}
_LOOSE: dict[str, bool | None] = {**_LITERALS, "none": None}
_NOTHING = frozenset({"NaN", "Infinity", "+Infinity", "-Infinity", "undefined"})

_IN_RANGE = "a number in the range of a double, or an integer of up to 4300 digits"


class Bare(NamedTuple):
    """A scalar that was read, where the text goes on, and the kinds of its repairs.

    With a `fault` it could not be read: `shown` is what stands there, the fault what is wrong with
    it, and `expected` what would be right.
    """

    end: int
    value: JsonValue = None
    kinds: tuple[str, ...] = ()
    shown: str = ""
    fault: str | None = None
    expected: str = ""


def read_bare(text: str, at: int, stop: int, wanted: Callable[[], frozenset[str]]) -> Bare:
    """Read what stands at `at`, of a text that ends at `stop`.

    `wanted` gives the types that a schema names for this place. A word is a string only if that is
    one of them, and so is a number if there is none among them: as it was written.
    """
    token = _matched(_TOKEN, text, at, stop)
    word = _matched(_WORD, text, at, stop)
    if word in _LITERALS and _parted(text, at + len(word), stop):
        return Bare(at + len(word), _LITERALS[word])
    if word in _PYTHON and _parted(text, at + len(word), stop):
        return Bare(at + len(word), _PYTHON[word], ("literal",))
    types = wanted()
    number = _matched(WRITTEN, text, at, stop)
    if number and not _parted(text, at + len(number), stop):
        number = ""
    if "string" in types and token not in _NOTHING:
        phrase = _phrase(text, at, stop)
        if phrase and not (phrase == number and types & NUMBERS):
            if _MEMBER.search(phrase):
                return _fault(text, at, stop, phrase, types)
            return Bare(at + len(phrase), phrase, ("word",))
    if number:
        value = written_number(number)
        if value is None:
            fault = _fault(text, at, stop, number, types)
            return fault._replace(fault="is out of range", expected=_IN_RANGE)
        return Bare(at + len(number), value, () if is_strict_number(number) else ("number",))
    if word and word.lower() in _LOOSE and _parted(text, at + len(word), stop):
        return Bare(at + len(word), _LOOSE[word.lower()], ("literal",))
    if len(word) > 1 and word != "No" and is_last(text, at + len(word), stop):
        whole = [name for name in (*_LITERALS, *_PYTHON) if name.startswith(word)]
        if len(whole) == 1:
            return Bare(at + len(word), {**_LITERALS, **_PYTHON}[whole[0]], ("literal",))
    return _fault(text, at, stop, token or text[at], types)


def is_last(text: str, at: int, stop: int) -> bool:
    """Return whether nothing but space follows."""
    found = BLANK.match(text, at, stop)
    return found is None or found.end() >= stop


def _fault(text: str, at: int, stop: int, token: str, types: frozenset[str]) -> Bare:
    end = at + max(len(_matched(_PHRASE, text, at, stop).rstrip()), 1)
    shown = f"`{shortened(token, 40)}`"
    if token not in _NOTHING and _NUMERIC.match(token):
        return Bare(end, shown=shown, fault="is not a number", expected="a number")
    if token in _NOTHING or not token[0].isalpha():
        return Bare(end, shown=shown, fault="is not a JSON value", expected="a JSON value")
    if types and "string" not in types:
        named = types - {"integer"} if "number" in types else types
        wanted = " or ".join(sorted(named))
        fault = f"is not a JSON value: expected {wanted}"
        return Bare(end, shown=shown, fault=fault, expected=wanted)
    fault = "is not a JSON value: a string stands in double quotes"
    return Bare(end, shown=shown, fault=fault, expected="a string in double quotes")


def _phrase(text: str, at: int, stop: int) -> str:
    phrase = _matched(_PHRASE, text, at, stop)
    remark = _REMARK.search(phrase)
    return (phrase[: remark.start()] if remark else phrase).rstrip()


def _matched(pattern: re.Pattern[str], text: str, at: int, stop: int) -> str:
    found = pattern.match(text, at, stop)
    return found[0] if found else ""


def _parted(text: str, at: int, stop: int) -> bool:
    """Return whether a token may end here."""
    if at >= stop:
        return True
    char = text[at]
    return char in _PARTING or char.isspace() or text.startswith(("//", "/*"), at)
