"""JSON Schema of type hints: what is not seen from the arguments and the output alone."""

import json
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, SecretStr

from pyfunctools.sources.python.generator import json_of
from pyfunctools.sources.python.hints import (
    adapter_of,
    output_adapter,
    output_schema,
    reading_of,
    schema_of,
)


def test_a_branch_of_a_union_is_never_left_out_in_silence() -> None:
    class Model(BaseModel):
        made: int | Callable[[], int]

    for hint in (int | Callable[[], int], Model):
        with pytest.raises(Exception, match=r"callable|Callable"):
            schema_of(reading_of({"x": hint}, {}), {})


def test_nothing_warns() -> None:
    class Model(BaseModel):
        made: Any = object()
        secret: SecretStr = SecretStr("a")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema: Any = schema_of(reading_of({"x": Model}, {}), {})
    assert "default" not in schema["$defs"]["Model"]["properties"]["made"]


def test_a_field_s_default_that_json_cannot_say_is_left_out() -> None:
    @dataclass
    class Wait:
        seconds: float = float("inf")
        steps: list[float] = field(default_factory=list)
        pause: float = float("nan")

    schema: Any = schema_of(reading_of({"x": Wait}, {}), {})
    properties = schema["$defs"]["Wait"]["properties"]
    assert not any("default" in inner for inner in properties.values())


def test_what_a_class_writes_into_its_schema_is_json_or_an_error() -> None:
    class Pair(BaseModel):
        model_config = ConfigDict(json_schema_extra={"examples": [(1, 2)]})
        size: int

    class Broken(BaseModel):
        model_config = ConfigDict(json_schema_extra={"examples": [{1, 2}]})

    schema: Any = schema_of(reading_of({"x": Pair}, {}), {})
    assert schema["$defs"]["Pair"]["examples"] == [[1, 2]]
    with pytest.raises(TypeError):
        schema_of(reading_of({"x": Broken}, {}), {})


def test_a_model_s_own_bytes_are_as_the_model_says() -> None:
    class Text(BaseModel):
        data: bytes

    class Encoded(BaseModel):
        model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
        data: bytes

    class Both(NamedTuple):
        text: Text
        encoded: Encoded
        data: bytes

    read: Any = schema_of(reading_of({"x": Both}, {}), {})
    written: Any = output_schema(output_adapter(Both, {}), Both, {})
    for schema, encoding in ((read, "base64"), (written, "base64url")):
        data = schema["$defs"]["Text"]["properties"]["data"]
        assert data == {"type": "string", "x-human": False}
        data = schema["$defs"]["Encoded"]["properties"]["data"]
        assert data == {"type": "string", "x-human": False, "contentEncoding": encoding}
    value: Any = ({"data": "hi"}, {"data": "aGk="}, "aGk=")
    made: Any = adapter_of({"x": Both}, {}).validate_python({"x": value})["x"]
    assert made.text.data == b"hi"


def test_two_enumerations_of_one_name_keep_their_own_docstrings() -> None:
    def made(text: str, value: str) -> type[Enum]:
        class Colour(Enum):
            ONLY = value

        Colour.__doc__ = text
        return Colour

    schema: Any = schema_of(reading_of({"a": made("A.", "a"), "b": made("B.", "b")}, {}), {})
    said = sorted((inner["enum"][0], inner["description"]) for inner in schema["$defs"].values())
    assert said == [("a", "A."), ("b", "B.")]
    assert all("title" not in inner for inner in schema["$defs"].values())


def test_a_class_of_any_name_is_described() -> None:
    class Arguments(BaseModel):
        size: int
        """How big."""

    schema: Any = schema_of(reading_of({"x": Arguments}, {}), {})
    assert schema["$defs"]["Arguments"]["properties"]["size"]["description"] == "How big."


def test_a_field_may_be_called_as_pydantic_s_own_things_are() -> None:
    @dataclass
    class Odd:
        model_config: int = 3
        model_fields: int = 4
        schema: int = 5

    schema: Any = schema_of(reading_of({"x": Odd}, {}), {})
    assert list(schema["$defs"]["Odd"]["properties"]) == ["model_config", "model_fields", "schema"]


class Tea(StrEnum):
    GREEN = "green"


ODD = [
    Tea.GREEN,
    1.5,
    math.nan,
    10**30,
    {1: "a"},
    (1, 2),
    b"x",
    {1},
    object(),
    "\ud800",
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(ODD),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(VALUES)
def test_json_of_a_value_is_what_writing_and_reading_makes_of_it(value: object) -> None:
    try:
        expected = json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        with pytest.raises((TypeError, ValueError)):
            json_of(value)
    else:
        made = json_of(value)
        assert made == expected
        assert repr(made) == repr(expected)


def test_an_integer_that_python_does_not_write_is_no_json() -> None:
    with pytest.raises(ValueError, match="4300 digits"):
        json_of({"a": [10**5000]})


def test_json_of_a_value_is_a_copy() -> None:
    value: dict[str, list[object]] = {"a": [{}]}
    copy = json_of(value)
    value["a"].append(1)
    assert copy == {"a": [{}]}
