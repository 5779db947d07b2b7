"""Numbers, booleans and null as people and models spell them, read without loss."""

import re
from math import isfinite

from pyfunctools.schema.parsing.glyphs import SPACE

_MAX_DIGITS = 4300
"""What Python itself reads and writes as an integer (`sys.int_info`)."""

_DIGITS = r"(?:0|[1-9][0-9]*(?:_[0-9]+)*)"
_FRACTION = r"[0-9]+(?:_[0-9]+)*"
WRITTEN = re.compile(
    rf"[+-]?(?:0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[oO][0-7]+|0[bB][01]+"
    rf"|(?:{_DIGITS}(?:\.(?:{_FRACTION})?)?|\.{_FRACTION})(?:[eE][+-]?[0-9]+)?)",
    re.ASCII,
)
"""A number as JSON, JavaScript or Python write one; a zero in front is none."""

_STRICT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?(?:0|[1-9][0-9]*)", re.ASCII)
_WHOLE = re.compile(rf"({_INTEGER.pattern})\.0+", re.ASCII)
_NUMBER = re.compile(
    r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?", re.ASCII
)
_BOOLEANS = {
    **dict.fromkeys(("true", "yes", "on"), True),
    **dict.fromkeys(("false", "no", "off"), False),
}


def written_number(token: str) -> int | float | None:
    """Return the number that `WRITTEN` matched, or `None` if Python has no such number."""
    digits = token.replace("_", "")
    if digits.lstrip("+-")[:2].lower() in ("0x", "0o", "0b"):
        number = int(digits, 0)
        return number if number.bit_length() <= _MAX_DIGITS * 3 else None
    if _INTEGER.fullmatch(digits):
        return integer_from(digits)
    fraction = float(digits)
    return fraction if isfinite(fraction) else None


def is_strict_number(token: str) -> bool:
    """Return whether this is a number of JSON (RFC 8259, section 6)."""
    return _STRICT.fullmatch(token) is not None


def integer_from(text: str) -> int | None:
    """Return the integer that a text spells: `42`, `+42`, ` 42 ` or `42.0`, in ASCII digits."""
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
    """Return the number that a text spells with a fraction or exponent, if a float holds it all."""
    text = text.strip(SPACE)
    if len(text) > 400 or not _NUMBER.fullmatch(text):
        return None
    from decimal import Decimal

    number = float(text)
    return number if isfinite(number) and Decimal(text) == Decimal(repr(number)) else None


def boolean_from(text: str) -> bool | None:
    """Return the boolean that `true`, `yes`, `on` or their opposites spell, in any case."""
    return _BOOLEANS.get(text.strip(SPACE).lower())


def is_null(text: str) -> bool:
    """Return whether a text spells `null`, in any case."""
    return text.strip(SPACE).lower() == "null"


def text_from(number: int) -> str | None:
    """Return the digits of an integer, or `None` where Python writes none so long."""
    try:
        return str(number)
    except ValueError:
        return None
