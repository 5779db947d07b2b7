"""What a person gave, kept out of every `repr`, and masked in what others are told of a call."""

import re
from collections.abc import Iterable
from dataclasses import replace
from html import escape
from json import dumps
from urllib.parse import quote, quote_plus

from pyfunctools._json import JsonValue
from pyfunctools._text import visible
from pyfunctools.record.outcome import Outcome, json_of
from pyfunctools.schema import Issue
from pyfunctools.schema.ground.json_values import MAX_SCHEMA_DEPTH, deeper_than
from pyfunctools.schema.ground.preview import preview_scalar

MASK = "***"
"""What is shown instead of a secret."""

SHORTEST = 4
"""Characters of the shortest value that is looked for inside of words; others stand in too many."""

_LONGEST = 4096
"""Characters of the longest value that is looked for in other spellings than its own."""


class UnshownArguments(dict[str, JsonValue]):
    """The whole arguments of a call, of which the `repr` tells no more than the names.

    So what shows the `repr` of them does not either: a log, an error, a traceback with locals.
    """

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name!r}: {MASK}" for name in self) + "}"


class Masker:
    """What puts `***` where one of some values stands.

    Values of at least `SHORTEST` characters are found anywhere, shorter `secrets` where they stand
    alone, shorter `others` not at all: as they are, as JSON, Python, HTML and URLs spell them, and
    one end of them beside an ellipsis. The cost is that of searching the text once for each value.
    """

    def __init__(self, secrets: Iterable[str], others: Iterable[str] = ()) -> None:
        spelled = {each for value in secrets for each in _spellings(value)}
        long = {each for value in others for each in _spellings(value) if len(each) >= SHORTEST}
        self.spellings = sorted(spelled | long, key=len, reverse=True)
        self._short = frozenset(each for each in spelled if len(each) < SHORTEST)
        self._secrets = spelled

    def __bool__(self) -> bool:
        return bool(self.spellings)

    def text(self, text: str) -> str:
        """Return a text without the values."""
        for spelled in self.spellings:
            if spelled not in self._short:
                text = text.replace(spelled, MASK)
            elif spelled in text:
                text = re.sub(rf"(?<!\w){re.escape(spelled)}(?!\w)", MASK, text)
        return self._without_ends(text) if self.spellings else text

    def value(self, value: JsonValue) -> JsonValue:
        """Return a value without the values; what is nested without end is masked as a whole."""
        return MASK if deeper_than(value, MAX_SCHEMA_DEPTH) else self._inside(value)

    def json(self, outcome: Outcome) -> tuple[JsonValue] | None:
        """Return the value of an outcome as JSON without the values, `None` where it has none."""
        known = json_of(outcome)
        return known if known is None or not self else (self.value(known[0]),)

    def issues(self, issues: tuple[Issue, ...]) -> tuple[Issue, ...]:
        """Return issues without the values."""
        return tuple(
            replace(
                issue,
                expected=self.text(issue.expected),
                message=self.text(issue.message),
                value=self.value(issue.value),
            )
            for issue in issues
        )

    def _inside(self, value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            return {self.text(key): self._inside(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._inside(item) for item in value]
        if isinstance(value, str):
            return self.text(value)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return MASK if is_number and preview_scalar(value) in self.spellings else value

    def _without_ends(self, text: str) -> str:
        """Return a text without the ends of values that stand beside an ellipsis.

        So pydantic tells a long value, as `'abcdef...uvwxyz'`, and so do `repr` and `textwrap`.
        """
        if "…" not in text and ".." not in text:
            return text
        pieces = _ELLIPSIS.split(text)  # the ellipses are the odd ones
        for n in range(0, len(pieces), 2):
            if n + 1 < len(pieces):
                pieces[n] = self._cut(pieces[n])
            if n:
                pieces[n] = self._cut(pieces[n][::-1], -1)[::-1]
        return "".join(pieces)

    def _cut(self, piece: str, step: int = 1) -> str:
        """Return a piece without the beginning of a value that it ends with.

        With a `step` of -1 the piece is read from its end, and so is each value.
        """
        ended = piece.rstrip(_BRACKETS)
        longest = 0
        for spelled in self.spellings:
            part = spelled[: len(ended)] if step == 1 else spelled[: -len(ended) - 1 : -1]
            size = _overlap(ended, part[:-1] if len(part) == len(spelled) else part)
            is_alone = not ended[-size - 1 : -size].isalnum()
            if size >= SHORTEST or (size > 1 and is_alone and spelled in self._secrets):
                longest = max(longest, size)
        return ended[:-longest] + MASK + piece[len(ended) :] if longest else piece


_ELLIPSIS = re.compile(r"(…|\.{2,})")
_BRACKETS = " \n[](){}<>'\""
"""What may stand between a cut value and its ellipsis."""

_WINDOW = 32
_TRIES = 100


def _overlap(text: str, value: str) -> int:
    """Return how many characters of the beginning of `value` the `text` ends with.

    Nothing is compared twice at length but in periodic texts; there it gives up after some tries,
    and all of the text counts.
    """
    if len(value) > _WINDOW:
        window, at, tries = value[:_WINDOW], max(0, len(text) - len(value)), 0
        while (at := text.find(window, at)) >= 0:
            if tries == _TRIES or value.startswith(text[at:]):
                return len(text) if tries == _TRIES else len(text) - at
            at, tries = at + 1, tries + 1
    longest = min(len(value), len(text), _WINDOW)
    return next((n for n in range(longest, 0, -1) if text.endswith(value[:n])), 0)


def _spellings(value: str) -> set[str]:
    plain = str(value)
    spelled = {plain, plain.strip()}
    if len(plain) <= _LONGEST and not (plain.isascii() and plain.isalnum()):
        coded = plain.encode("utf-8", "replace")
        spelled |= {visible(plain), repr(plain)[1:-1], quote(coded, safe=""), quote_plus(coded)}
        spelled |= {quote(coded), dumps(plain)[1:-1], dumps(plain, ensure_ascii=False)[1:-1]}
        spelled |= {escape(plain), escape(plain, quote=False)}
    return {each for each in spelled if each and not each.isspace()}
