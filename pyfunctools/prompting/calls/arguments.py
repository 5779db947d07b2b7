"""The arguments of a call in Python: `(1, b="x", **{"c": 2})`."""

import re
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import Final

from pyfunctools._json import JsonValue
from pyfunctools.prompting.calls.literals import Literals, NotALiteral, PendingRepair, RawText
from pyfunctools.schema.ground.path import Keys

_NAMED: Final = re.compile(r"""(["'`]?)((?:[^\W\d]|\\_)(?:[\w$-]|\\_)*+)\1\s*+(?:=>|=(?!=))\s*+""")
_QUOTED: Final = re.compile(r"""(["'])([^"'\\\n]{1,200}+)\1\s*+:\s*+""")
_COLONED: Final = re.compile(
    r"()([^\W\d][\w$-]*+)\s*+:(?!:)\s*+(?=[\"'0-9\[{+-]|(?:[Tt]rue|[Ff]alse|None|null)\b)"
)
_NEXT: Final = re.compile(
    r"""\s*+(?:(["'`]?)(?:[^\W\d]|\\_)(?:[\w$-]|\\_)*+\1\s*+(?:=(?!=)|:(?!:))|\*\*|[)\]]|\Z)"""
)
"""The text behind a comma that ends a value which is not a literal."""
_CLOSED: Final = re.compile(r"\s*+(?:\Z|[\]};`\"']|\n)")
_UNPACKED: Final = "*"
"""The first key of the paths in an unpacked value, until its items have paths as arguments."""


@dataclass(slots=True, kw_only=True)
class WrittenArguments:
    """The arguments between the parentheses of a call, and their places in the text.

    `values` are the keyword arguments, `places` the start and end of each value. The paths in
    `raws`, `repairs` and `faults` begin with the keyword or the position of an argument.
    """

    positional: list[JsonValue] = field(default_factory=list[JsonValue])
    values: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    places: dict[str | int, tuple[int, int]] = field(
        default_factory=dict[str | int, tuple[int, int]]
    )
    raws: list[RawText] = field(default_factory=list[RawText])
    repairs: list[PendingRepair] = field(default_factory=list[PendingRepair])
    faults: list[tuple[Keys, str]] = field(default_factory=list[tuple[Keys, str]])
    text: str = ""
    end: int = 0
    closed: bool = True

    def source(self, key: str | int) -> str | None:
        """Return the text of an argument's value."""
        place = self.places.get(key)
        return None if place is None else self.text[place[0] : place[1]]

    def rekey(self, change: Callable[[Keys], Keys]) -> None:
        """Change the paths in `raws`, `repairs` and `faults`."""
        self.raws[:] = [raw._replace(keys=change(raw.keys)) for raw in self.raws]
        self.repairs[:] = [each._replace(keys=change(each.keys)) for each in self.repairs]
        self.faults[:] = [(change(keys), says) for keys, says in self.faults]


def read_arguments(
    text: str, at: int, stop: int, closer: str = ")"
) -> tuple[WrittenArguments | None, int]:
    """Parse the arguments behind the opening bracket of a call; return also the end of the search.

    `closer` is the bracket that ends the arguments. These are `None` if they cannot be parsed:
    prose in parentheses, or code that is more than a call.
    """
    literals = Literals(text, at, stop)
    found = WrittenArguments(
        text=text, raws=literals.raws, repairs=literals.repairs, faults=literals.faults
    )
    try:
        while _argument(literals, found, closer):
            pass
    except NotALiteral:
        return None, literals.end_of_search
    found.end = literals.at
    return found, literals.end_of_search


def _argument(literals: Literals, found: WrittenArguments, closer: str) -> bool:
    """Parse one argument and the comma behind it; return whether another may follow."""
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
        _unpacked(literals, found)
    else:
        place = len(found.positional)
        start = literals.at
        found.positional.append(literals.value((place,)))
        found.places[place] = (start, literals.at)
    char = literals.space()
    if char in (",", closer):
        literals.at += 1
        return char == ","
    if _CLOSED.match(text, literals.at, stop):
        return _unclosed(literals, found, closer)
    raise NotALiteral


