"""The values of both sides: validated alone, and merged."""

import json
from enum import Enum, StrEnum
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


def places_of(schema: Schema, llm: Any, human: Any) -> list[tuple[str, str]]:
    return [(str(issue.path), issue.side) for issue in failure(schema, llm, human)]


def issues_of(merged: Result[Any]) -> list[tuple[str, str]]:
    return [(str(one.path), one.side) for one in (() if merged else merged.issues)]


PAY = object_of({"amount": I, "account": H}, "amount", "account", **CLOSED)
AUTH = object_of({"auth": object_of({"scope": S, "token": H}, "scope", **CLOSED)}, **CLOSED)
ROWS = object_of({"rows": {"type": "array", "items": object_of({"n": I, "t": H}, "n", "t")}})


class Key(StrEnum):
    TOKEN = "token"


@pytest.mark.parametrize("evil", ["ATTACKER", None, "", {}, [], 0, {"account": "x"}])
@pytest.mark.parametrize("human", [{}, None])
def test_a_models_value_for_the_human_is_never_used(evil: Any, human: Any) -> None:
    assert places_of(PAY, {"amount": 1, "account": evil}, human) == [("$input.account", "human")]
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
def test_a_hidden_or_nested_one_is_not_used_either(llm: Any, whole: Any) -> None:
    merged = merge(AUTH, llm, {})
    assert (merged.value if merged else None) == whole
    assert not merged or "EVIL" not in str(merged.value)


def test_lists_of_different_lengths_are_an_issue_and_a_missing_one_is_empty() -> None:
    two = {"rows": [{"n": 1}, {"n": 2}]}
    assert places_of(ROWS, two, {"rows": [{"t": "a"}]}) == [("$input.rows", "human")]
    assert places_of(ROWS, two, {"rows": []}) == [("$input.rows", "human")]
    assert places_of(ROWS, two, {"rows": [{"t": "a"}] * 3}) == [("$input.rows", "human")]
    missing = [("$input.rows[0].t", "human"), ("$input.rows[1].t", "human")]
    assert places_of(ROWS, two, {}) == missing
    assert places_of(ROWS, two, {"rows": [{}, None]}) == missing
    assert places_of(ROWS, {}, {"rows": [{"t": "a"}]}) == [("$input.rows[0].n", "llm")]
    assert merge(ROWS, {"rows": []}, {}).unwrap() == {"rows": []}


def test_in_an_array_null_stands_for_an_item_of_the_other_side() -> None:
    schema = object_of(
        {"t": {"type": "array", "prefixItems": [S, H, {"type": ["null", "string"]}]}}
    )
    merged = merge(schema, {"t": ["x", None, None]}, {"t": [None, "s", None]})
    assert merged.unwrap() == {"t": ["x", "s", None]}
    assert places_of(schema, {"t": ["x", None, None]}, {}) == [("$input.t[1]", "human")]
    assert places_of(schema, {}, {"t": [None, "s", None]}) == [
        ("$input.t[0]", "llm"),
        ("$input.t[2]", "llm"),
    ]
    assert places_of(schema, {"t": ["x", "EVIL", None]}, {}) == [("$input.t[1]", "human")]


@pytest.mark.parametrize(
    ("llm", "human", "side"),
    [
        ({"auth": "x"}, {"auth": {"token": "s"}}, "llm"),
        ({"auth": None}, {"auth": {"token": "s"}}, "llm"),
        ({"auth": []}, {"auth": {"token": "s"}}, "human"),
    ],
)
def test_different_types_are_an_issue(llm: Any, human: Any, side: str) -> None:
    schema = object_of({"auth": {"properties": {"token": H, "scope": S}}})
    assert places_of(schema, llm, human) == [("$input.auth", side)]


def test_a_human_value_in_a_model_place_is_an_issue() -> None:
    (issue,) = failure(PAY, {"amount": 1}, {"account": "s", "amount": SECRET})
    assert (issue.path, issue.side, issue.value) == ("$input.amount", "human", None)
    assert places_of({"properties": {"a": S}}, {"a": "x"}, {"a": "y"}) == [("$input.a", "human")]


def test_null_from_the_human_stays_null() -> None:
    schema = object_of({"a": {"anyOf": [H, {"type": "null"}]}, "b": I}, "a")
    assert merge(schema, {"b": 1}, {"a": None}).unwrap() == {"a": None, "b": 1}
    union = object_of({"a": {"anyOf": [H, I, {"type": "null"}]}})
    assert merge(union, {"a": 1}, {"a": None}).unwrap() == {"a": None}


