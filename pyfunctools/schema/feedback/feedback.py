"""The text that is sent back to the model: the value it sent, with a comment on each mistake."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from pyfunctools._json import JsonValue
from pyfunctools._text import quantity
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.feedback.lines import (
    DETAILS,
    GIVEN,
    MARK,
    CommentedPlace,
    LineWriter,
    is_present,
    one_line,
    without_closers,
)
from pyfunctools.schema.ground.issue import Issue
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.preview import escape_invisible

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
    writers = [LineWriter(detail) for detail in DETAILS]
    writer = next((each for each in writers if each.write(value, root)), writers[-1])
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
