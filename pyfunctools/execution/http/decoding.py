"""The body of a response, decoded while it arrives, up to a size limit."""

import zlib

PIECE = 1 << 16
"""The most bytes that are inflated at once, even from a zip bomb."""


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
        self._head = b""
        self._has_begun = False
        self._inflate = None
        self._encoding = encoding.strip().lower().removeprefix("x-")
        if self._encoding not in ("", "identity", "gzip", "deflate"):
            raise UnreadableError("has a Content-Encoding that the request does not accept")

    def feed(self, chunk: bytes) -> None:
        """Decode the next raw chunk."""
        if self._encoding not in ("gzip", "deflate"):
            self._add(chunk)
            return
        try:
            self._unpack(chunk)
        except zlib.error:
            raise UnreadableError("does not match its Content-Encoding") from None

    def whole(self) -> bytes:
        """Return the decoded body, after the last chunk."""
        if self._inflate is not None or self._head:
            raise UnreadableError("ends inside its compressed data")
        return bytes(self._bytes)

    def take(self) -> bytes:
        """Return what is decoded so far, and forget it: the limit is for what follows."""
        taken, self._bytes = bytes(self._bytes), bytearray()
        return taken

    def _unpack(self, chunk: bytes) -> None:
        while True:
            if self._inflate is None:
                chunk = self._head + chunk
                if self._has_begun and not chunk.strip(b"\0"):
                    return  # padding after the last member
                if len(chunk) < 2:
                    self._head = chunk
                    return
                self._head, self._has_begun = b"", True
                self._inflate = zlib.decompressobj(self._window(chunk))
            piece = self._inflate.decompress(chunk, PIECE)
            self._add(piece)
            if self._inflate.eof:
                chunk, self._inflate = self._inflate.unused_data, None
                if not chunk:
                    return
                continue
            chunk = self._inflate.unconsumed_tail
            if not chunk and len(piece) < PIECE:
                return

    def _window(self, head: bytes) -> int:
        """Return the window bits for the first bytes of data (RFC 1950, section 2.2)."""
        if self._encoding == "gzip":
            return 16 + zlib.MAX_WBITS
        zlib_header = head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
        return zlib.MAX_WBITS if zlib_header else -zlib.MAX_WBITS

    def _add(self, piece: bytes) -> None:
        if len(self._bytes) + len(piece) > self._limit:
            raise UnreadableError(f"is larger than {self._limit} bytes")
        self._bytes += piece
