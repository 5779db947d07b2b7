"""Output of the commands as JSON and rows, and their exit statuses.

Results go to standard output, everything else to standard error. Characters that the encoding of a
stream lacks are replaced: `→` by `->`, for example.
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
    """The exit status of a command."""

    DONE = 0
    FAILED = 1
    """The function failed, or could not be reached."""
    MISTAKE = 2
    """The command line or its source is invalid."""
    REFUSED = 3
    """The arguments are invalid, or the function is unknown."""
    WAITS = 4
    """A value or the approval of a person is missing."""
    FOUND = 5
    """`check` or `replay` found something."""
    INTERRUPTED = 130
    """A person pressed ctrl-C."""


_WAITS: Final = frozenset({"declined", "denied", "needs_approval", "needs_human"})
_MARKS: Final = {"❌": "(x)", "·": "-", "…": "...", "→": "->"}
"""Replacements for characters of the library's texts that an encoding lacks."""
_ERRORS: Final = "pyfunctools.marks"


def status_of(outcome: Outcome) -> Status:
    """Return the exit status of an outcome."""
    if outcome.ok:
        return Status.DONE
    if outcome.reason in ("arguments", "unknown"):
        return Status.REFUSED
    return Status.WAITS if outcome.reason in _WAITS else Status.FAILED


def outcome_row(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as JSON, without secrets."""
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
    """Make standard output and error accept any text, whatever their encoding."""
    codecs.register_error(_ERRORS, _replacement)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_ERRORS)


def print_json(value: object, *, indent: int | None = None) -> None:
    """Print JSON, with escapes unless the encoding is Unicode."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(value, ensure_ascii=not is_unicode, indent=indent))


def print_rows(rows: Iterable[Iterable[str]]) -> None:
    """Print one line for each row, cells separated by tabs."""
    for row in rows:
        print("\t".join(" ".join(visible(cell).split()) for cell in row))


def _replacement(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_MARKS.get(each) or ascii(each)[1:-1] for each in missing), error.end
