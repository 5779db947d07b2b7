"""Parameter values as text on the wire: every style of OpenAPI 2.0 to 3.2, and no HTTP.

The rules are those of RFC 6570 as OpenAPI 3.2.0 uses them (Parameter Object, appendices B to E).
Where the specification leaves a combination open, `form` is written, nested values as JSON; a
nested value in a `deepObject` is refused unless `deep`.
"""

import re
from collections.abc import Callable, Iterator
from json import JSONEncoder
from typing import TypeAlias
from urllib.parse import quote

from pyfunctools._json import JsonValue
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.route import Style

Encode: TypeAlias = Callable[[str], str]
"""How one piece of text is written where it stands: percent-encoded, or as it is."""

Pairs: TypeAlias = list[tuple[str, str]]
"""Names and values, both encoded."""


TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header or cookie (RFC 9110, section 5.6.2)."""

_FIELD = re.compile(r"(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?")


def is_field_value(text: str) -> bool:
    """Return whether a text can be a header's value: visible ASCII, with spaces and tabs inside."""
    return _FIELD.fullmatch(text) is not None


def percent(text: str) -> str:
    """Encode everything but the unreserved characters (RFC 3986, section 2.3).

    Raises:
        UnsendableError: the text holds a lone surrogate, which no UTF-8 says.
    """
    if _UNRESERVED.fullmatch(text):
        return text
    try:
        return quote(text, safe="")
    except UnicodeEncodeError:
        raise UnsendableError("text that is valid Unicode, without lone surrogates") from None


def kept(text: str, reserved: str) -> str:
    """Encode a text in which the `reserved` characters and percent-encoded triples stay.

    Raises:
        UnsendableError: the text holds a lone surrogate.
    """
    pieces = _TRIPLE.split(text)
    try:
        return "".join(
            piece if index % 2 else quote(piece, safe=reserved)
            for index, piece in enumerate(pieces)
        )
    except UnicodeEncodeError:
        raise UnsendableError("text that is valid Unicode, without lone surrogates") from None


def percent_reserved(text: str) -> str:
    """Encode as `allowReserved` wants, but always the characters that begin another parameter.

    Percent-encoded triples pass. `& = + # [ ]` are encoded although RFC 6570 would let them pass:
    OpenAPI leaves the care for them to the caller, and the caller is a model.
    """
    return kept(text, "!$'()*,/:;?@")


def printable(text: str) -> str:
    """Encode a value of the path or of a cookie, where control characters have no place.

    Raises:
        UnsendableError: the text holds control characters.
    """
    return percent(_printable(text))


def printable_reserved(text: str) -> str:
    """Encode a value of the path under `allowReserved`; `/ ? # [ ]` are encoded all the same.

    Raises:
        UnsendableError: the text holds control characters, or is not valid Unicode.
    """
    return kept(_printable(text), "!$'()*,:;@&=+")


def plain(text: str) -> str:
    """Return the text as it is: headers and cookies of style `cookie` are not percent-encoded."""
    return text


def form(text: str) -> str:
    """Encode as in `application/x-www-form-urlencoded` (WHATWG URL, section 5.2)."""
    return percent(text).replace("%20", "+").replace("%2A", "*").replace("~", "%7E")


