"""A path template, taken apart once: values are put in its slots and never read again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import unquote

from pyfunctools.execution.request.styles import kept


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a value: its name as the template has it, and the text that stands there.

    `text` is what is sent where no parameter has the name, and `None` where that is an error.
    """

    name: str
    text: str | None = None


Pieces: TypeAlias = tuple[str | Slot, ...]
"""Literal text, encoded, and slots, in their order."""


@dataclass(frozen=True, slots=True)
class Template:
    """The segments of a path, and what the template writes into the query itself.

    `climbs` says that a segment without a slot is `.` or `..`.
    """

    segments: tuple[Pieces, ...]
    query: Pieces
    climbs: bool = False


@lru_cache(maxsize=4096)
def template_of(path: str) -> Template:
    """Split a path template.

    A slot is `{name}`, or `:name` at the start of a segment; `{?a,b}` and `{&a,b}` stand for
    nothing, since query parameters are declared on their own. A fragment is never sent, so what
    follows `#` is left out. A path that begins without `/` is given one.

    Raises:
        UnsendableError: the path holds a lone surrogate.
    """
    path = path.partition("#")[0]
    before, mark, after = _outside_braces(path)
    segments: list[list[str | Slot]] = [[]]
    for piece in _pieces(before if before.startswith("/") else f"/{before}", _SLOT):
        if isinstance(piece, Slot):
            segments[-1].append(piece)
            continue
        first, *others = piece.split("/")
        segments[-1].append(first)
        segments.extend([other] for other in others)
    fixed = ("".join(map(str, s)) for s in segments if not any(isinstance(p, Slot) for p in s))
    return Template(
        segments=tuple(tuple(piece for piece in pieces if piece) for pieces in segments),
        query=tuple(_pieces(after, _BRACES)) if mark else (),
        climbs=any(map(is_dot_segment, fixed)),
    )


def is_dot_segment(segment: str) -> bool:
    """Return whether some server would take a segment for a step up, or for none.

    The segment is given as it is sent. It is decoded once for what it says, and up to three times
    more for servers that decode again; each time it is split at `/` and `\\`, and a path parameter
    (`..;x`, RFC 3986, section 3.3) is cut off.
    """
    if "." not in segment and "%" not in segment:
        return False
    for _ in range(4):
        decoded = unquote(segment)
        if any(part.partition(";")[0] in (".", "..") for part in _SLASHES.split(decoded)):
            return True
        if decoded == segment:
            return False
        segment = decoded
    return False


_SLASHES = re.compile(r"[/\\]")
_BRACES = re.compile(r"(?P<braces>\{[^{}]*\})")
_SLOT = re.compile(r"(?P<braces>\{[^{}]*\})|(?<=/)(?P<colon>:[A-Za-z_][A-Za-z0-9_]*)")
_LITERAL = "/!$&'()*+,;=:@"


def _outside_braces(path: str) -> tuple[str, str, str]:
    """Split a path at the first `?` that stands in no braces."""
    for found in re.finditer(r"\{[^{}]*\}|\?", path):
        if found.group() == "?":
            return path[: found.start()], "?", path[found.end() :]
    return path, "", ""


def _pieces(text: str, slot: re.Pattern[str]) -> Iterator[str | Slot]:
    end = 0
    for found in slot.finditer(text):
        yield kept(text[end : found.start()], _LITERAL)
        end = found.end()
        if found.lastgroup == "colon":
            yield Slot(found.group()[1:], found.group())
        else:
            name = found.group()[1:-1]
            yield Slot(name, "" if name[:1] in ("?", "&") else None)
    yield kept(text[end:], _LITERAL)
