"""`typing.TypedDict` in hints, wherever it stands."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, NotRequired, Required, TypedDict, TypeVar

import pytest
import typing_extensions
from pydantic import Field

from pyfunctools.sources.python.hint_scope import keys_of
from pyfunctools.sources.python.hints import TypedDictRewriter, read_hints

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
    return dict(read_hints({"x": hint}, names).schema)


def test_the_keys_are_told_with_their_hints() -> None:
    assert keys_of(Thing, {}) == {
        "width": (int, True),
        "height": (Annotated[int, METRES], False),
        "colour": (str, False),
        "weight": (float, True),
    }


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
def test_it_is_understood_wherever_it_stands(hint: object) -> None:
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


def test_one_that_holds_itself_is_understood() -> None:
    value = {"value": 1, "below": [{"value": 2, "below": []}]}
    reading = read_hints({"x": Tree}, {"Tree": Tree})
    assert reading.read(json.dumps({"x": value})) == {"x": value}
    assert schema(Tree)["$defs"]["Tree"]["properties"]["below"]["items"]["$ref"]


@pytest.mark.parametrize(
    "hint",
    [int, list[int], Literal["a"], Callable[[int], int], Newer, Plain, list[Plain | None], T],
)
def test_everything_else_stays_itself(hint: object) -> None:
    assert TypedDictRewriter({}).hint(hint) is hint


class Held(typing_extensions.TypedDict, Generic[T]):
    item: T


def test_generic_ones_of_the_newer_kind_are_left_to_pydantic() -> None:
    assert schema(Held[int])["properties"]["x"]
