"""Parameter values as text on the wire: every style of OpenAPI 2.0 to 3.2, without HTTP.

The rules are those of RFC 6570 as OpenAPI 3.2.0 uses them (Parameter Object, appendices B to E). A
combination that the specification leaves open is written like `form`, nested values as JSON. A
nested value in a `deepObject` is refused unless `deep` is set.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from json import JSONEncoder
from typing import TypeAlias
from urllib.parse import parse_qsl, quote

from pyfunctools._json import JsonValue, members_of, text_of
from pyfunctools.execution.steps import UnsendableError
from pyfunctools.media_types import is_json_media
from pyfunctools.route import COLLECTION_STYLES, Location, Parameter, Style

Encode: TypeAlias = Callable[[str], str]
"""Encodes one piece of text for its location: percent-encoded, or as it is."""

Pairs: TypeAlias = list[tuple[str, str]]
"""Names and values, both encoded."""

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A valid name of a header or cookie (RFC 9110, section 5.6.2)."""

NOT_UNICODE = "text that is valid Unicode, without lone surrogates"

_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TRIPLE = re.compile("(%[0-9A-Fa-f]{2})")


def set_in(headers: Mapping[str, str], query: str) -> Iterator[tuple[Location, str, str]]:
    """Yield what headers (in lower case) and a query set: the location, the name and the text."""
    for name, text in headers.items():
        yield "header", name, text
    for pair in filter(str.strip, headers.get("cookie", "").split(";")):
        name, _, text = pair.partition("=")
        yield "cookie", name.strip(), text.strip().strip('"')
    for name, text in parse_qsl(query, keep_blank_values=True):
        yield "query", name, text


def percent(text: str) -> str:
    """Encode everything but the unreserved characters (RFC 3986, section 2.3)."""
    return text if _UNRESERVED.fullmatch(text) else _quoted(text, "")


def percent_except(text: str, reserved: str) -> str:
    """Encode a text, except for the `reserved` characters and percent-encoded triples."""
    pieces = enumerate(_TRIPLE.split(text))
    return "".join(piece if index % 2 else _quoted(piece, reserved) for index, piece in pieces)


def _quoted(text: str, safe: str) -> str:
    try:
        return quote(text, safe=safe)
    except UnicodeEncodeError:
        raise UnsendableError(NOT_UNICODE) from None


def percent_reserved(text: str) -> str:
    """Encode as `allowReserved` requires, and also characters that could begin another parameter.

    Percent-encoded triples stay. `& = + # [ ]` are encoded, although RFC 6570 allows them: OpenAPI
    leaves it to the caller to encode them, and the caller is a model.
    """
    return percent_except(text, "!$'()*,/:;?@")


def percent_printable(text: str) -> str:
    """Encode a value of the path or a cookie, where control characters are invalid."""
    return percent(_printable(text))


def percent_printable_reserved(text: str) -> str:
    """Encode a value of the path under `allowReserved`; `/ ? # [ ]` are encoded nevertheless."""
    return percent_except(_printable(text), "!$'()*,:;@&=+")


def _printable(text: str) -> str:
    if _CONTROL.search(text):
        raise UnsendableError("text without line breaks and other control characters")
    return text


def checked_name(name: str) -> str:
    """Return a name that a value has inside an object.

    Some servers end a name at a NUL or a line end, and would read another one.
    """
    if not {"\0", "\r", "\n"}.isdisjoint(name):
        raise UnsendableError("a name without NUL and line ends", (name,))
    return name


def unencoded(text: str) -> str:
    """Return the text unchanged: headers and cookies of style `cookie` are not percent-encoded."""
    return text


def form_encoded(text: str) -> str:
    """Encode as in `application/x-www-form-urlencoded` (WHATWG URL, section 5.2)."""
    return percent(text).replace("%20", "+").replace("%2A", "*").replace("~", "%7E")


