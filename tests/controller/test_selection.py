"""Selection: which functions are meant, and what is said of a name that none has."""

from typing import Any

import pytest

from pyfunctools import Function
from pyfunctools.controller.selection import chosen, unknown_name

NOTHING: dict[str, Any] = {
    **dict.fromkeys(("tags", "names", "paths", "methods", "where")),
    "allow_empty": True,
}


def made(name: str, *tags: str) -> Function:
    return Function.from_schema(name=name, parameters={"type": "object"}, tags=tags)


def test_asking_for_nothing_wants_everything() -> None:
    assert chosen([made("a")], **NOTHING) == ["a"]


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ({"tags": ["x"]}, ["one", "two"]),
        ({"tags": ["y", "z"]}, ["two"]),
        ({"tags": []}, []),
        ({"names": ["t*"]}, ["two", "three"]),
        ({"names": ["T*"]}, []),
        ({"names": ["t*"], "tags": ["x"]}, ["two"]),
        ({"where": lambda function: len(function.name) == 3}, ["one", "two"]),
        ({"paths": ["*"]}, ["one", "two", "three"]),
        ({"paths": ["/*"]}, []),
        ({"methods": ["get"]}, []),
    ],
)
def test_everything_that_is_asked_must_hold(asked: dict[str, Any], kept: list[str]) -> None:
    functions = [made("one", "x"), made("two", "x", "y"), made("three")]
    assert chosen(functions, **{**NOTHING, **asked}) == kept


def test_a_mistyped_name_is_told_the_close_ones() -> None:
    error = unknown_name("place_ordr", ["place_order", "cancel"])
    assert (error.name, list(error.close)) == ("place_ordr", ["place_order"])


def test_a_hostile_name_is_shortened_and_made_visible() -> None:
    assert "\x1b" not in str(unknown_name("\x1b[2J" * 1000, ["a"]))
    assert len(str(unknown_name("x" * 10_000, ["a"]))) < 300


def test_a_name_that_is_no_text_is_called_by_its_type() -> None:
    assert unknown_name(None, ["a"]).name == "<NoneType>"
    assert unknown_name(["a"], ["a"]).close == ()
