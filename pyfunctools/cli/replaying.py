"""Recorded calls checked against the functions of a source: right, repaired, refused."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO, Final, TypeAlias

from pyfunctools.controller import Controller
from pyfunctools.envelopes.plain import call_of
from pyfunctools.limits import DEFAULT_LIMITS

_LONGEST: Final = 2 * DEFAULT_LIMITS.text
"""The most bytes of a line; the arguments in a longer one would be refused anyway."""
_MOST_UNKNOWN: Final = 20
"""The most unknown names that are counted: memory stays bounded."""

ReplayCounts: TypeAlias = dict[str, Counter[str]]
"""The results of recorded calls.

`calls` has `right`, `repaired`, `refused`, `unknown` (the name) and `unreadable` (the line is not a
call). `repairs` counts by the kind of repair, `refused` by function, and `unknown` by name, for the
first unknown names.
"""


def check_recording(controller: Controller, file: BinaryIO) -> dict[str, dict[str, int]]:
    """Check the calls of a file of JSON lines, and return every count; no call is run.

    A line is a call as any vendor writes it: `{"name": ..., "arguments": ...}`, with arguments as
    JSON text or as an object, or `{"function": {...}}`. The largest counts come first.
    """
    counts: ReplayCounts = {name: Counter() for name in ("calls", "repairs", "refused", "unknown")}
    for line in _lines(file):
        if line is None or line.strip():
            counts["calls"][_result(controller, line, counts)] += 1
    return {name: dict(counter.most_common()) for name, counter in counts.items()}


def _lines(file: BinaryIO) -> Iterator[bytes | None]:
    """Yield each line; one that is too long is `None`, and not held in memory."""
    while line := file.readline(_LONGEST):
        whole, rest = True, line
        while not rest.endswith(b"\n") and (rest := file.readline(_LONGEST)):
            whole = False
        yield line if whole else None


def _result(controller: Controller, line: bytes | None, counts: ReplayCounts) -> str:
    try:
        call = call_of(json.loads(line or b"null"))
    except (ValueError, RecursionError):
        call = None
    if call is None or not call.name:
        return "unreadable"
    if call.name not in controller:
        if call.name in counts["unknown"] or len(counts["unknown"]) < _MOST_UNKNOWN:
            counts["unknown"][call.name] += 1
        return "unknown"
    result = controller[call.name].check({} if call.arguments is None else call.arguments)
    counts["repairs"].update(each.kind for each in result.repairs)
    if not result:
        counts["refused"][call.name] += 1
        return "refused"
    return "repaired" if result.repairs else "right"
