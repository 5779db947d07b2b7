"""What a model wrote for a value that is no literal: arithmetic, or what only a program could run.

Nothing is run: arithmetic is read by a small parser, and the rest is only recognised.
"""

import re
from math import isfinite
from typing import Final

from pyfunctools.schema.parsing.scalars import written_number

_LONGEST: Final = 200
_MOST: Final = 20
"""Brackets and signs in one piece of arithmetic."""
_LARGEST: Final = 10**30
_TOKENS: Final = re.compile(
    r"\s*(?:(?P<number>(?:0|[1-9][0-9_]*)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?|\.[0-9]+)"
    r"|(?P<operator>\*\*|//|[-+*/%()]))"
)
_DATES: Final = re.compile(r"\d+(?:-\d+){2,}|\d+(?:/\d+){2,}|0\d.*")
_AMOUNT: Final = re.compile(r"([-+]?)[$\u20ac\u00a3\u00a5]\s?([0-9][0-9_]*(?:\.[0-9]+)?)")

_EXPRESSION: Final = re.compile(
    r"\A[^\W\d]\w*(?:\??\.[^\W\d]\w*)+\Z"  # an attribute
    r"|[\w)\]]\("  # a call
    r"|[\w)\]]\["  # a subscript
    r"|\A(?:lambda\b|await\s|yield\s|new\s+[A-Z])|\$\{|\A\$[^\W\d]"
    r"|[\"']\s*[+%*]|[+%*]\s*[\"']"  # texts joined
    r"|\w\s+[+*%]\s+\w|[^\W\d]\w*[+*]\w|\w[+*][^\W\d]|\w\s*(?:\*\*|//|&&|\|\||==|=>)\s*\w"
    r"|\A(?:[a-z0-9_][\w.]*\s+[-/]\s+)+[a-z0-9_][\w.]*\Z"
    r"|[\"'\w)\]]\s+if\s+.+\s+else\s"
)


def is_expression(text: str) -> bool:
    """Return whether only a program could say what this is: `user.email`, `a + b`, `f(x)`."""
    return _EXPRESSION.search(text) is not None and number_of(text) is None


def number_of(text: str) -> int | float | None:
    """Return the number that arithmetic of literals or an amount of money says, if any."""
    amount = _AMOUNT.fullmatch(text)
    if amount is not None:
        return written_number(amount[1].replace("+", "") + amount[2])
    if len(text) > _LONGEST or _DATES.fullmatch(text):
        return None
    tokens = _tokens(text)
    if tokens is None:
        return None
    try:
        value, at = _sum(tokens, 0)
    except (ArithmeticError, ValueError, IndexError):
        return None
    return value if at == len(tokens) and isfinite(value) else None


def _tokens(text: str) -> list[str] | None:
    tokens: list[str] = []
    at, text = 0, text.rstrip()
    signs = 0
    while at < len(text):
        token = _TOKENS.match(text, at)
        if token is None:
            return None
        signs += token["operator"] is not None
        tokens.append(token["number"] or token["operator"])
        at = token.end()
    return tokens if 0 < signs <= _MOST else None


def _sum(tokens: list[str], at: int) -> tuple[int | float, int]:
    value, at = _product(tokens, at)
    while at < len(tokens) and tokens[at] in ("+", "-"):
        sign = tokens[at]
        other, at = _product(tokens, at + 1)
        value = _bounded(value + other if sign == "+" else value - other)
    return value, at


def _product(tokens: list[str], at: int) -> tuple[int | float, int]:
    value, at = _signed(tokens, at)
    while at < len(tokens) and tokens[at] in ("*", "/", "//", "%"):
        sign = tokens[at]
        other, at = _signed(tokens, at + 1)
        if sign == "*":
            value = value * other
        elif sign == "/":
            value = value / other
        else:
            value = value // other if sign == "//" else value % other
        value = _bounded(value)
    return value, at


def _signed(tokens: list[str], at: int) -> tuple[int | float, int]:
    if tokens[at] in ("-", "+"):
        value, end = _signed(tokens, at + 1)
        return (-value if tokens[at] == "-" else value), end
    value, at = _atom(tokens, at)
    if at < len(tokens) and tokens[at] == "**":
        exponent, at = _signed(tokens, at + 1)
        if abs(exponent) > 300 or abs(value) > _LARGEST:
            raise ValueError
        power = value**exponent
        if isinstance(power, complex):
            raise ValueError
        value = _bounded(power)
    return value, at


def _atom(tokens: list[str], at: int) -> tuple[int | float, int]:
    if tokens[at] == "(":
        value, at = _sum(tokens, at + 1)
        if tokens[at] != ")":
            raise ValueError
        return value, at + 1
    number = written_number(tokens[at]) if tokens[at][0] in "0123456789." else None
    if number is None:
        raise ValueError
    return number, at + 1


def _bounded(value: int | float) -> int | float:
    if isinstance(value, int) and abs(value) > 10**308:
        raise ValueError
    return value
