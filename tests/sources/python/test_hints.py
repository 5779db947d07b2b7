"""Type hints through pydantic: what is not seen from the arguments and the output alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from pyfunctools.sources.python.hints import (
    adapter_of,
    json_default,
    output_adapter,
    output_schema,
    reading_of,
    schema_of,
)


@dataclass
class Item:
    name: str


def test_classes_of_a_function_that_name_one_another_are_resolved() -> None:
    @dataclass
    class Outer:
        inner: Inner

    class Inner(BaseModel):
        size: int

    names = {"Outer": Outer, "Inner": Inner}
    adapter = adapter_of({"x": Outer}, names)
    schema: Any = schema_of(reading_of({"x": Outer}, names), names)
    assert sorted(schema["$defs"]) == ["Inner", "Outer"]
    assert adapter.validate_json('{"x": {"inner": {"size": 1}}}') == {"x": Outer(Inner(size=1))}
    assert output_adapter(Outer, names).dump_python((Outer(Inner(size=1)),), mode="json") == [
        {"inner": {"size": 1}}
    ]


def test_bytes_are_written_in_one_alphabet_and_read_in_both() -> None:
    assert output_adapter(bytes, {}).dump_python((b"\xfb\xff",), mode="json") == ["-_8="]
    reads = adapter_of({"x": bytes}, {})
    assert reads.validate_json('{"x": "-_8="}') == reads.validate_json('{"x": "+/8="}')
    assert output_schema(output_adapter(bytes, {}), bytes, {})["contentEncoding"] == "base64url"


def test_a_dataclass_s_bytes_are_base64_as_well() -> None:
    @dataclass
    class File:
        data: bytes

    adapter = adapter_of({"x": File}, {})
    assert adapter.validate_json('{"x": {"data": "aGk="}}') == {"x": File(b"hi")}
    assert output_adapter(File, {}).dump_python((File(b"hi"),), mode="json") == [{"data": "aGk="}]


def test_a_default_is_json_or_an_error() -> None:
    assert json_default(list[Item], [Item("a")], {}) == [{"name": "a"}]
    with pytest.raises(Exception, match=r"."):
        json_default(list[Item], ["a"], {})
