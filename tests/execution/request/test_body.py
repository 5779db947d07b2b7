"""The body of a request."""

import json
import re
from base64 import b64decode
from email import policy
from email.parser import BytesParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools.execution.request.body import encoded_body
from pyfunctools.execution.steps import UnsendableError
from pyfunctools.route import ITEMS, Body, Encoding


def multipart(value: Any, encoding: Any, schema: Any) -> tuple[str, bytes]:
    """Return the boundary and the content of a multipart body."""
    body = Body(content_type="multipart/form-data", encoding=encoding, schema=schema)
    written = encoded_body(body, value)
    assert written is not None
    return written.content_type.partition("boundary=")[2], written.content


def sent(content_type: str, value: Any, schema: Any = True) -> tuple[str, bytes] | None:
    content = encoded_body(Body(content_type=content_type, schema=schema), value)
    return None if content is None else (content.content_type, content.content)


@pytest.mark.parametrize(
    ("content_type", "value", "expected"),
    [
        ("application/json", {"a": "é", "b": [1, None]}, '{"a":"é","b":[1,null]}'.encode()),
        ("application/json; charset=utf-8", "x", b'"x"'),
        ("application/json; charset=iso-8859-1", "é€", b'"\\u00e9\\u20ac"'),
        ("application/json; charset=utf-16le", 1, b"1\0"),
        ("application/json; charset=nonsense", "é", b'"\\u00e9"'),
        ("application/merge-patch+json", None, b"null"),
        ("application/x-www-form-urlencoded", {"a": "b c"}, b"a=b+c"),
        ("text/plain", "x", b"x"),
        ("text/plain", 1.5, b"1.5"),
        ("text/plain; charset=latin-1", "é", b"\xe9"),
        ("application/xml", "<a/>", b"<a/>"),
        ("application/octet-stream", b"\x00\xff", b"\x00\xff"),
        ("application/octet-stream", "/etc/passwd", b"/etc/passwd"),
        ("image/png", {"content": b"\x89"}, b"\x89"),
        ("application/yaml", {"a": 1}, b'{"a":1}'),
        ("application/x-ndjson", [{"a": "é"}, 2], '{"a":"é"}\n2\n'.encode()),
        ("application/x-ndjson", '{"a":1}\n', b'{"a":1}\n'),
        ("application/geo+json-seq", [{"a": 1}], b'\x1e{"a":1}\n'),
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
def test_a_range_is_replaced_by_a_concrete_media_type(
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
def test_null_is_a_body_only_in_json(content_type: str) -> None:
    assert sent(content_type, None) is None


def test_the_media_type_of_multipart_has_its_boundary() -> None:
    for written in ("multipart/form-data; charset=x", "multipart/*"):
        body = encoded_body(Body(content_type=written), {"a": "b"})
        assert body is not None
        media, _, boundary = body.content_type.partition("; boundary=")
        assert media == "multipart/form-data"
        assert (
            body.content
            == (
                f'--{boundary}\r\nContent-Disposition: form-data; name="a"\r\n'
                f"Content-Type: text/plain\r\n\r\nb\r\n--{boundary}--\r\n"
            ).encode()
        )


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
def test_a_value_that_a_media_type_cannot_express_is_refused(content_type: str, value: Any) -> None:
    with pytest.raises(UnsendableError):
        sent(content_type, value)


def as_file(value: Any) -> Any:
    """Return the vectors' notation of a file as a program gives one."""
    if isinstance(value, list):
        return [as_file(item) for item in value]
    if isinstance(value, dict) and "$bytes_base64" in value:
        return {"filename": value["filename"], "content": b64decode(value["$bytes_base64"])}
    return value


def taken_apart(boundary: str, content: bytes) -> list[tuple[str, bytes]]:
    """Read a multipart body as RFC 2046 has it: the head and the content of each part."""
    first, *parts, last = (b"\r\n" + content).split(b"\r\n--" + boundary.encode())
    assert (first, last) == (b"", b"--\r\n")
    found = []
    for part in parts:
        head, mark, body = part.partition(b"\r\n\r\n")
        assert mark
        assert head.startswith(b"\r\n")
        found.append((head[2:].decode(), body))
    return found


def expected_head(part: dict[str, Any]) -> str:
    name = part.get("name_wire", part.get("name"))
    head = f'Content-Disposition: form-data; name="{name}"'
    filename = part.get("filename_wire", part.get("filename"))
    if filename is not None:
        head += f'; filename="{filename}"'
    if "content_type" in part:
        head += f"\r\nContent-Type: {part['content_type']}"
    return head


def test_every_vector_of_multipart_is_written_exactly(vectors: Path) -> None:
    table = json.loads((vectors / "style.json").read_text("utf-8"))
    wrong = {}
    for vector in table["multipart_bodies"]:
        value = {name: as_file(inner) for name, inner in vector["value"].items()}
        rules = {
            name: Encoding(
                content_type=rule.get("contentType"),
                style=rule.get("style"),
                explode=rule.get("explode"),
            )
            for name, rule in vector.get("encoding", {}).items()
        }
        schema = {"type": "object", "properties": vector.get("properties", {})}
        boundary, content = multipart(value, rules, schema)
        expected = [
            (
                expected_head(part),
                b64decode(part["body_base64"]) if "body_base64" in part else part["body"].encode(),
            )
            for part in vector["parts"]
        ]
        if (got := taken_apart(boundary, content)) != expected:
            wrong[vector["id"]] = (got, expected)
    assert wrong == {}
    assert len(table["multipart_bodies"]) == 13


@pytest.mark.slow
@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters='"\r\n\0'), min_size=1), st.binary()
    )
)
def test_a_multipart_body_is_parsed_to_the_same_parts(value: dict[str, bytes]) -> None:
    boundary, content = multipart(value, {}, True)
    assert [body for _, body in taken_apart(boundary, content)] == list(value.values())
    heads = [head.split("\r\n")[0] for head, _ in taken_apart(boundary, content)]
    assert heads == [
        f'Content-Disposition: form-data; name="{name}"; filename="{name}"' for name in value
    ]


