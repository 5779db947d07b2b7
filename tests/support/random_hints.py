"""Random type hints as users write them, of the types that pydantic supports."""

import datetime as dt
import enum
import inspect
import pathlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, make_dataclass
from decimal import Decimal
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, Optional

from pydantic import BaseModel, Field, Json, create_model
from typing_extensions import TypeAliasType, TypedDict


class Colour(enum.Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Point(NamedTuple):
    """A place."""

    x: int
    y: int = 0


class Options(TypedDict, total=False):
    size: int
    colour: Colour | None


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    good: bool | None = None


class Node(BaseModel):
    value: int
    children: list["Node"] = []


Tree = TypeAliasType("Tree", "dict[str, Tree] | int")

ATOMS: tuple[Any, ...] = (
    *(str, int, float, bool, None, Any, bytes, list, dict, dt.datetime, dt.date, dt.time),
    *(dt.timedelta, uuid.UUID, Decimal, pathlib.Path, Colour, Level, Point, Options, Node, Tree),
    *(Literal["a", 1], Literal["only"], Json[list[int]], Cat | Dog),
    Annotated[Cat | Dog, Field(discriminator="kind")],
    Annotated[int, Field(ge=1, lt=9)],
    Annotated[str, Field(pattern=r"^[a-c]{2,4}$", description="Some letters.")],
    Annotated[str, Field(min_length=2, max_length=5, title="A title", examples=["abc"])],
    Annotated[list[str], Field(min_length=1, max_length=3)],
)
"""Hints without others inside, and those that refer to themselves."""


def hint(random: Random, depth: int = 0) -> Any:
    """Return a random hint."""
    if depth > 2 or random.random() < 0.4:
        return random.choice(ATOMS)
    inner = hint(random, depth + 1)
    match random.randrange(9):
        case 0:
            return list[inner]
        case 1:
            return dict[str, inner]
        case 2:
            return tuple[inner, hint(random, depth + 1)]
        case 3:
            return Optional[inner]
        case 4:
            return Annotated[inner, Field(description="What it is.")]
        case 5:
            return Sequence[inner]
        case 6:
            return Mapping[str, inner]
        case 7:
            return create_model(
                "Model", a=(inner, ...), b=(Optional[hint(random, depth + 1)], None)
            )
        case _:
            fields: Any = [("a", inner), ("b", list[str], field(default_factory=list[str]))]
            return make_dataclass("Data", fields)


def called(random: Random) -> Callable[..., None]:
    """Return a function of random parameters, some with a default."""

    def function(**given: object) -> None:
        """Do it."""

    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(f"p{n}", kind, annotation=hint(random))
        for n in range(random.randint(1, 3))
    ]
    parameters.append(inspect.Parameter("q", kind, annotation=int | None, default=None))
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function
