"""The settings of a function."""

from typing import Any

import pytest

from pyfunctools import DefinitionError, Function, function
from pyfunctools.record.traits import Traits, checked_traits


def test_every_trait_is_a_setting() -> None:
    flags = {"deprecated", "confirm", "concurrent", "strict"}
    for name in Traits.__annotations__:
        value = ["a"] if name == "tags" else True if name in flags else None
        assert name in checked_traits("here", {name: value})


@pytest.mark.parametrize(("tags", "kept"), [("trade", ("trade",)), (["a", "b"], ("a", "b"))])
def test_a_single_text_is_one_tag(tags: Any, kept: tuple[str, ...]) -> None:
    assert checked_traits("here", {"tags": tags}) == {"tags": kept}
    assert Function.from_schema(name="f", parameters={}, tags=tags).tags == kept


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tags", 3),
        ("tags", [1]),
        ("tags", None),
        ("name", 3),
        ("description", 3),
        ("title", b"x"),
        ("display_text", True),
        ("confirm", "yes"),
        ("confirm", None),
        ("deprecated", 1),
        ("concurrent", "no"),
        ("strict", 0),
        ("read_only", "no"),
        ("destructive", 1),
        ("idempotent", "yes"),
    ],
)
def test_a_setting_of_another_type_is_an_error_with_its_name(name: str, value: Any) -> None:
    made: Any = function
    with pytest.raises(DefinitionError, match="must be ") as raised:
        made(**{name: value})
    assert raised.value.where == f"function({name})"
    assert raised.value.remedy
    written: Any = Function.from_schema
    with pytest.raises(DefinitionError):
        written(**{"name": "f", "parameters": {}, name: value})


def test_an_unknown_setting_is_a_type_error_that_lists_the_settings() -> None:
    made: Any = function
    with pytest.raises(TypeError, match=r"unknown setting 'tgas'\. Write `tags=`\."):
        made(tgas=["a"])
    with pytest.raises(TypeError, match="unknown setting 'enclosing'"):
        made(enclosing=None)


def test_a_positional_name_is_an_error_with_the_remedy() -> None:
    made: Any = function
    with pytest.raises(DefinitionError, match=r"@function\(name='book'\)"):
        made("book")