def test_another_parser_reads_the_same_parts() -> None:
    value = {"a": "--B--\r\n--B\r\n", "file": {"filename": "ü.txt", "content": b"\x00\r\n--B"}}
    boundary, content = multipart(value, {}, True)
    head = f'Content-Type: multipart/form-data; boundary="{boundary}"\r\n\r\n'.encode()
    message = BytesParser(policy=policy.HTTP).parsebytes(head + content)
    parts = list(message.iter_parts())
    assert [part.get_payload(decode=True) for part in parts] == [
        b"--B--\r\n--B\r\n",
        b"\x00\r\n--B",
    ]


def test_the_boundary_is_random() -> None:
    boundaries = {multipart({"a": "b"}, {}, True)[0] for _ in range(100)}
    assert len(boundaries) == 100
    assert all(re.fullmatch("[0-9a-f]{32}", boundary) for boundary in boundaries)


def heads(value: Any, encoding: dict[str, Encoding] | None = None, schema: Any = True) -> list[str]:
    return [head for head, _ in taken_apart(*multipart(value, encoding or {}, schema))]


def test_a_name_cannot_break_out_of_its_header() -> None:
    (head,) = heads({'a"': {"filename": 'b"\r\nX-Evil: 1\r\n\r\n', "content": b""}})
    assert head.split("\r\n")[0] == (
        'Content-Disposition: form-data; name="a%22"; filename="b%22%0D%0AX-Evil: 1%0D%0A%0D%0A"'
    )
    with pytest.raises(UnsendableError):
        multipart({"a": {"content": b"", "content_type": "a/b\r\nX: 1"}}, {}, True)


def test_a_part_is_a_body_of_its_own_media_type() -> None:
    form = Encoding(
        content_type="application/x-www-form-urlencoded",
        encoding={"b": Encoding(style="form", explode=False)},
    )
    encoding = {
        "latin": Encoding(content_type="text/plain; charset=iso-8859-1"),
        "form": form,
        "json": Encoding(content_type="application/json; charset=iso-8859-1"),
        "parts": Encoding(content_type="multipart/mixed", encoding={"a": form}),
    }
    value = {
        "latin": "é",
        "form": {"a": "&", "b": [1, 2]},
        "json": {"e": "é"},
        "parts": {"a": {"b": [1, 2]}},
    }
    (_, latin), (_, text), (_, data), (head, parts) = taken_apart(*multipart(value, encoding, True))
    assert (latin, text, data) == (b"\xe9", b"a=%26&b=1,2", b'{"e":"\\u00e9"}')
    ((inner, content),) = taken_apart(head.partition("boundary=")[2], parts)
    assert inner.endswith("\r\nContent-Type: application/x-www-form-urlencoded")
    assert content == b"b=1,2"
    with pytest.raises(UnsendableError, match="XML"):
        multipart({"x": {"a": 1}}, {"x": Encoding(content_type="application/xml")}, True)


