"""A value as lines of JSON: a comment on what is wrong, and much of what is right left out.

Nothing here costs more than the lines that come of it, however large the value.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from pyfunctools._json import JsonValue
from pyfunctools._text import quantity, shortened
from pyfunctools.schema.ground.path import Keys, value_at
from pyfunctools.schema.ground.preview import escape_invisible, preview, preview_scalar

MARK = "❌"
GIVEN = "(given by a person)"
"""What stands for a value that belongs to a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """How much of a value is written: at most `size` bytes, or not in this detail.

    Of what has something wrong inside, the first `properties` and `items` that are right. What is
    right in all its parts stands on one line up to `inline` characters, else on several down to
    `depth` levels, else it is left out. A text is cut after `text` characters.
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
"""From all that is worth reading to what is needed to find the wrong places."""


@dataclass(slots=True, eq=False)
class CommentedPlace:
    """A place in a value: the comments on it, and the places below it that have some.

    A `hidden` place belongs to a person: neither it nor anything below is ever written.
    """

    comments: dict[str, None] = field(default_factory=dict[str, None])
    below: "dict[str | int, CommentedPlace]" = field(
        default_factory=dict[str | int, "CommentedPlace"]
    )
    hidden: bool = False

    def at(self, keys: Keys) -> "CommentedPlace":
        """Return the place some steps below, which is made where it is not there yet."""
        place = self
        for key in keys:
            place = place.below.setdefault(key, CommentedPlace())
        return place

    @property
    def comment(self) -> str:
        """The comments as the end of a line; empty where there are none."""
        return f" // {MARK} {'; '.join(self.comments)}" if self.comments else ""


class Line(NamedTuple):
    """One line, the place whose comments it carries, and whether it stands for what is left out."""

    text: str
    place: CommentedPlace | None = None
    elided: bool = False


NOWHERE = CommentedPlace()
"""A place with nothing wrong in it."""


def lines_of(value: JsonValue, place: CommentedPlace, detail: Detail) -> Iterator[Line]:
    """Return the value's lines, with one for each place that has comments and that it lacks."""
    return _LineWriter(detail).write(_Member(value=value, place=place), "", 0)


_FOLDED = re.compile("[\\s\x85\u2028\u2029]+", re.ASCII)
"""White space that folds: not the space that a name or a value holds by its own right (U+00A0)."""


def one_line(text: str, limit: int = 300) -> str:
    """Return the text so that it can end neither a line nor a fence nor a tag around it."""
    cut = shortened(_FOLDED.sub(" ", text).strip(" "), limit)
    return safe(escape_invisible(cut))


def safe(text: str) -> str:
    """Return the text with the starts of closing tags and fences as JSON escapes them."""
    return text.replace("```", "\\u0060" * 3).replace("</", "<\\/").replace("<|", "\\u003c|")


def stands(value: JsonValue, keys: Keys) -> bool | None:
    """Return whether a place is there; `None` for a property that an object does not have."""
    if value_at(value, keys) is not None:
        return True
    around = value_at(value, keys[:-1])
    is_property = around is not None and isinstance(around[0], dict) and isinstance(keys[-1], str)
    return None if is_property else False


class _Member(NamedTuple):
    """A member of an object or array: what stands before its value, the value and its place.

    Without a value of its own it is `missing`; `gap` members that are right are left out instead.
    """

    before: str = ""
    value: JsonValue = None
    place: CommentedPlace = NOWHERE
    missing: bool = False
    gap: int = 0


_READ = 10_000
"""How many members of an object are gone through for those that are written in their order."""


