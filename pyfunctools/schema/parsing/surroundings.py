"""What models write around a value: fences, tags, prose before it and after it."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from pyfunctools.schema.parsing.glyphs import COMMAS, HIDDEN, SPACE

BLANK: Final = re.compile(rf"[\s{HIDDEN}]*+")
COMMENT: Final = re.compile(r"//[^\n]*+|\#[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)")

_BLANKS = (
    f"{SPACE}{HIDDEN}\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
)
_LANGUAGE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+.-"
_OPENING_FENCE = re.compile(r"(?:`{3,}+|~{3,}+)[ \t]*+[A-Za-z0-9_+.-]*+\s|`++(?=\s*+[\[{])")
_TAG = re.compile(r"</?[A-Za-z_|\uff5c][^<>\n]{0,100}+>|\[/?[A-Z]++(?:_[A-Z]++)++\]")
_CLOSING_TAG = re.compile(r"</([A-Za-z_|\uff5c][^<>\n]{0,100}+)>")
_AFTER = (
    ("fence", re.compile(r"`++|~{3,}+")),
    ("tag", _TAG),
    ("comment", COMMENT),
    ("closer", re.compile(r"[}\])](?:\s*+[}\])])*+")),
    ("comma", re.compile(rf"[{COMMAS}]")),
)

_MOST = 16
"""Pieces that are told apart on either side."""


class Piece(NamedTuple):
    """Text around a value, and the kind of the repair that leaves it out."""

    kind: str
    text: str


def beginning(text: str, start: int) -> int:
    """Return where the value begins, if a text begins with one behind fences, tags and comments."""
    at = _blank(text, start)
    while found := (
        _OPENING_FENCE.match(text, at) or _TAG.match(text, at) or COMMENT.match(text, at)
    ):
        at = _blank(text, found.end())
    return at


def before(text: str, start: int, end: int) -> list[Piece]:
    """Return what stands before a value, from `start` to `end`, in the order of the text."""
    pieces: list[Piece] = []
    if (odd := text[start:end].strip(SPACE)) and BLANK.fullmatch(odd):
        return [Piece("space", odd)]
    while rest := text[start:end].rstrip(_BLANKS):
        cut = _last_fence(rest) if len(pieces) < _MOST else None
        kind = "fence"
        if cut is None and len(pieces) < _MOST and rest[-1] in ">]":
            cut = max(rest.rfind("<"), rest.rfind("["))
            kind = "tag"
            cut = cut if cut >= 0 and _TAG.fullmatch(rest, cut) else None
        if cut is None:
            kind = "comment" if COMMENT.fullmatch(rest.lstrip()) else "prose"
            cut = 0
        pieces.append(Piece(kind, rest[cut:]))
        end = start + cut
    return pieces[::-1]


def _last_fence(text: str) -> int | None:
    body = text.rstrip(_LANGUAGE).rstrip(" \t") if text[-1] not in "`~" else text
    if body.endswith(("```", "~~~")) or (body is text and body.endswith("`")):
        return len(body.rstrip(body[-1]))
    return None


def framed(text: str) -> tuple[int, int]:
    """Return where the frame that ends a text was opened, and where what is in it ends.

    A frame is a fence, tags (`<a>...</a>`), or a fence within tags; of several the innermost.
    Both numbers are the length of the text where none ends it.
    """
    opened, end = None, len(text.rstrip())
    for _ in range(_MOST):
        closing = _closing_tag(text, end)
        start = -1 if closing is None else text.find(f"<{closing[1]}", 0, closing.start())
        if closing is None or start < 0:
            break
        opened, end = start, len(text[: closing.start()].rstrip())
    mark = text[end - 1 : end]
    if mark in ("`", "~") and text.endswith(mark * 3, 0, end):
        opened, end = text.find(mark * 3), len(text[:end].rstrip(mark).rstrip())
    return (len(text), len(text)) if opened is None else (opened, end)


def _closing_tag(text: str, end: int) -> re.Match[str] | None:
    """Return the closing tag that ends the text before `end`."""
    start = text.rfind("</", 0, end) if text.endswith(">", 0, end) else -1
    return None if start < 0 else _CLOSING_TAG.fullmatch(text, start, end)


def after(text: str, start: int) -> Iterator[Piece]:
    """Yield what stands after a value, up to the end of the text.

    The last piece is all the rest: from another value (`rest`) or from the first word on (`prose`).
    """
    at = _blank(text, start)
    if odd := text[start:at].strip(SPACE):
        yield Piece("space", odd)
    count = 0
    while at < len(text):
        for kind, pattern in _AFTER if (count := count + 1) <= _MOST else ():
            if found := pattern.match(text, at):
                yield Piece(kind, found[0])
                at = _blank(text, found.end())
                break
        else:
            yield Piece("rest" if text[at] in "[{" else "prose", text[at:])
            return


def _blank(text: str, at: int) -> int:
    found = BLANK.match(text, at)
    return found.end() if found else at
