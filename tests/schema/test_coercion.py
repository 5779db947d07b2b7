"""One value on its way through one schema."""

import pytest

from pyfunctools.schema.coercion.candidates import WRAPPERS
from pyfunctools.schema.coercion.match import TooDeep
from pyfunctools.schema.coercion.walk import Coercion

SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["n"],
    "additionalProperties": False,
}


def test_each_change_is_noted_in_the_order_it_was_made():
    coercion = Coercion(SCHEMA)
    assert coercion.value([SCHEMA], {"n": "1", "tags": "x"}, ()) == {"n": 1, "tags": ["x"]}
    noted = [(repair.kind, str(repair.path), repair.before) for repair in coercion.repairs]
    assert noted == [("number", "$input.n", "1"), ("item", "$input.tags", "x")]


def test_the_paths_begin_where_the_value_stands():
    coercion = Coercion(SCHEMA)
    coercion.value([SCHEMA], {"n": "1"}, ("body", 0))
    assert [str(repair.path) for repair in coercion.repairs] == ["$input.body[0].n"]


def test_what_is_right_is_the_same_object_and_nothing_is_noted():
    coercion, value = Coercion(SCHEMA), {"n": 1}
    assert coercion.value([SCHEMA], value, ()) is value
    assert coercion.repairs == []


@pytest.mark.parametrize("name", sorted(WRAPPERS))
def test_a_wrapper_is_taken_off_where_only_that_fits(name: str):
    coercion = Coercion(SCHEMA)
    assert coercion.value([SCHEMA], {name: {"n": "1"}}, ()) == {"n": 1}
    assert "unwrapped" in [repair.kind for repair in coercion.repairs]


def test_what_is_nested_too_deep_is_refused():
    tree = {"type": "array", "items": {"$ref": "#"}}
    value: list[object] = []
    for _ in range(70):
        value = [value]
    with pytest.raises(TooDeep):
        Coercion(tree).value([tree], ["x", value], ())  # type: ignore[list-item]
