"""What is sent back to the model: the value it sent, with a comment on each line that is wrong."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.feedback.lines import (
    DETAILS,
    GIVEN,
    MARK,
    CommentedPlace,
    Line,
    lines_of,
    one_line,
    safe,
    stands,
)
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.ground.preview import escape_invisible

SIZE = 8_000
"""How long the text may be, in bytes of UTF-8."""


NOT_YOURS = "What a person gave is not accepted. This is not yours to correct."
"""What a model reads where nothing that is wrong is its own."""


AGAIN = "AGAIN"
"""What marks a mistake of which the model had been told."""


class IssueLike(Protocol):
    """What feedback needs to know of an issue; see `Issue`."""

    @property
    def path(self) -> Path:
        """Where it is."""
        ...

    @property
    def expected(self) -> str:
        """What would be right."""
        ...

    @property
    def value(self) -> JsonValue:
        """What was there; `None` where nothing was."""
        ...

    @property
    def message(self) -> str:
        """The whole complaint as a sentence."""
        ...

    @property
    def side(self) -> str:
        """Whose it is: `human` where a person gave the value."""
        ...


def feedback(
    value: JsonValue,
    issues: Sequence[IssueLike],
    *,
    hidden: Iterable[Keys] = (),
    told: Collection[tuple[str, str]] = (),
) -> str:
    """Return the text that tells a model what is wrong with the value it sent.

    The value stands in a fence as JSON, with a comment on each wrong line and a line for each
    missing property; what has no line there is listed below. Large parts that are right are left
    out, and at most 32 issues and 8 kB are spelled out. What belongs to a person is never shown:
    issues whose side is `human` are left out, and the values at their paths and at those in
    `hidden` are masked. Issues whose path and `expected` are in `told` are pointed out as made
    again. Works on any value, JSON or not, and costs what it shows, not what the
    value holds.
    """
    theirs = [issue for issue in issues if issue.side == "human"]
    yours = [issue for issue in issues if issue.side != "human"]
    if theirs and not yours:
        return NOT_YOURS
    hidden = (*hidden, *(issue.path.keys for issue in theirs))
    told_apart = {(issue.path, issue.expected): issue for issue in reversed(yours)}
    distinct = list(reversed(told_apart.values()))
    spelled = distinct[: DEFAULT_LIMITS.issues]
    if isinstance(value, str) and _was_unreadable(value, spelled):
        body = _Body(_text(value))
    else:
        body = _json(value, spelled, hidden, told)
    listed = _listed((issue for issue in spelled if id(issue) not in body.marked), told)
    parts = [_first(len(distinct), len(body.marked)), body.text]
    if listed:
        parts += ["Also wrong:" if body.marked else "What is wrong:", *listed]
    untold = len(distinct) - len(body.marked) - len(listed)
    if any((issue.path, issue.expected) in told for issue in spelled):
        parts.append(f"You were told before of what is marked {AGAIN}: send something else there.")
    return "\n".join([*parts, _last(spelled, body, untold)])


_LISTED = 2_000
"""Of the size, what the list below the value may take."""
_UNCOUNTED = 900
_TEXT = 2_000
"""How much is shown of a text that could not be read."""


class _Body(NamedTuple):
    """The value in its fence, the identities of the issues marked in it, and what is left out."""

    text: str
    marked: frozenset[int] = frozenset()
    elided: bool = False


def _json(
    value: JsonValue,
    issues: Sequence[IssueLike],
    hidden: Iterable[Keys],
    told: Collection[tuple[str, str]],
) -> _Body:
    root = CommentedPlace()
    for keys in hidden:
        root.at(keys).hidden = True
    noted: list[tuple[int, CommentedPlace]] = []
    for issue in issues:
        keys = issue.path.keys
        there = stands(value, keys)
        if there is False or len(keys) > DEFAULT_LIMITS.depth:
            continue
        place = root.at(keys)
        place.hidden = place.hidden or issue.side == "human"
        lead = "missing: expected " if there is None else "expected "
        if (issue.path, issue.expected) in told:
            lead = f"{AGAIN}, {lead}"
        place.comments[lead + one_line(issue.expected)] = None
        noted.append((id(issue), place))
    lines, whole = _within(lines_of(value, root, DETAILS[0]), DETAILS[0].size)
    for detail in DETAILS[1:]:
        if not whole:
            lines, whole = _within(lines_of(value, root, detail), detail.size)
    text = "\n".join(["```json", *(line.text for line in lines), "```"])
    written = {id(line.place) for line in lines}
    marked = frozenset(issue for issue, place in noted if id(place) in written)
    return _Body(text, marked, any(line.elided for line in lines))


def _within(lines: Iterable[Line], left: int) -> tuple[list[Line], bool]:
    """Return the lines that there is room for, and whether they are all."""
    taken: list[Line] = []
    for line in lines:
        left -= len(line.text.encode()) + 1
        if left < 0:
            return [*taken, Line("// … the rest", elided=True)], False
        taken.append(line)
    return taken, True


def _listed(issues: Iterable[IssueLike], told: Collection[tuple[str, str]]) -> list[str]:
    lines: list[str] = []
    left = _LISTED
    for issue in issues:
        # The sentence may quote the value, which is not the model's to see if it is a person's.
        says = issue.message
        if issue.side == "human":
            says = f"{issue.path}: expected {issue.expected}"
        again = f"{AGAIN}: " if (issue.path, issue.expected) in told else ""
        line = f"- {again}{one_line(says, 400)}"
        left -= len(line.encode()) + 1
        if left < 0:
            break
        lines.append(line)
    return lines


def _was_unreadable(value: str, issues: Sequence[IssueLike]) -> bool:
    """Return whether this is text that could not be read, and no string of which something is
    said.
    """
    return not any(issue.side == "human" or issue.value == value for issue in issues)


def _text(value: str) -> str:
    half = _TEXT // 2
    if len(value) > _TEXT:
        cut = len(value) - _TEXT
        value = f"{value[:half]}\n… {cut:,} more characters …\n{value[-half:]}"
    shown = "\n".join(safe(escape_invisible(line)) for line in value.splitlines())
    return f"```text\n{shown}\n```"


def _first(count: int, marked: int) -> str:
    mistakes = "1 mistake" if count == 1 else f"{count} mistakes"
    if count > 1_000:  # where a value has more, the last issue says just that
        mistakes = "more than 1,000 mistakes"
    if not marked:
        return f"The arguments have {mistakes}. This is what was sent:"
    which = "" if count == 1 else "each " if marked == count else f"{marked} of them "
    return f"The arguments have {mistakes}, {which}marked with {MARK}:"


def _last(issues: Sequence[IssueLike], body: _Body, untold: int) -> str:
    parts = ["Correct every mistake, keep the rest, and send the complete arguments again."]
    if untold:
        others = "Another mistake is" if untold == 1 else f"{untold} more mistakes are"
        if untold > _UNCOUNTED:
            others = "Many more mistakes are"
        parts.append(f"{others} not shown: look for the like in the rest.")
    if body.elided:
        right = "" if untold else " was right and"
        parts.append(f"What is left out here (…){right} is to be sent in full.")
    if GIVEN in body.text:
        parts.append("Leave out what a person gave: it is not yours to send.")
    return " ".join(parts)
