"""A response becomes an outcome; its body is decoded up to the limit."""

import gzip
import tracemalloc
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfunctools.execution.http.exchange import Received, headers_of
from pyfunctools.execution.http.items import DecodedBody, UnreadableError
from pyfunctools.execution.http.responses import outcome_of_response
from pyfunctools.record.outcome import Outcome


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKED = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "GZIP": gzip.compress,
    "deflate": zlib.compress,
}


def read(encoding: str, raw: bytes, limit: int = 1 << 20, step: int = 1 << 16) -> bytes:
    body = DecodedBody(encoding, limit)
    for start in range(0, len(raw), step):
        body.feed(raw[start : start + step])
    return body.whole()


@settings(deadline=None)
@given(st.binary(max_size=3000), st.sampled_from([*PACKED]), st.integers(1, 700))
def test_a_body_is_decoded_in_pieces_of_any_size(data: bytes, name: str, step: int) -> None:
    assert read(name, PACKED[name](data), step=step) == data
    assert read("deflate", deflated(data), step=step) == data


def test_several_members_are_one_body() -> None:
    raw = gzip.compress(b"a" * 100_000) + gzip.compress(b"b")
    for step in (1, 7, 100_000):
        assert read("gzip", raw, step=step) == b"a" * 100_000 + b"b"


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "none", "gzip, gzip"])
def test_an_empty_body_has_no_encoding(name: str) -> None:
    assert DecodedBody(name, 10).whole() == b""


@pytest.mark.slow
def test_a_bomb_costs_no_more_than_the_limit() -> None:
    bomb = gzip.compress(b"\0" * (200 << 20), 9)
    assert len(bomb) < 210_000
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableError):
            read("gzip", bomb, 10 << 20)
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("gzip", b"not gzip"),
        ("gzip", gzip.compress(b"abc")[:-4]),
        ("gzip", gzip.compress(b"abc")[:1]),
        ("gzip", gzip.compress(b"abc") + b"garbage"),
        ("gzip", gzip.compress(b"abc")[:-5] + b"\0\0\0\0\0"),
        ("deflate", zlib.compress(b"abc")[:-1]),
        ("deflate", b"\xff\xff\xff"),
    ],
    ids=["none", "no checksum", "one byte", "garbage", "checksum", "deflate cut off", "no deflate"],
)
def test_broken_data_is_an_error(name: str, raw: bytes) -> None:
    with pytest.raises(UnreadableError):
        read(name, raw)


def came(
    body: bytes = b"",
    content_type: str | None = "application/json",
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = (),
    *,
    expose: bool = False,
) -> Outcome:
    lines = headers if content_type is None else (("Content-Type", content_type), *headers)
    raw = [(name.encode(), text.encode()) for name, text in lines]
    received = Received(status=status, headers=headers_of(raw), body=body)
    return outcome_of_response(received, method="GET", expose=expose)


def test_json_is_a_value_for_the_program_and_text_for_the_model() -> None:
    outcome = came(b'{ "a": [1, 2.50, null], "b": "\xc3\xa9" }', "application/problem+json; x=y")
    assert outcome.value == {"a": [1, 2.5, None], "b": "é"}
    assert outcome.text == '{"a":[1,2.5,null],"b":"é"}'
    assert (outcome.is_error, outcome.response.status, outcome.response.sent) == (False, 200, "yes")
    assert outcome.response.headers == {"content-type": "application/problem+json; x=y"}


@pytest.mark.parametrize(
    ("body", "content_type", "value"),
    [
        (b'{"a":1}', "text/html; charset=utf-8", '{"a":1}'),
        (b'{"a":1}', None, '{"a":1}'),
        (b'{"a":1}', "", '{"a":1}'),
        (b"\xe9", "text/plain; charset=latin-1", "é"),
        (b"\xe9", "text/plain", b"\xe9"),
        (b"a", "text/plain; charset=nonsense", b"a"),
        (b"a\r\nb", "text/csv", "a\r\nb"),
        (b"<a/>", "application/xml", "<a/>"),
        (b"\x89PNG", "image/png", b"\x89PNG"),
        (b"\x00\xff", None, b"\x00\xff"),
        ('{"a":"é"}'.encode("utf-16"), "application/json; charset=utf-16", {"a": "é"}),
        (b'\xef\xbb\xbf{"a":1}', "application/json", {"a": 1}),
        (b"\xef\xbb\xbfid,n", "text/csv", "id,n"),
        (b'{"a":"\xe9"}', "application/json; charset=iso-8859-1", {"a": "é"}),
        (b'{"a":"\xc3\xa9"}', "application/json; charset=iso-8859-1", {"a": "é"}),
        (b"9007199254740993", "application/json", 9007199254740993),
        (b'"text"', "application/json", "text"),
    ],
)
def test_the_content_type_decides_how_a_body_is_read(
    body: bytes, content_type: str | None, value: Any
) -> None:
    outcome = came(body, content_type)
    assert outcome.value == value
    assert not outcome.is_error


def test_the_text_of_bytes_is_their_type_and_size() -> None:
    assert came(b"\x89PNG", "image/png").text == "image/png, 4 bytes"
    assert came(b"\xff", None).text == "no content type, 1 bytes"


@pytest.mark.parametrize(("status", "body"), [(204, b""), (204, b"x"), (205, b""), (200, b"")])
def test_no_content_is_success(status: int, body: bytes) -> None:
    outcome = came(body, "application/json", status)
    assert outcome.value is None
    assert not outcome.is_error
    assert outcome.text.startswith(f"Done: {status}")


