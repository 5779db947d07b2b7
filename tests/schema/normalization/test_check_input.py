import math
from typing import Any

import pytest
from stacks import on_stack

from pyfunctools.errors import SchemaError
from pyfunctools.schema.normalization.check_input import check_schema


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels - 1):
        schema = {"not": schema}
    return schema


def containing_itself(times: int) -> dict[str, Any]:
    values: list[Any] = []
    values += [values] * times
    return {"enum": values}


def doubled(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"anyOf": [schema, schema]}
    return schema


@pytest.mark.parametrize(
    ("schema", "pointer", "reason"),
    [
        ({"enum": [{1, 2}]}, "/enum/0", "a set"),
        ({"properties": {"a/b": {"enum": ("x",)}}}, "/properties/a~1b/enum", "a tuple"),
        ({"default": math.nan}, "/default", "nan"),
        ({"default": math.inf}, "/default", "inf"),
        ({"default": b"x"}, "/default", "a bytes"),
        ({"default": 10**5000}, "/default", "an integer of more than 4,000 digits"),
        ({"pattern": "\ud800"}, "/pattern", "a text with a lone surrogate"),
        ({"properties": {1: {}}}, "/properties", "1 cannot be a key"),
        ({"properties": {"\ud800": {}}}, "/properties", "cannot be a key"),
        ({1: 2}, "", "1 cannot be a key"),
        *((value, None, "an object or a boolean") for value in (None, "x", 1, [{}], frozenset())),
    ],
)
def test_a_value_that_is_not_json_is_an_error_at_its_place(schema: Any, pointer: str, reason: str):
    with pytest.raises(SchemaError, match=reason) as caught:
        check_schema(schema)
    assert caught.value.pointer == pointer


def test_a_lone_surrogate_in_a_title_or_description_is_allowed():
    check_schema({"description": "a\ud800b", "title": "\udfff"})


def test_subclasses_of_json_types_are_json():
    class Name(str):
        pass

    class Node(dict[str, Any]):
        pass

    check_schema(Node(inner=Node(a=Name("b"))))


def test_the_deepest_nesting_is_256():
    check_schema(nested(256))
    with pytest.raises(SchemaError, match="more than 256 deep"):
        check_schema(nested(257))


@pytest.mark.slow
@pytest.mark.parametrize(
    "schema",
    [nested(100_000), containing_itself(1), containing_itself(2), doubled(60)],
    ids=["deep", "itself", "itself twice", "doubled"],
)
def test_an_endless_schema_is_rejected_in_a_small_stack_too(schema: dict[str, Any]):
    with pytest.raises(SchemaError):
        on_stack(lambda: check_schema(schema))
