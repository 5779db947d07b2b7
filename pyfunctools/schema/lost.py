"""The one character that JSON lost, where it can only have been this one and only there.

The text is read from both ends, each time as far as it is JSON. What was lost stood where both
meet: it is put back if with it they fit, and if no other character at no other place would do.
"""

import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Final, NamedTuple

from pyfunctools.schema.glyphs import SPACE

MOST: Final = 1 << 16
"""Characters of a text that is looked at; a longer one is not what a model writes at once."""

_QUOTES = re.compile(r'\\.|"', re.DOTALL)
_TOKEN = re.compile(rf'[{{}}\[\],:]|(?:\\.|[^{SPACE}{{}}\[\],:"])++', re.DOTALL)
_string = re.compile(r'(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+').fullmatch
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null")
_TAIL = re.compile(rf"[{SPACE}]*+(?:[`~<;]|\Z)")
_STRUCTURE = re.compile(r"[{}\[\]:]")

_ROLES = {",": ("comma",), ":": ("colon",), '"': ("key", "value"), "0": ("value",), "": ()}
"""What a token of each kind may be, but for the brackets."""
_FOLLOWS: dict[str, frozenset[tuple[str, str]]] = {
    "": frozenset({("start", "value"), ("value", "end")}),
    "[": frozenset(
        {("open", "value"), ("open", "close"), ("value", "comma"), ("comma", "value")}
        | {("value", "close")}
    ),
    "{": frozenset(
        {("open", "key"), ("open", "close"), ("key", "colon"), ("colon", "value")}
        | {("value", "comma"), ("comma", "key"), ("value", "close")}
    ),
}
"""What may follow what, in an array, in an object and outside of both."""


class Lost(NamedTuple):
    """A character that was lost: where it belongs, and what is read as what with it.

    It is `sure` if no other can have been lost, and none at another place.
    """

    at: int
    char: str
    before: str
    after: str
    sure: bool = True

    @property
    def kind(self) -> str:
        """The kind of the repair."""
        return {'"': "quote", ",": "comma", ":": "colon"}.get(self.char, "closer")


class _Token(NamedTuple):
    """A piece of the text: a bracket, `,`, `:`, a string (`"`), a scalar (`0`), or none of JSON."""

    start: int
    end: int
    kind: str


class _State(NamedTuple):
    """What is open between two tokens, and the role of the one that was read last."""

    stack: str
    role: str


class _Way(NamedTuple):
    """How tokens are read, forward or backward: what enters a level, and what leaves it."""

    enters: dict[str, str]
    leaves: dict[str, str]
    first: str
    last: str
    follows: dict[str, frozenset[tuple[str, str]]]

    def step(self, state: _State, kind: str) -> _State | None:
        """Read one token, if it may stand there."""
        stack, role = state
        follows = self.follows[stack[-1:]]
        if kind in self.enters:
            fits = (role, "value") in follows
            return _State(stack + self.enters[kind], self.first) if fits else None
        if kind in self.leaves:
            fits = stack[-1:] == self.leaves[kind] and (role, self.last) in follows
            return _State(stack[:-1], "value") if fits else None
        meant = [each for each in _ROLES[kind] if (role, each) in follows]
        return _State(stack, meant[0]) if meant else None

    def read(self, state: _State | None, tokens: Iterable[_Token], depth: int) -> list[_State]:
        """Give the states before and behind each token, as far as they are JSON."""
        states: list[_State] = []
        kinds = (token.kind for token in tokens)
        while state is not None and len(state.stack) <= depth:
            states.append(state)
            kind = next(kinds, None)
            state = None if kind is None else self.step(state, kind)
        return states


_OPENING, _CLOSING = {"{": "{", "[": "["}, {"}": "{", "]": "["}
_FORWARD = _Way(_OPENING, _CLOSING, "open", "close", _FOLLOWS)
_BACKWARD = _Way(
    _CLOSING,
    _OPENING,
    "close",
    "open",
    {inside: frozenset((b, a) for a, b in pairs) for inside, pairs in _FOLLOWS.items()},
)
_START, _END = _State("", "start"), _State("", "end")


def lost(text: str, start: int, stop: int, depth: int) -> Lost | None:
    """Give a character that may have been lost between `start` and `stop`, or `None`.

    Only that of an object or array, and only where nothing follows but a fence or a tag.
    """
    end = max(text.rfind("}", start, stop), text.rfind("]", start, stop)) + 1
    whole = start < end <= start + MOST and _TAIL.match(text, end, stop)
    if not whole or text[start] not in _OPENING:
        return None
    quotes = [found.start() for found in _QUOTES.finditer(text, start, end) if found[0] == '"']
    if len(quotes) % 2:
        return _Quotes(text, start, end, quotes, depth).found()
    return _first(_signs(_tokens(text, start, end, quotes), depth))


def _first(found: Iterable[Lost]) -> Lost | None:
    first = list(islice(found, 2))
    return first[0]._replace(sure=len(first) == 1) if first else None


def _joined(ahead: _State, kind: str, behind: _State) -> _State | None:
    """Give the state behind a token that makes one of what was read from either end."""
    state = _FORWARD.step(ahead, kind)
    if state is None or state.stack != behind.stack:
        return None
    return state if (state.role, behind.role) in _FOLLOWS[state.stack[-1:]] else None