def test_the_human_gives_nothing_if_nothing_is_required() -> None:
    assert merge(AUTH, {"auth": {"scope": "r"}}, {}).unwrap() == {"auth": {"scope": "r"}}
    assert merge(AUTH, {"auth": {"scope": "r"}}, None).unwrap() == {"auth": {"scope": "r"}}


def test_keywords_about_both_sides_are_checked_on_the_whole() -> None:
    rows = {"type": "array", "items": object_of({"n": I, "t": H}), "uniqueItems": True}
    schema = object_of({"rows": rows})
    same = {"rows": [{"n": 1}, {"n": 1}]}
    assert merge(schema, same, {"rows": [{"t": "a"}, {"t": "b"}]})
    (issue,) = failure(schema, same, {"rows": [{"t": SECRET}, {"t": SECRET}]})
    assert (issue.path, issue.side) == ("$input.rows", "llm")
    assert SECRET not in repr(issue)
    dependent = object_of({"a": S, "t": H}, dependentRequired={"a": ["t"]})
    assert places_of(dependent, {"a": "x"}, {}) == [("$input.t", "human")]


def test_an_issue_has_its_side_and_no_value_of_the_other() -> None:
    schema = object_of({"a": I, "pin": {**H, "enum": [SECRET]}}, "a", "pin", **CLOSED)
    issues = failure(schema, {"a": "x", "b": 1}, {"pin": "9999"})
    mine = [issue for issue in issues if issue.side == "llm"]
    theirs = [issue for issue in issues if issue.side == "human"]
    assert [str(issue.path) for issue in mine] == ["$input.a", "$input.b"]
    assert not [word for word in (SECRET, "pin", "9999") if word in repr(mine)]
    assert [str(issue.path) for issue in theirs] == ["$input.pin"]
    assert "9999" not in repr(theirs)


def test_arguments_that_are_human_as_a_whole_are_the_humans() -> None:
    schema = {**PAY, "x-human": True}
    whole = {"amount": 1, "account": "x"}
    assert merge(schema, {"amount": 666}, whole).unwrap() == whole
    assert merge(schema, None, whole).unwrap() == whole
    assert places_of(schema, whole, {}) == [("$input.amount", "human"), ("$input.account", "human")]


def test_arguments_that_are_too_deep_are_an_issue_in_a_small_thread_too() -> None:
    tree = {"type": "object", "properties": {"t": H, "in": {"$ref": "#/$defs/T"}, "v": S}}
    schema = {"$ref": "#/$defs/T", "$defs": {"T": tree}}

    def issues(depth: int) -> list[Any]:
        value: Any = {}
        for _ in range(depth - 1):
            value = {"in": value}
        found = [issues_of(merge(schema, *pair)) for pair in ((value, {}), ({}, value))]
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


def test_the_model_gets_no_issue_of_a_key_that_only_the_human_wrote() -> None:
    row = object_of({"n": S, "t": H}, "n")
    schema = object_of({"m": {"type": "object", "additionalProperties": row}, "row": row})
    mine, theirs = {"m": {"mine": {}}}, {"m": {"theirs": {"t": "s"}}, "row": {"t": "s"}}
    found = [(str(i.path), i.side) for i in merge(schema, mine, theirs).issues]  # type: ignore[union-attr]
    assert found == [
        ("$input.m.mine.n", "llm"),
        ("$input.m.theirs.n", "human"),
        ("$input.row.n", "llm"),
    ]


ROW = {"properties": {"n": S, "t": H}}
CARD = {"properties": {"kind": {"const": "a"}, "cvc": S}, "x-human": True}
LINE = {"type": "object", "properties": {"n": S, "t": H}}
SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "row": ROW,
        "rows": {"items": ROW},
        "pair": {"prefixItems": [S, H]},
        "union": {"anyOf": [CARD, {"properties": {"kind": {"const": "b"}}}]},
        "split": {"anyOf": [LINE, S]},
        "list": {"anyOf": [{"type": "array", "items": H}, S]},
        "a": S,
        "pin": H,
    },
}
SEPARATED = separate(SCHEMA)


class Box(Enum):
    ROW = {"n": "x", "t": "EVIL"}


class Text(str):
    """A subclass of `str`."""


def found(value: Any, side: Any) -> list[tuple[str, str]]:
    result = SEPARATED.validate(value, side)
    assert all(issue.side == side for issue in (() if result else result.issues))
    return [] if result else [(str(issue.path), issue.expected) for issue in result.issues]


