"""How long to wait before a request is sent again: what the server asked for, else a guess."""

import random
import re
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeAlias

Headers: TypeAlias = tuple[tuple[str, str], ...]
"""The header lines of a response, the names in lower case."""

_FIRST, _LONGEST = 0.2, 5.0
_OVERLOADED = (429, 502, 503, 504)


class Pauses:
    """The pauses that servers asked for, by origin: no call of the runner is sent before the end.

    The end is as `time.monotonic` counts.
    """

    def __init__(self) -> None:
        self._ends = dict[str, float]()

    def left(self, origin: str) -> float:
        """Return the seconds until a server may be asked again."""
        end = self._ends.get(origin)
        return 0.0 if end is None else max(0.0, end - time.monotonic())

    def keep(self, origin: str, seconds: float) -> None:
        """Remember that a server asked for a pause of these seconds."""
        self._ends[origin] = max(self._ends.get(origin, 0.0), time.monotonic() + seconds)


async def rest(seconds: float, *, blocks: bool) -> None:
    """Wait these seconds, in this thread or on the running loop."""
    if blocks:
        return time.sleep(seconds)
    from asyncio import sleep

    return await sleep(seconds)


def is_limited(status: int, headers: Headers) -> bool:
    """Return whether a response says that a rate limit is used up."""
    return status == 429 or (status == 403 and _remaining(headers) == 0)


def may_try_again(status: int, headers: Headers) -> bool:
    """Return whether a server answered that it cannot serve the request now."""
    return status in _OVERLOADED or is_limited(status, headers)


def pause_before(attempt: int, wanted: float | None = None) -> float:
    """Return the seconds before the try after `attempt`, the first of which is 0.

    They are never less than what the server `wanted`. Some of it is random, so that calls that
    failed together do not come again together.
    """
    if wanted is not None:
        return wanted + random.uniform(0, min(wanted / 10, 1))  # noqa: S311 - no secret
    longest = min(_LONGEST, _FIRST * 2 ** min(attempt, 30))
    return random.uniform(longest / 2, longest)  # noqa: S311 - no secret


def retry_after(headers: Headers) -> float | None:
    """Return the seconds after which a server wants to be asked again, or `None`.

    They are in `Retry-After` (RFC 9110, section 10.2.3; a date in the past means 0), or, if a rate
    limit is used up, in `RateLimit` or one of its older forms.
    """
    text = header_of(headers, "retry-after").strip()
    if text.isascii() and text.isdigit():
        return float(text) if len(text) <= 12 else None
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return _reset(headers) if _remaining(headers) == 0 else None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())


def header_of(headers: Headers, name: str) -> str:
    """Return the values of a header (named in lower case), joined by commas."""
    return ", ".join(value for key, value in headers if key == name)


def _remaining(headers: Headers) -> int | None:
    """Return how many requests a rate limit leaves, the fewest of several limits."""
    found = _numbers(headers, "remaining", r"(?:\br|\bremaining)=(\d{1,12})")
    return min(found, default=None)


def _reset(headers: Headers) -> float | None:
    """Return the seconds until a rate limit is reset; some servers tell the time since 1970."""
    found = _numbers(headers, "reset", r"(?:\bt|\breset)=(\d{1,12})")
    if not found:
        return None
    reset = max(found)
    return float(reset) if reset < _SINCE_1970 else max(0.0, reset - time.time())


_SINCE_1970 = 1_000_000_000


def _numbers(headers: Headers, name: str, pattern: str) -> list[int]:
    """Return the numbers of `RateLimit` (draft of the IETF), `RateLimit-*` and `X-RateLimit-*`."""
    found = re.findall(pattern, header_of(headers, "ratelimit"), re.ASCII)
    for prefix in ("ratelimit", "x-ratelimit", "x-rate-limit"):
        found += re.findall(r"^\s*(\d{1,12})\b", header_of(headers, f"{prefix}-{name}"), re.ASCII)
    return [int(each) for each in found]