def scalar(value: JsonValue) -> str:
    """Return the text of one value: text as it is, bytes as base64, anything else as JSON.

    Raises:
        UnsendableError: the value has no JSON spelling, or is nested too deeply to write it.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray):
        return _base64(value)
    if type(value) is int and -_SHORT < value < _SHORT:
        return str(value)
    return json_text(value)


def json_text(value: JsonValue, *, ascii_only: bool = False) -> str:
    """Return the value as compact JSON; bytes are written as base64.

    Raises:
        UnsendableError: the value has no JSON spelling, or is nested too deeply to write it.
    """
    try:
        return (_ASCII if ascii_only else _COMPACT)(value)
    except (TypeError, ValueError, RecursionError):
        raise UnsendableError("a value that JSON can say") from None


def written(name: str, value: JsonValue, style: Style, explode: bool, encode: Encode) -> str | None:
    """Return the text of a path or header parameter, or `None` where nothing is defined to be sent.

    Nothing is defined for null, and for arrays and objects without a value in them (RFC 6570,
    section 2.3).
    """
    parts = _parts(value, encode)
    if not parts and parts != "":
        return None
    if style == "matrix":
        return _matrix(percent(name), parts, explode)
    first = "." if style == "label" else ""
    if isinstance(parts, str):
        return first + parts
    between = delimiter_of(style, explode=explode)
    return first + _written(between, encode).join(_flat(parts, explode))


def pairs(
    name: str,
    value: JsonValue,
    style: Style,
    explode: bool,
    encode: Encode,
    *,
    name_encode: Encode = percent,
    deep: bool = False,
) -> Pairs:
    """Return the names and values of a query or cookie parameter or a form property; often just
    one.

    With `deep` a nested value in a `deepObject` is written as `name[a][b]`, items as `name[0]`,
    which is no standard but what many servers read.

    Raises:
        UnsendableError: a value is nested in a `deepObject` and `deep` is not asked for, or cannot
            be written at all.
    """
    encoded = name_encode(name)
    if style == "deepObject" and isinstance(value, dict | list):
        return list(_deep(value, encoded, encode, deep))
    parts = _parts(value, encode)
    if isinstance(parts, str):
        return [(encoded, parts)]
    if not parts:
        return []
    if not explode:
        between = _written(delimiter_of(style, explode=explode), encode)
        return [(encoded, between.join(_flat(parts, explode)))]
    return [part if isinstance(part, tuple) else (encoded, part) for part in parts]


_DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}

_SHORT = 10**18
"""Integers below are written at a third of the encoder's cost; those of 4,301 digits not at all."""

_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TRIPLE = re.compile("(%[0-9A-Fa-f]{2})")

_Parts: TypeAlias = "str | list[str | tuple[str, str]] | None"


def _parts(value: JsonValue, encode: Encode) -> _Parts:
    """Return the encoded text, items or members of a value, nulls left out."""
    if value is None:
        return None
    if isinstance(value, dict):
        return [
            (encode(str(key)), encode(scalar(inner)))
            for key, inner in value.items()
            if inner is not None
        ]
    if isinstance(value, list | tuple):
        return [encode(scalar(inner)) for inner in value if inner is not None]
    return encode(scalar(value))


def delimiter_of(style: Style, *, explode: bool) -> str:
    """Return the delimiter of the items or members of a value that is written as one text."""
    if style == "label" and explode:
        return "."
    return _DELIMITERS.get(style, ",")


def _written(delimiter: str, encode: Encode) -> str:
    return delimiter if delimiter in ",." or encode is plain else percent(delimiter)


def _flat(parts: list[str | tuple[str, str]], explode: bool) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif explode:
            yield "=".join(part)
        else:
            yield from part


def _matrix(name: str, parts: str | list[str | tuple[str, str]], explode: bool) -> str:
    if isinstance(parts, str):
        return f";{name}={parts}" if parts else f";{name}"
    if not explode:
        return f";{name}=" + ",".join(_flat(parts, explode))
    return "".join(
        f";{'='.join(part)}" if isinstance(part, tuple) else f";{name}={part}" for part in parts
    )


def _deep(
    value: JsonValue, name: str, encode: Encode, deep: bool, keys: tuple[str | int, ...] = ()
) -> Iterator[tuple[str, str]]:
    if isinstance(value, list) and value and not deep:
        raise UnsendableError("no array: how a `deepObject` holds one is not defined", keys)
    steps = enumerate(value) if isinstance(value, list) else _members(value)
    for key, inner in steps:
        if isinstance(key, str) and not {"[", "]"}.isdisjoint(key):
            raise UnsendableError(
                "a name without `[` and `]`, which stand for the nesting", (*keys, key)
            )
        below, at = f"{name}%5B{percent(str(key))}%5D", (*keys, key)
        if isinstance(inner, dict | list):
            if not deep:
                raise UnsendableError(
                    "a plain value: how a `deepObject` nests others is not defined", at
                )
            yield from _deep(inner, below, encode, deep, at)
        elif inner is not None:
            yield below, encode(scalar(inner))


def _members(value: JsonValue) -> Iterator[tuple[str | int, JsonValue]]:
    if isinstance(value, dict):
        yield from value.items()


def _printable(text: str) -> str:
    if _CONTROL.search(text):
        raise UnsendableError("text without line breaks and other control characters")
    return text


def _base64(value: object) -> str:
    if not isinstance(value, bytes | bytearray):
        raise TypeError(type(value).__name__)
    from base64 import b64encode

    return b64encode(bytes(value)).decode("ascii")


_COMPACT = JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_base64
).encode
_ASCII = JSONEncoder(separators=(",", ":"), allow_nan=False, default=_base64).encode