DEEP = b"[" * 129 + b"]" * 129
BROKEN = [
    b'{"a":', b"<html>", b'{"a":1,"a":2}', b"NaN", b'{"a":Infinity}', b"1e999", b"1" * 5000,
    DEEP, b"[" * 100_000, b'{"a":1} x', b"\xff\xfe\x00",
]  # fmt: skip


@pytest.mark.parametrize("body", BROKEN, ids=range(len(BROKEN)))
def test_invalid_json_is_an_error(body: bytes) -> None:
    outcome = came(body)
    assert outcome.is_error
    assert outcome.response.status == 200
    assert outcome.text == "200 OK, but the body is not valid JSON."
    assert outcome.value in (body, body.decode("utf-8", "ignore"), body.decode("utf-16", "ignore"))
    assert len(came(body, expose=True).text) < 300


def test_json_is_read_as_deep_as_the_limit() -> None:
    assert not came(b"[" * 128 + b"]" * 128).is_error


def test_another_status_is_an_error_without_the_body() -> None:
    body = b'{"password": "SECRET-7f3a"}'
    outcome = came(body, status=409)
    assert outcome.is_error
    assert outcome.text == "409 Conflict"
    assert outcome.value == {"password": "SECRET-7f3a"}
    assert "SECRET-7f3a" in came(body, status=409, expose=True).text
    assert came(b"1", status=299).is_error is False
    assert came(b"", status=599).text == "599"


@pytest.mark.parametrize(
    ("status", "late", "headers", "text"),
    [
        (404, False, {}, "404 Not Found. Reason."),
        (
            429,
            False,
            {"retry-after": "7"},
            "429 Too Many Requests. Reason. The server asks to wait 7 s.",
        ),
        (500, True, {}, "500 Internal Server Error. Reason."),
        (302, False, {"location": "/x"}, came(status=302, headers=(("location", "/x"),)).text),
    ],
)
def test_a_status_of_an_error_counts_more_than_its_lost_body(
    status: int, late: bool, headers: dict[str, str], text: str
) -> None:
    lost = Received(lost="Reason", late=late, status=status, headers=headers)
    outcome = outcome_of_response(lost, method="POST", expose=True)
    assert (outcome.reason, outcome.text) == ("status", text)


def test_an_excerpt_is_short_and_visible() -> None:
    outcome = came(
        b"a\x1b[0m" + "\u202e\U000e0041".encode() + b"b" * 9000, "text/html", 500, expose=True
    )
    first, _, excerpt = outcome.text.partition("\n")
    assert first == "500 Internal Server Error"
    assert excerpt.startswith("a[0mbbb")
    assert len(excerpt) == 2048
    assert came(b"\x00\x01", "image/png", 500, expose=True).text.endswith("\n[2 bytes]")
    assert came(b"{", status=500, expose=True).text.endswith("\n{")


def test_hidden_characters_are_left_out_and_counted() -> None:
    outcome = came('"a\u202eb\U000e0041"'.encode())
    assert outcome.value == "a\u202eb\U000e0041"
    assert outcome.text == "ab\n[2 hidden characters left out]"
    assert came(b"a\r\nb", "text/plain").text == "a\nb"


@pytest.mark.parametrize(
    ("location", "told"),
    [
        ("https://evil.example/x?token=SECRET", "https://evil.example"),
        ("https://u:SECRET@evil.example/", "another address"),
        ("/login?next=SECRET", "another address"),
    ],
)
def test_a_redirect_is_an_error_that_names_the_origin_only(location: str, told: str) -> None:
    outcome = came(status=302, headers=(("location", location),))
    assert outcome.is_error
    assert outcome.text == f"302 Found: the server redirects to {told}, which is not followed."


def test_the_text_has_the_time_to_wait() -> None:
    outcome = came(status=429, headers=(("retry-after", "7"),))
    assert outcome.response.retry_after == 7
    assert outcome.text == "429 Too Many Requests. The server asks to wait 7 s."
    assert came(status=503, headers=(("retry-after", "soon"),)).response.retry_after is None
    assert came(b"1", headers=(("retry-after", "7"),)).response.retry_after is None


def test_headers_that_come_twice_are_joined() -> None:
    outcome = came(
        b"1", headers=(("vary", "a"), ("vary", "b"), ("set-cookie", "c"), ("set-cookie", "d"))
    )
    assert outcome.response.headers["vary"] == "a, b"
    twice = (("content-type", "application/json"), ("Content-Type", "application/json"))
    assert came(b"[1]", None, headers=twice).value == [1]
    assert outcome.response.headers["set-cookie"] == "c\nd"


@pytest.mark.parametrize(
    ("method", "sent", "text"),
    [
        ("POST", "no", "Reason. The request was not sent."),
        ("POST", "unknown", "Reason. The request was sent, and may have been carried out."),
        ("GET", "unknown", "Reason."),
        ("DELETE", "yes", "Reason. The request was sent, and may have been carried out."),
    ],
)
def test_a_lost_response_tells_whether_the_request_was_sent(
    method: str, sent: Any, text: str
) -> None:
    outcome = outcome_of_response(Received(lost="Reason", sent=sent), method=method, expose=True)
    assert outcome.is_error
    assert (outcome.text, outcome.response.sent, outcome.response.status) == (text, sent, None)


def test_an_incomplete_response_has_its_status() -> None:
    lost = Received(lost="Reason", sent="unknown", status=200, headers={"x": "y"})
    outcome = outcome_of_response(lost, method="GET", expose=False)
    assert outcome.text == "200 OK, but: Reason."
    assert (outcome.response.status, outcome.response.headers, outcome.value) == (
        200,
        {"x": "y"},
        None,
    )
