"""The output of a callable: its schema, and its JSON."""

# ruff: noqa: E501 - a table reads best with a row on a line

import datetime as dt
import enum
import warnings
from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, ValuesView
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict, cast
from uuid import UUID

import pytest
from pydantic import AliasChoices, Base64Bytes, Base64UrlBytes, BaseModel, Field, SecretStr

from pyfunctools.controller.controller import Controller
from pyfunctools.errors import DefinitionError
from pyfunctools.record.outcome import Outcome
from pyfunctools.sources.python.binding import MethodHandler, read_handler
from pyfunctools.sources.python.docstrings import Docs
from pyfunctools.sources.python.reader import function_of


def read(hint: object, returns: str = "") -> tuple[Any, MethodHandler]:
    def f() -> object: ...

    f.__annotations__["return"] = hint
    handler, _ = read_handler(f, "f", Docs(returns=returns))
    return handler.output.value.schema, handler


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Encoded:
    data: Base64Bytes
    raw: bytes


@dataclass
class Item:
    name: str
    made: dt.date = dt.date(2026, 1, 2)


class Model(BaseModel):
    item: Item
    size: int = Field(serialization_alias="theSize")


class Point(NamedTuple):
    x: int


class Coded(NamedTuple):
    plain: bytes
    code: Base64Bytes


class Keys(TypedDict):
    size: int


class Opaque:
    pass


SCHEMAS: list[tuple[object, Any]] = [
    (int, {"type": "integer"}),
    (list[str], {"type": "array", "items": {"type": "string"}}),
    (Iterator[int], {"type": "array", "items": {"type": "integer"}}),
    (Collection[int], {"type": "array", "items": {"type": "integer"}}),
    (ValuesView[int], {"type": "array", "items": {"type": "integer"}}),
    (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    (Any, None),
    (Outcome, None),
    (
        Item,
        {
            "$ref": "#/$defs/Item",
            "$defs": {
                "Item": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "made": {"type": "string", "format": "date", "default": "2026-01-02"},
                    },
                    "required": ["name"],
                }
            },
        },
    ),
]


@pytest.mark.parametrize(("hint", "expected"), SCHEMAS, ids=str)
def test_the_schema_of_an_output(hint: object, expected: Any) -> None:
    assert read(hint)[0] == expected


def test_the_docstring_describes_the_output_of_one_function_only() -> None:
    assert read(int, "How many.")[0] == {"type": "integer", "description": "How many."}
    assert read(int)[0] == {"type": "integer"}


