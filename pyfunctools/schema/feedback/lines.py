"""A value as lines of JSON with a comment on each mistake; large valid parts are left out.

The cost depends on the lines that are written, not on the size of the value.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from pyfunctools._json import JsonValue
from pyfunctools._text import quantity, shortened
from pyfunctools.schema.ground.path import Keys, value_at
from pyfunctools.schema.ground.preview import (
    CONTAINERS,
    escape_invisible,
    preview,
    preview_scalar,
)

MARK = "❌"
GIVEN = "(given by a person)"
"""Written in place of a person's value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """How much of a value is written, in at most `size` bytes.

    Of an object or array with mistakes inside, the first `properties` or `items` without mistakes
    are written. A part without mistakes stands on one line of up to `inline` characters, or else on
    several down to `depth` levels, or else only its size is written. A string is cut after `text`
    characters.
    """

    size: int
    properties: int
    items: int
    inline: int
    depth: int
    text: int


DETAILS = (
    Detail(size=2_000, properties=100, items=12, inline=80, depth=8, text=400),
    Detail(size=5_500, properties=12, items=3, inline=60, depth=0, text=120),
    Detail(size=5_500, properties=2, items=0, inline=40, depth=0, text=48),
)
"""From the most to the least; the first in which the whole value has room is used."""


@dataclass(slots=True, eq=False)
class CommentedPlace:
    """A place in a value with its comments, and the places below it that have comments.

    A `hidden` place belongs to a person: its value is never written.
    """

    comments: list[str] = field(default_factory=list[str])
    below: "dict[str | int, CommentedPlace]" = field(
        default_factory=dict[str | int, "CommentedPlace"]
    )
    hidden: bool = False

    def at(self, keys: Keys) -> "CommentedPlace":
        """Return the place at these keys below, which is created if needed."""
        place = self
        for key in keys:
            place = place.below.setdefault(key, CommentedPlace())
        return place


_NO_COMMENT = CommentedPlace()

_PLAIN = re.compile(r"[\w .,:;@/+-]*", re.ASCII)
"""Texts that are written as they are."""
_SPACE = re.compile("[\\s\x85\u2028\u2029]+", re.ASCII)
"""White space that becomes one space; a no-break space (U+00A0) is part of a name or value."""


def one_line(text: str, limit: int = 300) -> str:
    """Return the text on one line that cannot end a fence or a tag around it."""
    return without_closers(escape_invisible(shortened(_SPACE.sub(" ", text).strip(" "), limit)))


def without_closers(text: str) -> str:
    """Return the text with the beginnings of fences and closing tags as JSON escapes."""
    if "<" not in text and "`" not in text:
        return text
    return text.replace("```", "\\u0060" * 3).replace("</", "<\\/").replace("<|", "\\u003c|")


def is_present(value: JsonValue, keys: Keys) -> bool | None:
    """Return whether there is a value at these keys; `None` for a missing property of an object."""
    if not keys:
        return True
    outer = value_at(value, keys[:-1])
    if outer is not None and isinstance(outer[0], dict) and isinstance(keys[-1], str):
        return True if keys[-1] in outer[0] else None
    return outer is not None and value_at(outer[0], keys[-1:]) is not None


class _Member(NamedTuple):
    """A member of an object or array, with its name in front.

    It is `missing` if it has comments but no value. `text` is its line, if that is known. With
    `gap`, it stands for that many members without mistakes that are left out.
    """

    name: str = ""
    value: JsonValue = None
    place: CommentedPlace = _NO_COMMENT
    missing: bool = False
    text: str | None = None
    gap: int = 0


_READ = 10_000
"""How many members of an object are read to write those with mistakes in their order."""
_INDENTED = 16
"""The deepest level that is indented further than the one above."""
_KEY = 80
"""Characters of a property's name; the rest is cut."""


class _NoRoomError(Exception):
    """The next line would exceed the size of the detail."""


