"""Media types: their kinds, their charsets, and the preferred one of several."""

from codecs import lookup
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

MediaKind: TypeAlias = Literal["json", "multipart", "form", "any", "text", "bytes", "other"]
"""How a value of a media type is written, the preferred kind first.

`any` is a range such as `*/*`; `other` is a media type without special rules.
"""


def without_parameters(content_type: str) -> str:
    """Return a media type without its parameters, in lower case."""
    return content_type.partition(";")[0].strip().lower()


def charset_of(content_type: str) -> str | None:
    """Return the `charset` parameter of a media type, or `None`."""
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip('"').lower() or None
    return None


def codec_of(content_type: str) -> str | None:
    """Return the codec of a media type's charset: UTF-8 by default, `None` if unknown.

    Codecs of Python that are not charsets, such as `zlib`, count as unknown.
    """
    try:
        name = lookup(charset_of(content_type) or "utf-8").name
        _ = "".encode(name)  # a `LookupError` for a codec that does not make text
    except (LookupError, ValueError):
        return None
    return None if name in _NO_CHARSETS else name


def is_json_media(content_type: str) -> bool:
    """Return whether a media type is JSON: `application/json`, or any `+json` (RFC 6839)."""
    media = without_parameters(content_type)
    return media in ("application/json", "text/json") or media.endswith("+json")


def is_xml_media(content_type: str) -> bool:
    """Return whether a media type is XML (RFC 7303)."""
    media = without_parameters(content_type)
    return media in ("application/xml", "text/xml") or media.endswith("+xml")


def is_text_media(content_type: str) -> bool:
    """Return whether a body of this media type is read as text."""
    media = without_parameters(content_type)
    is_listed = media in _TEXTS or sequence_kind(media) is not None
    return is_listed or media.startswith("text/") or is_xml_media(media)


def sequence_kind(content_type: str) -> Literal["events", "lines"] | None:
    """Return how the items of a media type follow each other, `None` if it is no sequence.

    They are server-sent events (WHATWG HTML, 9.2), or JSON on lines (also RFC 7464).
    """
    media = without_parameters(content_type)
    is_lines = media in _JSON_LINES or media.endswith("+json-seq")
    return "lines" if is_lines else "events" if media == "text/event-stream" else None


def first_concrete_media(content_types: str) -> str | None:
    """Return the first media type of a comma-separated list that is not a range, or `None`.

    An Encoding Object names such a list: `image/png, image/jpeg`. The content does not select one
    of them (OpenAPI 3.2.0, Handling Multiple contentType Values).
    """
    entries = (entry.strip() for entry in content_types.split(","))
    return next((each for each in entries if each and "*" not in without_parameters(each)), None)


@lru_cache(maxsize=1024)
def media_kind(content_type: str) -> MediaKind:
    """Return the kind of a media type."""
    media = without_parameters(content_type)
    if is_json_media(media):
        return "json"
    if media.startswith("multipart/"):
        return "multipart"
    if media.endswith("x-www-form-urlencoded"):
        return "form"
    if media in ("*/*", "*", "", "application/*"):
        return "any"
    if is_text_media(media):
        return "text"
    if media.startswith(_BYTES) or media in ("application/octet-stream", "application/pdf"):
        return "bytes"
    return "other"


def preferred_media(content_types: Iterable[str]) -> str:
    """Return the preferred media type: by kind, and plain JSON or text before others of its kind.

    Of equal ones, the first is returned.
    """
    return min(content_types, key=_rank)


@lru_cache(maxsize=1024)
def _rank(content_type: str) -> tuple[int, bool]:
    kind = get_args(MediaKind).index(media_kind(content_type))
    return kind, without_parameters(content_type) not in ("application/json", "text/plain")


_NO_CHARSETS = frozenset(
    ("idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")
)

_JSON_LINES = frozenset(
    f"application/{name}"
    for name in ("json-seq", "jsonl", "jsonlines", "ndjson", "x-jsonlines", "x-ndjson")
)
_TEXTS = frozenset(
    f"application/{name}"
    for name in (
        *("ecmascript", "graphql", "graphql-response", "javascript"),
        *("jsonpath", "sdp", "sql", "toml", "x-javascript", "x-sh"),
        *("x-www-form-urlencoded", "x-yaml", "yaml"),
    )
)

_BYTES = ("image/", "audio/", "video/", "font/")
