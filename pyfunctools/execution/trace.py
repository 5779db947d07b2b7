"""What an application is told of a call beside its outcome: log records, and spans.

Neither has a message of an exception, an argument or a result: these may hold a person's values.
"""

import re
import sys
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import lru_cache
from os.path import dirname, join
from traceback import walk_tb
from types import TracebackType
from typing import TYPE_CHECKING

from pyfunctools._text import shortened
from pyfunctools.errors import PyfunctoolsError
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome

if TYPE_CHECKING:
    from types import ModuleType

    from opentelemetry.trace import Span

MASKED: ContextVar[Callable[[str], str] | None] = ContextVar("MASKED", default=None)
"""Removes a person's values from a text, while a call with a person's values runs."""


def log_raised(where: str, what: str, error: BaseException) -> None:
    """Log that `what` (`the function`, `human`) raised in a call of the function `where`.

    The record has the file and line of the application's own code, and the exception's type, masked
    as a message would be.
    """
    from logging import getLogger

    kind, masked = type(error).__name__, MASKED.get()
    kind = kind if masked is None else masked(kind)
    file, line = _place(error.__traceback__) or (None, None)
    at = "" if file is None else f" ({file}, line {line})"
    extra = {"function": where, "exception": kind, "file": file, "line": line}
    getLogger("pyfunctools").error("%s: %s raised %s%s", where, what, kind, at, extra=extra)


def _place(trace: TracebackType | None) -> tuple[str, int] | None:
    """Return the file and line of the innermost frame of the application's own code.

    If there is none, that of the outermost frame in an installed package: what was called.
    """
    own: list[tuple[str, int]] = []
    installed: list[tuple[str, int]] = []
    for frame, line in walk_tb(trace):
        file = frame.f_code.co_filename
        if file.startswith(_OURS):  # which may be installed too
            continue
        if _PACKAGES.intersection(re.split(r"[\\/]", file)):
            installed.append((file, line))
        elif not file.startswith(_ignored()):
            own.append((file, line))
    return own[-1] if own else installed[0] if installed else None


_OURS = join(dirname(dirname(__file__)), "")
_PACKAGES = frozenset({"site-packages", "dist-packages"})


@lru_cache(maxsize=1)
def _ignored() -> tuple[str, ...]:
    from sysconfig import get_path

    return ("<frozen ", join(get_path("stdlib"), ""))


TRACES = "opentelemetry.trace"
"""The API of OpenTelemetry; a program that has not imported it has no spans."""


def tracing() -> "ModuleType | None":
    """Return the API of OpenTelemetry if the application has set a provider of tracers."""
    if (api := sys.modules.get(TRACES)) is None:
        return None
    # Without a provider of the application it is a proxy; both classes stand outside `__all__`.
    is_off = isinstance(api.get_tracer_provider(), api.ProxyTracerProvider | api.NoOpTracerProvider)
    return None if is_off else api


async def traced(
    api: "ModuleType", steps: Awaitable[Outcome], function: Function, call_id: str
) -> Outcome:
    """Return the outcome of a call, inside its span."""
    span: Span = api.get_tracer("pyfunctools").start_span(
        f"execute_tool {function.name}",
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": function.name,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": shortened(str(call_id), 256),
            "gen_ai.tool.description": shortened(function.description, 1024),
        },
    )
    failed: str | None = "cancelled"
    try:
        # Without the exceptions themselves: their messages may hold a person's values.
        with api.use_span(span, record_exception=False, set_status_on_exception=False):
            outcome = await steps
        failed = outcome.reason if outcome.is_error else None
        if outcome.waiting is not None:
            span.set_attribute("pyfunctools.waiting", str(outcome.reason))
        return outcome
    except PyfunctoolsError as error:  # a mistake of the program
        failed = type(error).__name__
        raise
    finally:
        if failed is not None:
            span.set_attribute("error.type", failed)
            span.set_status(api.StatusCode.ERROR)
        span.end()
