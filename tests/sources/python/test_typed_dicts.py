"""`typing.TypedDict` at any place of a hint."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NotRequired, Required, TypedDict, TypeVar

import pytest
import typing_extensions
from pydantic import Field

from pyfunctools.sources.python.hints import input_schema, read_hints

T = TypeVar("T")
METRES: Any = Field(description="In metres.")


class Size(TypedDict):
    """How big."""

    width: int
    height: NotRequired[Annotated[int, METRES]]


class Thing(Size, total=False):
    """A thing."""

    colour: str
    weight: Required[float]


class Tree(TypedDict):
    value: int
    below: "list[Tree]"


class Newer(typing_extensions.TypedDict):
    size: int


@dataclass
class Plain:
    size: int


def schema(hint: object) -> dict[str, Any]:
    names = {"Tree": Tree}
    return dict(input_schema(read_hints({"x": hint}, names).core, names)[0])


@pytest.mark.parametrize(
    "hint",
    [
        Thing,
        Thing | None,
        list[Thing],
        dict[str, Thing],
        tuple[int, Thing],
        Annotated[Thing, Field(description="It.")],
        Annotated[list[Thing] | None, "mark"],
    ],
)
def test_a_typed_dict_works_at_any_place(hint: object) -> None:
    assert schema(hint)["$defs"]["Thing"] == {
        "type": "object",
        "description": "A thing.",
        "properties": {
            "width": {"type": "integer"},
            "height": {"type": "integer", "description": "In metres."},
            "colour": {"type": "string"},
            "weight": {"type": "number"},
        },
        "required": ["width", "weight"],
    }


def test_a_recursive_typed_dict_works() -> None:
    value = {"value": 1, "below": [{"value": 2, "below": []}]}
    reading = read_hints({"x": Tree}, {"Tree": Tree})
    assert reading.read(json.dumps({"x": value})) == {"x": value}
    assert schema(Tree)["$defs"]["Tree"]["properties"]["below"]["items"]["$ref"]


class Held(typing_extensions.TypedDict, Generic[T]):
    item: T


def test_a_generic_typed_dict_is_left_to_pydantic() -> None:
    assert schema(Held[int])["properties"]["x"]
