"""Masks values in texts and in JSON: a person's private values, and credentials."""

import re
from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from html import escape
from json import dumps
from typing import cast
from urllib.parse import quote, quote_plus

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import visible
from pyfunctools.record.file import File
from pyfunctools.record.outcome import Outcome, Question, Request, Waiting, is_ours, outcome_json
from pyfunctools.schema import Issue, Path
from pyfunctools.schema.ground.json_values import MAX_SCHEMA_DEPTH, deeper_than, preview_scalar
from pyfunctools.schema.ground.path import parse_path

MASK = "***"

SHORTEST = 4
"""Characters of the shortest value that is masked inside words; shorter values are too common."""

_LONGEST = 4096
"""Characters of the longest value that is masked in other spellings than as written."""


class UnshownArguments(dict[str, JsonValue]):
    """The whole arguments of a call; a log or a traceback with locals shows only their names."""

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name!r}: {MASK}" for name in self) + "}"


_WORDS = frozenset({"message", "title", "description"})


def words_masked(value: JsonValue, masked: Callable[[str], str]) -> JsonValue:
    """Return JSON of a server with only its words masked: it has to get back the rest as it is."""
    if isinstance(value, list):
        return [words_masked(each, masked) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: masked(inner)
        if key in _WORDS and isinstance(inner, str)
        else words_masked(inner, masked)
        for key, inner in value.items()
    }


class Masker:
    """Replaces values by `***`.

    Values of at least `SHORTEST` characters are found anywhere, shorter ones only where they stand
    alone, and not if they are also in `known`; the `others` are not secret, and none is masked that
    is also in `known`. They are found as written, as JSON, Python, HTML and URLs spell them, and
    truncated beside an ellipsis. The text is searched once for each spelling.
    """

    def __init__(
        self, secrets: Iterable[str], others: Iterable[str] = (), known: Set[str] = frozenset()
    ) -> None:
        kept = {each for each in secrets if len(each) >= SHORTEST or each not in known}
        self._secrets = set[str]().union(*map(_spellings, kept))
        spellings = self._secrets.union(*map(_spellings, {*others} - known))
        self._short = {each for each in spellings if len(each) < SHORTEST}
        self.spellings = sorted(spellings, key=len, reverse=True)

    def outcome(self, outcome: Outcome) -> Outcome:
        """Return an outcome with its text, issues and JSON masked; its `value` stays.

        Words of ours are not masked: `***` in them would tell that a value is one of them.
        """
        if not self.spellings:
            return outcome
        text = outcome.text if is_ours(outcome) else self.text(outcome.text)
        json = outcome_json(outcome)
        shown = json and (self.value(json[0]),)
        is_bare = not (outcome.issues or outcome.content or outcome.waiting)
        if is_bare and (text, shown) == (outcome.text, json):
            return outcome
        return replace(
            outcome,
            text=text,
            issues=tuple(map(self._issue, outcome.issues)),
            content=tuple(map(self._file, outcome.content)),
            waiting=outcome.waiting and self._waiting(outcome.waiting),
            _json=shown and (*shown, outcome.value),
        )

    def _waiting(self, waiting: Waiting) -> Waiting:
        # Questions of ours are made of the schema and of masked issues. A mask among our own words
        # would tell that a value is one of them.
        server, request, questions = waiting.server, waiting.request, waiting.questions
        return replace(
            waiting,
            questions=tuple(map(self._asked_by_server, questions)) if server else questions,
            server=server and replace(server, message=self.text(server.message)),
            request=request and self.request(request),
        )

    def _asked_by_server(self, question: Question) -> Question:
        return replace(
            question,
            label=self.text(question.label, _item_numbers(question.path)),
            help=self.text(question.help),
            problem=question.problem and self.text(question.problem),
            schema=cast("JsonObject", words_masked(question.schema, self.text)),
        )

    def request(self, request: Request) -> Request:
        """Return a request with the values masked."""
        headers = {name: self.text(value) for name, value in request.headers.items()}
        content = request.content and self.text(request.content)
        return replace(request, url=self.text(request.url), headers=headers, content=content)

    def text(self, text: str, shown: Set[str] = frozenset()) -> str:
        """Return a text with the values masked, except short ones that are `shown`."""
        for spelled in self.spellings:
            if spelled not in self._short:
                text = text.replace(spelled, MASK)
            elif spelled in text and spelled not in shown:
                text = re.sub(_ALONE.format(re.escape(spelled)), MASK, text)
        # pydantic truncates a long value to `'abcdef...uvwxyz'`, and so do `repr` and `textwrap`.
        is_truncated = self.spellings and ("…" in text or ".." in text)
        return self._without_ends(text) if is_truncated else text

    def value(self, value: JsonValue) -> JsonValue:
        """Return JSON with the values masked; JSON that is nested too deeply becomes `***`."""
        return MASK if deeper_than(value, MAX_SCHEMA_DEPTH) else self._inside(value)

    def _issue(self, issue: Issue) -> Issue:
        keys = (self.text(key) if isinstance(key, str) else key for key in issue.path.keys)
        return replace(
            issue,
            path=Path.of(keys, issue.path.partition(".")[0].partition("[")[0]),
            expected=self.text(issue.expected),
            message=self.text(issue.message),
            value=self.value(issue.value),
        )

    def _file(self, file: File) -> File:
        name = file.filename and self.text(file.filename)
        return file if name == file.filename else File(file.content, name, file.content_type)

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
        """Return a text with truncated values masked: beginnings and ends beside an ellipsis."""
        pieces = _ELLIPSIS.split(text)  # every second one is an ellipsis
        for n in range(0, len(pieces), 2):
            if n + 1 < len(pieces):
                pieces[n] = self._without_end(pieces[n])
            if n:
                pieces[n] = self._without_end(pieces[n][::-1], -1)[::-1]
        return "".join(pieces)

    def _without_end(self, piece: str, step: int = 1) -> str:
        """Return a piece with the beginning of a value at its end masked.

        With a `step` of -1 the piece is reversed, and so is each value.
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


def _item_numbers(path: str) -> Set[str]:
    """Return the numbers of items in the label of a path, which may be equal to an answer."""
    return {str(key + 1) for key in parse_path(path) or () if isinstance(key, int)}


_ALONE = r"(?<![\w])(?<!\d[.,])(?<![\w\]]\[){}(?!\w)(?![.,]\d)"
"""A short value by itself: not within a word or a number, nor the index of an item."""

_ELLIPSIS = re.compile(r"(…|\.{2,})")
_BRACKETS = " \n[](){}<>'\""
"""Characters that may stand between a truncated value and its ellipsis."""

_WINDOW = 32
_TRIES = 100


def _overlap(text: str, value: str) -> int:
    """Return the length of the longest beginning of `value` that is the end of `text`.

    The time is linear: after `_TRIES` tries in a periodic text, the length of the text is returned.
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
    text = str(value)
    spelled = {text, text.strip()}
    if len(text) <= _LONGEST and not (text.isascii() and text.isalnum()):
        encoded = text.encode("utf-8", "replace")
        spelled |= {visible(text), repr(text)[1:-1], quote(encoded, safe=""), quote_plus(encoded)}
        spelled |= {quote(encoded), dumps(text)[1:-1], dumps(text, ensure_ascii=False)[1:-1]}
        spelled |= {escape(text), escape(text, quote=False)}
    return {each for each in spelled if each and not each.isspace()}