@pytest.mark.parametrize(
    ("value", "whole", "foreign"),
    [
        ({"a": "x"}, {"a": "x"}, None),
        ({"a": "x", "pin": "EVIL"}, {"a": "x"}, "$input.pin"),
        ({"pin": None}, {}, "$input.pin"),
        ({"more": {"pin": 1}}, {"more": {"pin": 1}}, None),
        ({"row": {"n": "x", "t": "EVIL"}}, {"row": {"n": "x"}}, "$input.row.t"),
        ({"row": "x"}, {"row": "x"}, None),
        ({"rows": [{"n": "x", "t": 1}]}, {"rows": [{"n": "x"}]}, "$input.rows[0].t"),
        ({"rows": ({"t": "EVIL"},)}, {"rows": [{}]}, "$input.rows[0].t"),
        ({"rows": [Box.ROW]}, {"rows": [{"n": "x"}]}, "$input.rows[0].t"),
        ({"union": {"kind": "b"}}, {}, "$input.union"),
        ({"split": {"n": "x", "t": 1}}, {"split": {"n": "x"}}, "$input.split.t"),
        ({"split": "x"}, {"split": "x"}, None),
        ({"list": "x"}, {}, "$input.list"),
    ],
)
def test_a_model_value_in_a_human_place_is_an_issue_and_is_dropped(
    value: Any, whole: Any, foreign: str | None
) -> None:
    assert SEPARATED.merge(value, {}).unwrap() == whole  # type: ignore[union-attr]
    wanted = "no value, since this is not yours to give"
    assert found(value, "llm") == ([] if foreign is None else [(foreign, wanted)])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"pin": "1"}, None),
        ({"row": {"t": "s"}}, None),
        ({"row": None}, None),
        ({"pair": [None, "s"]}, None),
        ({"union": {"kind": "b"}}, None),
        ({"PIN": "1"}, '$input.PIN: expected no value here: did you mean "pin"?'),
        ({"a": "x"}, "$input.a: expected no value here: {} is asked for."),
        ({"else": None}, "$input.else: expected no value here: {} is asked for."),
        ({"row": {"n": "1"}}, '$input.row.n: expected no value here: "t" is asked for.'),
        ({"rows": [{"T": 1}]}, '$input.rows[0].T: expected no value here: did you mean "t"?'),
        ({"row": 3}, '$input.row: expected an object with "t".'),
        ({"rows": 3}, "$input.rows: expected an object or an array."),
        ({"pair": ["x", "s"]}, "$input.pair[0]: expected no value here: nothing is asked for."),
        ("x", "$input: expected an object with {}."),
    ],
)
def test_an_issue_of_the_human_names_the_expected_properties(value: Any, said: str | None) -> None:
    mine = {"rows": [{}], "pair": ["x", None]}
    merged = SEPARATED.merge({name: mine[name] for name in mine if name in value}, value)
    issues = () if merged else merged.issues
    wanted = (
        None
        if said is None
        else said.format('"row", "rows", "pair", "union", "split", "list", … (1 more)')
    )
    assert [i.message for i in issues][:1] == ([] if wanted is None else [wanted])
    assert all(issue.value is None and issue.side == "human" for issue in issues)


@pytest.mark.parametrize("side", ["llm", "human"])
@pytest.mark.parametrize(
    ("value", "broken"),
    [
        ({Key.TOKEN: "EVIL"}, "$input"),
        ({Text("pin"): "EVIL"}, "$input"),
        ({1: "EVIL"}, "$input"),
        ({None: "EVIL"}, "$input"),
        ({"row": {Key.TOKEN: 1}}, "$input.row"),
        ({"row": object()}, "$input.row"),
        ({"row": b"t"}, "$input.row"),
        ({"row": {"t"}}, "$input.row"),
    ],
)
def test_a_value_at_a_mixed_place_must_be_json(side: Any, value: Any, broken: str) -> None:
    wanted = "JSON, with texts as the keys of objects"
    assert (broken, wanted) in found(value, side)
    given = (value, {}) if side == "llm" else ({}, value)
    merged = SEPARATED.merge(*given)
    assert [(str(i.path), i.expected, i.side) for i in merged.issues] == [(broken, wanted, side)]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("side", "mark"), [("llm", {"x-human": True}), ("human", {"description": "nothing is"})]
)
def test_a_side_without_parts_is_an_empty_object_or_null(side: Any, mark: Schema) -> None:
    separated = separate({"type": "object", "properties": {"a": S}, **mark})
    assert separated.validate({}, side)
    assert separated.validate(None, side)
    failure = separated.validate({"a": 1, "b": 2}, side)
    assert [str(one.path) for one in failure.issues] == ["$input.a", "$input.b"]  # type: ignore[union-attr]
    assert not separated.validate("text", side)