@dataclass(frozen=True, slots=True)
class _LineWriter:
    detail: Detail

    def write(self, member: _Member, after: str, level: int) -> Iterator[Line]:
        """Yield the lines of a value that stands `level` deep, with `after` at their end."""
        value, place = member.value, member.place
        before = _indent(level) + member.before
        if member.missing or place.hidden or not isinstance(value, dict | list | tuple):
            cut = isinstance(value, str) and len(value) > self.detail.text - 2
            text = before + self._scalar(member) + after
            yield self._line(text, place, elided=cut and not place.comments)
            return
        if not place.below:
            if (text := self._inline(value)) is not None:
                yield self._line(before + text + after, place)
                return
            if level >= self.detail.depth:
                yield self._line(before + _folded(value) + after, place, elided=True)
                return
        yield self._line(before + ("{" if isinstance(value, dict) else "["), place)
        yield from self._members(value, place, level + 1)
        yield Line(_indent(level) + ("}" if isinstance(value, dict) else "]") + after)

    def _inline(self, value: JsonValue) -> str | None:
        text = preview(value, self.detail.inline + 1)
        if isinstance(value, dict | list | tuple) and len(text) > self.detail.inline:
            return None
        return safe(text)

    def _scalar(self, member: _Member) -> str:
        if member.place.hidden:
            return GIVEN
        return (
            "undefined" if member.missing else safe(preview_scalar(member.value, self.detail.text))
        )

    def _line(self, text: str, place: CommentedPlace, *, elided: bool = False) -> Line:
        return Line(text + place.comment, place if place.comments else None, elided)

    def _members(
        self,
        value: Mapping[str, JsonValue] | Sequence[JsonValue],
        place: CommentedPlace,
        level: int,
    ) -> Iterator[Line]:
        if isinstance(value, Mapping):
            members, unit = list(self._properties(value, place)), "property"
        else:
            members, unit = list(self._items(value, place, level)), "item"
        last = max((n for n, member in enumerate(members) if not member.gap), default=-1)
        for n, member in enumerate(members):
            if member.gap:
                left_out = quantity(member.gap, f"more {unit}")
                yield Line(f"{_indent(level)}// … {left_out}", elided=True)
            else:
                yield from self.write(member, "," if n < last else "", level)

    def _properties(
        self, value: Mapping[str, JsonValue], place: CommentedPlace
    ) -> Iterator[_Member]:
        wanted = {
            key: below
            for key, below in place.below.items()
            if isinstance(key, str) and key in value
        }
        right = gap = 0
        for key in islice(value, _READ):
            if key not in place.below:
                right += 1
                if right > self.detail.properties:
                    gap += 1
                    continue
            if gap:
                yield _Member(gap=gap)
                gap = 0
            yield _member(key, value, wanted.pop(key, NOWHERE))
        gap += max(len(value) - _READ - len(wanted), 0)
        if gap:
            yield _Member(gap=gap)
        for key, below in wanted.items():
            yield _member(key, value, below)
        for key, below in place.below.items():
            if key not in value and below.comments:
                yield _Member(before=_named(key), place=below, missing=True)

    def _items(
        self, value: Sequence[JsonValue], place: CommentedPlace, level: int
    ) -> Iterator[_Member]:
        count = len(value)
        first = range(min(count, self.detail.items))
        if level >= self.detail.depth:
            first = [n for n in first if self._inline(value[n]) is not None]
        wrong = {n for n in place.below if isinstance(n, int) and n < count}
        after = 0
        for n in sorted(wrong.union(first)):
            if n > after:
                yield _Member(gap=n - after)
            yield _Member(value=value[n], place=place.below.get(n, NOWHERE))
            after = n + 1
        if after < count:
            yield _Member(gap=count - after)


def _member(key: str, value: Mapping[str, JsonValue], place: CommentedPlace) -> _Member:
    return _Member(before=_named(key), value=value[key], place=place)


def _named(key: str | int) -> str:
    return f"{safe(preview_scalar(key, _KEY))}: "


def _indent(level: int) -> str:
    """Return the space before a line; far down it grows no more, or there would be nothing else."""
    return "  " * min(level, _INDENTED)


_INDENTED = 16
_KEY = 80
"""After how many characters a property's name is cut."""


def _folded(value: Mapping[str, JsonValue] | Sequence[JsonValue]) -> str:
    if isinstance(value, Mapping):
        return f"{{ … {quantity(len(value), 'property')} }}"
    return f"[ … {quantity(len(value), 'item')} ]"
