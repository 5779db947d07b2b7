"""Values taken apart, and whose a place in them is."""

import copy
import pickle
from typing import Any

import pytest

from pyfunctools.errors import DefinitionError, SchemaError
from pyfunctools.schema.separation.division import Division, divide
from pyfunctools.schema.separation.predicates import is_human_by_default

Schema = dict[str, Any]
H = {"type": "string", "x-human": True}
S = {"type": "string"}
ROW = {"type": "object", "properties": {"n": S, "t": H}}


def of(**properties: Any) -> Division:
    schema = {"type": "object", "properties": {**properties, "a": S, "pin": H}}
    return divide(schema, is_human_by_default)


@pytest.mark.parametrize(
    ("schema", "value", "llm", "human"),
    [
        (ROW, {"n": "x", "t": "s"}, {"n": "x"}, {"t": "s"}),
        (ROW, {"n": "x"}, {"n": "x"}, None),
        (ROW, {}, {}, None),
        (ROW, "text", "text", None),
        ({"items": ROW}, [], [], None),
        ({"items": ROW}, [{"n": "x"}], [{"n": "x"}], None),
        ({"items": ROW}, [{"n": "x"}, {"t": "s"}], [{"n": "x"}, {}], [{}, {"t": "s"}]),
        ({"items": ROW}, ["x", {"t": "s"}], ["x", {}], [None, {"t": "s"}]),
        ({"items": {"items": ROW}}, [[{"n": "x"}], [{"t": "s"}]], [[{"n": "x"}], [{}]],
         [[{}], [{"t": "s"}]]),
        ({"prefixItems": [S, H]}, ["x", "s"], ["x", None], [None, "s"]),
        ({"prefixItems": [S, H]}, ["x", None], ["x", None], [None, None]),
        ({"prefixItems": [S, H]}, ["x"], ["x"], None),
        ({"additionalProperties": ROW}, {"k": {"t": "s"}}, {"k": {}}, {"k": {"t": "s"}}),
    ],
)  # fmt: skip
def test_a_value_is_split_place_by_place(schema: Schema, value: Any, llm: Any, human: Any) -> None:
    whole = of(x=schema).split({"x": value, "a": "b"})
    assert whole == ({"x": llm, "a": "b"}, {} if human is None else {"x": human})


def test_what_nobody_looks_into_is_the_humans() -> None:
    deep: Any = {"a": "x"}
    for _ in range(64):
        deep = {"a": deep}
    assert of().split(deep) == ({}, deep)
    assert of(x=ROW).split({"x": {1: "s"}}) == ({}, {"x": {1: "s"}})


def test_one_who_has_no_part_gets_an_empty_object() -> None:
    assert divide({"properties": {"a": S}}, is_human_by_default).split({"a": 1}) == ({"a": 1}, {})
    assert divide({"properties": {"a": H}}, is_human_by_default).split({"a": 1}) == ({}, {"a": 1})
    assert divide({"items": ROW}, is_human_by_default).split([{"n": 1}]) == ([{"n": 1}], [{}])


@pytest.mark.parametrize(
    ("keys", "llm", "human", "answer"),
    [
        (("pin",), {}, {}, True),
        (("a",), {}, {"a": "x"}, False),
        ((), {}, {}, False),
        (("m", "k", "n"), {"m": {"k": {}}}, {"m": {"k": {"t": "s"}}}, False),
        (("m", "k", "n"), {"m": {}}, {"m": {"k": {"t": "s"}}}, True),
        (("x",), {"x": 1}, {}, True),
        (("x", "cvc"), {"x": {}}, {}, True),
    ],
)
def test_a_place_is_the_humans_by_its_path_or_if_only_the_human_gave_it(
    keys: tuple[str, ...], llm: Any, human: Any, answer: bool
) -> None:
    card = {"type": "object", "properties": {"cvc": S}, "x-human": True}
    division = of(m={"additionalProperties": ROW}, x={"anyOf": [card, {"type": "integer"}]})
    assert division.is_humans(keys, llm, human) is answer


def test_a_side_complains_of_what_is_missing_where_it_is_missing() -> None:
    rows = {"type": "array", "items": {**ROW, "required": ["n", "t"]}}
    division = of(rows=rows)
    whole = {"rows": [{"n": "x"}, {"t": "s"}]}
    found = division.complaints("human", whole, {}, whole)
    assert [str(issue.path) for issue in found] == ["$input.rows[0].t", "$input.rows[1].t"]
    found = division.complaints("llm", whole, {"rows": [{"n": "x"}, {}]}, {"rows": [{}, {}]})
    assert [str(issue.path) for issue in found] == ["$input.rows[1].n"]


def test_the_model_is_not_told_of_a_key_that_only_the_human_wrote() -> None:
    division = of(
        m={"additionalProperties": {**ROW, "required": ["n"]}}, row={**ROW, "required": ["n"]}
    )
    whole = {"m": {"mine": {"n": 1}, "theirs": {"t": "s"}}, "row": {"t": "s"}}
    mine = {"m": {"mine": {"n": 1}}}
    theirs = {"m": {"theirs": {"t": "s"}}, "row": {"t": "s"}}
    found = division.complaints("llm", whole, mine, theirs)
    assert [str(issue.path) for issue in found] == ["$input.m.mine.n", "$input.row.n"]
    assert not division.complaints("human", whole, theirs, mine)


def test_a_copy_knows_as_much_without_the_predicate() -> None:
    division = divide({"properties": {"a": S, "b": S}}, lambda path, _: path == "$input.b")
    for other in (copy.deepcopy(division), pickle.loads(pickle.dumps(division))):
        assert other.split({"a": "x", "b": "s"}) == ({"a": "x"}, {"b": "s"})
        assert other.side("human") == division.side("human")


def test_what_is_no_schema_is_refused() -> None:
    deep: Any = {}
    for _ in range(300):
        deep = {"items": deep}
    loop: Schema = {"properties": {}}
    loop["properties"]["me"] = loop
    for schema in (deep, loop, {"enum": {1}}, {1: 2}, [], None, "a"):
        with pytest.raises(SchemaError):
            divide(schema, is_human_by_default)  # type: ignore[arg-type]
    with pytest.raises(DefinitionError):
        divide({}, lambda _, __: 1 / 0 > 0)
