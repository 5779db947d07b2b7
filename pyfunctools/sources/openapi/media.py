"""Media types: what their names say, and which of several is sent or read."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["json", "multipart", "form", "any", "text", "bytes", "other"]
"""What a media type makes of a value; `any` is a range such as `*/*`, `other` has no rule here."""

_TEXTS = frozenset(
    {
        "application/javascript",
        "application/json-seq",
        "application/jsonl",
        "application/sdp",
        "application/graphql",
        "application/toml",
        "application/x-ndjson",
        "application/x-yaml",
        "application/xml",
        "application/yaml",
    }
)
_BYTES = ("image/", "audio/", "video/", "font/")
_RANK: dict[Kind, int] = {
    "json": 0,
    "multipart": 2,
    "form": 3,
    "any": 4,
    "text": 5,
    "bytes": 6,
    "other": 7,
}


def essence(media: str) -> str:
    """Return a media type without its parameters, in lower case."""
    return media.partition(";")[0].strip().lower()


@lru_cache(maxsize=1024)
def kind_of(media: str) -> Kind:
    """Return what a media type makes of a value."""
    name = essence(media)
    if name in ("application/json", "text/json") or name.endswith("+json"):
        return "json"
    if name.startswith("multipart/"):
        return "multipart"
    if name.endswith("x-www-form-urlencoded"):
        return "form"
    if name in ("*/*", "*", "", "application/*"):
        return "any"
    if name.startswith("text/") or name.endswith("+xml") or name in _TEXTS:
        return "text"
    if name.startswith(_BYTES) or name in ("application/octet-stream", "application/pdf"):
        return "bytes"
    return "other"


def chosen(content: Iterable[str]) -> str:
    """Return the media type of choice: JSON, then forms, ranges, text, bytes, the rest.

    Plain JSON goes before what is built on it; among equals the document's order holds.
    """
    return min(content, key=_rank)


@lru_cache(maxsize=1024)
def _rank(media: str) -> tuple[int, bool]:
    kind = kind_of(media)
    return _RANK[kind], essence(media) not in ("application/json", "text/plain")
