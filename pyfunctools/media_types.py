"""Media types: what their names say, and which of several is sent or read."""

from codecs import lookup
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, TypeAlias


def media_type_of(content_type: str) -> str:
    """Return a media type without its parameters, in lower case."""
    return content_type.partition(";")[0].strip().lower()


def charset_of(content_type: str) -> str | None:
    """Return the `charset` of a media type, or `None`."""
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip('"').lower() or None
    return None


def codec_of(content_type: str) -> str | None:
    """Return the codec of a media type's charset: UTF-8 by default, `None` if unknown.

    Codecs of Python's own, such as `zlib`, are unknown.
    """
    try:
        name = lookup(charset_of(content_type) or "utf-8").name
    except (LookupError, ValueError):
        return None
    return None if name in _NO_CHARSETS else name


def is_json_media(media: str) -> bool:
    """Return whether a media type is JSON: `application/json`, or any `+json` (RFC 6839)."""
    return media in ("application/json", "text/json") or media.endswith("+json")


def is_xml_media(media: str) -> bool:
    """Return whether a media type is XML (RFC 7303)."""
    return media in ("application/xml", "text/xml") or media.endswith("+xml")


def is_text_media(media: str) -> bool:
    """Return whether a body of this media type is read as text."""
    return media.startswith("text/") or is_xml_media(media) or media in _TEXTS


def first_concrete_media(content_types: str) -> str | None:
    """Return the first media type of a list that is not a range, as it is written.

    `image/png, image/jpeg` is what an Encoding Object names; nothing is chosen by looking at the
    content (OpenAPI 3.2.0, Handling Multiple contentType Values).
    """
    named = (entry.strip() for entry in content_types.split(","))
    return next((entry for entry in named if entry and "*" not in media_type_of(entry)), None)


_NO_CHARSETS = frozenset(
    {
        "base64",
        "bz2",
        "hex",
        "idna",
        "mbcs",
        "oem",
        "punycode",
        "quopri",
        "raw-unicode-escape",
        "rot-13",
        "undefined",
        "unicode-escape",
        "uu",
        "zlib",
    }
)

_TEXTS = frozenset(
    {
        "application/ecmascript",
        "application/graphql",
        "application/javascript",
        "application/json-seq",
        "application/jsonl",
        "application/jsonpath",
        "application/sql",
        "application/toml",
        "application/x-javascript",
        "application/x-ndjson",
        "application/x-www-form-urlencoded",
        "application/x-yaml",
        "application/yaml",
        "application/graphql-response",
        "application/sdp",
        "application/x-sh",
    }
)


MediaKind: TypeAlias = Literal["json", "multipart", "form", "any", "text", "bytes", "other"]
"""How a value of a media type is written; `any` is a range such as `*/*`, `other` has no rule."""

_BYTES = ("image/", "audio/", "video/", "font/")
_RANK: dict[MediaKind, int] = {
    "json": 0,
    "multipart": 2,
    "form": 3,
    "any": 4,
    "text": 5,
    "bytes": 6,
    "other": 7,
}


@lru_cache(maxsize=1024)
def media_kind(media: str) -> MediaKind:
    """Return the kind of a media type."""
    name = media_type_of(media)
    if is_json_media(name):
        return "json"
    if name.startswith("multipart/"):
        return "multipart"
    if name.endswith("x-www-form-urlencoded"):
        return "form"
    if name in ("*/*", "*", "", "application/*"):
        return "any"
    if is_text_media(name):
        return "text"
    if name.startswith(_BYTES) or name in ("application/octet-stream", "application/pdf"):
        return "bytes"
    return "other"


def preferred_media(content: Iterable[str]) -> str:
    """Return the media type of choice: JSON, then forms, ranges, text, bytes, the rest.

    Plain JSON goes before what is built on it; among equals the document's order holds.
    """
    return min(content, key=_rank)


@lru_cache(maxsize=1024)
def _rank(media: str) -> tuple[int, bool]:
    kind = media_kind(media)
    return _RANK[kind], media_type_of(media) not in ("application/json", "text/plain")