class LineWriter:
    """Writes the lines of a value in one detail.

    `marked` are the places whose comments are written, and `is_elided` is whether anything is left
    out.
    """

    def __init__(self, detail: Detail) -> None:
        self._detail = detail
        self._left = detail.size
        self.lines: list[str] = []
        self.marked: set[CommentedPlace] = set()
        self.is_elided = False

    def write(self, value: JsonValue, place: CommentedPlace) -> bool:
        """Write as many lines of a value as there is room for; return whether all are written."""
        try:
            self._member(_Member(value=value, place=place), "", 0)
        except _NoRoomError:
            self.lines.append("// … the rest")
            self.is_elided = True
            return False
        return True

    def _line(self, level: int, text: str, place: CommentedPlace = _NO_COMMENT) -> None:
        line = "  " * min(level, _INDENTED) + text
        if place.comments:
            line += f" // {MARK} {'; '.join(place.comments)}"
        self._left -= (len(line) if line.isascii() else len(line.encode())) + 1
        if self._left < 0:
            raise _NoRoomError
        self.lines.append(line)
        if place.comments:
            self.marked.add(place)

    def _member(self, member: _Member, comma: str, level: int) -> None:
        value, place = member.value, member.place
        text = member.text
        if text is None:
            text = self._on_one_line(member, level)
        if text is not None:
            self._line(level, member.name + text + comma, place)
            return
        if isinstance(value, dict):
            brackets, unit, members = "{}", "property", self._properties(value, place)
        else:
            items: Sequence[JsonValue] = value if isinstance(value, list | tuple) else ()
            brackets, unit, members = "[]", "item", self._items(items, place, level + 1)
        self._line(level, member.name + brackets[0], place)
        last = len(members) - (2 if members and members[-1].gap else 1)
        for n, inner in enumerate(members):
            if inner.gap:
                self.is_elided = True
                self._line(level + 1, f"// … {quantity(inner.gap, f'more {unit}')}")
            else:
                self._member(inner, "," if n < last else "", level + 1)
        self._line(level, brackets[1] + comma)

    def _on_one_line(self, member: _Member, level: int) -> str | None:
        """Return the value as one line; `None` if it needs several."""
        value, place, detail = member.value, member.place, self._detail
        if place.hidden:
            return GIVEN
        if member.missing:
            return "undefined"
        if not isinstance(value, CONTAINERS):
            if isinstance(value, str) and len(value) < 40 and _PLAIN.fullmatch(value):
                return f'"{value}"'  # most texts
            is_cut = isinstance(value, str) and len(value) > detail.text - 2
            self.is_elided |= is_cut and not place.comments
            return without_closers(preview_scalar(value, detail.text))
        if place.below:
            return None
        if (text := self._inline(value)) is not None or level < detail.depth:
            return text
        self.is_elided = True
        if isinstance(value, dict):
            return f"{{ … {quantity(len(value), 'property')} }}"
        return f"[ … {quantity(len(value), 'item')} ]"

    def _inline(self, value: JsonValue) -> str | None:
        """Return a value as one line, unless it is an object or array that is too long for it."""
        text = preview(value, self._detail.inline + 1)
        if isinstance(value, CONTAINERS) and len(text) > self._detail.inline:
            return None
        return without_closers(text)

    def _properties(self, value: Mapping[str, JsonValue], place: CommentedPlace) -> list[_Member]:
        members: list[_Member] = []
        unwritten = {
            key: below
            for key, below in place.below.items()
            if isinstance(key, str) and key in value
        }
        shown = gap = 0
        for key in islice(value, _READ):
            if key not in place.below:
                shown += 1
                if shown > self._detail.properties:
                    gap += 1
                    continue
            if gap:
                members.append(_Member(gap=gap))
                gap = 0
            members.append(_Member(_name(key), value[key], unwritten.pop(key, _NO_COMMENT)))
        gap += max(len(value) - _READ - len(unwritten), 0)
        if gap:
            members.append(_Member(gap=gap))
        members += [_Member(_name(key), value[key], below) for key, below in unwritten.items()]
        for key, below in place.below.items():
            if key not in value and below.comments:
                members.append(_Member(_name(key), place=below, missing=True))
        return members

    def _items(
        self, value: Sequence[JsonValue], place: CommentedPlace, level: int
    ) -> list[_Member]:
        members: list[_Member] = []
        shown: dict[int, str | None] = {}
        for n, item in enumerate(value[: self._detail.items]):
            if n not in place.below and isinstance(item, CONTAINERS):
                text = self._inline(item)
                if text is None and level >= self._detail.depth:
                    continue
                shown[n] = text
            else:
                shown[n] = None
        shown |= {n: None for n in place.below if isinstance(n, int) and n < len(value)}
        after = 0
        for n in sorted(shown):
            if n > after:
                members.append(_Member(gap=n - after))
            below = place.below.get(n, _NO_COMMENT)
            members.append(_Member(value=value[n], place=below, text=shown[n]))
            after = n + 1
        if after < len(value):
            members.append(_Member(gap=len(value) - after))
        return members


def _name(key: str | int) -> str:
    if isinstance(key, str) and len(key) < _KEY - 1 and key.isascii() and key.isidentifier():
        return f'"{key}": '  # nearly every name
    return f"{without_closers(preview_scalar(key, _KEY))}: "
