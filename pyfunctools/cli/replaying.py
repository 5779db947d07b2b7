"""Recorded calls checked against the functions of a source: right, repaired, refused."""

import json
from collections import Counter
from typing import BinaryIO

from pyfunctools.controller import Controller
from pyfunctools.envelopes.plain import call_of


def check_recording(controller: Controller, file: BinaryIO) -> dict[str, dict[str, int]]:
    """Check the calls of a file of JSON lines, and return every count; no call is run.

    A line is a call as any vendor writes it: `{"name": ..., "arguments": ...}`, with arguments as
    JSON text or as an object, or `{"function": {...}}`.

    `calls` has `right`, `repaired`, `refused`, `unknown` (the name) and `unreadable` (the line is
    not a call). `repairs` counts by the kind of repair, `refused` by function, and `unknown` by
    name. The largest counts come first.
    """
    names = ("calls", "repairs", "refused", "unknown")
    counts = {name: Counter[str]() for name in names}
    for line in file:
        if line.strip():
            counts["calls"][_result(controller, line, counts)] += 1
    return {name: dict(counter.most_common()) for name, counter in counts.items()}


def _result(controller: Controller, line: bytes, counts: dict[str, Counter[str]]) -> str:
    try:
        call = call_of(json.loads(line))
    except (ValueError, RecursionError):
        call = None
    if call is None or not call.name:
        return "unreadable"
    if call.name not in controller:
        counts["unknown"][call.name] += 1
        return "unknown"
    result = controller[call.name].check({} if call.arguments is None else call.arguments)
    counts["repairs"].update(each.kind for each in result.repairs)
    if not result:
        counts["refused"][call.name] += 1
        return "refused"
    return "repaired" if result.repairs else "right"