DUMPS: list[tuple[object, object, object]] = [
    (int, 3, 3),
    (None, None, None),
    (Item, Item("a"), {"name": "a", "made": "2026-01-02"}),
    (Model, Model(item=Item("a"), size=1), {"item": {"name": "a", "made": "2026-01-02"}, "theSize": 1}),
    (list[Item], [Item("a")], [{"name": "a", "made": "2026-01-02"}]),
    (Point, Point(1), [1]),
    (Keys, {"size": 1}, {"size": 1}),
    (set[int], {1}, [1]),
    (tuple[int, str], (1, "a"), [1, "a"]),
    (dict[Colour, int], {Colour.RED: 1}, {"red": 1}),
    (Colour, Colour.RED, "red"),
    (dt.datetime, dt.datetime(2026, 1, 2, tzinfo=dt.UTC), "2026-01-02T00:00:00Z"),
    (dt.timedelta, dt.timedelta(hours=1), "PT1H"),
    (UUID, UUID(int=0), "00000000-0000-0000-0000-000000000000"),
    (Decimal, Decimal("1.10"), "1.10"),
    (Path, Path("a"), "a"),
    (bytes, b"hi", "aGk="),
    (bytes, b"\xff\xfe", "__4="),
    (tuple[Base64Bytes, bytes], (b"hi", b"\xff"), ["aGk=", "_w=="]),
    (Encoded, Encoded(b"hi", b"hi"), {"data": "aGk=", "raw": "aGk="}),
    (Coded, Coded(b"\xff", b"\xff"), ["_w==", "/w=="]),
    (dict[str, Base64UrlBytes], {"a": b"\xff"}, {"a": "_w=="}),
    (SecretStr, SecretStr("SECRET-7f3a"), "**********"),
    (Iterator[int], [1, 2], [1, 2]),
    (Any, {"a": Item("a"), 1: b"\xff"}, {"a": {"name": "a", "made": "2026-01-02"}, "1": "_w=="}),
    (Any, (1, {2}), [1, [2]]),
    (Any, {"keys": {"a": 1}.keys(), "range": range(2)}, {"keys": ["a"], "range": [0, 1]}),
    (Iterable[Item], {"a": Item("a")}.values(), [{"name": "a", "made": "2026-01-02"}]),
    (Mapping[str, int], MappingProxyType({"a": 1}), {"a": 1}),
    (Any, ChainMap({"a": 1}, {"b": 2}), {"b": 2, "a": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("hint", "value", "expected"), DUMPS, ids=lambda each: str(each)[:30])
def test_an_output_is_written_by_its_hint(hint: object, value: object, expected: object) -> None:
    assert read(hint)[1].dump(value) == expected


@pytest.mark.parametrize(
    ("hint", "value", "expected"),
    [
        (int, "three", "three"),
        (int, None, None),
        (str, 3, 3),
        (Item, {"nam": 1}, {"nam": 1}),
        (Item, Model(item=Item("a"), size=1), {"item": {"name": "a", "made": "2026-01-02"}, "theSize": 1}),
        (list[int], ["a"], ["a"]),
        (list[int], 3, 3),
        (Keys, {}, {}),
        (Keys, {"size": "a"}, {"size": "a"}),
        (int | Item, "a", "a"),
        (None, 3, 3),
    ],
)  # fmt: skip
def test_an_output_that_does_not_match_its_hint_is_written_by_its_own_type(
    hint: object, value: object, expected: object
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(hint)[1].dump(value) == expected


@pytest.mark.parametrize("hint", [int, Any])
def test_an_output_that_is_not_json_raises(hint: object) -> None:
    with pytest.raises(Exception, match="serialize"):
        read(hint)[1].dump(Opaque())


@pytest.mark.parametrize("hint", [Opaque, Callable[[], int], list[Opaque], type[int]], ids=str)
def test_a_hint_without_a_schema_is_an_error(hint: object) -> None:
    with pytest.raises(DefinitionError) as caught:
        read(hint)
    assert caught.value.where == "f -> return"
    assert "no JSON Schema" in caught.value.reason
    assert "return an `Outcome`" in (caught.value.remedy or "")
    assert "Inject" not in (caught.value.remedy or "")


def test_built_in_hints_share_their_adapter() -> None:
    assert read(list[int])[0] is read(list[int])[0]


def test_local_classes_that_refer_to_each_other_are_resolved() -> None:
    @dataclass
    class Outer:
        inner: "Inner"

    class Inner(BaseModel):
        size: int

    def f() -> Outer: ...

    handler, _ = read_handler(f, "f", Docs())
    schema = handler.output.value.schema
    assert schema is not None
    assert sorted(cast("dict[str, object]", schema["$defs"])) == ["Inner", "Outer"]
    assert handler.dump(Outer(Inner(size=1))) == {"inner": {"size": 1}}


def test_a_method_that_returns_nothing_has_no_output() -> None:
    async def later() -> None: ...

    def now() -> None: ...

    for called in (later, now):
        controller = Controller.from_functions([called])
        [made] = controller.functions
        assert made.output is None
        assert controller.call(made.name, {}).ok


def test_an_output_may_be_null_where_that_is_a_default() -> None:
    class Tea(BaseModel):
        name: str = None  # type: ignore[assignment]
        size: int | None = None

    def find() -> Tea:
        return Tea()

    functions = Controller.from_functions([find])
    assert functions.call("find").unwrap() == Tea()
    number = {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}
    text = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}
    output: Any = functions["find"].output
    assert output["$defs"]["Tea"]["properties"] == {"name": text, "size": number}


def test_names_that_only_pydantic_reads_are_in_no_output() -> None:
    class Card(BaseModel):
        number: str = Field(default="", validation_alias=AliasChoices("number", "no"))
        hidden: str = Field(default="", exclude=True)

    def card() -> Card: ...

    assert "x-pyfunctools" not in str(function_of(card).output)
