"""`Param`: parameters written by hand."""

from typing import Any

import pytest

from pyfunctools import DefinitionError, Function, Param
from pyfunctools.record.param import parameters_of


def test_nested_params_become_one_closed_object() -> None:
    schema = parameters_of(
        [
            Param("city", "string", "Where.", enum=["Oslo", "Bergen"]),
            Param("days", "integer", default=3),
            Param("note", "string", required=False),
            Param(
                "stops",
                "array",
                items=Param("", "object", properties=[Param("x", "number"), Param("y", "number")]),
            ),
            Param("tags", "array", items="string", required=False),
        ],
        "trip",
    )
    point = {
        "type": "object",
        "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
        "required": ["x", "y"],
        "additionalProperties": False,
    }
    assert schema == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where.", "enum": ["Oslo", "Bergen"]},
            "days": {"type": "integer", "default": 3},
            "note": {"type": "string"},
            "stops": {"type": "array", "items": point},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["city", "stops"],
        "additionalProperties": False,
    }


def test_a_default_of_null_is_a_default() -> None:
    assert Param("x", "null", default=None).schema() == {"type": "null", "default": None}


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ([Param("x", "str")], '/properties/x/type). Write "string".'),  # type: ignore[arg-type]
        (
            [Param("a", "object", properties=[Param("b", "array", items=Param("", "int"))])],  # type: ignore[arg-type]
            '/properties/a/properties/b/items/type). Write "integer".',
        ),
        ([Param("x", "string"), Param("x", "string")], "Two parameters are named 'x'"),
        ([Param("x", "string"), {"type": "string"}], "a JSON Schema stands among the `Param`s"),
        ([Param("x", "string"), "y"], "a str stands among the `Param`s"),
        ([Param("", "string")], "A parameter has no name"),
        ([Param("x", "string", required="yes")], "trip(x): `required`: This must be True or False"),  # type: ignore[arg-type]
        (
            [Param("x", "array", items={"type": "string"})],
            "trip(x): `items` must not be a JSON Schema. Write a `Param` or",
        ),  # type: ignore[arg-type]
        ([Param("x", "object", properties={"y": {}})], "must not be `dict`. Write them as"),  # type: ignore[arg-type]
        ([Param("x", "string", enum="abc")], '`enum` cannot be "abc"'),
        ([Param("x", "string", enum=[])], "`enum` cannot be an empty list"),
        ([Param("x", "string", 3)], "`description` cannot be 3"),  # type: ignore[arg-type]
        ([Param(3, "string")], "3 cannot be a key of a JSON object"),  # type: ignore[arg-type]
    ],
)
def test_an_invalid_param_is_an_error_with_the_remedy(params: Any, said: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        Function.from_schema(name="trip", parameters=params)
    assert said in str(caught.value)
