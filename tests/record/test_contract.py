"""`Contract`: the schemas of a function, separated once, and what checks against them."""

import copy
import pickle

import pytest

from pyfunctools import DefinitionError, Failure, Param, Path
from pyfunctools._json import JsonSchema
from pyfunctools.record.contract import Contract
from pyfunctools.schema.separation.predicates import is_human_by_default

TEA: JsonSchema = {
    "type": "object",
    "properties": {
        "item": {"$ref": "#/$defs/Item"},
        "count": {"type": "integer"},
        "pin": {"type": "string", "x-human": True},
    },
    "required": ["item", "pin"],
    "additionalProperties": False,
    "$defs": {"Item": {"type": "string"}, "Unused": {}},
}


def test_nobody_is_asked_whose_a_place_is_before_the_sides_are_wanted_and_then_once() -> None:
    asked: list[str] = []

    def is_human(path: Path, _: JsonSchema) -> bool:
        asked.append(str(path))
        return path.keys == ("pin",)

    contract = Contract.of(TEA, None, is_human)
    assert asked == []
    assert contract.separated.value is not None
    times = len(asked)
    assert times
    assert contract.check({"item": "tea"})
    assert contract.separated.value is contract.separated.value
    assert len(asked) == times


@pytest.mark.parametrize("is_human", [None, lambda path, schema: False])
def test_what_is_nobodys_has_no_sides(is_human: None) -> None:
    contract = Contract.of(TEA, None, is_human)
    assert contract.separated.value is None
    assert contract.merge({"item": "tea", "pin": "1"}, None)
    assert not contract.merge(None, {"item": "tea", "pin": "1"})


def test_a_written_schema_is_seen_to_be_one_at_once() -> None:
    wrong: JsonSchema = {"$ref": "https://example.com/schema.json"}
    with pytest.raises(DefinitionError):
        Contract.from_schemas("f", wrong, None, None)
    assert Contract.of(wrong, None, None).parameters is wrong
    with pytest.raises(DefinitionError, match="wrap them in an object"):
        Contract.from_schemas("f", {"type": "array"}, None, None)


def test_parameters_written_either_way_are_the_same() -> None:
    params = Contract.from_schemas("f", [Param("a", "integer")], {"type": "string"}, None)
    written: JsonSchema = {"properties": {"a": {"type": "integer"}}, "required": ["a"]}
    assert params == Contract.from_schemas("f", written, {"type": "string"}, None)
    assert params != Contract.from_schemas("f", written, None, None)


def test_a_list_begins_with_the_inputs_that_stand_first() -> None:
    contract = Contract.of(TEA, None, None, first=("pin", "count"))
    assert contract.positional()[2] == {
        "$ref": "#/$defs/Item",
        "$defs": {"Item": {"type": "string"}},
    }
    checked = contract.check(["1", "2", "tea"])
    assert checked.value == {"pin": "1", "count": 2, "item": "tea"}
    too_many = contract.check(["1"] * 4)
    assert isinstance(too_many, Failure)
    assert too_many.value == ["1"] * 4


def test_a_contract_survives_copies() -> None:
    contract = Contract.of(TEA, {"type": "string"}, is_human_by_default)
    for again in (copy.deepcopy(contract), pickle.loads(pickle.dumps(contract))):
        assert again == contract
        assert again.merge({"item": "tea"}, {"pin": "1"})
