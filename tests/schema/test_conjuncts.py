from typing import Any

import pytest

from pyfunctools.errors import SchemaError
from pyfunctools.schema.normalization.all_of import MOST_INHERITED, Merger
from pyfunctools.schema.normalization.inlining import Targets

A, B, C = ({"$ref": f"#/$defs/{name}"} for name in "ABC")


def merge(
    schema: dict[str, Any],
    own: dict[str, Any] | None = None,
    *,
    copied: bool = False,
    known_as: str | None = None,
) -> dict[str, Any]:
    merger = Merger(Targets(own or {}, None))
    return merger.merge(schema, copied=copied, known_as=known_as)


def test_a_lone_reference_stays_one_beside_annotations():
    assert merge({"allOf": [A], "description": "d"}, {"A": {"type": "object"}}) == {
        "description": "d",
        **A,
    }


def test_a_reference_beside_nothing_but_a_type_stays_one():
    assert merge({"type": "object", "allOf": [A]}, {"A": {"type": "object"}}) == {
        "type": "object",
        **A,
    }


def test_a_reference_is_replaced_where_something_else_must_hold_too():
    own = {"A": {"type": "object", "properties": {"a": {}}, "required": ["a"]}}
    assert merge({"allOf": [A, {"properties": {"b": {}}}], "required": ["b"]}, own) == {
        "type": "object",
        "properties": {"a": {}, "b": {}},
        "required": ["b", "a"],
    }


def test_what_a_definition_is_made_of_is_merged_with_it():
    own = {
        "A": {"allOf": [B, C, {"maximum": 5}]},
        "B": {"allOf": [C], "minimum": 1},
        "C": {"type": "number"},
    }
    assert merge({"allOf": [A, {"multipleOf": 2}]}, own) == {
        "minimum": 1,
        "type": "number",
        "maximum": 5,
        "multipleOf": 2,
    }


def test_what_cannot_be_merged_stays_a_reference():
    own = {"A": {"type": "object", "unevaluatedProperties": False}, "B": {"minProperties": 1}}
    assert merge({"allOf": [B, A]}, own) == {"minProperties": 1, **A}
    assert merge({"allOf": [A, {"$ref": "#/$defs/missing"}]}, own) == {
        **A,
        "allOf": [{"$ref": "#/$defs/missing"}],
    }


def test_beside_a_reference_of_its_own_and_in_a_copy_references_stay():
    own = {"A": {"minimum": 1}, "B": {"maximum": 2}, "C": {}}
    assert merge({**A, "allOf": [B, {"multipleOf": 2}]}, own) == {
        **A,
        "multipleOf": 2,
        "allOf": [B],
    }
    assert merge({"allOf": [A, B, {"multipleOf": 2}]}, own, copied=True) == {
        **A,
        "multipleOf": 2,
        "allOf": [B],
    }


def test_a_branch_that_sees_its_siblings_stays_apart():
    branch = {"properties": {"a": {}}, "unevaluatedProperties": False}
    assert merge({"allOf": [branch, {"minProperties": 1}]}) == {
        "minProperties": 1,
        "allOf": [branch],
    }


def test_the_schema_itself_sees_what_is_merged_into_it():
    assert merge({"unevaluatedProperties": False, "allOf": [{"properties": {"a": {}}}]}) == {
        "unevaluatedProperties": False,
        "properties": {"a": {}},
    }


def test_that_it_must_fit_itself_says_nothing():
    own = {"A": {"allOf": [A, B]}, "B": {"allOf": [A], "minimum": 1}}
    assert merge(own["A"], own, known_as="#/$defs/A") == B
    assert merge(own["B"], own, known_as="#/$defs/B") == {"minimum": 1}
    assert merge({"allOf": [A, {"maximum": 2}]}, own) == {"minimum": 1, "maximum": 2}


@pytest.mark.parametrize("known_as", ["#/$defs/A", None])
def test_what_says_nothing_else_is_refused(known_as: str | None):
    own = {"A": {"allOf": [A, B]}, "B": {"allOf": [A, C]}, "C": A}
    with pytest.raises(SchemaError, match="in a circle: #/\\$defs/A"):
        merge({"allOf": [A, B]} if known_as is None else {"allOf": [A]}, own, known_as=known_as)


def test_false_refuses_all_and_true_says_nothing():
    assert merge({"type": "object", "allOf": [True, False, {"allOf": [False]}]}) == {
        "type": "object",
        "allOf": [False],
    }


def chain(length: int) -> dict[str, Any]:
    own: dict[str, Any] = {
        f"S{n}": {"allOf": [{"$ref": f"#/$defs/S{n + 1}"}, {"minLength": n}]} for n in range(length)
    }
    return {**own, f"S{length}": {"type": "string"}}


def test_who_inherits_too_much_keeps_references():
    first = {"$ref": "#/$defs/S0"}
    schema = {"allOf": [first, {"maxLength": 99}]}
    assert merge(schema, chain(MOST_INHERITED)) == {
        "minLength": MOST_INHERITED - 1,
        "type": "string",
        "maxLength": 99,
    }
    assert merge(schema, chain(MOST_INHERITED + 1)) == {**first, "maxLength": 99}


def test_how_many_a_schema_names_itself_does_not_count():
    own = {f"S{n}": {"minLength": n} for n in range(2_000)}
    schema = {"allOf": [{"$ref": f"#/$defs/{name}"} for name in own]}
    assert merge(schema, own) == {"minLength": 1_999}


def test_where_everything_refers_to_everything_references_stay():
    names = [{"$ref": f"#/$defs/S{n}"} for n in range(300)]
    own = {f"S{n}": {"allOf": names, "minLength": n} for n in range(300)}
    assert merge({"allOf": [*names, {"maxLength": 9}]}, own) == {
        **names[0],
        "maxLength": 9,
        "allOf": names[1:],
    }
