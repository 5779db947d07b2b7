"""Media types."""

import pytest

from pyfunctools.sources.openapi.media import chosen, essence, kind_of


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
def test_a_media_type_says_what_it_makes_of_a_value(media: str, kind: str) -> None:
    assert kind_of(media) == kind


def test_the_essence_is_without_parameters() -> None:
    assert essence(" Text/Plain ; charset=x") == "text/plain"


def test_json_goes_first_and_what_has_no_rules_last() -> None:
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
        assert chosen(content) == content.pop()
    assert chosen(["a/b+json", "c/d+json"]) == "a/b+json"
