"""Sends a request and receives its response: the deadline, retries, redirects, and failures.

The steps are coroutines, for blocking and awaited calls. With a blocking transport they never
suspend, and `steps.finish` runs them to their end. Every failure is a value here; only exceptions
that end the caller's own work (`CancelledError`, `KeyboardInterrupt`) are raised.
"""

import random
import re
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf
from socket import gaierror
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urljoin

from pyfunctools.execution.http.items import (
    READERS,
    DecodedBody,
    LineReader,
    StreamItem,
    UnreadableError,
)
from pyfunctools.execution.request.assembly import HttpRequest
from pyfunctools.execution.request.destination import endpoint_of
from pyfunctools.limits import Limits
from pyfunctools.media_types import sequence_kind
from pyfunctools.record.outcome import Sent
from pyfunctools.route import is_field_value
from pyfunctools.schema.validation.validator import Validator

if TYPE_CHECKING:
    from concurrent.futures import Future

Headers: TypeAlias = Mapping[str, str]
"""The headers of a response by their names, which are in lower case."""

_FIRST, _LONGEST = 0.2, 5.0
_OVERLOADED = (429, 502, 503, 504)


def headers_of(lines: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return header lines by name; several of one name are joined by commas or line breaks.

    A line that stands there twice, as of a proxy that repeats `Content-Type`, counts once.
    """
    found: dict[str, str] = {}
    for key, value in dict.fromkeys((key.lower(), value) for key, value in lines):
        name, text = key.decode("latin-1"), value.decode("latin-1")
        between = "\n" if name in ("set-cookie", "www-authenticate") else ", "
        found[name] = f"{found[name]}{between}{text}" if name in found else text
    return found


async def rest(seconds: float, *, blocks: bool) -> None:
    """Wait these seconds, in this thread or on the running loop."""
    if blocks:
        return time.sleep(seconds)
    from asyncio import sleep

    return await sleep(seconds)


async def wait_for(future: "Future[Any]", seconds: float, *, blocks: bool) -> bool:
    """Wait these seconds at most for a future of another thread; return whether it is done."""
    if blocks:
        from concurrent.futures import wait as wait_in_thread

        wait_in_thread((future,), seconds)
        return future.done()
    from asyncio import wait, wrap_future

    waiting = wrap_future(future)
    await wait((waiting,), timeout=seconds)
    if waiting.done() and not waiting.cancelled():
        waiting.exception()  # counts as read: the caller reads the exception of `future`
    return future.done()


def pause_before(attempt: int, wanted: float | None = None) -> float:
    """Return the seconds before the try after `attempt`, the first of which is 0.

    They come after those that the server `wanted`. Some of it is random, so that calls that failed
    together do not come again together.
    """
    longest = min(_LONGEST, _FIRST * 2 ** min(attempt, 30))
    return (wanted or 0) + random.uniform(longest / 2, longest)  # noqa: S311 - no secret


def retry_after(headers: Headers) -> float | None:
    """Return the seconds after which a server wants to be asked again, or `None`.

    They are in `Retry-After` (RFC 9110, section 10.2.3; a date in the past means 0). Some servers
    write fractions of a second.
    """
    text = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())


_SECONDS = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,12})?")

DEADLINE: ContextVar[float] = ContextVar("pyfunctools_deadline", default=inf)
"""The end of the exchange that runs in this context, as `time.monotonic` counts."""

GRACE = 0.05
"""Seconds after the deadline until an awaited step is cancelled.

The timeout of the library comes first, and its class shows whether there was a connection.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenResponse:
    """A response whose status and headers are received.

    `read` returns the next chunk of the body, or `None` at its end. `close` ends the response at
    any time.
    """

    status: int
    headers: Headers
    read: Callable[[], Coroutine[Any, Any, bytes | None]]
    close: Callable[[], Coroutine[Any, Any, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpTransport:
    """A way to send requests.

    If it `blocks`, `send` never suspends, and keeps the `DEADLINE` itself. The errors in `unsent`
    mean that nothing was sent, those in `late` that the deadline is over.
    """

    send: Callable[[HttpRequest], Coroutine[Any, Any, OpenResponse]]
    blocks: bool = False
    unsent: tuple[type[Exception], ...] = ()
    late: tuple[type[Exception], ...] = (TimeoutError,)


Mover: TypeAlias = Callable[[Coroutine[Any, Any, Any]], Coroutine[Any, Any, Any]]
"""Runs steps in another thread, or on another loop, and returns their result."""


def moved(transport: HttpTransport, mover: Mover, *, blocks: bool) -> HttpTransport:
    """Return a transport whose every step runs elsewhere; with `blocks` to wait for it blocks."""

    async def send(request: HttpRequest) -> OpenResponse:
        got: OpenResponse = await mover(transport.send(request))
        return replace(got, read=lambda: mover(got.read()), close=lambda: mover(got.close()))

    return replace(transport, send=send, blocks=blocks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """What came of a request: a response, decoded, or one whose items were `passed_on`.

    `lost` is why there is none, or none that could be read: a sentence without its full stop, and
    without a host, header or value. `status` and `headers` are set if they were received. If
    `late`, the deadline was over; if `retry`, another try may succeed.
    """

    status: int | None = None
    headers: Headers = field(default_factory=dict[str, str])
    body: bytes = b""
    passed_on: bool = False
    lost: str | None = None
    sent: Sent = "yes"
    late: bool = False
    retry: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """The requests and responses of one call, under one deadline.

    With `put_item` a successful response that is a sequence is not collected: its items are checked
    by `item_checks`, and the deadline begins again when the next one is wanted.
    """

    transport: HttpTransport
    deadline: float
    limits: Limits
    put_item: Callable[[StreamItem, OpenResponse], Awaitable[None]] | None = None
    item_checks: Validator | None = None

    async def run(self, request: HttpRequest, *, repeatable: bool) -> Received:
        """Return the response to a request.

        A repeatable request is sent again, as often as the limits allow, if the connection failed
        or the server is overloaded. Before each try there is a pause of at most 0.2 s, doubled for
        each further one, after the one that the server asks for; no try is after the deadline.
        """
        tries = self.limits.retries if repeatable else 0
        attempt, arrived = 0, False
        token = DEADLINE.set(self.deadline)
        try:
            while True:
                result = await self._followed(request)
                if result.sent == "no" and arrived:  # an earlier try may have been carried out
                    result = replace(result, sent="unknown")
                retry, wanted = _failed(result)
                if not retry or attempt >= tries:
                    return result
                pause = pause_before(attempt, wanted)
                if time.monotonic() + pause >= self.deadline:
                    return result
                await rest(pause, blocks=self.transport.blocks)
                arrived = result.sent != "no"
                attempt += 1
        finally:
            DEADLINE.reset(token)

    async def _followed(self, request: HttpRequest) -> Received:
        """Return the response after redirects are followed."""
        for _ in range(self.limits.redirects):
            result = await self._send(request)
            if (following := redirected(request, result)) is None:
                return result
            request = following
        return await self._send(request)

    async def _send(self, request: HttpRequest) -> Received:
        if time.monotonic() >= self.deadline:
            return Received(lost=self._too_late, sent="no", late=True)
        response = reader = None
        try:
            async with self._until_deadline():
                response = await self.transport.send(request)
            reader = self._reader(response)
            body = await self._read(request, response, reader)
            passed_on = reader is not None
            status, headers = response.status, response.headers
            return Received(status=status, headers=headers, body=body, passed_on=passed_on)
        except Exception as error:  # a client runs code of the application: hooks, for example
            lost = self._lost(error, response)
            return lost if reader is None else replace(lost, retry=False)
        finally:
            if response is not None:
                with suppress(Exception):  # the response is already here, or lost
                    await response.close()

    def _reader(self, response: OpenResponse) -> LineReader | None:
        """Return the reader of a response that is a sequence, if its items are wanted."""
        if self.put_item is None or not 200 <= response.status < 300:
            return None
        kind = sequence_kind(response.headers.get("content-type", ""))
        return None if kind is None else READERS[kind](self.item_checks, self.limits.response)

    async def _read(
        self, request: HttpRequest, response: OpenResponse, reader: LineReader | None
    ) -> bytes:
        """Return the whole body; with a reader pass on its items as they come, and keep none."""
        limit, length = self.limits.response, response.headers.get("content-length", "")
        encoding = response.headers.get("content-encoding", "")
        is_known = not (reader or encoding or request.method == "HEAD") and length.isascii()
        if is_known and length.isdigit() and (len(length) > 18 or int(length) > limit):
            raise UnreadableError(f"is larger than {limit} bytes")
        body, chunk = DecodedBody(encoding, limit), b""
        items: Iterator[StreamItem] = iter(())
        while chunk is not None:
            item = None
            async with self._until_deadline():
                while chunk is not None and item is None:
                    if time.monotonic() >= DEADLINE.get():
                        raise TimeoutError
                    if chunk := await response.read():
                        body.feed(chunk)
                    if reader is not None:
                        decoded = body.whole() if chunk is None else body.take()
                        items = reader.items(decoded, is_end=chunk is None)
                        item = next(items, None)
            while item is not None and self.put_item is not None:
                await self.put_item(item, response)
                DEADLINE.set(time.monotonic() + self.limits.deadline)
                item = next(items, None)
        return b"" if reader else body.whole()

    def _until_deadline(self) -> AbstractAsyncContextManager[object]:
        if self.transport.blocks:
            return nullcontext()
        from asyncio import timeout

        return timeout(DEADLINE.get() + GRACE - time.monotonic())

    def _lost(self, error: Exception, response: OpenResponse | None) -> Received:
        status = None if response is None else response.status
        headers: Headers = {} if response is None else response.headers
        if isinstance(error, UnreadableError):
            return Received(
                lost=f"The body of the answer {error.reason}", status=status, headers=headers
            )
        is_unsent = response is None and isinstance(error, self.transport.unsent)
        late = isinstance(error, self.transport.late)
        is_unknown = isinstance(error, gaierror)
        name = "host name not found" if is_unknown else type(error).__name__
        where = "before an answer came" if response is None else "inside the answer"
        reason = "No connection could be made" if is_unsent else f"The connection broke {where}"
        return Received(
            lost=self._too_late if late else f"{reason} ({name})",
            sent="no" if is_unsent else "unknown",
            status=status,
            headers=headers,
            late=late,
            retry=is_unsent or not late,
        )

    @property
    def _too_late(self) -> str:
        return f"No answer came within {self.limits.deadline:g} s"


def _failed(result: Received) -> tuple[bool, float | None]:
    """Return whether a request may be tried again, and the pause that the server wants."""
    wanted = retry_after(result.headers) if (result.status or 0) >= 400 else None
    is_limited = result.status == 403 and wanted is not None
    return result.retry or is_limited or result.status in _OVERLOADED, wanted


_REDIRECTS = (301, 302, 303, 307, 308)


def redirected(request: HttpRequest, result: Received) -> HttpRequest | None:
    """Return the request to which a redirect leads, or `None` if it must not be followed.

    It keeps the scheme, host and port, so that credentials are sent nowhere else. A write is
    repeated only for the status 307 or 308, and becomes a GET after 303.
    """
    if result.status not in _REDIRECTS:
        return None
    location = result.headers.get("location", "")
    method = "GET" if result.status == 303 and request.method != "HEAD" else request.method
    if method not in ("GET", "HEAD") and result.status in (301, 302):
        return None
    try:
        url = urljoin(request.url, location).partition("#")[0]
        is_same = endpoint_of(url) == endpoint_of(request.url)
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
        scheme, host, port = endpoint_of(url)
    except ValueError:
        return None
    return f"{scheme}://{host}" + ("" if port is None else f":{port}") if scheme and host else None
