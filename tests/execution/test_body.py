from typing import Any

import pytest

from pyfunctools.execution.request.body import Content, encoded
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.route import Body


def sent(content_type: str, value: Any, schema: Any = True) -> tuple[str, bytes] | None:
    content = encoded(Body(content_type=content_type, schema=schema), value)
    return None if content is None else (content.content_type, content.content)


@pytest.mark.parametrize(
    ("content_type", "value", "expected"),
    [
        ("application/json", {"a": "é", "b": [1, None]}, '{"a":"é","b":[1,null]}'.encode()),
        ("application/json; charset=utf-8", "x", b'"x"'),
        ("application/merge-patch+json", None, b"null"),
        ("application/json", {"f": b"\x00"}, b'{"f":"AA=="}'),
        ("application/x-www-form-urlencoded", {"a": "b c"}, b"a=b+c"),
        ("text/plain", "x", b"x"),
        ("text/plain", 1.5, b"1.5"),
        ("text/plain; charset=latin-1", "é", b"\xe9"),
        ("application/xml", "<a/>", b"<a/>"),
        ("application/octet-stream", b"\x00\xff", b"\x00\xff"),
        ("application/octet-stream", "/etc/passwd", b"/etc/passwd"),
        ("image/png", {"content": b"\x89"}, b"\x89"),
        ("application/yaml", {"a": 1}, b'{"a":1}'),
    ],
)
def test_a_body_is_written_in_its_media_type(
    content_type: str, value: Any, expected: bytes
) -> None:
    assert sent(content_type, value) == (content_type, expected)


@pytest.mark.parametrize(
    ("content_type", "value", "expected"),
    [
        ("text/plain", "é", ("text/plain; charset=utf-8", b"\xc3\xa9")),
        ("*/*", {"a": 1}, ("application/json", b'{"a":1}')),
        ("text/*", "a", ("text/plain; charset=utf-8", b"a")),
        ("image/*", b"a", ("application/octet-stream", b"a")),
        ("image/*", {"content": b"a", "content_type": "image/gif"}, ("image/gif", b"a")),
        ("application/octet-stream", {"content": b"a", "content_type": "a/b"}, ("a/b", b"a")),
        ("image/png", {"content": b"a", "content_type": "a/b"}, ("image/png", b"a")),
    ],
)
def test_a_media_type_that_is_left_open_is_filled_in(
    content_type: str, value: Any, expected: tuple[str, bytes]
) -> None:
    assert sent(content_type, value) == expected


def test_a_base64_schema_gets_base64() -> None:
    schema = {"type": "string", "contentEncoding": "base64"}
    assert sent("application/octet-stream", b"\xff", schema) == (
        "application/octet-stream",
        b"/w==",
    )


@pytest.mark.parametrize("content_type", ["text/plain", "multipart/form-data", "image/png"])
def test_null_is_no_body_but_in_json(content_type: str) -> None:
    assert sent(content_type, None) is None


def test_multipart_names_its_boundary() -> None:
    body = Body(content_type="multipart/form-data; charset=x")
    assert encoded(body, {"a": "b"}, boundary="B") == Content(
        content_type="multipart/form-data; boundary=B",
        content=b'--B\r\nContent-Disposition: form-data; name="a"\r\n'
        b"Content-Type: text/plain\r\n\r\nb\r\n--B--\r\n",
    )
    wild = encoded(Body(content_type="multipart/*"), {"a": "b"}, boundary="B")
    assert wild is not None
    assert wild.content_type == "multipart/form-data; boundary=B"


@pytest.mark.parametrize(
    ("content_type", "value"),
    [
        ("application/json", float("nan")),
        ("application/json", "\ud800"),
        ("application/x-www-form-urlencoded", {"a": "\ud800"}),
        ("multipart/form-data", {"a": "\ud800"}),
        ("text/plain", "\ud800"),
        ("text/plain; charset=ascii", "é"),
        ("text/plain; charset=nonsense", "a"),
        ("application/xml", {"a": 1}),
        ("application/json", {1: object()}),
        ("image/*", {"content": b"a", "content_type": "a/b\r\nX: 1"}),
        ("image/*", {"content": b"a", "content_type": "é"}),
    ],
)
def test_what_a_media_type_cannot_say_is_refused(content_type: str, value: Any) -> None:
    with pytest.raises(UnsendableError):
        sent(content_type, value)
