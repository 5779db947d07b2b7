"""The arguments of a call as Python writes them: `(1, b="x", **{"c": 2})`.

Nothing is run: arithmetic (`5*10**-12`) is worked out, and what else only a program could evaluate
(`user.email`) is recognised.
"""

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Final

from pyfunctools._json import JsonValue
from pyfunctools.prompting.calls.literals import Literals, PendingRepair, Raw, Unread
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.parsing.scalars import parse_number

if TYPE_CHECKING:
    import ast

_NAMED: Final = re.compile(r"""(["'`]?)([^\W\d](?:[\w$-]|\\_)*+)\1\s*+(?:=>|=(?!=))\s*+""")
_QUOTED: Final = re.compile(r"""(["'])([^"'\\\n]{1,200}+)\1\s*+:\s*+""")
_COLONED: Final = re.compile(
    r"()([^\W\d][\w$-]*+)\s*+:(?!:)\s*+(?=[\"'0-9\[{+-]|(?:[Tt]rue|[Ff]alse|None|null)\b)"
)
_NEXT: Final = re.compile(
    r"""\s*+(?:(["'`]?)[^\W\d](?:[\w$-]|\\_)*+\1\s*+(?:=(?!=)|:(?!:))|\*\*|[)\]]|\Z)"""
)
"""What follows the comma behind a value that is no literal, if it is not part of that value."""
_CLOSED: Final = re.compile(r"\s*+(?:\Z|[\]};`\"']|\n)")
_SPREAD: Final = "*"
"""What the keys of a spread value begin with, until its items have their places."""


@dataclass(slots=True, kw_only=True)
class WrittenArguments:
    """The arguments between the brackets of a call, and where they stand.

    `values` are the keyword arguments, `places` where the value of each begins and ends; the keys
    of `raws`, `notes` and `faults` begin with the keyword, or with the place of one that has none.
    """

    positional: list[JsonValue] = field(default_factory=list[JsonValue])
    values: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    places: dict[str | int, tuple[int, int]] = field(
        default_factory=dict[str | int, tuple[int, int]]
    )
    raws: list[Raw]
    notes: list[PendingRepair]
    faults: list[tuple[Keys, str]]
    text: str = ""
    end: int = 0
    closed: bool = True

    def source(self, key: str | int) -> str | None:
        """Return the value of an argument as it was written."""
        place = self.places.get(key)
        return None if place is None else self.text[place[0] : place[1]]

    def rekey(self, change: Callable[[Keys], Keys]) -> None:
        """Change the keys of `raws`, `notes` and `faults`."""
        self.raws[:] = [raw._replace(keys=change(raw.keys)) for raw in self.raws]
        self.notes[:] = [note._replace(keys=change(note.keys)) for note in self.notes]
        self.faults[:] = [(change(keys), says) for keys, says in self.faults]


def read_arguments(
    text: str,
    at: int,
    stop: int,
    closer: str = ")",
    bound: Mapping[str, JsonValue] | None = None,
) -> tuple[WrittenArguments | None, int]:
    """Read the arguments behind the opening bracket of a call; return also how far was looked.

    `closer` is the bracket that ends them; a name that is `bound` stands for its value. `None`
    where they cannot be read: prose in brackets, code that is more than a call.
    """
    literals = Literals(text, at, stop, bound)
    found = WrittenArguments(
        text=text, raws=literals.raws, notes=literals.notes, faults=literals.faults
    )
    try:
        while _argument(literals, found, closer):
            pass
    except Unread:
        return None, literals.far
    found.end = literals.at
    return found, literals.far


def _argument(literals: Literals, found: WrittenArguments, closer: str) -> bool:
    """Read one argument and the comma behind it; return whether another may follow."""
    text, stop = literals.text, literals.stop
    char = literals.space()
    if char == closer:
        literals.at += 1
        return False
    if not char:
        return _unclosed(literals, found, closer)
    named = (
        _NAMED.match(text, literals.at, stop)
        or _QUOTED.match(text, literals.at, stop)
        or _COLONED.match(text, literals.at, stop)
    )
    if named is not None:
        _keyword(literals, found, named)
    elif char == "*":
        _spread(literals, found)
    else:
        place = len(found.positional)
        start = literals.at
        found.positional.append(literals.value((place,)))
        found.places[place] = (start, literals.at)
    char = literals.space()
    if char == ",":
        literals.at += 1
        return True
    if char == closer:
        literals.at += 1
        return False
    if _CLOSED.match(text, literals.at, stop):
        return _unclosed(literals, found, closer)
    raise Unread


def _keyword(literals: Literals, found: WrittenArguments, named: re.Match[str]) -> None:
    name = named[2].replace("\\_", "_")
    literals.at = start = named.end()
    if start >= literals.stop or literals.text[start] in ",)":
        raise Unread
    value = literals.value((name,), _NEXT)
    if name in found.values:
        found.faults.append(((name,), "is given twice"))
        return
    found.values[name] = value
    found.places[name] = (start, literals.at)


