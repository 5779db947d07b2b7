"""Files in arguments: the forms in which a program may give one."""

from io import BytesIO
from typing import Any

import pytest

from pyfunctools.execution.person.uploads import file_of, is_binary, with_files
from pyfunctools.execution.steps import UnsendableError
from pyfunctools.record.file import File

BASE64 = {"type": "string", "contentEncoding": "base64"}


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        (b"\x00", True, (b"\x00", None, None)),
        (bytearray(b"a"), True, (b"a", None, None)),
        (File(b"a", "f", "t"), {"type": "object"}, (b"a", "f", "t")),
        ({"content": b"a", "filename": "f"}, True, (b"a", "f", None)),
        ({"content": "é", "content_type": "a/b"}, True, ("é".encode(), None, "a/b")),
        ({"content": "AAE=", "encoding": "base64"}, True, (b"\x00\x01", None, None)),
        ({"content": b"a"}, {"type": "object"}, (b"a", None, None)),
    ],
)
def test_a_file_is_recognised_by_its_form(value: Any, schema: Any, expected: Any) -> None:
    file = file_of(value, schema)
    assert file is not None
    assert (file.content, file.filename, file.content_type) == expected


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("/etc/passwd", {"format": "binary"}),
        ({"content": "a"}, {"type": "object"}),
        ({"content": "a"}, {"properties": {}}),
        ({"content": b"a", "other": 1}, True),
        ({"filename": "a"}, True),
        (None, True),
        (1, True),
    ],
)
def test_an_ordinary_value_is_no_file(value: Any, schema: Any) -> None:
    assert file_of(value, schema) is None


def test_files_are_found_wherever_they_stand() -> None:
    value = {"a": [b"x", 1], "b": {"content": b"y", "filename": "f"}, "c": {"content": "text"}}
    found: Any = with_files(value)
    assert (found["a"][0].content, found["b"].filename) == (b"x", "f")
    assert found["c"] == value["c"]
    assert value["a"] == [b"x", 1]
    plain = {"a": [1, {"b": "c"}]}
    assert with_files(plain) == plain
    endless: Any = {}
    endless["a"] = endless
    assert with_files(endless) is endless
    odd = {"content": b"y", "filename": 1}
    assert not isinstance(with_files(odd), File)


@pytest.mark.parametrize(
    "value",
    [
        {"content": 1},
        {"content": "a", "encoding": "hex"},
        {"content": "a b c", "encoding": "base64"},
        {"content": "é", "encoding": "base64"},
        {"content": "\ud800"},
        {"content": b"", "filename": 1},
        {"content": b"", "content_type": []},
    ],
)
def test_an_invalid_file_is_refused_with_its_path(value: Any) -> None:
    with pytest.raises(UnsendableError) as caught:
        file_of(value, True)
    assert caught.value.keys


def test_a_schema_may_want_bytes() -> None:
    assert is_binary({"format": "binary"})
    assert is_binary(BASE64)
    assert not is_binary({"type": "string"})
    assert not is_binary(True)


def test_an_upload_that_cannot_be_read_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    closed = BytesIO(b"x")
    closed.close()
    assert with_files(closed) is closed
    assert "reading an upload raised ValueError" in caplog.text