def test_the_items_of_an_array_have_encodings_by_their_place() -> None:
    encoding = {
        "0": Encoding(content_type="application/vnd.a+json"),
        ITEMS: Encoding(content_type="text/csv", headers={"X-Row": "1"}),
    }
    parts = taken_apart(*multipart([{"a": 1}, "b", None, "c"], encoding, True))
    assert parts == [
        ("Content-Type: application/vnd.a+json", b'{"a":1}'),
        ("Content-Type: text/csv\r\nX-Row: 1", b"b"),
        ("Content-Type: text/csv\r\nX-Row: 1", b"c"),
    ]


def test_a_value_that_cannot_be_a_part_is_named() -> None:
    file = {"content": b"", "content_type": "a/b\r\nX: 1"}
    for value, keys in (({"f": file}, ("f",)), ([1, file], (1,))):
        with pytest.raises(UnsendableError) as raised:
            multipart(value, {}, True)
        assert raised.value.keys == (*keys, "content_type")


def test_a_part_has_a_content_type_and_a_filename() -> None:
    schema = {
        "properties": {
            "raw": {"type": "string", "format": "binary"},
            "png": {"type": "string", "contentMediaType": "image/png"},
            "list": {"type": "array", "items": {"type": "string", "contentEncoding": "base64"}},
        }
    }
    value = {"n": 1, "o": {}, "raw": "/etc/passwd", "png": b"", "list": [b"\xff"], "file": b""}
    found = [head.partition("\r\n") for head in heads(value, None, schema)]
    assert [(first[32:], last) for first, _, last in found] == [
        ('name="n"', "Content-Type: text/plain"),
        ('name="o"', "Content-Type: application/json"),
        ('name="raw"; filename="raw"', "Content-Type: application/octet-stream"),
        ('name="png"; filename="png"', "Content-Type: image/png"),
        ('name="list"; filename="list"', "Content-Type: application/octet-stream"),
        ('name="file"; filename="file"', "Content-Type: application/octet-stream"),
    ]


def test_a_file_is_sent_as_a_file_though_its_property_has_a_style() -> None:
    rules = {"f": Encoding(style="form"), "g": Encoding(style="form"), "t": Encoding(style="form")}
    schema = {"properties": {"g": {"type": "array", "items": {"format": "binary"}}}}
    found = taken_apart(*multipart({"f": b"\xff", "g": ["text"], "t": [1, 2]}, rules, schema))
    assert [body for _, body in found] == [b"\xff", b"text", b"1", b"2"]
    assert 'filename="f"' in found[0][0]


def test_an_encoding_names_the_media_type_and_more_headers() -> None:
    rule = Encoding(content_type="text/csv", headers={"X-A": "1", "X B": "2", "content-type": "x"})
    assert heads({"a": "1,2"}, {"a": rule}) == [
        'Content-Disposition: form-data; name="a"\r\nContent-Type: text/csv\r\nX-A: 1'
    ]
    as_json = Encoding(content_type="application/json")
    assert taken_apart(*multipart({"a": "x"}, {"a": as_json}, True))[0][1] == b'"x"'


def test_the_parts_of_an_array_have_no_names() -> None:
    boundary, content = multipart([{"a": 1}, "b", None], {}, True)
    assert taken_apart(boundary, content) == [
        ("Content-Type: application/json", b'{"a":1}'),
        ("Content-Type: text/plain", b"b"),
    ]


def test_a_refusal_has_the_path() -> None:
    with pytest.raises(UnsendableError) as caught:
        multipart({"a": {"content": 1}}, {}, True)
    assert caught.value.keys == ("a", "content")
    with pytest.raises(UnsendableError):
        multipart("a", {}, True)