def _spread(literals: Literals, found: WrittenArguments) -> None:
    """Read `*[1, 2]` or `**{"a": 1}`, whose items are arguments like those beside them."""
    stars = 2 if literals.text.startswith("**", literals.at) else 1
    literals.at += stars
    literals.space()
    value = literals.value((_SPREAD,))
    first = len(found.positional)
    if stars == 2 and isinstance(value, dict):
        for name, inner in value.items():
            if name in found.values:
                found.faults.append(((name,), "is given twice"))
            else:
                found.values[name] = inner
    elif stars == 1 and isinstance(value, list):
        found.positional += value
    else:
        raise Unread

    def moved(keys: Keys) -> Keys:
        if keys[:1] != (_SPREAD,):
            return keys
        return (first + keys[1], *keys[2:]) if stars == 1 and isinstance(keys[1], int) else keys[1:]

    found.rekey(moved)


def _unclosed(literals: Literals, found: WrittenArguments, closer: str) -> bool:
    found.closed = False
    literals.notes.append(PendingRepair((), "closer", "", closer))
    return False


_PIECE: Final = re.compile(r"""(?:"(?:[^"\\\n]|\\.)*+")|'(?:[^'\\\n]|\\.)*+'|[()\[\]{}]""")
_ENDED: Final = re.compile(r"\)(?=\s*+(?:[,;\]\n]|\Z))")
_FURTHEST: Final = 4_000


def unreadable(text: str, at: int, stop: int) -> WrittenArguments | None:
    """Return the arguments of a call that cannot be read, with where its bracket closes.

    `None` where it does not close.
    """
    stop = min(stop, at + _FURTHEST)
    depth = 1
    end = -1
    for piece in _PIECE.finditer(text, at, stop):
        depth += (piece[0] in "([{") - (piece[0] in ")]}")
        if depth == 0:
            end = piece.end()
            break
    if end < 0 and (ended := _ENDED.search(text, at, stop)):
        end = ended.end()
    if end < 0:
        return None
    found = WrittenArguments(
        raws=[], notes=[], faults=[((), "cannot be read as arguments")], text=text
    )
    found.end = end
    return found


_MISQUOTED: Final = re.compile(r"([^\W\d]\w*+)=[\"']([^\"']*+)")
"""What stands in `'unit='ml'`: the first quote is that of the value."""


def keyed(arguments: WrittenArguments, names: Container[str] | None = None) -> None:
    """Read strings such as `"days=3"` as arguments, if all are such, and are among the `names`."""
    values: dict[str, JsonValue] = {}
    raws: list[Raw] = []
    firsts: list[str] = []
    for each in arguments.positional:
        if not isinstance(each, str) or "=" not in each:
            return
        if misquoted := _MISQUOTED.fullmatch(each):
            values[misquoted[1]] = misquoted[2]
            firsts.append(misquoted[1])
            continue
        said, _ = read_arguments(each, 0, len(each))
        if said is None or said.positional or said.faults or said.end < len(each):
            return
        if any(note.before.startswith(("'", '"')) for note in said.notes):
            return  # a string without an end, or with a quote inside
        values.update(said.values)
        raws += said.raws
        firsts.append(next(iter(said.values), ""))
    known = names is None or all(name in names for name in values)
    if values and not arguments.raws and known:
        arguments.positional.clear()
        arguments.values = {**values, **arguments.values}
        arguments.rekey(
            lambda keys: (firsts[keys[0]],) if keys and isinstance(keys[0], int) else keys
        )
        arguments.raws += raws


_LONGEST: Final = 200
_LARGEST: Final = 10**30
"""What is raised to a power at most, to one of up to 300."""
_ARITHMETIC: Final = re.compile(r"[0-9eE_.+*/%() \t-]+")
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
    r"|[\"'\w)\]]\s+if\s+.+\s+else\s|[\"']\s*(?:==|!=|\b(?:or|and|in|not)\b)"
)

_LOOP: Final = re.compile(r"\sfor\s+([^\W\d]\w*)\s*(?:,[\w\s,]{1,80})?\sin\s")


def is_expression(text: str) -> bool:
    """Return whether only a program could say what this is: `user.email`, `a + b`, `f(x)`."""
    if _EXPRESSION.search(text) is not None:
        return number_of(text) is None
    loop = _LOOP.search(text)  # `x for x in y`, but not `the best price for flights in Rome`
    return loop is not None and loop[1] in re.findall(r"\w+", text[: loop.start()])


def number_of(text: str) -> int | float | None:
    """Return the number that arithmetic of literals or an amount of money says, if any."""
    amount = _AMOUNT.fullmatch(text)
    if amount is not None:
        return parse_number(amount[1].replace("+", "") + amount[2])
    if len(text) > _LONGEST or _DATES.fullmatch(text) or not _ARITHMETIC.fullmatch(text):
        return None
    import ast  # few texts hold arithmetic

    try:
        value = _value_of(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ArithmeticError, ValueError, RecursionError, MemoryError):
        return None
    return value if isfinite(value) else None


def _value_of(node: "ast.expr") -> int | float:
    """Return the value of arithmetic.

    Raises:
        ArithmeticError: it has no value.
        ValueError: it is something else, or too large.
    """
    import ast

    value: object = None
    if isinstance(node, ast.Constant):
        value = node.value
    elif isinstance(node, ast.UnaryOp):
        inner = _value_of(node.operand)
        value = -inner if isinstance(node.op, ast.USub) else inner
    elif isinstance(node, ast.BinOp):
        one, other = _value_of(node.left), _value_of(node.right)
        if isinstance(node.op, ast.Pow) and (abs(other) > 300 or abs(one) > _LARGEST):
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
