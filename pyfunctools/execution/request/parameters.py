"""One parameter in its place: a segment of the path, the query, a header or a cookie."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import unquote

from pyfunctools._json import JsonValue
from pyfunctools.execution.request.body import form_text
from pyfunctools.execution.request.styles import (
    TOKEN,
    Encode,
    Pairs,
    is_field_value,
    json_text,
    kept,
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
from pyfunctools.media_types import is_json_media, media_type_of
from pyfunctools.route import Parameter, is_reserved


@dataclass(frozen=True, slots=True)
class TemplateSlot:
    """A place for a value: its name as the template has it, and the text that stands there.

    `text` is what is sent where no parameter has the name, and `None` where that is an error.
    """

    name: str
    text: str | None = None


Pieces: TypeAlias = tuple[str | TemplateSlot, ...]
"""Literal text, encoded, and slots, in their order."""


@dataclass(frozen=True, slots=True)
class Template:
    """The segments of a path, and the template's own query.

    `climbs` says that a segment without a slot is `.` or `..`.
    """

    segments: tuple[Pieces, ...]
    query: Pieces
    climbs: bool = False


@lru_cache(maxsize=4096)
def template_of(path: str) -> Template:
    """Split a path template.

    A slot is `{name}`, or `:name` at the start of a segment; `{?a,b}` and `{&a,b}` stand for
    nothing, since query parameters are declared on their own. A fragment is never sent, so what
    follows `#` is left out. A path that begins without `/` is given one.

    Raises:
        UnsendableError: the path holds a lone surrogate.
    """
    path = path.partition("#")[0]
    before, mark, after = _outside_braces(path)
    segments: list[list[str | TemplateSlot]] = [[]]
    for piece in _pieces(before if before.startswith("/") else f"/{before}", _SLOT):
        if isinstance(piece, TemplateSlot):
            segments[-1].append(piece)
            continue
        first, *others = piece.split("/")
        segments[-1].append(first)
        segments.extend([other] for other in others)
    fixed = (
        "".join(map(str, s)) for s in segments if not any(isinstance(p, TemplateSlot) for p in s)
    )
    return Template(
        segments=tuple(tuple(piece for piece in pieces if piece) for pieces in segments),
        query=tuple(_pieces(after, _BRACES)) if mark else (),
        climbs=any(map(is_dot_segment, fixed)),
    )


def is_dot_segment(segment: str) -> bool:
    """Return whether some server would read a segment as `.` or `..`.

    The segment is given as it is sent. It is decoded once for what it says, and up to three times
    more for servers that decode again; each time it is split at `/` and `\\`, and a path parameter
    (`..;x`, RFC 3986, section 3.3) is cut off.
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
_BRACES = re.compile(r"(?P<braces>\{[^{}]*\})")
_SLOT = re.compile(r"(?P<braces>\{[^{}]*\})|(?<=/)(?P<colon>:[A-Za-z_][A-Za-z0-9_]*)")
_LITERAL = "/!$&'()*+,;=:@"


def _outside_braces(path: str) -> tuple[str, str, str]:
    """Split a path at the first `?` that stands in no braces."""
    for found in re.finditer(r"\{[^{}]*\}|\?", path):
        if found.group() == "?":
            return path[: found.start()], "?", path[found.end() :]
    return path, "", ""


def _pieces(text: str, slot: re.Pattern[str]) -> Iterator[str | TemplateSlot]:
    end = 0
    for found in slot.finditer(text):
        yield kept(text[end : found.start()], _LITERAL)
        end = found.end()
        if found.lastgroup == "colon":
            yield TemplateSlot(found.group()[1:], found.group())
        else:
            name = found.group()[1:-1]
            yield TemplateSlot(name, "" if name[:1] in ("?", "&") else None)
    yield kept(text[end:], _LITERAL)


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
    """Return the names and values of a query parameter, encoded; empty if it is not sent.

    Raises:
        UnsendableError: the value cannot be written.
    """
    encode = percent_reserved if parameter.allow_reserved else percent
    if parameter.content_type is not None:
        text = _content(parameter.content_type, value, encode)
        return [(percent(parameter.name), text)]
    return pairs(parameter.name, value, parameter.style, parameter.explode, encode, deep=deep)


def query_text(parameter: Parameter, value: JsonValue, *, deep: bool) -> str | None:
    """Return the text of a parameter that is the whole query (OpenAPI 3.2, `in: querystring`).

    Null is not sent.

    Raises:
        UnsendableError: the value cannot be written.
    """
    if value is None:
        return None
    content_type = parameter.content_type or "application/x-www-form-urlencoded"
    if media_type_of(content_type) != "application/x-www-form-urlencoded":
        return _content(content_type, value, percent)
    if not isinstance(value, dict):
        raise UnsendableError("an object, whose properties are the query's")
    return form_text(value, {}, parameter.schema, deep=deep)


def header_line(parameter: Parameter, value: JsonValue) -> tuple[str, str] | None:
    """Return the name (lower case) and the value of a header, or `None` where nothing is sent.

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
    if text is None:
        return None
    if not is_field_value(text):
        raise UnsendableError("visible ASCII, spaces and tabs inside it at most")
    return parameter.name.lower(), text


def cookie_pairs(parameter: Parameter, value: JsonValue) -> Pairs:
    """Return the names and values of a cookie parameter; empty if it is not sent.

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


_OCTETS = re.compile(
    r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+( +[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+)*|"
)


def _octets(text: str) -> str:
    if not _OCTETS.fullmatch(text):
        raise UnsendableError("visible ASCII without quotes, commas, semicolons and backslashes")
    return text


def _content(content_type: str, value: JsonValue, encode: Encode) -> str:
    if is_json_media(media_type_of(content_type)):
        return encode(json_text(value, ascii_only=encode is plain))
    return encode(scalar(value))
