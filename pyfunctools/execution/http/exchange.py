"""A request goes out and an answer comes in: the deadline, retries, redirects, and what went wrong.

Written once, as coroutines. Over a wire that blocks they never suspend, and `steps.finish` runs
them to their end. Whatever happens is a value here; only what ends the caller's own work
(`CancelledError`, `KeyboardInterrupt`) passes through.
"""

import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeAlias
from urllib.parse import urljoin, urlsplit

from pyfunctools.execution.http.decoding import DecodedBody, UnreadableError
from pyfunctools.execution.request.assembly import HttpRequest
from pyfunctools.execution.request.styles import is_field_value
from pyfunctools.limits import Limits
from pyfunctools.record.outcome import Sent

Headers: TypeAlias = tuple[tuple[str, str], ...]
"""Header lines as they came, the names in lower case."""

Challenge: TypeAlias = Callable[[HttpRequest, Headers], str | None]
"""Answers a 401: the `Authorization` to try again with, or `None`."""

GRACE = 0.05
"""Seconds after the deadline until an awaited step is cancelled.

A library's own timeout comes first and says more: whether there was a connection at all.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenResponse:
    """An answer whose head is there; `read` gives the next chunk of its body, or `None` at its end.

    `close` ends it, read to its end or not. `decoded` says that the Content-Encoding is undone.
    """

    status: int
    headers: Headers
    read: Callable[[], Awaitable[bytes | None]]
    close: Callable[[], Awaitable[object]]
    decoded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """What carries requests: `send` takes one and the deadline, as `time.monotonic` counts.

    One that `blocks` never suspends and keeps the deadline itself. `unsent` are the errors after
    which nothing was sent, `late` those of a time that is over.
    """

    send: Callable[[HttpRequest, float], Awaitable[OpenResponse]]
    blocks: bool = False
    unsent: tuple[type[Exception], ...] = ()
    late: tuple[type[Exception], ...] = (TimeoutError,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """An answer, read to its end and decoded."""

    status: int
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """No answer, or one that could not be read.

    `reason` begins a sentence; it names no host, no header and no value. `status` and `headers` are
    there where the head of the answer was. `late` says that the deadline was the reason, `again`
    that another try may fare better.
    """

    reason: str
    sent: Sent
    status: int | None = None
    headers: Headers = ()
    late: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """The exchange of requests and answers in one call: its wire, its deadline, its limits."""

    wire: Wire
    deadline: float
    limits: Limits
    challenge: Challenge | None = None

    async def run(self, request: HttpRequest, *, repeatable: bool) -> Received | Lost:
        """Return the answer to a request.

        A request that may be repeated is sent again, as often as the limits say, when the
        connection failed or the server is overloaded, after the time it asks for; not where that
        would be after the deadline.
        """
        tries = self.limits.retries if repeatable else 0
        attempt, arrived = 0, False
        while True:
            result = await self._followed(request)
            if arrived and isinstance(result, Lost):  # an earlier try was sent, if not this one
                result = replace(result, sent="unknown")
            pause = _pause(result, attempt) if attempt < tries else None
            if pause is None or time.monotonic() + pause >= self.deadline:
                return result
            arrived = isinstance(result, Received) or result.sent != "no"
            await self._sleep(pause)
            attempt += 1

    async def _followed(self, request: HttpRequest) -> Received | Lost:
        result = await self._answered(request)
        for _ in range(self.limits.redirects):
            following = redirected(request, result)
            if following is None:
                break
            request = following
            result = await self._answered(request)
        return result

    async def _answered(self, request: HttpRequest) -> Received | Lost:
        result = await self._once(request)
        if self.challenge is None or not isinstance(result, Received) or result.status != 401:
            return result
        proof = self.challenge(request, result.headers)
        if proof is None:
            return result
        return await self._once(
            replace(request, headers={**request.headers, "authorization": proof})
        )

    async def _once(self, request: HttpRequest) -> Received | Lost:
        if time.monotonic() >= self.deadline:
            return Lost(reason=self._late, sent="no", late=True)
        reply = None
        try:
            async with self._until_late():
                reply = await self.wire.send(request, self.deadline)
                body = await self._body(request, reply)
            return Received(status=reply.status, headers=reply.headers, body=body)
        except Exception as error:  # a client runs code of its caller's: hooks, applications
            return self._lost(error, reply)
        finally:
            if reply is not None:
                with suppress(Exception):  # what could go wrong here went wrong before
                    await reply.close()

    async def _body(self, request: HttpRequest, reply: OpenResponse) -> bytes:
        limit = self.limits.response
        encoding = "" if reply.decoded else _header(reply.headers, "content-encoding")
        body = DecodedBody(encoding, limit)
        if not encoding and request.method != "HEAD" and _longer(reply, limit):
            raise UnreadableError(f"is larger than {limit} bytes")
        while time.monotonic() < self.deadline:
            chunk = await reply.read()
            if chunk is None:
                return body.whole()
            body.feed(chunk)
        raise TimeoutError

    def _until_late(self) -> AbstractAsyncContextManager[object]:
        if self.wire.blocks:
            return nullcontext()
        from asyncio import timeout

        return timeout(self.deadline + GRACE - time.monotonic())

    async def _sleep(self, seconds: float) -> None:
        if self.wire.blocks:
            return time.sleep(seconds)
        from asyncio import sleep

        return await sleep(seconds)

    def _lost(self, error: Exception, reply: OpenResponse | None) -> Lost:
        status, headers = (None, ()) if reply is None else (reply.status, reply.headers)
        if isinstance(error, UnreadableError):
            reason = f"The body of the answer {error.reason}"
            return Lost(reason=reason, sent="yes", status=status, headers=headers)
        sent: Sent = "no" if reply is None and isinstance(error, self.wire.unsent) else "unknown"
        late = isinstance(error, self.wire.late)
        where = "before an answer came" if reply is None else "inside the answer"
        reason = "No connection could be made" if sent == "no" else f"The connection broke {where}"
        return Lost(
            reason=self._late if late else f"{reason} ({type(error).__name__})",
            sent=sent,
            status=status,
            headers=headers,
            late=late,
            again=sent == "no" or not late,
        )

    @property
    def _late(self) -> str:
        return f"No answer came within {self.limits.deadline:g} s"


def redirected(request: HttpRequest, result: Received | Lost) -> HttpRequest | None:
    """Return the request that a redirect asks for, or `None` where it is not to be followed.

    It stays on the same scheme, host and port, so that what was meant for them goes nowhere else. A
    write is repeated only where the status says so (307, 308), and becomes a GET after 303.
    """
    if not isinstance(result, Received) or result.status not in _REDIRECTS:
        return None
    location = _header(result.headers, "location")
    method = "GET" if result.status == 303 and request.method != "HEAD" else request.method
    if method not in ("GET", "HEAD") and result.status in (301, 302):
        return None
    try:
        url = urljoin(request.url, location).partition("#")[0]
        same = _endpoint(url) == _endpoint(request.url)
    except ValueError:
        return None
    if not location or not same or not is_field_value(location) or " " in location:
        return None
    if method == request.method:
        return replace(request, url=url)
    kept = {name: text for name, text in request.headers.items() if name != "content-type"}
    return HttpRequest(method=method, url=url, headers=kept)


def origin_of(url: str) -> str | None:
    """Return the scheme, host and port of a URL and nothing else of it, or `None`."""
    try:
        scheme, host, port = _endpoint(url)
    except ValueError:
        return None
    return f"{scheme}://{host}" + ("" if port is None else f":{port}") if scheme and host else None


def retry_after(headers: Headers) -> float | None:
    """Return the seconds a server asks to wait (RFC 9110, section 10.2.3), or `None`.

    A date in the past is no wait; what is neither a number of seconds nor a date is `None`.
    """
    text = _header(headers, "retry-after").strip()
    if text.isascii() and text.isdigit():
        return float(text) if len(text) <= 12 else None
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())


_REDIRECTS = (301, 302, 303, 307, 308)
_OVERLOADED = (429, 502, 503, 504)


def _pause(result: Received | Lost, attempt: int) -> float | None:
    """Return the seconds before the next try, or `None` if there is none."""
    if isinstance(result, Lost):
        return 0.2 * 2**attempt if result.again else None
    if result.status not in _OVERLOADED:
        return None
    asked = retry_after(result.headers)
    return 0.2 * 2**attempt if asked is None else asked


def _header(headers: Headers, name: str) -> str:
    """Return the values of a header (named in lower case), joined by commas."""
    return ", ".join(value for key, value in headers if key == name)


def _longer(reply: OpenResponse, limit: int) -> bool:
    length = _header(reply.headers, "content-length")
    return length.isascii() and length.isdigit() and (len(length) > 18 or int(length) > limit)


def _endpoint(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise ValueError("user information")
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, None if parts.port == default else parts.port
