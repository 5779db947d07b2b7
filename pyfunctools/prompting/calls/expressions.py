"""Values that are not literals: arithmetic is computed, other expressions are recognised.

Nothing is run: `5*10**-12` is computed from its syntax tree; `user.email` is only recognised.
"""

import ast
import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Final

from pyfunctools.schema.parsing.scalars import parse_number

_MAX_ARITHMETIC: Final = 200
_MAX_BASE: Final = 10**30
_MAX_EXPONENT: Final = 300
_ARITHMETIC: Final = re.compile(r"[0-9eE_.+*/%() \t-]+")
_DATES: Final = re.compile(r"\d+(?:-\d+){2,}|\d+(?:/\d+){2,}|0\d.*")
_AMOUNT: Final = re.compile(r"([-+]?)[$\u20ac\u00a3\u00a5]\s?([0-9][0-9_]*(?:\.[0-9]+)?)")

_EXPRESSION: Final = re.compile(
    r"\A[^\W\d]\w*(?:\??\.[^\W\d]\w*)+\Z"  # an attribute
    r"|[\w)\]]\("  # a call
    r"|[\w)\]]\["  # a subscript
    r"|\A(?:lambda\b|await\s|yield\s|new\s+[A-Z])|\$\{|\A\$[^\W\d]"
    r"|[\"']\s*[+%*]|[+%*]\s*[\"']"  # strings joined
    r"|\w\s+[+*%]\s+\w|[^\W\d]\w*[+*]\w|\w[+*][^\W\d]|\w\s*(?:\*\*|//|&&|\|\||==|=>)\s*\w"
    r"|\A(?:[a-z0-9_][\w.]*\s+[-/]\s+)+[a-z0-9_][\w.]*\Z"
    r"|[\"'\w)\]]\s+if\s+.+\s+else\s|[\"']\s*(?:==|!=|\b(?:or|and|in|not)\b)"
)

_LOOP: Final = re.compile(r"\sfor\s+([^\W\d]\w*)\s*(?:,[\w\s,]{1,80})?\sin\s")


def is_expression(text: str) -> bool:
    """Return whether only a program can evaluate this: `user.email`, `a + b`, `f(x)`."""
    if _EXPRESSION.search(text) is not None:
        return number_of(text) is None
    loop = _LOOP.search(text)  # `x for x in y`, but not `the best price for flights in Rome`
    return loop is not None and loop[1] in re.findall(r"\w+", text[: loop.start()])


def number_of(text: str) -> int | float | None:
    """Return the value of arithmetic (`3*7`) or of an amount of money (`$5`), or `None`."""
    amount = _AMOUNT.fullmatch(text)
    if amount is not None:
        return parse_number(amount[1].replace("+", "") + amount[2])
    if len(text) > _MAX_ARITHMETIC or _DATES.fullmatch(text) or not _ARITHMETIC.fullmatch(text):
        return None
    try:
        value = _value_of(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ArithmeticError, ValueError, RecursionError, MemoryError):
        return None
    return value if isfinite(value) else None


def _value_of(node: ast.expr) -> int | float:
    """Return the value of arithmetic."""
    value: object = None
    if isinstance(node, ast.Constant):
        value = node.value
    elif isinstance(node, ast.UnaryOp):
        inner = _value_of(node.operand)
        value = -inner if isinstance(node.op, ast.USub) else inner
    elif isinstance(node, ast.BinOp):
        one, other = _value_of(node.left), _value_of(node.right)
        if isinstance(node.op, ast.Pow) and (abs(other) > _MAX_EXPONENT or abs(one) > _MAX_BASE):
            raise ValueError
        value = _OPERATORS[type(node.op).__name__](one, other)
    if not isinstance(value, int | float) or (isinstance(value, int) and abs(value) > 10**308):
        raise ValueError
    return value


_OPERATORS: Final[Mapping[str, Callable[[float, float], object]]] = {
    "Add": lambda one, other: one + other,
    "Div": lambda one, other: one / other,
    "FloorDiv": lambda one, other: one // other,
    "Mod": lambda one, other: one % other,
    "Mult": lambda one, other: one * other,
    "Pow": lambda one, other: one**other,
    "Sub": lambda one, other: one - other,
}
