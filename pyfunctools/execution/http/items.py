"""The body of a response while it arrives: decoded up to a limit, and split into items.

Sequences are server-sent events (WHATWG HTML, 9.2) and JSON lines (JSON text sequences too), with
the `itemSchema` of OpenAPI 3.2, which sees an event as an object of its fields.
"""

import re
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.schema import Failure, Issue, Path
from pyfunctools.schema.parsing.strict import parse_strict
from pyfunctools.schema.validation.validator import Validator

PIECE = 1 << 16
"""The most bytes that are inflated at once, even from a zip bomb."""

_DEFLATED = 8
"""The low half of the first byte of a zlib header (RFC 1950, section 2.2)."""

_ANY_HEADER = 32 + zlib.MAX_WBITS
"""Window bits for data that begin with the header of gzip or of zlib."""


class UnreadableError(Exception):
    """A body cannot be read. Never leaves `execution.http`.

    `reason` completes the sentence "The body ...".
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class DecodedBody:
    """The body received so far: `feed` takes raw chunks, `whole` returns the decoded bytes.

    `encoding` is the Content-Encoding. gzip (with one or several members) and deflate (with or
    without the zlib header, which some servers leave out) are decoded. Other encodings, and several
    at once, are refused, because the request did not accept them.
    """

    def __init__(self, encoding: str, limit: int) -> None:
        self._limit = limit
        self._bytes = bytearray()
        self._inflate = None
        self._encoding = encoding.strip().lower().removeprefix("x-")

    def feed(self, chunk: bytes) -> None:
        """Decode the next raw chunk; an empty body has no encoding, whatever its header says."""
        if self._encoding in ("", "identity"):
            self._add(chunk)
            return
        if self._encoding not in ("gzip", "deflate"):
            raise UnreadableError("has a Content-Encoding that the request does not accept")
        try:
            self._unpack(chunk)
        except zlib.error:
            raise UnreadableError("does not match its Content-Encoding") from None

    def whole(self) -> bytes:
        """Return the decoded body, after the last chunk."""
        if self._inflate is not None:
            raise UnreadableError("ends inside its compressed data")
        return bytes(self._bytes)

    def take(self) -> bytes:
        """Return what is decoded so far, and forget it: the limit is for what follows."""
        taken, self._bytes = bytes(self._bytes), bytearray()
        return taken

    def _unpack(self, chunk: bytes) -> None:
        while chunk or self._inflate is not None:
            if self._inflate is None:
                is_bare = self._encoding == "deflate" and chunk[0] & 0x0F != _DEFLATED
                self._inflate = zlib.decompressobj(-zlib.MAX_WBITS if is_bare else _ANY_HEADER)
            piece = self._inflate.decompress(chunk, PIECE)
            self._add(piece)
            if self._inflate.eof:
                chunk, self._inflate = self._inflate.unused_data, None
                continue
            chunk = self._inflate.unconsumed_tail
            if not chunk and len(piece) < PIECE:
                return

    def _add(self, piece: bytes) -> None:
        if len(self._bytes) + len(piece) > self._limit:
            raise UnreadableError(f"is larger than {self._limit} bytes")
        self._bytes += piece


DEPTH = 128
"""The deepest nesting of JSON that is read in a response."""

_SPACE = b" \t\r\n\x1e"
"""What may stand around an item in its line; a record separator begins each one of RFC 7464."""


class StreamItem(NamedTuple):
    """One item: its value, and what is wrong with it."""

    value: JsonValue
    issues: tuple[Issue, ...] = ()


class LineReader:
    """Reads JSON lines, each of at most `limit` bytes."""

    blank = re.compile(rb"\n[ \t\r\n]+")
    """Lines that mean nothing; as there may be millions, they are left out together."""

    def __init__(self, checks: Validator | None, limit: int) -> None:
        self._checks = checks
        self._limit = limit
        self._rest = bytearray()
        self._size = 0
        self._has_begun = False

    def items(self, decoded: bytes, *, is_end: bool) -> Iterator[StreamItem]:
        """Yield the items that bytes complete, each when it is wanted: there may be millions."""
        for start in range(0, len(decoded), PIECE):
            yield from self.feed(decoded[start : start + PIECE])
        if is_end:
            yield from self.close()

    def feed(self, chunk: bytes) -> Iterator[StreamItem]:
        """Yield the items that a chunk completes.

        Raises:
            UnreadableError: an item is larger than the limit.
        """
        *ended, rest = self.blank.sub(b"\n\n", chunk).split(b"\n")
        for each in ended:
            self._grow(each)
            line, self._rest = bytes(self._rest), bytearray()
            if not self._has_begun:
                line, self._has_begun = line.removeprefix(b"\xef\xbb\xbf"), True
            if (item := self._line(line)) is not None:
                yield item
        self._grow(rest)

    def close(self) -> Iterator[StreamItem]:
        """Yield what is left at the end of the body."""
        if self._rest:
            yield from self.feed(b"\n")

    def _grow(self, piece: bytes) -> None:
        self._rest += piece
        self._size += len(piece)
        if self._size > self._limit:
            raise UnreadableError(f"has an item larger than {self._limit} bytes")

    def _line(self, line: bytes) -> StreamItem | None:
        self._size = 0
        text = line.strip(_SPACE)
        return self._json(text) if text else None

    def _json(self, text: bytes) -> StreamItem:
        read = parse_strict(text, DEPTH)
        if read is None:
            return wrong_item(text.decode("utf-8", "replace"), "valid JSON")
        return self._checked(read.value)

    def _checked(self, value: JsonValue) -> StreamItem:
        verdict = self._checks is None or self._checks.validate(value)
        return StreamItem(value, verdict.issues if isinstance(verdict, Failure) else ())


class EventReader(LineReader):
    """Reads server-sent events. One that the end of the body cuts off is wrong.

    The value of an event is what `itemSchema` describes: the object of its fields, or its data as
    JSON; without a schema it is the data.
    """

    blank = re.compile(rb"\n{3,}")

    def __init__(self, checks: Validator | None, limit: int) -> None:
        super().__init__(checks, limit)
        parts = () if checks is None else checks.outline.place.possible.parts
        self._is_event = any(_EVENT & part.declared.keys() for part in parts)
        self._fields: dict[str, Any] = {}
        self._data: list[str] = []
        self._after_return = False

    def feed(self, chunk: bytes) -> Iterator[StreamItem]:
        """Yield the events that a chunk completes; lines end with CR, LF or both.

        Raises:
            UnreadableError: an event is larger than the limit.
        """
        if chunk:
            after, self._after_return = self._after_return, chunk.endswith(b"\r")
            chunk = chunk.removeprefix(b"\n") if after else chunk
        return super().feed(chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))

    def close(self) -> Iterator[StreamItem]:
        """Yield the event that the end of the body cuts off."""
        list(super().close())
        if self._data:
            yield wrong_item("\n".join(self._data), "an event with an empty line behind it")

    def _line(self, line: bytes) -> StreamItem | None:
        if not line:
            fields, data = self._fields, self._data
            self._fields, self._data, self._size = {}, [], 0
            # Without data there is no event, whatever other fields there are.
            return self._event({**fields, "data": "\n".join(data)}) if data else None
        name, _, value = line.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event" or (name == "id" and "\0" not in value):
            self._fields[name] = value
        elif name == "retry" and value.isascii() and value.isdigit() and len(value) < 20:
            self._fields[name] = int(value)
        return None

    def _event(self, event: JsonObject) -> StreamItem:
        data, checks = cast("str", event["data"]), self._checks
        if checks is None:
            return StreamItem(data)
        read = parse_strict(data, DEPTH)
        decoded = data if read is None else read.value
        if self._is_event:
            whole = {**event, "data": decoded}
            return self._checked(event if checks.is_valid(event) else whole)
        is_text = not checks.is_valid(decoded) and checks.is_valid(data)
        return self._checked(data if is_text else decoded)


_EVENT = frozenset({"data", "event"})

READERS = {"events": EventReader, "lines": LineReader}


def wrong_item(text: str, expected: str) -> StreamItem:
    """Return an item that cannot be read."""
    path = Path.of(())
    message = f"`{path}` is not {expected}."
    return StreamItem(text, (Issue(path=path, expected=expected, value=text, message=message),))
