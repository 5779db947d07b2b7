"""The end of every call: its outcome is bounded for the model, and one record of it is logged."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from logging import INFO, getLogger
from time import perf_counter

from pyfunctools.execution.brevity import bounded
from pyfunctools.record.outcome import Outcome

LOGGER = getLogger("pyfunctools.calls")


async def closed(
    steps: Awaitable[Outcome], call_id: Callable[[], str], limit: Callable[[str | None], int]
) -> Outcome:
    """Return the outcome of the steps of one call, logged, its text bounded.

    `call_id` is asked at the end: a call that goes on with a ticket has its id from there. `limit`
    gives the characters that the text of a function's outcome may have, by its name. The
    record holds no value: the function, the call's id, the reason, the milliseconds and the number
    of repairs, in the message and as attributes.
    """
    started = perf_counter()
    try:
        outcome = await steps
    except Exception:  # a broken promise, which is the caller's to see
        raise
    except BaseException:  # cancelled, or interrupted: it passes, and is in the log
        _log(None, call_id(), "cancelled", started, 0)
        raise
    most = limit(outcome.function)
    if isinstance(outcome.text, str) and len(outcome.text) > most:  # pyright: ignore
        outcome = replace(outcome, text=bounded(outcome.text, most))
    _log(outcome.function, call_id(), outcome.reason, started, len(outcome.repairs))
    return outcome


def _log(
    function: str | None, call_id: str, reason: str | None, started: float, repairs: int
) -> None:
    if not LOGGER.isEnabledFor(INFO):
        return
    if reason == "unknown":  # a name that a model made up, and may hold anything
        function = None
    milliseconds = round((perf_counter() - started) * 1000, 3)
    extra = {
        "function": function,
        "call_id": call_id,
        "reason": reason,
        "milliseconds": milliseconds,
        "repairs": repairs,
    }
    said = (function or "?", call_id, reason or "ok", milliseconds, repairs)
    LOGGER.info("%s %s %s %.1f ms, %d repairs", *said, extra=extra)
