"""The model's and the human's value, put together."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from stacks import on_stack

from pyfunctools.schema.result import Failure, Issue, Result
from pyfunctools.schema.separation.separate import merge, separate

Schema = dict[str, Any]
H = {"type": "string", "x-human": True}
S = {"type": "string"}
I = {"type": "integer"}  # noqa: E741
SECRET = "SECRET-7f3a"
CLOSED = {"additionalProperties": False}


def object_of(properties: Schema, *required: str, **keywords: Any) -> Schema:
    return {"type": "object", "properties": properties, "required": [*required], **keywords}


def failure(schema: Schema, llm: Any, human: Any) -> tuple[Issue, ...]:
    merged = merge(schema, llm, human)
    assert isinstance(merged, Failure)
    assert merged.value is llm
    return merged.issues


def told(schema: Schema, llm: Any, human: Any) -> list[tuple[str, str]]:
    return [(str(issue.path), issue.side) for issue in failure(schema, llm, human)]


def told_of(merged: Result[Any]) -> list[tuple[str, str]]:
    return [(str(one.path), one.side) for one in (() if merged else merged.issues)]


PAY = object_of({"amount": I, "account": H}, "amount", "account", **CLOSED)
AUTH = object_of({"auth": object_of({"scope": S, "token": H}, "scope", **CLOSED)}, **CLOSED)
ROWS = object_of({"rows": {"type": "array", "items": object_of({"n": I, "t": H}, "n", "t")}})


class Key(StrEnum):
    TOKEN = "token"


@pytest.mark.parametrize("evil", ["ATTACKER", None, "", {}, [], 0, {"account": "x"}])
@pytest.mark.parametrize("human", [{}, None])
def test_a_models_value_for_the_human_is_never_used(evil: Any, human: Any) -> None:
    assert told(PAY, {"amount": 1, "account": evil}, human) == [("$input.account", "human")]
    merged = merge(PAY, {"amount": 1, "account": evil}, {"account": "mine"})
    assert merged.unwrap() == {"amount": 1, "account": "mine"}
    optional = {**PAY, "required": ["amount"]}
    assert merge(optional, {"amount": 1, "account": evil}, human).unwrap() == {"amount": 1}


@pytest.mark.parametrize(
    ("llm", "whole"),
    [
        ({"auth": {"scope": "r", "token": "EVIL"}}, {"auth": {"scope": "r"}}),
        ({"auth": {"scope": "r"}, "auth.token": "EVIL"}, None),
        ({"auth": {"scope": "r", Key.TOKEN: "EVIL"}}, None),
        ({"auth": [{"token": "EVIL"}]}, None),
        ({"auth": ({"token": "EVIL"},)}, None),
        ({"auth": None}, None),
        ({}, {}),
    ],
)
def test_nor_is_one_that_is_smuggled_in_deeper(llm: Any, whole: Any) -> None:
    merged = merge(AUTH, llm, {})
    assert (merged.value if merged else None) == whole
    assert not merged or "EVIL" not in str(merged.value)


def test_lists_of_different_lengths_are_an_issue_and_a_missing_one_is_empty() -> None:
    two = {"rows": [{"n": 1}, {"n": 2}]}
    assert told(ROWS, two, {"rows": [{"t": "a"}]}) == [("$input.rows", "human")]
    assert told(ROWS, two, {"rows": []}) == [("$input.rows", "human")]
    assert told(ROWS, two, {"rows": [{"t": "a"}] * 3}) == [("$input.rows", "human")]
    missing = [("$input.rows[0].t", "human"), ("$input.rows[1].t", "human")]
    assert told(ROWS, two, {}) == missing
    assert told(ROWS, two, {"rows": [{}, None]}) == missing
    assert told(ROWS, {}, {"rows": [{"t": "a"}]}) == [("$input.rows[0].n", "llm")]
    assert merge(ROWS, {"rows": []}, {}).unwrap() == {"rows": []}


def test_in_a_list_null_stands_for_an_item_of_the_others() -> None:
    schema = object_of(
        {"t": {"type": "array", "prefixItems": [S, H, {"type": ["null", "string"]}]}}
    )
    merged = merge(schema, {"t": ["x", None, None]}, {"t": [None, "s", None]})
    assert merged.unwrap() == {"t": ["x", "s", None]}
    assert told(schema, {"t": ["x", None, None]}, {}) == [("$input.t[1]", "human")]
    assert told(schema, {}, {"t": [None, "s", None]}) == [
        ("$input.t[0]", "llm"),
        ("$input.t[2]", "llm"),
    ]
    assert told(schema, {"t": ["x", "EVIL", None]}, {}) == [("$input.t[1]", "human")]


@pytest.mark.parametrize(
    ("llm", "human", "side"),
    [
        ({"auth": "x"}, {"auth": {"token": "s"}}, "llm"),
        ({"auth": None}, {"auth": {"token": "s"}}, "llm"),
        ({"auth": []}, {"auth": {"token": "s"}}, "human"),
    ],
)
def test_different_shapes_are_an_issue(llm: Any, human: Any, side: str) -> None:
    schema = object_of({"auth": {"properties": {"token": H, "scope": S}}})
    assert told(schema, llm, human) == [("$input.auth", side)]


def test_a_value_of_the_humans_where_the_model_s_belongs_is_an_issue() -> None:
    (issue,) = failure(PAY, {"amount": 1}, {"account": "s", "amount": SECRET})
    assert (issue.path, issue.side, issue.value) == ("$input.amount", "human", None)
    assert told({"properties": {"a": S}}, {"a": "x"}, {"a": "y"}) == [("$input.a", "human")]


def test_null_from_the_human_stays_null() -> None:
    schema = object_of({"a": {"anyOf": [H, {"type": "null"}]}, "b": I}, "a")
    assert merge(schema, {"b": 1}, {"a": None}).unwrap() == {"a": None, "b": 1}
    union = object_of({"a": {"anyOf": [H, I, {"type": "null"}]}})
    assert merge(union, {"a": 1}, {"a": None}).unwrap() == {"a": None}


def test_nothing_is_needed_of_the_human_where_nothing_is_required() -> None:
    assert merge(AUTH, {"auth": {"scope": "r"}}, {}).unwrap() == {"auth": {"scope": "r"}}
    assert merge(AUTH, {"auth": {"scope": "r"}}, None).unwrap() == {"auth": {"scope": "r"}}


def test_rules_that_look_at_both_sides_are_checked_on_the_whole() -> None:
    rows = {"type": "array", "items": object_of({"n": I, "t": H}), "uniqueItems": True}
    schema = object_of({"rows": rows})
    same = {"rows": [{"n": 1}, {"n": 1}]}
    assert merge(schema, same, {"rows": [{"t": "a"}, {"t": "b"}]})
    (issue,) = failure(schema, same, {"rows": [{"t": SECRET}, {"t": SECRET}]})
    assert (issue.path, issue.side) == ("$input.rows", "llm")
    assert SECRET not in repr(issue)
    dependent = object_of({"a": S, "t": H}, dependentRequired={"a": ["t"]})
    assert told(dependent, {"a": "x"}, {}) == [("$input.t", "human")]


def test_an_issue_says_whose_it_is_and_nothing_of_the_other() -> None:
    schema = object_of({"a": I, "pin": {**H, "enum": [SECRET]}}, "a", "pin", **CLOSED)
    issues = failure(schema, {"a": "x", "b": 1}, {"pin": "9999"})
    mine = [issue for issue in issues if issue.side == "llm"]
    theirs = [issue for issue in issues if issue.side == "human"]
    assert [str(issue.path) for issue in mine] == ["$input.a", "$input.b"]
    assert not [word for word in (SECRET, "pin", "9999") if word in repr(mine)]
    assert [str(issue.path) for issue in theirs] == ["$input.pin"]
    assert "9999" not in repr(theirs)


def test_no_predicate_leaves_all_to_the_model() -> None:
    assert merge(PAY, {"amount": 1, "account": "x"}, {}, None).unwrap()
    assert merge(PAY, {"account": "x"}, {"amount": 1}, lambda path, _: path == "$input.amount")


def test_arguments_that_are_the_humans_as_a_whole_are_taken_from_the_human() -> None:
    schema = {**PAY, "x-human": True}
    whole = {"amount": 1, "account": "x"}
    assert merge(schema, {"amount": 666}, whole).unwrap() == whole
    assert merge(schema, None, whole).unwrap() == whole
    assert told(schema, whole, {}) == [("$input.amount", "human"), ("$input.account", "human")]


def test_arguments_that_are_too_deep_are_an_issue_in_a_small_thread_too() -> None:
    tree = {"type": "object", "properties": {"t": H, "in": {"$ref": "#/$defs/T"}, "v": S}}
    schema = {"$ref": "#/$defs/T", "$defs": {"T": tree}}

    def issues(depth: int) -> list[Any]:
        value: Any = {}
        for _ in range(depth - 1):
            value = {"in": value}
        found = [told_of(merge(schema, *pair)) for pair in ((value, {}), ({}, value))]
        while value:  # the interpreter itself would free it level by level
            value = value.pop("in", None)
        return found

    deep = [[("$input", "llm")], [("$input", "human")]]
    assert on_stack(lambda: [*map(issues, (64, 65, 100_000))]) == [[[], []], deep, deep]


def test_the_vectors_hold(vectors: Path) -> None:
    for vector in json.loads((vectors / "split.json").read_text()):
        schema, llm, human = vector["schema"], vector["llm"], vector["human"]
        merged = merge(schema, llm, human)
        assert bool(merged) is not vector.get("fails", False)
        if merged:
            assert merged.value == vector["whole"]
            separated = separate(schema)
            assert bool(separated.validate(llm, "llm")) is not vector.get("hostile", False)
            assert separated.validate(human, "human")
            if not vector.get("hostile"):
                assert separated.split(vector["whole"]) == (llm, human)


def test_the_model_is_not_told_of_a_key_that_only_the_human_wrote() -> None:
    row = object_of({"n": S, "t": H}, "n")
    schema = object_of({"m": {"type": "object", "additionalProperties": row}, "row": row})
    mine, theirs = {"m": {"mine": {}}}, {"m": {"theirs": {"t": "s"}}, "row": {"t": "s"}}
    found = [(str(i.path), i.side) for i in merge(schema, mine, theirs).issues]  # type: ignore[union-attr]
    assert found == [
        ("$input.m.mine.n", "llm"),
        ("$input.m.theirs.n", "human"),
        ("$input.row.n", "llm"),
    ]
