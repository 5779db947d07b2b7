"""The body of a request: JSON, forms, multipart, text and bytes."""

import re
from dataclasses import dataclass

from pyfunctools._json import JsonValue
from pyfunctools.execution.person.uploads import file_of
from pyfunctools.execution.request.forms import form_text
from pyfunctools.execution.request.media_types import (
    charset_of,
    codec_of,
    is_json,
    is_xml,
    media_type,
)
from pyfunctools.execution.request.multipart import multipart
from pyfunctools.execution.request.styles import json_text, scalar
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.record.file import File
from pyfunctools.route import Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What is sent as a body: its bytes, and the media type they are sent under."""

    content_type: str
    content: bytes


def encoded(
    body: Body, value: JsonValue, *, boundary: str | None = None, deep: bool = False
) -> Content | None:
    """Return the body for a value, or `None` where there is nothing to send.

    Null is a body only in JSON. What has no rules of its own (plain text, XML, an image) is sent as
    it is where it is text or bytes; a value that is neither is written as JSON text, but not under
    XML. A file given with its media type is sent under that one where the document names a range.
    `boundary` is where the search for a multipart boundary starts, else 128 random bits.

    Raises:
        UnsendableError: the value cannot be written in this media type.
    """
    media = media_type(body.content_type)
    try:
        if is_json(media):
            return Content(content_type=body.content_type, content=json_text(value).encode())
        if value is None:
            return None
        if media == "application/x-www-form-urlencoded":
            text = form_text(value, body.encoding, body.schema, deep=deep)
            return Content(content_type=body.content_type, content=text.encode())
        if media.startswith("multipart/"):
            chosen, content = multipart(
                value, body.encoding, body.schema, boundary=boundary, deep=deep
            )
            return Content(content_type=f"{_multipart(media)}; boundary={chosen}", content=content)
        file = file_of(value, body.schema)
        return _text(body, value, media) if file is None else _bytes(body, file, media)
    except UnicodeEncodeError:
        raise UnsendableError("text that is valid Unicode, without lone surrogates") from None


_MEDIA = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


def _multipart(media: str) -> str:
    return "multipart/form-data" if "*" in media else media


def _bytes(body: Body, file: File, media: str) -> Content:
    given = body.content_type
    if "*" in media or media == "application/octet-stream":
        given = file.content_type or ("application/octet-stream" if "*" in media else given)
        if not _MEDIA.fullmatch(given):
            raise UnsendableError("a media type in visible ASCII", ("content_type",))
    return Content(content_type=given, content=file.spelled(body.schema))


def _text(body: Body, value: JsonValue, media: str) -> Content:
    if is_xml(media) and not isinstance(value, str):
        raise UnsendableError("the XML, as text")
    text = scalar(value)
    codec = codec_of(body.content_type)
    if codec is None:
        raise UnsendableError("nothing: the charset of this body is not known here")
    if "*" in media:
        is_string = isinstance(value, str)
        given = "text/plain; charset=utf-8" if is_string else "application/json"
    elif media.startswith("text/") and not charset_of(body.content_type) and not text.isascii():
        given = f"{body.content_type}; charset=utf-8"
    else:
        given = body.content_type
    try:
        return Content(content_type=given, content=text.encode(codec))
    except UnicodeEncodeError:
        raise UnsendableError(f"text that {codec} can say") from None
