"""The text that is sent back to the model: the value it sent, with a comment on each mistake.

Large valid parts are left out: the cost depends on the lines that are written, not on the size of
the value.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import quantity, shortened
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.issue import Issue
from pyfunctools.schema.ground.json_values import (
    ABSENT,
    CONTAINERS,
    Given,
    escape_invisible,
    preview,
    preview_scalar,
)
from pyfunctools.schema.ground.path import Keys, value_at

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

_SPACE = re.compile("[\\s\x85\u2028\u2029]+", re.ASCII)
"""White space that becomes one space; a no-break space (U+00A0) is part of a name or value."""


def one_line(text: str, limit: int = 300) -> str:
    """Return the text on one line that cannot end a fence or a tag around it."""
    return without_closers(escape_invisible(shortened(_SPACE.sub(" ", text).strip(" "), limit)))


def without_closers(text: str) -> str:
    """Return the text with the beginnings of fences and closing tags as JSON escapes."""
    return text.replace("```", "\\u0060" * 3).replace("</", "<\\/").replace("<|", "\\u003c|")


def is_present(value: JsonValue, keys: Keys) -> bool | None:
    """Return whether there is a value at these keys; `None` for a missing property of an object."""
    if not keys:
        return True
    outer = value_at(value, keys[:-1])
    if outer is not None and isinstance(outer[0], dict) and isinstance(keys[-1], str):
        return True if keys[-1] in outer[0] else None
    return outer is not None and value_at(outer[0], keys[-1:]) is not None


_Member: TypeAlias = tuple[str, Given, CommentedPlace]
"""A member of an object or array: its name in front, its value (`ABSENT` if missing), its place."""

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
        self.detail = detail
        self._left = detail.size
        self.lines: list[str] = []
        self.marked: set[CommentedPlace] = set()
        self.is_elided = False

    def write(self, value: JsonValue, place: CommentedPlace) -> bool:
        """Write as many lines of a value as there is room for; return whether all are written."""
        try:
            self._members([("", value, place)], "", 0)
        except _NoRoomError:
            self.lines.append("// … the rest")
            self.is_elided = True
            return False
        return True

    def _line(self, level: int, text: str, place: CommentedPlace = _NO_COMMENT) -> None:
        line = "  " * min(level, _INDENTED) + text
        if place.comments:
            line += f" // {MARK} {'; '.join(place.comments)}"
        self._left -= len(line.encode()) + 1
        if self._left < 0:
            raise _NoRoomError
        self.lines.append(line)
        if place.comments:
            self.marked.add(place)

    def _members(self, members: Sequence[_Member | int], unit: str, level: int) -> None:
        """Write members; a number stands for so many without mistakes that are left out."""
        last = len(members) - (2 if members and isinstance(members[-1], int) else 1)
        for n, member in enumerate(members):
            if isinstance(member, int):
                self.is_elided = True
                self._line(level, f"// … {quantity(member, f'more {unit}')}")
                continue
            name, value, place = member
            comma = "," if n < last else ""
            if (text := self._on_one_line(value, place, level)) is not None:
                self._line(level, name + text + comma, place)
            elif isinstance(value, dict):
                self._line(level, name + "{", place)
                self._members(self._properties(value, place), "property", level + 1)
                self._line(level, "}" + comma)
            elif isinstance(value, list | tuple):
                self._line(level, name + "[", place)
                self._members(self._items(value, place, level + 1), "item", level + 1)
                self._line(level, "]" + comma)

    def _on_one_line(self, value: Given, place: CommentedPlace, level: int) -> str | None:
        """Return a value as one line; `None` if it needs several."""
        if place.hidden:
            return GIVEN
        if value is ABSENT:
            return "undefined"
        if not isinstance(value, CONTAINERS):
            is_cut = isinstance(value, str) and len(value) > self.detail.text - 2
            self.is_elided |= is_cut and not place.comments
            return without_closers(preview_scalar(value, self.detail.text))
        if place.below:
            return None
        if (text := self._inline(value)) is not None or level < self.detail.depth:
            return text
        self.is_elided = True
        if isinstance(value, dict):
            return f"{{ … {quantity(len(value), 'property')} }}"
        return f"[ … {quantity(len(value), 'item')} ]"

    def _inline(self, value: JsonValue) -> str | None:
        """Return an object or array as one line, unless it is too long for it."""
        text = preview(value, self.detail.inline + 1)
        return None if len(text) > self.detail.inline else without_closers(text)

    def _properties(self, value: JsonObject, place: CommentedPlace) -> list[_Member | int]:
        members: list[_Member | int] = []
        left, gap = self.detail.properties, 0
        for key, inner in value.items():
            below = place.below.get(key)
            left -= below is None
            if below is None and left < 0:
                gap += 1
                continue
            members += [gap] if gap else []
            members.append((_name(key), inner, below or _NO_COMMENT))
            gap = 0
        members += [gap] if gap else []
        for key, below in place.below.items():
            if key not in value and below.comments:
                members.append((_name(key), ABSENT, below))
        return members

    def _items(
        self, value: Sequence[JsonValue], place: CommentedPlace, level: int
    ) -> list[_Member | int]:
        members: list[_Member | int] = []
        wrong = {n for n in place.below if isinstance(n, int) and n < len(value)}
        after = 0
        for n in sorted(wrong.union(range(min(self.detail.items, len(value))))):
            is_right = n not in wrong and isinstance(value[n], CONTAINERS)
            if is_right and level >= self.detail.depth and self._inline(value[n]) is None:
                continue
            members += [n - after] if n > after else []
            members.append(("", value[n], place.below.get(n, _NO_COMMENT)))
            after = n + 1
        members += [len(value) - after] if after < len(value) else []
        return members


def _name(key: str | int) -> str:
    if isinstance(key, str) and len(key) < _KEY - 1 and key.isascii() and key.isidentifier():
        return f'"{key}": '  # nearly every name
    return f"{without_closers(preview_scalar(key, _KEY))}: "


NOT_YOURS = "The values that a person gave are not accepted. They are not yours to correct."
"""The text if a person made all the mistakes."""

AGAIN = "AGAIN"
"""Marks a mistake that an earlier feedback has described."""

_LISTED = 2_000
"""Bytes of the longest list below the value."""
_UNCOUNTED = 900
"""The most issues left out whose number is written; more are "many"."""
_TEXT = 2_000
"""Characters of a text that could not be parsed; the middle is cut."""

PathAndExpected: TypeAlias = tuple[str, str]
"""The `path` and `expected` of an issue, which tell one mistake from another."""


def feedback(
    value: JsonValue,
    issues: Sequence[Issue],
    *,
    hidden: Iterable[Keys] = (),
    repeated: Collection[PathAndExpected] = (),
) -> str:
    """Return the text that describes to a model the mistakes in the value that it sent.

    The value stands in a fence as JSON, with a comment on each wrong line and a line for each
    missing property. Issues that are not about a line are listed below. Large valid parts are left
    out, and at most 32 issues in 8 kB are described.

    A person's values are never shown: issues of the side `human` are left out, and the values at
    their paths and at the paths `hidden` are masked. Issues whose path and `expected` are in
    `repeated` are marked with `AGAIN`.
    """
    own: dict[PathAndExpected, Issue] = {}
    hidden = [*hidden]
    for issue in issues:
        if issue.side == "human":
            hidden.append(issue.path.keys)
        else:
            own.setdefault((issue.path, issue.expected), issue)
    if issues and not own:
        return NOT_YOURS
    described = dict(islice(own.items(), DEFAULT_LIMITS.issues))
    writer, unmarked = None, described
    if isinstance(value, str) and all(issue.value != value for issue in described.values()):
        body = _unparsed(value)  # a string that could not be parsed as JSON
    else:
        writer, unmarked = _marked(value, described, hidden, repeated)
        body = "\n".join(["```json", *writer.lines, "```"])
    marked = len(described) - len(unmarked)
    parts = [_first_line(len(own), marked), body]
    if listed := _list(unmarked, repeated):
        parts += ["Also wrong:" if marked else "What is wrong:", *listed]
    if any(map(repeated.__contains__, described)):
        parts.append(f"Mistakes marked {AGAIN} were described before: send another value there.")
    is_elided = writer is not None and writer.is_elided
    parts.append(_last_line(len(own) - marked - len(listed), is_elided, GIVEN in body))
    return "\n".join(parts)


def _marked(
    value: JsonValue,
    issues: Mapping[PathAndExpected, Issue],
    hidden: Iterable[Keys],
    repeated: Collection[PathAndExpected],
) -> tuple[LineWriter, dict[PathAndExpected, Issue]]:
    """Return the writer with the commented lines, and the issues that no line describes."""
    root = CommentedPlace()
    for keys in hidden:
        root.at(keys).hidden = True
    places: dict[PathAndExpected, CommentedPlace] = {}
    for key, issue in issues.items():
        keys = issue.path.keys
        present = is_present(value, keys)
        if present is not False and len(keys) <= DEFAULT_LIMITS.depth:
            places[key] = root.at(keys)
            before = f"{AGAIN}, " if key in repeated else ""
            before += "expected" if present else "missing: expected"
            comment = f"{before} {one_line(issue.expected)}"
            if comment not in places[key].comments:
                places[key].comments.append(comment)
    writers = map(LineWriter, DETAILS)
    writer = next(w for w in writers if w.write(value, root) or w.detail is DETAILS[-1])
    unmarked = {key: issue for key, issue in issues.items() if places.get(key) not in writer.marked}
    return writer, unmarked


def _list(
    issues: Mapping[PathAndExpected, Issue], repeated: Collection[PathAndExpected]
) -> list[str]:
    lines: list[str] = []
    left = _LISTED
    for key, issue in issues.items():
        line = f"- {f'{AGAIN}: ' if key in repeated else ''}{one_line(issue.message, 400)}"
        left -= len(line.encode()) + 1
        if left < 0:
            break
        lines.append(line)
    return lines


def _unparsed(text: str) -> str:
    """Return, in a fence, a text that is not JSON."""
    if len(text) > _TEXT:
        half = _TEXT // 2
        text = f"{text[:half]}\n… {len(text) - _TEXT:,} more characters …\n{text[-half:]}"
    lines = [without_closers(escape_invisible(line)) for line in text.splitlines()]
    return "\n".join(["```text", *lines, "```"])


def _first_line(count: int, marked: int) -> str:
    mistakes = quantity(count, "mistake")
    if count > 1_000:  # of more, the last issue states only that there are more
        mistakes = "more than 1,000 mistakes"
    if not marked:
        return f"The arguments have {mistakes}. This is what was sent:"
    which = "" if count == 1 else "each " if marked == count else f"{marked} of them "
    return f"The arguments have {mistakes}, {which}marked with {MARK}:"


def _last_line(left_out: int, is_elided: bool, has_given: bool) -> str:
    parts = ["Correct every mistake, keep the rest, and send the complete arguments again."]
    if left_out:
        others = "Another mistake is" if left_out == 1 else f"{left_out} more mistakes are"
        if left_out > _UNCOUNTED:
            others = "Many more mistakes are"
        parts.append(f"{others} not shown: look for similar ones in the rest.")
    if is_elided:
        valid = "" if left_out else " are right, but"
        parts.append(f"The parts left out here (…){valid} must be sent in full.")
    if has_given:
        parts.append("Leave out the values that a person gave: they are not yours to send.")
    return " ".join(parts)
