"""What the human will always have given."""

from typing import Any

import pytest

from pyfunctools.schema.separation.graph import graph_of
from pyfunctools.schema.separation.ownership import Ownership
from pyfunctools.schema.separation.side_writer import Needs

Schema = dict[str, Any]
H = {"type": "string", "x-human": True}
S = {"type": "string"}
PIN = {"type": "object", "properties": {"pin": H, "v": S}, "required": ["pin"]}


def of(schema: Schema) -> tuple[Ownership, Any]:
    whole = {"properties": {"a": schema}}
    ownership = Ownership(graph_of(whole, lambda _, inner: inner.get("x-human") is True))
    return ownership, ownership.graph.root.parts["properties", "a"]


def is_always_given(schema: Schema) -> bool:
    ownership, node = of(schema)
    return Needs(ownership).anything([node], ownership.child(ownership.root, "a"))


@pytest.mark.parametrize(
    "schema",
    [
        H,
        PIN,
        {"allOf": [PIN]},
        {"type": "object", "properties": {"in": PIN, "v": S}, "required": ["in"]},
        {"type": "array", "items": PIN, "minItems": 1},
        {"type": "array", "prefixItems": [PIN, S], "minItems": 2},
        {"anyOf": [PIN, {**PIN, "required": ["v", "pin"]}]},
    ],
)
def test_something_of_the_humans_is_in_every_value(schema: Schema) -> None:
    assert is_always_given(schema)


@pytest.mark.parametrize(
    "schema",
    [
        S,
        {**PIN, "required": []},
        {**PIN, "type": ["object", "null"]},
        {"properties": PIN["properties"], "required": ["pin"]},
        {"type": "array", "items": PIN},
        {"anyOf": [PIN, {"type": "null"}]},
        {"if": {"required": ["v"]}, "then": PIN, "type": "object", "properties": {"v": S}},
    ],
)
def test_nothing_of_the_humans_may_be_in_a_value(schema: Schema) -> None:
    assert not is_always_given(schema)


def test_recursion_needs_nothing_by_itself() -> None:
    tree = {
        "type": "object",
        "properties": {"next": {"$ref": "#/properties/a"}, "pin": H, "v": S},
        "required": ["next"],
    }
    assert not is_always_given(tree)
    assert is_always_given({**tree, "required": ["next", "pin"]})