def scalar_text(value: JsonValue) -> str:
    """Return the text of one value: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json_text(value)


def json_text(value: JsonValue, *, ascii_only: bool = False) -> str:
    """Return the value as compact JSON."""
    try:
        return (_ASCII if ascii_only else _COMPACT)(value)
    except (TypeError, ValueError, RecursionError):
        raise UnsendableError("a value that can be written as JSON") from None


def content_text(content_type: str, value: JsonValue, encode: Encode) -> str:
    """Return a value in a media type: as JSON, or else as one text."""
    if is_json_media(content_type):
        return encode(json_text(value, ascii_only=encode is unencoded))
    return encode(scalar_text(value))


_COMPACT = JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_ASCII = JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def styled_text(parameter: Parameter, value: JsonValue, encode: Encode) -> str | None:
    """Return the text of a path or header parameter, or `None` if it is not sent.

    Null is not sent, nor an array or object that is empty or has only nulls (RFC 6570, section
    2.3).
    """
    if parameter.content_type is not None:
        return content_text(parameter.content_type, value, encode)
    style, explode = parameter.style, parameter.explode
    if style == "matrix":
        pairs = styled_pairs(parameter, value, encode)
        return "".join(f";{name}={text}" if text else f";{name}" for name, text in pairs) or None
    parts = _parts(value, encode, parameter.schema)
    if not parts:
        return None
    text = _joined(parts, style, explode, encode)
    return f".{text}" if style == "label" else text


def styled_pairs(
    parameter: Parameter,
    value: JsonValue,
    encode: Encode,
    *,
    encode_name: Encode = percent,
    deep: bool = False,
) -> Pairs:
    """Return the names and values of a query or cookie parameter or a form property.

    With `deep` a nested value in a `deepObject` is written as `name[a][b]`, items as `name[0]`: no
    standard defines this, but many servers read it.
    """
    name, style, explode = encode_name(parameter.name), parameter.style, parameter.explode
    if parameter.content_type is not None:
        return [(name, content_text(parameter.content_type, value, encode))]
    if style == "deepObject" and isinstance(value, dict | list):
        return list(_deep_pairs(value, name, encode, deep))
    parts = _parts(value, encode, parameter.schema)
    if parts and not explode:
        return [(name, _joined(parts, style, explode, encode))]
    return [part if isinstance(part, tuple) else (name, part) for part in parts]


_Parts: TypeAlias = list[str | tuple[str, str]]
"""The encoded items of an array, or members of an object; a scalar is the only item."""


def _parts(value: JsonValue, encode: Encode, schema: Mapping[str, JsonValue] | bool) -> _Parts:
    """Return the encoded parts of a value, without nulls."""
    if isinstance(value, dict):
        return [
            (encode(checked_name(str(key))), encode(scalar_text(inner)))
            for key, inner in value.items()
            if inner is not None
        ]
    if isinstance(value, list):
        items = schema.get("items") if isinstance(schema, Mapping) else None
        return [encode(_item_text(inner, items)) for inner in value if inner is not None]
    return [] if value is None else [encode(scalar_text(value))]


def _item_text(value: JsonValue, schema: JsonValue) -> str:
    """Return the text of an item; an array is joined if its schema is one of Swagger 2.0."""
    fields = members_of(schema)
    if not isinstance(value, list) or "collectionFormat" not in fields:
        return scalar_text(value)
    texts = (_item_text(each, fields.get("items")) for each in value if each is not None)
    style = COLLECTION_STYLES.get(text_of(fields["collectionFormat"]), "simple")
    return delimiter_of(style, explode=False).join(texts)


_DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}


def delimiter_of(style: Style, *, explode: bool) -> str:
    """Return the delimiter of the items or members of a value that is written as one text."""
    return "." if style == "label" and explode else _DELIMITERS.get(style, ",")


def _joined(parts: _Parts, style: Style, explode: bool, encode: Encode) -> str:
    delimiter = delimiter_of(style, explode=explode)
    if delimiter not in ",." and encode is not unencoded:
        delimiter = percent(delimiter)
    between = "=" if explode else delimiter
    return delimiter.join(part if isinstance(part, str) else between.join(part) for part in parts)


def _deep_pairs(
    value: JsonValue, name: str, encode: Encode, deep: bool, keys: tuple[str | int, ...] = ()
) -> Iterator[tuple[str, str]]:
    if isinstance(value, list) and value and not deep:
        raise UnsendableError("no array: how a `deepObject` holds one is not defined", keys)
    members = value.items() if isinstance(value, dict) else ()
    for key, inner in enumerate(value) if isinstance(value, list) else members:
        at = (*keys, key)
        if not {"[", "]"}.isdisjoint(str(key)):
            raise UnsendableError("a name without `[` and `]`, which stand for the nesting", at)
        below = f"{name}%5B{percent(checked_name(str(key)))}%5D"
        if isinstance(inner, dict | list) and not deep:
            reason = "a plain value: how a `deepObject` nests others is not defined"
            raise UnsendableError(reason, at)
        if isinstance(inner, dict | list):
            yield from _deep_pairs(inner, below, encode, deep, at)
        elif inner is not None:
            yield below, encode(scalar_text(inner))