def _tokens(text: str, start: int, stop: int, quotes: Sequence[int]) -> list[_Token]:
    """Give the tokens of a text whose strings are between these quotes, in pairs."""
    tokens: list[_Token] = []
    for opening, closing in zip(quotes[::2], quotes[1::2], strict=True):
        tokens += _outside(text, start, opening)
        string = '"' if _string(text, opening + 1, closing) else ""
        start = closing + 1
        tokens.append(_Token(opening, start, string))
    return [*tokens, *_outside(text, start, stop)]


def _outside(text: str, start: int, stop: int) -> Iterator[_Token]:
    for found in _TOKEN.finditer(text, start, stop):
        scalar = "0" if _SCALAR.fullmatch(found[0]) else ""
        kind = found[0] if found[0] in "{}[],:" else scalar
        yield _Token(found.start(), found.end(), kind)


def _signs(tokens: list[_Token], depth: int) -> Iterator[Lost]:
    """Give every bracket, comma or colon that would make JSON of the tokens."""
    ahead = _FORWARD.read(_START, tokens, depth)
    behind = _BACKWARD.read(_END, reversed(tokens), depth)
    for index in range(len(tokens) + 1 - len(behind), len(ahead)):
        for sign in "{}[],:":
            # Before and behind a sign of its kind it would be the same text.
            again = index < len(tokens) and tokens[index].kind == sign
            if not again and _joined(ahead[index], sign, behind[len(tokens) - index]):
                at = tokens[index].start if sign in "{[" else tokens[index - 1].end
                yield Lost(at, sign, "", sign)


def _is_odd(string: str) -> bool:
    """Say whether a string is none, or JSON itself with a quote too many or several too few."""
    return not string or bool(_STRUCTURE.search(string) or _SCALAR.fullmatch(string))


class _Quotes:
    """The search for a quote that was lost: those that are there are an odd number."""

    def __init__(self, text: str, start: int, stop: int, quotes: list[int], depth: int) -> None:
        self._text = text
        self._quotes = quotes
        # Before the quote that was lost they are in pairs from the left, behind it from the right.
        self._left = _tokens(text, start, quotes[-1], quotes[:-1])
        self._right = _tokens(text, quotes[0] + 1, stop, quotes[1:])
        starts = [*(token.start for token in self._left), quotes[-1]]
        ends = [*(token.end for token in reversed(self._right)), quotes[0] + 1]
        ahead = _FORWARD.read(_START, self._left, depth)
        behind = _BACKWARD.read(_END, reversed(self._right), depth)
        self._ahead = dict(zip(starts, ahead, strict=False))
        self._behind = dict(zip(ends, behind, strict=False))

    def found(self) -> Lost | None:
        """Give a quote that may have been lost; it is sure if it can be nothing else."""
        found = _first(self._all())
        return found and found._replace(
            sure=found.sure
            and not self._is_escaped()
            and not _is_odd(found.after[1:-1])
            and self._stands_clear(found)
        )

    def _all(self) -> Iterator[Lost]:
        """Give every quote that would make JSON of the text."""
        text, quotes = self._text, self._quotes
        for quote in quotes:
            if self._fits(quote, quote + 1):
                yield Lost(quote + 1, '"', '"', '""')
        for start, _, _ in self._left:
            end = quotes[bisect(quotes, start)] + 1
            if text[start] != '"' and self._fits(start, end) and _string(text, start, end - 1):
                yield Lost(start, '"', text[start:end], f'"{text[start:end]}')
        for start, end, _ in self._right:
            opening = quotes[bisect(quotes, start) - 1]
            if text[start] != '"' and self._fits(opening, end) and _string(text, opening + 1, end):
                yield Lost(end, '"', text[opening:end], f'{text[opening:end]}"')

    def _fits(self, start: int, end: int, roles: Sequence[str] = ("key", "value")) -> bool:
        """Say whether what is between these, as a string, makes JSON of the text."""
        ahead, behind = self._ahead.get(start), self._behind.get(end)
        joined = ahead and behind and _joined(ahead, '"', behind)
        return bool(joined) and joined.role in roles

    def _stands_clear(self, found: Lost) -> bool:
        """Say whether space beside the quote cannot have been in the string."""
        text, at = self._text, found.at
        if found.after.startswith(found.before):
            return text[at] not in " \t"
        return text[at - 1] not in SPACE or self._is_usual(at)

    def _is_usual(self, at: int) -> bool:
        """Say whether all the space before `at` stands in all other such places too."""
        pairs = pairwise(self._left)
        gaps = [self._gap(*pair, self._ahead.get(pair[1].start)) for pair in pairs]
        place = [token.start for token in self._left].index(at) - 1
        after = (pair for pair in pairwise(self._right) if pair[0].start > at)
        others = gaps[:place] + [self._gap(*pair, self._behind.get(pair[0].end)) for pair in after]
        like, gap = gaps[place]
        return {other for kind, other in others if kind == like} == {gap}

    def _gap(self, one: _Token, other: _Token, state: _State | None) -> tuple[int | str, str]:
        """Give the space between two tokens, and the kind of place where it is."""
        gap = self._text[one.end : other.start]
        if state is None or other.kind in _CLOSING:
            return "", gap
        return len(state.stack) if "\n" in gap else self._text[one.end - 1], gap

    def _is_escaped(self) -> bool:
        """Say whether a value may go on behind a quote, whose backslash was lost then."""
        text, quotes = self._text, self._quotes
        return any(
            self._fits(opening, closing + 1, ("value",))
            and _string(text, opening + 1, quote)
            and _string(text, quote + 1, closing)
            for opening, quote, closing in zip(quotes, quotes[1:], quotes[2:], strict=False)
        )
