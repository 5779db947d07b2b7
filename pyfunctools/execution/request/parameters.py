"""One parameter in its place: a segment of the path, the query, a header or a cookie."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote

from pyfunctools._json import JsonValue
from pyfunctools.execution.request.body import form_text
from pyfunctools.execution.request.styles import (
    TOKEN,
    Pairs,
    content_text,
    is_field_value,
    percent,
    percent_except,
    percent_printable,
    percent_printable_reserved,
    percent_reserved,
    styled_pairs,
    styled_text,
    unencoded,
)
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.media_types import media_kind
from pyfunctools.route import Parameter, is_reserved


class TemplateSlot(NamedTuple):
    """A place for a value in a path template.

    `text` is sent if no parameter has the `name`; if `text` is `None`, a missing parameter is an
    error.
    """

    name: str
    text: str | None = None


TemplatePieces: TypeAlias = tuple[str | TemplateSlot, ...]
"""Literal text, encoded, and slots, in their order."""


class PathTemplate(NamedTuple):
    """The segments of a path template, and the query that the template itself has."""

    segments: tuple[TemplatePieces, ...]
    query: TemplatePieces


@lru_cache(maxsize=4096)
def parsed_template(path: str) -> PathTemplate:
    """Parse a path template.

    A slot is `{name}`, or `:name` at the start of a segment. `{?a,b}` and `{&a,b}` are left out,
    since query parameters are declared separately; so is a fragment, which is never sent. A missing
    `/` at the beginning is added.
    """
    before, query = _split_at_query(path.partition("#")[0])
    segments: list[list[str | TemplateSlot]] = [[]]
    for piece in _pieces(before if before.startswith("/") else f"/{before}", _SLOT):
        if isinstance(piece, TemplateSlot):
            segments[-1].append(piece)
            continue
        text, *others = piece.split("/")
        segments[-1].append(text)
        segments.extend([other] for other in others)
    return PathTemplate(
        segments=tuple(tuple(filter(None, pieces)) for pieces in segments),
        query=tuple(_pieces(query, _BRACES)),
    )


_BRACES = re.compile(r"(?P<braces>\{[^{}]*\})")
_SLOT = re.compile(r"(?P<braces>\{[^{}]*\})|(?<=/)(?P<colon>:[A-Za-z_][A-Za-z0-9_]*)")
_LITERAL = "/!$&'()*+,;=:@"


def _split_at_query(path: str) -> tuple[str, str]:
    """Split a path at the first `?` outside of braces."""
    for found in re.finditer(r"\{[^{}]*\}|\?", path):
        if found.group() == "?":
            return path[: found.start()], path[found.end() :]
    return path, ""


def _pieces(text: str, slot: re.Pattern[str]) -> Iterator[str | TemplateSlot]:
    end = 0
    for found in slot.finditer(text):
        yield percent_except(text[end : found.start()], _LITERAL)
        end = found.end()
        if found.lastgroup == "colon":
            yield TemplateSlot(found.group()[1:], found.group())
        elif not found.group().startswith(("{?", "{&")):
            yield TemplateSlot(found.group()[1:-1])
    yield percent_except(text[end:], _LITERAL)


def is_dot_segment(segment: str) -> bool:
    """Return whether some server would read a segment as `.` or `..`.

    The segment is encoded, as it is sent. It is decoded up to four times, for servers that decode
    more than once; each time it is split at `/` and `\\`, and a path parameter (`..;x`, RFC 3986,
    section 3.3) is cut off.
    """
    if "." not in segment and "%" not in segment:
        return False
    for _ in range(4):
        decoded = unquote(segment)
        if any(part.partition(";")[0] in (".", "..") for part in _SLASHES.split(decoded)):
            return True
        if decoded == segment:
            return False
        segment = decoded
    return False


_SLASHES = re.compile(r"[/\\]")


def segment_text(parameter: Parameter, value: JsonValue) -> str:
    """Return the text of a path parameter; a `/` in a value is encoded."""
    encode = percent_printable_reserved if parameter.allow_reserved else percent_printable
    text = styled_text(parameter, value, encode)
    if text is None:
        raise UnsendableError("a value: it is a part of the path")
    return text


def query_pairs(parameter: Parameter, value: JsonValue, *, deep: bool) -> Pairs:
    """Return the names and values of a query parameter, encoded; empty if it is not sent."""
    encode = percent_reserved if parameter.allow_reserved else percent
    return styled_pairs(parameter, value, encode, deep=deep)


def query_text(parameter: Parameter, value: JsonValue, *, deep: bool) -> str | None:
    """Return the text of a parameter that is the whole query (OpenAPI 3.2, `in: querystring`).

    Null is not sent.
    """
    if value is None:
        return None
    content_type = parameter.content_type or "application/x-www-form-urlencoded"
    if media_kind(content_type) != "form":
        return content_text(content_type, value, percent)
    if not isinstance(value, dict):
        raise UnsendableError("an object, whose properties are the parameters of the query")
    return form_text(value, {}, parameter.schema, deep=deep)


def header_line(parameter: Parameter, value: JsonValue) -> tuple[str, str] | None:
    """Return the name (lower case) and the value of a header, or `None` if it is not sent."""
    if value is None:
        return None
    if is_reserved(parameter.name) or not TOKEN.fullmatch(parameter.name):
        raise UnsendableError("nothing: an argument cannot set this header")
    text = styled_text(parameter, value, unencoded)
    if text is None:
        return None
    if not is_field_value(text):
        raise UnsendableError("visible ASCII, with spaces and tabs only inside it")
    return parameter.name.lower(), text


def cookie_pairs(parameter: Parameter, value: JsonValue) -> Pairs:
    """Return the names and values of a cookie parameter; empty if it is not sent.

    Control characters are refused. Style `cookie` encodes nothing, so it refuses whatever
    RFC 6265 (section 4.1.1) does not allow, except for spaces inside a value, as in the example of
    the specification.
    """
    is_raw = parameter.style == "cookie" and parameter.content_type is None
    found = styled_pairs(
        parameter,
        value,
        _octets if is_raw else percent_printable,
        encode_name=unencoded if is_raw else percent,
    )
    for name, _ in found:
        if not TOKEN.fullmatch(name):
            raise UnsendableError("names that a cookie can have")
    return found


_OCTETS = re.compile(
    r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+( +[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+)*|"
)


def _octets(text: str) -> str:
    if not _OCTETS.fullmatch(text):
        raise UnsendableError("visible ASCII without quotes, commas, semicolons and backslashes")
    return text
