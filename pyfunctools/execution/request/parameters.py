"""One parameter in its place: a path segment, the query, a header or a cookie.

What style makes of a value is `style`; here stands what the place itself allows.
"""

import re

from pyfunctools._json import JsonValue
from pyfunctools.execution.request.forms import form_text
from pyfunctools.execution.request.media_types import is_json, media_type
from pyfunctools.execution.request.styles import (
    Encode,
    Pairs,
    json_text,
    pairs,
    percent,
    percent_reserved,
    plain,
    printable,
    printable_reserved,
    scalar,
    written,
)
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.route import PROTECTED_HEADERS, Parameter

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header or cookie (RFC 9110, section 5.6.2)."""


def segment_text(parameter: Parameter, value: JsonValue) -> str:
    """Return the text of a path parameter; `/` in it is encoded.

    Raises:
        UnsendableError: nothing would stand there, or the value cannot be written.
    """
    encode = printable_reserved if parameter.allow_reserved else printable
    if parameter.content_type is not None:
        return _content(parameter.content_type, value, encode)
    text = written(parameter.name, value, parameter.style, parameter.explode, encode)
    if text is None:
        raise UnsendableError("a value: it is a part of the path")
    return text


def query_pairs(parameter: Parameter, value: JsonValue, *, deep: bool) -> Pairs:
    """Return the names and values of a query parameter, encoded; none where nothing is sent.

    Raises:
        UnsendableError: the value cannot be written.
    """
    encode = percent_reserved if parameter.allow_reserved else percent
    if parameter.content_type is not None:
        text = _content(parameter.content_type, value, encode)
        return [(percent(parameter.name), text)]
    return pairs(parameter.name, value, parameter.style, parameter.explode, encode, deep=deep)


def query_text(parameter: Parameter, value: JsonValue, *, deep: bool) -> str:
    """Return the text of a parameter that is the whole query (OpenAPI 3.2, `in: querystring`).

    Raises:
        UnsendableError: the value cannot be written.
    """
    content_type = parameter.content_type or "application/x-www-form-urlencoded"
    if media_type(content_type) != "application/x-www-form-urlencoded":
        return _content(content_type, value, percent)
    if not isinstance(value, dict):
        raise UnsendableError("an object, whose properties are the query's")
    return form_text(value, {}, parameter.schema, deep=deep)


def header_text(parameter: Parameter, value: JsonValue) -> str | None:
    """Return the value of a header parameter, or `None` where nothing is sent.

    Raises:
        UnsendableError: the header is not an argument's to set, or the value is not visible ASCII
            (RFC 9110, section 5.5).
    """
    if value is None:
        return None
    if is_reserved(parameter.name) or not TOKEN.fullmatch(parameter.name):
        raise UnsendableError("nothing: this header is not set by an argument")
    if parameter.content_type is not None:
        text = _content(parameter.content_type, value, plain)
    else:
        text = written(parameter.name, value, parameter.style, parameter.explode, plain)
    if text is not None and not is_field_value(text):
        raise UnsendableError("visible ASCII, spaces and tabs inside it at most")
    return text


def is_field_value(text: str) -> bool:
    """Return whether a text can be a header's value: visible ASCII, with spaces and tabs inside."""
    return _FIELD.fullmatch(text) is not None


def is_reserved(header: str) -> bool:
    """Return whether a header is the client's own, whatever a document declares.

    They frame the message, choose the host or carry credentials, or the specification wants them
    ignored (OpenAPI 3.2.0, Parameter Object, `name`).
    """
    name = header.lower()
    return name in PROTECTED_HEADERS or name.startswith(("proxy-", "x-forwarded-"))


def cookie_pairs(parameter: Parameter, value: JsonValue) -> Pairs:
    """Return the names and values of a cookie parameter; none where nothing is sent.

    Control characters are refused. Style `cookie` encodes nothing, so it refuses whatever RFC 6265
    (section 4.1.1) has no place for, but for spaces inside a value, which the specification's own
    example has.

    Raises:
        UnsendableError: the value cannot be written, or a name is none.
    """
    if parameter.content_type is not None:
        return [(percent(parameter.name), _content(parameter.content_type, value, printable))]
    raw = parameter.style == "cookie"
    found = pairs(
        parameter.name,
        value,
        parameter.style,
        parameter.explode,
        _octets if raw else printable,
        name_encode=plain if raw else percent,
    )
    for name, _ in found:
        if not TOKEN.fullmatch(name):
            raise UnsendableError("names that a cookie can have")
    return found


_FIELD = re.compile(r"(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?")
_OCTETS = re.compile(
    r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+( +[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+)*|"
)


def _octets(text: str) -> str:
    if not _OCTETS.fullmatch(text):
        raise UnsendableError("visible ASCII without quotes, commas, semicolons and backslashes")
    return text


def _content(content_type: str, value: JsonValue, encode: Encode) -> str:
    if is_json(media_type(content_type)):
        return encode(json_text(value, ascii_only=encode is plain))
    return encode(scalar(value))
