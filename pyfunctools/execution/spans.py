"""OpenTelemetry spans: one `execute_tool` span a call, if the application has set a tracer.

Names are those of the GenAI semantic conventions. No attribute holds an argument, a result or a
message: what a function is, which call it was, and the reason of its outcome. OpenTelemetry is
never imported here: an application that has not imported it has no tracer.
"""

import sys
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from pyfunctools._text import shortened
from pyfunctools.errors import PyfunctoolsError
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome

if TYPE_CHECKING:
    from types import ModuleType

    from opentelemetry.trace import Span


def tracing() -> "ModuleType | None":
    """Return the API of OpenTelemetry if the application has set a provider of tracers."""
    api = sys.modules.get("opentelemetry.trace")
    # Without a provider of the application it is a proxy; both classes stand outside `__all__`.
    provider = None if api is None else api.get_tracer_provider()
    is_off = api is None or isinstance(provider, api.ProxyTracerProvider | api.NoOpTracerProvider)
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
