"""Events of Python's audit hooks: sockets, files, processes, and code compiled from text."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_EVENTS = ("compile", "exec", "open", "os.", "shutil.", "socket.", "subprocess.", "urllib.")
_recording: list[list[str]] = []
_installed: list[bool] = []


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _recording and event.startswith(_EVENTS):
        for record in _recording:
            record.append(f"{event} {str(arguments[:1])[:80]}")


@contextmanager
def watched() -> Iterator[list[str]]:
    """Return a list of events: connections, opened files, code compiled or run.

    Modules that are imported when first needed have to be imported before. A test with it is marked
    `audited`: the hook stays, and while it runs, two threads that coverage begins to trace disturb
    each other ("Cannot install a trace function while another trace function is being installed").
    """
    if not _installed:  # a hook cannot be removed
        sys.addaudithook(_hook)
        _installed.append(True)
    record: list[str] = []
    _recording.append(record)
    try:
        yield record
    finally:
        _recording.remove(record)
