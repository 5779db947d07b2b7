"""Logs exceptions of the application's own code, without their messages."""

import re
from collections.abc import Callable
from contextvars import ContextVar
from functools import lru_cache
from os.path import dirname, join
from types import TracebackType

MASKED: ContextVar[Callable[[str], str] | None] = ContextVar("MASKED", default=None)
"""Removes a person's values from a text, while a call with a person's values runs."""


def log_raised(where: str, what: str, error: BaseException) -> None:
    """Log that `what` (`the function`, `human`) raised in a call of the function `where`.

    The record has the exception's type, and the file and line of the application's own code, but no
    message: that may contain a person's values. The type's name is masked for the same reason.
    """
    from logging import getLogger

    kind, masked = type(error).__name__, MASKED.get()
    kind = kind if masked is None else masked(kind)
    place = _place(error.__traceback__)
    file, line = place or (None, None)
    at = "" if place is None else f" ({file}, line {line})"
    extra = {"function": where, "exception": kind, "file": file, "line": line}
    getLogger("pyfunctools").error("%s: %s raised %s%s", where, what, kind, at, extra=extra)


def _place(trace: TracebackType | None) -> tuple[str, int] | None:
    """Return the file and line of the innermost frame of the application's own code.

    Frames of this package and of the standard library are ignored. If all other frames are in
    installed packages, the outermost is returned: the function that was called.
    """
    own: list[tuple[str, int]] = []
    installed: list[tuple[str, int]] = []
    while trace is not None:
        file, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        if _PACKAGES.intersection(re.split(r"[\\/]", file)):
            installed.append((file, line))
        elif not file.startswith(_ignored()):
            own.append((file, line))
        trace = trace.tb_next
    return own[-1] if own else installed[0] if installed else None


_PACKAGES = frozenset({"site-packages", "dist-packages"})


@lru_cache(maxsize=1)
def _ignored() -> tuple[str, ...]:
    from sysconfig import get_path

    return ("<frozen ", join(get_path("stdlib"), ""), join(dirname(dirname(__file__)), ""))
