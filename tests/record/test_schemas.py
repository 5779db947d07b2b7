"""The schemas of a function: made and separated once, and what checks against them."""

import copy
import pickle
from collections.abc import Iterable

import pytest

from pyfunctools import DefinitionError, Failure, Param, Path
from pyfunctools._json import JsonSchema
from pyfunctools.record.contract import Schemas
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


def as_written(names: Iterable[str]) -> list[str]:
    return list(names)


def backwards(names: Iterable[str]) -> list[str]:
    return list(names)[::-1]


def test_nobody_is_asked_whose_a_place_is_before_the_sides_are_wanted_and_then_once() -> None:
    asked: list[str] = []

    def is_human(path: Path, _: JsonSchema) -> bool:
        asked.append(str(path))
        return path.keys == ("pin",)

    schemas = Schemas.of(TEA, None, is_human)
    assert asked == []
    assert schemas.separated is not None
    times = len(asked)
    assert times
    assert schemas.check({"item": "tea"}, as_written, allow_truncated=False)
    assert schemas.separated is schemas.separated
    assert len(asked) == times


@pytest.mark.parametrize("is_human", [None, lambda path, schema: False])
def test_what_is_nobodys_has_no_sides(is_human: None) -> None:
    schemas = Schemas.of(TEA, None, is_human)
    assert schemas.separated is None
    assert schemas.merge({"item": "tea", "pin": "1"}, None)
    assert not schemas.merge(None, {"item": "tea", "pin": "1"})


def test_a_written_schema_is_seen_to_be_one_at_once() -> None:
    wrong: JsonSchema = {"$ref": "https://example.com/schema.json"}
    with pytest.raises(DefinitionError):
        Schemas.written("f", wrong, None, None)
    assert Schemas.of(wrong, None, None).parameters is wrong
    with pytest.raises(DefinitionError, match="wrap them in an object"):
        Schemas.written("f", {"type": "array"}, None, None)


def test_parameters_written_either_way_are_the_same() -> None:
    params = Schemas.written("f", [Param("a", "integer")], {"type": "string"}, None)
    written: JsonSchema = {"properties": {"a": {"type": "integer"}}, "required": ["a"]}
    assert params == Schemas.written("f", written, {"type": "string"}, None)
    assert params != Schemas.written("f", written, None, None)


def test_the_order_of_a_list_is_the_callers() -> None:
    schemas = Schemas.of(TEA, None, None)
    assert schemas.positional(backwards)[2] == {
        "$ref": "#/$defs/Item",
        "$defs": {"Item": {"type": "string"}},
    }
    checked = schemas.check(["1", "2", "tea"], backwards, allow_truncated=False)
    assert checked.value == {"pin": "1", "count": 2, "item": "tea"}
    too_many = schemas.check(["1"] * 4, backwards, allow_truncated=False)
    assert isinstance(too_many, Failure)
    assert too_many.value == ["1"] * 4


def test_without_a_promise_every_output_is_right() -> None:
    assert Schemas.of(TEA, None, None).check_output(object.__new__(object))  # type: ignore[arg-type]
    promised = Schemas.of(TEA, {"type": "string"}, None)
    assert promised.check_output("tea")
    assert not promised.check_output(1)


def test_schemas_survive_copies() -> None:
    schemas = Schemas.of(TEA, {"type": "string"}, is_human_by_default)
    for again in (copy.deepcopy(schemas), pickle.loads(pickle.dumps(schemas))):
        assert again == schemas
        assert again.merge({"item": "tea"}, {"pin": "1"})
