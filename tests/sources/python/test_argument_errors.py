"""Errors of a user's validator as issues with our paths."""

# ruff: noqa: E501 - a table reads best with a row on a line

from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    Json,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from pyfunctools import Controller
from pyfunctools.schema import Issue
from pyfunctools.sources.python.binding import failure_of


def even(value: int) -> int:
    if value % 2:
        raise ValueError("must be even")
    return value


def small(value: int) -> int:
    if value >= 10:
        raise AssertionError("must be\n  small")
    return value


def custom(value: int) -> int:
    raise PydanticCustomError("my_error", "must not be {given}", {"given": value})


def silent(value: int) -> int:
    raise ValueError


def hiding(value: int) -> int:
    raise ValueError("must\u202e be \x1b[31mred")


Even = Annotated[int, AfterValidator(even)]


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: Even

    @field_validator("kind")
    @classmethod
    def known(cls, value: str) -> str:
        return value


class Dog(BaseModel):
    kind: Literal["dog"]
    legs: int


class Range(BaseModel):
    low: int
    high: int

    @model_validator(mode="after")
    def ordered(self) -> "Range":
        if self.low > self.high:
            raise ValueError("low must not be above high")
        return self


def issues(hint: Any, value: Any) -> tuple[Issue, ...]:
    from json import dumps

    try:
        TypeAdapter[object](hint).validate_json(dumps(value))
    except ValidationError as error:
        return failure_of(error, value).issues
    raise AssertionError("nothing was refused")


@pytest.mark.parametrize(
    ("hint", "value", "expected"),
    [
        (dict[str, Even], {"x": 3}, [("$input.x", "must be even", 3)]),
        (dict[str, list[Even]], {"x": [2, 3, 5]}, [("$input.x[1]", "must be even", 3), ("$input.x[2]", "must be even", 5)]),
        (dict[str, Annotated[int, AfterValidator(small)]], {"x": 30}, [("$input.x", "must be small", 30)]),
        (dict[str, Annotated[int, AfterValidator(custom)]], {"x": 30}, [("$input.x", "must not be 30", 30)]),
        (dict[str, Annotated[int, AfterValidator(silent)]], {"x": 1}, [("$input.x", "another value", 1)]),
        (dict[str, Annotated[int, AfterValidator(hiding)]], {"x": 1}, [("$input.x", "must be [31mred", 1)]),
        (Range, {"low": 2, "high": 1}, [("$input", "low must not be above high", {"low": 2, "high": 1})]),
        (dict[str, Range], {"x": {"low": 2, "high": 1}}, [("$input.x", "low must not be above high", {"low": 2, "high": 1})]),
        (dict[str, Cat | Dog], {"x": {"kind": "cat", "lives": 9}}, [("$input.x.lives", "must be even", 9)]),
        (dict[str, Annotated[Cat | Dog, Field(discriminator="kind")]], {"x": {"kind": "cat", "lives": 9}}, [("$input.x.lives", "must be even", 9)]),
        (dict[Annotated[str, AfterValidator(lambda key: even(len(key)) and key)], int], {"abc": 1}, [("$input.abc", "must be even", 1)]),
        (tuple[int, Even], [1, 3], [("$input[1]", "must be even", 3)]),
    ],
)  # fmt: skip
def test_a_validator_s_error_has_our_path_its_message_and_the_value(
    hint: Any, value: Any, expected: list[tuple[str, str, object]]
) -> None:
    found = issues(hint, value)
    assert [(str(each.path), each.expected, each.value) for each in found] == expected
    assert all(each.side == "whole" for each in found)


def test_an_error_of_pydantic_reads_well_behind_expected() -> None:
    [issue] = issues(dict[str, int], {"x": "a"})
    assert str(issue.path) == "$input.x"
    assert issue.expected.startswith("a valid integer")
    assert "http" not in issue.message


def test_text_that_is_no_json_is_answered_with_an_example() -> None:
    [issue] = issues(Json[list[int]], "[1, 'b']")
    assert issue.expected == 'text that is JSON, such as {"a": [1, "b"]}'


def test_a_missing_field_has_its_own_path() -> None:
    [issue] = issues(dict[str, Range], {"x": {"low": 1}})
    assert (str(issue.path), issue.value) == ("$input.x.high", None)


class Green(BaseModel):
    kind: Literal["green"] = "green"
    grams: int = 1


class Black(BaseModel):
    kind: Literal["black"]


def test_a_missing_tag_is_asked_for() -> None:
    def f(tea: Annotated[Green | Black, Field(discriminator="kind")]) -> None: ...

    [issue] = Controller.from_functions([f]).call("f", {"tea": {"grams": 2}}).issues
    assert issue.path == "$input.tea.kind"
    assert issue.expected == "a value that tells which of the alternatives is meant"


def test_another_error_is_raised_again_unless_the_arguments_are_not_json() -> None:
    with pytest.raises(KeyError, match="gone"):
        failure_of(KeyError("gone"), {"a": 1})
    said = failure_of(TypeError(), {"a": object()}).issues  # type: ignore[dict-item]
    assert [issue.expected.partition(":")[0] for issue in said] == ["PydanticSerializationError"]


def test_the_error_of_bytes_that_are_not_base64_quotes_none_of_them() -> None:
    adapter = TypeAdapter(bytes, config=ConfigDict(val_json_bytes="base64"))
    with pytest.raises(ValidationError) as caught:
        adapter.validate_json('"/etc/passwd"')
    [issue] = failure_of(caught.value, {}).issues
    assert issue.message == "$input: text in base64"
