"""`File`: bytes with a name and a media type."""

import copy
import json
import pickle
from typing import Any

import pytest

from pyfunctools import File
from pyfunctools.schema import Validator

BASE64 = {"type": "string", "contentEncoding": "base64"}


@pytest.mark.parametrize(
    ("schema", "spelled"),
    [
        (True, b"\xff\xfe"),
        ({"type": "string", "format": "binary"}, b"\xff\xfe"),
        (BASE64, b"//4="),
        ({"type": "string", "format": "byte"}, b"//4="),
        ({"contentEncoding": "base64url"}, b"__4="),
    ],
)
def test_the_schema_decides_between_bytes_and_base64(schema: Any, spelled: bytes) -> None:
    assert File(b"\xff\xfe").spelled(schema) == spelled


def test_a_file_is_text_to_a_schema_and_in_json() -> None:
    file = File(b"\xff\xfe", filename="a.bin")
    assert Validator({"type": "string", "format": "binary"}).validate(file)
    assert json.dumps([file]) == '["//4="]'
    assert repr(file) == "File(2 bytes, filename='a.bin')"
    for other in (pickle.loads(pickle.dumps(file)), copy.deepcopy(file)):
        assert (other.content, other.filename, other) == (b"\xff\xfe", "a.bin", "//4=")
