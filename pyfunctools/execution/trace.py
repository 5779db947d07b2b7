"""The trace that an exception of the application's own code leaves in the application's log."""

import re
from collections.abc import Callable
from contextvars import ContextVar
from functools import lru_cache
from os.path import dirname, join
from types import TracebackType

MASKED: ContextVar[Callable[[str], str] | None] = ContextVar("MASKED", default=None)
"""While a call runs that holds what is a person's: what leaves that out of a text."""


def log_raised(where: str, what: str, error: BaseException) -> None:
    """Log that `what` (`the function`, `human`) raised in a call of the function `where`.

    The record names the exception's type, and the file and line of the application's own code. The
    exception's message is left out: it may hold what a person gave. So may the name of a type that
    is made while the call runs, which is masked.
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
    """Return where the application's own code was last on the way to the exception.

    Frames of this package and of the standard library are none of its own. Where all others are in
    installed packages, the outermost is the function that was called.
    """
    found: list[tuple[str, int]] = []
    installed: list[tuple[str, int]] = []
    while trace is not None:
        file, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        if _PACKAGES.intersection(re.split(r"[\\/]", file)):
            installed.append((file, line))
        elif not file.startswith(_none_of_its_own()):
            found.append((file, line))
        trace = trace.tb_next
    return found[-1] if found else installed[0] if installed else None


_PACKAGES = frozenset({"site-packages", "dist-packages"})


@lru_cache(maxsize=1)
def _none_of_its_own() -> tuple[str, ...]:
    from sysconfig import get_path

    return ("<frozen ", join(get_path("stdlib"), ""), join(dirname(dirname(__file__)), ""))
