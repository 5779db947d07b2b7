"""What a person gave, kept out of every `repr`, and masked in what others are told of a call."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from json import dumps
from urllib.parse import quote, quote_plus

from pyfunctools._json import JsonValue
from pyfunctools._text import visible
from pyfunctools.outcome import Outcome
from pyfunctools.record import Function
from pyfunctools.schema import Issue, separate
from pyfunctools.schema.depth import MAX_SCHEMA_DEPTH, deeper_than
from pyfunctools.schema.path import Keys
from pyfunctools.schema.predicates import is_secret
from pyfunctools.schema.shown import shown_scalar

MASK = "***"
"""What is shown instead of a secret."""

SHORTEST = 4
"""Characters of the shortest value that is looked for inside of words; others stand in too many."""

_LONGEST = 4096
"""Characters of the longest value that is looked for in other spellings than its own."""


class Arguments(dict[str, JsonValue]):
    """The whole arguments of a call, of which the `repr` tells no more than the names.

    So what shows the `repr` of them does not either: a log, an error, a traceback with locals.
    """

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name!r}: {MASK}" for name in self) + "}"


def scalars_in(value: JsonValue) -> Iterator[tuple[Keys, str]]:
    """Give each text and number in a value, a number as JSON writes it, and where it stands."""
    left: list[tuple[Keys, JsonValue]] = [((), value)]
    for keys, inner in left:  # grows while it is read
        if isinstance(inner, dict):
            left += [((*keys, key), held) for key, held in inner.items()]
        elif isinstance(inner, list):
            left += [((*keys, n), held) for n, held in enumerate(inner)]
        elif isinstance(inner, str):
            yield keys, inner
        elif isinstance(inner, int | float) and not isinstance(inner, bool):
            yield keys, shown_scalar(inner)


def secrets_in(function: Function, whole: JsonValue) -> JsonValue:
    """Give the part of the whole arguments that is at secret places, as `is_secret` says."""
    return separate(function.parameters, is_secret).split(whole)[1]


def masked(function: Function, whole: JsonValue, human: JsonValue, outcome: Outcome) -> Outcome:
    """Give the outcome of a call with these arguments without what the person gave of them.

    From the text and the issues of an error all of it is left out; from the text of a success, in
    which the function may tell what a person chose, the secrets. `value` and `headers` are the
    program's, and left alone. See `Masker` for what is found.
    """
    theirs = tuple(scalars_in(human))
    masker = Masker(text for _, text in theirs)
    if not outcome.is_error:
        if masker.text(outcome.text) == outcome.text:
            return outcome
        secret = {keys for keys, _ in scalars_in(secrets_in(function, whole))}
        masker = Masker(text for keys, text in theirs if keys in secret)
    return replace(
        outcome,
        text=masker.text(outcome.text),
        issues=masker.issues(outcome.issues),
    )


class Masker:
    """What puts `***` where one of some values stands.

    Found are values of at least `SHORTEST` characters, and those of one less that stand alone: as
    they are, as JSON, Python and URLs spell them, and cut off by an ellipsis. What was encoded or
    taken apart in another way is not.
    """

    def __init__(self, values: Iterable[str]) -> None:
        spelled = {each for value in values for each in _spellings(value)}
        self.spellings = sorted(spelled, key=len, reverse=True)

    def text(self, text: str) -> str:
        """Give a text without the values."""
        for spelled in self.spellings:
            if len(spelled) >= SHORTEST:
                text = text.replace(spelled, MASK)
            elif spelled in text:
                text = re.sub(rf"(?<!\w){re.escape(spelled)}(?!\w)", MASK, text)
        if not self.spellings or "…" not in text:
            return text
        *cut, rest = text.split("…", 100)
        return "…".join([*map(self._ended, cut), rest])

    def value(self, value: JsonValue) -> JsonValue:
        """Give a value without the values; what is nested without end is masked as a whole."""
        return MASK if deeper_than(value, MAX_SCHEMA_DEPTH) else self._inside(value)

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
            return {key: self._inside(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._inside(item) for item in value]
        if isinstance(value, str):
            return self.text(value)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return MASK if is_number and shown_scalar(value) in self.spellings else value

    def _ended(self, piece: str) -> str:
        for spelled in self.spellings:
            for size in range(min(len(spelled) - 1, len(piece), _LONGEST), SHORTEST - 1, -1):
                if piece.endswith(spelled[:size]):
                    return piece[:-size] + MASK
        return piece


def _spellings(value: str) -> set[str]:
    plain = str(value)
    spelled = {plain}
    if len(plain) <= _LONGEST and not (plain.isascii() and plain.isalnum()):
        coded = plain.encode("utf-8", "replace")
        spelled |= {visible(plain), repr(plain)[1:-1], quote(coded, safe=""), quote_plus(coded)}
        spelled |= {quote(coded), dumps(plain)[1:-1], dumps(plain, ensure_ascii=False)[1:-1]}
    return {each for each in spelled if len(each) >= SHORTEST - 1}
