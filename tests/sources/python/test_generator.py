"""JSON Schema of type hints: classes, enumerations, bytes, defaults."""

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from enum import Enum, Flag, IntEnum
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict, Discriminator, SecretStr, Tag

from pyfunctools import Controller, DefinitionError
from pyfunctools.sources.python.hints import input_schema, output_core, output_schema, read_hints


def read_schema(hints: dict[str, object]) -> Any:
    return input_schema(read_hints(hints, {}).core, {})[0]


def test_a_branch_of_a_union_without_a_schema_is_an_error() -> None:
    class Model(BaseModel):
        made: int | Callable[[], int]

    for hint in (int | Callable[[], int], Model):
        with pytest.raises(Exception, match=r"callable|Callable"):
            read_schema({"x": hint})


def test_nothing_warns() -> None:
    class Model(BaseModel):
        made: Any = object()
        secret: SecretStr = SecretStr("a")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema: Any = read_schema({"x": Model})
    assert "default" not in schema["$defs"]["Model"]["properties"]["made"]


def test_a_default_that_is_not_json_is_left_out() -> None:
    @dataclass
    class Wait:
        seconds: float = float("inf")
        steps: list[float] = field(default_factory=list)
        pause: float = float("nan")

    schema: Any = read_schema({"x": Wait})
    properties = schema["$defs"]["Wait"]["properties"]
    assert not any("default" in inner for inner in properties.values())


def test_additions_of_a_class_to_its_schema_are_json_or_an_error() -> None:
    class Pair(BaseModel):
        model_config = ConfigDict(json_schema_extra={"examples": [(1, 2)]})
        size: int

    class Broken(BaseModel):
        model_config = ConfigDict(json_schema_extra={"examples": [{1, 2}]})

    schema: Any = read_schema({"x": Pair})
    assert schema["$defs"]["Pair"]["examples"] == [[1, 2]]
    with pytest.raises(TypeError):
        read_schema({"x": Broken})


def test_bytes_in_a_model_follow_its_configuration() -> None:
    class Text(BaseModel):
        data: bytes

    class Encoded(BaseModel):
        model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
        data: bytes

    class Both(NamedTuple):
        text: Text
        encoded: Encoded
        data: bytes

    read: Any = read_schema({"x": Both})
    written: Any = output_schema(output_core(Both, {})[0], {})
    for schema, encoding in ((read, "base64"), (written, "base64url")):
        data = schema["$defs"]["Text"]["properties"]["data"]
        assert data == {"type": "string", "x-human": False}
        data = schema["$defs"]["Encoded"]["properties"]["data"]
        assert data == {"type": "string", "x-human": False, "contentEncoding": encoding}
    value: Any = ({"data": "hi"}, {"data": "aGk="}, "aGk=")
    made: Any = read_hints({"x": Both}, {}).read(json.dumps({"x": value}))["x"]
    assert made.text.data == b"hi"


def test_two_enumerations_of_one_name_keep_their_own_docstrings() -> None:
    def made(text: str, value: str) -> type[Enum]:
        class Colour(Enum):
            ONLY = value

        Colour.__doc__ = text
        return Colour

    schema: Any = read_schema({"a": made("A.", "a"), "b": made("B.", "b")})
    said = sorted((inner["enum"][0], inner["description"]) for inner in schema["$defs"].values())
    assert said == [("a", "A."), ("b", "B.")]
    assert all("title" not in inner for inner in schema["$defs"].values())


def test_integers_of_an_enumeration_are_text_as_keys_of_a_map() -> None:
    class Level(IntEnum):
        LOW = 1
        HIGH = 2

    def count(levels: dict[Level, dict[Level, int]]) -> dict[Level, int]:
        return levels[Level.HIGH]

    with Controller.from_functions([count]) as controller:
        outcome = controller.call("count", {"levels": {"2": {"1": 5}}})
        assert outcome.value == {Level.LOW: 5}
        assert not controller["count"].check({"levels": {"3": {}}})


def test_a_field_may_have_the_name_of_a_pydantic_attribute() -> None:
    @dataclass
    class Odd:
        model_config: int = 3
        model_fields: int = 4
        schema: int = 5

    schema: Any = read_schema({"x": Odd})
    assert list(schema["$defs"]["Odd"]["properties"]) == ["model_config", "model_fields", "schema"]


class Part(Flag):
    LEAF = 1
    STEM = 2
    ALL = 3


def test_the_members_of_a_flag_can_be_combined() -> None:
    def f(part: Part = Part.ALL, by: dict[str, Part] | None = None) -> Part:
        return part & ~Part.LEAF

    functions = Controller.from_functions([f])
    assert functions["f"].parameters["$defs"]["Part"] == {
        "type": "integer",
        "minimum": 0,
        "maximum": 3,
        "description": "The sum of any of 1 = LEAF, 2 = STEM, 3 = ALL.",
    }
    for given, returned in ((3, Part.STEM), (1, Part(0)), (0, Part(0))):
        assert functions.call("f", {"part": given, "by": {"a": given}}).unwrap() == returned
    assert functions.call("f", {"part": 4}).reason == "arguments"


class Plain(Enum):
    GREEN = "green"


class Span(Enum):
    MORNING = (6, 12)


class Day(Enum):
    NEW_YEAR = date(2026, 1, 1)


@dataclass
class Chosen:
    kind: Literal[Plain.GREEN] = Plain.GREEN


@pytest.mark.parametrize(
    ("hint", "field"),
    [
        (Span, "x"),
        (Day | None, "x"),
        (list[Literal[Plain.GREEN]], "x"),
        (Literal[b"x"], "x"),
        (Chosen, "kind"),
    ],
    ids=str,
)
def test_a_choice_that_json_cannot_make_is_an_error(hint: object, field: str) -> None:
    def f(x: Any) -> None: ...

    f.__annotations__["x"] = hint
    with pytest.raises(DefinitionError, match=rf"f\(x\): .*no value of `{field}` .*StrEnum"):
        Controller.from_functions([f])


def test_an_enumeration_may_read_other_values_itself() -> None:
    class Span(Enum):
        MORNING = (6, 12)

        @classmethod
        def _missing_(cls, value: object) -> Any:
            return next((each for each in cls if [*each.value] == value), None)

    def f(x: Any) -> None: ...

    f.__annotations__["x"] = Span
    assert Controller.from_functions([f]).call("f", {"x": [6, 12]}).ok


class Counted(BaseModel):
    count: int | None = None


class Sorted(BaseModel):
    by: str = "name"


def _tag_of(value: Any) -> str:
    count = value.get("count") if isinstance(value, dict) else getattr(value, "count", None)
    return "sorted" if count is None else "counted"


def test_a_function_that_picks_the_branch_of_a_union_picks_it() -> None:
    union = Annotated[
        Annotated[Counted, Tag("counted")] | Annotated[Sorted, Tag("sorted")],
        Discriminator(_tag_of),
    ]

    def f(x: Any) -> Any:
        return x

    f.__annotations__ = {"x": union, "return": union}
    functions = Controller.from_functions([f])
    assert functions.call("f", {"x": {"count": 1}}).unwrap() == Counted(count=1)
    assert functions.call("f", {"x": {"by": "age"}}).unwrap() == Sorted(by="age")
    assert functions.call("f", {"x": {"by": 1.5}}).reason == "arguments"
