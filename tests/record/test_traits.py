"""What is said of a function: of which kind it has to be."""

from typing import Any

import pytest

from pyfunctools import DefinitionError, Function, function
from pyfunctools.record.traits import Traits, checked_traits


def test_every_trait_of_a_record_is_known() -> None:
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
def test_a_setting_of_another_kind_is_refused_by_its_name(name: str, value: Any) -> None:
    made: Any = function
    with pytest.raises(DefinitionError, match="must be ") as raised:
        made(**{name: value})
    assert raised.value.where == f"function({name})"
    assert raised.value.remedy
    written: Any = Function.from_schema
    with pytest.raises(DefinitionError):
        written(**{"name": "f", "parameters": {}, name: value})


def test_a_setting_that_there_is_not_is_a_type_error_that_says_which_there_are() -> None:
    made: Any = function
    with pytest.raises(
        TypeError, match=r"unknown setting 'tgas'\. The settings are concurrent, confirm"
    ):
        made(tgas=["a"])
    with pytest.raises(TypeError, match="unknown setting 'enclosing'"):
        made(enclosing=None)


def test_a_name_by_its_place_is_told_where_it_goes() -> None:
    made: Any = function
    with pytest.raises(DefinitionError, match=r"@function\(name='book'\)"):
        made("book")
