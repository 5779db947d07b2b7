from typing import Any

import pytest

from pyfunctools.errors import SchemaError
from pyfunctools.schema.normalization.inlining import Targets, sole_reference

A, B = {"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}


@pytest.mark.parametrize(
    ("schema", "reference"),
    [
        (A, "#/$defs/A"),
        ({**A, "description": "d", "x-y": 1}, "#/$defs/A"),
        ({"allOf": [A], "title": "t"}, "#/$defs/A"),
        ({"allOf": [{}, True, {"allOf": [A]}]}, "#/$defs/A"),
        ({**A, "allOf": [A, {"description": "d"}]}, "#/$defs/A"),
        ({**A, "maxContains": 1}, "#/$defs/A"),  # says nothing without `contains`
        ({**A, "minLength": 1}, None),
        ({**A, "nullable": True}, None),
        ({"allOf": [A, B]}, None),
        ({"allOf": [A, False]}, None),
        ({"anyOf": [A]}, None),
        ({"type": "string"}, None),
        ({}, None),
    ],
)
def test_a_schema_may_be_nothing_but_a_reference(schema: dict[str, Any], reference: str | None):
    assert sole_reference(schema) == reference


def test_own_definitions_come_before_those_of_the_lookup():
    definitions = Targets({"A": {"minimum": 1}}, {"#/$defs/A": {}, "#/$defs/B": True}.get)
    assert definitions.at("#/$defs/A") == {"minimum": 1}
    assert definitions.at("#/$defs/B") is True
    assert definitions.at("#/$defs/C") is None
    assert Targets({}, None).at("#/$defs/A") is None


@pytest.mark.parametrize(
    "schema",
    [
        {"unevaluatedProperties": False},
        {"$defs": {"X": {}}},
        {"$anchor": "a"},
        {"properties": {"a": {"$ref": "#/properties/b"}}},
    ],
)
def test_what_means_something_else_elsewhere_is_not_merged(schema: dict[str, Any]):
    assert Targets({}, lambda _: schema).to_merge("#/$defs/A") is None


def test_what_the_lookup_gives_must_be_json_to_be_merged():
    with pytest.raises(SchemaError):
        Targets({}, lambda _: {"enum": [object()]}).to_merge("#/$defs/A")


def test_references_that_only_lead_to_each_other_are_named():
    own = {
        "A": {**B, "title": "a"},
        "B": {"allOf": [A]},
        "C": A,
        "D": {"anyOf": [{"$ref": "#/$defs/D"}]},
    }
    definitions = Targets(own, None)
    definitions.follow("#/$defs/D")
    definitions.follow("#/$defs/missing")
    with pytest.raises(SchemaError) as caught:
        definitions.follow("#/$defs/C")
    assert str(caught.value) == (
        "the references lead in a circle: #/$defs/A -> #/$defs/B -> #/$defs/A"
    )


def test_a_long_chain_of_references_is_no_circle():
    own: dict[str, Any] = {f"S{n}": {"$ref": f"#/$defs/S{n + 1}"} for n in range(5_000)}
    Targets({**own, "S5000": {}}, None).follow("#/$defs/S0")
