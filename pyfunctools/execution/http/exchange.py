"""Sends a request and receives its response: the deadline, retries, redirects, and failures.

The steps are coroutines, for blocking and awaited calls. With a blocking transport they never
suspend, and `steps.finish` runs them to their end. Every failure is a value here; only exceptions
that end the caller's own work (`CancelledError`, `KeyboardInterrupt`) are raised.
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
"""The header lines of a response, the names in lower case."""

AnswerChallenge: TypeAlias = Callable[[HttpRequest, Headers], str | None]
"""Returns the `Authorization` to send after a response with status 401, or `None`."""

GRACE = 0.05
"""Seconds after the deadline until an awaited step is cancelled.

The timeout of the library comes first, and its class shows whether there was a connection.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenResponse:
    """A response whose status and headers are received.

    `read` returns the next chunk of the body, or `None` at its end. `close` ends the response at
    any time. `decoded` is true if the chunks are decoded already.
    """

    status: int
    headers: Headers
    read: Callable[[], Awaitable[bytes | None]]
    close: Callable[[], Awaitable[object]]
    decoded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpTransport:
    """A way to send requests: `send` takes a request and the deadline, as `time.monotonic` counts.

    If it `blocks`, `send` never suspends, and keeps the deadline itself. The errors in `unsent`
    mean that nothing was sent, those in `late` that the deadline is over.
    """

    send: Callable[[HttpRequest, float], Awaitable[OpenResponse]]
    blocks: bool = False
    unsent: tuple[type[Exception], ...] = ()
    late: tuple[type[Exception], ...] = (TimeoutError,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedResponse:
    """A complete response, decoded."""

    status: int
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class LostResponse:
    """No response, or one that could not be read.

    `reason` is a sentence without its full stop, and has no host, header or value. `status` and
    `headers` are set if they were received. If `late`, the deadline was over; if `retry`, another
    try may succeed.
    """

    reason: str
    sent: Sent
    status: int | None = None
    headers: Headers = ()
    late: bool = False
    retry: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """The requests and responses of one call, under one deadline."""

    transport: HttpTransport
    deadline: float
    limits: Limits
    challenge: AnswerChallenge | None = None

    async def run(
        self, request: HttpRequest, *, repeatable: bool
    ) -> ReceivedResponse | LostResponse:
        """Return the response to a request.

        A repeatable request is sent again, as often as the limits allow, if the connection failed
        or the server is overloaded. The pause before each try is the server's `Retry-After`, by
        default 0.2 s, doubled for each further try. There is no try after the deadline.
        """
        tries = self.limits.retries if repeatable else 0
        attempt, arrived = 0, False
        while True:
            result = await self._follow_redirects(request)
            if arrived and isinstance(result, LostResponse):  # an earlier try was sent
                result = replace(result, sent="unknown")
            pause = _pause(result, attempt) if attempt < tries else None
            if pause is None or time.monotonic() + pause >= self.deadline:
                return result
            arrived = isinstance(result, ReceivedResponse) or result.sent != "no"
            await self._sleep(pause)
            attempt += 1

    async def _follow_redirects(self, request: HttpRequest) -> ReceivedResponse | LostResponse:
        result = await self._answer_challenge(request)
        for _ in range(self.limits.redirects):
            following = redirected(request, result)
            if following is None:
                break
            request = following
            result = await self._answer_challenge(request)
        return result

    async def _answer_challenge(self, request: HttpRequest) -> ReceivedResponse | LostResponse:
        result = await self._send(request)
        if self.challenge is None or isinstance(result, LostResponse) or result.status != 401:
            return result
        proof = self.challenge(request, result.headers)
        if proof is None:
            return result
        headers = {**request.headers, "authorization": proof}
        return await self._send(replace(request, headers=headers))

    async def _send(self, request: HttpRequest) -> ReceivedResponse | LostResponse:
        if time.monotonic() >= self.deadline:
            return LostResponse(reason=self._too_late, sent="no", late=True)
        response = None
        try:
            async with self._until_deadline():
                response = await self.transport.send(request, self.deadline)
                body = await self._body(request, response)
            return ReceivedResponse(status=response.status, headers=response.headers, body=body)
        except Exception as error:  # a client runs code of the application: hooks, for example
            return self._lost(error, response)
        finally:
            if response is not None:
                with suppress(Exception):  # the response is already here, or lost
                    await response.close()

    async def _body(self, request: HttpRequest, response: OpenResponse) -> bytes:
        limit = self.limits.response
        encoding = "" if response.decoded else _header(response.headers, "content-encoding")
        body = DecodedBody(encoding, limit)
        if not encoding and request.method != "HEAD" and _is_longer(response, limit):
            raise UnreadableError(f"is larger than {limit} bytes")
        while time.monotonic() < self.deadline:
            chunk = await response.read()
            if chunk is None:
                return body.whole()
            body.feed(chunk)
        raise TimeoutError

    def _until_deadline(self) -> AbstractAsyncContextManager[object]:
        if self.transport.blocks:
            return nullcontext()
        from asyncio import timeout

        return timeout(self.deadline + GRACE - time.monotonic())

    async def _sleep(self, seconds: float) -> None:
        if self.transport.blocks:
            return time.sleep(seconds)
        from asyncio import sleep

        return await sleep(seconds)

    def _lost(self, error: Exception, response: OpenResponse | None) -> LostResponse:
        status, headers = (None, ()) if response is None else (response.status, response.headers)
        if isinstance(error, UnreadableError):
            reason = f"The body of the answer {error.reason}"
            return LostResponse(reason=reason, sent="yes", status=status, headers=headers)
        is_unsent = response is None and isinstance(error, self.transport.unsent)
        late = isinstance(error, self.transport.late)
        where = "before an answer came" if response is None else "inside the answer"
        reason = "No connection could be made" if is_unsent else f"The connection broke {where}"
        return LostResponse(
            reason=self._too_late if late else f"{reason} ({type(error).__name__})",
            sent="no" if is_unsent else "unknown",
            status=status,
            headers=headers,
            late=late,
            retry=is_unsent or not late,
        )

    @property
    def _too_late(self) -> str:
        return f"No answer came within {self.limits.deadline:g} s"


_REDIRECTS = (301, 302, 303, 307, 308)
_OVERLOADED = (429, 502, 503, 504)


def redirected(request: HttpRequest, result: ReceivedResponse | LostResponse) -> HttpRequest | None:
    """Return the request to which a redirect leads, or `None` if it must not be followed.

    It keeps the scheme, host and port, so that credentials are sent nowhere else. A write is
    repeated only for the status 307 or 308, and becomes a GET after 303.
    """
    if isinstance(result, LostResponse) or result.status not in _REDIRECTS:
        return None
    location = _header(result.headers, "location")
    method = "GET" if result.status == 303 and request.method != "HEAD" else request.method
    if method not in ("GET", "HEAD") and result.status in (301, 302):
        return None
    try:
        url = urljoin(request.url, location).partition("#")[0]
        is_same = _endpoint(url) == _endpoint(request.url)
    except ValueError:
        return None
    if not location or not is_same or not is_field_value(location) or " " in location:
        return None
    if method == request.method:
        return replace(request, url=url)
    headers = {name: text for name, text in request.headers.items() if name != "content-type"}
    return HttpRequest(method=method, url=url, headers=headers)


def origin_of_url(url: str) -> str | None:
    """Return only the scheme, host and port of a URL, `None` if it is invalid or relative."""
    try:
        scheme, host, port = _endpoint(url)
    except ValueError:
        return None
    return f"{scheme}://{host}" + ("" if port is None else f":{port}") if scheme and host else None


def retry_after(headers: Headers) -> float | None:
    """Return the seconds of the header `Retry-After` (RFC 9110, section 10.2.3), or `None`.

    A date in the past means 0; text that is neither a number of seconds nor a date means `None`.
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


def _pause(result: ReceivedResponse | LostResponse, attempt: int) -> float | None:
    """Return the seconds before the next try, or `None` if there is no next try."""
    default = 0.2 * 2**attempt
    if isinstance(result, LostResponse):
        return default if result.retry else None
    if result.status not in _OVERLOADED:
        return None
    wanted = retry_after(result.headers)
    return default if wanted is None else wanted


def _header(headers: Headers, name: str) -> str:
    """Return the values of a header (named in lower case), joined by commas."""
    return ", ".join(value for key, value in headers if key == name)


def _is_longer(response: OpenResponse, limit: int) -> bool:
    length = _header(response.headers, "content-length")
    return length.isascii() and length.isdigit() and (len(length) > 18 or int(length) > limit)


def _endpoint(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise ValueError("user information")
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, None if parts.port == default else parts.port
