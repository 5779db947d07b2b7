"""What `Self` and type variables stand for in the hints of a method."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Self, TypeVar

import pytest
from pydantic import BaseModel

from pyfunctools import Controller, DefinitionError, function, function_of

T = TypeVar("T")
U = TypeVar("U")


@dataclass
class Tea:
    grams: int = 5

    @function
    def larger(self, other: Self | None = None) -> Self:
        return other or self


class Oolong(Tea): ...


class Store(Generic[T]):
    def __call__(self, item: T) -> T:
        return item

    @function
    def add(self, items: "list[T]", last: T | None = None) -> list[T]:
        return [*items, *([] if last is None else [last])]


class Shelves(Store[list[T]], Generic[T]):
    @function
    def first(self, item: T) -> T:
        return item


class TeaShelves(Shelves[Tea]): ...


class TeaStore(Store[Tea]): ...


TEA = {"properties": {"grams": {"default": 5, "type": "integer"}}, "type": "object"}
GIVEN = {"$ref": "#/$defs/Tea"}


@pytest.mark.parametrize("made", [TeaStore(), Store[Tea]()])
def test_a_type_variable_is_what_the_class_or_the_object_says(made: Any) -> None:
    function = Controller.from_object(made)["add"]
    assert function.parameters["properties"]["items"] == {"items": GIVEN, "type": "array"}
    assert function.output == {"items": GIVEN, "type": "array", "$defs": {"Tea": TEA}}
    outcome = Controller.from_object(made).call("add", {"items": [{}], "last": {"grams": 7}})
    assert outcome.unwrap() == [Tea(), Tea(7)]
    assert function_of(made).parameters["properties"] == {"item": GIVEN}
    last = function_of(partial(made.add, [])).parameters["properties"]
    assert last == {"last": {"anyOf": [GIVEN, {"type": "null"}], "default": None}}


def test_each_class_has_type_variables_of_its_own() -> None:
    functions = Controller.from_object(TeaShelves())
    assert functions["first"].parameters["properties"] == {"item": GIVEN}
    items = functions["add"].parameters["properties"]["items"]
    assert items == {"items": {"items": GIVEN, "type": "array"}, "type": "array"}


def test_a_type_variable_without_a_value_takes_anything() -> None:
    add = Controller.from_object(Store[Any]())["add"]
    assert add == Controller.from_object(Store()).functions[0]
    assert add.parameters["properties"]["items"] == {"items": {}, "type": "array"}


class Cup(BaseModel, Generic[U]):
    content: U

    @function
    def poured(self, content: U) -> U:
        return content


class CupStore(Store[Cup[T]], Generic[T]): ...


def test_a_generic_model_has_the_values_of_its_own_arguments() -> None:
    poured = Controller.from_object(Cup[Tea](content=Tea()), inherited=True)["poured"]
    assert poured.parameters["properties"] == {"content": GIVEN}
    assert poured.output == {**GIVEN, "$defs": {"Tea": TEA}}
    items = Controller.from_object(CupStore[int]())["add"].parameters
    [cup] = items["$defs"].values()
    assert cup["properties"] == {"content": {"type": "integer"}}


@pytest.mark.parametrize("cls", [Tea, Oolong])
def test_self_is_the_class_of_the_object(cls: type[Tea]) -> None:
    functions = Controller.from_object(cls(), inherited=True)
    assert functions["larger"].output == {
        "$ref": f"#/$defs/{cls.__name__}",
        "$defs": {cls.__name__: TEA},
    }
    assert functions.call("larger", {"other": {"grams": "9"}}).unwrap() == cls(9)


def test_self_is_an_error_where_its_class_has_no_schema_or_there_is_none() -> None:
    class Shop:
        @function
        def opened(self) -> Self:
            return self

    def opened() -> list[Self]:  # type: ignore[misc]
        return []

    with pytest.raises(DefinitionError, match=r"Shop\.opened -> return: The hint `.*Shop`"):
        Controller.from_object(Shop())
    with pytest.raises(DefinitionError, match="used outside of a class"):
        function_of(opened)
