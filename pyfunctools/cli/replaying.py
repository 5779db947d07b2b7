"""Recorded calls against the functions of a source: which are right, repaired, refused."""

import json
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import BinaryIO, Final

from pyfunctools._json import JsonValue
from pyfunctools.controller import Controller
from pyfunctools.envelopes.blocks import call_of
from pyfunctools.errors import DefinitionError
from pyfunctools.limits import DEFAULT_LIMITS

_LONGEST: Final = 2 * DEFAULT_LIMITS.text
"""Bytes of a line that are read: more is no call that would be taken."""
_MISSPELLED: Final = 20
"""Unknown names that are kept, so that memory stays bounded."""


@dataclass(slots=True)
class Replayed:
    """What came of recorded calls: counts alone, however many there were.

    `calls` has `right`, `repaired`, `refused`, `unknown` (no such function) and `unreadable` (the
    line is no call). `repairs` counts the kinds of repairs, `refused` the functions whose calls
    were, and `unknown` the names of the first that are not there.
    """

    calls: Counter[str] = field(default_factory=Counter[str])
    repairs: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    unknown: Counter[str] = field(default_factory=Counter[str])

    @property
    def is_good(self) -> bool:
        """True if every call could have run."""
        return self.calls.keys() <= {"right", "repaired"}

    def counts(self) -> dict[str, dict[str, int]]:
        """Return every count, the largest first."""
        every = (each.name for each in fields(self))
        return {name: dict(getattr(self, name).most_common()) for name in every}


@contextmanager
def opened(path: str) -> Generator[tuple[BinaryIO, int | None]]:
    """Open recorded calls, with their size in bytes; `-` is standard input, of no known size.

    Raises:
        DefinitionError: the file cannot be read.
    """
    if path == "-":
        yield sys.stdin.buffer, None
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115
    except OSError as error:
        raise DefinitionError(path, f"This file cannot be read: {error}.") from error
    with file:
        yield file, Path(path).stat().st_size


def replay(controller: Controller, file: BinaryIO, into: Replayed) -> Iterator[int]:
    """Check the calls of a file of JSON lines and count them; nothing is run.

    A line is a call as any vendor writes it: `{"name": ..., "arguments": ...}`, the arguments being
    JSON text or the value, or `{"function": {...}}`. Yields the bytes of every line.
    """
    for size, line in _lines(file):
        if line is None or line.strip():
            into.calls[_kind(controller, line, into)] += 1
        yield size


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield the lines with their sizes; one that is too long is passed, and not kept."""
    while line := file.readline(_LONGEST):
        whole: bytes | None = line
        size, rest = len(line), line
        while not rest.endswith(b"\n") and (rest := file.readline(_LONGEST)):
            size, whole = size + len(rest), None
        yield size, whole


def _kind(controller: Controller, line: bytes | None, into: Replayed) -> str:
    call = None if line is None else call_of(_read(line))
    if call is None or not call.name:
        return "unreadable"
    if call.name not in controller:
        if call.name in into.unknown or len(into.unknown) < _MISSPELLED:
            into.unknown[call.name] += 1
        return "unknown"
    result = controller[call.name].check({} if call.arguments is None else call.arguments)
    into.repairs.update(each.kind for each in result.repairs)
    if not result:
        into.refused[call.name] += 1
        return "refused"
    return "repaired" if result.repairs else "right"


def _read(line: bytes) -> JsonValue:
    try:
        value: JsonValue = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value
