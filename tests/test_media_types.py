"""Media types: JSON, XML and text, charsets, and the preferred one of several."""

import pytest

from pyfunctools.media_types import (
    charset_of,
    codec_of,
    first_concrete_media,
    is_json_media,
    is_text_media,
    is_xml_media,
    media_kind,
    preferred_media,
    without_parameters,
)


def test_a_media_type_is_read_without_its_parameters() -> None:
    assert without_parameters(" Application/JSON ; charset=utf-8") == "application/json"
    assert without_parameters("") == ""


@pytest.mark.parametrize(
    ("media", "is_json", "is_xml", "is_text"),
    [
        ("application/json", True, False, False),
        ("application/problem+json", True, False, False),
        ("text/json", True, False, True),
        ("application/jsonl", False, False, True),
        ("application/geo+json-seq", False, False, True),
        ("text/html", False, False, True),
        ("image/svg+xml", False, True, True),
        ("text/csv", False, False, True),
        ("image/png", False, False, False),
    ],
)
def test_json_xml_and_text_are_recognised(
    media: str, is_json: bool, is_xml: bool, is_text: bool
) -> None:
    assert (is_json_media(media), is_xml_media(media), is_text_media(media)) == (
        is_json,
        is_xml,
        is_text,
    )


@pytest.mark.parametrize(
    ("content_type", "charset", "codec"),
    [
        ("text/html", None, "utf-8"),
        ('text/html; x=y; Charset="ISO-8859-1"', "iso-8859-1", "iso8859-1"),
        ("text/html; charset=nonsense", "nonsense", None),
        ("text/html; charset=unicode_escape", "unicode_escape", None),
        ("text/html; charset=idna", "idna", None),
        ("text/html; charset=zlib", "zlib", None),
        ("text/html; charset=", None, "utf-8"),
        ("text/html; charset=\x00", "\x00", None),
    ],
)
def test_a_charset_that_python_cannot_decode_has_no_codec(
    content_type: str, charset: str | None, codec: str | None
) -> None:
    assert charset_of(content_type) == charset
    assert codec_of(content_type) == codec


def test_the_first_concrete_media_type_is_chosen() -> None:
    assert first_concrete_media("image/*, image/png, image/jpeg") == "image/png"
    assert first_concrete_media("*/*") is None


@pytest.mark.parametrize(
    ("media", "kind"),
    [
        ("application/json", "json"),
        ("Application/JSON; charset=utf-8", "json"),
        ("text/json", "json"),
        ("application/problem+json", "json"),
        ("application/vnd.api+json;v=1", "json"),
        ("multipart/form-data", "multipart"),
        ("multipart/mixed", "multipart"),
        ("application/x-www-form-urlencoded", "form"),
        ("x-www-form-urlencoded", "form"),
        ("*/*", "any"),
        ("application/*", "any"),
        ("", "any"),
        ("text/plain", "text"),
        ("text/event-stream", "text"),
        ("text/*", "text"),
        ("application/xml", "text"),
        ("application/atom+xml", "text"),
        ("application/x-ndjson", "text"),
        ("application/yaml", "text"),
        ("application/octet-stream", "bytes"),
        ("image/png", "bytes"),
        ("image/*", "bytes"),
        ("application/pdf", "bytes"),
        ("application/vnd.github.diff", "other"),
        ("nonsense", "other"),
    ],
)
def test_each_media_type_has_a_kind(media: str, kind: str) -> None:
    assert media_kind(media) == kind


def test_json_is_preferred_and_unknown_media_types_come_last() -> None:
    content = [
        "application/vnd.x",
        "image/png",
        "text/csv",
        "text/plain",
        "*/*",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/problem+json",
        "application/json; charset=utf-8",
    ]
    while content:
        assert preferred_media(content) == content.pop()
    assert preferred_media(["a/b+json", "c/d+json"]) == "a/b+json"
