"""Where commands write, and what their exit status means.

Results go to standard output, whatever is about them to standard error. What an encoding cannot
say is written with the letters that it has.
"""

import codecs
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from enum import IntEnum
from io import TextIOWrapper
from typing import Any, Final

from pyfunctools._text import visible
from pyfunctools.record.outcome import Outcome


class Status(IntEnum):
    """What the exit status of a command says, one meaning each."""

    DONE = 0
    FAILED = 1
    """The function ran, or could not be reached, and failed."""
    MISTAKE = 2
    """The command, or the source that it names, is wrong."""
    REFUSED = 3
    """The arguments are wrong, or there is no such function."""
    WAITS = 4
    """A person has to add their part or to approve, and has not."""
    FOUND = 5
    """`check` or `replay` found something."""
    INTERRUPTED = 130
    """A person has ended it by ctrl-C."""


_REASONS: Final = {
    "arguments": Status.REFUSED,
    "unknown": Status.REFUSED,
    "declined": Status.WAITS,
    "denied": Status.WAITS,
    "needs_approval": Status.WAITS,
    "needs_human": Status.WAITS,
}

_MARKS: Final = {"❌": "(x)", "·": "-", "…": "...", "→": "->"}
"""What stands for marks of ours where an encoding has none."""
_ERRORS: Final = "pyfunctools.marks"


def status_of(outcome: Outcome) -> Status:
    """Return the exit status for what came of a call."""
    if outcome.ok:
        return Status.DONE
    return _REASONS.get(outcome.reason or "", Status.FAILED)


def outcome_row(outcome: Outcome) -> dict[str, Any]:
    """Return the outcome of a call as JSON, without secrets."""
    response, waiting = outcome.response, outcome.waiting
    return {
        "function": outcome.function,
        "ok": outcome.ok,
        "reason": outcome.reason,
        "text": outcome.text,
        "status": None if response is None else response.status,
        "issues": [
            {"path": str(each.path), "expected": each.expected, "message": each.message}
            for each in outcome.issues
        ],
        "repairs": [
            {"path": str(each.path), "kind": each.kind, "before": each.before, "after": each.after}
            for each in outcome.repairs
        ],
        "files": [each.filename for each in outcome.content],
        "questions": [] if waiting is None else [asdict(each) for each in waiting.questions],
    }


def prepare() -> None:
    """Have standard output and error write every text, in whatever encoding they have."""
    codecs.register_error(_ERRORS, _spelled)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_ERRORS)


def print_json(value: object, *, indent: int | None = None) -> None:
    """Print JSON; where the encoding is no Unicode, with escapes."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(value, ensure_ascii=not is_unicode, indent=indent))


def print_rows(rows: Iterable[Iterable[str]]) -> None:
    """Print one line for each row, its cells between tabs, nothing wrapped and nothing cut."""
    for row in rows:
        print("\t".join(" ".join(visible(cell).split()) for cell in row))


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    said = (_MARKS.get(each) or ascii(each)[1:-1] for each in letters)
    return "".join(said), error.end
