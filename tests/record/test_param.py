"""`Param`: parameters written by hand."""

import pytest

from pyfunctools import DefinitionError, Param
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
        ([Param("x", "str")], "trip(x): 'str' is not a type. Use one of string, integer"),  # type: ignore[arg-type]
        (
            [Param("x", "string", items="string")],
            "trip(x): `items` stands beside the type 'string'",
        ),
        ([Param("x", "array", properties=[])], "`properties` stands beside the type 'array'"),
        (
            [Param("a", "object", properties=[Param("b", "array", items=Param("", "int"))])],  # type: ignore[arg-type]
            "trip(a)(b)(): 'int' is not a type.",
        ),
        ([Param("x", "string"), Param("x", "string")], "Two parameters are named 'x'"),
        ([Param("x", "string"), {"type": "string"}], "a JSON Schema stands among the `Param`s"),
        ([Param("x", "string"), "y"], "a str stands among the `Param`s"),
        ([Param("x", "array", items={"type": "string"})], "`items` must not be `dict`. Write a"),  # type: ignore[arg-type]
        (
            [Param("x", "object", properties={"y": {}})],
            "`properties` must not be `dict`. Write a",
        ),  # type: ignore[arg-type]
        ([Param("x", "string", enum="abc")], "trip(x): `enum` is 'abc'. List at least one value."),
        ([Param("x", "string", enum=[])], "`enum` is []. List at least one value."),
        ([Param("x", "string", enum={"a"})], "`enum` must not be `set`"),  # type: ignore[arg-type]
        ([Param("x", "string", required="yes")], "`required` must not be `str`. Write True or"),  # type: ignore[arg-type]
        ([Param("x", "string", 3)], "`description` must not be `int`. Write a text."),  # type: ignore[arg-type]
        ([Param("", "string")], "A parameter has no name."),
        ([Param(3, "string")], "`name` must not be `int`."),  # type: ignore[arg-type]
        ([Param("x", ["string"])], "`type` must not be `list`. Use one of string"),  # type: ignore[arg-type]
    ],
)
def test_an_invalid_param_is_an_error_with_the_remedy(params: list[object], said: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        parameters_of(params, "trip")
    assert said in str(caught.value)