def _keyword(literals: Literals, found: WrittenArguments, named: re.Match[str]) -> None:
    name = named[2].replace("\\_", "_")
    literals.at = start = named.end()
    if start >= literals.stop or literals.text[start] in ",)":
        raise NotALiteral
    value = literals.value((name,), _NEXT)
    if name in found.values:
        found.faults.append(((name,), "is given twice"))
        return
    found.values[name] = value
    found.places[name] = (start, literals.at)


def _unpacked(literals: Literals, found: WrittenArguments) -> None:
    """Parse `*[1, 2]` or `**{"a": 1}` as arguments."""
    stars = 2 if literals.text.startswith("**", literals.at) else 1
    literals.at += stars
    literals.space()
    value = literals.value((_UNPACKED,))
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
        raise NotALiteral

    def moved(keys: Keys) -> Keys:
        if keys[:1] != (_UNPACKED,):
            return keys
        return (first + keys[1], *keys[2:]) if stars == 1 and isinstance(keys[1], int) else keys[1:]

    found.rekey(moved)


def _unclosed(literals: Literals, found: WrittenArguments, closer: str) -> bool:
    found.closed = False
    literals.repairs.append(PendingRepair((), "closer", "", closer))
    return False


_PIECE: Final = re.compile(r"""(?:"(?:[^"\\\n]|\\.)*+")|'(?:[^'\\\n]|\\.)*+'|[()\[\]{}]""")
_ENDED: Final = re.compile(r"\)(?=\s*+(?:[,;\]\n]|\Z))")
_MAX_LENGTH: Final = 4_000


def unreadable_arguments(text: str, at: int, stop: int) -> WrittenArguments | None:
    """Return a record of arguments that cannot be parsed, up to the closing parenthesis.

    Returns `None` if the parentheses are not closed.
    """
    stop = min(stop, at + _MAX_LENGTH)
    depth = 1
    ended = None
    for piece in _PIECE.finditer(text, at, stop):
        depth += (piece[0] in "([{") - (piece[0] in ")]}")
        if depth == 0:
            ended = piece
            break
    ended = ended or _ENDED.search(text, at, stop)
    if ended is None:
        return None
    faults: list[tuple[Keys, str]] = [((), "cannot be read as arguments")]
    return WrittenArguments(faults=faults, text=text, end=ended.end())


_MISQUOTED: Final = re.compile(r"([^\W\d]\w*+)=[\"']([^\"']*+)")
"""The content of `'unit='ml'`: the quote behind `=` is the one that belongs to the value."""


def parse_assignments(arguments: WrittenArguments, names: Container[str] | None = None) -> None:
    """Turn positional strings such as `"days=3"` into keyword arguments, if all have this form.

    With `names`, only if every keyword is one of them.
    """
    values: dict[str, JsonValue] = {}
    raws: list[RawText] = []
    firsts: list[str] = []
    for each in arguments.positional:
        if not isinstance(each, str) or "=" not in each:
            return
        if misquoted := _MISQUOTED.fullmatch(each):
            values[misquoted[1]] = misquoted[2]
            firsts.append(misquoted[1])
            continue
        parsed, _ = read_arguments(each, 0, len(each))
        if parsed is None or parsed.positional or parsed.faults or parsed.end < len(each):
            return
        if any(repair.before.startswith(("'", '"')) for repair in parsed.repairs):
            return  # a string without an end, or with a quote inside
        values.update(parsed.values)
        raws += parsed.raws
        firsts.append(next(iter(parsed.values), ""))
    known = names is None or all(name in names for name in values)
    if values and not arguments.raws and known:
        arguments.positional.clear()
        arguments.values = {**values, **arguments.values}
        arguments.rekey(
            lambda keys: (firsts[keys[0]],) if keys and isinstance(keys[0], int) else keys
        )
        arguments.raws += raws
